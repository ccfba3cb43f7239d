"""rijn columns: what becomes of a Parquet file, and of one that something is wrong with."""

from __future__ import annotations

import errno
import importlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from program import KEY, LIMIT, RIJN, Result, call, names

from rijn.cli.columns.options import FORMATS
from rijn.columns import Column, Keyset
from rijn.columns.formats import FORMATS as KNOWN
from rijn.files import format_key

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
tasks = pytest.importorskip("rijn.cli.columns.tasks", reason="needs pyarrow")
BATCH, Parts = tasks.BATCH, tasks.Parts
engines = pytest.importorskip("rijn.cli.columns.engines", reason="needs pyarrow")
tables: Any = pytest.importorskip("rijn.cli.columns.tables", reason="needs pyarrow")
Table, Writer = tables.Table, tables.Writer
resource = pytest.importorskip("resource", reason="needs POSIX limits")
pytest.importorskip("nanoarrow", reason="needs nanoarrow")

Run = Callable[..., Result]
ROWS, GROUP = 250, 100  # rows of the table, and of a row group
MARK = "plaintext-"


@pytest.fixture(autouse=True)
def keysets(folder: Path) -> None:
    """Files of keys, which names() leaves out."""
    os.mkdir(".key.d")
    for format in FORMATS:
        Keyset.generate(format).write(f".key.d/{format}")


def key(*formats: str) -> list[str]:
    return [word for format in formats for word in ("-k", f".key.d/{format}")]


def seen(folder: Path) -> set[str]:
    return names(folder) - {".key.d"}


def texts(prefix: str = MARK) -> list[str | None]:
    """With nulls, empty ones, and equal ones."""
    return [None if i % 7 == 3 else "" if i % 11 == 5 else f"{prefix}{i % 40}" for i in range(ROWS)]


TYPES = {
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "binary_view": pa.binary_view(),
    "string_view": pa.string_view(),
    "fixed": pa.binary(6),
    "words": pa.dictionary(pa.int16(), pa.string()),
    "bytes": pa.dictionary(pa.int32(), pa.binary()),
}


def whole_table() -> Any:
    """Every type that can be sealed, and others beside them."""
    columns = {"id": pa.array(range(ROWS), pa.int64())}
    for name, type_ in TYPES.items():
        values = texts()
        if name == "fixed":
            values = [None if it is None else f"{len(it):06}" for it in values]
        column = pa.array([None if it is None else it.encode() for it in values], pa.binary())
        if pa.types.is_dictionary(type_):
            column = column.cast(type_.value_type).dictionary_encode().cast(type_)
        elif name == "fixed":
            column = pa.array([None if it is None else it.encode() for it in values], type_)
        else:
            column = column.cast(type_)
        columns[name] = column
    columns["list"] = pa.array([[i, None] for i in range(ROWS)])
    columns["struct"] = pa.array([{"a": i, "b": {"c": str(i)}} for i in range(ROWS)])
    columns["kept"] = pa.array(texts("kept-")).dictionary_encode()
    columns["when"] = pa.array(range(ROWS), pa.timestamp("ns", "UTC"))
    table = pa.table(columns).replace_schema_metadata({"of": "the file"})
    fields = [it.with_metadata({"of": it.name}) for it in table.schema]
    fields[0] = fields[0].with_nullable(False)
    return table.cast(pa.schema(fields, metadata=table.schema.metadata))


def write(table: Any, name: str = "t.parquet", **options: Any) -> None:
    pq.write_table(table, name, row_group_size=GROUP, **options)


def small_table() -> Any:
    ids = pa.array(range(ROWS), pa.int32())
    return pa.table({"id": ids, "ssn": texts("ssn-"), "email": texts()})


def sealed_small(run: Run, *more: str, table: Any = None) -> Any:
    """t.parquet and t.sealed.parquet, and what the second has."""
    write(small_table() if table is None else table)
    done = run("columns", "encrypt", "t.parquet", "-c", "email", *key("xaes"), *more)
    assert (done.code, done.err) == (0, "")
    return pq.read_table("t.sealed.parquet")


def same(one: str, other: str) -> bool:
    x, y = pq.read_table(one), pq.read_table(other)
    assert x.schema.equals(y.schema, check_metadata=True), (x.schema, y.schema)
    return all(decoded(x[i]).equals(decoded(y[i])) for i in range(x.num_columns))


