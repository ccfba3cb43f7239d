"""The DuckDB extension beside rijn.columns: what one seals, the other opens, row by row.
`make duckdb-test` builds it and has all packages."""

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
    """Of every type of key: its format, and a keyset's text."""
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


def kept(text: str | bytes, name: str = "k.json", mode: int = 0o600) -> str:
    """A reference to a keyset of this text."""
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
def test_both_ways(con: Any, name: str, aad: str | None) -> None:
    """What SQL seals, Column opens, and the other way round: every row, nulls where they were."""
    format, text = KEYSETS[name]
    keyset = kept(text)
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


def test_the_default_is_xaes(con: Any) -> None:
    given = f"'{kept(Keyset.generate('xaes').json())}', 't.value'"
    column = Column(Keyset.from_file("k.json"), context="t.value")
    sealed = con.sql(f"SELECT rijn_seal(value, {given}) v FROM plain ORDER BY n").to_arrow_table()
    assert pa.chunked_array(column.open(sealed["v"])).to_pylist() == VALUES
    bound = con.sql(f"SELECT rijn_seal(value, {given}, id) v FROM plain").to_arrow_table()["v"]
    assert pa.chunked_array(column.open(bound, pa.array(IDS))).to_pylist() == VALUES


def test_vectors_of_every_kind(con: Any) -> None:
    """Constants, dictionaries, filters, slices, text that stands in the vector and text that does
    not; and text is sealed as it stands, a backslash too."""
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
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
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
    con.execute(f"CREATE TABLE many AS SELECT i::VARCHAR AS v FROM range({count}) t(i)")
    con.execute(f"CREATE TABLE s AS SELECT v, rijn_seal(v, {given}) AS sealed FROM many")
    assert rows(con, f"SELECT count(*) FROM s WHERE decode(rijn_open(sealed, {given})) = v") == [
        count
    ]
    assert rows(con, "SELECT count(DISTINCT sealed[:24]) FROM s") == [count]
    # a vector has 16 bytes of its own, and counts its rows
    ends = con.execute(
        "SELECT sealed[:16], count(*), max(sealed[17:24]) FROM s GROUP BY 1"
    ).fetchall()
    assert len(ends) <= count / VECTOR + 16
    assert all(int.from_bytes(last) == n - 1 for _, n, last in ends)
    assert all(len({first[i] for first, _, _ in ends}) > 1 for i in range(16))


def test_two_calls_seal_twice(con: Any) -> None:
    """Also in one expression, which DuckDB would compute once if it took it for a function."""
    for name in ("gcm-siv", "xaes"):
        given = f"'{kept(Keyset.generate(name).json())}', 'c', '', '{name}'"
        one, two = con.execute(
            f"SELECT rijn_seal(id, {given}), rijn_seal(id, {given}) FROM plain"
        ).fetchone()
        assert one != two
    found = con.execute(
        "SELECT DISTINCT function_name, stability FROM duckdb_functions()"
        " WHERE function_name LIKE 'rijn%'"
    ).fetchall()
    functions = ("rijn_seal", "rijn_open", "rijn_try_open")
    assert sorted(found) == sorted((name, "VOLATILE") for name in functions)


def test_nothing_opened_is_folded_or_indexed(con: Any) -> None:
    """Not into a plan, and not into an index, which would be on disk."""
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
    con.execute(f"CREATE TABLE s AS SELECT rijn_seal('a value of its own', {given}) AS v")
    (row,) = rows(con, "FROM s")
    literal = "'" + "".join(f"\\x{byte:02x}" for byte in row) + "'::BLOB"
    for function in ("rijn_open", "rijn_try_open"):
        call = f"decode({function}({literal}, {given}))"
        for query in (f"SELECT {call}", f"SELECT v FROM s WHERE {call} <> ''"):
            for before in ("EXPLAIN", "EXPLAIN ANALYZE", "EXPLAIN (FORMAT json)"):
                told = repr(con.execute(f"{before} {query}").fetchall())
                assert function in told and "a value of" not in told
        assert rows(con, f"SELECT {call}") == ["a value of its own"]
        said = message(con, f"CREATE INDEX i ON s ({function}(v, {given}))")
        assert "side effects" in said


