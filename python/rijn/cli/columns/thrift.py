"""Thrift's compact protocol: reads and writes structs without knowing their fields.

A struct is a dict that maps a field's number to a pair of type and value. Parquet keeps its footer,
page indexes and headers of Bloom filters in this form. A struct that is read and written again
keeps the fields that this version does not know.

Values: int for the integers, bytes for binary and double, a bool, a dict for a struct, and
(element type, list) for a list or a set.
"""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_DEPTH = 32  # of nested structs and lists; Parquet has at most 8

Struct = dict[int, tuple[int, Any]]


def read(data: bytes | memoryview, at: int = 0) -> tuple[Struct, int]:
    """Reads the struct that begins at `at`. Returns it and its end. ValueError."""
    try:
        return _read_struct(data, at, 0)
    except IndexError:
        raise ValueError("it is truncated") from None


def write(struct: Struct) -> bytes:
    """Returns the bytes of a struct. Inverse of read."""
    out = bytearray()
    _write_struct(out, struct)
    return bytes(out)


def get(struct: Struct, field: int, default: Any = None) -> Any:
    """Returns a field's value, or `default` if the struct does not have it."""
    return struct[field][1] if field in struct else default


# ---- Reading --------------------------------------------------------------------------


def _read_struct(data: bytes | memoryview, at: int, depth: int) -> tuple[Struct, int]:
    if depth > _DEPTH:
        raise ValueError("its structs are too deep")
    found: Struct = {}
    number = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            zigzag, at = _read_varint(data, at)
            number = zigzag >> 1 ^ -(zigzag & 1)
        kind = head & 15
        if kind in (TRUE, FALSE):
            found[number] = kind, kind == TRUE
        else:
            value, at = _read_value(data, at, kind, depth)
            found[number] = kind, value
    return found, at + 1


def _read_value(data: bytes | memoryview, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (I16, I32, I64):
        zigzag = data[at]
        if zigzag < 128:
            at += 1
        else:
            zigzag, at = _read_varint(data, at)
        return zigzag >> 1 ^ -(zigzag & 1), at
    if kind == BINARY:
        size, at = _read_varint(data, at)
        return _slice(data, at, size), at + size
    if kind == STRUCT:
        return _read_struct(data, at, depth + 1)
    if kind in (LIST, SET):
        head = data[at]
        at += 1
        size, element = head >> 4, head & 15
        if size == 15:
            size, at = _read_varint(data, at)
        if size > len(data) - at:  # an element takes a byte at least
            raise ValueError("it is truncated")
        if depth > _DEPTH:
            raise ValueError("its lists are too deep")
        values = []
        for _ in range(size):
            value, at = _read_value(data, at, element, depth + 1)
            values.append(value)
        return (element, values), at
    if kind == DOUBLE:
        return _slice(data, at, 8), at + 8
    if kind in (TRUE, FALSE, BYTE):  # in a list, a bool is a byte
        return data[at], at + 1
    raise ValueError(f"a field is of type {kind}, which Parquet does not have")


def _read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    found = shift = 0
    while (byte := data[at]) & 128:
        found |= (byte & 127) << shift
        shift += 7
        at += 1
        if shift > 63:
            raise ValueError("an integer is too long")
    return found | byte << shift, at + 1


def _slice(data: bytes | memoryview, at: int, size: int) -> bytes:
    if size > len(data) - at:
        raise ValueError("it is truncated")
    return bytes(data[at : at + size])


# ---- Writing --------------------------------------------------------------------------


def _write_struct(out: bytearray, struct: Struct) -> None:
    last = 0
    for number in sorted(struct):
        kind, value = struct[number]
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        if 0 < number - last < 16:
            out.append(number - last << 4 | kind)
        else:
            out.append(kind)
            _write_varint(out, number << 1 ^ number >> 63)
        last = number
        if kind not in (TRUE, FALSE):
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _write_varint(out, value << 1 ^ value >> 63)
    elif kind == BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind == STRUCT:
        _write_struct(out, value)
    elif kind in (LIST, SET):
        element, values = value
        if len(values) < 15:
            out.append(len(values) << 4 | element)
        else:
            out.append(0xF0 | element)
            _write_varint(out, len(values))
        for item in values:
            _write_value(out, element, item)
    elif kind == DOUBLE:
        out += value
    else:
        out.append(value)


def _write_varint(out: bytearray, number: int) -> None:
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
