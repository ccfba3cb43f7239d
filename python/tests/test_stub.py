"""_native.pyi describes the compiled module: names, parameters, kinds and defaults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from backends import needs_native
from limits import LIMIT

# Attributes of C struct sequences that typing.NamedTuple, the closest type, lacks.
STRUCT_SEQUENCE = r"rijn\._native\.BackendInfo\.(n_\w+|__match_args__)"


@needs_native
def test_stub_agrees_with_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    allowlist = tmp_path / "allowlist"
    allowlist.write_text(STRUCT_SEQUENCE + "\n")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", "rijn._native"),
            *("--allowlist", str(allowlist), "--ignore-unused-allowlist"),
            "--ignore-disjoint-bases",  # older type checkers do not know this mark
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "no issues found in 1 module" in result.stdout
