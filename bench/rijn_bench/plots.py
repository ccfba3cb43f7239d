"""Draws the results as pictures with Matplotlib: PNG, or SVG that takes its colours from a page.

Each figure is drawn for two widths, so that its text keeps its size: a wide inline SVG could not be
read on a phone.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from . import tables, text
from .results import Results, Row, Task

# Colours. Red: only Rijn's backends that are not constant time. Other backends each have their own
# colour. Peers are grey, with different dashes. The page replaces these inks by variables, so that
# dark mode can change them.
INK, GRID, PAPER = "#1b1b1b", "#dcdcd6", "#fffffe"
BACKENDS = (
    "#0b6e99",
    "#e08e0b",
    "#2e7d4f",
    "#7b4ea3",
    "#8c564b",
    "#d45b9a",
    "#3f51a5",
    "#7f9c1b",
    "#12a5a5",
    "#b5651d",
    "#5b7083",
)
LEAKY = "#c1272d"
PEER = "#85857f"
# Label and marker by the claim of constant time.
CLAIMS = {
    True: ("constant time", "o"),
    False: ("not constant time", "X"),
    None: ("nothing claimed", "D"),
}
OTHERS = ("other libraries", "s")
DASHES = ((4, 2), (1, 1.5), (6, 2, 1, 2), (2, 2), (8, 3), (3, 1, 1, 1, 1, 1), (1, 3), (5, 5))
WIDE, NARROW = 9.4, 4.0  # inches
SHORT = 256  # bytes: up to this size, figures are times

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.9,
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True)
class Picture:
    """A figure of a report. It is drawn when it is needed."""

    name: str  # file name without suffix
    title: str
    caption: str
    draw: Callable[[float], Figure]  # for a width in inches

    def png(self) -> bytes:
        with mpl.rc_context(STYLE):
            figure = self.draw(WIDE)
            figure.suptitle(self.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
            out = io.BytesIO()
            figure.savefig(out, format="png", dpi=150, bbox_inches="tight", pad_inches=0.15)
        return out.getvalue()

    def svg(self, width: float) -> str:
        """Returns an element for a page. Its colours are the page's variables --ink and so on."""
        with mpl.rc_context(STYLE | {"svg.hashsalt": f"{self.name}{width}"}):
            out = io.StringIO()
            self.draw(width).savefig(
                out,
                format="svg",
                bbox_inches="tight",
                pad_inches=0.04,
                transparent=True,
                metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
            )
        drawn = out.getvalue()
        drawn = drawn[drawn.index("<svg") :]
        # The page sets the size, and the viewBox keeps the aspect ratio.
        drawn = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", drawn, count=1)
        drawn = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", drawn, count=1)
        drawn = re.sub(r"\s*<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
        # Identifiers must be unique in the page.
        prefix = f"{self.name}-{round(width * 10)}-"
        drawn = re.sub(r'\bid="', f'id="{prefix}', drawn)
        drawn = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}", drawn)
        for colour, variable in ((INK, "ink"), (GRID, "grid"), (PAPER, "paper"), (PEER, "peer")):
            drawn = drawn.replace(colour, f"var(--{variable})")
        label = self.title.replace('"', "&quot;")
        return drawn.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def figures(results: Results) -> list[Picture]:
    """Returns all pictures that these results have figures for."""
    return [*_throughputs(results), *_speeds(results), *_short(results), *_heat_maps(results)]


def times(results: Results) -> list[Picture]:
    """Returns a picture for each task, with the time of each row."""
    return [
        _times(results, through, *it)
        for through in ("c", "python")
        for it in results.tasks(through).items()
    ]


# ---- Common parts --------------------------------------------------------------------


@dataclass(frozen=True)
class _Pen:
    colour: str
    dashes: tuple[float, ...] | None
    kind: tuple[str, str]  # of CLAIMS, or OTHERS

    @property
    def marker(self) -> str:
        return self.kind[1]


def _pens(results: Results) -> dict[str, _Pen]:
    """Returns a pen for each contender, the same in all figures."""
    claims = {c.name: c.constant_time for c in results.contenders if c.state == "ready"}
    peers = [name for name in claims if not name.startswith("rijn/")]
    leaky = [name for name in claims if name not in peers and claims[name] is False]
    backends = [name for name in claims if name not in (*peers, *leaky)]
    pens = {name: _Pen(LEAKY, None, CLAIMS[False]) for name in leaky}
    for i, name in enumerate(backends):
        pens[name] = _Pen(BACKENDS[i % len(BACKENDS)], None, CLAIMS[claims[name]])
    for i, name in enumerate(peers):
        kind = CLAIMS[False] if claims[name] is False else OTHERS
        pens[name] = _Pen(PEER, DASHES[i % len(DASHES)], kind)
    return pens


