"""rijn decrypt"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .failures import Exit, Failure, about
from .keys import KeySource, key_options
from .options import (
    BARE_SUFFIX,
    FORCE,
    STDIN,
    SUFFIX,
    aead_option,
    all_cores,
    may_replace,
    open_source,
    remaining,
    source_name,
    work_options,
)
from .output import STDOUT, Destination
from .progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..chunked import Reader
    from ..files import Header

EPILOG = """\b
Examples:
  rijn decrypt letter.txt.rijn                 asks for the passphrase; letter.txt
  rijn decrypt -k my.key backup/disk.rijn disk.img
  rijn decrypt -k my.key photos.tar.rijn - | tar x
  rijn decrypt -k my.key --range 1048576:512 disk.rijn sector.bin
  rijn decrypt --bare -k my.key a.c2sp a.bin   from other C2SP (Cobblestone) programs
"""

_RANGE_RUN = 1 << 20  # bytes that are decrypted and written at once


@click.command("decrypt", epilog=EPILOG + FORCE.format(more=""), short_help="Decrypt a file.")
@work_options
@aead_option("The AEAD of a --bare message, if the key's length does not tell it.")
@click.option(
    "--range",
    "part",
    metavar="OFFSET:LENGTH",
    help="Only LENGTH bytes of the plaintext from OFFSET (from 0); without LENGTH up to the end."
    " SRC must be seekable. DST is standard output unless named.",
)
@key_options
def command(
    src: str | None,
    dst: str | None,
    aead: str | None,
    bare: bool,
    part: str | None,
    force: bool,
    jobs: int | None,
    backend: str | None,
    key_file: str | None,
    passphrase_env: str | None,
    passphrase_fd: int | None,
) -> None:
    """Decrypt SRC to DST.

    Without DST the result is SRC without its .rijn (.c2sp with --bare). Without
    SRC, or with -, standard input is read and standard output written; - as DST
    is standard output too.

    The file says whether it wants a key file or a passphrase, which is asked
    for unless an option says where it is. A file that was altered or cut short
    is refused. To a pipe, authentic parts are written before that is known:
    look at the exit code before you trust that they are all.
    """
    keys = KeySource(key_file, passphrase_env, passphrase_fd)
    wanted = _parse_range(part)
    if bare and keys.key_file is None:
        raise click.UsageError("--bare needs --key-file.")
    if aead is not None and not bare:
        raise click.UsageError("--aead goes with --bare; a Rijn file names its AEAD itself.")
    own = _default_name(src, bare, wanted is not None)
    if dst is None and not own:
        suffix = BARE_SUFFIX if bare else SUFFIX
        raise click.UsageError(f"Name the destination: {src} does not end in {suffix}.")
    with open_source(src) as source:
        if wanted is not None and not source.seekable():
            raise click.UsageError("--range needs a seekable file as its source, not a pipe.")
        destination = Destination(
            own if dst is None else dst,
            os.fstat(source.fileno()),
            force=force,
            content="plaintext",
            keys=keys.statuses(),
            replaceable=may_replace(src, dst, own, lambda path: False),
        )

        from ..chunked import PREFIX, Message, Reader, read_up_to
        from ..files import Header
        from ..pipeline import open_stream

        with about(source_name(src)):
            if bare:
                key, context = keys.read_key(), b""
            else:
                header = Header.read(source)
                aead, context = header.aead, header.encode()
                key = _key_for(header, keys)
            if wanted is not None:
                with _usage_errors():
                    reader = Reader(source, key, aead=aead, context=context, backend=backend)
                _decrypt_range(reader, destination, *wanted)
                return
            prefix = read_up_to(source, PREFIX)
            with _usage_errors():
                message = Message.of(
                    prefix, key, aead=aead, context=context, backend=backend, start=len(context)
                )
            quiet = destination.is_terminal
            total = remaining(source)
            with destination as result, Progress("decrypting", total, quiet=quiet) as progress:
                open_stream(
                    message,
                    source,
                    result.write,
                    jobs=jobs or all_cores(),
                    advance=progress.advance,
                )


def _default_name(src: str | None, bare: bool, is_part: bool) -> str:
    """The destination if none is named; "" if there must be one."""
    if is_part or src is None or src == STDIN:
        return STDOUT
    suffix = BARE_SUFFIX if bare else SUFFIX
    name = src.removesuffix(suffix)
    if name == STDOUT:  # a file of that name, not standard output
        return os.path.join(os.curdir, name)
    return "" if name == src or not os.path.basename(name) else name


def _parse_range(text: str | None) -> tuple[int, int | None] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})?", text)
    if match is None:
        raise click.UsageError("--range is OFFSET:LENGTH in bytes, or OFFSET: up to the end.")
    return int(match[1]), None if match[2] is None else int(match[2])


@contextmanager
def _usage_errors() -> Iterator[None]:
    """What the library refuses (a backend's name, a key's size) the command line asked for."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _key_for(header: Header, keys: KeySource) -> bytes:
    from ..chunked import AEADS

    size = AEADS[header.aead].key_size
    if header.passphrase is not None:
        if keys.key_file is not None:
            raise Failure(
                "the file was encrypted with a passphrase, not with a key file",
                "leave --key-file out",
                Exit.WRONG_KEY,
            )
        return keys.derive(header.passphrase, size, confirm=False)
    if keys.key_file is None:
        raise Failure(
            "the file was encrypted with a key file", "name it with --key-file", Exit.WRONG_KEY
        )
    key = keys.read_key()
    if len(key) != size:
        raise Failure(
            f"the key has {8 * len(key)} bits; the file was encrypted with one of {8 * size}",
            "name another key file",
            Exit.WRONG_KEY,
        )
    return key


def _decrypt_range(
    reader: Reader, destination: Destination, offset: int, length: int | None
) -> None:
    if offset > reader.size:
        raise click.UsageError(
            f"--range begins at {offset}; the plaintext has {reader.size} bytes."
        )
    available = reader.size - offset
    left = available if length is None else min(length, available)
    reader.seek(offset)
    buffer = memoryview(bytearray(min(left, _RANGE_RUN)))
    quiet = destination.is_terminal
    with destination as result, Progress("decrypting", left, quiet=quiet) as progress:
        while left:
            count = reader.readinto(buffer[:left])
            result.write(buffer[:count])
            progress.advance(count)
            left -= count
