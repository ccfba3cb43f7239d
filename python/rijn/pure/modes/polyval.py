"""POLYVAL (RFC 8452 section 3) for one message. It is GHASH of the blocks with reversed bytes,
under x times the reversed key, and the result is reversed too (appendix A).

A key serves one message, so GHASH's tables never pay: short messages use the small ones, and long
messages use lanes.
"""

from __future__ import annotations

from ..blocks import BLOCK, Bytes, chunks, rounded
from ..fields import times_x
from ..ghash import TableHash

# Blocks from which lanes are faster under a new key.
LANES_FROM = 32


def reversed_blocks(data: bytes) -> bytearray:
    """Returns each block with its bytes in reverse order. The last one is padded with zeros."""
    whole = data + bytes(rounded(len(data)) - len(data))
    blocks = bytearray(len(whole))
    for i in range(BLOCK):
        blocks[i::BLOCK] = whole[BLOCK - 1 - i :: BLOCK]
    return blocks


def polyval(key: bytes, *parts: Bytes) -> bytes:
    """Returns POLYVAL of the parts, each padded with zeros to whole blocks."""
    hash_ = TableHash(times_x(int.from_bytes(key, "little")), LANES_FROM, LANES_FROM)
    y = 0
    for part in parts:
        for piece in chunks(part):
            y = hash_.update(y, bytes(reversed_blocks(piece)))
    return y.to_bytes(BLOCK, "little")
