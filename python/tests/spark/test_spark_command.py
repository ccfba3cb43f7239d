"""rijn columns --engine spark: folders of Parquet files, read by both engines."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import py4j
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError

from rijn.cli import main
from rijn.cli.columns.note import NAME, with_spark_notes
from rijn.cli.failures import Failure, Interrupted
from rijn.cli.spark import about, cluster
from rijn.columns import Column, Keyset

ROWS = 250
EMAILS = [None if i % 7 == 3 else "" if i % 11 == 5 else f"plaintext-{i % 40}" for i in range(ROWS)]
KEYS = ("-k", ".xaes.keyset", "-k", ".siv.keyset")


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ended]
LIVE = ROWS - EMAILS.count(None)


@pytest.fixture
def run(spark: Any, keyset: Any, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs rijn columns in this process, where it joins the test's session."""
    keyset("xaes")
    keyset("siv")

    def run_rijn(*arguments: str, engine: str = "spark") -> Ended:
        capfd.readouterr()
        more = () if engine == "local" else ("--engine", engine)
        code = main(["columns", *arguments, *more])
        return Ended(code, *capfd.readouterr())

    return run_rijn


@pytest.fixture
def table(spark: Any, folder: Path) -> Any:
    """Makes t.parquet with Spark, in three files."""
    rows = [(i, f"ssn-{i % 10}", email, bytes([i])) for i, email in enumerate(EMAILS)]
    frame = spark.createDataFrame(rows, "id long, ssn string, email string, photo binary")
    frame.repartition(3, "id").write.parquet(str(folder / "t.parquet"))
    return sorted(rows)


def seen(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".xaes.keyset", ".siv.keyset"}


def rows_of(path: str) -> Any:
    return pq.read_table(path).sort_by("id")


def parts(name: str) -> list[str]:
    return sorted(str(path) for path in Path(name).glob("*.parquet"))


def without_sum(part: str) -> None:
    """Removes Hadoop's checksum of a file."""
    (Path(part).parent / f".{Path(part).name}.crc").unlink()


def damaged(name: str, *rows: int) -> None:
    """Puts bytes that were never sealed into these rows of column email."""
    for part in parts(name):
        read = pq.read_table(part)
        ids, emails = read["id"].to_pylist(), read["email"].to_pylist()
        bad = [b"x" * 50 if i in rows else it for i, it in zip(ids, emails, strict=True)]
        place = read.schema.get_field_index("email")
        pq.write_table(read.set_column(place, read.schema.field(place), [bad]), part)
        without_sum(part)


# ---- There and back -------------------------------------------------------------------


def test_a_folder_is_encrypted_and_decrypted_on_both_engines(
    folder: Path, run: Run, table: Any
) -> None:
    wanted = ("-c", "ssn,email,photo", "--deterministic", "ssn", "--aad", "id", *KEYS)
    assert run("encrypt", "t.parquet/", *wanted) == (0, "", "")
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}
    sealed = rows_of("t.sealed.parquet")
    assert [str(it) for it in sealed.schema.types] == ["int64", "binary", "binary", "binary"]
    column = Column(Keyset.from_file(".xaes.keyset"), context="email")
    ids = sealed["id"].cast(pa.string())
    assert pa.chunked_array(column.open(sealed["email"], ids, type="string")).to_pylist() == EMAILS

    assert run("decrypt", "t.sealed.parquet", "-o", "back", "--aad", "id", *KEYS) == (0, "", "")
    assert [tuple(it.values()) for it in rows_of("back").to_pylist()] == table
    assert rows_of("back").schema.field("ssn").type == pa.string()
    for number, part in enumerate(parts("t.sealed.parquet")):
        more = ("-o", f"back-{number}", "--aad", "id", *KEYS)
        done = run("decrypt", part, *more, engine="local")
        assert done == (0, "", "")
    one = pa.concat_tables([pq.read_table(f"back-{i}") for i in range(number + 1)])
    assert [tuple(it.values()) for it in one.sort_by("id").to_pylist()] == table


def test_spark_opens_files_of_one_machine(folder: Path, run: Run, spark: Any) -> None:
    emails = pa.array(EMAILS)
    ids = pa.array(range(ROWS), pa.int32())
    types = {"large": pa.large_string(), "words": pa.dictionary(pa.int8(), pa.string())}
    columns = {"id": ids, "email": emails, **{k: emails.cast(t) for k, t in types.items()}}
    pq.write_table(pa.table(columns), "t.parquet")
    wanted = ("-c", "email,large,words", "--pad", "16", "--aad", "id", *KEYS)
    assert run("encrypt", "t.parquet", *wanted, engine="local").code == 0
    assert run("decrypt", "t.sealed.parquet", "-o", "back", "--aad", "id", *KEYS) == (0, "", "")
    back = rows_of("back")
    assert [str(it) for it in back.schema.types] == ["int32", "string", "string", "string"]
    assert all(back[name].to_pylist() == EMAILS for name in ("email", "large", "words"))


