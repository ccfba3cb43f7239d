"""Giving a file a name that nothing has yet, in one step: what `os` lacks.

os.rename replaces what has the name. Linux has renameat2(2) with RENAME_NOREPLACE since
3.15, in glibc since 2.28; macOS renamex_np(2) with RENAME_EXCL. File systems may refuse
the flag (NFS and many of FUSE do).
"""

from __future__ import annotations

import os
import sys
from errno import EEXIST
from typing import Any

_AT_FDCWD = -100  # Linux
_RENAME_NOREPLACE = 1
_RENAME_EXCL = 4


def rename_new(old: str, new: str) -> bool:
    """Renames old to new, unless new exists: FileExistsError. False where that cannot be done,
    or fails for any other reason; both names are then as they were."""
    try:
        import ctypes

        libc: Any = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(old), os.fsencode(new)
        if sys.platform == "darwin":
            failed = libc.renamex_np(*names, _RENAME_EXCL)
        elif sys.platform == "linux":
            failed = libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_NOREPLACE)
        else:
            return False
    except (ImportError, OSError, AttributeError):
        return False
    if failed and ctypes.get_errno() == EEXIST:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), new)
    return not failed
