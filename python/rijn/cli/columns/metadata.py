"""The file's metadata about its columns. Takes out the parts about sealed columns, and puts them back.

Unknown keys stay unchanged, and Rijn prints their names to standard error.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..failures import printable
from ..standard import say
from .note import SPARK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from .options import SealingOptions
    from .tables import Described

GEO = b"geo"

# Keys with values in a form that Rijn does not read: factor levels and labels of R, values of enums.
_UNREAD = (b"r", b"parquet.proto.enum.")


class Unread(ValueError):
    """A key may hold values of the column, and Rijn cannot take them out."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.key = key.decode(errors="replace")


class FileMetadata:
    """The file's metadata, without the parts that were taken out. Reads and writes each document only
    once, because a table may have thousands of columns."""

    def __init__(self, metadata: dict[bytes, bytes], repeated: Collection[bytes] = ()) -> None:
        """repeated: keys that the file has several times, with different values"""
        self._metadata = metadata
        self._repeated = repeated
        self._documents: dict[bytes, tuple[Any, dict[str, Any]]] = {}
        self._changed: set[bytes] = set()

    def remove(self, name: str) -> dict[str, Any]:
        """Removes a column's parts from the metadata. Returns the part of each key. Unread."""
        taken = {}
        for key in self._metadata:
            if key == _UNREAD[0] or key.startswith(_UNREAD[1:]):
                raise Unread(key)
            if key not in _KNOWN:
                continue
            if key in self._repeated:
                raise Unread(key)
            try:
                part = _KNOWN[key].remove(*self._document(key), name)
            except _WRONG:
                raise Unread(key) from None
            if part is not None:
                taken[key.decode()] = part
                self._changed.add(key)
        return taken

    def restore(self, name: str, parts: dict[str, Any]) -> None:
        """Restores the parts of a column, if their keys still exist. Inverse of remove."""
        for key, part in parts.items():
            with suppress(*_WRONG):
                _KNOWN[key.encode()].restore(*self._document(key.encode()), name, part)
                self._changed.add(key.encode())

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """The metadata in its present state."""
        return self._metadata | {
            key: json.dumps(self._documents[key][0]).encode() for key in self._changed
        }

    def _document(self, key: bytes) -> tuple[Any, dict[str, Any]]:
        """Returns a key's document, and the document's entries by column name."""
        if key not in self._documents:
            document = json.loads(self._metadata[key])
            self._documents[key] = document, _KNOWN[key].entries(document)
        return self._documents[key]


def coverings(metadata: dict[bytes, bytes], names: Collection[str]) -> list[str]:
    """Returns the columns that hold the bounding boxes of these columns, according to GeoParquet."""
    try:
        columns = json.loads(metadata[GEO])["columns"].items()
        found = [it["covering"] for name, it in columns if name in names and "covering" in it]
        boxes = [box for covering in found for box in covering.values()]
        return sorted({path[0] for box in boxes for path in box.values()})
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return []


def tell_of_boxes(
    table: Described, columns: Sequence[str], sealing_options: SealingOptions
) -> None:
    """Prints which of these columns, the bounding boxes of sealed columns, stay readable."""
    if boxes := [name for name in dict.fromkeys(columns) if name not in sealing_options.columns]:
        say(
            printable(
                f"rijn: {table.name}: column {', '.join(boxes)} has bounding boxes of a column"
                " that is encrypted, and stays readable"
            )
        )


def unknown(keys: Iterable[bytes]) -> list[str]:
    """Returns the names of the keys that Rijn does not know."""
    return [key.decode(errors="replace") for key in keys if key not in _KNOWN]


# ---- Known keys: `entries` returns a document's entries by column name, `take` removes a part
# ---- of the document and returns it, `put` puts it back --------------------------------


def _by_name(field: str, name: str = "name") -> Callable[[Any], dict[str, Any]]:
    """Returns a function for documents with a list of entries in this field."""

    def entries(document: Any) -> dict[str, Any]:
        return {entry.get(name, entry["name"]): entry for entry in document[field]}

    return entries


def _changed(change: Callable[[Any], Any]) -> Callable[[Any, dict[str, Any], str], Any]:
    """Returns a function that changes a column's entry and returns the former one."""

    def removed(document: Any, entries: dict[str, Any], name: str) -> Any:
        if name not in entries:
            return None
        part = dict(entries[name])
        new = change(part)
        entries[name].clear()
        entries[name].update(new)
        return part

    return removed


def _restored(document: Any, entries: dict[str, Any], name: str, part: Any) -> None:
    entries[name].clear()
    entries[name].update(part)


def _remove_geo(document: Any, columns: dict[str, Any], name: str) -> Any:
    if name not in columns:
        return None
    part = {"column": columns.pop(name), "primary": document.get("primary_column") == name}
    if part["primary"]:
        document["primary_column"] = next(iter(columns), "")
    return part


def _restore_geo(document: Any, columns: dict[str, Any], name: str, part: Any) -> None:
    columns[name] = part["column"]
    if part["primary"]:
        document["primary_column"] = name


def _remove_spark(document: Any, entries: dict[str, Any], name: str) -> Any:
    if name not in entries or not entries[name]["metadata"]:
        return None
    part, entries[name]["metadata"] = entries[name]["metadata"], {}
    return part


def _restore_spark(document: Any, entries: dict[str, Any], name: str, part: Any) -> None:
    entries[name]["metadata"] = {**part, **entries[name]["metadata"]}


def _pandas(entry: Any) -> Any:
    return entry | {"pandas_type": "bytes", "numpy_type": "object", "metadata": None}


def _avro(entry: Any) -> Any:
    if _names_a_type(entry["type"]):  # another field may refer to it
        raise ValueError
    return {"name": entry["name"], "type": ["null", "bytes"], "default": None}


def _names_a_type(type_: Any) -> bool:
    if isinstance(type_, list):
        return any(map(_names_a_type, type_))
    return isinstance(type_, dict) and ("name" in type_ or _names_a_type(type_["type"]))


def _iceberg(entry: Any) -> Any:
    kept = {key: entry[key] for key in ("id", "name", "required") if key in entry}
    return kept | {"type": "binary"}


class _Known(NamedTuple):
    entries: Callable[[Any], dict[str, Any]]
    remove: Callable[[Any, dict[str, Any], str], Any]
    restore: Callable[[Any, dict[str, Any], str, Any], None] = _restored


_WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_KNOWN = {
    GEO: _Known(lambda it: it["columns"], _remove_geo, _restore_geo),
    b"pandas": _Known(_by_name("columns", "field_name"), _changed(_pandas)),
    SPARK: _Known(_by_name("fields"), _remove_spark, _restore_spark),
    b"parquet.avro.schema": _Known(_by_name("fields"), _changed(_avro)),
    b"avro.schema": _Known(_by_name("fields"), _changed(_avro)),
    b"iceberg.schema": _Known(_by_name("fields"), _changed(_iceberg)),
    b"huggingface": _Known(
        lambda it: it["info"]["features"],
        _changed(lambda entry: {"dtype": "binary", "_type": "Value"}),
    ),
}
