"""rijn.columns: every type, slice and null of Arrow against single-message calls row by row, and rows
that do not open."""

from __future__ import annotations

import itertools
import os
import pickle
from array import array
from typing import Any

import pytest
from backends import NATIVE, noise, skip_reasons

import rijn
from rijn.columns import Column, Keyset, KeysetError

pytest.importorskip("nanoarrow", reason="needs nanoarrow")

from arrow_arrays import BuiltArray, Stream, Value, array_of, dictionary, kind_of, values_of
from test_fork import forked

from rijn.columns import arrow, formats

BEST = next((name for name in NATIVE if not skip_reasons()[name]), "python")
BACKENDS = list(
    dict.fromkeys([BEST, *([] if skip_reasons()["fixslice64"] else ["fixslice64"]), "python"])
)
FORMATS = list(formats.FORMATS)
FRAMED = [name for name in FORMATS if formats.FORMATS[name].framed]
CONTEXT = b"table.column"
VALUES: list[Value] = [
    b"one",
    b"",
    None,
    b"gr\xc3\xbcn",
    b"more than twelve bytes",
    None,
    b"x" * 70,
]
ADS: list[Value] = [b"1", b"22", b"", b"", None, b"555", b"associated with the last"]
ADS[4] = b"more than twelve bytes, too"


def framed(context: bytes | None, aad: bytes) -> bytes:
    """Returns the framing that the manual describes, written differently."""
    if context is None:
        return aad
    sizes = [size.to_bytes(8, "big") for size in (len(context), len(aad))]
    return sizes[0] + context + sizes[1] + aad


class One:
    """Seals and opens one row at a time, by single-message calls."""

    def __init__(self, keyset: Keyset, format: str, number: int = 0) -> None:
        key = keyset._keys[number]
        algorithm = key.algorithm or formats.FORMATS[format].algorithms[0]
        self.aead = algorithm.cls(key.secret, backend=BEST)
        self.siv = algorithm.cls is rijn.AESSIV
        self.nonce = 0 if self.siv else algorithm.cls.drawn_nonce_size
        self.prefix = b""
        if format == "tink" and not key.raw:
            self.prefix = b"\1" + key.id.to_bytes(4, "big")

    def seal(self, text: bytes, ad: bytes) -> bytes:
        if self.siv:
            return self.prefix + self.aead.encrypt(text, [ad])
        nonce = os.urandom(self.nonce)
        return self.prefix + nonce + self.aead.encrypt(nonce, text, ad)

    def open(self, row: bytes, ad: bytes) -> bytes:
        assert row.startswith(self.prefix)
        row = row[len(self.prefix) :]
        if self.siv:
            return self.aead.decrypt(row, [ad])
        return self.aead.decrypt(row[: self.nonce], row[self.nonce :], ad)


def keyset_of(format: str, algorithm: formats.Algorithm | None = None) -> Keyset:
    keyset = Keyset.generate(format)
    if algorithm is not None:
        keyset._keys[0].algorithm = algorithm
        keyset._keys[0].secret = noise(algorithm.drawn, 5)
    return keyset


def column_of(format: str, keyset: Keyset | None = None, **options: Any) -> Column:
    options.setdefault("context", CONTEXT)
    return Column(keyset or keyset_of(format), format, **options)


# ---- Every type, slice, null and chunk ------------------------------------------------


