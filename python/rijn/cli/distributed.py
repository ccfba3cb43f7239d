"""Chooses the engine of a tree: this process, or Apache Spark.

With --engine spark this process is the driver: it walks the tree, checks existing results, and names a
result when all parts are reported. rijn.spark.files is the work of the executors. A large file is one
Spark job. Smaller files that are ready when the last job has ended share the next job.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import click

from ..errors import InvalidTag
from .failures import Exit, Failure
from .signals import undisturbed
from .spark import LOCAL, SPARK, about, cancel, check_key_files, check_options, cluster
from .tree.engine import LocalTreeEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ..chunked import Message
    from ..spark.files import Job
    from .destination import Destination
    from .sealed import New
    from .tree.engine import Advance, TreeEngine
    from .tree.walk import File

    Run = Callable[[Any, Sequence[Job]], list[Exception | None]]  # seal or open of rijn.spark.files

TRIES = 4  # for a file, if its executors are lost


class TreeChoice(Protocol):
    """An engine that the command line names."""

    def check(self, key_files: Sequence[str], *, recursive: bool) -> None:
        """Checks that the engine can do what the options ask for. UsageError."""

    def engine(
        self, key_files: Sequence[str], backend: str | None
    ) -> AbstractContextManager[TreeEngine]:
        """Yields the engine. Failure."""


class _Local:
    def check(self, _key_files: Sequence[str], *, recursive: bool) -> None:
        pass

    @contextmanager
    def engine(self, _key_files: Sequence[str], _backend: str | None) -> Iterator[TreeEngine]:
        yield LocalTreeEngine()


class _Spark:
    def check(self, key_files: Sequence[str], *, recursive: bool) -> None:
        check_options()
        if not recursive:
            raise click.UsageError("--engine spark needs -r.")
        check_key_files(key_files, "--key-file with a regular file: executors read it")

    @contextmanager
    def engine(self, key_files: Sequence[str], backend: str | None) -> Iterator[TreeEngine]:
        with cluster() as spark, ThreadPoolExecutor(1, thread_name_prefix="rijn-spark") as caller:
            yield SparkTreeEngine(spark, caller, key_files, backend)


_CHOICES: dict[str, TreeChoice] = {LOCAL: _Local(), SPARK: _Spark()}


def choice(name: str) -> TreeChoice:
    """Returns the engine with a name of --engine."""
    return _CHOICES[name]


class SparkTreeEngine:
    """A tree.TreeEngine whose work Spark's executors do."""

    is_local = False

    def __init__(
        self, spark: Any, caller: Executor, key_files: Sequence[str], backend: str | None
    ) -> None:
        """caller: an executor with one thread, the only one that calls Spark"""
        self._spark = spark
        self._caller = caller
        self._keys = tuple(os.path.join(os.getcwd(), name) for name in key_files)
        self._backend = backend
        self._waiting: deque[tuple[Job, Future[Exception | None]]] = deque()
        self._given_up = False

    def jobs(self, _given: int) -> int:
        from ..pipeline import MAX_JOBS

        return MAX_JOBS

    def give_up(self) -> None:
        """Ends Spark's jobs, and starts no more."""
        self._given_up = True
        cancel(self._spark)

    def seal(
        self,
        file: File,
        destination: Destination,
        new: New,
        _jobs: int,
        advance: Advance,
    ) -> None:
        """Makes the result. If an executor is lost, tries again with a new message. Failure, OSError,
        UsageError."""
        try:
            _until_none_is_lost(
                file,
                lambda: self._seal_once(file, destination, new.message(), new.context, advance),
            )
        except ValueError as error:  # Spark's settings
            raise click.UsageError(f"{error}.") from None

    def _seal_once(
        self,
        file: File,
        destination: Destination,
        message: Message,
        context: bytes,
        advance: Advance,
    ) -> None:
        """Tries `seal` once. Raises Repeated and ValueError too."""
        from ..chunked import sealed_size
        from ..spark import files

        size, job = file.status.st_size, None
        try:
            with destination as result, _reporting_failures(file):
                result.write(context + message.prefix)
                job = self._job(file, destination, message, context, size)
                with _with_the_key(file):
                    self._run_job(files.seal, job, advance)
                _check(file, destination, len(context) + sealed_size(size, message.aead))
                with _as_written(file):
                    files.check_ends(job, message)
        finally:
            if job is not None:
                with undisturbed():
                    files.release(job)

    def open(
        self,
        file: File,
        destination: Destination,
        message: Message,
        start: int,
        _jobs: int,
        advance: Advance,
    ) -> None:
        """Makes the result, like `seal`. Failure, OSError, InvalidTag.

        start  where the message begins
        """
        from ..spark import files

        size = message.plain_size(file.status.st_size - start)
        context = os.pread(file.reads.fileno(), start, 0)

        def once() -> None:
            with destination, _reporting_failures(file):
                job = self._job(file, destination, message, context, size)
                self._run_job(files.open, job, advance)
                _check(file, destination, size)

        _until_none_is_lost(file, once)

    def _run_job(self, run: Run, job: Job, advance: Advance) -> None:
        """Does the job, in one Spark job with all other waiting jobs. Raises the job's error, or
        CancelledError after `give_up`."""
        future = Future[Exception | None]()
        self._waiting.append((job, future))
        self._caller.submit(self._next, run)
        found = future.result()
        if found is not None:
            raise found
        advance(job.source.size)

    def _next(self, run: Run) -> None:
        """Does all waiting jobs. This runs in the one thread that calls Spark. Signals do not reach
        that thread. If a signal interrupted a call to pyspark, pyspark would still wait for the job."""
        jobs = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if self._given_up:
            for _, future in jobs:
                future.cancel()
        elif jobs:
            try:
                errors = run(self._spark, [job for job, _ in jobs])
            except BaseException as failed:  # noqa: BLE001 (reported to the waiting threads)
                for _, future in jobs:
                    future.set_exception(failed)
            else:
                for (_, future), error in zip(jobs, errors, strict=True):
                    future.set_result(error)

    def _job(
        self, file: File, destination: Destination, message: Message, context: bytes, size: int
    ) -> Job:
        from ..spark.files import Job, Pinned, range_size

        return Job(
            Pinned.pin(file.source, file.status),
            os.path.abspath(destination.temporary),
            destination.synced().st_ino,
            size,
            range_size(self._spark, size),
            self._keys,
            message.prefix,
            message.aead.name,
            context,
            self._backend,
        )


