"""rijn.spark in one process: results for rows, errors, and places that must not hold a key."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import rijn.spark
from rijn.columns import Column, Keyset

Make = Callable[..., Keyset]
VALUES = [None if i % 7 == 3 else "" if i % 11 == 5 else f"grün-{i % 40}" for i in range(250)]
ROWS = [(i, f"ssn-{i % 10}", value) for i, value in enumerate(VALUES)]


@pytest.fixture
def frame(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, "id long, ssn string, email string").repartition(3, "id")


def column(frame: Any, name: str) -> list[Any]:
    return [row[0] for row in frame.orderBy("id").select(name).collect()]


def test_the_existing_session_is_used(spark: Any) -> None:
    assert rijn.spark.session() is spark
    assert spark.sparkContext.master == "local[2]"  # from spark-defaults.conf


# ---- There and back -------------------------------------------------------------------


def test_a_frame_is_sealed_and_opened(frame: Any, keyset: Make) -> None:
    columns = {
        "email": Column(keyset("xaes"), context="c.email", pad=16),
        "ssn": Column(keyset("siv"), "siv", context="c.ssn"),
    }
    sealed = rijn.spark.seal(frame, columns, aad={"email": "id"}).cache()
    assert sealed.dtypes == [("id", "bigint"), ("ssn", "binary"), ("email", "binary")]
    rows = pa.array(column(sealed, "email"), pa.binary())
    ids = pa.array([str(i) for i in range(250)])
    opened = pa.array(columns["email"].open(rows, ids, type="string"))  # on one machine
    assert opened.to_pylist() == VALUES
    plain = pa.array([row[1] for row in ROWS])
    assert column(sealed, "ssn") == pa.array(columns["ssn"].seal(plain)).to_pylist()

    back = rijn.spark.open(
        sealed, columns, aad={"email": "id"}, types={"email": "string", "ssn": "string"}
    )
    assert back.schema == frame.schema
    assert sorted(tuple(row) for row in back.collect()) == sorted(ROWS)
    as_bytes = rijn.spark.open(sealed, {"ssn": columns["ssn"]})
    assert column(as_bytes, "ssn") == [row[1].encode() for row in ROWS]


def test_large_types(spark: Any, frame: Any, keyset: Make) -> None:
    sealed = {"email": Column(keyset("gcm-siv"), "gcm-siv", context="c")}
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        made = rijn.spark.seal(frame, sealed)
        back = rijn.spark.open(
            made, sealed, types={"email": "string"}, errors="null", failed="failed"
        )
        assert column(back, "email") == VALUES and column(back, "failed") == [[]] * 250
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_a_new_key(frame: Any, keyset: Make, folder: Path) -> None:
    old = Column(keyset(name="old"), context="c")
    Keyset.from_file("old").renewed("xaes").write("new")
    new = {"email": Column(Keyset.from_file("new"), context="c")}
    sealed = rijn.spark.seal(frame, {"email": old}, aad={"email": "ssn"})
    rotated = column(rijn.spark.rotate(sealed, new, aad={"email": "ssn"}), "email")
    ids = pa.array([row[1] for row in ROWS])
    alone = pa.array(rotated, pa.binary())
    assert pa.array(new["email"].open(alone, ids, type="string")).to_pylist() == VALUES
    assert old.open(alone, ids, errors="null").failed == tuple(
        i for i, value in enumerate(VALUES) if value is not None
    )
    wrong = {"email": Column(Keyset.generate("xaes"), context="c")}
    with pytest.raises(TypeError, match="the executors cannot make this Column"):
        rijn.spark.rotate(sealed, wrong)
    told = rijn.spark.rotate(sealed, new, failed="failed")  # its aad is missing
    live = [["email"] if value is not None else [] for value in VALUES]
    assert column(told, "failed") == live
    some = spark_rows(frame, [b"x" * 41, *rotated[1:2], None])
    fixed = rijn.spark.rotate(some, new, aad={"email": "ssn"}, failed="failed")
    assert [tuple(it) for it in fixed.collect()] == [
        ("ssn-0", b"x" * 41, ["email"]),
        ("ssn-1", rotated[1], []),
        ("ssn-2", None, []),
    ]


def spark_rows(frame: Any, emails: list[bytes | None]) -> Any:
    rows = [(f"ssn-{i}", email) for i, email in enumerate(emails)]
    return frame.sparkSession.createDataFrame(rows, "ssn string, email binary").coalesce(1)


# ---- Rows that do not open ------------------------------------------------------------


def test_rows_that_do_not_open(frame: Any, keyset: Make) -> None:
    from pyspark.errors import PythonException

    email = Column(keyset(), context="c")
    good = pa.array(email.seal(pa.array(["ann", b"\xff".decode("latin-1")]))).to_pylist()
    binary = pa.array(email.seal(pa.array([b"\xff"]))).to_pylist()
    rows = spark_rows(frame, [good[0], b"x" * 50, None, *binary])
    told = rijn.spark.open(
        rows, {"email": email}, types={"email": "string"}, errors="null", failed="bad"
    )
    assert [tuple(row) for row in told.select("email", "bad").collect()] == [
        *(("ann", []), (None, ["email"])),
        *((None, []), (None, ["email"])),
    ]
    for made in (
        rijn.spark.open(rows, {"email": email}),
        rows.select(rijn.spark.opening(email)("email")),
        rijn.spark.rotate(rows, {"email": email}),
    ):
        with pytest.raises(PythonException, match="InvalidTag: authentication failed: 1 of 4"):
            made.collect()
    null = rijn.spark.opening(email, type="string", errors="null")
    assert column_of(rows.select(null("email"))) == ["ann", None, None, None]
    bound = frame.sparkSession.createDataFrame([(None, "a")], "id string, email string")
    with pytest.raises(PythonException, match="aad is null beside a value in 1 rows"):
        rijn.spark.seal(bound, {"email": email}, aad={"email": "id"}).collect()


def column_of(frame: Any) -> list[Any]:
    return [row[0] for row in frame.collect()]


def test_refusals(spark: Any, frame: Any, keyset: Make) -> None:
    email = {"email": Column(keyset(), context="c")}
    sealed = rijn.spark.seal(frame, email)
    refused: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (ValueError, "no column mail", lambda: rijn.spark.seal(frame, {"mail": email["email"]})),
        (ValueError, "at least one", lambda: rijn.spark.seal(frame, {})),
        (ValueError, "not in columns", lambda: rijn.spark.seal(frame, email, aad={"id": "ssn"})),
        (
            ValueError,
            "cannot be associated",
            lambda: rijn.spark.seal(frame, email, aad={"email": "email"}),
        ),
        (
            TypeError,
            "string or binary, not bigint",
            lambda: rijn.spark.seal(frame, {"id": email["email"]}),
        ),
        (TypeError, "binary, not string", lambda: rijn.spark.open(frame, email)),
        (TypeError, "must be a Column", lambda: rijn.spark.seal(frame, {"email": "key"})),  # type: ignore[dict-item]
        (ValueError, "go together", lambda: rijn.spark.open(sealed, email, errors="null")),
        (ValueError, "go together", lambda: rijn.spark.open(sealed, email, failed="x")),
        (
            ValueError,
            "there is a column id already",
            lambda: rijn.spark.open(sealed, email, errors="null", failed="id"),
        ),
        (ValueError, "must be 'raise'", lambda: rijn.spark.open(sealed, email, errors="no")),  # type: ignore[arg-type]
        (
            ValueError,
            "must be 'binary'",
            lambda: rijn.spark.open(sealed, email, types={"email": "int"}),  # type: ignore[dict-item]
        ),
        (
            ValueError,
            "must be letters",
            lambda: rijn.spark.register(spark, {"a b": email["email"]}),
        ),
    ]
    for kind, text, call in refused:
        with pytest.raises(kind, match=text):
            call()
    twice = frame.select("email", "email")
    with pytest.raises(ValueError, match="several columns email"):
        rijn.spark.seal(twice, email)


def test_names_that_differ_only_in_case_are_one(spark: Any, frame: Any, keyset: Make) -> None:
    email = {"email": Column(keyset(), context="c")}
    named = rijn.spark.seal(frame, email).withColumnRenamed("ssn", "Failed")
    with pytest.raises(ValueError, match="there is a column Failed already"):
        rijn.spark.open(named, email, errors="null", failed="failed")
    with pytest.raises(ValueError, match="email and EMAIL are one name"):
        rijn.spark.register(spark, email | {"EMAIL": email["email"]})


def test_columns_of_any_name_and_of_types_that_stay_away(
    spark: Any, frame: Any, keyset: Make
) -> None:
    odd = "a `name`, with a.dot"
    email = {odd: Column(keyset(), context="c")}
    named = frame.withColumnRenamed("email", odd)
    opened = rijn.spark.open(rijn.spark.seal(named, email), email, types={odd: "string"})
    assert sorted(tuple(row) for row in opened.collect()) == sorted(ROWS)
    with pytest.raises(
        TypeError, match="column i is of type interval, which Python cannot receive"
    ):
        rijn.spark.seal(named.selectExpr("*", "make_interval(1) AS i"), email)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_times_pass_through(spark: Any, keyset: Make, zone: str) -> None:
    """With and without a time zone, before 1970 and at clock changes, nested, and null."""
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = spark.sql(TIMES)
        columns = {"email": Column(keyset(), context="c")}
        sealed = rijn.spark.seal(frame, columns, aad={"email": "id"})
        assert [it.dataType for it in sealed.drop("email").schema] == [
            it.dataType for it in frame.drop("email").schema
        ]
        opened = rijn.spark.open(
            sealed,
            columns,
            aad={"email": "id"},
            types={"email": "string"},
            errors="null",
            failed="f",
        )
        rotated = rijn.spark.rotate(sealed, columns, aad={"email": "id"}, failed="f")
        text = [f"CAST({name} AS STRING) AS {name}" for name in frame.columns if name != "email"]
        wanted = sorted(frame.selectExpr(*text).collect())
        for made in (sealed, opened, rotated):
            assert sorted(made.selectExpr(*text).collect()) == wanted
        assert column(opened, "email") == column(frame, "email")
        seal, open_ = rijn.spark.sealing(columns["email"]), rijn.spark.opening(columns["email"])
        udf = frame.select("*", open_(seal("email")).alias("same")).where(
            "same = encode(email, 'utf-8')"
        )
        assert udf.count() == 4
        for name, type_ in (
            ("at", "timestamp"),
            ("local", "timestamp_ntz"),
            ("list", "array<timestamp>"),
        ):
            with pytest.raises(TypeError, match=f"column {name} .*string or binary, not {type_}"):
                rijn.spark.seal(frame, {name: columns["email"]})
            if name != "list":
                with pytest.raises(TypeError, match=f"column {name} "):
                    rijn.spark.seal(frame, columns, aad={"email": name})
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


TIMES = """
SELECT id, concat(id, '@example.com') AS email, at, CAST(at AS TIMESTAMP_NTZ) AS local,
    CAST(at AS DATE) AS day, array(at, NULL) AS list, map(id, at) AS map,
    named_struct('at', at, 'deep', array(named_struct('local', CAST(at AS TIMESTAMP_NTZ)))) AS struct
