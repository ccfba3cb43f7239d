"""Finds the kind of a table's file: from the first bytes, and for text from the name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa

from ..failures import Exit, Failure
from ..options import open_source
from .delimited import DELIMITERS, DelimitedTable
from .ipc import CONTINUES, MAGIC, IpcTable
from .parquet import ParquetTable
from .tables import no_table

if TYPE_CHECKING:
    from .tables import Table

_NO_TEXT = (b"PAR1\x15", MAGIC + b"\0", CONTINUES)
_LONGEST = max(map(len, _NO_TEXT))


def open_table(name: str) -> Table:
    """Opens the table in a file. Failure, OSError."""
    raw = open_source(name)
    pa.set_memory_pool(pa.system_memory_pool())  # it gives unused memory back to the system
    try:
        if not raw.seekable():
            raise no_table(name)
        begin = raw.read(_LONGEST)
        raw.seek(0)
        delimiter = DELIMITERS.get(os.path.splitext(name)[1].lower())
        if delimiter is not None:
            if begin.startswith(_NO_TEXT):
                hint = "give it the right ending: .parquet, .arrow or .arrows"
                raise Failure(
                    f"{name}: its name says text, but it is not text", hint, Exit.NOT_RIJN
                )
            return DelimitedTable(name, raw, delimiter)
        if begin.startswith(b"PAR1"):
            return ParquetTable(name, raw)
        if begin.startswith((MAGIC, CONTINUES)):
            return IpcTable(name, raw, stream=not begin.startswith(MAGIC))
        if not begin:
            hint = "even a table without rows has bytes: is the file complete?"
            raise Failure(f"{name}: is empty", hint, Exit.NOT_RIJN)
        hint = "the name of a text file must end in .csv or .tsv; convert other files first"
        text = f"{name}: neither a Parquet nor an Arrow IPC file"
        raise Failure(text, hint, Exit.NOT_RIJN)
    except BaseException:
        raw.close()
        raise
