"""Giving a file a name that nothing has yet, or another's, in one step: what `os` lacks.

os.rename replaces what has the name. Linux has renameat2(2) with RENAME_NOREPLACE since
3.15, in glibc since 2.28; macOS renameatx_np(2) with RENAME_EXCL. File systems may refuse
the flag (NFS and many of FUSE do). Likewise RENAME_EXCHANGE and RENAME_SWAP: each gets the
other's name.
"""

from __future__ import annotations

import os
import sys
from errno import EEXIST

from .clibrary import c_library

_AT_FDCWD = -100  # Linux
_AT_FDCWD_DARWIN = -2
_RENAME_NOREPLACE = 1
_RENAME_EXCHANGE = 2
_RENAME_EXCL = 4
_RENAME_SWAP = 2


def rename_new(old: str, new: str, *, folder: int | None = None) -> bool:
    """Renames old to new, unless new exists: FileExistsError. False where that cannot be done,
    or fails for any other reason; both names are then as they were.

    folder  the descriptor of the folder that the names are in; None: they are paths"""
    error = _rename(old, new, _RENAME_NOREPLACE, _RENAME_EXCL, folder)
    if error == EEXIST:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), new)
    return error == 0


def swap(one: str, other: str) -> bool:
    """Gives each of two files or folders the other's name. False where that cannot be done, or
    fails; both names are then as they were."""
    return _rename(one, other, _RENAME_EXCHANGE, _RENAME_SWAP) == 0


def _rename(old: str, new: str, linux: int, darwin: int, folder: int | None = None) -> int | None:
    """With a flag of the system's: 0, or the error's number; None where there is no such call."""
    try:
        libc = c_library()
        names = os.fsencode(old), os.fsencode(new)
        if sys.platform == "darwin":
            at = _AT_FDCWD_DARWIN if folder is None else folder
            failed = libc.renameatx_np(at, names[0], at, names[1], darwin)
        elif sys.platform == "linux":
            at = _AT_FDCWD if folder is None else folder
            failed = libc.renameat2(at, names[0], at, names[1], linux)
        else:
            return None
    except (ImportError, OSError, AttributeError):
        return None
    if not failed:
        return 0
    import ctypes

    return ctypes.get_errno()
