"""CCM (NIST SP 800-38C, RFC 3610)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, xor
from .cmac import chained

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..contract import Engine


class CCM:
    """CCM with one key. A nonce of 7 to 13 bytes leaves `field` = 15 - len(nonce) bytes for the
    data's length and for the counter (appendix A):

        block 0 of the MAC     | flags     | nonce | length  |
        counter block i        | field - 1 | nonce | i       |
    """

    __slots__ = ("_engine", "_tag_length")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes, tag_length: int) -> None:
        self._engine = make(key)
        self._tag_length = tag_length

    def _counter(self, nonce: bytes, number: int) -> bytes:
        field = 15 - len(nonce)
        return bytes([field - 1]) + nonce + number.to_bytes(field, "big")

    def _tag(self, nonce: bytes, plaintext: Bytes, ad: Bytes) -> bytes:
        field = 15 - len(nonce)
        flags = 0x40 * bool(ad) | (self._tag_length - 2) // 2 << 3 | field - 1
        state = bytes([flags]) + nonce + len(plaintext).to_bytes(field, "big")
        state = chained(self._engine, bytes(BLOCK), state)
        if ad:
            # The associated data follow their length.
            head = encoded_length(len(ad))
            first = head + ad[: BLOCK - len(head)]
            state = self._mac(state, first)
            state = self._mac(state, ad[BLOCK - len(head) :])
        state = self._mac(state, plaintext)
        mask = self._engine.encrypt_block(int.from_bytes(self._counter(nonce, 0), "big"))
        return xor(state, mask.to_bytes(BLOCK, "big"))[: self._tag_length]

    def _mac(self, state: bytes, data: Bytes) -> bytes:
        """Returns the CBC-MAC of data, padded with zeros to whole blocks."""
        whole = len(data) // BLOCK * BLOCK
        state = chained(self._engine, state, data[:whole])
        if whole < len(data):
            end = bytes(data[whole:])
            state = chained(self._engine, state, end + bytes(BLOCK - len(end)))
        return state

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        tag = self._tag(nonce, data, ad)
        return self._engine.ctr(self._counter(nonce, 1), data), tag

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        plaintext = self._engine.ctr(self._counter(nonce, 1), data)
        return plaintext, self._tag(nonce, plaintext, ad)


def encoded_length(size: int) -> bytes:
    """Returns the length of the associated data, which are not empty (appendix A.2.2)."""
    if size < 0xFF00:
        return size.to_bytes(2, "big")
    if size < 1 << 32:
        return b"\xff\xfe" + size.to_bytes(4, "big")
    return b"\xff\xff" + size.to_bytes(8, "big")
