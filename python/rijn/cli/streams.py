"""Names that stand for a stream, not for a file: descriptors, pipes, devices, and the entries of
/dev, /proc and /sys. No result gets a name beside them."""

from __future__ import annotations

import os
import re
import stat

_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile("/(?:dev|proc/self)/fd/([0-9]{1,9})")
_SYSTEM = ("/dev/", "/proc/", "/sys/")
_MEMORY = "/dev/shm/"  # holds ordinary files


def descriptor(path: str) -> int | None:
    """Return the number of the open descriptor that a name such as /dev/fd/3 stands for."""
    if path in _STANDARD:
        return _STANDARD[path]
    match = _DESCRIPTOR.fullmatch(path)
    return int(match[1]) if match else None


def is_stream(path: str) -> bool:
    """Return whether a source is read as standard input is, whatever its name."""
    if is_system_folder(os.path.realpath(os.path.dirname(os.path.abspath(path)))):
        return True
    mode = _mode(path)
    return bool(mode) and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_system_folder(folder: str) -> bool:
    """Return whether a folder, named without links, is one of the kernel's. A file that a program
    makes there is in memory alone."""
    name = folder + os.sep
    return name.startswith(_SYSTEM) and not name.startswith(_MEMORY)


def is_socket(path: str) -> bool:
    return stat.S_ISSOCK(_mode(path))


def _mode(path: str) -> int:
    """0 without a file of that name: whoever opens it reports the error."""
    try:
        return os.stat(path).st_mode
    except OSError:
        return 0
