"""rijn columns rotate"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

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
    pairs_of,
    result_options,
    told_options,
)

if TYPE_CHECKING:
    from ...columns import Column
    from .tasks import Work

EPILOG = """\b
Example:
  rijn columns keygen --renew my.keyset -o new.keyset
  rijn columns rotate t.sealed.parquet -k new.keyset
"""


@click.command(
    "rotate",
    epilog=EPILOG + FORCE,
    short_help="Change the key of columns of Parquet, Arrow and CSV files.",
)
@files_argument
@named_columns("Change the key of these columns alone.  [default: all that are sealed]")
@keyset_option
@told_options
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
    output: str | None,
    force: bool,
    quiet: bool,
    engine: str,
    jobs: int,
    progress: bool | None,
    backend: str | None,
) -> int:
    """Encrypt again, under the primary key, what is under an older one.

    Each FILE is replaced in one step, or stays what it was; with -o the result goes to
    OUT. Every value is opened to tell: those under the primary key stay as they are, byte
    for byte, and if any is not genuine, nothing is changed.

    A column that was encrypted with --aad, or for a context that is not its name, is refused
    until --aad or --context says so, as decrypt does.

    The keyset must have the older keys, too, as one has that keygen --renew made; of
    several that are for a column's format the first one has the primary key. What was
    copied or backed up before can still be read with the old key: remove that, too.

    A CSV file, or a TSV file, does not say how its columns are sealed: name them with -c, and
    give --format, --deterministic, --context, --aad and --pad as encrypt was given them. So it
    is with other files that another program wrote anew, as Polars, DuckDB and pandas do; what
    they do not say they do not say afterwards either. What a file says itself must agree.

    With --engine spark the FILE may be a folder of Parquet files, Spark reads it, and the
    result is a folder that Spark writes: see rijn columns --help.
    """
    check_files(files)
    how = How(columns, format, deterministic, aad, contexts_of(contexts), pad)
    check_engine(engine)
    check_keysets(engine, keysets)
    found = pairs_of(engine, files, output, lambda name: name)
    check_apart(found)
    needs_packages()

    from ...errors import InvalidTag
    from .delimited import from_text, to_text
    from .former import rotated
    from .keysets import Keysets
    from .kinds import open_table
    from .note import with_note
    from .tasks import Options, Task, aad_place, note_of, sealed_notes, work_on

    keys = Keysets(keysets)
    options = Options(keys, force, 1 if engine == SPARK else jobs, backend, progress)
    told = None if quiet else say

    if engine == SPARK:
        from . import cluster

        def work_there(pair: Pair, table: cluster.Frame) -> str:
            cluster.rotate(pair, table, options.under_primary(sealed_notes(table, how)), options)
            return f"rotated in {pair.result}"

        return cluster.on_spark(found, work_there, "rotated", told)

    def work(pair: Pair) -> str:
        with closing(open_table(pair.source)) as table:
            notes = options.under_primary(sealed_notes(table, how))
            tasks = []
            for name, column in options.columns(table, notes).items():
                place = table.only(name)
                field = table.schema.field(place)
                ad = aad_place(table, notes[name], notes)
                unique = notes[name].format not in ("siv", "tink")
                rotating = _rotating(column)
                if table.text:
                    rotating = to_text(from_text(rotating))
                lost = False
                if not table.text and note_of(table, place) is not None:
                    note = notes[name]
                    try:
                        note = replace(note, former=rotated(column, note.former))
                    except InvalidTag:
                        lost = True
                    field = with_note(field, note)
                tasks.append(Task(place, field, ad, rotating, unique, lost=lost))
            kept = table.metadata
            work_on(pair, table, tasks, options, "writing", metadata=kept, in_place=not output)
        changed = ", ".join(f"{task.changed:,} of {task.field.name}" for task in tasks)
        return f"values with a new key: {changed}"

    return work_on_each(found, work, "rotated", told)


def _rotating(column: Column) -> Work:
    import pyarrow as pa

    from ...errors import InvalidTag

    def work(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        try:
            rotated = column.rotate(array, aad)
        except InvalidTag as error:
            return array, error.failed or (), 0
        return pa.chunked_array(rotated), (), rotated.rotated

    return work