def test_case_guards_what_is_opened(con: Any) -> None:
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
    con.execute(
        f"CREATE TABLE s AS SELECT n, CASE WHEN n % 2 = 0 THEN rijn_seal('v', {given})"
        " ELSE 'none'::BLOB END AS v FROM plain"
    )
    opened = f"rijn_open(v, {given})"
    assert "not genuine" in message(con, f"SELECT {opened} FROM s")
    found = rows(con, f"SELECT CASE WHEN n % 2 = 0 THEN {opened} END FROM s ORDER BY n")
    assert found == [b"v", None] * (COUNT // 2)


def test_defaults_and_generated_columns(con: Any) -> None:
    """A default is sealed for each row; what a generated column opens is not stored."""
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
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
    written = Path("kept.db").read_bytes()
    assert row in written
    assert b"a value of its own" in written  # the catalog has the default's literal
    assert b"A VALUE" not in written
    with duckdb.connect("kept.db") as without:
        assert without.execute("SELECT count(v) FROM t").fetchall() == [(9,)]
        assert "rijn_open does not exist" in message(without, "FROM t")


FORKED = """
import os, sys, duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{sys.argv[1]}'")
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
    kept(Keyset.generate("xaes").json())
    ran = subprocess.run(
        [sys.executable, "-c", FORKED, EXTENSION],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    first, second = ran.stdout.split()
    assert first[:32] != second[:32]


# ---- What is not genuine --------------------------------------------------------------


@pytest.mark.parametrize("name", KEYSETS)
def test_no_bit_of_a_row_may_change(con: Any, name: str) -> None:
    format, text = KEYSETS[name]
    given = f"'{kept(text)}', 'c', 'aad', '{format}'"
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
    assert "the first is its row 2, from 0" in said
    found = rows(con, f"SELECT rijn_try_open(value, {given}) FROM mixed ORDER BY n")
    assert found == [None, b"value", *[None] * len(altered), b"value"]


def test_another_keyset_context_and_row(con: Any) -> None:
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
    other = f"'{kept(Keyset.generate('xaes').json(), 'other.json')}', 'c'"
    con.execute(
        f"CREATE TABLE s AS SELECT n, id, rijn_seal(value, {given}, id) v FROM plain WHERE value IS NOT NULL"
    )
    for wrong in (f"{other}, id", f"{given[:-3]}'C', id", f"{given}, id || ' '", given):
        assert "are not genuine" in message(con, f"SELECT rijn_open(v, {wrong}) FROM s")
        assert not any(rows(con, f"SELECT rijn_try_open(v, {wrong}) FROM s"))


def test_aad_that_is_null(con: Any) -> None:
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
    con.register("t", pa.table({"v": ["a", None, "b", "c"], "aad": ["1", None, None, None]}))
    for function in ("rijn_seal", "rijn_try_open"):
        value = "v" if function == "rijn_seal" else "v::BLOB"
        said = message(con, f"SELECT {function}({value}, {given}, aad) FROM t")
        assert f"{function}: aad is null beside a value in 2 of 4 rows" in said
        assert "the first is its row 2, from 0" in said
    assert rows(con, f"SELECT rijn_seal(v, {given}, aad) FROM t WHERE v IS NULL") == [None]


# ---- Keysets --------------------------------------------------------------------------


def test_older_keys_open(con: Any) -> None:
    for name in FORMATS:
        older = Keyset.generate(name)
        newer = Keyset.from_callable(older.json).renewed(name)
        one, two = kept(older.json(), "1.json"), kept(newer.json(), "2.json")
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
        assert (f", of key {id}, which the keyset has not: is it" in said) == (name == "tink")
        for path in ("1.json", "2.json"):
            os.unlink(path)


PEAK = """
import resource, sys, duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute("CREATE TABLE s AS SELECT rijn_seal(repeat('x', 8192), 'file:old.json', 'c') v FROM range(2048)")
def peak(keyset):
    (found,) = con.execute(f"SELECT count(rijn_open(v, 'file:{keyset}', 'c')) FROM s").fetchone()
    assert found == 2048
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak("old.json"), peak("new.json"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is KiB on Linux")
def test_keys_under_which_nothing_opens_keep_no_memory(con: Any) -> None:
    """A vector of 16 MiB, and thirty keys before the one that opens it."""
    keyset = Keyset.generate("xaes")
    kept(keyset.json(), "old.json")
    for _ in range(30):
        keyset = keyset.renewed("xaes")
    kept(keyset.json(), "new.json")
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


def given() -> list[dict[str, Any]]:
    """What every parser of keysets takes or refuses alike."""
    found: list[dict[str, Any]] = json.loads(SHARED.read_text("utf-8"))["keysets"]
    return found


def text_of(case: dict[str, Any]) -> bytes:
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    pieces = (it if isinstance(it, str) else it[0] * it[1] for it in case["text"])
    return "".join(pieces).encode()


def test_what_is_no_keyset(con: Any) -> None:
    """Neither side takes it, and nothing of it is told."""
    for number, case in enumerate(given()):
        if "keys" in case:
            continue
        text = text_of(case)
        keyset = kept(text)
        with pytest.raises(ValueError):
            Keyset.from_file("k.json")
        secrets = {it for it in re.findall(rb"[0-9A-Za-z+/=]{24,}", text) if b"oogle" not in it}
        function = ("rijn_seal", "rijn_open", "rijn_try_open")[number % 3]
        said = message(con, f"SELECT {function}(value, '{keyset}', 'c') FROM plain")
        assert f"{function}: " in said and f" (keyset {keyset})" in said, case["name"]
        assert not any(secret.decode() in said for secret in secrets), case["name"]


@pytest.mark.parametrize("name", FORMATS)
def test_sizes_of_keys(con: Any, name: str) -> None:
    """Each size from 0 to 64 bytes: the extension takes those that Keyset takes."""
    text = Keyset.generate(name).json()
    value = json.loads(text)["key"][0]["keyData"]["value"]
    secret = Keyset.from_callable(lambda: text)._keys[0].secret
    before = base64.b64decode(value).removesuffix(secret)[:-1]  # the size's byte is the last
    taken = []
    for size in range(65):
        other = base64.b64encode(before + bytes([size]) + os.urandom(size)).decode()
        keyset = kept(text.replace(value, other))
        query = f"SELECT rijn_seal('v', '{keyset}', 'c', '', '{name}')"
        try:
            Keyset.from_file("k.json")
        except ValueError:
            assert "is no key of its type" in message(con, query), size
        else:
            taken.append(size)
            assert len(rows(con, query)) == 1
    assert len(secret) in taken
    assert len(taken) <= 3
    for size in (16, 32):
        keyset = kept(f"rijn-key-v1 {os.urandom(size).hex()}\n")
        query = f"SELECT rijn_seal('v', '{keyset}', 'c', '', '{name}')"
        if name == "tink":
            assert "needs a keyset in Tink's JSON" in message(con, query)
        elif size in taken:
            assert len(rows(con, query)) == 1
        else:
            assert "has a size that the format does not take" in message(con, query)


def test_a_key_file_is_utf8(con: Any) -> None:
    """No byte but ASCII stands alone, and none of 0x80 to 0xc1 or beyond 0xf4 begins a character."""
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
            query = f"SELECT rijn_seal('v', '{kept(comment + key)}', 'c')"
            try:
                comment.decode()
            except UnicodeDecodeError:
                assert "it is not UTF-8" in message(con, query), comment
            else:
                assert len(rows(con, query)) == 1, comment


def test_what_is_a_keyset(con: Any) -> None:
    """Each key of it opens, and the primary one seals."""
    for case in given():
        if "keys" not in case:
            continue
        keyset = kept(text_of(case))
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


def test_where_a_keyset_is(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Keyset.generate("xaes").json()
    keyset = kept(text)
    seal = "SELECT rijn_seal('v', {}, 'c')"
    monkeypatch.setenv("CUSTOMERS", text)
    (sealed,) = rows(con, seal.format("'env:CUSTOMERS'"))
    con.register("s", table([sealed]))
    assert rows(con, f"SELECT rijn_open(value, '{keyset}', 'c') FROM s") == [b"v"]
    assert "no environment variable" in message(con, seal.format("'env:OTHERS'"))
    assert "No such file" in message(con, seal.format("'file:other.json'"))
    assert "no regular file" in message(con, seal.format("'file:.'"))
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
            assert "keyset, context and format have no NUL" in said
        call = f"'{keyset}', 'a context that is longer than twelve' {nul}, '', 'xaes'"
        assert "have no NUL" in message(con, f"SELECT {function}(value, {call}) FROM s")
        call = f"'{keyset}', 'c', '', 'xaes' {nul}"
        assert "have no NUL" in message(con, f"SELECT {function}(value, {call}) FROM s")


DENIED = (
    "rijn_seal: enable_external_access or disabled_filesystems keeps SQL from the keyset's file."
    " The keyset's reference is not repeated here"
)


def refusal(con: Any, reference: str) -> str:
    """What the extension says, without the statement that DuckDB shows behind it."""
    said = message(con, f"SELECT rijn_seal(NULL, '{reference}', 'c')")
    return said.split("\n")[0].removeprefix("Binder Error: ")


def test_settings_keep_sql_from_files(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keysets are files as others are: no way around what DuckDB may open."""
    text = Keyset.generate("xaes").json()
    here, there = kept(text), Path("there")
    there.mkdir()
    kept(text, str(there / "k.json"))
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


class Opened:
    """Linux's notices of the files in a folder that anybody opens."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._notices = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._notices >= 0
        assert self._libc.inotify_add_watch(self._notices, os.fsencode(folder), 0x20) >= 0

    def names(self) -> list[str]:
        """Since the last call."""
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
def test_a_refusal_says_nothing_about_the_file(con: Any) -> None:
    """The message is the same for whatever is there."""
    kept(Keyset.generate("xaes").json())
    kept("no keyset", "bad.json")
    kept("", "open.json", 0o666)
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
    """Not even the pipe, whose writer would be let go."""
    kept(Keyset.generate("xaes").json())
    kept("no keyset", "bad.json")
    os.mkfifo("pipe", 0o600)
    opened = Opened(Path())
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


def test_the_file_that_is_read_is_the_one_that_duckdb_allows(
    con: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path means the same to both: ~ and file:// are part of a name."""
    home = Path("home").resolve()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    text = Keyset.generate("xaes").json()
    for folder in (home, Path("~"), Path("file:") / str(home)[1:]):
        folder.mkdir(parents=True, exist_ok=True)
        kept(text, str(folder / "k.json"))
    for name in ("~/k.json", f"file://{home}/k.json"):
        assert rows(con, f"SELECT rijn_seal(NULL, 'file:{name}', 'c')") == [None]
        for setting in ("SELECT 1", f"SET home_directory = '{home}'"):
            with connected() as other:
                other.execute(setting)
                other.execute(f"SET allowed_directories = ['{home}']")
                other.execute("SET enable_external_access = false")
                assert rows(other, f"SELECT content FROM read_text('{name}')") == [text]
                assert refusal(other, f"file:{name}") == DENIED
    # No name makes DuckDB load an extension or ask a server.
    assert refusal(con, "file:https://127.0.0.1:1/k.json").startswith("rijn_seal: No such file")


def test_a_locked_environment_is_not_told_apart(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where SQL may read no file, it learns no more of the environment than which keysets it has."""
    text = Keyset.generate("xaes").json()
    told = {"EMPTY": "", "WORD": "word", "LONG": "x" * 4096, "KEY": "rijn-key-v1 1234"}
    for name, value in {**told, "CUSTOMERS": text}.items():
        monkeypatch.setenv(name, value)
    assert "neither 32 nor 64" in refusal(con, "env:KEY")
    with connected() as other:
        other.execute("SET enable_external_access = false")
        said = {refusal(other, f"env:{name}") for name in [*told, "ABSENT"]}
        assert len(said) == 1
        assert "no environment variable of that name holds a keyset" in said.pop()
        assert rows(other, "SELECT rijn_seal(NULL, 'env:CUSTOMERS', 'c')") == [None]


def test_no_argument_that_may_be_a_key_is_repeated(con: Any) -> None:
    """A key or a keyset in place of its name, in every argument."""
    text = Keyset.generate("xaes").json()
    key = os.urandom(32)
    encoded = base64.b64encode(key).decode().replace("/", "_")
    keyset = kept(text)
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
    assert "no environment variable of that name" in refusal(con, f"env:{key.hex()}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs mkfifo")
def test_a_pipe_is_no_keyset(con: Any) -> None:
    """It is refused, and nobody waits for one who writes."""
    os.mkfifo("pipe", 0o600)
    for name in ("pipe", "/dev/null"):
        said = message(con, f"SELECT rijn_seal('v', 'file:{name}', 'c')")
        assert (
            f"it is no regular file, which can be read again and again (keyset file:{name})" in said
        )


def test_a_long_reference_is_cut_between_characters(con: Any) -> None:
    """The first 200 bytes of the name of a file that there is."""
    for before in ("", "a", "bc"):
        folder = Path(before + "\u20ac" * 60)
        folder.mkdir()
        keyset = kept("no keyset", f"{folder}/" + "\u20ac" * 60)
        said = message(con, f"SELECT rijn_seal('v', '{keyset}', 'c')")
        (shown,) = re.findall(r"\(keyset file:(.*?)\)", said)
        assert shown == f"{folder}/" + "\u20ac" * 4


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_keyset_is_its_owners_alone(con: Any, mode: int) -> None:
    keyset = kept(Keyset.generate("xaes").json(), mode=mode)
    said = message(con, f"SELECT rijn_seal('v', '{keyset}', 'c')")
    assert "others have access to it: chmod 600" in said


def test_no_key_is_told(con: Any) -> None:
    text = Keyset.generate("xaes").json()
    secret = base64.b64decode(json.loads(text)["key"][0]["keyData"]["value"])[-32:]
    given = f"'{kept(text)}', 'c'"
    con.execute(f"CREATE TABLE s AS SELECT rijn_seal(value, {given}) AS v FROM plain")
    con.execute(f"CREATE VIEW opened AS SELECT rijn_open(v, {given}) AS v FROM s")
    con.execute(f"CREATE MACRO opening(v) AS rijn_open(v, {given})")
    told = [
        *con.execute("EXPLAIN SELECT * FROM opened").fetchall(),
        *con.execute("EXPLAIN ANALYZE SELECT opening(v) FROM s").fetchall(),
        *con.execute(
            "SELECT * FROM duckdb_functions() WHERE function_name LIKE '%pening%' OR function_name LIKE 'rijn%'"
        ).fetchall(),
        *con.execute("SELECT * FROM duckdb_views()").fetchall(),
        *con.execute("SELECT * FROM duckdb_settings()").fetchall(),
    ]
    everything = repr(told)
    assert "rijn_open" in everything and "file:k.json" in everything
    for form in (
        secret.hex(),
        base64.b64encode(secret).decode()[:20],
        text[40:],
        repr(secret)[2:-1],
    ):
        assert form not in everything


def test_plans_that_are_copied_and_kept(con: Any) -> None:
    """Prepared statements, views, common table expressions have the keys; a statement that comes
    when the file is gone has not."""
    given = f"'{kept(Keyset.generate('xaes').json())}', 'c'"
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
con.execute("PREPARE q AS SELECT rijn_seal(i::VARCHAR, 'file:k.json', 'c', '', 'aegis-256') FROM range(9999) t(i)")
con.execute("EXECUTE q").fetchall()
print(*found())
con.execute("DEALLOCATE q")
con.close()
print(*found())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_keys_are_wiped_with_the_statement(con: Any) -> None:
    """The key, and the text that it was read from, in the memory of a process: the key is there while
    a statement is, and then no more; the text never."""
    text = Keyset.generate("aegis-256").json()
    kept(text)
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
    (raw, written), after = (map(int, line.split()) for line in ran.stdout.splitlines())
    assert raw > 0 and written == 0
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


@pytest.mark.parametrize("source", ["keyset", "variable", "key file"])
def test_what_the_extension_frees_and_draws(
    con: Any, watcher: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """No block that it frees holds a key, a keyset's text or a plaintext, and no stack that it has
    used holds a key or the text. A nonce of xaes begins with 16 bytes of the entropy source."""
    if source == "key file":
        key = os.urandom(32)
        text = f"rijn-key-v1 {key.hex()}\n"
        secrets = [key, key.hex().encode()]
    else:
        keyset = Keyset.generate("xaes").renewed("xaes")
        text = keyset.json()
        values = [it["keyData"]["value"].encode() for it in json.loads(text)["key"]]
        secrets = [it.secret for it in keyset._keys] + [value[-32:] for value in values]
    reference = kept(text)
    if source == "variable":
        monkeypatch.setenv("CUSTOMERS", text)
        reference = "env:CUSTOMERS"
    kept(text + "}", "broken.json")
    kept(text, "exposed.json", 0o644)
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


# ---- The guide ------------------------------------------------------------------------


def test_the_readme(con: Any) -> None:
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
