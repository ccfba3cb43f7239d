"""rijn columns info"""

from __future__ import annotations

from contextlib import closing

import click

from .. import standard
from ..failures import printable
from ..help_all import Command
from ..options import PATH
from .options import check_files, needs_packages

EPILOG = """\b
Example:
  rijn columns info t.sealed.parquet
"""


@click.command(
    "info", cls=Command, epilog=EPILOG, short_help="Show which columns are encrypted, and how."
)
@click.argument("file", type=PATH)
def command(file: str) -> None:
    """Show which columns of FILE, a Parquet or Arrow IPC file, are encrypted, and how.

    For a CSV or TSV file Rijn only shows the number of rows and the columns, because such
    a file records nothing else. Another program may have lost the record when it rewrote
    the file.

    This needs no key, so nothing here is authenticated. Only decrypt can tell whether it
    is true. It does not take the associated data or the context from here. Give them with
    --aad and --context.
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
            standard.echo("sealed      a CSV file does not record which columns are sealed")
        elif not any(notes):
            standard.echo(
                "sealed      no column is marked; another program may have removed the marks"
            )
