"""rijn columns: a group of commands, one module each. parquet.py reads and writes tables, note.py
says what a sealed column keeps about itself, tasks.py does the work."""

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
    short_help="Encrypt columns of Parquet files.",
)
def command() -> None:
    """Encrypt columns of a table in a Parquet file, value by value.

    The result is a Parquet file again, with as many rows: the columns that are not
    named, the nulls, the row groups and the file's metadata are what they were, and a
    sealed column is binary. Whoever has no key still sees how many rows there are, which
    are null, and how long each value is.

    Row groups are worked on one after the other, so that memory is needed for one of
    them. The package pyarrow is needed: pip install '.[parquet]' in Rijn's sources. Arrow
    IPC and CSV files are not read yet.
    """
