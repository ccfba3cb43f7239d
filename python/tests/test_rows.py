"""Rows of columns: the binding and plain Python give the same results, and refuse inconsistent
arguments in the same way."""

from __future__ import annotations

import ctypes
import itertools
import sys
from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from backends import needs_native, noise
from hypothesis import given
from hypothesis import strategies as st

from rijn import registry
from rijn.columns import rows, rows_pure

if TYPE_CHECKING:
    from collections.abc import Sequence

NATIVE: Any = registry.native_module()
HOMES = [rows_pure] if isinstance(NATIVE, str) else [rows_pure, NATIVE]
NAMES = rows.__all__

ROWS = st.lists(
    st.binary(max_size=40) | st.sampled_from([b"", b"\x80", b"\0", bytes(70)]), max_size=20
)


def column(texts: Sequence[bytes], code: str = "i", lead: int = 3) -> tuple[bytes, array[int]]:
    """Returns a column with a few bytes before the first row and after the last."""
    ends = itertools.accumulate(map(len, texts), initial=lead)
    return noise(lead) + b"".join(texts) + b"behind", array(code, ends)


def plain(result: Any) -> Any:
    """Returns the result in a form that can be compared."""
    if isinstance(result, memoryview):
        assert (result.format, result.ndim) == ("q", 1)
        return result.tolist()
    if isinstance(result, tuple):
        assert type(result[0]) is bytes
        assert result[1].tolist()[0] == 0
        assert result[1].tolist()[-1] == len(result[0])
        return tuple(map(plain, result))
    return result


def in_both(name: str, *arguments: Any) -> Any:
    """Returns the common result or exception of the native module and its Python twin."""
    found = []
    for home in HOMES:
        try:
            found.append(plain(getattr(home, name)(*arguments)))
        except (ValueError, TypeError, OverflowError, BufferError) as error:
            found.append((type(error), str(error)))
    assert found[0] == found[-1]
    return found[0]


def parts(result: Any) -> list[bytes]:
    data, ends = result[:2]
    return [data[a:b] for a, b in itertools.pairwise(ends)]


def bits(there: Sequence[bool], first: int) -> bytes:
    """Returns an Arrow bitmap. The bits before `first` and after the last are set."""
    number = ~(sum(1 << first + i for i, it in enumerate(there) if not it))
    size = (first + len(there) + 7) // 8
    return (number & (1 << 8 * size) - 1).to_bytes(size, "little")


@given(ROWS, st.binary(max_size=30), st.booleans(), st.sampled_from("iq"))
def test_prefixed(texts: list[bytes], prefix: bytes, lengths: bool, code: str) -> None:
    made = in_both("prefixed", prefix, *column(texts, code), lengths)
    want = [prefix + (len(t).to_bytes(8, "big") if lengths else b"") + t for t in texts]
    assert parts(made) == want


@given(ROWS, st.integers(1, 70), st.sampled_from("iq"))
def test_padded_and_back(texts: list[bytes], step: int, code: str) -> None:
    made = in_both("padded", *column(texts, code), step)
    for text, row in zip(texts, parts(made), strict=True):
        assert row == text + b"\x80" + bytes(len(row) - len(text) - 1)
        assert len(row) % step == 0
        assert 0 < len(row) - len(text) <= step
    data, ends, bad = in_both("unpadded", made[0], array("q", made[1]))
    assert bad == []
    assert parts((data, ends)) == texts


@given(ROWS)
def test_missing_padding_is_reported(texts: list[bytes]) -> None:
    data, ends, bad = in_both("unpadded", *column(texts))
    assert bad == [i for i, text in enumerate(texts) if text.rstrip(b"\0")[-1:] != b"\x80"]
    want = [b"" if i in bad else text.rstrip(b"\0")[:-1] for i, text in enumerate(texts)]
    assert parts((data, ends)) == want


@given(ROWS, st.data(), st.integers(0, 17))
def test_present_and_spread(texts: list[bytes], data: st.DataObject, first: int) -> None:
    there = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    made = in_both("present", *column(texts), bits(there, first), first)
    assert parts(made) == [text for text, it in zip(texts, there, strict=True) if it]
    ends = in_both("spread", array("q", made[1]), bits(there, first), first, len(texts))
    assert parts((made[0], ends)) == [
        text if it else b"" for text, it in zip(texts, there, strict=True)
    ]
    flipped = [not it for it in there]
    if flipped and sum(there) != sum(flipped):
        assert in_both("spread", array("q", made[1]), bits(flipped, first), first, len(texts))[
            0
        ] is (ValueError)


