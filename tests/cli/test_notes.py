"""rijn columns: attacks by those who can write a sealed file, but have no key. They edit what sealed
columns say of themselves, and move values to other rows and columns."""

from __future__ import annotations

import base64
import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Result, names

from rijn.columns import Keyset

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
pytest.importorskip("nanoarrow", reason="needs nanoarrow")
pytest.importorskip("resource", reason="needs POSIX limits")

Run = Callable[..., Result]
NAME = b"rijn.column"
ROWS = 40
IDS = [str(1000 + i) for i in range(ROWS)]
EMAILS = [f"{i}@example.com" for i in range(ROWS)]
TABLE = pa.table({"id": IDS, "email": EMAILS, "phone": [f"+31 {i}" for i in range(ROWS)]})
KINDS = ["parquet", "arrow", "arrows"]
FORMATS = ("xaes", "siv", "spark", "tink")


@pytest.fixture(autouse=True)
def keysets(folder: Path) -> None:
    os.mkdir(".key.d")
    for format in FORMATS:
        Keyset.generate(format).write(f".key.d/{format}")


def key(format: str = "xaes") -> list[str]:
    return ["-k", f".key.d/{format}"]


def write(table: Any, name: str) -> None:
    if name.endswith(".parquet"):
        pq.write_table(table, name)
        return
    made = pa.ipc.new_file if name.endswith(".arrow") else pa.ipc.new_stream
    with made(name, table.schema) as out:
        out.write_table(table)


def read(name: str) -> Any:
    if name.endswith(".parquet"):
        return pq.read_table(name)
    made = pa.ipc.open_file if name.endswith(".arrow") else pa.ipc.open_stream
    with made(Path(name).read_bytes()) as file:
        return file.read_all()


def sealed(run: Run, kind: str, *how: str) -> Any:
    """What s.KIND has, a table whose column email is sealed."""
    write(TABLE, f"t.{kind}")
    done = run("columns", "encrypt", f"t.{kind}", "-c", "email", *how, "-o", f"s.{kind}")
    assert (done.code, done.err) == (0, "")
    return read(f"s.{kind}")


def edited(table: Any, name: str = "email", to: str = "", **changes: Any) -> Any:
    """With other members in a column's note; `to`: and another name for the column."""
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    note = json.loads(field.metadata[NAME]) | changes
    field = field.with_metadata({NAME: json.dumps(note)}).with_name(to or name)
    return table.set_column(place, field, table[name])


def turned(table: Any) -> Any:
    """The attacker's table: each email stands in the next row, and `own` says whose it was."""
    order = pa.array([*range(1, ROWS), 0])
    place = table.schema.get_field_index("email")
    table = table.set_column(place, table.schema.field(place), table["email"].take(order))
    return table.append_column("own", table["id"].take(order))


def refused(run: Run, code: int, said: str, *command: str) -> None:
    """And there is no result, nor another source."""
    source = command[1]
    before, there = Path(source).read_bytes(), names(Path())
    for more in ([], ["-o", "no." + source.rpartition(".")[2]]):
        if command[0] == "decrypt" and not more:
            continue
        done = run("columns", *command, *more)
        assert (done.code, said in done.err) == (code, True), done.err
    assert Path(source).read_bytes() == before and names(Path()) == there


# ---- Associated data ------------------------------------------------------------------


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_file_does_not_choose_the_associated_data(
    folder: Path, run: Run, kind: str, command: str
) -> None:
    table = turned(sealed(run, kind, "--aad", "id", *key()))
    write(edited(table, aad="own"), f"s.{kind}")
    wanted = (command, f"s.{kind}", *key())
    refused(run, 2, "column email says that column own is its associated data", *wanted)
    refused(run, 3, f"{ROWS} of {ROWS} rows do not open", *wanted, "--aad", "id")
    write(edited(table, aad=None), f"s.{kind}")
    refused(run, 3, f"{ROWS} of {ROWS} rows do not open", *wanted)
    refused(run, 2, "column email says that its aad is none, not id", *wanted, "--aad", "id")


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_opens_beside_another_s_id(folder: Path, run: Run, kind: str) -> None:
    """Where rows that do not open become null, they all do."""
    table = turned(sealed(run, kind, "--aad", "id", *key()))
    write(edited(table, aad="own"), f"s.{kind}")
    wanted = ("columns", "decrypt", f"s.{kind}", *key(), "--errors", "null", "-o", f"b.{kind}")
    assert run(*wanted).code == 2
    assert run(*wanted, "--aad", "id").code == 0
    assert read(f"b.{kind}")["email"].null_count == ROWS