def decoded(column: Any) -> Any:
    """Without its dictionary: the values may stand in another order there."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


# ---- There and back -------------------------------------------------------------------


def test_the_formats_are_those_of_the_package() -> None:
    assert tuple(KNOWN) == FORMATS


@pytest.mark.parametrize("format", FORMATS)
def test_every_type_in_every_format(folder: Path, run: Run, format: str) -> None:
    write(whole_table(), compression={"id": "ZSTD", "string": "GZIP"}, use_dictionary=False)
    assert MARK.encode() in Path("t.parquet").read_bytes()
    wanted = ",".join(TYPES)
    done = run("columns", "encrypt", "t.parquet", "-c", wanted, "--format", format, *key(format))
    said = "rijn: t.parquet: the file's metadata stays readable: of (--drop-metadata KEY omits one)"
    assert (done.code, done.out, done.err) == (0, b"", said + "\n")
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}
    assert MARK.encode() not in Path("t.sealed.parquet").read_bytes()

    before, after = pq.ParquetFile("t.parquet"), pq.ParquetFile("t.sealed.parquet")
    sealed, was = after.read(), before.read()
    keyset = Keyset.from_file(f".key.d/{format}")
    for name in was.schema.names:
        if name not in TYPES:
            assert decoded(sealed[name]).equals(decoded(was[name]))
            assert sealed.schema.field(name).equals(was.schema.field(name), check_metadata=True)
            continue
        assert sealed[name].is_null().equals(was[name].is_null())
        context = None if format in ("spark", "tink") else name
        opened = pa.chunked_array(Column(keyset, format, context=context).open(sealed[name]))
        assert decoded(opened).to_pylist() == [
            it.encode() if isinstance(it, str) else it for it in was[name].to_pylist()
        ]

    said = ["--format", format] if format in ("spark", "tink") else []
    done = run("columns", "decrypt", "t.sealed.parquet", "-o", "back.parquet", *said, *key(format))
    assert (done.code, done.err) == (0, "")
    assert same("t.parquet", "back.parquet")
    for file in (after, pq.ParquetFile("back.parquet")):
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
        assert [group.num_rows for group in groups] == [100, 100, 50]
        for leaf in range(groups[0].num_columns):
            codec = before.metadata.row_group(0).column(leaf).compression
            assert groups[0].column(leaf).compression == codec


def test_some_columns_alone(folder: Path, run: Run) -> None:
    write(small_table())
    both = ["-c", "email", "-c", "ssn"]
    assert run("columns", "encrypt", "t.parquet", *both, *key("xaes")).code == 0
    done = run("columns", "decrypt", "t.sealed.parquet", "-c", "ssn", "-o", "b", *key("xaes"))
    assert done.code == 0, done.err
    assert pq.read_table("b")["ssn"].equals(small_table()["ssn"])
    assert pq.read_table("b")["email"].equals(pq.read_table("t.sealed.parquet")["email"])


def test_a_table_without_rows(folder: Path, run: Run) -> None:
    write(small_table().slice(0, 0))
    assert run("columns", "encrypt", "t.parquet", "-c", "email", *key("xaes")).code == 0
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes")).code == 0
    assert same("t.parquet", "b")


def test_names_with_commas_and_twice(folder: Path, run: Run) -> None:
    write(small_table().rename_columns(["last", "last,first", "email"]))
    done = run("columns", "encrypt", "t.parquet", "-c", "last,first", *key("xaes"))
    assert done.code == 2 and "a column last,first, and there is a column last (" in done.err
    assert seen(folder) == {"t.parquet"}
    table = small_table().rename_columns(["id", "last,first", "email"])
    write(table)
    done = run("columns", "encrypt", "t.parquet", "-c", "last,first", *key("xaes"))
    assert done.code == 0, done.err
    assert pq.read_table("t.sealed.parquet").schema.field(1).type == pa.binary()
    write(small_table().rename_columns(["id", "email", "email"]))
    done = run("columns", "encrypt", "-f", "t.parquet", "-c", "email", *key("xaes"))
    assert done.code == 2 and "there are several columns email" in done.err


def test_padding_hides_lengths(folder: Path, run: Run) -> None:
    sealed = sealed_small(run, "--pad", "64")
    assert {len(it) for it in sealed["email"].to_pylist() if it is not None} == {64 + 40}
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes")).code == 0
    assert same("t.parquet", "b")


def test_equal_values_stay_equal(folder: Path, run: Run) -> None:
    write(small_table())
    wanted = ("columns", "encrypt", "t.parquet", "-c", "ssn,email", "--deterministic", "ssn")
    done = run(*wanted, *key("xaes"))
    assert done.code == 7 and "no keyset is for format siv" in done.err
    assert "rijn columns keygen --format siv" in done.err and seen(folder) == {"t.parquet"}
    assert run(*wanted, *key("xaes", "siv")).code == 0
    was, sealed = small_table(), pq.read_table("t.sealed.parquet")
    assert len(set(sealed["ssn"].to_pylist())) == len(set(was["ssn"].to_pylist())) < 50
    live = [it for it in sealed["email"].to_pylist() if it is not None]
    assert len(set(live)) == len(live) > 200
    # Whoever says it again of one column leaves no other sealed.
    for again in ((), ("--deterministic", "ssn")):
        wanted = ("columns", "decrypt", "t.sealed.parquet", *again, "-o", "b", "-f")
        done = run(*wanted, *key("siv", "xaes"))
        assert done.code == 0, done.err
        assert same("t.parquet", "b")


# ---- Keys -----------------------------------------------------------------------------


def test_a_keyset_is_its_owners(folder: Path, run: Run) -> None:
    umask = os.umask(0)
    try:
        done = run("columns", "keygen", "--format", "siv", "-o", "k")
    finally:
        os.umask(umask)
    assert (done.code, done.out, done.err) == (0, b"", "")
    assert Path("k").stat().st_mode & 0o777 == 0o600
    Column(Keyset.from_file("k"), "siv", context="c")
    before = Path("k").read_bytes()
    assert run("columns", "keygen", "-o", "k").code == 9
    assert Path("k").read_bytes() == before
    Path("k").chmod(0o644)
    write(small_table())
    done = run("columns", "encrypt", "t.parquet", "-c", "email", "--format", "siv", "-k", "k")
    assert done.code == 7 and done.err.startswith("rijn: k: bad keyset: others have access")


def test_a_keyset_that_can_be_read_once(folder: Path) -> None:
    """As `-k <(vault read …)` gives one."""
    write(small_table())
    Keyset.generate("xaes").write("k")
    os.mkfifo("pipe", 0o600)
    writer = threading.Thread(
        target=lambda: Path("pipe").write_bytes(Path("k").read_bytes()), daemon=True
    )
    writer.start()
    wanted = ["columns", "encrypt", "-q", "t.parquet", "-c", "email", "-k", "pipe"]
    done = call([sys.executable, "-m", "rijn", *wanted])
    assert (done.code, done.err) == (0, "")
    sealed = pq.read_table("t.sealed.parquet")["email"]
    opened = pa.chunked_array(Column(Keyset.from_file("k"), context="email").open(sealed))
    assert opened.null_count == sealed.null_count


def test_a_keyset_from_standard_input(folder: Path, run: Run) -> None:
    sealed_small(run)
    keyset = Path(".key.d/xaes").read_bytes()
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-k", "-", "-o")
    done = run(*wanted, "b", *key("siv"), "-k", "-", stdin=keyset)
    assert (done.code, done.err) == (0, "")
    assert same("t.parquet", "b")
    done = run("columns", "keygen", "--renew", "-", "-o", "new", stdin=keyset)
    assert (done.code, done.err) == (0, "")
    assert Keyset.from_file("new").ids[1:] == Keyset.from_file(".key.d/xaes").ids
    done = run("columns", "keygen", "--renew", "-", "--format", "siv", "-o", "c", stdin=keyset)
    assert done.code == 2 and done.err.startswith("rijn: standard input: key ")
    done = run("columns", "keygen", "--renew", "", "-o", "c")
    assert done.code == 2 and "The name of a keyset is empty" in done.err
    for text in (b"", b"{}", b"x" * (2 << 20)):
        done = run(*wanted, "c", stdin=text)
        assert done.code == 7 and done.err.startswith("rijn: standard input: bad keyset: ")
    done = run("columns", "decrypt", "-", "-k", "-", "-o", "c", stdin=keyset)
    assert done.code == 2 and "Standard input cannot be a table" in done.err
    # A file there is guarded as one that is named.
    with open(".key.d/xaes", "rb") as file:
        done = call([*RIJN, *wanted, ".key.d/xaes", "-f"], stdin=file)
    assert done.code == 9 and Path(".key.d/xaes").read_bytes() == keyset
    os.chmod(".key.d/xaes", 0o644)
    with open(".key.d/xaes", "rb") as file:
        done = call([*RIJN, *wanted, "c"], stdin=file)
    assert done.code == 7 and "standard input: bad keyset: others have access" in done.err
    assert seen(folder) == {"t.parquet", "t.sealed.parquet", "b", "new"}


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rotate"])
def test_spark_takes_no_keyset_that_is_read_once(folder: Path, run: Run, command: str) -> None:
    os.mkfifo("pipe")
    more = ["-c", "email"] if command == "encrypt" else []
    for name in ("-", "pipe"):
        wanted = ("t.parquet", *more, *key("xaes"), "-k", name, "--engine", "spark")
        done = run("columns", command, *wanted)
        assert done.code == 2 and "needs keysets in regular files" in done.err


def test_a_rijn_key_file_is_for_one_format(folder: Path, run: Run) -> None:
    Path(".key").write_text(format_key(KEY * 2))
    write(small_table())
    wanted = ("columns", "encrypt", "t.parquet", "-c", "ssn,email", "-k", ".key")
    done = run(*wanted, "--deterministic", "ssn")
    assert done.code == 7 and ".key: would be the key of two formats, siv and xaes" in done.err
    assert run(*wanted).code == 0
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", "-k", ".key").code == 0
    assert same("t.parquet", "b")


def test_another_key_opens_nothing(folder: Path, run: Run) -> None:
    sealed_small(run)
    Keyset.generate("xaes").write(".key.d/other")
    done = run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("other"))
    live = ROWS - small_table()["email"].null_count
    assert done.code == 3
    assert done.err.startswith(
        f"rijn: t.sealed.parquet: column email: {live} of {ROWS} rows do not open,"
        " the first is row 0 (also name the keyset with key "
    )
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


def test_rotating(folder: Path, run: Run) -> None:
    sealed = sealed_small(run)
    old, new = ".key.d/xaes", ".key.d/new"
    assert run("columns", "keygen", "--renew", old, "-o", new).code == 0
    assert Keyset.from_file(new).ids[1:] == Keyset.from_file(old).ids
    done = run("columns", "rotate", "t.sealed.parquet", "-k", new)
    assert (done.code, done.err) == (0, "")
    rotated = pq.read_table("t.sealed.parquet")
    pairs = zip(sealed["email"].to_pylist(), rotated["email"].to_pylist(), strict=True)
    assert all((a is None) == (b is None) and (a is None or a != b) for a, b in pairs)
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", "-k", old).code == 3
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", "-k", new).code == 0
    assert same("t.parquet", "b")
    # The old one beside it has a key that it has, too; the first one's primary key seals.
    for both, same_as in (([new, old], True), ([old, new], False)):
        done = run("columns", "rotate", "t.sealed.parquet", "-k", both[0], "-k", both[1], "-o", "c")
        assert (done.code, done.err) == (0, "")
        assert pq.read_table("c").equals(rotated) == same_as
        assert run("columns", "decrypt", "-f", "c", "-o", "d", "-k", both[0]).code == 0
        os.remove("c")
    # What is under the primary key stays, byte for byte.
    assert run("columns", "rotate", "t.sealed.parquet", "-k", new, "-o", "again").code == 0
    assert pq.read_table("again").equals(rotated)
    done = run("columns", "keygen", "--renew", ".key.d/siv", "-o", "k")
    assert done.code == 2 and "--format" in done.err and "k" not in seen(folder)


def key_noted(name: str) -> Any:
    return json.loads(pq.read_schema(name).field("email").metadata[b"rijn.column"])["key"]


def test_which_key_a_column_is_under(folder: Path, run: Run) -> None:
    sealed_small(run)
    (old,) = Keyset.from_file(".key.d/xaes").ids
    assert key_noted("t.sealed.parquet") == old
    assert f"  key       {old}\n".encode() in run("columns", "info", "t.sealed.parquet").out
    Keyset.generate("xaes").write(".key.d/new")
    (new,) = Keyset.from_file(".key.d/new").ids
    for command in ("decrypt", "rotate"):
        done = run("columns", command, "t.sealed.parquet", "-o", "b", *key("new"))
        assert done.code == 3 and "b" not in seen(folder)
        assert f"the keyset with key {old}, which sealed email" in done.err
    assert run("columns", "rotate", "t.sealed.parquet", *key("new", "xaes")).code == 0
    assert key_noted("t.sealed.parquet") == new
    # It is not authenticated, and nothing hangs on it.
    table = pq.read_table("t.sealed.parquet")
    field = table.schema.field("email")
    text = field.metadata[b"rijn.column"].replace(str(new).encode(), b"7")
    table = table.set_column(2, field.with_metadata({b"rijn.column": text}), table["email"])
    write(table, "t.sealed.parquet")
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("new")).code == 0
    assert same("t.parquet", "b")
    # A Rijn key file's key has no id.
    Path(".key.d/file").write_text(format_key(KEY * 2))
    Path(".key.d/file").chmod(0o600)
    done = run("columns", "encrypt", "t.parquet", "-c", "email", "-o", "f", *key("file"))
    assert (done.code, done.err) == (0, "")
    assert key_noted("f") is None
    assert b"  key" not in run("columns", "info", "f").out
    done = run("columns", "decrypt", "f", "-o", "c", *key("xaes"))
    assert done.code == 3 and "is it another keyset" in done.err


def test_the_first_keyset_seals_and_all_open(folder: Path, run: Run) -> None:
    sealed_small(run)
    Keyset.generate("xaes").write(".key.d/new")
    assert run("columns", "rotate", "t.sealed.parquet", *key("new", "xaes")).code == 0
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("new")).code == 0
    assert same("t.parquet", "b")


def test_a_rotation_that_fails_changes_nothing(folder: Path, run: Run) -> None:
    altered(sealed_small(run), 120)
    before = Path("t.sealed.parquet").read_bytes()
    done = run("columns", "rotate", "t.sealed.parquet", *key("xaes"))
    assert done.code == 4 and "column email: 1 of 250 rows do not open" in done.err
    assert "the first is row 120" in done.err
    assert Path("t.sealed.parquet").read_bytes() == before
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


# ---- Bound to a column and a row ------------------------------------------------------


def test_a_column_under_another_name(folder: Path, run: Run) -> None:
    sealed = sealed_small(run).rename_columns(["id", "ssn", "mail"])
    write(sealed, "t.sealed.parquet")
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    done = run(*wanted)
    assert done.code == 3 and "b" not in seen(folder)
    assert "column mail was sealed for the context email, not mail" in done.err
    assert "--context mail=email" in done.err
    assert run(*wanted, "--context", "mail=email").code == 0
    assert pq.read_table("b")["mail"].equals(small_table()["email"])


def test_a_column_in_the_place_of_another(folder: Path, run: Run) -> None:
    """Its own note goes with it, or the other's stays: neither opens."""
    write(small_table())
    assert run("columns", "encrypt", "t.parquet", "-c", "ssn,email", *key("xaes")).code == 0
    sealed = pq.read_table("t.sealed.parquet")
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    write(sealed.rename_columns(["id", "email", "ssn"]), "t.sealed.parquet")
    assert run(*wanted).code == 3
    swapped = pa.table([sealed["id"], sealed["email"], sealed["ssn"]], schema=sealed.schema)
    write(swapped, "t.sealed.parquet")
    assert run(*wanted).code == 3
    assert "b" not in seen(folder)


