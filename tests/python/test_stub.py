"""_native.pyi describes the compiled module: names, parameters, kinds and defaults."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_stub_agrees_with_the_module() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    result = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "rijn._native"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "no issues found in 1 module" in result.stdout