def layouts() -> list[tuple[str, int, bool, bool, str]]:
    kinds = ("z", "Z", "u", "U", "vz", "vu", "w:5")
    return list(
        itertools.product(kinds, (0, 3, 8), (True, False), (False, True), ("", "shared", "own"))
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_columns_match_single_calls(backend: str, format: str) -> None:
    """The best backend tries every layout. Others use the same code and try every thirteenth."""
    keyset = keyset_of(format)
    one = One(keyset, format)
    step = 1 if backend == BEST else 13
    for number, (kind, lead, nulls, chunked, ad) in enumerate(layouts()[::step]):
        context = None if format in ("spark", "tink") and number % 2 else CONTEXT
        column = column_of(format, keyset, context=context, backend=backend)
        values: list[Value] = [
            value[:5].ljust(5, b".") if value is not None and kind == "w:5" else value
            for value in VALUES
            if nulls or value is not None
        ]
        ads: list[Value] = {"": [b""] * 7, "shared": [b"shared"] * 7, "own": ADS}[ad][: len(values)]
        aad: Any = {"": None, "shared": b"shared", "own": array_of("u", ads, 1)}[ad]
        given: Any = array_of(kind, values, lead, b"under" if kind in "zZuU" else b"")
        if chunked:
            given = Stream(
                array_of(kind, values[:3], lead),
                array_of(kind, []),
                array_of(kind, values[3:], 1, b""),
            )
            if ad == "own" and number % 3:  # its chunks may be cut differently
                aad = Stream(array_of("vz", ads[:1], 2), array_of("vz", ads[1:]))
        what = (backend, format, kind, lead, nulls, chunked, ad)
        sealed = column.seal(given, aad)
        assert hasattr(sealed, "__arrow_c_array__") != chunked, what
        assert kind_of(sealed) == ("z" if kind in ("z", "u", "w:5") else "Z"), what
        rows = values_of(sealed)
        assert len(sealed) == len(values)
        assert sealed.null_count == values.count(None)
        for row, value, own in zip(rows, values, ads, strict=True):
            assert (row is None) == (value is None), what
            if row is not None and value is not None and own is not None:
                assert one.open(row, framed(context, own)) == value, what
        for type, kind in (("binary", "z"), ("large_binary", "Z"), ("string", "u")):
            back = column.open(sealed, aad, type=type)  # type: ignore[arg-type]
            assert values_of(back) == values, what
            assert kind_of(back) == kind
        theirs: list[Value] = [
            None if value is None or own is None else one.seal(value, framed(context, own))
            for value, own in zip(values, ads, strict=True)
        ]
        for layout in ("z", "Z", "vz"):
            back = column.open(array_of(layout, theirs, lead), aad)
            assert values_of(back) == values, what
            assert kind_of(back) == ("z" if layout == "z" else "Z")


@pytest.mark.parametrize("algorithm", formats.FORMATS["tink"].algorithms, ids=lambda it: it.name)
def test_tink_s_algorithms(algorithm: formats.Algorithm) -> None:
    for raw in (False, True):
        keyset = keyset_of("tink", algorithm)
        keyset._keys[0].raw = raw
        column, one = column_of("tink", keyset, context=None), One(keyset, "tink")
        rows = values_of(column.seal(array_of("z", VALUES)))
        assert [row if row is None else one.open(row, b"") for row in rows] == VALUES
        assert values_of(column.open(array_of("z", rows))) == VALUES
        longer = {"AES-GCM": 28, "XAES-256-GCM": 40, "AES-SIV": 16}[algorithm.name]
        assert rows[1] is not None
        assert len(rows[1]) == longer + (0 if raw else 5)


@pytest.mark.parametrize("code", "bBhHiIqQ")
def test_indices_of_every_size(code: str) -> None:
    """The indices of a dictionary whose values, not rows, are sealed."""
    column = column_of("siv")
    indices = [2, None, 0, 2, 1, 0]
    given = dictionary(indices, array_of("u", [b"a", b"", b"c", b"unused"], 2), code, lead=3)
    sealed = column.seal(given)
    rows = values_of(sealed)
    assert rows[0] == rows[3] != rows[2] == rows[5]
    assert rows[1] is None
    assert "dictionary of binary" in repr(sealed)
    back = column.open(sealed, type="string")
    assert values_of(back) == [b"c", None, b"a", b"c", b"", b"a"]
    assert "dictionary of string" in repr(back)
    # each row sealed separately gives the same result
    assert values_of(column.seal(array_of("z", values_of(given)))) == rows
    assert values_of(column.open(array_of("z", rows))) == values_of(given)


@pytest.mark.parametrize("code", list("bhiq"))
def test_indices_beyond_their_dictionary(code: str) -> None:
    """They are an error in every call, in every form of a dictionary, and as associated data."""
    columns = {format: column_of(format) for format in ("xaes", "siv")}
    sealed = {
        format: array_of("z", values_of(column.seal(array_of("z", [b"a", b"b"]))))
        for format, column in columns.items()
    }
    aad = dictionary([0, 1], array_of("z", [b"a", b"b"]))
    for index in (-1, 2, -(2**7), 2**7 - 1):
        for format, rows in sealed.items():
            column = columns[format]
            for values in (rows, array_of("z", [*values_of(rows)[:1], None])):
                for indices in ([0, index], [None, index], [index, 0]):
                    bad = dictionary(indices, values, code)
                    for call, *given in (
                        (column.seal, bad),
                        (column.seal, bad, aad),
                        (column.open, bad),
                        (column.open, bad, aad),
                        (column.rotate, bad),
                        (column.seal, Stream(bad)),
                        (column.seal, array_of("z", [b"a", b"b"]), bad),
                    ):
                        with pytest.raises(ValueError, match="indices lie outside the 2 rows"):
                            call(*given)
                    with pytest.raises(ValueError, match="indices lie outside the 2 rows"):
                        column.open(bad, errors="null")
    # An index under a null is ignored.
    places = array(code, [0, -1]).tobytes()
    kind = {"b": "c", "h": "s", "i": "i", "q": "l"}[code]
    for column in columns.values():
        under = BuiltArray(kind, 2, 0, [b"\1", places], array_of("z", [b"a", None]))
        assert values_of(column.open(column.seal(under))) == [b"a", None]


@pytest.mark.parametrize("format", FORMATS)
def test_dictionaries(format: str) -> None:
    """Nulls are among the indices and the values. A format that is not deterministic seals every
    row, and so does a column with associated data for each row."""
    column = column_of(format)
    indices = [1, 1, None, 0, 2, 1]
    values = array_of("z", [b"a", b"bb", None, b"unused"])
    want: list[Value] = [b"bb", b"bb", None, b"a", None, b"bb"]
    for own in (None, array_of("z", [b"%d" % i for i in range(6)])):
        for given in (
            dictionary(indices, values),
            dictionary(indices, array_of("vu", [b"a", b"bb", None])),
        ):
            sealed = column.seal(given, own)
            kept = format == "siv" and own is None
            assert ("dictionary" in repr(sealed)) == kept
            rows = values_of(sealed)
            assert [row is None for row in rows] == [value is None for value in want]
            assert (rows[0] == rows[1]) == kept
            assert values_of(column.open(sealed, own)) == want
        streamed = column.seal(
            Stream(dictionary(indices, values), dictionary([0], values, "b")), b"ad"
        )
        assert values_of(column.open(streamed, b"ad")) == [*want, b"a"]
    # a dictionary of sealed values opens to a dictionary, in any format
    sealed = column.seal(values)
    rows = values_of(sealed)
    back = column.open(dictionary(indices, array_of("z", rows)))
    assert "dictionary" in repr(back)
    assert values_of(back) == want
    rows[1] = bytes(60)
    bad = dictionary(indices, array_of("z", rows))
    with pytest.raises(rijn.InvalidTag, match="3 of 6 rows, the first is row 0") as caught:
        column.open(bad)
    assert caught.value.failed == (0, 1, 5)
    found = column.open(bad, errors="null")
    assert found.failed == (0, 1, 5)
    assert values_of(found) == [None, None, None, b"a", None, None]
    good, rows[0] = rows[0], bytes(60)
    assert (
        column.open(dictionary([3, None], array_of("z", rows))).failed == ()
    )  # a null, so no failure
    rows[0] = good
    rows[1], rows[3] = rows[0], bytes(60)  # no row refers to this value
    assert values_of(column.open(dictionary([1, 0], array_of("z", rows)))) == [b"a", b"a"]


@pytest.mark.parametrize("format", FORMATS)
def test_columns_without_rows_or_values(format: str) -> None:
    column = column_of(format)
    for kind in ("z", "U", "vu"):
        for values in ([], [None, None, None]):
            for aad in (None, array_of("z", values)):
                sealed = column.seal(array_of(kind, values), aad)
                assert values_of(sealed) == values
                assert values_of(column.open(sealed, aad)) == values
                assert values_of(column.rotate(sealed, aad)) == values
    empty = column.seal(Stream(array_of("z", [])))
    assert len(column.open(empty, type="large_string")) == 0


def test_a_stream_without_arrays_keeps_its_type() -> None:
    import nanoarrow
    from nanoarrow.c_array_stream import CArrayStream

    column = column_of("siv")
    none = CArrayStream.from_c_arrays([], nanoarrow.c_schema(nanoarrow.large_string()))
    sealed = column.seal(none)
    opened = column.open(sealed, type="large_string")
    types = [nanoarrow.c_array_stream(it).get_schema().format for it in (sealed, opened)]
    assert (types, len(sealed), len(opened)) == (["Z", "U"], 0, 0)


def test_threads() -> None:
    values = [noise(i % 60, i) for i in range(3000)]
    for format in FORMATS:
        column = column_of(format, threads=3)
        assert values_of(column.open(column.seal(array_of("Z", values)))) == values


# ---- Nonces ---------------------------------------------------------------------------


def test_nonces_of_xaes() -> None:
    """A batch has one prefix of 12 bytes, which costs one derived key; 4 more bytes that are random,
    and a counter from 0."""
    column = column_of("xaes")
    prefixes, tails = set(), set()
    for _ in range(3):
        streamed = column.seal(Stream(array_of("z", VALUES), array_of("z", VALUES)))
        rows = [row for row in values_of(streamed) if row is not None]
        for batch in (rows[:5], rows[5:]):
            assert {row[:16] for row in batch} == {batch[0][:16]}
            assert [int.from_bytes(row[16:24]) for row in batch] == list(range(5))
            prefixes.add(batch[0][:12])
            tails.add(batch[0][12:16])
    assert len(prefixes) == len(tails) == 6


@pytest.mark.parametrize("backend", BACKENDS)
def test_xaes_of_many_batches_mixed(backend: str) -> None:
    """Rows of more batches than the cache holds derived keys open at any position, with their own
    associated data. Failed rows are reported by position."""
    column = Column(keyset_of("xaes"), context=CONTEXT, backend=backend)
    batches, each = 90, 6
    texts = [noise(i % 40, i) for i in range(batches * each)]
    ads = [b"%d" % i for i in range(batches * each)]
    sealed: list[Value] = []
    for i in range(0, len(texts), each):
        part = slice(i, i + each)
        sealed += values_of(column.seal(array_of("z", texts[part]), array_of("z", ads[part])))
    order = sorted(range(len(texts)), key=lambda i: noise(8, i))
    mixed: list[Value] = [sealed[i] for i in order]
    mine = array_of("z", [ads[i] for i in order])
    wanted: list[Value] = [texts[i] for i in order]
    assert values_of(column.open(array_of("z", mixed), mine)) == wanted
    assert column.rotate(array_of("z", mixed), mine).rotated == 0
    for bad in (3, 200, 539):
        mixed[bad] = None if bad == 200 else bytes(len(sealed[order[bad]] or b""))
        wanted[bad] = None
    opened = column.open(array_of("z", mixed), mine, errors="null")
    assert opened.failed == (3, 539)
    assert values_of(opened) == wanted


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "siv"])
def test_a_fork_repeats_no_nonce(format: str) -> None:
    column = column_of(format, context=b"c")
    given = array_of("z", [b""] * 20)
    column.seal(given)
    size = {"tink": 17}.get(format, len(values_of(column.seal(given))[0] or b"") - 16)

    def nonces() -> str:
        return " ".join((row or b"")[:size].hex() for row in values_of(column.seal(given)))

    found = " ".join([*(forked(nonces) for _ in range(3)), nonces()]).split()
    assert len(found) == 80
    assert len(set(found)) == 80


