"""The modes that are written once over an engine: a pure-Python rung that knows AES with
one key in ECB, CBC, CTR and GCM.

raw.py         CFB, OFB, IGE, CTR with other counters, and key wrapping: a mixin of engines
gcm.py …       the authenticated ciphers, made from (engine class, key, tag length)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .gcm import GCM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..faces import Engine, Sealer


class Family(NamedTuple):
    """rijn.pure.faces.Family over an engine."""

    sealers: Mapping[str, Callable[[bytes, int], Sealer]]


def family_over(engine: type[Engine]) -> Family:
    return Family(sealers={"AESGCM": partial(GCM, engine)})
