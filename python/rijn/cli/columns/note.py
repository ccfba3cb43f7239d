"""The note of a sealed column: JSON in the metadata of its field, with the key `rijn.column`.

    version     1
    format      a format of rijn.columns: "xaes"
    key         the id of the primary key that sealed or rotated the column; null for a Rijn key
                file, which has no id
    context     the text that every row is bound to, or null
    aad         the name of the column with the rows' associated data, or null
    pad         the step of the padding, or null
    type        the type of the values before: "string"
    dictionary  the type of the indices, if the column was a dictionary: "int32"; else null
    former      the rest of the column's former state, sealed and in base64 (former.py), if any

Spark keeps the metadata of columns as JSON in the metadata of the file. The same text is there, with
the same key.

A note is neither secret nor authenticated. So the context and the column of associated data are never
taken from it, only compared with the command line (table_notes.sealed_notes).
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from .options import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = b"rijn.column"
FIELD_ID = b"PARQUET:field_id"  # pyarrow adds it to a field's own metadata
SPARK = b"org.apache.spark.sql.parquet.row.metadata"
VERSION = 1
_WHOLE = ("binary", "large_binary", "string", "large_string", "binary_view", "string_view")
_INDICES = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_FIXED = re.compile("fixed_size_binary\\[([1-9][0-9]{0,8})\\]")
SEALABLE = "binary, string or fixed-size binary, their large forms and views, and dictionaries"


@dataclass(frozen=True)
class Note:
    format: str
    key: int | None
    context: str | None
    aad: str | None
    pad: int | None
    type: str
    dictionary: str | None
    former: str | None = None

    def encode(self) -> bytes:
        said = {"version": VERSION, **asdict(self)}
        if self.former is None:
            del said["former"]
        return json.dumps(said).encode()

    @classmethod
    def read(cls, field: Any) -> Note | None:
        """Returns the note of a field; None if it is not sealed. ValueError for an unreadable note."""
        data = (field.metadata or {}).get(NAME)
        if data is None:
            return None
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or "version" not in found:
            raise ValueError("it is not a JSON object with a version")
        if found["version"] != VERSION:
            raise ValueError("its version is unknown")
        fields: dict[str, Callable[[Any], bool]] = {
            "format": lambda it: it in FORMATS,
            "key": lambda it: it is None or (type(it) is int and 0 < it < 2**32),
            "context": lambda it: it is None or _is_text(it),
            "aad": lambda it: it is None or _is_text(it),
            "pad": lambda it: it is None or (type(it) is int and 0 < it < 2**31),
            "type": lambda it: isinstance(it, str) and (it in _WHOLE or bool(_FIXED.fullmatch(it))),
            "dictionary": lambda it: it is None or it in _INDICES,
        }
        for name, fits in fields.items():
            if name not in found or not fits(found[name]):
                raise ValueError(f"its {name} is unknown")
        former = found.get("former")
        if former is not None and not _is_text(former):
            raise ValueError("its former is unknown")
        return cls(**{name: found[name] for name in fields}, former=former)

    def original(self) -> Any:
        """Returns the type before the column was sealed."""
        values: Any = getattr(pa, self.type)() if self.fixed is None else pa.binary(self.fixed)
        if self.dictionary is None:
            return values
        return pa.dictionary(getattr(pa, self.dictionary)(), values)

    @property
    def fixed(self) -> int | None:
        """The width of the values in bytes, if the note has one. The values may have another width."""
        found = _FIXED.fullmatch(self.type)
        return int(found[1]) if found else None

    @property
    def opened(self) -> Literal["binary", "large_binary", "string", "large_string"]:
        """The type to ask Column.open for. It converts to `original` without loss."""
        if "string" in self.type:
            return "string" if self.type == "string" else "large_string"
        return "large_binary" if self.type in ("large_binary", "binary_view") else "binary"


def _is_text(found: object) -> bool:
    """Returns whether it is a str that UTF-8 can encode: JSON may hold half of a surrogate pair."""
    return isinstance(found, str) and not re.search("[\ud800-\udfff]", found)


def described(type_: Any) -> tuple[str, str | None]:
    """Returns a type as a note has it: `type` and `dictionary`. ValueError if Rijn cannot seal it."""
    if isinstance(type_, pa.BaseExtensionType):
        type_ = type_.storage_type
    values, indices = type_, None
    if pa.types.is_dictionary(type_):
        values, indices = type_.value_type, str(type_.index_type)
    name = str(values)
    if name not in _WHOLE and not _FIXED.fullmatch(name):
        raise ValueError(f"is of type {type_}; Rijn encrypts only {SEALABLE}")
    return name, indices


def sealed_field(field: Any, type_: Any, note: Note) -> Any:
    """Returns the field of a sealed column. Drops the field's own metadata, which may hold values."""
    metadata = field.metadata or {}
    kept = {FIELD_ID: metadata[FIELD_ID]} if FIELD_ID in metadata else {}
    return pa.field(field.name, type_, field.nullable, {**kept, NAME: note.encode()})


def with_note(field: Any, note: Note | None) -> Any:
    """Returns the field with that note, or without a note."""
    kept = {name: text for name, text in (field.metadata or {}).items() if name != NAME}
    if note is not None:
        kept[NAME] = note.encode()
    return field.with_metadata(kept or None)


# ---- Spark ----------------------------------------------------------------------------


def with_spark_notes(schema: Any) -> Any:
    """Returns a file's schema, with the notes that Spark's metadata has."""
    told = _in_spark(schema)
    fields = []
    for field in schema:
        text = told.get(field.name, {}).get("metadata", {}).get(NAME.decode())
        if _is_text(text) and NAME not in (field.metadata or {}):
            field = field.with_metadata({**(field.metadata or {}), NAME: text.encode()})
        fields.append(field)
    return pa.schema(fields, metadata=schema.metadata)


def updated_for_spark(schema: Any) -> Any:
    """Returns the schema with Spark's metadata brought up to date: the types of text and bytes, and the
    notes. Spark reads a file according to this metadata."""
    found = _in_spark(schema)
    if not found:
        return schema
    for field in schema:
        told = found.get(field.name)
        if told is None or told.get("type") not in ("string", "binary"):
            continue
        values = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        told["type"] = "string" if "string" in str(values) else "binary"
        told["metadata"].pop(NAME.decode(), None)
        if NAME in (field.metadata or {}):
            told["metadata"][NAME.decode()] = field.metadata[NAME].decode(errors="replace")
    text = json.dumps({"type": "struct", "fields": list(found.values())})
    return schema.with_metadata({**schema.metadata, SPARK: text.encode()})


def _in_spark(schema: Any) -> dict[str, dict[str, Any]]:
    """Returns Spark's metadata of the columns, by name; {} if it is not in Spark's form."""
    try:
        fields = json.loads((schema.metadata or {})[SPARK])["fields"]
        return {it["name"]: it for it in fields if isinstance(it["metadata"], dict)}
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}
