"""Runs padding.c: the padding of TLS records, by the rules, and in constant time under valgrind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIMIT = 600  # seconds for one process, which no machine should need
VALGRIND = ("valgrind", "--quiet", "--error-exitcode=9")
FOUND = 9


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds it as build.py builds the provider."""
    made = tmp_path_factory.mktemp("padding") / "padding"
    compiler = os.environ.get("CC", "cc").split()
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-gdwarf-4", "-Wall", "-Wextra", "-Werror"]
    sources = [HERE / "padding.c", HERE.parent / "tls_padding.c"]
    library = ROOT / "build" / "c" / "librijn.a"
    words = [*compiler, *flags, f"-I{ROOT / 'c/include'}", *sources, library, "-o", made]
    subprocess.run(words, check=True, timeout=LIMIT)
    return made


def ends_with(*command: str | Path) -> int:
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=LIMIT)
    return done.returncode


def test_every_padding_follows_the_rules(program: Path) -> None:
    assert ends_with(program) == 0


def test_time_does_not_depend_on_the_record(program: Path) -> None:
    assert ends_with(*VALGRIND, program) == 0
    assert ends_with(*VALGRIND, program, "leak") == FOUND
