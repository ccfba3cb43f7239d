"""Protocols between the modules. Nothing here checks an argument: the public classes do that
before.

An engine is AES with one key, and the modes use it. A layout processes many blocks for an engine. A
sealer is an authenticated cipher with one key and one tag length. A backend makes all of them from
keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BytesIO

    from .blocks import Bytes


# ---- AES with one key -----------------------------------------------------------------


class Layout(Protocol):
    """AES with one key on the numbers of blocks for which a layout of the state is made. It appends
    to an output.
    """

    def encrypt(self, blocks: bytes, output: BytesIO) -> None: ...

    def decrypt(self, blocks: bytes, output: BytesIO, onto: bytes = b"") -> None:
        """XORs the result with `onto`, if given, which has the same length."""

    def counter_mode(self, counter: int, bits: int, data: bytes, output: BytesIO) -> None:
        """Writes data XORed with the keystream from `counter`. The counter's low `bits` bits count
        and wrap.
        """


class Raw(Protocol):
    """The implementation of rijn.AES and key wrapping, with checked arguments.

    Keys have 16, 24 or 32 bytes. ECB, CBC and IGE get whole blocks. An IV or counter has 16 bytes,
    32 for IGE.
    """

    def ecb_encrypt(self, data: Bytes) -> bytes: ...
    def ecb_decrypt(self, data: Bytes) -> bytes: ...
    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def ctr(self, counter: bytes, data: Bytes) -> bytes: ...
    def ctr_of(self, counter: bytes, data: Bytes, width: int, byteorder: str) -> bytes:
        """CTR whose counter is the last `width` bits of the block or, with "little", the first."""

    def cfb_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cfb_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cfb8_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cfb8_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def ofb(self, iv: bytes, data: Bytes) -> bytes: ...
    def ige_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def ige_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def kw_wrap(self, data: bytes) -> bytes: ...
    def kw_unwrap(self, data: bytes) -> bytes | None:
        """Returns None if the check value is wrong, as kwp_unwrap does."""

    def kwp_wrap(self, data: bytes) -> bytes: ...
    def kwp_unwrap(self, data: bytes) -> bytes | None: ...


class Engine(Raw, Protocol):
    """The engine that the modes use.

    modes/raw.py implements most of Raw. An engine adds single blocks, ECB, CBC, CTR and the two
    operations of GCM. It may also have `gcm_short`, a ShortGCM, if that is faster for short
    messages.
    """

    def encrypt_block(self, block: int) -> int:
        """Encrypts one block, a big-endian integer of 128 bits (FIPS 197 section 5.1)."""

    def decrypt_block(self, block: int) -> int:
        """Decrypts one block: the inverse of encrypt_block."""

    def ghash(self, y: int, data: Bytes) -> int:
        """Returns GHASH of data, padded with zeros to whole blocks, from the state y (SP 800-38D
        section 6.4).
        """

    def gcm_piece(self, counter: int, y: int, data: Bytes, decrypting: bool) -> tuple[bytes, int]:
        """Returns data XORed with the keystream from `counter` (section 6.5), and `ghash` of the
        ciphertext from the state y.
        """


class ShortGCM(Protocol):
    """An engine's optional method `gcm_short`: a faster way for short messages."""

    def __call__(
        self, j0: int, data: Bytes, ad: Bytes, decrypting: bool, /
    ) -> tuple[bytes, bytes] | None:
        """Returns the result and the whole tag of the message whose pre-counter block is j0.
        Returns None if the message is not short.
        """


# ---- Messages -------------------------------------------------------------------------


class MessageSealer(Protocol):
    """An authenticated cipher with one key and one tag length."""

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """Returns the ciphertext and the tag."""

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Returns the plaintext and the correct tag of the message.

        The caller compares the tags, and must not return the plaintext before.
        """


class MessageStream(Protocol):
    """A message in pieces."""

    def crypt(self, data: Bytes) -> bytes:
        """Returns the next piece, as long as `data`. Pieces of OCB3 are whole blocks, except the
        last one.
        """

    def tag(self) -> bytes:
        """Ends the message. Returns its correct tag."""


class OnlineSealer(MessageSealer, Protocol):
    """A cipher that needs one pass."""

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> MessageStream: ...


class KeystreamSealer(OnlineSealer, Protocol):
    """AEGIS."""

    def keystream(self, nonce: bytes, size: int) -> bytes: ...


class StringSealer(Protocol):
    """SIV."""

    def encrypt(self, strings: Sequence[bytes], data: Bytes) -> tuple[bytes, bytes]:
        """Returns the ciphertext and the tag."""

    def decrypt(self, strings: Sequence[bytes], data: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Returns the plaintext and the correct tag of the message."""


class SectorCipher(Protocol):
    """XTS."""

    def encrypt(self, tweak: bytes, data: Bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, data: Bytes) -> bytes: ...


class MACState(Protocol):
    """A message that is authenticated and not encrypted, in pieces of any size."""

    def update(self, data: Bytes) -> None: ...
    def finalize(self) -> bytes: ...
    def copy(self) -> Self: ...


# ---- A backend ---------------------------------------------------------------------------


class PureBackend(Protocol):
    """A backend: makes the implementation of each public class from a key.

    Any thread may call any method. A method imports the modules that it needs.
    """

    def engine(self, key: bytes) -> Raw:
        """For AES and KeyWrap."""

    def sealer(self, name: str, key: bytes, tag_length: int) -> MessageSealer:
        """For the classes of rijn.aead and rijn.aegis, by name, except AESSIV."""

    def siv(self, key: bytes) -> StringSealer:
        """For AESSIV."""

    def xts(self, key: bytes) -> SectorCipher:
        """For AESXTS."""

    def cmac(self, key: bytes) -> MACState:
        """For CMAC."""

    def aegis_mac(self, name: str, key: bytes, nonce: bytes, tag_length: int) -> MACState:
        """For AEGISMAC, by the name of the AEAD class."""
