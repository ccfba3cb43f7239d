"""The contract between the faces and a pure-Python rung: what a rung supplies, and where
it is. Nothing here checks an argument: faces.py does, before it asks.

An engine is AES with one key. A sealer is an authenticated cipher with one key and one
length of its tags. `reference` has classes of its own for all of them; the other rungs have
an engine, over which modes/ writes the rest.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Raw(Protocol):
    """What a pure-Python backend puts behind rijn.AES: the raw modes and key wrapping with
    one key, arguments checked."""

    def __init__(self, key: bytes) -> None: ...
    def ecb_encrypt(self, data: bytes | memoryview) -> bytes: ...
    def ecb_decrypt(self, data: bytes | memoryview) -> bytes: ...
    def cbc_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def cbc_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def ctr(self, counter: bytes, data: bytes | memoryview) -> bytes: ...
    def ctr_of(self, counter: bytes, data: bytes | memoryview, width: int, byteorder: str) -> bytes:
        """CTR that counts in `width` bits: the last of the block, or, "little", the first."""

    def cfb_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def cfb_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def cfb8_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def cfb8_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def ofb(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def ige_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def ige_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def kw_wrap(self, data: bytes) -> bytes: ...
    def kw_unwrap(self, data: bytes) -> bytes | None:
        """None where the check value is wrong; so in kwp_unwrap."""

    def kwp_wrap(self, data: bytes) -> bytes: ...
    def kwp_unwrap(self, data: bytes) -> bytes | None: ...


class GCMEngine(Protocol):
    """What GCM is made of (NIST SP 800-38D)."""

    def encrypt_block(self, block: int) -> int:
        """One block, as a big-endian integer of 128 bits."""

    def ghash(self, y: int, data: bytes | memoryview) -> int:
        """GHASH of data, completed with zeros to whole blocks, from the state y (section 6.4)."""

    def gcm_piece(
        self, counter: int, y: int, data: bytes | memoryview, decrypting: bool
    ) -> tuple[bytes, int]:
        """Data XORed with the keystream from `counter` (section 6.5); and `ghash` of the
        ciphertext, from the state y."""


class Engine(Raw, GCMEngine, Protocol):
    """A backend over which rijn.pure.modes writes the rest."""

    def decrypt_block(self, block: int) -> int:
        """The inverse of encrypt_block."""

    def gcm_encrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The ciphertext and the whole tag."""

    def gcm_decrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The plaintext, and the whole tag that the ciphertext should have had."""


class Sealer(Protocol):
    """An authenticated cipher with one key and one length of its tags."""

    def encrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The ciphertext and the tag."""

    def decrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview, tag: bytes
    ) -> tuple[bytes, bytes]:
        """The plaintext, and the tag that the message should have had."""


if TYPE_CHECKING:
    from . import numba_table, numpy_planes, python, reference

    CHECKED: tuple[type[Engine], ...] = (
        python.Engine,
        numpy_planes.Engine,
        numba_table.Engine,
    )
    CHECKED_RAW: type[Raw] = reference.Engine


class SealerStream(Protocol):
    """A message in pieces."""

    def crypt(self, data: bytes | memoryview) -> bytes:
        """The next piece, whole blocks but for the last one: as many bytes."""

    def tag(self) -> bytes:
        """Ends the message: the tag that it has, or should have had."""


class OnlineSealer(Sealer, Protocol):
    """One that works in one pass."""

    def stream(self, nonce: bytes, ad: bytes | memoryview, opening: bool) -> SealerStream: ...


class AEGISSealer(OnlineSealer, Protocol):
    def keystream(self, nonce: bytes, size: int) -> bytes: ...


class SIV(Protocol):
    def encrypt(self, strings: Sequence[bytes], data: bytes | memoryview) -> tuple[bytes, bytes]:
        """The ciphertext and the tag."""

    def decrypt(
        self, strings: Sequence[bytes], data: bytes | memoryview, tag: bytes
    ) -> tuple[bytes, bytes]:
        """The plaintext, and the tag that the message should have had."""


class XTS(Protocol):
    def encrypt(self, tweak: bytes, data: bytes | memoryview) -> bytes: ...
    def decrypt(self, tweak: bytes, data: bytes | memoryview) -> bytes: ...


class MACState(Protocol):
    def update(self, data: bytes | memoryview) -> None: ...
    def finalize(self) -> bytes: ...
    def copy(self) -> Self: ...


class Family(NamedTuple):
    """Sealers and their like, made from keys: by public class."""

    sealers: Mapping[str, Callable[[bytes, int], Sealer]]
    """From (key, tag_length): every class of rijn.aead and rijn.aegis but AESSIV."""
    siv: Callable[[bytes], SIV]
    xts: Callable[[bytes], XTS]
    cmac: Callable[[bytes], MACState]
    aegis_mac: Mapping[str, Callable[[bytes, bytes, int], MACState]]
    """From (key, nonce, tag_length), by the name of the public AEAD class."""


# The module and class of each backend's engine.
ENGINES = {
    "python": ("python", "Engine"),
    "python-table": ("python", "TableEngine"),
    "python-bitslice": ("python", "BitsliceEngine"),
    "numpy": ("numpy_planes", "Engine"),
    "numba": ("numba_table", "Engine"),
    "reference": ("reference", "Engine"),
    "python, strict": ("python", "StrictEngine"),
}
STRICT = "python, strict"  # what stands behind `python` for a key with strict=True


@cache
def engine_class(backend: str) -> type[Raw]:
    module, name = ENGINES[backend]
    found: type[Raw] = getattr(import_module(f"rijn.pure.{module}"), name)
    return found


@cache
def family(backend: str) -> Family:
    """What a backend has beyond its engine."""
    if backend == "reference":
        from .reference import FAMILY

        return FAMILY
    from .modes.family import family_over

    return family_over(cast("type[Engine]", engine_class(backend)))
