"""Encrypted files as file objects of their plaintext."""

from __future__ import annotations

import builtins
import io
import os
import warnings
from contextlib import suppress
from types import TracebackType
from typing import Any, BinaryIO, Literal, Protocol, TypeAlias, cast, overload

from .. import _check
from .._check import Buffer
from .._traceback import clean_traceback
from .._uncopyable import Uncopyable
from ..chunked import Encryptor
from ..chunked import Reader as MessageReader
from ..disk.new_file import NewFile
from ..registry import Backend
from .format import Header
from .secret import KeyOrFile, Secret, naming

File: TypeAlias = str | os.PathLike[str] | BinaryIO

_MODES = ("rb", "wb", "xb", "r", "rt", "w", "wt", "x", "xt")
_SOURCE = ("read", "readinto", "readline", "seek", "tell")


class FileReader(MessageReader):
    """A Rijn file as a seekable, read-only file of its plaintext. `open` makes it.

    The end of the file is authenticated first, so the size is certain. Every read opens only the
    chunks that it needs, and up to 32 chunks ahead if reads follow one another. The reader keeps the
    last 64 chunks (1 MiB), and wipes them when it is closed. For one thread at a time.

    `name` is the path, or the name of the file object, `header` the header, `size` the plaintext's
    size in bytes.
    """

    mode = "rb"

    @clean_traceback
    def __init__(self, source: BinaryIO, secret: Secret, *, owned: bool, backend: Any) -> None:
        if not all(hasattr(source, name) for name in _SOURCE):
            text = f"file must be a path or a seekable binary file, not {type(source).__name__}"
            raise TypeError(text)
        self._owned = source if owned else None
        self.name = _name(source)
        try:
            with naming(self.name):
                self.header = Header.read(source)
                super().__init__(
                    source,
                    secret.key_for(self.header),
                    aead=self.header.aead,
                    context=self.header.encode(),
                    backend=backend,
                )
        except BaseException:
            self.close()
            raise

    def _open(self, first: int, target: Buffer) -> None:
        with naming(self.name):
            super()._open(first, target)

    def close(self) -> None:
        """Wipes the plaintext that the reader keeps, and closes the file if `open` opened it."""
        try:
            super().close()
        finally:
            owned, self._owned = getattr(self, "_owned", None), None
            if owned is not None:
                owned.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"at {self.tell()} of {self.size} bytes"
        return f"<rijn.files.FileReader of {self.name!r}, {state}>"


class Result(Protocol):
    """The place where a FileWriter puts the encrypted file. rijn.disk.new_file.NewFile documents the
    methods."""

    name: str

    def begin(self) -> object: ...

    def write(self, data: Buffer) -> object: ...

    def commit(self) -> object: ...

    def discard(self) -> object: ...


class _Given:
    """A file object of the caller, who closes it."""

    def __init__(self, file: BinaryIO) -> None:
        if not hasattr(file, "write"):
            raise TypeError(f"file must be a path or a binary file, not {type(file).__name__}")
        self.name = _name(file)
        self._file = file

    def begin(self) -> None: ...

    def write(self, data: Buffer) -> None:
        view = memoryview(data)
        while view:
            count = self._file.write(view)
            if count is None:
                raise BlockingIOError("the file cannot be written yet and does not wait")
            view = view[count:]

    def commit(self) -> None: ...

    def discard(self) -> None: ...


class FileWriter(Uncopyable, io.BufferedIOBase):
    """A Rijn file that is being written. `open` makes it.

    `close` completes the file, and gives it its name. If a `with` block raises, or the object is
    dropped without `close`, there is no file, and an existing one stays as it is. `discard` does
    the same. In a process that was forked since, `write` and `close` raise RuntimeError.

    `name` is the path, `mode` is "wb" or "xb".
    """

    @clean_traceback
    def __init__(
        self,
        result: Result,
        secret: Secret,
        *,
        mode: str,
        aead: str | None,
        backend: str | Backend | None,
    ) -> None:
        super().__init__()
        self._encryptor: Encryptor | None = None
        self._result = result
        self._written = 0
        self.name = result.name
        self.mode = mode
        key, self.header = secret.new(aead)
        context = self.header.encode()
        encryptor = Encryptor(key, aead=self.header.aead, context=context, backend=backend)
        result.begin()
        try:
            result.write(context)
        except BaseException:
            self.discard()
            raise
        self._encryptor = encryptor

    def writable(self) -> bool:
        return not self.closed

    def tell(self) -> int:
        """Returns how many bytes were written."""
        self._check_open()
        return self._written

    @clean_traceback
    def write(self, data: Buffer, /) -> int:
        """Encrypts the next bytes.

        :returns: their number.
        :raises OSError: if the file cannot be written.
        :raises ValueError: if the writer is closed.
        :raises RuntimeError: after an error, or in a process that was forked since.
        """
        view = _check.readable("data", data)
        sealed = self._check_open().update(view)
        if sealed:
            self._result.write(sealed)
        self._written += len(view)
        return len(view)

    def close(self) -> None:
        """Completes the file, and gives it its name. Does nothing if it is closed.

        :raises FileExistsError: if meanwhile another file has the name (mode "xb").
        :raises OSError: if the file cannot be written. There is no result then.
        """
        if self.closed:
            return
        encryptor, self._encryptor = self._encryptor, None
        try:
            if encryptor is not None:
                self._result.write(encryptor.finalize())
                self._complete()
        except BaseException:
            self.discard()
            raise
        super().close()

    def _complete(self) -> None:
        self._result.commit()

    def discard(self) -> None:
        """Closes the writer without a result. A file object that the caller gave gets no more bytes,
        and holds a truncated file."""
        self._encryptor = None
        self._result.discard()
        super().close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _leave(self, self, kind)

    def __del__(self) -> None:
        _drop(self)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self._written} bytes so far"
        return f"<rijn.files.FileWriter of {self.name!r}, {state}>"

    def _check_open(self) -> Encryptor:
        if self.closed or self._encryptor is None:
            raise ValueError("the writer is closed")
        return self._encryptor


