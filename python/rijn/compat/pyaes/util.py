"""Text as bytes, and the padding of PKCS #7 (RFC 5652 section 6.3)."""

from __future__ import annotations

from collections.abc import Iterable

from ... import _check
from ..._check import BLOCK, Buffer

Data = Buffer | Iterable[str | bytes]


def octets(data: Data) -> bytes | memoryview:
    """Returns data by pyaes's rule: bytes as they are; of other iterables, each item's ord(). Also
    takes any buffer.
    """
    if type(data) is bytes:
        return data
    if isinstance(data, str):
        return data.encode("latin-1")
    try:
        return _check.readable("the data", data)  # type: ignore[arg-type]
    except TypeError:
        return bytes(map(ord, data))  # type: ignore[arg-type]


def to_bufferable(binary: Data) -> bytes:
    """Returns data as bytes. A text stands for its code points, which must be below 256."""
    return bytes(octets(binary))


def append_PKCS7_padding(data: Data) -> bytes:
    """Appends 1 to 16 bytes. Each of these bytes is their number."""
    whole = to_bufferable(data)
    padding = BLOCK - len(whole) % BLOCK
    return whole + bytes([padding]) * padding


def strip_PKCS7_padding(data: Data) -> bytes:
    """Removes the padding: the inverse of append_PKCS7_padding.

    All faults raise the same ValueError. For whole blocks they also take the same steps.
    """
    whole = to_bufferable(data)
    if not whole or len(whole) % BLOCK:
        raise ValueError("invalid padding")
    padding = whole[-1]
    wrong = (padding - 1 | BLOCK - padding) & ~0xFF  # not 0 outside 1 to 16
    for place, byte in enumerate(reversed(whole[-BLOCK:])):
        wrong |= (place - padding >> 8) & (byte ^ padding)  # where place < padding
    if wrong:
        raise ValueError("invalid padding")
    return whole[:-padding]