def test_siv_is_deterministic_in_its_column_alone() -> None:
    keyset = keyset_of("siv")
    column = column_of("siv", keyset)
    first, again = (values_of(column.seal(array_of("z", [b"a", b"b", b"a"]))) for _ in range(2))
    assert first == again
    assert first[0] == first[2] != first[1]
    other = column_of("siv", keyset, context=b"another")
    assert not set(values_of(other.seal(array_of("z", [b"a", b"b"])))) & set(first)
    own = values_of(column.seal(array_of("z", [b"a", b"a"]), array_of("z", [b"1", b"2"])))
    assert own[0] != own[1]


# ---- What does not open ---------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_every_bit_of_a_row(format: str) -> None:
    column = column_of(format)
    (row,) = values_of(column.seal(array_of("z", [b"row"])))
    assert row is not None
    number = int.from_bytes(row)
    flipped = [(number ^ 1 << bit).to_bytes(len(row)) for bit in range(8 * len(row))]
    shorter = [row[:size] for size in range(len(row))]
    bad = [*flipped, *shorter, row + b"\0", b""]
    found = column.open(array_of("z", [row, *bad, row]), errors="null")
    assert values_of(found) == [b"row", *[None] * len(bad), b"row"]
    assert found.failed == tuple(range(1, len(bad) + 1))
    assert found.null_count == len(bad)
    with pytest.raises(rijn.InvalidTag) as caught:
        column.open(array_of("z", [row, *bad, row]))
    assert caught.value.failed == found.failed


