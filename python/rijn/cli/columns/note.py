"""What a sealed column keeps about itself, in the metadata of its field, as JSON under the name
`rijn.column`:

    version     1
    format      as rijn.columns has it: "xaes"
    key         the id of the keyset's primary key when it was sealed or rotated, or null where that
                was a Rijn key file's, which has none
    context     the text that every row is bound to, or null
    aad         the name of the column whose values are the rows' associated data, or null
    pad         the step of the padding, or null
    type        of the values before: "string"
    dictionary  null, or the type of the indices, where the column was a dictionary: "int32"
    former      what else the column was, sealed and in base64 (former.py), if there is more to say

Spark keeps the metadata of columns elsewhere, as JSON in the metadata of the file: the same text stands
there under the same name.

Nothing in it is secret, and nothing of it is authenticated. The context and the column of associated
data are therefore never taken from here, only compared with the command line (table_notes.sealed_notes).
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
FIELD_ID = b"PARQUET:field_id"  # which pyarrow shows beside a field's own metadata
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
    def of(cls, field: Any) -> Note | None:
        """That of a field; None where it is not sealed. ValueError for one that cannot be read."""
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
        """The type before the column was sealed."""
        values: Any = getattr(pa, self.type)() if self.fixed is None else pa.binary(self.fixed)
        if self.dictionary is None:
            return values
        return pa.dictionary(getattr(pa, self.dictionary)(), values)

    @property
    def fixed(self) -> int | None:
        """The width of its values in bytes, if the note says one. No value need have it."""
        found = _FIXED.fullmatch(self.type)
        return int(found[1]) if found else None

    @property
    def opened(self) -> Literal["binary", "large_binary", "string", "large_string"]:
        """The type that Column.open is asked for: `original` is made of that without loss."""
        if "string" in self.type:
            return "string" if self.type == "string" else "large_string"
        return "large_binary" if self.type in ("large_binary", "binary_view") else "binary"


def _is_text(found: object) -> bool:
    """Whether it is a str that UTF-8 can have: JSON can write half of a surrogate pair."""
    return isinstance(found, str) and not re.search("[\ud800-\udfff]", found)


def described(type_: Any) -> tuple[str, str | None]:
    """What a note says of a type: `type` and `dictionary`. ValueError for one that is not sealed."""
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
    """The field of a column that is sealed to this type. Its own metadata may hold values."""
    metadata = field.metadata or {}
    kept = {FIELD_ID: metadata[FIELD_ID]} if FIELD_ID in metadata else {}
    return pa.field(field.name, type_, field.nullable, {**kept, NAME: note.encode()})


def with_note(field: Any, note: Note | None) -> Any:
    """The field with that note, or without one."""
    kept = {name: text for name, text in (field.metadata or {}).items() if name != NAME}
    if note is not None:
        kept[NAME] = note.encode()
    return field.with_metadata(kept or None)


# ---- Spark ----------------------------------------------------------------------------


def noted(schema: Any) -> Any:
    """The schema of a file whose columns have the notes, too, that Spark has kept of them."""
    told = _in_spark(schema)
    fields = []
    for field in schema:
        text = told.get(field.name, {}).get("metadata", {}).get(NAME.decode())
        if _is_text(text) and NAME not in (field.metadata or {}):
            field = field.with_metadata({**(field.metadata or {}), NAME: text.encode()})
        fields.append(field)
    return pa.schema(fields, metadata=schema.metadata)


def told_spark(schema: Any) -> Any:
    """The schema with what Spark has kept of its columns, if anything, made true again: which of
    them are text and bytes, and their notes. Spark reads a file as that says."""
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
    """What Spark has kept of the columns, by their names; {} where that is nothing that it writes."""
    try:
        fields = json.loads((schema.metadata or {})[SPARK])["fields"]
        return {it["name"]: it for it in fields if isinstance(it["metadata"], dict)}
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}
