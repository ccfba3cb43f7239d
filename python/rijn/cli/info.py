"""rijn info"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import standard
from .failures import about, printable
from .help_all import Command
from .options import SOURCE, open_source, remaining, source_name
from .run_files import Pair, pairs, work_on_each

if TYPE_CHECKING:
    from ..files.format import Header

EPILOG = """\b
Examples:
  rijn info letter.txt.rijn
  rijn info --json backup/*.rijn              a line of JSON for each
"""


@click.command(
    "info", cls=Command, epilog=EPILOG, short_help="Show how files are encrypted, and their size."
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=SOURCE)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each FILE.")
def command(files: tuple[str, ...], as_json: bool) -> int:
    """Show how each FILE is encrypted and how long its plaintext is.

    This needs no key, so nothing here is authenticated. Only decrypt and verify can tell
    whether it is true.

    With --json Rijn prints one object a line for each FILE. The fields are file, format,
    aead, key ("file" or "passphrase"), argon2id, plaintext_bytes, chunks and
    overhead_bytes. argon2id has memory_kib, passes and lanes, or is null for a key file.
    The last three fields are null for a pipe.
    """
    import json

    from ..files.format import VERSION, Header

    found = pairs(files, None, lambda name: None)
    shown = 0

    def show_one(pair: Pair) -> str:
        nonlocal shown
        name = source_name(pair.source)
        with open_source(pair.source) as source, about(name, bare=False):
            header = Header.read(source)
            if as_json:
                fields = {"file": name, "format": VERSION, **_fields(header)}
                standard.echo(json.dumps(fields | _sizes(header, remaining(source))))
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
    from ..files.format import VERSION

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


def _fields(header: Header) -> dict[str, Any]:
    parameters = header.passphrase
    costs = parameters and {
        "memory_kib": parameters.memory,
        "passes": parameters.passes,
        "lanes": parameters.lanes,
    }
    key = "file" if parameters is None else "passphrase"
    return {"aead": header.aead, "key": key, "argon2id": costs}


def _sizes(header: Header, sealed: int | None) -> dict[str, int | None]:
    """Returns the sizes of a file whose message has `sealed` bytes. Truncated."""
    from ..chunked import AEADS, CHUNK, PREFIX, plain_size

    if sealed is None:
        return dict.fromkeys(("plaintext_bytes", "chunks", "overhead_bytes"))
    start = len(header.encode())
    size = plain_size(sealed, AEADS[header.aead], start=start)
    chunks = size // CHUNK + 1
    overhead = start + PREFIX + chunks * AEADS[header.aead].tag_size
    return {"plaintext_bytes": size, "chunks": chunks, "overhead_bytes": overhead}