@pytest.mark.parametrize("format", FORMATS)
def test_moved_rows_do_not_open(format: str) -> None:
    keyset = keyset_of(format)
    column = column_of(format, keyset)
    ids = array_of("z", [b"1", b"2", b"1"])
    rows = values_of(column.seal(array_of("z", [b"a", b"b", b"c"]), ids))
    swapped = array_of("z", [rows[1], rows[0], rows[0]])
    found = column.open(swapped, ids, errors="null")
    assert found.failed == (0, 1)  # a row may move to a row with the same id
    for aad in (None, b"1 ", array_of("z", [b"2", b"1", b"2"])):
        assert column.open(array_of("z", rows), aad, errors="null").failed == (0, 1, 2)
    # the boundary between context and associated data cannot shift
    other = column_of(format, keyset, context=CONTEXT + b"1")
    assert other.open(array_of("z", rows), errors="null").failed == (0, 1, 2)
    other = column_of(format, keyset, context=CONTEXT[:-1])
    assert other.open(array_of("z", rows), b"n1", errors="null").failed == (0, 1, 2)
    assert column_of(format).open(array_of("z", rows), ids, errors="null").failed == (0, 1, 2)


def altered(row: Value) -> bytes:
    """Returns the row with another last byte. A fixed byte might equal the row's own."""
    assert row
    return row[:-1] + bytes([row[-1] ^ 1])


