"""The SparkSession that Rijn uses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._install import pip_install


def library() -> Any:
    """Returns the package pyspark, with its pyspark.sql. Raises ImportError if it is missing."""
    try:
        import pyspark.sql.functions
    except ImportError:
        raise ImportError(f"rijn.spark needs the package pyspark: {pip_install('spark')}") from None
    return pyspark


def jvm() -> None:
    """Starts the JVM of this process, unless it runs already. Raises ImportError and RuntimeError,
    as session.
    """
    with _beginning():
        library().SparkContext._ensure_initialized()


def session() -> Any:
    """Returns the SparkSession of this process, or a new one with Spark's own configuration:
    spark-submit's options, spark-defaults.conf, PYSPARK_SUBMIT_ARGS.

    The executors run PYSPARK_PYTHON. If it is not set when a session begins, this sets it to the
    running interpreter.

    :raises ImportError: if pyspark is missing.
    :raises RuntimeError: if no session begins, for example without Java.
    """
    pyspark = library()
    found = pyspark.sql.SparkSession.getActiveSession()
    if found is not None:
        return found
    with _beginning():
        return pyspark.sql.SparkSession.builder.appName("rijn").getOrCreate()


@contextmanager
def _beginning() -> Iterator[None]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        yield
    except library().errors.PySparkException as error:
        text = str(error).splitlines()[0]
        raise RuntimeError(f"no Spark session begins: {text}; is Java 17 installed?") from None
