"""What a rung has beyond its engine. Each module is imported for the first key that needs it;
AEGIS is the same for all rungs (rijn.pure.aegis)."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ... import mac
from ..contract import Family

if TYPE_CHECKING:
    from typing import Any

    from ..contract import Engine, MACState, Sealer

# The module and class of each public class that is made over an engine.
OVER_ENGINES = {
    "AESGCM": ("gcm", "GCM"),
    "AESGCMSIV": ("gcm_siv", "GCMSIV"),
    "XAES256GCM": ("xaes", "XAES256GCM"),
    "AESCCM": ("ccm", "CCM"),
    "AESOCB3": ("ocb3", "OCB3"),
    "AESEAX": ("eax", "EAX"),
}
AEGIS = [variant.__name__ for variant in mac.ALGORITHMS.values()]


def made(module: str, name: str, *arguments: Any) -> Any:
    return getattr(import_module(f"rijn.pure.modes.{module}"), name)(*arguments)


def aegis_sealer(name: str, key: bytes, tag_length: int) -> Sealer:
    from .. import aegis

    return aegis.SEALERS[name](key, tag_length)


def aegis_mac(name: str, key: bytes, nonce: bytes, tag_length: int) -> MACState:
    from .. import aegis

    return aegis.MACS[name](key, nonce, tag_length)


def family_over(engine: type[Engine]) -> Family:
    return Family(
        sealers={
            **{name: partial(made, *place, engine) for name, place in OVER_ENGINES.items()},
            **{name: partial(aegis_sealer, name) for name in AEGIS},
        },
        siv=partial(made, "siv", "SIV", engine),
        xts=partial(made, "xts", "XTS", engine),
        cmac=lambda key: made("cmac", "CMAC", engine(key)),
        aegis_mac={name: partial(aegis_mac, name) for name in AEGIS},
    )
