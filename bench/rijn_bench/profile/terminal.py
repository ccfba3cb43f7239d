"""Prints profiles as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.markup import escape
from rich.table import Table

from . import figures
from .measure import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from .measure import Profile

LONGEST = 8  # rows of a table of functions


def show(profiles: Sequence[Profile], console: Console) -> None:
    """Prints figures, each profile's functions, and the reasons for missing figures."""
    console.print(figures.title(profiles), style="bold", markup=False, highlight=False)
    console.print(machine(), style="dim", markup=False, highlight=False)
    table = _table("", "")
    for profile in profiles:
        table.add_column(profile.subject.backend, justify="right", no_wrap=True)
    if len(profiles) == 2:
        table.add_column(" / ".join(p.subject.backend for p in profiles), justify="right")
    for row in figures.figures(profiles):
        table.add_row(row.label, *row.cells, *([row.ratio] if row.ratio else []))
    console.print(table)
    for profile in profiles:
        for found in figures.tables(profile, LONGEST):
            table = _table(f"{profile.subject.backend}: {found.title}", found.head[0])
            for name in found.head[1:]:
                table.add_column(name, justify="right", no_wrap=True)
            for cells in found.rows:
                table.add_row(*map(escape, cells))
            console.print(table)
    for note in figures.notes(profiles):
        console.print(note, style="yellow", markup=False, highlight=False)


def _table(title: str, first: str) -> Table:
    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column(first, overflow="fold")
    return table