def views_of(texts: Sequence[bytes], n_buffers: int) -> tuple[bytes, list[bytes]]:
    """Returns Arrow views of the texts, in that many buffers."""
    buffers, views = [bytearray(noise(i)) for i in range(n_buffers)], []
    for i, text in enumerate(texts):
        head = len(text).to_bytes(4, sys.byteorder)
        if len(text) <= 12:
            views.append(head + text.ljust(12, b"\0"))
            continue
        home = buffers[i % n_buffers]
        places = (i % n_buffers, len(home))
        views.append(head + text[:4] + b"".join(n.to_bytes(4, sys.byteorder) for n in places))
        home += text
    return b"".join(views), [bytes(b) for b in buffers]


@given(ROWS, st.integers(1, 3), st.data(), st.integers(0, 9))
def test_viewed(texts: list[bytes], n: int, data: st.DataObject, first: int) -> None:
    views, buffers = views_of(texts, n)
    assert parts(in_both("viewed", views, buffers, None, first)) == texts
    there = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    nonsense = b"\xff" * 16  # a view under a null is ignored
    cells = b"".join(views[16 * i : 16 * i + 16] if it else nonsense for i, it in enumerate(there))
    made = in_both("viewed", cells, buffers, bits(there, first), first)
    assert parts(made) == [text for text, it in zip(texts, there, strict=True) if it]


@pytest.mark.parametrize(
    ("size", "number", "begin", "right"),
    [
        (13, 0, 0, True),
        (20, 0, 0, True),
        (13, 0, 7, True),
        (21, 0, 0, False),
        (13, 0, 8, False),
        (13, 0, 21, False),
        (13, 1, 0, False),
        (13, -1, 0, False),
        (13, 0, -1, False),
        (-1, 0, 0, False),
        (-(2**31), 0, 0, False),
        (2**31 - 1, 0, 2**31 - 1, False),
        (2**31 - 1, 2**31 - 1, 0, False),
    ],
)
def test_views_that_point_outside_are_refused(
    size: int, number: int, begin: int, right: bool
) -> None:
    view = array("i", [size, 0, number, begin]).tobytes()
    result = in_both("viewed", view, [noise(20)], None, 0)
    assert result == (
        (noise(20)[begin : begin + size], [0, size])
        if right
        else (ValueError, "views lie outside their buffers")
    )


@given(ROWS, st.data(), st.sampled_from("bBhHiIlLqQ"), st.integers(0, 9))
def test_taken(texts: list[bytes], data: st.DataObject, code: str, first: int) -> None:
    numbers = data.draw(st.lists(st.integers(0, max(len(texts) - 1, 0)), max_size=30 * bool(texts)))
    made = in_both("taken", *column(texts), array(code, numbers), None, 0)
    assert parts(made) == [texts[n] for n in numbers]
    there = data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))
    wild = array(code, [n if it else 99 for n, it in zip(numbers, there, strict=True)])
    made = in_both("taken", *column(texts), wild, bits(there, first), first)
    assert parts(made) == [texts[n] for n, it in zip(numbers, there, strict=True) if it]
    beyond = [len(texts)] if code.isupper() else [len(texts), -1]
    for number in beyond:
        result = in_both("taken", *column(texts), array(code, [*numbers, number]), None, 0)
        assert result == (ValueError, f"indices lie outside the {len(texts)} rows")


@given(st.lists(st.integers(0, 2), max_size=30))
def test_merged(which: list[int]) -> None:
    texts = [noise(i * 7 % 23, i) for i in range(len(which))]
    columns = [
        column([t for t, w in zip(texts, which, strict=True) if w == i], "iqi"[i]) for i in range(3)
    ]
    assert parts(in_both("merged", bytes(which), columns)) == texts
    assert in_both("merged", bytes([*which, 1]), columns)[0] is ValueError
    assert in_both("merged", bytes([*which, 3]), columns)[0] is ValueError
    if which:
        assert in_both("merged", bytes(which[:-1]), columns)[0] is ValueError


@given(ROWS, st.lists(st.binary(max_size=3), max_size=5))
def test_marked(texts: list[bytes], prefixes: list[bytes]) -> None:
    want = [next((i for i, p in enumerate(prefixes) if text.startswith(p)), 255) for text in texts]
    assert in_both("marked", *column(texts), prefixes) == bytes(want)


def test_the_most_prefixes() -> None:
    prefixes = [bytes([i]) for i in range(255)]
    texts = [bytes([i, i]) for i in (0, 254, 255)]
    assert in_both("marked", *column(texts), prefixes) == bytes([0, 254, 255])


