"""Columns of tables, encrypted row by row.

They are Arrow arrays of pyarrow, Polars, pandas, DuckDB, or any package that has the Arrow
PyCapsule interface::

    from rijn.columns import Column, Keyset

    column = Column(Keyset.from_file("customers.json"), context="customers.email")
    sealed = column.seal(table["email"])
    emails = column.open(sealed, type="string")

Column has a keyset and a format: seal, open, rotate. Keyset has a primary key and older ones, from
a file, the environment or a function.

docs/columns.md is the guide. The package nanoarrow (the extra `columns`) is required.
"""

from __future__ import annotations

from .column import Column
from .keysets import Keyset, KeysetError

__all__ = ["Column", "Keyset", "KeysetError"]
