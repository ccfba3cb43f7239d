"""Chooses the engine that makes a command's results: this process (local.py) or Apache Spark
(cluster.py). The commands use only this module.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from ..run_files import Pair, check_apart, pairs, work_on_each
from ..spark import LOCAL, SPARK, check_key_files, check_options
from ..standard import say
from .options import check_files, is_table, needs_packages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

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


class ColumnsChoice(Protocol):
    """An engine that the command line names, before its packages are loaded."""

    def check(self, keysets: Sequence[str]) -> None:
        """Checks that the engine can do what the options ask for. UsageError."""

    def pairs(
        self, files: Sequence[str], output: str | None, beside: Callable[[str], str | None]
    ) -> list[Pair]:
        """Returns the tables and the places of their results, as run_files.pairs does. UsageError,
        Failure."""

    def jobs(self, given: int) -> int:
        """Returns the number of threads in this process if --jobs is `given`."""

    def engine(
        self,
        sealing_options: SealingOptions,
        options: Options,
        print_line: Callable[[str], object] | None,
    ) -> AbstractContextManager[ColumnsEngine]:
        """Yields the engine. `print_line` prints lines that are not errors. Failure."""


class _Local:
    def check(self, _keysets: Sequence[str]) -> None:
        pass

    def pairs(
        self, files: Sequence[str], output: str | None, beside: Callable[[str], str | None]
    ) -> list[Pair]:
        return pairs(files, output, beside)

    def jobs(self, given: int) -> int:
        return given

    @contextmanager
    def engine(
        self,
        sealing_options: SealingOptions,
        options: Options,
        print_line: Callable[[str], object] | None,
    ) -> Iterator[ColumnsEngine]:
        from .local import LocalColumnsEngine

        yield LocalColumnsEngine(sealing_options, options, print_line)


class _Spark:
    def check(self, keysets: Sequence[str]) -> None:
        check_options()
        check_key_files(keysets, "keysets in regular files: executors read them")

    def pairs(
        self, files: Sequence[str], output: str | None, beside: Callable[[str], str | None]
    ) -> list[Pair]:
        """A table may be a folder, and -o may name such a folder as the result, not as a folder to put
        results into."""
        files = [name.rstrip(os.sep) or name for name in files]
        if output is None or output.endswith(os.sep) or not is_table(output):
            return pairs(files, output, beside)
        if len(files) > 1:
            raise click.UsageError(
                f"-o {output} is one result, but there are {len(files):,} sources."
            )
        return [Pair(files[0], output, True, True, "")]

    def jobs(self, _given: int) -> int:
        return 1  # the executors do the work

    @contextmanager
    def engine(
        self,
        sealing_options: SealingOptions,
        options: Options,
        _print_line: Callable[[str], object] | None,
    ) -> Iterator[ColumnsEngine]:
        from .cluster import spark_engine

        with spark_engine(sealing_options, options) as engine:
            yield engine


_CHOICES: dict[str, ColumnsChoice] = {LOCAL: _Local(), SPARK: _Spark()}


def run(
    request: Request,
    beside: Callable[[str], str | None],
    make_result: Callable[[ColumnsEngine, Pair], str],
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
    choice = _CHOICES[request.engine]
    choice.check(request.keysets)
    found = choice.pairs(request.files, request.output, beside)
    check_apart(found)
    needs_packages()

    from .keysets import Keysets
    from .tasks import Options

    keysets = Keysets(request.keysets)
    jobs, backend, progress = choice.jobs(request.jobs), request.backend, request.progress
    options = Options(keysets, request.force, jobs, backend, progress, null=null)
    print_line = None if request.quiet else say
    with choice.engine(sealing_options, options, print_line) as engine:
        return work_on_each(found, lambda pair: make_result(engine, pair), done, print_line)