def test_failures_among_nulls_and_chunks() -> None:
    column = column_of("xaes")
    values: list[Value] = [b"a", None, b"b", b"c", None, b"d"]
    rows = values_of(column.seal(array_of("z", values)))
    rows[2], rows[5] = b"short", altered(rows[5])
    cut = Stream(array_of("z", rows[:3], 3), array_of("z", []), array_of("z", rows[3:], 1, b"junk"))
    for given in (array_of("z", rows, 4, b"under"), cut):
        with pytest.raises(
            rijn.InvalidTag, match="failed: 2 of 6 rows, the first is row 2"
        ) as caught:
            column.open(given)
        assert caught.value.failed == (2, 5)
        found = column.open(given, errors="null", type="large_string")
        assert values_of(found) == [b"a", None, None, b"c", None, None]
        assert found.failed == (2, 5)
        with pytest.raises(rijn.InvalidTag) as caught:
            column.rotate(given)
        assert caught.value.failed == (2, 5)


def test_a_null_beside_a_value() -> None:
    column = column_of("xaes")
    values, ads = array_of("z", [b"a", None, b"c", b"d"]), array_of("u", [b"1", None, None, None])
    streamed = Stream(array_of("z", [b"1"]), array_of("z", [None, None, None]))
    for call in (column.seal, column.open, column.rotate):
        for aad in (ads, streamed):
            with pytest.raises(
                ValueError, match="aad is null beside a value in 2 rows, the first is row 2"
            ):
                call(values, aad)
        with pytest.raises(ValueError, match="aad has 3 rows, the array 4"):
            call(values, array_of("z", [b"", b"", b""]))
    sealed = column.seal(array_of("z", [b"a", None]), array_of("z", [b"1", None]))
    assert values_of(column.open(sealed, array_of("z", [b"1", b"whatever"]))) == [b"a", None]


