"""The command `rijn`. Each subcommand is a module, which loads when it is called. The separate
program `rijn-aes-demo` is demo.py.

This module imports only what `rijn --version` needs.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from shlex import quote
from typing import TYPE_CHECKING

from .._install import pip_install

try:
    import click
except ModuleNotFoundError:
    raise SystemExit(
        f"rijn: the command line needs the package click ({pip_install('cli')})"
    ) from None

from .._traceback import clean_traceback
from .commands import Commands
from .failures import EXIT_CODES, REPORTED, Exit, Failure, Interrupted, report

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import ModuleType

    from .signals import Signals

COMMANDS = (
    *("encrypt", "decrypt", "verify", "rekey", "keygen", "info", "columns"),
    *("backends", "selftest", "completion", "help"),
)
# Other distributions add commands: an entry point in this group names a click command.
PLUG_INS = "rijn.commands"
# Commands of rijn-bench. This package only knows their names.
BENCH = ("bench", "profile")


def _load(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __name__)


@cache
def _plug_ins() -> dict[str, EntryPoint]:
    """Returns the entry points of installed plug-ins, by command. This reads the metadata of all
    installed distributions, which takes milliseconds."""
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=PLUG_INS) if each.name not in COMMANDS}


class _Commands(Commands):
    """Rijn's own commands, then those of plug-ins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *sorted(_plug_ins())]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            if plug_in := _plug_ins().get(name):
                return _load_plug_in(plug_in)
            if name in BENCH and not ctx.resilient_parsing:
                raise Failure(
                    f"{name}: this command needs the package rijn-bench",
                    pip_install(package="rijn-bench"),
                    Exit.USAGE,
                )
        command = super().get_command(ctx, name)
        if command is None and not ctx.resilient_parsing and os.path.lexists(name):
            does = "decrypt" if name.endswith(".rijn") else "encrypt"
            ctx.fail(f"No such command {name!r}: did you mean rijn {does} {quote(name)}?")
        return command


def _load_plug_in(plug_in: EntryPoint) -> click.Command:
    """Returns the command. If it does not load, returns a command that reports the error, so that
    help still works."""
    try:
        command = plug_in.load()
    except (ImportError, AttributeError) as error:
        package = plug_in.dist.name if plug_in.dist else plug_in.value
        failure = Failure(
            f"{plug_in.name}: the package {package} does not load: {error}",
            f"install {package} again, or uninstall it",
            Exit.OTHER,
        )

        @click.command(
            plug_in.name,
            short_help=f"(The package {package} does not load.)",
            add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )
        def command() -> None:
            raise failure

    assert isinstance(command, click.Command)
    return command


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from .. import __version__
        from . import standard

        standard.echo(f"rijn {__version__}")
        ctx.exit()


EPILOG = """\b
Examples:
  rijn encrypt letter.txt                     asks for a passphrase
  rijn decrypt letter.txt.rijn                asks for the passphrase
  rijn keygen -o my.key
  rijn encrypt -k my.key *.jpg                sea.jpg.rijn and so on
  tar c photos | rijn encrypt -k my.key > photos.tar.rijn
\f
\b
More examples:
  rijn encrypt -k my.key disk.img -o backup/  backup/disk.img.rijn
  rijn decrypt -k my.key photos.tar.rijn -o - | tar x

\b
Exit codes:
""" + "\n".join(f"  {code:<4} {text}" for code, text in EXIT_CODES.items())


@click.group(
    cls=_Commands,
    names=COMMANDS,
    load=_load,
    epilog=EPILOG,
    no_args_is_help=False,  # a missing command is an error like any other
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Encrypt files with AES, authenticated and as fast as the machine allows.

    `rijn COMMAND --help` explains a command.
    \f
    A result gets its name only when it is complete. Rijn never overwrites an existing file
    without --force, and refuses files that are altered or truncated.
    """


def main(arguments: list[str] | None = None) -> int:
    """Runs `rijn`, as `run` does."""
    return run(cli, "rijn", arguments)


@clean_traceback
def run(program: click.Command, name: str, arguments: list[str] | None = None) -> int:
    """Runs a program under that name and returns its exit code.

    Without `arguments` this is the process's own program: it uses sys.argv, and the signals that it
    handles stay ignored afterwards. With `arguments` the signals get their former handlers back.
    """
    from . import results, standard
    from .signals import Signals

    standard.open_all()
    results.forget()
    signals = Signals()
    try:
        code = _run(program, name, arguments, signals)
    except Interrupted as error:  # came while another error was reported
        code = report(error, name, results.describe())
    finally:
        results.discard_unfinished()
        if arguments is not None:
            signals.give_back()
    return code


def _run(program: click.Command, name: str, arguments: list[str] | None, signals: Signals) -> int:
    from . import results, standard

    try:
        result = program.main(arguments, prog_name=name, standalone_mode=False)
        standard.flush()
        code = result if isinstance(result, int) else Exit.OK
    except SystemExit as ended:  # 0: shell completion; else a BrokenPipeError
        code = report(BrokenPipeError(), name, results.describe()) if ended.code else Exit.OK
    except REPORTED as error:
        signals.ignore()
        code = report(error, name, results.describe())
    finally:
        signals.ignore()
    return code
