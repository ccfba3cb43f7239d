"""Arrow arrays whose values are bytes, read and made through the Arrow PyCapsule interface.

As in many.py, a column is (data, offsets): row i is data[offsets[i] : offsets[i + 1]]. A mask is
Arrow's validity bitmap, least significant bit first, and the number of the first row's bit. The
mask is None if no row is null.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from typing import Any

from .._check import Buffer
from .._install import pip_install
from .rows import merged, present, spaced, spread, taken, viewed

Rows = tuple[Buffer, Any]
"""A column: its data and its offsets, which are an array or a memoryview."""
Mask = tuple[Buffer, int]
NOTHING: Rows = (b"", array("q", [0]))

TYPES = {"binary": "z", "large_binary": "Z", "string": "u", "large_string": "U"}
# Arrow's type of the sealed values for each layout. Offsets of 32 bits stay as wide.
_SEALED = {"z": "z", "u": "z", "Z": "Z", "U": "Z", "vz": "Z", "vu": "Z", "w": "z"}
_INDICES = {
    "c": "int8",
    "C": "uint8",
    "s": "int16",
    "S": "uint16",
    "i": "int32",
    "I": "uint32",
    "l": "int64",
    "L": "uint64",
}


def library() -> Any:
    """Returns the package nanoarrow. Raises ImportError if it is missing."""
    try:
        import nanoarrow
    except ImportError:
        raise ImportError(
            f"rijn.columns needs the package nanoarrow: {pip_install('columns')}"
        ) from None
    return nanoarrow


# ---- In -------------------------------------------------------------------------------


class Chunk:
    """One Arrow array, and its buffers."""

    __slots__ = ("_array", "_plain", "_view", "count", "dictionary", "kind", "mask")

    def __init__(self, array: Any) -> None:
        self._array = array
        self._view = array.view()
        self.count: int = array.length
        self.kind: str = kind(array.schema)
        self._plain: Rows | None = None  # the result of plain, if it is a copy
        self.dictionary = Chunk(array.dictionary) if array.dictionary is not None else None
        validity = memoryview(self._view.buffer(0))
        self.mask: Mask | None = None
        if validity.nbytes and self._view.null_count:
            self.mask = (validity, array.offset)
        if self.dictionary is not None:
            # With empty rows: raises ValueError for an index outside the dictionary.
            taken(b"", spaced(0, self.dictionary.count), self.indices, *(self.mask or (None, 0)))
            if self.dictionary.mask is not None:
                self.mask = self._through(self.dictionary)

    def _through(self, dictionary: Chunk) -> Mask:
        """Returns the mask of the rows. A row is also null if its value in the dictionary is null."""
        there = flags(dictionary.mask, dictionary.count)
        own = flags(self.mask, self.count)
        found = bytearray((self.count + 7) // 8)
        for row, index in enumerate(self.indices):
            if own[row] and there[index]:
                found[row >> 3] |= 1 << (row & 7)
        return found, 0

    @property
    def indices(self) -> Any:
        """The rows' indices in the dictionary."""
        first = self._array.offset
        return memoryview(self._view.buffer(1))[first : first + self.count]

    def rows(self) -> Rows:
        """Returns the rows that are not null, in order."""
        first, count, mask = self._array.offset, self.count, self.mask
        bitmap, bit = mask or (None, 0)
        if self.dictionary is not None:
            return taken(*self.dictionary.plain(), self.indices, bitmap, bit)
        if self.kind in ("vz", "vu"):
            # validity, views, the buffers that they point to, and the sizes of those
            buffers = [memoryview(it) for it in self._view.buffers]
            return viewed(buffers[1][first : first + count], buffers[2:-1], bitmap, bit)
        data, offsets = self.plain()
        return (data, offsets) if mask is None else present(data, offsets, *mask)

    def plain(self) -> Rows:
        """Returns all rows. The bytes of null rows have no meaning."""
        first, count = self._array.offset, self.count
        if self.dictionary is not None or self.kind in ("vz", "vu"):
            if self._plain is None:
                data, offsets = self.rows()
                if self.mask is not None:
                    offsets = spread(offsets, *self.mask, count)
                self._plain = data, offsets
            return self._plain
        buffers = [memoryview(it) for it in self._view.buffers]
        if self.kind == "w":
            width = int(self._array.schema.format.partition(":")[2])
            return buffers[1][first : first + count] if width else b"", spaced(width, count)
        return buffers[2], buffers[1][first : first + count + 1]

    def values(self, dictionary: bool) -> Chunk:
        """Returns the dictionary if `dictionary` is True and there is one, else the chunk itself."""
        return self.dictionary if dictionary and self.dictionary is not None else self

    def numbers(self, values: Chunk, places: list[int]) -> list[int]:
        """Returns the rows that have, or whose index names, certain values.

        `values` is the chunk itself or its dictionary. `places` number its values that are not
        null.
        """
        found = values.standing(places)
        if values is self or not found:
            return found
        wanted, there = set(found), flags(self.mask, self.count)
        named = enumerate(self.indices)
        return [row for row, index in named if index in wanted and there[row]]

    def standing(self, places: list[int]) -> list[int]:
        """Returns the row numbers of the rows that `places` number among those that are not null."""
        if self.mask is None or not places:
            return places
        rows = [row for row, value in enumerate(flags(self.mask, self.count)) if value]
        return [rows[place] for place in places]


