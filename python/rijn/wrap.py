"""Keys wrapped in keys: KW and KWP (NIST SP 800-38F; RFC 3394 and RFC 5649)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import registry
from ._key import Key

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Buffer


class KeyWrap(Key):
    """A key-encryption key. An object never changes, so threads may share it."""

    __slots__ = ()
    key_sizes = (16, 24, 32)

    def __new__(cls, key: Buffer, *, backend: str | None = None) -> Self:
        face, name = registry.choose(cls, backend)
        return face(key, name)

    def wrap(self, data: Buffer) -> bytes:
        """KW: `data` is a multiple of 8 bytes, at least 16; 8 more are returned."""
        raise NotImplementedError

    def unwrap(self, data: Buffer) -> bytes:
        """Inverse of wrap. Raises InvalidTag for whatever wrap did not make."""
        raise NotImplementedError

    def wrap_padded(self, data: Buffer) -> bytes:
        """KWP: 1 to 2^32 - 1 bytes; the next multiple of 8, and 8 more, are returned."""
        raise NotImplementedError

    def unwrap_padded(self, data: Buffer) -> bytes:
        """Inverse of wrap_padded. Raises InvalidTag for whatever it did not make."""
        raise NotImplementedError


def aes_key_wrap(wrapping_key: Buffer, key_to_wrap: Buffer, *, backend: str | None = None) -> bytes:
    """Wraps a key (RFC 3394).

    wrapping_key  16, 24 or 32 bytes. key_to_wrap: a multiple of 8 bytes, at least 16.
    Returns 8 bytes more than key_to_wrap has. Raises ValueError for wrong sizes.
    """
    return KeyWrap(wrapping_key, backend=backend).wrap(key_to_wrap)


def aes_key_unwrap(
    wrapping_key: Buffer, wrapped_key: Buffer, *, backend: str | None = None
) -> bytes:
    """Inverse of aes_key_wrap. Raises InvalidTag for whatever it did not make."""
    return KeyWrap(wrapping_key, backend=backend).unwrap(wrapped_key)


def aes_key_wrap_with_padding(
    wrapping_key: Buffer, key_to_wrap: Buffer, *, backend: str | None = None
) -> bytes:
    """Wraps a key of 1 to 2^32 - 1 bytes (RFC 5649).

    Returns the next multiple of 8 bytes, and 8 more. Raises ValueError for wrong sizes.
    """
    return KeyWrap(wrapping_key, backend=backend).wrap_padded(key_to_wrap)


def aes_key_unwrap_with_padding(
    wrapping_key: Buffer, wrapped_key: Buffer, *, backend: str | None = None
) -> bytes:
    """Inverse of aes_key_wrap_with_padding. Raises InvalidTag for whatever it did not
    make."""
    return KeyWrap(wrapping_key, backend=backend).unwrap_padded(wrapped_key)
