"""EAX (Bellare, Rogaway and Wagner: The EAX mode of operation, FSE 2004, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, xor
from .cmac import CMAC

if TYPE_CHECKING:
    from ..faces import Engine


class EAX:
    __slots__ = ("_engine", "_mac", "_tag_length")

    def __init__(self, engine: type[Engine], key: bytes, tag_length: int) -> None:
        self._engine = engine(key)
        self._mac = CMAC(self._engine)
        self._tag_length = tag_length

    def _omac(self, number: int, message: Bytes) -> bytes:
        """CMAC of the number as a block and the message."""
        return self._mac.of(number.to_bytes(BLOCK, "big"), message)

    def _tag(self, counter: bytes, ciphertext: Bytes, ad: Bytes) -> bytes:
        tag = xor(xor(counter, self._omac(1, ad)), self._omac(2, ciphertext))
        return tag[: self._tag_length]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        counter = self._omac(0, nonce)
        ciphertext = self._engine.ctr(counter, data)
        return ciphertext, self._tag(counter, ciphertext, ad)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        counter = self._omac(0, nonce)
        return self._engine.ctr(counter, data), self._tag(counter, data, ad)
