"""`rijn bench` and `rijn profile` as commands of rijn: help, completion, man pages, errors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
import test_man_pages
from program import LIMIT, Result
from test_completion import completed

from rijn.cli import cli

Run = Callable[..., Result]
ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "bench" / "pyproject.toml"
PAGES = {"rijn-bench", "rijn-bench-compare", "rijn-profile"}


def test_help(run: Run) -> None:
    for command in (["bench"], ["bench", "compare"], ["profile"]):
        shown = run("help", *command)
        assert shown == run(*command, "--help")
        assert shown.code == 0 and shown.out.startswith(f"Usage: rijn {command[0]}".encode())
    listed = [line.split()[:1] for line in run("--help").out.decode().splitlines()]
    assert ["bench"] in listed and ["profile"] in listed


def test_completion(run: Run) -> None:
    assert completed(run, "rijn ben") == ["bench"]
    assert completed(run, "rijn bench com") == ["compare"]
    assert "--compare" in completed(run, "rijn profile --c")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("bench --quick --backend fixslice-64", "fixslice64"),
        ("bench --quick --algorithm aes-128-gmc", "aes-128-gcm"),
        ("profile --algorithm aes-128-gmc", "aes-128-gcm"),
        ("bnech", "bench"),
    ],
)
def test_a_misspelt_name_gets_a_suggestion(run: Run, arguments: str, meant: str) -> None:
    done = run(*arguments.split())
    assert done.code == 2 and done.out == b""
    assert f"did you mean {meant}?" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("bench gcm", "No such command 'gcm': use rijn bench --algorithm gcm"),
        ("bench table", "No such command 'table': use rijn bench --backend table"),
        ("bench nonsense", "No such command 'nonsense'"),
        (
            "profile aes-256-ctr",
            "Unexpected argument 'aes-256-ctr': use rijn profile --algorithm aes-256-ctr",
        ),
        (
            "profile table aes-256-ctr",
            "Unexpected argument 'table': use rijn profile --backend table",
        ),
    ],
)
def test_usage(run: Run, arguments: str, message: str) -> None:
    hint = f"(see rijn {arguments.split()[0]} --help)"
    assert run(*arguments.split()) == Result(2, b"", f"rijn: {message} {hint}\n")


# ---- Man pages ----


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    command = [sys.executable, "-B", ROOT / "python" / "tools" / "man_pages.py", folder, PROJECT]
    subprocess.run(command, check=True, timeout=LIMIT)
    return folder


def test_each_command_has_a_page(pages: Path) -> None:
    assert {path.stem for path in pages.iterdir()} == PAGES


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_man_page_has_all_of_the_help(pages: Path, name: str) -> None:
    (context,) = (
        each
        for each in test_man_pages.commands(test_man_pages.top(cli, "rijn"))
        if each.command_path.replace(" ", "-") == name
    )
    test_man_pages.has_all_of_the_help(pages / f"{name}.1", context)


def test_the_package_contains_man_pages() -> None:
    files = metadata.files("rijn-bench") or []
    if not any(file.stem == "harness" and file.suffix in ("", ".exe") for file in files):
        pytest.skip("a pure wheel has no man pages")
    found = {file.stem for file in files if file.parent.name == "man1"}
    assert found == PAGES
    rijns = {file.stem for file in metadata.files("rijn") or [] if file.parent.name == "man1"}
    assert not found & rijns
