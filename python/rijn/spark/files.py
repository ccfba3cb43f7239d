"""C2SP messages on Spark's executors: each works on a range of a message's chunks, or on many short
messages.

The driver has made the target file, with the message's prefix in it. An executor reads its range of
the source and writes the result at its place. Source, target and key file are on a file system that
all executors share. An executor receives only the path of the key file, never a key.

No chunk is sealed twice: two attempts might read different bytes, and sealing both under one nonce
would reveal their difference. So only a task's first attempt seals, and only a range that it was
the first to claim, by making a file (O_EXCL) beside the target. In all other cases Repeated is
returned, and the caller begins again with a new message, which has new keys and nonces. Opening
also has only one attempt: an executor that seems lost may continue to write, to a file that never
gets its final name.
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
from ..files.format import read_key

RUN = 64  # chunks that are read and written at once
SHORTEST, LONGEST = 64, 4096  # chunks of a range: 1 MiB, 64 MiB
FULL = (errno.ENOSPC, errno.EDQUOT)
TASKS = 4  # at most, for each core


class Repeated(Exception):
    """A range was not sealed, because another attempt may have sealed it."""


class Changed(Exception):
    """The source is not the pinned file, or has changed."""


class Failed(Exception):
    """An executor had an error of the file system or a key file."""


@dataclass(frozen=True)
class Pinned:
    """A source file, as it was at the beginning."""

    path: str
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def pin(cls, path: str, status: os.stat_result) -> Pinned:
        return cls(
            os.path.join(os.getcwd(), path), status.st_size, status.st_mtime_ns, status.st_ino
        )

    def check(self, status: os.stat_result) -> None:
        """Raises Changed if the file is another one now."""
        if not stat.S_ISREG(status.st_mode):
            raise Changed("it is not a regular file any more")
        found = status.st_size, status.st_mtime_ns, status.st_ino
        if found != (self.size, self.mtime_ns, self.inode):
            raise Changed("it changed while it was read")


@dataclass(frozen=True)
class Job:
    """The work on one source.

    target     the file to be written, under a name that no other file ever has
    inode      of that file
    size       of the plaintext
    each       chunks of a range: range_size
    key_files  paths, one of which has the key
    prefix     the message's 56 bytes, which follow `context` in the sealed file
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
        """Returns the claim file of a range. A killed program leaves results under names of the
        same form.
        """
        own = sha256(self.prefix + first.to_bytes(8, "big")).hexdigest()[:16]
        return os.path.join(os.path.dirname(self.target), f".rijn-{own}.part")


