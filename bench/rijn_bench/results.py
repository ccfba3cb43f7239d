"""The results of a run: schema `rijn-bench`, version VERSION.

The classes here are the schema: as_json writes their fields by name, and from_json reads them.
Within a version, fields are only added. docs/measuring.md describes the fields.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import statistics
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

SCHEMA = "rijn-bench"
VERSION = 2


class NotResults(ValueError):
    """The text is not a result of `rijn bench --json`, or its version is too new."""


class Task(NamedTuple):
    """A task that all contenders do."""

    algorithm: str  # "aes-128-gcm"
    operation: str  # "encrypt", "decrypt", "rekey"
    size: int  # bytes a message; 0 for a rekey
    key: str  # "warm": set up before; "cold": set up for every message
    buffer: str  # "fresh": a new result; "apart": into a buffer; "in-place"
    threads: int


@dataclass(frozen=True, kw_only=True)
class Row:
    """The measurement of a contender, or of a ceiling of the machine, in a task."""

    algorithm: str
    operation: str
    size: int
    key: str
    buffer: str
    threads: int
    through: str  # "c": timed in C; "python": through the Python API
    contender: str  # "rijn/aesni", "openssl"; for a ceiling "aesenc/zmm"
    messages: int  # in one round of one thread
    # ns per message, one figure a round: CPU time for one thread, wall clock for several.
    ns: list[float]
    cycles: list[float] | None = None  # per message, if the kernel counts them
    # A backend with the same AES instructions, or "" for no AES instructions; None: not detected.
    instructions: str | None = None
    # With `--as columns`: wall-clock ns per row; peak memory in bytes, for separate processes.
    elapsed: list[float] | None = None
    peak: list[int] | None = None

    @property
    def task(self) -> Task:
        return Task(self.algorithm, self.operation, self.size, self.key, self.buffer, self.threads)

    @property
    def is_rijn(self) -> bool:
        return self.contender.startswith("rijn/")

    @property
    def name(self) -> str:
        """The name of the backend or of the peer."""
        return self.contender.removeprefix("rijn/")

    @cached_property
    def median(self) -> float:
        return statistics.median(self.ns)

    @cached_property
    def best(self) -> float:
        return min(self.ns)

    @cached_property
    def spread(self) -> float:
        """The interquartile range, as a part of the median."""
        if len(self.ns) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.ns, n=4, method="inclusive")
        return (high - low) / self.median

    @property
    def rate(self) -> float:
        """Bytes a second, from the median."""
        return self.size / self.median * 1e9


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A backend or peer that was measured, or that could not be."""

    name: str  # "rijn/aesni", "openssl"
    through: str
    state: str  # "ready", "unavailable", "not installed"
    version: str = ""
    reason: str = ""  # why it is not ready
    constant_time: bool | None = None  # None: no claim


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A contender that was left out of a task, and why."""

    algorithm: str
    operation: str
    size: int
    key: str
    buffer: str
    threads: int
    through: str
    contender: str
    reason: str

    @property
    def task(self) -> Task:
        return Task(self.algorithm, self.operation, self.size, self.key, self.buffer, self.threads)


@dataclass(kw_only=True)
class Results:
    """One run."""

    rijn: str  # its version
    created: str  # ISO 8601, UTC
    command: str
    seconds: float  # duration of the run
    rounds: int
    millis: float  # target time of one contender in one round
    chosen: str  # the default backend on this machine
    machine: dict[str, Any]
    contenders: list[Contender] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    ceilings: list[Row] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    # ---- Derived values ----

    def tasks(self, through: str) -> dict[Task, list[Row]]:
        """Returns the rows by task, in the order of the run."""
        groups: dict[Task, list[Row]] = {}
        for row in self.rows:
            if row.through == through:
                groups.setdefault(row.task, []).append(row)
        return groups

    @cached_property
    def _ceilings(self) -> dict[Task, dict[str, float]]:
        """The fastest ceilings in ns, by task and kind ("aesenc", "clmul", "copy")."""
        found: dict[Task, dict[str, float]] = {}
        for row in self.ceilings:
            kinds = found.setdefault(row.task, {})
            kind = row.contender.split("/")[0]
            kinds[kind] = min(row.median, kinds.get(kind, row.median))
        return found

    def ceiling(self, task: Task) -> float | None:
        """Returns the least ns for a message: the ceiling of the slowest part that it needs. None
        if no ceiling was measured."""
        # A new bytes object in Python is the same work as a separate output buffer.
        buffer = "apart" if task.buffer == "fresh" else task.buffer
        kinds = self._ceilings.get(task._replace(buffer=buffer), {})
        # In place, a message is not copied.
        needed = [ns for kind, ns in kinds.items() if (kind, buffer) != ("copy", "in-place")]
        return max(needed, default=None)

    def fraction(self, row: Row) -> float | None:
        """Returns the row's speed as a part of the ceiling, 0 to 1."""
        ceiling = self.ceiling(row.task)
        return None if ceiling is None else ceiling / row.median

    @cached_property
    def _constant_time(self) -> dict[str, bool | None]:
        """The claims by contender. Without the C harness they come from Python."""
        return {c.name: c.constant_time for c in self.contenders}

    def constant_time(self, row: Row) -> bool | None:
        return self._constant_time.get(row.contender)

    def marked(self, contender: str) -> bool:
        """Returns whether a contender is marked: it is not constant time, or it is a backend of
        Rijn without a claim."""
        claim = self._constant_time.get(contender)
        return claim is False or (claim is None and contender.startswith("rijn/"))

    def safe(self, rows: list[Row]) -> Row | None:
        """Returns the fastest constant-time backend of Rijn."""
        backends = [row for row in rows if row.is_rijn and self.constant_time(row)]
        return min(backends, key=lambda row: row.median, default=None)

    @staticmethod
    def best_peer(rows: list[Row]) -> Row | None:
        peers = [row for row in rows if not row.is_rijn]
        return min(peers, key=lambda row: row.median, default=None)

    # ---- JSON and CSV ----

    def as_json(self) -> str:
        """Returns one JSON object, with a line for each row, so that the text is easy to read and
        compare."""
        head = {"schema": SCHEMA, "version": VERSION}
        head |= {name: getattr(self, name) for name in self._scalars()}
        parts = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
        for name in self._lists():
            items = [json.dumps(_without_none(item)) for item in getattr(self, name)]
            body = "".join(f"\n    {item}," for item in items).rstrip(",")
            parts.append(f"  {json.dumps(name)}: [{body}\n  ]" if items else f'  "{name}": []')
        return "{\n" + ",\n".join(parts) + "\n}\n"

    @staticmethod
    def _lists() -> dict[str, type[Contender | Row | Skipped]]:
        return {"contenders": Contender, "rows": Row, "ceilings": Row, "skipped": Skipped}

    @classmethod
    def _scalars(cls) -> list[str]:
        return [f.name for f in dataclasses.fields(cls) if f.name not in cls._lists()]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads the output of as_json. Raises NotResults."""
        try:
            found = json.loads(text)
            if found["schema"] != SCHEMA:
                raise NotResults(f"unknown schema {found['schema']!r}")
            if found["version"] > VERSION:
                raise NotResults(f"schema version {found['version']} needs a newer rijn-bench")
            values = {name: found[name] for name in cls._scalars()}
            for name, kind in cls._lists().items():
                known = {f.name for f in dataclasses.fields(kind)}
                values[name] = [
                    kind(**{key: value for key, value in item.items() if key in known})
                    for item in found[name]
                ]
            return cls(**values)
        except NotResults:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise NotResults(f"not a result of rijn bench ({error})") from None

    def as_csv(self) -> str:
        """Returns a line for each row, with values derived from its rounds."""
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        lists = ("ns", "cycles", "instructions", "elapsed", "peak")
        identity = [f.name for f in dataclasses.fields(Row) if f.name not in lists]
        derived = "median_ns best_ns spread bytes_per_second cycles_per_byte"
        table.writerow(
            [
                *identity,
                "rounds",
                *derived.split(),
                "ratio_to_best_peer",
                "part_of_ceiling",
                "instructions",
            ]
        )
        for through in ("c", "python"):
            for rows in self.tasks(through).values():
                peer = self.best_peer(rows)
                for row in rows:
                    cycles = row.cycles and row.size and statistics.median(row.cycles) / row.size
                    fraction = self.fraction(row)
                    table.writerow(
                        [
                            *(getattr(row, name) for name in identity),
                            len(row.ns),
                            f"{row.median:.3f}",
                            f"{row.best:.3f}",
                            f"{row.spread:.4f}",
                            f"{row.rate:.0f}" if row.size else "",
                            f"{cycles:.4f}" if cycles else "",
                            f"{peer.median / row.median:.4f}" if peer else "",
                            f"{fraction:.4f}" if fraction is not None else "",
                            row.instructions or "",
                        ]
                    )
        return out.getvalue()


def _without_none(item: Contender | Row | Skipped) -> dict[str, Any]:
    """Returns the fields that are not None. Most machines count no cycles, for example."""
    fields = dataclasses.asdict(item)
    return {name: value for name, value in fields.items() if value is not None}
