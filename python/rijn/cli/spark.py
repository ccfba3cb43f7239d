"""--engine spark: the Spark session of a command, and the end of its jobs."""

from __future__ import annotations

import logging
import os
import re
import signal
import stat
import threading
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .._install import pip_install
from .failures import Exit, Failure, Interrupted
from .help_all import FurtherOption
from .options import STDIN
from .signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOCAL, SPARK = "local", "spark"
_SETTINGS = "does not go with --engine spark: Spark's settings decide it."
_REFUSED = {  # parameters that do not go with Spark, and messages about them
    "jobs": f"-j {_SETTINGS}",
    "progress": f"--progress {_SETTINGS}",
    "drop": "Spark does not keep a file's metadata: omit --drop-metadata.",
}
_PATIENCE = 30  # seconds to wait for a JVM to end
_RAISED = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Tag|Exposed): ")  # in a traceback

engine_option = click.option(
    "--engine",
    cls=FurtherOption,
    type=click.Choice([LOCAL, SPARK]),
    default=LOCAL,
    show_default=True,
    help="Work in this process or on Apache Spark's executors.",
)


def check_options() -> None:
    """Refuses options that Spark decides itself or does not have. UsageError."""
    context = click.get_current_context()
    for name, text in _REFUSED.items():
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT):
            raise click.UsageError(text)


def check_key_files(names: Sequence[str], needed: str) -> None:
    """Refuses key files that executors cannot read. UsageError.

    needed  what the command needs instead, and that executors read it
    """
    if not names or any(_is_no_file(name) for name in names):
        raise click.UsageError(f"--engine spark needs {needed}, because Rijn sends them no key.")


def _is_no_file(name: str) -> bool:
    """Returns whether it exists and is not a regular file, such as a pipe. Executors cannot read it."""
    try:
        return name == STDIN or not stat.S_ISREG(os.stat(name).st_mode)
    except OSError:
        return False  # reading it reports the error


@contextmanager
def cluster() -> Iterator[Any]:
    """Yields the active SparkSession, or a new one that ends with the block. An error in the block ends
    its jobs. Rijn keeps its handler of SIGINT, which pyspark would replace. Failure."""
    try:
        from pyspark.sql import SparkSession

        from ..spark import session
    except ImportError:
        raise Failure(
            "--engine spark needs the package pyspark",
            pip_install("spark"),
            Exit.OTHER,
        ) from None
    with _signals_first(), _silent_py4j():
        joined = SparkSession.getActiveSession() is not None
        handler = signal.getsignal(signal.SIGINT)
        try:
            _start_jvm()
            spark = session()
        except RuntimeError as error:
            hint = "Debian: apt-get install openjdk-17-jre-headless"
            raise Failure(str(error), hint, Exit.OTHER) from None
        finally:
            signal.signal(signal.SIGINT, handler)
        failed = True
        try:
            yield spark
            failed = False
        finally:
            _end(spark, jobs=failed, session=not joined)


def _start_jvm() -> None:
    """Starts Spark's JVM, if it does not run. Signals wait meanwhile, because a JVM that is interrupted
    while it starts would keep running. RuntimeError."""
    from ..spark.session import jvm

    failed = None
    with undisturbed():
        try:
            jvm()
        except RuntimeError as error:  # for example after a signal
            failed = error
    if failed is not None:
        raise failed


def cancel(spark: Any) -> None:
    """Ends Spark's jobs, if the JVM can be reached."""
    with suppress(Exception):
        spark.sparkContext.cancelAllJobs()


def _end(spark: Any, *, jobs: bool, session: bool) -> None:
    """Ends the jobs and the session. With both it ends the JVM too: tasks of ended jobs may go on, and
    would write files again that are removed later. Ignores errors, because the work has finished or
    failed already.

    A new thread does this over a connection of its own. On the old connection a signal may have
    interrupted a call before its answer came, and the next call would read that answer."""

    def end() -> None:
        if jobs:
            cancel(spark)
        if session:
            stopped = False
            with suppress(Exception):  # for example if the JVM got the signal too
                spark.stop()
                stopped = True
            if jobs or not stopped:
                _end_jvm(spark.sparkContext)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # about a JVM that has ended
        thread = threading.Thread(target=end, name="rijn-spark-end")
        thread.start()
        thread.join()


def _end_jvm(context: Any) -> None:
    """Ends the JVM, unless the JVM started this process. A later session starts a new JVM."""
    gateway, kind = context._gateway, type(context)
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    from subprocess import TimeoutExpired

    process.stdin.close()  # makes the JVM end
    with suppress(TimeoutExpired):
        process.wait(_PATIENCE)
    with suppress(Exception):
        gateway.shutdown()
    kind._gateway = kind._jvm = None


@contextmanager
def _signals_first() -> Iterator[None]:
    """Raises Interrupted again, if a signal caused the exception that leaves the block."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, Interrupted):
                raise cause from None
            cause = cause.__context__
        raise


@contextmanager
def _silent_py4j() -> Iterator[None]:
    """Removes the records of py4j from the log. By default its tracebacks would go to stderr."""

    def ours(record: logging.LogRecord) -> bool:
        return "py4j" not in record.pathname

    root = logging.getLogger()
    root.addFilter(ours)
    try:
        yield
    finally:
        root.removeFilter(ours)


@contextmanager
def about(name: str) -> Iterator[None]:
    """Turns Spark's errors in the work on the file `name` into Failure."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with _signals_first():
            yield
    except (
        PySparkException,
        Py4JError,
        ConnectionError,
    ) as error:  # ConnectionError: the JVM has ended
        raise Failure(
            f"{name}: Spark: {_cause(str(error))}", "see Spark's log", Exit.OTHER
        ) from None


def _cause(text: str) -> str:
    """Returns the line with the cause: the Python exception of an executor, or Java's exception."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    raised = [line for line in lines if _RAISED.match(line)]
    return (raised or [line[2:] for line in lines if line.startswith(": ")] or lines or ["?"])[0]
