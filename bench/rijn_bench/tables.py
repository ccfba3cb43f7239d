"""Prints the results as tables for a terminal: complete at 80 columns, readable at 60."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from . import text
from .compare import AGREE_LIMIT, AGREE_SIZE, Comparison, Pair
from .grid import Column, Grid
from .harness import ABSENT
from .peers import PEERS
from .plan import C_PEERS
from .results import Contender, Results, Row, Task

SAFE, LEAKY = "★", "!"
# The ratios of a row are for the largest size up to this one, which fits into the caches.
RATIO_SIZE = 16 << 10
# Figures of smaller messages are times, figures of larger ones throughput.
RATE_SIZE = 1 << 10
# The number of sizes that fit beside the names. From more sizes, evenly spread ones are shown.
COLUMNS = 5
# Widths of text columns in a narrow window: for contenders with their marks, for other text.
NAME = 24
WORDS = 12
SHOWN = 25  # changes in a list, the greatest first


def print_results(results: Results, console: Console) -> None:
    console.print(headline(results), style="bold", markup=False)
    console.print(machine_line(results), style="dim", markup=False)
    for through in ("python", "c"):
        for table in _tables(results, through):
            console.print()
            table.show(console)
    console.print()
    for line in (_legend(results), *_skipped(results), *_missing(results)):
        console.print(line, style="dim", markup=False)
    console.print(f"measured in {results.seconds:.0f} s", style="dim")


def headline(results: Results) -> str:
    """Returns the main result in a sentence."""
    start = f"Rijn {results.rijn} uses {results.chosen} here"
    for through in ("c", "python"):
        tasks = results.tasks(through)
        for task, rows in tasks.items():
            backend = next((row for row in rows if row.name == results.chosen), None)
            sizes = sorted(it.size for it in tasks if it._replace(size=task.size) == task)
            if backend and task.size == ratio_size(sizes) and task.operation == "encrypt":
                peer, safe = results.best_peer(rows), results.safe(rows)
                against = (
                    f", {text.ratio(peer.median / backend.median)} times as fast as {peer.name}"
                    if peer
                    else ""
                )
                if safe and safe.median < backend.median:
                    against += f"; {SAFE} {safe.name} was faster in this run"
                return (
                    f"{start}: {text.rate(backend.rate)} of {text.algorithm(task.algorithm)} "
                    f"at {text.size(task.size)} {text.THROUGH[through]}{against}."
                )
    return f"{start}."


def others(results: Results) -> tuple[list[str], list[str]]:
    """Returns the other libraries in this run, and the known libraries that are not in it."""
    measured = {row.contender.split("/")[0]: None for row in results.rows if not row.is_rijn}
    known = [it.name.split("/")[0] for it in results.contenders]
    known += [*C_PEERS, *(peer.name for peer in PEERS)]
    absent = [name for name in dict.fromkeys(known) if name not in (*measured, "rijn")]
    return list(measured), absent


def machine_line(results: Results) -> str:
    machine = results.machine
    parts = [machine["cpu"], f"{machine['cores']} cores", machine["system"], machine["python"]]
    parts += [machine["compiler"]] if "compiler" in machine else []
    return " · ".join(str(part) for part in parts)


def _tables(results: Results, through: str) -> Iterator[Grid]:
    """Yields a table for each group of tasks that differ only in size."""
    groups: dict[Task, list[Row]] = {}
    for task, rows in results.tasks(through).items():
        groups.setdefault(task._replace(size=min(1, task.size)), []).extend(rows)
    for group, rows in groups.items():
        title = f"{text.family(group)} · {text.THROUGH[through]} · "
        if group.size:
            title += f"{text.BUFFER[group.buffer]}"
            yield _by_size(results, title, rows)
        else:
            yield _rekey(results, title + "only the key set-up", rows)


def chosen_sizes(rows: list[Row]) -> list[int]:
    sizes = sorted({row.size for row in rows})
    if len(sizes) <= COLUMNS:
        return sizes
    return [sizes[round(i * (len(sizes) - 1) / (COLUMNS - 1))] for i in range(COLUMNS)]


def ratio_size(sizes: list[int]) -> int:
    return max((size for size in sizes if size <= RATIO_SIZE), default=sizes[0])


def _by_size(results: Results, title: str, rows: list[Row]) -> Grid:
    sizes = chosen_sizes(rows)
    at = ratio_size(sorted({row.size for row in rows}))
    units = {size: unit([row for row in rows if row.size == size]) for size in sizes}
    columns = [
        Column("", words=NAME),
        *(Column(text.size(size), units[size]) for size in sizes),
        *(Column("× peer", text.size(at)), Column("ceiling", "%")),
    ]
    between = [text.size(size) for size in sizes[1:-1] if size != at]
    table = Grid(title, columns, ("ceiling", *between))
    cells = {(row.contender, row.size): row for row in rows}
    best = {
        size: min((row for row in rows if row.size == size), key=lambda row: row.median)
        for size in sizes
    }
    compared = [row for row in rows if row.size == at]
    safe, peer = results.safe(compared), results.best_peer(compared)
    for contender in ranked(rows, at):
        marked = safe is not None and safe.contender == contender
        found = cells.get((contender, at))
        values = []
        for size in sizes:
            row = cells.get((contender, size))
            value = Text("–" if row is None else within(units[size], row))
            if row is best[size]:
                value.stylize("bold green")
            values.append(value)
        fraction = results.fraction(found) if found else None
        table.add(
            _name(results, contender, marked, found.instructions if found else None),
            *values,
            text.ratio(peer.median / found.median) if found and peer else "–",
            text.part(fraction).removesuffix("%") if fraction is not None else "–",
            style="" if contender.startswith("rijn/") else "cyan",
        )
    return table


def unit(rows: list[Row]) -> str:
    """Returns a unit for all figures of a column."""
    if rows[0].size >= RATE_SIZE:
        return "MB/s"
    return "ns" if max(row.median for row in rows) < 1e5 else "µs"


def within(unit: str, row: Row) -> str:
    """Formats the row's figure in this unit."""
    if unit == "MB/s":
        return text.significant(row.rate / 1e6)
    return text.significant(row.median / {"ns": 1, "µs": 1e3}[unit])


