"""The threads that work on a tree's files, and the count of the results.

This module uses walk.py and task.py.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Self

import click

from ..failures import REPORTED, Exit, Interrupted, report
from ..group_commit import GroupCommit
from ..run_files import named_after
from .walk import File, open_found

if TYPE_CHECKING:
    from concurrent.futures import Future
    from types import TracebackType

    from ..folders import Folder
    from ..progress import Progress
    from .task import Job, Task
    from .walk import Found

SMALL = 64 << 10  # bytes
LARGE = 16 << 20  # bytes


class Full(Exception):
    """Results cannot be written any more: no space is left, or the folder is not writable."""


class Tally:
    """Counts the results and failures."""

    def __init__(self, root: str | None) -> None:
        """root: the folder of all results, if there are any"""
        self.done = self.there = self.links = self.bytes = 0
        self.codes: list[int] = []
        self.full = False
        self._root = root

    def fail(self, name: str, error: BaseException) -> None:
        """Reports a failure. Raises Full if no result can be written, and errors that stop all work."""
        if isinstance(error, (MemoryError, Interrupted, click.UsageError)):
            raise named_after(error, name)  # every other file would fail too
        no_room = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        closed = self._is_closed(error)
        if (no_room or closed) and self.full:  # reported only once
            self.codes.append(Exit.NO_SPACE if no_room else Exit.OTHER)
            return
        if closed and isinstance(error, OSError):
            error.filename = self._root
        self.codes.append(report(named_after(error, name), "rijn"))
        if no_room or closed:
            self.full = True
            raise Full

    def _is_closed(self, error: BaseException) -> bool:
        """Returns whether this result failed because the folder of all results is not writable."""
        root = self._root
        if root is None or not isinstance(error, OSError):
            return False
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            return False
        within = os.path.join(os.fsdecode(error.filename or ""), "").startswith(
            os.path.join(root, "")
        )
        effective = os.access in os.supports_effective_ids
        return (
            within
            and os.path.isdir(root)
            and not os.access(root, os.W_OK | os.X_OK, effective_ids=effective)
        )


class _Stopped(BaseException):
    """Stops a thread: the program ends, and signals do not reach threads."""


class Crew:
    """The threads and their work. Leaving waits for them. After an error each thread stops at its next
    step."""

    def __init__(self, jobs: int, bar: Progress, tally: Tally, task: Task) -> None:
        from ...pipeline import MAX_JOBS

        self.group: GroupCommit[File] = GroupCommit()
        self._jobs = min(jobs, MAX_JOBS)
        self._bar = bar
        self._tally = tally
        self._task = task
        self._pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="rijn-tree")
        self._busy: deque[tuple[File, Future[None]]] = deque()
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if kind is not None and self._task.give_up is not None:
            self._task.give_up()
        self._pool.shutdown(cancel_futures=True)
        if kind is Full:  # the written results need no more space
            self._keep()
        self.group.discard()
        for file, _ in self._busy:
            file.close()

    def add(self, found: Found) -> None:
        """Works on the file, now or later."""
        try:
            file = open_found(found, unchanging=self._task.unchanging)
        except REPORTED as error:
            self._tally.fail(found.source, error)
            return
        try:
            is_kept = self._work_on(file)
        except REPORTED as error:
            file.close()
            self._tally.fail(file.source, error)
        except BaseException:
            file.close()
            raise
        else:
            if not is_kept:
                file.close()
        if self.group.is_full:
            self._commit()

    def _work_on(self, file: File) -> bool:
        """Works on the file, or gives it to a thread. Returns whether a thread keeps the file open.
        Raises any error of the work."""
        size, task = file.status.st_size, self._task
        if task.is_there(file):
            self._tally.there += 1
            self._advance(size)
            return False
        destination = None if task.destination is None else task.destination(file)
        if size <= SMALL and task.convert is not None:
            data = file.content()
            if data is not None:
                result = task.convert(file, data)
                if destination is None or file.folder is None:
                    self._count(file)
                else:
                    self.group.write(destination, file.folder, result, file)
                self._advance(size)
                return False
        job = task.begin(file, destination)
        if size < LARGE:
            while len(self._busy) > 2 * self._jobs:
                self._wait()
            self._busy.append((file, self._pool.submit(self._run, file, job, 1)))
            return True
        self.finish()
        self._run(file, job, self._jobs)
        self._count(file)
        return False

    def changed(self, folder: Folder) -> None:
        """Adds a folder to the batch, before it gets a new folder. First commits a full batch: a tree
        may have many folders and no files."""
        if self.group.is_full:
            self._commit()
        self.group.changed(folder)

    def finish(self) -> None:
        """Waits until all files are done."""
        self._commit()
        while self._busy:
            self._wait()

    def _commit(self) -> None:
        """Gives the results of the small files their names."""
        full = False
        for file, error in self.group.commit():
            try:
                if error is None:
                    self._count(file)
                else:
                    self._tally.fail(file.source, error)
            except Full:  # the other results still count
                full = True
        if full:
            raise Full

    def _keep(self) -> None:
        """Keeps all finished results when there is no space for more."""
        with suppress(Full):
            self._commit()
        for file, future in self._busy:
            if not future.cancelled() and future.exception() is None:
                self._count(file)

    def _wait(self) -> None:
        file, future = self._busy[0]
        wait([future])  # after a signal the thread still has the file
        self._busy.popleft()
        file.close()
        error = future.exception()
        if error is None:
            self._count(file)
        elif isinstance(error, REPORTED):
            self._tally.fail(file.source, error)
        else:
            raise error

    def _count(self, file: File) -> None:
        self._tally.done += 1
        self._tally.bytes += file.status.st_size

    def _run(self, file: File, job: Job, jobs: int) -> None:
        left = file.status.st_size

        def advance(size: int) -> None:
            nonlocal left
            if self._stop.is_set():
                raise _Stopped
            left -= size
            self._advance(size)

        try:
            advance(0)
            job(jobs, advance)
        finally:  # the bytes that are no plaintext, or were not reached
            self._advance(max(0, left))

    def _advance(self, size: int) -> None:
        if not self._bar.wanted:
            return
        with self._lock:
            self._bar.advance(size)
