"""The results as tables for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import text
from .compare import AGREE_LIMIT, AGREE_SIZE, Comparison, Pair
from .harness import ABSENT
from .results import Contender, Results, Row, Task

WIDTH = 100
SAFE = "★"
# The two ratios of a row are taken at the largest size up to this, which caches hold.
RATIO_SIZE = 16 << 10
# Below this a message is told by its time, from it on by the throughput.
RATE_SIZE = 1 << 10
# So many sizes fit beside the names; of more, the ones that are told are spread evenly.
COLUMNS = 5
SHOWN = 25  # changes in a list, the greatest first


def print_results(results: Results, console: Console) -> None:
    console.print(headline(results), style="bold")
    console.print(machine_line(results), style="dim")
    for through in ("python", "c"):
        for table in _tables(results, through):
            console.print()
            console.print(table)
    console.print()
    console.print(_legend(results), style="dim")
    for line in (*_skipped(results), *_missing(results)):
        console.print(line, style="dim")
    console.print(f"measured in {results.seconds:.0f} s", style="dim")


def headline(results: Results) -> str:
    """What the reader came for, in a sentence."""
    said = f"Rijn {results.rijn} uses {results.chosen} here"
    for through in ("c", "python"):
        for task, rows in results.tasks(through).items():
            rung = next((row for row in rows if row.name == results.chosen), None)
            if rung and task.size == RATIO_SIZE and task.operation == "encrypt":
                peer = results.best_peer(rows)
                against = (
                    f", {text.ratio(peer.median / rung.median)} times as fast as {peer.name}"
                    if peer
                    else ""
                )
                return (
                    f"{said}: {text.rate(rung.rate)} of {text.algorithm(task.algorithm)} "
                    f"at {text.size(task.size)} {text.THROUGH[through]}{against}."
                )
    return f"{said}."


def machine_line(results: Results) -> str:
    machine = results.machine
    parts = [machine["cpu"], f"{machine['cores']} cores", machine["system"], machine["python"]]
    parts += [machine["compiler"]] if "compiler" in machine else []
    return " · ".join(str(part) for part in parts)


def _tables(results: Results, through: str) -> Iterator[Table]:
    """A table for each group of tasks that differ in size only."""
    groups: dict[Task, list[Row]] = {}
    for task, rows in results.tasks(through).items():
        groups.setdefault(task._replace(size=min(1, task.size)), []).extend(rows)
    for group, rows in groups.items():
        title = f"{text.family(group)} · {text.THROUGH[through]} · "
        if group.size:
            title += f"{text.BUFFER[group.buffer]}"
            yield _by_size(results, title, rows)
        else:
            yield _rekey(results, title + "key set-up alone", rows)


def chosen_sizes(rows: list[Row]) -> list[int]:
    sizes = sorted({row.size for row in rows})
    if len(sizes) <= COLUMNS:
        return sizes
    return [sizes[round(i * (len(sizes) - 1) / (COLUMNS - 1))] for i in range(COLUMNS)]


def ratio_size(sizes: list[int]) -> int:
    return max((size for size in sizes if size <= RATIO_SIZE), default=sizes[0])


def _by_size(results: Results, title: str, rows: list[Row]) -> Table:
    sizes = chosen_sizes(rows)
    at = ratio_size(sorted({row.size for row in rows}))
    table = _new_table(title)
    for size in sizes:
        table.add_column(text.size(size), justify="right", no_wrap=True)
    table.add_column("× peer", justify="right", no_wrap=True)
    table.add_column("ceiling", justify="right", no_wrap=True)
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
            value = Text("–" if row is None else figure(row))
            if row is best[size]:
                value.stylize("bold green")
            values.append(value)
        fraction = results.fraction(found) if found else None
        table.add_row(
            _name(results, contender, marked, found.rung if found else None),
            *values,
            text.ratio(peer.median / found.median) if found and peer else "–",
            text.part(fraction) if fraction is not None else "–",
            style="" if contender.startswith("rijn/") else "cyan",
        )
    return table


def figure(row: Row) -> str:
    return text.duration(row.median) if row.size < RATE_SIZE else text.rate(row.rate)


def _rekey(results: Results, title: str, rows: list[Row]) -> Table:
    table = _new_table(title)
    for column in ("time", "spread", "× peer"):
        table.add_column(column, justify="right", no_wrap=True)
    safe, peer = results.safe(rows), results.best_peer(rows)
    for row in sorted(rows, key=lambda row: row.median):
        table.add_row(
            _name(results, row.contender, row is safe, row.rung),
            text.duration(row.median),
            f"{row.spread:.0%}",
            text.ratio(peer.median / row.median) if peer else "–",
            style="" if row.is_rijn else "cyan",
        )
    return table


def _new_table(title: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        min_width=len(title),  # a title is broken at the width of its table
    )
    table.add_column("", no_wrap=True)
    return table


def ranked(rows: list[Row], at: int) -> list[str]:
    """Contenders, the fastest at the size of the ratios first; then those that only took
    part in smaller sizes, by their largest."""
    found: dict[str, tuple[bool, float]] = {}
    for row in sorted(rows, key=lambda row: row.size):
        if row.size <= at or row.contender not in found:
            found[row.contender] = (row.size < at, row.median / row.size)
    return sorted(found, key=lambda name: found[name])


def _name(results: Results, contender: str, marked: bool, rung: str | None) -> Text:
    """A peer's is followed by the rung that its speed belongs to, where there is one."""
    if not contender.startswith("rijn/"):
        return Text(f"  {contender}" + (f" ({rung})" if rung else ""))
    name = Text(f"{SAFE if marked else ' '} {contender}")
    if marked:
        name.stylize("bold")
    claims = {c.name: c.constant_time for c in results.contenders}
    if claims.get(contender) is False:
        name.append(" !", style="red")
    return name


