"""rijn columns: properties common to Parquet, Arrow IPC and CSV files."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Result, call
from table_files import (
    ARROW,
    ARROWS,
    MARK,
    PARQUET,
    ROWS,
    Kind,
    decoded,
    each,
    key,
    pa,
    read_table,
    same_tables,
    sealed_values,
    seen,
    small_table,
    texts,
    with_sealed_values,
    write_table,
)

from rijn.cli.columns.options import FORMATS
from rijn.cli.columns.tables import ENDINGS
from rijn.columns import Column, Keyset
from rijn.columns.formats import FORMATS as KNOWN

resource = pytest.importorskip("resource", reason="needs POSIX limits")
pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]
EMAIL = ["-c", "email", *key("xaes")]
NOTED = (PARQUET, ARROW, ARROWS)  # the file says which columns are sealed

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
    """Returns a table with every type that can be sealed, and with other types."""
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


def sealed_small(run: Run, kind: Kind, *how: str, table: Any = None) -> Any:
    """Writes a table, encrypts its column email, and returns the sealed table."""
    write_table(small_table() if table is None else table, kind.plain)
    done = run("columns", "encrypt", kind.plain, *EMAIL, *how)
    assert (done.code, done.err) == (0, "")
    return read_table(kind.sealed)


def opening(kind: Kind, *how: str, to: str = "b") -> list[str]:
    """Returns the command that decrypts the file of sealed_small."""
    return ["columns", "decrypt", kind.sealed, *kind.opening_options(*how), "-o", to, *key("xaes")]


def same(kind: Kind, name: str = "b") -> bool:
    return same_tables(read_table(kind.plain), read_table(name))


# ---- There and back -------------------------------------------------------------------


def test_the_formats_are_those_of_the_package() -> None:
    assert tuple(KNOWN) == FORMATS


@pytest.mark.parametrize("format", FORMATS)
@each()
def test_every_type_in_every_format(folder: Path, run: Run, kind: Kind, format: str) -> None:
    table = whole_table()
    wanted = [name for name, type_ in TYPES.items() if kind.takes(type_)]
    table = table.drop(list(TYPES.keys() - wanted) + (["list", "struct"] if kind.text else []))
    codecs: Any = {"compression": {"id": "ZSTD", "string": "GZIP"}, "use_dictionary": False}
    write_table(table, kind.plain, **codecs if kind is PARQUET else {})
    assert MARK.encode() in Path(kind.plain).read_bytes()
    columns, how = ",".join(wanted), ["--format", format]
    done = run("columns", "encrypt", kind.plain, "-c", columns, *how, *key(format))
    said = f"rijn: {kind.plain}: the file's metadata stays readable: of (--drop-metadata KEY omits one)"
    assert (done.code, done.out, done.err) == (0, b"", "" if kind.text else said + "\n")
    assert seen(folder) == {kind.plain, kind.sealed}
    assert MARK.encode() not in Path(kind.sealed).read_bytes()

    was, sealed = read_table(kind.plain), read_table(kind.sealed)
    assert sealed.schema.names == was.schema.names
    keyset = Keyset.from_file(f".key.d/{format}")
    for name in was.schema.names:
        if name not in wanted:
            assert decoded(sealed[name]).equals(decoded(was[name]))
            assert sealed.schema.field(name).equals(was.schema.field(name), check_metadata=True)
            continue
        assert sealed[name].is_null().equals(was[name].is_null())
        context = None if format in ("spark", "tink") else name
        column = pa.array(sealed_values(sealed, name)) if kind.text else sealed[name]
        opened = pa.chunked_array(Column(keyset, format, context=context).open(column))
        assert decoded(opened).to_pylist() == [
            it.encode() if isinstance(it, str) else it for it in was[name].to_pylist()
        ]

    again = how if format in ("spark", "tink") or kind.text else []
    more = ["-c", columns] if kind.text else []
    done = run("columns", "decrypt", kind.sealed, "-o", "b", *more, *again, *key(format))
    assert (done.code, done.err) == (0, "")
    assert same(kind)
    assert kind.layout(kind.plain) == kind.layout(kind.sealed) == kind.layout("b")


@each()
def test_only_some_columns(folder: Path, run: Run, kind: Kind) -> None:
    write_table(small_table(), kind.plain)
    both = ["-c", "email", "-c", "ssn"]
    assert run("columns", "encrypt", kind.plain, *both, *key("xaes")).code == 0
    done = run("columns", "decrypt", kind.sealed, "-c", "ssn", "-o", "b", *key("xaes"))
    assert done.code == 0, done.err
    assert read_table("b")["ssn"].equals(small_table()["ssn"])
    assert read_table("b")["email"].equals(read_table(kind.sealed)["email"])


@each()
def test_a_table_without_rows(folder: Path, run: Run, kind: Kind) -> None:
    sealed_small(run, kind, table=small_table().slice(0, 0))
    assert run(*opening(kind)).code == 0
    assert same(kind)


@each()
def test_padding_hides_lengths(folder: Path, run: Run, kind: Kind) -> None:
    sealed = sealed_small(run, kind, "--pad", "64")
    assert {len(it) for it in sealed_values(sealed) if it is not None} == {64 + 40}
    assert run(*opening(kind, "--pad", "64")).code == 0
    assert same(kind)


@each()
def test_equal_values_stay_equal(folder: Path, run: Run, kind: Kind) -> None:
    write_table(small_table(), kind.plain)
    wanted = ("columns", "encrypt", kind.plain, "-c", "ssn,email", "--deterministic", "ssn")
    done = run(*wanted, *key("xaes"))
    assert done.code == 7 and "no keyset is for format siv" in done.err
    assert "rijn columns keygen --format siv" in done.err and seen(folder) == {kind.plain}
    assert run(*wanted, *key("xaes", "siv")).code == 0
    was, sealed = small_table(), read_table(kind.sealed)
    assert len(set(sealed["ssn"].to_pylist())) == len(set(was["ssn"].to_pylist())) < 50
    live = [it for it in sealed["email"].to_pylist() if it is not None]
    assert len(set(live)) == len(live) > 200
    # Naming one deterministic column again leaves no other column sealed.
    siv = ["--deterministic", "ssn"]
    for again in [[*siv, "-c", "email"]] if kind.text else [[], siv]:
        wanted = ("columns", "decrypt", kind.sealed, *again, "-o", "b", "-f")
        done = run(*wanted, *key("siv", "xaes"))
        assert done.code == 0, done.err
        assert same(kind)


# ---- Keys -----------------------------------------------------------------------------


@each()
def test_rotating(folder: Path, run: Run, kind: Kind) -> None:
    sealed = sealed_small(run, kind)
    old, new = ".key.d/xaes", ".key.d/new"
    assert run("columns", "keygen", "--renew", old, "-o", new).code == 0
    assert Keyset.from_file(new).ids[1:] == Keyset.from_file(old).ids
    rotating = ("columns", "rotate", kind.sealed, *kind.opening_options())
    done = run(*rotating, "-k", new)
    assert (done.code, done.err) == (0, "")
    rotated = read_table(kind.sealed)
    pairs = zip(sealed["email"].to_pylist(), rotated["email"].to_pylist(), strict=True)
    assert all((a is None) == (b is None) and (a is None or a != b) for a, b in pairs)
    assert rotated.drop(["email"]).equals(sealed.drop(["email"]))
    wanted = ("columns", "decrypt", kind.sealed, *kind.opening_options(), "-o", "b")
    assert run(*wanted, "-k", old).code == 3
    assert run(*wanted, "-k", new).code == 0
    assert same(kind)
    # Values under the primary key stay byte for byte.
    assert run(*rotating, "-k", new, "-o", "again").code == 0
    assert read_table("again").equals(rotated)
    assert Path("again").read_bytes() == Path(kind.sealed).read_bytes()


@each()
def test_another_key_opens_nothing(folder: Path, run: Run, kind: Kind) -> None:
    sealed_small(run, kind)
    Keyset.generate("xaes").write(".key.d/other")
    done = run("columns", "decrypt", kind.sealed, *kind.opening_options(), "-o", "b", *key("other"))
    live = ROWS - small_table()["email"].null_count
    hint = "no value opens: check -k, and repeat" if kind.text else "also name the keyset"
    assert done.code == 3
    assert done.err.startswith(
        f"rijn: {kind.sealed}: column email: {live} of {ROWS} rows do not open,"
        f" the first is row 0 ({hint}"
    )
    assert seen(folder) == {kind.plain, kind.sealed}


# ---- Bound to a column and a row ------------------------------------------------------


@each()
def test_a_context_of_ones_own(folder: Path, run: Run, kind: Kind) -> None:
    given = ("--context", "email=customers.email")
    sealed = sealed_small(run, kind, *given)
    column = Column(Keyset.from_file(".key.d/xaes"), context="customers.email")
    opened = column.open(pa.array(sealed_values(sealed)), type="string")
    assert pa.chunked_array(opened).to_pylist() == texts()
    wanted = opening(kind)
    assert run(*wanted).code == 3
    assert run(*wanted, *given).code == 0
    done = run(*wanted, *given, "--context", "nope=x")
    assert done.code == 2 and "--context names nope" in done.err


@pytest.mark.parametrize("type_", [pa.int32(), pa.string(), pa.dictionary(pa.int8(), pa.string())])
@each()
def test_a_row_in_the_place_of_another(folder: Path, run: Run, kind: Kind, type_: Any) -> None:
    if kind.text and not pa.types.is_string(type_):
        return  # text has no other type
    ids = pa.array([str(i % 100) for i in range(ROWS)])
    ids = ids.dictionary_encode().cast(type_) if pa.types.is_dictionary(type_) else ids.cast(type_)
    table = small_table().set_column(0, "id", ids)
    sealed = sealed_small(run, kind, "--aad", "id", table=table)
    wanted = [*opening(kind, "--aad", "id"), "-f"]
    assert run(*wanted).code == 0
    assert same(kind)
    values = sealed_values(sealed)
    values[1], values[2] = values[2], values[1]
    write_table(with_sealed_values(sealed, values), kind.sealed)
    done = run(*wanted)
    assert done.code == 4 and "2 of 250 rows do not open, the first is row 1" in done.err


@each()
def test_associated_data_that_cannot_be(folder: Path, run: Run, kind: Kind) -> None:
    ids = pa.array([None if i == 133 else i for i in range(ROWS)], pa.int32())
    table = small_table().set_column(0, "id", ids).append_column("x", pa.array([0.5] * ROWS))
    write_table(table, kind.plain)
    wanted = ("columns", "encrypt", kind.plain, "-c", "email,ssn", *key("xaes"), "--aad")
    for aad, said in (
        ("id", "column id, the associated data of email, is null"),
        ("ssn", "column ssn is sealed itself"),
        ("x", "column x is of type double"),
        ("y", "there is no column y"),
    ):
        if kind.text and aad == "x":
            continue  # in text it is a valid column
        done = run(*wanted, aad)
        assert done.code == 2 and said in done.err
        assert seen(folder) == {kind.plain}
    assert "the first is row 133" in run(*wanted, "id").err


@each()
def test_values_without_associated_data_become_null(folder: Path, run: Run, kind: Kind) -> None:
    emails = ["a", "b", None, "d", "e"]
    table = sealed_small(
        run, kind, "--aad", "id", table=pa.table({"id": range(5), "email": emails})
    )
    lost = f"lost{kind.ending}"
    for rows, values in (([1, 2, 4], ["a", None, None, "d", None]), ([0, 1, 3, 4], [None] * 5)):
        some = pa.array([None if it in rows else it for it in range(5)])
        some = some.cast(table.schema.field(0).type)
        write_table(table.set_column(0, "id", some), lost, rows=3)
        wanted = ("columns", "decrypt", lost, *kind.opening_options("--aad", "id"), "-f", "-o", "b")
        done = run(*wanted, *key("xaes"))
        assert done.code == 2 and "associated data of email, is null" in done.err
        done = run(*wanted, *key("xaes"), "--errors", "null")
        assert done.code == 0 and read_table("b")["email"].to_pylist() == values
        count, first = values.count(None) - 1, values.index(None)
        assert done.err == (
            f"rijn: {lost}: column email: {count} of 5 rows do not open,"
            f" the first is row {first}; they are null in b\n"
        )


# ---- Damaged and unsuitable files -----------------------------------------------------


def alter(kind: Kind, sealed: Any, *rows: int) -> None:
    """Writes the table with a bit of these rows of email flipped."""
    values = sealed_values(sealed)
    for row in rows:
        value = values[row]
        assert value is not None
        values[row] = bytes([value[0] ^ 1]) + value[1:]
    write_table(with_sealed_values(sealed, values), kind.sealed)


@each()
def test_altered_rows_are_named(folder: Path, run: Run, kind: Kind) -> None:
    """Decryption leaves no result, and rotation changes nothing."""
    alter(kind, sealed_small(run, kind), 130, 131, 207)
    before = Path(kind.sealed).read_bytes()
    said = f"rijn: {kind.sealed}: column email: 3 of 250 rows do not open, the first is row 130 ("
    for words in (
        opening(kind),
        ["columns", "rotate", kind.sealed, *kind.opening_options(), *key("xaes")],
    ):
        done = run(*words)
        assert done.code == 4
        assert done.err.startswith(said)
        assert seen(folder) == {kind.plain, kind.sealed}
        assert Path(kind.sealed).read_bytes() == before


@each()
def test_altered_rows_become_null_with_errors_null(folder: Path, run: Run, kind: Kind) -> None:
    table = small_table().filter(pa.compute.is_valid(small_table()["email"]))
    fields = [it.with_nullable(it.name != "email") for it in table.schema]
    alter(kind, sealed_small(run, kind, table=table.cast(pa.schema(fields))), 130)
    done = run(*opening(kind), "--quiet", "--errors", "null")
    assert done.code == 0
    assert done.err == (
        f"rijn: {kind.sealed}: column email: 1 of {len(table)} rows do not open,"
        " the first is row 130; they are null in b\n"
    )
    values = table["email"].to_pylist()
    values[130] = None
    assert read_table("b")["email"].to_pylist() == values


@each()
def test_columns_that_cannot_be_sealed(folder: Path, run: Run, kind: Kind) -> None:
    table = small_table() if kind.text else whole_table()
    write_table(table, kind.plain)
    for name, said in (
        ("id", "column id is of type int64; Rijn encrypts only binary, string"),
        ("list", "column list is of type list"),
        ("struct", "column struct is of type struct"),
        ("nope", "there is no column nope"),
    ):
        if kind.text and name != "nope":
            continue  # in text it is a text column
        done = run("columns", "encrypt", kind.plain, "-c", name, *key("xaes"))
        assert done.code == 2
        assert done.err.startswith(f"rijn: {kind.plain}: ") and said in done.err
        assert seen(folder) == {kind.plain}
    write_table(small_table().rename_columns(["id", "email", "email"]), kind.plain)
    done = run("columns", "encrypt", kind.plain, *EMAIL)
    assert done.code == 2 and "there are several columns email" in done.err
    assert seen(folder) == {kind.plain}


@each(NOTED)
def test_columns_that_are_already_sealed_or_not_sealed(folder: Path, run: Run, kind: Kind) -> None:
    sealed_small(run, kind)
    done = run("columns", "encrypt", kind.sealed, *EMAIL)
    assert done.code == 9 and "column email is sealed already" in done.err
    done = run("columns", "decrypt", kind.plain, "-o", "b", *key("xaes"))
    assert done.code == 6 and "no column is marked as sealed" in done.err
    done = run("columns", "decrypt", kind.sealed, "-c", "ssn", "-o", "b", *key("xaes"))
    assert done.code == 6 and "column ssn is not sealed" in done.err
    assert seen(folder) == {kind.plain, kind.sealed}


@each()
def test_files_that_are_cut_or_empty(folder: Path, run: Run, kind: Kind) -> None:
    write_table(small_table(), kind.plain)
    if not kind.text:
        Path(kind.plain).write_bytes(Path(kind.plain).read_bytes()[:-100])
        done = run("columns", "encrypt", kind.plain, *EMAIL)
        assert done.code == 4 and done.err.startswith(f"rijn: {kind.plain}: damaged: ")
    Path(kind.plain).write_bytes(b"")
    done = run("columns", "encrypt", kind.plain, *EMAIL)
    hint = "the first line must have" if kind.text else "even a table"
    assert done.code == 6 and done.err.startswith(f"rijn: {kind.plain}: is empty ({hint}")
    assert seen(folder) == {kind.plain}


@each()
def test_a_result_of_another_kind_by_its_name(folder: Path, run: Run, kind: Kind) -> None:
    sealed_small(run, kind)
    before = seen(folder)
    for ending, said in ENDINGS.items():
        if said == kind.name:
            continue
        name = "o" + (ending.upper() if ending == ".tsv" else ending)
        for words in (
            ("encrypt", kind.plain, "-c", "email"),
            ("decrypt", kind.sealed, *kind.opening_options()),
            ("rotate", kind.sealed, *kind.opening_options()),
        ):
            done = run("columns", *words, *key("xaes"), "-o", name)
            assert done.code == 2, (name, words)
            assert done.err.startswith(f"rijn: {name}: its name says {said}, but the result is")
            assert f"the result is {kind.name}, like the source (give" in done.err
    assert seen(folder) == before


# ---- Results --------------------------------------------------------------------------


@each()
def test_existing_files_stay(folder: Path, run: Run, kind: Kind) -> None:
    sealed_small(run, kind)
    before = Path(kind.sealed).read_bytes()
    again = ("columns", "encrypt", kind.plain, *EMAIL)
    done = run(*again)
    assert done.code == 9 and f"{kind.sealed}: exists already" in done.err
    assert Path(kind.sealed).read_bytes() == before
    assert run(*again, "--force").code == 0
    assert Path(kind.sealed).read_bytes() != before
    # A plaintext is replaced only if -o names it. The source and the key never are.
    source = Path(kind.plain).read_bytes()
    for more in ([], ["--force"]):
        done = run("columns", "decrypt", kind.sealed, *kind.opening_options(), *key("xaes"), *more)
        assert done.code == 9 and Path(kind.plain).read_bytes() == source
    for name in (kind.plain, f"./{kind.plain}", ".key.d/xaes"):
        held = Path(name).read_bytes()
        assert run(*again, "--force", "-o", name).code == 9
        assert Path(name).read_bytes() == held
    assert run(*again, "-o", "-").code == 9
    assert seen(folder) == {kind.plain, kind.sealed}


@each()
def test_no_space(folder: Path, run: Run, kind: Kind) -> None:
    write_table(small_table(), kind.plain)
    Path(kind.sealed).write_text("old")
    done = call(
        [sys.executable, "-m", "rijn", "columns", "encrypt", kind.plain, "-f", *EMAIL],
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)),
    )
    assert done.code == 8
    assert done.err.startswith(f"rijn: {kind.sealed}: File too large (make room")
    assert Path(kind.sealed).read_text() == "old"
    assert seen(folder) == {kind.plain, kind.sealed}


MEANWHILE = """
import signal, sys
from pathlib import Path
from rijn.columns import Column
from rijn.cli import main
seal, calls = Column.seal, []
def meanwhile(self, array, aad=None):
    if len(array):
        calls.append(len(array))
    if len(calls) == int(sys.argv[1]):
        assert any(Path().glob(".rijn-*.part"))
        exec(sys.argv[2])
    return seal(self, array, aad)
