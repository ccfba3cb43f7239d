"""rijn columns rotate"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..each import Pair, check_apart, pairs, work_on_each
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
    result_options,
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
    "rotate", epilog=EPILOG + FORCE, short_help="Change the key of columns of Parquet files."
)
@files_argument
@named_columns("Change the key of these columns alone.  [default: all that are sealed]")
@keyset_option
@context_option
@result_options
def command(
    files: tuple[str, ...],
    columns: tuple[str, ...],
    keysets: tuple[str, ...],
    contexts: tuple[str, ...],
    output: str | None,
    force: bool,
    quiet: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
) -> int:
    """Encrypt again, under the primary key, what is under an older one.

    Each FILE is replaced in one step, or stays what it was; with -o the result goes to
    OUT. Every value is opened to tell: those under the primary key stay as they are, byte
    for byte, and if any is not genuine, nothing is changed.

    The keyset must have the older keys, too, as one has that keygen --renew made; of
    several that are for a column's format the first one has the primary key. What was
    copied or backed up before can still be read with the old key: remove that, too.
    """
    check_files(files)
    by_name = contexts_of(contexts)
    found = pairs(files, output, lambda name: name)
    check_apart(found)
    needs_packages()

    from .keysets import Keysets
    from .parquet import Table
    from .tasks import Options, Task, aad_place, check_contexts, notes_of, work_on

    options = Options(Keysets(keysets), force, jobs, backend, progress)

    def work(pair: Pair) -> str:
        with closing(Table(pair.source)) as table:
            notes = notes_of(table, columns)
            check_contexts(table, notes, by_name)
            tasks = []
            for name, column in options.columns(table, notes).items():
                place = table.only(name)
                ad = aad_place(table, notes[name], list(notes))
                unique = notes[name].format not in ("siv", "tink")
                tasks.append(Task(place, table.schema.field(place), ad, _rotating(column), unique))
            work_on(pair, table, tasks, options, "writing", in_place=not output)
        changed = ", ".join(f"{task.changed} of {task.field.name}" for task in tasks)
        return f"values with a new key: {changed}"

    return work_on_each(found, work, "rotated", None if quiet else say)


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
