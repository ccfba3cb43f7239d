"""Work on whole trees, for -r of encrypt, decrypt, verify and rekey. docs/command-reference.md lists how
each kind of file is treated.

The caller's thread walks the tree, makes folders, checks existing results and reports errors. It also
works on files of up to 64 KiB itself: one read, one seal and one write each, and one sync for a batch
(group_commit.py). Threads would cost more than such a file. A file of less than 16 MiB goes to one of `jobs`
threads, which reads it, converts it, syncs the result and names it. A larger file waits for the
smaller ones before it, and then all threads share its runs (pipeline.py). Only files at work and one
batch are open. Memory holds the names of one folder and of its results, and the folders to come.

All names are relative to open folders. No links are followed except FOLDER and OUT themselves.

Each module uses only earlier ones: names.py, folders.py, walk.py, task.py, engine.py, crew.py.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from .. import standard
from ..failures import WORST, Exit, printable
from ..progress import Progress
from .crew import Crew, Full, Tally
from .engine import TreeEngine
from .folders import NewFolders, NoFolders, SameFolders
from .names import Tree, named_in, one_named_in, same_name, with_suffix, without_suffix
from .task import Job, Task, is_there, result_of
from .walk import File, Found, walk_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "File",
    "Job",
    "Task",
    "Tree",
    "TreeEngine",
    "is_there",
    "named_in",
    "one_named_in",
    "result_of",
    "same_name",
    "with_suffix",
    "without_suffix",
    "work_on_tree",
]


def work_on_tree(tree: Tree, task: Task, *, jobs: int, progress: bool | None, quiet: bool) -> int:
    """Works on every file of the tree and continues after a failure. Prints errors and a last line, and
    returns the worst exit code. UsageError, Interrupted and MemoryError, after all threads have
    stopped."""
    tally = Tally(tree.folder if task.in_place else tree.out)
    with suppress(Full), Progress(task.doing, None, shown=progress) as bar:
        if bar.wanted:
            bar.total = sum(map(_size, walk_tree(tree, task.result_name, NoFolders())))
        with Crew(jobs, bar, tally, task) as crew, _folders(tree, task, crew) as folders:
            for found in walk_tree(tree, task.result_name, folders):
                if found.error is not None:
                    tally.fail(found.source, found.error)
                elif found.is_link:
                    tally.links += 1
                else:
                    crew.add(found)
            crew.finish()
    if tally.codes or not quiet:
        said = [f"{tally.done:,} {task.done} ({tally.bytes:,} bytes)"]
        said += [f"{tally.there:,} there already"] * bool(tally.there)
        links = "link" if tally.links == 1 else "links"
        said += [f"{tally.links:,} symbolic {links} skipped"] * bool(tally.links)
        said += [f"{len(tally.codes):,} failed"] * bool(tally.codes)
        said += ["the rest was not tried"] * tally.full
        standard.say(printable(f"rijn: {tree.folder}: {', '.join(said)}"))
    return max(tally.codes, key=WORST.index, default=Exit.OK)


def _size(found: Found) -> int:
    """Returns the bytes that the work on this entry reads."""
    if found.error is not None or found.is_link:
        return 0
    try:
        return os.stat(found.name, dir_fd=found.place, follow_symlinks=False).st_size
    except OSError:  # the work reports it
        return 0


@contextmanager
def _folders(tree: Tree, task: Task, crew: Crew) -> Iterator[NoFolders]:
    if tree.out is None:
        yield SameFolders(tree.folder) if task.in_place else NoFolders()
        return
    new = NewFolders(tree.out, crew.changed)
    try:
        yield new
    finally:
        new.close()
