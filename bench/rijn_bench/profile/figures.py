"""The figures of profiles as rows of text, for the terminal and the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import stacks
from .tools import Instructions, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .measure import Profile

NONE = "–"
NOTHING = 0.01  # smaller counts for one message are noise


@dataclass(frozen=True)
class Row:
    """One figure of every profile. For two profiles, also the ratio first / second."""

    label: str
    cells: list[str]
    ratio: str


@dataclass(frozen=True)
class Table:
    """A table of one profile. The first column is text, the others are numbers."""

    title: str
    head: list[str]
    rows: list[list[str]]


def seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}" if value < 1000 * scale else f"{value:.0f} s"
    return f"{value / 1e-9:.3g} ns"


def count(value: float) -> str:
    """Formats a number with four significant digits and thousands separators."""
    if abs(value) < NOTHING:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _bandwidth(value: float) -> str:
    return f"{value / 1e9:.3g} GB/s" if value >= 1e9 else f"{value / 1e6:.3g} MB/s"


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _counter(name: str) -> Callable[[Profile], float | None]:
    def get(profile: Profile) -> float | None:
        found = profile.counters
        return None if isinstance(found, Unavailable) else getattr(found, name)

    return get


def _instruction(name: str) -> Callable[[Profile], float | None]:
    def get(profile: Profile) -> float | None:
        found = profile.instructions
        return None if isinstance(found, Unavailable) else getattr(found, name)

    return get


def _per_byte(get: Callable[[Profile], float | None]) -> Callable[[Profile], float | None]:
    def divided(profile: Profile) -> float | None:
        value = get(profile)
        return None if value is None else value / profile.subject.size

    return divided


_FIGURES: tuple[tuple[str, Callable[[Profile], float | None], Callable[[float], str]], ...] = (
    ("time a message", lambda profile: profile.time, seconds),
    ("  fastest round", lambda profile: min(profile.times), seconds),
    ("  slowest round", lambda profile: max(profile.times), seconds),
    ("throughput", lambda profile: profile.subject.size / profile.time, _bandwidth),
    ("cycles a byte", _per_byte(_counter("cycles")), count),
    ("instructions per cycle", _counter("per_cycle"), count),
    ("instructions a message, kernel", _counter("instructions"), count),
    ("cache references a message", _counter("cache_references"), count),
    ("cache misses a message", _counter("cache_misses"), count),
    ("page faults a message", _counter("page_faults"), count),
    ("instructions a message, callgrind", _instruction("total"), count),
    ("  in Rijn's C", _instruction("native"), count),
    ("  a byte", _per_byte(_instruction("total")), count),
    ("reads and writes a byte, callgrind", _per_byte(_instruction("data")), count),
    ("first-level misses a message, simulated", _instruction("d1_misses"), _whole),
    ("last-level misses a message, simulated", _instruction("ll_misses"), _whole),
)


def figures(profiles: Sequence[Profile]) -> list[Row]:
    """Returns all figures. Rows that no profile has are omitted; the notes say why."""
    rows = []
    for label, get, text in _FIGURES:
        values = [get(profile) for profile in profiles]
        if all(value is None for value in values):
            continue
        cells = [NONE if value is None else text(value) for value in values]
        rows.append(Row(label, cells, _ratio(values, cells)))
    return rows


def notes(profiles: Sequence[Profile]) -> list[str]:
    """Returns the reasons for missing figures, without repetitions."""
    return list(dict.fromkeys(note for profile in profiles for note in profile.notes))


def title(profiles: Sequence[Profile]) -> str:
    """Returns the title of profiles that differ only in their backend."""
    subject = profiles[0].subject
    names = " and ".join(profile.subject.backend for profile in profiles)
    return f"{subject.algorithm} {subject.operation}, {subject.size:,} bytes: {names}"


def _ratio(values: Sequence[float | None], cells: Sequence[str]) -> str:
    if len(values) != 2:
        return ""
    first, second = values
    if not first or not second or "0" in cells:
        return NONE
    ratio = first / second
    return f"{ratio:,.0f}" if ratio >= 1000 else f"{ratio:.3g}"


def tables(profile: Profile, longest: int) -> list[Table]:
    """Returns the functions that each tool found, the most costly first."""
    found = []
    if not isinstance(profile.stacks, Unavailable):
        head = ["function", "alone", "with callees"]
        rows = [
            [name, _percent(own), _percent(total)]
            for name, own, total in stacks.hottest(profile.stacks)
        ]
        found.append(Table(f"Time, {profile.stacks.total():,} samples (py-spy)", head, rows))
    if isinstance(profile.instructions, Instructions):
        total = profile.instructions.total
        head = ["function", "instructions a message", "share"]
        rows = [
            [f"{name} ({library})" if library else name, count(cost), _percent(cost / total)]
            for name, library, cost in profile.instructions.functions
        ]
        found.append(Table("Instructions (callgrind)", head, rows))
    if not isinstance(profile.functions, Unavailable):
        head = ["function", "calls a message", "alone", "with callees"]
        rows = [
            [row.name, count(row.calls), seconds(row.own), seconds(row.total)]
            for row in profile.functions
        ]
        found.append(Table("Python functions (cProfile)", head, rows))
    return [Table(table.title, table.head, table.rows[:longest]) for table in found]
