"""Parquet files, one row group at a time.

pyarrow reads and writes the columns of the work. The bytes of the other columns are copied. So these
keep properties that pyarrow does not know: types and names in Parquet's schema, encodings, statistics,
page indexes and Bloom filters.
"""

from __future__ import annotations

import base64
import binascii
import os
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..failures import Exit, Failure
from .footer import Extent, Footer, Spliced, footer_of
from .note import with_spark_notes
from .tables import BATCH, LARGE, Sink, Table, Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import BinaryIO

    from _typeshed import ReadableBuffer

    from ..destination import Destination

READ_SIZE = 1 << 20  # encoded bytes of a column in memory at once
SCHEMA = b"ARROW:schema"  # the key of Arrow's schema in the file's metadata, in base64
_MOST_ROWS = 1 << 26  # pyarrow writes at most this many into a row group


class ParquetTable(Table):
    kind = "Parquet"
    part, parts = "row group", "row groups"
    copies = True

    def __init__(self, name: str, raw: BinaryIO) -> None:
        super().__init__(name, raw)
        with self._reading():
            self._file = pq.ParquetFile(raw, pre_buffer=False, buffer_size=READ_SIZE)
            self._metadata = self._file.metadata
            schema = self._file.schema_arrow
        try:
            self.footer = self._footer()
            # If the file has Arrow's schema, pyarrow only shows the keys in that schema.
            told = [(key, value or b"") for key, value in self.footer.pairs if key != SCHEMA]
            pairs = dict(told)
            self.repeated = {key for key, value in told if pairs[key] != value}
            metadata = {**(schema.metadata or {}), **pairs}
            self.schema = with_spark_notes(schema.with_metadata(metadata or None))
        except (ValueError, TypeError, AttributeError, struct.error) as error:
            raise self.unreadable(error) from None
        self._next = 0
        self.choose(range(len(self.schema)))

    def choose(self, columns: Sequence[int]) -> None:
        super().choose(columns)
        held = [self.footer.columns[place].leaves for place in columns]
        self._leaves = [leaf for leaves in held for leaf in leaves]
        # Each batch of a dictionary column has the whole dictionary.
        types = (self.schema.field(place).type for place in columns)
        self._encoded = any(pa.types.is_dictionary(type_) for type_ in types)
        self.total = sum(self._size(group) for group in range(len(self.footer.groups)))

    def size(self) -> tuple[int, int]:
        return self._metadata.num_rows, self._metadata.num_row_groups

    def read(self) -> Iterator[Any] | None:
        if self._next == len(self.footer.groups):
            return None
        self.step = self._size(self._next)
        self._next += 1
        return self._pieces(self._next - 1)

    def _pieces(self, group: int) -> Iterator[Any]:
        """Yields the tables of a row group. A large group comes in batches, because whole columns
        would need half as much memory again. A group without rows has no batches."""
        reader, leaves = self._file.reader, self._leaves
        if self.step < LARGE or self._encoded or not self.footer.rows(group):
            with self._reading():
                table = reader.read_row_group(group, column_indices=leaves, use_threads=False)
            yield table
            return
        pa.default_memory_pool().release_unused()  # memory that the last write used
        with self._reading():
            batches = reader.iter_batches(
                BATCH, row_groups=[group], column_indices=leaves, use_threads=False
            )
        while True:
            with self._reading():
                batch = next(batches, None)
            if batch is None:
                break
            yield pa.Table.from_batches([batch])
        pa.default_memory_pool().release_unused()  # memory that reading used

    def writer(
        self,
        destination: Destination,
        schema: Any,
        changed: Sequence[int],
        unique: Collection[int],
    ) -> Writer:
        for group in range(len(self.footer.groups)):
            if self.footer.rows(group) > _MOST_ROWS:
                raise Failure(
                    f"{self.name}: row group {group} has more than {_MOST_ROWS:,} rows",
                    "write smaller row groups",
                    Exit.OTHER,
                )
        return ParquetWriter(destination, schema, self, changed, unique)

    def codec(self, place: int) -> str:
        """Returns the codec of a column with one leaf. Failure."""
        if not self.footer.groups:
            return "SNAPPY"
        try:
            return self.footer.codec(0, self.footer.columns[place].leaves.start)
        except (ValueError, TypeError) as error:
            raise self.unreadable(error) from None

    def annotation(self, place: int) -> bytes | None:
        try:
            return self.footer.annotation(place)
        except TypeError as error:
            raise self.unreadable(error) from None

    def stored_schema(self) -> Any | None:
        """Returns the file's own Arrow schema; None if it does not describe these columns."""
        data = dict(self.footer.pairs).get(SCHEMA)
        try:
            found = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(data or b"")))
        except (pa.ArrowException, binascii.Error, OSError, ValueError):
            return None
        return found if found.names == self.schema.names else None

    def bytes_at(self, begin: int, size: int) -> bytes:
        """Returns bytes of the file. Other threads than the reader may call this. Failure."""
        if hasattr(os, "pread"):
            data = os.pread(self._raw.fileno(), size, begin)
        else:
            self._raw.seek(begin)
            data = self._raw.read(size) or b""
        if len(data) != size:  # the regular file ends earlier
            raise self._damaged("its columns lie outside of it")
        return data

    def unreadable(self, error: Exception) -> Failure:
        """Returns the error for a footer that cannot be followed."""
        hint = "rewrite it with the program that made it"
        return Failure(f"{self.name}: cannot copy its columns: {error}", hint, Exit.DAMAGED)

    def _footer(self) -> Footer:
        end = self.status.st_size
        (size,) = struct.unpack("<I", self.bytes_at(end - 8, 4))
        return Footer(footer_of(self.bytes_at(end - 8 - size, size + 8)), end - 8 - size)

    def _size(self, group: int) -> int:
        """Returns the uncompressed bytes of the chosen columns in a row group."""
        return sum(self.footer.plain_size(group, leaf) for leaf in self._leaves)


