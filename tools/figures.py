"""`make figures`: the figures of one run, and the tables of backends in the pages.

    python tools/figures.py measure     measures the backends and their peers: docs/figures.json
    python tools/figures.py             writes the table of docs/measurements.md, README.md's first
                                        ratio and docs/backends.svg from this file, the tables of
                                        BACKENDS from c/src/backends.def, the columns of COLUMNS
                                        from the backends' tables, and the tables of size_tables.py

The run is `rijn bench --json`'s own format, so `rijn bench --from docs/figures.json` shows all of
it. Measure on a quiet machine; tools/tests/test_docs.py holds the table to the file.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import size_tables
from matplotlib.figure import Figure

import rijn
from rijn import registry
from rijn.registry import listed_backends
from rijn_bench import plots, run, speeds, text
from rijn_bench.results import Results

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "figures.json"
PICTURE = ROOT / "docs" / "backends.svg"
README = ROOT / "README.md"
PAGE = ROOT / "docs" / "measurements.md"
TABLE = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
LIST = re.compile(r"(?<=<!-- backends -->\n).*?(?=<!-- end of backends -->)", re.DOTALL)
# A cell of README.md's table.
RATIO = re.compile(r"(?<=\| AES-128-GCM from Python, 16 bytes and 1 MiB \| )[^|]*(?= \|)")

PEERS = ("cryptography", "pycryptodome", "pyaes")
MODE = "aes-128-gcm"
TOP = speeds.SIZES[-1]
WHOLE = text.size(TOP)


def table(results: Results) -> str:
    """The table of docs/measurements.md."""
    measures = f"CTR of {WHOLE}, MB/s | GCM of {WHOLE}, MB/s | GCM of 16 bytes, µs"
    lines = [
        f"| backend | what it is | {measures} |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for row in speeds.by_backend(results):
        backend = row.backend
        lines.append(
            f"| `{backend.name}` | {backend.summary} |"
            f" {speed(row.ctr / 1e6, row.size)} | {speed(row.gcm / 1e6, row.size)} |"
            f" {number(row.message * 1e6)} |"
        )
    measured = {row.backend.name for row in speeds.by_backend(results)}
    for listed in listed_backends():
        if listed.where not in ELSEWHERE and listed.name not in measured:
            lines.append(f"| `{listed.name}` | not measured yet | – | – | – |")
    for name, size, ctr, gcm, message in peers(results):
        lines.append(
            f"| *{name}* | | {speed(ctr, size)} | {speed(gcm, size)} | {number(message)} |",
        )
    return "\n".join([*lines, "", run_in_words(results)]) + "\n"


# The machines in backends.def, except the run's: x86-64.
ELSEWHERE = {
    "ARM64": "64-bit Arm",
    "RISCV64": "64-bit RISC-V",
    "SIMD128": "WebAssembly with vectors of 128 bits",
}
# Each `timing` of backends.def in the words of security.md and of claims.md.
TIMING = {
    "CLEAN": ("yes, in the tested calls and sizes", "tested under valgrind: `ct/NAME` in ctest"),
    "STEPPED": (
        "yes, as far as tests with some sets of secrets show",
        "tested instruction by instruction, on the CPU or in QEMU: `ct/steps/NAME` in ctest",
    ),
    "BELIEVED": ("believed to be", "believed"),
    "LEAKY": (
        "**no**: they leak; Rijn uses them only by name",
        "no claim; `ct/table` and `ct/asm` in ctest find the leaks",
    ),
}
# For backends that claim nothing.
UNCLAIMED = "**no**; `python` shows less with `strict=True`"


def by_timing() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {timing: [] for timing in TIMING}
    for listed in listed_backends():
        found[listed.timing].append(listed.name)
    return found


def quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def timing_table() -> str:
    """security.md's table, with the backends in Python."""
    names = by_timing()
    names["LEAKY"] += [record.name for record in registry.PURE if record.constant_time is False]
    lines = [f"| {quoted(names[timing])} | {claim} |" for timing, (claim, _) in TIMING.items()]
    unclaimed = [record.name for record in registry.PURE if record.constant_time is None]
    lines.insert(-1, f"| {quoted(unclaimed)} | {UNCLAIMED} |")
    return "\n".join(["| backend | constant time |", "| --- | --- |", *lines]) + "\n"


