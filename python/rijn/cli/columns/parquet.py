"""Parquet files, one row group at a time, by pyarrow."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .note import noted
from .tables import BATCH, LARGE, Sink, Table, Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import BinaryIO

    from ..output import Destination

READ_SIZE = 1 << 20  # bytes of a column's pages that are in memory at once, before they are read
_CODECS = {"UNCOMPRESSED": "NONE"}  # where the writer has a name of its own


class ParquetTable(Table):
    kind = "Parquet"
    part, parts = "row group", "row groups"

    def __init__(self, name: str, raw: BinaryIO) -> None:
        super().__init__(name, raw)
        with self._reading():
            self._file = pq.ParquetFile(raw, pre_buffer=False, buffer_size=READ_SIZE)
            self._metadata = self._file.metadata
            self.schema = noted(self._file.schema_arrow)
        # Each batch of a dictionary has all of it.
        self._encoded = any(pa.types.is_dictionary(type_) for type_ in self.schema.types)
        self._next = 0
        self.total = sum(self._size(group) for group in range(self._metadata.num_row_groups))

    def size(self) -> tuple[int, int]:
        return self._metadata.num_rows, self._metadata.num_row_groups

    def read(self) -> Iterator[Any] | None:
        if self._next == self._metadata.num_row_groups:
            return None
        self.step = self._size(self._next)
        self._next += 1
        return self._pieces(self._next - 1)

    def _pieces(self, group: int) -> Iterator[Any]:
        """A large group in batches, for which no column grows in one piece: that would take half as
        much memory again. (One that says so of no rows would have none.)"""
        rows = self._metadata.row_group(group).num_rows
        if self.step < LARGE or self._encoded or not rows:
            with self._reading():
                table = self._file.read_row_group(group, use_threads=False)
            yield table
            return
        pa.default_memory_pool().release_unused()  # what writing the last one took
        with self._reading():
            batches = self._file.iter_batches(BATCH, row_groups=[group], use_threads=False)
        while True:
            with self._reading():
                batch = next(batches, None)
            if batch is None:
                break
            yield pa.Table.from_batches([batch])
        pa.default_memory_pool().release_unused()  # what else reading took

    def writer(self, destination: Destination, schema: Any, sealed: Collection[int]) -> Writer:
        return ParquetWriter(destination, schema, self.codecs(), sealed)

    def codecs(self) -> list[str]:
        """How each leaf of the schema is compressed."""
        if not self._metadata.num_row_groups:
            return ["SNAPPY"] * len(self._file.schema)
        first = self._metadata.row_group(0)
        return [str(first.column(leaf).compression) for leaf in range(first.num_columns)]

    def _size(self, group: int) -> int:
        """Bytes of a row group, not compressed."""
        return int(self._metadata.row_group(group).total_byte_size)


class ParquetWriter(Writer):
    behind = True

    def __init__(
        self, destination: Destination, schema: Any, codecs: list[str], sealed: Collection[int]
    ) -> None:
        self._sink = Sink(destination)
        leaves = _leaves(schema)
        by_leaf = dict(zip(leaves, codecs, strict=True))
        names = {schema.names[place] for place in sealed}
        plain = [leaf for leaf in leaves if leaf not in names]
        self._writer = pq.ParquetWriter(
            self._sink,
            schema,
            compression={leaf: _CODECS.get(codec, codec) for leaf, codec in by_leaf.items()},
            use_dictionary=plain,
            write_statistics=plain,
        )

    def write(self, table: Any) -> None:
        if table.num_rows:
            self._writer.write_table(table, row_group_size=table.num_rows)

    def finish(self) -> None:
        self._writer.close()

    def abandon(self) -> None:
        self._sink.destination = None


def _leaves(schema: Any) -> list[str]:
    """The paths of the leaves, as a Parquet file of this schema has them."""
    held = io.BytesIO()
    pq.ParquetWriter(held, schema).close()
    found = pq.ParquetFile(held).schema
    return [str(found.column(leaf).path) for leaf in range(len(found))]
