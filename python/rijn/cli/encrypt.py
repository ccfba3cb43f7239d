"""rijn encrypt"""

from __future__ import annotations

import os
import shlex

import click

from .each import Pair, check_apart, check_removable, pairs, remove_source, work_on_each
from .failures import Exit, Failure, usage_errors
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
    remaining,
    work_options,
)
from .output import STDOUT, Destination
from .progress import Progress
from .standard import say

EPILOG = """\b
Examples:
  rijn encrypt letter.txt                      asks for a passphrase; letter.txt.rijn
  rijn encrypt -k my.key *.jpg                 each beside itself
  rijn encrypt -k my.key disk.img -o backup/   backup/disk.img.rijn
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
@bare_option
@work_options
@aead_option("The AEAD, if the key's length is not to decide (names: see above).")
@key_options(ONE_KEY)
@click.option("-r", "--recursive", is_flag=True, hidden=True)  # what cp and gpg's users try
def command(
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    remove: bool,
    quiet: bool,
    aead: str | None,
    bare: bool,
    jobs: int,
    progress: bool | None,
    backend: str | None,
    key_files: tuple[str, ...],
    passphrase_env: str | None,
    passphrase_fd: int | None,
    recursive: bool,
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
    """
    if recursive:
        folder = next(filter(os.path.isdir, files), "DIR")
        text = "There is no -r: a folder is encrypted as one file"
        raise Failure(text, _as_one_file(folder, output, key_files), Exit.USAGE)
    check_input(files, force)
    keys = KeySource(key_files, passphrase_env, passphrase_fd, files)
    if bare and not key_files:
        raise click.UsageError("--bare needs --key-file: a bare message has no place for a salt.")
    suffix = BARE_SUFFIX if bare else SUFFIX
    found = pairs(files, output, lambda name: STDOUT if name == STDIN else name + suffix)
    check_apart(found)
    keys.read_keys()

    def work(pair: Pair) -> str:
        assert pair.result is not None
        _check_source(pair, suffix, key_files)
        with open_source(pair.source, unchanging=True) as source:
            read = os.fstat(source.fileno())
            keys.check_source(pair.source, read)
            destination = Destination(
                pair.result,
                read,
                force=force,
                content="ciphertext",
                keys=keys.statuses(),
                replaceable=may_replace(pair.named, suffix),
            )
            if remove:
                check_removable(pair, destination)

            from ..chunked import Message
            from ..pipeline import seal_stream

            with usage_errors():
                key, header = key_and_header(keys, aead)
                context = b"" if bare else header.encode()
                message = Message.new(key, aead=header.aead, context=context, backend=backend)
            bar = Progress(f"encrypting{pair.label}", remaining(source), shown=progress)
            with destination as result, bar:
                result.write(context)
                seal_stream(message, source, result.write, jobs=jobs, advance=bar.advance)
        if remove:
            remove_source(pair, read)
        return f"encrypted to {destination.name}"

    return work_on_each(found, work, "encrypted", None if quiet else say)


def _check_source(pair: Pair, suffix: str, key_files: tuple[str, ...]) -> None:
    """That it is a file, and that a pattern has not met what was encrypted before. Failure."""
    if pair.source != STDIN and os.path.isdir(pair.source):
        hint = _as_one_file(pair.source, pair.result if pair.named else None, key_files)
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
