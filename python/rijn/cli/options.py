"""Options and rules that the commands for files share."""

from __future__ import annotations

import functools
import os
import stat
import sys
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ..disk.source import Unchanging
from . import standard, streams
from .failures import Exit, Failure
from .help_all import FurtherOption

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

_Function = TypeVar("_Function", bound="Callable[..., Any]")

STDIN = "-"
SUFFIX = ".rijn"
BARE_SUFFIX = ".c2sp"


def _aeads(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    from ..chunked import AEADS

    return [aead.short for aead in AEADS.values() if aead.short.startswith(begun)]


def _backends(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    from .. import backends

    return [each.name for each in backends() if each.available and each.name.startswith(begun)]


AEAD_OF_BARE = "The AEAD of a --bare message, if it is not the default for the key's length."


def aead_option(help_text: str) -> Callable[[_Function], _Function]:
    return click.option(
        "--aead", cls=FurtherOption, metavar="NAME", shell_complete=_aeads, help=help_text
    )


def _advising(function: _Function) -> _Function:
    """Returns the same function, with a hint about --jobs if it runs out of memory."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except MemoryError:
            raise Failure(
                "not enough memory", "--jobs 1 needs the least memory", Exit.OTHER
            ) from None

    return cast("_Function", call)


PATH = click.Path(readable=False)  # for completion; opening it reports errors


class _Source(click.Path):
    """The name of a source. Every name of standard input becomes STDIN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name = os.fsdecode(super().convert(value, param, ctx))
        return STDIN if streams.descriptor(name) == 0 else name


SOURCE = _Source(readable=False)

quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")


force_option = click.option("-f", "--force", is_flag=True, help="Replace an existing result.")

output_option = click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=PATH,
    help="Write to OUT, or into OUT if it is a folder.",
)


def file_options(function: _Function) -> _Function:
    """Adds FILE... and the options for results."""
    for option in (
        quiet_option,
        click.option(
            "--rm", "remove", is_flag=True, help="Remove each FILE once its result is complete."
        ),
        force_option,
        output_option,
        click.argument("files", nargs=-1, metavar="[FILE]...", type=SOURCE),
    ):
        function = option(function)
    return function


def _recursive_option(arguments: str) -> Callable[[_Function], _Function]:
    return click.option(
        "-r",
        "--recursive",
        is_flag=True,
        help=f"Work on all files in a folder: -r {arguments}.",
    )


recursive_option = _recursive_option("FOLDER OUT")
recursive_in_place_option = _recursive_option("FOLDER")


bare_option = click.option(
    "--bare",
    cls=FurtherOption,
    is_flag=True,
    help="Use a C2SP message without Rijn's header. Needs --key-file.",
)


def all_cores() -> int:
    from ..pipeline import all_cores as found

    return found()


def work_options(function: _Function) -> _Function:
    """Adds speed_options, for commands that need more memory with more --jobs."""
    return speed_options(_advising(function))


def speed_options(function: _Function) -> _Function:
    for option in (
        click.option(
            "--backend",
            cls=FurtherOption,
            metavar="NAME",
            shell_complete=_backends,
            help="Use this implementation of AES (see rijn backends).",
        ),
        click.option(
            "-j",
            "--jobs",
            cls=FurtherOption,
            type=click.IntRange(min=1),
            metavar="N",
            default=all_cores,
            show_default="all cores",
            help="Work with N threads.",
        ),
        click.option(
            "--progress/--no-progress",
            cls=FurtherOption,
            default=None,
            help="Show the progress.  [default: on a terminal]",
        ),
    ):
        function = option(function)
    return function


def changed(name: str, first: int, read: int, last: int) -> Failure:
    """Returns the error for a source that changed while it was read.

    first  its size at first
    read   the bytes that were read
    last   its size at the end
    """
    return Failure(
        f"{name}: changed while it was read: {first:,} bytes at first, {read:,} read, {last:,} at the end",
        "encrypt a copy that nobody writes to",
        Exit.OTHER,
    )


def check_input(files: Sequence[str], force: bool = False) -> None:
    """Checks that FILE is given if standard input is a terminal, or with --force: an unset shell
    variable may have left no FILE. UsageError."""
    if not files and force:
        raise click.UsageError("--force needs a FILE argument, or - for standard input.")
    if not files and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("Name a file, or give - to type the input.")


def open_source(src: str, *, unchanging: bool = False) -> BinaryIO:
    """Opens a source, unbuffered. OSError, Failure.

    unchanging  whether reading raises Failure at the end if the source has changed
    """
    name = source_name(src)
    file: str | int = name
    if src == STDIN:
        if 0 in standard.closed:
            raise Failure(f"{name} is closed", "name a source", Exit.OTHER)
        file = 0
    elif streams.is_socket(src):
        fd = streams.descriptor(src)
        if fd is None:
            hint = "have another program read it, and pipe that to rijn"
            raise Failure(f"{name}: is a socket", hint, Exit.OTHER)
        file = fd  # a socket cannot be opened by name
    try:
        opened = _opened(file, name, unchanging=unchanging)
    except IsADirectoryError:
        raise Failure(f"{name}: is a folder", "name the files in it", Exit.OTHER) from None
    except OSError as error:
        error.filename = name
        raise
    if standard.receives(found := os.fstat(opened.fileno())) and not found.st_size:
        opened.close()
        raise Failure(
            f"{name}: is empty: the shell emptied it, because standard output is redirected to it",
            "restore it from a copy, and redirect to another file",
            Exit.REFUSED,
        )
    return opened


def _opened(file: str | int, name: str, *, unchanging: bool) -> BinaryIO:
    if unchanging:
        return cast("BinaryIO", Unchanging(file, functools.partial(changed, name)))
    return cast("BinaryIO", open(file, "rb", buffering=0, closefd=isinstance(file, str)))


def cannot_read(name: str, error: OSError) -> str:
    """Returns the reason why a file of keys cannot be read."""
    return "it is a socket" if streams.is_socket(name) else f"it cannot be read: {error.strerror}"


def reading(fd: int, name: str, *, unchanging: bool) -> BinaryIO:
    """Returns a reader of an open file. Closing the reader does not close the file."""
    if unchanging:
        return cast("BinaryIO", Unchanging(fd, functools.partial(changed, name)))
    return cast("BinaryIO", open(fd, "rb", buffering=0, closefd=False))


def source_name(src: str) -> str:
    return "standard input" if src == STDIN else src


def key_name(name: str) -> str:
    """Returns the name of a file of keys for a message. Never shows a key that was given instead of
    a name."""
    from ..files.format import shown_name

    return "standard input" if name == STDIN else shown_name(name)


def remaining(source: BinaryIO) -> int | None:
    """Returns how many bytes of a regular file are left, or None for other sources."""
    status = os.fstat(source.fileno())
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return None
    return max(0, status.st_size - source.tell())


FORCE = """
\b
--force replaces an existing file if
  -o names the file,
  the name ends in .rijn (with --bare: .c2sp),
  or, with -r, the file in OUT has the name of a result.

\b
--force never replaces sources, key files or folders. Rijn writes to a block
device only with --force.
"""


def may_replace(named: bool, suffix: str) -> Callable[[str], bool]:
    """Returns a function that tells Destination whether --force may replace the file at a path.

    named   whether -o names the file, which then may be any file
    suffix  the suffix that encrypt adds
    """
    return lambda path: named or path.endswith(suffix)
