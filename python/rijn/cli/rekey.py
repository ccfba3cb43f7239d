"""rijn rekey"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import click

from . import streams, tree
from .destination import Destination
from .failures import Exit, Failure, about, usage_errors
from .help_all import Command, FurtherOption
from .keys import DESCRIPTOR, KeySource, key_and_header, key_options
from .options import (
    SOURCE,
    STDIN,
    SUFFIX,
    aead_option,
    open_source,
    quiet_option,
    recursive_in_place_option,
    work_options,
)
from .progress import Progress
from .run_files import Pair, check_distinct, pairs, work_on_each
from .sealed import New, Sealed
from .standard import say

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

EPILOG = """\b
Examples:
  rijn rekey letter.txt.rijn                  asks for both passphrases
  rijn rekey -k old.key --new-key-file new.key backup/*.rijn
  rijn rekey -r -k old.key --new-key-file new.key backup
\f
\b
Another example:
  rijn rekey -k my.key --new-passphrase-env PW letter.txt.rijn
"""


@click.command("rekey", cls=Command, epilog=EPILOG, short_help="Change the key of files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=SOURCE)
@key_options
@click.option("--new-key-file", metavar="FILE", type=SOURCE, help="Change to the key in FILE.")
@quiet_option
@recursive_in_place_option
@work_options
@click.option(
    "--new-passphrase-fd",
    cls=FurtherOption,
    type=DESCRIPTOR,
    metavar="N",
    help="Read the new passphrase from file descriptor N, up to the first newline.",
)
@click.option(
    "--new-passphrase-env",
    cls=FurtherOption,
    metavar="NAME",
    help="Read the new passphrase from the environment variable NAME.",
)
@aead_option("Encrypt with this AEAD instead of the default for the new key's length.")
def command(
    files: tuple[str, ...],
    quiet: bool,
    recursive: bool,
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
    """Encrypt each FILE, a Rijn file, with another key or passphrase.

    Rijn asks for a new passphrase unless an option names the new key. Copies, links and
    backups of the old file still open with the old key. Remove them too.
    \f
    A message is bound to its key. So Rijn decrypts and encrypts the whole file with a new
    salt, in a temporary file in the same folder, and then replaces FILE in one step.
    Until then FILE stays unchanged. If another program writes to FILE meanwhile, Rijn
    does not replace it. Rijn never writes the plaintext. If you name several old key
    files, Rijn uses the key that fits.

    With -r FOLDER Rijn changes the key of each file in FOLDER and its subfolders, for
    example the OUT of encrypt -r. Each file keeps its time of change, so that encrypt -r
    recognizes it. Run the same command again to continue after an interruption. Rijn
    skips a file that has the new key and not an old one. It reports names that do not
    end in .rijn, and skips symbolic links.
    """
    if STDIN in files:
        raise click.UsageError("rekey replaces files, and cannot take standard input.")
    if STDIN in key_files and (new_key_file == STDIN or new_passphrase_fd == 0):
        raise click.UsageError("Standard input can be read only once.")
    old = KeySource(key_files, passphrase_env, passphrase_fd, files)
    new = KeySource(
        () if new_key_file is None else (new_key_file,),
        new_passphrase_env,
        new_passphrase_fd,
        files,
        prompt="New passphrase",
    )
    sealed = Sealed(old, None, backend, bare=False)
    if recursive:
        named_tree = tree.one_named_in(files)
        old.read_keys()
        new.read_keys()
        task = _tree_task(old, new, sealed, aead, backend)
        return tree.work_on_tree(named_tree, task, jobs=jobs, progress=progress, quiet=quiet)
    found = pairs(files, None, lambda name: name)
    check_distinct(found)
    old.read_keys()
    new.read_keys()

    def rekey_one(pair: Pair) -> str:
        name = pair.source
        if streams.is_stream(name):
            text = f"{name}: is not a file that rekey can replace"
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

            with about(name, bare=False):
                reader = sealed.reader(source, name)
                with usage_errors():
                    key, header = key_and_header(new, aead)
                sealer = New(key, header, backend, bare=False)
                with Progress(f"writing{pair.label}", reader.size, shown=progress) as bar:
                    sealer.seal(cast("BinaryIO", reader), destination, jobs, bar.advance)
        return "has the new key"

    return work_on_each(found, rekey_one, "have the new key", None if quiet else say)


def _tree_task(
    old: KeySource, new: KeySource, sealed: Sealed, aead: str | None, backend: str | None
) -> tree.Task:
    """Returns the work on a tree. All files get one key, and a passphrase has one salt for all.
    UsageError, Failure."""
    old.ask()  # before the new one
    with usage_errors():
        key, header = key_and_header(new, aead)
    sealer = New(key, header, backend, bare=False)
    done_before = Sealed(new, None, backend, bare=False)
    key_files = [*old.statuses(), *new.statuses()]

    def is_there(file: tree.File) -> bool:
        """Returns whether an earlier run gave the file its new key. The work itself reports a file
        that no key opens."""
        try:
            with about(file.source, bare=False):
                file.reads.seek(0)
                sealed.message(file.reads, file.source)
        except Failure as error:
            if error.code != Exit.WRONG_KEY:
                raise
        else:
            return False
        file.reads.seek(0)
        try:
            with about(file.source, bare=False):
                return done_before.message(file.reads, file.source).aead.name == header.aead
        except Failure as error:
            if error.code != Exit.WRONG_KEY:
                raise
            return False

    def destination(file: tree.File) -> Destination:
        return Destination(
            file.result,
            None,
            force=True,
            content="ciphertext",
            keys=key_files,
            in_place=file.status,
            keep_time=True,
            folder=file.folder,
        )

    def convert(file: tree.File, data: bytes) -> bytearray:
        return sealer.sealed(sealed.plaintext(data, file.source))

    def begin(file: tree.File, result: Destination | None) -> tree.Job:
        assert result is not None
        with about(file.source, bare=False):
            file.reads.seek(0)
            reader = cast("BinaryIO", sealed.reader(file.reads, file.source))

        def seal(jobs: int, advance: Callable[[int], object]) -> None:
            with about(file.source, bare=False):
                sealer.seal(reader, result, jobs, advance)

        return seal

    return tree.Task(
        result_name=tree.same_name(SUFFIX, "rekey"),
        is_there=is_there,
        destination=destination,
        convert=convert,
        begin=begin,
        doing="writing",
        done="have the new key",
        unchanging=True,
        in_place=True,
    )
