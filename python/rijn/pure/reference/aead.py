"""Authenticated encryption with associated data, step by step.

SP 800-38D        GCM: Galois/Counter Mode (2007)
RFC 8452          AES-GCM-SIV (2019)
RFC 5297          SIV (2008)
SP 800-38C        CCM (2004); RFC 3610's too
RFC 7253          OCB3 (2014)
EAX               Bellare, Rogaway, Wagner: The EAX mode of operation (2004)
XAES-256-GCM      C2SP, c2sp.org/XAES-256-GCM

The functions have the standards' names. The arguments of every class except SIV are the key and
tag_length. The caller checks the arguments, and each class states its requirements. `decrypt`
returns the plaintext and the correct tag of the ciphertext. The caller compares the tags, and
discards the plaintext if they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from .modes import BLOCK, Bytes, Modes, blocks_of, double, inc, xor
from .pieces import Online


def pad(X: Bytes) -> bytes:
    """Returns X, padded with zeros to whole blocks."""
    return bytes(X) + bytes(-len(X) % BLOCK)


# ---- SP 800-38D: GCM ------------------------------------------------------------------
# A block is a 128-bit integer whose most significant bit is the standard's bit 0.


def multiply_blocks(X: int, Y: int) -> int:
    """SP 800-38D section 6.3, algorithm 1: X * Y in GF(2^128)."""
    R = 0b1110_0001 << 120
    Z = 0
    V = Y
    for i in range(128):
        if X >> (127 - i) & 1:
            Z ^= V
        V = V >> 1 ^ R if V & 1 else V >> 1
    return Z


def GHASH(H: int, X: bytes) -> bytes:
    """SP 800-38D section 6.4, algorithm 2. X is a whole number of blocks."""
    Y = 0
    for block in blocks_of(X):
        Y = multiply_blocks(Y ^ int.from_bytes(block, "big"), H)
    return Y.to_bytes(BLOCK, "big")


class GCM(Online):
    """SP 800-38D section 7. A nonce has one byte or more."""

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.K = Modes(key)
        self.t = tag_length
        # Section 7.1, step 1.
        self.H = int.from_bytes(self.K.CIPH(bytes(BLOCK)), "big")

    def GCTR(self, ICB: bytes, X: Bytes) -> bytes:
        """Section 6.5, algorithm 3."""
        return self.K.ctr_of(ICB, X, 32, "big")

    def J0(self, IV: bytes) -> bytes:
        """Section 7.1, step 2: the pre-counter block."""
        if len(IV) == 12:
            return IV + (1).to_bytes(4, "big")
        return GHASH(self.H, pad(IV) + bytes(8) + (8 * len(IV)).to_bytes(8, "big"))

    def T(self, J0: bytes, C: Bytes, A: Bytes) -> bytes:
        """Section 7.1, steps 4 to 6."""
        lengths = (8 * len(A)).to_bytes(8, "big") + (8 * len(C)).to_bytes(8, "big")
        S = GHASH(self.H, pad(A) + pad(C) + lengths)
        return self.GCTR(J0, S)[: self.t]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """Section 7.1, algorithm 4, GCM-AE."""
        J0 = self.J0(nonce)
        C = self.GCTR(inc(32, J0), data)
        return C, self.T(J0, C, ad)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Section 7.2, algorithm 5, GCM-AD; the caller does step 8."""
        J0 = self.J0(nonce)
        return self.GCTR(inc(32, J0), data), self.T(J0, data, ad)


# ---- C2SP: XAES-256-GCM ---------------------------------------------------------------