def _name(results: Results, row: Row) -> str:
    """Returns the name, with the mark of the tables if it is not constant time."""
    return row.name + (f" {tables.LEAKY}" if results.marked(row.contender) else "")


def _groups(results: Results, through: str) -> dict[Task, list[Row]]:
    """Returns the rows by task without size: only encryption with a warm key and the usual buffer
    of C or Python. The tables have the other tasks."""
    found: dict[Task, list[Row]] = {}
    usual = {"c": "apart", "python": "fresh"}[through]
    for task, rows in results.tasks(through).items():
        if (task.operation, task.key, task.buffer) == ("encrypt", "warm", usual):
            found.setdefault(task._replace(size=0), []).extend(rows)
    return found


def _sides(results: Results) -> Iterator[tuple[str, Task, list[Row]]]:
    for through in ("c", "python"):
        for task, rows in _groups(results, through).items():
            yield through, task, rows


def _by_contender(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.size):
        found.setdefault(row.contender, []).append(row)
    return found


def _slug(through: str, task: Task, what: str) -> str:
    return f"{what}-{task.algorithm}-{through}"


def _title(through: str, task: Task) -> str:
    threads = f", {task.threads} threads" if task.threads > 1 else ""
    return f"{text.algorithm(task.algorithm)}{threads}, {text.THROUGH[through]}"


def _new(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def _size_axis(axes: Axes, sizes: Sequence[int], width: float) -> None:
    axes.set_xscale("log", base=2)
    most = 12 if width == WIDE else 6
    step = math.ceil(len(sizes) / most)
    shown = list(reversed(list(reversed(sizes))[::step]))
    axes.set_xticks(shown, [_short_size(size) for size in shown])
    axes.minorticks_off()
    axes.set_xlabel("bytes in a message")


def _short_size(size: int) -> str:
    return text.size(size).replace(" B", "").replace(" KiB", "K").replace(" MiB", "M")


def _label_lines(
    axes: Axes, ends: list[tuple[float, float, str, str]], width: float, height: float
) -> None:
    """Writes names at the ends of their lines, instead of a legend. ends: x, y, name, colour."""
    edge = max(x for x, *_ in ends)
    for at in {x for x, *_ in ends}:
        # The name of a line that ends early follows its end.
        place = axes.get_xlim()[1] * 1.05 if at == edge else at * 1.35
        _spread_labels(axes, [end for end in ends if end[0] == at], place, width, height)


def _spread_labels(
    axes: Axes,
    ends: list[tuple[float, float, str, str]],
    place: float,
    width: float,
    height: float,
) -> None:
    """Writes names below each other at the x `place`, moved apart if they would overlap. The y axis
    is logarithmic."""
    low, high = axes.get_ylim()
    span = math.log(high / low)
    gap = 0.155 / height  # of the height of the axes, for a line of text
    heights: list[float] = []
    ordered = sorted(ends, key=lambda end: end[1])
    for _, y, _, _ in ordered:
        at = math.log(y / low) / span
        heights.append(max(at, heights[-1] + gap) if heights else at)
    # Names above the top are moved down, and push the names below them.
    ceiling = 1.0
    for i in range(len(heights) - 1, -1, -1):
        heights[i] = min(heights[i], ceiling)
        ceiling = heights[i] - gap
    for (x, y, name, colour), at in zip(ordered, heights, strict=True):
        axes.annotate(
            name,
            xy=(x, y),
            xytext=(place, low * math.exp(at * span)),
            color=INK if colour == PEER else colour,
            fontsize=9 if width == WIDE else 8,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 1, "shrinkB": 1},
        )


def _rate_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: _round_rate(value))
    axes.yaxis.set_minor_formatter(lambda _value, _: "")


def _round_rate(value: float) -> str:
    for unit, factor in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value:g} B/s"


def _round_duration(ns: float) -> str:
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= factor:
            return f"{ns / factor:g} {unit}"
    return f"{ns:g} ns"


# ---- Throughput over size ------------------------------------------------------------


