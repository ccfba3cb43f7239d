"""Tables in files, one part at a time: the base of parquet.py, ipc.py and delimited.py.

Only the main thread reads them. If one of Arrow's threads still held data that Python has read when
the interpreter ends, the process would crash.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...disk.acl import status_of
from ..failures import Exit, Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from _typeshed import ReadableBuffer

    from ..destination import Destination


BATCH = 1 << 16
"""Rows of one call, and rows of one read from a large row group."""
LARGE = 1 << 26
"""Bytes. From this size on, only one part is in memory at a time."""
ENDINGS = {
    ".parquet": "Parquet",
    ".arrow": "Arrow IPC",
    ".arrows": "Arrow IPC",
    ".feather": "Arrow IPC",
    ".csv": "CSV",
    ".tsv": "TSV",
}
"""Endings of names, and the kinds of file that they stand for."""


def no_table(name: str) -> Failure:
    """Returns the error for a source that is not a file."""
    hint = "write the table to a file first"
    return Failure(f"{name}: is a pipe or a device", hint, Exit.OTHER)


def damaged(name: str, text: str) -> Failure:
    """Returns the error for a file that pyarrow cannot read. `text` is pyarrow's message."""
    text = text.splitlines()[0] if text else "pyarrow does not read it"
    return Failure(f"{name}: damaged: {text}", "restore it from a copy", Exit.DAMAGED)


class Described:
    """A table's name and its schema."""

    name: str
    schema: Any  # pyarrow's
    text = False
    """True for a text file: sealed values are base64, and the file does not record how they were
    sealed."""

    def only(self, name: str) -> int:
        """Returns the place of the column with this name. Failure."""
        places = self.schema.get_all_field_indices(name)
        if len(places) == 1:
            return int(places[0])
        said = "there is no column" if not places else "there are several columns"
        shown = name if name and name == name.strip() else repr(name)  # as in -c "id, email"
        names = ", ".join(dict.fromkeys(self.schema.names))
        raise Failure(f"{self.name}: {said} {shown}", f"its columns are {names}", Exit.USAGE)


class Table(Described):
    """A table in an open file. Its methods raise Failure and OSError. The caller closes it."""

    kind: str
    """A kind of ENDINGS."""
    part: str
    parts: str
    """The name of a part, as "row group", and the plural."""
    one_dictionary = False
    """True if a column has the same dictionary in all parts."""
    copies = False
    """True if the writer copies the unchanged columns from the file."""
    columns: Sequence[int]
    """The places of the columns that `read` returns."""
    total: int
    """The approximate sum of `step` over all parts."""
    step: int
    """The bytes of the last part that was read."""

    def __init__(self, name: str, raw: BinaryIO) -> None:
        self.name = name
        self._raw = raw
        self.dropped: set[bytes] = set()
        self.repeated: set[bytes] = set()
        """Keys that the file's metadata has several times, with different values."""
        self.annotations: dict[int, bytes] = {}
        """Former results of `annotation`, by place. The writer restores them."""
        self.status = status_of(raw.fileno())

    def close(self) -> None:
        self._raw.close()

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """The file's metadata without dropped keys."""
        found = self.schema.metadata or {}
        return {key: text for key, text in found.items() if key not in self.dropped}

    @property
    def other_keys(self) -> list[bytes]:
        """Keys of metadata outside of the schema. They stay in the result."""
        return []

    def annotation(self, place: int) -> bytes | None:
        """Returns the annotation of a column's type in the file's own schema, which Arrow's schema does
        not have; None without one."""
        return None

    def choose(self, columns: Sequence[int]) -> None:
        """Makes `read` return only the columns at these places."""
        self.columns = columns

    def size(self) -> tuple[int, int]:
        """Returns the numbers of rows and parts. This may read the table, which works only once."""
        raise NotImplementedError

    def read(self) -> Iterable[Any] | None:
        """Returns the next part as consecutive pyarrow.Tables, each read on demand; None after the last
        part."""
        raise NotImplementedError

    def writer(
        self,
        destination: Destination,
        schema: Any,
        changed: Sequence[int],
        unique: Collection[int],
    ) -> Writer:
        """Returns a writer of a file of the same kind.

        schema   the schema of the new file
        changed  the places of the changed columns; a writer that copies the others takes only these
        unique   the places of columns without repeated values, where dictionaries and statistics
                 are useless
        """
        raise NotImplementedError

    def check_unchanged(self) -> None:
        """Checks that the file has not changed since it was opened. Failure."""
        now, then = os.fstat(self._raw.fileno()), self.status
        if (now.st_size, now.st_mtime_ns) != (then.st_size, then.st_mtime_ns):
            raise Failure(
                f"{self.name}: changed while it was read",
                "use a copy that nobody writes to",
                Exit.OTHER,
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turns pyarrow's errors about the file into Failure."""
        try:
            yield
        except MemoryError:
            raise Failure(
                f"not enough memory for a {self.part}", f"write smaller {self.parts}", Exit.OTHER
            ) from None
        except UnicodeDecodeError:
            raise self._damaged("the name of a column is not UTF-8") from None
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                error.filename = self.name
                raise
            raise self._damaged(str(error)) from None

    def _damaged(self, text: str) -> Failure:
        return damaged(self.name, text)


class Writer:
    """Writes a table."""

    behind = False
    """True if another thread may write a part while the next one is read."""

    def write(self, table: Any) -> None:
        """Writes a part. Failure, OSError."""
        raise NotImplementedError

    def finish(self) -> None:
        raise NotImplementedError

    def abandon(self) -> None:
        """Cuts pyarrow off from the destination: its destructors may still write."""
        raise NotImplementedError


class Sink(io.RawIOBase):
    """A file object that writes to a destination, until `destination` is set to None."""

    def __init__(self, destination: Destination) -> None:
        self.destination: Destination | None = destination

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data).cast("B")
        if self.destination is not None:
            self.destination.write(view)
        return len(view)
