"""The study `columns`: sealing columns row by row, with Rijn and with the engines' own functions.

In its tasks, the algorithm is the name of a part, "encrypt" seals and "decrypt" opens, the size is
the size of a row, and a message is a row. Times are CPU times of all threads and processes.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING

import rijn
from rijn import registry
from rijn.cli.columns.options import FORMATS

from . import machine, run, text
from . import plan as planning
from .grid import Cells
from .plan import Plan
from .results import Contender, Results, Row, Task

if TYPE_CHECKING:
    from .engines import Job, Timed, Workshop

SIZES = (16, 64)
ROWS = 1_000_000
FILE = 64 << 20  # bytes of the Parquet file
QUICK_ROWS, QUICK_FILE = 1 << 16, 4 << 20
LOOP_GCM, LOOP_SIV, LOOP_TINK = "pyarrow + AESGCM", "pyarrow + AESSIV", "pyarrow + Tink"

Prepare = Callable[[str, str, "Job"], "Timed"]
"""Makes a Timed from a contender's kind, its backend or "", and a job."""


@dataclass(frozen=True)
class Part:
    """A group of contenders, and the contender that their ratios refer to."""

    title: str
    prepare: Prepare
    base: str  # the denominator of ratios; {backend}: with the same backend
    kinds: tuple[str, ...]  # of Rijn's contenders, for example "spark" in rijn/spark/vaes512
    peers: dict[str, tuple[str, ...]]  # other contenders, and their requirements
    needs: tuple[str, ...] = ()  # requirements of all contenders
    every: bool = False  # measure every chosen backend; otherwise only the first
    operations: tuple[str, ...] = ("encrypt", "decrypt")
    only: int = 0  # bytes of a row, if the user cannot choose them

    def contenders(self, backends: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Returns the contenders' names, and the requirements of each."""
        chosen = backends if self.every else backends[:1]
        found = {
            name.format(backend=it): (*self.needs, *needs)
            for name, needs in self.peers.items()
            for it in chosen
        }
        return found | {f"rijn/{kind}/{it}": self.needs for kind in self.kinds for it in chosen}

    def has(self, contender: str) -> bool:
        """Returns whether the contender belongs to this part, with any backend."""
        return contender in self.contenders([split(contender)[1]])

    def base_of(self, contender: str) -> str:
        """Returns the contender that a contender's ratio refers to."""
        kind, backend = split(contender)
        if self.base == LOOP_GCM and kind in ("siv", LOOP_SIV):
            return LOOP_SIV
        return self.base.format(backend=backend)


def split(contender: str) -> tuple[str, str]:
    """Returns a contender's kind, and its backend or ""."""
    kind, _, backend = contender.removeprefix("rijn/").partition("/")
    return kind, backend


def _loops(kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    if kind == "siv-dictionary":
        return engines.dictionary(backend, job)
    if backend:
        return engines.rijn_column(kind, backend, job)
    return engines.loop({LOOP_GCM: "spark", LOOP_SIV: "siv", LOOP_TINK: "tink"}[kind], job)


def _clickhouse(kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    if backend:
        return engines.rijn_column(kind, backend, job)
    return engines.clickhouse(kind.endswith("fixed"), job)


def _polars(_kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    return engines.polars(backend or None, job)


def _duckdb(_kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    return engines.duckdb(backend or None, job)


def _spark(kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    return engines.spark(_SPARK.get(kind, "rijn"), backend or None, job)


def _lengths(kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    if kind == "encrypt_many":
        return engines.packed(backend, job)
    return engines.in_c("mixed" if kind == "C loop" else "mixed-many", backend, job)


def _shuffled(kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    return engines.batched(kind == "shuffled", backend, job)


def _parquet(_kind: str, backend: str, job: Job) -> Timed:
    from . import engines

    return engines.parquet(backend or None, job)


_SPARK = {"aes_encrypt": "own", "mapInArrow, identity": "identity", "scan alone": "scan"}
PARTS = {
    "formats": Part(
        "Every format, and one call per row",
        _loops,
        LOOP_GCM,
        FORMATS,
        {LOOP_GCM: ("cryptography",), LOOP_SIV: ("cryptography",), LOOP_TINK: ("tink",)},
        every=True,
    ),
    "clickhouse": Part(
        "ClickHouse's encrypt and decrypt, AES-256-GCM",
        _clickhouse,
        "ClickHouse, IV in front",
        ("spark", "xaes"),
        {"ClickHouse, IV in front": ("chdb",), "ClickHouse, IV fixed": ("chdb",)},
    ),
    "polars": Part(
        "Polars: map_batches, and map_elements with one call per row",
        _polars,
        "map_elements + AESGCM",
        ("map_batches",),
        {"map_elements + AESGCM": ("cryptography",)},
        ("polars",),
    ),
    "duckdb": Part(
        "DuckDB: an Arrow function, and a native one with one call per row",
        _duckdb,
        "native + AESGCM",
        ("arrow",),
        {"native + AESGCM": ("cryptography",)},
        ("duckdb",),
    ),
    "spark": Part(
        "Spark on two threads: mapInArrow, and aes_encrypt and aes_decrypt in the JVM",
        _spark,
        "aes_encrypt",
        ("mapInArrow",),
        {"aes_encrypt": (), "mapInArrow, identity": (), "scan alone": ()},
        ("pyspark", "java", "/proc"),
    ),
    "lengths": Part(
        "Rows of 1 to 64 bytes, AES-256-GCM: one call for a batch, and one call per row in C",
        _lengths,
        "C loop/{backend}",
        ("encrypt_many",),
        {"C loop/{backend}": ("harness",), "rijn_seal_many/{backend}": ("harness",)},
        every=True,
        operations=("encrypt",),
        only=64,
    ),
    "equal": Part(
        "AES-SIV of a column with 1 % distinct values",
        _loops,
        LOOP_SIV,
        ("siv", "siv-dictionary"),
        {LOOP_SIV: ("cryptography",)},
    ),
    **{
        f"shuffled-{count}": Part(
            f"XAES, sealed in {count} batches: opened shuffled, and in order",
            _shuffled,
            "rijn/in-order/{backend}",
            ("in-order", "shuffled"),
            {},
            every=True,
            operations=("decrypt",),
        )
        for count in (16, 64, 1000)
    },
    "parquet": Part(
        "rijn columns encrypt, one column of a file; reading and writing it by pyarrow",
        _parquet,
        "pyarrow",
        ("xaes",),
        {"pyarrow": ()},
        ("wait4", "click"),
        operations=("encrypt",),
        only=16,
    ),
}


@dataclass(frozen=True)
class ColumnsPlan(Plan):
    rows: int = ROWS
    file: int = FILE


def make_plan(
    sizes: Sequence[int],
    *,
    backend: str | None = None,
    parts: str | None = None,
    rows: int | None = None,
    parquet: str | None = None,
    quick: bool = False,
) -> ColumnsPlan:
    """Returns the plan for these options. Raises Impossible."""
    known = list(PARTS)
    if quick:
        known.remove("spark")  # Spark takes half a minute to start and compile
    asked = planning.names(parts, list(PARTS), "part") if parts and parts != "all" else known
    tasks = [
        Task(name, operation, size, "warm", "fresh", 1)
        for name in asked
        for size in ([PARTS[name].only] if PARTS[name].only else sizes)
        for operation in PARTS[name].operations
    ]
    return ColumnsPlan(
        tuple(tasks),
        rounds=3 if quick else 7,
        millis=0.0,
        instructions=False,
        rows=rows or (QUICK_ROWS if quick else ROWS),
        file=_file(parquet) if parquet else QUICK_FILE if quick else FILE,
        backends=_backends(backend),
    )


def _file(asked: str) -> int:
    size, *more = planning.sizes(asked)
    if more:
        raise planning.Impossible(f"a Parquet file has one size, not {asked}")
    return size


def _backends(asked: str | None) -> tuple[str, ...]:
    """Returns the chosen backends. Default: the backend in use, and aesni."""
    available = [it.name for it in rijn.backends() if it.available]
    chosen = rijn.AES(bytes(16)).backend
    if asked is None:
        return tuple(dict.fromkeys([chosen, *(it for it in available if it == "aesni")]))
    found = planning.names(asked, available, "backend for this machine")
    return tuple(sorted(found, key=lambda name: name != chosen))


def measure(plan: ColumnsPlan, command: str, progress: run.Progress) -> Results:
    """Runs the plan. Raises run.Disagreement, and the errors of engines."""
    from . import engines

    started = time.monotonic()
    results = Results(
        rijn=rijn.__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command,
        seconds=0.0,
        rounds=plan.rounds,
        millis=plan.millis,
        chosen=rijn.AES(bytes(16)).backend,
        machine=machine.describe(None),
        contenders=list(_contenders(plan)),
    )
    with engines.Workshop() as shop, run.no_collection():
        for task in plan.tasks:
            progress(_label(task), 0)
            results.rows += _measured(task, plan, shop, results)
            progress("", 1)
    results.seconds = round(time.monotonic() - started, 1)
    return results


def _contenders(plan: ColumnsPlan) -> Iterator[Contender]:
    from . import engines

    safe = {it.name: it.constant_time for it in rijn.backends()}
    native = {it.name for it in rijn.backends()} - {it.name for it in registry.PURE}
    needed: dict[str, tuple[str, ...]] = {}
    for part in dict.fromkeys(task.algorithm for task in plan.tasks):
        for name, needs in PARTS[part].contenders(plan.backends or ()).items():
            needed.setdefault(name, needs)
    for name, needs in needed.items():
        _, backend = split(name)
        if name.startswith("rijn/"):
            # Rijn is always ready. If its engine is missing, the engine's peers show that.
            version, claim = rijn.__version__, safe[backend]
            yield Contender(
                name=name, through="python", state="ready", version=version, constant_time=claim
            )
            continue
        state, reason = "ready", engines.lacking(needs)
        if reason:
            state = "not installed"
        elif needs == ("harness",) and backend not in native:
            state, reason = "unavailable", "not a backend in C"
        yield Contender(
            name=name, through="python", state=state, version=_versions(needs), reason=reason
        )


def _versions(needs: Sequence[str]) -> str:
    found = []
    for need in needs:
        try:
            found.append(f"{need} {metadata.version(need)}")
        except metadata.PackageNotFoundError:
            continue  # not a package
    return ", ".join(found)


def _label(task: Task) -> str:
    return f"{task.algorithm}, {VERBS[task.operation]}, {text.size(task.size)}"


def _measured(task: Task, plan: ColumnsPlan, shop: Workshop, results: Results) -> list[Row]:
    from . import engines

    part = PARTS[task.algorithm]
    absent = {it.name for it in results.contenders if it.state != "ready"}
    if engines.lacking(part.needs):
        return []
    job = engines.job(shop, task, plan.rows, plan.file)
    made: dict[str, Timed] = {}
    for name in part.contenders(plan.backends or ()):
        if name in absent:
            continue
        made[name] = part.prepare(*split(name), job)
        if job.disagrees(made[name]):
            raise run.Disagreement(f"{_label(task)}: {name} does not give the column")
        for _ in range(made[name].settle):
            made[name].run()
    spent: dict[str, list[engines.Spent]] = {name: [] for name in made}
    for _ in range(plan.rounds):
        for name, timed in made.items():
            spent[name].append(timed.run())
    found = []
    for name, runs in spent.items():
        elapsed = [it.elapsed / job.rows for it in runs if it.elapsed is not None]
        peak = [it.peak for it in runs if it.peak is not None]
        row = Row(
            **task._asdict(),
            through="python",
            contender=name,
            messages=job.rows,
            ns=[max(round(it.cpu / job.rows, 3), 0.001) for it in runs],
            elapsed=[round(ns, 3) for ns in elapsed] or None,
            peak=peak or None,
        )
        found.append(row)
    return found


# ---- As tables --------------------------------------------------------------------------

VERBS = {"encrypt": "seal", "decrypt": "open"}
NOTE = (
    "CPU time a row, all threads and processes; ×: speed over the contender in the title, in the same "
    "rounds"
)


def study_tables(results: Results) -> list[Cells]:
    """Returns a table for each part and size."""
    found = []
    for name, part in PARTS.items():
        rows = [row for row in results.rows if row.algorithm == name]
        missing = [it for it in results.contenders if it.state != "ready" and part.has(it.name)]
        if not rows and not (missing and part.needs):
            continue
        for size in sorted({row.size for row in rows}) or [0]:
            found.append(_table(part, [row for row in rows if row.size == size], missing))
    if not found:
        return [Cells("Columns of tables", [""], [], ["the run measured no columns"])]
    commands = dict.fromkeys(f"{it.name}: {it.reason}" for it in results.contenders if it.reason)
    notes = [NOTE, *(f"not in this run: {command}" for command in commands)]
    return [*found[:-1], found[-1]._replace(notes=notes)]


def _table(part: Part, rows: Sequence[Row], missing: Sequence[Contender]) -> Cells:
    cells = {(row.contender, row.operation): row for row in rows}
    operations = [it for it in part.operations if any(row.operation == it for row in rows)]
    apart = any(row.peak for row in rows)  # measured in separate processes
    columns = [""]
    for verb in map(VERBS.__getitem__, operations or part.operations):
        columns += [f"{verb}\nns", f"best {verb}\nns", f"× {verb}"]
    columns += ["elapsed\nns", "memory\nMiB"] if apart else []
    lines = []
    for name in dict.fromkeys(row.contender for row in rows):
        line = [name]
        for operation in operations:
            row, base = (cells.get((it, operation)) for it in (name, part.base_of(name)))
            line += (
                [text.significant(row.median), text.significant(row.best)] if row else ["–", "–"]
            )
            line.append(text.ratio(base.median / row.median) if row and base else "–")
        if apart:
            row = cells[name, operations[0]]
            line.append(text.significant(statistics.median(row.elapsed)) if row.elapsed else "–")
            line.append(f"{max(row.peak) / 2**20:,.0f}" if row.peak else "–")
        lines.append(line)
    lines += [[it.name, it.state, *["–"] * (len(columns) - 2)] for it in missing]
    what = [] if part.only or not rows else [text.size(rows[0].size)]
    what += [f"{rows[0].messages:,} rows"] if rows else []
    bases = dict.fromkeys(part.base_of(row.contender) for row in rows)
    over = [f"× {' or '.join(bases)}"] if bases else []
    return Cells(
        " · ".join([part.title, *what, *over]),
        columns,
        lines,
        [],
        leave=("best seal", "best open"),
    )