def test_columns_without_notes(folder: Path, run: Run, table: Any, keyset: Any) -> None:
    """For example after another program has rewritten the files."""
    assert run("encrypt", "t.parquet", "-c", "email", "--aad", "id", *KEYS).code == 0
    for part in parts("t.sealed.parquet"):
        assert b"rijn.column" in Path(part).read_bytes()
        read = pq.read_table(part).replace_schema_metadata(None)
        pq.write_table(read.cast(pa.schema([it.with_metadata({}) for it in read.schema])), part)
        without_sum(part)
    how = ("-c", "email", "--aad", "id")
    done = run("decrypt", "t.sealed.parquet", *KEYS, "-o", "back")
    assert done.code == 6 and "no column is marked as sealed" in done.err
    done = run("decrypt", "t.sealed.parquet", *how, *KEYS, "-o", "back")
    assert done.code == 2 and "give the type of its values with --type" in done.err
    keyset("xaes", ".other.keyset")
    for command, *more in (("decrypt", "--type", "string"), ("rotate",)):
        done = run(command, "t.sealed.parquet", *how, *more, "-k", ".other.keyset", "-o", "back")
        assert done.code == 3 and "no value opens: check -k" in done.err
    assert run("rotate", "t.sealed.parquet", *how, *KEYS).code == 0
    assert not any(b"rijn.column" in Path(it).read_bytes() for it in parts("t.sealed.parquet"))
    assert (
        run("decrypt", "t.sealed.parquet", *how, "--type", "string", *KEYS, "-o", "back").code == 0
    )
    assert rows_of("back")["email"].to_pylist() == EMAILS


def test_spark_reads_a_part_that_one_machine_rewrote(
    folder: Path, run: Run, table: Any, spark: Any
) -> None:
    """Spark reads a file by the schema that it stored there, so the schema must match the contents."""
    for number, part in enumerate(parts("t.parquet")):
        done = run("encrypt", part, "-c", "email", "-o", f"{number}.parquet", *KEYS, engine="local")
        assert done.code == 0
    os.mkdir("sealed")
    for number in range(3):
        os.rename(f"{number}.parquet", f"sealed/{number}.parquet")
    frame = spark.read.parquet(str(folder / "sealed"))
    assert dict(frame.dtypes)["email"] == "binary"
    assert "rijn.column" in frame.schema["email"].metadata
    assert run("decrypt", "sealed", "-o", "back", *KEYS) == (0, "", "")
    assert [tuple(it.values()) for it in rows_of("back").to_pylist()] == table
    for number in range(3):
        done = run(
            *("decrypt", f"sealed/{number}.parquet", "-o", f"sealed/{number}", *KEYS),
            engine="local",
        )
        assert done.code == 0
        os.replace(f"sealed/{number}", f"sealed/{number}.parquet")
    frame = spark.read.parquet(str(folder / "sealed"))
    assert dict(frame.dtypes)["email"] == "string"
    assert frame.schema["email"].metadata == {}
    assert sorted(tuple(row) for row in frame.collect()) == table


@pytest.mark.parametrize("place", ["first", "last"])
def test_spark_reads_its_own_timestamps_beside_a_sealed_column(
    folder: Path, run: Run, spark: Any, place: str
) -> None:
    """INT96, also of years beyond 64 bits of nanoseconds."""
    from pyspark.sql import functions

    text = "CAST(concat(CAST(id * 90 + 1 AS STRING), '@x') AS STRING) AS email"
    columns = [
        "make_timestamp(CAST(id * 90 + 1 AS INT), 12, 31, 23, 59, 59.999999) AS t",
        "CAST(id AS DECIMAL(9, 2)) AS d",
        "array(id, NULL) AS l",
    ]
    columns.insert(0 if place == "first" else 3, text)
    frame = spark.range(112).selectExpr(*columns).coalesce(1)
    labels = {"ml_attr": {"vals": ["1@x"]}}
    frame.withColumn("email", functions.col("email").alias("email", metadata=labels)).select(
        *frame.columns
    ).write.option("parquet.enable.dictionary", "true").parquet(str(folder / "t"))
    (part,) = parts(str(folder / "t"))
    before = spark.read.parquet(part)
    assert pq.ParquetFile(part).schema.column(1 if place == "first" else 0).physical_type == "INT96"
    for words in (
        ("encrypt", part, "-c", "email", "-o", "s.parquet"),
        ("rotate", "s.parquet"),
        ("decrypt", "s.parquet", "-o", "b.parquet"),
    ):
        assert run(*words, *KEYS, engine="local").code == 0
    sealed = spark.read.parquet(str(folder / "s.parquet"))
    assert "ml_attr" not in str(sealed.schema["email"].metadata)
    cast = [functions.col(name).cast("string") for name in ("t", "d", "l")]
    wanted = before.select(*cast).collect()
    assert len(wanted) == 112 and sealed.select(*cast).collect() == wanted
    back = spark.read.parquet(str(folder / "b.parquet"))
    assert back.select(*cast, "email").collect() == before.select(*cast, "email").collect()
    assert back.schema["email"].metadata == labels


