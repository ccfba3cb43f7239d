"""CFB (SP 800-38A section 6.3)."""

from __future__ import annotations

from typing import Any

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....incremental import xor
from ..._segments import decrypt_segments, encrypt_segments, shifted
from ._mode import ClassicMode, block_iv

__all__ = ["CfbMode"]


class CfbMode(ClassicMode):
    """Cipher feedback. Pieces may have any size.

    :param key: 16, 24 or 32 bytes.
    :param iv: 16 bytes, never used twice under one key; `IV` is the same. Without it, random bytes.
    :param segment_size: bits in a segment: 8, 16 and so on to 128. The cipher runs once for each
        segment.
    """

    @clean_traceback
    def __init__(self, key: Buffer, *, segment_size: int = 8, **options: Any) -> None:
        self.iv = self.IV = self._register = block_iv(options)
        self._size, broken = divmod(_check.integer("segment_size", segment_size), 8)
        if broken or self._size < 1:
            raise ValueError("'segment_size' must be positive and multiple of 8 bits")
        if self._size > BLOCK:
            raise ValueError(f"'segment_size' must be at most 128 bits, not {segment_size}")
        super().__init__(key, options)
        self._keystream = b""  # unused bytes of an incomplete segment

    def _encrypt(self, data: bytes | memoryview) -> bytes:
        return self._crypt(data, True)

    def _decrypt(self, data: bytes | memoryview) -> bytes:
        return self._crypt(data, False)

    def _crypt(self, data: bytes | memoryview, encrypting: bool) -> bytes:
        start = self._use(data[: len(self._keystream)], encrypting)
        data = data[len(start) :]
        whole = len(data) // self._size * self._size
        segments, register = data[:whole], self._register
        if encrypting:
            output = encrypt_segments(self._aes, register, self._size, segments)
            self._register = shifted(register, output)
        else:
            output = decrypt_segments(self._aes, register, self._size, segments)
            self._register = shifted(register, segments)
        if whole < len(data):
            self._keystream = self._aes.ecb_encrypt(self._register)[: self._size]
            output += self._use(data[whole:], encrypting)
        return start + output

    def _use(self, data: bytes | memoryview, encrypting: bool) -> bytes:
        """Uses the next bytes of the keystream of the incomplete segment."""
        output = xor(self._keystream[: len(data)], data)
        self._keystream = self._keystream[len(data) :]
        self._register = shifted(self._register, output if encrypting else data)
        return output
