"""rijn columns encrypt"""

from __future__ import annotations

import shlex
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..failures import Exit, Failure, printable
from ..run_files import Pair, check_apart, work_on_each
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
    from .former import Former
    from .tables import Table
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
@click.option(
    "--drop-metadata",
    "drop",
    multiple=True,
    metavar="KEY",
    help="Leave this key of the file's metadata out of the result. Several times for several keys.",
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
    drop: tuple[str, ...],
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
    decrypt makes what there was. The column's own metadata, the order of its dictionary and
    what known formats (GeoParquet, pandas, Spark, Avro, Iceberg) say of it in the file's
    metadata may hold its values: they are encrypted there, too. Other keys of the file's
    metadata stay readable, and are named. A value is bound to its column's name, or what
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

    import pyarrow as pa

    from .delimited import to_text
    from .former import Former, categories_of, own_field
    from .keysets import Keysets
    from .kinds import open_table
    from .metadata import Told, Unread, coverings, unknown
    from .note import sealed_field
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

    def dropped_from(table: Table) -> set[bytes]:
        wanted = {key.encode(errors="surrogateescape") for key in drop}
        there = [*table.metadata, *table.other_keys]
        if not wanted.issubset(there):
            with closing(open_table(table.name)) as again:  # batches have keys of their own
                again.size()
                there = [*again.metadata, *again.other_keys]
        for key in wanted.difference(there):
            raise Failure(
                f"{table.name}: its metadata has no key {key.decode(errors='replace')}",
                f"its keys are {b', '.join(there).decode(errors='replace') or 'none'}",
                Exit.USAGE,
            )
        return wanted

    def tell(table: Table, keys: list[str], boxes: list[str]) -> None:
        if keys and told:
            told(
                printable(
                    f"rijn: {table.name}: the file's metadata stays readable: {', '.join(keys)}"
                    " (--drop-metadata KEY leaves one out)"
                )
            )
        if boxes := [name for name in dict.fromkeys(boxes) if name not in how.columns]:
            say(
                printable(
                    f"rijn: {table.name}: column {', '.join(boxes)} has bounding boxes of a column"
                    " that is encrypted, and stays readable"
                )
            )

    if engine == SPARK:
        if drop:
            raise click.UsageError("Spark keeps no metadata of a file: leave --drop-metadata out.")
        from . import cluster

        def work_there(pair: Pair, table: cluster.Frame) -> str:
            cluster.encrypt(pair, table, options.under_primary(new_notes(table, how)), options)
            return f"encrypted to {pair.result}"

        return cluster.on_spark(found, work_there, "encrypted", told)

    def work(pair: Pair) -> str:
        with closing(open_table(pair.source)) as table:
            notes = options.under_primary(new_notes(table, how))
            tasks: list[Task] = []
            table.dropped = dropped_from(table)
            metadata = Told(table.metadata, table.repeated)
            for name, column in options.columns(table, notes).items():
                place = table.only(name)
                field = table.schema.field(place)
                ad = aad_place(table, notes[name], notes)
                type_ = sealed_type(column, field.type, ad is not None)
                former = Former(own_field(field), annotation=table.annotation(place))
                if pa.types.is_dictionary(field.type) and field.type.ordered:
                    with closing(open_table(pair.source)) as again:
                        former.categories = categories_of(again, place)
                if table.one_dictionary:
                    ordered = former.categories is not None
                    check_dictionary(table, name, notes[name], type_, ordered=ordered)
                sealing = _sealing(column, table, name, former)
                if table.text:
                    sealing = to_text(sealing)
                else:
                    try:
                        former.parts = metadata.take(name)
                    except Unread as error:
                        raise Failure(
                            f"{table.name}: the file's metadata {error.key} may hold values of {name},"
                            " and Rijn cannot take them out",
                            f"--drop-metadata {shlex.quote(error.key)} leaves all of it out",
                            Exit.REFUSED,
                        ) from None
                    note = replace(notes[name], former=former.seal(column))
                    field = sealed_field(field, type_, note)
                unique = notes[name].format not in (REPEATING, "tink")
                tasks.append(Task(place, field, ad, sealing, unique))
            work_on(pair, table, tasks, options, "encrypting", metadata=metadata.metadata)
            tell(
                table,
                unknown([*table.metadata, *table.other_keys]),
                coverings(table.metadata, notes),
            )
        return f"encrypted to {pair.result}"

    return work_on_each(found, work, "encrypted", told)


def _sealing(column: Column, table: Table, name: str, former: Former) -> Work:
    import pyarrow as pa

    from .former import check_order

    def work(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        if former.categories is not None:
            check_order(table, name, array, former.categories)
        return pa.chunked_array(column.seal(array, aad)), (), len(array)

    return work
