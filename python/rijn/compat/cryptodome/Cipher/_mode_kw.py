"""Key wrap (RFC 3394)."""

from __future__ import annotations

from typing import Any

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....errors import InvalidTag
from ....incremental import OneAtATime
from ....wrap import KeyWrap
from ..._turns import in_turn
from ._mode import Mode, backend_option, checked_key

__all__ = ["KWMode"]


class WrapMode(Mode):
    """A cipher that wraps or unwraps one key."""

    @clean_traceback
    def __init__(self, key: Buffer, **options: Any) -> None:
        OneAtATime.__init__(self)
        backend = backend_option(options)
        self._wrap = KeyWrap(checked_key(key), backend=backend)
        self._backend = self._wrap.backend
        self._done = False

    def _checked(self, name: str, data: Buffer, least: int) -> bytes | memoryview:
        """Returns the bytes of an argument, which must be a multiple of 8 and at least `least`."""
        if self._done:
            raise ValueError("The cipher cannot be used more than once")
        view = _check.readable(name, data)
        if len(view) % 8 or len(view) < least:
            raise ValueError(
                f"The {name} must be a multiple of 8 bytes, at least {least}, not {len(view)}"
            )
        return view


class KWMode(WrapMode):
    """Key wrap (KW).

    :param key: 16, 24 or 32 bytes.
    """

    @in_turn
    def seal(self, plaintext: Buffer) -> bytes:
        """Wraps a key.

        :param plaintext: a multiple of 8 bytes, at least 16.
        :returns: 8 bytes more.
        :raises ValueError: if it has another size, or the object has been used.
        """
        sealed = self._wrap.wrap(self._checked("plaintext", plaintext, BLOCK))
        self._done = True
        return sealed

    @in_turn
    @clean_traceback
    def unseal(self, ciphertext: Buffer) -> bytes:
        """Unwraps: the inverse of `seal`.

        :param ciphertext: a multiple of 8 bytes, at least 24.
        :returns: 8 bytes less.
        :raises ValueError: unless `seal` made it with this key, or if the object has been used.
        """
        view = self._checked("ciphertext", ciphertext, BLOCK + 8)
        try:
            opened = self._wrap.unwrap(view)
        except InvalidTag:
            raise ValueError("Incorrect integrity check value") from None
        self._done = True
        return opened
