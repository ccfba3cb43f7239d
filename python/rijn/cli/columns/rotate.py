"""rijn columns rotate"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .engines import run
from .options import (
    FORCE,
    files_argument,
    keyset_option,
    named_columns,
    result_options,
    told_options,
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
    epilog=EPILOG + FORCE,
    short_help="Change the key of columns of Parquet, Arrow and CSV files.",
)
@files_argument
@named_columns("Change the key of these columns alone.  [default: all that are sealed]")
@keyset_option
@told_options
@result_options
@as_request
def command(request: Request) -> int:
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

    def rotate(engine: ColumnsEngine, pair: Pair) -> str:
        return engine.rotate(pair)

    return run(request, lambda name: name, rotate, "rotated")
