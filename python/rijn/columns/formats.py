"""The formats of an encrypted column: the layout of a row, and the algorithms of its keys.
vectors/columns.def lists them, and docs/columns.md has a table.

    xaes and most  nonce || ciphertext || tag
    siv            tag || ciphertext
    tink           01 || key id[4] || nonce || ciphertext || tag; with AES-SIV 01 || key id[4] ||
                   tag || ciphertext. A RAW key has no first five bytes

In all formats but tink, rows do not name their key. Each row is tried with the primary key, and a
row that does not open, with the older keys in turn. So rows of the primary key open at full speed,
and no byte of a row reveals which rows share a key. With n keys, a forger has n chances instead of
one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._aeads import aead_class
from .._check import text
from .._listed import listed


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An AEAD, with its name in keysets."""

    name: str
    cls: Any  # the public class
    type_url: str  # in a keyset's JSON
    key_field: int  # the key's number in the protocol buffer that `value` is
    params: bytes  # the bytes before the key in `value`
    drawn: int  # bytes in new keys

    @property
    def deterministic(self) -> bool:
        """True if its rows have no nonce."""
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
    """The format of a column's encrypted rows."""

    name: str
    algorithms: tuple[Algorithm, ...]  # of its keys; new keys are for the first one
    framed: bool
    """True if a context is required. If not, the other side does not frame associated data."""
    prefixed: bool
    """True if rows begin with the name of their key."""


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
    """Returns the format of that name. Raises ValueError and TypeError."""
    if text("format", name) not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {name!r}")
    return FORMATS[name]
