"""Who seals a column in `rijn bench --as columns`: Rijn in the engines of tables, and what those
have of their own or call from Python.

A Job is a column and what is done with it, a Timed one way of doing it. All of them have the same
keys, and what each makes is looked at before it is timed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from os import urandom
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

import pyarrow as pa
import pyarrow.parquet as pq

import rijn
from rijn.cli.columns.options import FORMATS, UNBOUND
from rijn.columns import Column, Keyset

from . import harness as c
from .results import Task

BATCH = 1 << 16  # rows
GROUP = 1 << 17  # rows of a row group
LOOKED_AT = 1000  # rows of what an engine makes
CONTEXT = b"v"  # the name of the column in a Parquet file
# What cryptography is given to make the rows of `siv`: the frame of CONTEXT and of no aad.
FRAMED = len(CONTEXT).to_bytes(8, "big") + CONTEXT + bytes(8)
NONCE = 12
MIXED = 64  # bytes: the longest row of `lengths`
SETTLED = 3  # runs of Spark before it is timed: the JVM has compiled what it will
# Beside the column that is sealed in a Parquet file: a number, and text that does not compress.
BESIDE = 80


class Spent(NamedTuple):
    """What one run took."""

    cpu: int  # ns, of all threads and processes that worked for it
    elapsed: int | None  # ns
    peak: int | None = None  # bytes, of a process of its own


@dataclass(frozen=True)
class Timed:
    """One way of doing a job."""

    run: Callable[[], Spent]
    # The rows that come out, the first of them at least; None of what looks at them itself.
    result: Callable[[], Any] | None
    format: str = "spark"  # of sealed rows; "": they are not sealed
    settle: int = 0  # runs before the first that counts, but for that of `result`


def clocked(work: Callable[[], object], clock: Callable[[], int] = time.process_time_ns) -> Any:
    """A run of this work in this process, by the CPU time of all its threads."""

    def run() -> Spent:
        start, cpu = time.perf_counter_ns(), clock()
        work()
        return Spent(clock() - cpu, time.perf_counter_ns() - start)

    return run


def lacking(needs: Iterable[str]) -> str:
    """The commands that install what is not there of these modules and programs, or ""."""
    missing = dict.fromkeys(INSTALLED_BY.get(it, f"pip install {it}") for it in needs if _no(it))
    return ", ".join(missing)


INSTALLED_BY = {
    "java": "apt install openjdk-17-jre-headless",
    "harness": "pip install ./bench",
    "/proc": "a system with Linux's /proc",
    "wait4": "a system with POSIX's processes",
}


def _no(need: str) -> bool:
    if need == "java":
        home = os.environ.get("JAVA_HOME")
        return not (shutil.which("java") or (home and Path(home, "bin", "java").exists()))
    if need == "harness":
        return c.find() is None
    if need == "/proc":
        return not Path("/proc/self/stat").exists()
    if need == "wait4":
        return not hasattr(os, need)
    return find_spec(need) is None


# ---- Jobs ----------------------------------------------------------------------------


class Workshop:
    """What jobs share: keys, a folder, and a Spark that is started when it is asked for."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="rijn-bench-")))
        self.texts = {it: Keyset.generate(it).json() for it in FORMATS}
        self._clickhouse: Any = None
        self._spark: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def keyset(self, format: str) -> Keyset:
        return Keyset.from_callable(lambda: self.texts[format])

    def file(self, format: str) -> Path:
        """The keyset, for other processes."""
        path = self.folder / f"{format}.json"
        if not path.exists():
            self.keyset(format).write(path)
        return path

    def secret(self, format: str) -> bytes:
        """The key itself, for others: it ends the record of a keyset."""
        (key,) = json.loads(self.texts[format])["key"]
        size = 64 if format == "siv" else 32
        return base64.b64decode(key["keyData"]["value"])[-size:]

    def clickhouse(self) -> Any:
        if self._clickhouse is None:  # there is one in a process
            self._clickhouse = import_module("chdb.session").Session()
            self._stack.callback(self._clickhouse.close)
        return self._clickhouse

    def spark(self) -> Any:
        if self._spark is None:
            # Its workers are this Python, with what this process imports from.
            python = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            self._stack.enter_context(_environment(python))
            builder = import_module("pyspark.sql").SparkSession.builder
            for name, value in SPARK.items():
                builder = builder.config(name, value)
            self._spark = builder.master("local[2]").getOrCreate()
            self._spark.sparkContext.setLogLevel("ERROR")
            self._stack.callback(self._spark.stop)
        return self._spark


SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
}


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables that are set in the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@dataclass
class Job:
    """A column, and whether it is sealed or opened."""

    shop: Workshop
    task: Task
    rows: int
    values: Any  # pyarrow.ChunkedArray of binary, in batches
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def sealing(self) -> bool:
        return self.task.operation == "encrypt"

    def column(self, format: str, backend: str | None = None) -> Column:
        context = None if format in UNBOUND else CONTEXT
        return Column(self.shop.keyset(format), format, context=context, backend=backend)

    def sealed(self, format: str) -> Any:
        if format not in self.kept:
            self.kept[format] = pa.chunked_array(self.column(format).seal(self.values))
        return self.kept[format]

    def given(self, format: str) -> Any:
        """What a run is given: plain rows, or sealed ones of this format."""
        return self.values if self.sealing else self.sealed(format)

    def disagrees(self, timed: Timed) -> bool:
        """Whether what comes out is not the column, sealed or opened."""
        if timed.result is None:
            return False
        found = timed.result()
        if isinstance(found, pa.Array):
            found = pa.chunked_array([found])
        if self.sealing and timed.format:
            found = pa.chunked_array(self.column(timed.format).open(found, type="binary"))
        whole = self.values.slice(0, len(found)).cast(pa.binary())
        return len(found) < min(self.rows, LOOKED_AT) or not found.cast(pa.binary()).equals(whole)


