"""GCM (NIST SP 800-38D) of a message that comes whole or in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, inc32, rounded

if TYPE_CHECKING:
    from ..contract import Engine, GCMEngine


def lengths(ad_size: int, size: int) -> bytes:
    """The last block that is hashed: both sizes in bits (section 7.1, step 5)."""
    return (8 * ad_size << 64 | 8 * size).to_bytes(BLOCK, "big")


def first_counter(engine: GCMEngine, nonce: bytes) -> int:
    """J0 (section 7.1, step 2)."""
    if len(nonce) == 12:
        return int.from_bytes(nonce, "big") << 32 | 1
    padding = bytes(rounded(len(nonce)) - len(nonce))
    return engine.ghash(0, nonce + padding + lengths(0, len(nonce)))


class Stream:
    """One message, from its first counter and its associated data on."""

    __slots__ = (
        "_ad_size",
        "_counter",
        "_engine",
        "_first",
        "_opening",
        "_size",
        "_tag_length",
        "_y",
    )

    def __init__(
        self, engine: GCMEngine, j0: int, ad: Bytes, opening: bool, tag_length: int = BLOCK
    ) -> None:
        self._engine = engine
        self._first = j0
        self._counter = inc32(j0)
        self._y = engine.ghash(0, ad)
        self._ad_size = len(ad)
        self._size = 0
        self._opening = opening
        self._tag_length = tag_length

    def crypt(self, data: Bytes) -> bytes:
        result, self._y = self._engine.gcm_piece(self._counter, self._y, data, self._opening)
        self._counter = inc32(self._counter, rounded(len(data)) // BLOCK)
        self._size += len(data)
        return result

    def tag(self) -> bytes:
        y = self._engine.ghash(self._y, lengths(self._ad_size, self._size))
        tag = (y ^ self._engine.encrypt_block(self._first)).to_bytes(BLOCK, "big")
        return tag[: self._tag_length]


class GCM:
    __slots__ = ("_engine", "_tag_length")

    def __init__(self, engine: type[Engine], key: bytes, tag_length: int) -> None:
        self._engine = engine(key)
        self._tag_length = tag_length

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        ciphertext, tag = self._engine.gcm_encrypt(nonce, data, ad)
        return ciphertext, tag[: self._tag_length]

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        plaintext, expected = self._engine.gcm_decrypt(nonce, data, ad)
        return plaintext, expected[: self._tag_length]

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> Stream:
        j0 = first_counter(self._engine, nonce)
        return Stream(self._engine, j0, ad, opening, self._tag_length)
