"""rijn columns: other columns of a Parquet file keep their types, names and bytes, whichever program
wrote the file."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from program import Result, names
from table_files import pa, pq, rewritten

from rijn.cli.columns import thrift

footer: Any = pytest.importorskip("rijn.cli.columns.footer", reason="needs pyarrow")
pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]
KEY = ["-k", ".key.d/xaes"]
EMAIL = ["a@example.com", None, "", "a@example.com", "b@example.com"]
YEARS = (1, 1500, 1900, 2026, 9999)
WHEN = [datetime.datetime(year, 12, 31, 23, 59, 59, 999999) for year in YEARS]


# ---- Files of other programs ----------------------------------------------------------


def all_types() -> Any:
    many = {
        "when": pa.array(WHEN, pa.timestamp("us")),
        "local": pa.array(range(5), pa.timestamp("ms")),
        "utc": pa.array(range(5), pa.timestamp("ns", "UTC")),
        "seconds": pa.array(range(5), pa.timestamp("s", "Europe/Berlin")),
        "date": pa.array(range(5), pa.date32()),
        "date64": pa.array([it * 86_400_000 for it in range(5)], pa.date64()),
        "time32": pa.array(range(5), pa.time32("ms")),
        "time64": pa.array(range(5), pa.time64("us")),
        "timens": pa.array(range(5), pa.time64("ns")),
        "duration": pa.array(range(5), pa.duration("us")),
        "half": pa.array([1.5, None, -0.0, float("nan"), 2], pa.float16()),
        "float": pa.array([1.5, None, -0.0, float("nan"), 2], pa.float32()),
        "bool": pa.array([True, None, False, True, True]),
        "null": pa.nulls(5),
        "d5": pa.array([Decimal("1.50"), None, Decimal("-2.25")] + [None] * 2, pa.decimal128(5, 2)),
        "d15": pa.array([Decimal("1.50")] + [None] * 4, pa.decimal128(15, 2)),
        "d38": pa.array([Decimal("1.50")] + [None] * 4, pa.decimal128(38, 2)),
        "d60": pa.array([Decimal("1.50")] + [None] * 4, pa.decimal256(60, 2)),
        "uuid": pa.array([bytes([i]) * 16 for i in range(5)], pa.uuid()),
        "json": pa.array(['{"a": 1}'] * 5, pa.json_()),
        "fixed": pa.array([b"abc"] * 5, pa.binary(3)),
        "view": pa.array(["x" * 40] * 5, pa.string_view()),
        "words": pa.array(["x", "y", None, "x", "z"]).dictionary_encode(),
        "map": pa.array([[("a", 1)], [], None, [("b", None)], []], pa.map_(pa.string(), pa.int8())),
        "lists": pa.array([[[1, None], []], [], None, [None], [[2]]]),
        "large": pa.array([["a"], [], None, [None], ["b"]], pa.large_list(pa.string())),
        "struct": pa.array([{"a.b": 1, "c": {"d": "x"}}, None, {}, {}, {}]),
    }
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        many[name] = pa.array([0, None, 1, 2, 127], getattr(pa, name)())
    columns = [pa.array(EMAIL), *many.values(), pa.array(range(5)), pa.array(["p"] * 5)]
    fields = [pa.field("email", pa.string())]
    fields += [
        pa.field(name, it.type, metadata={"PARQUET:field_id": str(n + 7), "of": name})
        for n, (name, it) in enumerate(many.items())
    ]
    fields += [pa.field("twice", pa.int64(), False), pa.field("twice", pa.string())]
    return pa.table(columns, schema=pa.schema(fields, metadata={"of": "the file"}))


def by_pyarrow(name: str, **options: Any) -> None:
    pq.write_table(all_types(), name, row_group_size=2, **options)


def by_pyarrow_with_int96(name: str) -> None:
    by_pyarrow(name, use_deprecated_int96_timestamps=True, store_schema=False)


def by_pyarrow_as_of_old(name: str) -> None:
    by_pyarrow(
        name,
        version="1.0",
        use_compliant_nested_type=False,
        use_dictionary=False,
        compression="NONE",
        coerce_timestamps="us",
        allow_truncated_timestamps=True,
    )


def by_pyarrow_with_everything(name: str) -> None:
    by_pyarrow(
        name,
        data_page_version="2.0",
        write_page_index=True,
        write_page_checksum=True,
        store_decimal_as_integer=True,
        compression="ZSTD",
        sorting_columns=[pq.SortingColumn(1), pq.SortingColumn(0), pq.SortingColumn(2)],
        bloom_filter_options={"twice": True, "int64": True, "email": True}
        if "bloom_filter_options" in pq.ParquetWriter.__init__.__code__.co_varnames
        else None,
    )


def by_duckdb(name: str) -> None:
    duck = pytest.importorskip("duckdb").connect()
    duck.sql("CREATE TYPE suit AS ENUM ('hearts', 'spades')")
    duck.sql(
        f"""COPY (SELECT CASE WHEN i = 1 THEN NULL ELSE i || '@example.com' END AS email,
            INTERVAL (i) DAY AS wait, uuid() AS uuid, '{{"a": 1}}'::JSON AS json,
            CASE WHEN i > 2 THEN 'hearts' ELSE 'spades' END::suit AS suit,
            (i / 10)::DECIMAL(4, 1) AS d4, i::DECIMAL(9, 2) AS d9, i::DECIMAL(18, 2) AS d18,
            i::DECIMAL(38, 2) AS d38, i::HUGEINT AS huge, (i % 200)::UTINYINT AS tiny, i::USMALLINT AS small,
            [i, NULL] AS list, MAP {{'a': i}} AS map, {{'x': i, 'y': [i]}} AS struct,
            TIMESTAMPTZ '9999-12-31 00:00:00+00' AS tz, TIMESTAMP '0001-01-01' AS ts,
            TIMESTAMP_NS '2020-01-01' AS ns, TIMESTAMP_MS '2020-01-01' AS ms, TIME '12:00' AS time,
            DATE '2020-01-01' AS date, '\\xAA'::BLOB AS blob,
            '101'::BIT AS bit, i::DOUBLE AS double, i % 3 AS often,
            i::VARIANT AS variant, 'POINT (1 2)'::GEOMETRY AS place
            FROM range(5000) AS t(i))
            TO '{name}' (FORMAT parquet, ROW_GROUP_SIZE 2048, KV_METADATA {{mine: 'yes'}})"""
    )


def by_polars(name: str) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "email": EMAIL,
            "enum": pl.Series(["b", "a", None, "b", "a"], dtype=pl.Enum(["a", "b", "unused"])),
            "kind": pl.Series(["x", "y", None, "x", "y"], dtype=pl.Categorical),
            "when": pl.Series(WHEN, dtype=pl.Datetime("us")),
            "time": pl.Series([datetime.time(12)] * 5),
            "list": [[1], [], None, [None], [2]],
            "array": pl.Series([[1, 2]] * 5, dtype=pl.Array(pl.Int8, 2)),
            "d": pl.Series(["1.50"] * 5).cast(pl.Decimal(20, 2)),
            "struct": [{"a": 1, "b": [None]}] * 5,
            "u8": pl.Series(range(5), dtype=pl.UInt8),
        }
    )
    told = {"of": "the file", "not": "in Arrow's schema"}
    frame.write_parquet(name, row_group_size=2, statistics="full", metadata=told)


def by_hand(name: str) -> None:
    """Writes types that pyarrow neither writes nor keeps, in a file with another schema."""
    columns = {
        "email": pa.array(EMAIL),
        "bson": pa.array([b"\5\0\0\0\0"] * 5),
        "enum": pa.array(["A"] * 5),
        "plain": pa.array(["no annotation"] * 5),
        "interval": pa.array([bytes(12)] * 5, pa.binary(12)),
        "decimal": pa.array([b"\1\2"] * 5),
        "list": pa.array([[1, None]] * 5),
        "future": pa.array(range(5), pa.int32()),
        "variant": pa.array([{"metadata": b"\1\0\0", "value": b"\0"}] * 5),
    }
    pq.write_table(pa.table(columns), name, row_group_size=2, store_schema=False)
    old = thrift.STRUCT
    changes: dict[bytes, Any] = {
        b"bson": {6: (thrift.I32, 20), 10: (old, {13: (old, {})})},
        b"enum": {6: (thrift.I32, 4), 10: (old, {4: (old, {})})},
        b"plain": {},
        b"interval": {6: (thrift.I32, 21)},
        b"decimal": {6: (thrift.I32, 5), 7: (thrift.I32, 2), 8: (thrift.I32, 4)},
        b"list": {6: (thrift.I32, 3)},
        b"future": {10: (old, {99: (old, {}), 100: (thrift.TRUE, True)})},
        b"variant": {10: (old, {16: (old, {1: (thrift.BYTE, 1)})})},
    }
    renamed = {b"list": b"bag", b"element": b"array_element"}

    def change(file: Any) -> None:
        inside = False
        for element in file[2][1][1]:
            found = element[4][1]
            if found in changes and not inside:
                for field in (6, 7, 8, 10):
                    element.pop(field, None)
                element.update(changes[found])
                inside = found == b"list"
            elif found in renamed:
                element[4] = thrift.BINARY, renamed[found]
                inside = found == b"list"
        for group in file[4][1][1]:
            for chunk in group[1][1][1]:
                path = chunk[3][1][3][1][1]
                if path[0] == b"list":
                    path[1:] = [b"bag", b"array_element"]
        file[6] = thrift.BINARY, b"by hand version 1"
        file[77] = thrift.BINARY, b"a field of a later version"

    rewritten(name, change)


EACH = pytest.mark.parametrize(
    "write",
    [
        by_pyarrow,
        by_pyarrow_with_int96,
        by_pyarrow_as_of_old,
        by_pyarrow_with_everything,
        by_duckdb,
        by_polars,
        by_hand,
    ],
)


# ---- Comparison -----------------------------------------------------------------------


class File:
    """A Parquet file: for each leaf its schema elements and its bytes."""

    def __init__(self, name: str) -> None:
        self.data = Path(name).read_bytes()
        self.footer, _ = thrift.read(footer.footer_of(self.data))
        self.groups = thrift.get(self.footer, 4)[1]
        self.elements = thrift.get(self.footer, 2)[1]

    def column(self, name: bytes) -> Any:
        """Returns the place of the column, and its element."""
        at = 1
        for place in range(thrift.get(self.elements[0], 5)):
            if self.elements[at][4][1] == name:
                return place, self.elements[at]
            left = 1
            while left:
                left += thrift.get(self.elements[at], 5, 0) - 1
                at += 1
        raise AssertionError(name)

    def pairs(self) -> list[tuple[bytes, bytes]]:
        """Returns the file's metadata except Arrow's schema."""
        found = [(it[1][1], it[2][1]) for it in thrift.get(self.footer, 5, (0, []))[1]]
        return [it for it in found if it[0] != b"ARROW:schema"]

    def chunks(self) -> list[list[Any]]:
        """Returns everything about each leaf of each row group, except its place in the file."""
        return [[self._chunk(it) for it in thrift.get(group, 1)[1]] for group in self.groups]

    def _chunk(self, chunk: Any) -> Any:
        meta = dict(thrift.get(chunk, 3))
        starts = [meta[field][1] for field in (9, 11) if thrift.get(meta, field)]
        begin = min(starts)
        pages = self.data[begin : begin + meta[7][1]]
        at = [it[1] - begin for field in (9, 10, 11) if (it := meta.pop(field, None)) and it[1]]
        filter_ = None
        if place := thrift.get(meta, 14):
            filter_ = self.data[place : place + meta[15][1]]
            del meta[14]
        limits = self._index(chunk, 6)
        index = self._index(chunk, 4)
        if index is not None:
            found = thrift.read(index)[0][1][1][1]
            index = [(thrift.get(it, 1) - begin, it[2], it[3]) for it in found]
        return meta, pages, at, filter_, limits, index

    def _index(self, chunk: Any, field: int) -> bytes | None:
        if field not in chunk:
            return None
        return self.data[chunk[field][1] : chunk[field][1] + chunk[field + 1][1]]


def same_but(name: str, other: str, *changed: bytes) -> None:
    """Checks that everything except these columns, which have one leaf each, is the same."""
    one, two = File(name), File(other)
    places = [one.column(it)[0] for it in changed]
    leaf = one.column(changed[0])[1]
    assert places == [0]  # the first column is the first leaf
    for element, theirs in zip(one.elements, two.elements, strict=True):
        if element is leaf:
            assert (element[4], element.get(9)) == (theirs[4], theirs.get(9))
        else:
            assert element == theirs
    assert [it[3] for it in one.groups] == [it[3] for it in two.groups]  # rows
    for ours, theirs in zip(one.chunks(), two.chunks(), strict=True):
        assert ours[1:] == theirs[1:]
    assert one.pairs() == two.pairs()
    for field in set(one.footer) - {2, 4, 5}:
        assert one.footer[field] == two.footer[field]


def read_alike(name: str, other: str) -> None:
    """Checks that other programs read the same values in the other columns."""
    if (duck := try_duckdb(name)) is not None:
        assert duck == try_duckdb(other)
    ours = thrift.get(File(name).footer, 6)
    if ours.startswith(b"by hand"):
        return  # no program knows one of its types
    one, two = pq.ParquetFile(name), pq.ParquetFile(other)
    for place in range(1, len(one.schema)):
        x, y = one.schema.column(place), two.schema.column(place)
        assert (x.physical_type, str(x.logical_type), x.path) == (
            *(y.physical_type, str(y.logical_type), y.path),
        )
    tables = [
        file.reader.read_all(column_indices=list(range(1, len(one.schema))), use_threads=False)
        for file in (one, two)
    ]
    for x, y in zip(*tables, strict=True):
        assert x.type == y.type and str(x) == str(y)


def try_duckdb(name: str) -> Any:
    try:
        import duckdb
    except ImportError:
        return None
    try:
        found = duckdb.sql(f"SELECT * EXCLUDE email FROM '{name}'")
        return found.types, str(found.fetchall())
    except duckdb.Error as error:
        return str(error).replace(name, "").replace("sealed", "")[:60]


# ---- There and back -------------------------------------------------------------------


@EACH
def test_other_columns_stay(folder: Path, run: Run, write: Callable[[str], None]) -> None:
    write("t.parquet")
    for words in (
        ("encrypt", "t.parquet", "-c", "email", *KEY),
        ("rotate", "t.sealed.parquet", "-o", "r.parquet", *KEY),
        ("decrypt", "r.parquet", "-o", "back.parquet", *KEY),
    ):
        done = run("columns", *words)
        assert done.code == 0, done.err
    for name in ("t.sealed.parquet", "r.parquet", "back.parquet"):
        same_but("t.parquet", name, b"email")
        read_alike("t.parquet", name)
    was, back = (pq.read_table(it, columns=["email"]) for it in ("t.parquet", "back.parquet"))
    assert was["email"].to_pylist() == back["email"].to_pylist()
    assert was.schema.field("email").type == back.schema.field("email").type


def test_int96_beyond_nanoseconds(folder: Path, run: Run) -> None:
    by_pyarrow_with_int96("t.parquet")
    assert run("columns", "encrypt", "t.parquet", "-c", "email", *KEY).code == 0
    assert run("columns", "rotate", "t.sealed.parquet", *KEY).code == 0
    file = pq.ParquetFile("t.sealed.parquet", coerce_int96_timestamp_unit="us")
    assert file.schema.column(1).physical_type == "INT96"
    assert file.read(columns=["when"])["when"].to_pylist() == WHEN


@EACH
def test_nothing_of_a_sealed_column_stays(
    folder: Path, run: Run, write: Callable[[str], None]
) -> None:
    """Neither in statistics, page indexes and Bloom filters, nor anywhere else in the file."""
    write("t.parquet")
    assert b"@example.com" in Path("t.parquet").read_bytes()
    assert run("columns", "encrypt", "t.parquet", "-c", "email", *KEY).code == 0
    assert b"@example.com" not in Path("t.sealed.parquet").read_bytes()
    for group in File("t.sealed.parquet").groups:
        chunk = group[1][1][1][0]
        assert chunk.keys() <= {2, 3}
        assert not chunk[3][1].keys() & {8, 12, 14, 17}
        assert all(it[1][1] == 1 for it in group.get(4, (0, (0, [])))[1][1])  # sorted by others


@pytest.mark.parametrize("name", ["id", "email", "more"])
def test_the_first_column_keeps_the_first_place(folder: Path, run: Run, name: str) -> None:
    """parquet-mr, and so Spark, takes the first column's place for the row group's. If the column
    came after the others, no split of the file would have the row group, and Spark would read no rows."""
    table = pa.table({"id": list("abcde"), "email": EMAIL, "more": list("vwxyz")})
    pq.write_table(table, "t.parquet", row_group_size=2)
    assert run("columns", "encrypt", "t.parquet", "-c", name, *KEY).code == 0
    last = 4
    for group in File("t.sealed.parquet").groups:
        metas = [chunk[3][1] for chunk in group[1][1][1]]
        starts = [min(meta[it][1] for it in (9, 11) if it in meta) for meta in metas]
        assert starts[0] == min(starts) == last == group[5][1]
        last += sum(meta[7][1] for meta in metas)


def test_the_stored_arrow_schema_keeps_other_types(folder: Path, run: Run) -> None:
    """Parquet has no seconds, so the file's own schema differs from the one that pyarrow reads."""
    seconds = pa.array(range(5), pa.timestamp("s", "Europe/Berlin"))
    pq.write_table(pa.table({"email": EMAIL, "seconds": seconds}), "t.parquet")
    assert run("columns", "encrypt", "t.parquet", "-c", "email", *KEY, "-o", "s.parquet").code == 0
    text = pq.read_metadata("s.parquet").metadata[b"ARROW:schema"]
    stored = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))
    assert stored.field("seconds").type == seconds.type
    assert stored.field("email").type == pa.binary()


