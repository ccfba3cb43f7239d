"""The options that the commands of `rijn columns` share, and the packages that they need."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..failures import Exit, Failure
from ..options import PATH, STDIN, quiet_option, speed_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Function = TypeVar("_Function", bound="Callable[..., Any]")

# As rijn.columns has them, which is not imported for a help text.
FORMATS = ("xaes", "gcm-siv", "aegis-256", "aegis-128l", "siv", "spark", "tink")
SEALED = ".sealed"  # in a result's name, before what the name ends in

files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)

keyset_option = click.option(
    "-k",
    "--keyset",
    "keysets",
    multiple=True,
    required=True,
    metavar="FILE",
    type=PATH,
    help="Use the keys in FILE (see rijn columns keygen). Several times: see above.",
)

context_option = click.option(
    "--context",
    "contexts",
    multiple=True,
    metavar="COL=TEXT",
    help="Bind the values of COL to TEXT instead of its name.",
)


def result_options(function: _Function) -> _Function:
    function = speed_options(function)
    for option in (
        quiet_option,
        click.option(
            "-f", "--force", is_flag=True, help="Replace a result that exists (see below)."
        ),
        click.option(
            "-o",
            "--output",
            metavar="OUT",
            type=PATH,
            help="Write to OUT; where OUT is a folder, or ends in /, to a file in it.",
        ),
    ):
        function = option(function)
    return function


FORCE = """
\b
What --force replaces: a file that
  -o names;
  or that the command names itself, if its name has .sealed before its ending.
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
    """That what reads and seals tables is there. Failure."""
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
        raise click.UsageError("A Parquet file is read from its end: standard input cannot be one.")


def contexts_of(given: Sequence[str]) -> dict[str, str]:
    """What --context says, by the column's name. UsageError."""
    found: dict[str, str] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not equals or not name or name in found:
            raise click.UsageError("--context takes COL=TEXT, once for each column.")
        found[name] = text
    return found


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