def _rekey(results: Results, title: str, rows: list[Row]) -> Grid:
    time_unit = unit(rows)
    columns = Column("time", time_unit), Column("spread", "%"), Column("× peer")
    table = Grid(title, [Column("", words=NAME), *columns], ("spread",))
    safe, peer = results.safe(rows), results.best_peer(rows)
    for row in sorted(rows, key=lambda row: row.median):
        table.add(
            _name(results, row.contender, row is safe, row.instructions),
            within(time_unit, row),
            f"{100 * row.spread:.0f}",
            text.ratio(peer.median / row.median) if peer else "–",
            style="" if row.is_rijn else "cyan",
        )
    return table


def ranked(rows: list[Row], at: int) -> list[str]:
    """Returns the contenders, the fastest at the size of the ratios first.

    Contenders that were measured only at smaller sizes follow, ranked at their largest size.
    """
    found: dict[str, tuple[bool, float]] = {}
    for row in sorted(rows, key=lambda row: row.size):
        if row.size <= at or row.contender not in found:
            found[row.contender] = (row.size < at, row.median / row.size)
    return sorted(found, key=lambda name: found[name])


def _name(results: Results, contender: str, marked: bool, instructions: str | None) -> Text:
    """Returns the contender's name with marks. A peer's name is followed by a backend with the same
    AES instructions, if known."""
    if not contender.startswith("rijn/"):
        return Text(f"  {contender}" + (f" ({instructions})" if instructions else ""))
    name = Text(f"{SAFE if marked else ' '} {contender}")
    if marked:
        name.stylize("bold")
    if results.marked(contender):
        name.append(f" {LEAKY}", style="red")
    return name


def _shows_instructions(results: Results) -> bool:
    return any(row.instructions and not row.is_rijn for row in results.rows)


def _legend(results: Results) -> str:
    parts = [
        f"{SAFE} fastest constant-time backend",
        f"{LEAKY} not constant time, or nothing claimed",
        f"× peer: speed / best peer's speed, at {text.size(RATIO_SIZE)} or the largest size below",
        f"{SAFE}, × peer and the order of rows are for the size under × peer",
        "ceiling: part of this machine's limit",
        *(
            ["in brackets: a backend with the same AES instructions as the peer"]
            if _shows_instructions(results)
            else []
        ),
        f"medians of {results.rounds} interleaved rounds",
    ]
    if not any(row.through == "c" for row in results.rows):
        why = "nothing was measured in C" if "compiler" in results.machine else ABSENT
        parts.append(f"{why}: only measured through Python, without ceilings")
    return " · ".join(parts)


