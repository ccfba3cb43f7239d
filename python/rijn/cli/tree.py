"""Whole trees, for -r of encrypt, decrypt, verify and rekey. docs/command-line.md lists how each
kind of file is treated.

One thread, the caller's, walks the tree, makes folders, looks at what is there already, and says
what failed. It works itself on files of up to 64 KiB: one read, one seal and one write each, and
one sync for a batch of them (batch.py), because threads would cost more than such a file does. A
file of less than 16 MiB is read, worked on, synced and given its name by one of `jobs` others, and
of a larger one the runs are shared among as many (pipeline.py), once the smaller ones before it
are done. Only the files at work and one batch are open. Memory holds the names of one folder and of
its results, and the folders that are still to come.

All names are relative to open folders, and no link is followed but FOLDER and OUT themselves.
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
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, Self

import click

from . import output, standard, streams
from .batch import Batch
from .failures import REPORTED, WORST, Exit, Failure, Interrupted, naming, printable, report
from .options import STDIN, changed, reading
from .permissions import status_of
from .progress import Progress
from .run_files import named_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from types import TracebackType
    from typing import BinaryIO

    from .._check import Buffer
    from .output import Destination, Folder

    Work = Callable[[int, Callable[[int], object]], object]  # (jobs, advance), as of pipeline.py

SMALL = 64 << 10  # bytes
LARGE = 16 << 20  # bytes
_UNFINISHED = re.compile(r"\.rijn-[0-9a-f]{16}\.part")  # what a kill leaves of a result
_KINDS = (
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
)


class Tree(NamedTuple):
    folder: str
    out: str | None  # None: the command makes no folder of results


class File:
    """A regular file of the tree, open, and the name of its result."""

    __slots__ = (
        *("_fd", "_reads", "_unchanging"),
        *("folder", "name", "older", "result", "source", "status"),
    )

    def __init__(self, found: _Found, fd: int, status: os.stat_result, *, unchanging: bool) -> None:
        self.source = found.source
        self.result = found.result
        self.name = found.result.rpartition(os.sep)[2]
        self.folder = found.folder  # of the result, if there is one
        self.status = status
        self.older: os.stat_result | None = None  # the result to replace, because it is older
        self._fd = fd
        self._unchanging = unchanging
        self._reads: BinaryIO | None = None

    @property
    def is_named(self) -> bool:
        """Tells whether the result's name was taken when its folder was opened."""
        return self.folder is not None and self.name in self.folder.names

    @property
    def reads(self) -> BinaryIO:
        """The file, unbuffered."""
        if self._reads is None:
            self._reads = reading(self._fd, self.source, unchanging=self._unchanging)
        return self._reads

    def content(self) -> bytes | None:
        """All of a small file, by one read; None if it has another size than its status says.
        Failure if it changes meanwhile and must not; OSError."""
        size = self.status.st_size
        data = os.pread(self._fd, size + 1, 0)
        if self._unchanging:
            now = os.fstat(self._fd)
            if (now.st_size, now.st_mtime_ns) != (size, self.status.st_mtime_ns):
                raise changed(self.source, size, len(data), now.st_size)
        return data if len(data) == size else None

    def close(self) -> None:
        os.close(self._fd)
        if self.folder is not None:
            self.folder.release()


class Task(NamedTuple):
    """One command's work on every file of a tree.

    own          the name of a file's result in its folder; None: the file is passed over
    is_there     whether the result is there already, or Failure; called in the thread that walks,
                 as are the next three
    destination  where a result goes; None: there are no results
    convert      makes what the result holds of a small file's content; None: no file is small
    work         returns what makes the result, or reads the file, in any thread
    doing        and
    done         say what it is
    unchanging   as open_source has it
    in_place     whether results take the place of their sources
    give_up      ends the work on all files, where it is not done here
    """

    own: Callable[[str], str | None]
    is_there: Callable[[File], bool]
    destination: Callable[[File], Destination] | None
    convert: Callable[[File, bytes], Buffer] | None
    work: Callable[[File, Destination | None], Work]
    doing: str
    done: str
    unchanging: bool
    in_place: bool = False
    give_up: Callable[[], object] | None = None


class _Found(NamedTuple):
    """An entry of the tree: a file to work on, or an error, or a symbolic link, which is passed
    over. `place` is the folder's descriptor until the next is asked for."""

    source: str
    result: str
    name: str = ""  # of the source
    place: int = -1
    folder: Folder | None = None  # of the result
    error: BaseException | None = None
    is_link: bool = False


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
    _check_folder(folder)
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


