"""rijn backends"""

from __future__ import annotations

import textwrap

import click

from . import standard
from .help_all import Command
from .terminal import width

EPILOG = """\b
Example:
  RIJN_BACKEND=fixslice64 rijn encrypt -k my.key letter.txt
"""


NOTE = 20  # the fewest columns for a note beside the other columns
NARROW = 4  # a note's indent on lines of its own


@click.command(
    "backends", cls=Command, epilog=EPILOG, short_help="List the implementations of AES."
)
def command() -> None:
    """List the implementations of AES, and show which of them this machine can run.

    Rijn uses the one with the mark * unless --backend names another. The environment
    variable RIJN_BACKEND can name another too, if that one is constant time.

    Some backends have several kernels for AEGIS. A second list shows them, and marks the
    one in use. A key uses the first kernel of its backend that this machine can run.
    """
    import rijn

    records = rijn.backends()
    names = max(len(record.name) for record in records)
    _print(repr(records).splitlines(), names + 19)
    try:
        used = rijn.AEGIS128L(bytes(16)).kernel
    except rijn.BackendError as error:  # what RIJN_BACKEND asks for
        raise click.UsageError(str(error)) from None
    rows = [("", "AEGIS kernel", "of backend", "")]
    for kernel in rijn.aegis_kernels():
        if kernel.name != kernel.backend:
            note = kernel.summary if kernel.available else f"not here: {kernel.reason}"
            rows.append(("*" if kernel.name == used else "", kernel.name, kernel.backend, note))
    if len(rows) > 1:
        standard.echo()
        _print([f"AEGIS runs on the kernel {used} here."], 0)
        names = max(len(name) for _, name, _, _ in rows)
        lines = [
            f"{mark:1} {name:{names}}  {backend:13}  {note}" for mark, name, backend, note in rows
        ]
        _print(lines, names + 19)


def _print(lines: list[str], indent: int) -> None:
    """Prints lines whose last column begins at `indent`. Wraps that column to the terminal's
    width, and moves it to lines of its own where it would be narrower than NOTE."""
    room = width()
    for line in map(str.rstrip, lines):
        if room is None:
            standard.echo(line)
        elif room >= indent + NOTE or not indent:
            standard.echo(_wrapped(line, room, indent))
        else:
            standard.echo(line[:indent].rstrip())
            if note := line[indent:]:
                standard.echo(_wrapped(" " * NARROW + note, room, NARROW))


def _wrapped(line: str, room: int, indent: int) -> str:
    lines = textwrap.wrap(line, room, subsequent_indent=" " * indent, break_on_hyphens=False)
    return "\n".join(lines)