def test_info_reads_spark_metadata(
    folder: Path, run: Run, table: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("encrypt", "t.parquet", "-c", "email", "--aad", "id", *KEYS).code == 0
    assert main(["columns", "info", parts("t.sealed.parquet")[0]]) == 0
    said = capfd.readouterr().out
    assert "column      email, sealed, format xaes\n  type      string\n" in said
    assert "  context   email\n  aad       column id\n" in said


def test_a_new_key(folder: Path, run: Run, table: Any) -> None:
    assert run("encrypt", "t.parquet", "-c", "email", "--aad", "id", *KEYS).code == 0
    Keyset.from_file(".xaes.keyset").renewed("xaes").write(".key.new")
    before = seen(folder)
    wanted = ("--aad", "id", "-k", ".key.new")
    assert run("rotate", "t.sealed.parquet", *wanted) == (0, "", "")
    assert seen(folder) == before
    done = run("decrypt", "t.sealed.parquet", "--aad", "id", *KEYS, "-o", "back")
    assert done.code == 3 and f"email: {LIVE} of {ROWS} rows do not open (" in done.err
    assert f"the keyset with key {Keyset.from_file('.key.new').ids[0]}" in done.err
    assert run("decrypt", "t.sealed.parquet", *wanted, "-o", "back").code == 0
    assert [tuple(it.values()) for it in rows_of("back").to_pylist()] == table
    once = rows_of("t.sealed.parquet")
    assert run("rotate", "t.sealed.parquet", *wanted).code == 0
    assert rows_of("t.sealed.parquet").equals(once)
    part = parts("t.sealed.parquet")[0]
    done = run("rotate", part, *wanted)
    assert done.code == 2 and "is a file, but Spark writes folders" in done.err


def renewed_alone() -> None:
    """Writes .key.new with a new key beside the old one, and .key.alone without the old one."""
    renewed = Keyset.from_file(".xaes.keyset").renewed("xaes")
    renewed.write(".key.new")
    found = json.loads(Path(".key.new").read_text())
    found["key"] = [key for key in found["key"] if key["keyId"] == found["primaryKeyId"]]
    Path(".key.alone").write_text(json.dumps(found))
    os.chmod(".key.alone", 0o600)
    assert Keyset.from_file(".key.alone").ids == renewed.ids[:1]


def with_former() -> Any:
    """Makes t.parquet, whose column has metadata of its own."""
    field = pa.field("email", pa.string(), metadata={"label": "where they are written to"})
    table = pa.table([pa.array(EMAILS)], schema=pa.schema([field]))
    pq.write_table(table, "t.parquet")
    return table


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_the_former_type_gets_the_new_key_too(folder: Path, run: Run, engine: str) -> None:
    """Its type and metadata are sealed with it. Without the old key they must open like its values."""
    before = with_former()
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS, engine="local").code == 0
    renewed_alone()
    rotate = ("rotate", "t.sealed.parquet", "-o", "new", "-k", ".key.new")
    assert run(*rotate, engine=engine) == (0, "", "")
    (part,) = ["new"] if engine == "local" else parts("new")
    done = run("decrypt", part, "-o", "back.parquet", "-k", ".key.alone", engine="local")
    assert done == (0, "", "")
    back = pq.read_table("back.parquet")
    assert back.equals(before) and back.field("email").metadata == before.field("email").metadata


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_the_former_type_is_damaged(folder: Path, run: Run, engine: str) -> None:
    with_former()
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS, engine="local").code == 0
    sealed = pq.read_table("t.sealed.parquet")
    field = sealed.field("email")
    note = json.loads(field.metadata[NAME]) | {"former": "AAAA"}
    changed = field.with_metadata({NAME: json.dumps(note)})
    pq.write_table(sealed.cast(pa.schema([changed])), "t.sealed.parquet")
    done = run("rotate", "t.sealed.parquet", "-o", "new", *KEYS, engine=engine)
    assert done.code == 4, done.err
    assert "column email: its encrypted type and metadata do not open (restore" in done.err
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}


def test_times_stay_as_they_are(folder: Path, run: Run, spark: Any) -> None:
    """Times stay beside sealed columns. They are neither sealed nor associated data themselves."""
    query = """SELECT id, concat(id, '@example.com') AS email, timestamp_micros(id * 86399999999) AS at,
        CAST(timestamp_micros(id) AS TIMESTAMP_NTZ) AS local, array(timestamp_micros(id)) AS list,
        named_struct('at', timestamp_micros(-id)) AS struct FROM range(10)"""
    spark.sql(query).coalesce(1).write.parquet(str(folder / "t.parquet"))
    names = ("id", "at", "local", "list", "struct")
    before = spark.read.parquet(str(folder / "t.parquet"))
    assert run("encrypt", "t.parquet", "-c", "email", "--aad", "id", *KEYS) == (0, "", "")
    Keyset.from_file(".xaes.keyset").renewed("xaes").write(".key.new")
    keys = ("--aad", "id", "-k", ".key.new")
    assert run("rotate", "t.sealed.parquet", *keys) == (0, "", "")
    assert run("decrypt", "t.sealed.parquet", "-o", "back", *keys) == (0, "", "")
    for name, columns in (("t.sealed.parquet", names), ("back", before.columns)):
        after = spark.read.parquet(str(folder / name))
        assert after.select(*columns).schema == before.select(*columns).schema
        assert sorted(after.select(*columns).collect()) == sorted(before.select(*columns).collect())
    for more, said in (
        (("-c", "at"), "column at is of type timestamp[us, tz=UTC]; Rijn encrypts only"),
        (("-c", "local"), "column local is of type timestamp[us]; Rijn encrypts only"),
        (("-c", "list"), "column list is of type list"),
        (("-c", "struct"), "column struct is of type struct"),
        (("-c", "email", "--aad", "at"), "which cannot be associated data (use text, bytes"),
    ):
        done = run("encrypt", "t.parquet", "-o", "no", *more, *KEYS)
        assert done.code == 2 and said in done.err and "no" not in seen(folder), done.err


