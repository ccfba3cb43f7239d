"""The descriptors 0, 1 and 2, which whoever starts the program may have closed.

What is opened next would get their numbers: a destination that is descriptor 2 takes the
error lines in, and a source that is descriptor 1 is "the same file" as standard output.
Python, for its part, prints on standard output what was meant for a standard error that
is not there. So all three are open before anything else is: 0 cannot be read, 1 cannot be
written, and 2 swallows what it gets.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from contextlib import suppress

import click

closed: set[int] = set()  # those that were
_OUTPUT = "standard output"


class _Closed(io.TextIOBase):
    """What Python prints to where standard output is closed."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, "it is closed", _OUTPUT)


def open_all() -> None:
    """Opens whichever of the three is closed."""
    for fd, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            closed.add(fd)
            if os.open(os.devnull, flags) != fd:  # it is the lowest number that is free
                raise
            os.set_inheritable(fd, True)
    if 1 in closed:
        sys.stdout = _Closed()
    if 2 in closed:
        _silence("stderr")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # as sys.stderr has it: names may hold any


def flush() -> None:
    """Has what was printed leave the program. OSError."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _silence("stdout")
        error.filename = _OUTPUT
        raise


def echo(text: str = "", *, nl: bool = True) -> None:
    """Prints on standard output, and an end of line. OSError, which names it."""
    try:
        click.echo(text, nl=nl)
    except OSError as error:
        error.filename = _OUTPUT
        raise


def receives(status: os.stat_result) -> bool:
    """Return whether standard output is redirected to the regular file of this status."""
    if 1 in closed or not stat.S_ISREG(status.st_mode):
        return False
    return os.path.samestat(status, os.fstat(1))


def is_unused() -> bool:
    """Return whether standard output is a pipe, or a file, to which nothing was written. False where
    standard error goes to the same, and of a file that was removed or replaced."""
    if 1 in closed:
        return False
    found = os.fstat(1)
    empty = stat.S_ISREG(found.st_mode) and found.st_nlink > 0 and found.st_size == 0
    return (empty or stat.S_ISFIFO(found.st_mode)) and not os.path.samestat(found, os.fstat(2))


def say(line: str) -> None:
    """Prints a line on standard error. If that cannot be, the exit code has to say it alone."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _silence("stderr")


def _silence(name: str) -> None:
    """Python flushes sys.stdout and sys.stderr once more at its end, and if that fails, the exit
    code is Python's own; so what failed is put out of its reach."""
    with suppress(OSError):
        setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