def _rungs(results: Results) -> bool:
    return any(row.rung and not row.is_rijn for row in results.rows)


def _legend(results: Results) -> str:
    parts = [
        f"{SAFE} fastest constant-time rung",
        "! not constant-time",
        f"× peer: speed over the best peer's, at {text.size(RATIO_SIZE)} or the largest below",
        "ceiling: part of what this machine could reach",
        *(["(…) a peer's rung: whose AES instructions it ran on"] if _rungs(results) else []),
        f"medians of {results.rounds} interleaved rounds",
    ]
    if not any(row.through == "c" for row in results.rows):
        why = "none of these is timed in C" if "cpu_id" in results.machine else ABSENT
        parts.append(f"{why}: measured through Python alone, without ceilings")
    return " · ".join(parts)


def _skipped(results: Results) -> Iterator[str]:
    """One line for all sizes that a contender left out."""
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
    absent = [it.name for it in found if it.state == "not installed"]
    if absent:
        yield f"not installed: {', '.join(absent)}"
    for contender in found:
        if contender.state == "unavailable":
            yield f"not for this machine: {contender.name} ({contender.reason})"


def missing(results: Results) -> list[Contender]:
    """Who could not be measured at all: not installed, or not for this machine."""
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
            f"The machine ran at {found.drift:.3f} times its old speed, by {found.controls} "
            "controls (peers of the same version, ceilings); that is taken out.",
            style="dim",
        )
    for title, changes in (("Faster", found.faster), ("Slower", found.slower)):
        if not changes:
            continue
        table = Table(title=title, title_justify="left", title_style="bold", box=None)
        for column, justify in (("backend", "left"), ("task", "left"), ("", "left")):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        table.add_column("speed", justify="right", no_wrap=True)
        table.add_column("99 % interval", justify="right", no_wrap=True)
        for change in changes[:SHOWN]:
            low, high = change.speeds
            table.add_row(
                change.row.contender,
                text.task(change.row.task),
                text.THROUGH[change.row.through],
                f"× {change.speed:.3f}",
                f"{low:.3f} – {high:.3f}",
            )
        console.print()
        console.print(table)
        if len(changes) > SHOWN:
            console.print(f"and {len(changes) - SHOWN} more", style="dim")
    if found.only_old or found.only_new:
        console.print(
            f"\nnot in both runs: {found.only_old} rows of the old one, {found.only_new} of the new",
            style="dim",
        )


def print_agreement(pairs: list[Pair], console: Console) -> bool:
    """Whether the median pair of backends, of either kind of row, agrees."""
    agreed = bool(pairs)
    table = Table(
        title=f"Ratios of backend to backend in two runs, from {text.size(AGREE_SIZE)}",
        title_justify="left",
        title_style="bold",
        box=None,
    )
    table.add_column("")
    for column in ("ratios", "median difference", "90 %", "largest"):
        table.add_column(column, justify="right", no_wrap=True)
    for through, title in text.THROUGH.items():
        differences = sorted(pair.difference for pair in pairs if pair.through == through)
        if not differences:
            continue
        last = len(differences) - 1
        median = differences[last // 2]
        agreed &= median <= AGREE_LIMIT
        table.add_row(
            title,
            str(len(differences)),
            f"{median:.2%}",
            f"{differences[round(0.9 * last)]:.2%}",
            f"{differences[last]:.2%}",
        )
    console.print(table)
    for pair in pairs[:3]:
        console.print(
            f"largest: {pair.names[0]} to {pair.names[1]}, {text.task(pair.task)}, "
            f"{text.THROUGH[pair.through]}: {text.significant(pair.ratios[0])} and {text.significant(pair.ratios[1])}",
            style="dim",
        )
    verdict = "agree" if agreed else "DO NOT agree"
    console.print(f"The runs {verdict} within {AGREE_LIMIT:.0%} at the median.", style="bold")
    return agreed
