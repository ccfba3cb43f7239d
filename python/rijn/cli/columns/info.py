"""rijn columns info"""

from __future__ import annotations

from contextlib import closing

import click

from .. import standard
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
    """Tell which columns of FILE, a Parquet or Arrow IPC file, are sealed, and how.

    Of a CSV or TSV file it tells how many rows and which columns there are, for nothing in
    it says more. What another program wrote anew may have lost what columns say.

    No key is needed, and therefore nothing of this is authenticated: only decrypt can
    tell whether the columns are what they say. It takes neither the associated data nor
    the context from here: you say them with --aad and --context.
    """
    check_files([file])
    needs_packages()

    from .kinds import open_table
    from .table_notes import note_of

    with closing(open_table(file)) as table:
        standard.echo(f"file        {printable(table.name)}")
        rows, parts = table.size()
        standard.echo(f"rows        {rows} in {parts} {table.parts}")
        notes = [note_of(table, place) for place in range(len(table.schema))]
        for field, note in zip(table.schema, notes, strict=True):
            if note is None:
                kept = "" if table.text else ", as it is"
                standard.echo(printable(f"column      {field.name}, {field.type}{kept}"))
                continue
            standard.echo(printable(f"column      {field.name}, sealed, format {note.format}"))
            said = [
                ("type", note.original()),
                ("key", note.key),
                ("context", note.context),
                ("aad", note.aad and f"column {note.aad}"),
                ("padding", note.pad and f"in steps of {note.pad:,} bytes"),
            ]
            for name, text in said:
                if text is not None:
                    standard.echo(printable(f"  {name:8}  {text}"))
        for key in [*table.metadata, *table.other_keys]:
            standard.echo(printable(f"metadata    {key.decode(errors='replace')}, readable"))
        if table.text:
            standard.echo("sealed      a CSV file does not say which columns are")
        elif not any(notes):
            standard.echo(
                "sealed      no column says so; what else wrote the file may have dropped it"
            )
