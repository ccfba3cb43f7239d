"""Encrypted files on any filesystem of fsspec (local files, S3, HTTP, …)::

    import fsspec

    with fsspec.open("rijn::file:///data/t.csv.rijn", "rb", rijn={"key_file": "my.key"}) as file:
        ...

    pandas.read_parquet(
        "rijn::s3://bucket/t.parquet.rijn",
        storage_options={"rijn": {"key_file": "my.key"}, "s3": {"anon": True}},
    )

The protocol "rijn" is registered where the package is installed. The files are those of rijn.files
and the command.

- **Keys.** Options name the secret, and do not contain it: `key_file` is a path, `passphrase_env` an
  environment variable. fsspec keeps options, hashes and pickles them, as Dask does to send them to
  its workers. Each worker reads the key file or the variable itself. For a key in memory, use
  `rijn.files.open` with a file object of the other filesystem.
- **Reading** fetches the header, the last chunk, and the ranges that it needs.
- **Writing.** The result appears when the file is closed: in a local folder as with rijn.files,
  elsewhere by one upload from a temporary file that holds the encrypted bytes. If the file is
  closed while an exception is handled that was raised since it was opened, as at the end of a
  `with` block that fails, there is no result, and a RuntimeWarning says so.
- **`get`** gives a local file its name when it is complete. An error leaves what was there.
- **Sizes.** `info` gives the authenticated size of the plaintext. Listings do not read files: there
  "size" is None. In both, "sealed_size" is the size of the encrypted file.
- Other calls (exists, rm, cp, mkdir, …) go to the other filesystem as they are.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ._install import pip_install

try:
    from fsspec import filesystem
    from fsspec.callbacks import DEFAULT_CALLBACK
    from fsspec.implementations.chained import ChainedFileSystem
    from fsspec.implementations.local import LocalFileSystem
    from fsspec.utils import isfilelike
except ImportError:
    raise ImportError(
        f"rijn.fsspec needs the package fsspec, 2025.10 or newer: {pip_install('fsspec')}"
    ) from None

from ._traceback import clean_traceback
from .files.format import check_passphrase
from .files.objects import FileReader, FileWriter, new_result
from .files.secret import Secret

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from ._check import Buffer
    from .files.objects import Result

__all__ = ["RijnFileSystem"]

_HEAD = 512  # bytes to fetch at first: the header and the prefix of the message


class RijnFileSystem(ChainedFileSystem):  # type: ignore[misc]
    """A filesystem of encrypted files on another filesystem.

    :param fs: the other filesystem. Chained URLs give `target_protocol` and `target_options`
        instead.
    :param key_file: the path of a key file, on the local disk.
    :param passphrase_env: instead of it: the name of an environment variable with a passphrase.
    :param aead: of written files: IANA's name or the short one; None for the default.
    :param backend: the name of a backend; None for the default.
    :raises TypeError: for a key or a passphrase itself, or unless there is either `key_file` or
        `passphrase_env`.
    """

    protocol = "rijn"

    @clean_traceback
    def __init__(
        self,
        fs: Any = None,
        *,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        key_file: str | os.PathLike[str] | None = None,
        passphrase_env: str | None = None,
        aead: str | None = None,
        backend: str | None = None,
        **storage_options: Any,
    ) -> None:
        if storage_options.keys() & {"key", "passphrase"}:
            raise TypeError(
                "fsspec keeps and pickles options, so they contain no key or passphrase: use "
                "key_file= or passphrase_env=, or rijn.files.open with a file object"
            )
        if (key_file is None) == (passphrase_env is None):
            raise TypeError("give either key_file= or passphrase_env=")
        storage_options.pop("fo", None)  # codespell:ignore. The path of a chained URL comes again
        super().__init__(**storage_options)
        self.fs = filesystem(target_protocol, **(target_options or {})) if fs is None else fs
        self._key_file = key_file
        self._passphrase_env = passphrase_env
        self._aead = aead
        self._backend = backend
        self._known: Secret | None = None

    # ---- Keys ----

    def _secret(self) -> Secret:
        """Reads the key file or the variable, which may have changed."""
        if self._key_file is not None:
            return Secret(self._key_file, None)
        value = os.environ.get(str(self._passphrase_env))
        if value is None:  # the name is not repeated: it may be the passphrase
            raise ValueError("passphrase_env names an environment variable that is not set")
        passphrase = check_passphrase(os.fsencode(value))
        if self._known is None or not self._known.is_of(passphrase):
            self._known = Secret(None, passphrase)
        return self._known

    # ---- Files ----

    @clean_traceback
    def _open(
        self,
        path: str,
        mode: str = "rb",
        *,
        autocommit: bool = True,
        **_kwargs: Any,
    ) -> FileReader | FileWriter:
        if mode == "rb":
            return FileReader(self._source(path), self._secret(), owned=True, backend=self._backend)
        if mode not in ("wb", "xb"):
            raise ValueError(f"mode is {mode!r}; an encrypted file is read (rb) or new (wb, xb)")
        secret = self._secret()
        result: Result
        if isinstance(self.fs, LocalFileSystem):
            local = self.fs._strip_protocol(path)
            if self.fs.auto_mkdir:
                self.fs.makedirs(self.fs._parent(local), exist_ok=True)
            result = new_result(local, mode, secret)
        else:
            result = _Upload(self.fs, path, exclusive=mode == "xb")
        return _Writer(
            result,
            secret,
            mode=mode,
            aead=self._aead,
            backend=self._backend,
            autocommit=autocommit,
        )

    @clean_traceback
    def get_file(
        self,
        rpath: str,
        lpath: Any = None,
        callback: Any = DEFAULT_CALLBACK,
        outfile: Any = None,
        **kwargs: Any,
    ) -> None:
        """Copies the plaintext to a local path. The file there appears when it is complete."""
        if outfile is not None or isfilelike(lpath) or self.isdir(rpath):
            super().get_file(rpath, lpath, callback, outfile, **kwargs)
            return
        os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
        result = new_result(lpath, "wb", self._secret())
        result.begin()
        try:
            super().get_file(rpath, None, callback, result, **kwargs)
            result.commit()
        except BaseException:
            result.discard()
            raise

    def _source(self, path: str) -> BinaryIO:
        if isinstance(self.fs, LocalFileSystem):
            return cast("BinaryIO", builtins.open(self.fs._strip_protocol(path), "rb", buffering=0))
        return cast("BinaryIO", _Ranges(self.fs, path))

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        found = _listed(self.fs.info(self._strip_protocol(path), **kwargs))
        if found["type"] == "file":
            with self._open(found["name"]) as plain:
                found["size"] = cast("FileReader", plain).size
        return found

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        found: list[Any] = self.fs.ls(self._strip_protocol(path), detail=detail, **kwargs)
        return [_listed(each) for each in found] if detail else found

    # ---- As they are ----

    def exists(self, path: str, **kwargs: Any) -> bool:
        return bool(self.fs.exists(self._strip_protocol(path), **kwargs))

    def isfile(self, path: str) -> bool:
        return bool(self.fs.isfile(self._strip_protocol(path)))

    def isdir(self, path: str) -> bool:
        return bool(self.fs.isdir(self._strip_protocol(path)))

    def created(self, path: str) -> Any:
        return self.fs.created(self._strip_protocol(path))

    def modified(self, path: str) -> Any:
        return self.fs.modified(self._strip_protocol(path))

    def ukey(self, path: str) -> Any:
        return self.fs.ukey(self._strip_protocol(path))

    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        self.fs.mkdir(self._strip_protocol(path), create_parents=create_parents, **kwargs)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self.fs.makedirs(self._strip_protocol(path), exist_ok=exist_ok)

    def rmdir(self, path: str) -> None:
        self.fs.rmdir(self._strip_protocol(path))

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        self.fs.rm(self._strip_protocol(path), recursive=recursive, maxdepth=maxdepth)

    def rm_file(self, path: str) -> None:
        self.fs.rm_file(self._strip_protocol(path))

    def cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        self.fs.cp_file(self._strip_protocol(path1), self._strip_protocol(path2), **kwargs)

    def mv(self, path1: str, path2: str, **kwargs: Any) -> None:
        self.fs.mv(self._strip_protocol(path1), self._strip_protocol(path2), **kwargs)

    def invalidate_cache(self, path: str | None = None) -> None:
        self.fs.invalidate_cache(path)

    def unstrip_protocol(self, name: str) -> str:
        return f"rijn::{self.fs.unstrip_protocol(self._strip_protocol(name))}"


def _listed(info: dict[str, Any]) -> dict[str, Any]:
    """Returns the entry of a listing without the size of the encrypted file as its size."""
    if info["type"] != "file":
        return dict(info)
    return {**info, "size": None, "sealed_size": info["size"]}


class _Ranges(io.RawIOBase):
    """A remote file. It fetches each range that is read, and the start of the file only once."""

    def __init__(self, fs: Any, path: str) -> None:
        super().__init__()
        self.name = path
        self._fs = fs
        size = fs.info(path)["size"]
        if size is None:
            raise OSError(f"{path}: its filesystem does not tell its size")
        self._size = int(size)
        self._position = 0
        self._head = self._fetch(0, min(_HEAD, self._size))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        target = memoryview(buffer).cast("B")
        start = self._position
        end = min(start + len(target), self._size)
        if start >= end:
            return 0
        inside = end <= len(self._head)
        data = self._head[start:end] if inside else self._fetch(start, end)
        target[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _fetch(self, start: int, end: int) -> bytes:
        if start >= end:
            return b""
        found: bytes = self._fs.cat_file(self.name, start=start, end=end)
        return found[: end - start]


class _Upload:
    """A remote result: a local file with the encrypted bytes, which `commit` uploads."""

    def __init__(self, fs: Any, path: str, *, exclusive: bool) -> None:
        self.name = path
        self._fs = fs
        self._exclusive = exclusive
        self._local: Any = None
        self._check()

    def _check(self) -> None:
        if self._exclusive and self._fs.exists(self.name):
            raise FileExistsError(f"{self.name}: exists already; mode wb replaces it")

    def begin(self) -> None:
        self._local = tempfile.NamedTemporaryFile(prefix="rijn-")  # noqa: SIM115

    def write(self, data: Buffer) -> None:
        self._local.write(data)

    def commit(self) -> None:
        try:
            self._local.flush()
            self._check()
            self._fs.put_file(self._local.name, self.name)
        finally:
            self.discard()

    def discard(self) -> None:
        if self._local is not None:
            self._local.close()


class _Writer(FileWriter):
    """A FileWriter that fsspec closes, also after an exception."""

    def __init__(self, result: Result, secret: Secret, *, autocommit: bool, **options: Any) -> None:
        self._autocommit = autocommit
        self._is_whole = False
        self._handled = sys.exc_info()[1]
        super().__init__(result, secret, **options)

    def close(self) -> None:
        error = sys.exc_info()[1]
        if not self.closed and error is not None and error is not self._handled:
            text = f"{self.name}: not written, because it was closed while an exception was handled"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
            self.discard()
        super().close()

    def _complete(self) -> None:
        self._is_whole = True
        if self._autocommit:
            super()._complete()

    def commit(self) -> None:
        """Completes the result of a transaction, if its file was closed without an error."""
        if self._is_whole and not self._autocommit:
            super()._complete()
