"""Commands that other distributions add to rijn, and messages if they are missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from program import LIMIT, Result

import rijn
from rijn._install import pip_install
from rijn.cli import BENCH, COMMANDS, PLUG_INS

HERE = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from rijn.__main__ import main
sys.exit(main())
"""
GREET = """
import click

@click.command("greet", short_help="Say hello.")
def command():
    click.echo("hello")
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Makes a folder with all installed packages except those that add commands."""
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "rijn").symlink_to(rijn.__path__[0])
    for place in dict.fromkeys(map(Path, sys.path)):
        for each in place.iterdir() if place.name.endswith("-packages") else ():
            entries = each / "entry_points.txt"
            adds = entries.is_file() and f"[{PLUG_INS}]" in entries.read_text("utf-8")
            if not adds and not (folder / each.name).exists():
                (folder / each.name).symlink_to(each)
    return folder


def install(packages: Path, **commands: str) -> None:
    """Adds a distribution with these commands."""
    (packages / "greeting.py").write_text(GREET)
    about = packages / "greeting-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1\n")
    lines = [f"{name} = {value}" for name, value in commands.items()]
    (about / "entry_points.txt").write_text("\n".join([f"[{PLUG_INS}]", *lines, ""]))


def rijn_here(packages: Path, *arguments: str, **environment: str) -> Result:
    command = [sys.executable, "-I", "-S", "-c", HERE, packages, *arguments]
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=LIMIT,
    )
    return Result(done.returncode, done.stdout, done.stderr.decode())


def completed(packages: Path, typed: str) -> list[str]:
    words = {"_RIJN_COMPLETE": "bash_complete", "COMP_WORDS": typed}
    done = rijn_here(packages, **words, COMP_CWORD=str(len(typed.split(" ")) - 1))
    assert (done.code, done.err) == (0, "")
    return [line.partition(",")[2] for line in done.out.decode().splitlines()]


def listed(packages: Path) -> list[str]:
    """Returns the commands in the help of rijn."""
    done = rijn_here(packages, "--help")
    assert (done.code, done.err) == (0, "")
    lines = done.out.decode().partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines]


@pytest.mark.parametrize("arguments", ["bench", "bench --quick", "profile --help", "help bench"])
def test_without_rijn_bench_a_line_says_how_to_get_it(packages: Path, arguments: str) -> None:
    name = "profile" if "profile" in arguments else "bench"
    said = f"rijn: {name}: this command needs the package rijn-bench"
    hint = f"({pip_install(package='rijn-bench')})"
    assert rijn_here(packages, *arguments.split()) == Result(2, b"", f"{said} {hint}\n")


def test_without_rijn_bench_nothing_lists_its_commands(packages: Path) -> None:
    assert listed(packages) == [*COMMANDS]
    assert completed(packages, "rijn b") == ["backends"]
    for name in BENCH:
        assert "--quick" not in completed(packages, f"rijn {name} --")


def test_a_plug_in_adds_a_command(packages: Path) -> None:
    install(packages, greet="greeting:command")
    assert listed(packages) == [*COMMANDS, "greet"]
    assert completed(packages, "rijn gr") == ["greet"]
    assert rijn_here(packages, "greet") == Result(0, b"hello\n", "")
    shown = rijn_here(packages, "help", "greet")
    assert shown == rijn_here(packages, "greet", "--help")
    assert shown.out.startswith(b"Usage: rijn greet ")
    assert "did you mean greet?" in rijn_here(packages, "greeet").err


def test_a_plug_in_replaces_no_command_of_rijn(packages: Path) -> None:
    install(packages, backends="greeting:command")
    assert listed(packages) == [*COMMANDS]
    assert b"hello" not in rijn_here(packages, "backends").out


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("nowhere:command", "No module named 'nowhere'"),
        ("greeting:nothing", "module 'greeting' has no attribute 'nothing'"),
    ],
)
def test_a_plug_in_that_does_not_load_is_named(packages: Path, value: str, error: str) -> None:
    install(packages, greet=value)
    said = f"rijn: greet: the package greeting does not load: {error}"
    hint = "(install greeting again, or uninstall it)"
    for arguments in ([], ["--help"], ["name", "--loud"]):
        assert rijn_here(packages, "greet", *arguments) == Result(1, b"", f"{said} {hint}\n")
    assert listed(packages) == [*COMMANDS, "greet"]
    assert completed(packages, "rijn b") == ["backends"]


@pytest.mark.parametrize("arguments", [["--version"], ["backends"], ["encrypt", "--help"]])
def test_plug_ins_are_looked_for_only_when_asked(arguments: list[str]) -> None:
    """Reading the metadata of all packages would take longer than the rest of the start."""
    code = (
        f"import json, sys\nfrom rijn.cli import main\nmain({arguments})\n"
        "print(); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not {name for name in loaded if name.startswith(("importlib.metadata", "rijn_bench"))}
