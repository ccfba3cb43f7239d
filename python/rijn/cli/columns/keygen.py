"""rijn columns keygen"""

from __future__ import annotations

import click

from ..destination import STDOUT, Destination
from ..failures import Exit, Failure
from ..help_all import Command
from ..options import PATH, SOURCE, source_name
from .keysets import read_keyset, statuses_of
from .options import FORMATS

EPILOG = """\b
Examples:
  rijn columns keygen -o my.keyset
  rijn columns keygen --format siv -o joins.keyset
  rijn columns keygen --renew my.keyset -o new.keyset
"""


@click.command("keygen", cls=Command, epilog=EPILOG, short_help="Make a keyset.")
@click.option(
    "-o",
    "--output",
    default=STDOUT,
    metavar="FILE",
    type=PATH,
    help="Write the keyset to FILE, which only its owner can read.  [default: standard output]",
)
@click.option(
    "--renew",
    metavar="OLD",
    type=SOURCE,
    help="Add a new primary key to the keys of the keyset OLD, or - for standard input.",
)
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    default="xaes",
    show_default=True,
    help="Make a key for this format. --deterministic columns need siv.",
)
def command(output: str, renew: str | None, format: str) -> None:
    """Make a random key for columns and write it to a keyset.

    A keyset is Tink's JSON, not encrypted. Its primary key encrypts, and any number of
    older keys can still decrypt. Keep a copy in a safe place: without the keys nobody can
    decrypt the columns. Rijn never overwrites an existing file.
    """
    from ...columns import Column, Keyset, KeysetError

    if renew is None:
        keyset, keys = Keyset.generate(format), []
    elif not renew:
        raise click.UsageError("The name of a keyset is empty: is a shell variable unset?")
    else:
        old, keys = read_keyset(renew), statuses_of([renew])
        try:
            Column(old, format, context=b"")
            keyset = old.renewed(format)
            keyset.json()
        except KeysetError as error:
            hint = "name the keyset's format with --format"
            raise Failure(f"{source_name(renew)}: {error}", hint, Exit.USAGE) from None
    with Destination(output, None, force=False, content="key", keys=keys) as result:
        result.write(keyset.json().encode())
