"""The options and habits that encrypt and decrypt share."""

from __future__ import annotations

import functools
import io
import os
import stat
import sys
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from . import standard
from .failures import Exit, Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from _typeshed import WriteableBuffer

_Function = TypeVar("_Function", bound="Callable[..., Any]")

STDIN = "-"
SUFFIX = ".rijn"
BARE_SUFFIX = ".c2sp"


def aead_option(help_text: str) -> Callable[[_Function], _Function]:
    return click.option("--aead", metavar="NAME", help=help_text)


def _advising(function: _Function) -> _Function:
    """The same; where there is too little memory, it says which option needs least."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except MemoryError:
            raise Failure("not enough memory", "--jobs 1 needs least", Exit.OTHER) from None

    return cast("_Function", call)


def work_options(function: _Function) -> _Function:
    function = _advising(function)
    for option in (
        click.option("--backend", metavar="NAME", help="The AES to use (see rijn backends)."),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            show_default="all cores",
            help="Work on chunks with N threads.",
        ),
        click.option(
            "-f", "--force", is_flag=True, help="Replace DST, if that is safe (see below)."
        ),
        click.option(
            "--bare",
            is_flag=True,
            help="The C2SP message alone, without Rijn's header; needs --key-file.",
        ),
        click.argument("dst", required=False),
        click.argument("src", required=False),
    ):
        function = option(function)
    return function


def all_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Unchanging(io.FileIO):
    """A source whose end is reported only if the bytes read are all that it had from the start.

    A regular file may shrink or grow or be written to while it is read, and what was read is then
    a file that never was. Pipes and devices have no size to hold them to, nor have the files of
    size 0 that /proc makes up.
    """

    def __init__(self, file: str | int, name: str) -> None:
        super().__init__(file, "rb", closefd=isinstance(file, str))
        self._name = name
        self._status = os.fstat(self.fileno())
        self._is_regular = stat.S_ISREG(self._status.st_mode)
        self._end = self.tell() if self._is_regular else 0  # of what was read

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        count = super().readinto(buffer)
        if count:
            self._end += count
        elif count == 0 and self._is_regular:
            self._check()
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """To a place up to which the bytes were read otherwise."""
        self._end = super().seek(offset, whence)
        return self._end

    def _check(self) -> None:
        now = os.fstat(self.fileno())
        size = now.st_size
        if (size, now.st_mtime_ns) != (self._status.st_size, self._status.st_mtime_ns) or (
            size and self._end < size
        ):
            raise Failure(
                f"{self._name}: changed while it was read: {self._status.st_size} bytes at first,"
                f" {self._end} read, {size} in the end",
                "make a copy that nobody writes to, and encrypt that",
                Exit.OTHER,
            )


def open_source(src: str | None, *, unchanging: bool = False) -> BinaryIO:
    """The source, unbuffered. OSError, UsageError, Failure.

    unchanging: its readinto raises Failure instead of an end that may not be the right one.
    """
    if src is None and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("Name a file, or give - to type the input.")
    name = source_name(src)
    file: str | int = name
    if src is None or src == STDIN:
        if 0 in standard.closed:
            raise Failure(f"{name} is closed", "name a source", Exit.OTHER)
        file = 0
    try:
        if unchanging:
            return cast("BinaryIO", _Unchanging(file, name))
        return cast("BinaryIO", open(file, "rb", buffering=0, closefd=file != 0))
    except OSError as error:
        error.filename = name
        raise


def source_name(src: str | None) -> str:
    return "standard input" if src is None or src == STDIN else src


def remaining(source: BinaryIO) -> int | None:
    """The bytes that a regular file still holds; None for anything else."""
    status = os.fstat(source.fileno())
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return None
    return max(0, status.st_size - source.tell())


# ---- What --force may replace ----
#
# `rijn encrypt -f -k my.key *.txt` is a command for SRC and DST where two files match, and the
# second is then a source that is meant to be encrypted too. So a DST that is named beside a
# named SRC, and exists, is replaced only if it is no loss or looks like what the command makes
# and SRC does not. Standard input as SRC, and a DST left out, cannot come from a pattern.

FORCE = """
\b
What --force replaces: an existing DST only if
  the command would choose it itself, were DST left out;
  or it is empty;
  or SRC is -, standard input{more}.

\b
Any other may be there because a pattern like *.txt, meant for sources, gave
SRC and DST: remove it first. The source and the key file are never replaced.
A block device is written to with --force only.
"""


def may_replace(
    src: str | None, dst: str | None, own: str, looks_made: Callable[[str], bool]
) -> Callable[[str], bool]:
    """Whether --force may replace the file of a path, for Destination.

    own         the file that the command would write to if DST were left out; "" if none
    looks_made  whether a path is that of a file such as the command makes
    """

    def answer(path: str) -> bool:
        return bool(
            dst is None
            or src is None
            or src == STDIN
            or os.path.getsize(path) == 0
            or (own and os.path.realpath(own) == path)
            or (looks_made(path) and not looks_made(src))
        )

    return answer


def is_rijn_file(path: str) -> bool:
    """Whether a file begins as one; never of what is not a regular file, or cannot be read."""
    from ..files import MAGIC

    try:
        with open(path, "rb", buffering=0, opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return False
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
