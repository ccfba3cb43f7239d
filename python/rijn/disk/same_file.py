"""Compares files: whether they are the same, or share bytes."""

from __future__ import annotations

import os
import stat
from contextlib import suppress


def unchanged(path: str, read: os.stat_result, *, folder: int | None = None) -> bool:
    """Returns whether a name, in an open folder if there is one, still has the file that was read, and
    the file is unchanged. OSError."""
    found = os.lstat(path, dir_fd=folder)
    return (
        stat.S_ISREG(found.st_mode)
        and os.path.samestat(found, read)
        and (found.st_size, found.st_mtime_ns) == (read.st_size, read.st_mtime_ns)
    )


def overlap(a: os.stat_result, b: os.stat_result) -> bool:
    """Returns whether writing to one file changes the other, as far as their statuses tell."""
    if stat.S_ISBLK(a.st_mode) and stat.S_ISBLK(b.st_mode):
        one, other = _in_sysfs(a), _in_sysfs(b)
        nested = f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
        return a.st_rdev == b.st_rdev or nested  # a disk and its partition
    for device, file in ((a, b), (b, a)):
        if stat.S_ISBLK(device.st_mode) and stat.S_ISREG(file.st_mode):
            with suppress(OSError), open(f"{_in_sysfs(device)}/loop/backing_file") as backing:
                return os.path.samestat(os.stat(backing.read().rstrip("\n")), file)
    kinds = (stat.S_ISREG, stat.S_ISFIFO)
    return any(kind(a.st_mode) for kind in kinds) and os.path.samestat(a, b)


def _in_sysfs(device: os.stat_result) -> str:
    number = f"{os.major(device.st_rdev)}:{os.minor(device.st_rdev)}"
    return os.path.realpath(f"/sys/dev/block/{number}")
