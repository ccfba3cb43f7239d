"""Whole files, on several threads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, cast

from .. import _check
from .._traceback import clean_traceback
from ..chunked import PREFIX, Message
from ..chunked.sources import read_up_to
from ..registry import Backend
from .format import Header
from .secret import KeyOrFile, Secret, naming

if TYPE_CHECKING:
    from ..disk.new_file import NewFile

Path: TypeAlias = str | os.PathLike[str]


@clean_traceback
def encrypt_file(
    src: Path,
    dst: Path,
    *,
    key: KeyOrFile | None = None,
    passphrase: str | None = None,
    aead: str | None = None,
    overwrite: bool = False,
    jobs: int | None = None,
    backend: str | Backend | None = None,
) -> None:
    """Encrypts a file to another file, as `rijn encrypt` does.

    The result appears when it is complete and synced to the disk. It has the permission bits of the
    file that it replaces, or else of the source, without those of the umask.

    :param src: the path of the source, or of a pipe. It must not change meanwhile.
    :param dst: the path of the result.
    :param key: 16 or 32 bytes, or the path of a key file.
    :param passphrase: instead of a key. It makes a key of 128 bits, or as long as `aead` needs.
    :param aead: IANA's name or the short one; None for the default of the key's size.
    :param overwrite: whether an existing file may be replaced.
    :param jobs: how many threads encrypt; None: one for each core.
    :param backend: a name, or an item of `rijn.backends()`.
    :raises FileExistsError: if `dst` exists, and `overwrite` is False.
    :raises shutil.SameFileError: if `dst` is the source or the key file, or the source is the key
        file.
    :raises OSError: if a file cannot be read or written, or if the source changed.
    :raises ValueError: if the key's size or a name does not fit.
    :raises KeyFileError: if the key file holds no key, or others have access to it.
    """
    from ..disk.acl import status_of
    from ..disk.source import Unchanging
    from ..pipeline import seal_stream

    threads = _threads(jobs)
    secret = Secret(key, passphrase)
    with Unchanging(os.fsdecode(src), _changed) as opened:
        source = cast("BinaryIO", opened)
        status = status_of(opened.fileno())
        _check_source(src, status, secret)
        new = _new_file(dst, status, secret, overwrite=overwrite)
        found, header = secret.new(aead)
        context = header.encode()
        message = Message.new(found, aead=header.aead, context=context, backend=backend)
        with new:
            new.write(context)
            seal_stream(message, source, new.write, jobs=threads)


@clean_traceback
def decrypt_file(
    src: Path,
    dst: Path,
    *,
    key: KeyOrFile | None = None,
    passphrase: str | None = None,
    overwrite: bool = False,
    jobs: int | None = None,
    backend: str | Backend | None = None,
) -> None:
    """Decrypts a file to another file, as `rijn decrypt` does: the inverse of `encrypt_file`.

    The result appears when all of it is authenticated. It has permission bits as with
    `encrypt_file`.

    :param src: the path of the encrypted file.
    :param dst: as for `encrypt_file`.
    :param key: as for `encrypt_file`.
    :param passphrase: as for `encrypt_file`.
    :param overwrite: as for `encrypt_file`.
    :param jobs: how many threads decrypt; None: one for each core.
    :param backend: as for `encrypt_file`.
    :raises rijn.chunked.WrongKey: if the key does not fit, or the header was altered.
    :raises rijn.chunked.Damaged, rijn.chunked.Truncated: if the file does not authenticate. The
        three are InvalidTag.
    :raises NotRijn, BadHeader, Unsupported: if the file has no header that this Rijn reads. They
        are ValueError.
    :raises FileExistsError, shutil.SameFileError, OSError, KeyFileError: as `encrypt_file`.
    """
    from ..disk.acl import status_of
    from ..pipeline import open_stream

    threads = _threads(jobs)
    secret = Secret(key, passphrase)
    with open(src, "rb", buffering=0) as source, naming(os.fsdecode(src)):
        status = status_of(source.fileno())
        new = _new_file(dst, status, secret, overwrite=overwrite)
        message = _message(cast("BinaryIO", source), secret, backend)
        with new:
            open_stream(message, cast("BinaryIO", source), new.write, jobs=threads)


def _message(source: BinaryIO, secret: Secret, backend: str | Backend | None) -> Message:
    """Reads the header and the prefix of the message."""
    header = Header.read(source)
    context = header.encode()
    return Message.of(
        read_up_to(source, PREFIX),
        secret.key_for(header),
        aead=header.aead,
        context=context,
        backend=backend,
        start=len(context),
    )


def _threads(jobs: int | None) -> int:
    from ..pipeline import all_cores

    if jobs is None:
        return all_cores()
    found = _check.natural("jobs", jobs)
    if not found:
        raise ValueError("jobs is 0; it is 1 or more")
    return found


def _check_source(src: Path, status: os.stat_result, secret: Secret) -> None:
    if any(os.path.samestat(status, key_file) for key_file in secret.key_files):
        import shutil

        raise shutil.SameFileError(f"{os.fsdecode(src)}: is the key file: do not encrypt it")


def _new_file(dst: Path, status: os.stat_result, secret: Secret, *, overwrite: bool) -> NewFile:
    from ..disk.new_file import NewFile

    return NewFile(
        dst,
        overwrite=_check.flag("overwrite", overwrite),
        hint="overwrite=True replaces it",
        source=status,
        others=secret.key_files,
    )


def _changed(first: int, read: int, last: int) -> OSError:
    return OSError(
        f"the source changed while it was read: {first:,} bytes at first, {read:,} read, "
        f"{last:,} at the end. Encrypt a copy that nobody writes to"
    )
