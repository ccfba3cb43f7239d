"""rijn rekey"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import click

from . import streams
from .each import Pair, pairs, work_on_each
from .failures import Exit, Failure, about, usage_errors
from .keys import DESCRIPTOR, THAT_FITS, KeySource, key_and_header, key_options
from .options import (
    SOURCE,
    STDIN,
    aead_option,
    open_source,
    quiet_option,
    work_options,
)
from .output import Destination
from .progress import Progress
from .sealed import Sealed
from .standard import say

if TYPE_CHECKING:
    from typing import BinaryIO

EPILOG = """\b
Examples:
  rijn rekey letter.txt.rijn                   asks for the old passphrase, then for the new
  rijn rekey -k old.key --new-key-file new.key backup/*.rijn
  rijn rekey -k my.key --new-passphrase-env PW letter.txt.rijn
"""


@click.command("rekey", epilog=EPILOG, short_help="Change the key of files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=SOURCE)
@quiet_option
@work_options
@click.option(
    "--new-passphrase-fd",
    type=DESCRIPTOR,
    metavar="N",
    help="Read the new passphrase from file descriptor N, up to the first newline.",
)
@click.option(
    "--new-passphrase-env",
    metavar="NAME",
    help="Take the new passphrase from the environment variable NAME.",
)
@click.option(
    "--new-key-file", metavar="FILE", type=SOURCE, help="Use the key in FILE from now on."
)
@aead_option("The AEAD from now on, if the new key's length is not to decide.")
@key_options(THAT_FITS)
def command(
    files: tuple[str, ...],
    quiet: bool,
    aead: str | None,
    jobs: int,
    progress: bool | None,
    backend: str | None,
    key_files: tuple[str, ...],
    passphrase_env: str | None,
    passphrase_fd: int | None,
    new_key_file: str | None,
    new_passphrase_env: str | None,
    new_passphrase_fd: int | None,
) -> int:
    """Encrypt each FILE, a Rijn file, under another key or passphrase.

    A message is bound to its key, so all of it is decrypted and written anew, with a new
    salt, beside FILE, which is then replaced in one step: until that, FILE is what it
    was, and if it is written to meanwhile, it stays. The plaintext is never written. What
    was copied, linked or backed up before can still be read with the old key: remove
    that, too.

    The new key is asked for as a passphrase unless an option names another.
    """
    if STDIN in files:
        raise click.UsageError("rekey takes files, which it replaces, and not standard input.")
    if STDIN in key_files and (new_key_file == STDIN or new_passphrase_fd == 0):
        raise click.UsageError("Standard input can be read once.")
    old = KeySource(key_files, passphrase_env, passphrase_fd, files)
    new = KeySource(
        () if new_key_file is None else (new_key_file,),
        new_passphrase_env,
        new_passphrase_fd,
        files,
        prompt="New passphrase",
    )
    sealed = Sealed(old, None, backend, bare=False)
    found = pairs(files, None, lambda name: name)
    old.read_keys()
    new.read_keys()

    def work(pair: Pair) -> str:
        name = pair.source
        if streams.is_stream(name):
            text = f"{name}: is no file that can be replaced"
            raise Failure(text, "name the file itself", Exit.REFUSED)
        with open_source(name, unchanging=True) as source:
            read = os.fstat(source.fileno())
            destination = Destination(
                name,
                None,
                force=True,
                content="ciphertext",
                keys=[*old.statuses(), *new.statuses()],
                in_place=read,
            )
            from ..chunked import Message
            from ..pipeline import seal_stream

            with about(name, bare=False):
                reader = sealed.reader(source, name)
                with usage_errors():
                    key, header = key_and_header(new, aead)
                    context = header.encode()
                    message = Message.new(key, aead=header.aead, context=context, backend=backend)
                bar = Progress(f"writing{pair.label}", reader.size, shown=progress)
                with destination as result, bar:
                    result.write(context)
                    plain = cast("BinaryIO", reader)
                    seal_stream(message, plain, result.write, jobs=jobs, advance=bar.advance)
        return "has the new key"

    return work_on_each(found, work, "have the new key", None if quiet else say)
