"""rijn verify"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import standard, tree
from .failures import about, printable
from .help_all import Command
from .keys import KeySource, key_options
from .options import (
    AEAD_OF_BARE,
    BARE_SUFFIX,
    SOURCE,
    SUFFIX,
    aead_option,
    bare_option,
    check_input,
    open_source,
    quiet_option,
    recursive_in_place_option,
    remaining,
    source_name,
    work_options,
)
from .progress import Progress
from .run_files import Pair, pairs, work_on_each
from .sealed import Sealed

if TYPE_CHECKING:
    from collections.abc import Callable

    from .destination import Destination

EPILOG = """\b
Examples:
  rijn verify letter.txt.rijn                 asks for the passphrase
  rijn verify -k my.key backup/*.rijn
  rijn verify -r -k my.key backup             the results of encrypt -r
  ssh host cat disk.rijn | rijn verify -k my.key
"""


@click.command(
    "verify", cls=Command, epilog=EPILOG, short_help="Check that files are complete and unaltered."
)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=SOURCE)
@key_options
@quiet_option
@recursive_in_place_option
@bare_option
@work_options
@aead_option(AEAD_OF_BARE)
def command(
    files: tuple[str, ...],
    quiet: bool,
    recursive: bool,
    aead: str | None,
    bare: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
    key_files: tuple[str, ...],
    passphrase_env: str | None,
    passphrase_fd: int | None,
) -> int:
    """Check that each FILE is complete and unaltered, without writing anything.

    Without FILE, or if FILE is -, check standard input. Rijn needs the key (-k) or the
    passphrase, decrypts the whole file and returns the exit codes of decrypt.
    \f
    A file that passes is what encrypt wrote with this key: every chunk, in order, to the
    end. If you name several key files, Rijn uses the key that fits.

    With -r FOLDER Rijn checks each file in FOLDER and its subfolders, for example the OUT
    of encrypt -r. Rijn prints a line for each failed file, and counts the files in the
    last line. It reports names that do not end in .rijn (with --bare: .c2sp). It skips
    symbolic links. Rijn cannot notice that a file is missing or was renamed.
    """
    named_tree = tree.one_named_in(files) if recursive else None
    if named_tree is None:
        check_input(files)
    keys = KeySource(key_files, passphrase_env, passphrase_fd, files)
    sealed = Sealed(keys, aead, backend, bare=bare)
    if named_tree is not None:
        keys.read_keys()
        task = _tree_task(sealed, bare=bare)
        return tree.work_on_tree(named_tree, task, jobs=jobs, progress=progress, quiet=quiet)
    found = pairs(files, None, lambda name: None)
    keys.read_keys()

    def verify_one(pair: Pair) -> str:
        from ..pipeline import open_stream

        size = 0

        def count(data: memoryview) -> None:
            nonlocal size
            size += len(data)

        name = source_name(pair.source)
        with open_source(pair.source) as source, about(name, bare=bare):
            message = sealed.message(source, name)
            bar = Progress(f"verifying{pair.label}", remaining(source), shown=progress)
            with bar:
                open_stream(message, source, count, jobs=jobs, advance=bar.advance)
        said = f"whole, {size:,} bytes"
        if len(found) == 1 and not quiet:
            standard.echo(printable(f"{name}: {said}"))
        return said

    return work_on_each(found, verify_one, "whole", None if quiet else standard.echo)


def _tree_task(sealed: Sealed, *, bare: bool) -> tree.Task:
    from ..pipeline import open_stream

    def convert(file: tree.File, data: bytes) -> bytearray:
        return sealed.plaintext(data, file.source)

    def begin(file: tree.File, _result: Destination | None) -> tree.Job:
        with about(file.source, bare=bare):
            file.reads.seek(0)
            message = sealed.message(file.reads, file.source)

        def read(jobs: int, advance: Callable[[int], object]) -> None:
            with about(file.source, bare=bare):
                open_stream(message, file.reads, lambda data: None, jobs=jobs, advance=advance)

        return read

    return tree.Task(
        result_name=tree.same_name(BARE_SUFFIX if bare else SUFFIX, "verify"),
        is_there=lambda file: False,
        destination=None,
        convert=convert,
        begin=begin,
        doing="verifying",
        done="whole",
        unchanging=False,
    )
