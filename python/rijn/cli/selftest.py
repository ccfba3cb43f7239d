"""rijn selftest"""

from __future__ import annotations

import click

from . import standard
from .failures import Exit
from .help_all import Command

EPILOG = """\b
Examples:
  rijn selftest -v                            each algorithm of each backend
  rijn selftest && rijn encrypt -k my.key letter.txt
"""


@click.command(
    "selftest", cls=Command, epilog=EPILOG, short_help="Check every implementation of AES."
)
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each algorithm too.")
def command(verbose: bool) -> int:
    """Check every implementation that this machine can run.

    Each algorithm must match published test vectors. It must also give the same results
    as the simplest implementation for random messages. Rijn prints every error in full,
    and the exit code is then 1.
    """
    from ..selftest import run

    records = run()
    width = max(len(f"{record.backend} {record.algorithm}") for record in records)
    for name in dict.fromkeys(record.backend for record in records):
        found = [record for record in records if record.backend == name]
        for record in found:
            if verbose or not record.ok:
                verdict = "ok" if record.ok else "WRONG"
                what = f"{record.backend} {record.algorithm}"
                standard.echo(f"{what:{width}}  {verdict:5}  {record.detail}".rstrip())
        right = sum(record.ok for record in found)
        verdict = "ok" if right == len(found) else "WRONG"
        standard.echo(f"{name:{width}}  {verdict:5}  {right} of {len(found)} algorithms")
    failed = sum(not record.ok for record in records)
    standard.echo(f"{len(records):,} checks, {failed:,} failed")
    return int(Exit.OTHER if failed else Exit.OK)
