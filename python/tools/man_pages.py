"""Writes the man pages of `rijn` and `rijn-aes-demo` into a folder: what --help says, of each
command a page. CMake calls it when a wheel is built.

    python python/tools/man_pages.py FOLDER
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rijn
from rijn.cli import cli
from rijn.cli.demo import cli as demo


def roff(text: str) -> str:
    """Text as it is read: no backslash, hyphen or first dot of a line means anything."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """A help text: what stands behind \\b in lines of its own is printed as it stands, under a
    heading where its first line is one."""
    for block in re.split(r"\n{2,}", inspect.cleandoc(text).strip("\n")):
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
    if isinstance(command, click.Group):
        commands = [command.get_command(context, each) for each in command.list_commands(context)]
        found = [(each.name, each.get_short_help_str(200)) for each in commands if each]
        parts += [".SH COMMANDS", *items([(str(each), text) for each, text in found])]
        others += [f"{name} {each}" for each, _ in found]
    records = [param.get_help_record(context) for param in command.get_params(context)]
    parts += [".SH OPTIONS", *items([it for it in records if it and it[1]])]
    parts += paragraphs(command.epilog or "")
    also = ", ".join(f"\\fB{roff(it.replace(' ', '-'))}\\fR(1)" for it in others)
    return "\n".join([*parts, *([f".SH SEE ALSO\n{also}"] if also else [])]) + "\n"


def pages(context: click.Context) -> Iterator[tuple[str, str]]:
    """The name of each file, and its text: of a command, and of those in it."""
    yield f"{context.command_path.replace(' ', '-')}.1", page(context)
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from pages(click.Context(found, info_name=name, parent=context))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for program, name in ((cli, "rijn"), (demo, "rijn-aes-demo")):
        context = click.Context(program, info_name=name, **program.context_settings)
        for file, text in pages(context):
            (folder / file).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
