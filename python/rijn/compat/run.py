"""Runs an unchanged program on Rijn's AES:

python -m rijn.compat.run --as Cryptodome yt-dlp URL
"""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from ..errors import BackendError
from ..registry import use_backend
from . import stand_in

EPILOG = """\
examples:
  python -m rijn.compat.run --as Cryptodome yt-dlp URL
  python -m rijn.compat.run --as Crypto -m my_package --option
  python -m rijn.compat.run --as pyaes ./script.py

The program is a command that pip installed for this Python, or a path of a script, a folder or a
zip file. It must run in this process: processes that it starts get their usual modules. For those,
use the distribution rijn-cryptodome-shim.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rijn.compat.run",
        usage="%(prog)s --as NAME [--backend NAME] [--over-installed] (PROGRAM | -m MODULE) ...",
        description="Runs a program, and gives it Rijn's AES where it imports another package.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--as",
        dest="name",
        required=True,
        choices=stand_in.NAMES,
        metavar="NAME",
        help=f"the package that the program imports: {', '.join(stand_in.NAMES)}",
    )
    parser.add_argument("--backend", metavar="NAME", help="a backend of `rijn backends`")
    parser.add_argument(
        "--over-installed",
        action="store_true",
        help="replace the package even if it is installed. PyCryptodome's other modules stay",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM names a module")
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    return parser


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the program of the command line. Ends as the program ends; with 2 if it was not run."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    start = None if chosen.module else _located(parser, chosen.program)
    try:
        if chosen.backend is not None:
            use_backend(chosen.backend)
        stand_in.take_place(chosen.name, over_installed=chosen.over_installed)
    except BackendError as error:
        parser.error(str(error))
    except stand_in.InstalledError as error:
        parser.error(
            f"{error}\nThe program works without Rijn. Add --over-installed to use Rijn's AES anyway"
        )
    sys.argv = [chosen.program, *chosen.arguments]
    if start is None:
        sys.path[0] = os.getcwd()
        if find_spec(chosen.program.partition(".")[0]) is None:
            parser.error(f"no module named {chosen.program}. Install it with pip")
        runpy.run_module(chosen.program, run_name="__main__", alter_sys=True)
    elif isinstance(start, Path):
        sys.argv[0] = str(start)
        sys.path[0] = str(start.parent)
        runpy.run_path(str(start), run_name="__main__")
    else:
        sys.exit(start.load()())  # type: ignore[attr-defined]
    sys.exit()


def _located(parser: argparse.ArgumentParser, program: str) -> object:
    """Returns the path of a program, or the entry point of a command of this Python."""
    path = Path(program)
    if path.exists() and (os.sep in program or path.suffix == ".py"):
        return path
    commands = list(entry_points(group="console_scripts", name=program))
    if commands:
        return commands[0]
    found = None if os.sep in program else shutil.which(program)
    if found is None:
        parser.error(
            f"{program}: no such file, and no command of this Python ({sys.executable}). "
            "Install it with pip, or give its path"
        )
    with open(found, "rb") as file:
        line = file.readline(200)
    if not (line.startswith(b"#!") and b"python" in line):
        parser.error(f"{found}: not a Python program, so it cannot run on Rijn's modules")
    python = line[2:].split()[0].decode(errors="replace")
    if not python.endswith("/env") and not _same_python(python):
        parser.error(
            f"{found} belongs to another Python. Run it there, where rijn must be installed, too: "
            f"{python} -m rijn.compat.run …"
        )
    return Path(found)


def _same_python(python: str) -> bool:
    """Returns True if a script for that interpreter finds this one's packages."""
    return Path(python).parent == Path(sys.executable).parent


if __name__ == "__main__":
    main()
