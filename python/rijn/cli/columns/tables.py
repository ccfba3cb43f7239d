"""Tables in files, a part at a time: what parquet.py, ipc.py and delimited.py have in common.

They are read by the main thread alone: a thread of Arrow's that still holds what Python has read takes
the process down when the interpreter ends before it.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..acl import status_of
from ..failures import Exit, Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from _typeshed import ReadableBuffer

    from ..destination import Destination


BATCH = 1 << 16
"""Rows that are worked on in one call; of a large row group, that are read at once."""
LARGE = 1 << 26
"""Bytes of a part, of which memory for one is a matter."""
ENDINGS = {
    ".parquet": "Parquet",
    ".arrow": "Arrow IPC",
    ".arrows": "Arrow IPC",
    ".feather": "Arrow IPC",
    ".csv": "CSV",
    ".tsv": "TSV",
}
"""Of names, and the kinds that they say."""


def no_table(name: str) -> Failure:
    """Returns the error for a source that is no file."""
    hint = "write the table to a file first"
    return Failure(f"{name}: is a pipe or a device", hint, Exit.OTHER)


def damaged(name: str, text: str) -> Failure:
    """Returns the error for a file that pyarrow does not read, and which says so."""
    text = text.splitlines()[0] if text else "pyarrow does not read it"
    return Failure(f"{name}: damaged: {text}", "restore it from a copy", Exit.DAMAGED)


class Described:
    """A table's name and what its columns are."""

    name: str
    schema: Any  # pyarrow's
    text = False
    """Whether it holds text alone: sealed values stand in it as base64, and it does not say how they
    were sealed."""

    def only(self, name: str) -> int:
        """The place of the column of that name. Failure."""
        places = self.schema.get_all_field_indices(name)
        if len(places) == 1:
            return int(places[0])
        said = "there is no column" if not places else "there are several columns"
        shown = name if name and name == name.strip() else repr(name)  # as in -c "id, email"
        names = ", ".join(dict.fromkeys(self.schema.names))
        raise Failure(f"{self.name}: {said} {shown}", f"its columns are {names}", Exit.USAGE)


class Table(Described):
    """A file that is read. Failure, OSError. Close it in the end."""

    kind: str
    """One of those in ENDINGS."""
    part: str
    parts: str
    """What it is read in pieces of: "row group", and several."""
    one_dictionary = False
    """Whether a column has one dictionary in all parts."""
    copies = False
    """Whether its writer copies the columns that are not changed from the file itself."""
    columns: Sequence[int]
    """The places of the columns that parts have."""
    total: int
    """What the steps of all parts come to, nearly."""
    step: int
    """Bytes of the part that was read last."""

    def __init__(self, name: str, raw: BinaryIO) -> None:
        self.name = name
        self._raw = raw
        self.dropped: set[bytes] = set()
        self.repeated: set[bytes] = set()
        """Keys that the file's metadata have several times, with different values."""
        self.annotations: dict[int, bytes] = {}
        """For places, what `annotation` has said of the columns before. The writer puts it back."""
        self.status = status_of(raw.fileno())

    def close(self) -> None:
        self._raw.close()

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """The file's, but for the keys that are dropped."""
        found = self.schema.metadata or {}
        return {key: text for key, text in found.items() if key not in self.dropped}

    @property
    def other_keys(self) -> list[bytes]:
        """Keys of metadata in other places than the schema, which are kept."""
        return []

    def annotation(self, place: int) -> bytes | None:
        """What the file's own schema says of a column's type, which Arrow's does not; None if it says
        nothing."""
        return None

    def choose(self, columns: Sequence[int]) -> None:
        """Read the columns at these places alone."""
        self.columns = columns

    def size(self) -> tuple[int, int]:
        """How many rows there are, and in how many parts; for this it may be read, once."""
        raise NotImplementedError

    def read(self) -> Iterable[Any] | None:
        """The next part, as pyarrow.Tables one behind the other, of which each is read when it is asked
        for; None behind the last part."""
        raise NotImplementedError

    def writer(
        self,
        destination: Destination,
        schema: Any,
        changed: Sequence[int],
        unique: Collection[int],
    ) -> Writer:
        """A file like this one, of this schema, that is written to a destination. changed: the places
        of the columns that are not the file's, which are all that a writer takes if it copies
        the others. unique: those in which no value comes twice, so that neither a dictionary nor
        statistics are of use."""
        raise NotImplementedError

    def check_unchanged(self) -> None:
        """Failure, unless nobody has written to the file since it was opened."""
        now, then = os.fstat(self._raw.fileno()), self.status
        if (now.st_size, now.st_mtime_ns) != (then.st_size, then.st_mtime_ns):
            raise Failure(
                f"{self.name}: changed while it was read",
                "use a copy that nobody writes to",
                Exit.OTHER,
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What pyarrow has against the file, as a Failure."""
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
    """A table that is written."""

    behind = False
    """Whether a part may be written, by another thread, while the next one is read."""

    def write(self, table: Any) -> None:
        """A part. Failure, OSError."""
        raise NotImplementedError

    def finish(self) -> None:
        raise NotImplementedError

    def abandon(self) -> None:
        """Nothing that pyarrow does from here on, as in a destructor, reaches the destination."""
        raise NotImplementedError


class Sink(io.RawIOBase):
    """A destination, until that is taken away."""

    def __init__(self, destination: Destination) -> None:
        self.destination: Destination | None = destination

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data).cast("B")
        if self.destination is not None:
            self.destination.write(view)
        return len(view)
