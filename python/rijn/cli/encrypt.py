"""rijn encrypt"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from . import distributed, tree
from .each import Pair, check_apart, check_removable, pairs, remove_source, work_on_each
from .failures import Exit, Failure, about, usage_errors
from .keys import ONE_KEY, KeySource, key_and_header, key_options
from .options import (
    BARE_SUFFIX,
    FORCE,
    STDIN,
    SUFFIX,
    aead_option,
    bare_option,
    check_input,
    file_options,
    may_replace,
    open_source,
    recursive_option,
    remaining,
    work_options,
)
from .output import Destination
from .permissions import status_of
from .progress import Progress
from .sealed import Sealed
from .spark import engine_option
from .standard import say

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from ..chunked import Message
    from ..files import Header

EPILOG = """\b
Examples:
  rijn encrypt letter.txt                      asks for a passphrase; letter.txt.rijn
  rijn encrypt -k my.key *.jpg                 each beside itself
  rijn encrypt -k my.key disk.img -o backup/   backup/disk.img.rijn
  rijn encrypt -r -k my.key photos backup      backup/2024/sea.jpg.rijn and so on
  tar c photos | rijn encrypt -k my.key > photos.tar.rijn
  pass show backup | rijn encrypt --passphrase-fd 0 disk.img
  rijn encrypt --bare -k my.key a.bin          for other C2SP (Cobblestone) programs

\b
With a key of 256 bits:
  rijn keygen --bits 256 -o big.key
  rijn encrypt -k big.key --aead aegis-256 a.img
