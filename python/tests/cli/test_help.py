"""`--help` fits one screen, and `--help-all` has all texts and options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest
from program import Result

from rijn.cli import COMMANDS, cli

Run = Callable[..., Result]

LINES, COLUMNS = 40, 80


def commands(context: click.Context) -> Iterator[click.Context]:
    """Yields the contexts of a command and of its subcommands, except those of plug-ins."""
    yield context
    if isinstance(context.command, click.Group):
        names = COMMANDS if context.command is cli else context.command.list_commands(context)
        for name in names:
            found = context.command.get_command(context, name)
            assert found is not None
            yield from commands(click.Context(found, info_name=name, parent=context))


SETTINGS: dict[str, Any] = {**cli.context_settings}
ALL = {
    each.command_path: each for each in commands(click.Context(cli, info_name="rijn", **SETTINGS))
}
LONG = ["rijn", "rijn encrypt", "rijn decrypt", "rijn verify", "rijn rekey", "rijn columns"]


def help_of(run: Run, name: str, option: str) -> str:
    done = run(*name.split()[1:], option, env={"COLUMNS": str(COLUMNS)})
    assert (done.code, done.err) == (0, "")
    return done.out.decode()


@pytest.mark.parametrize("name", ALL)
def test_help_fits_one_screen(run: Run, name: str) -> None:
    text = help_of(run, name, "--help")
    lines = text.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert help_of(run, name, "-h") == text


@pytest.mark.parametrize("name", ALL)
def test_help_all_has_all_texts_and_options(run: Run, name: str) -> None:
    text = help_of(run, name, "--help-all")
    assert max(map(len, text.splitlines())) <= COLUMNS
    command = ALL[name].command
    for option in command.get_params(ALL[name]):
        for each in (*option.opts, *option.secondary_opts):
            assert not isinstance(option, click.Option) or each in text
    plain = "".join(text.split())  # line ends depend on the terminal
    for each in (command.help, command.epilog):
        for paragraph in (each or "").replace("\f", "\n").replace("\b", "").split("\n\n"):
            assert "".join(paragraph.split()) in plain


def test_a_short_help_names_the_full_one(run: Run) -> None:
    for name in LONG:
        last = help_of(run, name, "--help").splitlines()[-1]
        assert last == f"  {name} --help-all prints the full help."
        assert "--passphrase-fd" not in help_of(run, name, "--help")
    assert "--help-all prints" not in help_of(run, "rijn keygen", "--help")
