"""What a rung has beyond its engine. AEGIS is the same for all of them (rijn.pure.aegis)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .. import aegis
from ..faces import Family
from .ccm import CCM
from .cmac import CMAC
from .eax import EAX
from .gcm import GCM
from .gcm_siv import GCMSIV
from .ocb3 import OCB3
from .siv import SIV
from .xaes import XAES256GCM
from .xts import XTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..faces import Engine, Sealer

SEALERS: Mapping[str, Callable[[type[Engine], bytes, int], Sealer]] = {
    "AESGCM": GCM,
    "AESGCMSIV": GCMSIV,
    "XAES256GCM": XAES256GCM,
    "AESCCM": CCM,
    "AESOCB3": OCB3,
    "AESEAX": EAX,
}


def family_over(engine: type[Engine]) -> Family:
    return Family(
        sealers={**{name: partial(SEALERS[name], engine) for name in SEALERS}, **aegis.SEALERS},
        siv=partial(SIV, engine),
        xts=partial(XTS, engine),
        cmac=lambda key: CMAC(engine(key)),
        aegis_mac=aegis.MACS,
    )
