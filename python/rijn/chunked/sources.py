"""Reads from files that may return fewer bytes than were asked for."""

from __future__ import annotations

from typing import BinaryIO


def read_full(source: BinaryIO, view: memoryview) -> int:
    """Reads until `view` is full or the source ends. Returns the number of bytes read."""
    filled = 0
    while filled < len(view):
        count = source.readinto(view[filled:])  # type: ignore[attr-defined]
        if count is None:
            raise BlockingIOError("the source has nothing to read yet and does not wait")
        if not count:
            break
        filled += count
    return filled


def read_up_to(source: BinaryIO, size: int) -> bytes:
    """Returns the next `size` bytes, or fewer if the source ends."""
    buffer = bytearray(size)
    return bytes(buffer[: read_full(source, memoryview(buffer))])
