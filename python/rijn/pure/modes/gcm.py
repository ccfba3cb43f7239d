"""GCM (NIST SP 800-38D) for whole messages and messages in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, inc32, rounded, xor, zero_padded
from ..ghash import lengths

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..contract import Engine, ShortGCM


def first_counter(engine: Engine, nonce: bytes) -> int:
    """Returns J0, the pre-counter block (section 7.1, step 2)."""
    if len(nonce) == 12:
        return int.from_bytes(nonce) << 32 | 1
    return engine.ghash(0, bytes(zero_padded(nonce)) + lengths(0, len(nonce)))


class GCMStream:
    """One message, after its pre-counter block and its associated data."""

    __slots__ = (
        "_ad_size",
        "_counter",
        "_engine",
        "_first",
        "_keystream",
        "_opening",
        "_pending",
        "_size",
        "_tag_length",
        "_y",
    )

    def __init__(self, engine: Engine, j0: int, ad: Bytes, opening: bool, tag_length: int) -> None:
        self._engine = engine
        self._first = j0
        self._counter = inc32(j0)
        self._y = engine.ghash(0, ad) if ad else 0
        self._ad_size = len(ad)
        self._size = 0
        self._opening = opening
        self._tag_length = tag_length
        # For an incomplete block: its ciphertext so far, and the keystream for the rest.
        self._pending = b""
        self._keystream = b""

    def crypt(self, data: Bytes) -> bytes:
        """Returns the next piece, of any size: as many bytes."""
        begun = self._in_block(data[: len(self._keystream)]) if self._keystream else b""
        data = data[len(begun) :]
        whole = len(data) // BLOCK * BLOCK
        blocks = self.rest(data[:whole]) if whole else b""
        if whole == len(data):
            return begun + blocks if begun else blocks
        self._keystream = self._engine.encrypt_block(self._counter).to_bytes(BLOCK)
        self._counter = inc32(self._counter)
        return begun + blocks + self._in_block(data[whole:])

    def rest(self, data: Bytes) -> bytes:
        """As crypt, at the end of a block: takes whole blocks, or all the rest of the message."""
        result, self._y = self._engine.gcm_piece(self._counter, self._y, data, self._opening)
        self._counter = inc32(self._counter, rounded(len(data)) // BLOCK)
        self._size += len(data)
        return result

    def _in_block(self, data: Bytes) -> bytes:
        """As crypt, within the incomplete block."""
        result = xor(self._keystream, bytes(data))
        self._keystream = self._keystream[len(data) :]
        self._pending += data if self._opening else result
        self._size += len(data)
        if not self._keystream:
            self._y = self._engine.ghash(self._y, self._pending)
            self._pending = b""
        return result

    def tag(self) -> bytes:
        y = self._engine.ghash(self._y, self._pending) if self._pending else self._y
        y = self._engine.ghash(y, lengths(self._ad_size, self._size))
        tag = (y ^ self._engine.encrypt_block(self._first)).to_bytes(BLOCK)
        return tag[: self._tag_length]


class GCM:
    __slots__ = ("_engine", "_short", "_tag_length")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes, tag_length: int) -> None:
        self._engine = make(key)
        self._short: ShortGCM | None = getattr(self._engine, "gcm_short", None)
        self._tag_length = tag_length

    def _crypt(self, nonce: bytes, data: Bytes, ad: Bytes, opening: bool) -> tuple[bytes, bytes]:
        """Returns the result and the tag of the ciphertext."""
        j0 = first_counter(self._engine, nonce)
        if self._short is not None:
            made = self._short(j0, data, ad, opening)
            if made is not None:
                return made[0], made[1][: self._tag_length]
        message = GCMStream(self._engine, j0, ad, opening, self._tag_length)
        return message.rest(data), message.tag()

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self._crypt(nonce, data, ad, False)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        return self._crypt(nonce, data, ad, True)

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> GCMStream:
        j0 = first_counter(self._engine, nonce)
        return GCMStream(self._engine, j0, ad, opening, self._tag_length)
