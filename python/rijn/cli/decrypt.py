"""rijn decrypt"""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

import click

from ..disk.acl import status_of
from . import distributed, tree
from .destination import STDOUT, Destination
from .failures import Exit, Failure, about
from .help_all import Command, FurtherOption
from .keys import KeySource, key_options
from .options import (
    AEAD_OF_BARE,
    BARE_SUFFIX,
    FORCE,
    STDIN,
    SUFFIX,
    aead_option,
    bare_option,
    check_input,
    file_options,
    open_source,
    recursive_option,
    remaining,
    source_name,
    work_options,
)
from .progress import Progress
from .run_files import Pair, check_apart, pairs, remove_source, result_of, work_on_each
from .sealed import Sealed
from .spark import engine_option
from .standard import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..chunked import Message, Reader

EPILOG = """\b
Examples:
  rijn decrypt letter.txt.rijn                asks for the passphrase
  rijn decrypt -k my.key backup/*.rijn -o ./  each into this folder
  rijn decrypt -k my.key disk.rijn -o disk.img
  rijn decrypt -r -k my.key backup photos     the results of encrypt -r
  rijn decrypt -k my.key photos.tar.rijn -o - | tar x
\f
\b
More examples:
  rijn decrypt -k my.key --range 1048576:512 disk.rijn -o sector.bin
  rijn decrypt --bare -k my.key a.c2sp        from other C2SP programs
"""

_RANGE_RUN = 1 << 20  # bytes to decrypt and write at once


@click.command(
    "decrypt",
    cls=Command,
    epilog=EPILOG + FORCE,
    short_help="Decrypt files.",
)
@key_options
@file_options
@recursive_option
@engine_option
@bare_option
@work_options
@aead_option(AEAD_OF_BARE)
@click.option(
    "--range",
    "part",
    cls=FurtherOption,
    metavar="OFFSET:LENGTH",
    help="Decrypt only LENGTH bytes of the plaintext from OFFSET, which counts from 0. Without"
    " LENGTH decrypt to the end. FILE must be seekable. Without -o the result goes to standard"
    " output.",
)
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
    part: str | None,
    jobs: int,
    progress: bool | None,
    backend: str | None,
    key_files: tuple[str, ...],
    passphrase_env: str | None,
    passphrase_fd: int | None,
) -> int:
    """Decrypt each FILE to its name without .rijn, in the same folder.

    Without FILE, or if FILE is -, decrypt standard input to standard output. The file
    says whether it needs a key file (-k) or a passphrase, which Rijn asks for. Rijn
    refuses an altered or truncated file.
    \f
    With --bare the name must end in .c2sp. With -o OUT the result goes to OUT, or into OUT
    if it is a folder or ends in /. -o - is standard output. If one of several files
    fails, Rijn continues with the others. If you name several key files, Rijn uses the
    key that fits.

    To a pipe Rijn writes each authenticated part before it has checked the rest. Check
    the exit code before you trust that the output is complete.

    With -r FOLDER OUT Rijn decrypts each file in FOLDER and its subfolders to a file in
    OUT, without .rijn. This restores what encrypt -r encrypted, with the times of the
    files. Rijn makes OUT if needed. OUT must not be in FOLDER, nor FOLDER in OUT. Run the
    same command again to continue after an interruption. Rijn skips a file if its result
    has the file's time of change and the expected size. Rijn reports any other file under
    the name of a result, and replaces it only with --force. It skips symbolic links and
    counts them in the last line. With --engine spark the executors of Apache Spark do the
    work of -r.
    """
    others = [] if part is None else ["--range"]
    named_tree = (
        tree.named_in("decrypt", files, output, others, remove=remove) if recursive else None
    )
    if named_tree is None:
        check_input(files, force)
    keys = KeySource(key_files, passphrase_env, passphrase_fd, files)
    sealed = Sealed(keys, aead, backend, bare=bare)
    choice = distributed.choice(engine)
    choice.check(key_files, recursive=recursive)
    if named_tree is not None:
        keys.read_keys()
        with choice.engine(key_files, backend) as chosen:
            task = _tree_task(keys, sealed, chosen, bare=bare, force=force)
            return tree.work_on_tree(
                named_tree, task, jobs=chosen.jobs(jobs), progress=progress, quiet=quiet
            )
    wanted = _parse_range(part)
    if wanted is not None and (len(files) > 1 or remove):
        raise click.UsageError("--range takes one file, and no --rm.")
    if wanted is not None and output is None:
        output = STDOUT
    suffix = BARE_SUFFIX if bare else SUFFIX
    found = pairs(files, output, lambda name: _own_name(name, suffix))
    check_apart(found)
    keys.read_keys()

    def decrypt_one(pair: Pair) -> str:
        name = source_name(pair.source)
        if pair.source != STDIN and os.path.isdir(pair.source):
            hint = f"-r {shlex.quote(pair.source)} OUT decrypts each file in it"
            raise Failure(f"{name}: is a folder", hint, Exit.OTHER)
        if pair.result is None:
            with open_source(pair.source) as source, about(name, bare=bare):
                sealed.header(source)  # an error in the file comes before one in its name
            text = f"{name}: its name does not end in {suffix}"
            raise Failure(text, "name the result: -o OUT", Exit.USAGE)
        with open_source(pair.source) as source:
            read = status_of(source.fileno())
            if wanted is not None and not source.seekable():
                raise click.UsageError("--range needs a seekable file as its source, not a pipe.")
            destination = result_of(
                *(pair, read, suffix, keys.statuses()),
                content="plaintext",
                force=force,
                remove=remove,
            )
            from ..pipeline import open_stream

            with about(name, bare=bare):
                if wanted is not None:
                    _decrypt_range(sealed.reader(source, name), destination, *wanted, progress)
                    return f"decrypted in part to {destination.name}"
                message = sealed.message(source, name)
                shown = False if destination.is_terminal else progress
                bar = Progress(f"decrypting{pair.label}", remaining(source), shown=shown)
                with destination as result, bar:
                    open_stream(message, source, result.write, jobs=jobs, advance=bar.advance)
        if remove:
            remove_source(pair, read)
        return f"decrypted to {destination.name}"

    return work_on_each(found, decrypt_one, "decrypted", None if quiet else say, pipes=True)


