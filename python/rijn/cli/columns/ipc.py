"""Arrow IPC streams and files (Feather version 2). pyarrow reads them one record batch at a time."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..failures import Exit, Failure
from .tables import Sink, Table, Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import BinaryIO

    from ..destination import Destination

MAGIC = b"ARROW1"
BEHIND = "there is more data after the stream's end"
CONTINUES = b"\xff\xff\xff\xff"  # each message of a stream begins with this
END = CONTINUES + bytes(4)
_BLOCK = "<qI"  # in a footer: the place of a batch's message, and its size
_CODECS = ("lz4", "zstd")


class IpcTable(Table):
    """A file or a stream."""

    kind = "Arrow IPC"
    part, parts = "record batch", "record batches"

    def __init__(self, name: str, raw: BinaryIO, *, stream: bool) -> None:
        super().__init__(name, raw)
        self.one_dictionary = not stream
        self.stream = stream
        self.total = self.status.st_size
        self._seen: dict[bytes, None] = {}  # the keys of batches so far
        self.batch_metadata: dict[bytes, bytes] | None = None
        """The metadata of the last batch that was read."""
        options = pa.ipc.IpcReadOptions(use_threads=False)
        with self._reading():
            self.codec = self._codec()
            if stream:
                raw.seek(self.status.st_size - min(len(END), self.status.st_size))
                if raw.read() != END:
                    raise self._damaged(self._no_end())
                raw.seek(0)
                self._reader = pa.ipc.open_stream(raw, options=options)
            else:
                # Arrow's threads read the file, so they must not use Python objects.
                own = f"/dev/fd/{raw.fileno()}" if os.name == "posix" else name
                self._reader = pa.ipc.open_file(pa.OSFile(own), options=options)
            self.schema = self._reader.schema
            _ = self.schema.names  # decodes them now; it raises if they are not UTF-8
        self._next = self._at = 0

    def size(self) -> tuple[int, int]:
        rows = parts = 0
        while (batch := self._read()) is not None:
            rows, parts = rows + batch.num_rows, parts + 1
        return rows, parts

    def read(self) -> list[Any] | None:
        batch = self._read()
        return None if batch is None else [pa.Table.from_batches([batch])]

    def writer(
        self,
        destination: Destination,
        schema: Any,
        changed: Sequence[int],
        unique: Collection[int],
    ) -> Writer:
        return IpcWriter(destination, schema, self)

    @property
    def footer(self) -> dict[bytes, bytes] | None:
        """The metadata in a file's footer, without dropped keys; None for a stream."""
        return None if self.stream else self.without_dropped(self._reader.metadata)

    @property
    def other_keys(self) -> list[bytes]:
        return [*dict.fromkeys([*(self.footer or {}), *self._seen])]

    def without_dropped(self, metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
        """Returns the metadata without dropped keys."""
        if not metadata:
            return metadata
        return {key: text for key, text in metadata.items() if key not in self.dropped} or None

    def _read(self) -> Any:
        """Returns the next batch, or None at the end. Validates it, because the file's content is not
        trusted: nothing may point outside of the buffers."""
        with self._reading():
            try:
                if self.stream:
                    found = self._reader.read_next_batch_with_custom_metadata()
                elif self._next < self._reader.num_record_batches:
                    found = self._reader.get_batch_with_custom_metadata(self._next)
                else:
                    return None
            except StopIteration:
                if self._raw.tell() != self.status.st_size:
                    raise self._damaged(BEHIND) from None
                return None
            found[0].validate(full=True)
        self._next += 1
        if self.stream:
            now = self._raw.tell()
            self.step, self._at = now - self._at, now
        else:
            self.step = self.total // self._reader.num_record_batches
        batch, metadata = found
        self.batch_metadata = self.without_dropped(metadata)
        self._seen.update(dict.fromkeys(self.batch_metadata or {}))
        return batch

    def _no_end(self) -> str:
        """Returns the error of a stream that does not end with END. Raises pyarrow's exceptions."""
        self._raw.seek(0)
        messages = pa.ipc.MessageReader.open_stream(self._raw)
        try:
            while True:
                messages.read_next_message()
        except StopIteration:
            cut = self._raw.tell() == self.status.st_size
            return "the stream has no end: it was truncated" if cut else BEHIND

    def _codec(self) -> str | None:
        """Returns the codec of the first batch."""
        if not self.stream:
            return _codec_of(self._first_batch())
        messages = pa.ipc.MessageReader.open_stream(self._raw)
        try:
            while (message := messages.read_next_message()).type != "record batch":
                pass
        except StopIteration:
            return None
        finally:
            self._raw.seek(0)
        return _codec_of(message.metadata.to_pybytes())

    def _first_batch(self) -> bytes:
        """Returns the message of a file's first batch, or b"" without one. The footer has its place:
        the bytes before it may be no message, as in Polars' files."""
        try:
            self._raw.seek(self.status.st_size - len(MAGIC) - 4)
            (size,) = struct.unpack("<I", self._raw.read(4))
            self._raw.seek(-4 - size, os.SEEK_CUR)
            footer = self._raw.read(size)
            (root,) = struct.unpack_from("<I", footer)
            batches = _table_in(footer, root, 3)
            if not batches or not struct.unpack_from("<I", footer, batches)[0]:
                return b""
            begin, size = struct.unpack_from(_BLOCK, footer, batches + 4)
            self._raw.seek(begin)
            message = self._raw.read(size)
        except (struct.error, IndexError, ValueError, OSError):  # open_file reports it
            return b""
        finally:
            self._raw.seek(0)
        return message[8 if message.startswith(CONTINUES) else 4 :]


class IpcWriter(Writer):
    def __init__(self, destination: Destination, schema: Any, table: IpcTable) -> None:
        self._sink = Sink(destination)
        self._table = table
        options = pa.ipc.IpcWriteOptions(compression=table.codec, use_threads=False)
        if table.stream:
            self._writer = pa.ipc.new_stream(self._sink, schema, options=options)
        else:
            footer = table.footer
            self._writer = pa.ipc.new_file(self._sink, schema, options=options, metadata=footer)

    def write(self, table: Any) -> None:
        try:
            columns = [column.combine_chunks() for column in table.columns]
            batch = pa.RecordBatch.from_arrays(columns, schema=table.schema)
            self._writer.write_batch(batch, custom_metadata=self._table.batch_metadata)
        except pa.ArrowException as error:
            raise Failure(
                f"{self._table.name}: pyarrow cannot write it: {error}",
                "use an Arrow IPC stream, with smaller batches",
                Exit.OTHER,
            ) from None

    def finish(self) -> None:
        self._writer.close()

    def abandon(self) -> None:
        self._sink.destination = None


# ---- Fields of a message that pyarrow does not show (FlatBuffers) ---------------------


def _codec_of(message: bytes) -> str | None:
    """Returns the codec of a record batch: Message.header.compression.codec."""
    try:
        (root,) = struct.unpack_from("<I", message)
        header = _table_in(message, root, 2)
        compression = header and _table_in(message, header, 3)
        if not compression:
            return None
        place = _place_of(message, compression, 0)
        return _CODECS[message[place] if place else 0]
    except (struct.error, IndexError):
        return None


def _place_of(message: bytes, table: int, field: int) -> int:
    """Returns the place of a table's field; 0 if the table does not have it."""
    (back,) = struct.unpack_from("<i", message, table)
    (size,) = struct.unpack_from("<H", message, table - back)
    if 4 + 2 * field >= size:
        return 0
    (offset,) = struct.unpack_from("<H", message, table - back + 4 + 2 * field)
    return table + offset if offset else 0


def _table_in(message: bytes, table: int, field: int) -> int:
    """Returns the place of a field's table or list; 0 if there is none."""
    place = _place_of(message, table, field)
    return place and place + int(struct.unpack_from("<I", message, place)[0])
