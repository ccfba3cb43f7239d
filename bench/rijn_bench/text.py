"""Formats figures for the terminal, the report and the plots."""

from __future__ import annotations

from collections.abc import Sequence

from .results import Task


def significant(value: float) -> str:
    """Formats a number with three digits: 0.0123, 1.23, 12.3, 123, 1,230."""
    if value == 0:
        return "0"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def rate(bytes_per_second: float) -> str:
    for unit, factor in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if bytes_per_second >= factor:
            return f"{significant(bytes_per_second / factor)} {unit}"
    return f"{significant(bytes_per_second)} B/s"


def ratio(value: float) -> str:
    """Formats a ratio of speeds: 12.3, 1.08, 0.62, and below a tenth 1/53, 1/117k."""
    if value < 1e-4:
        return f"1/{significant(1e-3 / value)}k".replace(".0k", "k")
    if value < 0.1:
        return f"1/{significant(1 / value)}".removesuffix(".0")
    return f"{value:.2f}" if value < 10 else significant(value)


def part(value: float) -> str:
    return f"{value:.0%}" if value >= 0.01 else "< 1%"


def duration(ns: float) -> str:
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= factor:
            return f"{significant(ns / factor)} {unit}"
    return f"{significant(ns)} ns"


def size(value: int) -> str:
    """Formats a size: "1350 B", "16 KiB"."""
    for shift, unit in ((20, "MiB"), (10, "KiB")):
        if value >= 1 << shift and value % (1 << shift) == 0:
            return f"{value >> shift} {unit}"
    return f"{value} B"


def task(described: Task) -> str:
    """Describes a task in a line, with its size."""
    sized = [size(described.size)] if described.size else []
    return ", ".join([family(described), *sized])


def family(described: Task) -> str:
    """Describes a task in a line, without its size."""
    details = []
    if described.size:
        details += ["cold key"] if described.key == "cold" else []
        details += ["in place"] if described.buffer == "in-place" else []
        details += [f"{described.threads} threads"] if described.threads > 1 else []
    return ", ".join([f"{algorithm(described.algorithm)} {described.operation}", *details])


def algorithm(name: str) -> str:
    """Formats the name of an algorithm: "AES-128-GCM", "AEGIS-128X2"."""
    return name.upper()


def claim(constant_time: bool | None) -> str:
    return {True: "yes", False: "no", None: ""}[constant_time]


def listed(names: Sequence[str]) -> str:
    """Joins names: "a", "a and b", "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


THROUGH = {"c": "timed in C", "python": "through Python"}
BUFFER = {"fresh": "fresh result", "apart": "into a buffer", "in-place": "in place"}
