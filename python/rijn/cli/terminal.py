"""The width of tables."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100  # columns, for a file or a pipe


def width() -> int | None:
    """Returns COLUMNS or the terminal's width; None for a file or a pipe."""
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    return None


def console() -> Console:
    """Returns a console for tables on standard output."""
    from rich.console import Console

    return Console(highlight=False, width=width() or WIDTH)
