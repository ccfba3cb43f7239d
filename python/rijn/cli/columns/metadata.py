"""The file's metadata that tells of its columns: take out what it says of a column that is sealed, and
put it back.

Keys that Rijn does not know stay as they are. Their names go to standard error.
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

    from .options import How
    from .tables import Described

GEO = b"geo"

# They hold values in a form that Rijn does not read: factor levels and labels of R, values of enums.
_UNREAD = (b"r", b"parquet.proto.enum.")


class Unread(ValueError):
    """A key may hold values of the column, and Rijn cannot take them out."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.key = key.decode(errors="replace")


class Told:
    """The file's metadata, of which parts are taken out and put back. Each document is read once,
    and written once: a table may have thousands of columns."""

    def __init__(self, metadata: dict[bytes, bytes], repeated: Collection[bytes] = ()) -> None:
        """repeated: keys that the file has with other values, too."""
        self._metadata = metadata
        self._repeated = repeated
        self._documents: dict[bytes, tuple[Any, dict[str, Any]]] = {}
        self._changed: set[bytes] = set()

    def take(self, name: str) -> dict[str, Any]:
        """Take out what the metadata says of a column. Returns for each key the part that was taken
        out. Unread."""
        taken = {}
        for key in self._metadata:
            if key == _UNREAD[0] or key.startswith(_UNREAD[1:]):
                raise Unread(key)
            if key not in _KNOWN:
                continue
            if key in self._repeated:
                raise Unread(key)
            try:
                part = _KNOWN[key].take(*self._document(key), name)
            except _WRONG:
                raise Unread(key) from None
            if part is not None:
                taken[key.decode()] = part
                self._changed.add(key)
        return taken

    def put(self, name: str, parts: dict[str, Any]) -> None:
        """Put back what was taken out, where the key is still there. Inverse of take."""
        for key, part in parts.items():
            with suppress(*_WRONG):
                _KNOWN[key.encode()].put(*self._document(key.encode()), name, part)
                self._changed.add(key.encode())

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """As it is now."""
        return self._metadata | {
            key: json.dumps(self._documents[key][0]).encode() for key in self._changed
        }

    def _document(self, key: bytes) -> tuple[Any, dict[str, Any]]:
        """A key's document, and its entries by the columns' names."""
        if key not in self._documents:
            document = json.loads(self._metadata[key])
            self._documents[key] = document, _KNOWN[key].entries(document)
        return self._documents[key]


def coverings(metadata: dict[bytes, bytes], names: Collection[str]) -> list[str]:
    """The columns that hold the bounding boxes of these columns, as GeoParquet names them."""
    try:
        columns = json.loads(metadata[GEO])["columns"].items()
        found = [it["covering"] for name, it in columns if name in names and "covering" in it]
        boxes = [box for covering in found for box in covering.values()]
        return sorted({path[0] for box in boxes for path in box.values()})
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return []


def tell_of_boxes(table: Described, columns: Sequence[str], how: How) -> None:
    """Says which of these columns, the bounding boxes of sealed ones, stay readable."""
    if boxes := [name for name in dict.fromkeys(columns) if name not in how.columns]:
        say(
            printable(
                f"rijn: {table.name}: column {', '.join(boxes)} has bounding boxes of a column"
                " that is encrypted, and stays readable"
            )
        )


def unknown(keys: Iterable[bytes]) -> list[str]:
    """The names of those of which Rijn does not know what they say."""
    return [key.decode(errors="replace") for key in keys if key not in _KNOWN]


# ---- Each of them: `entries` are a document's entries by the columns' names, `take` changes the
# ---- document and returns a part of it, and `put` is its inverse -----------------------


def _by_name(field: str, name: str = "name") -> Callable[[Any], dict[str, Any]]:
    """The entries are a list, which is this field."""

    def entries(document: Any) -> dict[str, Any]:
        return {entry.get(name, entry["name"]): entry for entry in document[field]}

    return entries


def _changed(change: Callable[[Any], Any]) -> Callable[[Any, dict[str, Any], str], Any]:
    """Give the entry of a column other fields, and return the ones that it had."""

    def take(document: Any, entries: dict[str, Any], name: str) -> Any:
        if name not in entries:
            return None
        part = dict(entries[name])
        new = change(part)
        entries[name].clear()
        entries[name].update(new)
        return part

    return take


def _restored(document: Any, entries: dict[str, Any], name: str, part: Any) -> None:
    entries[name].clear()
    entries[name].update(part)


def _take_geo(document: Any, columns: dict[str, Any], name: str) -> Any:
    if name not in columns:
        return None
    part = {"column": columns.pop(name), "primary": document.get("primary_column") == name}
    if part["primary"]:
        document["primary_column"] = next(iter(columns), "")
    return part


def _put_geo(document: Any, columns: dict[str, Any], name: str, part: Any) -> None:
    columns[name] = part["column"]
    if part["primary"]:
        document["primary_column"] = name


def _take_spark(document: Any, entries: dict[str, Any], name: str) -> Any:
    if name not in entries or not entries[name]["metadata"]:
        return None
    part, entries[name]["metadata"] = entries[name]["metadata"], {}
    return part


def _put_spark(document: Any, entries: dict[str, Any], name: str, part: Any) -> None:
    entries[name]["metadata"] = {**part, **entries[name]["metadata"]}


def _pandas(entry: Any) -> Any:
    return entry | {"pandas_type": "bytes", "numpy_type": "object", "metadata": None}


def _avro(entry: Any) -> Any:
    if _names_a_type(entry["type"]):  # which another field may refer to
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
    take: Callable[[Any, dict[str, Any], str], Any]
    put: Callable[[Any, dict[str, Any], str, Any], None] = _restored


_WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_KNOWN = {
    GEO: _Known(lambda it: it["columns"], _take_geo, _put_geo),
    b"pandas": _Known(_by_name("columns", "field_name"), _changed(_pandas)),
    SPARK: _Known(_by_name("fields"), _take_spark, _put_spark),
    b"parquet.avro.schema": _Known(_by_name("fields"), _changed(_avro)),
    b"avro.schema": _Known(_by_name("fields"), _changed(_avro)),
    b"iceberg.schema": _Known(_by_name("fields"), _changed(_iceberg)),
    b"huggingface": _Known(
        lambda it: it["info"]["features"],
        _changed(lambda entry: {"dtype": "binary", "_type": "Value"}),
    ),
}
