"""The classes of rijn.wrap on the Python backends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from ... import _check, wrap
from ..._traceback import clean_traceback
from ...errors import InvalidTag
from ..backends import pure_backend

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ..contract import Raw


class KeyWrap(wrap.KeyWrap):
    __slots__ = ("_backend", "_engine")
    _backend: str
    _engine: Raw

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._engine = pure_backend(backend).engine(_check.key(key))
        return self

    @property
    def backend(self) -> str:
        return self._backend

    @clean_traceback
    def wrap(self, data: Buffer) -> bytes:
        view = bytes(_check.readable("data", data))
        if len(view) < 16 or len(view) % 8:
            raise ValueError(f"data must be a multiple of 8 bytes, at least 16, not {len(view)}")
        return self._engine.kw_wrap(view)

    @clean_traceback
    def unwrap(self, data: Buffer) -> bytes:
        view = bytes(_check.readable("data", data))
        key = self._engine.kw_unwrap(view) if len(view) >= 24 and len(view) % 8 == 0 else None
        if key is None:
            raise InvalidTag
        return key

    @clean_traceback
    def wrap_padded(self, data: Buffer) -> bytes:
        view = bytes(_check.readable("data", data))
        if not 1 <= len(view) < 2**32:
            raise ValueError(f"data must be 1 to 2^32 - 1 bytes, not {len(view)}")
        return self._engine.kwp_wrap(view)

    @clean_traceback
    def unwrap_padded(self, data: Buffer) -> bytes:
        view = bytes(_check.readable("data", data))
        key = self._engine.kwp_unwrap(view) if len(view) >= 16 and len(view) % 8 == 0 else None
        if key is None:
            raise InvalidTag
        return key
