"""--engine spark: the session that a command works in, and what ends its jobs."""

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

from .failures import Exit, Failure, Interrupted
from .help_all import FurtherOption
from .options import STDIN
from .signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCAL, SPARK = "local", "spark"
_SETTINGS = "is not for --engine spark: Spark's settings say it."
_REFUSED = {  # parameters, and what is said of each where it is given
    "jobs": f"-j {_SETTINGS}",
    "progress": f"--progress {_SETTINGS}",
    "drop": "Spark keeps no metadata of a file: leave --drop-metadata out.",
}
_PATIENCE = 30  # seconds, for a JVM that nobody can tell to end
_RAISED = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Tag|Exposed): ")  # in a traceback

engine_option = click.option(
    "--engine",
    cls=FurtherOption,
    type=click.Choice([LOCAL, SPARK]),
    default=LOCAL,
    show_default=True,
    help="Work in this process or on Apache Spark's executors.",
)


def check_engine(engine: str) -> None:
    """Checks that no option is given that Spark decides, or cannot do. UsageError."""
    if engine != SPARK:
        return
    context = click.get_current_context()
    for name, text in _REFUSED.items():
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT):
            raise click.UsageError(text)


def is_no_file(name: str) -> bool:
    """Whether it is there, and a pipe, say, that is read once: executors cannot read it."""
    try:
        return name == STDIN or not stat.S_ISREG(os.stat(name).st_mode)
    except OSError:
        return False  # which is told where it is read


@contextmanager
def cluster() -> Iterator[Any]:
    """A SparkSession: that of this process, or one that ends with the block. What goes wrong in the
    block ends its jobs. Signals stay Rijn's: pyspark would take SIGINT. Failure."""
    try:
        from pyspark.sql import SparkSession

        from ..spark import session
    except ImportError:
        raise Failure(
            "--engine spark needs the package pyspark",
            "pip install '.[spark]' in Rijn's sources",
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
    """Starts Spark's JVM, if there is none. A signal waits for that: what it breaks off in the middle
    would live on. RuntimeError."""
    from ..spark.session import jvm

    failed = None
    with undisturbed():
        try:
            jvm()
        except RuntimeError as error:  # of the signal, say
            failed = error
    if failed is not None:
        raise failed


def cancel(spark: Any) -> None:
    """Ends Spark's jobs, if there is a JVM that can be told to."""
    with suppress(Exception):
        spark.sparkContext.cancelAllJobs()


def _end(spark: Any, *, jobs: bool, session: bool) -> None:
    """Ends the jobs, the session; and with both the JVM, some of whose tasks may not heed that their
    jobs have ended, and would make again what is removed after this. What this fails by is nobody's:
    the work is done, or has failed by something else.

    It is a thread's, which has a connection to the JVM of its own: a signal may have ended a call of
    this one's before the answer came, and the next call would take that answer for its own."""

    def end() -> None:
        if jobs:
            cancel(spark)
        if session:
            stopped = False
            with suppress(Exception):  # as when the JVM had the signal, too
                spark.stop()
                stopped = True
            if jobs or not stopped:
                _end_jvm(spark.sparkContext)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a JVM that is gone
        thread = threading.Thread(target=end, name="rijn-spark-end")
        thread.start()
        thread.join()


def _end_jvm(context: Any) -> None:
    """Ends the JVM, unless it is the one that began this process. A later session starts another."""
    gateway, kind = context._gateway, type(context)
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    from subprocess import TimeoutExpired

    process.stdin.close()  # which it ends by
    with suppress(TimeoutExpired):
        process.wait(_PATIENCE)
    with suppress(Exception):
        gateway.shutdown()
    kind._gateway = kind._jvm = None


@contextmanager
def _signals_first() -> Iterator[None]:
    """Of a signal, and what was raised because of it, the signal is what leaves the block."""
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
    """py4j logs the traceback of what it raises, on stderr if nobody says where."""

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
    """What Spark has against the work on the file `name`, as a Failure."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with _signals_first():
            yield
    except (
        PySparkException,
        Py4JError,
        ConnectionError,
    ) as error:  # the last where the JVM is gone
        raise Failure(
            f"{name}: Spark: {_cause(str(error))}", "see Spark's log", Exit.OTHER
        ) from None


def _cause(text: str) -> str:
    """The line that says what went wrong: what Python raised on an executor, or Java's exception."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    raised = [line for line in lines if _RAISED.match(line)]
    return (raised or [line[2:] for line in lines if line.startswith(": ")] or lines or ["?"])[0]
