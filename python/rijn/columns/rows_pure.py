"""Rows of Arrow's layouts, one at a time: the functions of python/binding/rows.c, for use without
the native module.

data      bytes of rows, any C-contiguous buffer
offsets   n + 1 integers of 32 or 64 bits for n rows, or none for no rows: row i is
          data[offsets[i] : offsets[i + 1]]. They never decrease, and need not begin with 0
validity  a bitmap, least significant bit first: row i is present if bit bit_offset + i is set. If
          None is allowed, it means that all rows are present

A returned column is bytes and offsets of 64 bits (a memoryview of format "q"), which begin with 0.
Positions outside a buffer, and arguments that do not fit together, raise ValueError; wrong types
TypeError; and results of more than sys.maxsize bytes OverflowError. No function reads outside a
buffer.
"""

from __future__ import annotations

import sys
from array import array
from itertools import accumulate
from struct import unpack
from typing import TYPE_CHECKING, TypeVar

from .. import _check

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Buffer

T = TypeVar("T")
Column = tuple[bytes, memoryview]

VIEW_SIZE, VIEW_INLINE = 16, 12


def prefixed(prefix: Buffer, data: Buffer, offsets: Buffer, lengths: bool, /) -> Column:
    """Returns each row after `prefix` and, with lengths=True, its length in 8 bytes, big-endian."""
    front, rows = bytes(_check.readable("prefix", prefix)), rows_of("data", data, offsets)
    _check.flag("lengths", lengths)
    return joined(front + (len(row).to_bytes(8) if lengths else b"") + bytes(row) for row in rows)


def padded(data: Buffer, offsets: Buffer, step: int, /) -> Column:
    """Returns each row with 0x80 and zeros, at least one byte, up to a multiple of `step`, which is
    1 to 2^31 - 1 (ISO/IEC 7816-4).
    """
    rows, step = rows_of("data", data, offsets), _check.unsigned("step", step)
    if not 1 <= step < 2**31:
        raise ValueError(f"step must be 1 to 2147483647, not {step}")
    within(sum(len(row) - len(row) % step + step for row in rows))
    return joined(bytes(row) + b"\x80" + bytes(step - len(row) % step - 1) for row in rows)


def unpadded(data: Buffer, offsets: Buffer, /) -> tuple[bytes, memoryview, list[int]]:
    """Removes the padding of `padded`, for any step. Also returns the numbers of the rows without
    valid padding, which become empty. Use this only after authentication.
    """
    rows = [bytes(row).rstrip(b"\0") for row in rows_of("data", data, offsets)]
    bad = [i for i, row in enumerate(rows) if row[-1:] != b"\x80"]
    return (*joined(row[:-1] if row[-1:] == b"\x80" else b"" for row in rows), bad)


def present(data: Buffer, offsets: Buffer, validity: Buffer, bit_offset: int, /) -> Column:
    """Returns only the rows that are present."""
    rows = rows_of("data", data, offsets)
    there = bitmap(validity, bit_offset, len(rows))
    return joined(row for row, is_there in zip(rows, there, strict=True) if is_there)


def unprefixed(data: Buffer, offsets: Buffer, size: int, /) -> Column:
    """Returns each row without its first `size` bytes."""
    rows, size = rows_of("data", data, offsets), _check.unsigned("size", size)
    if any(len(row) < size for row in rows):
        raise ValueError(f"a row has fewer than {size} bytes")
    return joined(row[size:] for row in rows)


def viewed(
    views: Buffer, buffers: Sequence[Buffer], validity: Buffer | None, bit_offset: int, /
) -> Column:
    """Returns the present rows of Arrow's binary and string views, 16 bytes each, with their
    variadic buffers.
    """
    cells, all_bytes = (
        _check.readable("views", views),
        [_check.readable("each of buffers", b) for b in listed("buffers", buffers)],
    )
    if len(cells) % VIEW_SIZE:
        raise ValueError(f"views of {len(cells)} bytes are not {VIEW_SIZE} bytes each")
    there = if_any(validity, bit_offset, len(cells) // VIEW_SIZE)
    rows = []
    for at in (VIEW_SIZE * i for i, is_there in enumerate(there) if is_there):
        size, _, number, begin = memoryview(cells)[at : at + VIEW_SIZE].cast("i")
        if 0 <= size <= VIEW_INLINE:
            rows.append(cells[at + 4 : at + 4 + size])
        elif (
            size > 0
            and 0 <= number < len(all_bytes)
            and 0 <= begin <= len(all_bytes[number]) - size
        ):
            rows.append(all_bytes[number][begin : begin + size])
        else:
            raise ValueError("views lie outside their buffers")
    return joined(rows)


def taken(
    data: Buffer,
    offsets: Buffer,
    indices: Buffer,
    validity: Buffer | None,
    bit_offset: int,
    /,
) -> Column:
    """Returns the rows with these numbers, integers of 8 to 64 bits. Skips numbers that are not
    present.
    """
    rows, numbers = rows_of("data", data, offsets), integers(indices)
    there = if_any(validity, bit_offset, len(numbers))
    wanted = [n for n, is_there in zip(numbers, there, strict=True) if is_there]
    if not all(0 <= n < len(rows) for n in wanted):
        raise ValueError(f"indices lie outside the {len(rows)} rows")
    within(sum(len(rows[n]) for n in wanted))
    return joined(rows[n] for n in wanted)


def merged(which: Buffer, columns: Sequence[tuple[Buffer, Buffer]], /) -> Column:
    """Merges at most 256 columns. Row i is the next unused row of column which[i], a byte. All rows
    must be used.
    """
    marks, all_rows = bytes(_check.readable("which", which)), []
    for pair in listed("columns", columns):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"each of columns must be a tuple of data and offsets, not {type(pair).__name__}"
            )
        all_rows.append(rows_of("columns", *pair))
    if len(all_rows) > 256:
        raise ValueError(f"columns must be at most 256, not {len(all_rows)}")
    if [marks.count(i) for i in range(256)] != [
        len(rows) for rows in [*all_rows, *[[]] * (256 - len(all_rows))]
    ]:
        raise ValueError("which and columns have different numbers of rows")
    within(sum(len(row) for rows in all_rows for row in rows))
    ways = [iter(rows) for rows in all_rows]
    return joined(next(ways[mark]) for mark in marks)