def leaves(path: str) -> list[tuple[object, ...]]:
    """Returns the columns of a file but email, as they are stored."""
    schema = pq.ParquetFile(path).schema
    found = (schema.column(place) for place in range(len(schema)))
    return [
        (it.path, it.physical_type, it.length, it.logical_type.to_json())
        for it in found
        if it.path != "email"
    ]


EMAIL = pa.array(["ann@example.com", "bob@example.com"])


def written(values: Any, **options: Any) -> None:
    pq.write_table(pa.table({"email": EMAIL, "x": values}), "t.parquet", **options)


@pytest.mark.parametrize(
    "type_",
    [
        pa.timestamp("us", "UTC"),
        pa.timestamp("ms", "UTC"),
        pa.timestamp("us"),
        pa.list_(pa.struct([("at", pa.timestamp("us", "UTC")), ("n", pa.int16())])),
        pa.decimal128(38, 2),
    ],
    ids=str,
)
def test_other_columns_keep_their_types(folder: Path, run: Run, spark: Any, type_: Any) -> None:
    """spark.sql.parquet.outputTimestampType, INT96 unless somebody sets it, changes none."""
    setting = "spark.sql.parquet.outputTimestampType"
    before = spark.conf.get(setting)
    values = pa.array([None, None], type_)
    if not pa.types.is_nested(type_):
        values = pa.array([1, -1]).cast(type_)
    written(values)
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS) == (0, "", "")
    assert run("decrypt", "t.sealed.parquet", "-o", "back", *KEYS) == (0, "", "")
    for name in ("t.sealed.parquet", "back"):
        (part,) = parts(name)
        assert leaves(part) == leaves("t.parquet")
        assert pq.read_table(part)["x"].to_pylist() == values.to_pylist()
    assert spark.conf.get(setting) == before


def test_a_table_of_sealed_columns_alone(folder: Path, run: Run) -> None:
    names = ["email", "a.b", "a`b"]
    pq.write_table(pa.table([EMAIL] * 3, names), "t.parquet")
    columns = [word for name in names for word in ("-c", name)]
    assert run("encrypt", "t.parquet", *columns, *KEYS) == (0, "", "")
    assert run("decrypt", "t.sealed.parquet", "-o", "back", *KEYS) == (0, "", "")
    assert pq.read_table("back").to_pylist() == pq.read_table("t.parquet").to_pylist()


OTHER = {
    "unsigned": pa.array([1, 2**64 - 1], pa.uint64()),
    "unsigned byte": pa.array([1, 255], pa.uint8()),
    "fixed": pa.array([b"a", b"b"], pa.binary(1)),
    "json": pa.array(["{}", "1"], pa.json_()),
    "decimal": pa.array([Decimal("1.23"), None], pa.decimal128(9, 2)),
    "milliseconds": pa.array([1, 2], pa.timestamp("ms")),
    "in a list": pa.array([[1], []], pa.list_(pa.uint32())),
}


@pytest.mark.parametrize("name", OTHER)
def test_types_that_spark_would_change_are_refused(folder: Path, run: Run, name: str) -> None:
    written(OTHER[name])
    kept = Path("t.parquet").read_bytes()
    done = run("encrypt", "t.parquet", "-c", "email", *KEYS)
    assert done.code == 2 and done.err.count("\n") == 1, done.err
    assert "t.parquet: column x" in done.err and "which Spark would change to" in done.err
    assert seen(folder) == {"t.parquet"} and Path("t.parquet").read_bytes() == kept


def test_a_type_that_one_file_of_a_folder_has_is_refused(folder: Path, run: Run) -> None:
    Path("t").mkdir()
    for number, type_ in enumerate((pa.int64(), pa.uint32())):
        written(pa.array([1, 2], type_))
        Path("t.parquet").rename(f"t/{number}.parquet")
    done = run("encrypt", "t", "-c", "email", *KEYS)
    assert done.code == 2 and "column x has type INT32 Int" in done.err, done.err
    assert seen(folder) == {"t"}


def test_nanoseconds_are_not_dropped(folder: Path, run: Run) -> None:
    """Spark reads and writes INT96, which may have nanoseconds, in microseconds."""
    values = pa.array([1, 1001], pa.timestamp("ns"))
    written(values, use_deprecated_int96_timestamps=True)
    assert leaves("t.parquet")[0][1] == "INT96"
    done = run("encrypt", "t.parquet", "-c", "email", *KEYS)
    assert done.code == 2 and "column x may have nanoseconds, which Spark would drop" in done.err
    assert seen(folder) == {"t.parquet"}
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS, engine="local").code == 0
    done = run("rotate", "t.sealed.parquet", "-o", "new", *KEYS)
    assert done.code == 2 and "nanoseconds" in done.err, done.err


def test_other_metadata_of_a_sealed_column_is_dropped(folder: Path, run: Run, spark: Any) -> None:
    """It may hold values of the column."""
    frame = spark.createDataFrame([("ann@example.com", "Rome")], "email string, city string")
    for name in frame.columns:
        frame = frame.withMetadata(name, {"longest": f"a value of {name}"})
    frame.coalesce(1).write.parquet(str(folder / "t.parquet"))
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS).code == 0
    for path, kept in (("t.parquet", [b"email", b"city"]), ("t.sealed.parquet", [b"city"])):
        (part,) = (Path(it).read_bytes() for it in parts(path))
        assert [name for name in (b"email", b"city") if b"a value of " + name in part] == kept


