"""Permission bits for results: another file's bits, and the umask. This module uses only signals.py."""

from __future__ import annotations

import os
import stat

from .signals import undisturbed


def bits_like(model: os.stat_result | None, result: int) -> int:
    """Returns the permission bits that an open file or folder takes from another one. OSError."""
    if model is None or not (stat.S_ISREG(model.st_mode) or stat.S_ISDIR(model.st_mode)):
        return 0o666
    mode = stat.S_IMODE(model.st_mode) & 0o777
    elsewhere = mode & (
        0o707 | (mode & 0o007) << 3
    )  # in another group, group bits would reach other people
    if elsewhere != mode and model.st_gid != os.fstat(result).st_gid:
        return elsewhere
    return mode


def umask() -> int:
    """Returns the umask of the process. Reading it sets it for a moment, so signals wait."""
    with undisturbed():
        mask = os.umask(0o077)
        os.umask(mask)
    return mask
