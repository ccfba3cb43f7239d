"""rijn columns decrypt"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..each import Pair, check_apart, pairs, work_on_each
from ..failures import Exit, Failure, printable
from ..standard import say
from .options import (
    FORCE,
    check_files,
    context_option,
    contexts_of,
    files_argument,
    keyset_option,
    named_columns,
    needs_packages,
    opened_name,
    result_options,
)

if TYPE_CHECKING:
    from ...columns import Column
    from .note import Note
    from .tasks import Work

EPILOG = """\b
Examples:
  rijn columns decrypt t.sealed.parquet -k my.keyset       t.parquet
  rijn columns decrypt t.sealed.parquet -c email -k my.keyset -o emails.parquet
  rijn columns decrypt t.sealed.parquet -k my.keyset -k joins.keyset -o back.parquet
"""


@click.command("decrypt", epilog=EPILOG + FORCE, short_help="Decrypt columns of Parquet files.")
@files_argument
@named_columns("Decrypt these columns alone.  [default: all that are sealed]")
@keyset_option
@context_option
@click.option(
    "--errors",
    type=click.Choice(["raise", "null"]),
    default="raise",
    show_default=True,
    help="What becomes of values that do not open: no result, or nulls.",
)
@result_options
def command(
    files: tuple[str, ...],
    columns: tuple[str, ...],
    keysets: tuple[str, ...],
    contexts: tuple[str, ...],
    errors: str,
    output: str | None,
    force: bool,
    quiet: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
) -> int:
    """Decrypt columns of each FILE that rijn columns encrypt made.

    The result of FILE, t.sealed.parquet, is t.parquet beside it, unless -o says
    otherwise; the columns have the types again that they had. Each value is looked at.
    If any is not genuine, there is no result, and the message says of each column how
    many rows that are and which is the first; rows are counted from 0. With --errors
    null these values are null instead, and a line says so, even with --quiet.

    A column that was given another name is refused until --context says what it was
    sealed for: it might be another column. Several keysets may be named: each column is
    tried with all those whose keys are for its format.
    """
    check_files(files)
    by_name = contexts_of(contexts)
    found = pairs(files, output, opened_name)
    check_apart(found)
    needs_packages()

    from .keysets import Keysets
    from .note import with_note
    from .parquet import Table
    from .tasks import Options, Task, aad_place, check_contexts, failures, notes_of, work_on

    options = Options(Keysets(keysets), force, jobs, backend, progress, null=errors == "null")

    def work(pair: Pair) -> str:
        if pair.result is None:
            text = f"{pair.source}: is not named .sealed before its ending"
            raise Failure(text, "name the result: -o OUT", Exit.REFUSED)
        with closing(Table(pair.source)) as table:
            notes = notes_of(table, columns)
            check_contexts(table, notes, by_name)
            tasks = []
            for name, column in options.columns(table, notes).items():
                note, place = notes[name], table.only(name)
                field = table.schema.field(place).with_type(note.original())
                if options.null:
                    field = field.with_nullable(True)
                ad = aad_place(table, note, list(notes))
                tasks.append(Task(place, with_note(field, None), ad, _opening(column, note)))
            work_on(pair, table, tasks, options, "decrypting")
            if text := failures(tasks, table.rows):
                say(printable(f"rijn: {table.name}: {text}; they are null in {pair.result}"))
        return f"decrypted to {pair.result}"

    return work_on_each(found, work, "decrypted", None if quiet else say)


def _opening(column: Column, note: Note) -> Work:
    import pyarrow as pa

    def work(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        opened = column.open(array, aad, type=note.opened, errors="null")
        return pa.chunked_array(opened), opened.failed, len(array)

    return work
