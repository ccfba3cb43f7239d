"""The standard descriptors 0, 1 and 2. The program may start with any of them closed.

The next file to be opened would get such a number. A destination with descriptor 2 would receive the
error lines, and a source with descriptor 1 would be "the same file" as standard output. Python prints
to standard output if standard error is missing. So this module first opens closed descriptors:
reading 0 and writing to 1 then fail, and 2 discards its data.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from contextlib import suppress

import click

closed: set[int] = set()  # descriptors that were closed at the start
_OUTPUT = "standard output"


class _Closed(io.TextIOBase):
    """Replaces sys.stdout if standard output is closed."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, "it is closed", _OUTPUT)


def open_all() -> None:
    """Opens those of the three that are closed."""
    for fd, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            closed.add(fd)
            if os.open(os.devnull, flags) != fd:  # open gives the lowest free number
                raise
            os.set_inheritable(fd, True)
    if 1 in closed:
        sys.stdout = _Closed()
    if 2 in closed:
        _silence("stderr")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # like sys.stderr: names may hold any bytes


def flush() -> None:
    """Flushes standard output. OSError."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _silence("stdout")
        error.filename = _OUTPUT
        raise


def echo(text: str = "", *, nl: bool = True) -> None:
    """Prints to standard output. OSError, which names standard output.

    nl  whether to end the line
    """
    try:
        click.echo(text, nl=nl)
    except OSError as error:
        error.filename = _OUTPUT
        raise


def receives(status: os.stat_result) -> bool:
    """Returns whether standard output is redirected to the regular file with this status."""
    if 1 in closed or not stat.S_ISREG(status.st_mode):
        return False
    return os.path.samestat(status, os.fstat(1))


def is_unused() -> bool:
    """Returns whether standard output is a pipe, or an empty file. False if standard error goes to the
    same place, or if the file was removed or replaced."""
    if 1 in closed:
        return False
    found = os.fstat(1)
    empty = stat.S_ISREG(found.st_mode) and found.st_nlink > 0 and found.st_size == 0
    return (empty or stat.S_ISFIFO(found.st_mode)) and not os.path.samestat(found, os.fstat(2))


def say(line: str) -> None:
    """Prints a line to standard error. Ignores errors: the exit code remains."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _silence("stderr")


def _silence(name: str) -> None:
    """Replaces a broken sys.stdout or sys.stderr. Python flushes both at its end, and an error there
    would replace the exit code."""
    with suppress(OSError):
        setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
