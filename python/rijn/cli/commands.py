"""A group of commands. Each command is a module, which loads when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .._traceback import clean_traceback
from .help_all import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType


class Commands(Command, click.Group):
    """The commands `names`. `load` imports the module of a command, which has it as `command`."""

    def __init__(
        self, *, names: Sequence[str], load: Callable[[str], ModuleType], **options: Any
    ) -> None:
        super().__init__(**options)
        self._names = names
        self._load = load

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._names)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name == "help":
            from .help import command as help_command

            return help_command
        if name not in self._names:
            if ctx.resilient_parsing:  # a shell completes the rest of the line
                return None
            import difflib

            for near in difflib.get_close_matches(name, self.list_commands(ctx), 1, 0.6):
                ctx.fail(f"No such command {name!r}: did you mean {near}?")
            return None
        command = self._load(name).command
        assert isinstance(command, click.Command)
        return command

    @clean_traceback
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            # For an option without its value, click does not name the command.
            name = ctx.invoked_subcommand
            if error.ctx is None and name and (command := self.get_command(ctx, name)):
                error.ctx = click.Context(command, info_name=name, parent=ctx)
            raise
