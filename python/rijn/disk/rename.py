"""Renames without replacing, and swaps of two names, in one step. `os` has neither.

os.rename replaces an existing file. Linux has renameat2(2) with RENAME_NOREPLACE and RENAME_EXCHANGE
since 3.15, and glibc since 2.28. macOS has renameatx_np(2) with RENAME_EXCL and RENAME_SWAP. File
systems may refuse the flags, as NFS and many FUSE file systems do.
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
    """Renames old to new, and returns whether that worked. FileExistsError if `new` exists. If it
    returns False, both names are unchanged.

    folder  the descriptor of the folder of both names; None: they are paths
    """
    error = _rename(old, new, _RENAME_NOREPLACE, _RENAME_EXCL, folder)
    if error == EEXIST:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), new)
    return error == 0


def swap(one: str, other: str) -> bool:
    """Swaps the names of two files or folders, and returns whether that worked. If it returns False,
    both names are unchanged."""
    return _rename(one, other, _RENAME_EXCHANGE, _RENAME_SWAP) == 0


def _rename(old: str, new: str, linux: int, darwin: int, folder: int | None = None) -> int | None:
    """Renames with a flag of this system. Returns 0, an error number, or None if there is no such
    call."""
    if sys.platform not in ("linux", "darwin"):
        return None
    try:
        libc = c_library()
        names = os.fsencode(old), os.fsencode(new)
        if sys.platform == "darwin":
            at = _AT_FDCWD_DARWIN if folder is None else folder
            failed = libc.renameatx_np(at, names[0], at, names[1], darwin)
        else:
            at = _AT_FDCWD if folder is None else folder
            failed = libc.renameat2(at, names[0], at, names[1], linux)
    except (ImportError, OSError, AttributeError):
        return None
    if not failed:
        return 0
    import ctypes

    return ctypes.get_errno()