class _Text(io.TextIOWrapper):
    """Text for a FileWriter: a `with` block that raises leaves no file."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _leave(self, cast("FileWriter", self.buffer), kind)

    def __del__(self) -> None:
        with suppress(ValueError):  # the constructor raised
            _drop(cast("FileWriter", self.buffer))


def _leave(file: io.IOBase, writer: FileWriter, kind: type[BaseException] | None) -> None:
    if kind is None:
        file.close()
    else:
        writer.discard()


def _drop(writer: FileWriter) -> None:
    """Discards a writer that nobody has closed."""
    if getattr(writer, "_encryptor", None) is not None:
        text = f"{writer!r} was dropped without close(): there is no result"
        warnings.warn(text, ResourceWarning, source=writer, stacklevel=3)
        writer.discard()


def _name(file: object) -> str:
    name = getattr(file, "name", "")
    return os.fsdecode(name) if isinstance(name, (str, bytes)) else ""


@overload
def open(
    file: File,
    mode: Literal["rb"] = "rb",
    *,
    key: KeyOrFile | None = None,
    passphrase: str | None = None,
    backend: str | Backend | None = None,
) -> FileReader: ...


@overload
def open(
    file: File,
    mode: Literal["wb", "xb"],
    *,
    key: KeyOrFile | None = None,
    passphrase: str | None = None,
    aead: str | None = None,
    backend: str | Backend | None = None,
) -> FileWriter: ...


@overload
def open(
    file: File,
    mode: Literal["r", "rt", "w", "wt", "x", "xt"],
    *,
    key: KeyOrFile | None = None,
    passphrase: str | None = None,
    aead: str | None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    backend: str | Backend | None = None,
) -> io.TextIOWrapper: ...


@clean_traceback
def open(
    file: File,
    mode: str = "rb",
    *,
    key: KeyOrFile | None = None,
    passphrase: str | None = None,
    aead: str | None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    backend: str | Backend | None = None,
) -> FileReader | FileWriter | io.TextIOWrapper:
    """Opens an encrypted file as a file object of its plaintext.

    :param file: a path, or a binary file object: seekable if it is read, and from its position on.
        The caller closes it. A written object gets the file piece by piece, so it holds a
        truncated file until the writer is closed.
    :param mode: "rb" reads. "wb" writes a file that appears, or replaces an existing one, when it is
        closed. "xb" does not replace one. "r", "w" and "x", also with "t", are the same for text.
    :param key: 16 or 32 bytes, or the path of a key file.
    :param passphrase: instead of a key.
    :param aead: for writing: IANA's name or the short one; None for the default of the key's size.
    :param encoding: for text, as the built-in `open` has it.
    :param errors: for text.
    :param newline: for text.
    :param backend: a name, or an item of `rijn.backends()`.
    :returns: a FileReader, a FileWriter, or an io.TextIOWrapper around one.
    :raises rijn.chunked.WrongKey: if the key does not fit, or the header was altered.
    :raises rijn.chunked.Damaged, rijn.chunked.Truncated: if the end of the file does not
        authenticate. Reads raise them for other chunks.
    :raises NotRijn, BadHeader, Unsupported: if the file has no header that this Rijn reads.
    :raises FileExistsError: if the file exists, with mode "xb".
    :raises OSError, KeyFileError: if a file cannot be opened, or the key file holds no key.
    :raises ValueError: if an argument does not fit the mode, or the key's size no AEAD.
    """
    if _check.text("mode", mode) not in _MODES:
        raise ValueError(f"mode is {mode!r}; it is one of {', '.join(_MODES)}")
    binary, reading = mode.endswith("b"), mode.startswith("r")
    if binary and not (encoding is None and errors is None and newline is None):
        raise ValueError("encoding, errors and newline are for text: modes r, w and x")
    if reading and aead is not None:
        raise ValueError("aead is for writing: an encrypted file names its AEAD")
    secret = Secret(key, passphrase)
    plain: FileReader | FileWriter
    if not reading:
        result = new_result(file, mode, secret)
        plain = FileWriter(result, secret, mode=f"{mode[0]}b", aead=aead, backend=backend)
    elif isinstance(file, (str, os.PathLike)):
        source = builtins.open(file, "rb", buffering=0)  # noqa: SIM115
        plain = FileReader(cast("BinaryIO", source), secret, owned=True, backend=backend)
    else:
        plain = FileReader(file, secret, owned=False, backend=backend)
    if binary:
        return plain
    try:
        text = io.TextIOWrapper if reading else _Text
        return text(cast("Any", plain), encoding, errors, newline)
    except BaseException:
        plain.close() if isinstance(plain, FileReader) else plain.discard()
        raise


def new_result(file: File, mode: str, secret: Secret) -> Result:
    """Returns the place for a FileWriter. Raises the errors of NewFile."""
    if not isinstance(file, (str, os.PathLike)):
        return _Given(file)
    return NewFile(
        file, overwrite=mode[0] == "w", hint="mode wb replaces it", others=secret.key_files
    )