@pytest.mark.parametrize("format", FORMATS)
def test_a_null_beside_a_value_is_a_failure_with_errors_null(format: str) -> None:
    """Even if the bytes under the null are those that the row was sealed with, or empty."""
    column = column_of(format)
    values: list[Value] = [b"", None, b"c", b"\xff", b"e", None, b"g", b"h", b"i"]
    for lost in (b"2", b""):
        before: list[Value] = [b"1", b"", b"3", lost, b"5", b"", lost, b"8", b"9"]
        rows = values_of(column.seal(array_of("z", values), array_of("z", before)))
        rows[7] = b"short"
        after = [None if row in (1, 3, 6) else ad for row, ad in enumerate(before)]
        found = array_of("z", after, 5, lost)
        cut = Stream(array_of("z", rows[:4], 3), array_of("z", rows[4:], 1))
        for given in (array_of("z", rows), cut):
            opened = column.open(given, found, errors="null", type="string")
            assert values_of(opened) == [b"", None, b"c", None, b"e", None, None, None, b"i"]
            assert opened.failed == (3, 6, 7)
            with pytest.raises(ValueError, match="the first is row 3"):
                column.open(given, found)


def test_text_must_be_utf_8() -> None:
    column = column_of("gcm-siv")
    values: list[Value] = [b"\xc3\xbc", None, b"\xc3", b"\xbc", b"\xed\xa0\x80", b"a", b""]
    sealed = column.seal(array_of("z", values))
    assert values_of(column.open(sealed)) == values
    for type in ("string", "large_string"):
        with pytest.raises(ValueError, match="not UTF-8: 3 of 7 rows, the first is row 2"):
            column.open(sealed, type=type)  # type: ignore[arg-type]
        found = column.open(sealed, type=type, errors="null")  # type: ignore[arg-type]
        assert values_of(found) == [b"\xc3\xbc", None, None, None, None, b"a", b""]
        assert found.failed == (2, 3, 4)
    chunked = column.seal(Stream(array_of("z", values), array_of("z", [None, b"\xff"])))
    assert column.open(chunked, type="string", errors="null").failed == (2, 3, 4, 8)
    split = column.seal(array_of("z", [b"\xc3", b"\xbc"]))  # only together are they UTF-8
    assert column.open(split, type="string", errors="null").failed == (0, 1)


# ---- Padding --------------------------------------------------------------------------


