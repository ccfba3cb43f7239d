"""The classes of rijn.mac on the Python backends."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Self

from ... import _check, mac
from ...errors import InvalidTag
from ..backends import pure_backend
from .turn import take_state

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ..contract import MACState


# The methods of CMAC and AEGISMAC.
class MAC(mac.MAC):
    __slots__ = ("_backend", "_state")
    _backend: str
    _state: list[MACState]

    @property
    def backend(self) -> str:
        return self._backend

    def update(self, data: Buffer, /) -> None:
        view = _check.readable("data", data)
        state = take_state(self._state)
        try:
            state.update(view)
        finally:
            self._state.append(state)

    def finalize(self) -> bytes:
        return take_state(self._state).finalize()

    def verify(self, tag: Buffer, /) -> None:
        given = bytes(_check.readable("tag", tag))
        if not compare_digest(self.finalize(), given):
            raise InvalidTag

    def copy(self) -> Self:
        state = take_state(self._state)
        other = object.__new__(type(self))
        other._backend = self._backend
        other._state = [state.copy()]
        self._state.append(state)
        return other


class CMAC(MAC, mac.CMAC):
    __slots__ = ()

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._state = [pure_backend(backend).cmac(_check.key(key))]
        return self


class AEGISMAC(MAC, mac.AEGISMAC):
    __slots__ = ()

    def __new__(
        cls, key: Buffer, backend: str, nonce: Buffer, algorithm: str, tag_length: int
    ) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        variant = mac.variant(algorithm)
        self._state = [
            pure_backend(backend).aegis_mac(
                variant.__name__,
                _check.key(key, variant.key_sizes),
                _check.nonce(nonce, variant.nonce_sizes),
                tag_length,
            )
        ]
        return self