def marked(data: Buffer, offsets: Buffer, prefixes: Sequence[Buffer], /) -> bytes:
    """Returns for each row the number of the first prefix that it begins with, of at most 255, or
    255.
    """
    rows = rows_of("data", data, offsets)
    fronts = [
        bytes(_check.readable("each of prefixes", prefix))
        for prefix in listed("prefixes", prefixes)
    ]
    if len(fronts) > 255:
        raise ValueError(f"prefixes must be at most 255, not {len(fronts)}")
    return bytes(
        next((i for i, front in enumerate(fronts) if row[: len(front)] == front), 255)
        for row in rows
    )


def spread(offsets: Buffer, validity: Buffer, bit_offset: int, count: int, /) -> memoryview:
    """Returns the offsets of `count` rows from the offsets of the present ones: the inverse of
    `present`. The others are empty. The first offset stays the same.
    """
    ends, _ = _check.offsets_of("data", offsets, sys.maxsize)
    there = bitmap(validity, bit_offset, limited("count", count))
    if sum(there) != max(len(ends) - 1, 0):
        raise ValueError(f"validity must have {max(len(ends) - 1, 0)} rows set, as many as offsets")
    return wide(ends[n] if ends else 0 for n in accumulate(there, initial=0))


def spaced(width: int, count: int, /) -> memoryview:
    """Returns 0, width, 2 * width …: the offsets of `count` rows of `width` bytes."""
    _check.unsigned("width", width)
    within(width * limited("count", count))
    return wide(width * i for i in range(count + 1))


# ---- Helpers --------------------------------------------------------------------------


def rows_of(name: str, data: Buffer, offsets: Buffer) -> list[bytes | memoryview]:
    return _check.column(name, data, offsets)[0]


def joined(rows: Iterable[bytes | memoryview]) -> Column:
    made = list(rows)
    return b"".join(made), wide(accumulate(map(len, made), initial=0))


def wide(offsets: Iterable[int]) -> memoryview:
    return memoryview(array("q", offsets).tobytes()).cast("q")


def within(size: int) -> None:
    if size > sys.maxsize:
        raise OverflowError(f"the rows would have more than {sys.maxsize} bytes")


def limited(name: str, count: int) -> int:
    if _check.unsigned(name, count) > (most := sys.maxsize // 8 - 1):
        raise OverflowError(f"{name} must be at most {most}")
    return count


def listed(name: str, value: Sequence[T]) -> Sequence[T]:
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a list, not {type(value).__name__}")
    return value


def if_any(validity: Buffer | None, bit_offset: int, count: int) -> list[bool]:
    if validity is not None:
        return bitmap(validity, bit_offset, count)
    _check.unsigned("bit_offset", bit_offset)
    return [True] * count


def bitmap(validity: Buffer, bit_offset: int, count: int) -> list[bool]:
    """Returns for each of `count` rows whether it is present."""
    first = _check.unsigned("bit_offset", bit_offset)
    bits = _check.readable("validity", validity)
    if first + count > 8 * len(bits):
        raise ValueError(
            f"validity has {len(bits)} bytes: too few for {count} rows from bit {first}"
        )
    return [bool(bits[i // 8] >> i % 8 & 1) for i in range(first, first + count)]


def integers(indices: Buffer) -> list[int]:
    plain, view = _check.readable("indices", indices), memoryview(indices)
    code = view.format[1:] if view.format.startswith(_check.OWN_ORDER) else view.format
    if view.ndim != 1 or code not in tuple("bBhHiIlLqQ"):
        raise TypeError(
            "indices must be a one-dimensional buffer of integers, not of "
            f"{view.ndim} dimensions and format '{view.format}'"
        )
    kind = {1: "b", 2: "h", 4: "i", 8: "q"}[view.itemsize]
    return list(
        unpack(f"{len(plain) // view.itemsize}{kind if code.islower() else kind.upper()}", plain)
    )
