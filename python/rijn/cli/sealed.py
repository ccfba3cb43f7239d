"""Encrypted files: opened with the key that fits, and made anew. Decrypt, verify, rekey and encrypt
share this."""

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
    Messages,
    Reader,
    Truncated,
    WrongKey,
    read_up_to,
    sealed_size,
)
from ..errors import InvalidTag
from ..files import Header
from .failures import Exit, Failure, about, usage_errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, TypeVar

    from .destination import Destination
    from .keys import KeySource

    _Opened = TypeVar("_Opened")


_KEPT = 16  # keys with a header: those of --key-file that may be the file's


class _Fitting(NamedTuple):
    """The keys that may be those of the files with one header."""

    keys: list[bytes]
    aead: str | None
    context: bytes


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
        self._first: tuple[bytes, _Fitting] | None = None  # of the last small file
        # Made once for all files with the same header; a file may have a header of its own.
        self._messages = lru_cache(_KEPT)(partial(_messages, backend))

    def message(self, source: BinaryIO, name: str) -> Message:
        """The message in a source of that name, which stands at its beginning, and behind the
        message's prefix then. Failure, UsageError, and what Message.of raises."""
        header = self.header(source)
        start = 0 if header is None else len(header.encode())
        prefix = read_up_to(source, PREFIX)

        def opened(key: bytes, aead: str | None, context: bytes) -> Message:
            return self._messages(key, aead, context).of(prefix, start=start)

        return self._with_key(self._fitting(header, name), opened)

    def plaintext(self, data: bytes, name: str) -> bytearray:
        """All that a whole file holds. Failure, UsageError."""
        try:
            return self._plaintext(data, name)
        except (InvalidTag, ValueError):
            with about(name, bare=self._bare):
                raise

    def _plaintext(self, data: bytes, name: str) -> bytearray:
        """What Message.of and Message.open raise, too."""
        if not self._first or not data.startswith(self._first[0]):
            source = BytesIO(data)
            header = self.header(source)  # which nothing but its first bytes makes
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
        except Truncated:  # unless what is there is damaged
            whole = len(sealed) // message.sealed_chunk
            chunks = sealed[: whole * message.sealed_chunk]
            message.open(0, chunks, bytearray(whole * CHUNK), last=False)
            raise
        message.open(0, sealed, plain, last=True)
        return plain

    def reader(self, source: BinaryIO, name: str) -> Reader:
        """The same as a file of plaintext."""
        header = self.header(source)
        place = source.tell()

        def opened(key: bytes, aead: str | None, context: bytes) -> Reader:
            source.seek(place)
            with usage_errors():
                return Reader(source, key, aead=aead, context=context, backend=self._backend)

        return self._with_key(self._fitting(header, name), opened)

    def header(self, source: BinaryIO) -> Header | None:
        """Of a Rijn file; None of a bare message."""
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
        """What the first key that fits opens. WrongKey, UsageError."""
        keys, aead, context = fitting
        for key in keys[:-1]:
            try:
                return opened(key, aead, context)
            except (WrongKey, click.UsageError):  # the next may be the one
                pass
        return opened(keys[-1], aead, context)

    def _of_header(self, header: Header, name: str) -> list[bytes]:
        """The keys that may be the file's. Failure."""
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


class New:
    """Seals new files, each as a message of its own."""

    def __init__(self, key: bytes, header: Header, backend: str | None, *, bare: bool) -> None:
        """UsageError."""
        self.context = b"" if bare else header.encode()
        self._messages = _messages(backend, key, header.aead, self.context)

    def message(self) -> Message:
        return self._messages.new()

    def sealed(self, data: bytes | bytearray) -> bytearray:
        """All that a result holds: a new message of the data."""
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
        """The source, to its end, as the result. Raises what seal_stream does."""
        from ..pipeline import seal_stream

        message = self.message()
        with destination as result:
            result.write(self.context)
            seal_stream(message, source, result.write, jobs=jobs, advance=advance)


def _messages(backend: str | None, key: bytes, aead: str | None, context: bytes) -> Messages:
    """UsageError."""
    with usage_errors():
        found = Messages(key, aead=aead, context=context, backend=backend)
        found.new()  # or there is no such backend
        return found


def _bits(keys: list[bytes]) -> str:
    return " or ".join(sorted({str(8 * len(key)) for key in keys}))
