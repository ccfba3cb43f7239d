"""rijn columns: a group of commands, one module each.

engines.py chooses the engine. local.py works in this process: kinds.py opens the tables, and tasks.py
does the work. cluster.py works with Spark. note.py describes the metadata of a sealed column.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from ..commands import Commands

if TYPE_CHECKING:
    from types import ModuleType

EPILOG = """\b
Examples:
  rijn columns keygen -o my.keyset
  rijn columns encrypt t.parquet -c email -k my.keyset   t.sealed.parquet
  rijn columns info t.sealed.parquet
  rijn columns decrypt t.sealed.parquet -k my.keyset -o back.parquet
\f
\b
With a key for joins, and another for the rest:
  rijn columns keygen --format siv -o joins.keyset
  rijn columns encrypt t.parquet -c ssn,email --deterministic ssn \\
    -k my.keyset -k joins.keyset

\b
To change the key from time to time:
  rijn columns keygen --renew my.keyset -o new.keyset
  rijn columns rotate t.sealed.parquet -k new.keyset

\b
On Apache Spark, here with two threads:
  PYSPARK_SUBMIT_ARGS='--master local[2] pyspark-shell' \\
    rijn columns encrypt --engine spark t.parquet -c email -k my.keyset
"""


def _load(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __name__)


@click.group(
    "columns",
    cls=Commands,
    names=("encrypt", "decrypt", "rotate", "info", "keygen"),
    load=_load,
    epilog=EPILOG,
    no_args_is_help=False,
    short_help="Encrypt columns of Parquet, Arrow and CSV files.",
)
def command() -> None:
    """Encrypt columns of a table in a Parquet, Arrow IPC or CSV file, value by value.

    The result is a file of the same kind with as many rows. Readers without a key still
    see the number of rows, which values are null and how long each value is.
    \f
    Columns that you do not name, nulls, row groups and the file's metadata stay as they
    are. An encrypted column has a binary type.

    Rijn works on one row group at a time, or on one record batch of an Arrow IPC file or
    stream, and needs memory for that one only. Arrow IPC files are Feather version 2. This
    command needs the package pyarrow (the extra `parquet`).

    Rijn reads and writes text files (.csv and .tsv) a few MiB at a time. Encrypted values
    are base64 there. Text files do not record which columns are encrypted, and how. So
    give decrypt and rotate -c and the other options of encrypt again. Other files need
    this too after another program has rewritten them.

    With --engine spark, encrypt, decrypt and rotate let Apache Spark read and write the
    table. FILE is a Parquet file or a folder of Parquet files, and the result is a folder.
    Spark's own settings decide where it runs. This machine and all executors must see the
    table, the folder of the result and the keysets under the same paths. The executors
    need Rijn with the extra `spark`. If values do not open, Rijn counts them for each
    column and does not name their rows.
    """
