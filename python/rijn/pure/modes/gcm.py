"""GCM (NIST SP 800-38D): engines know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..faces import Engine


class GCM:
    __slots__ = ("_engine", "_tag_length")

    def __init__(self, engine: type[Engine], key: bytes, tag_length: int) -> None:
        self._engine = engine(key)
        self._tag_length = tag_length

    def encrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        ciphertext, tag = self._engine.gcm_encrypt(nonce, data, ad)
        return ciphertext, tag[: self._tag_length]

    def decrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview, tag: bytes
    ) -> tuple[bytes, bytes]:
        plaintext, expected = self._engine.gcm_decrypt(nonce, data, ad)
        return plaintext, expected[: self._tag_length]
