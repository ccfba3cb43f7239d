"""POLYVAL (RFC 8452 section 3), for one message: GHASH of the blocks with their bytes reversed,
under the reversed key times x, reversed itself (appendix A).

A key serves one message, so the work that it asks for counts, and the length decides:

    bytes            tables                              a block
    from 0           256 multiples of H                  16 look-ups and shifts, byte by byte
    from TABLES      the same of H * x^8i, 16 tables     16 look-ups
    from PLANES      and matrices of powers of H         bit planes (bitghash.py)
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, chunks, rounded
from ..python import ghash, hash_tables

if TYPE_CHECKING:
    from ..bitghash import Hash

TABLES = 2560
PLANES = 48 << 10
# Whole groups of eight blocks go through the bit planes.
PLANE_BLOCKS = 8 * BLOCK

REDUCTION = 0xE1 << 120


def times_x(h: int) -> int:
    """h * x in GHASH's order of bits (NIST SP 800-38D section 6.3)."""
    return h >> 1 ^ (h & 1) * REDUCTION


@cache
def reductions() -> tuple[int, ...]:
    """What a low byte becomes that leaves an element multiplied by x^8."""
    found = []
    for b in range(256):
        for _ in range(8):
            b = times_x(b)
        found.append(b)
    return tuple(found)


def multiples(h: int) -> list[int]:
    """h times each byte, whose bit 7 is x^0."""
    table = [0] * 256
    bit = 0x80
    while bit:
        table[bit] = h
        h = times_x(h)
        bit >>= 1
    for bit in (2, 4, 8, 16, 32, 64, 128):
        high = table[bit]
        table[bit : 2 * bit] = [high ^ entry for entry in table[:bit]]
    return table


def short_ghash(table: list[int], y: int, blocks: bytes) -> int:
    """GHASH of whole blocks from the state y: Horner's rule over the bytes of each product."""
    reduction = reductions()
    for piece in chunks(blocks, BLOCK):
        z = 0
        for byte in (y ^ int.from_bytes(piece, "big")).to_bytes(BLOCK, "little"):
            z = z >> 8 ^ reduction[z & 0xFF] ^ table[byte]
        y = z
    return y


def reversed_blocks(data: bytes) -> bytearray:
    """Each block with its bytes in the opposite order; zeros complete the last one."""
    whole = data + bytes(rounded(len(data)) - len(data))
    blocks = bytearray(len(whole))
    for i in range(BLOCK):
        blocks[i::BLOCK] = whole[BLOCK - 1 - i :: BLOCK]
    return blocks


def polyval(key: bytes, *parts: Bytes) -> bytes:
    """POLYVAL of the parts, each completed with zeros to whole blocks."""
    h = times_x(int.from_bytes(key, "little"))
    size = sum(map(len, parts))
    y = 0
    if size < TABLES:
        table = multiples(h)
        for part in parts:
            y = short_ghash(table, y, bytes(reversed_blocks(bytes(part))))
        return y.to_bytes(BLOCK, "little")
    tables = hash_tables(h)
    planes: Hash | None = None
    for part in parts:
        for piece in chunks(part):
            blocks = bytes(reversed_blocks(piece))
            end = 0
            if len(blocks) >= PLANES:
                if planes is None:
                    from ..bitghash import Hash

                    planes = Hash(tables)
                end = len(blocks) // PLANE_BLOCKS * PLANE_BLOCKS
                y = planes.update(y, blocks[:end])
            y = ghash(tables, y, blocks[end:])
    return y.to_bytes(BLOCK, "little")
