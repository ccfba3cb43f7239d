"""Secrets in freed memory and on the stack, when Python uses the C binding. A child process with
the allocator heap.c looks for them (heap_scenarios.py describes its calls)."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from backends import NATIVE, BackendUnderTest
from limits import LIMIT

import rijn

HERE = Path(__file__).parent
FIRST = next((b.name for b in rijn.backends() if b.automatic and b.name in NATIVE), "")
WHY_NOT = (
    "not Linux with glibc"
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc"
    else "no C compiler (cc)"
    if not shutil.which("cc")
    else "this Python has an allocator of its own"
    if sysconfig.get_config_var("Py_GIL_DISABLED")
    else "LD_PRELOAD is in use"
    if os.environ.get("LD_PRELOAD")
    else ""
)


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "can run")
@pytest.mark.backends(*{FIRST, "fixslice64"})
def test_freed_memory_holds_no_secret(tested: BackendUnderTest, tmp_path: Path) -> None:
    """Plaintext and keystream of messages that are refused, abandoned or accepted, in pieces
    and at once; keys, subkeys and states of deleted objects; chains and tails on the
    stack. Every planted leak is found."""
    shim = tmp_path / "heap.so"
    subprocess.run(
        ["cc", "-std=c11", "-O2", "-fPIC", "-shared", "-o", shim, HERE / "heap.c", "-ldl"],
        check=True,
        timeout=LIMIT,
    )
    done = subprocess.run(
        [sys.executable, HERE / "heap_scenarios.py", shim, tested.name],
        env=os.environ
        | {
            "LD_PRELOAD": str(shim),
            "PYTHONMALLOC": "malloc",
            # Large blocks go back to the allocator, not to the system. perturb overwrites the old
            # contents of fresh blocks.
            "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=33554432:glibc.malloc.perturb=165",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    offenders = found.pop("offenders")
    assert all(offenders.values()), offenders
    assert len(offenders) == 6
    left = {f"{part}: {name}": n for part in found for name, n in found[part].items() if n}
    assert left == {}
