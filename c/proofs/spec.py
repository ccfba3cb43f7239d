"""The standards as the proofs need them. Read them side by side: the names and steps are theirs.

    FIPS 197 (2023)   AES
    SP 800-38A        ECB, CBC, CTR
    SP 800-38D        GCM
    RFC 8452          GCM-SIV
    IEEE 1619         XTS, whole blocks
    RFC 10032         AEGIS-128L, AEGIS-256

test_spec.py runs this file on the published vectors. A bit is an integer with `^`: concrete bits are 0
and 1, and symbolic bits (machine/bits.py) contain these two. A byte is a list of 8 bits, the least
significant first. Strings are lists of bytes; byte r + 4c of a block is s[r, c] of FIPS 197. All that is not linear
comes from `bits`: AND of two bits, and two tables for a byte. Modes take a block cipher as a function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Protocol

Byte = list[int]
String = list[Byte]
Cipher = Callable[[String], String]


class Bits(Protocol):
    def AND(self, x: int, y: int, /) -> int: ...
    def sbox(self, b: Byte, /) -> Byte: ...
    def inverse_sbox(self, b: Byte, /) -> Byte: ...


def string(value: bytes) -> String:
    return [[it >> i & 1 for i in range(8)] for it in value]


def plain(value: String) -> bytes:
    """Returns a string of concrete bits as bytes."""
    assert all(bit in (0, 1) for it in value for bit in it), "a bit is symbolic"
    return bytes(sum(bit << i for i, bit in enumerate(it)) for it in value)


def xor(first: String, *others: String) -> String:
    for other in others:
        first = [[x ^ y for x, y in zip(a, b)] for a, b in zip(first, other, strict=True)]
    return first


def blocks(value: String, size: int = 16) -> list[String]:
    """Splits a string. The last block may be short."""
    return [value[i : i + size] for i in range(0, len(value), size)]


def padded(value: String, size: int = 16) -> String:
    return value + string(bytes(-len(value) % size))


def joined(values: list[String]) -> String:
    return [it for value in values for it in value]


# ---- FIPS 197 -----------------------------------------------------------------------------------


def product(a: int, b: int) -> int:
    """Clause 4.2: multiplication in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1."""
    total = 0
    while b:
        total ^= a if b & 1 else 0
        a, b = a << 1 ^ (0x11B if a & 0x80 else 0), b >> 1
    return total


def defined_sbox(b: int) -> int:
    """Clause 5.1.1: the inverse in GF(2^8), or 0 for 0, then an affine map."""
    inverse = next((x for x in range(256) if product(b, x) == 1), 0)
    mapped = [sum(inverse >> (i + k) % 8 for k in (0, 4, 5, 6, 7)) & 1 for i in range(8)]
    return plain([mapped])[0] ^ 0x63


SBOX = bytes(map(defined_sbox, range(256)))
INVERSE_SBOX = bytes(map(SBOX.index, range(256)))  # clause 5.3.2


class Concrete:
    """Bits 0 and 1."""

    def AND(self, x: int, y: int, /) -> int:
        return x & y

    def sbox(self, b: Byte, /) -> Byte:
        return string(SBOX[plain([b])[0] :][:1])[0]

    def inverse_sbox(self, b: Byte, /) -> Byte:
        return string(INVERSE_SBOX[plain([b])[0] :][:1])[0]


def xtimes(b: Byte) -> Byte:
    """Clause 4.2: the product with {02}."""
    return [b[7], b[0] ^ b[7], b[1], b[2] ^ b[7], b[3] ^ b[7], b[4], b[5], b[6]]


def times(b: Byte, factor: int) -> Byte:
    total = b if factor & 1 else [0] * 8
    while factor := factor >> 1:
        b = xtimes(b)
        total = [x ^ y for x, y in zip(total, b)] if factor & 1 else total
    return total


def SubBytes(bits: Bits, s: String) -> String:  # clause 5.1.1
    return [bits.sbox(b) for b in s]


def InvSubBytes(bits: Bits, s: String) -> String:  # clause 5.3.2
    return [bits.inverse_sbox(b) for b in s]


def ShiftRows(s: String, by: int = 1) -> String:  # clause 5.1.2; by = -1: clause 5.3.1
    return [s[r + 4 * ((c + by * r) % 4)] for c in range(4) for r in range(4)]


def MixColumns(s: String, row: tuple[int, ...] = (2, 3, 1, 1)) -> String:
    """Clause 5.1.3: multiplies each column by the circulant matrix with this first row."""
    return [
        xor(*([times(column[k], row[(k - r) % 4])] for k in range(4)))[0]
        for column in blocks(s, 4)
        for r in range(4)
    ]


InvShiftRows = partial(ShiftRows, by=-1)
InvMixColumns = partial(MixColumns, row=(0x0E, 0x0B, 0x0D, 0x09))  # clause 5.3.3


def KeyExpansion(bits: Bits, key: String) -> list[String]:
    """Clause 5.2, algorithm 2. Returns the round keys 0 to Nr, four words each."""
    w, nk, rcon = blocks(key, 4), len(key) // 4, 1
    for i in range(nk, 4 * (nk + 6) + 4):
        temp = w[i - 1]
        if i % nk == 0:
            temp = xor(SubBytes(bits, temp[1:] + temp[:1]), string(bytes([rcon, 0, 0, 0])))
            rcon = product(rcon, 2)
        elif nk > 6 and i % nk == 4:
            temp = SubBytes(bits, temp)
        w.append(xor(w[i - nk], temp))
    return blocks(joined(w))


def CIPHER(bits: Bits, block: String, w: list[String]) -> String:
    """Clause 5.1, algorithm 1, with the round keys of KeyExpansion."""
    s = xor(block, w[0])
    for key in w[1:-1]:
        s = xor(MixColumns(ShiftRows(SubBytes(bits, s))), key)
    return xor(ShiftRows(SubBytes(bits, s)), w[-1])


def INVCIPHER(bits: Bits, block: String, w: list[String]) -> String:
    """Clause 5.3, algorithm 3."""
    s = xor(block, w[-1])
    for key in w[-2:0:-1]:
        s = InvMixColumns(xor(InvSubBytes(bits, InvShiftRows(s)), key))
    return xor(InvSubBytes(bits, InvShiftRows(s)), w[0])


# ---- SP 800-38A ---------------------------------------------------------------------------------


def inc(bits: Bits, s: int, x: String, by: int = 1) -> String:
    """Clause B.1; SP 800-38D clause 6.2: adds `by` to the last s bits of x, modulo 2^s."""
    flat, carry = [bit for it in x[::-1] for bit in it], 0
    for i in range(s):
        a, b = flat[i], by >> i & 1
        flat[i] = a ^ b ^ carry
        carry = bits.AND(a ^ carry, b ^ carry) ^ carry  # the majority
    return [flat[i : i + 8] for i in range(0, len(flat), 8)][::-1]


def ECB(ciph: Cipher, data: String) -> String:  # clause 6.1, both directions
    return joined([ciph(it) for it in blocks(data)])


def CBC_encrypt(ciph: Cipher, iv: String, data: String) -> String:  # clause 6.2
    c = [iv]
    for p in blocks(data):
        c.append(ciph(xor(p, c[-1])))
    return joined(c[1:])


def CBC_decrypt(inverse: Cipher, iv: String, data: String) -> String:  # clause 6.2
    c = [iv, *blocks(data)]
    return joined([xor(inverse(now), last) for last, now in pairwise(c)])


def CTR(bits: Bits, ciph: Cipher, t1: String, data: String, s: int = 128) -> String:
    """Clause 6.5, both directions. Counter block j is the first plus j - 1, in its last s bits."""
    counters = (inc(bits, s, t1, j) for j in range(-(-len(data) // 16)))
    return joined([xor(p, ciph(t)[: len(p)]) for p, t in zip(blocks(data), counters)])


# ---- SP 800-38D ---------------------------------------------------------------------------------


def multiply(bits: Bits, x: String, y: String) -> String:
    """Clause 6.3, algorithm 1. Bit 0 of a block is the most significant bit of its first byte."""
    z, v = [0] * 128, [bit for b in y for bit in b[::-1]]
    for xi in (bit for b in x for bit in b[::-1]):
        z = [a ^ bits.AND(xi, b) for a, b in zip(z, v)]
        v = [b ^ (v[127] if i in (0, 1, 2, 7) else 0) for i, b in enumerate([0, *v[:127]])]
    return [z[i : i + 8][::-1] for i in range(0, 128, 8)]


def GHASH(bits: Bits, h: String, x: String) -> String:  # clause 6.4, algorithm 2
    y = string(bytes(16))
    for it in blocks(x):
        y = multiply(bits, xor(y, it), h)
    return y


def hashed(a: String, c: String) -> String:
    """Clause 7.1, step 5: both padded, and their lengths in bits."""
    sizes = (8 * len(a)).to_bytes(8, "big") + (8 * len(c)).to_bytes(8, "big")
    return padded(a) + padded(c) + string(sizes)


def first_counter(bits: Bits, h: String, iv: String) -> String:
    """Clause 7.1, step 2: J0."""
    return iv + string(bytes([0, 0, 0, 1])) if len(iv) == 12 else GHASH(bits, h, hashed([], iv))


def GCM_crypt(bits: Bits, ciph: Cipher, iv: String, data: String) -> String:
    """Clause 7.1, steps 1 to 3; clause 7.2, steps 2 to 4."""
    j0 = first_counter(bits, ciph(string(bytes(16))), iv)
    return CTR(bits, ciph, inc(bits, 32, j0), data, 32)


def GCM_tag(bits: Bits, ciph: Cipher, iv: String, a: String, c: String) -> String:
    """Clause 7.1, steps 4 to 6; clause 7.2, steps 5 to 7. A short tag is its beginning."""
    h = ciph(string(bytes(16)))
    return CTR(bits, ciph, first_counter(bits, h, iv), GHASH(bits, h, hashed(a, c)), 32)


# ---- RFC 8452 -----------------------------------------------------------------------------------


def mulX_GHASH(bits: Bits, x: String) -> String:
    """Appendix A: the product with x, whose bit 1 is set."""
    return multiply(bits, string(bytes([0x40, *bytes(15)])), x)


def POLYVAL(bits: Bits, h: String, x: String) -> String:  # appendix A
    reversed_blocks = joined([it[::-1] for it in blocks(x)])
    return GHASH(bits, mulX_GHASH(bits, h[::-1]), reversed_blocks)[::-1]


def derive_keys(ciph: Cipher, key_size: int, nonce: String) -> tuple[String, String]:
    """Section 4: message-authentication-key and message-encryption-key."""
    count = 2 + key_size // 8
    halves = [ciph(string(i.to_bytes(4, "little")) + nonce)[:8] for i in range(count)]
    return joined(halves[:2]), joined(halves[2:])


def polyval_input(p: String, a: String) -> String:
    """Section 4: both padded, and their lengths in bits."""
    sizes = (8 * len(a)).to_bytes(8, "little") + (8 * len(p)).to_bytes(8, "little")
    return padded(a) + padded(p) + string(sizes)


def tag_of(ciph: Cipher, s: String, nonce: String) -> String:
    """Section 4: from POLYVAL's result."""
    s = xor(s, nonce + string(bytes(4)))
    return ciph(s[:15] + [[*s[15][:7], 0]])


