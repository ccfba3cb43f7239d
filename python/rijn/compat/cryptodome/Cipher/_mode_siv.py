"""SIV (RFC 5297)."""

from __future__ import annotations

from typing import Any, NoReturn

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....aead import AESSIV
from ....errors import InvalidTag
from ....incremental import Stream
from ....mac import CMAC
from ..._turns import in_turn
from ._authenticated import AuthenticatedMode, equal
from ._mode import backend_option, checked_key, drawn_nonce

__all__ = ["SivMode"]

# RFC 5297 section 7: 127 strings, of which the message is one.
_STRINGS = 127


class SivMode(AuthenticatedMode):
    """Synthetic IV. Each call of update adds one string of associated data. There are no pieces:
    call encrypt_and_digest or decrypt_and_verify.

    :param key: 32, 48 or 64 bytes.
    :param nonce: at least 1 byte; without it, encryption is deterministic.
    """

    @clean_traceback
    def __init__(self, key: Buffer, *, nonce: Buffer | None = None, **options: Any) -> None:
        super().__init__()
        if nonce is not None:
            self.nonce = drawn_nonce(nonce, 0)
        backend = backend_option(options)
        secret = checked_key(key, AESSIV.key_sizes)
        self._aead = AESSIV(secret, backend=backend)
        self._mac = CMAC(secret[: len(secret) // 2], backend=backend)
        self._backend = self._aead.backend

    @in_turn
    def update(self, component: Buffer) -> SivMode:
        """Authenticates one string of associated data: `update(a).update(b)` and `update(a + b)`
        differ.

        :param component: any size.
        :returns: this object.
        :raises TypeError: after any other method, or for too many strings.
        """
        self._require("update")
        piece = bytes(_check.readable("component", component))
        if len(self._strings()) + 1 >= _STRINGS:
            raise TypeError("Too many components passed to S2V")
        self._associated.append(piece)
        return self

    def encrypt(self, plaintext: Buffer, output: Buffer | None = None) -> NoReturn:
        """Raises TypeError."""
        raise TypeError("encrypt() not allowed for SIV mode. Use encrypt_and_digest() instead.")

    def decrypt(self, ciphertext: Buffer, output: Buffer | None = None) -> NoReturn:
        """Raises TypeError."""
        raise TypeError("decrypt() not allowed for SIV mode. Use decrypt_and_verify() instead.")

    def _strings(self) -> list[bytes]:
        return [*self._associated, self.nonce] if hasattr(self, "nonce") else self._associated

    def _seal(self, data: bytes | memoryview, associated_data: bytes) -> tuple[bytes, bytes]:
        return self._aead.encrypt_detached(data, self._strings())

    def _open(self, data: bytes | memoryview, tag: bytes, associated_data: bytes) -> bytes:
        return self._aead.decrypt_detached(data, tag, self._strings())

    def _start(self, associated_data: bytes, opening: bool) -> Stream:
        """Returns the message without a plaintext: S2V of the associated data alone."""
        return _Strings(self._aead, self._mac, self._associated)


class _Strings:
    """S2V of strings alone (RFC 5297 section 2.4): the last one is in the place of the message."""

    def __init__(self, aead: AESSIV, mac: CMAC, strings: list[bytes]) -> None:
        self._aead = aead
        self._mac = mac
        self._strings = strings

    def crypt(self, data: Buffer, /) -> NoReturn:
        raise TypeError("SIV has no pieces")

    def crypt_into(self, data: Buffer, buf: Buffer) -> NoReturn:
        raise TypeError("SIV has no pieces")

    def tag(self) -> bytes:
        if self._strings:
            *others, last = self._strings
            return self._aead.encrypt_detached(last, others)[1]
        # Without any string, PyCryptodome authenticates a block of zeros. RFC 5297 says "one".
        mac = self._mac.copy()
        mac.update(bytes(BLOCK))
        return mac.finalize()

    def verify(self, tag: Buffer, /) -> None:
        if not equal(self.tag(), bytes(tag)):
            raise InvalidTag
