"""Columns of tables, sealed row by row: Arrow arrays of pyarrow, Polars, pandas, DuckDB and whatever
else has the Arrow PyCapsule interface.

    from rijn.columns import Column, Keyset

    column = Column(Keyset.from_file("customers.json"), context="customers.email")
    sealed = column.seal(table["email"])
    emails = column.open(sealed, type="string")

Column   a column under a keyset, in a format: seal, open, rotate
Keyset   a primary key and older ones, from a file, the environment or a function

docs/columns.md is the guide. It needs the package nanoarrow (the extra `columns`).
"""

from __future__ import annotations

from .column import Column
from .keysets import Keyset, KeysetError

__all__ = ["Column", "Keyset", "KeysetError"]
