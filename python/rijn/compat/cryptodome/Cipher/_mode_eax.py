"""EAX (Bellare, Rogaway and Wagner, FSE 2004)."""

from __future__ import annotations

from typing import Any

from ...._check import Buffer, integer
from ...._traceback import clean_traceback
from ....aead import AESEAX
from ....incremental import Stream
from ._authenticated import AuthenticatedMode
from ._mode import backend_option, checked_key, drawn_nonce

__all__ = ["EaxMode"]


class EaxMode(AuthenticatedMode):
    """EAX.

    :param key: 16, 24 or 32 bytes.
    :param nonce: at least 1 byte, never used twice under one key. Without it, 16 random bytes.
    :param mac_len: 2 to 16 bytes in the tag. One in 2^(8 n) attempts forges a tag of n bytes.
    """

    @clean_traceback
    def __init__(
        self, key: Buffer, *, nonce: Buffer | None = None, mac_len: int = 16, **options: Any
    ) -> None:
        super().__init__()
        self.nonce = drawn_nonce(nonce, 16)
        if not 2 <= integer("mac_len", mac_len) <= 16:
            raise ValueError(f"'mac_len' must be 2 to 16, not {mac_len}")
        backend = backend_option(options)
        self._aead = AESEAX(
            checked_key(key),
            tag_length=mac_len,
            short_tags=True,
            short_nonces=True,
            backend=backend,
        )
        self._backend = self._aead.backend

    def _start(self, associated_data: bytes, opening: bool) -> Stream:
        return self._aead._stream(self.nonce, associated_data, opening)

    def _seal(self, data: bytes | memoryview, associated_data: bytes) -> tuple[bytes, bytes]:
        return self._aead.encrypt_detached(self.nonce, data, associated_data)

    def _open(self, data: bytes | memoryview, tag: bytes, associated_data: bytes) -> bytes:
        return self._aead.decrypt_detached(self.nonce, data, tag, associated_data)