@pytest.mark.parametrize("format", FRAMED)
def test_padding_hides_lengths(format: str) -> None:
    keyset = keyset_of(format)
    longer = {"xaes": 40, "gcm-siv": 28, "aegis-256": 48, "aegis-128l": 32, "siv": 16}[format]
    values: list[Value] = [b"x" * size for size in (0, 1, 14, 15, 16, 31, 32)] + [None, b"\x80\0\0"]
    for step in (1, 16, 64):
        column = column_of(format, keyset, pad=step)
        sealed = column.seal(array_of("z", values))
        for row, value in zip(values_of(sealed), values, strict=True):
            assert (row is None) == (value is None)
            if row is not None and value is not None:
                assert len(row) - longer == (len(value) // step + 1) * step
        assert values_of(column.open(sealed)) == values
        assert values_of(column.rotate(sealed)) == values_of(sealed)
        renewed = keyset.renewed(format)
        again = column_of(format, renewed, pad=step).rotate(sealed)
        assert again.rotated == 8
        assert values_of(column_of(format, renewed, pad=step).open(again)) == values
    plain = column_of(format, keyset).seal(array_of("z", [b"", b"a\x80", b"\0", b"b"]))
    found = column.open(plain, errors="null")
    assert found.failed == (0, 2, 3)
    assert values_of(found) == [None, b"a", None, None]
    with pytest.raises(rijn.InvalidTag, match="3 of 4 rows"):
        column.open(plain)


# ---- Keys -----------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_rotation(format: str) -> None:
    """Rows of any key open. rotate seals rows again unless the primary key sealed them."""
    first = keyset_of(format)
    second = first.renewed(format)
    third = second.renewed(format)
    texts = [noise(size, size) for size in (3, 0, 20, 33)]
    rows: list[Value] = []
    for text in texts:
        for keyset in (third, first, second):
            rows += values_of(column_of(format, keyset).seal(array_of("z", [text]), b"ad"))
        rows.append(None)
    want = [text for text in texts for text in (text, text, text, None)]
    column = column_of(format, third)
    for given in (array_of("z", rows, 2), Stream(array_of("Z", rows[:5]), array_of("Z", rows[5:]))):
        assert values_of(column.open(given, b"ad")) == want
        rotated = column.rotate(given, b"ad")
        assert rotated.rotated == 8
        new = values_of(rotated)
        assert [row for i, row in enumerate(new) if i % 4 == 0] == rows[::4]
        alone = column_of(format, Keyset(third._keys[:1]))
        assert values_of(alone.open(rotated, b"ad")) == want
        assert alone.open(given, b"ad", errors="null").failed == tuple(
            i for i in range(16) if i % 4 in (1, 2)
        )
        again = column.rotate(rotated, b"ad")
        assert again.rotated == 0
        assert values_of(again) == new
    bad = list(rows)
    bad[1] = altered(bad[1])
    bad[4] = b""
    bad[5] = b"\1" * 50
    assert column.open(array_of("z", bad), b"ad", errors="null").failed == (1, 4, 5)
    with pytest.raises(rijn.InvalidTag, match="3 of 16 rows"):
        column.rotate(array_of("z", bad), b"ad")
    ads = array_of("u", [b"%d" % i for i in range(4)])
    mine = values_of(column_of(format, first).seal(array_of("z", texts), ads))
    assert values_of(column.open(column.rotate(array_of("z", mine), ads), ads)) == texts


def test_rotation_of_a_dictionary() -> None:
    first = keyset_of("siv")
    given = dictionary([1, 0, None, 1], array_of("z", [b"a", b"b", None]))
    sealed = column_of("siv", first).seal(given)
    column = column_of("siv", first.renewed("siv"))
    rotated = column.rotate(sealed)
    assert rotated.rotated == 2
    assert "dictionary" in repr(rotated)
    assert values_of(rotated) == values_of(column.seal(given)) != values_of(sealed)


def test_many_keys() -> None:
    keyset = keyset_of("gcm-siv")
    sealed = column_of("gcm-siv", keyset).seal(array_of("z", [b"a", b"b"]))
    for _ in range(253):
        keyset = keyset.renewed("gcm-siv")
    assert values_of(column_of("gcm-siv", keyset).open(sealed)) == [b"a", b"b"]
    with pytest.raises(KeysetError, match="1 to 254 keys, not 255"):
        keyset.renewed("gcm-siv")


def test_a_keyset_of_several_types() -> None:
    """Tink finds each key by its id, and tries raw keys."""
    keyset = keyset_of("tink", formats.SIV)
    for algorithm in (formats.XAES, formats.GCM):
        keyset = keyset.renewed("tink")
        keyset._keys[0].algorithm = algorithm
        keyset._keys[0].secret = noise(32, 7)
    keyset._keys[1].raw = True
    rows = [One(keyset, "tink", i % 3).seal(b"%d" % i, b"") for i in range(9)]
    column = column_of("tink", keyset, context=None)
    assert values_of(column.open(array_of("z", rows))) == [b"%d" % i for i in range(9)]
    rotated = column.rotate(array_of("z", rows))
    assert rotated.rotated == 6
    one = One(keyset, "tink")
    assert [one.open(row or b"", b"") for row in values_of(rotated)] == [
        b"%d" % i for i in range(9)
    ]


# ---- Secrets --------------------------------------------------------------------------


def test_columns_are_pickled_as_their_keysets_are(tmp_path: Any) -> None:
    path = tmp_path / "keys.json"
    keyset_of("xaes").write(path)
    column = column_of("xaes", Keyset.from_file(path), pad=16, threads=2)
    sealed = column.seal(array_of("z", VALUES))
    data = pickle.dumps(column)
    assert column._keyset._keys[0].secret not in data
    assert values_of(pickle.loads(data).open(sealed)) == VALUES
    with pytest.raises(TypeError, match="is not copied or pickled: it holds a key"):
        pickle.dumps(column_of("xaes"))


def test_reprs_show_no_secret() -> None:
    keyset = keyset_of("tink")
    column = column_of("tink", keyset)
    secret = keyset._keys[0].secret
    sealed = column.seal(array_of("z", [b"plaintext"]))
    texts = [
        repr(it) + str(it) for it in (keyset, column, sealed, column.open(sealed), keyset._keys)
    ]
    for text in texts:
        assert secret.hex() not in text
        assert repr(secret)[2:-1] not in text
        assert "plaintext" not in text
    assert "primary" in texts[0]
    assert "tink" in texts[1]
    assert "1 rows, 0 null" in texts[2]


# ---- Refusals -------------------------------------------------------------------------


def test_refusals() -> None:
    column = column_of("xaes")
    good = array_of("z", [b"a"])
    for call in (column.seal, column.open, column.rotate):
        for wrong in (b"a", [b"a"], "a", None, 5):
            with pytest.raises(
                TypeError, match="must have __arrow_c_array__ or __arrow_c_stream__"
            ):
                call(wrong)
        numbers = BuiltArray("l", 2, 0, [None, bytes(16)])
        for table in (numbers, Stream(numbers)):
            with pytest.raises(
                TypeError, match="binary or string type.* not of Arrow's format 'l'"
            ):
                call(table)
            with pytest.raises(TypeError, match="^aad must be .*: cast whole numbers to strings"):
                call(good, table)
        for wrong in ("text", 5, [b"a"]):
            with pytest.raises(TypeError):
                call(good, wrong)
    sealed = column.seal(good)
    for error, options in (
        (ValueError, {"errors": "ignore"}),
        (ValueError, {"type": "utf8"}),
        (TypeError, {"type": 5}),
    ):
        with pytest.raises(error):
            column.open(sealed, **options)  # type: ignore[arg-type]


def test_refusals_of_a_column() -> None:
    keyset = keyset_of("xaes")
    for error, arguments, options, text in (
        (TypeError, (b"key" * 11, "xaes"), {}, "keyset must be a Keyset, not bytes"),
        (ValueError, (keyset, "aes"), {}, "format must be one of xaes, gcm-siv, aegis-256"),
        (TypeError, (keyset, 5), {}, "format must be a str"),
        (ValueError, (keyset,), {"context": None}, "format xaes needs a context"),
        (TypeError, (keyset,), {"context": 5}, "int"),
        (KeysetError, (keyset, "siv"), {}, "is for XAES-256-GCM; format siv has keys for AES-SIV"),
        (ValueError, (keyset,), {"pad": 0}, "pad must be 1 to"),
        (ValueError, (keyset,), {"pad": 2**31}, "pad must be 1 to"),
        (TypeError, (keyset,), {"pad": True}, "pad must be an integer"),
        (ValueError, (keyset,), {"threads": 0}, "threads must be 1 to 1024"),
        (rijn.BackendError, (keyset,), {"backend": "none"}, "none"),
        (ValueError, (keyset_of("spark"), "spark"), {"pad": 16}, "format spark has no padding"),
    ):
        with pytest.raises(error, match=text):
            Column(*arguments, **{"context": "c", **options})  # type: ignore[arg-type]
    assert column_of("xaes", keyset, context="größe").open(
        column_of("xaes", keyset, context="größe".encode()).seal(array_of("z", [b"a"]))
    )


def test_arrays_that_point_outside_are_refused() -> None:
    """Offsets, views and indices that point outside are an error. Nothing outside is read."""
    column = column_of("siv")
    ends = array("i", [0, 5, 2]).tobytes()
    views = (20).to_bytes(4, "little") + b"abcd" + (7).to_bytes(4, "little") + bytes(4)
    for lie in (
        BuiltArray("z", 2, 0, [None, ends, b"abcdef"]),
        BuiltArray("vz", 1, 0, [None, views, b"abcd", array("q", [4]).tobytes()]),
    ):
        with pytest.raises((ValueError, RuntimeError)):  # ours or nanoarrow's
            column.seal(lie)
    for index in (4, -1):
        with pytest.raises(ValueError, match="ind"):
            column_of("xaes").seal(dictionary([0, index], array_of("z", [b"a"])))


def test_offsets_of_32_bits() -> None:
    schema = arrow.schema_of("z", None, dictionary=False)  # type: ignore[arg-type]
    for size in (0, 1, 2**31 - 1):
        assert arrow._fitting(array("q", [0, size]), schema).tolist() == [0, size]
    with pytest.raises(ValueError, match="exceed 2\\^31 - 1 bytes"):
        arrow._fitting(array("q", [0, 2**31]), schema)
    large = arrow.schema_of("Z", None, dictionary=False)  # type: ignore[arg-type]
    assert list(arrow._fitting(array("i", [0, 7]), large)) == [0, 7]