"""


@click.command(
    "encrypt",
    epilog=EPILOG + FORCE,
    short_help="Encrypt files.",
)
@file_options
@recursive_option
@engine_option
@bare_option
@work_options
@aead_option("The AEAD, if the key's length is not to decide (names: see above).")
@key_options(ONE_KEY)
def command(
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    remove: bool,
    quiet: bool,
    recursive: bool,
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
    """Encrypt each FILE.

    The result of FILE is FILE.rijn beside it (FILE.c2sp with --bare), unless -o says
    otherwise. Without FILE, or with -, standard input is read and, unless there is -o,
    standard output written; -o - is standard output too. With several, one that
    fails does not stop the others.

    The key comes from a key file, or from a passphrase, which is asked for
    twice unless an option says where it is. The AEAD follows from the key's
    length; a passphrase makes a key of 128 bits unless --aead says otherwise:

    \b
      key of 128 bits   aes-128-gcm, aegis-128l, aegis-128x2, aegis-128x4
      key of 256 bits   aes-256-gcm, aegis-256, aegis-256x2, aegis-256x4

    AES-GCM is what other C2SP (Cobblestone) programs read; AEGIS is faster where
    the processor has AES instructions. Both give the same promises.

    A source that changes while it is read is refused.

    With -r FOLDER OUT each regular file in FOLDER, and in the folders in it, becomes a
    file in OUT: OUT/2024/sea.jpg.rijn. OUT is made if need be, and keeps apart from
    FOLDER. The same command again goes on where it was interrupted, and takes what is
    new: a result is there already if it has its source's time of change, and the size
    and the key that it should have. What is there and is something else is reported,
    and replaced with --force only; so is a file that has changed since. Pipes and the like are
    reported, too. Symbolic links are skipped, and counted in the last line. The results hide
    neither names, nor sizes, nor the tree's shape.

    --engine spark has the executors of Apache Spark do the work of -r, each on a range
    of a file: for large ones, where FOLDER, OUT and the key file are on a file system
    that all of them share.
    """
    at = tree.named_in("encrypt", files, output, remove=remove) if recursive else None
    if at is None:
        check_input(files, force)
    keys = KeySource(key_files, passphrase_env, passphrase_fd, files)
    if bare and not key_files:
        raise click.UsageError("--bare needs --key-file: a bare message has no place for a salt.")
    suffix = BARE_SUFFIX if bare else SUFFIX
    distributed.check(engine, key_files, recursive=recursive)
    if at is not None:
        keys.read_keys()
        with distributed.engaged(engine, key_files, backend) as there:
            task = _tree_task(keys, aead, backend, there, bare=bare, force=force)
            return tree.work_on_tree(
                at, task, jobs=distributed.jobs(there, jobs), progress=progress, quiet=quiet
            )
    found = pairs(files, output, lambda name: name + suffix)
    check_apart(found)
    keys.read_keys()

    def work(pair: Pair) -> str:
        assert pair.result is not None
        _check_source(pair, suffix, key_files)
        with open_source(pair.source, unchanging=True) as source:
            read = status_of(source.fileno())
            keys.check_source(pair.source, read)
            destination = Destination(
                pair.result,
                read,
                force=force,
                content="ciphertext",
                keys=keys.statuses(),
                replaceable=may_replace(pair.named, suffix),
                redirected=not pair.placed,
            )
            if remove:
                check_removable(pair, destination)

            with usage_errors():
                key, header = key_and_header(keys, aead)
            with Progress(f"encrypting{pair.label}", remaining(source), shown=progress) as bar:
                new = _New(key, header, backend, bare=bare)
                new.seal(source, destination, jobs, bar.advance)
        if remove:
            remove_source(pair, read)
        return f"encrypted to {destination.name}"

    return work_on_each(found, work, "encrypted", None if quiet else say, pipes=True)


class _New:
    """What new files are sealed with, each as a message of its own."""

    def __init__(self, key: bytes, header: Header, backend: str | None, *, bare: bool) -> None:
        self._key = key
        self._aead = header.aead
        self.context = b"" if bare else header.encode()
        self._backend = backend

    def message(self) -> Message:
        """UsageError."""
        from ..chunked import Message

        with usage_errors():
            return Message.new(
                self._key, aead=self._aead, context=self.context, backend=self._backend
            )

    def seal(
        self,
        source: BinaryIO,
        destination: Destination,
        jobs: int,
        advance: Callable[[int], object],
    ) -> None:
        """The source, to its end, as the result. What seal_stream raises, and UsageError."""
        from ..pipeline import seal_stream

        message = self.message()
        with destination as result:
            result.write(self.context)
            seal_stream(message, source, result.write, jobs=jobs, advance=advance)


def _tree_task(
    keys: KeySource,
    aead: str | None,
    backend: str | None,
    there: distributed.Cluster | None,
    *,
    bare: bool,
    force: bool,
) -> tree.Task:
    """All files of a tree have one key, and so of a passphrase one salt; each message has keys
    of its own. there: who makes the results, if it is not this process. UsageError, Failure."""
    with usage_errors():
        key, header = key_and_header(keys, aead)
    new = _New(key, header, backend, bare=bare)
    new.message()  # what is wrong with the options is wrong before there is a result
    sealed = Sealed(keys, aead if bare else None, backend, bare=bare)

    def begin(file: tree.File) -> tree.Work | None:
        keys.check_source(file.source, file.status)

        def whole(found: os.stat_result) -> bool:
            return _holds(sealed, file.result, found.st_size, file.status.st_size, bare=bare)

        if tree.is_there(file, whole, force=force):
            return None
        destination = Destination(
            file.result,
            file.status,
            force=force,
            content="ciphertext",
            keys=keys.statuses(),
            keep_time=True,
        )

        def work(jobs: int, advance: Callable[[int], object]) -> None:
            if there is not None:
                there.seal(file, destination, new.message, new.context, advance)
                return
            new.seal(file.reads, destination, jobs, advance)

        return work

    own = tree.adding(BARE_SUFFIX if bare else SUFFIX)
    give_up = None if there is None else there.give_up
    return tree.Task(own, begin, "encrypting", "encrypted", unchanging=True, give_up=give_up)


def _holds(sealed: Sealed, name: str, size: int, plain: int, *, bare: bool) -> bool:
    """Whether a file of `size` bytes begins as one that this key sealed, and has the size of one
    with so many bytes of plaintext. Failure, OSError."""
    from ..chunked import PREFIX

    try:
        with open_source(name) as source, about(name, bare=bare):
            message = sealed.message(source, name)
            return message.plain_size(size - (source.tell() - PREFIX)) == plain
    except Failure as error:
        if error.code in (Exit.WRONG_KEY, Exit.DAMAGED, Exit.TRUNCATED, Exit.NOT_RIJN):
            return False
        raise


def _check_source(pair: Pair, suffix: str, key_files: tuple[str, ...]) -> None:
    """That it is a file, and that a pattern has not met what was encrypted before. Failure."""
    if pair.source != STDIN and os.path.isdir(pair.source):
        one = _as_one_file(pair.source, pair.result if pair.named else None, key_files)
        hint = f"-r {shlex.quote(pair.source)} OUT encrypts each file in it; or {one}"
        raise Failure(f"{pair.source}: is a folder", hint, Exit.OTHER)
    if pair.source.endswith(suffix) and not pair.named:
        hint = "to encrypt it once more, name the result: -o OUT"
        raise Failure(f"{pair.source}: is named {suffix} already", hint, Exit.REFUSED)


def _as_one_file(folder: str, output: str | None, key_files: tuple[str, ...]) -> str:
    """The hint that encrypts a folder, to what -o names, if anything, and by the same key files."""
    if output is None:
        name = folder.rstrip(os.sep)
        has_name = os.path.basename(name) not in ("", os.curdir, os.pardir)
        output = f"{name}.tar{SUFFIX}" if has_name else "OUT"
    keys = "".join(f"-k {shlex.quote(name)} " for name in key_files if name != STDIN)
    return (
        f"make one file of it: tar c {shlex.quote(folder)} | "
        f"rijn encrypt {keys}-o {shlex.quote(output)}"
    )
