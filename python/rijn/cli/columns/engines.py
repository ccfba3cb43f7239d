"""Chooses the engine that makes a command's results: this process (local.py) or Apache Spark
(cluster.py). The commands use only this module.
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
    from .options import SealingOptions
    from .request import Request
    from .tasks import Options


class ColumnsEngine(Protocol):
    """Makes the result of a table. Every method raises Failure, UsageError and OSError."""

    def encrypt(self, pair: Pair, dropped: Sequence[str]) -> None:
        """Encrypts columns. The result omits these keys of the file's metadata."""

    def decrypt(self, pair: Pair, type_: str | None) -> list[str]:
        """Decrypts columns. `type_` is their type if the file does not record it. Returns a line for
        each loss in the result."""

    def rotate(self, pair: Pair) -> str:
        """Changes the key of columns. Returns a text about the result."""


def run(
    request: Request,
    beside: Callable[[str], str | None],
    work: Callable[[ColumnsEngine, Pair], str],
    done: str,
    *,
    null: bool = False,
) -> int:
    """Works on each file of the request with its engine. Returns the exit code. Failure, UsageError,
    OSError.

    beside  returns the name of the result in the source's folder
    work    makes one result, and returns a text about it
    done    the verb for the last line, as in "3 of 4 files encrypted"
    null    whether values that do not open become null
    """
    check_files(request.files)
    sealing_options = request.sealing_options()
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
    print_line = None if request.quiet else say
    with _engaged(request.engine, sealing_options, options, print_line) as engine:
        return work_on_each(found, lambda pair: work(engine, pair), done, print_line)


@contextmanager
def _engaged(
    name: str,
    sealing_options: SealingOptions,
    options: Options,
    print_line: Callable[[str], object] | None,
) -> Iterator[ColumnsEngine]:
    """Yields the engine with this name. `print_line` prints lines that are not errors. Failure."""
    if name == SPARK:
        from .cluster import spark_engine

        with spark_engine(sealing_options, options) as engine:
            yield engine
    else:
        from .local import LocalEngine

        yield LocalEngine(sealing_options, options, print_line)
