"""CBC (SP 800-38A section 6.2)."""

from __future__ import annotations

from typing import Any

from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ._mode import ClassicMode, block_iv

__all__ = ["CbcMode"]


class CbcMode(ClassicMode):
    """Cipher block chaining. Pieces are multiples of 16 bytes.

    :param key: 16, 24 or 32 bytes.
    :param iv: 16 bytes that nobody can predict; `IV` is the same. Without it, random bytes.
    """

    @clean_traceback
    def __init__(self, key: Buffer, **options: Any) -> None:
        self.iv = self.IV = self._chain = block_iv(options)
        super().__init__(key, options)

    def _check_size(self, size: int) -> None:
        if size % BLOCK:
            raise ValueError("Data must be padded to 16 byte boundary in CBC mode")

    def _encrypt(self, data: bytes | memoryview) -> bytes:
        ciphertext = self._aes.cbc_encrypt(self._chain, data)
        self._chain = ciphertext[-BLOCK:] or self._chain
        return ciphertext

    def _decrypt(self, data: bytes | memoryview) -> bytes:
        plaintext = self._aes.cbc_decrypt(self._chain, data)
        self._chain = bytes(data[-BLOCK:]) or self._chain
        return plaintext