def test_a_type_that_arrow_lacks(folder: Path, run: Run, spark: Any) -> None:
    query = "SELECT 'a' AS email, array(INTERVAL '1' YEAR) AS i"
    spark.sql(query).coalesce(1).write.parquet(str(folder / "t.parquet"))
    for name in ("email", "i"):
        done = run("encrypt", "t.parquet", "-c", name, *KEYS)
        said = "t.parquet: column i is of type array<interval year>, which Python cannot receive"
        assert done.code == 2 and said in done.err, done.err
        assert done.err.count("\n") == 1 and seen(folder) == {"t.parquet"}


# ---- Attacks with write access to the files --------------------------------------------


@pytest.mark.parametrize("format", ["xaes", "tink"])
def test_a_file_does_not_choose_what_authenticates_its_values(
    folder: Path, run: Run, keyset: Any, format: str
) -> None:
    """An attacker has moved the values and added a column. The file claims that this column is the
    associated data, and that there is no context, because the column includes the context."""
    keyset("tink", ".tink.keyset")
    ids = [str(1000 + i) for i in range(20)]
    pq.write_table(pa.table({"id": ids, "email": [f"{i}@example.com" for i in ids]}), "t.parquet")
    keys = ("-k", f".{format}.keyset")
    how = ("--format", format, "--context", "email=email", "--aad", "id", *keys)
    assert run("encrypt", "t.parquet", "-c", "email", *how).code == 0
    os.mkdir("s")
    sealed = rows_of("t.sealed.parquet").sort_by("id")
    note = json.loads(
        with_spark_notes(pq.read_schema(parts("t.sealed.parquet")[0])).field("email").metadata[NAME]
    )

    def attack(own: list[Any], **changes: Any) -> None:
        field = pa.field("email", pa.binary(), metadata={NAME: json.dumps(note | changes)})
        emails = sealed["email"].take(pa.array([*range(1, 20), 0]))
        table = pa.table([sealed["id"], emails, pa.array(own)], names=["id", "email", "own"])
        pq.write_table(table.set_column(1, field, emails), "s/part.parquet")

    def refused(code: int, said: str, *more: str) -> None:
        before = Path("s/part.parquet").read_bytes()
        for command in ("decrypt", "rotate"):
            for to in ([], ["-o", "back"])[command == "decrypt" :]:
                done = run(command, "s", *keys, *more, *to)
                assert (done.code, said in done.err) == (code, True), done.err
        assert Path("s/part.parquet").read_bytes() == before and "back" not in seen(folder)

    moved = [*ids[1:], ids[0]]
    attack(moved, aad="own")
    refused(2, "column email says that column own is its associated data")
    refused(3, "20 of 20 rows do not open", "--aad", "id")
    attack(moved, aad=None)
    refused(3, "20 of 20 rows do not open")
    refused(2, "says that its aad is none, not id", "--aad", "id")
    framed = [
        b"".join(len(it).to_bytes(8, "big") + it for it in (b"email", i.encode())) for i in moved
    ]
    attack(framed, aad="own", format="tink", context=None)
    refused(2, "column email says that column own is its associated data")
    refused(3, "was sealed for no context, not email", "--aad", "own")


# ---- Rows that do not open ------------------------------------------------------------


def test_rows_that_do_not_open(folder: Path, run: Run, table: Any) -> None:
    assert run("encrypt", "t.parquet", "-c", "email,ssn", *KEYS).code == 0
    damaged("t.sealed.parquet", 0, 1, 200)
    before = {path: Path(path).read_bytes() for path in parts("t.sealed.parquet")}
    said = f"t.sealed.parquet: column email: 3 of {ROWS} rows do not open"
    done = run("decrypt", "t.sealed.parquet", "-o", "back", *KEYS)
    assert done.code == 4 and done.err.startswith(f"rijn: {said} (restore"), done.err
    assert run("rotate", "t.sealed.parquet", *KEYS).code == 4
    assert {path: Path(path).read_bytes() for path in parts("t.sealed.parquet")} == before
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}
    done = run("decrypt", "t.sealed.parquet", "-o", "back", "--errors", "null", "-q", *KEYS)
    assert done == (0, "", f"rijn: {said}; they are null in back\n")
    found = rows_of("back").to_pylist()
    assert [tuple(it.values()) for it in found] == [
        (*row[:2], None if row[0] in (0, 1, 200) else row[2], row[3]) for row in table
    ]


