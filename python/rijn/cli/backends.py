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

    Where a backend has several kernels of AEGIS, they are listed too; its keys get
    the first of them that can run here, marked *.
    """
    import rijn

    chosen = rijn.AES(bytes(16)).backend
    rows = [("", "backend", "constant time", "")]
    kernels = [("", "AEGIS kernel", "backend", "")]
    for backend in rijn.backends():
        claim = {True: "yes", False: "no", None: "no claim"}[backend.constant_time]
        note = backend.summary if backend.available else f"not here: {backend.reason}"
        rows.append(("*" if backend.name == chosen else "", backend.name, claim, note))
    marked = set()
    for kernel in rijn.aegis_kernels():
        first = kernel.available and kernel.backend not in marked
        if first:
            marked.add(kernel.backend)
        if kernel.name != kernel.backend:
            note = kernel.summary if kernel.available else f"not here: {kernel.reason}"
            kernels.append(("*" if first else "", kernel.name, kernel.backend, note))
    _table(rows)
    if len(kernels) > 1:
        click.echo()
        _table(kernels)


def _table(rows: list[tuple[str, str, str, str]]) -> None:
    width = max(len(row[1]) for row in rows)
    for mark, name, second, note in rows:
        click.echo(f"{mark:1} {name:{width}}  {second:13}  {note}".rstrip())
