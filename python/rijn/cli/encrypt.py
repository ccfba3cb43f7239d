"""rijn encrypt"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from ..disk.acl import status_of
from . import distributed, tree
from .destination import Destination
from .failures import Exit, Failure, about, naming, usage_errors
from .help_all import Command
from .keys import KeySource, key_and_header, key_options
from .options import (
    BARE_SUFFIX,
    FORCE,
    STDIN,
    SUFFIX,
    aead_option,
    bare_option,
    check_input,
    file_options,
    key_name,
    open_source,
    reading,
    recursive_option,
    remaining,
    work_options,
)
from .progress import Progress
from .run_files import Pair, check_apart, pairs, remove_source, result_of, work_on_each
from .sealed import New, Sealed
from .spark import engine_option
from .standard import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from .folders import Folder

EPILOG = """\b
Examples:
  rijn encrypt letter.txt                     asks for a passphrase
  rijn encrypt -k my.key *.jpg                sea.jpg.rijn and so on
  rijn encrypt -k my.key disk.img -o backup/  backup/disk.img.rijn
  rijn encrypt -r -k my.key photos backup     backup/2024/sea.jpg.rijn
  tar c photos | rijn encrypt -k my.key > photos.tar.rijn
\f
\b
More examples:
  rijn encrypt -r --update -k my.key photos backup
                                              new and changed files
  pass show backup | rijn encrypt --passphrase-fd 0 disk.img
  rijn encrypt --bare -k my.key a.bin         for other C2SP programs

\b
With a 256-bit key:
  rijn keygen --bits 256 -o big.key
  rijn encrypt -k big.key --aead aegis-256 a.img
