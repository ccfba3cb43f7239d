"""Runs the loop of a subject under cProfile, py-spy, perf and callgrind, each in its own process.

Every function returns its result, or Unavailable with a reason and a remedy. A missing tool is not
an exception.
"""

from __future__ import annotations

import csv
import os
import platform
import pstats
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rijn._install import pip_install

from . import stacks
from .loop import UNAVAILABLE

if TYPE_CHECKING:
    from .subject import Subject

# callgrind with its cache model slows a program down a hundred times or more.
CALLGRIND_PATIENCE = 0.1  # seconds

PY_SPY_RATE = 250  # samples a second; py-spy stops the program for each sample


@dataclass(frozen=True)
class Unavailable:
    """A tool found nothing. `reason` says why, and what to do."""

    reason: str


@dataclass(frozen=True)
class Function:
    """A row of cProfile's table, for one message."""

    name: str
    calls: float
    own: float  # seconds without the called functions
    total: float  # seconds with the called functions


@dataclass(frozen=True)
class Counters:
    """The kernel's counters for one message. None: not counted on this machine."""

    cycles: float | None
    instructions: float | None
    cache_references: float | None
    cache_misses: float | None
    page_faults: float | None
    note: str  # a sentence about counters that are None, or ""

    @property
    def per_cycle(self) -> float | None:
        """Instructions per cycle."""
        if not self.cycles or self.instructions is None:
            return None
        return self.instructions / self.cycles


@dataclass(frozen=True)
class Instructions:
    """callgrind's counts for one message. The caches are a model, not the CPU's."""

    total: float
    native: float  # the part in Rijn's C
    data: float  # reads and writes of memory
    d1_misses: float
    ll_misses: float  # last-level misses
    functions: list[tuple[str, str, float]]  # name, library, instructions; most first


def _program(subject: Subject, messages: int) -> list[str]:
    return [sys.executable, *subject.command(messages)]