def one_named_in(files: Sequence[str]) -> Tree:
    """Returns the tree that the arguments of `verify -r` or `rekey -r` name. UsageError, Failure,
    OSError."""
    if len(files) != 1:
        raise click.UsageError("-r takes one folder: -r FOLDER.")
    (folder,) = files
    if not folder:
        raise click.UsageError("A name is empty: is it a variable that was never set?")
    if folder == STDIN:
        raise click.UsageError("-r takes a folder, not standard input.")
    _check_folder(folder)
    return Tree(folder, None)


def _check_folder(folder: str) -> None:
    if not stat.S_ISDIR(os.stat(folder).st_mode):
        raise Failure(f"{folder}: is no folder", "leave -r out", Exit.USAGE)


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


def taking(suffix: str, command: str = "decrypt") -> Callable[[str], str | None]:
    """The name of decrypt's results. Failure for what encrypt does not name so; None for what a
    kill left of it."""
    hint = f"what encrypt made of a tree does; {command} it by itself"
    hint += ", and name the result" * (command == "decrypt")

    def own(name: str) -> str | None:
        plain = name.removesuffix(suffix)
        if plain in ("", name, os.curdir, os.pardir):
            if _UNFINISHED.fullmatch(name):
                return None
            raise Failure(f"its name does not end in {suffix}", hint, Exit.NOT_RIJN)
        return plain

    return own


def keeping(suffix: str, command: str) -> Callable[[str], str | None]:
    """The same names, of a command that makes no others. Failure and None as `taking` has them."""
    taken = taking(suffix, command)
    return lambda name: None if taken(name) is None else name


def is_there(
    file: File,
    fits: Callable[[os.stat_result], bool],
    *,
    force: bool,
    renews: Callable[[os.stat_result], bool] | None = None,
) -> bool:
    """Whether the result is there already: a regular file with the source's time of change, to
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
        text = f"{file.result}: exists already, and is no regular file"
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
        text = f"has changed since {file.result} was made, as their times of change say"
    elif found.st_mtime_ns > file.status.st_mtime_ns:
        text = (
            f"{file.result}: exists already, and has a later time of change: it was altered, or"
            " copied without its time"
        )
    else:
        text = f"{file.result}: exists already, and is of something else, or another key"
    raise Failure(f"{file.source}: {text}", hint, Exit.REFUSED)


def work_on_tree(at: Tree, task: Task, *, jobs: int, progress: bool | None, quiet: bool) -> int:
    """Works on every file of the tree, goes on after a failure, says what failed and what there
    is in the end, and returns the worst exit code. UsageError, Interrupted and MemoryError, once
    no thread works any more."""
    tally = _Tally()
    with suppress(_Full), Progress(task.doing, None, shown=progress) as bar:
        if bar.wanted:
            bar.total = sum(map(_size, _walk(at, task, _NoFolders())))
        with _Crew(jobs, bar, tally, task) as crew, _folders(at, task, crew) as folders:
            for found in _walk(at, task, folders):
                if found.error is not None:
                    tally.fail(found.source, found.error)
                elif found.is_link:
                    tally.links += 1
                else:
                    crew.take(found)
            crew.finish()
    if tally.codes or not quiet:
        said = [f"{tally.done:,} {task.done} ({tally.bytes:,} bytes)"]
        said += [f"{tally.there:,} there already"] * bool(tally.there)
        links = "link" if tally.links == 1 else "links"
        said += [f"{tally.links:,} symbolic {links} skipped"] * bool(tally.links)
        said += [f"{len(tally.codes):,} failed"] * bool(tally.codes)
        said += ["the rest was not tried"] * tally.full
        standard.say(printable(f"rijn: {at.folder}: {', '.join(said)}"))
    return max(tally.codes, key=WORST.index, default=Exit.OK)


def _size(found: _Found) -> int:
    """Returns the bytes that the work on this entry reads."""
    if found.error is not None or found.is_link:
        return 0
    try:
        return os.stat(found.name, dir_fd=found.place, follow_symlinks=False).st_size
    except OSError:  # which is the work's to report
        return 0


class _NoFolders:
    """Opens no folders: the command has no results."""

    def open(self, inner: Sequence[str], place: int, names: Iterable[str]) -> Folder | None:
        """Returns the results' folder for a folder of the tree, to be released. `inner` is the
        path in the tree, `names` are its entries. OSError, Failure."""
        return None


class _SameFolders(_NoFolders):
    """Opens the folders of the tree itself."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def open(self, inner: Sequence[str], place: int, names: Iterable[str]) -> Folder:
        return output.Folder(os.path.join(self._folder, *inner), os.dup(place), names)


