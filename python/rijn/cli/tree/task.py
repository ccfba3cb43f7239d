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

Job = Callable[[int, Callable[[int], object]], object]  # (jobs, advance), as of pipeline.py


class Task(NamedTuple):
    """One command's work on every file of a tree.

    result_name  the name of a file's result in its folder; None: the file is passed over
    is_there     whether the result is there already, or Failure; called in the thread that walks,
                 as are the next three
    destination  where a result goes; None: there are no results
    convert      makes what the result holds of a small file's content; None: no file is small
    begin        returns the job that makes the result, or reads the file, in any thread
    doing        and
    done         say what it is
    unchanging   as open_source has it
    in_place     whether results take the place of their sources
    give_up      ends the work on all files, where it is not done here
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
    """Tells whether the result exists already: a regular file with the source's time of change, to
    the nanosecond, that `fits` finds whole. Failure where something else stands there, unless
    `force` may replace it.

    renews  whether a result that is older than its source, with this status, may be replaced:
            file.older is set then; None: the command has no such option
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
