"""An encrypted file opened with the key that fits it: what decrypt, verify and rekey share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .failures import Exit, Failure, usage_errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, TypeVar

    from ..chunked import Message, Reader
    from ..files import Header
    from .keys import KeySource

    _Opened = TypeVar("_Opened")


class Sealed:
    """Opens encrypted files as the options say. UsageError."""

    def __init__(
        self, keys: KeySource, aead: str | None, backend: str | None, *, bare: bool
    ) -> None:
        """aead: of a bare message, if the key's length does not tell it."""
        if bare and not keys.key_files:
            raise click.UsageError("--bare needs --key-file.")
        if aead is not None and not bare:
            raise click.UsageError("--aead goes with --bare; a Rijn file names its AEAD itself.")
        self._keys = keys
        self._aead = aead
        self._backend = backend
        self._bare = bare

    def message(self, source: BinaryIO, name: str) -> Message:
        """The message in a source of that name, which stands at its beginning, and behind the
        message's prefix then. Failure, UsageError, and what Message.of raises."""
        from ..chunked import PREFIX, Message, read_up_to

        header = self.header(source)
        start = 0 if header is None else len(header.encode())
        prefix = read_up_to(source, PREFIX)

        def opened(key: bytes, aead: str | None, context: bytes) -> Message:
            return Message.of(
                prefix, key, aead=aead, context=context, backend=self._backend, start=start
            )

        return self._with_key(header, name, opened)

    def reader(self, source: BinaryIO, name: str) -> Reader:
        """The same as a file of plaintext."""
        from ..chunked import Reader

        header = self.header(source)
        place = source.tell()

        def opened(key: bytes, aead: str | None, context: bytes) -> Reader:
            source.seek(place)
            return Reader(source, key, aead=aead, context=context, backend=self._backend)

        return self._with_key(header, name, opened)

    def header(self, source: BinaryIO) -> Header | None:
        """Of a Rijn file; None of a bare message."""
        from ..files import Header

        return None if self._bare else Header.read(source)

    def _with_key(
        self,
        header: Header | None,
        name: str,
        opened: Callable[[bytes, str | None, bytes], _Opened],
    ) -> _Opened:
        """What the first key that fits opens. WrongKey."""
        from ..chunked import WrongKey

        aead = self._aead if header is None else header.aead
        context = b"" if header is None else header.encode()
        keys = self._keys.read_keys() if header is None else self._of_header(header, name)
        for key in keys[:-1]:
            try:
                return opened(key, aead, context)
            except (WrongKey, ValueError):  # the next may be the one
                pass
        with usage_errors():
            return opened(keys[-1], aead, context)

    def _of_header(self, header: Header, name: str) -> list[bytes]:
        """The keys that may be the file's. Failure."""
        from ..chunked import AEADS

        size = AEADS[header.aead].key_size
        if header.passphrase is not None:
            if self._keys.key_files:
                raise Failure(
                    f"{name}: was encrypted with a passphrase, not with a key file",
                    "leave --key-file out",
                    Exit.WRONG_KEY,
                )
            return [self._keys.derive(header.passphrase, size, confirm=False)]
        if not self._keys.key_files:
            raise Failure(
                f"{name}: was encrypted with a key file",
                "name it with --key-file",
                Exit.WRONG_KEY,
            )
        keys = self._keys.read_keys()
        fitting = [key for key in keys if len(key) == size]
        if not fitting:
            raise Failure(
                f"{name}: was encrypted with a key of {8 * size} bits; not one of {_bits(keys)}",
                "name another key file",
                Exit.WRONG_KEY,
            )
        return fitting


def _bits(keys: list[bytes]) -> str:
    return " or ".join(sorted({str(8 * len(key)) for key in keys}))