def range_size(spark: Any, size: int) -> int:
    """Returns the number of chunks in a range, for a file with `size` bytes of plaintext."""
    tasks: int = TASKS * spark.sparkContext.defaultParallelism
    return max(SHORTEST, min(LONGEST, -(-(size // CHUNK + 1) // tasks)))


def seal(spark: Any, jobs: Sequence[Job]) -> list[Exception | None]:
    """Seals all chunks of the sources into the targets, after context and prefix. Call this once
    for each message.

    Returns each job's error, or None: Repeated if an executor was lost, WrongKey, Changed, Failed,
    or OSError for a full disk. Raises ValueError if Spark may run a task twice at once, and Spark's
    errors. The claims of each job exist until `release`.
    """
    if spark.sparkContext.getConf().get("spark.speculation", "false").strip().lower() != "false":
        raise ValueError("spark.speculation is on, and no chunk may be sealed twice: turn it off")
    return _run(spark, jobs, sealing=True)


def release(job: Job) -> None:
    """Removes the claims of a job, unless the target's name still exists.

    A later attempt is refused because its claim exists, or else because the target is gone.
    """
    if os.path.lexists(job.target):
        return
    for first in job.firsts:
        with suppress(OSError):
            os.unlink(job.claim(first))


def open(spark: Any, jobs: Sequence[Job]) -> list[Exception | None]:
    """Opens all chunks of the sources: the inverse of `seal`.

    Returns each job's error, or None: WrongKey, Damaged or Truncated, Repeated, Changed, Failed,
    OSError. The target has no plaintext of a run of chunks that failed, but it may have plaintext
    of other runs.
    """
    return _run(spark, jobs, sealing=False)


def check_ends(job: Job, message: Message) -> None:
    """Checks that the target has the prefix, and the first and last chunk of each range as they
    were sealed.

    This opens the file again, and so finds whether the executors' writes are all there. Raises
    InvalidTag and OSError.
    """
    start = len(job.context) + PREFIX
    target = os.open(job.target, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if os.pread(target, start, 0) != job.context + job.prefix:
            raise InvalidTag("its prefix has changed")
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

    def process_parts(parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, Exception | None]]:
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
                yield number, _reported(error)
            else:
                yield number, None

    found: list[list[Exception | None]] = [[] for _ in jobs]
    for number, error in context.parallelize(parts, tasks).mapPartitions(process_parts).collect():
        found[number].append(error)
    return [_outcome(job, told) for job, told in zip(jobs, found, strict=True)]


def _outcome(job: Job, told: Sequence[Exception | None]) -> Exception | None:
    """Returns the result of a job's ranges: preferably an error that a new message would not fix."""
    if len(told) != len(job.firsts):
        return Repeated("a range was not reported, or twice")
    errors = [error for error in told if error is not None]
    return min(errors, key=lambda error: isinstance(error, Repeated), default=None)


# ---- On the executors -----------------------------------------------------------------


def _reported(error: Exception) -> Exception:
    """Returns the error to send to the driver as a result. If it were raised, Spark would try
    again.
    """
    if isinstance(error, (InvalidTag, Changed, Repeated)):
        return error
    if isinstance(error, OSError) and error.errno in FULL:
        return OSError(error.errno, error.strerror, error.filename)
    return Failed(f"{type(error).__name__}: {error}")


def _range(job: Job, begin: int, *, sealing: bool) -> None:
    """Processes the range that begins with this chunk. Raises InvalidTag, Changed, Repeated,
    OSError and ValueError.
    """
    message = _message(job)
    chunks, end = job.chunks, min(begin + job.each, job.chunks)
    run = min(RUN, end - begin)
    sizes = CHUNK, message.sealed_chunk
    places = 0, len(job.context) + PREFIX
    size_in, size_out = sizes if sealing else sizes[::-1]
    place_in, place_out = places if sealing else places[::-1]
    data = memoryview(bytearray(run * size_in))
    made = memoryview(bytearray(run * size_out))
    source = os.open(job.source.path, os.O_RDONLY | os.O_NONBLOCK)  # does not wait for a pipe
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
    """Opens the target as _target does, once for each range. Raises Repeated."""
    claim = job.claim(first)
    try:
        os.close(os.open(claim, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise Repeated("the range was begun before") from None
    try:
        return _target(job)  # after the claim: if claims were released, the target is gone
    except (OSError, ValueError):
        os.unlink(claim)
        raise


def _target(job: Job) -> int:
    """Opens the target. Raises OSError, and ValueError if another file has its name.

    Ranges of ciphertext begin anywhere in a page. Without O_DSYNC, NFS may write a whole page, with
    zeros over another client's part of it. Ranges of plaintext begin with a page.
    """
    fd = os.open(job.target, os.O_WRONLY | os.O_NOFOLLOW | os.O_DSYNC)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or (status.st_ino, status.st_nlink) != (job.inode, 1):
        os.close(fd)
        raise ValueError(f"{job.target} is not the file that was begun")
    return fd


def _message(job: Job) -> Message:
    """Returns the message with the key that fits. Raises WrongKey, and the errors of read_key."""
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
        except (WrongKey, ValueError):  # a key of another size, or another key
            if number == len(job.key_files):
                raise
    raise ValueError("key_files is empty")


def _read(fd: int, view: memoryview, place: int) -> None:
    """Fills the view from the file. Raises Changed if the file has fewer bytes."""
    while view:
        count = os.preadv(fd, [view], place)
        if not count:
            raise Changed("it has become shorter")
        view, place = view[count:], place + count


def _write(fd: int, view: memoryview, place: int) -> None:
    while view:
        count = os.pwrite(fd, view, place)
        view, place = view[count:], place + count