def AES_CTR(bits: Bits, ciph: Cipher, tag: String, data: String) -> String:
    """Section 4: both directions. The first 32 bits of the tag with its last bit set count."""
    first = tag[:15] + [[*tag[15][:7], 1]]
    return CTR(bits, lambda block: ciph(block[::-1]), first[::-1], data, 32)


# ---- IEEE 1619 ----------------------------------------------------------------------------------


def alpha(t: String) -> String:
    """Section 5.2: the product of a tweak with alpha. Bit 0 is the least significant of the first byte."""
    flat = [bit for it in t for bit in it]
    flat, top = [0, *flat[:127]], flat[127]
    for i in (0, 1, 2, 7):
        flat[i] ^= top
    return [flat[i : i + 8] for i in range(0, 128, 8)]


def XTS(ciph: Cipher, t: String, data: String) -> tuple[String, String]:
    """Sections 5.3.1 and 5.4.1, from the encrypted tweak, in both directions. Also returns the tweak of
    the next block."""
    out = []
    for it in blocks(data):
        out.append(xor(ciph(xor(it, t)), t))
        t = alpha(t)
    return joined(out), t


# ---- RFC 10032 ----------------------------------------------------------------------------------

C0 = string(bytes.fromhex("000101020305080d1522375990e97962"))  # section 2
C1 = string(bytes.fromhex("db3d18556dc22ff12011314273b528dd"))


