"""Describes a command's work on each file of a tree.

This module uses walk.py.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..destination import Destination
from ..failures import Exit, Failure, naming

if TYPE_CHECKING:
    from ..._check import Buffer
    from .walk import File

Job = Callable[[int, Callable[[int], object]], object]  # (jobs, advance), as in pipeline.py


class Task(NamedTuple):
    """One command's work on every file of a tree.

    result_name  returns the name of a file's result; None: skip the file
    is_there     returns whether the result exists already, or raises Failure
    destination  returns the destination of a result; None: the command has no results
    convert      returns the content of a small file's result; None: no file counts as small
    begin        returns a job that makes the result, or reads the file, in any thread
    doing        the verb for the progress
    done         the participle for the last line
    unchanging   as in open_source
    in_place     whether results replace their sources
    give_up      ends the work on all files, if another process does it

    The thread that walks calls is_there, destination, convert and begin.
    """

    result_name: Callable[[str], str | None]
    is_there: Callable[[File], bool]
    destination: Callable[[File], Destination] | None
    convert: Callable[[File, bytes], Buffer] | None
    begin: Callable[[File, Destination | None], Job]
    doing: str
    done: str
    unchanging: bool
    in_place: bool = False
    give_up: Callable[[], object] | None = None


def result_of(
    file: File,
    key_files: Sequence[os.stat_result],
    *,
    content: Literal["ciphertext", "plaintext"],
    force: bool,
) -> Destination:
    """Returns the destination of a file's result, which keeps the file's time of change. Failure.

    key_files  the statuses of the files that keys come from
    content    the kind of data in the result
    force      whether --force is given
    """
    return Destination(
        file.result,
        file.status,
        force=force,
        content=content,
        keys=key_files,
        replaces=file.older,
        keep_time=True,
        folder=file.folder,
    )


def is_there(
    file: File,
    fits: Callable[[os.stat_result], bool],
    *,
    force: bool,
    renews: Callable[[os.stat_result], bool] | None = None,
) -> bool:
    """Returns whether the result exists already: a regular file that fits, with the source's time of
    change to the nanosecond. Failure if another file has its name, unless `force` may replace it.

    fits    returns whether a file with this status is complete
    renews  returns whether an older result with this status may be replaced, and then file.older is
            set; None: the command has no such option
    """
    if file.folder is None or not file.is_named:
        return False
    try:
        with naming(file.result):
            found = os.lstat(file.name, dir_fd=file.folder.fd)
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(found.st_mode):
        text = f"{file.result}: exists already, and is not a regular file"
        raise Failure(f"{file.source}: {text}", "move it away", Exit.REFUSED)
    if found.st_mtime_ns == file.status.st_mtime_ns and fits(found):
        return True
    if force:
        return False
    hint = "--force overwrites the result"
    if found.st_mtime_ns < file.status.st_mtime_ns:
        if renews is not None and renews(found):
            file.older = found
            return False
        if renews is not None:
            hint = "--update encrypts it again, if the result has this key; " + hint
        text = f"has changed since {file.result} was made, by their times of change"
    elif found.st_mtime_ns > file.status.st_mtime_ns:
        text = (
            f"{file.result}: exists already, and has a later time of change: it was altered, or"
            " copied without its time"
        )
    else:
        text = f"{file.result}: exists already, and belongs to another file or key"
    raise Failure(f"{file.source}: {text}", hint, Exit.REFUSED)