class XAES256GCM(Online):
    """A key has 32 bytes, a nonce 24."""

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.K = Modes(key)
        self.t = tag_length

    def derived(self, N: bytes) -> tuple[GCM, bytes]:
        """Returns AES-256-GCM under K_x, and the nonce N_x. L and K1 of the specification are the
        same as in CMAC.
        """
        K1, _ = self.K.SUBK()
        M1 = b"\x00\x01X\x00" + N[:12]
        M2 = b"\x00\x02X\x00" + N[:12]
        K_x = self.K.CIPH(xor(M1, K1)) + self.K.CIPH(xor(M2, K1))
        return GCM(K_x, self.t), N[12:]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        gcm, N_x = self.derived(nonce)
        return gcm.encrypt(N_x, data, ad)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        gcm, N_x = self.derived(nonce)
        return gcm.decrypt(N_x, data, ad, tag)


# ---- RFC 8452: AES-GCM-SIV ------------------------------------------------------------


def dot(a: int, b: int) -> int:
    """RFC 8452 section 3: a * b * x^-128 in GF(2^128); bit i of an element is the coefficient
    of x^i."""
    modulus = 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1
    product = 0
    for i in range(128):
        if a >> i & 1:
            product ^= b
        if product & 1:
            product ^= modulus
        product >>= 1
    return product


def POLYVAL(H: bytes, X: bytes) -> bytes:
    """RFC 8452 section 3. X is a whole number of blocks."""
    S = 0
    for X_j in blocks_of(X):
        S = dot(S ^ int.from_bytes(X_j, "little"), int.from_bytes(H, "little"))
    return S.to_bytes(BLOCK, "little")


