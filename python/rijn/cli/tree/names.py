"""Names in a tree: the folders that the command line names, and the result of each file.

This module uses no other module of tree.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from typing import TYPE_CHECKING, NamedTuple

import click

from .. import streams
from ..failures import Exit, Failure
from ..options import STDIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_UNFINISHED = re.compile(r"\.rijn-[0-9a-f]{16}\.part")  # the temporary file of a killed run


class Tree(NamedTuple):
    folder: str
    out: str | None  # None: the command makes no folder of results


def named_in(
    command: str,
    files: Sequence[str],
    output: str | None,
    others: Sequence[str] = (),
    *,
    remove: bool,
) -> Tree:
    """Returns the tree that the arguments of `rijn COMMAND -r` name. UsageError, Failure, OSError.

    output  the value of -o, if it is given
    others  given options that do not go with -r
    remove  whether --rm is given
    """
    if remove:
        raise click.UsageError(
            "--rm does not go with -r: check the results, then remove the folder yourself."
        )
    for option in others:
        raise click.UsageError(f"{option} does not go with -r.")
    names = [*files, *([] if output is None else [output])]
    if "" in names:
        raise click.UsageError("A name is empty: is a shell variable unset?")
    if not names or (len(names) == 1 and output is not None):
        raise click.UsageError("-r needs two folders: -r FOLDER OUT.")
    if len(names) == 1:
        raise click.UsageError(
            f"Where do the results go? Name a folder for them: rijn {command} -r"
            f" {shlex.quote(names[0])} OUT."
        )
    if len(names) > 2:
        raise click.UsageError("-r takes only two folders: -r FOLDER OUT.")
    folder, out = names
    if STDIN in names:
        raise click.UsageError("-r takes folders, not standard input or output.")
    _check_folder(folder)
    if os.path.lexists(out) and not os.path.isdir(out):
        raise Failure(f"{out}: exists already, and is not a folder", "name another", Exit.REFUSED)
    above = os.path.dirname(os.path.abspath(out))
    if not os.path.isdir(above):
        raise Failure(f"{out}: there is no folder {above}", "make it first", Exit.OTHER)
    if streams.is_system_folder(os.path.realpath(out)):
        raise Failure(f"{out}: is in a system folder", "name another", Exit.REFUSED)
    for one, other in ((folder, out), (out, folder)):
        if _holds(one, other):
            raise click.UsageError(
                f"{other} is in {one}, or is the same folder: results and sources must be apart."
            )
    return Tree(folder, out)


def one_named_in(files: Sequence[str]) -> Tree:
    """Returns the tree that the arguments of `verify -r` or `rekey -r` name. UsageError, Failure,
    OSError."""
    if len(files) != 1:
        raise click.UsageError("-r takes one folder: -r FOLDER.")
    (folder,) = files
    if not folder:
        raise click.UsageError("A name is empty: is a shell variable unset?")
    if folder == STDIN:
        raise click.UsageError("-r takes a folder, not standard input.")
    _check_folder(folder)
    return Tree(folder, None)


def _check_folder(folder: str) -> None:
    if not stat.S_ISDIR(os.stat(folder).st_mode):
        raise Failure(f"{folder}: is not a folder", "omit -r", Exit.USAGE)


def _holds(folder: str, path: str) -> bool:
    """Returns whether the path is the folder or is in it, under any names."""
    here = os.path.realpath(path)
    while True:
        if os.path.isdir(here) and os.path.isdir(folder) and os.path.samefile(here, folder):
            return True
        above = os.path.dirname(here)
        if above == here:
            return False
        here = above


def with_suffix(suffix: str) -> Callable[[str], str]:
    """Names encrypt's results. Every name gets the suffix, so the names stay different."""
    return lambda name: name + suffix


def without_suffix(suffix: str, command: str = "decrypt") -> Callable[[str], str | None]:
    """Names decrypt's results. Failure for a name without the suffix; None for the temporary file of a
    killed run."""
    hint = f"the results of encrypt -r do; {command} it alone"
    hint += ", and name the result" * (command == "decrypt")

    def plain_name(name: str) -> str | None:
        plain = name.removesuffix(suffix)
        if plain in ("", name, os.curdir, os.pardir):
            if _UNFINISHED.fullmatch(name):
                return None
            raise Failure(f"its name does not end in {suffix}", hint, Exit.NOT_RIJN)
        return plain

    return plain_name


def same_name(suffix: str, command: str) -> Callable[[str], str | None]:
    """Keeps names, for verify and rekey. Failure and None as in `without_suffix`."""
    plain = without_suffix(suffix, command)
    return lambda name: None if plain(name) is None else name
