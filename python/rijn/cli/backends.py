"""rijn backends"""

from __future__ import annotations

import click

EPILOG = """\b
Example:
  RIJN_BACKEND=fixslice64 rijn encrypt -k my.key letter.txt
"""


@click.command("backends", epilog=EPILOG, short_help="List the implementations of AES.")
def command() -> None:
    """List the implementations of AES, and which of them this machine can run.

    The one marked * is used unless --backend names another, or the environment
    variable RIJN_BACKEND one that is constant time.
    """
    import rijn

    chosen = rijn.AES(bytes(16)).backend
    rows = [("", "backend", "constant time", "")]
    for backend in rijn.backends():
        claim = {True: "yes", False: "no", None: "no claim"}[backend.constant_time]
        note = backend.summary if backend.available else f"not here: {backend.reason}"
        rows.append(("*" if backend.name == chosen else "", backend.name, claim, note))
    width = max(len(row[1]) for row in rows)
    for mark, name, claim, note in rows:
        click.echo(f"{mark:1} {name:{width}}  {claim:13}  {note}".rstrip())
