"""rijn verify"""

from __future__ import annotations

import click

from .each import Pair, pairs, work_on_each
from .failures import about, printable
from .keys import THAT_FITS, KeySource, key_options
from .options import (
    SOURCE,
    aead_option,
    bare_option,
    check_input,
    open_source,
    quiet_option,
    remaining,
    source_name,
    work_options,
)
from .progress import Progress
from .sealed import Sealed

EPILOG = """\b
Examples:
  rijn verify letter.txt.rijn                  asks for the passphrase
  rijn verify -k my.key backup/*.rijn
  ssh host cat disk.rijn | rijn verify -k my.key
"""


@click.command("verify", epilog=EPILOG, short_help="Check that files are whole.")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=SOURCE)
@quiet_option
@bare_option
@work_options
@aead_option("The AEAD of a --bare message, if the key's length does not tell it.")
@key_options(THAT_FITS)
def command(
    files: tuple[str, ...],
    quiet: bool,
    aead: str | None,
    bare: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
    key_files: tuple[str, ...],
    passphrase_env: str | None,
    passphrase_fd: int | None,
) -> int:
    """Decrypt each FILE to its end, and write nothing.

    What is whole, with this key, is what encrypt wrote: each chunk, their order and
    their number. Without FILE, or with -, standard input is read. The exit codes are
    those of decrypt.
    """
    check_input(files)
    keys = KeySource(key_files, passphrase_env, passphrase_fd, files)
    sealed = Sealed(keys, aead, backend, bare=bare)
    found = pairs(files, None, lambda name: None)
    keys.read_keys()

    def work(pair: Pair) -> str:
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
            click.echo(printable(f"{name}: {said}"))
        return said

    return work_on_each(found, work, "whole", None if quiet else click.echo)
