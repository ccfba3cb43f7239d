"""GHASH (SP 800-38D section 6.4) with a hash key H.

TableHash     the first blocks use the 16 multiples of H by four bits, later ones 16 x 256 multiples,
              which are computed then; many blocks at once use lanes (wideghash.py)
MaskHash      no branch or index depends on H or the data: block by block, or lanes
"""

from __future__ import annotations

from struct import iter_unpack
from typing import TYPE_CHECKING

from .blocks import BLOCK, Bytes
from .fields import multiply, times_x

if TYPE_CHECKING:
    from .tables import Tables
    from .wideghash import MaskWideHash, WideHash

# The number of blocks under one hash key after which its tables are made. They cost as much as the
# multiplication of so many blocks without them.
TABLES_FROM = 48
# A message in lanes counts as so many of them: it needs no tables, but is faster with them.
COUNTED = 4
# Blocks from which masks are faster in lanes, under a new key.
MASK_LANES_FROM = 18


def lengths(ad_size: int, size: int) -> bytes:
    """Returns the last block of the hash: both sizes in bits (section 7.1, step 5)."""
    return (8 * ad_size << 64 | 8 * size).to_bytes(BLOCK)


# ---- By 16 tables of 256 multiples ----------------------------------------------------


def hash_tables(h: int) -> Tables:
    """Returns tables[i][b] = b * x^(8i) * H, where bit 7 of a byte is its lowest power of x."""
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
    """Returns GHASH of whole blocks from the state y."""
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

# The product of the last four bits, x^124 to x^127, and x^4.
OVERFLOW = tuple(times_x(times_x(times_x(times_x(n)))) for n in range(16))


def nibble_table(h: int) -> dict[str, int]:
    """Returns for each hexadecimal digit H times the polynomial of its four bits, the highest being
    x^0.
    """
    table = {"0": 0}
    for i in range(4):
        table[f"{8 >> i:x}"] = h
        h = times_x(h)
    for n in range(1, 16):
        if n & n - 1:
            table[f"{n:x}"] = table[f"{n & n - 1:x}"] ^ table[f"{n & -n:x}"]
    return table


def multiply_by(table: dict[str, int], x: int) -> int:
    """Returns x * H, given H's nibble_table: faster than `multiply` even for one product."""
    z = 0
    for digit in f"{x:032x}"[::-1]:
        z = z >> 4 ^ OVERFLOW[z & 15] ^ table[digit]
    return z


# ---- A hash key -----------------------------------------------------------------------


class TableHash:
    """GHASH with one hash key, a big-endian integer, by tables."""

    __slots__ = ("_h", "_hashed", "_lanes", "_lanes_from", "_new_lanes_from", "_nibbles", "_tables")

    def __init__(self, h: int, new_lanes_from: int, lanes_from: int) -> None:
        """Takes the numbers of blocks from which lanes are faster: without and with tables."""
        self._h = h
        self._new_lanes_from = new_lanes_from
        self._lanes_from = lanes_from
        self._hashed = 0  # blocks hashed without tables
        self._nibbles: dict[str, int] = {}
        self._tables: Tables = ()
        self._lanes: WideHash | None = None

    def update(self, y: int, blocks: bytes) -> int:
        """Returns GHASH of whole blocks from the state y."""
        count = len(blocks) // BLOCK
        if not self._tables:
            if self._hashed < TABLES_FROM and count >= self._new_lanes_from:
                self._hashed += COUNTED
                return (self._lanes or self._new_lanes()).update(y, blocks)
            self._hashed += count
            if self._hashed < TABLES_FROM:
                if not self._nibbles:
                    self._nibbles = nibble_table(self._h)
                for (block,) in iter_unpack("16s", blocks):
                    y = multiply_by(self._nibbles, y ^ int.from_bytes(block))
                return y
            self._tables = hash_tables(self._h)
        if count >= self._lanes_from:
            folded = (self._lanes or self._new_lanes()).folded(y, blocks)
            y, blocks = 0, folded.to_bytes(16 * BLOCK)
        return hash_by_tables(self._tables, y, blocks)

    def _new_lanes(self) -> WideHash:
        from .wideghash import WideHash

        self._lanes = WideHash(self._h)
        return self._lanes


class MaskHash:
    """GHASH with one hash key, only by masks, for a strict key."""

    __slots__ = ("_h", "_lanes")

    def __init__(self, h: int) -> None:
        self._h = h
        self._lanes: MaskWideHash | None = None

    def update(self, y: int, blocks: bytes) -> int:
        """Returns GHASH of whole blocks from the state y."""
        if len(blocks) >= BLOCK * MASK_LANES_FROM:
            if self._lanes is None:
                from .wideghash import MaskWideHash

                self._lanes = MaskWideHash(self._h)
            return self._lanes.update(y, blocks)
        for (block,) in iter_unpack("16s", blocks):
            y = multiply(y ^ int.from_bytes(block), self._h)
        return y
