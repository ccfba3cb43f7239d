"""The modes that are written once over an engine: a pure-Python rung that knows AES with
one key in ECB, CBC, CTR and GCM.

raw.py         CFB, OFB, IGE, CTR with other counters, and key wrapping: a mixin of engines
gcm.py …       the authenticated ciphers, made from (engine class, key, tag length)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..faces import Family
from .gcm import GCM

if TYPE_CHECKING:
    from typing import Any

    from ..faces import Engine


def missing(*_: Any) -> Any:
    raise NotImplementedError


def family_over(engine: type[Engine]) -> Family:
    return Family(
        sealers={"AESGCM": partial(GCM, engine)},
        siv=missing,
        xts=missing,
        cmac=missing,
        aegis_mac={},
    )
