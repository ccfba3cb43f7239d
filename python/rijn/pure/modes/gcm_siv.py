"""AES-GCM-SIV (RFC 8452)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes
from .polyval import polyval

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..contract import Engine


class GCMSIV:
    __slots__ = ("_engine", "_make", "_words")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes, tag_length: int) -> None:
        self._make = make
        self._engine = make(key)
        self._words = 2 + len(key) // 8

    def _keys(self, nonce: bytes) -> tuple[bytes, Engine]:
        """Returns the keys of POLYVAL and AES for one nonce (section 4). Each block, a counter and
        the nonce, gives 8 bytes.
        """
        made = b""
        for i in range(self._words):
            block = int.from_bytes(i.to_bytes(4, "little") + nonce, "big")
            made += self._engine.encrypt_block(block).to_bytes(BLOCK, "big")[:8]
        return made[:BLOCK], self._make(made[BLOCK:])

    def _tag(self, key: bytes, engine: Engine, nonce: bytes, plaintext: Bytes, ad: Bytes) -> bytes:
        lengths = (8 * len(plaintext) << 64 | 8 * len(ad)).to_bytes(BLOCK, "little")
        total = int.from_bytes(polyval(key, ad, plaintext, lengths), "big")
        block = (total ^ int.from_bytes(nonce, "big") << 32) & ~0x80
        return engine.encrypt_block(block).to_bytes(BLOCK, "big")

    def _crypt(self, engine: Engine, tag: bytes, data: Bytes) -> bytes:
        counter = tag[:-1] + bytes([tag[-1] | 0x80])
        return engine.ctr_of(counter, data, 32, "little")

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        key, engine = self._keys(nonce)
        tag = self._tag(key, engine, nonce, data, ad)
        return self._crypt(engine, tag, data), tag

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        key, engine = self._keys(nonce)
        plaintext = self._crypt(engine, tag, data)
        return plaintext, self._tag(key, engine, nonce, plaintext, ad)
