"""The contenders of `rijn bench --as columns`: Rijn inside table engines, the engines' own functions,
and other functions that they call from Python.

A Job is a column to seal or open, and a Timed is one way to do it. All contenders use the same keys.
The result of each is checked before it is measured.
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
from rijn._install import pip_install
from rijn.cli.columns.options import FORMATS, UNBOUND
from rijn.columns import Column, Keyset

from . import harness as c
from .results import Task

BATCH = 1 << 16  # rows
GROUP = 1 << 17  # rows of a row group
CHECKED_ROWS = 1000  # rows of an engine's result that are checked
CONTEXT = b"v"  # the name of the column in a Parquet file
# The associated data of `siv`, for cryptography: the frame of CONTEXT without an aad.
FRAMED = len(CONTEXT).to_bytes(8, "big") + CONTEXT + bytes(8)
NONCE = 12
MIXED = 64  # bytes: the longest row of `lengths`
SETTLED = 3  # runs of Spark before the measurement, so that the JVM has compiled the code
# Bytes of an incompressible text beside the sealed column of a Parquet file.
BESIDE = 80


class Spent(NamedTuple):
    """The cost of one run."""

    cpu: int  # ns, all threads and processes
    elapsed: int | None  # ns
    peak: int | None = None  # bytes of memory, for a separate process


@dataclass(frozen=True)
class Timed:
    """One way to do a job."""

    run: Callable[[], Spent]
    # Returns the rows of the result, or at least the first ones. None: the run needs no check.
    result: Callable[[], Any] | None
    format: str = "spark"  # of sealed rows; "": they are not sealed
    settle: int = 0  # runs before the first measured one, besides the run of `result`


def clocked(call: Callable[[], object], clock: Callable[[], int] = time.process_time_ns) -> Any:
    """Returns a run of `call` in this process, measured by the CPU time of all threads."""

    def run() -> Spent:
        start, cpu = time.perf_counter_ns(), clock()
        call()
        return Spent(clock() - cpu, time.perf_counter_ns() - start)

    return run


def lacking(needs: Iterable[str]) -> str:
    """Returns the commands that install missing modules and programs, or ""."""
    missing = [need for need in needs if _is_missing(need)]
    return ", ".join(dict.fromkeys(INSTALLED_BY.get(it, f"pip install {it}") for it in missing))


INSTALLED_BY = {
    "java": "apt install openjdk-17-jre-headless",
    "harness": pip_install(package="rijn-bench"),
    "/proc": "a system with Linux's /proc",
    "wait4": "a system with POSIX's processes",
}


def _is_missing(need: str) -> bool:
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
    """Shared by jobs: keys, a folder, and engines that are started on first use."""

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
        """Returns a file with the keyset, for other processes."""
        path = self.folder / f"{format}.json"
        if not path.exists():
            self.keyset(format).write(path)
        return path

    def secret(self, format: str) -> bytes:
        """Returns the bare key, for other libraries. It is the end of a keyset's value."""
        (key,) = json.loads(self.texts[format])["key"]
        size = 64 if format == "siv" else 32
        return base64.b64decode(key["keyData"]["value"])[-size:]

    def clickhouse(self) -> Any:
        if self._clickhouse is None:  # a process can have only one session
            self._clickhouse = import_module("chdb.session").Session()
            self._stack.callback(self._clickhouse.close)
        return self._clickhouse

    def spark(self) -> Any:
        if self._spark is None:
            # Spark's workers run this Python, with the same environment.
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
    """Sets environment variables during the block."""
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
    """A column to seal or open."""

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

    def rows_for(self, format: str) -> Any:
        """Returns the input of a run: plain rows, or rows that are sealed in this format."""
        return self.values if self.sealing else self.sealed(format)

    def disagrees(self, timed: Timed) -> bool:
        """Returns whether the result is wrong: not the column, sealed or opened."""
        if timed.result is None:
            return False
        found = timed.result()
        if isinstance(found, pa.Array):
            found = pa.chunked_array([found])
        if self.sealing and timed.format:
            found = pa.chunked_array(self.column(timed.format).open(found, type="binary"))
        whole = self.values.slice(0, len(found)).cast(pa.binary())
        return len(found) < min(self.rows, CHECKED_ROWS) or not found.cast(pa.binary()).equals(
            whole
        )