def _skipped(results: Results) -> Iterator[str]:
    """Yields one line for all sizes that a contender was left out of."""
    groups: dict[tuple[str, str], list[int]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for skipped in results.skipped:
        if skipped.through == "c":
            reasons.setdefault((skipped.contender, skipped.algorithm), skipped.reason)
            continue
        groups.setdefault((skipped.contender, skipped.algorithm), []).append(skipped.size)
    slow: dict[tuple[str, int], list[str]] = {}
    for (contender, algorithm), sizes in groups.items():
        slow.setdefault((contender, min(sizes)), []).append(text.algorithm(algorithm))
    for (contender, size), algorithms in slow.items():
        names = ", ".join(dict.fromkeys(algorithms))
        yield f"too slow for this run: {contender} from {text.size(size)} on ({names})"
    for (contender, algorithm), reason in reasons.items():
        yield f"C harness, {text.algorithm(algorithm)}: {reason}" if contender else reason


def _missing(results: Results) -> Iterator[str]:
    found = missing(results)
    absent = [
        f"{it.name} ({it.reason})" if it.reason else it.name
        for it in found
        if it.state == "not installed"
    ]
    if absent:
        yield f"not installed: {', '.join(absent)}"
    for contender in found:
        if contender.state == "unavailable":
            yield f"not for this machine: {contender.name} ({contender.reason})"


def missing(results: Results) -> list[Contender]:
    """Returns the contenders that were not measured: not installed, or not for this machine."""
    ready = {it.name for it in results.contenders if it.state == "ready"}
    found = {it.name: it for it in results.contenders if it.name not in ready}
    return list(found.values())


# ---- Two results ---------------------------------------------------------------------


def print_comparison(found: Comparison, console: Console) -> None:
    noise = f"±{found.noise:.1%}"
    console.print(
        f"{len(found.faster)} faster, {len(found.slower)} slower, "
        f"{len(found.changes) - len(found.faster) - len(found.slower)} within the noise of {noise}",
        style="bold",
    )
    if found.controls:
        console.print(
            f"The machine ran at {found.drift:.3f} times its old speed, measured with {found.controls} "
            "controls (peers of the same version, ceilings). The changes below exclude that.",
            style="dim",
        )
    for title, changes in (("Faster", found.faster), ("Slower", found.slower)):
        if not changes:
            continue
        table = Grid(
            title,
            [
                *(Column("backend", words=WORDS), Column("task", words=16), Column("", words=6)),
                *(Column("speed", "× old"), Column("99 % interval", "× old")),
            ],
            ("99 % interval",),
        )
        for change in changes[:SHOWN]:
            low, high = change.speeds
            table.add(
                change.row.contender,
                text.task(change.row.task),
                text.THROUGH[change.row.through],
                f"{change.speed:.3f}",
                f"{low:.3f} – {high:.3f}",
            )
        console.print()
        table.show(console)
        if len(changes) > SHOWN:
            console.print(f"and {len(changes) - SHOWN} more", style="dim")
    if found.only_old or found.only_new:
        console.print(
            f"\nnot in both runs: {found.only_old} rows of the old, {found.only_new} of the new run",
            style="dim",
        )


def print_agreement(pairs: list[Pair], console: Console) -> bool:
    """Prints how ratios differ. Returns whether the median difference is small, in C and Python."""
    agreed = bool(pairs)
    table = Grid(
        f"Ratios of backend to backend in two runs, from {text.size(AGREE_SIZE)}: differences",
        [
            *(Column("", words=WORDS), Column("ratios"), Column("median", "%")),
            *(Column("90th of 100", "%"), Column("largest", "%")),
        ],
    )
    for through, title in text.THROUGH.items():
        differences = sorted(pair.difference for pair in pairs if pair.through == through)
        if not differences:
            continue
        last = len(differences) - 1
        median = differences[last // 2]
        agreed &= median <= AGREE_LIMIT
        table.add(
            title,
            str(len(differences)),
            f"{100 * median:.2f}",
            f"{100 * differences[round(0.9 * last)]:.2f}",
            f"{100 * differences[last]:.2f}",
        )
    table.show(console)
    for pair in pairs[:3]:
        console.print(
            f"largest: {pair.names[0]} to {pair.names[1]}, {text.task(pair.task)}, "
            f"{text.THROUGH[pair.through]}: {text.significant(pair.ratios[0])} and {text.significant(pair.ratios[1])}",
            style="dim",
        )
    verdict = "agree" if agreed else "DO NOT agree"
    console.print(f"The runs {verdict} within {AGREE_LIMIT:.0%} at the median.", style="bold")
    return agreed
