"""EAX (Bellare, Rogaway and Wagner: The EAX mode of operation, FSE 2004, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, rounded, xor, zero_padded
from .cmac import CMACState

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..contract import Engine


LOW128 = (1 << 128) - 1


def number(n: int) -> bytes:
    """Returns n as a block, which marks the kind of authenticated data that follows."""
    return n.to_bytes(BLOCK, "big")


class EAXStream:
    """One message."""

    __slots__ = ("_counter", "_engine", "_keystream", "_mac", "_opening", "_sum", "_tag_length")

    def __init__(
        self,
        engine: Engine,
        key: CMACState,
        nonce: bytes,
        ad: Bytes,
        opening: bool,
        tag_length: int,
    ) -> None:
        self._engine = engine
        counter = key.tag_of(number(0), nonce)
        self._counter = int.from_bytes(counter, "big")
        self._sum = xor(counter, key.tag_of(number(1), ad))
        self._mac = key.copy()
        self._mac.update(number(2))
        self._opening = opening
        self._tag_length = tag_length
        self._keystream = b""  # unused bytes for the current block

    def crypt(self, data: Bytes) -> bytes:
        """Returns the next piece, of any size: as many bytes."""
        begun = bytes(data[: len(self._keystream)])
        result = xor(self._keystream, begun) if begun else b""
        self._keystream = self._keystream[len(begun) :]
        if len(begun) < len(data):
            result += self._blocks(data[len(begun) :])
        self._mac.update(data if self._opening else result)
        return result

    def _blocks(self, data: Bytes) -> bytes:
        """Processes data from a new block in CTR. Keeps the unused keystream."""
        size = rounded(len(data))
        made = self._engine.ctr(self._counter.to_bytes(BLOCK, "big"), zero_padded(data))
        self._counter = self._counter + size // BLOCK & LOW128
        self._keystream = made[len(data) :]
        return made[: len(data)]

    def tag(self) -> bytes:
        return xor(self._sum, self._mac.finalize())[: self._tag_length]


class EAX:
    __slots__ = ("_engine", "_mac", "_tag_length")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes, tag_length: int) -> None:
        self._engine = make(key)
        self._mac = CMACState(self._engine)
        self._tag_length = tag_length

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> EAXStream:
        return EAXStream(self._engine, self._mac, nonce, ad, opening, self._tag_length)

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        stream = self.stream(nonce, ad, False)
        return stream.crypt(data), stream.tag()

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        stream = self.stream(nonce, ad, True)
        return stream.crypt(data), stream.tag()
