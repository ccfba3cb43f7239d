"""What the key classes have in common."""

from __future__ import annotations

import os
from typing import ClassVar, Protocol, overload

from . import _check
from ._uncopyable import Own


class NotMade(TypeError):
    """What a method of a public class raises, where no backend's class has taken its place."""

    def __init__(self) -> None:
        super().__init__(
            "call this on an object that its class has made, as in rijn.AESGCM(key).encrypt(...): "
            "the class says what there is, and the object's backend does it"
        )


class OneSize(Protocol):
    """A class whose keys have but one size."""

    key_sizes: ClassVar[tuple[int]]


class Key(Own):
    """A key, bound to the backend that does its work."""

    __slots__ = ()

    key_sizes: ClassVar[tuple[int, ...]]
    """Bytes in a key."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith("rijn."):
            base = next(base for base in cls.__mro__ if base.__module__.startswith("rijn."))
            raise TypeError(
                f"rijn.{base.__name__} cannot be subclassed: what it makes belongs to a backend; "
                "keep one as an attribute instead"
            )

    @overload
    @classmethod
    def generate_key(cls: type[OneSize], bit_length: int | None = None) -> bytes: ...

    @overload
    @classmethod
    def generate_key(cls, bit_length: int) -> bytes: ...

    @classmethod
    def generate_key(cls, bit_length: int | None = None) -> bytes:
        """Returns a fresh random key of so many bits, from the operating system. The number
        may be left out where there is but one. Raises ValueError for another number, TypeError
        for none where there are several."""
        sizes = [8 * size for size in cls.key_sizes]
        if bit_length is None:
            if len(sizes) > 1:
                raise TypeError(f"bit_length must be given: {_check.listed(sizes)}")
            bit_length = sizes[0]
        bits = _check.one_of("bit_length", bit_length, sizes)
        return os.urandom(bits // 8)

    @property
    def backend(self) -> str:
        """The name of the backend that does the work."""
        raise NotMade

    def __repr__(self) -> str:
        """Names the backend and nothing of the key."""
        return f"<rijn.{type(self).__name__} on {self.backend}>"