def _run(
    command: list[str], *, pass_fds: tuple[int, ...] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        pass_fds=pass_fds,
        env={**os.environ, **variables},
    )


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Returns the last line of a failed program's stderr, without valgrind's own lines."""
    lines = [line.strip() for line in done.stderr.splitlines() if not line.startswith("==")]
    return next(filter(None, reversed(lines)), f"exit code {done.returncode}")


def _forbidden(done: subprocess.CompletedProcess[str]) -> bool:
    """Returns whether the tool was not allowed to look at another process."""
    pattern = "permission|not permitted|paranoid|access to|as root"
    return re.search(pattern, done.stderr, re.IGNORECASE) is not None


# pstats: primitive calls, all calls, seconds alone, seconds with callees, callers.
_Stat = tuple[int, int, float, float, object]


def cprofile(subject: Subject, messages: int) -> list[Function] | Unavailable:
    """Returns Python's functions and their times, the slowest first. cProfile reads the clock at
    each call, so short functions look slower than they are."""
    if subject.is_native:
        return Unavailable(
            f"cProfile sees only Python functions, but {subject.backend} is one call into C:"
            " see the flame graph and callgrind"
        )
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "cprofile"))
        done = _run([*_program(subject, messages), "--cprofile", file])
        if done.returncode:
            return Unavailable(f"cProfile: {_complaint(done)}")
        # get_stats_profile() would round to milliseconds.
        stats: dict[tuple[str, int, str], _Stat] = vars(pstats.Stats(file))["stats"]
    rows = [
        Function(_place(name, path, line), calls / messages, own / messages, total / messages)
        for (path, line, name), (_, calls, own, total, _) in stats.items()
    ]
    return sorted(rows, key=lambda row: -row.own)


def _place(name: str, file: str, line: int) -> str:
    if not line:
        return name.removeprefix("<").removesuffix(">")
    return f"{name} ({'/'.join(Path(file).parts[-3:])}:{line})"


def py_spy(subject: Subject, messages: int) -> Counter[stacks.Stack] | Unavailable:
    """Samples stacks of Python and native frames together."""
    program = shutil.which("py-spy", path=sysconfig.get_path("scripts")) or shutil.which("py-spy")
    if program is None:
        return Unavailable(
            f"flame graph: py-spy is not installed ({pip_install(package='rijn-bench')})"
        )
    # py-spy has this option only on platforms where it can unwind native stacks.
    native = ["--native"] if "--native" in _run([program, "record", "--help"]).stdout else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stacks")
        done = _run(
            [program, "record", "--format", "raw", "--function", "--output", str(file)]
            + ["--rate", str(PY_SPY_RATE), *native, "--", *_program(subject, messages)]
        )
        raw = file.read_text() if file.exists() else ""
    samples = stacks.parse(raw)
    if samples:
        return samples
    if _forbidden(done):
        return Unavailable(
            "flame graph: py-spy is not allowed to read another process"
            " (run as root, or allow SYS_PTRACE to the container)"
        )
    return Unavailable(f"flame graph: py-spy took no sample: {_complaint(done)}")


_EVENTS = ("cycles", "instructions", "cache-references", "cache-misses")


def perf(subject: Subject, messages: int) -> Counters | Unavailable:
    """Returns the kernel's counters for the loop, in user mode."""
    program = shutil.which("perf")
    if sys.platform != "linux":
        return Unavailable(f"counters: perf needs Linux, but this is {platform.system()}")
    if program is None:
        return Unavailable("counters: perf is not installed (Debian: apt install linux-perf)")
    events = ",".join([*(f"{event}:u" for event in _EVENTS), "page-faults"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "counters")
        # perf counts between "enable" and "disable". The loop writes these words into a pipe.
        orders, writer = os.pipe()
        reader, answers = os.pipe()
        try:
            done = _run(
                [program, "stat", "-x", ";", "-o", str(file), "-e", events, "--delay=-1"]
                + [f"--control=fd:{orders},{answers}", "--", *_program(subject, messages)]
                + ["--control", str(writer), str(reader)],
                pass_fds=(orders, writer, reader, answers),
                LC_ALL="C",
            )
        finally:
            for fd in (orders, writer, reader, answers):
                os.close(fd)
        text = file.read_text() if file.exists() else ""
    if done.returncode and _forbidden(done):
        return Unavailable(
            "counters: the kernel does not let perf count"
            " (run as root, or sysctl kernel.perf_event_paranoid=2)"
        )
    if done.returncode:
        return Unavailable(f"counters: perf failed: {_complaint(done)}")
    return _counters(text, messages)


def _counters(text: str, messages: int) -> Counters:
    """Reads perf's lines "value;unit;event;…". A value may be "<not supported>"."""
    found: dict[str, float] = {}
    absent = []
    for row in csv.reader(text.splitlines(), delimiter=";"):
        if len(row) < 3 or row[0].startswith("#"):
            continue
        event = row[2].removesuffix(":u")
        try:
            found[event] = float(row[0]) / messages
        except ValueError:
            absent.append(event)
    note = (
        f"counters: this kernel does not count {', '.join(absent)}"
        " (virtual machines often have no performance counters); see callgrind"
        if absent
        else ""
    )
    return Counters(
        cycles=found.get("cycles"),
        instructions=found.get("instructions"),
        cache_references=found.get("cache-references"),
        cache_misses=found.get("cache-misses"),
        page_faults=found.get("page-faults"),
        note=note,
    )


def callgrind(subject: Subject, seconds: float) -> Instructions | Unavailable:
    """Returns instructions and memory accesses, the same in every run.

    It counts N messages and 2 N messages. The difference is N messages, without the start of Python
    and the key set-up.

    :param seconds: the time of a message; if it is too long, callgrind does not run
    """
    if seconds > CALLGRIND_PATIENCE:
        return Unavailable(
            f"callgrind: messages of {seconds:.1f} s would take minutes; choose a smaller size"
        )
    # Only three values of N: with another N, malloc may sometimes take another path.
    messages = 2 if seconds > 5e-4 else 16 if seconds > 2e-5 else 256
    if shutil.which("valgrind") is None or shutil.which("callgrind_annotate") is None:
        return Unavailable("callgrind: valgrind is not installed (Debian: apt install valgrind)")
    with ThreadPoolExecutor(2) as pool:
        once, twice = pool.map(_callgrind, [subject] * 2, (messages, 2 * messages))
    if isinstance(once, str) or isinstance(twice, str):
        return Unavailable(f"callgrind: {once if isinstance(once, str) else twice}")
    difference = {
        place: tuple(
            (late - early) / messages
            for early, late in zip(once.get(place, _ZERO), counts, strict=True)
        )
        for place, counts in twice.items()
    }
    totals = [sum(column) for column in zip(*difference.values(), strict=True)]
    functions = [(name, library, cost[0]) for (name, library), cost in difference.items()]
    return Instructions(
        total=totals[0],
        native=sum(cost for _, library, cost in functions if library.startswith("_native")),
        data=totals[1] + totals[2],
        # Without any misses, the two runs may still differ by one or two.
        d1_misses=max(0.0, totals[3] + totals[4]),
        ll_misses=max(0.0, totals[5] + totals[6]),
        functions=sorted((row for row in functions if row[2] >= 0.5), key=lambda row: -row[2]),
    )


_COLUMNS = ("Ir", "Dr", "Dw", "D1mr", "D1mw", "DLmr", "DLmw")
_ROW = re.compile(rf"\s*((?:(?:[0-9,]+|\.)\s+){{{len(_COLUMNS)}}})(.+)")
_ZERO = (0,) * len(_COLUMNS)

_Counts = dict[tuple[str, str], tuple[int, ...]]  # (function, library) -> counts


def _callgrind(subject: Subject, messages: int) -> _Counts | str:
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "callgrind"))
        done = _run(
            ["valgrind", "--tool=callgrind", "--cache-sim=yes", f"--callgrind-out-file={file}"]
            + _program(subject, messages),
            PYTHONHASHSEED="0",
        )
        if done.returncode == UNAVAILABLE:
            return (
                f"valgrind emulates a CPU that {subject.backend} cannot run on; profile another"
                " backend, for example aesni or fixslice64"
            )
        if done.returncode:
            return f"the program failed under valgrind: {_complaint(done)}"
        done = _run(
            ["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no"]
            + [f"--show={','.join(_COLUMNS)}", file]
        )
    if done.returncode:
        return f"callgrind_annotate failed: {_complaint(done)}"
    return _annotated(done.stdout)


def _annotated(text: str) -> _Counts:
    """Reads lines "counts… file:function [library]".

    Recursive calls ('2 and so on) are added. A function without a library is added to the one with
    the same name.
    """
    counts: _Counts = {}
    for line in text.splitlines():
        row = _ROW.fullmatch(line)
        if row is None or row[2] == "PROGRAM TOTALS":
            continue
        place, _, library = row[2].partition(" [")
        name = stacks.plain(re.sub(r"'[0-9]+$", "", place.rpartition(":")[2]))
        key = (name, Path(library.removesuffix("]")).name)
        cost = [int(n.replace(",", "")) if n != "." else 0 for n in row[1].split()]
        counts[key] = _sum(counts.get(key, _ZERO), tuple(cost))
    libraries: dict[str, list[str]] = {}
    for name, library in counts:
        libraries.setdefault(name, []).append(library)
    for name, named in libraries.items():
        if len(named) == 2 and "" in named:
            key = (name, max(named))
            counts[key] = _sum(counts[key], counts.pop((name, "")))
    return counts


def _sum(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))
