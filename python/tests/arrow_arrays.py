"""Arrow arrays for tests, byte by byte: every type with bytes as values, starting anywhere in the
buffers, with any bytes under nulls. nanoarrow reads the results."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

Value = bytes | None


class Schema(ctypes.Structure):
    pass


class Arr(ctypes.Structure):
    pass


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(Arr))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
Arr._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Arr)),
    ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p),
]


@ReleaseSchema
def _release_schema(schema: Any) -> None:
    schema.contents.release = ReleaseSchema()


@ReleaseArray
def _release_array(arr: Any) -> None:
    arr.contents.release = ReleaseArray()


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_KEPT: list[object] = []  # until the process ends: consumers hold addresses


class BuiltArray:
    """An array built by hand: it has only __arrow_c_array__."""

    def __init__(
        self,
        kind: str,
        length: int,
        offset: int,
        buffers: Sequence[bytes | None],
        dictionary: BuiltArray | None = None,
    ) -> None:
        self.kind, self.length, self.offset = kind, length, offset
        self.buffers, self.dictionary = buffers, dictionary

    def __len__(self) -> int:
        return self.length

    def structs(self) -> tuple[Schema, Arr]:
        held = [ctypes.create_string_buffer(b or b"", len(b or b"") + 8) for b in self.buffers]
        addresses = [
            None if b is None else ctypes.addressof(place)
            for b, place in zip(self.buffers, held, strict=True)
        ]
        pointers = (ctypes.c_void_p * len(held))(*addresses)
        schema = Schema(self.kind.encode(), b"", None, 2, 0, None, None, _release_schema, None)
        nulls = 0 if self.buffers[0] is None else -1
        arr = Arr(
            self.length, nulls, self.offset, len(held), 0, pointers, None, None, _release_array
        )
        if self.dictionary is not None:
            inner_schema, inner = self.dictionary.structs()
            schema.dictionary, arr.dictionary = ctypes.pointer(inner_schema), ctypes.pointer(inner)
            _KEPT.append((inner_schema, inner))
        _KEPT.append((held, pointers, schema, arr))
        return schema, arr

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, arr = self.structs()
        return (
            _capsule(ctypes.addressof(schema), b"arrow_schema", None),
            _capsule(ctypes.addressof(arr), b"arrow_array", None),
        )


def bitmap(flags: Sequence[bool]) -> bytes:
    found = sum(1 << i for i, flag in enumerate(flags) if flag)
    return found.to_bytes((len(flags) + 7) // 8, "little")


def array_of(kind: str, values: Sequence[Value], lead: int = 0, under: bytes = b"") -> BuiltArray:
    """Returns an array of this Arrow format ("z", "vu", "w:5" …), which begins `lead` rows after the
    beginning of its buffers. `under` lies under nulls."""
    rows: list[Value] = [*[b"?" * (int(kind[2:]) if kind[0] == "w" else 3)] * lead, *values]
    flags = [row is not None for row in rows]
    validity = None if all(flags) else bitmap(flags)
    if kind.startswith("w:"):
        width = int(kind[2:])
        filled = [bytes(width) if row is None else row for row in rows]
        return BuiltArray(kind, len(values), lead, [validity, b"".join(filled)])
    filled = [under if row is None else row for row in rows]
    if kind.startswith("v"):
        views, data = b"", [b"", b"unused", b""]
        for i, row in enumerate(filled):
            size = len(row).to_bytes(4, "little")
            if len(row) <= 12:
                views += size + row.ljust(12, b"\0")
            else:  # in one of two buffers
                place = i % 2 * 2
                at = len(data[place]).to_bytes(4, "little")
                views += size + row[:4] + place.to_bytes(4, "little") + at
                data[place] += row
        sizes = array("q", map(len, data)).tobytes()
        return BuiltArray(kind, len(values), lead, [validity, views, *data, sizes])
    ends = array("q" if kind in "ZU" else "i", accumulate(map(len, filled), initial=0))
    return BuiltArray(kind, len(values), lead, [validity, ends.tobytes(), b"".join(filled)])


def dictionary(
    indices: Sequence[int | None], values: BuiltArray, code: str = "b", lead: int = 0
) -> BuiltArray:
    """Returns a dictionary array. `code` is the array.array type of the indices."""
    rows = [*[0] * lead, *indices]
    flags = [row is not None for row in rows]
    validity = None if all(flags) else bitmap(flags)
    formats = {"b": "c", "B": "C", "h": "s", "H": "S", "i": "i", "I": "I", "q": "l", "Q": "L"}
    places = array(code, [row or 0 for row in rows]).tobytes()
    return BuiltArray(formats[code], len(indices), lead, [validity, places], values)


class StreamStruct(ctypes.Structure):
    pass


GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(StreamStruct), ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(StreamStruct), ctypes.POINTER(Arr))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(StreamStruct))
ReleaseStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(StreamStruct))
StreamStruct._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetError),
    ("release", ReleaseStream),
    ("private_data", ctypes.c_void_p),
]


@GetError
def _no_error(_: Any) -> None:
    return None


@ReleaseStream
def _release_stream(stream: Any) -> None:
    stream.contents.release = ReleaseStream()


class Stream:
    """A sequence of arrays: it has only __arrow_c_stream__."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        made = [it.structs() for it in self.arrays]
        left = iter([arr for _, arr in made])

        def get_schema(_: Any, schema: Any) -> int:
            ctypes.pointer(schema.contents)[0] = self.arrays[0].structs()[0]
            return 0

        def get_next(_: Any, arr: Any) -> int:
            ctypes.pointer(arr.contents)[0] = next(left, Arr())
            return 0

        calls = GetSchema(get_schema), GetNext(get_next)
        stream = StreamStruct(*calls, _no_error, _release_stream, None)
        _KEPT.append((calls, stream, made))
        return _capsule(ctypes.addressof(stream), b"arrow_array_stream", None)


def values_of(given: Any) -> list[Value]:
    """Returns the values of an array or a stream of arrays, of a binary or string type or of a
    dictionary. nanoarrow reads the buffers."""
    import nanoarrow

    if hasattr(given, "__arrow_c_array__"):
        return values(nanoarrow.c_array(given))
    return [value for it in nanoarrow.c_array_stream(given) for value in values(it)]


def values(given: Any) -> list[Value]:
    view, first = given.view(), given.offset
    buffers = [memoryview(it) for it in view.buffers]
    there = [
        not buffers[0].nbytes or buffers[0][i >> 3] >> (i & 7) & 1
        for i in range(first, first + given.length)
    ]
    if given.dictionary is not None:
        words = values(given.dictionary)
        places = buffers[1][first : first + given.length]
        return [words[place] if here else None for place, here in zip(places, there, strict=True)]
    assert given.schema.format in ("z", "Z", "u", "U")
    data = bytes(buffers[2])
    ends = buffers[1].tolist()[first : first + given.length + 1] if given.length else [0]
    cut = [data[a:b] for a, b in pairwise(ends)]
    for row, here in zip(cut, there, strict=True):
        assert here or row == b""  # our own results have nothing under a null
    return [row if here else None for row, here in zip(cut, there, strict=True)]


def kind_of(given: Any) -> str:
    """Returns the Arrow format of the values."""
    import nanoarrow

    schema = nanoarrow.c_schema(given)
    while schema.dictionary is not None:
        schema = schema.dictionary
    return str(schema.format)