@given(ROWS, st.integers(0, 80), st.sampled_from("iq"))
def test_unprefixed(texts: list[bytes], size: int, code: str) -> None:
    made = in_both("unprefixed", *column(texts, code), size)
    if all(len(text) >= size for text in texts):
        assert parts(made) == [text[size:] for text in texts]
    else:
        assert made == (ValueError, f"a row has fewer than {size} bytes")


def test_spaced() -> None:
    assert in_both("spaced", 5, 3) == [0, 5, 10, 15]
    assert in_both("spaced", 0, 2) == [0, 0, 0]
    assert in_both("spaced", 16, 0) == [0]
    assert in_both("spaced", 2**62, 2)[0] is OverflowError
    assert in_both("spaced", 2**64 - 1, 1)[0] is OverflowError
    assert in_both("spaced", 1, 2**61)[0] is OverflowError
    assert in_both("spaced", 1, -1)[0] is OverflowError


def test_sums_that_no_buffer_holds() -> None:
    """Many rows of an impossible size, whose sum overflows. Rijn refuses them before it reads a
    byte."""
    size = sys.maxsize // 2
    ctypes.pythonapi.PyMemoryView_FromMemory.restype = ctypes.py_object
    ctypes.pythonapi.PyMemoryView_FromMemory.argtypes = (
        ctypes.c_void_p,
        ctypes.c_ssize_t,
        ctypes.c_int,
    )
    byte = ctypes.create_string_buffer(1)
    data = ctypes.pythonapi.PyMemoryView_FromMemory(ctypes.addressof(byte), size, 0x100)
    wanted = (OverflowError, f"the rows would have more than {sys.maxsize} bytes")
    offsets = array("q", [0, size])
    assert in_both("taken", data, offsets, bytes(3), None, 0) == wanted
    assert in_both("merged", b"\0\1\2", [(data, offsets)] * 3) == wanted
    view = array("i", [2**31 - 1, 0, 0, 0]).tobytes()
    if sys.maxsize < 2**33:
        assert in_both("viewed", view * 3, [data], None, 0) == wanted


@pytest.mark.parametrize(
    "offsets",
    [
        array("i", [0, 2, 1]),
        array("i", [-1, 2]),
        array("i", [0, 4]),
        array("i", [4]),
        array("q", [0, 2**63 - 1]),
        array("q", [-(2**63), 2]),
        array("I", [0, 2**32 - 1]),
    ],
    ids=lambda offsets: str(offsets.tolist()),
)
def test_offsets_that_point_outside_are_refused(offsets: array[int]) -> None:
    wanted = (ValueError, "the offsets of data must not decrease, nor lie outside its 3 bytes")
    data = b"abc"
    assert in_both("prefixed", b"", data, offsets, False) == wanted
    assert in_both("padded", data, offsets, 8) == wanted
    assert in_both("unpadded", data, offsets) == wanted
    assert in_both("present", data, offsets, b"\xff", 0) == wanted
    assert in_both("taken", data, offsets, b"\0", None, 0) == wanted
    assert in_both("marked", data, offsets, []) == wanted
    assert in_both("unprefixed", data, offsets, 0) == wanted
    assert in_both("merged", b"", [(data, offsets)])[0] is ValueError
    if offsets[0] < 0 or sorted(offsets) != offsets.tolist():
        assert in_both("spread", offsets, b"\xff", 0, 1)[0] is ValueError


def test_bitmaps_that_are_too_short() -> None:
    data, offsets = column([b"x"] * 9)
    for bitmap, first in [(b"", 0), (b"\xff", 0), (b"\xff\xff", 8), (b"\xff\xff", 2**64 - 1)]:
        for result in (
            in_both("present", data, offsets, bitmap, first),
            in_both("spread", offsets, bitmap, first, 9),
            in_both("taken", data, offsets, bytes(9), bitmap, first),
            in_both("viewed", bytes(16 * 9), [], bitmap, first),
        ):
            assert result[0] is ValueError
            assert "too few for 9 rows" in result[1]
    assert parts(in_both("present", data, offsets, b"\xff\xff", 7)) == [b"x"] * 9


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("prefixed", ("text", b"", b"", False)),
        ("prefixed", (b"", b"", array("i"), 1)),
        ("prefixed", (b"", b"", b"", False)),
        ("prefixed", (b"", 5, array("i"), False)),
        ("padded", (b"", array("i"), 0)),
        ("padded", (b"", array("i"), 2**31)),
        ("padded", (b"", array("i"), True)),
        ("padded", (b"", array("i"), -1)),
        ("padded", (b"", array("f", [0]), 1)),
        ("present", (b"", array("i"), None, 0)),
        ("present", (b"", array("i"), b"", -1)),
        ("viewed", (bytes(15), [], None, 0)),
        ("viewed", (bytes(16), b"", None, 0)),
        ("viewed", (bytes(16), [5], None, 0)),
        ("viewed", (bytes(16), [], None, "0")),
        ("taken", (b"", array("i"), array("f", [0]), None, 0)),
        ("taken", (b"", array("i"), 5, None, 0)),
        ("taken", (b"", array("i"), np.zeros((2, 2), np.int8), None, 0)),
        ("merged", (b"", b"")),
        ("merged", (b"", [b""])),
        ("merged", (b"", [(b"", array("i"))] * 257)),
        ("marked", (b"", array("i"), [b""] * 256)),
        ("marked", (b"", array("i"), ["text"])),
        ("unprefixed", (b"", array("i"), -1)),
        ("unprefixed", (b"", array("f", [0]), 1)),
        ("spread", (array("i"), b"", 0, -1)),
        ("spread", (array("i"), b"", 0, 2**62)),
        ("spread", (b"", b"", 0, 0)),
    ],
)
def test_wrong_arguments(name: str, arguments: tuple[Any, ...]) -> None:
    kinds = []
    for home in HOMES:
        with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
            getattr(home, name)(*arguments)
        kinds.append(caught.type)
    assert kinds[0] is kinds[-1]


