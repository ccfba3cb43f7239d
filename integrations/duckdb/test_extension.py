"""Tests the DuckDB extension against rijn.columns: each opens the rows that the other seals.
`make duckdb-test` builds the extension and installs the packages that the tests need."""

from __future__ import annotations

import base64
import ctypes
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from limits import LIMIT

duckdb = pytest.importorskip("duckdb", reason="needs duckdb: make duckdb-test")
pa = pytest.importorskip("pyarrow", reason="needs pyarrow: make duckdb-test")
pytest.importorskip("nanoarrow", reason="needs nanoarrow: make duckdb-test")

import pyarrow.parquet as pq

import rijn
from rijn.columns import Column, Keyset
from rijn.columns.formats import FORMATS

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "vectors" / "keysets.json"
EXTENSION = HERE.parents[1] / "build" / "duckdb" / "rijn.duckdb_extension"
COUNT = 5000
VECTOR = 2048
VALUES = [
    None if i % 7 == 3 else b"" if i % 11 == 5 else b"user%d@" % i * (1 + i % 40)
    for i in range(COUNT)
]
IDS = [str(i) for i in range(COUNT)]

pytestmark = pytest.mark.skipif(not EXTENSION.exists(), reason="needs make duckdb")


def connected(**config: str) -> Any:
    con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2", **config})
    con.execute(f"LOAD '{EXTENSION}'")
    return con


@pytest.fixture
def con(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    with connected() as con:
        con.register("plain", table(VALUES))
        yield con


def table(values: list[bytes | None]) -> Any:
    ids = pa.array([str(i) for i in range(len(values))])
    numbers = pa.array(range(len(values)))
    return pa.table({"n": numbers, "id": ids, "value": pa.array(values, pa.binary())})


def keysets() -> dict[str, tuple[str, str]]:
    """Returns the format and the text of a keyset, for every type of key."""
    found = {name: (name, Keyset.generate(name).json()) for name in FORMATS}
    for kind in ("xaes", "siv"):
        raw = Keyset.generate(kind).json()
        found[f"tink, {kind}, raw"] = ("tink", raw)
        found[f"tink, {kind}"] = ("tink", raw.replace('"RAW"', '"TINK"'))
    found["tink, raw"] = ("tink", Keyset.generate("tink").json().replace('"TINK"', '"RAW"'))
    for size in (16, 32):
        key = f"# a comment\n\nrijn-key-v1 {os.urandom(size).hex()}\n"
        found[f"gcm-siv, key file of {size}"] = ("gcm-siv", key)
    return found


def written(text: str | bytes, name: str = "k.json", mode: int = 0o600) -> str:
    """Writes a keyset file with this text, and returns a reference to it."""
    path = Path(name)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return f"file:{path}"


def rows(con: Any, query: str) -> list[Any]:
    return [row for (row,) in con.execute(query).fetchall()]


def message(con: Any, query: str) -> str:
    with pytest.raises(duckdb.Error) as caught:
        con.execute(query).fetchall()
    return str(caught.value)


KEYSETS = keysets()


# ---- Rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("aad", [None, "id", "id::BLOB", "'all'"])
@pytest.mark.parametrize("name", KEYSETS)
def test_sql_and_python_open_each_others_rows(con: Any, name: str, aad: str | None) -> None:
    """Column opens the rows that SQL seals, and the reverse. Nulls stay nulls."""
    format, text = KEYSETS[name]
    keyset = written(text)
    for context in ("t.value", None) if not FORMATS[format].framed else ("t.value",):
        column = Column(Keyset.from_file("k.json"), format, context=context)
        ours = {None: None, "'all'": b"all"}.get(aad, pa.array(IDS))
        given = f"'{keyset}', {context and repr(context) or 'NULL'}, {aad or repr('')}, '{format}'"
        con.execute(
            f"CREATE OR REPLACE TABLE s AS SELECT n, id, rijn_seal(value, {given}) v FROM plain"
        )
        theirs = con.sql("SELECT v FROM s ORDER BY n").to_arrow_table()["v"]
        assert pa.chunked_array(column.open(theirs, ours)).to_pylist() == VALUES
        sealed = table(pa.array(column.seal(pa.array(VALUES), ours)).to_pylist())
        con.register("sealed", sealed)
        opened = rows(con, f"SELECT rijn_open(value, {given}) FROM sealed ORDER BY n")
        assert opened == VALUES
        if aad is not None:
            other = given.replace(f" {aad},", " 'other',")
            assert not any(
                rows(con, f"SELECT rijn_try_open(v, {other}) FROM s WHERE v IS NOT NULL")
            )


def test_default_format_is_xaes(con: Any) -> None:
    given = f"'{written(Keyset.generate('xaes').json())}', 't.value'"
    column = Column(Keyset.from_file("k.json"), context="t.value")
    sealed = con.sql(f"SELECT rijn_seal(value, {given}) v FROM plain ORDER BY n").to_arrow_table()
    assert pa.chunked_array(column.open(sealed["v"])).to_pylist() == VALUES
    bound = con.sql(f"SELECT rijn_seal(value, {given}, id) v FROM plain").to_arrow_table()["v"]
    assert pa.chunked_array(column.open(bound, pa.array(IDS))).to_pylist() == VALUES


def test_vectors_of_every_kind(con: Any) -> None:
    """Seals constants, dictionaries, filtered and sliced vectors, and text inside and outside the
    vector. Text is sealed unchanged, also with backslashes."""
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    sealed = rows(con, f"SELECT rijn_seal('one', {given}) FROM range({COUNT})")
    assert len(set(sealed)) == COUNT
    con.execute("CREATE TYPE mood AS ENUM ('sad', 'a mood that is longer than twelve')")
    con.execute(
        "CREATE TABLE moods AS SELECT i, CASE WHEN i % 5 > 0 THEN enum_code(m)::VARCHAR END AS code,"
        " m::VARCHAR AS text FROM (SELECT i, enum_range(NULL::mood)[1 + i % 2]::mood AS m"
        f" FROM range({COUNT}) t(i))"
    )
    con.execute("COPY moods TO 'moods.parquet'")
    for column in ("code", "text"):
        for where in ("", "WHERE i % 3 = 1", f"ORDER BY i LIMIT 1000 OFFSET {VECTOR - 5}"):
            seal = f"rijn_seal({column}, {given}, i::VARCHAR)"
            made = f"SELECT i, {column} AS was, {seal} AS v FROM 'moods.parquet' {where}"
            back = f"decode(rijn_open(v, {given}, i::VARCHAR))"
            found = con.execute(f"SELECT was, {back} FROM ({made})").fetchall()
            assert len(found) >= 1000
            assert all(was == opened for was, opened in found)
    for text in (r"\x41", "\\", "gr\u00fcn", "\u00fc" * 7):
        assert rows(
            con,
            f"SELECT decode(rijn_open(rijn_seal('{text}', {given}, '{text}'), {given},"
            f" '{text}'::VARCHAR))",
        ) == [text]
        assert rows(
            con, f"SELECT rijn_try_open(rijn_seal('', {given}, '{text}'), {given}, '')"
        ) == [None]
    assert rows(con, f"SELECT rijn_seal(NULL, {given}) FROM range(3)") == [None] * 3
    assert rows(con, f"SELECT rijn_open(NULL, {given}) FROM range(0)") == []


def test_threads_share_a_keyset_and_repeat_no_nonce(con: Any) -> None:
    count = 300_000
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    con.execute(f"CREATE TABLE many AS SELECT i::VARCHAR AS v FROM range({count}) t(i)")
    con.execute(f"CREATE TABLE s AS SELECT v, rijn_seal(v, {given}) AS sealed FROM many")
    assert rows(con, f"SELECT count(*) FROM s WHERE decode(rijn_open(sealed, {given})) = v") == [
        count
    ]
    assert rows(con, "SELECT count(DISTINCT sealed[:24]) FROM s") == [count]
    # the rows of a vector have the same 16 random bytes, then a count
    ends = con.execute(
        "SELECT sealed[:16], count(*), max(sealed[17:24]) FROM s GROUP BY 1"
    ).fetchall()
    assert len(ends) <= count / VECTOR + 16
    assert all(int.from_bytes(last) == n - 1 for _, n, last in ends)
    assert all(len({first[i] for first, _, _ in ends}) > 1 for i in range(16))


def test_two_calls_seal_twice(con: Any) -> None:
    """Two equal calls in one query get different nonces. DuckDB would compute a function that is not
    volatile only once."""
    for name in ("gcm-siv", "xaes"):
        given = f"'{written(Keyset.generate(name).json())}', 'c', '', '{name}'"
        one, two = con.execute(
            f"SELECT rijn_seal(id, {given}), rijn_seal(id, {given}) FROM plain"
        ).fetchone()
        assert one != two
    found = con.execute(
        "SELECT DISTINCT function_name, stability FROM duckdb_functions()"
        " WHERE function_name IN ('rijn_seal', 'rijn_open', 'rijn_try_open')"
    ).fetchall()
    functions = ("rijn_seal", "rijn_open", "rijn_try_open")
    assert sorted(found) == sorted((name, "VOLATILE") for name in functions)


def test_backend(con: Any) -> None:
    """The backend is Rijn's default in each row, and RIJN_BACKEND chooses it."""
    found = con.execute("SELECT DISTINCT rijn_backend() FROM plain").fetchall()
    assert found == [(rijn.AES(bytes(16)).backend,)]
    code = (
        "import duckdb, sys\n"
        "con = duckdb.connect(config={'allow_unsigned_extensions': 'true'})\n"
        "con.execute(f\"LOAD '{sys.argv[1]}'\")\n"
        "con.execute('SET enable_progress_bar = false')\n"
        "print(*con.execute('SELECT rijn_backend() FROM range(2)').fetchall())"
    )

    def asked(name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, EXTENSION],
            check=False,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env={**os.environ, "RIJN_BACKEND": name},
        )

    assert asked("fixslice32").stdout.strip() == "('fixslice32',) ('fixslice32',)"
    assert "RIJN_BACKEND" in asked("table").stderr


