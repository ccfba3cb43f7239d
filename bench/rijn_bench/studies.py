"""Tables as other projects publish them, in their units, with the original figures.

A row that was not measured says why.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from rich.console import Console

import rijn

from . import columns, run, tables, text
from .contenders import Offer, Source
from .grid import Cells, Column, Grid
from .harness import ABSENT
from .plan import Algorithm, Plan, tasks
from .results import Contender, Results, Row, Task

NOT_RUN = "not in this run"
NOT_HERE = "not for this machine"
NO_HARNESS = "no C harness"


@dataclass(frozen=True)
class Study:
    """A table of another project: its measurement and its output."""

    sizes: tuple[int, ...]  # the default
    make_plan: Callable[..., Plan]  # from sizes, and the options in `takes`
    make_tables: Callable[[Results], Cells | list[Cells]]
    measure: Callable[..., Results] = run.measure
    # For --quick, under a minute on two busy cores: fewer sizes, and another plan if fewer and
    # shorter rounds are not enough.
    quick_sizes: tuple[int, ...] | None = None
    quick_plan: Callable[..., Plan] | None = None
    takes: tuple[str, ...] = ()  # options that only some studies take
    needs: tuple[str, ...] = ()  # modules of `extra`
    extra: str = ""
    rows_alone: bool = False  # pages and pictures show its rows one by one

    def plan_for(
        self, sizes: Sequence[int] | None, *, quick: bool = False, **given: str | int
    ) -> Plan:
        if not quick:
            return self.make_plan(sizes or self.sizes, **given)
        asked = sizes or self.quick_sizes or self.sizes
        if self.quick_plan:
            return self.quick_plan(asked, **given)
        return _hastened(self.make_plan(asked, **given))

    def cells(self, results: Results) -> list[Cells]:
        """Returns its tables."""
        made = self.make_tables(results)
        return [made] if isinstance(made, Cells) else made

    def show(self, results: Results, console: Console) -> None:
        notes = [
            f"this run: {tables.machine_line(results)}",
            f"medians of {results.rounds} interleaved rounds · {results.command}",
        ]
        for cells in self.cells(results):
            heads = [
                Column(name, unit, tables.WORDS if i < cells.labels else 0)
                for i, (name, _, unit) in enumerate(it.partition("\n") for it in cells.columns)
            ]
            table = Grid(cells.title, heads, cells.leave)
            for line in cells.rows:
                table.add(*line)
            table.show(console)
            console.print()
            notes += cells.notes
        for note in notes:
            console.print(note, style="dim", markup=False)


def _hastened(plan: Plan) -> Plan:
    return replace(
        plan,
        rounds=5,
        millis=min(plan.millis, 2.0),
        patience=min(plan.patience, 0.5),
        instructions=False,
    )


def _rows(results: Results, through: str, **wanted: Any) -> list[Row]:
    return [
        row
        for row in results.rows
        if row.through == through
        and all(getattr(row, name) == value for name, value in wanted.items())
    ]


def _absence(contender: str, through: str, results: Results) -> str:
    """Returns why there is no figure for a backend."""
    states = {it.through: it.state for it in results.contenders if it.name == contender}
    if not states:
        return NOT_RUN
    state = states.get(through)
    if state is None:  # not in C: without a harness, Python still knows what is unavailable
        state = NO_HARNESS if "ready" in states.values() else "unavailable"
    return {"ready": "too slow", "unavailable": NOT_HERE}.get(state, state)


# ---- python-bitsliced: pure Python, MB/s by size --------------------------------------

# README of python-bitsliced-aes, on an M1 Pro, in MB of 2^20 bytes (benchmark.py).
BITSLICED = {
    0x10: 0.00979,
    0x100: 0.2034,
    0x200: 0.3661,
    0x400: 0.7431,
    0x800: 1.444,
    0x1000: 2.604,
    0x10000: 8.099,
    0x100000: 11.94,
    0x400000: 7.914,
    0x1000000: 7.021,
}


def _bitsliced_plan(sizes: Sequence[int]) -> Plan:
    return Plan(
        tasks(["aes-128-ecb"], sizes, buffers=("fresh",)), rounds=7, millis=20.0, patience=5.0
    )


def _bitsliced(results: Results) -> Cells:
    rows = _rows(results, "python", algorithm="aes-128-ecb")
    speeds = {(row.name, row.size): row.rate / 1e6 for row in rows}
    # Without the two backends python-*: the table has no space for more columns.
    pure = [
        b.name
        for b in rijn.backends()
        if b.available and not _is_native(b.name) and not b.name.startswith("python-")
    ]
    chosen = results.chosen if results.chosen not in pure else None
    peers = [name for name in ("bsaes", "pyaes", "cryptography") if (name, 16) in speeds]
    names = [*pure, *([chosen] if chosen else []), *peers]
    lines = []
    for size in sorted({row.size for row in rows}):
        published = BITSLICED.get(size, 0) * 2**20 / 1e6
        figures = [speeds.get((name, size)) for name in names]
        fastest = speeds.get(("python", size))
        lines.append(
            [
                f"{size:#x}",
                text.significant(published) if published else "–",
                *(text.significant(figure) if figure else "too slow" for figure in figures),
                f"{fastest / published:.1f}" if fastest and published else "–",
            ]
        )
    return Cells(
        "AES-128-ECB encryption through Python",
        ["size", *(f"{name}\nMB/s" for name in ("original", *names)), "python / original"],
        lines,
        [
            "original: its README, on an Apple M1 Pro, converted from MB of 2^20 bytes to 10^6",
            "python / original compares different machines",
            "bsaes is the original itself, measured in this run if Python finds it",
        ],
        leave=("python / original", "reference", "numba", "cryptography", "numpy"),
    )


def _is_native(name: str) -> bool:
    from rijn import registry

    return all(backend.name != name for backend in registry.PURE)


# ---- pure: the backend `python` and earlier pure-Python packages --------------------------

# The peers in its ratios: the fastest pure-Python ECB, and the most common package.
PURE_PEERS = ("bsaes", "pyaes")


def _pure_plan(sizes: Sequence[int]) -> Plan:
    listed = [
        *tasks(["aes-128-ecb"], sizes, ("encrypt", "decrypt"), buffers=("fresh",)),
        *tasks(["aes-128-ctr", "aes-256-ctr", "aes-128-gcm"], sizes, buffers=("fresh",)),
        *tasks(["aegis-128l", "aegis-128x4"], sizes, buffers=("fresh",)),
    ]
    return Plan(
        tuple(listed), rounds=7, millis=20.0, patience=4.0, backends=("python",), peers=PURE_PEERS
    )


def _pure(results: Results) -> Cells:
    speeds = {
        (row.name, row.algorithm, row.operation, row.size): row.rate / 1e6
        for row in _rows(results, "python")
    }
    states = {it.name: it.state for it in results.contenders if it.through == "python"}
    sizes = sorted({row.size for row in _rows(results, "python")})

    def speed(name: str, algorithm: str, size: int, operation: str = "encrypt") -> float | None:
        found = speeds.get((name, algorithm, operation, size))
        if found or name != "pyaes":
            return found
        # pyaes works block by block: if a size is too slow, its speed at a smaller size is used.
        asked = [
            other
            for other in sizes
            if other < size and (name, algorithm, operation, other) in speeds
        ]
        return speeds[name, algorithm, operation, asked[-1]] if asked else None

    def quotient(over: float | None, under: float | None, peer: str = "") -> str:
        if peer and states.get(peer) != "ready":
            return "absent"
        return text.significant(over / under) if over and under else "–"

    def figure(value: float | None) -> str:
        return text.significant(value) if value else "–"

    lines = []
    for size in sizes:
        ecb = speed("python", "aes-128-ecb", size)
        ctr = speed("python", "aes-128-ctr", size)
        gcm = speed("python", "aes-128-gcm", size)
        theirs = speed("pyaes", "aes-128-ctr", size)
        lines.append(
            [
                text.size(size),
                figure(ecb),
                quotient(ecb, speed("bsaes", "aes-128-ecb", size), "bsaes"),
                quotient(speed("python", "aes-128-ecb", size, "decrypt"), ecb),
                figure(ctr),
                quotient(ctr, theirs, "pyaes"),
                quotient(speed("python", "aes-256-ctr", size), ctr),
                figure(gcm),
                quotient(gcm, theirs, "pyaes"),
                figure(speed("python", "aegis-128l", size)),
                figure(speed("python", "aegis-128x4", size)),
            ]
        )
    missing = [f"{name}: {states.get(name, 'not asked for')}" for name in PURE_PEERS]
    return Cells(
        "Pure Python: the backend `python`, speeds and ratios",
        [
            "size",
            "ECB\nMB/s",
            "× bsaes",
            "decrypt",
            "CTR\nMB/s",
            "× pyaes",
            "-256",
            "GCM\nMB/s",
            "× pyaes CTR",
            "AEGIS-128L\nMB/s",
            "-128X4\nMB/s",
        ],
        lines,
        [
            "AES-128. decrypt: ECB decryption over encryption; -256: AES-256-CTR over AES-128-CTR",
            "bsaes: python-bitsliced-aes, measured if its files are on PYTHONPATH",
            " · ".join(missing),
        ],
        leave=("-256", "decrypt", "-128X4", "× bsaes", "× pyaes CTR"),
    )


# ---- putty: code keylen blocklen time -------------------------------------------------

PUTTY_CODES = {"cbc encrypt": 0, "cbc decrypt": 1, "ctr encrypt": 2}
# PuTTY added GCM later: the files of the original have no code for it.
PUTTY_NAMES = {0: "CBC encrypt", 1: "CBC decrypt", 2: "SDCTR", None: "GCM"}
# The project's README, for PuTTY's AES-NI code over its software on a Core i5-2520M.
PUTTY_PUBLISHED = {0: 4.7, 1: 13.0}
# The denominator of the ratios: PuTTY's own software. If it is not built, the backend `table`:
# PuTTY's software used tables then.
PUTTY_BASES = ("putty/software", "table")
PUTTY_FILES = {
    "putty/software": "original",
    "putty/aesni": "original-aesni",
    "putty/rijn": "output",
}
PUTTY_SIZES = tuple(16 << 2 * i for i in range(13))
# Up to 4 MiB: beyond that, PuTTY's software has the same speed, and 256 MiB take seven seconds.
PUTTY_QUICK = PUTTY_SIZES[:10]
# The constant-time backends without AES instructions, the best one first.
PUTTY_SOFT = ("sse2", "fixslice64")


def _putty_tasks(sizes: Sequence[int]) -> tuple[Task, ...]:
    """Returns the tasks, in place as in PuTTY."""
    listed: list[Task] = []
    for bits in (128, 192, 256):
        for mode, operations in (("cbc", ("encrypt", "decrypt")), ("ctr", ("encrypt",))):
            listed += tasks([f"aes-{bits}-{mode}"], sizes, operations, buffers=("in-place",))
        listed += tasks([f"aes-{bits}-gcm"], sizes, buffers=("in-place",))
    return tuple(listed)


def _putty_plan(sizes: Sequence[int]) -> Plan:
    return Plan(_putty_tasks(sizes), rounds=5, millis=2.0, python_buffers=(), instructions=False)


def _putty_quick(sizes: Sequence[int]) -> Plan:
    """Returns a plan with three backends (in use, best in software, base) and PuTTY."""
    here = [b.name for b in rijn.backends() if b.available]
    soft = [name for name in PUTTY_SOFT if name in here][:1]
    return Plan(
        _putty_tasks(sizes),
        rounds=5,
        millis=0.5,
        python_buffers=(),
        instructions=False,
        backends=tuple(dict.fromkeys([rijn.AES(bytes(16)).backend, *soft, PUTTY_BASES[1]])),
        peers=("putty",),
    )


def _putty_code(row: Row) -> int | None:
    return PUTTY_CODES.get(f"{row.algorithm[-3:]} {row.operation}")


def putty_files(results: Results) -> dict[str, str]:
    """Returns a file for each contender, with a line for each round: `code keylen blocklen time`.

    The key is in bits, the message in bytes, and the time in cycles if the kernel counts them for
    all contenders, otherwise in nanoseconds. perf-original.txt is PuTTY's software,
    perf-original-aesni.txt its AES-NI code, perf-output.txt PuTTY on Rijn.
    """
    rows = [row for row in _rows(results, "c") if _putty_code(row) is not None]
    counted = bool(rows) and all(row.cycles for row in rows)
    lines: dict[str, list[str]] = {}
    for row in rows:
        times = row.cycles if counted and row.cycles else row.ns
        start = f"{_putty_code(row)}\t{row.algorithm[4:7]}\t{row.size}"
        lines.setdefault(row.name, []).extend(f"{start}\t{time:.2f}" for time in times)
    return {
        f"perf-{PUTTY_FILES.get(name, name.replace('/', '-'))}.txt": "".join(
            f"{line}\n" for line in found
        )
        for name, found in lines.items()
    }


def _putty_gains(rows: Sequence[Row], name: str, base: str) -> list[str]:
    """Returns the geometric mean of the speed-up of `name` over `base`: for each known code, for
    all of these together, and for GCM."""
    under = {row.task: row.median for row in rows if row.name == base}
    logs: dict[int | None, list[float]] = {code: [] for code in PUTTY_NAMES}
    for row in rows:
        if row.name == name and row.task in under:
            logs[_putty_code(row)].append(math.log(under[row.task] / row.median))
    *known, gcm = logs.values()
    groups = [*known, [gain for code in known for gain in code], gcm]
    return [f"{math.exp(statistics.fmean(gains)):.2f}" if gains else "–" for gains in groups]


def _putty(results: Results) -> Cells:
    rows = _rows(results, "c")
    if not rows:
        return Cells(
            "PuTTY's benchmark", [""], [], [f"it needs the C harness, but there is {ABSENT}"]
        )
    names = list(dict.fromkeys(row.name for row in rows))
    base = next((name for name in PUTTY_BASES if name in names), names[0])
    lines = [[name, *_putty_gains(rows, name, base)] for name in names if name != base]
    if {"putty/rijn", "putty/aesni"} <= set(names):
        gains = _putty_gains(rows, "putty/rijn", "putty/aesni")
        lines.append(["putty/rijn over putty/aesni", *gains])
    published = [str(PUTTY_PUBLISHED.get(code, "–")) for code in PUTTY_CODES.values()]
    lines.append(["original: AES-NI over software", *published, "–", "–"])
    sizes = sorted({row.size for row in rows})
    *known, gcm = PUTTY_NAMES.values()
    notes = [
        "geometric means over all sizes and keys; putty/rijn is PuTTY on Rijn",
        "original: the README of putty-aes-ni, on a Core i5-2520M, over PuTTY's software",
        "--files FOLDER writes `code keylen blocklen time`, a file for each row, without GCM",
    ]
    if base not in PUTTY_FILES:
        notes.insert(
            0, "PuTTY's own code is not in the harness: run `make putty-bench` in Rijn's sources"
        )
    return Cells(
        f"Mean speed-up over `{base}`, {text.size(sizes[0])} to {text.size(sizes[-1])}, three keys",
        ["", *known, "all three", gcm],
        lines,
        notes,
    )


# ---- languages: blocks per second ------------------------------------------------------

# Row label, side, and the backend that it measures.
LANGUAGES = (
    ("Python, as in the standard", "python", "reference"),
    ("Python, fast", "python", "python"),
    ("Python, NumPy", "python", "numpy"),
    ("Python, Numba", "python", "numba"),
    ("C, tables", "c", "table"),
    ("C, constant time", "c", "fixslice64"),
    ("C, constant time, 32-bit words", "c", "fixslice32"),
    ("assembly, x86-64", "c", "asm"),
    ("SSE2, bit-sliced", "c", "sse2"),
    ("AVX2, bit-sliced", "c", "avx2"),
    ("AVX-512, bit-sliced", "c", "avx512"),
    ("NEON, bit-sliced", "c", "neon"),
    ("AES-NI", "c", "aesni"),
    ("VAES, 256 bits", "c", "vaes256"),
    ("VAES, 512 bits", "c", "vaes512"),
    ("Arm AES instructions", "c", "armce"),
)
# A study on a micro:bit V2 (64 MHz), where a C module is called from Python.
LANGUAGES_PUBLISHED = {"reference": "56", "table": "4,300"}

# Row label, backend, instructions a block with 1 and with 64 blocks a call, the study's figure.
# `make micropython-test` counts them on emulated machines, `make micro-test` for bare C (CTR). The
# counts are the same on every machine, so a run does not measure them.
LANGUAGES_COUNTED: tuple[tuple[str, str, int | None, int, str], ...] = (
    ("MicroPython, in Python", "python", 84_684, 79_623, "56"),
    ("MicroPython, in viper", "viper", 4_918, 2_492, "–"),
    ("MicroPython, C (emulated Cortex-M4), constant time", "fixslice32", 3_335, 1_162, "–"),
    ("MicroPython, C (emulated Cortex-M4), tables", "table", 1_606, 754, "4,300"),
    ("Cortex-M4, bare, constant time", "fixslice32", None, 1_126, "–"),
    ("Cortex-M4, bare, tables", "table", None, 830, "–"),
    ("Cortex-M0, bare, constant time", "fixslice32", None, 2_942, "–"),
    ("Cortex-M0, bare, tables", "table", None, 1_706, "–"),
)


def _languages_plan(sizes: Sequence[int]) -> Plan:
    return Plan(
        tasks(["aes-128-ecb"], sizes, buffers=("fresh", "apart")),
        rounds=15,
        millis=5.0,
        patience=2.0,
        python_buffers=("fresh",),
        peers=(),
    )


def _languages(results: Results) -> Cells:
    sizes = sorted({row.size for row in results.rows})
    if not sizes:
        return Cells("Blocks per second", [""], [], ["the run has no rows"])
    lines = []
    single: dict[str, float] = {}
    for label, through, name in LANGUAGES:
        found = {row.size: row for row in _rows(results, through, contender=f"rijn/{name}")}
        figures = [
            f"{row.rate / 16:,.0f}"
            if (row := found.get(size))
            else _absence(f"rijn/{name}", through, results)
            for size in (sizes[0], sizes[-1])
        ]
        if sizes[0] in found:
            single[name] = found[sizes[0]].rate
        ratio = f"{single[name] / single['reference']:,.0f}" if name in single else "–"
        lines.append([label, name, *figures, ratio, LANGUAGES_PUBLISHED.get(name, "–")])
    for label, name, one, many, study in LANGUAGES_COUNTED:
        first = f"{one:,} instr." if one else "–"
        lines.append([label, name, first, f"{many:,} instr.", "–", study])
    return Cells(
        "AES-128, one thread",
        [
            "",
            "backend",
            f"{text.size(sizes[0])} a call\nblocks/s",
            f"{text.size(sizes[-1])} a call\nblocks/s",
            "× first",
            "study\nblocks/s",
        ],
        lines,
        [
            "Python backends are called from Python, the others from C",
            *([] if any(it.through == "c" for it in results.contenders) else [ABSENT]),
            "study: a micro:bit V2 at 64 MHz, AES in Python and as a C module: a ratio of 77",
            (
                "instr.: instructions a block, with 1 and 64 blocks a call, not from this run: "
                "`make micropython-test` and `make micro-test` count them on emulated machines"
            ),
        ],
        labels=2,
        leave=("× first", "study"),
    )


# ---- aegis: Mb/s -----------------------------------------------------------------------

# README of aegis-bitsliced.
AEGIS_PUBLISHED: dict[str, dict[str, float]] = {
    "Cortex-A53": {
        "AES-128-GCM, OpenSSL, bit-sliced": 261,
        "AEGIS-128L, bit-sliced": 423,
        "AEGIS-128L, libaegis, unprotected": 782,
    },
    "Spacemit X60": {
        "AES-128-GCM, OpenSSL, unprotected": 223,
        "AEGIS-128L, bit-sliced": 193,
        "AEGIS-128X2, bit-sliced": 333,
        "AEGIS-128L, libaegis, unprotected": 198,
    },
    "Cortex-M4": {
        "AES-128-GCM, fixsliced, protected GHASH": 2.08,
        "AEGIS-128L, bit-sliced": 2.77,
        "AEGIS-128L, libaegis, unprotected": 8.28,
    },
}
# Machine, algorithm, backend, size, instructions a byte on emulated machines. `make micro-test`
# counts them on a Cortex-M4, `make counts` on the others, with gcc. The counts are the same on every
# machine, so a run does not measure them.
AEGIS_COUNTED = (
    ("Cortex-M4", "AES-128-GCM", "fixslice32", 1024, 139.1),
    ("Cortex-M4", "AEGIS-128L", "fixslice32", 1024, 90.6),
    ("Cortex-M4", "AEGIS-128L", "fixslice32", 4096, 67.7),
    ("Cortex-M4", "AEGIS-128L", "table", 4096, 31.6),
    ("64-bit Arm", "AES-128-GCM", "neon", 65536, 35.41),
    ("64-bit Arm", "AEGIS-128L", "neon", 65536, 12.4),
    ("64-bit Arm", "AES-128-GCM", "armce", 65536, 2.74),
    ("64-bit Arm", "AEGIS-128L", "armce", 65536, 1.33),
    ("64-bit RISC-V", "AES-128-GCM", "fixslice64", 65536, 96.56),
    ("64-bit RISC-V", "AEGIS-128L", "fixslice64", 65536, 46.62),
    ("64-bit RISC-V", "AES-128-GCM", "riscv-zkn", 65536, 6.71),
    ("64-bit RISC-V", "AEGIS-128L", "riscv-zkn", 65536, 2.29),
)
AEGIS_ALGORITHMS = (
    "aes-128-gcm",
    "aes-256-gcm",
    "aegis-128l",
    "aegis-128x2",
    "aegis-128x4",
    "aegis-256",
    "aegis-256x2",
    "aegis-256x4",
)


def _aegis_plan(sizes: Sequence[int]) -> Plan:
    return Plan(
        tasks(AEGIS_ALGORITHMS, sizes, buffers=("fresh", "apart")),
        rounds=15,
        millis=3.0,
        patience=2.0,
        python_buffers=("fresh",),
    )


def _aegis(results: Results) -> Cells:
    lines = []
    for name in AEGIS_ALGORITHMS:
        built = False
        for through in ("c", "python"):
            for row in sorted(_rows(results, through, algorithm=name), key=lambda row: row.median):
                built |= row.is_rijn
                lines.append(
                    [
                        text.algorithm(name),
                        row.contender,
                        text.THROUGH[through],
                        text.size(row.size),
                        text.significant(row.rate * 8 / 1e6),
                        "–",
                    ]
                )
        if not built:
            lines.append([text.algorithm(name), "rijn", NOT_RUN, "", "–", "–"])
    for machine, published in AEGIS_PUBLISHED.items():
        for label, speed in published.items():
            algorithm, _, how = label.partition(", ")
            lines.append([algorithm, f"original: {how}", machine, "", text.significant(speed), "–"])
    for machine, algorithm, name, size, count in AEGIS_COUNTED:
        lines.append([algorithm, f"rijn/{name}", machine, text.size(size), "–", f"{count}"])
    return Cells(
        "Authenticated encryption",
        ["", "by", "", "message", "speed\nMb/s", "instr.\na byte"],
        lines,
        [
            (
                "original: the README of aegis-bitsliced, without AES instructions; its Cortex-M4 runs at "
                "64 MHz, so 2.08, 2.77 and 8.28 Mb/s are 246, 185 and 62 cycles a byte"
            ),
            (
                "instr. a byte: instructions, not cycles, not from this run: `make micro-test` (Cortex-M4) "
                "and `make counts` count them on emulated machines"
            ),
        ],
        labels=3,
        leave=("message", "instr."),
    )


# ---- pyaes: pyperformance's crypto_pyaes -------------------------------------------------

# The workload: AES-128-CTR encrypts this many bytes, then decrypts them, each time with a new
# object.
PYAES_SIZE = 23_000
# The faster-cpython project's runs of pyperformance, through pyaes, x86-64 Linux.
PYAES_PUBLISHED = {"CPython 3.10.4": 117.0, "CPython 3.12.0a7": 78.0}
_PYAES = Algorithm("crypto_pyaes", 16, 16, mode="ctr")


@dataclass(frozen=True)
class _PyaesModule:
    """A module with the API of pyaes, and more arguments for its mode object."""

    name: str
    version: str
    module: ModuleType
    options: dict[str, Any]
    constant_time: bool | None = None

    @property
    def about(self) -> Contender:
        return Contender(
            name=self.name,
            through="python",
            state="ready",
            version=self.version,
            constant_time=self.constant_time,
        )

    def offer(self, task: Task, data: bytes) -> Offer:
        mode, Counter = self.module.AESModeOfOperationCTR, self.module.Counter

        def call(key: bytes, nonce: bytes) -> bytes:
            first = int.from_bytes(nonce, "big")
            sealed = mode(key, counter=Counter(first), **self.options).encrypt(data)
            opened = mode(key, counter=Counter(first), **self.options).decrypt(sealed)
            if opened != data:
                raise run.Disagreement(f"{self.name}: decryption does not give the plaintext")
            return bytes(sealed)

        return Offer(bytes, lambda key: partial(call, key), ())


def _pyaes_modules() -> list[Source]:
    modules: list[Source] = []
    if find_spec("rijn.compat") and find_spec("rijn.compat.pyaes"):
        ours = import_module("rijn.compat.pyaes")
        modules += [
            _PyaesModule(
                f"rijn/{b.name}", rijn.__version__, ours, {"backend": b.name}, b.constant_time
            )
            for b in rijn.backends()
            if b.available
        ]
    if find_spec("pyaes"):
        theirs = import_module("pyaes")
        modules.append(_PyaesModule("pyaes", ".".join(map(str, theirs.VERSION)), theirs, {}))
    return modules


def _pyaes_plan(sizes: Sequence[int]) -> Plan:
    listed = tuple(Task(_PYAES.name, "encrypt", size, "cold", "fresh", 1) for size in sizes)
    return Plan(listed, rounds=11, millis=20.0, patience=5.0)


def _pyaes_measure(plan: Plan, command: str, progress: run.Progress) -> Results:
    return run.measure(
        plan, command, progress, native=False, sources=_pyaes_modules(), algorithm=_PYAES
    )


def _pyaes(results: Results) -> Cells:
    rows = sorted(results.rows, key=lambda row: row.median)
    theirs = next((row for row in rows if row.name == "pyaes"), None)
    lines = [
        [
            f"rijn.compat.pyaes on {row.name}" if row.is_rijn else "pyaes",
            f"{row.median / 1e6:#.4g}",
            f"{row.spread:.1%}",
            text.ratio(theirs.median / row.median) if theirs else "–",
        ]
        for row in rows
    ]
    if not theirs:
        lines.append(["pyaes", "not installed", "–", "–"])
    if not any(row.is_rijn for row in rows):
        lines.append(["rijn.compat.pyaes", NOT_RUN, "–", "–"])
    lines += [
        [f"original: pyaes on {version}", f"{ms:g}", "–", "–"]
        for version, ms in PYAES_PUBLISHED.items()
    ]
    sizes = sorted({row.size for row in rows}) or [PYAES_SIZE]
    return Cells(
        f"crypto_pyaes: {sizes[0]:,} bytes through AES-128-CTR and back",
        ["", "a call\nms", "spread", "× pyaes"],
        lines,
        [
            "original: pyperformance's crypto_pyaes in the faster-cpython project's runs, Linux x86-64"
        ],
    )


STUDIES = {
    "pure": Study(
        (16, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 16 << 20),
        _pure_plan,
        _pure,
        quick_sizes=(16, 1 << 10, 64 << 10),
    ),
    "python-bitsliced": Study(
        tuple(BITSLICED),
        _bitsliced_plan,
        _bitsliced,
        quick_sizes=(0x10, 0x100, 0x1000, 0x10000, 0x100000),
    ),
    "putty": Study(
        PUTTY_SIZES, _putty_plan, _putty, quick_sizes=PUTTY_QUICK, quick_plan=_putty_quick
    ),
    "languages": Study((16, 64 << 10), _languages_plan, _languages),
    "aegis": Study((16 << 10,), _aegis_plan, _aegis),
    "pyaes": Study((PYAES_SIZE,), _pyaes_plan, _pyaes, _pyaes_measure),
    "columns": Study(
        columns.SIZES,
        columns.make_plan,
        columns.study_tables,
        columns.measure,
        quick_sizes=columns.SIZES[:1],
        quick_plan=partial(columns.make_plan, quick=True),
        takes=("backend", "rows", "parts", "parquet"),
        needs=("nanoarrow", "pyarrow"),
        extra="columns",
        rows_alone=True,
    ),
}
