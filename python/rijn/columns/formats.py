"""The formats of a sealed column: what a row looks like, and which keys seal it.
vectors/columns.def lists them, and docs/columns.md has a table.

    xaes and most  nonce || ciphertext || tag
    siv            tag || ciphertext
    tink           01 || key id[4] || nonce || ciphertext || tag; of AES-SIV 01 || key id[4] ||
                   tag || ciphertext. Without the first five bytes of a RAW key

No row of the others names its key. It is tried under the primary key, and what does not open, under
the older ones, one after the other: rows of the primary key cost nothing for those, and no
byte of any row says which rows share a key. n keys give a forger n chances where there was one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._aeads import aead_class
from .._check import text
from .._listed import listed


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An AEAD as keysets name it."""

    name: str
    cls: Any  # the public class
    type_url: str  # in a keyset's JSON
    key_field: int  # the key's number in the protocol buffer that `value` is
    params: bytes  # what stands before the key there
    drawn: int  # bytes in keys that are made here

    @property
    def deterministic(self) -> bool:
        """Whether its rows have no nonce."""
        return not hasattr(self.cls, "drawn_nonce_size")


def _algorithm(name: str, cls: str, url: str, field: str, salt: str, drawn: str) -> Algorithm:
    value = salt.encode().decode("unicode_escape").encode("latin-1")
    params = bytes((0x12, len(value))) + value if value else b""
    return Algorithm(name, aead_class(cls), url, int(field), params, int(drawn))


_FOUND = {
    id: _algorithm(*cells)
    for id, *cells in listed("columns.def", "vectors", "RIJN_COLUMN_ALGORITHM")
}
ALGORITHMS = tuple(_FOUND.values())
GCM, XAES, SIV = (_FOUND[id] for id in ("GCM", "XAES", "SIV"))


@dataclass(frozen=True, slots=True)
class Format:
    """How the rows of a column are sealed."""

    name: str
    algorithms: tuple[Algorithm, ...]  # of its keys; what a new key is for comes first
    framed: bool
    """Whether a context is asked for. If not, the other side frames no associated data."""
    prefixed: bool
    """Whether rows begin with what names their key."""


FORMATS = {
    name: Format(
        name,
        tuple(_FOUND[it.removeprefix("ALGORITHM(").removesuffix(")")] for it in ids),
        context == "true",
        prefix == "true",
    )
    for name, _, context, prefix, *ids in listed("columns.def", "vectors", "RIJN_COLUMN_FORMAT")
}


def named(name: str) -> Format:
    """The format of that name. ValueError, TypeError."""
    if text("format", name) not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {name!r}")
    return FORMATS[name]
