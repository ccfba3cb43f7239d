"""Describes the machine."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path
from typing import Any


def describe(harness: dict[str, Any] | None) -> dict[str, Any]:
    """Returns what readers need to judge the figures. The harness's description adds the CPU's
    features as the library sees them, the compiler and the cycle counter."""
    found: dict[str, Any] = {
        "cpu": _cpu(),
        "architecture": platform.machine(),
        "cores": _cores(),
        "system": platform.platform(terse=True),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "python_compiler": platform.python_compiler(),
        "load": _load(),
    }
    if identity := _cpu_id():
        found["cpu_id"] = identity
    if harness is not None:
        known = ("cpu", "cpu_id", "features", "kernel", "compiler", "flags", "cycles")
        found |= {name: harness[name] for name in known if name in harness}
    return found


def _cpuinfo(names: str) -> str | None:
    """Returns the first of these fields in Linux's /proc/cpuinfo."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return None
    match = re.search(rf"^(?:{names})[ \t]*:[ \t]*(\S.*)$", text, re.MULTILINE)
    return match[1].strip() if match else None


def _cpu() -> str:
    return _cpuinfo("model name|Model|Hardware") or platform.processor() or platform.machine()


def _cpu_id() -> str | None:
    """Returns family, model and stepping, as the harness does from CPUID. Only on Linux on x86."""
    parts = [_cpuinfo(name) for name in ("cpu family", "model", "stepping")]
    return "-".join(filter(None, parts)) if all(parts) else None


def _cores() -> int:
    """Returns the number of CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load() -> float | None:
    """Returns the load average at the start of the run: other programs cause noise."""
    return round(os.getloadavg()[0], 2) if sys.platform != "win32" else None
