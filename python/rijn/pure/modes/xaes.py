"""XAES-256-GCM (c2sp.org/XAES-256-GCM): a key for each first half of a nonce, and GCM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes
from ..fields import double
from .gcm import GCM, GCMStream

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..contract import Engine

HALF = 12


class XAES:
    __slots__ = ("_engine", "_k1", "_last", "_make", "_tag_length")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes, tag_length: int) -> None:
        self._make = make
        self._engine = make(key)
        self._k1 = double(self._engine.encrypt_block(0))  # CMAC's subkey K1
        self._tag_length = tag_length
        # The last nonce's first half, and GCM under its key: one object, because threads share it.
        self._last: tuple[bytes, GCM] | None = None

    def _derived(self, half: bytes) -> GCM:
        last = self._last
        if last is None or last[0] != half:
            key = b""
            for number in (1, 2):
                block = int.from_bytes(bytes([0, number]) + b"X\x00" + half, "big")
                key += self._engine.encrypt_block(block ^ self._k1).to_bytes(BLOCK, "big")
            self._last = last = half, GCM(self._make, key, self._tag_length)
        return last[1]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self._derived(nonce[:HALF]).encrypt(nonce[HALF:], data, ad)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        return self._derived(nonce[:HALF]).decrypt(nonce[HALF:], data, ad, tag)

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> GCMStream:
        return self._derived(nonce[:HALF]).stream(nonce[HALF:], ad, opening)