class ParquetWriter(Writer):
    """Lets pyarrow write a file with only the changed columns. Adds the bytes of the other columns
    around each row group, and replaces pyarrow's footer with one for all columns."""

    behind = hasattr(os, "pread")

    def __init__(
        self,
        destination: Destination,
        schema: Any,
        table: ParquetTable,
        changed: Sequence[int],
        unique: Collection[int],
    ) -> None:
        self._sink = _Spliced(destination)
        self._table, self._schema, self._old = table, schema, table.footer
        numbers = {self._old.columns[place].leaves.start: n for n, place in enumerate(changed)}
        told = {n: table.annotations.get(place) for n, place in enumerate(changed)}
        annotations = {number: text for number, text in told.items() if text is not None}
        self._new = Spliced(self._old, numbers, annotations)
        self._changed = numbers.keys()
        self._kept = [leaf for leaf in range(self._old.leaves) if leaf not in numbers]
        self._shifts: list[int] = []
        self._copied = 0
        # Names without dots, because a dot divides a name.
        self._names = [f"c{number}" for number in range(len(changed))]
        plain = [
            name for name, place in zip(self._names, changed, strict=True) if place not in unique
        ]
        self._writer = pq.ParquetWriter(
            self._sink,
            pa.schema(
                schema.field(place).with_name(name).remove_metadata()
                for name, place in zip(self._names, changed, strict=True)
            ),
            compression={
                name: table.codec(place) for name, place in zip(self._names, changed, strict=True)
            },
            use_dictionary=plain,
            # Parquet orders values with an annotation in another way, or not at all.
            write_statistics=[
                name for n, name in enumerate(self._names) if name in plain and n not in annotations
            ],
            store_schema=False,
        )

    def write(self, table: Any) -> None:
        group = len(self._shifts)
        # parquet-mr uses the place of the first column as the place of the row group.
        first = min(self._changed)
        self._keep(group, [leaf for leaf in self._kept if leaf < first])
        self._shifts.append(self._copied)
        columns = pa.Table.from_arrays(table.columns, schema=self._writer.schema)
        self._writer.write_table(columns, row_group_size=max(1, table.num_rows))
        self._keep(group, [leaf for leaf in self._kept if leaf > first])

    def _keep(self, group: int, leaves: list[int]) -> None:
        for leaf in leaves:
            extent = self._old.extents[group][leaf]
            shift = 0 if extent is None else self._copy(extent) - extent.begin
            self._new.keep(group, leaf, shift)

    def finish(self) -> None:
        self._sink.held = bytearray()
        self._writer.close()
        made, self._sink.held = footer_of(bytes(self._sink.held)), None
        try:
            self._new.indexes(self._table.bytes_at, self._append)
            self._sink.write(self._new.finish(made, self._shifts, self._pairs()))
        except (ValueError, TypeError, AttributeError) as error:
            raise self._table.unreadable(error) from None

    def abandon(self) -> None:
        self._sink.destination = None

    def _copy(self, extent: Extent) -> int:
        """Copies bytes, and returns their new place."""
        place, at = self._sink.position, extent.begin
        while at < extent.end:
            self._sink.write(self._table.bytes_at(at, min(READ_SIZE, extent.end - at)))
            at += READ_SIZE
        self._copied += extent.end - extent.begin
        return place

    def _append(self, data: bytes) -> int:
        place = self._sink.position
        self._sink.write(data)
        return place

    def _pairs(self) -> list[tuple[bytes, bytes | None]]:
        """Returns the file's metadata from the new schema, with Arrow's schema, which has the notes of
        the sealed columns."""
        new, was = self._schema.metadata or {}, self._table.schema.metadata or {}
        found: list[tuple[bytes, bytes | None]] = []
        for key, value in self._old.pairs:
            if key in new:
                found.append((key, value if new[key] == was.get(key) else new[key]))
        there = {key for key, _ in found}
        found += [(key, value) for key, value in new.items() if key not in there]
        return [*found, (SCHEMA, base64.b64encode(self._arrow_schema().serialize()))]

    def _arrow_schema(self) -> Any:
        """Returns the stored Arrow schema, with the changed columns replaced."""
        new, stored = self._schema, self._table.stored_schema()
        if stored is None:
            return new
        kept = [key for key in stored.metadata or {} if key in (new.metadata or {})]
        fields = [
            theirs if ours.equals(was, check_metadata=True) else ours
            for ours, was, theirs in zip(new, self._table.schema, stored, strict=True)
        ]
        return pa.schema(fields, metadata={key: new.metadata[key] for key in kept} or None)


class _Spliced(Sink):
    """A destination for pyarrow and for the copied bytes. `position` counts both."""

    def __init__(self, destination: Destination) -> None:
        super().__init__(destination)
        self.position = 0
        self.held: bytearray | None = None
        """Receives the bytes instead of the destination, if it is not None."""

    def write(self, data: ReadableBuffer, /) -> int:
        if self.held is None:
            count = super().write(data)
            self.position += count
            return count
        view = memoryview(data).cast("B")
        self.held += view
        return len(view)
