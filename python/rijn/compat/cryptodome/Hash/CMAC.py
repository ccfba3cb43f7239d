"""AES-CMAC (NIST SP 800-38B, RFC 4493)."""

from __future__ import annotations

from hmac import compare_digest
from types import ModuleType
from typing import Any

from .... import mac
from ...._check import BLOCK, Buffer, integer, readable
from ...._traceback import clean_traceback
from ....incremental import OneAtATime
from ..._turns import in_turn
from .. import _originals
from ..Cipher import AES
from ..Cipher._mode import backend_option, checked_key, from_hexadecimal

__all__ = ["CMAC", "new"]

digest_size = None


class CMAC(OneAtATime):
    """One message in pieces. `new` makes it.

    :ivar digest_size: bytes in the tag.
    """

    digest_size: int | None = None

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        msg: Buffer | None,
        ciphermod: ModuleType,
        cipher_params: dict[str, Any],
        mac_len: int,
        update_after_digest: bool,
    ) -> None:
        super().__init__()
        if ciphermod is not AES:
            raise TypeError("ciphermod must be rijn.compat.cryptodome.Cipher.AES")
        backend = backend_option(dict(cipher_params))
        self._mac = mac.CMAC(checked_key(key), backend=backend)
        self.digest_size: int = mac_len
        self._update_after_digest = update_after_digest
        self._tag: bytes | None = None
        if msg is not None:
            self._mac.update(msg)

    @property
    def backend(self) -> str:
        """The name of the backend that computes with this key."""
        return self._mac.backend

    @in_turn
    def update(self, msg: Buffer) -> CMAC:
        """Authenticates the next piece.

        :param msg: any size.
        :returns: this object.
        :raises TypeError: after digest or verify, unless `update_after_digest` allows it.
        """
        if self._tag is not None and not self._update_after_digest:
            raise TypeError("update() cannot be called after digest() or verify()")
        self._mac.update(msg)
        self._tag = None
        return self

    @in_turn
    def copy(self) -> CMAC:
        """Copies the state, so that two messages may begin with the same pieces."""
        other = CMAC.__new__(CMAC)
        OneAtATime.__init__(other)
        other._mac = self._mac.copy()
        other.digest_size = self.digest_size
        other._update_after_digest = self._update_after_digest
        other._tag = self._tag
        return other

    @in_turn
    def digest(self) -> bytes:
        """Returns the tag of the message so far, `digest_size` bytes."""
        if self._tag is None:
            self._tag = self._mac.copy().finalize()[: self.digest_size]
        return self._tag

    def hexdigest(self) -> str:
        """Returns the tag as a hexadecimal text."""
        return self.digest().hex()

    @clean_traceback
    def verify(self, mac_tag: Buffer) -> None:
        """Compares the tag, in a time that does not depend on the difference.

        :param mac_tag: the whole tag.
        :raises ValueError: if the tags differ.
        """
        if not compare_digest(bytes(readable("mac_tag", mac_tag)), self.digest()):
            raise ValueError("MAC check failed")

    @clean_traceback
    def hexverify(self, hex_mac_tag: str | bytes) -> None:
        """As `verify`, for a hexadecimal text."""
        self.verify(from_hexadecimal(hex_mac_tag))


@clean_traceback
def new(
    key: Buffer,
    msg: Buffer | None = None,
    ciphermod: ModuleType | None = None,
    cipher_params: dict[str, Any] | None = None,
    mac_len: int | None = None,
    update_after_digest: bool = False,
) -> Any:
    """Begins a message.

    :param key: 16, 24 or 32 bytes.
    :param msg: the first piece.
    :param ciphermod: AES, which must be named.
    :param cipher_params: options of AES.new: `backend`.
    :param mac_len: 4 to 16 bytes in the tag; 16 by default.
    :param update_after_digest: True allows more pieces after digest.
    :returns: a CMAC.
    :raises TypeError: if `ciphermod` is missing. Where PyCryptodome is installed under these
        modules, it serves other ciphers; elsewhere they are a TypeError.
    :raises ValueError: if a size is not allowed.
    """
    if ciphermod is None:
        raise TypeError("ciphermod must be specified (try AES)")
    original = _originals.find(__name__)
    if ciphermod is not AES and original is not None:
        return original.new(key, msg, ciphermod, cipher_params, mac_len, update_after_digest)
    size = BLOCK if mac_len is None else integer("mac_len", mac_len)
    if not 4 <= size <= BLOCK:
        raise ValueError(f"mac_len must be 4 to 16, not {size}")
    return CMAC(key, msg, ciphermod, cipher_params or {}, size, update_after_digest)


__getattr__ = _originals.finder(__name__)
