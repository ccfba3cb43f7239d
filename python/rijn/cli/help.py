"""rijn help"""

from __future__ import annotations

import click

from . import standard
from .help_all import Command

EPILOG = """\b
Examples:
  rijn help encrypt
  rijn help columns decrypt
"""


@click.command("help", cls=Command, epilog=EPILOG, short_help="Show the help of a command.")
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, or without COMMAND the list of commands."""
    found = context.parent
    assert found is not None
    for name in names:
        inner = None
        if isinstance(found.command, click.Group):
            inner = found.command.get_command(found, name)
        if inner is None:
            raise click.UsageError(f"No such command {name!r}.", found)
        found = click.Context(inner, info_name=name, parent=found)
    standard.echo(found.get_help())