def test_named_arguments(con: Any) -> None:
    """The README's macro gives the arguments names, which the catalog shows."""
    (macro,) = re.findall(
        r"(?s)```sql\n(CREATE MACRO seal\(.*?;)\n", (HERE / "README.md").read_text("utf-8")
    )
    con.execute(macro)
    keyset = written(Keyset.generate("xaes").json())
    con.execute(
        "CREATE TABLE named AS SELECT id,"
        f" seal(value, keyset := '{keyset}', context := 'c', aad := id) AS v FROM plain"
    )
    opened = rows(con, f"SELECT rijn_open(v, '{keyset}', 'c', id) FROM named")
    assert opened == VALUES
    (names,) = con.execute(
        "SELECT parameters FROM duckdb_functions() WHERE function_name = 'seal'"
    ).fetchone()
    assert names == ["value", "keyset", "context", "aad", "format"]


def test_opened_values_are_not_folded_or_indexed(con: Any) -> None:
    """Opened values get neither into a plan nor into an index, which is on disk."""
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    con.execute(f"CREATE TABLE s AS SELECT rijn_seal('a value of its own', {given}) AS v")
    (row,) = rows(con, "FROM s")
    literal = "'" + "".join(f"\\x{byte:02x}" for byte in row) + "'::BLOB"
    for function in ("rijn_open", "rijn_try_open"):
        call = f"decode({function}({literal}, {given}))"
        for query in (f"SELECT {call}", f"SELECT v FROM s WHERE {call} <> ''"):
            for before in ("EXPLAIN", "EXPLAIN ANALYZE", "EXPLAIN (FORMAT json)"):
                plan = repr(con.execute(f"{before} {query}").fetchall())
                assert function in plan and "a value of" not in plan
        assert rows(con, f"SELECT {call}") == ["a value of its own"]
        said = message(con, f"CREATE INDEX i ON s ({function}(v, {given}))")
        assert "side effects" in said


