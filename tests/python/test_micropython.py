"""rijn for MicroPython, run by CPython: integrations/micropython/check.py runs the same on
boards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "integrations" / "micropython"


def run(seed: int, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """The script for targets, on the file there or one with this text."""
    cases = [sys.executable, "-c", f"import cases; print(cases.script({seed}))"]
    script = subprocess.run(cases, cwd=HERE, capture_output=True, text=True, check=True).stdout
    (folder / "rijn.py").write_text(text or (HERE / "rijn.py").read_text())
    (folder / "script.py").write_text(script)
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module", autouse=True)
def _sources() -> None:
    if not HERE.is_dir():
        pytest.skip("integrations/ is not here")


@pytest.mark.parametrize("seed", [1, 2])
def test_agrees_with_the_package(seed: int, tmp_path: Path) -> None:
    done = run(seed, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith("cases agree on python\n")
    assert int(done.stdout.split()[0]) > 1000


def test_unfolds() -> None:
    """What is compiled for Armv7-M has each function once, and all that rijn.py has to offer."""
    done = subprocess.run(
        [sys.executable, "unfold.py"], cwd=HERE, capture_output=True, text=True, check=True
    )
    functions = [line for line in done.stdout.splitlines() if line.startswith(("def ", "class "))]
    assert len(functions) == len({line.partition("(")[0] for line in functions})
    assert {"def _encrypt(k: ptr32, s: ptr32, d: ptr32, blocks: int):", "class CMAC:"} <= set(
        functions
    )
    assert "exec(" not in done.stdout


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('b"\\x63\\x7c', 'b"\\x62\\x7c'),  # the S-box
        ("j << 1 ^ v ^ i ^ o", "j << 1 ^ v ^ i"),  # a round key
        ("y[15] = f", "y[15] = e & 255"),  # GHASH
        ("if _differ(self._tag, tag):", "if False:"),  # GCM's tag
        ("return not _differ(self._tag, tag)", "return True"),  # AEGIS's
        ("                buf[i] = 0\n", "                pass\n"),  # what a forgery leaves
        ("counter[i] = counter[i] + 1 & 255", "counter[i] |= 1"),
        ("_len(buf) != size", "False"),
    ],
)
def test_bites(right: str, wrong: str, tmp_path: Path) -> None:
    text = (HERE / "rijn.py").read_text()
    assert text.count(right) == 1
    assert run(1, tmp_path, text.replace(right, wrong)).returncode == 1
