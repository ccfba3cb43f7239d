"""What -r of encrypt and decrypt works on: a folder with all that is in it, whose shape the
folder of the results gets. docs/command-line.md has what becomes of what may be in a tree.

One thread, the caller's, walks the tree, makes folders, looks at what is there already, and says
what failed; a file of less than 16 MiB is then read, worked on, synced and given its name by one
of `jobs` others, and of a larger one the runs are shared among as many (pipeline.py), once the
smaller ones before it are done. No more than the files at work are open, and no more than one
folder's names are in memory, with the folders that are still to come.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, NamedTuple, Self

import click

from . import output, standard, streams
from .each import named_after
from .failures import REPORTED, WORST, Exit, Failure, Interrupted, printable, report
from .options import STDIN, open_source
from .permissions import status_of
from .progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from types import TracebackType
    from typing import BinaryIO

    Work = Callable[[int, Callable[[int], object]], object]  # (jobs, advance), as of pipeline.py

LARGE = 16 << 20  # bytes
_UNFINISHED = re.compile(r"\.rijn-[0-9a-f]{16}\.part")  # what a kill leaves of a result
_KINDS = (
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
)


class Tree(NamedTuple):
    folder: str
    out: str


class File(NamedTuple):
    """A regular file of the tree, open, and the name of its result."""

    source: str
    result: str
    reads: BinaryIO
    status: os.stat_result


class Task(NamedTuple):
    """What is to be done with every file of a tree.

    own         the name of a file's result in its folder; None: the file is passed over
    begin       looks at what is there, and returns what makes the result, or None if it is
                there; called in the thread that walks, what it returns in any
    doing       and
    done        say what it is
    unchanging  as open_source has it
    give_up     ends the work on all files, where it is not done here
    """

    own: Callable[[str], str | None]
    begin: Callable[[File], Work | None]
    doing: str
    done: str
    unchanging: bool
    give_up: Callable[[], object] | None = None


class _Found(NamedTuple):
    """What stands in the tree: a file to work on, unless there is an error; without either that or a
    status a symbolic link, which is passed over."""

    source: str
    result: str
    status: os.stat_result | None
    error: BaseException | None


def named_in(
    command: str, files: Sequence[str], to: str | None, others: Sequence[str] = (), *, remove: bool
) -> Tree:
    """What the arguments of `rijn COMMAND -r` name. UsageError, Failure, OSError.

    to      what -o says, if anything
    others  options that are given and do not go with -r
    remove  whether --rm is given
    """
    if remove:
        raise click.UsageError(
            "--rm does not go with -r: look at the results, then remove the folder yourself."
        )
    for option in others:
        raise click.UsageError(f"{option} does not go with -r.")
    names = [*files, *([] if to is None else [to])]
    if "" in names:
        raise click.UsageError("A name is empty: is it a variable that was never set?")
    if not names or (len(names) == 1 and to is not None):
        raise click.UsageError("-r takes a folder, and one for the results: -r FOLDER OUT.")
    if len(names) == 1:
        raise click.UsageError(
            f"Where do the results go? Name a folder for them: rijn {command} -r"
            f" {shlex.quote(names[0])} OUT."
        )
    if len(names) > 2:
        raise click.UsageError("-r takes one folder, and one for the results: -r FOLDER OUT.")
    folder, out = names
    if STDIN in names:
        raise click.UsageError("-r takes folders, not standard input or output.")
    if not stat.S_ISDIR(os.stat(folder).st_mode):
        raise Failure(f"{folder}: is no folder", "leave -r out", Exit.USAGE)
    if os.path.lexists(out) and not os.path.isdir(out):
        raise Failure(f"{out}: exists already, and is no folder", "name another", Exit.REFUSED)
    above = os.path.dirname(os.path.abspath(out))
    if not os.path.isdir(above):
        raise Failure(f"{out}: there is no folder {above}", "make it first", Exit.OTHER)
    if streams.is_system_folder(os.path.realpath(out)):
        raise Failure(f"{out}: is in a folder of the system's", "name another", Exit.REFUSED)
    for one, other in ((folder, out), (out, folder)):
        if _holds(one, other):
            raise click.UsageError(
                f"{other} lies in {one}, or is the same folder: results and sources stay apart."
            )
    return Tree(folder, out)


def _holds(folder: str, path: str) -> bool:
    """Whether the path is the folder or lies in it, by whatever names."""
    here = os.path.realpath(path)
    while True:
        if os.path.isdir(here) and os.path.isdir(folder) and os.path.samefile(here, folder):
            return True
        above = os.path.dirname(here)
        if above == here:
            return False
        here = above


def adding(suffix: str) -> Callable[[str], str]:
    """The name of encrypt's results: every name gets the suffix, so that no two become one."""
    return lambda name: name + suffix