def _until_none_is_lost(file: File, once: Callable[[], None]) -> None:
    """Calls `once`, and repeats it if an executor was lost. Failure."""
    from ..spark.files import Repeated

    for _ in range(TRIES):
        with suppress(Repeated):
            return once()
    raise Failure(
        f"{file.source}: executors were lost {TRIES} times", "see Spark's log", Exit.OTHER
    )


def _check(file: File, destination: Destination, size: int) -> None:
    """Checks that the source has not changed, and that the result has this size. Changed, Failure."""
    from ..spark.files import Pinned

    pinned = Pinned.pin(file.source, file.status)
    pinned.check(os.fstat(file.reads.fileno()))
    pinned.check(os.stat(file.source))
    with open(
        destination.temporary, "rb"
    ) as made:  # opened again, for the present state on a network
        status = os.fstat(made.fileno())
    if not os.path.samestat(status, destination.synced()):
        raise Failure(
            f"{file.source}: its result's {destination.temporary} was replaced by another file",
            "find out which program writes into that folder",
            Exit.OTHER,
        )
    found = status.st_size
    if found != size:
        raise Failure(
            f"{file.source}: its result has {found:,} bytes here, not {size:,}",
            "the executors must see the folders, by the same names, on one file system",
            Exit.OTHER,
        )


@contextmanager
def _with_the_key(file: File) -> Iterator[None]:
    """Turns WrongKey into a Failure: the executor has another key, and the source is fine."""
    from ..chunked import WrongKey

    try:
        yield
    except WrongKey:
        raise Failure(
            f"{file.source}: on an executor: the key file has another key",
            "the executors must see one key file, by the same name, that nobody changes",
            Exit.OTHER,
        ) from None


@contextmanager
def _as_written(file: File) -> Iterator[None]:
    """Turns InvalidTag into a Failure."""
    try:
        yield
    except InvalidTag:
        raise Failure(
            f"{file.source}: its result differs from the bytes that the executors wrote",
            "they must be on a file system where several machines may write to one file",
            Exit.OTHER,
        ) from None


@contextmanager
def _reporting_failures(file: File) -> Iterator[None]:
    """Turns errors of Spark and its executors in the work on a file into Failure."""
    from ..spark.files import Changed, Failed

    try:
        with about(file.source):
            yield
    except Changed:
        raise Failure(
            f"{file.source}: changed while it was read",
            "use a copy that nobody writes to",
            Exit.OTHER,
        ) from None
    except Failed as error:
        raise Failure(
            f"{file.source}: on an executor: {error}",
            "the executors must see the folders and the key file, by the same names",
            Exit.OTHER,
        ) from None
