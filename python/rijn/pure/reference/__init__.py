"""The standards read aloud: the oracle of every other rung.

Each function has its standard's name (in its spelling) and cites its clause. Nothing here is
typed in that a standard derives, nothing is done for speed (but that products of bytes are
remembered), and nothing is shared with another rung, so that a mistake cannot be shared either.

aes.py         FIPS 197
modes.py       SP 800-38A, -38B and -38F, XTS-AES and IGE
aead.py        GCM, XAES-256-GCM, GCM-SIV, SIV, CCM, OCB3, EAX

Not constant time: branches and table look-ups depend on the key and the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .aead import AEAD, CCM, EAX, GCM, GCM_SIV, OCB3, SIV, XAES256GCM
from .modes import CMAC, XTS, Modes

if TYPE_CHECKING:
    from ..faces import MACState


class Family(NamedTuple):
    """rijn.pure.faces.Family, read aloud."""

    sealers: dict[str, Callable[[bytes, int], AEAD]]
    siv: Callable[[bytes], SIV]
    xts: Callable[[bytes], XTS]
    cmac: Callable[[bytes], CMAC]
    aegis_mac: dict[str, Callable[[bytes, bytes, int], MACState]]


FAMILY = Family(
    sealers={
        "AESGCM": GCM,
        "XAES256GCM": XAES256GCM,
        "AESGCMSIV": GCM_SIV,
        "AESCCM": CCM,
        "AESOCB3": OCB3,
        "AESEAX": EAX,
    },
    siv=SIV,
    xts=XTS,
    cmac=CMAC,
    aegis_mac={},
)

Engine = Modes
