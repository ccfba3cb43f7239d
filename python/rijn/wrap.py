"""Key wrap: KW and KWP (NIST SP 800-38F; RFC 3394 and RFC 5649)."""

from __future__ import annotations

from typing import Self

from . import _check, registry
from ._check import Buffer
from ._key import Key, NotMade
from ._traceback import clean_traceback
from .registry import Backend


class KeyWrap(Key):
    """A key that encrypts keys. An object never changes, so threads may share it."""

    __slots__ = ()
    key_sizes = (16, 24, 32)

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)

    def wrap(self, data: Buffer) -> bytes:
        """Wraps with KW (RFC 3394).

        :param data: a multiple of 8 bytes, at least 16.
        :returns: len(data) + 8 bytes.
        :raises ValueError: if `data` has another size.
        """
        raise NotMade

    def unwrap(self, data: Buffer) -> bytes:
        """Unwraps: the inverse of `wrap`.

        :param data: the wrapped key.
        :returns: len(data) - 8 bytes.
        :raises InvalidTag: unless `wrap` made `data` with this key.
        """
        raise NotMade

    def wrap_padded(self, data: Buffer) -> bytes:
        """Wraps with KWP (RFC 5649).

        :param data: 1 to 2^32 - 1 bytes.
        :returns: len(data) rounded up to a multiple of 8, and 8 more bytes.
        :raises ValueError: if `data` has another size.
        """
        raise NotMade

    def unwrap_padded(self, data: Buffer) -> bytes:
        """Unwraps: the inverse of `wrap_padded`.

        :param data: the wrapped key.
        :returns: the key that was wrapped.
        :raises InvalidTag: unless `wrap_padded` made `data` with this key.
        """
        raise NotMade


def _wrapping(wrapping_key: Buffer, backend: str | Backend | None) -> KeyWrap:
    """Returns the wrapping key. An error calls it "wrapping_key", as the functions below do."""
    return KeyWrap(_check.key(wrapping_key, KeyWrap.key_sizes, "wrapping_key"), backend=backend)


@clean_traceback
def aes_key_wrap(
    wrapping_key: Buffer, key_to_wrap: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Wraps a key (KW: RFC 3394).

    :param wrapping_key: 16, 24 or 32 bytes.
    :param key_to_wrap: a multiple of 8 bytes, at least 16.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :returns: len(key_to_wrap) + 8 bytes.
    :raises ValueError: if a key has another size.
    """
    kek, data = _wrapping(wrapping_key, backend), _check.readable("key_to_wrap", key_to_wrap)
    if len(data) < 16 or len(data) % 8:
        raise ValueError(f"key_to_wrap must be a multiple of 8 bytes, at least 16, not {len(data)}")
    return kek.wrap(data)


@clean_traceback
def aes_key_unwrap(
    wrapping_key: Buffer, wrapped_key: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Unwraps a key: the inverse of `aes_key_wrap`.

    :param wrapping_key: as for `aes_key_wrap`.
    :param wrapped_key: the result of `aes_key_wrap`.
    :param backend: as for `aes_key_wrap`.
    :returns: the key that was wrapped: len(wrapped_key) - 8 bytes.
    :raises InvalidTag: unless `aes_key_wrap` made `wrapped_key` with this key.
    :raises ValueError: if `wrapping_key` has another size.
    """
    return _wrapping(wrapping_key, backend).unwrap(_check.readable("wrapped_key", wrapped_key))


@clean_traceback
def aes_key_wrap_with_padding(
    wrapping_key: Buffer, key_to_wrap: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Wraps a key of almost any size (KWP: RFC 5649).

    :param wrapping_key: 16, 24 or 32 bytes.
    :param key_to_wrap: 1 to 2^32 - 1 bytes.
    :param backend: as for `aes_key_wrap`.
    :returns: len(key_to_wrap) rounded up to a multiple of 8, and 8 more bytes.
    :raises ValueError: if a key has another size.
    """
    kek, data = _wrapping(wrapping_key, backend), _check.readable("key_to_wrap", key_to_wrap)
    if not 1 <= len(data) < 2**32:
        raise ValueError(f"key_to_wrap must be 1 to 2^32 - 1 bytes, not {len(data)}")
    return kek.wrap_padded(data)


@clean_traceback
def aes_key_unwrap_with_padding(
    wrapping_key: Buffer, wrapped_key: Buffer, *, backend: str | Backend | None = None
) -> bytes:
    """Unwraps a key: the inverse of `aes_key_wrap_with_padding`.

    :param wrapping_key: as for `aes_key_wrap`.
    :param wrapped_key: the result of `aes_key_wrap_with_padding`.
    :param backend: as for `aes_key_wrap`.
    :returns: the key that was wrapped.
    :raises InvalidTag: unless `aes_key_wrap_with_padding` made `wrapped_key` with this key.
    :raises ValueError: if `wrapping_key` has another size.
    """
    return _wrapping(wrapping_key, backend).unwrap_padded(
        _check.readable("wrapped_key", wrapped_key)
    )