def ground_table() -> str:
    """claims.md's table: the test of each backend."""
    names = by_timing()
    lines = [f"| {quoted(names[timing])} | {ground} |" for timing, (_, ground) in TIMING.items()]
    return "\n".join(["| backends in C | ground |", "| --- | --- |", *lines]) + "\n"


def other_machines() -> str:
    """The table of the backends for other machines in docs/measurements.md."""
    lines = []
    for where, machine in ELSEWHERE.items():
        names = [listed.name for listed in listed_backends() if listed.where == where]
        lines.append(f"| {machine} | {quoted(names)} |")
    page = "[instructions counted](other-machines.md)"
    return "\n".join([f"| other machines | backends, {page} |", "| --- | --- |", *lines]) + "\n"


BACKENDS = {
    "docs/measurements.md": other_machines,
    "docs/security.md": timing_table,
    "docs/claims.md": ground_table,
}


def in_flight(name: str) -> str | None:
    """The blocks in flight of a backend; None if this build does not have it."""
    return next((f"{it.blocks}" for it in rijn.backends() if it.name == name and it.blocks), None)


def needs(name: str) -> str:
    """The machine and the features of the CPU that a backend needs, as its table in C says."""
    where = next(listed.where for listed in listed_backends() if listed.name == name)
    header = (ROOT / "c" / "include" / "rijn_machine.h").read_text("utf-8")
    titles = dict(re.findall(r'X\((\w+), "([^"]+)", "', header))
    source = ROOT / "c" / "src" / "backends" / f"{name.replace('-', '_')}.c"
    table = re.search(r"\.cpu = ([^,]*),", source.read_text("utf-8"))
    features = re.findall(r"RIJN_CPU\((\w+)\)", table[1] if table else "")
    machine, given, also = NEEDS[where]
    return ", ".join([machine, *(titles[it] for it in features if it not in given), *also])


# The machines of other-machines.md, the features that each has anyway, and what no feature says.
NEEDS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "ARM64": (ELSEWHERE["ARM64"], ("NEON",), ("little-endian",)),
    "RISCV64": (ELSEWHERE["RISCV64"], (), ()),
    "SIMD128": ("WebAssembly built with `-msimd128`", (), ()),
}
# Columns of tables whose other columns are measured, or written by hand.
COLUMNS: dict[str, tuple[str, Callable[[str], str | None]]] = {
    "docs/x86.md": ("blocks in flight", in_flight),
    "docs/other-machines.md": ("needs", needs),
}


def filled(text: str, column: str, cell: Callable[[str], str | None]) -> str:
    """The page with this column of its table of backends. Backends that share a row have equal cells."""
    lines = text.split("\n")
    rows = [line.removesuffix(" |").split(" | ") for line in lines]
    (head,) = (i for i, row in enumerate(rows) if row[0] == "| backend" and column in row)
    place = rows[head].index(column)
    for i in range(head + 2, lines.index("", head)):
        made = {cell(name) for name in re.findall(r"`([\w-]+)`", rows[i][0])}
        if len(made) > 1:
            raise ValueError(f"{rows[i][0]}: one row has several cells: {made}")
        rows[i][place] = made.pop() or rows[i][place]
        lines[i] = " | ".join(rows[i]) + " |"
    return "\n".join(lines)


def run_in_words(results: Results) -> str:
    """What the run recorded of its machine, and no more."""
    machine = results.machine
    known = f" (`cpu_id` {machine['cpu_id']})" if "cpu_id" in machine else ""
    return (
        f"Measured {results.created[:10]} on one of {machine['cores']} cores of an"
        f" {machine['cpu']}{known} under a load of {machine['load']}, {machine['python']},"
        f" medians of {results.rounds} rounds. In brackets: the size of the message where"
        f" {WHOLE} takes too long. {beside(results)}"
    )


def part(results: Results, size: int) -> str:
    """The time of the backend in use over the time of the first peer, for one GCM message."""
    times = {
        row.name: row.median for row in results.rows if (row.algorithm, row.size) == (MODE, size)
    }
    return f"{times[results.chosen] / times[PEERS[0]]:.2f}"


def ratio(results: Results) -> str:
    """README.md's first ratio."""
    ends = [part(results, size) for size in (speeds.SIZES[0], TOP)]
    return f"{text.listed(ends)} of the `{PEERS[0]}` package's time"


