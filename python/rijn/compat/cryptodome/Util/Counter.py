"""Counter blocks of any layout, for AES.MODE_CTR."""

from __future__ import annotations

from typing import TypedDict

from ...._check import Buffer, integer, readable

__all__ = ["new"]


class CounterParams(TypedDict):
    """The layout and the first value of a counter block."""

    counter_len: int
    prefix: bytes
    suffix: bytes
    initial_value: int
    little_endian: bool


def new(
    nbits: int,
    prefix: Buffer = b"",
    suffix: Buffer = b"",
    initial_value: int = 1,
    little_endian: bool = False,
    allow_wraparound: bool = False,
) -> CounterParams:
    """Describes counter blocks: a prefix, a counter and a suffix, 16 bytes together.

    :param nbits: bits of the counter, a multiple of 8.
    :param prefix: the bytes before the counter.
    :param suffix: the bytes after it.
    :param initial_value: the counter of the first block.
    :param little_endian: True if the counter begins with its lowest byte.
    :param allow_wraparound: changes nothing: the counter passes from its last value to 0, and
        the cipher refuses to use a value twice.
    :returns: the argument `counter` of AES.new.
    :raises ValueError: if nbits is not a multiple of 8, or `initial_value` needs more bits.
    """
    if integer("nbits", nbits) % 8 or nbits < 0:
        raise ValueError("'nbits' must be a multiple of 8")
    if integer("initial_value", initial_value) < 0 or initial_value.bit_length() > nbits:
        raise ValueError(f"initial_value must be 0 to 2^{nbits} - 1, not {initial_value}")
    return {
        "counter_len": nbits // 8,
        "prefix": bytes(readable("prefix", prefix)),
        "suffix": bytes(readable("suffix", suffix)),
        "initial_value": initial_value,
        "little_endian": bool(little_endian),
    }