def test_row_groups_without_rows(folder: Path, run: Run) -> None:
    table = pa.table({"id": range(5), "email": EMAIL})
    with pq.ParquetWriter("t.parquet", table.schema) as out:
        for rows in (table[:0], table[:2], table[:0], table[:0], table[2:], table[:0]):
            out.write_table(rows)
    for words in (
        ("encrypt", "t.parquet", "-c", "email"),
        ("rotate", "t.sealed.parquet"),
        ("decrypt", "t.sealed.parquet", "-o", "b"),
    ):
        done = run("columns", *words, "--aad", "id", *KEY)
        assert (done.code, done.err) == (0, "")
    for name in ("t.sealed.parquet", "b"):
        data = pq.read_metadata(name)
        assert [data.row_group(i).num_rows for i in range(6)] == [0, 2, 0, 0, 3, 0]
    assert pq.read_table("b").equals(table)


def test_sizes_without_the_header_of_a_dictionary_page(folder: Path, run: Run) -> None:
    """parquet-mr wrote them so before 1.2.9 (PARQUET-816)."""
    table = pa.table({"email": EMAIL, "kept": list("xyxyx"), "more": list("zzwzz")})
    pq.write_table(table, "t.parquet", row_group_size=2)

    def shorter(file: Any) -> None:
        file[6] = thrift.BINARY, b"parquet-mr version 1.2.8 (build 0)"
        for group in file[4][1][1]:
            for chunk in group[1][1][1]:
                meta = chunk[3][1]
                header = thrift.read(Path("t.parquet").read_bytes(), meta[11][1])[1] - meta[11][1]
                meta[7] = thrift.I64, meta[7][1] - header

    rewritten("t.parquet", shorter)
    assert pq.read_table("t.parquet").equals(table)
    assert run("columns", "encrypt", "t.parquet", "-c", "email", *KEY).code == 0
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *KEY).code == 0
    assert pq.read_table("b").equals(table)


