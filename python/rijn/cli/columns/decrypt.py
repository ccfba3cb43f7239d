"""rijn columns decrypt"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..failures import printable
from ..help_all import Command, FurtherOption
from ..standard import say
from .engines import run
from .options import (
    FORCE,
    add_opening_options,
    files_argument,
    keyset_option,
    named_columns,
    opened_name,
    result_options,
)
from .request import as_request

if TYPE_CHECKING:
    from ..run_files import Pair
    from .engines import ColumnsEngine
    from .request import Request

EPILOG = """\b
Examples:
  rijn columns decrypt t.sealed.parquet -k my.keyset     t.parquet
  rijn columns decrypt t.sealed.parquet -k my.keyset -k joins.keyset -o back/
  rijn columns decrypt t.sealed.csv -c email -k my.keyset -o back.csv
\f
\b
More examples:
  rijn columns decrypt t.sealed.parquet -c email --aad id -k my.keyset -o out/
  rijn columns decrypt pl.parquet -c email --type string -k my.keyset -o out/
"""


@click.command(
    "decrypt",
    cls=Command,
    epilog=EPILOG + FORCE,
    short_help="Decrypt columns of Parquet, Arrow and CSV files.",
)
@files_argument
@named_columns("Decrypt only these columns.  [default: all encrypted columns]")
@keyset_option
@add_opening_options
@click.option(
    "--type",
    "type_",
    cls=FurtherOption,
    type=click.Choice(["string", "binary", "large_string", "large_binary"]),
    help="The type of the values, if the file does not record it.",
)
@click.option(
    "--errors",
    cls=FurtherOption,
    type=click.Choice(["raise", "null"]),
    default="raise",
    show_default=True,
    help="If a value does not open, make no result, or make the value null.",
)
@result_options
@as_request
def command(request: Request, type_: str | None, errors: str) -> int:
    """Decrypt columns of each FILE that rijn columns encrypt made.

    For t.sealed.parquet the result is t.parquet in the same folder. If any value is not
    authentic, there is no result, and the message names the column and the first row.
    \f
    With -o OUT the result goes to OUT, or into OUT if it is a folder or ends in /. The columns get their original types again. Rijn
    checks every value. If any fail, the message gives their number and the first row for
    each column. Rows count from 0. With --errors null, Rijn makes these values null and
    prints a line about them, even with --quiet.

    Rijn refuses a renamed column until --context gives the context it was encrypted for,
    because it might be another column. It refuses a column that was encrypted with --aad
    until --aad names the column of associated data again, because anybody who can write
    the file could name another one. If you name several keysets, Rijn tries each column
    with all keysets for its format.

    CSV and TSV files do not record how their columns are encrypted. Name the columns with
    -c, and repeat the --format, --deterministic, --context, --aad and --pad of encrypt.
    Other files need this too after another program, such as Polars, DuckDB or pandas, has
    rewritten them. For those also give the type of the values with --type. Options must
    agree with anything that the file does record.

    With --engine spark, FILE may be a folder of Parquet files. Spark reads it and writes
    the result, which is a folder: see rijn columns --help-all.
    """

    def decrypt(engine: ColumnsEngine, pair: Pair) -> str:
        for line in engine.decrypt(pair, type_):
            say(printable(f"rijn: {pair.source}: {line}"))
        return f"decrypted to {pair.result}"

    return run(request, opened_name, decrypt, "decrypted", null=errors == "null")
