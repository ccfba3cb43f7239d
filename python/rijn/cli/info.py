"""rijn info"""

from __future__ import annotations

import click

from .failures import about, printable
from .options import SOURCE, open_source, remaining, source_name

EPILOG = """\b
Example:
  rijn info letter.txt.rijn
"""


@click.command("info", epilog=EPILOG, short_help="Tell what a Rijn file says of itself.")
@click.argument("file", type=SOURCE)
def command(file: str) -> None:
    """Tell how FILE was encrypted and how long its plaintext is.

    No key is needed, and therefore nothing of this is authenticated: only
    decrypt can tell whether the file is what it says.
    """
    from ..chunked import AEADS, CHUNK, PREFIX, plain_size
    from ..files import VERSION, Header

    name = source_name(file)
    with open_source(file) as source, about(name, bare=False):
        header = Header.read(source)
        parameters = header.passphrase
        if parameters is None:
            key = "key file"
        else:
            key = (
                f"passphrase (Argon2id: {parameters.memory // 1024} MiB, "
                f"{parameters.passes} passes, {parameters.lanes} lanes)"
            )
        click.echo(f"file       {printable(name)}")
        click.echo(f"format     Rijn file, version {VERSION}")
        click.echo(f"AEAD       {header.aead}")
        click.echo(f"key        {key}")
        sealed = remaining(source)
        if sealed is None:
            return
        size = plain_size(sealed, AEADS[header.aead], start=len(header.encode()))
        chunks = size // CHUNK + 1
        overhead = len(header.encode()) + PREFIX + chunks * AEADS[header.aead].tag_size
        click.echo(f"plaintext  {size} bytes in {chunks} chunk{'s' * (chunks > 1)}")
        click.echo(f"overhead   {overhead} bytes")
