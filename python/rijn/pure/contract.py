"""What the modules ask of one another: protocols alone. Nothing here checks an argument: the
public classes do, before they ask.

An engine is AES with one key: the modes are written over it. A layout is what an engine puts
many blocks through. What seals messages is an authenticated cipher with one key and one length
of its tags. A backend makes all of them from keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BytesIO

    from .blocks import Bytes


# ---- AES with one key -----------------------------------------------------------------


class Layout(Protocol):
    """AES with one key on the blocks that one layout of the state is made for, onto the end
    of an output."""

    def encrypt(self, blocks: bytes, output: BytesIO) -> None: ...

    def decrypt(self, blocks: bytes, output: BytesIO, onto: bytes = b"") -> None:
        """With `onto`, of the same length, the result is XORed with that."""

    def counter_mode(self, counter: int, bits: int, data: bytes, output: BytesIO) -> None:
        """Data XORed with the keystream from `counter`, whose low `bits` bits count and
        wrap."""


class Raw(Protocol):
    """What stands behind rijn.AES and key wrapping, arguments checked: keys have 16, 24 or 32
    bytes; ECB, CBC and IGE get whole blocks; an IV or counter has 16 bytes, IGE's 32."""

    def ecb_encrypt(self, data: Bytes) -> bytes: ...
    def ecb_decrypt(self, data: Bytes) -> bytes: ...
    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def ctr(self, counter: bytes, data: Bytes) -> bytes: ...
    def ctr_of(self, counter: bytes, data: Bytes, width: int, byteorder: str) -> bytes:
        """CTR that counts in `width` bits: the last of the block, or, "little", the first."""

    def cfb_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cfb_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cfb8_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def cfb8_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def ofb(self, iv: bytes, data: Bytes) -> bytes: ...
    def ige_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def ige_decrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    def kw_wrap(self, data: bytes) -> bytes: ...
    def kw_unwrap(self, data: bytes) -> bytes | None:
        """None where the check value is wrong; so in kwp_unwrap."""

    def kwp_wrap(self, data: bytes) -> bytes: ...
    def kwp_unwrap(self, data: bytes) -> bytes | None: ...


class Engine(Raw, Protocol):
    """What the modes are written over. Most of Raw is modes/raw.py's; an engine brings single
    blocks, ECB, CBC, CTR, and the two operations of GCM; and `gcm_short`, a ShortGCM, where
    it does better than those with a message that is short."""

    def encrypt_block(self, block: int) -> int:
        """One block, as a big-endian integer of 128 bits (FIPS 197 section 5.1)."""

    def decrypt_block(self, block: int) -> int:
        """The inverse of encrypt_block."""

    def ghash(self, y: int, data: Bytes) -> int:
        """GHASH of data, completed with zeros to whole blocks, from the state y
        (SP 800-38D section 6.4)."""

    def gcm_piece(self, counter: int, y: int, data: Bytes, decrypting: bool) -> tuple[bytes, int]:
        """Data XORed with the keystream from `counter` (section 6.5); and `ghash` of the
        ciphertext, from the state y."""


class ShortGCM(Protocol):
    """What an engine may bring besides, as its `gcm_short`: one path for short messages."""

    def __call__(
        self, j0: int, data: Bytes, ad: Bytes, decrypting: bool, /
    ) -> tuple[bytes, bytes] | None:
        """The result and the whole tag of the message whose pre-counter block is j0; None
        where it is not short."""


# ---- Messages -------------------------------------------------------------------------


class MessageSealer(Protocol):
    """An authenticated cipher with one key and one length of its tags."""

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """The ciphertext and the tag."""

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """The plaintext, and the tag that the message should have had: the caller compares
        it with `tag`, and keeps the plaintext to itself until it has."""


class MessageStream(Protocol):
    """A message in pieces."""

    def crypt(self, data: Bytes) -> bytes:
        """The next piece: as many bytes. Pieces of OCB3 are whole blocks but for the last."""

    def tag(self) -> bytes:
        """Ends the message: the tag that it has, or should have had."""


class OnlineSealer(MessageSealer, Protocol):
    """One that works in one pass."""

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> MessageStream: ...


class KeystreamSealer(OnlineSealer, Protocol):
    """AEGIS."""

    def keystream(self, nonce: bytes, size: int) -> bytes: ...


class StringSealer(Protocol):
    """SIV."""

    def encrypt(self, strings: Sequence[bytes], data: Bytes) -> tuple[bytes, bytes]:
        """The ciphertext and the tag."""

    def decrypt(self, strings: Sequence[bytes], data: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """The plaintext, and the tag that the message should have had."""


class SectorCipher(Protocol):
    """XTS."""

    def encrypt(self, tweak: bytes, data: Bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, data: Bytes) -> bytes: ...


class MACState(Protocol):
    """A message that is authenticated alone, in pieces of any sizes."""

    def update(self, data: Bytes) -> None: ...
    def finalize(self) -> bytes: ...
    def copy(self) -> Self: ...


# ---- A backend ---------------------------------------------------------------------------


class PureBackend(Protocol):
    """Everything that a backend makes from keys, for the public class of that name. Any
    method may be called by any thread, and imports what it needs."""

    def engine(self, key: bytes) -> Raw:
        """AES and KeyWrap."""

    def sealer(self, name: str, key: bytes, tag_length: int) -> MessageSealer:
        """The classes of rijn.aead and rijn.aegis, by name, but for AESSIV."""

    def siv(self, key: bytes) -> StringSealer:
        """AESSIV."""

    def xts(self, key: bytes) -> SectorCipher:
        """AESXTS."""

    def cmac(self, key: bytes) -> MACState:
        """CMAC."""

    def aegis_mac(self, name: str, key: bytes, nonce: bytes, tag_length: int) -> MACState:
        """AEGISMAC, by the name of the AEAD class."""