def kind(schema: Any, name: str = "array") -> str:
    """Returns the layout of a type's values: a key of _SEALED. Raises TypeError for another type,
    and calls the argument `name`.
    """
    while schema.dictionary is not None:
        schema = schema.dictionary
    found: str = schema.format
    layout = found.partition(":")[0]
    if layout not in _SEALED:
        raise TypeError(
            f"{name} must be of a binary or string type, or a dictionary of one, not of Arrow's "
            f"format {found!r}" + (": cast whole numbers to strings" if name == "aad" else "")
        )
    return layout


class Source:
    """An array or a stream of chunks from the caller."""

    __slots__ = ("_starts", "chunks", "count", "schema", "streamed")

    def __init__(self, given: object, name: str = "array") -> None:
        arrow = library()
        if hasattr(given, "__arrow_c_array__"):
            arrays = [arrow.c_array(given)]
            self.schema = arrays[0].schema
            self.streamed = False
        elif hasattr(given, "__arrow_c_stream__"):
            stream = arrow.c_array_stream(given)
            self.schema = stream.get_schema()
            kind(self.schema, name)
            arrays = list(stream)
            self.streamed = True
        else:
            raise TypeError(
                f"{name} must have __arrow_c_array__ or __arrow_c_stream__, as Arrow's arrays of any "
                f"package, not {type(given).__name__}"
            )
        kind(self.schema, name)
        self.chunks = [Chunk(array) for array in arrays]
        self._starts = [*accumulate((chunk.count for chunk in self.chunks), initial=0)]
        self.count = self._starts[-1]

    @property
    def encoded(self) -> bool:
        """True if it is a dictionary."""
        return self.schema.dictionary is not None

    @property
    def sealed(self) -> str:
        """Arrow's type of its sealed values."""
        return _SEALED[kind(self.schema)]

    def between(self, begin: int, end: int) -> tuple[Rows, int]:
        """Returns the rows from begin to end, and bits that say which of them have a value."""
        pieces: list[Rows] = []
        there, done = 0, 0
        at = max(bisect_right(self._starts, begin) - 1, 0)
        for start, chunk in zip(self._starts[at:], self.chunks[at:], strict=False):
            if start >= end:
                break
            first, last = max(begin - start, 0), min(end - start, chunk.count)
            data, offsets = chunk.plain()
            pieces.append((data, offsets[first : last + 1]))
            mask = chunk.mask and (chunk.mask[0], chunk.mask[1] + first)
            there |= bits(mask, last - first) << done
            done += last - first
        while len(pieces) > 1:  # at most 256 at once: a byte holds a piece's number
            pieces = [_joined(pieces[i : i + 256]) for i in range(0, len(pieces), 256)]
        return pieces[0] if pieces else NOTHING, there


