"""rijn columns encrypt"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .engines import run
from .options import (
    FORCE,
    files_argument,
    how_options,
    keyset_option,
    named_columns,
    result_options,
    sealed_name,
)
from .request import as_request

if TYPE_CHECKING:
    from ..run_files import Pair
    from .engines import ColumnsEngine
    from .request import Request

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
@as_request
def command(request: Request, drop: tuple[str, ...]) -> int:
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
    if not request.columns and not request.deterministic:
        raise click.UsageError("Name the columns: -c COL, or several with commas between them.")

    def encrypt(engine: ColumnsEngine, pair: Pair) -> str:
        engine.encrypt(pair, drop)
        return f"encrypted to {pair.result}"

    return run(request, sealed_name, encrypt, "encrypted")