def test_associated_data_that_is_missing(folder: Path, run: Run) -> None:
    values = pa.table({"id": [1, None, None], "email": ["a", "b", None]})
    pq.write_table(values, "t.parquet")
    done = run("encrypt", "t.parquet", "-c", "email", "--aad", "id", *KEYS)
    assert done.code == 2 and "of email, is null in 1 rows that have a value (fill" in done.err
    assert seen(folder) == {"t.parquet"}


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_associated_data_that_is_missing_later(folder: Path, run: Run, engine: str) -> None:
    """If rows fail for that reason, the message says so. With --errors null they become null."""
    values = pa.table({"id": [1, 2, 3], "email": ["a", "b", None]})
    pq.write_table(values, "t.parquet")
    assert (
        run("encrypt", "t.parquet", "-c", "email", "--aad", "id", *KEYS, engine="local").code == 0
    )
    sealed = pq.read_table("t.sealed.parquet")
    pq.write_table(sealed.set_column(0, "id", [[1, None, None]]), "t.sealed.parquet")
    wanted = ("t.sealed.parquet", "--aad", "id", *KEYS, "-o", "back")
    for command in ("decrypt", "rotate"):
        done = run(command, *wanted, engine=engine)
        assert done.code == 2, done.err
        assert "column id, the associated data of email, is null in 1 rows" in done.err
    assert seen(folder) == {"t.parquet", "t.sealed.parquet"}
    assert run("decrypt", *wanted, "--errors", "null", engine=engine).code == 0
    assert pq.read_table("back")["email"].to_pylist() == ["a", None, None]


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_a_table_that_was_cut(folder: Path, run: Run, engine: str) -> None:
    pq.write_table(pa.table({"email": ["a"]}), "t.parquet")
    Path("t.parquet").write_bytes(Path("t.parquet").read_bytes()[:-9])
    done = run("encrypt", "t.parquet", "-c", "email", *KEYS, engine=engine)
    assert done.code == 4 and "t.parquet: damaged: " in done.err, done.err
    assert seen(folder) == {"t.parquet"}


# ---- Results --------------------------------------------------------------------------


def test_nothing_is_replaced_without_force(folder: Path, run: Run, table: Any) -> None:
    wanted = ("encrypt", "t.parquet", "-c", "email", *KEYS)
    assert run(*wanted).code == 0
    before = parts("t.sealed.parquet")
    done = run(*wanted)
    assert done.code == 9 and "t.sealed.parquet: exists already (--force overwrites" in done.err
    assert parts("t.sealed.parquet") == before
    assert run(*wanted, "--force").code == 0
    assert not {*parts("t.sealed.parquet")} & {*before}
    assert run(*wanted, "--force", "-o", "t.sealed.parquet").code == 0
    os.mkdir("papers")
    Path("papers/letter.txt").write_text("dear")
    done = run(*wanted, "-o", "papers")  # the folder for the result
    assert done.code == 0 and parts("papers/t.sealed.parquet")
    os.mkdir("papers/t.sealed.parquet/more")
    done = run(*wanted, "-o", "papers", "--force")
    assert done.code == 9 and "is not a folder of Parquet files" in done.err
    Path("file").write_text("dear")
    done = run(*wanted, "-o", "file", "--force")
    assert done.code == 9 and Path("file").read_text() == "dear"
    for place in ("t.parquet", "t.parquet/in"):
        done = run(*wanted, "-o", place, "--force")
        assert done.code == 9 and "is the source, contains it or is in it" in done.err, done.err
    left = {"t.parquet", "t.sealed.parquet", "papers", "file"}
    assert seen(folder) == left


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_results_that_cannot_be_tables(folder: Path, run: Run, engine: str) -> None:
    """Both engines refuse it, in the same words."""
    pq.write_table(pa.table({"email": ["a"]}), "t.parquet")
    os.mkfifo("pipe")
    wanted = ("encrypt", "t.parquet", "-c", "email", *KEYS, "--force")
    for name, said in (("-", "standard output"), ("/dev/stdout", "standard output")):
        done = run(*wanted, "-o", name, engine=engine)
        assert done.code == 9, done.err
        assert f"rijn: {said}: is not a file (write the table to a file" in done.err
    done = run(*wanted, "-o", "pipe", engine=engine)
    assert done.code == 9 and "pipe: is not a file (write the table to a file" in done.err, done.err
    done = run(*wanted, "-o", "out.csv", engine=engine)
    assert done.code == 2 and "out.csv: its name says CSV, but the result is" in done.err
    assert seen(folder) == {"t.parquet", "pipe"}


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_a_named_result_leaves_the_source(folder: Path, run: Run, engine: str) -> None:
    """rotate replaces its source if -o is not given, and nothing else."""
    pq.write_table(pa.table({"email": ["a"]}), "t.parquet")
    name = "./t.sealed.parquet"
    assert run("encrypt", "./t.parquet", "-c", "email", *KEYS, engine=engine).code == 0
    before = {path: path.read_bytes() for path in Path().rglob("*.parquet") if path.is_file()}
    done = run("rotate", name, "-o", "./", *KEYS, engine=engine)
    assert done.code == 9, done.err
    for path, data in before.items():
        assert path.read_bytes() == data


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_bounding_boxes_are_reported(folder: Path, run: Run, engine: str) -> None:
    """They stay readable beside a sealed geometry."""
    covering = {"bbox": {"xmin": ["box", "xmin"]}}
    geo = {"columns": {"geometry": {"encoding": "WKB", "covering": covering}}}
    table = pa.table({"geometry": [b"wkb"], "box": [{"xmin": 1.0}]})
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), "t.parquet")
    done = run("encrypt", "t.parquet", "-c", "geometry", *KEYS, engine=engine)
    said = "column box has bounding boxes of a column that is encrypted, and stays readable"
    assert done == (0, "", f"rijn: t.parquet: {said}\n")


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_a_source_that_is_a_pipe(folder: Path, run: Run, engine: str) -> None:
    os.mkfifo("pipe")
    fd = os.open("pipe", os.O_RDWR)
    try:
        done = run("encrypt", "pipe", "-c", "email", "-o", "out", *KEYS, engine=engine)
    finally:
        os.close(fd)
    assert done.code == 1 and "pipe: is a pipe or a device (write the table" in done.err, done.err
    assert seen(folder) == {"pipe"}


