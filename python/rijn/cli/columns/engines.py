"""The engines that make a command's results: this process (local.py), or Apache Spark (cluster.py).

This module chooses between the two. The commands use it, and know no engine.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from ..run_files import check_apart, work_on_each
from ..spark import SPARK, check_engine
from ..standard import say
from .options import check_files, check_keysets, needs_packages, pairs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..run_files import Pair
    from .options import How
    from .request import Request
    from .tasks import Options


class ColumnsEngine(Protocol):
    """Makes the result of a table. Every method raises Failure, UsageError and OSError."""

    def encrypt(self, pair: Pair, dropped: Sequence[str]) -> None:
        """Encrypts columns, and leaves these keys of the file's metadata out of the result."""

    def decrypt(self, pair: Pair, type_: str | None) -> list[str]:
        """Decrypts columns, which had this type where the file does not say it. Returns a line
        for each loss in the result."""

    def rotate(self, pair: Pair) -> str:
        """Changes the key of columns. Returns what became of them."""


def run(
    request: Request,
    beside: Callable[[str], str | None],
    work: Callable[[ColumnsEngine, Pair], str],
    done: str,
    *,
    null: bool = False,
) -> int:
    """Has the engine that the request names work on each of its files. Returns the exit code.
    Failure, UsageError, OSError.

    beside  the result's name beside a source
    work    makes one result, and returns what became of the source
    done    what was done, as in "3 of 4 files encrypted"
    null    whether values that do not open become null
    """
    check_files(request.files)
    how = request.how()
    check_engine(request.engine)
    check_keysets(request.engine, request.keysets)
    found = pairs_of(request.engine, request.files, request.output, beside)
    check_apart(found)
    needs_packages()

    from .keysets import Keysets
    from .tasks import Options

    keysets = Keysets(request.keysets)
    jobs, backend, progress = request.jobs_here, request.backend, request.progress
    options = Options(keysets, request.force, jobs, backend, progress, null=null)
    told = None if request.quiet else say
    with _engaged(request.engine, how, options, told) as engine:
        return work_on_each(found, lambda pair: work(engine, pair), done, told)


@contextmanager
def _engaged(
    name: str, how: How, options: Options, told: Callable[[str], object] | None
) -> Iterator[ColumnsEngine]:
    """Yields the engine of that name. told: prints lines that are no errors. Failure."""
    if name == SPARK:
        from .cluster import spark_engine

        with spark_engine(how, options) as engine:
            yield engine
    else:
        from .local import LocalEngine

        yield LocalEngine(how, options, told)