def job(shop: Workshop, task: Task, rows: int, file: int) -> Job:
    """Returns the job of a task, with `rows` rows, or for a Parquet file of `file` bytes."""
    if task.algorithm == "lengths":
        return Job(shop, task, rows, mixed_column(rows))
    if task.algorithm == "equal":
        encoded = dictionary_column(rows, task.size)
        return Job(shop, task, rows, encoded.cast(pa.binary()), {"encoded": encoded})
    if task.algorithm == "parquet":
        rows = max(1, file // (8 + task.size + BESIDE))
    return Job(shop, task, rows, column_of(rows, task.size))


def batches(rows: int) -> list[int]:
    """Returns the number of rows in each batch."""
    return [min(BATCH, rows - begin) for begin in range(0, rows, BATCH)]


def column_of(rows: int, size: int) -> Any:
    """Returns rows of `size` random bytes."""
    noise = Random(size)
    return pa.chunked_array([_rows(noise, [size] * count) for count in batches(rows)])


def mixed_column(rows: int) -> Any:
    """Returns rows of 1 to MIXED bytes. All lengths are equally likely."""
    noise = Random(MIXED)
    lengths = range(1, MIXED + 1)
    return pa.chunked_array(
        [_rows(noise, noise.choices(lengths, k=count)) for count in batches(rows)]
    )


def dictionary_column(rows: int, size: int) -> Any:
    """Returns a dictionary column. Each batch has 1 % distinct values."""
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


def _array(function: Callable[[Any], Any], given: Any, format: str) -> Timed:
    """Returns a Timed for a function from an Arrow array to an Arrow array.

    It runs batch by batch. The result of a batch is freed before the next batch, as in an engine
    that passes it on.
    """

    def run() -> None:
        for batch in given.chunks:
            function(batch)

    def result() -> Any:
        return pa.chunked_array([pa.array(function(batch)) for batch in given.chunks])

    return Timed(clocked(run), result, format=format)


def rijn_column(format: str, backend: str, job: Job) -> Timed:
    """Seals or opens with rijn.columns.Column."""
    column = job.column(format, backend)
    return _array(column.seal if job.sealing else column.open, job.rows_for(format), format)


def dictionary(backend: str, job: Job) -> Timed:
    """Seals or opens the column as a dictionary; rijn_column does it row by row."""
    column = job.column("siv", backend)
    encoded = job.kept["encoded"]
    given = encoded if job.sealing else pa.chunked_array(job.column("siv").seal(encoded))
    return _array(column.seal if job.sealing else column.open, given, "siv")


def batched(shuffled: bool, backend: str, job: Job) -> Timed:
    """Opens XAES rows, in order or shuffled. They were sealed in the number of batches that the
    task's name has."""
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
    """Makes one call per row, over pyarrow."""
    call = per_row(format, job)

    def seal_rows(batch: Any) -> Any:
        return pa.array([call(it) for it in batch.to_pylist()], pa.binary())

    return _array(seal_rows, job.rows_for(format), format)


def per_row(format: str, job: Job) -> Callable[[bytes], bytes]:
    """Returns a function for one row, of `cryptography` (spark: AESGCM, siv: AESSIV) or Tink."""
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


# ---- Lengths: one call for many rows, and one call per row, in C -----------------------


def packed(backend: str, job: Job) -> Timed:
    """Seals with AES-256-GCM: encrypt_many over the buffers of each batch, with counted nonces."""
    aead = rijn.AESGCM(job.shop.secret("spark"), backend=backend)
    rows = []
    for chunk in job.values.chunks:
        _, offsets, data = chunk.buffers()
        rows.append((data, memoryview(offsets).cast("i")[: len(chunk) + 1]))

    def seal_batch(batch: Any) -> Any:
        first = urandom(4) + bytes(8)
        return aead.encrypt_many(batch, first_nonce=first, prepend_nonce=True)

    def run() -> None:
        for batch in rows:
            seal_batch(batch)

    def result() -> Any:
        made = []
        for data, offsets in map(seal_batch, rows):
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
            made.append(pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers))
        return pa.chunked_array(made)

    return Timed(clocked(run), result)


def in_c(operation: str, backend: str, job: Job) -> Timed:
    """Measures one call per row (mixed) or one call for all rows (mixed-many) in the C harness.

    The harness measures nothing else. It has its own rows: fewer than the job's, so that they fit
    into the caches, with lengths of the same distribution.
    """
    path = c.find()
    assert path is not None
    found = c.Harness.ask(path)
    tasks = [Task("aes-256-gcm", operation, MIXED, "warm", "apart", 1)]

    def run() -> Spent:
        # Contenders with a longer name take part too: aesni-avx with aesni.
        rows = found.measure(tasks, [f"rijn/{backend}"], 3, 20.0)
        (ns,) = [row.median for _, row in rows if row.contender == f"rijn/{backend}"]
        return Spent(round(ns * job.rows), None)

    return Timed(run, None)


# ---- ClickHouse, Polars, DuckDB --------------------------------------------------------


def clickhouse(fixed: bool, job: Job) -> Timed:
    """Uses ClickHouse's encrypt and decrypt over a table in memory, on one thread.

    :param fixed: one IV for all rows; otherwise each row starts with its own IV
    """
    session = job.shop.clickhouse()
    source = job.shop.folder / "clickhouse.parquet"
    numbers = pa.chunked_array([pa.array(range(job.rows), pa.uint64())])
    plain = {"n": numbers, "v": job.values if fixed else job.rows_for("spark")}
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

    def sum_of_sizes() -> object:
        return session.query(f"SELECT sum(length({done})) FROM {rows} SETTINGS max_threads = 1")

    def result() -> Any:
        text = session.query(
            f"SELECT hex({done}) FROM {rows} ORDER BY n LIMIT {CHECKED_ROWS}", "TSV"
        )
        front = bytes(NONCE) if fixed and job.sealing else b""
        found = [front + bytes.fromhex(line) for line in text.bytes().decode().splitlines()]
        return pa.array(found, pa.binary())

    return Timed(clocked(sum_of_sizes), result, settle=1)


