"""Messages in pieces, for functions that need whole messages: the pieces are joined, and the
function is applied to them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from .modes import Bytes


class Collected:
    """A message that is authenticated."""

    def __init__(self, code: Callable[[bytes], bytes]) -> None:
        self.code = code
        self.message = b""

    def update(self, data: Bytes) -> None:
        self.message += data

    def finalize(self) -> bytes:
        return self.code(self.message)

    def copy(self) -> Self:
        other = type(self)(self.code)
        other.message = self.message
        return other


class CollectedStream:
    """A message that is also encrypted or decrypted. The output must not depend on later pieces.
    For OCB3, this is so at the end of a block.
    """

    def __init__(self, code: Callable[[bytes], tuple[bytes, bytes]]) -> None:
        self.code = code
        self.message = b""

    def crypt(self, data: Bytes) -> bytes:
        before = len(self.message)
        self.message += data
        return self.code(self.message)[0][before:]

    def tag(self) -> bytes:
        return self.code(self.message)[1]


class Online(ABC):
    """A cipher for such messages."""

    @abstractmethod
    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]: ...

    @abstractmethod
    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]: ...

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> CollectedStream:
        A = bytes(ad)
        if opening:
            # The ciphers do not read the tag: their caller compares it.
            return CollectedStream(lambda C: self.decrypt(nonce, C, A, b""))
        return CollectedStream(lambda P: self.encrypt(nonce, P, A))
