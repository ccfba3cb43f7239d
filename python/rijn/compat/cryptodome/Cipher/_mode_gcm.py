"""GCM (SP 800-38D)."""

from __future__ import annotations

from typing import Any

from ...._check import Buffer, integer
from ...._traceback import clean_traceback
from ....aead import AESGCM
from ....errors import InvalidTag
from ....incremental import Stream
from .._originals import too_long
from ._authenticated import AuthenticatedMode, PieceStream, equal
from ._mode import backend_option, check_threads, checked_key, drawn_nonce

__all__ = ["GcmMode"]


class GcmMode(AuthenticatedMode):
    """Galois/Counter Mode.

    :param key: 16, 24 or 32 bytes.
    :param nonce: at least 1 byte, usually 12, never used twice under one key. Without it, 16 random
        bytes.
    :param mac_len: 4 to 16 bytes in the tag. Short tags invite forgery: read SP 800-38D appendix C
        first.
    """

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        *,
        nonce: Buffer | None = None,
        mac_len: int = 16,
        threads: int = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        self.nonce = drawn_nonce(nonce, 16)
        self._mac_len = integer("mac_len", mac_len)
        if not 4 <= self._mac_len <= 16:
            raise ValueError(f"Parameter 'mac_len' must be in the range 4..16, not {mac_len}")
        check_threads(threads)
        backend = backend_option(options)
        # rijn.AESGCM does not have the tags that SP 800-38D does not have.
        self._cut = self._mac_len not in AESGCM.tag_lengths
        self._aead = AESGCM(
            checked_key(key),
            tag_length=16 if self._cut else self._mac_len,
            short_tags=True,
            short_nonces=True,
            backend=backend,
        )
        self._backend = self._aead.backend
        self._size = 0

    def _announce(self, size: int, step: str) -> None:
        if self._size + size > AESGCM.data_max:
            raise too_long(f"a message has at most {AESGCM.data_max} bytes")
        self._size += size

    def _start(self, associated_data: bytes, opening: bool) -> Stream:
        stream = self._aead._stream(self.nonce, associated_data, opening)
        if not self._cut:
            return stream
        other = self._aead._stream(self.nonce, associated_data, False) if opening else None
        return _Cut(stream, other, self._mac_len)

    def _seal(self, data: bytes | memoryview, associated_data: bytes) -> tuple[bytes, bytes]:
        ciphertext, tag = self._aead.encrypt_detached(self.nonce, data, associated_data)
        return ciphertext, tag[: self._mac_len]

    def _open(self, data: bytes | memoryview, tag: bytes, associated_data: bytes) -> bytes:
        if self._cut:
            stream = self._start(associated_data, True)
            plaintext = stream.crypt(data)
            stream.verify(tag)
            return plaintext
        return self._aead.decrypt_detached(self.nonce, data, tag, associated_data)


class _Cut(PieceStream):
    """A message whose tag is cut to a size that rijn.AESGCM does not have. To get the whole tag of a
    message that is decrypted, `sealer` encrypts it again.
    """

    def __init__(self, stream: Stream, sealer: Stream | None, mac_len: int) -> None:
        self._stream = stream
        self._sealer = sealer
        self._mac_len = mac_len

    def crypt(self, data: Buffer, /) -> bytes:
        output = self._stream.crypt(data)
        if self._sealer:
            self._sealer.crypt(output)
        return output

    def tag(self) -> bytes:
        return self._stream.tag()[: self._mac_len]

    def verify(self, tag: Buffer, /) -> None:
        assert self._sealer
        if not equal(self._sealer.tag()[: self._mac_len], bytes(tag)):
            raise InvalidTag