def job(shop: Workshop, task: Task, rows: int, file: int) -> Job:
    """A task's, with this many rows, or as many as a Parquet file of so many bytes has."""
    if task.algorithm == "lengths":
        return Job(shop, task, rows, mixed_column(rows))
    if task.algorithm == "equal":
        encoded = dictionary_column(rows, task.size)
        return Job(shop, task, rows, encoded.cast(pa.binary()), {"encoded": encoded})
    if task.algorithm == "parquet":
        rows = max(1, file // (8 + task.size + BESIDE))
    return Job(shop, task, rows, column_of(rows, task.size))


def batches(rows: int) -> list[int]:
    """How many rows each has."""
    return [min(BATCH, rows - begin) for begin in range(0, rows, BATCH)]


def column_of(rows: int, size: int) -> Any:
    """Rows of so many random bytes."""
    noise = Random(size)
    return pa.chunked_array([_rows(noise, [size] * count) for count in batches(rows)])


def mixed_column(rows: int) -> Any:
    """Rows of 1 to MIXED bytes, each length as likely as another."""
    noise = Random(MIXED)
    lengths = range(1, MIXED + 1)
    return pa.chunked_array(
        [_rows(noise, noise.choices(lengths, k=count)) for count in batches(rows)]
    )


def dictionary_column(rows: int, size: int) -> Any:
    """Batches whose values are 1 % of their rows."""
    noise = Random(size)
    made = []
    for count in batches(rows):
        distinct = _rows(noise, [size] * max(1, count // 100))
        places = pa.array(noise.choices(range(len(distinct)), k=count), pa.int32())
        made.append(pa.DictionaryArray.from_arrays(places, distinct))
    return pa.chunked_array(made)


def _rows(noise: Random, lengths: list[int]) -> Any:
    offsets = array("i", [0])
    for length in lengths:
        offsets.append(offsets[-1] + length)
    data = noise.randbytes(offsets[-1])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(lengths), buffers)


# ---- Rijn, and loops over pyarrow ------------------------------------------------------


def _array(work: Callable[[Any], Any], given: Any, format: str) -> Timed:
    """Work that takes and gives an Arrow array in this process, batch by batch; of one the result is
    let go before the next, as by an engine that hands it on."""

    def run() -> None:
        for batch in given.chunks:
            work(batch)

    def result() -> Any:
        return pa.chunked_array([pa.array(work(batch)) for batch in given.chunks])

    return Timed(clocked(run), result, format=format)


def ours(format: str, backend: str, job: Job) -> Timed:
    column = job.column(format, backend)
    return _array(column.seal if job.sealing else column.open, job.given(format), format)


def dictionary(backend: str, job: Job) -> Timed:
    """The column as a dictionary, where `ours` has it row by row."""
    column = job.column("siv", backend)
    encoded = job.kept["encoded"]
    given = encoded if job.sealing else pa.chunked_array(job.column("siv").seal(encoded))
    return _array(column.seal if job.sealing else column.open, given, "siv")


def batched(shuffled: bool, backend: str, job: Job) -> Timed:
    """XAES sealed in as many batches as the name of the task says, opened as it is or shuffled."""
    if "batched" not in job.kept:
        step = -(-job.rows // int(job.task.algorithm.rpartition("-")[2]))
        parts = [job.values.slice(begin, step) for begin in range(0, job.rows, step)]
        column = job.column("xaes")
        sealed = [pa.array(column.seal(it.combine_chunks())) for it in parts]
        job.kept["batched"] = pa.concat_arrays(sealed)
    given, order = job.kept["batched"], list(range(job.rows))
    if shuffled:
        Random(job.rows).shuffle(order)
        given = given.take(pa.array(order))
    given = pa.chunked_array([given.slice(begin, BATCH) for begin in range(0, job.rows, BATCH)])
    timed = _array(job.column("xaes", backend).open, given, "")
    back = pa.array(sorted(range(job.rows), key=order.__getitem__))
    in_order = timed.result
    assert in_order is not None
    return replace(timed, result=lambda: in_order().take(back))


def loop(format: str, job: Job) -> Timed:
    """A call a row, over pyarrow."""
    call = per_row(format, job)

    def work(batch: Any) -> Any:
        return pa.array([call(it) for it in batch.to_pylist()], pa.binary())

    return _array(work, job.given(format), format)


def per_row(format: str, job: Job) -> Callable[[bytes], bytes]:
    """A function of one row, of `cryptography` (spark: AESGCM, siv: AESSIV) or of Tink."""
    if format == "tink":
        tink = import_module("tink")
        aead = import_module("tink.aead")
        aead.register()
        read = import_module("tink.cleartext_keyset_handle").read
        primitive = read(tink.JsonKeysetReader(job.shop.texts["tink"])).primitive(aead.Aead)
        encrypt, decrypt = primitive.encrypt, primitive.decrypt
        return (lambda row: encrypt(row, b"")) if job.sealing else lambda row: decrypt(row, b"")
    theirs = import_module("cryptography.hazmat.primitives.ciphers.aead")
    if format == "siv":
        siv, framed = theirs.AESSIV(job.shop.secret("siv")), [FRAMED]
        direction = siv.encrypt if job.sealing else siv.decrypt
        return lambda row: direction(row, framed)
    gcm = theirs.AESGCM(job.shop.secret("spark"))
    if not job.sealing:
        return lambda row: gcm.decrypt(row[:NONCE], row[NONCE:], None)

    def seal(row: bytes) -> bytes:
        nonce = urandom(NONCE)
        return nonce + bytes(gcm.encrypt(nonce, row, None))

    return seal


# ---- Lengths: one call for many rows, and a call a row, in C ---------------------------


def packed(backend: str, job: Job) -> Timed:
    """AES-256-GCM by encrypt_many over the buffers of each batch, the nonces counted as in c_loop."""
    aead = rijn.AESGCM(job.shop.secret("spark"), backend=backend)
    rows = []
    for chunk in job.values.chunks:
        _, offsets, data = chunk.buffers()
        rows.append((data, memoryview(offsets).cast("i")[: len(chunk) + 1]))

    def work(batch: Any) -> Any:
        first = urandom(4) + bytes(8)
        return aead.encrypt_many(batch, first_nonce=first, prepend_nonce=True)

    def run() -> None:
        for batch in rows:
            work(batch)

    def result() -> Any:
        made = []
        for data, offsets in map(work, rows):
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
            made.append(pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers))
        return pa.chunked_array(made)

    return Timed(clocked(run), result)


def in_c(operation: str, backend: str, job: Job) -> Timed:
    """A call a row (mixed), or one for all (mixed-many), timed by the C harness, in which nothing else is in the time: other rows than
    the job's, of lengths that are drawn alike, and fewer, which lie in the caches."""
    path = c.find()
    assert path is not None
    found = c.Harness.ask(path)
    work = [Task("aes-256-gcm", operation, MIXED, "warm", "apart", 1)]

    def run() -> Spent:
        # Whose name begins with this one takes part too: aesni-avx with aesni.
        rows = found.measure(work, [f"rijn/{backend}"], 3, 20.0)
        (ns,) = [row.median for _, row in rows if row.contender == f"rijn/{backend}"]
        return Spent(round(ns * job.rows), None)

    return Timed(run, None)


# ---- ClickHouse, Polars, DuckDB --------------------------------------------------------


def clickhouse(fixed: bool, job: Job) -> Timed:
    """Its encrypt and decrypt over a table in memory, on one thread: with an IV for each row, which
    stands in front of it, or one for all."""
    session = job.shop.clickhouse()
    source = job.shop.folder / "clickhouse.parquet"
    numbers = pa.chunked_array([pa.array(range(job.rows), pa.uint64())])
    plain = {"n": numbers, "v": job.values if fixed else job.given("spark")}
    pq.write_table(pa.table(plain), source)
    key = f"unhex('{job.shop.secret('spark').hex()}')"
    zeros = f"unhex('{bytes(NONCE).hex()}')"
    stored = f"encrypt('aes-256-gcm', v, {key}, {zeros})" if fixed and not job.sealing else "v"
    table = rows = f"{job.task.operation}_{job.task.size}_{'fixed' if fixed else 'drawn'}"
    session.query(f"CREATE TABLE {table} (n UInt64, v String) ENGINE = Memory")
    form = "Parquet, 'n UInt64, v String'"
    session.query(f"INSERT INTO {table} SELECT n, {stored} FROM file('{source}', {form})")
    if job.sealing:
        iv = zeros if fixed else "iv"
        done = f"encrypt('aes-256-gcm', v, {key}, {iv})"
        if not fixed:
            rows = f"(SELECT n, v, randomFixedString({NONCE}) AS iv FROM {table})"
            done = f"concat(iv, {done})"
    elif fixed:
        done = f"decrypt('aes-256-gcm', v, {key}, {zeros})"
    else:
        done = f"decrypt('aes-256-gcm', substring(v, {NONCE + 1}), {key}, substring(v, 1, {NONCE}))"

    def work() -> object:
        return session.query(f"SELECT sum(length({done})) FROM {rows} SETTINGS max_threads = 1")

    def result() -> Any:
        text = session.query(f"SELECT hex({done}) FROM {rows} ORDER BY n LIMIT {LOOKED_AT}", "TSV")
        front = bytes(NONCE) if fixed and job.sealing else b""
        found = [front + bytes.fromhex(line) for line in text.bytes().decode().splitlines()]
        return pa.array(found, pa.binary())

    return Timed(clocked(work), result, settle=1)


def polars(backend: str | None, job: Job) -> Timed:
    """By map_batches and Rijn; by map_elements and `cryptography` without a backend."""
    pl = import_module("polars")
    frame = pl.DataFrame({"v": pl.from_arrow(job.given("spark"), rechunk=False)})
    if backend is None:
        done = pl.col("v").map_elements(per_row("spark", job), return_dtype=pl.Binary)
    else:
        column = job.column("spark", backend)
        call = column.seal if job.sealing else column.open
        done = pl.col("v").map_batches(lambda it: pl.Series(call(it)), return_dtype=pl.Binary)

    def result() -> Any:
        return frame.select(done)["v"].to_arrow()

    return Timed(clocked(lambda: frame.select(done)), result)


def duckdb(backend: str | None, job: Job) -> Timed:
    """By a function over Arrow and Rijn; by one of its own type and `cryptography` without a
    backend. On one thread."""
    con = import_module("duckdb").connect()
    con.execute("SET threads = 1")
    con.register("given", pa.table({"v": job.given("spark")}))
    con.execute("CREATE TABLE t AS SELECT v FROM given")
    con.unregister("given")
    if backend is None:
        call: Any = per_row("spark", job)
    else:
        column = job.column("spark", backend)
        over = column.seal if job.sealing else column.open

        def call(values: Any) -> Any:
            return pa.chunked_array(over(values))

    kind = "native" if backend is None else "arrow"
    con.create_function("done", call, ["BLOB"], "BLOB", type=kind, side_effects=True)

    def work() -> object:
        return con.execute("SELECT sum(octet_length(done(v))) FROM t").fetchall()

    def result() -> Any:
        rows = con.execute(f"SELECT done(v) FROM t LIMIT {LOOKED_AT}").fetchall()
        return pa.array([row for (row,) in rows], pa.binary())

    return Timed(clocked(work), result, settle=1)


# ---- Spark -----------------------------------------------------------------------------


def spark(how: str, backend: str | None, job: Job) -> Timed:
    """`own`: aes_encrypt and aes_decrypt, in the JVM. `identity`: mapInArrow that hands on what it is
    given. `scan`: reading alone. `rijn`: rijn.spark, by mapInArrow. From Parquet to nowhere, on two threads;
    the JVM and its workers count."""
    session = job.shop.spark()
    functions = import_module("pyspark.sql.functions")
    path = job.shop.folder / f"spark-{job.task.operation}-{job.task.size}"
    if not path.exists():
        path.mkdir()
        numbers = pa.chunked_array([pa.array(range(job.rows), pa.int64())])
        whole = pa.table({"id": numbers, "v": job.given("spark")})
        half = -(-job.rows // 2)
        for part in range(2):
            pq.write_table(whole.slice(part * half, half), path / f"{part}.parquet")
    frame = session.read.parquet(str(path))
    if how == "own":
        call = functions.aes_encrypt if job.sealing else functions.aes_decrypt
        key = functions.lit(bytearray(job.shop.secret("spark")))
        frame = frame.select("id", call("v", key, functions.lit("GCM")).alias("v"))
    elif how == "identity":
        frame = frame.mapInArrow(_handed_on, frame.schema)
    elif how == "rijn":
        call = import_module("rijn.spark").seal if job.sealing else import_module("rijn.spark").open
        keyset = Keyset.from_file(job.shop.file("spark"))  # which the workers read
        frame = call(frame, {"v": Column(keyset, "spark", backend=backend)})

    def run() -> object:
        return frame.write.format("noop").mode("overwrite").save()

    def result() -> Any:
        rows = frame.orderBy("id").limit(LOOKED_AT).collect()
        return pa.array([bytes(row["v"]) for row in rows], pa.binary())

    handed_on = how in ("identity", "scan")
    return Timed(clocked(run, tree_time_ns), None if handed_on else result, settle=SETTLED)


def _handed_on(given: Iterator[Any]) -> Iterator[Any]:
    yield from given


def tree_time_ns() -> int:
    """CPU time of this process and of all that it has started, by Linux's /proc: in ticks of most
    often 10 ms."""
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue  # it has ended
        fields = stat.rpartition(")")[2].split()
        parents[int(entry.name)] = int(fields[1])
        ticks[int(entry.name)] = sum(map(int, fields[11:15]))  # its own, and of children that ended
    tree = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in tree} - tree:
        tree |= more
    total = sum(ticks.get(pid, 0) for pid in tree)
    return total * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


# ---- Files -----------------------------------------------------------------------------


_WATCH = """
import os, sys, time
start = time.perf_counter_ns()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(time.perf_counter_ns() - start, round((used.ru_utime + used.ru_stime) * 1e9), used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""
"""Between this process and the one that is timed, to whose largest memory the system counts that of
whoever started it."""


def parquet(backend: str | None, job: Job) -> Timed:
    """`rijn columns encrypt` of one column of a file; reading and writing it by pyarrow without a
    backend. A process of its own each time."""
    source, result = job.shop.folder / "t.parquet", job.shop.folder / "out.parquet"
    if not source.exists():
        _write_file(source, job)
    if backend is None:
        script = Path(__file__).with_name("copy_parquet.py")
        command = [sys.executable, "-P", str(script), str(source), str(result), "v"]
    else:
        command = [sys.executable, "-m", "rijn", "columns", "encrypt", "--quiet", "--force"]
        command += [str(source), "-c", "v", "-k", str(job.shop.file("xaes")), "-o", str(result)]
        command += ["--backend", backend]

    def run() -> Spent:
        # The memory of which, in the system's cache, would serve who replaces it.
        result.unlink(missing_ok=True)
        found = subprocess.run(
            [sys.executable, "-S", "-c", _WATCH, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
        )
        elapsed, cpu, peak = map(int, found.stdout.split())
        return Spent(cpu, elapsed, peak * (1 if sys.platform == "darwin" else 1 << 10))

    def made() -> Any:
        run()
        return pq.read_table(result, columns=["v"])["v"]

    return Timed(run, made, "xaes" if backend else "")


def _write_file(path: Path, job: Job) -> None:
    """A number, the column and text, in row groups of GROUP
    rows."""
    noise = Random(0)
    schema = pa.schema([("id", pa.int64()), ("v", pa.binary()), ("text", pa.binary())])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, job.rows, GROUP):
            values = job.values.slice(begin, GROUP)
            count = len(values)
            beside = _rows(noise, [BESIDE] * count)
            numbers = pa.array(range(begin, begin + count), pa.int64())
            columns = [pa.chunked_array([it]) for it in (numbers, beside)]
            columns.insert(1, values)
            writer.write_table(pa.table(columns, schema=schema), row_group_size=GROUP)
