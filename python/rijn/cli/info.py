"""rijn info"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import standard
from .failures import about, printable
from .options import SOURCE, open_source, remaining, source_name
from .run_files import Pair, pairs, work_on_each

if TYPE_CHECKING:
    from ..files import Header

EPILOG = """\b
Examples:
  rijn info letter.txt.rijn
  rijn info --json backup/*.rijn               a line of JSON for each
"""


@click.command("info", epilog=EPILOG, short_help="Tell what Rijn files say of themselves.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=SOURCE)
@click.option("--json", "as_json", is_flag=True, help="Print an object of JSON for each FILE.")
def command(files: tuple[str, ...], as_json: bool) -> int:
    """Tell how each FILE was encrypted and how long its plaintext is.

    No key is needed, and therefore nothing of this is authenticated: only
    decrypt can tell whether the file is what it says.

    With --json each FILE is a line: an object with file, format, aead, key ("file" or
    "passphrase"), argon2id (memory_kib, passes and lanes of a passphrase; null of a key
    file), and plaintext_bytes, chunks and overhead_bytes, which are null of a pipe.
    """
    import json

    from ..files import VERSION, Header

    found = pairs(files, None, lambda name: None)
    shown = 0

    def show_one(pair: Pair) -> str:
        nonlocal shown
        name = source_name(pair.source)
        with open_source(pair.source) as source, about(name, bare=False):
            header = Header.read(source)
            if as_json:
                said = {"file": name, "format": VERSION, **_said(header)}
                standard.echo(json.dumps(said | _sizes(header, remaining(source))))
                return ""
            standard.echo("\n" * bool(shown), nl=False)
            shown += 1
            _print(name, header)
            sizes = _sizes(header, remaining(source))
        if (chunks := sizes["chunks"]) is not None:
            size = sizes["plaintext_bytes"]
            standard.echo(f"plaintext  {size:,} bytes in {chunks:,} chunk{'s' * (chunks > 1)}")
            standard.echo(f"overhead   {sizes['overhead_bytes']:,} bytes")
        return ""

    return work_on_each(found, show_one, "read", None)


def _print(name: str, header: Header) -> None:
    from ..files import VERSION

    parameters = header.passphrase
    key = "key file"
    if parameters is not None:
        key = (
            f"passphrase (Argon2id: {parameters.memory // 1024} MiB, "
            f"{parameters.passes} passes, {parameters.lanes} lanes)"
        )
    standard.echo(f"file       {printable(name)}")
    standard.echo(f"format     Rijn file, version {VERSION}")
    standard.echo(f"AEAD       {header.aead}")
    standard.echo(f"key        {key}")


def _said(header: Header) -> dict[str, Any]:
    parameters = header.passphrase
    costs = parameters and {
        "memory_kib": parameters.memory,
        "passes": parameters.passes,
        "lanes": parameters.lanes,
    }
    key = "file" if parameters is None else "passphrase"
    return {"aead": header.aead, "key": key, "argon2id": costs}


def _sizes(header: Header, sealed: int | None) -> dict[str, int | None]:
    """Return the sizes of a file whose message has `sealed` bytes. Truncated."""
    from ..chunked import AEADS, CHUNK, PREFIX, plain_size

    if sealed is None:
        return dict.fromkeys(("plaintext_bytes", "chunks", "overhead_bytes"))
    start = len(header.encode())
    size = plain_size(sealed, AEADS[header.aead], start=start)
    chunks = size // CHUNK + 1
    overhead = start + PREFIX + chunks * AEADS[header.aead].tag_size
    return {"plaintext_bytes": size, "chunks": chunks, "overhead_bytes": overhead}