def _throughputs(results: Results) -> Iterator[Picture]:
    pens = _pens(results)
    for through, task, rows in _sides(results):
        if len({row.size for row in rows}) < 3:
            continue

        def draw(width: float, task: Task = task, rows: list[Row] = rows) -> Figure:
            height = 5.2 if width == WIDE else 4.6
            figure, axes = _new(width, height)
            sizes = sorted({row.size for row in rows})
            ends = []
            for name, points in _by_contender(rows).items():
                pen = pens[name]
                (line,) = axes.plot(
                    [row.size for row in points],
                    [row.rate for row in points],
                    color=pen.colour,
                    marker=pen.marker,
                    markersize=3.4 if pen.kind != CLAIMS[False] else 5,
                    zorder=2 if pen.dashes else 3,
                    linewidth=1.3 if pen.dashes else None,
                )
                if pen.dashes:
                    line.set_dashes(pen.dashes)
                last = points[-1]
                ends.append((float(last.size), last.rate, _name(results, last), pen.colour))
            bounds = [(size, results.ceiling(task._replace(size=size))) for size in sizes]
            known = [(size, size / ns * 1e9) for size, ns in bounds if ns]
            if known:
                at, bound = [size for size, _ in known], [rate for _, rate in known]
                axes.plot(at, bound, color=INK, linewidth=0.9)
                axes.fill_between(at, bound, 1e15, color=INK, alpha=0.07, linewidth=0)
                ends.append((float(known[-1][0]), known[-1][1], "ceiling", INK))
            values = [row.rate for row in rows] + [rate for _, rate in known]
            _rate_axis(axes)
            axes.set_ylim(min(values) / 1.6, max(values) * 1.8)
            _size_axis(axes, sizes, width)
            axes.set_xlim(sizes[0] / 1.25, sizes[-1] * 1.25)
            _label_lines(axes, ends, width, height)
            return figure

        yield Picture(
            _slug(through, task, "throughput"),
            f"Throughput over size: {_title(through, task)}",
            f"Medians. Rijn's backends are coloured; {tables.LEAKY} marks backends that are not "
            "constant time (red) or have no claim. Other libraries are grey and dashed. The shaded "
            "part is above the limit of this machine's instructions and memory.",
            draw,
        )


# ---- Dots instead of bars: on a logarithmic axis, the length of a bar means nothing ----


def _speeds(results: Results) -> Iterator[Picture]:
    for through, task, rows in _sides(results):
        size = max((row.size for row in rows if row.size <= 16 << 10), default=0)
        chosen = sorted((row for row in rows if row.size == size), key=lambda row: row.median)
        if size <= SHORT or not chosen:
            continue

        def draw(width: float, rows: list[Row] = chosen) -> Figure:
            return _dots(
                results, rows, width, lambda it, ns: it.size / ns * 1e9, text.rate, _round_rate
            )

        yield Picture(
            _slug(through, task, "backends"),
            f"The backends at {text.size(size)}: {_title(through, task)}",
            f"The dot is the median, each stroke is a round. {_MARKS}",
            draw,
        )


def _short(results: Results) -> Iterator[Picture]:
    for through, task, rows in _sides(results):
        size = min(row.size for row in rows)
        chosen = sorted((row for row in rows if row.size == size), key=lambda row: row.median)
        if size > SHORT:
            continue

        def draw(width: float, rows: list[Row] = chosen) -> Figure:
            return _dots(results, rows, width, lambda _row, ns: ns, text.duration, _round_duration)

        yield Picture(
            _slug(through, task, "message"),
            f"Time for a message of {text.size(size)}: {_title(through, task)}",
            "The dot is the median, each stroke is a round. One key, a new nonce for each message. "
            f"{_MARKS}",
            draw,
        )


def _times(results: Results, through: str, task: Task, rows: list[Row]) -> Picture:
    chosen = sorted(rows, key=lambda row: row.median)

    def draw(width: float) -> Figure:
        return _dots(results, chosen, width, lambda _row, ns: ns, text.duration, _round_duration)

    return Picture(
        f"{task.algorithm}-{task.operation}-{task.size}-{through}",
        text.task(task),
        f"The dot is the median, each stroke is a round. {_MARKS}",
        draw,
    )


_MARKS = (
    f"{tables.SAFE} is the fastest constant-time backend. {tables.LEAKY}: not constant time, or no "
    "claim. The axis is logarithmic."
)