def _tree_task(
    keys: KeySource,
    sealed: Sealed,
    engine: tree.TreeEngine,
    *,
    bare: bool,
    force: bool,
) -> tree.Task:
    from ..chunked import PREFIX

    key_files = keys.statuses()

    def opened(file: tree.File) -> tuple[Message, int]:
        """Returns the message and where it starts. The file is then after the message's prefix."""
        file.reads.seek(0)
        message = sealed.message(file.reads, file.source)
        return message, file.reads.tell() - PREFIX

    def is_there(file: tree.File) -> bool:
        if not file.is_named:
            return False
        with about(file.source, bare=bare):
            message, start = opened(file)

            def whole(found: os.stat_result) -> bool:
                return message.plain_size(file.status.st_size - start) == found.st_size

            return tree.is_there(file, whole, force=force)

    def destination(file: tree.File) -> Destination:
        return tree.result_of(file, key_files, content="plaintext", force=force)

    def convert(file: tree.File, data: bytes) -> bytearray:
        return sealed.plaintext(data, file.source)

    def begin(file: tree.File, result: Destination | None) -> tree.Job:
        assert result is not None
        with about(file.source, bare=bare):
            message, start = opened(file)

        def open_(jobs: int, advance: Callable[[int], object]) -> None:
            with about(file.source, bare=bare):
                engine.open(file, result, message, start, jobs, advance)

        return open_

    return tree.Task(
        result_name=tree.without_suffix(BARE_SUFFIX if bare else SUFFIX),
        is_there=is_there,
        destination=destination,
        convert=convert if engine.is_local else None,
        begin=begin,
        doing="decrypting",
        done="decrypted",
        unchanging=False,
        give_up=engine.give_up,
    )


def _own_name(source: str, suffix: str) -> str | None:
    """Returns the name of a result without -o, or None if -o is needed."""
    name = source.removesuffix(suffix)
    if name == STDOUT:  # a file of that name, not standard output
        return os.path.join(os.curdir, name)
    return None if name == source or not os.path.basename(name) else name


def _parse_range(text: str | None) -> tuple[int, int | None] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})?", text)
    if match is None:
        raise click.UsageError("--range is OFFSET:LENGTH in bytes, or OFFSET: up to the end.")
    return int(match[1]), None if match[2] is None else int(match[2])


def _decrypt_range(
    reader: Reader,
    destination: Destination,
    offset: int,
    length: int | None,
    progress: bool | None,
) -> None:
    if offset > reader.size:
        raise click.UsageError(
            f"--range begins at {offset:,}, but the plaintext has {reader.size:,} bytes."
        )
    available = reader.size - offset
    left = available if length is None else min(length, available)
    reader.seek(offset)
    buffer = memoryview(bytearray(min(left, _RANGE_RUN)))
    shown = False if destination.is_terminal else progress
    with destination as result, Progress("decrypting", left, shown=shown) as bar:
        while left:
            count = reader.readinto(buffer[:left])
            result.write(buffer[:count])
            bar.advance(count)
            left -= count
