"""The machine that a result was measured on."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path
from typing import Any


def describe(harness: dict[str, Any] | None) -> dict[str, Any]:
    """What a reader needs to judge the figures. What the harness knows better (the CPU's
    features as the library sees them, compiler, cycle counter) comes from its record."""
    found: dict[str, Any] = {
        "cpu": _cpu(),
        "architecture": platform.machine(),
        "cores": _cores(),
        "system": platform.platform(terse=True),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "python_compiler": platform.python_compiler(),
        "load": _load(),
    }
    if harness is not None:
        known = ("cpu", "cpu_id", "features", "kernel", "compiler", "flags", "cycles")
        found |= {name: harness[name] for name in known if name in harness}
    return found


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        text = ""
    match = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()


def _cores() -> int:
    """That this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load() -> float | None:
    """How busy the machine was when the run began: others' work is noise."""
    return round(os.getloadavg()[0], 2) if sys.platform != "win32" else None
