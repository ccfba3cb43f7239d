"""The two fields: GF(2^8) of FIPS 197, with the S-box, and GF(2^128) in the two bit orders of its
standards.

    GF(2^8)       bit i of an integer is the coefficient of x^i
    GF(2^128)     GHASH: the most significant bit of a block is the coefficient of x^0
                  CMAC, OCB3 and SIV: the least significant bit is that coefficient
"""

from __future__ import annotations

# First rows of the matrices of MixColumns and InvMixColumns (FIPS 197 sections 5.1.3
# and 5.3.3). Each later row is the row above it, rotated to the right.
MIX = (0x02, 0x03, 0x01, 0x01)
INVERSE_MIX = (0x0E, 0x0B, 0x0D, 0x09)

# The S-box maps this to 0.
TO_ZERO = 0x52


# ---- GF(2^8) --------------------------------------------------------------------------


def xtimes(b: int) -> int:
    """Returns b * x (FIPS 197 section 4.2)."""
    return b << 1 ^ (b >> 7) * 0x11B


def product(factor: int, b: int) -> int:
    """Returns factor * b, for a factor of four bits."""
    total = 0
    for _ in range(4):
        if factor & 1:
            total ^= b
        factor >>= 1
        b = xtimes(b)
    return total


def substitutions() -> tuple[bytes, bytes]:
    """Returns the S-box and its inverse (FIPS 197 section 5.1.1)."""
    powers = [1]  # of x + 1, which generates the multiplicative group: powers[255] would be 1
    for _ in range(254):
        powers.append(powers[-1] ^ xtimes(powers[-1]))
    sbox = bytearray(256)
    sbox[0] = 0x63
    for i, b in enumerate(powers):
        twice = powers[-i] * 0x0101  # two copies of b's inverse, so that a right shift rotates it
        sbox[b] = (twice ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^ twice >> 7 ^ 0x63) & 0xFF
    inverse = bytearray(256)
    for b, image in enumerate(sbox):
        inverse[image] = b
    return bytes(sbox), bytes(inverse)


SBOX, INVERSE_SBOX = substitutions()


# ---- GF(2^128), x^0 on top: GHASH (SP 800-38D section 6.3) ----------------------------


def times_x(y: int) -> int:
    """Returns y * x."""
    return y >> 1 ^ (y & 1) * (0xE1 << 120)


def multiply(x: int, y: int) -> int:
    """Returns x * y, without a branch or an index that depends on them."""
    z = 0
    for i in range(127, -1, -1):
        z ^= y & -(x >> i & 1)
        y = y >> 1 ^ (y & 1) * (0xE1 << 120)
    return z


# ---- GF(2^128), x^0 at the bottom -----------------------------------------------------


def double(block: int) -> int:
    """Returns block * x: `dbl` of RFC 5297."""
    return block << 1 ^ (block >> 127) * (1 << 128 | 0x87)