def test_a_result_is_no_more_open_than_its_source(folder: Path, run: Run, table: Any) -> None:
    for part in parts("t.parquet"):
        os.chmod(part, 0o640)
    os.chmod(parts("t.parquet")[0], 0o604)
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS).code == 0
    for path in Path("t.sealed.parquet").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    assert Path("t.sealed.parquet").stat().st_mode & 0o777 == 0o700


def test_errors_of_spark_take_one_line(folder: Path, run: Run, table: Any) -> None:
    part = Path(parts("t.parquet")[0])
    data = bytearray(part.read_bytes())
    data[4:60] = bytes(56)  # damages a page, not the footer
    part.write_bytes(data)
    without_sum(str(part))
    done = run("encrypt", "t.parquet", "-c", "email", *KEYS)
    assert done.code == 1 and done.err.startswith("rijn: t.parquet: Spark: "), done.err
    assert done.err.count("\n") == 1 and "calling" not in done.err, done.err
    assert seen(folder) == {"t.parquet"}


def test_refusals(folder: Path, run: Run, table: Any) -> None:
    def refused(code: int, text: str, *arguments: str) -> None:
        done = run(*arguments, *KEYS)
        assert done.code == code and text in done.err, done.err

    encrypt = ("encrypt", "t.parquet", "-c")
    refused(2, "-j does not go with --engine spark", *encrypt, "email", "-j", "2")
    refused(2, "--progress does not go with --engine spark", *encrypt, "email", "--progress")
    refused(2, "omit --drop-metadata", *encrypt, "email", "--drop-metadata", "geo")
    refused(2, "there is no column mail", *encrypt, "mail")
    refused(2, "column id is of type int64", *encrypt, "id")
    refused(2, "ssn is sealed itself", *encrypt, "email,ssn", "--aad", "ssn")
    refused(1, "nowhere", "encrypt", "nowhere", "-c", "email")
    refused(6, "no column is marked as sealed", "decrypt", "t.parquet", "-o", "back")
    os.mkdir("empty")
    refused(6, "empty: has no Parquet file in it", "encrypt", "empty", "-c", "email")
    Path("t.parquet/letter.txt").write_text("dear")
    refused(6, "letter.txt: not a Parquet file", *encrypt, "email")
    os.unlink("t.parquet/letter.txt")
    pq.write_table(pa.table({"id": [1]}), "t.parquet/part-9.parquet")
    refused(9, "its files have different columns", *encrypt, "email")
    os.unlink("t.parquet/part-9.parquet")
    for name in ("year=2024", "_year=2024", "_delta_log"):
        os.mkdir(f"t.parquet/{name}")
        refused(9, f"t.parquet: has folders in it: {name}", *encrypt, "email")
        os.rmdir(f"t.parquet/{name}")
    os.rename(parts("t.parquet")[0], "t.parquet/_part.parquet")
    refused(9, "t.parquet/_part.parquet: Spark ignores it", *encrypt, "email")
    assert seen(folder) == {"t.parquet", "empty"}


