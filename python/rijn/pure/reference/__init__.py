"""The standards read aloud: the oracle of every other rung.

Each function has its standard's name (in its spelling) and cites its clause. Nothing here is
typed in that a standard derives, nothing is done for speed, and nothing is shared with another
rung, so that a mistake cannot be shared either.

aes.py         FIPS 197
modes.py       the modes of SP 800-38A
aead.py        authenticated encryption: SP 800-38D

Not constant time: branches and table look-ups depend on the key and the data.
"""

from __future__ import annotations

from typing import NamedTuple

from .aead import GCM
from .modes import Modes


class Family(NamedTuple):
    """rijn.pure.faces.Family, read aloud."""

    sealers: dict[str, type[GCM]]


FAMILY = Family(sealers={"AESGCM": GCM})

Engine = Modes
