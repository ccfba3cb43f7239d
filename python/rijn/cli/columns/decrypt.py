"""rijn columns decrypt"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..failures import Exit, Failure, printable
from ..run_files import Pair, check_apart, work_on_each
from ..spark import SPARK, check_engine
from ..standard import say
from .options import (
    FORCE,
    How,
    check_files,
    check_keysets,
    contexts_of,
    files_argument,
    keyset_option,
    named_columns,
    needs_packages,
    opened_name,
    pairs_of,
    result_options,
    told_options,
)

if TYPE_CHECKING:
    from ...columns import Column
    from .note import Note
    from .tables import Described
    from .tasks import Work

EPILOG = """\b
Examples:
  rijn columns decrypt t.sealed.parquet -k my.keyset       t.parquet
  rijn columns decrypt t.sealed.parquet -c email --aad id -k my.keyset -o emails.parquet
  rijn columns decrypt t.sealed.parquet -k my.keyset -k joins.keyset -o back.parquet
  rijn columns decrypt t.sealed.csv -c email -k my.keyset -o back.csv
  rijn columns decrypt polars.parquet -c email --type string -k my.keyset -o back.parquet
"""


@click.command(
    "decrypt", epilog=EPILOG + FORCE, short_help="Decrypt columns of Parquet, Arrow and CSV files."
)
@files_argument
@named_columns("Decrypt these columns alone.  [default: all that are sealed]")
@keyset_option
@told_options
@click.option(
    "--type",
    "type_",
    type=click.Choice(["string", "binary", "large_string", "large_binary"]),
    help="What the values were, where the file does not say.",
)
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
    format: str | None,
    deterministic: tuple[str, ...],
    aad: str | None,
    contexts: tuple[str, ...],
    pad: int | None,
    type_: str | None,
    errors: str,
    output: str | None,
    force: bool,
    quiet: bool,
    engine: str,
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
    sealed for: it might be another column. A column that was encrypted with --aad is
    refused until --aad names that column again: anybody who can write the file could
    name another. Several keysets may be named: each column is tried with all those
    whose keys are for its format.

    A CSV file, or a TSV file, does not say how its columns are sealed: name them with -c, and
    give --format, --deterministic, --context, --aad and --pad as encrypt was given them. So it
    is with other files that another program wrote anew, as Polars, DuckDB and pandas do: of
    these say with --type, too, what the values were. What a file says itself must agree.

    With --engine spark the FILE may be a folder of Parquet files, Spark reads it, and the
    result is a folder that Spark writes: see rijn columns --help.
    """
    check_files(files)
    how = How(columns, format, deterministic, aad, contexts_of(contexts), pad)
    check_engine(engine)
    check_keysets(engine, keysets)
    found = pairs_of(engine, files, output, opened_name)
    check_apart(found)
    needs_packages()

    from ...errors import InvalidTag
    from .delimited import from_text
    from .former import Former
    from .keysets import Keysets
    from .kinds import open_table
    from .metadata import Told
    from .note import with_note
    from .tasks import Options, Task, aad_place, failures, sealed_notes, typed, work_on

    keys, jobs = Keysets(keysets), 1 if engine == SPARK else jobs
    options = Options(keys, force, jobs, backend, progress, null=errors == "null")
    told = None if quiet else say

    def planned(pair: Pair, table: Described) -> dict[str, Note]:
        if pair.result is None:
            text = f"{pair.source}: is not named .sealed before its ending"
            raise Failure(text, "name the result: -o OUT", Exit.REFUSED)
        return typed(table, sealed_notes(table, how), type_)

    def tell(pair: Pair, text: str) -> None:
        if text:
            say(printable(f"rijn: {pair.source}: {text}; they are null in {pair.result}"))

    if engine == SPARK:
        from . import cluster

        def work_there(pair: Pair, table: cluster.Frame) -> str:
            tell(pair, cluster.decrypt(pair, table, planned(pair, table), options))
            return f"decrypted to {pair.result}"

        return cluster.on_spark(found, work_there, "decrypted", told)

    def work(pair: Pair) -> str:
        with closing(open_table(pair.source)) as table:
            notes = planned(pair, table)
            tasks = []
            metadata = Told(table.metadata)
            for name, column in options.columns(table, notes).items():
                note, place = notes[name], table.only(name)
                field, former, lost = table.schema.field(place), None, False
                try:
                    former = Former.open(column, note.former)
                except InvalidTag:
                    lost = True
                if former is None:
                    field = field.with_type(note.original())
                else:
                    own = {**(field.metadata or {}), **(former.field.metadata or {})}
                    field = field.with_type(former.field.type).with_metadata(own)
                    metadata.put(name, former.parts)
                    if former.annotation is not None:
                        table.annotations[place] = former.annotation
                if options.null:
                    field = field.with_nullable(True)
                ad = aad_place(table, note, notes)
                opening = _opening(column, note)
                work = from_text(opening) if table.text else opening
                categories = former and former.categories
                field = with_note(field, None)
                tasks.append(Task(place, field, ad, work, categories=categories, lost=lost))
            rows = work_on(pair, table, tasks, options, "decrypting", metadata=metadata.metadata)
            tell(pair, failures(tasks, rows))
            for task in tasks:
                if task.lost:
                    text = f"column {task.field.name}: its type and metadata do not open"
                    say(printable(f"rijn: {pair.source}: {text}, and are lost in {pair.result}"))
        return f"decrypted to {pair.result}"

    return work_on_each(found, work, "decrypted", told)


def _opening(column: Column, note: Note) -> Work:
    import pyarrow as pa

    def work(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        opened = column.open(array, aad, type=note.opened, errors="null")
        return pa.chunked_array(opened), opened.failed, len(array)

    return work
