"""rijn columns encrypt"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..help_all import Command, FurtherOption
from .engines import run
from .options import (
    FORCE,
    add_sealing_options,
    files_argument,
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
  rijn columns encrypt t.parquet -c email -k my.keyset   t.sealed.parquet
  rijn columns encrypt t.parquet -c ssn,email --aad id -k my.keyset -o out/
  rijn columns encrypt t.csv -c email -k my.keyset       t.sealed.csv
\f
\b
With a context instead of the column's name:
  rijn columns encrypt *.parquet -c email --context email=customers.email \\
    -k my.keyset -o sealed/

\b
With a key for joins, which keeps equal values of ssn equal:
  rijn columns keygen --format siv -o joins.keyset
  rijn columns encrypt t.parquet -c ssn,email --deterministic ssn \\
    -k my.keyset -k joins.keyset
"""


@click.command(
    "encrypt",
    cls=Command,
    epilog=EPILOG + FORCE,
    short_help="Encrypt columns of Parquet, Arrow and CSV files.",
)
@files_argument
@named_columns("Encrypt these columns.")
@keyset_option
@add_sealing_options
@click.option(
    "--drop-metadata",
    "drop",
    cls=FurtherOption,
    multiple=True,
    metavar="KEY",
    help="Omit this key of the file's metadata from the result. Repeat it for several keys.",
)
@result_options
@as_request
def command(request: Request, drop: tuple[str, ...]) -> int:
    """Encrypt columns of each FILE, a Parquet, Arrow IPC or CSV file, value by value.

    For t.parquet the result is t.sealed.parquet in the same folder. Each value is bound
    to the name of its column, and opens in no other column.
    \f
    With -o OUT the result goes to OUT, or into OUT if it is a folder or ends in /. A column must hold text or bytes: binary, string or
    fixed-size binary, their large forms and views, or dictionaries of them. Nulls stay
    null. Rijn encrypts empty values like any other value.

    The metadata of an encrypted column's field records the format, context, type, padding
    and the name of the column of associated data, but no key. With it decrypt restores the
    original column. The column's own metadata and the order of its dictionary may hold
    values. So may the file's metadata about the column in known formats (GeoParquet,
    pandas, Spark, Avro, Iceberg). Rijn encrypts them too. Other keys of the file's
    metadata stay readable, and Rijn names them. --context binds the values to a text
    instead of the column's name, and --aad binds them to
    their rows too: to the value of COL in the row.

    Each format needs its own keys. If you name several keysets, a column gets all keysets
    for its format, and the primary key of the first one encrypts. So a --deterministic
    column needs a second keyset, made with --format siv. Such a column shows which of its
    values are equal, and so how often each one occurs. Use it only for joins and lookups.

    A FILE whose name ends in .csv or .tsv is UTF-8 text: a header, and lines with commas
    or tabs. Encrypted values are base64 there. The file does not record how they were
    encrypted, so remember your options, because decrypt needs them again. An empty field
    stays empty, and Rijn encrypts "".

    With --engine spark, FILE may be a folder of Parquet files. Spark reads it and writes
    the result, which is a folder: see rijn columns --help-all.
    """
    if not request.columns and not request.deterministic:
        raise click.UsageError("Name the columns: -c COL, or several with commas between them.")

    def encrypt(engine: ColumnsEngine, pair: Pair) -> str:
        engine.encrypt(pair, drop)
        return f"encrypted to {pair.result}"

    return run(request, sealed_name, encrypt, "encrypted")