def _dots(
    results: Results,
    rows: list[Row],
    width: float,
    value: Callable[[Row, float], float],
    label: Callable[[float], str],
    round_label: Callable[[float], str],
) -> Figure:
    """Draws a line for each row: `value` of its median and of each round."""
    pens = _pens(results)
    kinds = dict.fromkeys(pens[row.contender].kind for row in rows)
    columns = 4 if width == WIDE else 2
    legend = 0.25 * math.ceil(len(kinds) / columns)
    figure, axes = _new(width, 0.9 + 0.32 * len(rows) + legend)
    spans = [[value(row, ns) for ns in row.ns] for row in rows]
    low = 10 ** math.floor(math.log10(min(map(min, spans)) / 1.1))
    safe = results.safe(rows)
    for i, (row, span) in enumerate(zip(rows, spans, strict=True)):
        pen, median = pens[row.contender], value(row, row.median)
        axes.plot([low, median], [i, i], color=GRID, zorder=1, linewidth=1)
        axes.plot(span, [i] * len(span), "|", color=pen.colour, alpha=0.5, markersize=9)
        axes.plot(median, i, pen.marker, color=pen.colour, markersize=7)
        axes.annotate(
            label(median),
            (max(span), i),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    names = [f"{f'{tables.SAFE} ' if row is safe else ''}{_name(results, row)}" for row in rows]
    axes.set_yticks(range(len(rows)), names)
    for row, tick in zip(rows, axes.get_yticklabels(), strict=True):
        if results.constant_time(row) is False:
            tick.set_color(LEAKY)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xscale("log")
    axes.set_xlim(low, max(map(max, spans)) * (3 if width == WIDE else 12))
    axes.xaxis.set_major_locator(LogLocator(numticks=9 if width == WIDE else 4))
    axes.xaxis.set_major_formatter(lambda at, _: round_label(at))
    axes.minorticks_off()
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    colours = {CLAIMS[False]: LEAKY, OTHERS: PEER}
    marks = [
        Line2D([], [], color=colours.get(kind, INK), marker=kind[1], linestyle="", label=kind[0])
        for kind in kinds
    ]
    figure.legend(handles=marks, loc="outside lower left", ncols=columns, fontsize=9)
    return figure


# ---- Ratios --------------------------------------------------------------------------


def _heat_map(
    axes: Axes,
    names: Sequence[str],
    sizes: Sequence[int],
    by_name: dict[str, dict[int, float]],
) -> None:
    """Draws a field for each name and size."""
    cells = [[by_name[name].get(size, math.nan) for size in sizes] for name in names]
    axes.imshow(cells, cmap="RdBu", norm=LogNorm(1 / 64, 64), aspect="auto", interpolation="none")
    for y, line in enumerate(cells):
        for x, value in enumerate(line):
            if math.isnan(value):
                axes.text(x, y, "–", ha="center", va="center", fontsize=9)
                continue
            # Black text cannot be read on a dark field, in either mode of the page.
            colour = "#ffffff" if abs(math.log2(value)) > 3.2 else "#000000"
            axes.text(x, y, text.ratio(value), ha="center", va="center", fontsize=9, color=colour)
    axes.set_xticks(range(len(sizes)), [_short_size(size) for size in sizes])
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("bytes in a message")


def _heat_maps(results: Results) -> Iterator[Picture]:
    for through, task, rows in _sides(results):
        best = {}
        for size in sorted({row.size for row in rows}):
            peer = results.best_peer([row for row in rows if row.size == size])
            if peer:
                best[size] = peer
        by_name = {
            _name(results, found[0]): {
                row.size: best[row.size].median / row.median for row in found if row.size in best
            }
            for name, found in _by_contender(rows).items()
            if name.startswith("rijn/")
        }
        if not best or not any(by_name.values()):
            continue

        def draw(
            width: float,
            best: dict[int, Row] = best,
            by_name: dict[str, dict[int, float]] = by_name,
        ) -> Figure:
            sizes = list(best)
            most = 12 if width == WIDE else 5
            # All sizes are shown: those that do not fit side by side are in another panel below.
            count = math.ceil(len(sizes) / most)
            cuts = [round(i * len(sizes) / count) for i in range(count + 1)]
            panels = [sizes[a:b] for a, b in pairwise(cuts)]
            names = sorted(by_name, key=lambda each: -max(by_name[each].values(), default=0))
            figure = Figure(
                figsize=(width, len(panels) * (1.0 + 0.36 * len(names))), layout="constrained"
            )
            for axes, shown in zip(
                figure.subplots(len(panels), squeeze=False), panels, strict=True
            ):
                _heat_map(axes[0], names, shown, by_name)
            return figure

        yield Picture(
            _slug(through, task, "ratios"),
            f"Speed over the best peer's: {_title(through, task)}",
            "Above 1 (blue) Rijn is faster than the fastest other library at that size. "
            f"{tables.LEAKY}: not constant time, or no claim.",
            draw,
        )
