"""rijn columns encrypt"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..each import Pair, check_apart, work_on_each
from ..spark import SPARK, check_engine
from ..standard import say
from .options import (
    FORCE,
    REPEATING,
    How,
    check_files,
    check_keysets,
    contexts_of,
    files_argument,
    how_options,
    keyset_option,
    named_columns,
    needs_packages,
    pairs_of,
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
  rijn columns encrypt t.csv -c email -k my.keyset         t.sealed.csv
  rijn columns encrypt *.parquet -c email --context email=customers.email \\
    -k my.keyset -o sealed/

\b
Equal values of ssn stay equal, and there is a key for that:
  rijn columns keygen --format siv -o joins.keyset
  rijn columns encrypt t.parquet -c ssn,email --deterministic ssn \\
    -k my.keyset -k joins.keyset
"""


@click.command(
    "encrypt", epilog=EPILOG + FORCE, short_help="Encrypt columns of Parquet, Arrow and CSV files."
)
@files_argument
@named_columns("Encrypt these columns.")
@keyset_option
@how_options
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
    engine: str,
    jobs: int,
    progress: bool | None,
    backend: str | None,
) -> int:
    """Encrypt columns of each FILE, a Parquet, Arrow IPC or CSV file, value by value.

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

    A FILE whose name ends in .csv or .tsv is UTF-8 text, a header and lines with commas or
    tabs. Sealed values are base64 there, and it does not say how they were sealed: keep in
    mind what is said here, for decrypt asks for it again. An empty field stays empty, and
    "" is encrypted.

    With --engine spark the FILE may be a folder of Parquet files, Spark reads it, and the
    result is a folder that Spark writes: see rijn columns --help.
    """
    if not columns and not deterministic:
        raise click.UsageError("Name the columns: -c COL, or several with commas between them.")
    check_files(files)
    how = How(columns, format, deterministic, aad, contexts_of(contexts), pad)
    check_engine(engine)
    check_keysets(engine, keysets)
    found = pairs_of(engine, files, output, sealed_name)
    check_apart(found)
    needs_packages()

    from .delimited import to_text
    from .keysets import Keysets
    from .kinds import open_table
    from .note import with_note
    from .tasks import (
        Options,
        Task,
        aad_place,
        check_dictionary,
        new_notes,
        sealed_type,
        work_on,
    )

    keys = Keysets(keysets)
    options = Options(keys, force, 1 if engine == SPARK else jobs, backend, progress)
    told = None if quiet else say

    if engine == SPARK:
        from . import cluster

        def work_there(pair: Pair, table: cluster.Frame) -> str:
            cluster.encrypt(pair, table, options.under_primary(new_notes(table, how)), options)
            return f"encrypted to {pair.result}"

        return cluster.on_spark(found, work_there, "encrypted", told)

    def work(pair: Pair) -> str:
        with closing(open_table(pair.source)) as table:
            notes = options.under_primary(new_notes(table, how))
            tasks = []
            for name, column in options.columns(table, notes).items():
                place = table.only(name)
                field = table.schema.field(place)
                ad = aad_place(table, notes[name], list(notes))
                type_ = sealed_type(column, field.type, ad is not None)
                if table.one_dictionary:
                    check_dictionary(table, name, notes[name], type_)
                sealing = _sealing(column)
                if table.text:
                    sealing = to_text(sealing)
                else:
                    field = with_note(field.with_type(type_), notes[name])
                unique = notes[name].format not in (REPEATING, "tink")
                tasks.append(Task(place, field, ad, sealing, unique))
            work_on(pair, table, tasks, options, "encrypting")
        return f"encrypted to {pair.result}"

    return work_on_each(found, work, "encrypted", told)


def _sealing(column: Column) -> Work:
    import pyarrow as pa

    def work(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        return pa.chunked_array(column.seal(array, aad)), (), len(array)

    return work
