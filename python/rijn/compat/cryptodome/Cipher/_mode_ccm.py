"""CCM (SP 800-38C, RFC 3610)."""

from __future__ import annotations

from typing import Any

from ...._check import BLOCK, Buffer, natural
from ...._traceback import clean_traceback
from ....aead import AESCCM
from ....block import AES
from ....errors import InvalidTag
from ....incremental import Stream, xor
from ....pure.modes.ccm import encoded_length
from .._originals import MessageTooLongError, too_long
from ._authenticated import AuthenticatedMode, PieceStream, equal
from ._mode import backend_option, checked_key, drawn_nonce

__all__ = ["CCMMessageTooLongError", "CcmMode"]

CCMMessageTooLongError = MessageTooLongError


class CcmMode(AuthenticatedMode):
    """Counter with CBC-MAC. The tag begins with the sizes, so a message in pieces needs `msg_len`:
    without it, encrypt and decrypt can be called once.

    :param key: 16, 24 or 32 bytes.
    :param nonce: 7 to 13 bytes, never used twice under one key. Without it, 11 random bytes.
    :param mac_len: 4, 6, 8, 10, 12, 14 or 16 bytes in the tag.
    :param msg_len: bytes in the message, less than 2^(8 * (15 - len(nonce))).
    :param assoc_len: bytes in the associated data.
    """

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        *,
        nonce: Buffer | None = None,
        mac_len: int = 16,
        msg_len: int | None = None,
        assoc_len: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.nonce = drawn_nonce(nonce, 11, 7, 13)
        if mac_len not in AESCCM.tag_lengths:
            raise ValueError(f"Parameter 'mac_len' must be even and in 4..16, not {mac_len}")
        if msg_len is not None:
            self._check_length(natural("msg_len", msg_len))
        if assoc_len is not None:
            natural("assoc_len", assoc_len)
        backend = backend_option(options)
        secret = checked_key(key)
        self._aead = AESCCM(secret, mac_len, short_tags=True, backend=backend)
        self._aes = AES(secret, backend=backend)
        self._backend = self._aead.backend
        self._msg_len = msg_len
        self._assoc_len = assoc_len
        self._size = 0

    def _check_length(self, size: int) -> None:
        if size >> 8 * (15 - len(self.nonce)):
            raise too_long(f"Message too long for a {len(self.nonce)}-byte nonce")

    def _check_associated(self, size: int) -> None:
        if self._assoc_len is not None and size > self._assoc_len:
            raise too_long("Associated data longer than declared")

    def _announce(self, size: int, step: str) -> None:
        found = sum(map(len, self._associated))
        if self._assoc_len is not None and found < self._assoc_len:
            raise ValueError("Associated data is too short")
        if self._msg_len is None:
            if step:
                self._check_length(size)
                self._allowed = frozenset(("digest" if step == "encrypt" else "verify",))
            self._msg_len = size
        elif self._size + size > self._msg_len:
            raise too_long(
                f"Message longer than declared ({self._size + size} bytes, not {self._msg_len})"
            )
        elif not step and self._size < self._msg_len:
            raise ValueError("Message is too short")
        self._size += size

    def _start(self, associated_data: bytes, opening: bool) -> Stream:
        assert self._msg_len is not None
        return _Pieces(
            self._aes,
            self.nonce,
            self._aead.tag_length,
            self._msg_len,
            associated_data,
            opening,
        )

    def _seal(self, data: bytes | memoryview, associated_data: bytes) -> tuple[bytes, bytes]:
        return self._aead.encrypt_detached(self.nonce, data, associated_data)

    def _open(self, data: bytes | memoryview, tag: bytes, associated_data: bytes) -> bytes:
        return self._aead.decrypt_detached(self.nonce, data, tag, associated_data)


class _Pieces(PieceStream):
    """CCM in pieces, which rijn.AESCCM does not have (SP 800-38C section 6 and appendix A)::

    block 0 of the MAC     | flags     | nonce | length  |
    counter block i        | field - 1 | nonce | i       |
    """

    def __init__(
        self, aes: AES, nonce: bytes, tag_length: int, size: int, ad: bytes, opening: bool
    ) -> None:
        field = 15 - len(nonce)
        counter = bytes([field - 1]) + nonce + bytes(field)
        self._ctr = aes.ctr_encryptor(counter)
        self._mask = self._ctr.update(bytes(BLOCK))[:tag_length]
        self._opening = opening
        self._mac = aes.cbc_encryptor(bytes(BLOCK))
        self._state = b""
        flags = 0x40 * bool(ad) | (tag_length - 2) // 2 << 3 | field - 1
        self._authenticate(bytes([flags]) + nonce + size.to_bytes(field, "big"))
        if ad:
            head = encoded_length(len(ad))
            self._authenticate(head + ad + bytes(-(len(head) + len(ad)) % BLOCK))
        self._end = -size % BLOCK

    def _authenticate(self, data: Buffer) -> None:
        self._state = self._mac.update(data)[-BLOCK:] or self._state

    def crypt(self, data: Buffer, /) -> bytes:
        output = self._ctr.update(data)
        self._authenticate(output if self._opening else data)
        return output

    def tag(self) -> bytes:
        self._authenticate(bytes(self._end))
        return xor(self._mask, self._state[: len(self._mask)])

    def verify(self, tag: Buffer, /) -> None:
        if not equal(self.tag(), bytes(tag)):
            raise InvalidTag
