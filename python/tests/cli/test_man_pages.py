"""Each command has a man page. A wheel's build makes it from the help text, with all of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import click
import pytest
from program import call

from rijn.cli import COMMANDS, cli
from rijn.cli.demo import cli as demo

TOOL = Path(__file__).resolve().parents[2] / "tools" / "man_pages.py"

if not TOOL.exists():
    pytest.skip("no checkout", allow_module_level=True)


def top(program: click.Command, name: str) -> click.Context:
    return click.Context(program, info_name=name, **program.context_settings)


def commands(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            found = context.command.get_command(context, name)
            assert found is not None
            yield from commands(click.Context(found, info_name=name, parent=context))


# Except commands of plug-ins: their packages bring their own pages.
ALL = {
    each.command_path.replace(" ", "-"): each
    for program, name in ((cli, "rijn"), (demo, "rijn-aes-demo"))
    for each in commands(top(program, name))
    if program is not cli or {*each.command_path.split()[1:2]} <= {*COMMANDS}
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    done = call([sys.executable, "-B", TOOL, folder])
    assert done.code == 0, done.err
    return folder


def test_each_command_has_one(pages: Path) -> None:
    assert {path.name for path in pages.iterdir()} == {f"{name}.1" for name in ALL}
    assert {"rijn", "rijn-encrypt", "rijn-columns-encrypt", "rijn-aes-demo-encode"} <= ALL.keys()


@pytest.mark.parametrize("name", ALL)
def test_a_page_has_all_of_the_help(pages: Path, name: str) -> None:
    has_all_of_the_help(pages / f"{name}.1", ALL[name])


def has_all_of_the_help(path: Path, context: click.Context) -> None:
    text = path.read_text("utf-8")
    plain = re.sub(r"\\f[BR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")
    assert not re.search(r"\brungs?\b", plain, re.IGNORECASE)  # they are called backends
    options = [
        option
        for each in context.command.get_params(context)
        if isinstance(each, click.Option) and not each.hidden
        for option in (*each.opts, *each.secondary_opts)
    ]
    assert {"-h", "--help"} <= set(options)
    for option in options:
        assert re.search(rf"^\.TP\n.*(?<![\w-]){re.escape(option)}(?![\w-])", plain, re.MULTILINE)
    # Every word of the texts appears, so groff took none for a request.
    said = {word.removesuffix(":") for word in plain.casefold().split()}
    texts = f"{context.command.help}\n{context.command.epilog or ''}".replace("\b", "")
    assert not {word.removesuffix(":") for word in texts.casefold().split()} - said


def test_pages_are_reproducible(pages: Path, tmp_path: Path) -> None:
    assert call([sys.executable, "-B", TOOL, tmp_path]).code == 0
    for path in pages.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
@pytest.mark.parametrize("name", ALL)
def test_groff_accepts_the_pages(pages: Path, name: str) -> None:
    command = ["groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-cbou", str(pages / f"{name}.1")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"):
        assert f"\n{heading}\n" in f"\n{done.stdout}"
    assert "Show this message and exit." in done.stdout


def test_a_wheel_with_a_module_brings_them() -> None:
    files = metadata.files("rijn") or []
    if not any(file.name.startswith("_native") and file.suffix != ".pyi" for file in files):
        pytest.skip("a pure wheel has none")
    found = {file.stem for file in files if file.parent.name == "man1"}
    assert found == set(ALL)
    assert all(Path(str(file.locate())).exists() for file in files if file.parent.name == "man1")
