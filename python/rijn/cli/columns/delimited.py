"""Text files with commas (CSV, RFC 4180) or tabs (TSV) between the values. pyarrow reads them one block
at a time.

All columns stay text: nothing becomes a number or a date. An empty field is null, and "" is the empty
text. Sealed values are base64.
"""

from __future__ import annotations

import binascii
import os
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ..failures import Exit, Failure
from .tables import Sink, Table, Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import BinaryIO

    from ..destination import Destination
    from .tasks import Conversion

DELIMITERS = {".csv": ",", ".tsv": "\t"}  # by the ending of the file's name
BLOCK = 1 << 21  # bytes of a read; Arrow reads some dozens ahead; no row is longer
BOM = b"\xef\xbb\xbf"
_ROWS = 1 << 14  # rows of a write
_HEADER = re.compile(rb'(?:"[^"]*"|[^"\r\n]+)*')
_WRONG = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


class DelimitedTable(Table):
    part, parts = "block", "blocks"
    text = True

    def __init__(self, name: str, raw: BinaryIO, delimiter: str) -> None:
        super().__init__(name, raw)
        self.delimiter = delimiter
        self.kind = "TSV" if delimiter == "\t" else "CSV"
        self.total = self.status.st_size
        begin = raw.read(BLOCK)
        self.bom = BOM if begin.startswith(BOM) else b""
        begin = begin.removeprefix(BOM)
        if begin[:1] in (b"", b"\r", b"\n"):
            text = "is empty" if not begin else "its first line is empty"
            raise Failure(
                f"{name}: {text}", "the first line must have the columns' names", Exit.NOT_RIJN
            )
        header = _HEADER.match(begin)[0]  # type: ignore[index]
        try:
            header.decode()
        except UnicodeDecodeError:
            raise self._unreadable("its header is not UTF-8") from None
        self.end = "\r\n" if begin.startswith(b"\r\n", len(header)) else "\n"
        read = pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK)
        parse = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        raw.seek(0)
        # Arrow's threads read ahead, so they must not use Python objects.
        own = f"/dev/fd/{raw.fileno()}" if os.name == "posix" else name
        with self._reading():
            held = pa.BufferReader(header + b"\n")
            names = pyarrow.csv.read_csv(held, read, parse).column_names
            # With several columns an empty line is not a row. With one column it is a null.
            parse.ignore_empty_lines = len(names) > 1
            convert = pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            )
            self._reader = pyarrow.csv.open_csv(pa.OSFile(own), read, parse, convert)
            self.schema = self._reader.schema
        self._read_bytes = 0
        self._last = None  # the last row's last value

    def close(self) -> None:
        if hasattr(self, "_reader"):
            self._reader.close()
        super().close()

    def size(self) -> tuple[int, int]:
        rows = parts = 0
        while (tables := self.read()) is not None:
            rows, parts = rows + sum(it.num_rows for it in tables), parts + 1
        return rows, parts

    def read(self) -> list[Any] | None:
        with self._reading():
            try:
                batch = self._reader.read_next_batch()
            except StopIteration:
                self._check_end()
                return None
        if batch.num_rows:
            self._last = batch.column(batch.num_columns - 1)[-1].as_py()
        self.step = min(BLOCK, self.total - self._read_bytes)
        self._read_bytes += self.step
        return [pa.Table.from_batches([batch])]

    def writer(
        self,
        destination: Destination,
        schema: Any,
        changed: Sequence[int],
        unique: Collection[int],
    ) -> Writer:
        return DelimitedWriter(destination, self)

    def _damaged(self, text: str) -> Failure:
        """Returns the error for pyarrow's message, without the content of the row."""
        if found := _WRONG.search(text):
            number, wanted, there = map(int, found.groups())
            said = f"row {number - 2} has {there} fields, but the header has {wanted}"
            return Failure(
                f"{self.name}: damaged: {said}",
                "rows count from 0; quote values that contain a delimiter",
                Exit.DAMAGED,
            )
        if "UTF8" in text:
            found = re.search(r"Row #(\d+)", text)
            row = f"row {int(found[1]) - 2}" if found else "a row"
            return self._unreadable(f"{row} is not UTF-8")
        if "straddl" in text:
            hint = "is a quote missing after a value?"
            said = f"a row is longer than {BLOCK >> 20} MiB"
            return Failure(f"{self.name}: {said}", hint, Exit.DAMAGED)
        if "cannot infer" in text:
            hint = "was the file truncated? Its first line must have a line end"
            return Failure(f"{self.name}: its header has no end", hint, Exit.DAMAGED)
        return super()._damaged("pyarrow does not read it")

    def _unreadable(self, text: str) -> Failure:
        hint = "convert it to UTF-8 first: iconv -f ENCODING -t UTF-8"
        return Failure(f"{self.name}: {text}", hint, Exit.NOT_RIJN)

    def _check_end(self) -> None:
        """Checks that the last value's quote is closed. pyarrow accepts an open quote at the end of a
        truncated file. Failure."""
        if self._last is None:
            return
        last = self._last.encode()
        quoted = b'"' + last.replace(b'"', b'""') + b'"'
        self._raw.seek(max(0, self.status.st_size - BLOCK))
        tail = (self._raw.read(BLOCK) or b"").rstrip(b"\r\n")
        plain = tail.endswith(last) and not tail.removesuffix(last).endswith(b'"')
        if not tail.endswith(quoted) and not plain:
            raise Failure(
                f"{self.name}: damaged: the last value's quote is not closed",
                "was the file truncated? Restore it from a copy",
                Exit.TRUNCATED,
            )