Column.seal = meanwhile
sys.exit(main(sys.argv[3:]))
"""


@each()
def test_signals_and_changes_during_the_work(folder: Path, run_code: Run, kind: Kind) -> None:
    """During encryption of the second part (text: the first): nothing is left over, and a file that
    appears in the result's place stays."""
    write_table(small_table(), kind.plain)
    part = "1" if kind.text else "2"

    def meanwhile(does: str) -> Result:
        return run_code(MEANWHILE, part, does, "columns", "encrypt", kind.plain, *EMAIL)

    for number in (signal.SIGINT, signal.SIGTERM):
        done = meanwhile(f"signal.raise_signal({number})")
        assert done.code == 128 + number
        assert done.err == "rijn: interrupted (nothing was left behind)\n"
        assert seen(folder) == {kind.plain}
    done = meanwhile(f"Path('{kind.sealed}').write_text('mine')")
    assert done.code == 9
    assert Path(kind.sealed).read_text() == "mine"
    assert seen(folder) == {kind.plain, kind.sealed}
    os.remove(kind.sealed)
    done = meanwhile(f"open('{kind.plain}', 'ab').write(b'x')")
    if kind.text:  # its reader may have met the byte
        assert done.code != 0 and done.err.startswith(f"rijn: {kind.plain}: ")
    else:
        assert done.code == 1 and f"{kind.plain}: changed while it was read" in done.err
    assert seen(folder) == {kind.plain}