def polars(backend: str | None, job: Job) -> Timed:
    """Uses map_batches with Rijn; without a backend, map_elements with `cryptography`."""
    pl = import_module("polars")
    frame = pl.DataFrame({"v": pl.from_arrow(job.rows_for("spark"), rechunk=False)})
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
    """Uses an Arrow function with Rijn; without a backend, a native function with `cryptography`.
    Runs on one thread."""
    con = import_module("duckdb").connect()
    con.execute("SET threads = 1")
    con.register("given", pa.table({"v": job.rows_for("spark")}))
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

    def sum_of_sizes() -> object:
        return con.execute("SELECT sum(octet_length(done(v))) FROM t").fetchall()

    def result() -> Any:
        rows = con.execute(f"SELECT done(v) FROM t LIMIT {CHECKED_ROWS}").fetchall()
        return pa.array([row for (row,) in rows], pa.binary())

    return Timed(clocked(sum_of_sizes), result, settle=1)


# ---- Spark -----------------------------------------------------------------------------


def spark(how: str, backend: str | None, job: Job) -> Timed:
    """Reads Parquet on two threads, applies a function and drops the result. The CPU time includes
    the JVM and its workers.

    :param how: "own": aes_encrypt and aes_decrypt, in the JVM; "identity": mapInArrow with the
        identity function; "scan": only reading; "rijn": rijn.spark, through mapInArrow
    """
    session = job.shop.spark()
    functions = import_module("pyspark.sql.functions")
    path = job.shop.folder / f"spark-{job.task.operation}-{job.task.size}"
    if not path.exists():
        path.mkdir()
        numbers = pa.chunked_array([pa.array(range(job.rows), pa.int64())])
        whole = pa.table({"id": numbers, "v": job.rows_for("spark")})
        half = -(-job.rows // 2)
        for part in range(2):
            pq.write_table(whole.slice(part * half, half), path / f"{part}.parquet")
    frame = session.read.parquet(str(path))
    if how == "own":
        call = functions.aes_encrypt if job.sealing else functions.aes_decrypt
        key = functions.lit(bytearray(job.shop.secret("spark")))
        frame = frame.select("id", call("v", key, functions.lit("GCM")).alias("v"))
    elif how == "identity":
        frame = frame.mapInArrow(_identity, frame.schema)
    elif how == "rijn":
        call = import_module("rijn.spark").seal if job.sealing else import_module("rijn.spark").open
        keyset = Keyset.from_file(job.shop.file("spark"))  # the workers read the file
        frame = call(frame, {"v": Column(keyset, "spark", backend=backend)})

    def run() -> object:
        return frame.write.format("noop").mode("overwrite").save()

    def result() -> Any:
        rows = frame.orderBy("id").limit(CHECKED_ROWS).collect()
        return pa.array([bytes(row["v"]) for row in rows], pa.binary())

    unchanged = how in ("identity", "scan")
    return Timed(clocked(run, tree_time_ns), None if unchanged else result, settle=SETTLED)


def _identity(given: Iterator[Any]) -> Iterator[Any]:
    yield from given


def tree_time_ns() -> int:
    """Returns the CPU time of this process and its descendants, from Linux's /proc, in ticks of
    usually 10 ms."""
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue  # the process has ended
        fields = stat.rpartition(")")[2].split()
        parents[int(entry.name)] = int(fields[1])
        ticks[int(entry.name)] = sum(map(int, fields[11:15]))  # own, and of ended children
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
"""A small process that starts the measured one. The system's peak memory of a process includes the
memory of its parent at the start, and this parent is small."""


def parquet(backend: str | None, job: Job) -> Timed:
    """Runs `rijn columns encrypt` on one column of a file; without a backend, copy_parquet.py. Each
    run is a new process."""
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
        # Otherwise the run that replaces the file could reuse its pages in the system's cache.
        result.unlink(missing_ok=True)
        found = subprocess.run(
            [sys.executable, "-S", "-c", _WATCH, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
        )
        elapsed, cpu, peak = map(int, found.stdout.split())
        return Spent(cpu, elapsed, peak * (1 if sys.platform == "darwin" else 1 << 10))

    def read_result() -> Any:
        run()
        return pq.read_table(result, columns=["v"])["v"]

    return Timed(run, read_result, "xaes" if backend else "")


def _write_file(path: Path, job: Job) -> None:
    """Writes a file with a number, the column and a text, in row groups of GROUP rows."""
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
