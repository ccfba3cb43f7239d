"""rijn encrypt"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from .keys import KeySource, key_options
from .options import (
    BARE_SUFFIX,
    FORCE,
    STDIN,
    SUFFIX,
    aead_option,
    all_cores,
    is_rijn_file,
    may_replace,
    open_source,
    remaining,
    work_options,
)
from .output import STDOUT, Destination
from .progress import Progress

if TYPE_CHECKING:
    from ..files import Header

DEFAULT_AEAD = "AEAD_AES_128_GCM"  # for passphrases; the one that C2SP recommends

MORE = ";\n  or it is a Rijn file, and SRC is not (with --bare: is named .c2sp)"

EPILOG = """\b
Examples:
  rijn encrypt letter.txt                      asks for a passphrase; letter.txt.rijn
  rijn encrypt -k my.key disk.img backup/disk.rijn
  tar c photos | rijn encrypt -k my.key > photos.tar.rijn
  pass show backup | rijn encrypt --passphrase-fd 0 disk.img
  rijn encrypt --aead aegis-256 -k my.key a.img    a key of 256 bits, AEGIS
  rijn encrypt --bare -k my.key a.bin a.c2sp   for other C2SP (Cobblestone) programs
"""


@click.command("encrypt", epilog=EPILOG + FORCE.format(more=MORE), short_help="Encrypt a file.")
@work_options
@aead_option("The AEAD, if the key's length is not to decide (names: see above).")
@key_options
def command(
    src: str | None,
    dst: str | None,
    aead: str | None,
    bare: bool,
    force: bool,
    jobs: int | None,
    backend: str | None,
    key_file: str | None,
    passphrase_env: str | None,
    passphrase_fd: int | None,
) -> None:
    """Encrypt SRC to DST.

    Without DST the result is SRC.rijn (SRC.c2sp with --bare). Without SRC, or
    with -, standard input is read and standard output written; - as DST is
    standard output too.

    The key comes from a key file, or from a passphrase, which is asked for
    twice unless an option says where it is. The AEAD follows from the key's
    length; a passphrase makes a key of 128 bits unless --aead says otherwise:

    \b
      key of 128 bits   aes-128-gcm, aegis-128l, aegis-128x2, aegis-128x4
      key of 256 bits   aes-256-gcm, aegis-256, aegis-256x2, aegis-256x4

    AES-GCM is what other C2SP (Cobblestone) programs read; AEGIS is faster where
    the processor has AES instructions. Both give the same promises.

    A source that changes while it is read is refused.
    """
    keys = KeySource(key_file, passphrase_env, passphrase_fd)
    if bare and keys.key_file is None:
        raise click.UsageError("--bare needs --key-file: a bare message has no place for a salt.")
    own = _default_name(src, bare)
    with open_source(src, unchanging=True) as source:
        destination = Destination(
            own if dst is None else dst,
            os.fstat(source.fileno()),
            force=force,
            content="ciphertext",
            keys=keys.statuses(),
            replaceable=may_replace(src, dst, own, _is_bare if bare else is_rijn_file),
        )

        from ..chunked import Message
        from ..pipeline import seal_stream

        try:
            key, header = _key_and_header(keys, aead)
            context = b"" if bare else header.encode()
            message = Message.new(key, aead=header.aead, context=context, backend=backend)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        with destination as result, Progress("encrypting", remaining(source)) as progress:
            result.write(context)
            seal_stream(
                message,
                source,
                result.write,
                jobs=jobs or all_cores(),
                advance=progress.advance,
            )


def _default_name(src: str | None, bare: bool) -> str:
    if src is None or src == STDIN:
        return STDOUT
    return src + (BARE_SUFFIX if bare else SUFFIX)


def _is_bare(path: str) -> bool:
    return path.endswith(BARE_SUFFIX)  # a message begins with random bytes


def _key_and_header(keys: KeySource, aead: str | None) -> tuple[bytes, Header]:
    from ..chunked import find_aead, named_aead
    from ..files import Argon2id, Header

    if keys.key_file is not None:
        key = keys.read_key()
        return key, Header(find_aead(aead, len(key)).name)
    chosen = named_aead(aead or DEFAULT_AEAD)  # before the passphrase is asked for
    parameters = Argon2id.new()
    key = keys.derive(parameters, chosen.key_size, confirm=True)
    return key, Header(chosen.name, parameters)
