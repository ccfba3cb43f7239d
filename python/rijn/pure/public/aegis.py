"""The classes of rijn.aegis on the Python backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _check, aegis
from .aead import ChunkAEAD

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ..contract import KeystreamSealer


class AEGIS(ChunkAEAD, aegis.AEGIS):
    __slots__ = ()
    _sealer: KeystreamSealer

    def unauthenticated_keystream(self, nonce: Buffer, size: int) -> bytes:
        number = _check.nonce(nonce, self.nonce_sizes)
        return self._sealer.keystream(number, _check.unsigned("size", size))


class AEGIS128L(AEGIS, aegis.AEGIS128L):
    __slots__ = ()


class AEGIS128X2(AEGIS, aegis.AEGIS128X2):
    __slots__ = ()


class AEGIS128X4(AEGIS, aegis.AEGIS128X4):
    __slots__ = ()


class AEGIS256(AEGIS, aegis.AEGIS256):
    __slots__ = ()


class AEGIS256X2(AEGIS, aegis.AEGIS256X2):
    __slots__ = ()


class AEGIS256X4(AEGIS, aegis.AEGIS256X4):
    __slots__ = ()