def _joined(pieces: list[Rows]) -> Rows:
    """Joins up to 256 columns."""
    lengths = [max(len(offsets) - 1, 0) for _, offsets in pieces]
    return merged(b"".join(bytes([n]) * size for n, size in enumerate(lengths)), pieces)


# ---- Bitmaps --------------------------------------------------------------------------


def bits(mask: Mask | None, count: int) -> int:
    """Returns the mask as an integer: bit i is for row i."""
    if mask is None:
        return (1 << count) - 1
    bitmap, bit = mask
    first, last = bit // 8, (bit + count + 7) // 8
    found = int.from_bytes(memoryview(bitmap)[first:last], "little")
    return found >> bit % 8 & (1 << count) - 1


def flags(mask: Mask | None, count: int) -> list[bool]:
    """Returns for each row whether it has a value. Reading single bits of `bits` takes quadratic
    time.
    """
    if mask is None:
        return [True] * count
    bitmap, bit = mask
    octets = memoryview(bitmap)[bit // 8 : (bit + count + 7) // 8].cast("B")
    found = [bool(octet >> i & 1) for octet in octets for i in range(8)]
    return found[bit % 8 : bit % 8 + count]


def bitmap_of(found: int, count: int) -> bytes:
    """Returns the bitmap for an integer, from bit 0 on: the inverse of bits."""
    return found.to_bytes((count + 7) // 8, "little")


def without(rows: Iterable[int], count: int) -> bytes:
    """Returns a bitmap of `count` rows with all bits set except these rows."""
    found = bytearray(b"\xff" * ((count + 7) // 8))
    for row in rows:
        found[row >> 3] &= ~(1 << (row & 7))
    return bytes(found)


# ---- Text -----------------------------------------------------------------------------


def not_text(rows: tuple[bytes, Any]) -> list[int]:
    """Returns the numbers of the rows that are not UTF-8."""
    data, offsets = rows
    if data.isascii():
        return []
    size = len(data)
    try:
        data.decode()
        if not any(at < size and data[at] & 0xC0 == 0x80 for at in offsets):
            return []
    except UnicodeDecodeError:
        pass
    found = []
    for row in range(len(offsets) - 1):
        try:
            data[offsets[row] : offsets[row + 1]].decode()
        except UnicodeDecodeError:
            found.append(row)
    return found


# ---- Out ------------------------------------------------------------------------------


class ChunkedArray:
    """The result for a stream of chunks.

    `pyarrow.chunked_array`, `polars.Series` and everything that accepts __arrow_c_stream__ take it
    without a copy.
    """

    __slots__ = ("_arrays", "_schema", "failed", "rotated")

    def __init__(
        self, arrays: list[Any], schema: Any, failed: tuple[int, ...] = (), rotated: int = 0
    ) -> None:
        self._arrays = arrays
        self._schema = schema
        self.failed = failed
        """The numbers of the rows that did not open and are null, with open(errors="null")."""
        self.rotated = rotated
        """The number of rows that `rotate` has sealed again."""

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the stream in its own type: the caller casts it to another."""
        from nanoarrow.c_array_stream import CArrayStream

        stream = CArrayStream.from_c_arrays(self._arrays, self._schema, move=False, validate=False)
        return stream.__arrow_c_stream__()

    def __len__(self) -> int:
        return sum(array.length for array in self._arrays)

    @property
    def null_count(self) -> int:
        """The number of null rows."""
        return sum(array.null_count for array in self._arrays)

    def __repr__(self) -> str:
        """Returns the type and the number of rows, and nothing about their contents."""
        schema = self._schema
        dictionary = "dictionary of " if schema.dictionary is not None else ""
        name = next(it for it, layout in TYPES.items() if layout == kind(schema))
        rows = f"{len(self)} rows, {self.null_count} null"
        return f"<rijn.columns.{type(self).__name__} of {dictionary}{name}, {rows}>"


class Array(ChunkedArray):
    """The result for one array.

    `pyarrow.array`, `polars.Series` and everything that accepts __arrow_c_array__ or
    __arrow_c_stream__ take it without a copy.
    """

    __slots__ = ()

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        """Returns the array in its own type: the caller casts it to another."""
        return self._arrays[0].__arrow_c_array__()


def result(
    source: Source, arrays: list[Any], empty: Any, failed: tuple[int, ...] = (), rotated: int = 0
) -> ChunkedArray:
    """Returns the arrays in the form of `source`. `empty` is the type if it has no chunks."""
    if not source.streamed:
        return Array(arrays, arrays[0].schema, failed, rotated)
    return ChunkedArray(arrays, arrays[0].schema if arrays else empty, failed, rotated)


def schema_of(kind: str, source: Source, dictionary: bool) -> Any:
    """Returns the type for values of this kind. It is a dictionary like `source` if `dictionary` is
    True.
    """
    return _schema(kind, source.schema.format if dictionary else None)


@cache
def _schema(kind: str, indices: str | None) -> Any:
    """Cached, because making a type with nanoarrow takes half as long as opening a vector of
    DuckDB.
    """
    arrow = library()
    values = getattr(arrow, next(name for name, layout in TYPES.items() if layout == kind))()
    if indices is not None:
        values = arrow.dictionary(getattr(arrow, _INDICES[indices])(), values)
    return arrow.c_schema(values)


def built(schema: Any, chunk: Chunk, values: Chunk, rows: Rows, mask: Mask | None) -> Any:
    """Returns an array like the chunk. If `values` is the chunk's dictionary, the result has the
    chunk's indices and a new dictionary. `rows` are the rows of `values` that `mask` does not make
    null.
    """
    data, offsets = rows
    if mask is not None:
        offsets = spread(offsets, *mask, values.count)
    buffers: list[Any] = [_validity(mask, values.count)]
    if values is chunk:
        buffers += [_fitting(offsets, schema), data]
        return library().c_array_from_buffers(schema, values.count, buffers)
    buffers += [_fitting(offsets, schema.dictionary), data]
    from nanoarrow.c_array import CArrayBuilder, allocate_c_array
    from nanoarrow.c_buffer import c_buffer

    made = allocate_c_array(schema)
    outer = CArrayBuilder(made)
    outer.init_from_schema(made.schema)
    for builder, part, held in (
        (CArrayBuilder(made.dictionary), values, buffers),
        (outer, chunk, [_validity(chunk.mask, chunk.count), chunk.indices]),
    ):
        for number, buffer in enumerate(held):
            if buffer is not None:
                builder.set_buffer(number, c_buffer(buffer), move=True)
        builder.set_length(part.count).set_null_count(-1).resolve_null_count()
    return outer.finish()


def _validity(mask: Mask | None, count: int) -> bytes | None:
    return None if mask is None else bitmap_of(bits(mask, count), count)


def wide(offsets: Any) -> memoryview:
    """Returns the offsets in 64 bits."""
    view = memoryview(offsets)
    if view.itemsize == 8:
        return view
    count = max(len(view) - 1, 0)
    return spread(view, without((), count), 0, count)


def _fitting(offsets: Any, schema: Any) -> memoryview:
    """Returns the offsets in the width of the type. They need not begin with 0."""
    view = memoryview(offsets)
    if schema.format in ("Z", "U"):
        return wide(view)
    if view.itemsize == 4:
        return view
    if len(view) and view[-1] >= 2**31:
        raise ValueError(
            "the results exceed 2^31 - 1 bytes: use a large type of Arrow, or smaller chunks"
        )
    halves = view.cast("B").cast("i")
    return memoryview(halves[sys.byteorder == "big" :: 2].tobytes()).cast("i")