def test_a_csv_file_has_no_say(folder: Path, run: Run) -> None:
    Path("t.csv").write_text("".join(f"{i},{e}\n" for i, e in [("id", "email"), *zip(IDS, EMAILS)]))
    how = ("-c", "email", "--aad", "id", *key())
    assert run("columns", "encrypt", "t.csv", *how, "-o", "s.csv").code == 0
    head, *rows = csv.reader(Path("s.csv").read_text().splitlines())
    assert base64.b64decode(rows[0][1])
    rows = [[i, e, own] for (i, _), (own, e) in zip(rows, [*rows[1:], rows[0]], strict=True)]
    Path("s.csv").write_text("".join(",".join(it) + "\n" for it in [[*head, "own"], *rows]))
    for command in ("decrypt", "rotate"):
        refused(run, 3, f"{ROWS} of {ROWS} rows do not open", command, "s.csv", *how)


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("kind", KINDS)
def test_honest_files_open_when_the_column_is_named(
    folder: Path, run: Run, kind: str, command: str
) -> None:
    sealed(run, kind, "--aad", "id", *key())
    refused(run, 2, "named: --aad id)", command, f"s.{kind}", *key())
    done = run("columns", command, f"s.{kind}", "--aad", "id", *key(), "-o", f"b.{kind}")
    assert (done.code, done.err) == (0, "")
    if command == "decrypt":
        assert read(f"b.{kind}").equals(TABLE)


def test_a_hint_is_quoted_for_the_shell(folder: Path, run: Run) -> None:
    """Its words are the file's: whoever copies the line runs nothing else."""
    name = "id; touch here\n"
    table = edited(sealed(run, "parquet", "--aad", "id", *key()), aad=name, context="$(x)")
    write(table.append_column(name, table["id"]), "s.parquet")
    wanted = ("columns", "decrypt", "s.parquet", *key(), "-o", "b")
    done = run(*wanted)
    assert done.code == 2 and "--aad 'id; touch here" in done.err and done.err.count("\n") == 1
    done = run(*wanted, "--aad", "id")
    assert done.code == 3 and "--context 'email=$(x)'" in done.err


# ---- Contexts -------------------------------------------------------------------------


def framed(text: str) -> bytes:
    return len(text).to_bytes(8, "big") + text.encode()


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("format", FORMATS)
def test_the_file_does_not_take_the_context_away(
    folder: Path, run: Run, format: str, command: str
) -> None:
    """Without a context associated data are a row's bytes. An attacker can put the context there,
    and the values of email would open as phone. Rows of xaes and siv are Tink's raw ones."""
    how = ("--format", format, "--context", "email=email", "--aad", "id", *key(format))
    table = sealed(run, "parquet", *how)
    own = pa.array([framed("email") + framed(it) for it in IDS])
    there = table.drop(["phone"]).append_column("own", own)
    theirs = "spark" if format == "spark" else "tink"
    for other in (there, there.set_column(0, "id", own)):
        aad = "own" if other is there else "id"
        attack = edited(other, to="phone", format=theirs, context=None, aad=aad)
        write(attack, "s.parquet")
        wanted = (command, "s.parquet", *key(format))
        refused(run, 2, "its associated data", *wanted)
        refused(run, 3, "sealed for no context, not phone", *wanted, "--aad", aad)
        more = ("--aad", aad, "--context", "phone=phone")
        refused(run, 3, "sealed for no context, not phone", *wanted, *more)


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("format", ["spark", "tink"])
def test_a_column_without_a_context_opens_when_its_format_is_said(
    folder: Path, run: Run, format: str, command: str
) -> None:
    """It may be another column in this one's place."""
    table = sealed(run, "parquet", "--format", format, *key(format))
    write(table.drop(["phone"]).rename_columns(["id", "phone"]), "s.parquet")
    wanted = (command, "s.parquet", *key(format))
    refused(
        run,
        3,
        f"sealed for no context, not phone (if it is the right column: --format {format}",
        *wanted,
    )
    done = run("columns", *wanted, "--format", format, "-o", "b.parquet")
    assert (done.code, done.err) == (0, "")
    if command == "decrypt":
        assert read("b.parquet")["phone"].to_pylist() == EMAILS


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("format", ["spark", "tink"])
def test_a_context_of_these_formats_is_said_or_the_name(
    folder: Path, run: Run, format: str, command: str
) -> None:
    sealed(run, "parquet", "--format", format, "--context", "email=email", *key(format))
    wanted = (command, "s.parquet", *key(format))
    said = (
        "sealed for the context email, not none (if it is the right column: --context email=email)"
    )
    refused(run, 3, said, *wanted, "--format", format)
    assert run("columns", *wanted, "-o", "b.parquet").code == 0
    more = ("--format", format, "--context", "email=email")
    assert run("columns", *wanted, *more, "-o", "c.parquet").code == 0


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_a_format_that_has_a_context_is_never_without(folder: Path, run: Run, command: str) -> None:
    write(edited(sealed(run, "parquet", *key()), context=None), "s.parquet")
    said = "sealed for no context, not email (format xaes always has one: restore it from a copy)"
    refused(run, 3, said, command, "s.parquet", *key())
