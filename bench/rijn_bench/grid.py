"""Tables that fit a terminal: if the window is too narrow, columns are omitted, and no cell is cut."""

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
    columns: list[str]  # "name" or "name\nunit"
    rows: list[list[str]]
    notes: list[str]
    labels: int = 1  # number of columns with words, at the left
    leave: tuple[str, ...] = ()  # columns that are omitted first in a narrow window


@dataclass
class Column:
    """A column of a grid. The unit of its figures is shown below its name."""

    name: str
    unit: str = ""
    words: int = 0  # if > 0: text, which may be wrapped to this width; figures are not wrapped
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
    """A table that omits columns in a narrow window. Its first two columns stay."""

    title: str
    columns: list[Column]
    leave: Sequence[str] = ()  # names of columns that are omitted first, in this order
    styles: list[str] = field(default_factory=list)

    def add(self, *cells: str | Text, style: str = "") -> None:
        for column, cell in zip(self.columns, cells, strict=True):
            column.cells.append(Text(cell) if isinstance(cell, str) else cell)
        self.styles.append(style)

    def fitting(self, width: int) -> list[Column]:
        """Returns the columns that fit. After those in `leave`, the last columns are omitted."""
        left = list(self.columns)
        first = [column for name in self.leave for column in left if column.name == name]
        omitted = [*first, *(it for it in reversed(left) if it not in first and not it.words)]
        for column in omitted:
            if sum(it.needs + GAP for it in left) - GAP <= width or len(left) <= 2:
                break
            if column is not self.columns[0]:
                left.remove(column)
        return left

    def show(self, console: Console) -> None:
        """Prints the title, the table, and the names of omitted columns."""
        shown = self.fitting(console.width)
        spare = console.width - sum(it.needs + GAP for it in shown) + GAP
        console.print(self.title, style="bold", markup=False)
        units = any(column.unit for column in shown)
        table = Table(box=None, pad_edge=False)
        for column in shown:
            more = max(0, min(spare, column.widest - column.needs))
            spare -= more
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
            console.print(f"omitted columns: {', '.join(gone)}", style="dim", markup=False)