FROM VALUES (1, TIMESTAMP '1883-11-18 12:03:57.999999Z'), (2, TIMESTAMP '2026-11-01 05:30:00.000001Z'),
    (3, TIMESTAMP '9999-12-31 04:59:59.999999Z'), (4, CAST(NULL AS TIMESTAMP)) t(id, at)
WHERE id < 4 OR at IS NULL
"""


# ---- Functions ------------------------------------------------------------------------


def test_functions_of_sql(spark: Any, frame: Any, keyset: Make) -> None:
    columns = {
        "email": Column(keyset(), context="c"),
        "ssn": Column(keyset("siv"), "siv", context="s"),
    }
    rijn.spark.register(spark, columns, types={"email": "string", "ssn": "string"})
    frame.createOrReplaceTempView("people")
    query = "SELECT id, open_email(seal_email(email, id), id), open_ssn(seal_ssn(ssn)) FROM people"
    assert sorted(tuple(row) for row in spark.sql(query).collect()) == [
        (i, email, ssn) for i, ssn, email in ROWS
    ]
    query = "SELECT try_open_email(seal_email(email, id), ssn) FROM people"
    assert column_of(spark.sql(query)) == [None] * 250
    # equal values of siv are equal, so a query may join and group by them
    query = "SELECT count(*) FROM people GROUP BY seal_ssn(ssn)"
    assert column_of(spark.sql(query)) == [25] * 10
    assert columns["ssn"].deterministic and not columns["email"].deterministic
    tink = Column(Keyset.generate("tink"), "tink")
    assert not tink.deterministic
    for name, same in (("ssn", True), ("email", False)):
        assert rijn.spark.sealing(columns[name]).deterministic is same
        # Spark takes equal calls of a deterministic function for one, and evaluates it once
        query = f"SELECT seal_{name}(x) = seal_{name}(x) FROM (SELECT 'a' AS x FROM people)"
        assert set(column_of(spark.sql(query))) == {same}


# ---- Spark's own functions ------------------------------------------------------------


def key_of(keyset: Keyset) -> bytes:
    return keyset._keys[0].secret


@pytest.mark.parametrize("aad", [None, "ssn"])
def test_spark_s_own_functions(spark: Any, frame: Any, keyset: Make, aad: str | None) -> None:
    """In both directions, with IVs that Spark draws or the call gives, and with associated data."""
    keys = keyset("spark")
    column_ = {"email": Column(keys, "spark")}
    bound = {"email": aad} if aad else None
    key = f"unhex('{key_of(keys).hex()}')"
    sealed = rijn.spark.seal(frame, column_, aad=bound)
    ad = f", {aad}" if aad else ""
    theirs = sealed.selectExpr(
        "id", f"cast(aes_decrypt(email, {key}, 'GCM', 'DEFAULT'{ad}) AS string) AS email"
    )
    assert column(theirs, "email") == VALUES
    for iv in ("", "unhex(lpad(hex(id), 24, '0'))"):
        given = f", {iv or repr('')}, {aad}" if aad else f", {iv}" if iv else ""
        made = frame.selectExpr(
            "id", "ssn", f"aes_encrypt(email, {key}, 'GCM', 'DEFAULT'{given}) AS email"
        )
        back = rijn.spark.open(made, column_, aad=bound, types={"email": "string"})
        assert column(back, "email") == VALUES
    rijn.spark.register(spark, column_)
    frame.createOrReplaceTempView("people")
    query = f"SELECT aes_decrypt(seal_email(email), {key}) = encode(email, 'utf-8') FROM people"
    assert set(column_of(spark.sql(query))) == {True, None}


def test_functions_of_null_and_of_other_types(spark: Any, frame: Any, keyset: Make) -> None:
    from pyspark.errors import PythonException

    rijn.spark.register(spark, {"email": Column(keyset(), context="c")})
    frame.createOrReplaceTempView("people")
    for query in (
        "SELECT seal_email(NULL) FROM people",
        "SELECT open_email(NULL, id) FROM people",
        "SELECT try_open_email(seal_email(email, id), NULL) FROM people",
    ):
        assert set(column_of(spark.sql(query))) == {None}, query
    for aad, text in (
        ("1.5D", "must be STRING, BINARY or whole numbers, not double: cast it to STRING"),
        ("current_date()", "not date32"),
        ("NULL", "is null"),
    ):
        with pytest.raises(PythonException, match=text):
            spark.sql(f"SELECT seal_email(email, {aad}) FROM people").collect()


# ---- Nonces ---------------------------------------------------------------------------


def test_no_nonce_repeats_in_reused_and_forked_processes(spark: Any, keyset: Make) -> None:
    """Spark forks its Python workers from one daemon, and each serves one task after the other. A plan
    that is evaluated twice is sealed twice."""

    def noted_process(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            process = pa.array([os.getpid()] * batch.num_rows, pa.int64())
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, process], [*batch.schema.names, "process"]
            )

    column_ = {"v": Column(keyset(), context="c")}
    plain = spark.range(0, 400, 1, 8).selectExpr("id", "cast(id AS string) AS v")
    plan = rijn.spark.seal(plain, column_).mapInArrow(
        noted_process, "id long, v binary, process long"
    )
    rows = [row for _ in range(3) for row in plan.collect()]
    workers = {row.process for row in rows}
    assert 1 < len(workers) < 24 and os.getpid() not in workers  # forked, and reused
    nonces = {row.v[:24] for row in rows}
    assert len(nonces) == len(rows) == 1200
    assert len({nonce[:16] for nonce in nonces}) == 24  # every task drew a prefix for its batch


# ---- Keys -----------------------------------------------------------------------------


def forms(secret: bytes) -> list[str]:
    """Returns forms in which a key may appear in a text."""
    text = base64.b64encode(secret).decode().rstrip("=")
    numbers = ",".join(str(byte - 256 if byte > 127 else byte) for byte in secret)
    return [secret.hex(), text[:40], numbers, repr(secret)[2:-1]]


def test_no_key_is_in_plans_and_logs(spark: Any, frame: Any, keyset: Make, events: Path) -> None:
    keys = {format: keyset(format) for format in ("xaes", "siv")}
    columns = {
        "email": Column(keys["xaes"], context="c"),
        "ssn": Column(keys["siv"], "siv", context="c"),
    }
    rijn.spark.register(spark, columns)
    frame.createOrReplaceTempView("people")
    whole = rijn.spark.seal(frame, columns)
    sql = spark.sql("SELECT open_ssn(seal_ssn(ssn)) AS s, seal_email(email) AS e FROM people")
    said = [str(columns), "SELECT open_ssn(seal_ssn(ssn)) AS s"]
    for plan in (whole, sql):
        plan.collect()
        java = plan._jdf.queryExecution()
        said.append(java.toString())
        for one in (java.logical(), java.analyzed(), java.optimizedPlan(), java.executedPlan()):
            said += [one.toString(), one.toJSON(), one.prettyJson()]
        said.append(plan._sc._jvm.PythonSQLUtils.explainString(java, "extended"))
        said.append(plan._sc._jvm.PythonSQLUtils.explainString(java, "codegen"))
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    logs = [path for path in events.rglob("*") if path.is_file() and "events" in path.name]
    assert logs
    log = "".join(path.read_text("utf-8") for path in logs)
    assert "MapInArrow" in log and "seal_email" in log and "SparkListenerTaskEnd" in log
    text = "\n".join([*said, log])
    assert "MapInArrow" in said[2]
    for key in keys.values():
        secret = key._keys[0].secret
        for form in forms(secret):
            assert form not in text
    # nor in the data for the executors, which a plan holds as bytes
    from pyspark.cloudpickle import dumps

    for column_ in columns.values():
        data = dumps(rijn.spark.sealing(column_).func)
        assert b".keyset" in data  # its file's name
        assert not any(key._keys[0].secret in data for key in keys.values())


SECRET_TEXT = Keyset.generate("xaes").json()


def of_the_program() -> str:
    return SECRET_TEXT


def test_a_function_of_the_program_itself_is_refused(
    frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PySpark would pickle it as code, together with the key."""
    import __main__

    class OfTheProgram:
        text = SECRET_TEXT

        @classmethod
        def make(cls) -> str:
            return cls.text

    class Called(OfTheProgram):
        def __call__(self) -> str:
            return self.text

    called: Any = Called()
    called.__qualname__ = "called"
    for made in (OfTheProgram, Called, OfTheProgram.make.__func__):  # type: ignore[attr-defined]
        made.__module__, made.__qualname__ = (
            "__main__",
            made.__qualname__.rpartition("<locals>.")[2],
        )
    monkeypatch.setattr(of_the_program, "__module__", "__main__")
    for name, value in {
        "of_the_program": of_the_program,
        "OfTheProgram": OfTheProgram,
        "Called": Called,
        "called": called,
    }.items():
        monkeypatch.setattr(__main__, name, value, raising=False)
    for function in (lambda: SECRET_TEXT, of_the_program, OfTheProgram.make, called):
        column_ = Column(Keyset.from_callable(function), context="c")
        for call in (
            lambda: rijn.spark.seal(frame, {"email": column_}),  # noqa: B023
            lambda: rijn.spark.sealing(column_),  # noqa: B023
        ):
            with pytest.raises(TypeError, match="the executors cannot make this Column"):
                call()


