"""Opens encrypted files with the key that fits, and makes new ones. For encrypt, decrypt, verify and
rekey."""

from __future__ import annotations

from functools import lru_cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import click

from ..chunked import (
    AEADS,
    CHUNK,
    PREFIX,
    Message,
    Reader,
    Truncated,
    WrongKey,
    sealed_size,
)
from ..chunked.message import Messages
from ..chunked.sources import read_up_to
from ..errors import InvalidTag
from ..files.format import Header
from .failures import Exit, Failure, about, usage_errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, TypeVar

    from .destination import Destination
    from .keys import KeySource

    _Opened = TypeVar("_Opened")


_KEPT = 16  # Messages objects in the cache, one for each key and header


class _Fitting(NamedTuple):
    """Candidate keys for files with the same header."""

    keys: list[bytes]
    aead: str | None
    context: bytes


class Sealed:
    """Opens encrypted files with the keys and options of the command line. UsageError."""

    def __init__(
        self, keys: KeySource, aead: str | None, backend: str | None, *, bare: bool
    ) -> None:
        """aead: the AEAD of a bare message, if it is not the default for the key's length"""
        if bare and not keys.key_files:
            raise click.UsageError("--bare needs --key-file.")
        if aead is not None and not bare:
            raise click.UsageError("--aead needs --bare: a Rijn file names its AEAD itself.")
        self._keys = keys
        self._aead = aead
        self._backend = backend
        self._bare = bare
        self._first: tuple[bytes, _Fitting] | None = (
            None  # the header of the last small file, with its keys
        )
        # Made once for all files with the same header.
        self._messages = lru_cache(_KEPT)(partial(_messages, backend))

    def message(self, source: BinaryIO, name: str) -> Message:
        """Reads the message at the start of a source, up to the end of its prefix. Failure,
        UsageError, and the exceptions of Message.of."""
        header = self.header(source)
        start = 0 if header is None else len(header.encode())
        prefix = read_up_to(source, PREFIX)

        def opened(key: bytes, aead: str | None, context: bytes) -> Message:
            return self._messages(key, aead, context).of(prefix, start=start)

        return self._with_key(self._fitting(header, name), opened)

    def plaintext(self, data: bytes, name: str) -> bytearray:
        """Decrypts a whole file. Failure, UsageError."""
        try:
            return self._plaintext(data, name)
        except (InvalidTag, ValueError):
            with about(name, bare=self._bare):
                raise

    def _plaintext(self, data: bytes, name: str) -> bytearray:
        """Decrypts a whole file. Raises the exceptions of Message.of and Message.open too."""
        if not self._first or not data.startswith(self._first[0]):
            source = BytesIO(data)
            header = self.header(source)  # depends only on the first bytes
            self._first = data[: source.tell()], self._fitting(header, name)
        before, fitting = self._first
        start = len(before)

        def opened(key: bytes, aead: str | None, context: bytes) -> Message:
            messages = self._messages(key, aead, context)
            return messages.of(data[start : start + PREFIX], start=start)

        message = self._with_key(fitting, opened)
        sealed = memoryview(data)[start + PREFIX :]
        try:
            plain = bytearray(message.plain_size(PREFIX + len(sealed)))
        except Truncated:  # damage in the existing chunks comes first
            whole = len(sealed) // message.sealed_chunk
            chunks = sealed[: whole * message.sealed_chunk]
            message.open(0, chunks, bytearray(whole * CHUNK), last=False)
            raise
        message.open(0, sealed, plain, last=True)
        return plain

    def reader(self, source: BinaryIO, name: str) -> Reader:
        """Returns a reader of the plaintext, which can seek."""
        header = self.header(source)
        place = source.tell()

        def opened(key: bytes, aead: str | None, context: bytes) -> Reader:
            source.seek(place)
            with usage_errors():
                return Reader(source, key, aead=aead, context=context, backend=self._backend)

        return self._with_key(self._fitting(header, name), opened)

    def header(self, source: BinaryIO) -> Header | None:
        """Returns the header of a Rijn file, or None for a bare message."""
        return None if self._bare else Header.read(source)

    def _fitting(self, header: Header | None, name: str) -> _Fitting:
        """Failure."""
        if header is None:
            return _Fitting(self._keys.read_keys(), self._aead, b"")
        return _Fitting(self._of_header(header, name), header.aead, header.encode())

    @staticmethod
    def _with_key(
        fitting: _Fitting, opened: Callable[[bytes, str | None, bytes], _Opened]
    ) -> _Opened:
        """Calls `opened` with each key, and returns the result of the first key that fits. WrongKey,
        UsageError."""
        keys, aead, context = fitting
        for key in keys[:-1]:
            try:
                return opened(key, aead, context)
            except (WrongKey, click.UsageError):  # the next key may fit
                pass
        return opened(keys[-1], aead, context)

    def _of_header(self, header: Header, name: str) -> list[bytes]:
        """Returns the keys that may fit the file. Failure."""
        size = AEADS[header.aead].key_size
        if header.passphrase is not None:
            if self._keys.key_files:
                raise Failure(
                    f"{name}: was encrypted with a passphrase, not with a key file",
                    "omit --key-file",
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
                f"{name}: needs a key of {8 * size} bits, not {_bits(keys)}",
                "name another key file",
                Exit.WRONG_KEY,
            )
        return fitting


class New:
    """Encrypts new files, each as a new message."""

    def __init__(self, key: bytes, header: Header, backend: str | None, *, bare: bool) -> None:
        """UsageError."""
        self.context = b"" if bare else header.encode()
        self._messages = _messages(backend, key, header.aead, self.context)

    def message(self) -> Message:
        return self._messages.new()

    def sealed(self, data: bytes | bytearray) -> bytearray:
        """Returns the whole content of a result: header and a new message with the data."""
        message = self.message()
        before = self.context + message.prefix
        result = bytearray(len(self.context) + sealed_size(len(data), message.aead))
        result[: len(before)] = before
        message.seal(0, data, memoryview(result)[len(before) :], last=True)
        return result

    def seal(
        self,
        source: BinaryIO,
        destination: Destination,
        jobs: int,
        advance: Callable[[int], object],
    ) -> None:
        """Encrypts the source to its end as the result. Raises the exceptions of seal_stream."""
        from ..pipeline import seal_stream

        message = self.message()
        with destination as result:
            result.write(self.context)
            seal_stream(message, source, result.write, jobs=jobs, advance=advance)


def _messages(backend: str | None, key: bytes, aead: str | None, context: bytes) -> Messages:
    """UsageError."""
    with usage_errors():
        found = Messages(key, aead=aead, context=context, backend=backend)
        found.new()  # raises if there is no such backend
        return found


def _bits(keys: list[bytes]) -> str:
    return " or ".join(sorted({str(8 * len(key)) for key in keys}))
