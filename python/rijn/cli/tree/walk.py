"""Walks through a tree and finds its files.

This module uses names.py and folders.py.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from ...disk.acl import status_of
from ..failures import REPORTED, Exit, Failure, naming
from ..options import changed, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from ..folders import Folder
    from .folders import NoFolders
    from .names import Tree

_KINDS = (
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
)


class Found(NamedTuple):
    """An entry of the tree: a file to work on, an error, or a symbolic link, which is skipped. `place`
    is the folder's descriptor, valid until the next entry."""

    source: str
    result: str
    name: str = ""  # the source's name in its folder
    place: int = -1
    folder: Folder | None = None  # for the result
    error: BaseException | None = None
    is_link: bool = False


class File:
    """An open regular file of the tree, and the name of its result."""

    __slots__ = (
        *("_fd", "_reads", "_unchanging"),
        *("folder", "name", "older", "result", "source", "status"),
    )

    def __init__(self, found: Found, fd: int, status: os.stat_result, *, unchanging: bool) -> None:
        self.source = found.source
        self.result = found.result
        self.name = found.result.rpartition(os.sep)[2]
        self.folder = found.folder  # of the result, if there is one
        self.status = status
        self.older: os.stat_result | None = None  # the older result to replace
        self._fd = fd
        self._unchanging = unchanging
        self._reads: BinaryIO | None = None

    @property
    def is_named(self) -> bool:
        """True if the result's name existed when its folder was opened."""
        return self.folder is not None and self.name in self.folder.names

    @property
    def reads(self) -> BinaryIO:
        """The file, unbuffered."""
        if self._reads is None:
            self._reads = reading(self._fd, self.source, unchanging=self._unchanging)
        return self._reads

    def content(self) -> bytes | None:
        """Reads a small file in one step; None if its size differs from its status. Failure if
        it changes but must not; OSError."""
        size = self.status.st_size
        data = os.pread(self._fd, size + 1, 0)
        if self._unchanging:
            now = os.fstat(self._fd)
            if (now.st_size, now.st_mtime_ns) != (size, self.status.st_mtime_ns):
                raise changed(self.source, size, len(data), now.st_size)
        return data if len(data) == size else None

    def close(self) -> None:
        os.close(self._fd)
        if self.folder is not None:
            self.folder.release()


def walk_tree(
    tree: Tree, result_name: Callable[[str], str | None], folders: NoFolders
) -> Iterator[Found]:
    """Yields the entries of the tree, except folders: first a folder's files, by name, then the files in
    its subfolders. Does not follow links."""
    todo: list[tuple[tuple[str, ...], os.stat_result | None]] = [((), None)]
    while todo:
        inner, known = todo.pop()
        folder = os.path.join(tree.folder, *inner)
        out = os.path.join(tree.folder if tree.out is None else tree.out, *inner)
        try:
            place, found = _listed(folder, known)
        except REPORTED as error:
            yield Found(folder, out, error=error)
            continue
        below: list[tuple[tuple[str, ...], os.stat_result | None]] = []
        results: Folder | None = None
        try:
            with naming(folder):
                in_it = {entry.name for entry in found if entry.is_dir(follow_symlinks=False)}
            results = folders.open(inner, place, (entry.name for entry in found))
            before, before_results = os.path.join(folder, ""), os.path.join(out, "")
            for entry in found:
                path = before + entry.name
                try:
                    with naming(path):
                        if entry.name in in_it:
                            below.append(((*inner, entry.name), entry.stat(follow_symlinks=False)))
                            continue
                        if entry.is_symlink():
                            yield Found(path, "", is_link=True)
                            continue
                        name = _name_of_result(entry, result_name, in_it)
                except REPORTED as error:
                    yield Found(path, "", error=error)
                else:
                    if name is not None:
                        yield Found(path, before_results + name, entry.name, place, results)
        except REPORTED as error:
            yield Found(folder, out, error=error)
        finally:
            os.close(place)
            if results is not None:
                results.release()
        todo += reversed(below)


def _listed(folder: str, known: os.stat_result | None) -> tuple[int, list[os.DirEntry[str]]]:
    """Opens a folder. Returns its descriptor, which the caller closes, and its entries by name. Failure
    if it is not the known folder any more: its name may be a link by now. OSError."""
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if known is not None and not os.path.samestat(os.fstat(place), known):
            raise Failure("became another folder meanwhile", "try again", Exit.OTHER)
        with naming(folder), os.scandir(place) as entries:
            return place, sorted(entries, key=lambda entry: entry.name)
    except BaseException:
        os.close(place)
        raise


def _name_of_result(
    entry: os.DirEntry[str], result_name: Callable[[str], str | None], folders: set[str]
) -> str | None:
    """Returns the name of the entry's result; None: skip it. Failure if it cannot have one."""
    if not entry.is_file(follow_symlinks=False):
        mode = entry.stat(follow_symlinks=False).st_mode
        is_what = next((says for kind, says in _KINDS if kind(mode)), "is a device")
        hint = "-r takes regular files; tar keeps everything: tar c FOLDER | rijn encrypt"
        raise Failure(is_what, hint, Exit.REFUSED)
    name = result_name(entry.name)
    if name in folders:
        hint = "rename one of the two"
        raise Failure(f"would become {name}, which is also a folder", hint, Exit.REFUSED)
    return name


def open_found(found: Found, *, unchanging: bool) -> File:
    """Opens a found file. Refuses a link or anything else that now has its name. OSError, Failure."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        with naming(found.source):
            fd = os.open(found.name, flags, dir_fd=found.place)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _became_another() from None
        raise
    try:
        with naming(found.source):
            status = status_of(fd)
        if not stat.S_ISREG(status.st_mode):
            raise _became_another()
    except BaseException:
        os.close(fd)
        raise
    if found.folder is not None:
        found.folder.hold()
    return File(found, fd, status, unchanging=unchanging)


def _became_another() -> Failure:
    return Failure("became another file meanwhile", "try again", Exit.OTHER)
