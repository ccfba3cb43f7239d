"""The command `rijn`: one module a command, loaded when it is called. `rijn-aes-demo`, a
program of its own, is demo.py.

Nothing is imported here that `rijn --version` does not need.
"""

from __future__ import annotations

import importlib
import os
from shlex import quote
from typing import TYPE_CHECKING

try:
    import click
except ModuleNotFoundError:
    raise SystemExit(
        "rijn: the command line is an extra (pip install '.[cli]' in Rijn's sources)"
    ) from None

from .._traceback import clean_traceback
from .commands import Commands
from .failures import EXIT_CODES, REPORTED, Exit, Interrupted, report

if TYPE_CHECKING:
    from types import ModuleType

    from .output import Signals

COMMANDS = (
    *("encrypt", "decrypt", "verify", "rekey", "keygen", "info", "columns"),
    *("backends", "bench", "profile", "selftest", "completion", "help"),
)


def _load(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __name__)


class _Commands(Commands):
    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        command = super().get_command(ctx, name)
        if command is None and os.path.lexists(name):
            does = "decrypt" if name.endswith(".rijn") else "encrypt"
            ctx.fail(f"No such command {name!r}: for that file it is rijn {does} {quote(name)}")
        return command


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from .. import __version__

        click.echo(f"rijn {__version__}")
        ctx.exit()


EPILOG = """\b
Examples:
  rijn encrypt letter.txt                     asks for a passphrase; letter.txt.rijn
  rijn decrypt letter.txt.rijn                asks for it again; letter.txt
  rijn keygen -o my.key
  rijn encrypt -k my.key *.jpg                each beside itself
  rijn encrypt -k my.key disk.img -o backup/  backup/disk.img.rijn
  tar c photos | rijn encrypt -k my.key > photos.tar.rijn
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

    A result appears under its name only when it is whole, an existing file is
    never overwritten unless told so, and a file that was altered or cut short
    is refused. `rijn COMMAND --help` explains each command.
    """


def main(arguments: list[str] | None = None) -> int:
    """`rijn`, as run() has it."""
    return run(cli, "rijn", arguments)


@clean_traceback
def run(program: click.Command, name: str, arguments: list[str] | None = None) -> int:
    """Runs a program of that name and returns its exit code.

    Without arguments it is the program itself (sys.argv), which ends with this: from the
    return on the signals that it watches are ignored. Otherwise they are as they were.
    """
    from . import output, standard

    standard.open_all()
    output.forget()
    signals = output.Signals()
    try:
        code = _run(program, name, arguments, signals)
    except Interrupted as error:  # it came while another end was reported; there is but one
        code = report(error, name, output.left())
    finally:
        output.discard_unfinished()
        if arguments is not None:
            signals.give_back()
    return code


def _run(program: click.Command, name: str, arguments: list[str] | None, signals: Signals) -> int:
    from . import output, standard

    try:
        result = program.main(arguments, prog_name=name, standalone_mode=False)
        standard.flush()
        code = result if isinstance(result, int) else Exit.OK
    except SystemExit as ended:  # 0: the shell was told how to complete; else a BrokenPipeError
        code = report(BrokenPipeError(), name, output.left()) if ended.code else Exit.OK
    except REPORTED as error:
        signals.ignore()
        code = report(error, name, output.left())
    finally:
        signals.ignore()
    return code
