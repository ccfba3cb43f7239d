"""rijn selftest"""

from __future__ import annotations

import click

from .failures import Exit

EPILOG = """\b
Example:
  rijn selftest && rijn encrypt -k my.key letter.txt
"""


@click.command("selftest", epilog=EPILOG, short_help="Check every implementation of AES.")
def command() -> int:
    """Check every implementation that this machine can run with published vectors.

    The exit code is 1 if any of them gives a wrong result.
    """
    from ..selftest import run

    records = run()
    width = max(len(f"{record.backend} {record.algorithm}") for record in records)
    for record in records:
        what = f"{record.backend} {record.algorithm}"
        verdict = "ok" if record.ok else "WRONG"
        click.echo(f"{what:{width}}  {verdict:5}  {record.detail}".rstrip())
    failed = sum(not record.ok for record in records)
    click.echo(f"{len(records)} checks, {failed} failed")
    return int(Exit.OTHER if failed else Exit.OK)
