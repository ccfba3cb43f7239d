"""Many results that share one sync.

A result gets its name only when it is complete and on the disk (destination.py). Syncing a small
result takes far longer than making it. So a batch of results is first written to temporary files.
Then, for all of them:

    sync       their bytes, by one call where the file system allows it; a signal still discards
    rename     each; from here on signals wait until the folders are synced
    sync       their folders, and the folders that got a new folder
    count      only now a result counts as done

A kill between the steps leaves temporary files and complete results.

The one call is syncfs(2). It reports errors since Linux 5.8, but not on every file system: FUSE does
not pass it on, and overlayfs has other errors than the file system below. Elsewhere, and if it
fails, each file is synced by its descriptor, which tells which bytes were lost.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..disk.clibrary import c_library
from .failures import Failure
from .signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._check import Buffer
    from .destination import Destination
    from .folders import Folder

MOST = 256  # open descriptors in a batch
MOST_BYTES = 8 << 20
_TELLS_ERRORS = (5, 8)  # the first Linux where syncfs reports errors
_TRUSTED = {  # types in statfs(2): file systems whose errors syncfs reports
    0xEF53,  # ext2, ext3, ext4
    0x58465342,  # XFS
    0x9123683E,  # Btrfs
    0xF2F52010,  # F2FS
    0x01021994,  # tmpfs
}

_Item = TypeVar("_Item")


class _Waiting(NamedTuple, Generic[_Item]):
    result: Destination
    folder: Folder
    item: _Item


class GroupCommit(Generic[_Item]):
    """Results that are written and have no names yet. Each has an item of the caller."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting[_Item]] = []
        self._folders: dict[tuple[int, int], Folder] = {}  # to be synced, by identity
        self._bytes = 0
        self._most = max(1, min(MOST, _descriptors() // 4))

    def write(self, result: Destination, folder: Folder, data: Buffer, item: _Item) -> None:
        """Writes the whole result. `commit` gives it its name. OSError."""
        result.__enter__()
        try:
            result.write(memoryview(data))
            result.prepare()
        except BaseException:
            result.close()
            raise
        self._waiting.append(_Waiting(result, folder.hold(), item))
        self._bytes += result.written
        self.changed(folder)

    def changed(self, folder: Folder) -> None:
        """Adds a folder, to be synced with the others, because something in it gets a name."""
        if folder.identity not in self._folders:
            self._folders[folder.identity] = folder.hold()

    @property
    def is_full(self) -> bool:
        descriptors = len(self._waiting) + len(self._folders)
        return descriptors >= self._most or self._bytes >= MOST_BYTES

    def commit(self) -> list[tuple[_Item, Failure | OSError | None]]:
        """Gives all results their names. Returns the items, each with its error or None.
        Interrupted."""
        outcomes: list[tuple[_Item, Failure | OSError | None]] = []
        try:
            errors = _sync_files(self._waiting)
            with undisturbed():
                for each in self._waiting:
                    error = errors.get(each.result) or _commit(each.result)
                    outcomes.append((each.item, error))
                _sync_folders(self._folders.values())
        finally:
            self.discard()
        return outcomes

    def discard(self) -> None:
        """Removes the results that have no names."""
        waiting, folders = self._waiting, self._folders
        self._waiting, self._folders, self._bytes = [], {}, 0
        for each in waiting:
            try:
                each.result.close()
            except OSError:
                continue
        for each in waiting:
            each.folder.release()
        for folder in folders.values():
            folder.release()


def _commit(result: Destination) -> Failure | OSError | None:
    try:
        result.commit()
    except Failure as failure:
        return failure
    except OSError as error:
        error.filename = result.name
        return error
    return None


def _sync_files(waiting: Sequence[_Waiting[Any]]) -> dict[Destination, OSError]:
    """Syncs all files. Returns the failed ones, each with its error."""
    errors = {}
    by_device: dict[int, list[Destination]] = {}
    for each in waiting:
        by_device.setdefault(each.folder.status.st_dev, []).append(each.result)
    for results in by_device.values():
        # The first was opened before any other was written, so it sees the errors of all.
        if len(results) > 1 and sync_file_system(results[0].descriptor):
            continue
        for result in results:
            try:
                os.fsync(result.descriptor)
            except OSError as error:
                error.filename = result.name
                errors[result] = error
    return errors


def _sync_folders(folders: Iterable[Folder]) -> None:
    by_device: dict[int, list[Folder]] = {}
    for folder in folders:
        by_device.setdefault(folder.status.st_dev, []).append(folder)
    for same in by_device.values():
        if len(same) == 1 or not sync_file_system(same[0].fd):
            for folder in same:
                folder.sync()


def sync_file_system(fd: int) -> bool:
    """Syncs the file system of an open file. Returns False if that may have failed: there is no such
    call, it reports an error, or the file system does not report errors."""
    if sys.platform != "linux" or _linux() < _TELLS_ERRORS:
        return False
    try:
        import ctypes

        libc = c_library()
        status = ctypes.create_string_buffer(256)  # struct statfs, which begins with its type
        if libc.fstatfs(fd, status):
            return False
        kind = ctypes.c_long.from_buffer(status).value & 0xFFFFFFFF
        return kind in _TRUSTED and libc.syncfs(fd) == 0
    except (ImportError, OSError, AttributeError):
        return False


@cache
def _linux() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall("[0-9]+", os.uname().release)[:2])


def _descriptors() -> int:
    """Returns how many files this process may have open."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST * 4 if soft == resource.RLIM_INFINITY else soft
