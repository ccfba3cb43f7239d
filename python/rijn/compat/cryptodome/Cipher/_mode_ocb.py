"""OCB (RFC 7253)."""

from __future__ import annotations

from typing import Any

from .... import _check
from ...._check import BLOCK, Buffer, integer
from ...._traceback import clean_traceback
from ....aead import AESOCB3
from ....incremental import Stream, whole_steps
from ..._turns import in_turn
from ._authenticated import AuthenticatedMode
from ._mode import backend_option, check_threads, checked_key, drawn_nonce

__all__ = ["OcbMode"]


class OcbMode(AuthenticatedMode):
    """OCB. It works on whole blocks: encrypt and decrypt return those that are complete, and the
    rest if they are called without an argument, which must come before digest and verify.

    :param key: 16, 24 or 32 bytes.
    :param nonce: 1 to 15 bytes, never used twice under one key. Without it, 15 random bytes.
    :param mac_len: 8 to 16 bytes in the tag.
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
        self.nonce = drawn_nonce(nonce, 15, 1, 15)
        if not 8 <= integer("mac_len", mac_len) <= 16:
            raise ValueError("MAC tag must be between 8 and 16 bytes long")
        check_threads(threads)
        backend = backend_option(options)
        self._aead = AESOCB3(
            checked_key(key), tag_length=mac_len, short_nonces=True, backend=backend
        )
        self._backend = self._aead.backend
        self._pending = b""

    def _start(self, associated_data: bytes, opening: bool) -> Stream:
        return self._aead._stream(self.nonce, associated_data, opening)

    def _seal(self, data: bytes | memoryview, associated_data: bytes) -> tuple[bytes, bytes]:
        return self._aead.encrypt_detached(self.nonce, data, associated_data)

    def _open(self, data: bytes | memoryview, tag: bytes, associated_data: bytes) -> bytes:
        return self._aead.decrypt_detached(self.nonce, data, tag, associated_data)

    @in_turn
    def encrypt(self, plaintext: Buffer | None = None) -> bytes:  # type: ignore[override]
        """Encrypts the next piece of the message.

        :param plaintext: the next bytes; None ends the message.
        :returns: the complete blocks, or the rest of the message.
        :raises TypeError: after decrypt, digest or verify, or after the end.
        """
        return self._piece("encrypt", "digest", plaintext)

    @in_turn
    def decrypt(self, ciphertext: Buffer | None = None) -> bytes:  # type: ignore[override]
        """Decrypts the next piece, and returns plaintext that NOBODY HAS AUTHENTICATED. See
        decrypt_and_verify.

        :param ciphertext: the next bytes, without the tag; None ends the message.
        :returns: the complete blocks, or the rest of the message.
        :raises TypeError: after encrypt, digest or verify, or after the end.
        """
        return self._piece("decrypt", "verify", ciphertext)

    @in_turn
    def encrypt_and_digest(self, plaintext: Buffer) -> tuple[bytes, bytes]:  # type: ignore[override]
        """Encrypts the message, or the rest of it, and ends it.

        :param plaintext: any size.
        :returns: the rest of the ciphertext, and the tag.
        :raises TypeError: as `encrypt`.
        """
        ciphertext = self._piece("encrypt", "digest", plaintext)
        ciphertext += self._piece("encrypt", "digest", None)
        return ciphertext, self._digest()

    @clean_traceback
    @in_turn
    def decrypt_and_verify(  # type: ignore[override]
        self, ciphertext: Buffer, received_mac_tag: Buffer
    ) -> bytes:
        """Decrypts the message, or the rest of it, and checks the tag before it gives out anything.

        :param ciphertext: any size, without the tag.
        :param received_mac_tag: the whole tag.
        :returns: the rest of the plaintext.
        :raises ValueError: as `verify`.
        :raises TypeError: as `decrypt`.
        """
        tag = bytes(_check.readable("received_mac_tag", received_mac_tag))
        plaintext = self._piece("decrypt", "verify", ciphertext)
        plaintext += self._piece("decrypt", "verify", None)
        self._verify(tag)
        return plaintext

    def _piece(self, step: str, end: str, data: Buffer | None) -> bytes:
        self._require(step)
        view = b"" if data is None else _check.readable("data", data)
        stream = self._begun(step == "decrypt")
        ready, self._pending = whole_steps(self._pending, view, BLOCK)
        result = stream.crypt(ready) if ready else b""
        if data is None:
            result = stream.crypt(self._pending)
        self._allowed = frozenset((end if data is None else step,))
        return result
