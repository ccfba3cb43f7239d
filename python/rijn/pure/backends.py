"""Lists the Python backends and makes their parts. It is the only module that knows all others."""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .contract import (
        Engine,
        MACState,
        MessageSealer,
        PureBackend,
        SectorCipher,
        StringSealer,
    )
    from .modes.cmac import CMACState

# The module and class of each backend's engine.
ENGINES = {
    "python": ("python", "PythonEngine"),
    "python-table": ("python", "TableEngine"),
    "python-bitslice": ("python", "BitsliceEngine"),
    "numpy": ("numpy_engine", "NumpyEngine"),
    "numba": ("numba_engine", "NumbaEngine"),
}
# The backend that uses none of the other modules.
REFERENCE = "reference"

# The module and class in modes/ for each public class that uses an engine. Their arguments are a
# function from keys to engines, the key, and tag_length.
SEALERS = {
    "AESGCM": ("gcm", "GCM"),
    "AESGCMSIV": ("gcm_siv", "GCMSIV"),
    "XAES256GCM": ("xaes", "XAES"),
    "AESCCM": ("ccm", "CCM"),
    "AESOCB3": ("ocb3", "OCB3"),
    "AESEAX": ("eax", "EAX"),
}


class EngineBackend:
    """A backend that uses an engine: modes/, and AEGIS, which needs none. It imports a module for
    the first key that needs it.
    """

    __slots__ = ("_sealers", "engine")

    def __init__(self, engine: Callable[[bytes], Engine]) -> None:
        self.engine = engine
        self._sealers: dict[str, Callable[[bytes, int], MessageSealer]] = {}

    def sealer(self, name: str, key: bytes, tag_length: int) -> MessageSealer:
        make = self._sealers.get(name) or self._imported(name)
        return make(key, tag_length)

    def _imported(self, name: str) -> Callable[[bytes, int], MessageSealer]:
        make: Callable[[bytes, int], MessageSealer]
        if name in SEALERS:
            module, cls = SEALERS[name]
            make = partial(getattr(import_module(f"rijn.pure.modes.{module}"), cls), self.engine)
        else:
            from .aegis import AEGISSealer

            make = partial(AEGISSealer, name)
        self._sealers[name] = make
        return make

    def siv(self, key: bytes) -> StringSealer:
        from .modes.siv import SIV

        return SIV(self.engine, key)

    def xts(self, key: bytes) -> SectorCipher:
        from .modes.xts import XTS

        return XTS(self.engine, key)

    def cmac(self, key: bytes) -> CMACState:
        from .modes.cmac import CMACState

        return CMACState(self.engine(key))

    def aegis_mac(self, name: str, key: bytes, nonce: bytes, tag_length: int) -> MACState:
        from .aegis import AEGISMACState

        return AEGISMACState(name, key, nonce, tag_length)


@cache
def pure_backend(backend: str, strict: bool = False) -> PureBackend:
    """Returns the implementation of a backend. With `strict`, no choice of its engine depends on
    the key or the data; only the engines of `python` have this.
    """
    if backend == REFERENCE:
        from .reference import ReferenceBackend

        return ReferenceBackend()
    module, name = ENGINES[backend]
    engine: Callable[..., Engine] = getattr(import_module(f"rijn.pure.{module}"), name)
    return EngineBackend(partial(engine, strict=True) if strict else engine)


if TYPE_CHECKING:
    from . import numba_engine, numpy_engine, python, reference

    CHECKED: tuple[Callable[[bytes], Engine], ...] = (
        python.PythonEngine,
        numpy_engine.NumpyEngine,
        numba_engine.NumbaEngine,
    )
    CHECKED_BACKENDS: tuple[type[PureBackend], ...] = (EngineBackend, reference.ReferenceBackend)
