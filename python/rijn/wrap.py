"""Keys wrapped in keys: KW and KWP (NIST SP 800-38F; RFC 3394 and RFC 5649)."""

from __future__ import annotations

from typing import Self

from . import _check, registry
from ._check import Buffer
from ._key import Key, NotMade
from ._traceback import clean_traceback
from .registry import Backend


class KeyWrap(Key):
    """A key-encryption key. An object never changes, so threads may share it."""

    __slots__ = ()
    key_sizes = (16, 24, 32)

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)

    def wrap(self, data: Buffer) -> bytes:
        """KW: `data` is a multiple of 8 bytes, at least 16; 8 more are returned.
        Raises ValueError for other sizes."""
        raise NotMade

    def unwrap(self, data: Buffer) -> bytes:
        """Inverse of wrap: returns 8 bytes less. Raises InvalidTag for whatever wrap did not
        make."""
        raise NotMade

    def wrap_padded(self, data: Buffer) -> bytes:
        """KWP: 1 to 2^32 - 1 bytes; the next multiple of 8, and 8 more, are returned.
        Raises ValueError for other sizes."""
        raise NotMade

    def unwrap_padded(self, data: Buffer) -> bytes:
        """Inverse of wrap_padded: returns what it was given. Raises InvalidTag for whatever
        it did not make."""
        raise NotMade


def _wrapping(wrapping_key: Buffer, backend: str | Backend | None) -> KeyWrap:
    """The key whose size is named as the functions below name it."""
    return KeyWrap(_check.key(wrapping_key, KeyWrap.key_sizes, "wrapping_key"), backend=backend)


@clean_traceback
def aes_key_wrap(
    wrapping_key: Buffer, key_to_wrap: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Wraps a key (RFC 3394).

    wrapping_key  16, 24 or 32 bytes. key_to_wrap: a multiple of 8 bytes, at least 16.
    Returns 8 bytes more than key_to_wrap has. Raises ValueError for wrong sizes.
    """
    kek, data = _wrapping(wrapping_key, backend), _check.readable("key_to_wrap", key_to_wrap)
    if len(data) < 16 or len(data) % 8:
        raise ValueError(f"key_to_wrap must be a multiple of 8 bytes, at least 16, not {len(data)}")
    return kek.wrap(data)


@clean_traceback
def aes_key_unwrap(
    wrapping_key: Buffer, wrapped_key: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Inverse of aes_key_wrap. Raises InvalidTag for whatever it did not make."""
    return _wrapping(wrapping_key, backend).unwrap(_check.readable("wrapped_key", wrapped_key))


@clean_traceback
def aes_key_wrap_with_padding(
    wrapping_key: Buffer, key_to_wrap: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Wraps a key of 1 to 2^32 - 1 bytes (RFC 5649).

    Returns the next multiple of 8 bytes, and 8 more. Raises ValueError for wrong sizes.
    """
    kek, data = _wrapping(wrapping_key, backend), _check.readable("key_to_wrap", key_to_wrap)
    if not 1 <= len(data) < 2**32:
        raise ValueError(f"key_to_wrap must be 1 to 2^32 - 1 bytes, not {len(data)}")
    return kek.wrap_padded(data)


@clean_traceback
def aes_key_unwrap_with_padding(
    wrapping_key: Buffer, wrapped_key: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Inverse of aes_key_wrap_with_padding. Raises InvalidTag for whatever it did not
    make."""
    return _wrapping(wrapping_key, backend).unwrap_padded(
        _check.readable("wrapped_key", wrapped_key)
    )
