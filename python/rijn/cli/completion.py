"""rijn completion"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from . import standard
from .help_all import Command

EPILOG = """\b
Examples:
  rijn completion bash > ~/.local/share/bash-completion/completions/rijn
  rijn completion zsh > ~/.zfunc/_rijn         with ~/.zfunc in fpath
  rijn completion fish > ~/.config/fish/completions/rijn.fish
"""


@click.command(
    "completion", cls=Command, epilog=EPILOG, short_help="Print a completion script for a shell."
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script for SHELL that completes commands, options, names and files."""
    program = click.get_current_context().find_root().command
    found = get_completion_class(shell)
    assert found is not None
    standard.echo(found(program, {}, "rijn", "_RIJN_COMPLETE").source())
