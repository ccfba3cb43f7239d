"""GHASH (SP 800-38D section 6.4), block by block, under a hash key H.

TableHash     what costs least: the first blocks by the 16 multiples of H by four bits,
              further ones by 16 x 256 multiples, which first have to be made
MaskHash      without a branch or an index by H or by the data
"""

from __future__ import annotations

from struct import iter_unpack
from typing import TYPE_CHECKING

from .blocks import BLOCK, Bytes
from .fields import multiply, times_x

if TYPE_CHECKING:
    from .tables import Tables

# Blocks under one hash key from which its tables are made, which cost as much as
# multiplying so many without them.
TABLES_FROM = 24


def lengths(ad_size: int, size: int) -> bytes:
    """The last block that is hashed: both sizes in bits (section 7.1, step 5)."""
    return (8 * ad_size << 64 | 8 * size).to_bytes(BLOCK)


# ---- By 16 tables of 256 multiples ----------------------------------------------------


def hash_tables(h: int) -> Tables:
    """tables[i][b] = b * x^(8i) * H, where bit 7 of a byte is its lowest power of x."""
    tables = []
    for _ in range(BLOCK):
        table = [0] * 256
        bit = 0x80
        while bit:
            table[bit] = h
            h = times_x(h)
            bit >>= 1
        for bit in (2, 4, 8, 16, 32, 64, 128):
            high = table[bit]
            table[bit : 2 * bit] = [high ^ entry for entry in table[:bit]]
        tables.append(tuple(table))
    return tuple(tables)


def hash_by_tables(tables: Tables, y: int, blocks: Bytes) -> int:
    """GHASH of whole blocks from the state y."""
    t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15 = tables
    from_bytes = int.from_bytes
    for (block,) in iter_unpack("16s", blocks):
        a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = (y ^ from_bytes(block)).to_bytes(16)
        y = (
            t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ t4[e] ^ t5[f] ^ t6[g] ^ t7[h]
            ^ t8[i] ^ t9[j] ^ t10[k] ^ t11[m] ^ t12[n] ^ t13[o] ^ t14[p] ^ t15[q]
        )  # fmt: skip
    return y


# ---- By 16 multiples ------------------------------------------------------------------

# What the last four bits, x^124 to x^127, are when they are multiplied by x^4.
OVERFLOW = tuple(times_x(times_x(times_x(times_x(n)))) for n in range(16))


def nibble_table(h: int) -> dict[str, int]:
    """For each hexadecimal digit: the polynomial of its four bits, x^0 on top, times H."""
    table = {"0": 0}
    for i in range(4):
        table[f"{8 >> i:x}"] = h
        h = times_x(h)
    for n in range(1, 16):
        if n & n - 1:
            table[f"{n:x}"] = table[f"{n & n - 1:x}"] ^ table[f"{n & -n:x}"]
    return table


def multiply_by(table: dict[str, int], x: int) -> int:
    """x * H, with H's nibble_table: less work than `multiply` from the first product."""
    z = 0
    for digit in f"{x:032x}"[::-1]:
        z = z >> 4 ^ OVERFLOW[z & 15] ^ table[digit]
    return z


# ---- A hash key -----------------------------------------------------------------------


class TableHash:
    """GHASH with one hash key, a big-endian integer, by tables."""

    __slots__ = ("_hashed", "_nibbles", "_tables", "h")

    def __init__(self, h: int) -> None:
        self.h = h
        self._hashed = 0  # blocks, until there are tables
        self._nibbles: dict[str, int] = {}
        self._tables: Tables = ()

    def update(self, y: int, blocks: Bytes) -> int:
        """GHASH of whole blocks from the state y."""
        if not self._tables:
            self._hashed += len(blocks) // BLOCK
            if self._hashed < TABLES_FROM:
                if not self._nibbles:
                    self._nibbles = nibble_table(self.h)
                for (block,) in iter_unpack("16s", blocks):
                    y = multiply_by(self._nibbles, y ^ int.from_bytes(block))
                return y
        return hash_by_tables(self._tables or self.tables(), y, blocks)

    def tables(self) -> Tables:
        """Those of `hash_tables`, kept."""
        if not self._tables:
            self._tables = hash_tables(self.h)
        return self._tables


class MaskHash:
    """The same by masks alone, for a strict key."""

    __slots__ = ("h",)

    def __init__(self, h: int) -> None:
        self.h = h

    def update(self, y: int, blocks: Bytes) -> int:
        """GHASH of whole blocks from the state y."""
        for (block,) in iter_unpack("16s", blocks):
            y = multiply(y ^ int.from_bytes(block), self.h)
        return y
