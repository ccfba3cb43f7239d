"""The modes of operation of a block cipher, step by step.

SP 800-38A     ECB, CBC, CFB, OFB, CTR (2001)
SP 800-38B     CMAC (2005)
SP 800-38F     key wrapping, KW and KWP (2012); KW is also RFC 3394, KWP is RFC 5649
IEEE 1619      XTS-AES (2018), which SP 800-38E approves
IGE            Laurie: OpenSSL's implementation of infinite garble extension (2006)
"""

from __future__ import annotations

from collections.abc import Iterator

from .aes import Cipher, InvCipher, KeyExpansion

# The caller's input.
Bytes = bytes | memoryview

BLOCK = 16
SEMIBLOCK = 8  # SP 800-38F section 4.2


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def blocks_of(X: Bytes, size: int = BLOCK) -> Iterator[bytes]:
    """Yields X in blocks, or in segments of `size` bytes. The last one may be shorter."""
    return (bytes(X[i : i + size]) for i in range(0, len(X), size))


def inc(s: int, X: bytes) -> bytes:
    """Adds one to the last s bits of X, modulo 2^s: SP 800-38A appendix B.1, SP 800-38D section
    6.2.
    """
    number = int.from_bytes(X, "big")
    low = number % (1 << s)
    return (number - low + (low + 1) % (1 << s)).to_bytes(len(X), "big")


def inc_little(s: int, X: bytes) -> bytes:
    """Adds one to the first s bits of X, modulo 2^s, least significant byte first: RFC 8452 section
    4 with s = 32.
    """
    return inc(s, X[::-1])[::-1]


def double(S: bytes) -> bytes:
    """Returns S * x in GF(2^128), most significant bit first: SP 800-38B section 6.1 steps 2 and 3,
    `dbl` of RFC 5297 section 2.3, `double` of RFC 7253 section 2.
    """
    R_128 = 0b1000_0111
    product = int.from_bytes(S, "big") << 1
    if product >> 128:
        product ^= 1 << 128 | R_128
    return product.to_bytes(BLOCK, "big")


