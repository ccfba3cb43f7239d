"""POLYVAL (RFC 8452 section 3) for one message. It is GHASH of the blocks with reversed bytes,
under x times the reversed key, and the result is reversed too (appendix A).

A key serves one message, so the cost of its tables matters. The length decides:

    blocks               tables                                a block
    from 0               16 multiples of H                     32 look-ups and shifts
    from TABLES_FROM     16 x 256 multiples of H * x^8i        16 look-ups
    from PLANES_FROM     and matrices of powers of H           bit planes (bitghash.py)
"""

from __future__ import annotations

from struct import iter_unpack
from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, chunks, rounded
from ..fields import times_x
from ..ghash import hash_by_tables, hash_tables, multiply_by, nibble_table

if TYPE_CHECKING:
    from ..bitghash import PlaneHash

TABLES_FROM = 64
PLANES_FROM = 3584
# The bit planes take whole groups of eight blocks.
GROUP = 8 * BLOCK


def reversed_blocks(data: bytes) -> bytearray:
    """Returns each block with its bytes in reverse order. The last one is padded with zeros."""
    whole = data + bytes(rounded(len(data)) - len(data))
    blocks = bytearray(len(whole))
    for i in range(BLOCK):
        blocks[i::BLOCK] = whole[BLOCK - 1 - i :: BLOCK]
    return blocks


def polyval(key: bytes, *parts: Bytes) -> bytes:
    """Returns POLYVAL of the parts, each padded with zeros to whole blocks."""
    h = times_x(int.from_bytes(key, "little"))
    y = 0
    if sum(map(len, parts)) < BLOCK * TABLES_FROM:
        nibbles = nibble_table(h)
        for part in parts:
            for (block,) in iter_unpack("16s", reversed_blocks(bytes(part))):
                y = multiply_by(nibbles, y ^ int.from_bytes(block, "big"))
        return y.to_bytes(BLOCK, "little")
    tables = hash_tables(h)
    planes: PlaneHash | None = None
    for part in parts:
        for piece in chunks(part):
            blocks = bytes(reversed_blocks(piece))
            end = 0
            if len(blocks) >= BLOCK * PLANES_FROM:
                if planes is None:
                    from ..bitghash import PlaneHash

                    planes = PlaneHash(h, tables)
                end = len(blocks) // GROUP * GROUP
                y = planes.update(y, blocks[:end])
            y = hash_by_tables(tables, y, blocks[end:])
    return y.to_bytes(BLOCK, "little")
