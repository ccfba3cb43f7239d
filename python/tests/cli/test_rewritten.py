"""rijn columns: files that another program has rewritten, which drops the notes of sealed columns."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from program import Result, names
from table_files import pa, pq, read_table, write_table

from rijn.columns import Column, Keyset

pytestmark = pytest.mark.usefixtures("keysets")
IpcTable: Any = pytest.importorskip("rijn.cli.columns.ipc", reason="needs pyarrow").IpcTable

Run = Callable[..., Result]
ROWS = 250
EMAILS = [
    None if i % 7 == 3 else "" if i % 11 == 5 else f"{i % 40}@example.com" for i in range(ROWS)
]
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "ssn": [f"ssn-{i % 10}" for i in range(ROWS)],
        "email": EMAILS,
        "photo": [bytes([i]) for i in range(ROWS)],
    }
)
KEYS = ["-k", ".key.d/xaes", "-k", ".key.d/siv"]
EMAIL = ["-c", "email", "--context", "email=mine", "--aad", "id", "--pad", "32"]
SSN = ["--deterministic", "ssn"]


def by_polars(name: str, to: str) -> None:
    pl = pytest.importorskip("polars")
    if name.endswith(".parquet"):
        pl.read_parquet(name).write_parquet(to)
    elif name.endswith(".arrow"):
        pl.read_ipc(name).write_ipc(to, compression="zstd")
    else:
        pl.read_ipc_stream(name).write_ipc_stream(to)


def by_duckdb(name: str, to: str) -> None:
    pytest.importorskip("duckdb").sql(f"COPY (FROM '{name}') TO '{to}' (FORMAT parquet)")


def by_pandas(name: str, to: str) -> None:
    pytest.importorskip("pandas").read_parquet(name).to_parquet(to)


def by_pyarrow(name: str, to: str) -> None:
    """Stands for similar programs that are not installed here."""
    pq.write_table(without_notes(pq.read_table(name)), to)


def without_notes(table: Any) -> Any:
    return table.cast(pa.schema([field.with_metadata(None) for field in table.schema]))


Again = Callable[[str, str], None]
EACH = pytest.mark.parametrize("again", [by_polars, by_duckdb, by_pandas, by_pyarrow])


def sealed(run: Run, again: Again = by_pyarrow, ending: str = ".parquet") -> str:
    """Returns the name of a file with three sealed columns and no notes."""
    write_table(TABLE, "t" + ending, rows=ROWS if ending == ".parquet" else 100)
    names = ["t" + ending, "one" + ending, "two" + ending, "three" + ending]
    for source, result, how in zip(names, names[1:], (EMAIL, SSN, ["-c", "photo"]), strict=False):
        done = run("columns", "encrypt", source, *how, *KEYS, "-o", result)
        assert (done.code, done.err) == (0, "")
    again("three" + ending, "again" + ending)
    return "again" + ending


def done_with(run: Run, command: str, name: str, *more: str) -> None:
    done = run("columns", command, name, *more, *KEYS)
    assert (done.code, done.err) == (0, "")


def opened(run: Run, name: str) -> None:
    """Opens one column after the other, because each was sealed with other options."""
    done_with(run, "decrypt", name, *EMAIL, "--type", "string", "-o", "b1")
    done_with(run, "decrypt", "b1", *SSN, "--type", "string", "-o", "b2")
    done_with(run, "decrypt", "b2", "-c", "photo", "--type", "binary", "-o", "b3")
    back = read_table("b3")
    assert back.to_pydict() == TABLE.to_pydict()
    assert [str(back.schema.field(it).type) for it in ("email", "ssn")] == ["string"] * 2
    assert str(back.schema.field("photo").type) == "binary"


@EACH
def test_rewritten_files_are_opened(folder: Path, run: Run, again: Again) -> None:
    name = sealed(run, again)
    assert not any(b"rijn.column" in (it.metadata or {}) for it in pq.read_schema(name))
    opened(run, name)


@pytest.mark.parametrize("ending", [".arrow", ".arrows"])
def test_rewritten_arrow_ipc_is_opened(folder: Path, run: Run, ending: str) -> None:
    name = sealed(run, by_polars, ending)
    assert not any(b"rijn.column" in (it.metadata or {}) for it in read_table(name).schema)
    if ending == ".arrow":
        with closing(IpcTable(name, Path(name).open("rb"), stream=False)) as table:
            assert table.codec == "zstd"
    done_with(run, "rotate", name, "-c", "photo")
    opened(run, name)


@EACH
def test_rewritten_files_are_rotated(folder: Path, run: Run, again: Again) -> None:
    """The result has no more notes than before."""
    name = sealed(run, again)
    before = pq.read_table(name)
    assert run("columns", "keygen", "--renew", ".key.d/xaes", "-o", ".key.d/new").code == 0
    done = run("columns", "rotate", name, *EMAIL, "-k", ".key.d/new")
    assert (done.code, done.err) == (0, "")
    after = pq.read_table(name)
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after.drop(["email"]).equals(before.drop(["email"]))
    keyset = Keyset.from_file(".key.d/new")
    column = Column(keyset, context="mine", pad=1)
    ids = after["id"].cast(pa.string())
    assert pa.chunked_array(column.open(after["email"], ids, type="string")).to_pylist() == EMAILS
    assert column.rotate(after["email"], ids).rotated == 0


def test_necessary_options(folder: Path, run: Run) -> None:
    name = sealed(run)
    before = names(folder)
    how = "--format, --deterministic, --context, --aad and --pad"
    for command in ("decrypt", "rotate"):
        done = run("columns", command, name, *KEYS, "-o", "b")
        assert done.code == 6
        assert done.err == (
            f"rijn: {name}: no column is marked as sealed (other programs drop the mark: "
            f"name the columns with -c, and repeat encrypt's {how})\n"
        )
    done = run("columns", "decrypt", name, *EMAIL, *KEYS, "-o", "b")
    assert done.code == 2
    assert done.err.startswith(
        f"rijn: {name}: column email does not record whether and how it was sealed (if it is sealed, "
    )
    assert "--type" in done.err and how in done.err
    assert names(folder) == before


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_wrong_options_do_not_open(folder: Path, run: Run, command: str) -> None:
    name = sealed(run)
    more = ["--type", "string"] if command == "decrypt" else []
    how = [*EMAIL, "--format", "xaes"]
    for at, other in ((3, "email=theirs"), (5, "ssn"), (9, "gcm-siv")):
        wrong = [*how[:at], other, *how[at + 1 :], *more, *KEYS, "-k", ".key.d/gcm-siv"]
        done = run("columns", command, name, *wrong, "-o", "b")
        assert done.code == 3 and "rows do not open" in done.err
        assert "no value opens: check -k" in done.err
    if command == "decrypt":
        done = run("columns", command, name, *EMAIL[:-2], *more, *KEYS, "-o", "b")
        assert done.code == 3 and "no value opens: check -k" in done.err
    assert "b" not in names(folder)


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_columns_that_are_not_sealed(folder: Path, run: Run, command: str) -> None:
    """By its type, or because its bytes were never sealed."""
    pq.write_table(TABLE, "t.parquet")
    for column, type_ in (("id", "int64"), ("email", "string")):
        done = run("columns", command, "t.parquet", "-c", column, *KEYS, "-o", "b")
        assert done.code == 6
        assert f"column {column} is not sealed: it is of type {type_} (" in done.err
    more = ["--type", "binary"] if command == "decrypt" else []
    done = run("columns", command, "t.parquet", "-c", "photo", *more, *KEYS, "-o", "b")
    assert done.code == 3 and f"column photo: {ROWS} of {ROWS} rows do not open" in done.err
    assert "b" not in names(folder)


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_options_must_agree_with_the_note(folder: Path, run: Run, command: str) -> None:
    sealed(run)
    before = names(folder)
    for column, said in (
        (["-c", "email", "--format", "siv"], "column email says that its format is xaes, not siv"),
        (["--deterministic", "email"], "column email says that its format is xaes, not siv"),
        (["-c", "ssn", "--format", "xaes"], "column ssn says that its format is siv, not xaes"),
        (["-c", "email", "--pad", "16"], "column email says that its pad is 32, not 16"),
        (
            ["-c", "email", "--aad", "id", "--pad", "16"],
            "column email says that its pad is 32, not 16",
        ),
        (["-c", "photo", "--pad", "32"], "column photo says that its pad is none, not 32"),
        (["-c", "photo", "--aad", "id"], "column photo says that its aad is none, not id"),
    ):
        how = ["--context", "email=mine"] if "email" in column else []
        done = run("columns", command, "three.parquet", *column, *how, *KEYS, "-o", "b")
        assert done.code == 2 and f"three.parquet: {said} (omit that option, or" in done.err
    if command == "decrypt":
        wanted = ("-c", "photo", "--type", "string", *KEYS, "-o", "b")
        done = run("columns", command, "three.parquet", *wanted)
        assert done.code == 2
        assert "column photo was of type binary, not string (omit --type)" in done.err
    assert names(folder) == before
    agreed = [*EMAIL, "--format", "xaes", *(["--type", "string"] * (command == "decrypt"))]
    done_with(run, command, "three.parquet", *agreed, "-o", "b")


def test_some_columns_have_notes_and_some_do_not(folder: Path, run: Run) -> None:
    table = pq.read_table(sealed(run))
    noted = pq.read_table("three.parquet").schema.field("ssn")
    place = table.schema.get_field_index("ssn")
    pq.write_table(table.set_column(place, noted, table["ssn"]), "mixed.parquet")
    done_with(run, "decrypt", "mixed.parquet", "-o", "b")  # opens the columns with notes
    assert pq.read_table("b")["ssn"].equals(TABLE["ssn"])
    assert pq.read_table("b")["email"].equals(table["email"])
    how = ["-c", "ssn,photo", "--type", "binary", "-o", "c"]
    done = run("columns", "decrypt", "mixed.parquet", *how, *KEYS)
    assert done.code == 2 and "column ssn was of type string, not binary" in done.err
    done_with(run, "rotate", "mixed.parquet", "-c", "ssn,photo")
    schema = pq.read_schema("mixed.parquet")
    said = [it.name for it in schema if b"rijn.column" in (it.metadata or {})]
    assert said == ["ssn"]


def test_info(folder: Path, run: Run) -> None:
    name = sealed(run)
    done = run("columns", "info", name)
    assert done.out.decode().splitlines()[2:] == [
        "column      id, int64, as it is",
        *(f"column      {it}, binary, as it is" for it in ("ssn", "email", "photo")),
        "sealed      no column is marked; another program may have removed the marks",
    ]
    assert b"no column" not in run("columns", "info", "three.parquet").out


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_associated_data_that_were_renamed(folder: Path, run: Run, command: str) -> None:
    sealed(run)
    table = pq.read_table("three.parquet").rename_columns(["nr", "ssn", "email", "photo"])
    pq.write_table(table, "renamed.parquet")
    how = ["-c", "email", "--context", "email=mine"]
    done = run("columns", command, "renamed.parquet", *how, *KEYS, "-o", "b")
    assert done.code == 2
    assert done.err == (
        "rijn: renamed.parquet: there is no column id, the associated data of email (if it was"
        " renamed, rename it back or give the new name with --aad; the columns are nr, ssn, email, photo)\n"
    )
    for aad, code in (("photo", 2), ("no", 2), ("nr", 0)):  # photo is bytes, and is sealed itself
        more = ["-c", "photo"] if aad == "photo" else []
        done = run(
            "columns", command, "renamed.parquet", *how, *more, "--aad", aad, *KEYS, "-o", "b"
        )
        assert done.code == code, done.err
    if command == "rotate":
        os.rename("b", "c")
        done_with(run, "decrypt", "c", *how, "--aad", "nr", "-o", "b")
    assert pq.read_table("b")["email"].to_pylist() == EMAILS
    # Another column does not replace it.
    other = pa.array(range(1, ROWS + 1))
    pq.write_table(table.set_column(0, "id", other).append_column("nr", table["nr"]), "two.parquet")
    for more, code in ([], 2), (["--aad", "id"], 3):
        done = run("columns", command, "two.parquet", *how, *more, *KEYS, "-o", "d")
        assert done.code == code and "d" not in names(folder)
    done_with(run, command, "two.parquet", *how, "--aad", "nr", "-o", "d")


@pytest.mark.parametrize("some", [True, False])
def test_bytes_opened_as_text(folder: Path, run: Run, some: bool) -> None:
    """If some of them are text, Rijn does not call the file damaged."""
    photos = [b"\xff" if i % 2 or not some else b"text" for i in range(ROWS)]
    pq.write_table(pa.table({"photo": photos}), "t.parquet")
    done_with(run, "encrypt", "t.parquet", "-c", "photo")
    pq.write_table(without_notes(pq.read_table("t.sealed.parquet")), "again.parquet")
    how = ["-c", "photo", "--type", "string", "-o", "b"]
    done = run("columns", "decrypt", "again.parquet", *how, *KEYS)
    assert done.code == (4 if some else 3)
    assert ", and give the original type with --type" in done.err
    assert ("if that does not help, restore the file from another copy" in done.err) == some
    done_with(run, "decrypt", "again.parquet", *how[:2], "--type", "binary", "-o", "b")
    assert pq.read_table("b")["photo"].to_pylist() == photos


def test_padding_that_was_not_there(folder: Path, run: Run) -> None:
    """Bytes that end like padding lose their end: no note says that there is no padding."""
    pq.write_table(pa.table({"photo": [b"a\x80", b"b\x80\0"]}), "t.parquet")
    done_with(run, "encrypt", "t.parquet", "-c", "photo")
    pq.write_table(without_notes(pq.read_table("t.sealed.parquet")), "again.parquet")
    how = ["-c", "photo", "--type", "binary", "--pad", "16", "-o", "b"]
    done_with(run, "decrypt", "again.parquet", *how)
    assert pq.read_table("b")["photo"].to_pylist() == [b"a", b"b"]


def test_padding_of_bytes_stays_without_the_option(folder: Path, run: Run) -> None:
    how = [*EMAIL[:-2], "--type"]
    done_with(run, "decrypt", sealed(run), *how, "binary", "-o", "b")
    padded = [None if it is None else it.encode() + b"\x80" for it in EMAILS]
    wanted = [None if it is None else it + bytes(-len(it) % 32) for it in padded]
    assert pq.read_table("b")["email"].to_pylist() == wanted


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_dictionaries(folder: Path, run: Run, command: str) -> None:
    """They stay dictionaries, of the given type."""
    pq.write_table(TABLE.set_column(1, "ssn", TABLE["ssn"].dictionary_encode()), "t.parquet")
    done_with(run, "encrypt", "t.parquet", *SSN)
    pq.write_table(without_notes(pq.read_table("t.sealed.parquet")), "again.parquet")
    if command == "rotate":
        done_with(run, "rotate", "again.parquet", *SSN)
    done_with(run, "decrypt", "again.parquet", *SSN, "--type", "string", "-o", "b")
    assert pa.types.is_dictionary(pq.read_schema("b").field("ssn").type)
    assert pq.read_table("b")["ssn"].to_pylist() == TABLE["ssn"].to_pylist()
