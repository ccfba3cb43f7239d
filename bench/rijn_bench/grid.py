"""Tables that fit a terminal: where there is no room, a column leaves, and no cell is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

GAP = 2


class Cells(NamedTuple):
    """A table before it is drawn."""

    title: str
    columns: list[str]  # the unit of one behind a line end
    rows: list[list[str]]
    notes: list[str]
    labels: int = 1  # so many columns, the first ones, are words
    leave: tuple[str, ...] = ()  # columns that leave first where there is no room


@dataclass
class Column:
    """A column of a grid; the unit of its figures stands under its name."""

    name: str
    unit: str = ""
    words: int = 0  # what is words may be wrapped between them, to that width; figures are not
    cells: list[Text] = field(default_factory=list)

    @property
    def head(self) -> str:
        return f"{self.name}\n{self.unit}"

    @property
    def widest(self) -> int:
        return max(map(cell_len, [*self.head.splitlines(), *map(str, self.cells)]), default=0)

    @property
    def needs(self) -> int:
        if not self.words:
            return self.widest
        words = [word for cell in self.cells for word in str(cell).split()]
        return max(min(self.widest, self.words), *map(cell_len, [*self.head.split(), *words]), 0)


@dataclass
class Grid:
    """Columns, the first of which stay, and the names of others in the order they leave in."""

    title: str
    columns: list[Column]
    leave: Sequence[str] = ()
    styles: list[str] = field(default_factory=list)

    def add(self, *cells: str | Text, style: str = "") -> None:
        for column, cell in zip(self.columns, cells, strict=True):
            column.cells.append(Text(cell) if isinstance(cell, str) else cell)
        self.styles.append(style)

    def fitting(self, width: int) -> list[Column]:
        """The columns that have room: after those that leave, the last ones go."""
        left = list(self.columns)
        first = [column for name in self.leave for column in left if column.name == name]
        going = [*first, *(it for it in reversed(left) if it not in first and not it.words)]
        for column in going:
            if sum(it.needs + GAP for it in left) - GAP <= width or len(left) <= 2:
                break
            if column is not self.columns[0]:
                left.remove(column)
        return left

    def show(self, console: Console) -> None:
        """The title, the table and, if any columns left, their names."""
        shown = self.fitting(console.width)
        room = console.width - sum(it.needs + GAP for it in shown) + GAP
        console.print(self.title, style="bold", markup=False)
        units = any(column.unit for column in shown)
        table = Table(box=None, pad_edge=False)
        for column in shown:
            more = max(0, min(room, column.widest - column.needs))
            room -= more
            table.add_column(
                Text(column.head if units else column.name),
                justify="left" if column.words else "right",
                no_wrap=not column.words,
                overflow="fold",
                width=column.needs + more,
            )
        for i, style in enumerate(self.styles):
            table.add_row(*(column.cells[i] for column in shown), style=style)
        console.print(table)
        gone = [column.name for column in self.columns if all(column is not it for it in shown)]
        if gone:
            console.print(f"no room for: {', '.join(gone)}", style="dim", markup=False)
