"""A table that Spark reads. The driver reads the footers of its files, which have the columns' notes.

This module uses tables.py and note.py.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
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

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_BEGIN = b"PAR1"  # the first bytes of a Parquet file
_PATTERN = "*?[]{}\\"  # special characters of Hadoop's FileSystem.globStatus
_WRITER = b"org.apache.spark.version"  # a key in the metadata of files that Spark wrote
_TIMES = "spark.sql.parquet.outputTimestampType"
_INT96 = "INT96 None"
_INSTANT = "INT64 Timestamp isAdjustedToUTC=True timeUnit="
_FORMS = {  # types of times, and Spark's names for them
    _INT96: "INT96",
    f"{_INSTANT}microseconds": "TIMESTAMP_MICROS",
    f"{_INSTANT}milliseconds": "TIMESTAMP_MILLIS",
}
_SAME = {  # types that a file may name in two ways
    f"INT{bits} Int bitWidth={bits} isSigned=True": f"INT{bits} None" for bits in (32, 64)
}
_NO_PART = ("is_from_converted_type", "force_set_converted_type")  # of a type


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
        self._spark = spark
        self._leaves: dict[tuple[str, str], None] = {}  # names and types of all files' leaves
        self._foreign: set[str] = set()  # INT96 leaves that another program wrote
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
                with pq.ParquetFile(path) as file:
                    schema = with_spark_notes(file.schema_arrow)
                    leaves = _leaves(file)
                    if _WRITER not in (file.metadata.metadata or {}):
                        self._foreign.update(leaf for leaf, type_ in leaves if type_ == _INT96)
                self._leaves.update(dict.fromkeys(leaves))
                self.geo.update(filter(None, [(schema.metadata or {}).get(GEO)]))
            except (pa.ArrowException, OSError) as error:
                with open(path, "rb") as begin:
                    if begin.read(len(_BEGIN)) == _BEGIN:
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

    @contextmanager
    def times_kept(self) -> Iterator[None]:
        """Lets Spark write times in the form that they have in the source, if all have the same."""
        from py4j.protocol import Py4JError

        found = {_FORMS[type_] for _, type_ in self._leaves if type_ in _FORMS}
        before = self._spark.conf.get(_TIMES)
        if len(found) == 1:
            self._spark.conf.set(_TIMES, found.pop())
        try:
            yield
        finally:
            with suppress(Py4JError, ConnectionError):  # a signal may have ended the JVM
                self._spark.conf.set(_TIMES, before)

    def check_kept(self, changed: Collection[str], place: str) -> None:
        """Checks that Spark will write all columns but the changed ones in their types. It writes these
        columns without rows to `place`, a new folder. Failure."""
        others = self.frame.drop(*changed)
        if not others.columns:
            return
        others.where("false").write.parquet(place)
        (path,) = (it.path for it in os.scandir(place) if it.name.endswith(".parquet"))
        with pq.ParquetFile(path) as file:
            written = dict(_leaves(file))
        hint = "convert it first, or omit --engine spark"
        for leaf, type_ in self._leaves:
            if leaf in changed or written.get(leaf) == type_:
                continue
            text = f"{self.name}: column {leaf} has type {type_}, which Spark would change to"
            raise Failure(f"{text} {written.get(leaf, 'another')}", hint, Exit.USAGE)
        for leaf in sorted(self._foreign):
            text = f"{self.name}: column {leaf} may have nanoseconds, which Spark would drop"
            raise Failure(text, hint, Exit.USAGE)

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


def _leaves(file: Any) -> list[tuple[str, str]]:
    """Returns the names of a file's leaves, and the types in which values are stored."""
    schema, found = file.schema, []
    for column in (schema.column(place) for place in range(len(schema))):
        meaning = json.loads(column.logical_type.to_json())
        said = [column.physical_type, meaning.pop("Type")]
        said += [f"{name}={it}" for name, it in meaning.items() if name not in _NO_PART]
        if column.physical_type == "FIXED_LEN_BYTE_ARRAY":
            said.append(f"length={column.length}")
        text = " ".join(said)
        found.append((column.path, _SAME.get(text, text)))
    return found


def _is_passed_over(path: str) -> bool:
    """Returns whether Spark ignores a file with this name."""
    name = os.path.basename(path)
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