def test_a_context_of_ones_own(folder: Path, run: Run) -> None:
    given = ("--context", "email=customers.email")
    sealed = sealed_small(run, *given)
    column = Column(Keyset.from_file(".key.d/xaes"), context="customers.email")
    opened = pa.chunked_array(column.open(sealed["email"], type="string"))
    assert opened.equals(small_table()["email"])
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    assert run(*wanted).code == 3
    assert run(*wanted, *given).code == 0
    done = run(*wanted, *given, "--context", "nope=x")
    assert done.code == 2 and "--context names nope" in done.err


@pytest.mark.parametrize("type_", [pa.int32(), pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_a_row_in_the_place_of_another(folder: Path, run: Run, type_: Any) -> None:
    ids = pa.array([str(i % 100) for i in range(ROWS)])
    ids = ids.dictionary_encode().cast(type_) if pa.types.is_dictionary(type_) else ids.cast(type_)
    sealed = sealed_small(run, "--aad", "id", table=small_table().set_column(0, "id", ids))
    wanted = (
        "columns",
        "decrypt",
        "-f",
        "t.sealed.parquet",
        "--aad",
        "id",
        "-o",
        "b",
        *key("xaes"),
    )
    assert run(*wanted).code == 0
    assert same("t.parquet", "b")
    order = list(range(ROWS))
    order[1], order[2] = 2, 1
    swapped = sealed.set_column(2, sealed.schema.field(2), sealed["email"].take(pa.array(order)))
    write(swapped, "t.sealed.parquet")
    done = run(*wanted)
    assert done.code == 4 and "2 of 250 rows do not open, the first is row 1" in done.err


def test_associated_data_that_cannot_be(folder: Path, run: Run) -> None:
    ids = pa.array([None if i == 133 else i for i in range(ROWS)], pa.int32())
    write(small_table().set_column(0, "id", ids).append_column("x", pa.array([0.5] * ROWS)))
    wanted = ("columns", "encrypt", "t.parquet", "-c", "email,ssn", *key("xaes"), "--aad")
    for aad, said in (
        ("id", "column id, the associated data of email, is null in"),
        ("ssn", "column ssn is sealed itself"),
        ("x", "column x is of type double"),
        ("y", "there is no column y"),
    ):
        done = run(*wanted, aad)
        assert done.code == 2 and said in done.err
        assert seen(folder) == {"t.parquet"}
    assert "the first is row 133" in run(*wanted, "id").err


# ---- What is wrong with a file --------------------------------------------------------


def altered(sealed: Any, *rows: int) -> None:
    """Writes the table with a bit of these rows of email flipped."""
    values = sealed["email"].to_pylist()
    for row in rows:
        values[row] = bytes([values[row][0] ^ 1]) + values[row][1:]
    field = sealed.schema.field("email")
    write(sealed.set_column(2, field, pa.array(values, field.type)), "t.sealed.parquet")


def test_altered_rows_are_named(folder: Path, run: Run) -> None:
    altered(sealed_small(run), 130, 131, 207)
    done = run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    assert done.code == 4
    assert done.err.startswith(
        "rijn: t.sealed.parquet: column email: 3 of 250 rows do not open, the first is row 130 ("
    )
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


def test_rows_of_more_than_a_batch(folder: Path, run: Run) -> None:
    """A row group is sealed and opened in pieces, each with a prefix of its own, and its rows keep
    their numbers and their associated data."""
    count = 2 * BATCH + 9
    emails = pa.array([None if i % 9 == 4 else f"{i}@example.com" for i in range(count)])
    table = pa.table({"id": pa.array(range(count)), "plain": emails, "email": emails})
    pq.write_table(table, "t.parquet")  # one row group
    sealing = ("columns", "encrypt", "t.parquet", "-c", "email", "--aad", "id")
    assert run(*sealing, *key("xaes")).code == 0
    sealed = pq.read_table("t.sealed.parquet")
    prefixes = [row[:12] for row in sealed["email"].to_pylist() if row is not None]
    assert len(set(prefixes)) == 3 and len(set(prefixes[: BATCH // 2])) == 1
    wanted = (
        "columns",
        "decrypt",
        "-f",
        "t.sealed.parquet",
        "--aad",
        "id",
        "-o",
        "b",
        *key("xaes"),
    )
    assert run(*wanted).code == 0
    assert same("t.parquet", "b")
    altered(sealed, BATCH + 3, count - 2)
    pq.write_table(pq.read_table("t.sealed.parquet"), "t.sealed.parquet")
    done = run(*wanted)
    assert done.code == 4
    assert f"2 of {count:,} rows do not open, the first is row {BATCH + 3} (" in done.err


PIECES = """
import sys
from rijn.cli import main
from rijn.cli.columns import parquet, tasks
parquet.LARGE = tasks.LARGE = 0  # every row group is
work, rows = tasks._in_batches, []
tasks._in_batches = lambda array: rows.append(len(array)) or work(array)
assert main(sys.argv[1:]) == 0
print(max(rows))
"""


def test_a_large_row_group_is_read_in_pieces(folder: Path) -> None:
    """All groups and rows are where they were, with their associated data; one has no rows."""
    count = 2 * BATCH + 9
    emails = [None if i % 9 == 4 else f"{i}@example.com" for i in range(count)]
    table = pa.table({"id": pa.array(range(count)), "email": emails})
    with pq.ParquetWriter("t.parquet", table.schema) as writer:
        writer.write_table(table[: BATCH + 10])
        writer.write_table(table[:0])
        writer.write_table(table[BATCH + 10 :])
    how = ["-c", "email", "--aad", "id", *key("xaes")]
    for name in ("encrypt t.parquet", "decrypt t.sealed.parquet -o b"):
        done = call([sys.executable, "-c", PIECES, "columns", *name.split(), *how])
        assert done.code == 0, done.err
        assert done.out == b"%d\n" % BATCH
    assert same("t.parquet", "b")


def test_altered_rows_become_null_where_that_is_asked_for(folder: Path, run: Run) -> None:
    table = small_table().filter(pa.compute.is_valid(small_table()["email"]))
    fields = [it.with_nullable(it.name != "email") for it in table.schema]
    altered(sealed_small(run, table=table.cast(pa.schema(fields))), 130)
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-o", "b", "--quiet", *key("xaes"))
    done = run(*wanted, "--errors", "null")
    assert done.code == 0
    assert done.err == (
        f"rijn: t.sealed.parquet: column email: 1 of {len(table)} rows do not open,"
        " the first is row 130; they are null in b\n"
    )
    values = table["email"].to_pylist()
    values[130] = None
    assert pq.read_table("b")["email"].to_pylist() == values


def test_values_without_associated_data_become_null_likewise(folder: Path, run: Run) -> None:
    ids = pa.array([0, 1, 2, 3, 4])
    write(pa.table({"id": ids, "email": ["a", "b", None, "d", "e"]}))
    assert (
        run("columns", "encrypt", "t.parquet", "-c", "email", "--aad", "id", *key("xaes")).code == 0
    )
    table = pq.read_table("t.sealed.parquet")
    for lost, values in (([1, 2, 4], ["a", None, None, "d", None]), ([0, 1, 3, 4], [None] * 5)):
        some = pa.array([None if it in lost else it for it in range(5)])
        pq.write_table(table.set_column(0, "id", some), "lost.parquet", row_group_size=3)
        wanted = (
            "columns",
            "decrypt",
            "lost.parquet",
            "--aad",
            "id",
            "-f",
            "-o",
            "b",
            *key("xaes"),
        )
        done = run(*wanted)
        assert done.code == 2 and "associated data of email, is null in" in done.err
        done = run(*wanted, "--errors", "null")
        assert done.code == 0 and pq.read_table("b")["email"].to_pylist() == values
        count, first = values.count(None) - 1, values.index(None)
        assert done.err == (
            f"rijn: lost.parquet: column email: {count} of 5 rows do not open,"
            f" the first is row {first}; they are null in b\n"
        )


def test_what_cannot_be_sealed(folder: Path, run: Run) -> None:
    write(whole_table())
    for name, said in (
        ("id", "column id is of type int64; Rijn encrypts only binary, string"),
        ("list", "column list is of type list"),
        ("struct", "column struct is of type struct"),
        ("nope", "there is no column nope"),
    ):
        done = run("columns", "encrypt", "t.parquet", "-c", name, *key("xaes"))
        assert done.code == 2
        assert done.err.startswith("rijn: t.parquet: ") and said in done.err
        assert seen(folder) == {"t.parquet"}


def test_what_is_sealed_already_or_not_at_all(folder: Path, run: Run) -> None:
    sealed_small(run)
    done = run("columns", "encrypt", "t.sealed.parquet", "-c", "email", *key("xaes"))
    assert done.code == 9 and "column email is sealed already" in done.err
    done = run("columns", "decrypt", "t.parquet", "-o", "b", *key("xaes"))
    assert done.code == 6 and "no column is marked as sealed" in done.err
    done = run("columns", "decrypt", "t.sealed.parquet", "-c", "ssn", "-o", "b", *key("xaes"))
    assert done.code == 6 and "column ssn is not sealed" in done.err
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


NOTE = b"""{"version": 1, "format": "xaes", "key": %s, "context": "email", "aad": null, "pad": %s,
    "type": "%s", "dictionary": null}"""


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"[]", b"{}", b"[" * 100_000, b'{"version": 2}', b'{"version": 1}'),
        NOTE % (b"null", b"0", b"string"),
        NOTE % (b"null", b"null", b"Table"),
        *(NOTE % (id, b"null", b"string") for id in (b"0", b"true", b'"7"', b"4294967296")),
    ],
)
def test_a_note_that_is_none(folder: Path, run: Run, text: bytes) -> None:
    sealed = sealed_small(run)
    field = sealed.schema.field("email").with_metadata({b"rijn.column": text})
    write(sealed.set_column(2, field, sealed["email"]), "t.sealed.parquet")
    done = run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    assert done.code == 6
    assert "column email: its metadata rijn.column cannot be read" in done.err


def test_files_that_are_no_parquet(folder: Path, run: Run) -> None:
    Path("t.json").write_text("id,email\n1,a\n")
    for name in ("encrypt", "info"):
        more = ["-c", "email", *key("xaes")] if name == "encrypt" else []
        done = run("columns", name, "t.json", *more)
        assert done.code == 6
        assert done.err.startswith("rijn: t.json: neither a Parquet nor an Arrow IPC file (")
    write(small_table())
    Path("t.parquet").write_bytes(Path("t.parquet").read_bytes()[:-100])
    done = run("columns", "encrypt", "t.parquet", "-c", "email", *key("xaes"))
    assert done.code == 4 and done.err.startswith("rijn: t.parquet: damaged: ")
    done = run("columns", "encrypt", "no.parquet", "-c", "email", *key("xaes"))
    assert done.code == 1 and done.err.startswith("rijn: no.parquet: No such file")
    done = run("columns", "encrypt", "-", "-c", "email", *key("xaes"))
    assert done.code == 2
    assert seen(folder) == {"t.json", "t.parquet"}
    Path("t.parquet").write_bytes(b"")
    done = run("columns", "encrypt", "t.parquet", "-c", "email", *key("xaes"))
    assert done.code == 6 and done.err.startswith("rijn: t.parquet: is empty (even a table")
    for name in ("encrypt", "info"):
        more = ["-c", "email", *key("xaes")] if name == "encrypt" else []
        done = run("columns", name, "/dev/stdin", *more, stdin=b"PAR1")
        assert done.code == 1 and done.err.startswith("rijn: /dev/stdin: is a pipe or a device (")


@pytest.mark.parametrize("name", ["t.csv", "t.TSV", "t.arrow", "t.arrows", "t.feather"])
def test_a_result_of_another_kind_by_its_name(folder: Path, run: Run, name: str) -> None:
    sealed_small(run)
    before = seen(folder)
    for words in (
        ("encrypt", "t.parquet", "-c", "email"),
        ("decrypt", "t.sealed.parquet"),
        ("rotate", "t.sealed.parquet"),
    ):
        done = run("columns", *words, *key("xaes"), "-o", name)
        assert done.code == 2 and done.err.startswith(f"rijn: {name}: its name says ")
        assert "the result is Parquet" in done.err
    assert seen(folder) == before
    # What no ending says may have any; so may what takes its name from its source.
    os.rename("t.parquet", name)
    done = run("columns", "encrypt", name, "-c", "email", *key("xaes"), "-o", "t.dat")
    assert done.code == (6 if name.lower().endswith("sv") else 0)


# ---- Results --------------------------------------------------------------------------


def test_what_is_there_stays(folder: Path, run: Run) -> None:
    sealed_small(run)
    before = Path("t.sealed.parquet").read_bytes()
    again = ("columns", "encrypt", "t.parquet", "-c", "email", *key("xaes"))
    done = run(*again)
    assert done.code == 9 and "t.sealed.parquet: exists already" in done.err
    assert Path("t.sealed.parquet").read_bytes() == before
    assert run(*again, "--force").code == 0
    assert Path("t.sealed.parquet").read_bytes() != before
    # Plaintext only where -o names it, the source and the key never.
    source = Path("t.parquet").read_bytes()
    for more in ([], ["--force"]):
        done = run("columns", "decrypt", "t.sealed.parquet", *key("xaes"), *more)
        assert done.code == 9 and Path("t.parquet").read_bytes() == source
    for name in ("t.parquet", "./t.parquet", ".key.d/xaes"):
        held = Path(name).read_bytes()
        assert run(*again, "--force", "-o", name).code == 9
        assert Path(name).read_bytes() == held
    assert run(*again, "-o", "-").code == 9


def test_several_files(folder: Path, run: Run) -> None:
    for name in ("a.parquet", "c.parquet"):
        write(small_table(), name)
    Path("b.parquet").write_text("none")
    Path("out").mkdir()
    files = ("a.parquet", "b.parquet", "c.parquet")
    done = run("columns", "encrypt", *files, "-c", "email", *key("xaes"), "-o", "out/")
    assert done.code == 6
    assert done.err.splitlines()[-1] == "rijn: 2 of 3 files encrypted, 1 failed"
    assert names(folder / "out") == {"a.sealed.parquet", "c.sealed.parquet"}


def test_a_sealed_table_of_another_name_needs_a_result(folder: Path, run: Run) -> None:
    sealed_small(run)
    os.rename("t.sealed.parquet", "x.parquet")
    done = run("columns", "decrypt", "x.parquet", *key("xaes"))
    said = "rijn: x.parquet: its name does not have .sealed before the ending (name the result: -o OUT)"
    assert (done.code, done.err.splitlines()[:1]) == (9, [said])
    assert seen(folder) == {"t.parquet", "x.parquet"}


@pytest.mark.parametrize("given", [["email"], ["=text"], ["email=a", "email=b"]])
@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rotate"])
def test_a_context_that_says_no_column_or_one_twice(
    folder: Path, run: Run, command: str, given: list[str]
) -> None:
    sealed_small(run)
    options = [word for each in given for word in ("--context", each)]
    column = ["-c", "email"] if command == "encrypt" else []
    done = run("columns", command, "t.parquet", "-o", "b", *column, *options, *key("xaes"))
    assert done.code == 2 and "--context takes COL=TEXT, once for each column" in done.err
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


def test_two_rotated_files_do_not_become_one(folder: Path, run: Run) -> None:
    sealed_small(run)
    for name in ("a", "b", "out"):
        Path(name).mkdir()
    for name in ("a", "b"):
        Path(name, "t.parquet").write_bytes(Path("t.sealed.parquet").read_bytes())
    files = ("a/t.parquet", "b/t.parquet")
    done = run("columns", "rotate", *files, "-o", "out/", *key("xaes"))
    assert done.code == 2 and "would both become out/t.parquet" in done.err
    assert names(folder / "out") == set()


def test_an_error_of_the_system_names_the_file(folder: Path) -> None:
    write(small_table())
    with Path("t.parquet").open("rb") as raw:
        table = Table("t.parquet", raw)
        with pytest.raises(OSError, match="t.parquet") as caught, table._reading():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    assert caught.value.errno == errno.EIO


@pytest.mark.parametrize("engine", ["local", "spark"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rotate"])
def test_spark_has_one_job_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, engine: str
) -> None:
    """The processes of --engine spark do the work. Otherwise -j says how many threads do."""
    asked: list[int] = []

    class Asked(Exception):
        pass

    def options(_keys: object, _force: bool, jobs: int, *_more: object, **_named: object) -> None:
        asked.append(jobs)
        raise Asked

    module = importlib.import_module(f"rijn.cli.columns.{command}")
    monkeypatch.setattr(engines, "check_engine", lambda _engine: None)
    monkeypatch.setattr(engines, "needs_packages", lambda *_more: None)
    monkeypatch.setattr(tasks, "Options", options)
    write(small_table())
    column = ["-c", "email"] if command == "encrypt" else []
    words = ["t.parquet", "-o", "b", *column, *key("xaes"), "--engine", engine, "-j", "3"]
    with pytest.raises(Asked):
        module.command.main(words, standalone_mode=False)
    assert asked == [1 if engine == "spark" else 3]


def test_no_space(folder: Path, run: Run) -> None:
    write(small_table())
    Path("t.sealed.parquet").write_text("old")
    command = [sys.executable, "-m", "rijn", "columns", "encrypt", "t.parquet", "-f"]
    done = call(
        [*command, "-c", "email", *key("xaes")],
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)),
    )
    assert done.code == 8
    assert done.err.startswith("rijn: t.sealed.parquet: File too large (make room")
    assert Path("t.sealed.parquet").read_text() == "old"
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


MEANWHILE = """
import signal, sys
from pathlib import Path
from rijn.columns import Column
from rijn.cli import main
seal, calls = Column.seal, []
def meanwhile(self, array, aad=None):
    if len(array):
        calls.append(len(array))
    if len(calls) == 2:
        assert any(Path().glob(".rijn-*.part"))
        exec(sys.argv[1])
    return seal(self, array, aad)
Column.seal = meanwhile
sys.exit(main(sys.argv[2:]))
"""


def meanwhile(does: str) -> Result:
    """What becomes of an encryption during whose second row group something is done."""
    write(small_table())
    wanted = ["columns", "encrypt", "t.parquet", "-c", "email", *key("xaes")]
    return call([sys.executable, "-c", MEANWHILE, does, *wanted])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(folder: Path, number: int) -> None:
    done = meanwhile(f"signal.raise_signal({number})")
    assert done.code == 128 + number
    assert done.err == "rijn: interrupted (nothing was left behind)\n"
    assert seen(folder) == {"t.parquet"}


def test_a_source_that_changes(folder: Path) -> None:
    done = meanwhile("open('t.parquet', 'ab').write(b'x')")
    assert done.code == 1 and "t.parquet: changed while it was read" in done.err
    assert seen(folder) == {"t.parquet"}


def test_a_file_that_appears_meanwhile(folder: Path) -> None:
    done = meanwhile("Path('t.sealed.parquet').write_text('mine')")
    assert done.code == 9
    assert Path("t.sealed.parquet").read_text() == "mine"
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


LAST = """
import errno, sys
from rijn.cli import main
from rijn.cli.columns import parquet, tasks
class Writer(parquet.ParquetWriter):
    def write(self, table):
        super().write(table)
        parts.append(table)
        if len(parts) == groups and sys.argv[1] == "bad":
            raise OSError(errno.ENOSPC, "full")
groups, parts = parquet.pq.ParquetFile(sys.argv[4]).num_row_groups, []
parquet.ParquetWriter = Writer
code = main(sys.argv[2:])
assert groups > 1 and len(parts) == groups
sys.exit(code)
"""


class Slow(Writer):
    """A writer of which a part waits to be written until the next one is read."""

    behind = True

    def __init__(self) -> None:
        self.read, self.written = threading.Event(), list[Any]()
        self.threads = set[threading.Thread]()

    def write(self, table: Any) -> None:
        self.threads.add(threading.current_thread())
        self.written.append((table, self.read.wait(LIMIT)))
        if table == "bad":
            raise OSError("full")


def test_a_part_is_written_while_the_next_is_read() -> None:
    writer = Slow()
    with Parts(writer, 2) as parts:
        parts.write("one", large=False)
        writer.read.set()
        parts.write("bad", large=False)
        with pytest.raises(OSError, match="full"):
            parts.write("three", large=False)
    assert writer.written == [("one", True), ("bad", True)]
    assert threading.current_thread() not in writer.threads


def test_that_the_last_part_is_not_written_is_said() -> None:
    writer = Slow()
    writer.read.set()
    with Parts(writer, 2) as parts:
        parts.write("bad", large=False)
        with pytest.raises(OSError, match="full"):
            parts.wait()


@pytest.mark.parametrize("interrupted", [False, True])
def test_no_part_is_written_when_all_are_left(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an error, nor where a signal comes while that is waited for."""
    writer = Slow()
    parts = Parts(writer, 2)
    leave = ThreadPoolExecutor.shutdown
    calls = []

    def shutdown(pool: ThreadPoolExecutor) -> None:
        calls.append(pool)
        if interrupted and len(calls) == 1:
            raise KeyboardInterrupt
        writer.read.set()
        leave(pool)

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", shutdown)
    with pytest.raises(KeyboardInterrupt if interrupted else ValueError), parts:
        parts.write("one", large=False)
        raise ValueError
    assert writer.written == [("one", True)]


@pytest.mark.parametrize("last", ["bad", "good"])
def test_an_error_of_the_last_part_leaves_no_result(folder: Path, last: str) -> None:
    write(small_table())
    wanted = ["columns", "encrypt", "t.parquet", "-j", "2", "-c", "email", *key("xaes")]
    done = call([sys.executable, "-c", LAST, last, *wanted])
    assert done.code == (8 if last == "bad" else 0), done.err
    assert ("t.sealed.parquet" in seen(folder)) == (last == "good")


@pytest.mark.parametrize(
    ("jobs", "large", "behind"), [(1, False, True), (2, True, True), (2, False, False)]
)
def test_a_part_is_written_at_once(jobs: int, large: bool, behind: bool) -> None:
    """With one job, where two parts are too much for memory, and by those who do not know how else."""
    writer = Slow()
    writer.behind = behind
    writer.read.set()
    with Parts(writer, jobs) as parts:
        parts.write("one", large=large)
        assert writer.written == [("one", True)]
        assert writer.threads == {threading.current_thread()}


PEAK = """
import sys, pyarrow
from rijn.cli import main
assert main(sys.argv[1:]) == 0
print(pyarrow.default_memory_pool().max_memory())
"""


def test_memory_is_that_of_a_row_group(folder: Path) -> None:
    group = pa.table({"email": [f"{i:064}" for i in range(20_000)]})
    peaks = []
    for groups in (2, 20):
        table = pa.concat_tables([group] * groups)
        pq.write_table(table, "t.parquet", row_group_size=len(group), use_dictionary=False)
        wanted = ["columns", "encrypt", "t.parquet", "-f", "-c", "email", *key("xaes")]
        done = call([sys.executable, "-c", PEAK, *wanted])
        assert done.code == 0, done.err
        peaks.append(int(done.out))
    assert peaks[1] < 2 * peaks[0]


READERS = """
import io, sys, threading
from rijn.cli import main
from rijn.cli.columns import kinds
class Source(io.FileIO):
    def read(self, *size):
        readers.add(threading.current_thread())
        return super().read(*size)
    def readinto(self, buffer):
        readers.add(threading.current_thread())
        return super().readinto(buffer)
readers, kinds.open_source = set(), Source
assert main(sys.argv[1:]) == 0
assert readers == {threading.main_thread()}, readers
"""


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_the_main_thread_alone_reads(folder: Path, kind: str) -> None:
    """Another, in which Python's objects are held, aborts a process that ends meanwhile."""
    if kind == "parquet":
        write(whole_table())
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        made = pa.ipc.new_stream if kind == "arrows" else pa.ipc.new_file
        with made(f"t.{kind}", whole_table().schema, options=options) as out:
            out.write_table(whole_table(), max_chunksize=GROUP)
    wanted = ["columns", "encrypt", f"t.{kind}", "-c", "string,binary", *key("xaes")]
    done = call([sys.executable, "-c", READERS, *wanted])
    assert done.code == 0, done.err


# ---- What is told, and what is loaded -------------------------------------------------


def test_info_tells_how_and_no_value(folder: Path, run: Run) -> None:
    sealed_small(run, "--aad", "id", "--pad", "32")
    done = run("columns", "info", "t.sealed.parquet")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().splitlines() == [
        "file        t.sealed.parquet",
        "rows        250 in 3 row groups",
        "column      id, int32, as it is",
        "column      ssn, string, as it is",
        "column      email, sealed, format xaes",
        "  type      string",
        f"  key       {Keyset.from_file('.key.d/xaes').ids[0]}",
        "  context   email",
        "  aad       column id",
        "  padding   in steps of 32 bytes",
    ]


@pytest.mark.parametrize("package", ["pyarrow", "nanoarrow"])
def test_without_a_package(folder: Path, package: str) -> None:
    write(small_table())
    without = f"import sys; sys.modules[{package!r}] = None; from rijn.cli import main; sys.exit("
    for command in ("encrypt", "decrypt", "rotate", "info"):
        words = ["columns", command, "t.parquet"]
        words += [] if command == "info" else key("xaes")
        words += ["-c", "email"] if command == "encrypt" else []
        words += ["-o", "b"] if command == "decrypt" else []
        done = call([sys.executable, "-c", f"{without}main({words!r}))"])
        assert done.code == 1
        assert done.err == (
            f"rijn: rijn columns needs the package {package}"
            " (pip install '.[parquet]' in Rijn's sources)\n"
        )


def test_help_loads_no_package(folder: Path) -> None:
    code = "import sys; from rijn.cli import main; main({!r}); print([name for name in {!r} if name"
    code += " in sys.modules], file=sys.stderr)"
    for command in ("encrypt", "decrypt", "rotate", "info", "keygen"):
        packages = ["pyarrow", "nanoarrow", "rijn.columns"]
        done = call([sys.executable, "-c", code.format(["columns", command, "--help"], packages)])
        assert done.code == 0 and done.err == "[]\n", done
    done = call([sys.executable, "-c", code.format(["--version"], ["rijn.cli.columns"])])
    assert done.err == "[]\n"
