"""Options that the commands of `rijn columns` share, and a check for the packages they need."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..._install import pip_install
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
from ..spark import engine_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Function = TypeVar("_Function", bound="Callable[..., Any]")

# From the list of rijn.columns.formats, without importing that for a help text.
_LISTED = listed("columns.def", "vectors", "RIJN_COLUMN_FORMAT")
FORMATS = tuple(name for name, *_ in _LISTED)
SEALED = ".sealed"  # in a result's name, before its ending

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
class SealingOptions:
    """The sealing options of the command line."""

    columns: tuple[str, ...]
    format: str | None
    deterministic: tuple[str, ...]
    aad: str | None
    contexts: dict[str, str]
    pad: int | None


def add_sealing_options(function: _Function) -> _Function:
    """Adds the options of SealingOptions, for encrypt."""
    return _add_options(function, {})


def add_opening_options(function: _Function) -> _Function:
    """Adds the same options for decrypt and rotate."""
    as_then = "Repeat encrypt's option if the file does not record it."
    help_texts = dict.fromkeys(("format", "deterministic", "pad"), as_then)
    help_texts["format"] += (
        f" A column without a context needs it ({', '.join(UNBOUND)}).  [default: {FORMATS[0]}]"
    )
    help_texts["aad"] = "Repeat encrypt's --aad, with the present name of COL."
    return _add_options(function, help_texts)


def _add_options(function: _Function, help_texts: dict[str, str]) -> _Function:
    for option in (
        click.option(
            "--pad",
            cls=FurtherOption,
            type=click.IntRange(1, (1 << 31) - 1),
            metavar="N",
            help=help_texts.get(
                "pad", "Pad each value to a multiple of N bytes, to hide its length."
            ),
        ),
        context_option,
        click.option(
            "--aad",
            metavar="COL",
            help=help_texts.get(
                "aad",
                "Bind each value to its row's value in COL.",
            ),
        ),
        click.option(
            "--deterministic",
            cls=FurtherOption,
            multiple=True,
            metavar="COL[,COL]...",
            help=help_texts.get(
                "deterministic",
                "Encrypt COL in the format siv. Equal values stay equal (with --aad: only if COL's"
                " values are equal too).",
            ),
        ),
        click.option(
            "--format",
            cls=FurtherOption,
            type=click.Choice(FORMATS),
            default=None if help_texts else FORMATS[0],
            show_default=not help_texts,
            help=help_texts.get("format", "Encrypt the other columns in this format."),
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
    """Checks that the needed packages are installed. Failure.

    Arrow uses the system's allocator, unless the environment chooses another. It gives more memory back
    and is as fast: 290 instead of 350 MiB for a file with row groups of 112 MB."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    name = "nanoarrow"
    try:
        import nanoarrow  # noqa: F401

        name = "pyarrow"
        import pyarrow  # noqa: F401
    except ImportError:
        raise Failure(
            f"rijn columns needs the package {name}",
            pip_install("parquet"),
            Exit.OTHER,
        ) from None


def check_files(files: Sequence[str]) -> None:
    """UsageError."""
    if STDIN in files:
        raise click.UsageError("Standard input cannot be a table: name a file.")


def contexts_of(given: Sequence[str]) -> dict[str, str]:
    """Returns the values of --context, by column name. UsageError."""
    found: dict[str, str] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name or name in found:
            raise click.UsageError("--context takes COL=TEXT, once for each column.")
        found[name] = text
    return found


def is_table(path: str) -> bool:
    """Returns whether a folder has only Parquet files and the files that Spark writes with them."""
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
    """Inverse of sealed_name; None for other names."""
    root, ending = os.path.splitext(name)
    return root.removesuffix(SEALED) + ending if root.endswith(SEALED) else None


def replaceable(named: bool) -> Callable[[str], bool]:
    """Returns a function that tells Destination whether --force may replace the file at a path.

    named  whether -o names the file
    """
    return lambda path: named or opened_name(path) is not None
