"""rijn columns: attacks by people without a key who can write a sealed file. They edit the notes of
sealed columns, and move values to other rows and columns."""

from __future__ import annotations

import base64
import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Result, call, names
from table_files import pa, pq, read_table, write_table

pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]
NAME = b"rijn.column"
ROWS = 40
IDS = [str(1000 + i) for i in range(ROWS)]
EMAILS = [f"{i}@example.com" for i in range(ROWS)]
TABLE = pa.table({"id": IDS, "email": EMAILS, "phone": [f"+31 {i}" for i in range(ROWS)]})
KINDS = ["parquet", "arrow", "arrows"]
FORMATS = ("xaes", "siv", "spark", "tink")


def write(table: Any, name: str) -> None:
    """Writes the table in one part."""
    write_table(table, name, rows=max(table.num_rows, 1))


def key(format: str = "xaes") -> list[str]:
    return ["-k", f".key.d/{format}"]


def sealed(run: Run, kind: str, *how: str) -> Any:
    """Returns the table in s.KIND, whose column email is sealed."""
    write(TABLE, f"t.{kind}")
    done = run("columns", "encrypt", f"t.{kind}", "-c", "email", *how, "-o", f"s.{kind}")
    assert (done.code, done.err) == (0, "")
    return read_table(f"s.{kind}")


def edited(table: Any, name: str = "email", to: str = "", **changes: Any) -> Any:
    """Returns the table with other members in a column's note, and with another name if `to` is set."""
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    note = json.loads(field.metadata[NAME]) | changes
    field = field.with_metadata({NAME: json.dumps(note)}).with_name(to or name)
    return table.set_column(place, field, table[name])


def turned(table: Any) -> Any:
    """Returns the attacker's table: each email stands in the next row, and `own` has its real id."""
    order = pa.array([*range(1, ROWS), 0])
    place = table.schema.get_field_index("email")
    table = table.set_column(place, table.schema.field(place), table["email"].take(order))
    return table.append_column("own", table["id"].take(order))


def refused(run: Run, code: int, said: str, *command: str) -> None:
    """Checks that the command fails, makes no result and leaves the source unchanged."""
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
def test_no_value_opens_beside_another_id(folder: Path, run: Run, kind: str) -> None:
    """With --errors null every row becomes null, because none opens."""
    table = turned(sealed(run, kind, "--aad", "id", *key()))
    write(edited(table, aad="own"), f"s.{kind}")
    wanted = ("columns", "decrypt", f"s.{kind}", *key(), "--errors", "null", "-o", f"b.{kind}")
    assert run(*wanted).code == 2
    assert run(*wanted, "--aad", "id").code == 0
    assert read_table(f"b.{kind}")["email"].null_count == ROWS


def test_a_csv_file_does_not_choose_the_associated_data(folder: Path, run: Run) -> None:
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
    refused(run, 2, "named that column: --aad id)", command, f"s.{kind}", *key())
    done = run("columns", command, f"s.{kind}", "--aad", "id", *key(), "-o", f"b.{kind}")
    assert (done.code, done.err) == (0, "")
    if command == "decrypt":
        assert read_table(f"b.{kind}").equals(TABLE)


def test_a_hint_is_quoted_for_the_shell(folder: Path, run: Run) -> None:
    """Its words come from the file. A user who copies the line runs nothing else."""
    name = "id; touch here\n"
    table = edited(sealed(run, "parquet", "--aad", "id", *key()), aad=name, context="$(x)")
    write(table.append_column(name, table["id"]), "s.parquet")
    wanted = ("columns", "decrypt", "s.parquet", *key(), "-o", "b")
    done = run(*wanted)
    assert done.code == 2 and "--aad 'id; touch here" in done.err and done.err.count("\n") == 1
    done = run(*wanted, "--aad", "id")
    assert done.code == 3 and "--context 'email=$(x)'" in done.err


# ---- Numbers and texts ----------------------------------------------------------------


WIDE = 199_999_999


def small(values: list[bytes | None], run: Run, kind: str = "parquet", columns: int = 1) -> Any:
    """Returns the table in s.KIND, with sealed columns of bytes."""
    write(pa.table({f"c{i}": pa.array(values, pa.binary()) for i in range(columns)}), f"t.{kind}")
    wanted = ",".join(f"c{i}" for i in range(columns))
    done = run("columns", "encrypt", f"t.{kind}", "-c", wanted, *key(), "-o", f"s.{kind}")
    assert (done.code, done.err) == (0, "")
    return read_table(f"s.{kind}")


def opens_within(kind: str, limit: int, *more: str) -> Result:
    """Runs decrypt in a process with this many bytes more than Rijn and pyarrow take at rest."""
    words = [sys.executable, "-c", LIMITED, str(limit), "columns", "decrypt", f"s.{kind}", *key()]
    return call([*words, "-o", f"b.{kind}", *more])