def test_columns_without_rows() -> None:
    none = array("i")
    assert in_both("prefixed", b"p", b"", none, True) == (b"", [0])
    assert in_both("padded", b"", none, 16) == (b"", [0])
    assert in_both("unpadded", b"", none) == (b"", [0], [])
    assert in_both("present", b"", none, b"", 0) == (b"", [0])
    assert in_both("viewed", b"", [], None, 0) == (b"", [0])
    assert in_both("taken", b"", none, none, None, 0) == (b"", [0])
    assert in_both("merged", b"", []) == (b"", [0])
    assert in_both("marked", b"", none, []) == b""
    assert in_both("unprefixed", b"", none, 5) == (b"", [0])
    assert in_both("spread", none, b"", 0, 0) == [0]
    assert in_both("spread", none, b"\0", 0, 5) == [0] * 6
    assert in_both("spread", array("i", [7]), b"\0", 0, 2) == [7, 7, 7]


def test_other_buffers() -> None:
    data, offsets = column([b"one", b"two"])
    want = in_both("padded", data, offsets, 4)
    little = (ctypes.c_int32 * 3)(*offsets)
    for ends in (np.array(offsets, np.int32), memoryview(offsets), little):
        assert in_both("padded", np.frombuffer(data, np.uint8), ends, 4) == want
    assert in_both("taken", data, offsets, np.array([1, 0], ">i2"), None, 0)[0] is TypeError
    assert in_both("taken", data, offsets, (ctypes.c_uint16 * 2)(1, 0), None, 0) == (
        b"twoone",
        [0, 3, 6],
    )


class PyBuffer(ctypes.Structure):
    """CPython's Py_buffer."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


@needs_native
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="needs CPython's Py_buffer")
@pytest.mark.parametrize("format", ["", "bb", "bi", "iB"])
def test_indices_have_one_integer_each(format: str) -> None:
    """No type of Python itself has such a buffer. A C extension may make one."""
    make = ctypes.pythonapi.PyMemoryView_FromBuffer
    make.argtypes, make.restype = [ctypes.POINTER(PyBuffer)], ctypes.py_object
    one = ctypes.c_ssize_t * 1
    indices, shape, strides = (ctypes.c_uint8 * 2)(1, 0), one(2), one(1)
    made = PyBuffer(
        buf=ctypes.addressof(indices), len=2, itemsize=1, readonly=1, ndim=1, format=format.encode(),
        shape=shape, strides=strides,
    )  # fmt: skip
    data, offsets = column([b"one", b"two"])
    with pytest.raises(TypeError, match=f"and format '{format}'"):
        NATIVE.taken(data, offsets, make(made), None, 0)


@needs_native
def test_only_a_method_of_the_type_is_documented() -> None:
    for type_ in (NATIVE.AES, type("Empty", (), {})):
        with pytest.raises(ValueError, match="no such method"):
            NATIVE.document(type_, "nothing", "")


@needs_native
def test_the_native_functions_are_chosen() -> None:
    for name in NAMES:
        assert getattr(rows, name) is getattr(NATIVE, name)
    assert {name for name in NAMES if not hasattr(rows_pure, name)} == set()


def test_many_rows_release_the_lock() -> None:
    texts = [noise(50, i) for i in range(2000)]
    assert parts(rows.prefixed(b"p", *column(texts), False)) == [b"p" + text for text in texts]
    padded = rows.padded(*column(texts), 16)
    assert parts(rows.unpadded(*padded)) == texts