def test_a_footer_that_cannot_be_followed(folder: Path, run: Run) -> None:
    """The bytes of one column are never copied as another's."""

    def meta(file: Any, leaf: int) -> Any:
        return file[4][1][1][0][1][1][1][leaf]

    def overlapping(file: Any) -> None:
        meta(file, 1)[3][1][7] = thrift.I64, 1 << 10

    def outside(file: Any) -> None:
        meta(file, 1)[3][1][9] = thrift.I64, 1 << 40

    def elsewhere(file: Any) -> None:
        meta(file, 1)[1] = thrift.BINARY, b"other.parquet"

    def encrypted(file: Any) -> None:
        file[8] = thrift.STRUCT, {1: (thrift.STRUCT, {})}

    def codec(number: int) -> Callable[[Any], None]:
        def change(file: Any) -> None:
            meta(file, 2)[3][1][4] = thrift.I32, number  # pyarrow aborts on a chunk with it

        return change

    def no_struct(file: Any) -> None:
        del file[2][1][1][3][6]
        file[2][1][1][3][10] = thrift.I32, 1  # Thrift's own readers skip it

    damages = (*(codec(it) for it in (-1, 8, 77, 2**31 - 1)), no_struct)
    for change in (overlapping, outside, elsewhere, encrypted, *damages):
        pq.write_table(pa.table({"kept": EMAIL, "id": range(5), "email": EMAIL}), "t.parquet")
        rewritten("t.parquet", change)
        done = run("columns", "encrypt", "t.parquet", "-c", "email", *KEY)
        assert done.code == 4 and done.err.startswith("rijn: t.parquet: "), done.err
        assert names(folder) == {"t.parquet", ".key.d"}