def test_a_name_that_is_a_pattern_is_not_taken_for_others(
    folder: Path, run: Run, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("t*", "t?parquet", "[t].parquet", "{t,u}.parquet", "t\\.parquet"):
        os.rename("t.parquet", name)
        done = run("encrypt", name, "-c", "email", "-o", "out", *KEYS)
        assert done.code == 9 and "Spark treats *?[]{}\\ in a path as a pattern" in done.err
        os.rename(name, "t.parquet")
    os.rename("t.parquet", "t %41#:+")
    assert run("encrypt", "t %41#:+", "-c", "email", "-o", "out", *KEYS) == (0, "", "")
    os.rename("t %41#:+", "t.parquet")
    here = os.path.abspath("t.parquet")
    os.rename(here, "u.parquet")
    os.rename("out", "t.parquet")
    monkeypatch.setattr(os.path, "abspath", lambda it: here if it == "u.parquet" else str(it))
    done = run("encrypt", "u.parquet", "-c", "email", "-o", "other", *KEYS)
    assert done.code == 9 and "Spark reads other files there than this machine sees" in done.err
    assert seen(folder) == {"t.parquet", "u.parquet"}


def test_a_column_named_failed(folder: Path, run: Run) -> None:
    """In upper or lower case: the command adds its own column of that name while it works."""
    pq.write_table(pa.table({"email": ["a", "b"], "Failed": [1, 2]}), "t.parquet")
    assert run("encrypt", "t.parquet", "-c", "email", *KEYS) == (0, "", "")
    assert run("decrypt", "t.sealed.parquet", "-o", "back", *KEYS) == (0, "", "")
    assert pq.read_table("back").to_pydict() == {"email": ["a", "b"], "Failed": [1, 2]}


def test_one_of_several_sources_fails(folder: Path, run: Run, table: Any) -> None:
    pq.write_table(pa.table({"email": ["a"]}), "u.parquet")
    os.mkdir("into")
    done = run("encrypt", "t.parquet", "nowhere", "u.parquet", "-c", "email", "-o", "into", *KEYS)
    assert done.code == 1 and "rijn: 2 of 3 files encrypted, 1 failed" in done.err
    assert seen(folder / "into") == {"t.sealed.parquet", "u.sealed.parquet"}


def test_an_executor_without_the_keyset_is_reported(
    folder: Path, run: Run, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver has read the keyset, but the executors do not find it."""
    from rijn.cli.columns.keysets import Keysets

    there = Keysets.by_format

    def gone(self: Keysets, formats: set[str]) -> dict[str, Keyset]:
        found = there(self, formats)
        os.rename(".xaes.keyset", ".key.elsewhere")
        return found

    monkeypatch.setattr(Keysets, "by_format", gone)
    done = run("encrypt", "t.parquet", "-c", "email", *KEYS)
    where = folder / ".xaes.keyset"
    assert done.code == 1
    assert done.err.startswith(
        f"rijn: t.parquet: Spark: FileNotFoundError: [Errno 2] No such file or directory: '{where}'"
    ), done.err
    assert seen(folder) == {"t.parquet", ".key.elsewhere"}


# ---- Errors at the end -----------------------------------------------------------------


@pytest.mark.parametrize("gone", [Py4JError("no JVM"), ConnectionRefusedError("no JVM")])
def test_a_session_that_does_not_end_hides_nothing(
    spark: Any,
    monkeypatch: pytest.MonkeyPatch,
    gone: Exception,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    recwarn: pytest.WarningsRecorder,
) -> None:
    """If a signal has ended the JVM, too, pyspark warns, and py4j logs a traceback."""
    tried = []

    def failing(name: str) -> Callable[[object], None]:
        def fail(_: object) -> None:
            tried.append(name)
            record = logging.LogRecord("root", logging.ERROR, py4j.__file__, 1, "gone", (), None)
            logging.getLogger().handle(record)
            warnings.warn("Unable to cleanly shutdown", RuntimeWarning, stacklevel=1)
            raise gone

        return fail

    monkeypatch.setattr(type(spark), "getActiveSession", lambda: None)
    monkeypatch.setattr("rijn.spark.session", lambda: spark)
    monkeypatch.setattr(type(spark), "stop", failing("stop"))
    monkeypatch.setattr(type(spark.sparkContext), "cancelAllJobs", failing("cancel"))
    ended = list[str]()
    process = SimpleNamespace(
        stdin=SimpleNamespace(close=lambda: ended.append("close")),
        wait=lambda _: ended.append("wait"),
    )
    gateway = SimpleNamespace(proc=process, shutdown=lambda: ended.append("shutdown"))
    context = type(spark.sparkContext)
    monkeypatch.setattr(context, "_gateway", gateway)
    monkeypatch.setattr(context, "_jvm", context._jvm)
    monkeypatch.setattr("rijn.cli.spark._start_jvm", lambda: None)
    with pytest.raises(Interrupted), cluster():
        raise Interrupted(15)
    assert tried == ["cancel", "stop"] and ended == ["close", "wait", "shutdown"]
    assert context._gateway is context._jvm is None  # a later session starts another
    with pytest.raises(Interrupted), cluster(), about("t"):
        try:
            raise Interrupted(15)
        finally:
            raise gone
    with pytest.raises(Failure, match="^t: Spark: no JVM$"), cluster(), about("t"):
        raise gone
    tried.clear()
    with cluster():
        pass
    assert tried == ["stop"]
    assert capfd.readouterr() == ("", "")
    assert not caplog.records and not recwarn.list


def test_a_session_of_ours_that_fails_ends_its_jvm(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of its tasks may continue after their jobs have ended, and would make files again that Rijn
    removes next. The JVM of a session that ends well waits for the next session."""
    ended = list[str]()
    process = SimpleNamespace(
        stdin=SimpleNamespace(close=lambda: ended.append("close")),
        wait=lambda _: ended.append("wait"),
    )
    context = type(spark.sparkContext)
    monkeypatch.setattr(context, "_gateway", SimpleNamespace(proc=process))
    monkeypatch.setattr(context, "_jvm", context._jvm)
    monkeypatch.setattr("rijn.cli.spark._start_jvm", lambda: None)
    monkeypatch.setattr(type(spark), "getActiveSession", lambda: None)
    monkeypatch.setattr("rijn.spark.session", lambda: spark)
    monkeypatch.setattr(type(spark), "stop", lambda _: ended.append("stop"))
    monkeypatch.setattr(context, "cancelAllJobs", lambda _: ended.append("cancel"))
    with cluster():
        pass
    assert ended == ["stop"]
    with pytest.raises(Interrupted), cluster():
        raise Interrupted(2)
    assert ended == ["stop", "cancel", "stop", "close", "wait"]


def test_a_signal_right_after_the_hidden_folder_was_made(
    table: Any, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def interrupted(path: str, mode: int = 0o777) -> None:
        mkdir(path, mode)
        if path.endswith(".part"):
            raise Interrupted(2)

    before = {path.name for path in folder.iterdir()}
    monkeypatch.setattr(os, "mkdir", interrupted)
    ended = run("encrypt", *KEYS[:2], "-c", "email", "t.parquet")
    assert ended.code == 130, ended
    assert {path.name for path in folder.iterdir()} == before
