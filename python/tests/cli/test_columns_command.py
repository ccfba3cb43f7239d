"""rijn columns: keysets, contexts, sources and results, which work the same for every kind of file."""

from __future__ import annotations

import errno
import importlib
import json
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from program import KEY, LIMIT, RIJN, Result, call, names
from table_files import (
    key,
    pa,
    pq,
    read_table,
    same_tables,
    seen,
    small_table,
    write_table,
)

from rijn._install import pip_install
from rijn.columns import Column, Keyset
from rijn.files import format_key

tasks = pytest.importorskip("rijn.cli.columns.tasks", reason="needs pyarrow")
Parts = tasks.Parts
engines = pytest.importorskip("rijn.cli.columns.engines", reason="needs pyarrow")
tables: Any = pytest.importorskip("rijn.cli.columns.tables", reason="needs pyarrow")
Table, Writer = tables.Table, tables.Writer
pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]


def write(table: Any, name: str = "t.parquet") -> None:
    write_table(table, name)


def sealed_small(run: Run) -> Any:
    """Writes t.parquet and t.sealed.parquet, and returns the second table."""
    write(small_table())
    done = run("columns", "encrypt", "t.parquet", "-c", "email", *key("xaes"))
    assert (done.code, done.err) == (0, "")
    return read_table("t.sealed.parquet")


def same(one: str, other: str) -> bool:
    return same_tables(read_table(one), read_table(other))


def test_names_with_commas(folder: Path, run: Run) -> None:
    write(small_table().rename_columns(["last", "last,first", "email"]))
    done = run("columns", "encrypt", "t.parquet", "-c", "last,first", *key("xaes"))
    assert done.code == 2 and "a column last,first, and there is a column last (" in done.err
    assert seen(folder) == {"t.parquet"}
    table = small_table().rename_columns(["id", "last,first", "email"])
    write(table)
    done = run("columns", "encrypt", "t.parquet", "-c", "last,first", *key("xaes"))
    assert done.code == 0, done.err
    assert read_table("t.sealed.parquet").schema.field(1).type == pa.binary()


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
    """For example `-k <(vault read …)`."""
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
    sealed = read_table("t.sealed.parquet")["email"]
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
    # Rijn protects an input redirected from a file as well as a named file.
    with open(".key.d/xaes", "rb") as file:
        done = call([*RIJN, *wanted, ".key.d/xaes", "-f"], stdin=file)
    assert done.code == 9 and Path(".key.d/xaes").read_bytes() == keyset
    os.chmod(".key.d/xaes", 0o644)
    with open(".key.d/xaes", "rb") as file:
        done = call([*RIJN, *wanted, "c"], stdin=file)
    assert done.code == 7 and "standard input: bad keyset: others have access" in done.err
    assert seen(folder) == {"t.parquet", "t.sealed.parquet", "b", "new"}


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rotate"])
def test_spark_refuses_a_keyset_that_can_be_read_once(folder: Path, run: Run, command: str) -> None:
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
    # The note is not authenticated, and nothing depends on it.
    table = read_table("t.sealed.parquet")
    field = table.schema.field("email")
    text = field.metadata[b"rijn.column"].replace(str(new).encode(), b"7")
    table = table.set_column(2, field.with_metadata({b"rijn.column": text}), table["email"])
    write(table, "t.sealed.parquet")
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("new")).code == 0
    assert same("t.parquet", "b")
    # The key of a Rijn key file has no id.
    Path(".key.d/file").write_text(format_key(KEY * 2))
    Path(".key.d/file").chmod(0o600)
    done = run("columns", "encrypt", "t.parquet", "-c", "email", "-o", "f", *key("file"))
    assert (done.code, done.err) == (0, "")
    assert key_noted("f") is None
    assert b"  key" not in run("columns", "info", "f").out
    done = run("columns", "decrypt", "f", "-o", "c", *key("xaes"))
    assert done.code == 3 and "check the keyset" in done.err


def test_the_first_keyset_seals(folder: Path, run: Run) -> None:
    """A renewed keyset also contains the old one's key."""
    sealed = sealed_small(run)
    old, new = ".key.d/xaes", ".key.d/new"
    assert run("columns", "keygen", "--renew", old, "-o", new).code == 0
    assert run("columns", "rotate", "t.sealed.parquet", "-k", new).code == 0
    rotated = read_table("t.sealed.parquet")
    assert not rotated.equals(sealed)
    for both, same_as in (([new, old], True), ([old, new], False)):
        done = run("columns", "rotate", "t.sealed.parquet", "-k", both[0], "-k", both[1], "-o", "c")
        assert (done.code, done.err) == (0, "")
        assert read_table("c").equals(rotated) == same_as
        assert run("columns", "decrypt", "-f", "c", "-o", "d", "-k", both[0]).code == 0
        os.remove("c")
    done = run("columns", "keygen", "--renew", ".key.d/siv", "-o", "k")
    assert done.code == 2 and "--format" in done.err and "k" not in seen(folder)


def test_the_first_keyset_seals_and_all_open(folder: Path, run: Run) -> None:
    sealed_small(run)
    Keyset.generate("xaes").write(".key.d/new")
    assert run("columns", "rotate", "t.sealed.parquet", *key("new", "xaes")).code == 0
    assert run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("new")).code == 0
    assert same("t.parquet", "b")


