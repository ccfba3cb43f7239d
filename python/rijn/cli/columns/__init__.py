"""rijn columns: a group of commands, one module each. engines.py chooses who does
the work: local.py, by tasks.py and with tables that kinds.py opens, or cluster.py, by Spark. note.py
says what a sealed column keeps about itself."""

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
  rijn columns encrypt t.parquet -c email -k my.keyset     t.sealed.parquet
  rijn columns info t.sealed.parquet
  rijn columns decrypt t.sealed.parquet -k my.keyset -o back.parquet

\b
With a key for joins, and one for the rest:
  rijn columns keygen --format siv -o joins.keyset
  rijn columns encrypt t.parquet -c ssn,email --deterministic ssn \\
    -k my.keyset -k joins.keyset

\b
From time to time a new key:
  rijn columns keygen --renew my.keyset -o new.keyset
  rijn columns rotate t.sealed.parquet -k new.keyset

\b
On Apache Spark, here with two threads; t.parquet is a file, or a folder of them:
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

    The result is such a file again, with as many rows: the columns that are not named,
    the nulls, the row groups and the file's metadata are what they were, and a sealed
    column is binary. Whoever has no key still sees how many rows there are, which
    are null, and how long each value is.

    Row groups are worked on one after the other, so that memory is needed for one of
    them; so are the record batches of Arrow IPC, which is a file (Feather's version 2) or a
    stream. The package pyarrow is needed: pip install '.[parquet]' in Rijn's sources.

    Files of text, .csv and .tsv, are read and written some MiB at a time. Sealed values are
    base64 in them, and decrypt, rotate and info are not told by them which columns are
    sealed, and how: say it to decrypt and rotate with -c and the other options of encrypt;
    and likewise of files of the other kinds that another program wrote anew.

    With --engine spark encrypt, decrypt and rotate have Apache Spark read and write the
    table: a Parquet file or a folder of them, to a folder. Spark's own settings say where it
    runs. This machine and all executors must see the table, the folder of the result, and
    the keysets by the same paths, and the executors need Rijn: pip install '.[spark]' in
    its sources. What does not open is counted for each column, and no row is named.
    """