"""


@click.command(
    "encrypt",
    cls=Command,
    epilog=EPILOG + FORCE,
    short_help="Encrypt files.",
)
@key_options
@file_options
@recursive_option
@click.option("--update", is_flag=True, help="With -r: encrypt changed files again.")
@engine_option
@bare_option
@work_options
@aead_option("Encrypt with this AEAD instead of the default for the key's length.")
def command(
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    remove: bool,
    quiet: bool,
    recursive: bool,
    update: bool,
    engine: str,
    aead: str | None,
    bare: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
    key_files: tuple[str, ...],
    passphrase_env: str | None,
    passphrase_fd: int | None,
) -> int:
    """Encrypt each FILE to FILE.rijn in the same folder.

    Without FILE, or if FILE is -, encrypt standard input to standard output. The key
    comes from a key file (-k) or a passphrase, which Rijn asks for.
    \f
    With --bare the result is FILE.c2sp. With -o OUT the result goes to OUT, or into OUT
    if it is a folder or ends in /. -o - is standard output. If one of several files
    fails, Rijn continues with the others.

    Rijn asks for the passphrase twice unless --passphrase-env or
    --passphrase-fd gives it. The key's length decides the AEAD, and --aead chooses another one. A
    passphrase makes a key of 128 bits, or a key of the length that --aead needs:

    \b
      128 bits   aes-128-gcm (default), aegis-128l, aegis-128x2, aegis-128x4
      256 bits   aes-256-gcm (default), aegis-256, aegis-256x2, aegis-256x4

    Other C2SP (Cobblestone) programs read AES-GCM. AEGIS is faster on processors with
    AES instructions. Both give the same guarantees.

    Rijn refuses a source that changes while Rijn reads it.

    With -r FOLDER OUT Rijn encrypts each regular file in FOLDER and its subfolders to a
    file in OUT, for example OUT/2024/sea.jpg.rijn. Rijn makes OUT if needed. OUT must
    not be in FOLDER, nor FOLDER in OUT. Run the same command again to continue after an
    interruption or to encrypt new files. Rijn skips a file if its result has the file's
    time of change, the expected size and the same key. Rijn reports a file that has
    changed since. With --update Rijn encrypts that file again if the result is older and
    has this key. Rijn also reports any other file under the name of a result, and
    replaces it only with --force. Rijn reports pipes and other special files. It skips
    symbolic links and counts them in the last line. The results show all names, sizes
    and the structure of the folders.

    With --engine spark the executors of Apache Spark do the work of -r. Each executor
    encrypts ranges of a file, which helps with large files. FOLDER, OUT and the key file
    must be on a file system that all executors share.
    """
    named_tree = tree.named_in("encrypt", files, output, remove=remove) if recursive else None
    if named_tree is None:
        if update:
            raise click.UsageError("--update needs -r.")
        check_input(files, force)
    keys = KeySource(key_files, passphrase_env, passphrase_fd, files)
    if bare and not key_files:
        raise click.UsageError("--bare needs --key-file: a bare message has no place for a salt.")
    suffix = BARE_SUFFIX if bare else SUFFIX
    choice = distributed.choice(engine)
    choice.check(key_files, recursive=recursive)
    if named_tree is not None:
        keys.read_keys()
        with choice.engine(key_files, backend) as chosen:
            task = _tree_task(keys, aead, backend, chosen, bare=bare, force=force, update=update)
            return tree.work_on_tree(
                named_tree, task, jobs=chosen.jobs(jobs), progress=progress, quiet=quiet
            )
    found = pairs(files, output, lambda name: name + suffix)
    check_apart(found)
    keys.read_keys()

    def encrypt_one(pair: Pair) -> str:
        assert pair.result is not None
        _check_source(pair, suffix, key_files)
        with open_source(pair.source, unchanging=True) as source:
            read = status_of(source.fileno())
            keys.check_source(pair.source, read)
            destination = result_of(
                *(pair, read, suffix, keys.statuses()),
                content="ciphertext",
                force=force,
                remove=remove,
            )
            with usage_errors():
                key, header = key_and_header(keys, aead)
            with Progress(f"encrypting{pair.label}", remaining(source), shown=progress) as bar:
                new = New(key, header, backend, bare=bare)
                new.seal(source, destination, jobs, bar.advance)
        if remove:
            remove_source(pair, read)
        return f"encrypted to {destination.name}"

    return work_on_each(found, encrypt_one, "encrypted", None if quiet else say, pipes=True)


def _tree_task(
    keys: KeySource,
    aead: str | None,
    backend: str | None,
    engine: tree.TreeEngine,
    *,
    bare: bool,
    force: bool,
    update: bool,
) -> tree.Task:
    """Returns the work on a tree. All files have one key, and a passphrase has one salt for all.
    Each message derives keys of its own. UsageError, Failure."""
    with usage_errors():
        key, header = key_and_header(keys, aead)
    new = New(key, header, backend, bare=bare)
    sealed = Sealed(keys, aead if bare else None, backend, bare=bare)
    key_files = keys.statuses()

    def is_there(file: tree.File) -> bool:
        keys.check_source(file.source, file.status, key_files)
        if not file.is_named:
            return False

        def whole(found: os.stat_result) -> bool:
            return _plain_size(sealed, file, found.st_size, bare=bare) == file.status.st_size

        def renews(found: os.stat_result) -> bool:
            return update and _plain_size(sealed, file, found.st_size, bare=bare) is not None

        return tree.is_there(file, whole, force=force, renews=renews)

    def destination(file: tree.File) -> Destination:
        return tree.result_of(file, key_files, content="ciphertext", force=force)

    def convert(_file: tree.File, data: bytes) -> bytearray:
        return new.sealed(data)

    def begin(file: tree.File, result: Destination | None) -> tree.Job:
        assert result is not None

        def seal(jobs: int, advance: Callable[[int], object]) -> None:
            engine.seal(file, result, new, jobs, advance)

        return seal

    return tree.Task(
        result_name=tree.with_suffix(BARE_SUFFIX if bare else SUFFIX),
        is_there=is_there,
        destination=destination,
        convert=convert if engine.is_local else None,
        begin=begin,
        doing="encrypting",
        done="encrypted",
        unchanging=True,
        give_up=engine.give_up,
    )


def _folder(file: tree.File) -> Folder:
    assert file.folder is not None
    return file.folder


def _plain_size(sealed: Sealed, file: tree.File, size: int, *, bare: bool) -> int | None:
    """Returns the size of the plaintext in a result of `size` bytes, or None if the result does not
    begin like one with this key. Failure, OSError."""
    from ..chunked import PREFIX

    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with naming(file.result):
        fd = os.open(file.name, flags, dir_fd=_folder(file).fd)
    try:
        source = reading(fd, file.result, unchanging=False)
        with about(file.result, bare=bare):
            message = sealed.message(source, file.result)
            return message.plain_size(size - (source.tell() - PREFIX))
    except Failure as error:
        if error.code in (Exit.WRONG_KEY, Exit.DAMAGED, Exit.TRUNCATED, Exit.NOT_RIJN):
            return None
        raise
    finally:
        os.close(fd)


def _check_source(pair: Pair, suffix: str, key_files: tuple[str, ...]) -> None:
    """Checks that the source is not a folder, and is not encrypted already: a pattern such as * may
    match earlier results. Failure."""
    if pair.source != STDIN and os.path.isdir(pair.source):
        one = _as_one_file(pair.source, pair.result if pair.named else None, key_files)
        hint = f"-r {shlex.quote(pair.source)} OUT encrypts each file in it; or {one}"
        raise Failure(f"{pair.source}: is a folder", hint, Exit.OTHER)
    if pair.source.endswith(suffix) and not pair.named:
        hint = "to encrypt it again, name the result: -o OUT"
        raise Failure(f"{pair.source}: is named {suffix} already", hint, Exit.REFUSED)


def _as_one_file(folder: str, output: str | None, key_files: tuple[str, ...]) -> str:
    """Returns a hint: the command that encrypts a folder as one file with the same key files."""
    if output is None:
        name = folder.rstrip(os.sep)
        has_name = os.path.basename(name) not in ("", os.curdir, os.pardir)
        output = f"{name}.tar{SUFFIX}" if has_name else "OUT"
    from ..files.format import UNSHOWN

    names = [key_name(name) for name in key_files if name != STDIN]
    keys = "".join(f"-k {'FILE' if it == UNSHOWN else shlex.quote(it)} " for it in names)
    return (
        f"make one file of it: tar c {shlex.quote(folder)} | "
        f"rijn encrypt {keys}-o {shlex.quote(output)}"
    )
