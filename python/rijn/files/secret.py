"""The key or the passphrase of a file, from the arguments of public functions."""

from __future__ import annotations

import hmac
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from .. import _check
from .._check import Buffer
from .._traceback import clean_traceback
from .._uncopyable import Uncopyable
from ..chunked import AEADS, WrongKey, find_aead, named_aead
from ..chunked.errors import WRONG_KEY
from ..errors import InvalidTag
from .format import Argon2id, BadHeader, Header, NotRijn, Unsupported, read_key

if TYPE_CHECKING:
    from collections.abc import Iterator

KeyOrFile: TypeAlias = Buffer | str | os.PathLike[str]
DEFAULT_AEAD = "AEAD_AES_128_GCM"  # for passphrases, as C2SP recommends

_KEPT = 16  # keys of a passphrase


class Secret(Uncopyable):
    """A key or a passphrase."""

    __slots__ = ("_derived", "_key", "_passphrase", "key_files")

    key_files: list[os.stat_result]
    """The status of the key file, if there is one."""

    @clean_traceback
    def __init__(self, key: KeyOrFile | None, passphrase: str | None) -> None:
        """
        :raises TypeError: unless exactly one of the two is given.
        :raises ValueError: if the key has no AEAD's size, or the passphrase is empty, too long or no
            text.
        :raises OSError, KeyFileError: as `read_key`.
        """
        if (key is None) == (passphrase is None):
            raise TypeError("give either key= or passphrase=")
        self.key_files = []
        self._key = b""
        self._passphrase = ""
        self._derived: dict[tuple[Argon2id, int], bytes] = {}
        if key is None:
            self._passphrase = _check.text("passphrase", passphrase)
        elif isinstance(key, (str, os.PathLike)):
            self._key = read_key(key)
            with suppress(OSError):
                self.key_files = [os.stat(key)]
        else:
            self._key = bytes(_check.readable("key", key))
            find_aead(None, len(self._key))

    @clean_traceback
    def new(self, aead: str | None) -> tuple[bytes, Header]:
        """Returns the key and the header of a new file.

        :param aead: IANA's name or the short one; None for the default.
        :raises ValueError: if the AEAD is unknown, or does not fit the key; as Argon2id.derive.
        """
        if self._key:
            return self._key, Header(find_aead(aead, len(self._key)).name)
        chosen = named_aead(DEFAULT_AEAD if aead is None else aead)
        parameters = Argon2id.new()
        key = parameters.derive(self._passphrase, chosen.key_size)
        return key, Header(chosen.name, parameters)

    def is_of(self, passphrase: str) -> bool:
        """Returns whether this is that passphrase."""
        return hmac.compare_digest(self._passphrase.encode(), passphrase.encode())

    def _derive(self, parameters: Argon2id, size: int) -> bytes:
        """Returns the key for these parameters. Keeps the last ones, because Argon2id takes long."""
        found = self._derived.get((parameters, size))
        if found is None:
            found = parameters.derive(self._passphrase, size)
            while len(self._derived) >= _KEPT:
                del self._derived[next(iter(self._derived))]
            self._derived[parameters, size] = found
        return found

    @clean_traceback
    def key_for(self, header: Header) -> bytes:
        """Returns the key for a file with this header.

        :raises WrongKey: if the file needs another kind or size of key.
        """
        size = AEADS[header.aead].key_size
        if header.passphrase is not None:
            if self._key:
                raise WrongKey("was encrypted with a passphrase, not with a key")
            return self._derive(header.passphrase, size)
        if not self._key:
            raise WrongKey("was encrypted with a key, not with a passphrase")
        if len(self._key) != size:
            raise WrongKey(f"needs a key of {8 * size} bits, not {8 * len(self._key)}")
        return self._key


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Puts the name of an encrypted file before the text of an error."""
    try:
        yield
    except (InvalidTag, BadHeader, NotRijn, Unsupported) as error:
        text = str(error)
        if text == WRONG_KEY:
            text = "wrong key or passphrase, or its header was altered"
        if name and not text.startswith(f"{name}: "):
            text = f"{name}: {text}"
        error.args = (text, *error.args[1:])
        raise
