"""Opens and makes folders for results."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from ..disk.permissions import bits_like, umask
from .failures import Exit, Failure, naming

if TYPE_CHECKING:
    from collections.abc import Iterable


class Folder:
    """An open folder for results. Names are relative to its descriptor, so links that somebody puts
    into its path have no effect. It closes when its last holder releases it."""

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
        """Adds a holder, which keeps the folder open until it calls `release`."""
        self._holders += 1
        return self

    def release(self) -> None:
        self._holders -= 1
        if not self._holders:
            os.close(self.fd)

    def sync(self) -> None:
        """Syncs the folder. Ignores errors: its results have names and are complete."""
        with suppress(OSError):
            os.fsync(self.fd)


def open_folder(path: str, at: int | None = None, *, follow: bool = False) -> int:
    """Returns the descriptor of a folder. `path` may be relative to the open folder `at`. Without
    `follow`, refuses a link to a folder. OSError."""
    flags = os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW)
    return os.open(path, flags, dir_fd=at)


def make_folder(path: str, model: os.stat_result, above: Folder) -> Folder:
    """Opens the folder at a path, or makes it. Call this in the main thread. OSError; Failure if the
    name is not a folder's, even if it is a link to a folder.

    A new folder gets the permission bits of `model` as in rule 6 of destination.py, and its owner may
    do anything. It keeps the setgid bit from the folder above. The caller syncs the folder above.
    """
    name, made = os.path.basename(path), True
    with naming(path):
        try:
            os.mkdir(name, 0o700, dir_fd=above.fd)
        except FileExistsError:
            made = False
            if not stat.S_ISDIR(os.lstat(name, dir_fd=above.fd).st_mode):
                text = f"{path}: exists already, and is not a folder"
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