def test_the_executors_take_a_keyset_from_their_environment(
    frame: Any, monkeypatch: pytest.MonkeyPatch, keyset: Make
) -> None:
    """A missing variable is named, and its value never appears."""
    from pyspark.errors import PythonException

    monkeypatch.setenv("RIJN_TEST_KEYSET", SECRET_TEXT)
    column_ = Column(Keyset.from_environment("RIJN_TEST_KEYSET"), context="c")
    with pytest.raises(PythonException, match="no environment variable RIJN_TEST_KEYSET") as caught:
        rijn.spark.seal(frame, {"email": column_}).collect()
    value = re.search(r'"value": "([^"]+)"', SECRET_TEXT)
    assert value and value[1] not in str(caught.value)


# ---- The guide ------------------------------------------------------------------------

GUIDE = Path(__file__).parents[3] / "docs" / "columns.md"


def test_the_guide(spark: Any, folder: Path) -> None:
    text = GUIDE.read_text("utf-8").partition("### Apache Spark\n")[2].partition("\n### ")[0]
    source = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    Keyset.generate("xaes").write("customers.json")
    column_ = Column(Keyset.from_file("customers.json"), context="customers.email")
    source = source.replace('parquet("', f'parquet("{folder}/')  # Java has another working folder
    exec(compile(source, str(GUIDE), "exec"), {"column": column_})  # noqa: S102 our own page
    assert source.count("assert") >= 4
