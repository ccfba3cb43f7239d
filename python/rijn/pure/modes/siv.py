"""AES-SIV (RFC 5297)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes
from ..fields import double
from .cmac import CMACState, bit_padded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..contract import Engine

# Bits of the counter block that are cleared (section 2.5), so that 32-bit counters do not carry.
CLEARED = 1 << 63 | 1 << 31


class SIV:
    """SIV with a key of 32, 48 or 64 bytes: one half is for CMAC, the other for CTR."""

    __slots__ = ("_engine", "_mac", "_start")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes) -> None:
        half = len(key) // 2
        self._mac = CMACState(make(key[:half]))
        self._engine = make(key[half:])
        self._start = int.from_bytes(self._mac.tag_of(bytes(BLOCK)), "big")

    def _tag(self, strings: Sequence[Bytes], data: Bytes) -> bytes:
        """Returns S2V of the strings and the data (section 2.4)."""
        d = self._start
        for string in strings:
            d = double(d) ^ int.from_bytes(self._mac.tag_of(string), "big")
        if len(data) >= BLOCK:
            start, end = data[:-BLOCK], bytes(data[-BLOCK:])
        else:
            start, end, d = b"", bit_padded(bytes(data)), double(d)
        last = (int.from_bytes(end, "big") ^ d).to_bytes(BLOCK, "big")
        return self._mac.tag_of(start, last)

    def _crypt(self, tag: bytes, data: Bytes) -> bytes:
        counter = int.from_bytes(tag, "big") & ~CLEARED
        return self._engine.ctr(counter.to_bytes(BLOCK, "big"), data)

    def encrypt(self, strings: Sequence[Bytes], data: Bytes) -> tuple[bytes, bytes]:
        tag = self._tag(strings, data)
        return self._crypt(tag, data), tag

    def decrypt(self, strings: Sequence[Bytes], data: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        plaintext = self._crypt(tag, data)
        return plaintext, self._tag(strings, plaintext)