def taking(suffix: str) -> Callable[[str], str | None]:
    """The name of decrypt's results. Failure for what encrypt does not name so; None for what a
    kill left of it."""

    def own(name: str) -> str | None:
        if _UNFINISHED.fullmatch(name):
            return None
        plain = name.removesuffix(suffix)
        if plain in ("", name, os.curdir, os.pardir):
            hint = "what encrypt made of a tree does; decrypt it by itself, and name the result"
            raise Failure(f"its name does not end in {suffix}", hint, Exit.NOT_RIJN)
        return plain

    return own


def is_there(file: File, fits: Callable[[os.stat_result], bool], *, force: bool) -> bool:
    """Whether the result is there already: a regular file with the source's time of change, to
    the nanosecond, that `fits` finds whole. Failure where something else stands there, unless
    `force` may replace it."""
    try:
        found = os.lstat(file.result)
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(found.st_mode):
        text = f"{file.result}: exists already, and is no regular file"
        raise Failure(f"{file.source}: {text}", "move it away", Exit.REFUSED)
    if found.st_mtime_ns == file.status.st_mtime_ns and fits(found):
        return True
    if force:
        return False
    if found.st_mtime_ns < file.status.st_mtime_ns:
        text = f"has changed since {file.result} was made, as their times of change say"
    elif found.st_mtime_ns > file.status.st_mtime_ns:
        text = (
            f"{file.result}: exists already, and has a later time of change: it was altered, or"
            " copied without its time"
        )
    else:
        text = f"{file.result}: exists already, and is of something else, or another key"
    raise Failure(f"{file.source}: {text}", "--force overwrites the result", Exit.REFUSED)


def work_on_tree(at: Tree, task: Task, *, jobs: int, progress: bool | None, quiet: bool) -> int:
    """Works on every file of the tree, goes on after a failure, says what failed and what there
    is in the end, and returns the worst exit code. UsageError, Interrupted and MemoryError, once
    no thread works any more."""
    tally = _Tally()
    with (
        Progress(task.doing, None, shown=progress) as bar,
        _Crew(jobs, bar, tally, task.give_up) as crew,
    ):
        if bar.wanted:
            bar.total = sum(each.status.st_size for each in _walk(at, task.own) if each.status)
        for found in _walk(at, task.own, make=True):
            if found.error is not None:
                tally.fail(found.source, found.error)
                continue
            if found.status is None:
                tally.links += 1
                continue
            try:
                file = _opened(found, unchanging=task.unchanging)
            except REPORTED as error:
                tally.fail(found.source, error)
            else:
                crew.take(file, task.begin)
        crew.finish()
    if tally.codes or not quiet:
        said = [f"{tally.done} {task.done} ({tally.bytes} bytes)"]
        said += [f"{tally.there} there already"] * bool(tally.there)
        links = "link" if tally.links == 1 else "links"
        said += [f"{tally.links} symbolic {links} skipped"] * bool(tally.links)
        said += [f"{len(tally.codes)} failed"] * bool(tally.codes)
        standard.say(printable(f"rijn: {at.folder}: {', '.join(said)}"))
    return max(tally.codes, key=WORST.index, default=Exit.OK)


def _walk(at: Tree, own: Callable[[str], str | None], *, make: bool = False) -> Iterator[_Found]:
    """What is in the tree, but for its folders: a folder's files in the order of their names,
    then its folders. Links are not followed. make: the folders of the results, too."""
    todo: list[tuple[str, str, os.stat_result | None]] = [(at.folder, at.out, None)]
    while todo:
        folder, out, known = todo.pop()
        try:
            place, found = _listed(folder, known)
        except REPORTED as error:
            yield _Found(folder, out, None, error)
            continue
        inner = []
        try:
            folders = {entry.name for entry in found if entry.is_dir(follow_symlinks=False)}
            if make and not (out == at.out and os.path.isdir(out)):
                output.make_folder(out, status_of(place))
            for entry in found:
                path = os.path.join(folder, entry.name)
                try:
                    status = entry.stat(follow_symlinks=False)
                    if entry.name in folders:
                        inner.append((path, os.path.join(out, entry.name), status))
                        continue
                    if stat.S_ISLNK(status.st_mode):
                        yield _Found(path, "", None, None)
                        continue
                    name = _name(entry.name, status, own, folders)
                except REPORTED as error:
                    if isinstance(error, OSError):
                        error.filename = path
                    yield _Found(path, "", None, error)
                else:
                    if name is not None:
                        yield _Found(path, os.path.join(out, name), status, None)
        except REPORTED as error:
            yield _Found(folder, out, None, error)
        finally:
            os.close(place)
        todo += reversed(inner)