class _NewFolders(_NoFolders):
    """Opens folders in OUT, and makes missing ones."""

    def __init__(self, out: str, crew: _Crew) -> None:
        self._out = out
        self._crew = crew
        self._root: Folder | None = None

    def open(self, inner: Sequence[str], place: int, names: Iterable[str]) -> Folder:
        if not inner:
            if self._root is None:
                self._root = self._opened_root(status_of(place))
            return self._root.hold()
        above = self._above(inner)
        try:
            path = os.path.join(self._out, *inner)
            made = output.make_folder(path, status_of(place), above)
            self._crew.batch.changed(above)
            return made
        finally:
            above.release()

    def _opened_root(self, model: os.stat_result) -> Folder:
        if os.path.isdir(self._out):  # it may be a link
            return output.Folder(self._out, output.open_folder(self._out, follow=True))
        path = os.path.abspath(self._out)
        folder = os.path.dirname(path)
        above = output.Folder(folder, output.open_folder(folder, follow=True), ())
        try:
            with naming(self._out):
                made = output.make_folder(path, model, above)
            made.path = self._out
            self._crew.batch.changed(above)
            return made
        finally:
            above.release()

    def _above(self, inner: Sequence[str]) -> Folder:
        """The folder that this one is in, reached by no link."""
        assert self._root is not None
        if len(inner) == 1:
            return self._root.hold()
        path, fd = self._out, os.dup(self._root.fd)
        try:
            for name in inner[:-1]:
                path = os.path.join(path, name)
                with naming(path):
                    below = output.open_folder(name, fd)
                os.close(fd)
                fd = below
        except OSError:
            os.close(fd)
            raise
        return output.Folder(path, fd, ())

    def close(self) -> None:
        if self._root is not None:
            self._root.release()


@contextmanager
def _folders(at: Tree, task: Task, crew: _Crew) -> Iterator[_NoFolders]:
    if at.out is None:
        yield _SameFolders(at.folder) if task.in_place else _NoFolders()
        return
    new = _NewFolders(at.out, crew)
    try:
        yield new
    finally:
        new.close()


def _walk(at: Tree, task: Task, folders: _NoFolders) -> Iterator[_Found]:
    """What is in the tree, but for its folders: a folder's files in the order of their names,
    then its folders. Links are not followed."""
    todo: list[tuple[tuple[str, ...], os.stat_result | None]] = [((), None)]
    while todo:
        inner, known = todo.pop()
        folder = os.path.join(at.folder, *inner)
        out = os.path.join(at.folder if at.out is None else at.out, *inner)
        try:
            place, found = _listed(folder, known)
        except REPORTED as error:
            yield _Found(folder, out, error=error)
            continue
        below: list[tuple[tuple[str, ...], os.stat_result | None]] = []
        results: Folder | None = None
        try:
            with naming(folder):
                in_it = {entry.name for entry in found if entry.is_dir(follow_symlinks=False)}
            results = folders.open(inner, place, (entry.name for entry in found))
            before, before_results = os.path.join(folder, ""), os.path.join(out, "")
            for entry in found:
                path = before + entry.name
                try:
                    with naming(path):
                        if entry.name in in_it:
                            below.append(((*inner, entry.name), entry.stat(follow_symlinks=False)))
                            continue
                        if entry.is_symlink():
                            yield _Found(path, "", is_link=True)
                            continue
                        name = _name(entry, task.own, in_it)
                except REPORTED as error:
                    yield _Found(path, "", error=error)
                else:
                    if name is not None:
                        yield _Found(path, before_results + name, entry.name, place, results)
        except REPORTED as error:
            yield _Found(folder, out, error=error)
        finally:
            os.close(place)
            if results is not None:
                results.release()
        todo += reversed(below)


def _listed(folder: str, known: os.stat_result | None) -> tuple[int, list[os.DirEntry[str]]]:
    """Its descriptor, to be closed, by which alone the entries are looked at; these in the order of
    their names. Failure where it is another than was known: a link may have its name by now. OSError."""
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if known is not None and not os.path.samestat(os.fstat(place), known):
            raise Failure("became another folder meanwhile", "try again", Exit.OTHER)
        with naming(folder), os.scandir(place) as entries:
            return place, sorted(entries, key=lambda entry: entry.name)
    except BaseException:
        os.close(place)
        raise