def beside(results: Results) -> str:
    """The backend in use and the first peer, at every size."""
    parts = [f"{part(results, size)} ({text.size(size)})" for size in speeds.SIZES]
    return (
        f"For a GCM message, `{results.chosen}` takes {text.listed(parts)} of the"
        f" `{PEERS[0]}` package's time."
    )


def peers(results: Results) -> list[tuple[str, int, float | None, float | None, float | None]]:
    """Each peer's largest message, its MB/s of CTR and of GCM, and its µs for 16 bytes."""
    found = []
    for name in PEERS:
        rows = {(row.algorithm, row.size): row for row in results.rows if row.contender == name}
        sizes = [size for _, size in rows]
        if not sizes:
            continue
        ctr, gcm = (rows.get((f"aes-128-{mode}", max(sizes))) for mode in ("ctr", "gcm"))
        short = rows.get((MODE, speeds.SIZES[0]))
        found.append(
            (
                name,
                max(sizes),
                ctr and ctr.rate / 1e6,
                gcm and gcm.rate / 1e6,
                short and short.median / 1e3,
            )
        )
    return found


def speed(value: float | None, size: int) -> str:
    """With the size of the message, unless it is that of the column."""
    marked = value is not None and size != TOP
    return number(value) + (f" ({text.size(size)})" if marked else "")


def number(value: float | None) -> str:
    """To two digits or three, as the figure deserves."""
    if value is None:
        return "–"
    if value >= 1000:
        return f"{round(value, -1 if value < 10000 else -2):,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def draw(results: Results) -> None:
    """A dot for each backend, on an axis where each step is ten times the last."""
    dots = [
        (row.backend.name, row.ctr / 1e6, row.backend.constant_time, row.size)
        for row in speeds.by_backend(results)
    ]
    dots += [(name, ctr, "peer", size) for name, size, ctr, _, _ in peers(results) if ctr]
    dots.sort(key=lambda dot: dot[1])
    colours = {True: plots.BACKENDS[0], False: plots.LEAKY, None: plots.BACKENDS[1]}
    looks = {
        claim: {"color": colours[claim], "marker": marker, "label": label}
        for claim, (label, marker) in plots.CLAIMS.items()
    }
    looks["peer"] = {"color": plots.PEER, "marker": plots.OTHERS[1], "label": "other packages"}
    mpl.rcParams.update({"svg.hashsalt": "rijn", "svg.fonttype": "path", "font.size": 10})
    figure = Figure(figsize=(8, 0.27 * len(dots) + 1.2), layout="constrained")
    axes = figure.subplots()
    for kind, look in looks.items():
        at = [
            (rate, y)
            for y, (_, rate, claim, _) in enumerate(dots)
            if claim is kind or claim == kind
        ]
        if at:
            axes.scatter(*zip(*at, strict=True), s=42, zorder=3, **look)
    for y, (_, rate, _, size) in enumerate(dots):
        told = speed(rate, size)
        axes.annotate(told, (rate, y), (7, 0), textcoords="offset points", va="center", size=8)
    axes.set_yticks(range(len(dots)), [name for name, *_ in dots])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.set_xlim(right=axes.get_xlim()[1] * 3)
    axes.set_xlabel(f"AES-128-CTR of {WHOLE} through Python, one thread, MB/s")
    axes.grid(axis="x", color=plots.GRID)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    if sys.argv[1:] == ["measure"]:
        results = run.measure(speeds.make_plan(PEERS), "", native=False)
        DATA.write_text(results.as_json(), "utf-8")
        return
    results = Results.from_json(DATA.read_text("utf-8"))
    missing = {backend.name for backend in rijn.backends() if backend.available}
    missing -= {row.backend.name for row in speeds.by_backend(results)}
    if missing:
        print(f"{DATA.name} does not have {', '.join(sorted(missing))}", file=sys.stderr)
    page = PAGE.read_text("utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(results), page), "utf-8")
    page = README.read_text("utf-8")
    README.write_text(RATIO.sub(lambda _: ratio(results), page), "utf-8")
    for name, made in BACKENDS.items():
        page = (ROOT / name).read_text("utf-8")
        (ROOT / name).write_text(LIST.sub(lambda _, made=made: made(), page), "utf-8")
    for name, (column, cell) in COLUMNS.items():
        page = (ROOT / name).read_text("utf-8")
        (ROOT / name).write_text(filled(page, column, cell), "utf-8")
    size_tables.write()
    draw(results)


if __name__ == "__main__":
    main()