class Modes:
    """AES with one key, in its modes of operation.

    The caller checks the arguments. The key has 16, 24 or 32 bytes. ECB, CBC and IGE get whole
    blocks. An IV or counter has 16 bytes, 32 for IGE. The methods state other requirements.
    """

    def __init__(self, key: bytes) -> None:
        self.w = KeyExpansion(key)
        self.Nr = len(self.w) // 4 - 1

    def CIPH(self, block: bytes) -> bytes:
        return Cipher(block, self.Nr, self.w)

    def CIPH_inverse(self, block: bytes) -> bytes:
        return InvCipher(block, self.Nr, self.w)

    # ---- SP 800-38A section 6 ---------------------------------------------------------

    def ecb_encrypt(self, data: Bytes) -> bytes:
        """Section 6.1: C_j = CIPH(P_j)."""
        return b"".join(self.CIPH(block) for block in blocks_of(data))

    def ecb_decrypt(self, data: Bytes) -> bytes:
        """Section 6.1: P_j = CIPH^-1(C_j)."""
        return b"".join(self.CIPH_inverse(block) for block in blocks_of(data))

    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.2: C_j = CIPH(P_j + C_(j-1)), C_0 = IV."""
        ciphertext = []
        previous = iv
        for block in blocks_of(data):
            previous = self.CIPH(xor(block, previous))
            ciphertext.append(previous)
        return b"".join(ciphertext)

    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.2: P_j = CIPH^-1(C_j) + C_(j-1), C_0 = IV."""
        plaintext = []
        previous = iv
        for block in blocks_of(data):
            plaintext.append(xor(self.CIPH_inverse(block), previous))
            previous = block
        return b"".join(plaintext)

    def CFB_encrypt(self, s: int, I_j: bytes, data: Bytes) -> bytes:
        """Section 6.3 with segments of s bits: O_j = CIPH(I_j), C_j = P_j + MSB_s(O_j),
        I_(j+1) = LSB_(128-s)(I_j) | C_j, I_1 = IV. A last segment may be shorter."""
        ciphertext = []
        for P in blocks_of(data, s // 8):
            C = xor(P, self.CIPH(I_j)[: len(P)])
            I_j = I_j[s // 8 :] + C
            ciphertext.append(C)
        return b"".join(ciphertext)

    def CFB_decrypt(self, s: int, I_j: bytes, data: Bytes) -> bytes:
        """Section 6.3, as CFB_encrypt, with P_j = C_j + MSB_s(O_j)."""
        plaintext = []
        for C in blocks_of(data, s // 8):
            plaintext.append(xor(C, self.CIPH(I_j)[: len(C)]))
            I_j = I_j[s // 8 :] + C
        return b"".join(plaintext)

    def cfb_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.3, s = 128. Data of any size."""
        return self.CFB_encrypt(128, iv, data)

    def cfb_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.3, s = 128. Data of any size."""
        return self.CFB_decrypt(128, iv, data)

    def cfb8_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.3, s = 8."""
        return self.CFB_encrypt(8, iv, data)

    def cfb8_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.3, s = 8."""
        return self.CFB_decrypt(8, iv, data)

    def ofb(self, iv: bytes, data: Bytes) -> bytes:
        """Section 6.4, both directions: O_j = CIPH(O_(j-1)), O_0 = IV; the output is the
        input + O_j. Data of any size."""
        output = []
        O_j = iv
        for block in blocks_of(data):
            O_j = self.CIPH(O_j)
            output.append(xor(block, O_j[: len(block)]))
        return b"".join(output)

    def ctr(self, counter: bytes, data: Bytes) -> bytes:
        """Section 6.5, with the counters of appendix B.1, m = 128."""
        return self.ctr_of(counter, data, 128, "big")

    def ctr_of(self, counter: bytes, data: Bytes, width: int, byteorder: str) -> bytes:
        """Section 6.5, both directions: the output of block j is its input + CIPH(T_j). The
        counters follow appendix B.1: the last (big) or the first (little) `width` bits count.
        Data of any size.
        """
        following = inc if byteorder == "big" else inc_little
        output = []
        T = counter
        for block in blocks_of(data):
            output.append(xor(block, self.CIPH(T)[: len(block)]))
            T = following(width, T)
        return b"".join(output)

    # ---- Infinite garble extension ----------------------------------------------------

    def ige_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Laurie, section 1: c_i = CIPH(m_i + c_(i-1)) + m_(i-1); the IV is c_0 | m_0."""
        ciphertext = []
        c, m = iv[:BLOCK], iv[BLOCK:]
        for block in blocks_of(data):
            c, m = xor(self.CIPH(xor(block, c)), m), block
            ciphertext.append(c)
        return b"".join(ciphertext)

    def ige_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """The inverse: m_i = CIPH^-1(c_i + m_(i-1)) + c_(i-1)."""
        plaintext = []
        c, m = iv[:BLOCK], iv[BLOCK:]
        for block in blocks_of(data):
            m, c = xor(self.CIPH_inverse(xor(block, m)), c), block
            plaintext.append(m)
        return b"".join(plaintext)

    # ---- SP 800-38B section 6: CMAC ---------------------------------------------------

    def SUBK(self) -> tuple[bytes, bytes]:
        """Section 6.1: the subkeys K1 and K2."""
        L = self.CIPH(bytes(BLOCK))
        K1 = double(L)
        return K1, double(K1)

    def cmac(self, data: Bytes) -> bytes:
        """Section 6.2, with Tlen = 128."""
        K1, K2 = self.SUBK()
        *blocks, last = list(blocks_of(data)) or [b""]
        if len(last) == BLOCK:
            M_n = xor(K1, last)
        else:
            M_n = xor(K2, last + b"\x80" + bytes(BLOCK - 1 - len(last)))
        C = bytes(BLOCK)
        for M_i in [*blocks, M_n]:
            C = self.CIPH(xor(C, M_i))
        return C

    # ---- SP 800-38F sections 6.1 to 6.3: key wrapping ---------------------------------

    ICV1 = bytes.fromhex("A6A6A6A6A6A6A6A6")
    ICV2 = bytes.fromhex("A65959A6")

    def W(self, S: bytes) -> bytes:
        """Section 6.1, algorithm 1, on three semiblocks or more."""
        A, *R = blocks_of(S, SEMIBLOCK)
        for t in range(1, 6 * len(R) + 1):
            block = self.CIPH(A + R[0])
            A = xor(block[:SEMIBLOCK], t.to_bytes(SEMIBLOCK, "big"))
            R = [*R[1:], block[SEMIBLOCK:]]
        return b"".join([A, *R])

    def W_inverse(self, C: bytes) -> bytes:
        """Section 6.1, algorithm 2."""
        A, *R = blocks_of(C, SEMIBLOCK)
        for t in range(6 * len(R), 0, -1):
            block = self.CIPH_inverse(xor(A, t.to_bytes(SEMIBLOCK, "big")) + R[-1])
            A = block[:SEMIBLOCK]
            R = [block[SEMIBLOCK:], *R[:-1]]
        return b"".join([A, *R])

    def kw_wrap(self, data: Bytes) -> bytes:
        """Section 6.2, algorithm 3, KW-AE: two semiblocks or more become one more."""
        return self.W(self.ICV1 + bytes(data))

    def kw_unwrap(self, data: Bytes) -> bytes | None:
        """Section 6.2, algorithm 4, KW-AD, on three semiblocks or more; None is FAIL."""
        S = self.W_inverse(bytes(data))
        return S[SEMIBLOCK:] if S.startswith(self.ICV1) else None

    def kwp_wrap(self, data: Bytes) -> bytes:
        """Section 6.3, algorithm 5, KWP-AE: 1 to 2^32 - 1 bytes become whole semiblocks and
        one more."""
        PAD = bytes(-len(data) % SEMIBLOCK)
        S = self.ICV2 + len(data).to_bytes(4, "big") + bytes(data) + PAD
        return self.CIPH(S) if len(S) == BLOCK else self.W(S)

    def kwp_unwrap(self, data: Bytes) -> bytes | None:
        """Section 6.3, algorithm 6, KWP-AD, on two semiblocks or more; None is FAIL."""
        C = bytes(data)
        S = self.CIPH_inverse(C) if len(C) == BLOCK else self.W_inverse(C)
        Plen = int.from_bytes(S[4:SEMIBLOCK], "big")
        padlen = len(S) - SEMIBLOCK - Plen
        if not S.startswith(self.ICV2) or not 0 <= padlen <= 7:
            return None
        end = SEMIBLOCK + Plen
        return S[SEMIBLOCK:end] if S[end:] == bytes(padlen) else None


# ---- IEEE 1619 section 5: XTS-AES -----------------------------------------------------


def times_alpha(T: bytes) -> bytes:
    """Section 5.2: T * alpha in GF(2^128), least significant byte first."""
    product = int.from_bytes(T, "little") << 1
    if product >> 128:
        product ^= 1 << 128 | 0b1000_0111
    return product.to_bytes(BLOCK, "little")


class XTS:
    """Key1 | Key2 of 32 or 64 bytes. A tweak has 16 bytes, a data unit 16 or more."""

    def __init__(self, key: bytes) -> None:
        half = len(key) // 2
        self.Key1 = Modes(key[:half])
        self.Key2 = Modes(key[half:])

    def T(self, i: bytes, count: int) -> list[bytes]:
        """Section 5.3.1: the tweaks T = CIPH(Key2, i) * alpha^j for 0 <= j < count."""
        T = [self.Key2.CIPH(i)]
        while len(T) < count:
            T.append(times_alpha(T[-1]))
        return T

    def blockEnc(self, P: bytes, T: bytes) -> bytes:
        """Section 5.3.1."""
        return xor(self.Key1.CIPH(xor(P, T)), T)

    def blockDec(self, C: bytes, T: bytes) -> bytes:
        """Section 5.4.1."""
        return xor(self.Key1.CIPH_inverse(xor(C, T)), T)

    def encrypt(self, tweak: bytes, data: Bytes) -> bytes:
        """Section 5.3.2."""
        *P, rest = blocks_of(data)
        T = self.T(tweak, len(P) + 1)
        if len(rest) == BLOCK:
            return b"".join(self.blockEnc(P_j, T_j) for P_j, T_j in zip([*P, rest], T, strict=True))
        C = [self.blockEnc(P_j, T_j) for P_j, T_j in zip(P, T, strict=False)]
        CC = C.pop()  # ciphertext stealing: the last block takes the end of the one before
        C_m = CC[: len(rest)]
        CP = CC[len(rest) :]
        return b"".join([*C, self.blockEnc(rest + CP, T[-1]), C_m])

    def decrypt(self, tweak: bytes, data: Bytes) -> bytes:
        """Section 5.4.2."""
        *C, rest = blocks_of(data)
        T = self.T(tweak, len(C) + 1)
        if len(rest) == BLOCK:
            return b"".join(self.blockDec(C_j, T_j) for C_j, T_j in zip([*C, rest], T, strict=True))
        last = C.pop()
        P = [self.blockDec(C_j, T_j) for C_j, T_j in zip(C, T, strict=False)]
        PP = self.blockDec(last, T[-1])
        P_m = PP[: len(rest)]
        CP = PP[len(rest) :]
        return b"".join([*P, self.blockDec(rest + CP, T[-2]), P_m])
