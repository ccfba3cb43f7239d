"""Parquet files, one row group at a time, by pyarrow.

They are read by the main thread alone (pre_buffer and use_threads are False): a thread of Arrow's that
still holds what Python has read takes the process down when the interpreter ends before it.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..failures import Exit, Failure
from ..options import open_source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from _typeshed import ReadableBuffer

    from ..output import Destination

_CODECS = {"UNCOMPRESSED": "NONE"}  # where the writer has a name of its own


class Table:
    """A Parquet file that is read. Failure, OSError. Close it in the end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._raw = open_source(name)
        self.status = os.fstat(self._raw.fileno())
        try:
            with self._reading():
                self._file = pq.ParquetFile(self._raw, pre_buffer=False)
                self._metadata = self._file.metadata
                self.schema = self._file.schema_arrow
        except BaseException:
            self._raw.close()
            raise

    def close(self) -> None:
        self._raw.close()

    @property
    def rows(self) -> int:
        return int(self._metadata.num_rows)

    @property
    def groups(self) -> int:
        return int(self._metadata.num_row_groups)

    def size(self, group: int) -> int:
        """Bytes of a row group, not compressed."""
        return int(self._metadata.row_group(group).total_byte_size)

    def read(self, group: int) -> Any:
        """A row group, as a pyarrow.Table."""
        with self._reading():
            return self._file.read_row_group(group, use_threads=False)

    def only(self, name: str) -> int:
        """The place of the column of that name. Failure."""
        places = self.schema.get_all_field_indices(name)
        if len(places) == 1:
            return int(places[0])
        said = "there is no column" if not places else "there are several columns"
        names = ", ".join(dict.fromkeys(self.schema.names))
        raise Failure(f"{self.name}: {said} {name}", f"its columns are {names}", Exit.USAGE)

    def codecs(self) -> list[str]:
        """How each leaf of the schema is compressed."""
        if not self.groups:
            return ["SNAPPY"] * len(self._file.schema)
        first = self._metadata.row_group(0)
        return [str(first.column(leaf).compression) for leaf in range(first.num_columns)]

    def check_unchanged(self) -> None:
        """Failure, unless nobody has written to the file since it was opened."""
        now, then = os.fstat(self._raw.fileno()), self.status
        if (now.st_size, now.st_mtime_ns) != (then.st_size, then.st_mtime_ns):
            raise Failure(
                f"{self.name}: changed while it was read",
                "make a copy that nobody writes to, and use that",
                Exit.OTHER,
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What pyarrow has against the file, as a Failure."""
        try:
            yield
        except MemoryError:
            raise Failure(
                "not enough memory for a row group", "write smaller row groups", Exit.OTHER
            ) from None
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                error.filename = self.name
                raise
            raise self._unread(str(error)) from None

    def _unread(self, text: str) -> Failure:
        self._raw.seek(0)
        if self._raw.read(4) != b"PAR1":
            hint = "Parquet is what is read; Arrow IPC and CSV are not there yet"
            return Failure(f"{self.name}: not a Parquet file", hint, Exit.NOT_RIJN)
        text = text.splitlines()[0] if text else "pyarrow does not read it"
        return Failure(f"{self.name}: damaged: {text}", "restore it from a copy", Exit.DAMAGED)


class Writer:
    """A Parquet file that is written to a destination, of this schema and otherwise like `table`."""

    def __init__(
        self, destination: Destination, schema: Any, table: Table, sealed: Collection[int]
    ) -> None:
        """sealed: the places of columns in which no value comes twice, so that neither a dictionary
        nor statistics are of use."""
        self._sink = _Sink(destination)
        leaves = _leaves(schema)
        codecs = dict(zip(leaves, table.codecs(), strict=True))
        names = {schema.names[place] for place in sealed}
        plain = [leaf for leaf in leaves if leaf not in names]
        self._writer = pq.ParquetWriter(
            self._sink,
            schema,
            compression={leaf: _CODECS.get(codec, codec) for leaf, codec in codecs.items()},
            use_dictionary=plain,
            write_statistics=plain,
        )

    def write(self, table: Any) -> None:
        """A row group. OSError."""
        if table.num_rows:
            self._writer.write_table(table, row_group_size=table.num_rows)

    def finish(self) -> None:
        self._writer.close()

    def abandon(self) -> None:
        """Nothing that pyarrow does from here on, as in a destructor, reaches the destination."""
        self._sink.destination = None


class _Sink(io.RawIOBase):
    def __init__(self, destination: Destination) -> None:
        self.destination: Destination | None = destination

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data).cast("B")
        if self.destination is not None:
            self.destination.write(view)
        return len(view)


def _leaves(schema: Any) -> list[str]:
    """The paths of the leaves, as a Parquet file of this schema has them."""
    held = io.BytesIO()
    pq.ParquetWriter(held, schema).close()
    found = pq.ParquetFile(held).schema
    return [str(found.column(leaf).path) for leaf in range(len(found))]
