"""OpenPGP's CFB (RFC 4880 section 13.9), without its resynchronization."""

from __future__ import annotations

from typing import Any

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....incremental import Incremental
from ._mode import ClassicMode, given_iv

__all__ = ["OpenPgpMode"]

_PREFIX = BLOCK + 2


class OpenPgpMode(ClassicMode):
    """CFB128 with an encrypted IV in front of the ciphertext.

    :param key: 16, 24 or 32 bytes.
    :param iv: 16 bytes that nobody can predict, for encryption; the first 18 bytes of the
        ciphertext, for decryption. `IV` is the same. Without it, random bytes.
    """

    @clean_traceback
    def __init__(self, key: Buffer, **options: Any) -> None:
        iv = bytes(_check.readable("iv", given_iv(options)))
        if len(iv) not in (BLOCK, _PREFIX):
            raise ValueError(f"Length of IV must be {BLOCK} or {_PREFIX} bytes for MODE_OPENPGP")
        super().__init__(key, options)
        if len(iv) == BLOCK:
            prefix = self._aes.cfb_encrypt(bytes(BLOCK), iv + iv[-2:])
        else:
            prefix, iv = iv, self._aes.cfb_decrypt(bytes(BLOCK), iv)[:BLOCK]
        self.iv = self.IV = iv
        self._unsent = prefix
        self._register = prefix[-BLOCK:]
        self._cfb: Incremental | None = None

    def _encrypt(self, data: bytes | memoryview) -> bytes:
        self._cfb = self._cfb or self._aes.cfb_encryptor(self._register)
        prefix, self._unsent = self._unsent, b""
        return prefix + self._cfb.update(data)

    def _decrypt(self, data: bytes | memoryview) -> bytes:
        self._cfb = self._cfb or self._aes.cfb_decryptor(self._register)
        return self._cfb.update(data)
