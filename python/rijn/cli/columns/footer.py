"""The footer of a Parquet file: the places of each column's bytes. Makes the footer of a new file that
keeps some columns and replaces others.

Field numbers are those of parquet.thrift. Every function raises ValueError for a footer that it
cannot follow.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from . import thrift
from .thrift import BINARY, I64, LIST, STRUCT, get

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .thrift import Struct

MAGIC = b"PAR1"

# Fields of FileMetaData, SchemaElement, RowGroup, ColumnChunk and ColumnMetaData.
_SCHEMA, _GROUPS, _PAIRS, _CREATOR, _ENCRYPTION = 2, 4, 5, 6, 8
_NAME, _CHILDREN, _CONVERTED, _FIELD_ID, _LOGICAL = 4, 5, 6, 9, 10
_STORED = 1, 2  # how values are stored: their type and its length
_MEANING = _CONVERTED, 7, 8, _LOGICAL  # the type of the values, with scale and precision
_CHUNKS, _BYTES, _ROWS, _SORTING, _GROUP_AT, _GROUP_COMPRESSED = 1, 2, 3, 4, 5, 6
_PATH, _CHUNK_AT, _META, _CHUNK_CRYPTO, _CHUNK_ENCRYPTED = 1, 2, 3, 8, 9
_OFFSETS_AT, _OFFSETS_SIZE, _LIMITS_AT, _LIMITS_SIZE = 4, 5, 6, 7
_LEAF_PATH, _CODEC, _PLAIN_SIZE, _SIZE, _DATA_AT, _INDEX_AT, _WORDS_AT = 3, 4, 6, 7, 9, 10, 11
_FILTER_AT, _FILTER_SIZE = 14, 15

# parquet-mr before 1.2.9 does not count the dictionary page's header in a chunk's size
# (PARQUET-816). Readers add _MISSING bytes.
_SHORT = re.compile(rb"parquet-mr version (?:0|1\.[01]|1\.2\.[0-8])\b")
_MISSING = 100

# Names in pyarrow's writer, which writes LZ4 only in the newer form.
_CODECS = {0: "NONE", 1: "SNAPPY", 2: "GZIP", 4: "BROTLI", 5: "LZ4", 6: "ZSTD", 7: "LZ4"}
_UTF8, _STRING = 0, 1


class Column(NamedTuple):
    """A column of the table: its element in the schema, and its leaves."""

    element: int
    leaves: range


class Extent(NamedTuple):
    begin: int
    end: int


class Footer:
    """The footer of a file, which begins there at `begin`."""

    def __init__(self, data: bytes, begin: int) -> None:
        self._file, _ = thrift.read(data)
        if _ENCRYPTION in self._file:
            raise ValueError("Parquet's own encryption is used in it")
        self.pairs = [(get(it, 1), get(it, 2)) for it in _listed(self._file, _PAIRS)]
        """Keys and values."""
        self.groups = _listed(self._file, _GROUPS)
        self._elements = _listed(self._file, _SCHEMA)
        self.columns = self._columns()
        self.leaves = self.columns[-1].leaves.stop if self.columns else 0
        """The number of leaves."""
        self.extents = self._extents(begin)
        """The place of the pages, for each row group and leaf; None: no pages."""

    def rows(self, group: int) -> int:
        return int(get(self.groups[group], _ROWS, 0))

    def plain_size(self, group: int, leaf: int) -> int:
        """Returns the uncompressed bytes of a leaf in a row group."""
        meta = get(_listed(self.groups[group], _CHUNKS)[leaf], _META)
        return max(0, int(get(meta, _PLAIN_SIZE, 0)))

    def codec(self, group: int, leaf: int) -> str:
        """Returns the codec of a leaf in a row group. Refuses unknown ones: for these pyarrow would end\n        the process."""
        number = get(get(_listed(self.groups[group], _CHUNKS)[leaf], _META), _CODEC, 0)
        if number not in _CODECS:
            raise ValueError("pyarrow cannot write its kind of compression")
        return _CODECS[number]

    def annotation(self, place: int) -> bytes | None:
        """Returns the schema's annotation of a column's type, which Spliced restores; None for text, or
        without an annotation."""
        element = self._elements[self.columns[place].element]
        found = {field: element[field] for field in (*_STORED, *_MEANING) if field in element}
        text = get(found, _CONVERTED) == _UTF8 or _STRING in get(found, _LOGICAL, {})
        return None if text or not found.keys() - _STORED else thrift.write(found)

    def _columns(self) -> list[Column]:
        """Returns the columns. The schema has their elements in depth-first order."""
        at, leaf = 1, 0
        found = []
        for _ in range(get(self._elements[0], _CHILDREN, 0) if self._elements else 0):
            first, begin, left = at, leaf, 1
            while left:
                if at >= len(self._elements):
                    raise ValueError("its schema is truncated")
                children = get(self._elements[at], _CHILDREN, 0)
                left += children - 1
                leaf += not children
                at += 1
            found.append(Column(first, range(begin, leaf)))
        return found

    def _extents(self, begin: int) -> list[list[Extent | None]]:
        found = []
        for group in self.groups:
            chunks = _listed(group, _CHUNKS)
            if len(chunks) != self.leaves:
                raise ValueError("a row group does not have all columns")
            found.append([_extent(chunk) for chunk in chunks])
        # Columns must not overlap: a copy of one must not contain bytes of another.
        places = [
            (*extent, number, leaf)
            for number, extents in enumerate(found)
            for leaf, extent in enumerate(extents)
            if extent is not None
        ]
        places.sort()
        last = len(MAGIC)
        missing = _MISSING if _SHORT.match(get(self._file, _CREATOR, b"")) else 0
        ends = [place[0] for place in places[1:]] + [begin]
        for (first, end, number, leaf), following in zip(places, ends, strict=True):
            if first < last or end > begin:
                raise ValueError("its columns overlap, or lie outside of it")
            last = end
            if missing:
                found[number][leaf] = Extent(first, min(end + missing, following))
        return found


def _extent(chunk: Struct) -> Extent | None:
    meta = get(chunk, _META)
    if _CHUNK_CRYPTO in chunk or _CHUNK_ENCRYPTED in chunk:
        raise ValueError("Parquet's own encryption is used in it")
    if meta is None or _PATH in chunk:
        raise ValueError("it has columns in other files")
    size = get(meta, _SIZE, 0)
    if not size:
        return None
    # A group without rows may have only a dictionary page, and 0 as the place of the data pages.
    places = [at for field in (_DATA_AT, _WORDS_AT) if (at := get(meta, field, 0))]
    begin = min(places, default=0)
    if max(places, default=0) >= begin + size:
        raise ValueError("a page lies outside of its column")
    return Extent(begin, begin + size)


def _listed(struct: Struct, field: int) -> list[Any]:
    found: list[Any] = get(struct, field, (STRUCT, []))[1]
    return found


def footer_of(end: bytes) -> bytes:
    """Returns the footer from the last bytes of a file."""
    (size,) = struct.unpack("<I", end[-8:-4])
    return end[-8 - size : -8]


# ---- A new file -----------------------------------------------------------------------


class Spliced:
    """The footer of a file that has the columns of an old file, some of them replaced.

    old          the old file's footer
    changed      the number of each replaced leaf among the replaced ones
    annotations  the earlier results of Footer.annotation, by these numbers
    """

    def __init__(
        self, old: Footer, changed: Mapping[int, int], annotations: Mapping[int, bytes]
    ) -> None:
        self._old = old
        self._changed = changed
        self._annotations = annotations
        self._kept: list[list[Struct]] = []  # the chunks of each row group, at their new places

    def keep(self, group: int, leaf: int, shift: int) -> None:
        """Records that a leaf of the row group is now `shift` bytes later. Call this in order."""
        if len(self._kept) == group:
            self._kept.append([{}] * len(self._old.extents[group]))
        self._kept[group][leaf] = _moved(_chunks(self._old, group)[leaf], shift)

    def indexes(self, read: Callable[[int, int], bytes], write: Callable[[bytes], int]) -> None:
        """Copies the page indexes and Bloom filters of the kept leaves. `write` returns their place."""
        for group, chunks in enumerate(self._kept):
            for leaf, chunk in enumerate(chunks):
                if not chunk:
                    continue
                old = _chunks(self._old, group)[leaf]
                meta = get(chunk, _META)
                if at := get(meta, _FILTER_AT):
                    meta[_FILTER_AT] = I64, write(read(at, _filter_size(meta, at, read)))
                if _LIMITS_AT in chunk:
                    data = read(get(chunk, _LIMITS_AT), get(chunk, _LIMITS_SIZE, 0))
                    chunk[_LIMITS_AT] = I64, write(data)
                if _OFFSETS_AT in chunk:
                    data = read(get(chunk, _OFFSETS_AT), get(chunk, _OFFSETS_SIZE, 0))
                    shift = get(meta, _DATA_AT) - get(get(old, _META), _DATA_AT)
                    data = _moved_pages(data, shift)
                    chunk[_OFFSETS_AT] = I64, write(data)
                    chunk[_OFFSETS_SIZE] = thrift.I32, len(data)

    def finish(
        self, made: bytes, shifts: Sequence[int], pairs: Sequence[tuple[bytes, bytes | None]]
    ) -> bytes:
        """Returns the end of the file.

        made    the footer of the replaced columns, with as many row groups
        shifts  how many bytes later each of its row groups is in this file
        pairs   keys and values of the metadata
        """
        file, _ = thrift.read(made)
        new_elements, new_groups = _listed(file, _SCHEMA)[1:], _listed(file, _GROUPS)
        if len(new_groups) != len(self._old.groups) or len(new_elements) != len(self._changed):
            raise ValueError("pyarrow divided it differently")
        elements = list(self._old._elements)
        names = {}
        for column in self._old.columns:
            number = self._changed.get(column.leaves.start)
            if number is not None:
                old = elements[column.element]
                names[number] = get(old, _NAME)
                new = _annotated(new_elements[number], self._annotations.get(number))
                elements[column.element] = _without(new, _FIELD_ID) | {
                    field: old[field] for field in (_NAME, _FIELD_ID) if field in old
                }
        groups = []
        for number, group in enumerate(self._old.groups):
            chunks = (
                list(self._kept[number])
                if number < len(self._kept)
                else [{}] * len(_chunks(self._old, number))
            )
            for leaf, place in self._changed.items():
                chunk = _moved(_listed(new_groups[number], _CHUNKS)[place], shifts[number])
                chunk[_META][1][_LEAF_PATH] = LIST, (BINARY, [names[place]])
                chunks[leaf] = chunk
            groups.append(self._group(group, chunks))
        new = self._old._file | {
            _SCHEMA: (LIST, (STRUCT, elements)),
            _GROUPS: (LIST, (STRUCT, groups)),
            _PAIRS: (LIST, (STRUCT, [_pair(*pair) for pair in pairs])),
        }
        data = thrift.write(new if pairs else _without(new, _PAIRS))
        return data + struct.pack("<I", len(data)) + MAGIC

    def _group(self, group: Struct, chunks: list[Struct]) -> Struct:
        metas = [get(chunk, _META) for chunk in chunks]
        new = group | {
            _CHUNKS: (LIST, (STRUCT, chunks)),
            _BYTES: (I64, sum(get(meta, _PLAIN_SIZE, 0) for meta in metas)),
        }
        if _GROUP_COMPRESSED in group:
            new[_GROUP_COMPRESSED] = I64, sum(get(meta, _SIZE, 0) for meta in metas)
        if _GROUP_AT in group:
            extents = [extent for chunk in chunks if (extent := _extent(chunk))]
            new[_GROUP_AT] = I64, min((it.begin for it in extents), default=0)
        if _SORTING in group:
            # Rows sorted by a, b and c are also sorted by a and b.
            kept = []
            for sorting in _listed(group, _SORTING):
                if get(sorting, 1) in self._changed:
                    break
                kept.append(sorting)
            new[_SORTING] = LIST, (STRUCT, kept)
            if not kept:
                del new[_SORTING]
        return new


def _chunks(footer: Footer, group: int) -> list[Struct]:
    return _listed(footer.groups[group], _CHUNKS)


def _without(struct: Struct, *fields: int) -> Struct:
    return {field: it for field, it in struct.items() if field not in fields}


def _annotated(element: Struct, annotation: bytes | None) -> Struct:
    """Returns a column's element with its former annotation. Keeps the element if the values are now
    stored in another way, because then the type is another."""
    if annotation is None:
        return element
    former, _ = thrift.read(annotation)
    if any(element.get(field) != former.get(field) for field in _STORED):
        return element
    return _without(element, *_MEANING) | _without(former, *_STORED)


def _moved(chunk: Struct, shift: int) -> Struct:
    """Returns the chunk, moved by `shift` bytes."""
    meta = dict(get(chunk, _META))
    for struct_, field in ((meta, _DATA_AT), (meta, _INDEX_AT), (meta, _WORDS_AT)):
        if get(struct_, field):  # 0: there is none
            struct_[field] = I64, get(struct_, field) + shift
    new = chunk | {_META: (STRUCT, meta)}
    if get(new, _CHUNK_AT):
        new[_CHUNK_AT] = I64, get(new, _CHUNK_AT) + shift
    return new


def _moved_pages(data: bytes, shift: int) -> bytes:
    """Returns an OffsetIndex with its pages moved by `shift` bytes."""
    index, _ = thrift.read(data)
    pages = [page | {1: (I64, get(page, 1) + shift)} for page in _listed(index, 1)]
    return thrift.write(index | {1: (LIST, (STRUCT, pages))})


def _filter_size(meta: Struct, at: int, read: Callable[[int, int], bytes]) -> int:
    """Returns the size of a Bloom filter in bytes. Old files have it only in the filter's header."""
    if size := get(meta, _FILTER_SIZE):
        return int(size)
    header, end = thrift.read(read(at, 64))
    return end + int(get(header, 1, 0))


def _pair(key: bytes, value: bytes | None) -> Struct:
    return {1: (BINARY, key)} | ({} if value is None else {2: (BINARY, value)})
