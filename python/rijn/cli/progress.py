"""Shows the progress of long work on stderr: as a bar on a terminal, and with --progress as lines in a
log or on a dumb terminal. Work that takes less than a second shows nothing."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from . import standard

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn, TaskID

DELAY = 1.0  # seconds
BETWEEN = 5.0  # seconds between lines


class Progress:
    """Counts bytes. The library for the bar loads when the bar is first drawn."""

    def __init__(self, label: str, total: int | None, *, shown: bool | None = None) -> None:
        """
        total  the number of bytes, if it is known; may be set later, before the first `advance`
        shown  whether to show the progress; None: if stderr is a terminal

        The attribute `wanted` tells the outcome of `shown`.
        """
        self._label = label
        self.total = total
        terminal = sys.stderr.isatty()
        self.wanted = terminal if shown is None else shown
        self._draws = terminal and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + DELAY
        self._done = 0
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, size: int) -> None:
        self._done += size
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)
        elif self.wanted and time.monotonic() > self._next:
            if self._draws:
                self._draw()
            else:
                self._write()

    def _write(self) -> None:
        self._next = time.monotonic() + BETWEEN
        share = f" of {self.total / 1e6:,.0f}" if self.total else ""
        standard.say(f"rijn: {self._label}: {self._done / 1e6:,.0f}{share} MB")

    def _draw(self) -> None:
        from rich import progress
        from rich.console import Console

        console = Console(stderr=True)
        columns: list[ProgressColumn] = [
            progress.TextColumn("{task.description}", markup=False),
            progress.TaskProgressColumn(),
            progress.TransferSpeedColumn(),
        ]
        if console.width >= 60:
            columns.insert(1, progress.BarColumn())
            columns += [progress.DownloadColumn(), progress.TimeRemainingColumn()]
        self._bar = progress.Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task(self._label, total=self.total, completed=self._done)
        self._bar.start()