PEAK = """
import sys, pyarrow
from rijn.cli import main
from rijn.cli.columns import delimited
delimited.BLOCK = 1 << 16
assert main(sys.argv[1:]) == 0
print(pyarrow.default_memory_pool().max_memory())
"""


@each()
def test_memory_does_not_grow_with_the_table(folder: Path, run_code: Run, kind: Kind) -> None:
    """One row group or record batch, and some blocks. A table ten times as large (text: four times)
    takes no more."""
    part = pa.table({"email": [f"{i:064}" for i in range(20_000)], "x": ["x" * 64] * 20_000})
    peaks = []
    for count in (2, 8) if kind.text else (2, 20):
        options = {"use_dictionary": False} if kind is PARQUET else {}
        write_table(pa.concat_tables([part] * count), kind.plain, rows=len(part), **options)
        done = run_code(PEAK, "columns", "encrypt", kind.plain, "-f", *EMAIL)
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


@each()
def test_the_main_thread_alone_reads(folder: Path, run_code: Run, kind: Kind) -> None:
    """A reader thread that holds Python objects would abort a process that ends meanwhile."""
    table = whole_table()
    if kind.text:
        table = table.select(["string", "id"])
    options = {"options": pa.ipc.IpcWriteOptions(compression="zstd")} if "rr" in kind.ending else {}
    write_table(table, kind.plain, **options)
    columns = "string" if kind.text else "string,binary"
    done = run_code(READERS, "columns", "encrypt", kind.plain, "-c", columns, *key("xaes"))
    assert done.code == 0, done.err


# ---- Info -----------------------------------------------------------------------------


@each()
def test_info_shows_options_and_no_value(folder: Path, run: Run, kind: Kind) -> None:
    sealed_small(run, kind, "--aad", "id", "--pad", "32")
    done = run("columns", "info", kind.sealed)
    assert (done.code, done.err) == (0, "")
    count = "1" if kind.text else "3"
    told = [f"file        {kind.sealed}", f"rows        250 in {count} {kind.parts}"]
    if kind.text:
        told += [f"column      {name}, string" for name in ("id", "ssn", "email")]
        told += ["sealed      a CSV file does not record which columns are sealed"]
    else:
        told += [
            "column      id, int32, as it is",
            "column      ssn, string, as it is",
            "column      email, sealed, format xaes",
            "  type      string",
            f"  key       {Keyset.from_file('.key.d/xaes').ids[0]}",
            "  context   email",
            "  aad       column id",
            "  padding   in steps of 32 bytes",
        ]
    assert done.out.decode().splitlines() == told
