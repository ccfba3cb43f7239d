"""Failures: each one becomes one line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import signal
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

import click

from .standard import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


class Exit(IntEnum):
    OK = 0
    OTHER = 1
    USAGE = 2
    WRONG_KEY = 3
    DAMAGED = 4
    TRUNCATED = 5
    NOT_RIJN = 6
    KEY_FILE = 7
    NO_SPACE = 8
    REFUSED = 9
    SIGNAL = 128  # plus the signal's number


# Several failures give the exit code of the worst one. The worst is last here.
WORST = (
    Exit.OK,
    Exit.REFUSED,
    Exit.USAGE,
    Exit.OTHER,
    Exit.NOT_RIJN,
    Exit.KEY_FILE,
    Exit.WRONG_KEY,
    Exit.NO_SPACE,
    Exit.TRUNCATED,
    Exit.DAMAGED,
)

EXIT_CODES = {  # docs/command-reference.md has the same table
    "0": "done",
    "1": "another error, such as a read error",
    "2": "the command line asks for something that does not exist or fit",
    "3": "wrong key or passphrase (or the file's header was altered)",
    "4": "the file is damaged",
    "5": "the file is truncated, or its last chunk is damaged",
    "6": "not a Rijn file, or one that this version does not read",
    "7": "the key file is unreadable, open to others, or holds no key",
    "8": "no space left for the result",
    "9": "refused: overwriting a file, or binary to a terminal",
    "130": "interrupted (128 + the signal: 143 when terminated)",
}


class Failure(Exception):
    """An error that ends a command: its cause, a hint with the remedy, and the exit code."""

    def __init__(self, text: str, hint: str, code: Exit) -> None:
        super().__init__(text)
        self.hint = hint
        self.code = code


class Interrupted(BaseException):
    """A signal that ends the program. Python ignores SIGPIPE, so a broken pipe raises this too."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


# All exceptions that are not bugs of the program.
REPORTED = (
    Failure,
    Interrupted,
    MemoryError,
    OSError,
    click.UsageError,
    click.exceptions.Exit,
)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turns ValueError of the library into UsageError: the command line has the wrong value."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@contextmanager
def about(name: str, *, bare: bool) -> Iterator[None]:
    """Turns errors in the encrypted file `name` into Failure.

    bare  whether it is a message without a header
    """
    from ..chunked import Damaged, Truncated, WrongKey
    from ..files.format import BadHeader, NotRijn, Unsupported

    try:
        yield
    except WrongKey:
        raise Failure(
            f"{name}: wrong key or passphrase",
            "if the key is right, "
            + ("--aead or --bare is wrong" if bare else "the file's header was altered"),
            Exit.WRONG_KEY,
        ) from None
    except Truncated as error:
        raise Failure(
            f"{name}: truncated: {error}",
            "fetch or copy the file again; the transfer was probably incomplete",
            Exit.TRUNCATED,
        ) from None
    except Damaged as error:
        raise Failure(
            f"{name}: damaged: {error}",
            "restore the file from another copy; --range can read the intact chunks",
            Exit.DAMAGED,
        ) from None
    except BadHeader as error:
        raise Failure(
            f"{name}: damaged: {error}", "restore the file from another copy", Exit.DAMAGED
        ) from None
    except NotRijn as error:
        raise Failure(
            f"{name}: not a Rijn file: {error}",
            "decrypt reads files that encrypt wrote; a C2SP message without a header needs --bare",
            Exit.NOT_RIJN,
        ) from None
    except Unsupported as error:
        raise Failure(
            f"{name}: cannot be read: {error}", "a newer version may read it", Exit.NOT_RIJN
        ) from None


class naming:
    """Gives an OSError of the block this path, instead of a name in an open folder or a descriptor. A
    class, because trees use it three times a file, and a generator takes several times as long."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            error.filename = self._path


def running(program: str = "rijn") -> str:
    """Returns the running command, with the names of the program and of its group."""
    context = click.get_current_context(silent=True)
    return context.command_path if context else program


def report(error: BaseException, program: str, left: str = "") -> int:
    """Reports an error on stderr, in one line. Returns the exit code.

    program  the program's name, which begins the line
    left     the results that the run leaves, complete or not, in words
    """
    if isinstance(error, Failure):
        return _say(program, str(error), _with_left(error.hint, left), error.code)
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else running(program)
        text = " ".join(error.format_message().split())  # click's text may have several lines
        return _say(program, text, _with_left(f"see {command} --help", left), Exit.USAGE)
    if isinstance(error, Interrupted):
        code = Exit.SIGNAL + error.number
        if error.number == signal.SIGPIPE:  # the reader of the result has closed the pipe
            return code
        return _say(program, "interrupted", left or "nothing was left behind", code)
    if isinstance(error, BrokenPipeError):  # the same, while a table was printed
        return Exit.SIGNAL + signal.SIGPIPE
    if isinstance(error, OSError):
        return _report_os_error(error, program, left)
    if isinstance(error, MemoryError):
        return _say(program, "not enough memory", left or "nothing was kept", Exit.OTHER)
    raise error


def _with_left(hint: str, left: str) -> str:
    return f"{hint}; {left}" if left else hint


def is_named(error: OSError) -> bool:
    """Returns whether the error names a file, not a descriptor."""
    return isinstance(error.filename, (str, bytes, os.PathLike))


def _report_os_error(error: OSError, program: str, left: str) -> int:
    if isinstance(error, FileNotFoundError) and error.filename is None:  # only getcwd raises this
        text = "the current folder does not exist any more"
        return _say(program, text, _with_left("change to another", left), Exit.OTHER)
    name = error.filename if is_named(error) else "input or output"
    text = f"{os.fsdecode(name)}: {error.strerror or error}"
    kept = left or "nothing was kept"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _say(program, text, f"make room or choose another place; {kept}", Exit.NO_SPACE)
    if isinstance(error, FileNotFoundError):
        return _say(program, text, _with_left("check the name", left), Exit.OTHER)
    if isinstance(error, PermissionError):
        hint = _with_left("check the permissions of the file and its folder", left)
        return _say(program, text, hint, Exit.OTHER)
    return _say(program, text, kept, Exit.OTHER)


def printable(text: str) -> str:
    """Returns the text without control characters: file names may contain any."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _say(program: str, text: str, hint: str, code: int) -> int:
    say(printable(f"{program}: {text.rstrip('.')} ({hint})"))
    return int(code)
