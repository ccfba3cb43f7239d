"""A table that Spark reads. The driver reads the footers of its files, which have the columns' notes.

This module uses tables.py and note.py.
"""

from __future__ import annotations

import os
import stat
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from rijn.spark.columns import arrow_type

from ...disk.acl import status_of
from ..failures import Exit, Failure
from ..spark import about
from .metadata import GEO
from .note import NAME, with_spark_notes
from .tables import Described, damaged, no_table

_BEGIN = b"PAR1"  # the first bytes of a Parquet file
_PATTERN = "*?[]{}\\"  # special characters of Hadoop's FileSystem.globStatus


class Frame(Described):
    """A table that Spark reads. Failure, OSError."""

    def __init__(self, spark: Any, name: str) -> None:
        self.name = name
        self.folder = os.path.isdir(name)
        if any(char in _PATTERN for char in os.path.abspath(name)):
            raise Failure(
                f"{name}: Spark treats {_PATTERN} in a path as a pattern",
                "rename it, or omit --engine spark",
                Exit.REFUSED,
            )
        self.geo: set[bytes] = set()  # GeoParquet's metadata of each file
        self._state = self._look()
        if not self._state:
            raise Failure(f"{name}: has no Parquet file in it", "name another", Exit.NOT_RIJN)
        notes = self._footers()
        with about(name):
            self.frame = spark.read.parquet(os.path.abspath(name))
            read = {unquote(urlsplit(uri).path) for uri in self.frame.inputFiles()}
        if {path for path in read if not _is_passed_over(path)} != {
            *map(os.path.abspath, self._state)
        }:
            raise Failure(
                f"{name}: Spark reads other files there than this machine sees",
                "Spark must use this file system (fs.defaultFS), and nobody may write there",
                Exit.REFUSED,
            )
        fields = []
        for field in self.frame.schema.fields:
            try:
                made = pa.field(field.name, arrow_type(field))
            except TypeError as error:
                hint = "convert it first, or omit --engine spark"
                raise Failure(f"{name}: {error}", hint, Exit.USAGE) from None
            note = notes.get(field.name)  # a column only in Spark's schema has none
            fields.append(made if note is None else made.with_metadata({NAME: note}))
        self.schema = pa.schema(fields)

    def _look(self) -> dict[str, os.stat_result]:
        """Returns the table's files, with their statuses. Failure."""
        if not self.folder:
            found_file = status_of(self.name)
            if not stat.S_ISREG(found_file.st_mode):
                raise no_table(self.name)
            return {self.name: found_file}
        found = {}
        for entry in sorted(os.scandir(self.name), key=lambda it: it.name):
            if entry.is_dir():  # partitions (also _p=1), or the log of another kind of table
                raise Failure(
                    f"{self.name}: has folders in it: {entry.name}",
                    "name each of them, or read the table with rijn.spark in Python",
                    Exit.REFUSED,
                )
            if _is_passed_over(entry.name):
                if entry.name.endswith(".parquet"):
                    raise Failure(
                        f"{entry.path}: Spark ignores it, because of the first character of its name",
                        "give it another name, or move it away",
                        Exit.REFUSED,
                    )
                continue
            found[entry.path] = status_of(entry.path)
        return found

    def _footers(self) -> dict[str, bytes | None]:
        """Returns the note of each column, which must be the same in all files. Failure."""
        found: dict[str, bytes | None] | None = None
        for path in self._state:
            try:
                schema = with_spark_notes(pq.read_schema(path))
                self.geo.update(filter(None, [(schema.metadata or {}).get(GEO)]))
            except (pa.ArrowException, OSError) as error:
                with open(path, "rb") as file:
                    if file.read(len(_BEGIN)) == _BEGIN:
                        raise damaged(path, str(error)) from None
                text = str(error).splitlines()[0]
                hint = "--engine spark reads only Parquet"
                raise Failure(f"{path}: not a Parquet file: {text}", hint, Exit.NOT_RIJN) from None
            here = {field.name: (field.metadata or {}).get(NAME) for field in schema}
            if found is not None and here != found:
                raise Failure(
                    f"{self.name}: its files have different columns, or different metadata of them:"
                    f" {path} differs from the first",
                    "put files with the same columns into a folder of their own",
                    Exit.REFUSED,
                )
            found = here
        return found or {}

    @property
    def mode(self) -> int:
        """The permission bits that all files have."""
        mode = 0o666
        for status in self._state.values():
            mode &= status.st_mode
        return mode

    def check_unchanged(self) -> None:
        """Checks that nobody has written to the files since they were read. Failure."""
        now = self._look()
        if {path: (it.st_size, it.st_mtime_ns) for path, it in now.items()} != {
            path: (it.st_size, it.st_mtime_ns) for path, it in self._state.items()
        }:
            raise Failure(
                f"{self.name}: changed while it was read",
                "use a copy that nobody writes to",
                Exit.OTHER,
            )


def _is_passed_over(path: str) -> bool:
    """Returns whether Spark ignores a file with this name."""
    name = os.path.basename(path)
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
