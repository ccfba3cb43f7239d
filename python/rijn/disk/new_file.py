"""A file that gets its name only when it is complete.

It is written to a temporary file in the same folder, with mode 0600. That is synced and renamed. Then
it gets its permission bits, and the folder is synced. The command's destination.py explains the
order. A kill or a power cut leaves at most the temporary file `.rijn-*.part`.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from errno import EEXIST, EINVAL, EISDIR, ENOENT
from typing import TYPE_CHECKING, Self

from .._uncopyable import OneProcess
from .acl import without_acl
from .permissions import bits_of_result, umask
from .rename import rename_new
from .same_file import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from .._check import Buffer


def temporary_name() -> str:
    """Returns a name for a temporary file."""
    return f".rijn-{os.urandom(8).hex()}.part"


def create(path: str, *, folder: int | None = None) -> int:
    """Makes a new file that only its owner may read, and returns its descriptor. OSError.

    folder  the descriptor of the file's folder; None: `path` is an ordinary path
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o600, dir_fd=folder)


def take_name(temporary: str, path: str, *, folder: int | None = None) -> None:
    """Renames a file, and replaces none. FileExistsError if there is a file with the new name; OSError.

    folder  the descriptor of the folder of both names; None: they are paths
    """
    try:
        if rename_new(temporary, path, folder=folder):
            return
        os.link(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise
    except OSError:  # EPERM, EOPNOTSUPP, on Android EACCES: no hard links
        with suppress(FileNotFoundError):
            os.lstat(path, dir_fd=folder)
            raise FileExistsError(EEXIST, os.strerror(EEXIST), path) from None
        os.rename(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(temporary, dir_fd=folder)


def sync_folder(path: str) -> None:
    """Syncs a folder. Ignores errors: its results have names and are complete."""
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


class NewFile(OneProcess):
    """A result for callers without signal handlers of their own.

    Leaving a `with` block without an error gives the file its name. An error leaves an existing file
    as it is, and removes the temporary file. In a process that was forked since, `write` and
    `commit` raise RuntimeError, and `discard` does not touch the file.
    """

    __slots__ = (
        "_fd",
        "_hint",
        "_mask",
        "_others",
        "_overwrite",
        "_path",
        "_source",
        "_temporary",
        "name",
    )

    AFTER_FORK = "open another file in this process"

    def __init__(
        self,
        name: str | os.PathLike[str],
        *,
        overwrite: bool,
        hint: str,
        source: os.stat_result | None = None,
        others: Sequence[os.stat_result] = (),
    ) -> None:
        """Checks the name. Writes nothing: `with` or `begin` makes the temporary file.

        :param name: a path. A symbolic link stays, and the file that it names is replaced.
        :param overwrite: whether the file may replace a regular file.
        :param hint: how to replace it, for FileExistsError.
        :param source: the status of the source, which is never replaced and gives the permission
            bits.
        :param others: the statuses of other files that are never replaced.
        :raises FileExistsError: if there is such a file, and `overwrite` is False.
        :raises shutil.SameFileError: if it is the source or one of the others.
        :raises OSError: if there is no such folder, or the name stands for something else.
        """
        super().__init__()
        self.name = os.fsdecode(name)
        self._overwrite = overwrite
        self._hint = hint
        self._source = source
        self._others = others
        self._temporary = ""
        self._fd = -1
        self._path = os.path.realpath(self.name)
        # realpath also follows links that the kernel refuses, of other users in a shared folder.
        with suppress(FileNotFoundError):
            self._check(os.stat(self.name))
        folder = os.path.dirname(self._path)
        if not os.path.basename(self.name) or not os.path.isdir(folder):
            raise FileNotFoundError(ENOENT, "there is no such folder", self.name)
        self._mask = umask()

    def _check(self, found: os.stat_result) -> None:
        """Checks that the result may replace a file."""
        import shutil

        if self._source is not None and overlap(found, self._source):
            raise shutil.SameFileError(f"{self.name}: source and destination are the same file")
        if any(overlap(found, other) for other in self._others):
            raise shutil.SameFileError(f"{self.name}: is the key file")
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), self.name)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(EINVAL, "is not a regular file", self.name)
        if not self._overwrite:
            raise self._exists()

    def _exists(self) -> FileExistsError:
        return FileExistsError(EEXIST, f"{os.strerror(EEXIST)}; {self._hint}", self.name)

    def begin(self) -> Self:
        """Makes the temporary file. OSError."""
        temporary = os.path.join(os.path.dirname(self._path), temporary_name())
        self._temporary = temporary  # before there is such a file: an interrupt may come between
        try:
            self._fd = create(temporary)
        except OSError as error:
            self._temporary = ""
            error.filename = self.name
            raise
        except BaseException:
            self.discard()
            raise
        return self

    def write(self, data: Buffer) -> None:
        """Writes all of the data. OSError, with the file's name."""
        self._check_process()
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            error.filename = self.name
            raise

    def commit(self) -> None:
        """Syncs the file, and gives it its name. On an error, call `discard`. OSError as the
        constructor."""
        self._check_process()
        try:
            os.fsync(self._fd)
            if os.name == "nt":  # an open file keeps its name there
                self._close()
            replaced = self._take_name()
        except FileExistsError:
            raise self._exists() from None
        except OSError as error:
            if error.errno is None:  # shutil.SameFileError
                raise
            raise OSError(error.errno, error.strerror, self.name) from None
        self._temporary = ""
        if self._fd >= 0:
            with suppress(OSError):  # then only the owner can read the result
                os.fchmod(self._fd, bits_of_result(self._source, replaced, self._fd, self._mask))
        self._close()
        sync_folder(os.path.dirname(self._path))

    def _take_name(self) -> os.stat_result | None:
        """Returns the status of the file that is replaced."""
        if not self._overwrite:
            take_name(self._temporary, self._path)
            return None
        replaced = None
        with suppress(FileNotFoundError):
            found = os.lstat(self._path)
            self._check(found)
            replaced = without_acl(found, self._path, follow_symlinks=False)
        os.replace(self._temporary, self._path)
        return replaced

    def discard(self) -> None:
        """Removes the temporary file, if it has no name yet."""
        try:
            self._check_process()
        except RuntimeError:
            self._temporary = ""
        with suppress(OSError):
            self._close()
        if self._temporary:
            with suppress(OSError):
                os.unlink(self._temporary)
            self._temporary = ""

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> Self:
        return self.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.discard()
