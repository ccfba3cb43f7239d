"""rijn columns rotate"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..help_all import Command
from .engines import run
from .options import (
    FORCE,
    add_opening_options,
    files_argument,
    keyset_option,
    named_columns,
    result_options,
)
from .request import as_request

if TYPE_CHECKING:
    from ..run_files import Pair
    from .engines import ColumnsEngine
    from .request import Request

EPILOG = """\b
Example:
  rijn columns keygen --renew my.keyset -o new.keyset
  rijn columns rotate t.sealed.parquet -k new.keyset
"""


@click.command(
    "rotate",
    cls=Command,
    epilog=EPILOG + FORCE,
    short_help="Change the key of columns of Parquet, Arrow and CSV files.",
)
@files_argument
@named_columns("Change the key of only these columns.  [default: all encrypted columns]")
@keyset_option
@add_opening_options
@result_options
@as_request
def command(request: Request) -> int:
    """Encrypt values with the primary key that have an older key.

    Rijn replaces each FILE in one step, or with -o writes to OUT. The keyset must have the
    older keys too, like a keyset that keygen --renew made.
    \f
    Rijn decrypts every value to check it. Values with the primary key stay the same, byte
    for byte. If any value is not authentic, Rijn changes nothing.

    Rijn refuses a column that was encrypted with --aad, or for a context other than its
    name, until --aad or --context says so, as decrypt does.

    If you name several keysets for a column's format, the first one has the primary key.
    Copies and backups of the old file still open with the old key. Remove them too.

    CSV and TSV files do not record how their columns are encrypted. Name the columns with
    -c, and repeat the --format, --deterministic, --context, --aad and --pad of encrypt.
    Other files need this too after another program, such as Polars, DuckDB or pandas, has
    rewritten them. The result does not record it either. Options must agree with anything
    that the file does record.

    With --engine spark, FILE may be a folder of Parquet files. Spark reads it and writes
    the result, which is a folder: see rijn columns --help-all.
    """

    def rotate(engine: ColumnsEngine, pair: Pair) -> str:
        return engine.rotate(pair)

    return run(request, lambda name: name, rotate, "rotated")