def _listed(folder: str, known: os.stat_result | None) -> tuple[int, list[os.DirEntry[str]]]:
    """Its descriptor, to be closed, by which alone the entries are looked at; these in the order of
    their names. Failure where it is another than was known: a link may have its name by now. OSError."""
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if known is not None and not os.path.samestat(os.fstat(place), known):
            raise Failure("became another folder meanwhile", "try again", Exit.OTHER)
        with os.scandir(place) as entries:
            return place, sorted(entries, key=lambda entry: entry.name)
    except BaseException as error:
        os.close(place)
        if isinstance(error, OSError):
            error.filename = folder
        raise


def _name(
    entry: str, status: os.stat_result, own: Callable[[str], str | None], folders: set[str]
) -> str | None:
    """Of the result. Failure if there can be none."""
    if not stat.S_ISREG(status.st_mode):
        is_what = next((says for kind, says in _KINDS if kind(status.st_mode)), "is a device")
        hint = "-r takes regular files; tar keeps everything: tar c FOLDER | rijn encrypt"
        raise Failure(is_what, hint, Exit.REFUSED)
    name = own(entry)
    if name in folders:
        hint = "rename one of the two"
        raise Failure(f"would become {name}, which is a folder beside it", hint, Exit.REFUSED)
    return name


def _opened(found: _Found, *, unchanging: bool) -> File:
    """The file that was found, and no other that took its name. OSError, Failure."""
    reads = open_source(found.source, unchanging=unchanging)
    status = status_of(reads.fileno())
    if found.status is None or not os.path.samestat(status, found.status):
        reads.close()
        raise Failure("became another file meanwhile", "try again", Exit.OTHER)
    return File(found.source, found.result, reads, status)


class _Tally:
    """What became of the files."""

    def __init__(self) -> None:
        self.done = self.there = self.links = self.bytes = 0
        self.codes: list[int] = []

    def fail(self, name: str, error: BaseException) -> None:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or isinstance(error, (MemoryError, Interrupted, click.UsageError)):
            raise named_after(error, name)  # it would be so for every other
        self.codes.append(report(named_after(error, name), "rijn"))


class _Stopped(BaseException):
    """The work is given up: there is an end of the program that a thread does not see."""


class _Crew:
    """The threads, and what they are at. Leaving it waits for them: with an error for no more
    than what each does in one go."""

    def __init__(
        self, jobs: int, bar: Progress, tally: _Tally, give_up: Callable[[], object] | None
    ) -> None:
        from ..pipeline import MAX_JOBS

        self._jobs = min(jobs, MAX_JOBS)
        self._bar = bar
        self._tally = tally
        self._give_up = give_up
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
        if kind is not None and self._give_up is not None:
            self._give_up()
        self._pool.shutdown(cancel_futures=True)
        for file, _ in self._busy:
            file.reads.close()

    def take(self, file: File, begin: Callable[[File], Work | None]) -> None:
        """Has the file worked on, now or soon."""
        try:
            work = begin(file)
        except REPORTED as error:
            self._end(file, error)
            return
        except BaseException:
            file.reads.close()
            raise
        if work is None:
            self._tally.there += 1
            self._advance(file.status.st_size)
            self._end(file, None)
        elif file.status.st_size < LARGE:
            while len(self._busy) > 2 * self._jobs:
                self._wait()
            self._busy.append((file, self._pool.submit(self._work, file, work, 1)))
        else:
            self.finish()
            try:
                self._work(file, work, self._jobs)
            except REPORTED as error:
                self._end(file, error)
            else:
                self._count(file)

    def finish(self) -> None:
        """Until all that were taken are done."""
        while self._busy:
            self._wait()

    def _wait(self) -> None:
        file, future = self._busy[0]
        wait([future])  # a signal interrupts it, and the file is still the thread's
        self._busy.popleft()
        error = future.exception()
        if error is None:
            self._count(file)
        elif isinstance(error, REPORTED):
            self._end(file, error)
        else:
            raise error

    def _count(self, file: File) -> None:
        self._tally.done += 1
        self._tally.bytes += file.status.st_size
        self._end(file, None)

    def _end(self, file: File, error: BaseException | None) -> None:
        file.reads.close()
        if error is not None:
            self._tally.fail(file.source, error)

    def _work(self, file: File, work: Work, jobs: int) -> None:
        left = file.status.st_size

        def advance(size: int) -> None:
            nonlocal left
            if self._stop.is_set():
                raise _Stopped
            left -= size
            self._advance(size)

        try:
            advance(0)
            work(jobs, advance)
        finally:  # what is not plaintext, or not reached
            self._advance(max(0, left))

    def _advance(self, size: int) -> None:
        with self._lock:
            self._bar.advance(size)
