"""The options that the commands of `rijn columns` share, and the packages that they need."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..._listed import listed
from ..failures import Exit, Failure
from ..help_all import FurtherOption
from ..options import (
    PATH,
    SOURCE,
    STDIN,
    force_option,
    output_option,
    quiet_option,
    speed_options,
)
from ..run_files import Pair, pairs
from ..spark import SPARK, engine_option, is_no_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Function = TypeVar("_Function", bound="Callable[..., Any]")

# Of rijn.columns.formats, which is not imported for a help text.
_LISTED = listed("columns.def", "vectors", "RIJN_COLUMN_FORMAT")
FORMATS = tuple(name for name, *_ in _LISTED)
SEALED = ".sealed"  # in a result's name, before what the name ends in

files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)

keyset_option = click.option(
    "-k",
    "--keyset",
    "keysets",
    multiple=True,
    required=True,
    metavar="FILE",
    type=SOURCE,
    help="Use the keys in FILE, or - for standard input.",
)

context_option = click.option(
    "--context",
    "contexts",
    cls=FurtherOption,
    multiple=True,
    metavar="COL=TEXT",
    help="Bind the values of COL to TEXT instead of the column's name.",
)

# Formats that need no context.
UNBOUND = tuple(name for name, _, context, *_ in _LISTED if context == "false")
REPEATING = "siv"


@dataclass(frozen=True)
class How:
    """How columns are sealed, as the command line says."""

    columns: tuple[str, ...]
    format: str | None
    deterministic: tuple[str, ...]
    aad: str | None
    contexts: dict[str, str]
    pad: int | None


def how_options(function: _Function) -> _Function:
    """What a How is made of, for encrypt."""
    return _how(function, {})


def told_options(function: _Function) -> _Function:
    """The same for those who open what is sealed."""
    as_then = "Repeat encrypt's option if the file does not record it."
    told = dict.fromkeys(("format", "deterministic", "pad"), as_then)
    told["format"] += (
        f" A column without a context needs it ({', '.join(UNBOUND)}).  [default: {FORMATS[0]}]"
    )
    told["aad"] = "Repeat encrypt's --aad, with the present name of COL."
    return _how(function, told)


def _how(function: _Function, told: dict[str, str]) -> _Function:
    for option in (
        click.option(
            "--pad",
            cls=FurtherOption,
            type=click.IntRange(1, (1 << 31) - 1),
            metavar="N",
            help=told.get("pad", "Pad each value to a multiple of N bytes, to hide its length."),
        ),
        context_option,
        click.option(
            "--aad",
            metavar="COL",
            help=told.get(
                "aad",
                "Bind each value to its row's value in COL.",
            ),
        ),
        click.option(
            "--deterministic",
            cls=FurtherOption,
            multiple=True,
            metavar="COL[,COL]...",
            help=told.get(
                "deterministic",
                "Encrypt COL in the format siv. Equal values stay equal (with --aad: only if COL's"
                " values are equal too).",
            ),
        ),
        click.option(
            "--format",
            cls=FurtherOption,
            type=click.Choice(FORMATS),
            default=None if told else FORMATS[0],
            show_default=not told,
            help=told.get("format", "Encrypt the other columns in this format."),
        ),
    ):
        function = option(function)
    return function


def result_options(function: _Function) -> _Function:
    function = speed_options(function)
    for option in (
        engine_option,
        quiet_option,
        force_option,
        output_option,
    ):
        function = option(function)
    return function


FORCE = """
\f
\b
--force replaces an existing file if
  -o names the file,
  or the name that the command chooses has .sealed before its ending.
"""


def named_columns(text: str) -> Callable[[_Function], _Function]:
    return click.option(
        "-c",
        "--columns",
        multiple=True,
        metavar="COL[,COL]...",
        help=text,
    )


def needs_packages() -> None:
    """That what reads and seals tables is there. Failure.

    Arrow gets its memory from the system's allocator, unless somebody says otherwise: that gives more
    back (of a file in groups of 112 MB 290 MiB in place of 350), and is as fast."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    name = "nanoarrow"
    try:
        import nanoarrow  # noqa: F401

        name = "pyarrow"
        import pyarrow  # noqa: F401
    except ImportError:
        raise Failure(
            f"rijn columns needs the package {name}",
            "pip install '.[parquet]' in Rijn's sources",
            Exit.OTHER,
        ) from None


def check_files(files: Sequence[str]) -> None:
    """UsageError."""
    if STDIN in files:
        raise click.UsageError("A table is read from a file: standard input cannot be one.")


def check_keysets(engine: str, names: Sequence[str]) -> None:
    """UsageError."""
    if engine == SPARK and any(is_no_file(name) for name in names):
        raise click.UsageError(
            "--engine spark needs keysets in regular files, which its executors read: no key is sent to"
            " them."
        )


def contexts_of(given: Sequence[str]) -> dict[str, str]:
    """What --context says, by the column's name. UsageError."""
    found: dict[str, str] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name or name in found:
            raise click.UsageError("--context takes COL=TEXT, once for each column.")
        found[name] = text
    return found


def pairs_of(
    engine: str, files: Sequence[str], to: str | None, beside: Callable[[str], str | None]
) -> list[Pair]:
    """run_files.pairs. With Spark tables may be folders, and what -o names one of Spark's, not a folder to
    put the result into. UsageError, Failure."""
    if engine != SPARK:
        return pairs(files, to, beside)
    files = [name.rstrip(os.sep) or name for name in files]
    if to is None or to.endswith(os.sep) or not is_table(to):
        return pairs(files, to, beside)
    if len(files) > 1:
        raise click.UsageError(f"-o {to} is one result, and there are {len(files):,} sources.")
    return [Pair(files[0], to, True, True, "")]


def is_table(path: str) -> bool:
    """Whether it is a folder of Parquet files, and of what Spark writes beside them, alone."""
    if not os.path.isdir(path):
        return False
    names = os.listdir(path)
    return any(".parquet" in name for name in names) and all(
        name.startswith(("_", ".")) or ".parquet" in name for name in names
    )


def sealed_name(name: str) -> str:
    root, ending = os.path.splitext(name)
    return root + SEALED + ending


def opened_name(name: str) -> str | None:
    """Inverse of sealed_name; None of another name."""
    root, ending = os.path.splitext(name)
    return root.removesuffix(SEALED) + ending if root.endswith(SEALED) else None


def replaceable(named: bool) -> Callable[[str], bool]:
    """Whether --force may replace the file of a path, for Destination. named: whether -o names it."""
    return lambda path: named or opened_name(path) is not None