def _name(
    entry: os.DirEntry[str], own: Callable[[str], str | None], folders: set[str]
) -> str | None:
    """Of the result. Failure if there can be none."""
    if not entry.is_file(follow_symlinks=False):
        mode = entry.stat(follow_symlinks=False).st_mode
        is_what = next((says for kind, says in _KINDS if kind(mode)), "is a device")
        hint = "-r takes regular files; tar keeps everything: tar c FOLDER | rijn encrypt"
        raise Failure(is_what, hint, Exit.REFUSED)
    name = own(entry.name)
    if name in folders:
        hint = "rename one of the two"
        raise Failure(f"would become {name}, which is a folder beside it", hint, Exit.REFUSED)
    return name


def _opened(found: _Found, *, unchanging: bool) -> File:
    """The file that was found, and no link or other thing that took its name. OSError, Failure."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        with naming(found.source):
            fd = os.open(found.name, flags, dir_fd=found.place)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _became_another() from None
        raise
    try:
        with naming(found.source):
            status = status_of(fd)
        if not stat.S_ISREG(status.st_mode):
            raise _became_another()
    except BaseException:
        os.close(fd)
        raise
    if found.folder is not None:
        found.folder.hold()
    return File(found, fd, status, unchanging=unchanging)


def _became_another() -> Failure:
    return Failure("became another file meanwhile", "try again", Exit.OTHER)


class _Full(Exception):
    """There is no room for further results."""


class _Tally:
    """What became of the files."""

    def __init__(self) -> None:
        self.done = self.there = self.links = self.bytes = 0
        self.codes: list[int] = []
        self.full = False

    def fail(self, name: str, error: BaseException) -> None:
        """Reports what failed. _Full where that would be so for every other."""
        if isinstance(error, (MemoryError, Interrupted, click.UsageError)):
            raise named_after(error, name)  # likewise
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full and self.full:  # it is said once
            self.codes.append(Exit.NO_SPACE)
            return
        self.codes.append(report(named_after(error, name), "rijn"))
        if full:
            self.full = True
            raise _Full


class _Stopped(BaseException):
    """The work is given up: there is an end of the program that a thread does not see."""


class _Crew:
    """The threads, and what they are at. Leaving it waits for them: with an error for no more
    than what each does in one go."""

    def __init__(self, jobs: int, bar: Progress, tally: _Tally, task: Task) -> None:
        from ..pipeline import MAX_JOBS

        self.batch: Batch[File] = Batch()
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
        if kind is _Full:  # what is written needs no more room
            self._keep()
        self.batch.discard()
        for file, _ in self._busy:
            file.close()

    def take(self, found: _Found) -> None:
        """Has the file worked on, now or soon."""
        try:
            file = _opened(found, unchanging=self._task.unchanging)
        except REPORTED as error:
            self._tally.fail(found.source, error)
            return
        try:
            is_kept = self._take(file)
        except REPORTED as error:
            file.close()
            self._tally.fail(file.source, error)
        except BaseException:
            file.close()
            raise
        else:
            if not is_kept:
                file.close()
        if self.batch.is_full:
            self._commit()

    def _take(self, file: File) -> bool:
        """Works on the file, or has a thread do so. Returns whether a thread keeps the file open.
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
                    self.batch.write(destination, file.folder, result, file)
                self._advance(size)
                return False
        work = task.work(file, destination)
        if size < LARGE:
            while len(self._busy) > 2 * self._jobs:
                self._wait()
            self._busy.append((file, self._pool.submit(self._work, file, work, 1)))
            return True
        self.finish()
        self._work(file, work, self._jobs)
        self._count(file)
        return False

    def finish(self) -> None:
        """Until all that were taken are done."""
        self._commit()
        while self._busy:
            self._wait()

    def _commit(self) -> None:
        """Has the results of the small files get their names."""
        full = False
        for file, error in self.batch.commit():
            try:
                if error is None:
                    self._count(file)
                else:
                    self._tally.fail(file.source, error)
            except _Full:  # the others count all the same
                full = True
        if full:
            raise _Full

    def _keep(self) -> None:
        """Keeps all results that are made when there is no room for more."""
        with suppress(_Full):
            self._commit()
        for file, future in self._busy:
            if not future.cancelled() and future.exception() is None:
                self._count(file)

    def _wait(self) -> None:
        file, future = self._busy[0]
        wait([future])  # a signal interrupts it, and the file is still the thread's
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
        if not self._bar.wanted:
            return
        with self._lock:
            self._bar.advance(size)
