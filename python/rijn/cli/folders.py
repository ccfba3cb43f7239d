"""Opens and makes folders for results.

This module uses permissions.py. targets.py, destination.py and tree.py use it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from .failures import Exit, Failure, naming
from .permissions import bits_like, umask

if TYPE_CHECKING:
    from collections.abc import Iterable


class Folder:
    """An open folder for results, whose names are relative to its descriptor: no link that
    somebody plants in its path counts. It is closed when nobody holds it any more."""

    def __init__(self, path: str, fd: int, names: Iterable[str] | None = None) -> None:
        """names: its entries, if they are known. OSError."""
        self.path = path
        self.fd = fd
        self.umask = umask()
        with naming(path):
            self.status = os.fstat(fd)
            self.names = frozenset(os.listdir(fd) if names is None else names)
        self.identity = self.status.st_dev, self.status.st_ino
        self._holders = 1

    def hold(self) -> Self:
        """Keeps it open until it is released once more."""
        self._holders += 1
        return self

    def release(self) -> None:
        self._holders -= 1
        if not self._holders:
            os.close(self.fd)

    def sync(self) -> None:
        """Syncs it. Errors are ignored: its results have names and are whole."""
        with suppress(OSError):
            os.fsync(self.fd)


def open_folder(path: str, at: int | None = None, *, follow: bool = False) -> int:
    """The descriptor of a folder, of that name in the folder `at`. Without `follow` a link to a
    folder is no folder. OSError."""
    flags = os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW)
    return os.open(path, flags, dir_fd=at)


def make_folder(path: str, model: os.stat_result, above: Folder) -> Folder:
    """Opens the folder of that path, in the folder above it. Makes it if there is none, with the
    permission bits of another as of rule 6, but that its owner may do anything. A new folder keeps
    the setgid bit that it gets from the folder above, which is to be synced. In the main thread.
    OSError; Failure where something else has the name, a link to a folder included."""
    name, made = os.path.basename(path), True
    with naming(path):
        try:
            os.mkdir(name, 0o700, dir_fd=above.fd)
        except FileExistsError:
            made = False
            if not stat.S_ISDIR(os.lstat(name, dir_fd=above.fd).st_mode):
                text = f"{path}: exists already, and is no folder"
                raise Failure(text, "move it away", Exit.REFUSED) from None
        fd = open_folder(name, above.fd)
    try:
        if made:
            with suppress(OSError):
                inherited = os.fstat(fd).st_mode & stat.S_ISGID
                os.fchmod(fd, inherited | 0o700 | bits_like(model, fd) & ~above.umask)
        return Folder(path, fd, () if made else None)
    except BaseException:
        os.close(fd)
        raise


def sync_folder(path: str) -> None:
    """Syncs a folder. Errors are ignored: its results have names and are whole."""
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