class GCM_SIV:
    """A nonce has 12 bytes, a tag 16. The RFC has keys of 16 and 32 bytes. Keys of 24 bytes follow
    its rule.
    """

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.key_length = len(key)
        self.K = Modes(key)

    def derive_keys(self, nonce: bytes) -> tuple[bytes, Modes]:
        """Section 4: the keys for authentication and for encryption."""
        halves = [
            self.K.CIPH(i.to_bytes(4, "little") + nonce)[:8]
            for i in range(2 + self.key_length // 8)
        ]
        return b"".join(halves[:2]), Modes(b"".join(halves[2:]))

    def tag(self, keys: tuple[bytes, Modes], nonce: bytes, plaintext: Bytes, ad: Bytes) -> bytes:
        """Section 4."""
        authentication_key, encryption_key = keys
        length_block = (8 * len(ad)).to_bytes(8, "little")
        length_block += (8 * len(plaintext)).to_bytes(8, "little")
        S_s = bytearray(POLYVAL(authentication_key, pad(ad) + pad(plaintext) + length_block))
        S_s[:12] = xor(bytes(S_s[:12]), nonce)
        S_s[15] &= 0x7F
        return encryption_key.CIPH(bytes(S_s))

    def AES_CTR(self, K: Modes, tag: bytes, X: Bytes) -> bytes:
        """Section 4, from the counter block that the tag becomes."""
        counter_block = tag[:15] + bytes([tag[15] | 0x80])
        return K.ctr_of(counter_block, X, 32, "little")

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """Section 4."""
        keys = self.derive_keys(nonce)
        tag = self.tag(keys, nonce, data, ad)
        return self.AES_CTR(keys[1], tag, data), tag

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Section 5."""
        keys = self.derive_keys(nonce)
        plaintext = self.AES_CTR(keys[1], tag, data)
        return plaintext, self.tag(keys, nonce, plaintext, ad)


# ---- RFC 5297: SIV --------------------------------------------------------------------


class SIV:
    """K1 | K2 of 32, 48 or 64 bytes.

    `strings` is the associated data, at most 126 strings (section 7). A nonce, if there is one, is
    the last string. The tag is V, 16 bytes.
    """

    def __init__(self, key: bytes) -> None:
        half = len(key) // 2
        self.K1 = Modes(key[:half])
        self.K2 = Modes(key[half:])

    def S2V(self, *S: bytes) -> bytes:
        """Section 2.4, of one string or more."""
        *strings, S_n = S
        D = self.K1.cmac(bytes(BLOCK))
        for S_i in strings:
            D = xor(double(D), self.K1.cmac(S_i))
        if len(S_n) >= BLOCK:
            T = S_n[:-BLOCK] + xor(S_n[-BLOCK:], D)  # S_n xorend D
        else:
            T = xor(double(D), S_n + b"\x80" + bytes(BLOCK - 1 - len(S_n)))
        return self.K1.cmac(T)

    def CTR(self, V: bytes, X: Bytes) -> bytes:
        """Section 2.5: from Q, which is V with two bits cleared."""
        Q = bytearray(V)
        Q[8] &= 0x7F
        Q[12] &= 0x7F
        return self.K2.ctr(bytes(Q), X)

    def encrypt(self, strings: Sequence[bytes], data: Bytes) -> tuple[bytes, bytes]:
        """Section 2.6."""
        V = self.S2V(*strings, bytes(data))
        return self.CTR(V, data), V

    def decrypt(self, strings: Sequence[bytes], data: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Section 2.7."""
        P = self.CTR(tag, data)
        return P, self.S2V(*strings, P)


# ---- SP 800-38C: CCM ------------------------------------------------------------------


class CCM:
    """A nonce has n = 7 to 13 bytes, a tag t = 4, 6, …, 16; data is shorter than 2^(8q) bytes
    with q = 15 - n."""

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.K = Modes(key)
        self.t = tag_length

    def B(self, N: bytes, A: Bytes, P: Bytes) -> bytes:
        """Appendix A.2: the formatted blocks B_0 to B_r."""
        q = 15 - len(N)
        flags = 0b0100_0000 * bool(A) | (self.t - 2) // 2 << 3 | q - 1
        B_0 = bytes([flags]) + N + len(P).to_bytes(q, "big")
        return B_0 + self.associated(A) + pad(P)

    def associated(self, A: Bytes) -> bytes:
        """Appendix A.2.2: the length of A and A itself, padded."""
        if not A:
            return b""
        if len(A) < 2**16 - 2**8:
            a = len(A).to_bytes(2, "big")
        elif len(A) < 2**32:
            a = b"\xff\xfe" + len(A).to_bytes(4, "big")
        else:
            a = b"\xff\xff" + len(A).to_bytes(8, "big")
        return pad(a + A)

    def T(self, N: bytes, A: Bytes, P: Bytes) -> bytes:
        """Section 6.1, steps 1 to 4: the last block of CBC from an IV of zeros."""
        return self.K.cbc_encrypt(bytes(BLOCK), self.B(N, A, P))[-BLOCK:][: self.t]

    def Ctr(self, N: bytes, i: int) -> bytes:
        """Appendix A.3."""
        q = 15 - len(N)
        return bytes([q - 1]) + N + i.to_bytes(q, "big")

    def counters(self, N: bytes, i: int, X: Bytes) -> bytes:
        """Section 6.1, steps 5 to 8: X + S_i | S_(i+1) | …"""
        return self.K.ctr(self.Ctr(N, i), X)

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """Section 6.1."""
        T = self.T(nonce, ad, data)
        return self.counters(nonce, 1, data), self.counters(nonce, 0, T)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Section 6.2."""
        P = self.counters(nonce, 1, data)
        return P, self.counters(nonce, 0, self.T(nonce, ad, P))


# ---- RFC 7253: OCB3 -------------------------------------------------------------------


def ntz(n: int) -> int:
    """RFC 7253 section 2: the number of trailing zero bits of n > 0."""
    return (n & -n).bit_length() - 1


class OCB3(Online):
    """A nonce has 1 to 15 bytes, a tag 1 to 16."""

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.K = Modes(key)
        self.TAGLEN = 8 * tag_length
        # Section 4.1, key-dependent variables.
        self.L_star = self.K.CIPH(bytes(BLOCK))
        self.L_dollar = double(self.L_star)

    def L(self, i: int) -> bytes:
        """Returns L_i of section 4.1: L_0 is double(L_$), and each later one is the double of the
        one before.
        """
        return reduce(lambda L, _: double(L), range(i + 1), self.L_dollar)

    def HASH(self, A: Bytes) -> bytes:
        """Section 4.1."""
        Sum = bytes(BLOCK)
        Offset = bytes(BLOCK)
        for i, A_i in enumerate(blocks_of(A), 1):
            if len(A_i) == BLOCK:
                Offset = xor(Offset, self.L(ntz(i)))
                CipherInput = xor(A_i, Offset)
            else:
                Offset = xor(Offset, self.L_star)
                CipherInput = xor(pad(A_i + b"\x80"), Offset)
            Sum = xor(Sum, self.K.CIPH(CipherInput))
        return Sum

    def Offset_0(self, N: bytes) -> bytes:
        """Section 4.2, nonce-dependent and per-encryption variables."""
        Nonce = (self.TAGLEN % 128) << 121 | 1 << 8 * len(N) | int.from_bytes(N, "big")
        bottom = Nonce % 64
        Ktop = self.K.CIPH((Nonce - bottom).to_bytes(BLOCK, "big"))
        Stretch = int.from_bytes(Ktop + xor(Ktop[:8], Ktop[1:9]), "big")
        return (Stretch >> (64 - bottom) & (1 << 128) - 1).to_bytes(BLOCK, "big")

    def crypt(self, N: bytes, X: Bytes, A: Bytes, encrypting: bool) -> tuple[bytes, bytes]:
        """Sections 4.2 and 4.3, which differ in the direction of whole blocks, and in whether the
        plaintext is the input or the output.
        """
        Offset = self.Offset_0(N)
        Checksum = bytes(BLOCK)
        output = []
        for i, X_i in enumerate(blocks_of(X), 1):
            if len(X_i) == BLOCK:
                Offset = xor(Offset, self.L(ntz(i)))
                ENCIPHER = self.K.CIPH if encrypting else self.K.CIPH_inverse
                Y_i = xor(Offset, ENCIPHER(xor(X_i, Offset)))
            else:
                Offset = xor(Offset, self.L_star)
                Pad = self.K.CIPH(Offset)
                Y_i = xor(X_i, Pad[: len(X_i)])
            P_i = X_i if encrypting else Y_i
            Checksum = xor(Checksum, P_i if len(P_i) == BLOCK else pad(P_i + b"\x80"))
            output.append(Y_i)
        Tag = xor(self.K.CIPH(xor(xor(Checksum, Offset), self.L_dollar)), self.HASH(A))
        return b"".join(output), Tag[: self.TAGLEN // 8]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """Section 4.2, OCB-ENCRYPT."""
        return self.crypt(nonce, data, ad, encrypting=True)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Section 4.3, OCB-DECRYPT."""
        return self.crypt(nonce, data, ad, encrypting=False)


# ---- EAX ------------------------------------------------------------------------------


class EAX(Online):
    """Bellare, Rogaway, Wagner, section 3. A nonce has any size, a tag 1 to 16 bytes."""

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.K = Modes(key)
        self.tau = tag_length

    def OMAC(self, t: int, M: Bytes) -> bytes:
        """OMAC of the number t as a block and M. OMAC (OMAC1) is CMAC."""
        return self.K.cmac(t.to_bytes(BLOCK, "big") + M)

    def Tag(self, N: bytes, H: Bytes, C: Bytes) -> bytes:
        return xor(xor(self.OMAC(0, N), self.OMAC(2, C)), self.OMAC(1, H))[: self.tau]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """EAX.Encrypt."""
        C = self.K.ctr(self.OMAC(0, nonce), data)
        return C, self.Tag(nonce, ad, C)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """EAX.Decrypt."""
        return self.K.ctr(self.OMAC(0, nonce), data), self.Tag(nonce, ad, data)