def test_row_groups_of_too_many_rows(folder: Path, run: Run) -> None:
    """pyarrow would split them. The row groups of this file only claim so many."""
    for rows, is_too_many in ((1 << 26, False), ((1 << 26) + 1, True)):
        pq.write_table(pa.table({"id": range(5), "email": EMAIL}), "t.parquet")

        def change(file: Any, rows: int = rows) -> None:
            file[3] = file[4][1][1][0][3] = thrift.I64, rows

        rewritten("t.parquet", change)
        done = run("columns", "encrypt", "-f", "t.parquet", "-c", "email", *KEY)
        assert ("write smaller row groups" in done.err) == is_too_many, done.err
        assert done.code == 1 or not is_too_many


@pytest.mark.parametrize("seed", range(20))
def test_the_footer_s_protocol(seed: int) -> None:
    """A file that is read and written stays the same. Damaged bytes give an error or a struct."""
    import random

    chance = random.Random(seed)

    def value(kind: int, depth: int) -> Any:
        if kind in (thrift.TRUE, thrift.FALSE):
            return kind == thrift.TRUE
        if kind == thrift.BYTE:
            return chance.randrange(256)
        if kind in (thrift.I16, thrift.I32, thrift.I64):
            return chance.choice([0, 1, -1, 63, 64, -64, -65, 2**31, -(2**63), 2**63 - 1])
        if kind == thrift.DOUBLE:
            return chance.randbytes(8)
        if kind == thrift.BINARY:
            return chance.randbytes(chance.choice([0, 1, 127, 128, 300]))
        if kind in (thrift.LIST, thrift.SET):
            kind_of_items = chance.choice([thrift.I32, thrift.BINARY, thrift.STRUCT, thrift.BYTE])
            return kind_of_items, [
                value(kind_of_items, depth + 1) for _ in range(chance.choice([0, 1, 14, 15, 16]))
            ]
        kinds = [it for it in range(1, 13) if it != thrift.MAP]
        if depth > 3:
            kinds = [thrift.I32, thrift.BINARY]
        fields = chance.sample([*range(1, 40), 1000, 32767], chance.randrange(6))
        found = {field: (kind, value(kind, depth + 1)) for field in fields for kind in kinds[:1]}
        return {field: (kind := chance.choice(kinds), value(kind, depth + 1)) for field in found}

    data = thrift.write(made := value(thrift.STRUCT, 0))
    assert thrift.read(data) == (made, len(data))
    for _ in range(50):
        bad = bytearray(data)
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        try:
            thrift.read(bytes(bad[: chance.randrange(len(bad) + 1)]))
        except ValueError:
            pass
