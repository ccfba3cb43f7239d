"""Writes man pages into a folder. Each command gets a page with the text of its --help-all. CMake
calls this script when it builds a wheel.

    python python/tools/man_pages.py FOLDER              the commands of rijn, and rijn-aes-demo
    python python/tools/man_pages.py FOLDER PYPROJECT    the commands that this distribution adds
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rijn
from rijn.cli import COMMANDS, PLUG_INS, cli
from rijn.cli.demo import cli as demo
from rijn.cli.help_all import want_all


def roff(text: str) -> str:
    """Escapes text, so that backslashes, hyphens and leading dots have no special meaning."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """Splits a help text. Lines after \\b are printed unchanged, under a heading if the first line
    is one."""
    text = inspect.cleandoc(text).replace("\f", "\n")  # --help ends there
    for block in re.split(r"\n{2,}", text.strip("\n")):
        if not block.startswith("\b"):
            yield f".PP\n{roff(' '.join(block.split()))}"
            continue
        lines = block.splitlines()[1:]
        if len(lines) > 1 and lines[0].endswith(":") and lines[1].startswith("  "):
            yield f".SH {roff(lines.pop(0)[:-1].upper())}"
        else:
            yield ".PP"
        yield ".nf\n" + "\n".join(roff(line) for line in lines) + "\n.fi"


def items(pairs: list[tuple[str, str]]) -> Iterator[str]:
    for term, text in pairs:
        yield f".TP\n\\fB{roff(term)}\\fR\n{roff(text)}"


def inner(context: click.Context) -> list[click.Context]:
    """Returns the commands of a group, if it is one. Commands that other packages add are left out."""
    command = context.command
    if not isinstance(command, click.Group):
        return []
    names = COMMANDS if command is cli else command.list_commands(context)
    found = {name: command.get_command(context, name) for name in names}
    return [
        click.Context(each, info_name=name, parent=context) for name, each in found.items() if each
    ]


def plugged(context: click.Context, project: Path) -> Iterator[click.Context]:
    """Returns the commands that a distribution adds to `rijn`. The context is that command's."""
    sys.path.insert(0, str(project.parent))
    table = tomllib.loads(project.read_text("utf-8"))
    for name, value in table["project"]["entry-points"][PLUG_INS].items():
        command = EntryPoint(name, value, PLUG_INS).load()
        yield click.Context(command, info_name=name, parent=context)


def page(context: click.Context) -> str:
    command = context.command
    name = context.command_path.replace(" ", "-")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    short = command.get_short_help_str(limit=200).rstrip(".")
    parts = [
        f'.TH {roff(name.upper())} 1 "" "Rijn {rijn.__version__}" "User Commands"',
        f".SH NAME\n{roff(name)} \\- {roff(short)}",
        f".SH SYNOPSIS\n{roff(usage)}",
        ".SH DESCRIPTION",
        *paragraphs(command.help or ""),
    ]
    others = [] if context.parent is None else [context.parent.command_path]
    if commands := inner(context):
        found = [(str(it.info_name), it.command.get_short_help_str(200)) for it in commands]
        parts += [".SH COMMANDS", *items(found)]
        others += [f"{name} {each}" for each, _ in found]
    records = [param.get_help_record(context) for param in command.get_params(context)]
    parts += [".SH OPTIONS", *items([it for it in records if it and it[1]])]
    parts += paragraphs(command.epilog or "")
    also = ", ".join(f"\\fB{roff(it.replace(' ', '-'))}\\fR(1)" for it in others)
    return "\n".join([*parts, *([f".SH SEE ALSO\n{also}"] if also else [])]) + "\n"


def pages(context: click.Context) -> Iterator[tuple[str, str]]:
    """Yields the file name and the text of a command's page, then of its subcommands."""
    yield f"{context.command_path.replace(' ', '-')}.1", page(context)
    for each in inner(context):
        yield from pages(each)


def main(folder: Path, *projects: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rijn_, demo_ = (
        click.Context(program, info_name=name, **program.context_settings)
        for program, name in ((cli, "rijn"), (demo, "rijn-aes-demo"))
    )
    want_all(rijn_)
    wanted = [it for project in projects for it in plugged(rijn_, project)] or [rijn_, demo_]
    for context in wanted:
        for file, text in pages(context):
            (folder / file).write_text(text, "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
