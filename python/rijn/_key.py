"""What the key classes have in common."""

from __future__ import annotations

import os
from typing import ClassVar

from . import _check
from ._own import Own


class Key(Own):
    """A key, bound to the backend that does its work."""

    __slots__ = ()

    key_sizes: ClassVar[tuple[int, ...]]
    """Bytes in a key."""

    @classmethod
    def generate_key(cls, bit_length: int | None = None) -> bytes:
        """Returns a fresh random key of so many bits, from the operating system. The number
        may be left out where there is but one. Raises ValueError for another number."""
        sizes = [8 * size for size in cls.key_sizes]
        if bit_length is None and len(sizes) == 1:
            bit_length = sizes[0]
        bits = _check.one_of("bit_length", bit_length, sizes)
        return os.urandom(bits // 8)

    @property
    def backend(self) -> str:
        """The name of the backend that does the work."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Names the backend and nothing of the key."""
        return f"<rijn.{type(self).__name__} on {self.backend}>"
