"""The SparkSession that Rijn works in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def library() -> Any:
    """The package pyspark, with its pyspark.sql. ImportError where there is none."""
    try:
        import pyspark.sql.functions
    except ImportError:
        raise ImportError(
            "rijn.spark needs the package pyspark: pip install '.[spark]' in Rijn's sources"
        ) from None
    return pyspark


def jvm() -> None:
    """Starts the JVM of this process, if it has none. ImportError, RuntimeError, as session."""
    with _beginning():
        library().SparkContext._ensure_initialized()


def session() -> Any:
    """The SparkSession of this process; or a new one, as Spark's own configuration has it:
    spark-submit's options, spark-defaults.conf, PYSPARK_SUBMIT_ARGS.

    The executors run PYSPARK_PYTHON; where that is not set when a session begins, it is set to the
    interpreter that runs this. Raises ImportError without pyspark, RuntimeError where no session
    begins: without Java, say.
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
