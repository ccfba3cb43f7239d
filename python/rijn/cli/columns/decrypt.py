"""rijn columns decrypt"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..failures import printable
from ..standard import say
from .engines import run
from .options import (
    FORCE,
    files_argument,
    keyset_option,
    named_columns,
    opened_name,
    result_options,
    told_options,
)
from .request import as_request

if TYPE_CHECKING:
    from ..run_files import Pair
    from .engines import ColumnsEngine
    from .request import Request

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
@as_request
def command(request: Request, type_: str | None, errors: str) -> int:
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

    def decrypt(engine: ColumnsEngine, pair: Pair) -> str:
        for line in engine.decrypt(pair, type_):
            say(printable(f"rijn: {pair.source}: {line}"))
        return f"decrypted to {pair.result}"

    return run(request, opened_name, decrypt, "decrypted", null=errors == "null")
