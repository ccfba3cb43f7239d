"""The formats of a sealed column: what a row looks like, and which keys seal it.

    format        a row                                        key, bytes    longer by
    xaes          nonce[24] || ciphertext || tag[16]           32            40
    gcm-siv       nonce[12] || ciphertext || tag[16]           16, 32        28
    aegis-256     nonce[32] || ciphertext || tag[16]           32            48
    aegis-128l    nonce[16] || ciphertext || tag[16]           16            32
    siv           tag[16] || ciphertext                        32, 48, 64    16
    spark         nonce[12] || ciphertext || tag[16]           16, 24, 32    28
    tink          01 || key id[4] || what the key's type says: nonce[12] || ciphertext || tag[16]
                  of AES-GCM, nonce[24] || ciphertext || tag[16] of XAES-256-GCM, tag[16] ||
                  ciphertext of AES-SIV; without the first five bytes of a RAW key

No row of the others names its key. It is tried under the primary key, and what does not open, under
the older ones, one after the other: rows of the primary key cost nothing for those, and no
byte of any row says which rows share a key. n keys give a forger n chances where there was one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import aead, aegis
from .._check import text


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An AEAD as keysets name it."""

    name: str
    cls: Any  # the public class
    type_url: str  # in a keyset's JSON
    key_field: int  # the key's number in the protocol buffer that `value` is
    params: bytes  # what stands before the key there
    drawn: int  # bytes in keys that are made here
    deterministic: bool = False


_TINK = "type.googleapis.com/google.crypto.tink."
GCM = Algorithm("AES-GCM", aead.AESGCM, _TINK + "AesGcmKey", 3, b"", 32)
# params (2) is a message whose salt_size (1) is 12: the 24 bytes of nonce that C2SP has
XAES = Algorithm("XAES-256-GCM", aead.XAES256GCM, _TINK + "XAesGcmKey", 3, b"\x12\x02\x08\x0c", 32)
SIV = Algorithm("AES-SIV", aead.AESSIV, _TINK + "AesSivKey", 2, b"", 64, deterministic=True)
GCM_SIV = Algorithm("AES-GCM-SIV", aead.AESGCMSIV, _TINK + "AesGcmSivKey", 3, b"", 32)
# Tink has no AEGIS: these are Rijn's own, of the shape of AesGcmKey.
AEGIS_256 = Algorithm("AEGIS-256", aegis.AEGIS256, "rijn/Aegis256Key", 3, b"", 32)
AEGIS_128L = Algorithm("AEGIS-128L", aegis.AEGIS128L, "rijn/Aegis128LKey", 3, b"", 16)
ALGORITHMS = (GCM, XAES, SIV, GCM_SIV, AEGIS_256, AEGIS_128L)


@dataclass(frozen=True, slots=True)
class Format:
    """How the rows of a column are sealed."""

    name: str
    algorithms: tuple[Algorithm, ...]  # of its keys; what a new key is for comes first
    framed: bool = True
    """Whether a context is asked for. If not, the other side frames no associated data."""
    prefixed: bool = False
    """Whether rows begin with what names their key."""


FORMATS = {
    it.name: it
    for it in (
        Format("xaes", (XAES,)),
        Format("gcm-siv", (GCM_SIV,)),
        Format("aegis-256", (AEGIS_256,)),
        Format("aegis-128l", (AEGIS_128L,)),
        Format("siv", (SIV,)),
        Format("spark", (GCM,), framed=False),
        Format("tink", (GCM, XAES, SIV), framed=False, prefixed=True),
    )
}


def named(name: str) -> Format:
    """The format of that name. ValueError, TypeError."""
    if text("format", name) not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {name!r}")
    return FORMATS[name]
