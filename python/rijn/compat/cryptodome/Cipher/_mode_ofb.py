"""OFB (SP 800-38A section 6.4)."""

from __future__ import annotations

from typing import Any

from ...._check import Buffer
from ...._traceback import clean_traceback
from ._mode import ClassicMode, block_iv

__all__ = ["OfbMode"]


class OfbMode(ClassicMode):
    """Output feedback. Pieces may have any size.

    :param key: 16, 24 or 32 bytes.
    :param iv: 16 bytes, never used twice under one key; `IV` is the same. Without it, random bytes.
    """

    @clean_traceback
    def __init__(self, key: Buffer, **options: Any) -> None:
        self.iv = self.IV = block_iv(options)
        super().__init__(key, options)
        self._encrypt = self._decrypt = self._aes.ofb_encryptor(self.iv).update  # type: ignore[method-assign]