def test_a_column_under_another_name(folder: Path, run: Run) -> None:
    sealed = sealed_small(run).rename_columns(["id", "ssn", "mail"])
    write(sealed, "t.sealed.parquet")
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    done = run(*wanted)
    assert done.code == 3 and "b" not in seen(folder)
    assert "column mail was sealed for the context email, not mail" in done.err
    assert "--context mail=email" in done.err
    assert run(*wanted, "--context", "mail=email").code == 0
    assert read_table("b")["mail"].equals(small_table()["email"])


def test_a_column_in_the_place_of_another(folder: Path, run: Run) -> None:
    """It does not open, neither with its own note nor with the other's."""
    write(small_table())
    assert run("columns", "encrypt", "t.parquet", "-c", "ssn,email", *key("xaes")).code == 0
    sealed = read_table("t.sealed.parquet")
    wanted = ("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
    write(sealed.rename_columns(["id", "email", "ssn"]), "t.sealed.parquet")
    assert run(*wanted).code == 3
    swapped = pa.table([sealed["id"], sealed["email"], sealed["ssn"]], schema=sealed.schema)
    write(swapped, "t.sealed.parquet")
    assert run(*wanted).code == 3
    assert "b" not in seen(folder)


NOTE = b"""{"version": 1, "format": "xaes", "key": %s, "context": "email", "aad": null, "pad": %s,
    "type": "%s", "dictionary": null}"""


NOTES = [
    *(b"", b"[]", b"{}", b"[" * 100_000, b'{"version": 2}', b'{"version": 1}'),
    NOTE % (b"null", b"0", b"string"),
    NOTE % (b"null", b"null", b"Table"),
    *(NOTE % (id, b"null", b"string") for id in (b"0", b"true", b'"7"', b"4294967296")),
]


def test_an_invalid_note(folder: Path, run: Run) -> None:
    sealed = sealed_small(run)
    for text in NOTES:
        field = sealed.schema.field("email").with_metadata({b"rijn.column": text})
        write(sealed.set_column(2, field, sealed["email"]), "t.sealed.parquet")
        done = run("columns", "decrypt", "t.sealed.parquet", "-o", "b", *key("xaes"))
        assert done.code == 6, text[:200]
        assert "column email: its metadata rijn.column cannot be read" in done.err, text[:200]


def test_sources_that_are_not_tables(folder: Path, run: Run) -> None:
    Path("t.json").write_text("id,email\n1,a\n")
    for name in ("encrypt", "info"):
        more = ["-c", "email", *key("xaes")] if name == "encrypt" else []
        done = run("columns", name, "t.json", *more)
        assert done.code == 6
        assert done.err.startswith("rijn: t.json: neither a Parquet nor an Arrow IPC file (")
    done = run("columns", "encrypt", "no.parquet", "-c", "email", *key("xaes"))
    assert done.code == 1 and done.err.startswith("rijn: no.parquet: No such file")
    done = run("columns", "encrypt", "-", "-c", "email", *key("xaes"))
    assert done.code == 2
    assert seen(folder) == {"t.json"}
    for name in ("encrypt", "info"):
        more = ["-c", "email", *key("xaes")] if name == "encrypt" else []
        done = run("columns", name, "/dev/stdin", *more, stdin=b"PAR1")
        assert done.code == 1 and done.err.startswith("rijn: /dev/stdin: is a pipe or a device (")


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
def test_a_context_that_names_no_column_or_one_twice(
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
    """With --engine spark, Spark's processes do the work. Otherwise -j sets the number of threads."""
    asked: list[int] = []

    class Asked(Exception):
        pass

    def options(_keys: object, _force: bool, jobs: int, *_more: object, **_named: object) -> None:
        asked.append(jobs)
        raise Asked

    module = importlib.import_module(f"rijn.cli.columns.{command}")
    monkeypatch.setattr(engines, "check_options", lambda: None)
    monkeypatch.setattr(engines, "needs_packages", lambda *_more: None)
    monkeypatch.setattr(tasks, "Options", options)
    write(small_table())
    column = ["-c", "email"] if command == "encrypt" else []
    words = ["t.parquet", "-o", "b", *column, *key("xaes"), "--engine", engine, "-j", "3"]
    with pytest.raises(Asked):
        module.command.main(words, standalone_mode=False)
    assert asked == [1 if engine == "spark" else 3]


class Slow(Writer):
    """A writer whose parts wait until the next part is read."""

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


def test_an_error_in_the_last_part_is_raised() -> None:
    writer = Slow()
    writer.read.set()
    with Parts(writer, 2) as parts:
        parts.write("bad", large=False)
        with pytest.raises(OSError, match="full"):
            parts.wait()


@pytest.mark.parametrize("interrupted", [False, True])
def test_no_part_is_written_after_an_error(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an error, also if a signal arrives during the wait."""
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


@pytest.mark.parametrize(
    ("jobs", "large", "behind"), [(1, False, True), (2, True, True), (2, False, False)]
)
def test_a_part_is_written_at_once(jobs: int, large: bool, behind: bool) -> None:
    """With one job, when two parts are too much for memory, and with writers whose `behind` is False."""
    writer = Slow()
    writer.behind = behind
    writer.read.set()
    with Parts(writer, jobs) as parts:
        parts.write("one", large=large)
        assert writer.written == [("one", True)]
        assert writer.threads == {threading.current_thread()}


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
            f"rijn: rijn columns needs the package {package} ({pip_install('parquet')})\n"
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
