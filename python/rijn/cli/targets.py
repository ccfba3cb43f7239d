"""Looks at the name of a result: it may be free, or name a file, a pipe, a device or a descriptor.

This module uses folders.py, standard.py and streams.py. destination.py uses it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from . import standard, streams
from .failures import Exit, Failure, naming, running

if TYPE_CHECKING:
    from .folders import Folder


class Target(NamedTuple):
    """The place that a destination's name stands for."""

    name: str  # for messages
    path: str  # of the result; "" for a pipe or a device
    found: os.stat_result | None  # None: the file does not exist
    is_terminal: bool = False


def look_in(folder: Folder, name: str) -> Target:
    """Looks at a name in an open folder, without following links. Failure, OSError."""
    path = name.rpartition(os.sep)[2]
    if path in folder.names:  # Destination notices later names when it commits
        with suppress(FileNotFoundError), naming(name):
            found = os.lstat(path, dir_fd=folder.fd)
            if not stat.S_ISREG(found.st_mode):
                raise became_another(name)
            return Target(name, path, found)
    return Target(name, path, None)


def look_at(name: str, *, force: bool, is_key: bool) -> Target:
    """Looks at a path. Failure, OSError."""
    # A symbolic link stays a link. realpath also follows links of other users in a shared
    # folder, which the kernel refuses. So os.stat asks the kernel too.
    path = os.path.realpath(name)
    try:
        found = os.stat(name)
    except FileNotFoundError:
        found = None
    if found is None or stat.S_ISREG(found.st_mode):
        _check_place(name, path, found)
        return Target(name, path, found)
    if stat.S_ISDIR(found.st_mode):
        raise Failure(f"{name}: is a folder", "name the file to write in it", Exit.REFUSED)
    if stat.S_ISSOCK(found.st_mode):
        raise Failure(f"{name}: is a socket", "name a file or a pipe", Exit.REFUSED)
    if stat.S_ISBLK(found.st_mode) and not force:
        raise Failure(
            f"{name}: is a block device",
            "choose a file" if is_key else "--force overwrites its contents",
            Exit.REFUSED,
        )
    is_terminal = False
    if stat.S_ISCHR(found.st_mode):
        fd = os.open(name, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
        is_terminal = os.isatty(fd)
        os.close(fd)
    return Target(name, "", found, is_terminal)


def _check_place(name: str, path: str, found: os.stat_result | None) -> None:
    """Checks that a file can have this path, which is the name without links. Failure, OSError."""
    if found is not None and not os.path.samestat(found, os.lstat(path)):
        raise Failure(f"{name}: changed meanwhile", "try again", Exit.OTHER)
    folder = os.path.dirname(path)
    if not os.path.basename(name):
        raise Failure(f"{name}: there is no such folder", "make it first", Exit.OTHER)
    if not os.path.isdir(folder):
        raise Failure(f"{name}: there is no folder {folder}", "make it first", Exit.OTHER)
    if found is None and streams.is_system_folder(folder):
        raise Failure(
            f"{name}: there is no such device, and {folder} does not keep files",
            "name a file in another folder",
            Exit.REFUSED,
        )


def look_at_descriptor(fd: int, name: str, *, is_key: bool) -> Target:
    """Looks at a descriptor that was open at the program's start. Failure, OSError."""
    if fd == 1:
        name = "standard output"
    if fd in standard.closed:
        raise Failure(f"{name} is closed", "name a destination", Exit.OTHER)
    with naming(name):
        found = os.fstat(fd)
    if is_key and stat.S_ISREG(found.st_mode) and found.st_mode & 0o077:
        raise Failure(
            f"others could read the file that {name} is redirected to",
            f"{running()} -o FILE makes one that is safe",
            Exit.KEY_FILE,
        )
    if (
        is_key and stat.S_ISREG(found.st_mode) and found.st_size
    ):  # a file with two keys cannot be read
        raise Failure(
            f"the file that {name} is redirected to is not empty",
            f"{running()} -o FILE makes a new one",
            Exit.REFUSED,
        )
    return Target(name, "", found, os.isatty(fd))


def open_device(target: Target) -> int:
    """Opens a pipe or device. Failure if its name now stands for another one; OSError."""
    assert target.found is not None
    flags = os.O_WRONLY | getattr(os, "O_NOCTTY", 0)
    if stat.S_ISBLK(target.found.st_mode):
        flags |= os.O_EXCL  # Linux: EBUSY if it is mounted
    fd = os.open(target.name, flags)
    opened = os.fstat(fd)
    same_kind = stat.S_IFMT(opened.st_mode) == stat.S_IFMT(target.found.st_mode)
    if not (same_kind and os.path.samestat(opened, target.found)):  # inode numbers are reused
        os.close(fd)
        raise became_another(target.name)
    return fd


def became_another(name: str) -> Failure:
    """Returns the error for a name that now stands for another file."""
    return Failure(f"{name}: became another file meanwhile", "try again", Exit.REFUSED)
