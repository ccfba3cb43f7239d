"""rijn keygen"""

from __future__ import annotations

import os
import shlex

import click

from .destination import STDOUT, Destination
from .help_all import Command

EPILOG = """\b
Examples:
  rijn keygen -o my.key
  rijn encrypt -k my.key letter.txt
"""


@click.command(
    "keygen",
    cls=Command,
    epilog=EPILOG,
    short_help="Make a key file.",
    context_settings={"allow_extra_args": True},  # for a hint about a missing -o
)
@click.option(
    "-o",
    "--output",
    default=STDOUT,
    metavar="FILE",
    type=click.Path(readable=False),
    help="Write the key to FILE, which only its owner can read.  [default: standard output]",
)
@click.option(
    "--bits",
    type=click.Choice(["128", "256"]),
    default="128",
    show_default=True,
    help="128 for aes-128-gcm and aegis-128l, 256 for aes-256-gcm and aegis-256.",
)
@click.pass_context
def command(context: click.Context, output: str, bits: str) -> None:
    """Make a random key and write it to a key file.

    A key file is text. Keep a copy in a safe place: without the key nobody can decrypt
    the files. Rijn never overwrites an existing file.
    """
    if context.args:
        longer = f"--bits {bits} " * (bits != "128")
        name = shlex.quote(context.args[0])
        raise click.UsageError(f"Name the key file with -o: rijn keygen {longer}-o {name}.")

    from ..files.format import format_key

    text = format_key(os.urandom(int(bits) // 8))
    with Destination(output, None, force=False, content="key") as result:
        result.write(text.encode())
