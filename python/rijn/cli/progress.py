"""A progress bar on stderr: only on a terminal, and only for work longer than a second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

DELAY = 1.0  # seconds


class Progress:
    """Counts bytes; the bar's library is loaded when the bar is first drawn."""

    def __init__(self, label: str, total: int | None, *, quiet: bool = False) -> None:
        """total: the bytes to come, if that is known. quiet: draw nothing, ever."""
        self._label = label
        self._total = total
        self._wanted = not quiet and sys.stderr.isatty()
        self._started = time.monotonic()
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
        elif self._wanted and time.monotonic() - self._started > DELAY:
            self._draw()

    def _draw(self) -> None:
        from rich import progress
        from rich.console import Console

        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn(binary_units=True),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._label, total=self._total, completed=self._done)
        self._bar.start()
