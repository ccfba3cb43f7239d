"""Every table is complete at 80 columns and readable at 60. Columns without room are dropped, nothing
is cut, the headers contain the units, and the word is always "backend"."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="the command line needs the package click")

from program import Result

import rijn

Run = Callable[..., Result]
WIDTHS = (80, 60, 40)


def table(run: Run, columns: int, *arguments: str) -> str:
    """Returns a command's output at that width, and checks that every line fits and is not cut."""
    result = run(*arguments, env={"COLUMNS": str(columns)})
    assert result.code == 0, result.err
    text = result.out.decode()
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= columns, text
    assert not re.search(r"\brungs?\b", text, re.IGNORECASE)
    return text


@pytest.mark.parametrize("columns", WIDTHS)
def test_backends(run: Run, columns: int) -> None:
    text = table(run, columns, "backends")
    said = " ".join(text.split())
    for record in rijn.backends():
        assert " ".join((record.summary if record.available else record.reason).split()) in said
    for kernel in rijn.aegis_kernels():
        assert kernel.name in said
    # Output to a pipe is for programs: one line for each backend.
    lines = run("backends", env={"COLUMNS": ""}).out.decode().splitlines()
    assert len(lines) < len(text.splitlines())
    assert max(map(len, lines)) > columns


@pytest.mark.parametrize("columns", WIDTHS[:2])
def test_info(run: Run, columns: int) -> None:
    Path("letter").write_text("Dear A.,\n")
    env = {"PW": "open sesame"}
    assert run("encrypt", "--passphrase-env", "PW", "letter", env=env).code == 0
    text = table(run, columns, "info", "letter.rijn")
    assert "64 MiB, 3 passes, 4 lanes" in text
    assert re.search("plaintext +9 bytes", text)
