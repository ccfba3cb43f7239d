"""Rijn on Apache Spark, with PySpark 4.1 and later::

    import rijn.spark

    sealed = rijn.spark.seal(frame, {"email": column}, aad={"email": "id"})

seal, open and rotate work on columns of a whole DataFrame, each with its own rijn.columns.Column.
sealing and opening make functions of single columns, and register does so for SQL. session returns
the SparkSession of this process, or a new one.

docs/columns.md is the guide. The packages of the extra `spark` are required on the driver and on
the executors, and Java 17 or later.
"""

from __future__ import annotations

from .columns import open, opening, register, rotate, seal, sealing
from .session import session

__all__ = ["open", "opening", "register", "rotate", "seal", "sealing", "session"]
