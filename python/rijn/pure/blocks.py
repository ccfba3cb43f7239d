"""Blocks as bytes and as integers, for all modules here. There is no cipher arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 16

# The caller's input.
Bytes = bytes | memoryview

# Bytes of a message that a mode passes to its engine in one call: the capacity of the bit planes of
# the backend `python`.
CHUNK = 1 << 20


def xor(left: bytes | bytearray, right: bytes | bytearray) -> bytes:
    """Returns the XOR of right and the start of left."""
    size = len(right)
    total = int.from_bytes(left[:size], "big") ^ int.from_bytes(right, "big")
    return total.to_bytes(size, "big")


def chunks(data: Bytes, size: int = CHUNK) -> Iterator[bytes]:
    """Yields data in pieces of `size` bytes. The last one may be shorter."""
    return (bytes(data[start : start + size]) for start in range(0, len(data), size))


def rounded(size: int) -> int:
    """Returns the size of the whole blocks that hold `size` bytes."""
    return -(-size // BLOCK) * BLOCK


def zero_padded(data: Bytes) -> Bytes:
    """Returns data, padded with zeros to whole blocks."""
    missing = -len(data) % BLOCK
    return bytes(data) + bytes(missing) if missing else data


def inc32(block: int, blocks: int = 1) -> int:
    """Returns the counter block `blocks` blocks later. Its low 32 bits count and wrap."""
    low = 0xFFFF_FFFF
    return block & ~low | block + blocks & low
