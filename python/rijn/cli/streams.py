"""Names of streams instead of files: descriptors, pipes, devices, and entries of /dev, /proc and /sys.
No result goes to the folder of such a source."""

from __future__ import annotations

import os
import re
import stat

_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile("/(?:dev|proc/self)/fd/([0-9]{1,9})")
_SYSTEM = ("/dev/", "/proc/", "/sys/")
_MEMORY = "/dev/shm/"  # holds ordinary files


def descriptor(path: str) -> int | None:
    """Returns the descriptor that a name such as /dev/fd/3 stands for."""
    if path in _STANDARD:
        return _STANDARD[path]
    match = _DESCRIPTOR.fullmatch(path)
    return int(match[1]) if match else None


def is_stream(path: str) -> bool:
    """Returns whether a source is a stream, and is treated like standard input."""
    if is_system_folder(os.path.realpath(os.path.dirname(os.path.abspath(path)))):
        return True
    mode = _mode(path)
    return bool(mode) and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_system_folder(folder: str) -> bool:
    """Returns whether a folder is one of the kernel's, where files exist only in memory. Its name must
    have no links."""
    name = folder + os.sep
    return name.startswith(_SYSTEM) and not name.startswith(_MEMORY)


def is_socket(path: str) -> bool:
    return stat.S_ISSOCK(_mode(path))


def _mode(path: str) -> int:
    """Returns the mode, or 0 if there is no such file. Opening it reports the error."""
    try:
        return os.stat(path).st_mode
    except OSError:
        return 0
