"""rijn columns info"""

from __future__ import annotations

from contextlib import closing

import click

from ..failures import printable
from ..options import PATH
from .options import check_files, needs_packages

EPILOG = """\b
Example:
  rijn columns info t.sealed.parquet
"""


@click.command("info", epilog=EPILOG, short_help="Tell which columns are sealed, and how.")
@click.argument("file", type=PATH)
def command(file: str) -> None:
    """Tell which columns of FILE, a Parquet file, are sealed, and how.

    No key is needed, and therefore nothing of this is authenticated: only decrypt can
    tell whether the columns are what they say.
    """
    check_files([file])
    needs_packages()

    from .parquet import Table
    from .tasks import note_of

    with closing(Table(file)) as table:
        click.echo(f"file        {printable(table.name)}")
        click.echo(f"rows        {table.rows} in {table.groups} row groups")
        for place, field in enumerate(table.schema):
            note = note_of(table, place)
            if note is None:
                click.echo(printable(f"column      {field.name}, {field.type}, as it is"))
                continue
            click.echo(printable(f"column      {field.name}, sealed, format {note.format}"))
            said = [
                ("type", note.original()),
                ("context", note.context),
                ("aad", note.aad and f"column {note.aad}"),
                ("padding", note.pad and f"in steps of {note.pad} bytes"),
            ]
            for name, text in said:
                if text is not None:
                    click.echo(printable(f"  {name:8}  {text}"))
