"""Permission bits for results: another file's bits, and the umask."""

from __future__ import annotations

import os
import re
import stat

_UMASK = re.compile(rb"^Umask:\s*([0-7]+)$", re.MULTILINE)


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


def bits_of_result(
    source: os.stat_result | None, replaced: os.stat_result | None, result: int, mask: int
) -> int:
    """Returns the permission bits of a result, an open file: the bits of the file that it replaces,
    else of its source, else of any new file, without the umask's. OSError."""
    mode = bits_like(source, result) & ~mask
    if replaced is None:
        return mode
    bits = bits_like(replaced, result)
    # In a shared folder another user may have made the file, to make the result readable.
    is_owners = replaced.st_uid == os.fstat(result).st_uid
    return bits if is_owners else bits & mode


def umask() -> int:
    """Returns the umask of the process. Linux tells it. Elsewhere reading it sets it for a moment, so
    call this in the main thread there."""
    try:
        with open("/proc/self/status", "rb") as status:
            found = _UMASK.search(status.read())
    except OSError:
        found = None
    if found:
        return int(found[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
