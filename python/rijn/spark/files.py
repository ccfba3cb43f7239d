"""C2SP messages by the executors of Spark, each a range of a message's chunks, or many short messages.

The driver has made the file that is written to, with the message's prefix in it; an executor reads
its range of the source, and writes what it makes of it at its place. Source, file and key file are on
a file system that all of them share, and the key file's path is all that they are told of a key.

No chunk is sealed twice: two attempts may have read different bytes, and under one nonce these would
give each other away. So only a task's first attempt seals, and only what it was the first to claim,
by a file that it makes (O_EXCL) beside the one that is written to. Of anything else there is Repeated,
and the whole is to begin anew, as a new message, with keys and nonces of its own. To open, too, there
is one attempt: an executor that is taken for lost may write on, to a file that is never given a name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..chunked import CHUNK, PREFIX, Message, WrongKey
from ..errors import InvalidTag
from ..files import read_key

RUN = 64  # chunks that are read and written at once
SHORTEST, LONGEST = 64, 4096  # chunks of a range: 1 MiB, 64 MiB
FULL = (errno.ENOSPC, errno.EDQUOT)
TASKS = 4  # for each core, if there is so much to do


class Repeated(Exception):
    """A range was not sealed, for another attempt may have done so."""


class Changed(Exception):
    """The source is not, or not any more, the one that was pinned."""


class Failed(Exception):
    """What an executor met with, of the file system or a key file."""


@dataclass(frozen=True)
class Pinned:
    """A source as it was when the work on it began."""

    path: str
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: str, status: os.stat_result) -> Pinned:
        return cls(
            os.path.join(os.getcwd(), path), status.st_size, status.st_mtime_ns, status.st_ino
        )

    def check(self, status: os.stat_result) -> None:
        """That it is this. Changed."""
        if not stat.S_ISREG(status.st_mode):
            raise Changed("it is no regular file any more")
        found = status.st_size, status.st_mtime_ns, status.st_ino
        if found != (self.size, self.mtime_ns, self.inode):
            raise Changed("it changed while it was read")


@dataclass(frozen=True)
class Job:
    """What is to be made of a source.

    target     the file that is written to, under a name that no other ever has
    inode      of that file
    size       of the plaintext
    each       chunks of a range: range_size
    key_files  paths, of which one has the key
    prefix     the message's 56 bytes, which stand behind `context` in the file that is sealed
    """

    source: Pinned
    target: str
    inode: int
    size: int
    each: int
    key_files: tuple[str, ...]
    prefix: bytes
    aead: str
    context: bytes
    backend: str | None

    @property
    def chunks(self) -> int:
        return self.size // CHUNK + 1

    @property
    def firsts(self) -> range:
        """The first chunk of each range."""
        return range(0, self.chunks, self.each)

    def claim(self, first: int) -> str:
        """The file of the attempt that seals a range, named as what a kill leaves of a result."""
        own = sha256(self.prefix + first.to_bytes(8, "big")).hexdigest()[:16]
        return os.path.join(os.path.dirname(self.target), f".rijn-{own}.part")


def range_size(spark: Any, size: int) -> int:
    """How many chunks of a file with so many bytes of plaintext are a range."""
    tasks: int = TASKS * spark.sparkContext.defaultParallelism
    return max(SHORTEST, min(LONGEST, -(-(size // CHUNK + 1) // tasks)))


def seal(spark: Any, jobs: Sequence[Job]) -> list[Exception | None]:
    """Writes all chunks of the sources to the targets, behind context and prefix; once for each
    message. Returns what each job failed by, if it did: Repeated where an executor was lost, WrongKey,
    Changed, Failed, OSError of a full disk. ValueError where Spark may run a task twice at once; and
    what Spark raises.

    The claims of each job are there until `release`."""
    if spark.sparkContext.getConf().get("spark.speculation", "false").strip().lower() != "false":
        raise ValueError("spark.speculation is on, and no chunk may be sealed twice: turn it off")
    return _run(spark, jobs, sealing=True)


def release(job: Job) -> None:
    """Removes the claims of a job, unless the target's name is there: without its claim, that it is
    gone is what an attempt which comes later is refused by."""
    if os.path.lexists(job.target):
        return
    for first in job.firsts:
        with suppress(OSError):
            os.unlink(job.claim(first))


def open(spark: Any, jobs: Sequence[Job]) -> list[Exception | None]:
    """Inverse of seal. Returns for each job WrongKey, Damaged or Truncated, of which the target has
    nothing of a run of chunks that failed, but of others; Repeated, Changed, Failed, OSError."""
    return _run(spark, jobs, sealing=False)


def check_ends(job: Job, message: Message) -> None:
    """That the target, opened anew, has the prefix, and of each range the first chunk and the last as
    they were sealed: whether what executors have written beside each other is there. InvalidTag,
    OSError."""
    start = len(job.context) + PREFIX
    target = os.open(job.target, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if os.pread(target, start, 0) != job.context + job.prefix:
            raise InvalidTag("its beginning is another")
        for begin in job.firsts:
            for chunk in {begin, min(begin + job.each, job.chunks) - 1}:
                sealed = os.pread(
                    target, message.sealed_chunk, start + chunk * message.sealed_chunk
                )
                plain = bytearray(max(len(sealed) - message.aead.tag_size, 0))
                try:
                    message.open(chunk, sealed, plain, last=chunk == job.chunks - 1)
                finally:
                    plain[:] = bytes(len(plain))
    finally:
        os.close(target)


def _run(spark: Any, jobs: Sequence[Job], *, sealing: bool) -> list[Exception | None]:
    context = spark.sparkContext
    parts = [(number, first) for number, job in enumerate(jobs) for first in job.firsts]
    tasks = len(parts)
    if len(jobs) > 1:
        tasks = min(tasks, TASKS * context.defaultParallelism)

    def work(parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, Exception | None]]:
        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        for number, first in parts:
            if task.attemptNumber():
                yield number, Repeated("an executor was lost")
                continue
            try:
                _range(jobs[number], first, sealing=sealing)
            except (OSError, ValueError, MemoryError, InvalidTag, Changed, Repeated) as error:
                yield number, _told(error)
            else:
                yield number, None

    found: list[list[Exception | None]] = [[] for _ in jobs]
    for number, error in context.parallelize(parts, tasks).mapPartitions(work).collect():
        found[number].append(error)
    return [_outcome(job, told) for job, told in zip(jobs, found, strict=True)]


def _outcome(job: Job, told: Sequence[Exception | None]) -> Exception | None:
    """What its ranges say together: of several errors one that another message would not mend."""
    if len(told) != len(job.firsts):
        return Repeated("a range was not reported, or twice")
    errors = [error for error in told if error is not None]
    return min(errors, key=lambda error: isinstance(error, Repeated), default=None)


# ---- On the executors -----------------------------------------------------------------


def _told(error: Exception) -> Exception:
    """What goes to the driver as a result, for an error that is raised has Spark try again."""
    if isinstance(error, (InvalidTag, Changed, Repeated)):
        return error
    if isinstance(error, OSError) and error.errno in FULL:
        return OSError(error.errno, error.strerror, error.filename)
    return Failed(f"{type(error).__name__}: {error}")


def _range(job: Job, begin: int, *, sealing: bool) -> None:
    """The range that begins with this chunk. InvalidTag, Changed, Repeated, OSError, ValueError."""
    message = _message(job)
    chunks, end = job.chunks, min(begin + job.each, job.chunks)
    run = min(RUN, end - begin)
    sizes = CHUNK, message.sealed_chunk
    places = 0, len(job.context) + PREFIX
    size_in, size_out = sizes if sealing else sizes[::-1]
    place_in, place_out = places if sealing else places[::-1]
    data = memoryview(bytearray(run * size_in))
    made = memoryview(bytearray(run * size_out))
    source = os.open(job.source.path, os.O_RDONLY | os.O_NONBLOCK)  # which a pipe would not be
    try:
        job.source.check(os.fstat(source))
        target = _claimed(job, begin) if sealing else _target(job)
        try:
            for first in range(begin, end, run):
                stop = min(first + run, end)
                last = stop == chunks
                place = place_in + first * size_in
                view = data[: (job.source.size if last else place_in + stop * size_in) - place]
                _read(source, view, place)
                whole = stop - first - last
                tag = message.aead.tag_size if last else 0
                rest = len(view) - whole * size_in + (tag if sealing else -tag)
                out = made[: whole * size_out + rest]
                (message.seal if sealing else message.open)(first, view, out, last=last)
                _write(target, out, place_out + first * size_out)
            os.fsync(target)
        finally:
            os.close(target)
        job.source.check(os.fstat(source))
        job.source.check(os.stat(job.source.path))
    finally:
        os.close(source)


def _claimed(job: Job, first: int) -> int:
    """As _target, once for each range. Repeated."""
    claim = job.claim(first)
    try:
        os.close(os.open(claim, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise Repeated("the range was begun before") from None
    try:
        return _target(job)  # behind the claim: where claims were released, this is not there
    except (OSError, ValueError):
        os.unlink(claim)
        raise


def _target(job: Job) -> int:
    """The file that is written to, open. OSError, and ValueError where another has its name.

    Ranges of ciphertext begin anywhere in a page. Without O_DSYNC NFS may write a page whole, and zeros
    over what another client has of it; of plaintext they begin with a page."""
    fd = os.open(job.target, os.O_WRONLY | os.O_NOFOLLOW | os.O_DSYNC)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or (status.st_ino, status.st_nlink) != (job.inode, 1):
        os.close(fd)
        raise ValueError(f"{job.target} is not the file that was begun")
    return fd


def _message(job: Job) -> Message:
    """The message, by the key that fits. WrongKey, and what read_key raises."""
    for number, name in enumerate(job.key_files, 1):
        try:
            return Message.of(
                job.prefix,
                read_key(name),
                aead=job.aead,
                context=job.context,
                backend=job.backend,
                start=len(job.context),
            )
        except (WrongKey, ValueError):  # one of another size, or another key
            if number == len(job.key_files):
                raise
    raise ValueError("key_files is empty")


def _read(fd: int, view: memoryview, place: int) -> None:
    """Changed where there are fewer bytes."""
    while view:
        count = os.preadv(fd, [view], place)
        if not count:
            raise Changed("it has become shorter")
        view, place = view[count:], place + count


def _write(fd: int, view: memoryview, place: int) -> None:
    while view:
        count = os.pwrite(fd, view, place)
        view, place = view[count:], place + count
