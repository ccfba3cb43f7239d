"""CMAC (NIST SP 800-38B) and the chain that it uses, CBC-MAC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, chunks, xor
from ..fields import double

if TYPE_CHECKING:
    from typing import Self

    from ..contract import Engine

# Bytes in one call of the chain, which needs only the last 16 bytes of the result.
LINKS = 1 << 16


def chained(engine: Engine, state: bytes, blocks: Bytes) -> bytes:
    """Returns the state of the chain after whole blocks."""
    for piece in chunks(blocks, LINKS):
        state = engine.cbc_encrypt(state, piece)[-BLOCK:]
    return state


def bit_padded(end: bytes) -> bytes:
    """Returns the last bytes of a message, fewer than a block, followed by a bit 1 and zeros."""
    return end + b"\x80" + bytes(BLOCK - 1 - len(end))


class CMACState:
    """A message that comes in pieces.

    Its last block waits for the next piece, because the last block of the message is added to a
    subkey of section 6.1: K1 if it is whole, and K2 if not.
    """

    __slots__ = ("_engine", "_k1", "_pending", "_state")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._k1 = double(engine.encrypt_block(0))
        self._state = bytes(BLOCK)
        self._pending = b""

    def update(self, data: Bytes) -> None:
        size = len(self._pending) + len(data)
        if size <= BLOCK:
            self._pending += data
            return
        blocks = self._pending + data
        whole = (size - 1) // BLOCK * BLOCK
        self._state = chained(self._engine, self._state, blocks[:whole])
        self._pending = blocks[whole:]

    def finalize(self) -> bytes:
        block, subkey = self._pending, self._k1
        if len(block) < BLOCK:
            block, subkey = bit_padded(block), double(subkey)
        last = xor(block, self._state)
        tag = self._engine.encrypt_block(int.from_bytes(last, "big") ^ subkey)
        return tag.to_bytes(BLOCK, "big")

    def copy(self) -> Self:
        other = object.__new__(type(self))
        other._engine = self._engine
        other._k1 = self._k1
        other._state = self._state
        other._pending = self._pending
        return other

    def tag_of(self, *parts: Bytes) -> bytes:
        """Returns the tag of the message so far and the parts. The state does not change."""
        state = self.copy()
        for part in parts:
            state.update(part)
        return state.finalize()
