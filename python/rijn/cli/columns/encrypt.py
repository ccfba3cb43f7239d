"""rijn columns encrypt"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..each import Pair, check_apart, pairs, work_on_each
from ..failures import Exit, Failure
from ..standard import say
from .options import (
    FORCE,
    FORMATS,
    check_files,
    context_option,
    contexts_of,
    files_argument,
    keyset_option,
    named_columns,
    needs_packages,
    result_options,
    sealed_name,
)

if TYPE_CHECKING:
    from ...columns import Column
    from .tasks import Work

EPILOG = """\b
Examples:
  rijn columns encrypt t.parquet -c email -k my.keyset     t.sealed.parquet
  rijn columns encrypt t.parquet -c ssn,email --aad id -k my.keyset -o out.parquet
  rijn columns encrypt *.parquet -c email --context email=customers.email \\
    -k my.keyset -o sealed/

\b
Equal values of ssn stay equal, and there is a key for that:
  rijn columns keygen --format siv -o joins.keyset
  rijn columns encrypt t.parquet -c ssn,email --deterministic ssn \\
    -k my.keyset -k joins.keyset
"""
UNBOUND = ("spark", "tink")  # formats that need no context
REPEATING = "siv"


@click.command("encrypt", epilog=EPILOG + FORCE, short_help="Encrypt columns of Parquet files.")
@files_argument
@named_columns("Encrypt these columns.")
@keyset_option
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    default="xaes",
    show_default=True,
    help="The format of the other columns.",
)
@click.option(
    "--deterministic",
    multiple=True,
    metavar="COL[,COL]...",
    help="Encrypt COL in the format siv: equal values stay equal.",
)
@click.option(
    "--aad",
    metavar="COL",
    help="Bind each value to its row's value of COL, so that it opens in no other row.",
)
@context_option
@click.option(
    "--pad",
    type=click.IntRange(1, (1 << 31) - 1),
    metavar="N",
    help="Hide how long a value is, in steps of N bytes.",
)
@result_options
def command(
    files: tuple[str, ...],
    columns: tuple[str, ...],
    keysets: tuple[str, ...],
    format: str,
    deterministic: tuple[str, ...],
    aad: str | None,
    contexts: tuple[str, ...],
    pad: int | None,
    output: str | None,
    force: bool,
    quiet: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
) -> int:
    """Encrypt columns of each FILE, a Parquet file, value by value.

    The result of FILE, t.parquet, is t.sealed.parquet beside it, unless -o says
    otherwise. A column must be of text or bytes (binary, string or fixed-size binary,
    their large forms and views, dictionaries of them). Nulls stay null, an empty value
    is encrypted like any other.

    What a sealed column keeps about itself (format, context, type, padding, and which
    column is the associated data, no key) is in the metadata of its field, so that
    decrypt makes what there was. A value is bound to its column's name, or what
    --context says, and opens in no other; with --aad to its row, too.

    Each format takes keys of its own. With several keysets a column gets all those whose
    keys are for its format, and the first one's primary key encrypts. So a column that is
    --deterministic needs a keyset made with --format siv beside that of the others. It
    shows which of its values are equal, and so how often each occurs: use it for joins
    and lookups alone.
    """
    if not columns and not deterministic:
        raise click.UsageError("Name the columns: -c COL, or several with commas between them.")
    check_files(files)
    by_name = contexts_of(contexts)
    found = pairs(files, output, sealed_name)
    check_apart(found)
    needs_packages()

    from .keysets import Keysets
    from .note import Note, described, with_note
    from .parquet import Table
    from .tasks import (
        Options,
        Task,
        aad_place,
        check_contexts,
        named,
        note_of,
        sealed_type,
        work_on,
    )

    options = Options(Keysets(keysets), force, jobs, backend, progress)

    def noted(table: Table, name: str, format: str) -> Note:
        field = table.schema.field(table.only(name))
        if note_of(table, table.only(name)) is not None:
            text = f"{table.name}: column {name} is sealed already"
            raise Failure(text, "leave it out; rotate changes its key", Exit.REFUSED)
        try:
            values, indices = described(field.type)
        except ValueError as error:
            text = f"{table.name}: column {name} {error}"
            raise Failure(text, "convert it first, or leave it out", Exit.USAGE) from None
        context = by_name.get(name, None if format in UNBOUND else name)
        return Note(format, context, aad, pad, values, indices)

    def work(pair: Pair) -> str:
        with closing(Table(pair.source)) as table:
            repeating = named(table, deterministic)
            names = list(dict.fromkeys([*named(table, columns), *repeating]))
            notes = {
                name: noted(table, name, REPEATING if name in repeating else format)
                for name in names
            }
            check_contexts(table, notes, by_name)
            tasks = []
            for name, column in options.columns(table, notes).items():
                place = table.only(name)
                field = table.schema.field(place)
                ad = aad_place(table, notes[name], names)
                type_ = sealed_type(column, field.type, ad is not None)
                field = with_note(field.with_type(type_), notes[name])
                unique = notes[name].format not in (REPEATING, "tink")
                tasks.append(Task(place, field, ad, _sealing(column), unique))
            work_on(pair, table, tasks, options, "encrypting")
        return f"encrypted to {pair.result}"

    return work_on_each(found, work, "encrypted", None if quiet else say)


def _sealing(column: Column) -> Work:
    import pyarrow as pa

    def work(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        return pa.chunked_array(column.seal(array, aad)), (), len(array)

    return work