def AESRound(bits: Bits, block: String, rk: String) -> String:  # section 2
    return xor(MixColumns(ShiftRows(SubBytes(bits, block))), rk)


class AEGIS:
    """Section 3: AEGIS-128L, key of 16 bytes. Section 4: AEGIS-256, key of 32 bytes. V is the state."""

    def __init__(self, bits: Bits, key: String, nonce: String) -> None:  # Init: 3.3, 4.3
        self.bits, k, kn = bits, blocks(key), blocks(xor(key, nonce))
        self.m = 2 if len(k) == 1 else 1  # blocks of an update
        if self.m == 2:
            self.V = [*kn, C1, C0, C1, *kn, *(xor(key, c) for c in (C0, C1, C0))]
            updates = [[nonce, key]] * 10
        else:
            self.V = [*kn, C1, C0, xor(k[0], C0), xor(k[1], C1)]
            updates = [[m] for m in [*k, *kn] * 4]
        for m in updates:
            self.Update(m)

    def Update(self, m: list[String]) -> None:  # 3.4, 4.4: M0 and M1, or M
        V = [xor(v, m[i // 4]) if i in range(0, 4 * self.m, 4) else v for i, v in enumerate(self.V)]
        self.V = [AESRound(self.bits, self.V[i - 1], v) for i, v in enumerate(V)]

    def Absorb(self, data: String) -> None:  # 3.5, 4.5
        for it in blocks(padded(data, 16 * self.m), 16 * self.m):
            self.Update(blocks(it))

    def z(self) -> String:  # 3.6, 4.6: z0 || z1, or z
        def AND(i: int, j: int) -> String:
            pairs = zip(self.V[i], self.V[j], strict=True)
            return [[self.bits.AND(a, b) for a, b in zip(x, y)] for x, y in pairs]

        V = self.V
        if self.m == 2:
            return xor(V[6], V[1], AND(2, 3)) + xor(V[2], V[5], AND(6, 7))
        return xor(V[1], V[4], V[5], AND(2, 3))

    def crypt(self, data: String, decrypt: bool = False) -> String:  # 3.6 to 3.8, 4.6 to 4.8
        out = []
        for it in blocks(data, 16 * self.m):
            out.append(xor(it, self.z()[: len(it)]))
            self.Absorb(out[-1] if decrypt else it)
        return joined(out)

    def Finalize(self, ad: int, message: int, tag: int) -> String:
        """3.9, 4.9. All sizes are in bytes; the RFC's are in bits."""
        sizes = (8 * ad).to_bytes(8, "little") + (8 * message).to_bytes(8, "little")
        t = xor(self.V[4 - self.m], string(sizes))
        for _ in range(7):
            self.Update([t] * self.m)
        half = len(self.V) // 2
        return xor(*self.V[:7]) if tag == 16 else xor(*self.V[:half]) + xor(*self.V[half:])