def test_case_guards_rijn_open(con: Any) -> None:
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    con.execute(
        f"CREATE TABLE s AS SELECT n, CASE WHEN n % 2 = 0 THEN rijn_seal('v', {given})"
        " ELSE 'none'::BLOB END AS v FROM plain"
    )
    opened = f"rijn_open(v, {given})"
    assert "not genuine" in message(con, f"SELECT {opened} FROM s")
    found = rows(con, f"SELECT CASE WHEN n % 2 = 0 THEN {opened} END FROM s ORDER BY n")
    assert found == [b"v", None] * (COUNT // 2)


def test_defaults_and_generated_columns(con: Any) -> None:
    """A default is sealed for each row. The opened values of a generated column are not stored."""
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    con.execute("ATTACH 'kept.db'")
    con.execute(
        f"CREATE TABLE kept.t (n INT, v BLOB DEFAULT rijn_seal(upper('a value of its own'), {given}),"
        f" opened VARCHAR GENERATED ALWAYS AS (decode(rijn_open(v, {given}))) VIRTUAL)"
    )
    con.execute("INSERT INTO kept.t (n) SELECT * FROM range(9)")
    assert rows(con, "SELECT count(DISTINCT v) FROM kept.t") == [9]
    assert rows(con, "SELECT opened FROM kept.t") == ["A VALUE OF ITS OWN"] * 9
    con.execute("CHECKPOINT kept")
    (row,) = rows(con, "SELECT v FROM kept.t LIMIT 1")
    con.execute("DETACH kept")
    content = Path("kept.db").read_bytes()
    assert row in content
    assert b"a value of its own" in content  # the catalog has the default's literal
    assert b"A VALUE" not in content
    with duckdb.connect("kept.db") as without:
        assert without.execute("SELECT count(v) FROM t").fetchall() == [(9,)]
        assert "rijn_open does not exist" in message(without, "FROM t")


FORKED = """
import os, sys, duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute("SET enable_progress_bar = false")  # a slow query would print it to stdout
con.execute("PREPARE q AS SELECT rijn_seal('one', 'file:k.json', 'c')")
con.execute("EXECUTE q").fetchall()
child = os.fork()
(sealed,) = con.execute("EXECUTE q").fetchone()
if not child:
    os.write(1, sealed.hex().encode() + b" ")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
os.write(1, sealed.hex().encode())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_repeats_no_nonce(con: Any) -> None:
    written(Keyset.generate("xaes").json())
    ran = subprocess.run(
        [sys.executable, "-c", FORKED, EXTENSION],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    first, second = ran.stdout.split()
    assert first[:32] != second[:32]


# ---- Rows that do not open ------------------------------------------------------------


@pytest.mark.parametrize("name", KEYSETS)
def test_altered_rows_do_not_open(con: Any, name: str) -> None:
    format, text = KEYSETS[name]
    given = f"'{written(text)}', 'c', 'aad', '{format}'"
    (row,) = rows(con, f"SELECT rijn_seal('value', {given})")
    whole = int.from_bytes(row)
    altered = [(whole ^ 1 << bit).to_bytes(len(row)) for bit in range(8 * len(row))]
    cut = [row[:size] for size in range(len(row))] + [row + b"\0"]
    con.register("bad", table(altered + cut))
    count = len(altered + cut)
    assert rows(con, f"SELECT rijn_try_open(value, {given}) FROM bad") == [None] * count
    con.register("mixed", table([None, row, *altered, row]))
    said = message(con, f"SELECT rijn_open(value, {given}) FROM mixed")
    assert f"rijn_open: {len(altered)} of {len(altered) + 3} rows" in said
    assert "The first is row 2, from 0" in said
    found = rows(con, f"SELECT rijn_try_open(value, {given}) FROM mixed ORDER BY n")
    assert found == [None, b"value", *[None] * len(altered), b"value"]


def test_rows_do_not_open_with_another_keyset_context_or_aad(con: Any) -> None:
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    other = f"'{written(Keyset.generate('xaes').json(), 'other.json')}', 'c'"
    con.execute(
        f"CREATE TABLE s AS SELECT n, id, rijn_seal(value, {given}, id) v FROM plain WHERE value IS NOT NULL"
    )
    for wrong in (f"{other}, id", f"{given[:-3]}'C', id", f"{given}, id || ' '", given):
        assert "are not genuine" in message(con, f"SELECT rijn_open(v, {wrong}) FROM s")
        assert not any(rows(con, f"SELECT rijn_try_open(v, {wrong}) FROM s"))


def test_null_aad_is_refused(con: Any) -> None:
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    con.register("t", pa.table({"v": ["a", None, "b", "c"], "aad": ["1", None, None, None]}))
    for function in ("rijn_seal", "rijn_try_open"):
        value = "v" if function == "rijn_seal" else "v::BLOB"
        said = message(con, f"SELECT {function}({value}, {given}, aad) FROM t")
        assert f"{function}: aad is NULL beside a value in 2 of 4 rows" in said
        assert "The first is row 2, from 0" in said
    assert rows(con, f"SELECT rijn_seal(v, {given}, aad) FROM t WHERE v IS NULL") == [None]


# ---- Keysets --------------------------------------------------------------------------


def test_older_keys_open(con: Any) -> None:
    for name in FORMATS:
        older = Keyset.generate(name)
        newer = Keyset.from_callable(older.json).renewed(name)
        one, two = written(older.json(), "1.json"), written(newer.json(), "2.json")
        for path in ("1.json", "2.json"):
            Path(f"{path}.old").write_bytes(Path(path).read_bytes())
        rest = f"'c', id, '{name}'"
        con.execute(
            "CREATE OR REPLACE TABLE s AS SELECT n, id, value,"
            f" CASE WHEN n % 3 = 0 THEN rijn_seal(value, '{two}', {rest})"
            f" ELSE rijn_seal(value, '{one}', {rest}) END AS v FROM plain"
        )
        assert rows(con, f"SELECT rijn_open(v, '{two}', {rest}) FROM s ORDER BY n") == VALUES
        said = message(con, f"SELECT rijn_open(v, '{one}', {rest}) FROM s ORDER BY n")
        assert "are not genuine" in said
        id = Keyset.from_file("2.json").ids[0]
        assert (f", of key {id}, which is not in the keyset. " in said) == (name == "tink")
        for path in ("1.json", "2.json"):
            os.unlink(path)


PEAK = """
import resource, sys, duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute("SET enable_progress_bar = false")  # a slow query would print it to stdout
con.execute("CREATE TABLE s AS SELECT rijn_seal(repeat('x', 8192), 'file:old.json', 'c') v FROM range(2048)")
def peak(keyset):
    (found,) = con.execute(f"SELECT count(rijn_open(v, 'file:{keyset}', 'c')) FROM s").fetchone()
    assert found == 2048
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak("old.json"), peak("new.json"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is KiB on Linux")
def test_keys_that_open_nothing_keep_no_memory(con: Any) -> None:
    """Opens a vector of 16 MiB with thirty keys before the right one."""
    keyset = Keyset.generate("xaes")
    written(keyset.json(), "old.json")
    for _ in range(30):
        keyset = keyset.renewed("xaes")
    written(keyset.json(), "new.json")
    ran = subprocess.run(
        [sys.executable, "-c", PEAK, EXTENSION],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert ran.returncode == 0, ran.stderr
    one, many = map(int, ran.stdout.split())
    assert many - one < 128 << 10  # KiB; each pass kept 16 MiB


def shared_keysets() -> list[dict[str, Any]]:
    """Returns the keysets that every parser must accept or refuse."""
    found: list[dict[str, Any]] = json.loads(SHARED.read_text("utf-8"))["keysets"]
    return found


def text_of(case: dict[str, Any]) -> bytes:
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    parts = (part if isinstance(part, str) else part[0] * part[1] for part in case["text"])
    return "".join(parts).encode()


def test_invalid_keysets_are_refused(con: Any) -> None:
    """SQL and Python refuse the same keysets, and the message does not quote them."""
    for number, case in enumerate(shared_keysets()):
        if "keys" in case:
            continue
        text = text_of(case)
        keyset = written(text)
        with pytest.raises(ValueError):
            Keyset.from_file("k.json")
        secrets = {it for it in re.findall(rb"[0-9A-Za-z+/=]{24,}", text) if b"oogle" not in it}
        function = ("rijn_seal", "rijn_open", "rijn_try_open")[number % 3]
        said = message(con, f"SELECT {function}(value, '{keyset}', 'c') FROM plain")
        assert f"{function}: " in said and f" (keyset {keyset})" in said, case["name"]
        assert not any(secret.decode() in said for secret in secrets), case["name"]


@pytest.mark.parametrize("name", FORMATS)
def test_sizes_of_keys(con: Any, name: str) -> None:
    """Tries key sizes from 0 to 64 bytes: the extension takes the same sizes as Keyset."""
    text = Keyset.generate(name).json()
    value = json.loads(text)["key"][0]["keyData"]["value"]
    secret = Keyset.from_callable(lambda: text)._keys[0].secret
    before = base64.b64decode(value).removesuffix(secret)[:-1]  # the size's byte is the last
    taken = []
    for size in range(65):
        other = base64.b64encode(before + bytes([size]) + os.urandom(size)).decode()
        keyset = written(text.replace(value, other))
        query = f"SELECT rijn_seal('v', '{keyset}', 'c', '', '{name}')"
        try:
            Keyset.from_file("k.json")
        except ValueError:
            assert "does not fit its type" in message(con, query), size
        else:
            taken.append(size)
            assert len(rows(con, query)) == 1
    assert len(secret) in taken
    assert len(taken) <= 3
    for size in (16, 32):
        keyset = written(f"rijn-key-v1 {os.urandom(size).hex()}\n")
        query = f"SELECT rijn_seal('v', '{keyset}', 'c', '', '{name}')"
        if name == "tink":
            assert "needs a keyset in Tink's JSON" in message(con, query)
        elif size in taken:
            assert len(rows(con, query)) == 1
        else:
            assert "the format does not take a key of this size" in message(con, query)


def test_a_key_file_is_utf8(con: Any) -> None:
    """Tries many first bytes and continuations in a comment: only valid UTF-8 is accepted."""
    key = f"\nrijn-key-v1 {os.urandom(32).hex()}\n".encode()
    for first in range(0x80, 0x100):
        for more in (
            b"",
            b"\x80",
            b"\x80\x80",
            b"\x80\x80\x80",
            b"\xbf",
            b"\xa0\xa0",
            b"\x90\x80\x80",
        ):
            comment = b"# " + bytes([first]) + more
            query = f"SELECT rijn_seal('v', '{written(comment + key)}', 'c')"
            try:
                comment.decode()
            except UnicodeDecodeError:
                assert "it is not UTF-8" in message(con, query), comment
            else:
                assert len(rows(con, query)) == 1, comment


def test_valid_keysets_are_accepted(con: Any) -> None:
    """Each key of a keyset opens, and its primary key seals."""
    for case in shared_keysets():
        if "keys" not in case:
            continue
        keyset = written(text_of(case))
        kinds = {algorithm for _, algorithm, _, _ in case["keys"]}
        if kinds == {None}:
            name = {16: "gcm-siv", 32: "xaes"}[len(case["keys"][0][3]) // 2]
        else:
            takes = {it.name: {kind.name for kind in it.algorithms} for it in FORMATS.values()}
            name = next(it for it in takes if it != "spark" and takes[it] >= kinds)
        context = None if name == "tink" else "c"
        arguments = f"'{keyset}', {repr(context) if context else 'NULL'}, '', '{name}'"
        (sealed,) = rows(con, f"SELECT rijn_seal('v', {arguments})")
        for number, key in enumerate(Keyset.from_file("k.json")._keys):
            assert key.secret.hex() == case["keys"][number][3], case["name"]
            column = Column(Keyset((key,)), name, context=context)
            row = pa.array(column.seal(pa.array([b"v"], pa.binary()))).to_pylist()
            con.register("s", table(row))
            assert rows(con, f"SELECT rijn_open(value, {arguments}) FROM s") == [b"v"], case["name"]
            opened = pa.array(column.open(pa.array([sealed]), errors="null")).to_pylist()
            assert opened == [None if number else b"v"], case["name"]


def test_references_to_keysets(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Keyset.generate("xaes").json()
    keyset = written(text)
    seal = "SELECT rijn_seal('v', {}, 'c')"
    monkeypatch.setenv("CUSTOMERS", text)
    (sealed,) = rows(con, seal.format("'env:CUSTOMERS'"))
    con.register("s", table([sealed]))
    assert rows(con, f"SELECT rijn_open(value, '{keyset}', 'c') FROM s") == [b"v"]
    assert "no environment variable" in message(con, seal.format("'env:OTHERS'"))
    assert "No such file" in message(con, seal.format("'file:other.json'"))
    assert "not a regular file" in message(con, seal.format("'file:.'"))
    secret = json.loads(text)["key"][0]["keyData"]["value"]
    for given in (text, secret, "", "FILE:k.json", "k.json"):
        said = message(con, seal.format("'" + given + "'"))
        assert "'file:PATH' or 'env:NAME'" in said
        assert secret not in said.split("LINE 1")[0]
    for given in ("NULL", "id"):
        assert "constants" in message(con, f"SELECT rijn_seal(value, {given}, 'c') FROM plain")
    assert "constants" in message(con, f"SELECT rijn_seal(value, '{keyset}', id) FROM plain")
    assert "constants" in message(
        con, f"SELECT rijn_seal(value, '{keyset}', 'c', '', id) FROM plain"
    )
    assert "one of xaes" in message(con, f"SELECT rijn_seal('v', '{keyset}', 'c', '', 'gcm')")
    assert "another format" in message(con, f"SELECT rijn_seal('v', '{keyset}', 'c', '', 'siv')")
    assert "needs a context" in message(con, f"SELECT rijn_seal('v', '{keyset}', NULL)")
    nul = "|| chr(0) || 'x'"
    for function in ("rijn_seal", "rijn_open", "rijn_try_open"):
        for call in (f"'{keyset}' {nul}, 'c'", f"'{keyset}', 'c' {nul}"):
            said = message(con, f"SELECT {function}(value, {call}) FROM s")
            assert "keyset, context and format must not contain a NUL" in said
        call = f"'{keyset}', 'a context that is longer than twelve' {nul}, '', 'xaes'"
        assert "not contain a NUL" in message(con, f"SELECT {function}(value, {call}) FROM s")
        call = f"'{keyset}', 'c', '', 'xaes' {nul}"
        assert "not contain a NUL" in message(con, f"SELECT {function}(value, {call}) FROM s")


DENIED = (
    "rijn_seal: enable_external_access or disabled_filesystems forbids SQL to read the keyset's file."
    " The keyset's name is not shown: it may be a key"
)


def refusal(con: Any, reference: str) -> str:
    """Returns the extension's message, without the statement that DuckDB appends."""
    said = message(con, f"SELECT rijn_seal(NULL, '{reference}', 'c')")
    return said.split("\n")[0].removeprefix("Binder Error: ")


def test_settings_keep_sql_from_files(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's settings for files apply to keyset files too."""
    text = Keyset.generate("xaes").json()
    here, there = written(text), Path("there")
    there.mkdir()
    written(text, str(there / "k.json"))
    monkeypatch.setenv("CUSTOMERS", text)
    for how in (
        ["SET enable_external_access = false"],
        [f"SET allowed_directories = ['{there.resolve()}']", "SET enable_external_access = false"],
        [
            f"SET allowed_paths = ['{there.resolve()}/k.json']",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ],
        ["SET disabled_filesystems = 'LocalFileSystem'"],
    ):
        with connected() as other:
            assert rows(other, f"SELECT rijn_seal(NULL, '{here}', 'c')") == [None]
            assert rows(other, "SELECT content FROM read_text('k.json')") == [text]
            for statement in how:
                other.execute(statement)
            assert refusal(other, here) == DENIED
            assert "disabled" in message(other, "SELECT content FROM read_text('k.json')")
            assert rows(other, "SELECT rijn_seal(NULL, 'env:CUSTOMERS', 'c')") == [None]
            if len(how) > 1:
                for path in (f"{there.resolve()}/k.json", "there/k.json", "./there/k.json"):
                    assert rows(other, f"SELECT rijn_seal(NULL, 'file:{path}', 'c')") == [None]
                for path in ("there/../k.json", "there/none/../../k.json"):
                    assert refusal(other, f"file:{path}") == DENIED


class OpenedFiles:
    """Lists the files in a folder that any process opens (Linux's inotify)."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._notices = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._notices >= 0
        assert self._libc.inotify_add_watch(self._notices, os.fsencode(folder), 0x20) >= 0

    def names(self) -> list[str]:
        """Returns the names of the files that were opened since the last call."""
        found = []
        with suppress(BlockingIOError):
            while notices := os.read(self._notices, 1 << 16):
                while notices:
                    (size,) = struct.unpack("12xI", notices[:16])
                    found.append(os.fsdecode(notices[16 : 16 + size].rstrip(b"\0")))
                    notices = notices[16 + size :]
        return found

    def close(self) -> None:
        os.close(self._notices)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs mkfifo")
def test_a_refusal_does_not_reveal_the_file(con: Any) -> None:
    """The message is the same for every kind of file, and without a file."""
    written(Keyset.generate("xaes").json())
    written("no keyset", "bad.json")
    written("", "open.json", 0o666)
    Path("folder").mkdir()
    Path("link").symlink_to("nowhere")
    Path("loop").symlink_to("loop")
    os.mkfifo("pipe", 0o600)
    given = ["k.json", "bad.json", "open.json", "folder", "folder/", "link", "loop", "pipe"]
    given += ["none.json", "none/k.json", "k.json/x", "n" * 300, "~/k.json", "/dev/null", "", "/"]
    given += ["file:///etc/passwd", "https://example.invalid/k.json", "s3://b/k.json"]
    for setting in ("enable_external_access = false", "disabled_filesystems = 'LocalFileSystem'"):
        with connected() as other:
            other.execute(f"SET {setting}")
            for name in given:
                assert refusal(other, f"file:{name}") == DENIED, name


@pytest.mark.skipif(sys.platform != "linux", reason="needs inotify")
def test_a_refused_file_is_not_opened(con: Any) -> None:
    """Not even a pipe is opened, which would let its writer continue."""
    written(Keyset.generate("xaes").json())
    written("no keyset", "bad.json")
    os.mkfifo("pipe", 0o600)
    opened = OpenedFiles(Path())
    try:
        for name in ("k.json", "bad.json", "pipe"):
            with connected() as other:
                other.execute("SET enable_external_access = false")
                assert refusal(other, f"file:{name}") == DENIED
            assert opened.names() == []
            with suppress(duckdb.Error):
                con.execute(f"SELECT rijn_seal(NULL, 'file:{name}', 'c')")
            assert set(opened.names()) == {name}
    finally:
        opened.close()


def test_rijn_and_duckdb_read_the_same_path(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that Rijn reads is the one that DuckDB allows: ~ and file:// are part of its name."""
    home = Path("home").resolve()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    text = Keyset.generate("xaes").json()
    for folder in (home, Path("~"), Path("file:") / str(home)[1:]):
        folder.mkdir(parents=True, exist_ok=True)
        written(text, str(folder / "k.json"))
    for name in ("~/k.json", f"file://{home}/k.json"):
        assert rows(con, f"SELECT rijn_seal(NULL, 'file:{name}', 'c')") == [None]
        for setting in ("SELECT 1", f"SET home_directory = '{home}'"):
            with connected() as other:
                other.execute(setting)
                other.execute(f"SET allowed_directories = ['{home}']")
                other.execute("SET enable_external_access = false")
                assert rows(other, f"SELECT content FROM read_text('{name}')") == [text]
                assert refusal(other, f"file:{name}") == DENIED
    colon = Path("a:b").resolve()
    colon.mkdir()
    written(text, str(colon / "k.json"))
    for name in (f"{colon}/k.json", "a:b/k.json"):
        assert rows(con, f"SELECT rijn_seal(NULL, 'file:{name}', 'c')") == [None]
    # No name makes DuckDB load an extension or ask a server.
    assert refusal(con, "file:https://127.0.0.1:1/k.json").startswith("rijn_seal: No such file")


def test_settings_hide_the_environment(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If SQL may read no files, it cannot find out which variables exist, only which keysets."""
    text = Keyset.generate("xaes").json()
    others = {"EMPTY": "", "WORD": "word", "LONG": "x" * 4096, "KEY": "rijn-key-v1 1234"}
    for name, value in {**others, "CUSTOMERS": text}.items():
        monkeypatch.setenv(name, value)
    assert "must have 32 or 64" in refusal(con, "env:KEY")
    with connected() as other:
        other.execute("SET enable_external_access = false")
        messages = {refusal(other, f"env:{name}") for name in [*others, "ABSENT"]}
        assert len(messages) == 1
        assert "no environment variable with that name contains a keyset" in messages.pop()
        assert rows(other, "SELECT rijn_seal(NULL, 'env:CUSTOMERS', 'c')") == [None]


def test_errors_do_not_show_keys(con: Any) -> None:
    """A key or keyset that is given by mistake, in any argument, is not in the message."""
    text = Keyset.generate("xaes").json()
    key = os.urandom(32)
    encoded = base64.b64encode(key).decode().replace("/", "_")
    keyset = written(text)
    for secret in (text, encoded, key.hex(), f"rijn-key-v1 {key.hex()}", f"none/{key.hex()}"):
        for function in ("rijn_seal", "rijn_open", "rijn_try_open"):
            for given in (
                f"'file:{secret}', 'c'",
                f"'file:./{secret}', 'c'",
                f"'env:{secret}', 'c'",
                f"'{secret}', 'c'",
                f"'{keyset}', 'c', '', '{secret}'",
                f"'{keyset}', '{secret}', '', 'siv'",
                f"'{keyset}', '{secret}', NULL::BLOB",
            ):
                said = message(con, f"SELECT {function}('x'::BLOB, {given})")
                assert secret[:20] not in said.split("LINE 1")[0], given
    assert "No such file" in refusal(con, f"file:{key.hex()}")
    assert "no environment variable has that name" in refusal(con, f"env:{key.hex()}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs mkfifo")
def test_a_pipe_is_refused_as_keyset(con: Any) -> None:
    """A pipe without a writer does not block the statement."""
    os.mkfifo("pipe", 0o600)
    for name in ("pipe", "/dev/null"):
        said = message(con, f"SELECT rijn_seal('v', 'file:{name}', 'c')")
        assert f"it is not a regular file (keyset file:{name})" in said


def test_a_long_reference_is_cut_between_characters(con: Any) -> None:
    """A message shows at most 200 bytes of a file's name."""
    for before in ("", "a", "bc"):
        folder = Path(before + "\u20ac" * 60)
        folder.mkdir()
        keyset = written("no keyset", f"{folder}/" + "\u20ac" * 60)
        said = message(con, f"SELECT rijn_seal('v', '{keyset}', 'c')")
        (shown,) = re.findall(r"\(keyset file:(.*?)\)", said)
        assert shown == f"{folder}/" + "\u20ac" * 4


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_keyset_files_with_access_for_others_are_refused(con: Any, mode: int) -> None:
    keyset = written(Keyset.generate("xaes").json(), mode=mode)
    said = message(con, f"SELECT rijn_seal('v', '{keyset}', 'c')")
    assert "other users have access to it: chmod 600" in said


def test_no_key_is_in_plans_or_catalogs(con: Any) -> None:
    text = Keyset.generate("xaes").json()
    secret = base64.b64decode(json.loads(text)["key"][0]["keyData"]["value"])[-32:]
    given = f"'{written(text)}', 'c'"
    con.execute(f"CREATE TABLE s AS SELECT rijn_seal(value, {given}) AS v FROM plain")
    con.execute(f"CREATE VIEW opened AS SELECT rijn_open(v, {given}) AS v FROM s")
    con.execute(f"CREATE MACRO opening(v) AS rijn_open(v, {given})")
    outputs = [
        *con.execute("EXPLAIN SELECT * FROM opened").fetchall(),
        *con.execute("EXPLAIN ANALYZE SELECT opening(v) FROM s").fetchall(),
        *con.execute(
            "SELECT * FROM duckdb_functions() WHERE function_name LIKE '%pening%' OR function_name LIKE 'rijn%'"
        ).fetchall(),
        *con.execute("SELECT * FROM duckdb_views()").fetchall(),
        *con.execute("SELECT * FROM duckdb_settings()").fetchall(),
    ]
    everything = repr(outputs)
    assert "rijn_open" in everything and "file:k.json" in everything
    for form in (
        secret.hex(),
        base64.b64encode(secret).decode()[:20],
        text[40:],
        repr(secret)[2:-1],
    ):
        assert form not in everything


def test_copied_and_prepared_plans(con: Any) -> None:
    """Prepared statements keep their keys. Views and common table expressions read the keyset when
    a statement is bound, so they fail once the file is deleted."""
    given = f"'{written(Keyset.generate('xaes').json())}', 'c'"
    con.execute(f"CREATE TABLE s AS SELECT n, rijn_seal(value, {given}) AS v FROM plain")
    con.execute(f"CREATE VIEW opened AS SELECT n, rijn_open(v, {given}) AS v FROM s")
    query = (
        "WITH a AS (SELECT * FROM opened) SELECT x.v FROM a x JOIN opened y USING (n)"
        " WHERE x.v IS NOT DISTINCT FROM y.v ORDER BY x.n"
    )
    assert rows(con, query) == VALUES
    con.execute(f"PREPARE one AS SELECT rijn_open(v, {given}) FROM s WHERE n = $1")
    con.execute(f"PREPARE all_rows AS SELECT rijn_open(v, {given}) FROM s ORDER BY n")
    for n in (0, 1, 3, COUNT - 1):
        assert con.execute(f"EXECUTE one({n})").fetchall() == [(VALUES[n],)]
    for _ in range(2):
        assert rows(con, "EXECUTE all_rows") == VALUES
    os.unlink("k.json")
    assert "No such file" in message(con, query)


WIPED = """
import re, sys, duckdb
MASK = bytes(range(255, -1, -1))  # the key itself is nowhere in this program
raw, text = bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])

def found():
    count = [0, 0]
    for line in open("/proc/self/maps"):
        begin, end, rights, *name = re.match(r"(\\w+)-(\\w+) (\\S+) \\S+ \\S+ \\S+ *(.*)", line).groups()
        if rights.startswith("rw") and name[0] != "[vvar]":
            with open("/proc/self/mem", "rb", 0) as memory:
                memory.seek(int(begin, 16))
                left = int(end, 16) - int(begin, 16)
                while left > 0:
                    part = memory.read(min(left, 1 << 20))
                    if not part:
                        break
                    left -= len(part)
                    seen = part.translate(MASK)
                    count[0] += seen.count(raw)
                    count[1] += seen.count(text)
                    del part
    return count

con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute("SET enable_progress_bar = false")  # a slow query would print it to stdout
con.execute("PREPARE q AS SELECT rijn_seal(i::VARCHAR, 'file:k.json', 'c', '', 'aegis-256') FROM range(9999) t(i)")
con.execute("EXECUTE q").fetchall()
print(*found())
con.execute("DEALLOCATE q")
con.close()
print(*found())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_keys_are_wiped_with_the_statement(con: Any) -> None:
    """Searches the process's memory. The key is in it while its statement exists, and not later. The
    text of the keyset is not in it at all."""
    text = Keyset.generate("aegis-256").json()
    written(text)
    value = json.loads(text)["key"][0]["keyData"]["value"]
    hidden = [
        bytes(255 - c for c in it).hex() for it in (base64.b64decode(value)[-32:], value.encode())
    ]
    ran = subprocess.run(
        [sys.executable, "-c", WIPED, EXTENSION, *hidden],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert ran.returncode == 0, ran.stderr
    (raw, in_text), after = (map(int, line.split()) for line in ran.stdout.splitlines())
    assert raw > 0 and in_text == 0
    assert list(after) == [0, 0]


WATCHED = """
import ctypes, json, re, sys, duckdb
MASK = bytes(range(255, -1, -1))
watch = ctypes.CDLL(None)
watch.watch_drawn.restype = ctypes.POINTER(ctypes.c_ubyte)
watch.watch_counts.restype = ctypes.POINTER(ctypes.c_size_t)
config = {"allow_unsigned_extensions": "true", "threads": "1"}
con = duckdb.connect(config=config)
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute("SET enable_progress_bar = false")  # a slow query would print it to stdout
code = [line.split()[0].split("-") for line in open("/proc/self/maps") if line.rstrip().endswith(sys.argv[1])]
watch.watch_code(ctypes.c_void_p(min(int(a, 16) for a, _ in code)), ctypes.c_void_p(max(int(b, 16) for _, b in code)))
for masked in sys.argv[3:]:
    assert watch.watch_secret(bytes.fromhex(masked), ctypes.c_size_t(len(masked) // 2), 1)
plain = b"a plaintext of its own"
assert watch.watch_secret(plain.translate(MASK), ctypes.c_size_t(len(plain)), 0)
told = {}

def counted(name, statement):
    before = list(watch.watch_counts()[0:3])
    try:
        con.execute(statement).fetchall()
    except duckdb.Error as error:
        told.setdefault("errors", []).append(name)
    told[name] = [a - b for a, b in zip(watch.watch_counts()[0:3], before)]

given = f"'{sys.argv[2]}', 'c', id"
counted("seal", f"CREATE TABLE s AS SELECT i AS id, rijn_seal('a plaintext of its own', {given.replace('id', 'i::VARCHAR')}) AS v FROM range(5000) t(i)")
size = ctypes.c_size_t()
drawn = watch.watch_drawn(ctypes.byref(size))
told["drawn"] = bytes(drawn[0:size.value]).hex()
told["nonces"] = [v.hex() for v, in con.execute("SELECT v[:24] FROM s ORDER BY id").fetchall()]
given = given.replace("id", "id::VARCHAR")
counted("open", f"SELECT count(rijn_open(v, {given})) FROM s")
counted("refused", f"SELECT rijn_open(CASE WHEN id % 100 = 7 THEN 'forged'::BLOB ELSE v END, {given}) FROM s")
counted("nulls", f"SELECT count(rijn_try_open(CASE WHEN id % 100 = 7 THEN 'forged'::BLOB ELSE v END, {given}) ) FROM s")
counted("another format", f"SELECT rijn_seal('x', '{sys.argv[2]}', 'c', '', 'aegis-128l')")
counted("no context", f"SELECT rijn_seal('x', '{sys.argv[2]}', NULL)")
counted("broken", "SELECT rijn_seal('x', 'file:broken.json', 'c')")
counted("exposed", "SELECT rijn_seal('x', 'file:exposed.json', 'c')")
counted("prepared", f"PREPARE q AS SELECT rijn_seal('x', '{sys.argv[2]}', 'c')")
counted("deallocated", "DEALLOCATE q")
con.close()
json.dump(told, sys.stdout)
"""
WHY_NOT_WATCHED = (
    "not Linux with glibc"
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc"
    else "no C compiler (cc)"
    if not shutil.which("cc")
    else "LD_PRELOAD is in use"
    if os.environ.get("LD_PRELOAD")
    else ""
)


@pytest.fixture(scope="module")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if WHY_NOT_WATCHED:
        pytest.skip(WHY_NOT_WATCHED)
    shim = tmp_path_factory.mktemp("watch") / "watch.so"
    command = ["cc", "-std=c11", "-O2", "-fPIC", "-shared", "-o", shim, HERE / "watch.c", "-ldl"]
    subprocess.run(command, check=True, timeout=600)
    return shim


LEAKY = """
#include <stdint.h>
#include <stdlib.h>

static void fill(volatile uint8_t *to, const uint8_t *masked, size_t size)
{
    while (size--)
        to[size] = masked[size] ^ 0xff;
}

void *hold(const uint8_t *masked, size_t size, size_t block, size_t at, int zeros)
{
    uint8_t *const held = zeros ? calloc(1, block) : malloc(block);
    fill(held + at, masked, size);
    return held;
}

void drop(void *first, void *second)
{
    free(first);
    free(second);
}

static void deeper(const uint8_t *masked, size_t size)
{
    uint8_t left[4096];
    fill(left, masked, size);
}

void leave(const uint8_t *masked, size_t size)
{
    void *const block = malloc(1);
    deeper(masked, size);
    free(block);
}
"""
LEAKS = """
import ctypes, json, sys
watch, leaky = ctypes.CDLL(None), ctypes.CDLL(sys.argv[1])
watch.watch_counts.restype = ctypes.POINTER(ctypes.c_size_t)
leaky.hold.restype = ctypes.c_void_p
code = [line.split()[0].split("-") for line in open("/proc/self/maps") if line.rstrip().endswith(sys.argv[1])]
watch.watch_code(ctypes.c_void_p(min(int(a, 16) for a, _ in code)), ctypes.c_void_p(max(int(b, 16) for _, b in code)))
key, text, other = (bytes([first + i for i in range(32)]) for first in (1, 65, 129))  # masked
size = ctypes.c_size_t

def secret(masked, on_stack):
    return watch.watch_secret(masked, size(len(masked)), on_stack)

def hold(masked, block, at, zeros=0):
    return ctypes.c_void_p(leaky.hold(masked, size(len(masked)), size(block), size(at), zeros))

def counted(call, *arguments):
    before = list(watch.watch_counts()[0:3])
    call(*arguments)
    return [a - b for a, b in zip(watch.watch_counts()[0:3], before)]

nothing = ctypes.c_void_p()
told = {"early": counted(leaky.drop, hold(key, 99, 0), nothing)}
told["taken"] = [secret(key, 1), secret(text, 0), secret(bytes(129), 0)]
for at in (0, 34, 68):
    for zeros in (0, 1):
        told[f"{at}, {zeros}"] = counted(leaky.drop, hold(text, 100, at, zeros), nothing)
told["another"] = counted(leaky.drop, hold(other, 100, 34, 1), nothing)
told["a part"] = counted(leaky.drop, hold(text[:-1], 31, 0, 1), nothing)
for turned in (0, 1):
    pair = [hold(text, 100, 9), hold(other, 100, 9, 1)]
    if turned:
        pair.reverse()
    told[f"two, {turned}"] = counted(leaky.drop, *pair)
told["freed elsewhere"] = counted(watch.free, hold(key, 100, 50))
watch.malloc.restype = ctypes.c_void_p
told["not its block"] = counted(watch.free, ctypes.c_void_p(watch.malloc(size(100))))
told["key on the stack"] = counted(leaky.leave, key, size(len(key)))
told["text on the stack"] = counted(leaky.leave, text, size(len(text)))
many = [hold(text, 100, 0) for _ in range(3000)]
told["many"] = [sum(it) for it in zip(*(counted(leaky.drop, it, nothing) for it in many[::-1]))]
told["most"] = [secret(bytes([i]) * 128, 0) for i in range(7)]
json.dump(told, sys.stdout)
"""


def test_the_watcher_notices_secrets(tmp_path: Path, watcher: Path) -> None:
    """It counts each secret that a library, in the place of the extension, leaves in a block that it
    frees or on its stack."""
    source, library = tmp_path / "leaky.c", tmp_path / "leaky.so"
    source.write_text(LEAKY)
    command = ["cc", "-std=c11", "-O0", "-fPIC", "-shared", "-o", library, source]
    subprocess.run(command, check=True, timeout=600)
    ran = subprocess.run(
        [sys.executable, "-c", LEAKS, library],
        env=os.environ | {"LD_PRELOAD": str(watcher)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    found, clean = [1, 1, 0], [1, 0, 0]
    assert json.loads(ran.stdout) == {
        "early": clean,
        "taken": [1, 1, 0],
        **{f"{at}, {zeros}": found for at in (0, 34, 68) for zeros in (0, 1)},
        "another": clean,
        "a part": clean,
        "two, 0": [2, 1, 0],
        "two, 1": [2, 1, 0],
        "freed elsewhere": found,
        "not its block": [0, 0, 0],
        "key on the stack": [1, 0, 1],
        "text on the stack": clean,
        "many": [3000, 3000, 0],
        "most": [1] * 6 + [0],
    }


@pytest.mark.parametrize("source", ["keyset", "variable", "key file"])
def test_extension_frees_no_secrets_and_draws_its_nonces(
    con: Any, watcher: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """No freed block contains a key, a keyset's text or a plaintext. No stack that the extension used
    contains a key or the text. A nonce of xaes starts with 16 random bytes."""
    if source == "key file":
        key = os.urandom(32)
        text = f"rijn-key-v1 {key.hex()}\n"
        secrets = [key, key.hex().encode()]
    else:
        keyset = Keyset.generate("xaes").renewed("xaes")
        text = keyset.json()
        values = [it["keyData"]["value"].encode() for it in json.loads(text)["key"]]
        secrets = [it.secret for it in keyset._keys] + [value[-32:] for value in values]
    reference = written(text)
    if source == "variable":
        monkeypatch.setenv("CUSTOMERS", text)
        reference = "env:CUSTOMERS"
    written(text + "}", "broken.json")
    written(text, "exposed.json", 0o644)
    hidden = [bytes(255 - c for c in it).hex() for it in secrets]
    ran = subprocess.run(
        [sys.executable, "-c", WATCHED, EXTENSION, reference, *hidden],
        env=os.environ | {"LD_PRELOAD": str(watcher), "GLIBC_TUNABLES": "glibc.malloc.perturb=165"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    drawn, nonces = bytes.fromhex(told.pop("drawn")), told.pop("nonces")
    refused = ["refused", "another format", "no context", "broken", "exposed"]
    assert told.pop("errors") == refused
    assert all(freed > 0 for name, (freed, *_) in told.items() if name != "no context"), told
    assert {name: found for name, (_, *found) in told.items() if any(found)} == {}
    assert len(drawn) == 16 * ((COUNT + VECTOR - 1) // VECTOR)
    for number, nonce in enumerate(map(bytes.fromhex, nonces)):
        vector, row = divmod(number, VECTOR)
        assert nonce == drawn[16 * vector : 16 * vector + 16] + row.to_bytes(8)


# ---- The pages ------------------------------------------------------------------------


def test_examples_of_the_readme(con: Any) -> None:
    Keyset.generate("xaes").write("customers.json")
    Keyset.generate("siv").write("joins.json")
    con.unregister("plain")
    found = []
    for block in re.findall(
        r"^```sql\n(.*?)^```", (HERE / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        text = block.replace("build/duckdb/rijn.duckdb_extension", str(EXTENSION))
        found.append(con.execute(text).fetchall())
    assert found[0] == [(i, f"user{i}@example.com") for i in range(3)]
    assert found[1] == [(7,)]


def test_a_file_of_the_command_opens_in_sql(con: Any) -> None:
    """docs/columns.md, "Open in SQL"."""
    page = (HERE.parents[1] / "docs" / "columns.md").read_text("utf-8")
    query, _ = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    Keyset.generate("xaes").write("my.keyset")
    rows = [(1, "ann@example.com"), (2, None), (3, "")]
    table = pa.table({"id": [row[0] for row in rows], "email": [row[1] for row in rows]})
    pq.write_table(table, "t.parquet")
    Path("t.csv").write_text('id,email\n1,ann@example.com\n2,\n3,""\n')
    words = ["-c", "email", "--aad", "id", "-k", "my.keyset"]
    for name in ("t.parquet", "t.csv"):
        command = [sys.executable, "-m", "rijn", "columns", "encrypt", name, *words]
        subprocess.run(command, check=True, timeout=LIMIT)
    assert con.execute(query).fetchall() == rows
    assert "`from_base64(email)` in DuckDB" in page
    of_csv = query.replace("(email,", "(from_base64(email),").replace(".parquet", ".csv")
    assert con.execute(of_csv).fetchall() == rows
