"""Runs faults.c with the provider that RIJN_PROVIDER names, and looks for divisions of secrets."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROVIDER = os.environ.get("RIJN_PROVIDER", "")
COMPILER = os.environ.get("CC", "cc").split()
LIMIT = 600  # seconds for one process, which no machine should need
TESTS = re.findall(r"^ +TEST\((\w+)\),$", (HERE / "faults.c").read_text("utf-8"), re.MULTILINE)


def run(*command: str | Path, check: bool = True) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=check, timeout=LIMIT)
    return done.stdout


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("faults") / "faults"
    flags = ["-std=c11", "-D_DEFAULT_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]
    run(*COMPILER, *flags, HERE / "faults.c", "-o", program, "-lcrypto")
    valgrind = ["valgrind", "--quiet", "--error-exitcode=9"]
    return run(*valgrind, program, PROVIDER, check=False)


@pytest.mark.parametrize("name", TESTS)
def test_provider_refuses(reports: str, name: str) -> None:
    assert f"PASSED {name}\n" in reports, reports


def divisions(folder: Path, source: Path, level: str) -> list[str]:
    made = folder / "made.o"
    run(*COMPILER, "-std=c11", level, f"-I{ROOT / 'c/include'}", "-c", source, "-o", made)
    return re.findall(r"\t([us]?i?div\w*)", run("objdump", "-d", made))


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os"])
def test_padding_of_records_has_no_division(tmp_path: Path, level: str) -> None:
    """The time of a division depends on its operands, and valgrind does not see it."""
    assert divisions(tmp_path, HERE.parent / "tls_padding.c", level) == []
    probe = tmp_path / "probe.c"
    probe.write_text("unsigned f(unsigned a, unsigned b) { return a / b; }\n")
    assert divisions(tmp_path, probe, level)
