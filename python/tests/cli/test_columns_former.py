"""rijn columns: a sealed column's former type and metadata, and the file's metadata about it. All of
it comes back, and meanwhile none of it is readable."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Result, names
from table_files import pa, pq, read_table, rewritten, write_table

from rijn.cli.columns import thrift

footer: Any = pytest.importorskip("rijn.cli.columns.footer", reason="needs pyarrow")
pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]
KEYS = ["-k", ".key.d/xaes", "-k", ".key.d/siv"]
SECRET = "plaintext-"
ENDINGS = [".parquet", ".arrow", ".arrows"]


def write(table: Any, name: str) -> None:
    write_table(table, name, rows=2)


def readable(name: str) -> bytes:
    """Returns the file's bytes, and the decoded contents of its base64."""
    data = Path(name).read_bytes()
    found = re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", data)
    return data + b"".join(base64.b64decode(it[: len(it) // 4 * 4]) for it in found)


def there_and_back(run: Run, name: str, *how: str, err: str = "") -> Any:
    """Returns the table before and after encryption, rotation and decryption."""
    ending = os.path.splitext(name)[1]
    done = run("columns", "encrypt", name, *how, *KEYS, "-o", "s" + ending)
    assert (done.code, done.err) == (0, err)
    assert SECRET.encode() not in readable("s" + ending)
    kind = "siv" if "--deterministic" in how else "xaes"
    assert (
        run(
            "columns", "keygen", "--renew", f".key.d/{kind}", "--format", kind, "-o", ".key.d/new"
        ).code
        == 0
    )
    done = run("columns", "rotate", "s" + ending, "-k", ".key.d/new")
    assert (done.code, done.err) == (0, "")
    assert SECRET.encode() not in readable("s" + ending)
    done = run("columns", "decrypt", "s" + ending, "-k", ".key.d/new", "-o", "b" + ending)
    assert (done.code, done.err) == (0, "")
    assert run("columns", "decrypt", "s" + ending, *KEYS, "-o", "c" + ending).code == 3
    return read_table(name), read_table("b" + ending)


def equal(one: Any, other: Any) -> None:
    assert one.schema.equals(other.schema, check_metadata=True), (one.schema, other.schema)
    assert one.to_pylist() == other.to_pylist()
    for x, y in zip(one.columns, other.columns, strict=True):
        if pa.types.is_dictionary(x.type) and x.type.ordered:
            for a, b in zip(x.chunks, y.chunks, strict=False):
                assert a.dictionary.equals(b.dictionary)


def annotated(name: str, type_: Any, annotation: dict[int, Any]) -> None:
    """Writes a Parquet file whose column email has this annotation in Parquet's schema."""
    values = ["a" * 12, None, "b" * 12]
    array = pa.array([it and it.encode() for it in values]).cast(type_)
    pq.write_table(pa.table({"id": [1, 2, 3], "email": array}), name, row_group_size=2)

    def change(file: Any) -> None:
        element = file[2][1][1][2]
        for field in (6, 10):
            element.pop(field, None)
        element.update(annotation)

    rewritten(name, change)


def element_of(name: str) -> Any:
    return thrift.read(footer.footer_of(Path(name).read_bytes()))[0][2][1][1][2]


# ---- A column's own type and metadata -------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("how", ["-c", "--deterministic"])
def test_metadata_of_a_column(folder: Path, run: Run, ending: str, how: str) -> None:
    field = pa.field("email", pa.string(), False, {"first": SECRET + "a", "note": "x"})
    kept = pa.field("id", pa.int64(), metadata={"of": "id"})
    table = pa.table([["a", "b", "c"], [1, 2, 3]], schema=pa.schema([field, kept]))
    write(table, "t" + ending)
    equal(*there_and_back(run, "t" + ending, how, "email"))
    sealed = read_table("s" + ending).schema
    assert sealed.field("email").metadata.keys() - {b"PARQUET:field_id"} == {b"rijn.column"}
    assert sealed.field("id").metadata[b"of"] == b"id"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("how", ["-c", "--deterministic"])
def test_ordered_dictionaries(folder: Path, run: Run, ending: str, how: str) -> None:
    words = [SECRET + it for it in ("z", "a", "unused", "m")]
    indices = pa.array([3, None, 0, 1, 0], pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, words, ordered=True)
    write(pa.table({"size": column, "id": range(5)}), "t" + ending)
    one, other = there_and_back(run, "t" + ending, how, "size")
    equal(one, other)
    assert other["size"].chunk(0).dictionary.to_pylist() == words


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("how", ["-c", "--deterministic"])
def test_enums_of_polars(folder: Path, run: Run, ending: str, how: str) -> None:
    pl = pytest.importorskip("polars")
    kinds = [SECRET + it for it in ("small", "large", "unused")]
    frame = pl.DataFrame(
        {"size": pl.Series([kinds[1], kinds[0], None], dtype=pl.Enum(kinds)), "id": [1, 2, 3]}
    )
    ways: Any = {
        ".parquet": (frame.write_parquet, pl.read_parquet),
        ".arrow": (frame.write_ipc, pl.read_ipc),
        ".arrows": (frame.write_ipc_stream, pl.read_ipc_stream),
    }
    writes, reads = ways[ending]
    writes("t" + ending)
    there_and_back(run, "t" + ending, how, "size")
    back = reads("b" + ending)
    assert back["size"].dtype == pl.Enum(kinds) and back.equals(frame)


def test_a_dictionary_whose_order_changes(folder: Path, run: Run) -> None:
    type_ = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    schema = pa.schema([pa.field("size", type_)])
    with pa.ipc.new_stream("t.arrows", schema) as out:
        for words in (["a", "b"], ["b", "a"]):
            array = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), words, ordered=True)
            out.write_batch(pa.record_batch([array], schema=schema))
    done = run("columns", "encrypt", "t.arrows", "-c", "size", *KEYS)
    assert done.code == 2
    assert "column size: the order of its dictionary changes between record batches" in done.err
    assert names(folder) == {"t.arrows", ".key.d"}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("how", ["-c", "--deterministic"])
def test_extension_types(folder: Path, run: Run, ending: str, how: str) -> None:
    table = pa.table(
        {
            "uuid": pa.array([bytes([i]) * 16 for i in range(3)], pa.uuid()),
            "json": pa.array(['{"a": 1}', None, "[]"], pa.json_()),
            "large": pa.array(['{"a": 1}', None, "[]"], pa.json_(pa.large_string())),
            "other": pa.array(["a", "b", None]),
        }
    )
    fields = [*table.schema]
    fields[3] = fields[3].with_metadata({"ARROW:extension:name": "of.somebody"})
    table = table.cast(pa.schema(fields))
    write(table, "t" + ending)
    equal(*there_and_back(run, "t" + ending, how, "uuid,json,large,other"))
    assert {str(it.type) for it in read_table("s" + ending).schema} <= {"binary", "large_binary"}
    if ending == ".parquet":
        one, two = pq.ParquetFile("t.parquet").schema, pq.ParquetFile("b.parquet").schema
        assert [str(one.column(i).logical_type) for i in range(4)] == [
            str(two.column(i).logical_type) for i in range(4)
        ]


def test_extension_types_as_associated_data(folder: Path, run: Run) -> None:
    ids = pa.array([bytes([i]) * 16 for i in range(3)], pa.uuid())
    write(pa.table({"id": ids, "email": ["a", None, "b"]}), "t.parquet")
    for words in (
        ("encrypt", "t.parquet", "-c", "email", "-o", "s"),
        ("decrypt", "s", "-o", "b"),
    ):
        assert run("columns", *words, "--aad", "id", *KEYS).code == 0
    equal(read_table("t.parquet"), read_table("b"))


def test_extension_types_of_duckdb(folder: Path, run: Run) -> None:
    duck = pytest.importorskip("duckdb").connect()
    duck.sql("SET arrow_lossless_conversion = true")
    table = duck.sql(
        "SELECT uuid() AS uuid, '{\"a\": 1}'::JSON AS json, i::HUGEINT AS huge FROM range(3) AS t(i)"
    ).to_arrow_table()
    write(table, "t.arrow")
    assert "extension<arrow" in str(table.schema)
    equal(*there_and_back(run, "t.arrow", "-c", "uuid,json"))


def logical(number: int, fields: dict[int, Any] | None = None) -> dict[int, Any]:
    return {10: (thrift.STRUCT, {number: (thrift.STRUCT, fields or {})})}


@pytest.mark.parametrize("how", ["-c", "--deterministic"])
@pytest.mark.parametrize(
    ("width", "annotation"),
    [
        (-1, {6: (thrift.I32, 4)}),  # ENUM
        (-1, {6: (thrift.I32, 4), **logical(4)}),
        (-1, {6: (thrift.I32, 20), **logical(13)}),  # BSON
        (-1, {6: (thrift.I32, 19)}),  # JSON, as older programs write it
        (12, {6: (thrift.I32, 21)}),  # INTERVAL
        (-1, logical(17, {1: (thrift.BINARY, SECRET.encode())})),  # GEOMETRY
        (-1, logical(18)),  # GEOGRAPHY
        (-1, logical(99)),  # from a later version
        (-1, {}),
    ],
)
def test_types_that_only_parquet_knows(
    folder: Path, run: Run, width: int, annotation: dict[int, Any], how: str
) -> None:
    annotated("t.parquet", pa.binary(width), annotation)
    equal(*there_and_back(run, "t.parquet", how, "email"))
    assert element_of("b.parquet") == element_of("t.parquet")
    assert not {6, 10} & element_of("s.parquet").keys()
    if annotation:
        # Parquet orders values by their type. pyarrow does not know this type.
        statistics = pq.read_metadata("b.parquet").row_group(0).column(1).statistics
        assert statistics is None or not statistics.has_min_max


def test_intervals_of_duckdb(folder: Path, run: Run) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb")
    duckdb.sql(
        "COPY (SELECT i AS id, to_months(i) + to_hours(i) AS email FROM range(3) t(i))"
        " TO 't.parquet'"
    )
    for words in (
        ("encrypt", "t.parquet", "-c", "email", "-o", "s.parquet"),
        ("decrypt", "s.parquet", "-o", "b.parquet"),
    ):
        assert run("columns", *words, *KEYS).code == 0
    one, other = (duckdb.sql(f"SELECT * FROM '{name}.parquet'") for name in "tb")
    assert one.types == other.types
    assert one.fetchall() == other.fetchall()


@pytest.mark.parametrize("bad", ["", "AAAA", "?"])
def test_a_former_type_that_was_altered(folder: Path, run: Run, bad: str) -> None:
    write(pa.table({"json": pa.array(['{"a": 1}'], pa.json_())}), "t.parquet")
    assert run("columns", "encrypt", "t.parquet", "-c", "json", *KEYS).code == 0
    table = read_table("t.sealed.parquet")
    note = json.loads(table.schema.field(0).metadata[b"rijn.column"])
    note["former"] = bad
    field = table.schema.field(0).with_metadata({"rijn.column": json.dumps(note)})
    write(table.cast(pa.schema([field])), "t.sealed.parquet")
    for command in ("decrypt", "rotate"):
        done = run("columns", command, "t.sealed.parquet", "-o", "b", *KEYS)
        assert done.code == 4
        assert "column json: its encrypted type and metadata do not open" in done.err
    done = run("columns", "decrypt", "t.sealed.parquet", "-o", "b", "--errors", "null", *KEYS)
    assert done.code == 0 and "its type and metadata do not open, and are lost in b" in done.err
    assert read_table("b")["json"].to_pylist() == ['{"a": 1}']
    # A note by another version has no `former`.
    del note["former"]
    field = field.with_metadata({"rijn.column": json.dumps(note)})
    write(table.cast(pa.schema([field])), "t.sealed.parquet")
    done = run("columns", "decrypt", "t.sealed.parquet", "-o", "c", *KEYS)
    assert (done.code, str(read_table("c").schema.field(0).type)) == (0, "string")


# ---- The file's metadata --------------------------------------------------------------

GEO = {
    "version": "1.1.0",
    "primary_column": "email",
    "columns": {
        "email": {"encoding": "WKB", "bbox": [SECRET, 2, 3, 4], "geometry_types": [SECRET]},
        "other": {"encoding": "WKB", "bbox": [5, 6, 7, 8]},
    },
}
KNOWN = {
    "geo": GEO,
    "pandas": {
        "columns": [
            {"name": "id", "field_name": "id", "pandas_type": "int64", "metadata": None},
            {"name": "email", "field_name": "email", "metadata": {"categories": [SECRET]}},
        ]
    },
    "org.apache.spark.sql.parquet.row.metadata": {
        "type": "struct",
        "fields": [
            {
                "name": "email",
                "type": "string",
                "nullable": True,
                "metadata": {"ml_attr": {"vals": [SECRET]}},
            }
        ],
    },
    "parquet.avro.schema": {
        "type": "record",
        "name": "r",
        "fields": [{"name": "id", "type": "long"}]
        + [{"name": "email", "type": "string", "default": SECRET, "doc": SECRET}],
    },
    "iceberg.schema": {
        "fields": [
            {"id": 1, "name": "email", "required": False, "type": "string", "doc": SECRET},
        ]
    },
    "huggingface": {"info": {"features": {"email": {"names": [SECRET]}, "id": {"dtype": "int64"}}}},
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("key", KNOWN)
def test_metadata_about_a_sealed_column(folder: Path, run: Run, key: str, ending: str) -> None:
    table = pa.table({"id": [1, 2], "email": ["a", "b"], "other": [b"x", b"y"]})
    write(table.replace_schema_metadata({key: json.dumps(KNOWN[key])}), "t" + ending)
    one, other = there_and_back(run, "t" + ending, "-c", "email")
    assert one.equals(other)
    documents = [json.loads(it.schema.metadata[key.encode()]) for it in (one, other)]
    assert documents[0] == documents[1] == KNOWN[key]
    meanwhile = read_table("s" + ending).schema.metadata
    assert meanwhile.keys() == one.schema.metadata.keys()
    if key == "geo":
        assert json.loads(meanwhile[b"geo"]) == {
            "version": "1.1.0",
            "primary_column": "other",
            "columns": {"other": GEO["columns"]["other"]},
        }
    # Encryption of another column touches nothing of this.
    assert run("columns", "encrypt", "t" + ending, "-c", "other", "-o", "o", *KEYS).code == 0
    if key != "geo":
        assert read_table("o").schema.metadata[key.encode()] == one.schema.metadata[key.encode()]


@pytest.mark.parametrize("key", KNOWN)
def test_metadata_that_arrow_s_schema_lacks(folder: Path, run: Run, key: str) -> None:
    """As Polars, GDAL and programs in Rust write it."""
    table = pa.table({"id": [1, 2], "email": ["a", "b"], "other": [b"x", b"y"]})
    table = table.replace_schema_metadata({"both": "1"})
    with pq.ParquetWriter("t.parquet", table.schema) as out:
        out.write_table(table)
        out.add_key_value_metadata({key: json.dumps(KNOWN[key]), "mine": "x"})
    named = (
        "rijn: t.parquet: the file's metadata stays readable: both, mine"
        " (--drop-metadata KEY omits one)\n"
    )
    there_and_back(run, "t.parquet", "-c", "email", err=named)
    found = {name: dict(pq.read_metadata(f"{name}.parquet").metadata) for name in "tsb"}
    for each in found.values():
        each.pop(b"ARROW:schema")
        assert (each.pop(b"mine"), each.pop(b"both")) == (b"x", b"1")
    assert json.loads(found["t"][key.encode()]) == json.loads(found["b"][key.encode()])
    assert found["t"].keys() == found["s"].keys() == found["b"].keys()
    told = run("columns", "info", "s.parquet").out.decode()
    assert "metadata    mine, readable" in told
    drop = ("--drop-metadata", key, "--drop-metadata", "mine", "--drop-metadata", "both")
    done = run("columns", "encrypt", "t.parquet", "-c", "email", "-o", "d", *drop, *KEYS)
    assert (done.code, done.err) == (0, "")
    assert pq.read_metadata("d").metadata.keys() == {b"ARROW:schema"}


@pytest.mark.parametrize("key", KNOWN)
@pytest.mark.parametrize("place", [0, 99])
def test_a_key_that_the_metadata_has_twice(folder: Path, run: Run, key: str, place: int) -> None:
    """Programs differ in which of the two they read."""
    said = json.dumps(KNOWN[key]).encode()
    write(pa.table({"id": [1, 2], "email": ["a", "b"]}), "t.parquet")

    def change(file: Any) -> None:
        for value in (said, said.replace(b'"email"', b'"other"')):
            pair = {1: (thrift.BINARY, key.encode()), 2: (thrift.BINARY, value)}
            file[5][1][1].insert(place, pair)

    rewritten("t.parquet", change)
    done = run("columns", "encrypt", "t.parquet", "-c", "email", "-o", "s.parquet", *KEYS)
    assert done.code == 9 and f"metadata {key} may hold values of email" in done.err
    assert names(folder) == {"t.parquet", ".key.d"}
    drop = ("--drop-metadata", key)
    done = run("columns", "encrypt", "t.parquet", "-c", "email", "-o", "s.parquet", *drop, *KEYS)
    assert (done.code, done.err) == (0, "")
    assert SECRET.encode() not in readable("s.parquet")


def test_metadata_that_cannot_be_parsed(folder: Path, run: Run) -> None:
    suit = {"type": "enum", "name": "suit", "symbols": [SECRET]}
    fields = [{"name": "email", "type": suit}, {"name": "id", "type": "suit"}]
    for key, text in (
        ("geo", "no JSON " + SECRET),
        ("pandas", "[]"),
        ("r", "A\n3\n262657\n" + SECRET),
        ("parquet.proto.enum.Suit", SECRET + ":1"),
        ("parquet.avro.schema", json.dumps({"fields": fields})),
        ("huggingface", '{"info": 3}'),
    ):
        table = pa.table({"id": [1], "email": ["a"]}).replace_schema_metadata({key: text})
        write(table, "t.parquet")
        done = run("columns", "encrypt", "t.parquet", "-c", "email", *KEYS)
        assert done.code == 9
        assert f"the file's metadata {key} may hold values of email" in done.err
        assert f"--drop-metadata {key} omits it" in done.err
        assert names(folder) == {"t.parquet", ".key.d"}
        done = run("columns", "encrypt", "t.parquet", "-c", "email", *KEYS, "--drop-metadata", key)
        assert (done.code, done.err) == (0, "")
        assert SECRET.encode() not in readable("t.sealed.parquet")
        os.remove("t.sealed.parquet")


@pytest.mark.parametrize("ending", ENDINGS)
def test_other_metadata_is_named_and_can_be_dropped(folder: Path, run: Run, ending: str) -> None:
    table = pa.table({"id": [1, 2, 3], "email": ["a", "b", "c"]})
    table = table.replace_schema_metadata({"mine": SECRET, "pandas": '{"columns": []}'})
    there, where = "mine", {"mine"}
    if ending == ".parquet":
        write(table, "t" + ending)
    else:
        made = pa.ipc.new_file if ending == ".arrow" else pa.ipc.new_stream
        more = {"metadata": {"foot": SECRET}} if ending == ".arrow" else {}
        with made("t" + ending, table.schema, **more) as out:
            for number, batch in enumerate(table.to_batches(max_chunksize=2)):
                out.write_batch(batch, custom_metadata={f"batch{number}": SECRET})
        there += ", foot" if more else ""
        there += ", batch0, batch1"
        where = set(there.split(", "))
    wanted = ("columns", "encrypt", "t" + ending, "-c", "email", "-o", "s" + ending, *KEYS, "-f")
    done = run(*wanted)
    assert done.code == 0
    assert done.err == (
        f"rijn: t{ending}: the file's metadata stays readable: {there}"
        " (--drop-metadata KEY omits one)\n"
    )
    assert run(*wanted, "--quiet").err == ""
    assert SECRET.encode() in readable("s" + ending)
    told = run("columns", "info", "s" + ending).out.decode()
    assert {f"metadata    {it}, readable" for it in where | {"pandas"}} <= {*told.splitlines()}
    done = run(*wanted, *(word for key in where for word in ("--drop-metadata", key)))
    assert (done.code, done.err) == (0, "")
    assert SECRET.encode() not in readable("s" + ending)
    assert read_table("s" + ending).schema.metadata.keys() == {b"pandas"}
    done = run(*wanted, "--drop-metadata", "nope")
    assert done.code == 2 and f"t{ending}: its metadata has no key nope (its keys are mine, " in (
        done.err
    )


def test_the_covering_of_a_geometry_is_named(folder: Path, run: Run) -> None:
    box = {"bbox": {edge: ["box", edge] for edge in ("xmin", "ymin", "xmax", "ymax")}}
    geo = {"primary_column": "g", "columns": {"g": {"encoding": "WKB", "covering": box}}}
    table = pa.table({"g": [b"x"], "box": [{"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}]})
    write(table.replace_schema_metadata({"geo": json.dumps(geo)}), "t.parquet")
    done = run("columns", "encrypt", "t.parquet", "-c", "g", *KEYS)
    assert done.code == 0
    assert done.err == (
        "rijn: t.parquet: column box has bounding boxes of a column that is encrypted, and stays"
        " readable\n"
    )


def test_pandas_reads_what_is_sealed(folder: Path, run: Run) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"email": ["a", None, "b"], "id": [1, 2, 3]})
    frame["kind"] = pandas.Categorical(["x", "y", "x"], ["y", "x", "unused"], ordered=True)
    frame.to_parquet("t.parquet")
    there_and_back(run, "t.parquet", "-c", "email,kind")
    assert isinstance(pandas.read_parquet("s.parquet")["email"][0], bytes)
    pandas.testing.assert_frame_equal(pandas.read_parquet("b.parquet"), frame)
