"""The base of the key classes."""

from __future__ import annotations

import os
from typing import ClassVar, Protocol, overload

from . import _check
from ._uncopyable import Uncopyable


class NotMade(TypeError):
    """A method was called on a public class, or on an object without a backend."""

    def __init__(self) -> None:
        super().__init__(
            "call this on an object that its class has made, as in rijn.AESGCM(key).encrypt(...)"
        )


class OneSize(Protocol):
    """A class whose keys have only one size."""

    key_sizes: ClassVar[tuple[int]]


class Key(Uncopyable):
    """A key, bound to the backend that computes with it."""

    __slots__ = ()

    key_sizes: ClassVar[tuple[int, ...]]
    """The allowed sizes of a key, in bytes."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith("rijn."):
            base = next(base for base in cls.__mro__ if base.__module__.startswith("rijn."))
            raise TypeError(
                f"rijn.{base.__name__} cannot be subclassed: its objects belong to a backend's "
                "class. Keep one as an attribute instead"
            )

    @overload
    @classmethod
    def generate_key(cls: type[OneSize], bit_length: int | None = None) -> bytes: ...

    @overload
    @classmethod
    def generate_key(cls, bit_length: int) -> bytes: ...

    @classmethod
    def generate_key(cls, bit_length: int | None = None) -> bytes:
        """Generates a random key with the operating system's generator.

        :param bit_length: bits in the key: 8 times one of `key_sizes`. Optional if there is only
            one.
        :returns: bit_length / 8 bytes.
        :raises ValueError: if keys have other sizes.
        :raises TypeError: if it is missing and there are several sizes.
        """
        sizes = [8 * size for size in cls.key_sizes]
        if bit_length is None:
            if len(sizes) > 1:
                raise TypeError(f"bit_length must be given: {_check.listed(sizes)}")
            bit_length = sizes[0]
        bits = _check.one_of("bit_length", bit_length, sizes)
        return os.urandom(bits // 8)

    @property
    def backend(self) -> str:
        """The name of the backend that computes with this key."""
        raise NotMade

    def __repr__(self) -> str:
        """Returns the name of the backend, and nothing about the key."""
        return f"<rijn.{type(self).__name__} on {self.backend}>"
