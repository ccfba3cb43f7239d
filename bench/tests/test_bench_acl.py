"""The files of rijn bench get only the permissions that an ACL allows, like rijn's files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_acl import LISTS, bits, encoded, give, umask

from rijn.cli import main

FIGURES = Path(__file__).parents[2] / "docs" / "figures.json"

__all__ = ["give", "umask"]


def test_benchmarks(give: Callable[[str, bytes], None]) -> None:
    pytest.importorskip("rich", reason="needs rich")
    entries, expected = LISTS["a named user"]
    Path("run.json").write_bytes(FIGURES.read_bytes())
    give("run.json", encoded(entries))
    assert main(["bench", "--from", "run.json", "--csv", "run.csv"]) == 0
    assert bits("run.csv") == expected
