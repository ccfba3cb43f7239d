"""Blocks as bytes and as integers: what every module here uses, and no arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 16

# Input as the caller has it.
Bytes = bytes | memoryview

# Bytes of a message that a mode takes through its engine at once: as many as the bit planes of
# the backend `python` hold.
CHUNK = 1 << 20


def xor(left: bytes | bytearray, right: bytes | bytearray) -> bytes:
    """left is cut to the length of right."""
    size = len(right)
    total = int.from_bytes(left[:size], "big") ^ int.from_bytes(right, "big")
    return total.to_bytes(size, "big")


def chunks(data: Bytes, size: int = CHUNK) -> Iterator[bytes]:
    """data cut into pieces of so many bytes; the last may be shorter."""
    return (bytes(data[start : start + size]) for start in range(0, len(data), size))


def rounded(size: int) -> int:
    """The bytes of the blocks that hold so many bytes."""
    return -(-size // BLOCK) * BLOCK


def zero_padded(data: Bytes) -> Bytes:
    """Data, completed with zeros to whole blocks."""
    missing = -len(data) % BLOCK
    return bytes(data) + bytes(missing) if missing else data


def inc32(block: int, blocks: int = 1) -> int:
    """The counter block so many blocks later, of which the low 32 bits count and wrap."""
    low = 0xFFFF_FFFF
    return block & ~low | block + blocks & low
