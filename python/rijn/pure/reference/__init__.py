"""The standards, step by step: the reference for tests of every other backend.

Each function has its standard's name (in its spelling) and cites its clause. Values that a standard
derives are computed here, not typed in. Nothing is optimized, except that products of bytes are
cached. Nothing is shared with another backend, so no mistake can be shared either.

aes.py         FIPS 197
modes.py       SP 800-38A, -38B and -38F, XTS-AES and IGE
aead.py        GCM, XAES-256-GCM, GCM-SIV, SIV, CCM, OCB3, EAX
aegis.py       AEGIS, all six variants, and AEGISMAC
pieces.py      messages in pieces, which are collected

Not constant time: branches and table look-ups depend on the key and the data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .aead import CCM, EAX, GCM, GCM_SIV, OCB3, SIV, XAES256GCM
from .aegis import AEGIS, VARIANTS
from .modes import XTS, Modes
from .pieces import Collected, Online

SEALERS: dict[str, Callable[[bytes, int], Online | GCM_SIV | CCM]] = {
    "AESGCM": GCM,
    "XAES256GCM": XAES256GCM,
    "AESGCMSIV": GCM_SIV,
    "AESCCM": CCM,
    "AESOCB3": OCB3,
    "AESEAX": EAX,
    **VARIANTS,
}


class ReferenceBackend:
    """See contract.PureBackend."""

    __slots__ = ()

    def engine(self, key: bytes) -> Modes:
        return Modes(key)

    def sealer(self, name: str, key: bytes, tag_length: int) -> Online | GCM_SIV | CCM:
        return SEALERS[name](key, tag_length)

    def siv(self, key: bytes) -> SIV:
        return SIV(key)

    def xts(self, key: bytes) -> XTS:
        return XTS(key)

    def cmac(self, key: bytes) -> Collected:
        return Collected(Modes(key).cmac)

    def aegis_mac(self, name: str, key: bytes, nonce: bytes, tag_length: int) -> Collected:
        aegis: AEGIS = VARIANTS[name](key, tag_length)
        return Collected(partial(aegis.mac, nonce))
