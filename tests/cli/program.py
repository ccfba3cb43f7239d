"""How the tests call the program: always as a process of its own."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

RIJN = [sys.executable, "-m", "rijn"]
KEY = bytes(range(16))  # what the file .key of the fixture `folder` holds


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str


def names(folder: Path) -> set[str]:
    """What is in the folder, temporary files too."""
    return {entry.name for entry in folder.iterdir()} - {".key"}
