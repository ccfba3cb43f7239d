"""The AEADs of chunked encryption, by their names and key sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from .. import _check
from .._check import Buffer
from ..registry import Backend


class ChunkCipher(Protocol):
    """The methods of an AEAD that chunked encryption needs. rijn.aead.ChunkAEAD documents them."""

    @property
    def backend(self) -> str: ...

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer, /
    ) -> int: ...

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer, /
    ) -> int: ...


@dataclass(frozen=True, slots=True)
class Aead:
    """An AEAD with its name in the IANA registry "AEAD Algorithms" and a shorter name. Sizes in
    bytes.
    """

    name: str
    short: str
    key_size: int
    nonce_size: int
    tag_size: int
    cipher: Callable[[bytes, str | Backend | None], ChunkCipher]  # from (key, backend)

    def __reduce__(self) -> tuple[Callable[[str], Aead], tuple[str]]:
        """Pickles the name, because every Aead is in AEADS."""
        return named_aead, (self.name,)


def _maker(name: str) -> Callable[[bytes, str | Backend | None], ChunkCipher]:
    """Returns a function that makes objects of a public class, which it imports at the first call."""

    def make(key: bytes, backend: str | Backend | None) -> ChunkCipher:
        found: ChunkCipher = _aead_class(name)(key, backend=backend)
        return found

    return make


@cache
def _aead_class(name: str) -> Any:
    from .._aeads import aead_class

    return aead_class(name)


# The first AEAD of a key size is that size's default.
AEADS = {
    aead.name: aead
    for aead in (
        Aead("AEAD_AES_128_GCM", "aes-128-gcm", 16, 12, 16, _maker("AESGCM")),
        Aead("AEAD_AES_256_GCM", "aes-256-gcm", 32, 12, 16, _maker("AESGCM")),
        Aead("AEAD_AEGIS128L", "aegis-128l", 16, 16, 16, _maker("AEGIS128L")),
        Aead("AEAD_AEGIS128X2", "aegis-128x2", 16, 16, 16, _maker("AEGIS128X2")),
        Aead("AEAD_AEGIS128X4", "aegis-128x4", 16, 16, 16, _maker("AEGIS128X4")),
        Aead("AEAD_AEGIS256", "aegis-256", 32, 32, 16, _maker("AEGIS256")),
        Aead("AEAD_AEGIS256X2", "aegis-256x2", 32, 32, 16, _maker("AEGIS256X2")),
        Aead("AEAD_AEGIS256X4", "aegis-256x4", 32, 32, 16, _maker("AEGIS256X4")),
    )
}


def named_aead(name: str) -> Aead:
    """Returns the AEAD with a name of IANA or a short name.

    :param name: such as "AEAD_AES_128_GCM" or "aes-128-gcm".
    :raises ValueError: if the name is unknown.
    """
    _check.text("aead", name)
    for aead in AEADS.values():
        if name in (aead.name, aead.short):
            return aead
    known = [aead.short for aead in AEADS.values()]
    near = _check.near(name, known)
    raise ValueError(f"no AEAD is called {name!r}{near}; there are: {', '.join(known)}")


def find_aead(name: str | None, key_size: int) -> Aead:
    """Returns the AEAD for a key.

    :param name: IANA's name or the short one; None for the default of the key's size.
    :param key_size: bytes in the key.
    :raises ValueError: if the name is unknown, or the size does not fit.
    """
    key_size = _check.integer("key_size", key_size)
    if name is None:
        for aead in AEADS.values():
            if aead.key_size == key_size:
                return aead
        sizes = " or ".join(str(size) for size in sorted({a.key_size for a in AEADS.values()}))
        raise ValueError(f"key is {key_size} bytes; an AEAD takes {sizes}")
    aead = named_aead(name)
    if key_size != aead.key_size:
        raise ValueError(f"key is {key_size} bytes; {aead.name} takes {aead.key_size}")
    return aead