class DelimitedWriter(Writer):
    """Writes quotes only around values that need them. All lines, also the last, end like the source's
    first line."""

    def __init__(self, destination: Destination, table: DelimitedTable) -> None:
        self._sink = Sink(destination)
        self._name = table.name
        self._delimiter = table.delimiter
        self._end = table.end
        names = table.schema.names
        held = names if len(names) == 1 else [name or None for name in names]
        self._sink.write(table.bom)
        self._write([pa.array([name], pa.large_string()) for name in held])

    def write(self, table: Any) -> None:
        for batch in table.to_batches(max_chunksize=_ROWS):
            self._write([column.cast(pa.large_string()) for column in batch.columns])

    def finish(self) -> None:
        """Does nothing: the writer holds no data back."""

    def abandon(self) -> None:
        self._sink.destination = None

    def _write(self, columns: list[Any]) -> None:
        """Writes rows, given as an array for each column. Failure."""
        if not len(columns[0]):
            return
        fields = [_quoted(column, self._delimiter) for column in columns]
        null = {"null_handling": "replace", "null_replacement": ""}
        lines = pc.binary_join_element_wise(*fields, _text(self._delimiter), **null)
        lines = pc.binary_join_element_wise(lines, _text(""), _text(self._end))
        sizes = pc.binary_length(lines)
        if pc.max(sizes).as_py() > BLOCK:
            raise Failure(
                f"{self._name}: a row of the result would be longer than {BLOCK >> 20} MiB",
                "Rijn does not read such rows: use a Parquet or Arrow IPC file",
                Exit.USAGE,
            )
        self._sink.write(memoryview(lines.buffers()[2])[: pc.sum(sizes).as_py()])


def _text(text: str) -> Any:
    return pa.scalar(text, pa.large_string())


def _quoted(column: Any, delimiter: str) -> Any:
    """Returns the column's fields, with quotes where they are needed."""
    must = pc.match_substring_regex(column, f'^$|["\r\n{delimiter}]')
    if not pc.any(must).as_py():
        return column
    doubled = pc.replace_substring(column, '"', '""')
    return pc.if_else(
        must, pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text("")), column
    )


# ---- Sealed values as text ------------------------------------------------------------


def to_text(convert: Conversion) -> Conversion:
    """Returns the same conversion, with its result in base64."""

    def converted(array: Any, aad: Any) -> tuple[Any, Any, int]:
        result, failed, changed = convert(array, aad)
        values = (None if it is None else _base64(it) for it in result.to_pylist())
        return pa.chunked_array([pa.array(values, pa.large_string())]), failed, changed

    return converted


def from_text(convert: Conversion) -> Conversion:
    """Returns the same conversion for base64 text. A row fails if it is not base64."""

    def converted(array: Any, aad: Any) -> tuple[Any, Any, int]:
        values = [None if it is None else _bytes(it) for it in array.to_pylist()]
        live = array.is_valid().to_pylist()
        none = [row for row, it in enumerate(values) if it is None and live[row]]
        result, failed, changed = convert(
            pa.chunked_array([pa.array(values, pa.large_binary())]), aad
        )
        return result, tuple(sorted({*none, *failed})), changed

    return converted


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _bytes(text: str) -> bytes | None:
    """Decodes base64. Returns None if it is not base64, or not canonical (RFC 4648, section 3.5)."""
    try:
        found = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    return found if _base64(found) == text else None
