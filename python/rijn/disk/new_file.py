"""A file that gets its name only when it is complete.

It is written to a temporary file in the same folder, with mode 0600. That is synced and renamed. Then
it gets its permission bits, and the folder is synced. The command's destination.py explains the
order. A kill or a power cut leaves at most the temporary file `.rijn-*.part`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EEXIST

from .rename import rename_new


def temporary_name() -> str:
    """Returns a name for a temporary file."""
    return f".rijn-{os.urandom(8).hex()}.part"


def create(path: str, *, folder: int | None = None) -> int:
    """Makes a new file that only its owner may read, and returns its descriptor. OSError.

    folder  the descriptor of the file's folder; None: `path` is an ordinary path
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o600, dir_fd=folder)


def take_name(temporary: str, path: str, *, folder: int | None = None) -> None:
    """Renames a file, and replaces none. FileExistsError if there is a file with the new name; OSError.

    folder  the descriptor of the folder of both names; None: they are paths
    """
    try:
        if rename_new(temporary, path, folder=folder):
            return
        os.link(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise
    except OSError:  # EPERM, EOPNOTSUPP, on Android EACCES: no hard links
        with suppress(FileNotFoundError):
            os.lstat(path, dir_fd=folder)
            raise FileExistsError(EEXIST, os.strerror(EEXIST), path) from None
        os.rename(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(temporary, dir_fd=folder)


def sync_folder(path: str) -> None:
    """Syncs a folder. Ignores errors: its results have names and are complete."""
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