LIMITED = """
import resource, sys
import pyarrow.csv, pyarrow.parquet, nanoarrow
from rijn.cli import main
from rijn.cli.columns import kinds, tasks
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + int(sys.argv[1]),) * 2)
raise SystemExit(main([*sys.argv[2:], "-j", "1"]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits of memory")
@pytest.mark.parametrize("dictionary", [None, "int8"])
@pytest.mark.parametrize("values", [[None] * 12, [b"short", None], [b"short"]])
@pytest.mark.parametrize("kind", KINDS)
def test_a_width_gets_no_memory_that_the_file_does_not_have(
    folder: Path, run: Run, kind: str, values: list[bytes | None], dictionary: str | None
) -> None:
    table = small(values, run, kind)
    type_ = f"fixed_size_binary[{WIDE}]"
    write(edited(table, "c0", type=type_, dictionary=dictionary), f"s.{kind}")
    for more in [], ["--errors", "null"]:
        done = opens_within(kind, 1 << 29, *more)
        code, said = (1, "do not have the") if any(values) else (9, "but the file has ")
        assert (done.code, said in done.err) == (code, True), done.err
        assert f"b.{kind}" not in names(folder)


def test_widths_of_several_columns_count_together(folder: Path, run: Run) -> None:
    table = small([None] * 100, run, columns=3)
    for i in range(3):
        table = edited(table, f"c{i}", type=f"fixed_size_binary[{1 << 20}]")
    write(table, "s.parquet")
    done = run("columns", "decrypt", "s.parquet", *key(), "-o", "b.parquet")
    assert (
        done.code == 9 and "column c2 says that its type was fixed_size_binary[1048576]" in done.err
    )
    assert "which would take 104,857,600 bytes of memory, but the file has " in done.err
    assert (
        run("columns", "decrypt", "s.parquet", "-c", "c0,c1", *key(), "-o", "b.parquet").code == 0
    )


def test_a_column_of_wide_nulls_opens_as_bytes(folder: Path, run: Run) -> None:
    value = b"x" * (1 << 20)
    write(pa.table({"c0": pa.array([value, *[None] * 270], pa.binary(1 << 20))}), "t.parquet")
    assert run("columns", "encrypt", "t.parquet", "-c", "c0", *key(), "-o", "s.parquet").code == 0
    table = read_table("s.parquet")
    live = table.slice(0, 1)
    none = pa.table({"c0": pa.nulls(270, pa.binary())}, schema=table.schema)
    pq.write_table(pa.concat_tables([live, none]), "s.parquet", compression="zstd")
    wanted = ("columns", "decrypt", "s.parquet", *key(), "-o", "b.parquet")
    assert run(*wanted).code == 9
    assert run(*wanted, "-c", "c0", "--type", "string").code == 2
    done = run(*wanted, "-c", "c0", "--type", "binary")
    assert (done.code, done.err) == (0, "")
    assert read_table("b.parquet")["c0"].to_pylist() == [value, *[None] * 270]


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits of memory")
@pytest.mark.parametrize(
    "changes", [{"pad": 2**31 - 1}, {"key": 2**32 - 1}, {"dictionary": "int64"}]
)
def test_other_numbers_get_no_memory(folder: Path, run: Run, changes: dict[str, Any]) -> None:
    write(edited(small([b"short", None] * 50, run), "c0", **changes), "s.parquet")
    done = opens_within("parquet", 1 << 28)
    assert done.code == (3 if "pad" in changes else 0), done.err
    assert run("columns", "rotate", "s.parquet", *key()).code == 0


@pytest.mark.parametrize("member", ["pad", "key"])
def test_numbers_outside_their_range(folder: Path, run: Run, member: str) -> None:
    table = sealed(run, "parquet", *key())
    for number in (0, -1, 2**31 if member == "pad" else 2**32, True, 1.5, "1"):
        write(edited(table, **{member: number}), "s.parquet")
        refused(run, 6, f"its {member} is unknown", "decrypt", "s.parquet", *key())


SPARK = b"org.apache.spark.sql.parquet.row.metadata"
HALF = r'"\ud800"'


@pytest.mark.parametrize("member", ["context", "aad", "type", "format", "dictionary"])
def test_half_of_a_surrogate_pair(folder: Path, run: Run, member: str) -> None:
    table = edited(sealed(run, "parquet", *key()), **{member: "\ud800"})
    assert b"ud800" in table.schema.field("email").metadata[NAME]
    write(table, "s.parquet")
    for command in ("decrypt", "rotate"):
        refused(run, 6, f"its {member} is unknown", command, "s.parquet", *key())


def test_spark_metadata_is_not_trusted(folder: Path, run: Run) -> None:
    """For any contents: half of a surrogate pair, or bytes that are not text."""
    table = sealed(run, "parquet", *key())
    fields = "".join(
        f'{{"name": "{name}", "type": "binary", "nullable": true, "metadata": {{"rijn.column": {HALF}}}}},'
        for name in table.schema.names
    )
    kept = ('{"type": "struct", "fields": [' + fields[:-1] + "]}").encode()
    place = table.schema.get_field_index("phone")
    field = table.schema.field(place).with_metadata({NAME: b"\xff"})
    table = table.set_column(place, field, table["phone"]).replace_schema_metadata({SPARK: kept})
    write(table, "s.parquet")
    wanted = ("columns", "decrypt", "s.parquet", *key(), "-o", "b.parquet")
    done = run(*wanted)
    assert done.code == 6 and "column phone: its metadata rijn.column cannot be read" in done.err
    done = run(*wanted, "-c", "email")
    assert (done.code, done.err) == (0, "")
    assert read_table("b.parquet")["email"].to_pylist() == EMAILS


# ---- Contexts -------------------------------------------------------------------------


def framed(text: str) -> bytes:
    return len(text).to_bytes(8, "big") + text.encode()


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("format", FORMATS)
def test_the_file_does_not_take_the_context_away(
    folder: Path, run: Run, format: str, command: str
) -> None:
    """Without a context, associated data is a row's bytes. An attacker can put the context there, and
    the values of email would open as phone. Rows of xaes and siv are the same as Tink's raw rows."""
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
def test_a_column_without_a_context_opens_with_its_format_given(
    folder: Path, run: Run, format: str, command: str
) -> None:
    """The file may hold another column instead of this one."""
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
        assert read_table("b.parquet")["phone"].to_pylist() == EMAILS


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
@pytest.mark.parametrize("format", ["spark", "tink"])
def test_a_context_of_these_formats_is_given_or_the_name(
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
