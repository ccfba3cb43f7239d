"""The former state of a sealed column: its field with metadata, the order of its dictionary, its
annotation in Parquet's schema, and its part of the file's metadata.

All of this may hold values of the column. So it is encrypted with the column's keys, like one more
value, with its own associated data, and is kept in the column's note. This also authenticates it. Its
form is an Arrow IPC stream of the field, without rows.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InvalidTag
from ..failures import Exit, Failure
from .note import FIELD_ID, NAME

if TYPE_CHECKING:
    from ...columns import Column
    from .note import Note
    from .tables import Table

AAD = b"rijn.column: the column before it was sealed"
_PARTS = b"rijn.parts"  # parts of the file's metadata, as JSON
_ANNOTATION = b"rijn.annotation"


@dataclass
class Former:
    field: Any
    categories: Any = None  # the values of an ordered dictionary, in order
    parts: dict[str, Any] = field(default_factory=dict)  # as metadata.remove gives them
    annotation: bytes | None = None  # as Table.annotation gives it

    def seal(self, column: Column) -> str | None:
        """Returns it encrypted, for a note; None if the note has all of it already."""
        type_ = self.field.type
        simple = self.categories is None and not isinstance(type_, pa.BaseExtensionType)
        if simple and not self.field.metadata and not self.parts and self.annotation is None:
            return None
        metadata = {_PARTS: json.dumps(self.parts).encode()}
        if self.annotation is not None:
            metadata[_ANNOTATION] = self.annotation
        schema = pa.schema([self.field], metadata=metadata)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as out:
            if self.categories is not None:
                empty = pa.chunked_array([], type=type_.value_type)
                none = as_type(empty, type_, self.categories).combine_chunks()
                out.write_batch(pa.RecordBatch.from_arrays([none], schema=schema))
        data = pa.array([sink.getvalue().to_pybytes()], pa.large_binary())
        return _text(pa.array(column.seal(data, AAD)))

    @classmethod
    def open(cls, column: Column, text: str | None) -> Former | None:
        """Inverse of seal; None for None. InvalidTag."""
        if text is None:
            return None
        try:
            found = pa.array(column.open(_array(text), AAD))[0].as_py()
            with pa.ipc.open_stream(found) as stream:
                schema, table = stream.schema, stream.read_all()
            chunks = table.column(0).chunks
            categories = chunks[0].dictionary if chunks else None
            parts = json.loads(schema.metadata[_PARTS])
            return cls(schema.field(0), categories, parts, schema.metadata.get(_ANNOTATION))
        except (pa.ArrowException, ValueError, KeyError, IndexError, TypeError):
            raise InvalidTag("it is no field of Arrow") from None


def rotated_note(column: Column, note: Note) -> Note:
    """Returns the note with its former under the primary key. InvalidTag."""
    if note.former is None:
        return note
    return replace(note, former=_text(pa.array(column.rotate(_array(note.former), AAD))))


def _text(array: Any) -> str:
    return base64.b64encode(array[0].as_py()).decode()


def _array(text: str) -> Any:
    try:
        return pa.array([base64.b64decode(text, validate=True)], pa.large_binary())
    except binascii.Error:
        raise InvalidTag("it is no base64") from None


def own_field(given: Any) -> Any:
    """Returns a column's field without the metadata of Rijn and Parquet."""
    metadata = given.metadata or {}
    kept = {key: text for key, text in metadata.items() if key not in (NAME, FIELD_ID)}
    return given.with_metadata(kept or None)


# ---- Ordered dictionaries -------------------------------------------------------------


def categories_of(table: Table, place: int) -> Any:
    """Returns the values of an ordered dictionary, in order, from the first part that has any. This
    reads the table. Failure."""
    type_ = table.schema.field(place).type
    table.choose([place] if table.copies else range(len(table.schema)))
    at = list(table.columns).index(place)
    while (pieces := table.read()) is not None:
        for rows in pieces:
            for chunk in rows.column(at).chunks:
                if len(chunk.dictionary):
                    return chunk.dictionary
    return pa.array([], type_.value_type)


def check_order(table: Table, name: str, array: Any, categories: Any) -> None:
    """Checks that a part's dictionary has its values in the same order. Failure."""
    for chunk in array.chunks:
        places = pc.index_in(_plain(chunk.dictionary), _plain(categories)).to_pylist()
        if None in places or places != sorted(places):
            raise Failure(
                f"{table.name}: column {name}: the order of its dictionary changes between"
                f" {table.parts}",
                f"write all {table.parts} with one dictionary, or convert the column to plain values",
                Exit.USAGE,
            )


def as_type(array: Any, type_: Any, categories: Any = None) -> Any:
    """Converts a chunked array to this type. Raises pyarrow's exceptions.

    categories  the values of an ordered dictionary
    """
    if isinstance(type_, pa.BaseExtensionType):
        storage = as_type(array, type_.storage_type, categories)
        chunks = [pa.ExtensionArray.from_storage(type_, it) for it in storage.chunks]
        return pa.chunked_array(chunks, type=type_)
    if categories is None:
        return array.cast(type_)
    values = array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array
    places = pc.index_in(_plain(values), _plain(categories)).cast(type_.index_type)
    chunks = places.chunks or [pa.array([], type_.index_type)]
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(it, categories, ordered=True) for it in chunks], type=type_
    )


def _plain(array: Any) -> Any:
    """Converts an array to a type for which pyarrow has index_in."""
    view = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return array.cast(view.get(array.type, _LARGE.get(array.type, array.type)))


_LARGE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


def storage(array: Any) -> Any:
    """Returns a chunked array without its extension type."""
    type_ = array.type
    if not isinstance(type_, pa.BaseExtensionType):
        return array
    return pa.chunked_array([it.storage for it in array.chunks], type=type_.storage_type)
