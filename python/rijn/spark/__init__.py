"""Rijn on Apache Spark, by PySpark 4.1 and later.

    import rijn.spark

    sealed = rijn.spark.seal(frame, {"email": column}, aad={"email": "id"})

seal, open, rotate   columns of a whole DataFrame, each by a rijn.columns.Column
sealing, opening     functions of single columns
register             the same for SQL
session              the SparkSession that this process has, or a new one

docs/columns.md is the guide. It needs the packages of the extra `spark` where the program runs and
wherever its executors do, and Java 17 or later.
"""

from __future__ import annotations

from .columns import open, opening, register, rotate, seal, sealing
from .session import session

__all__ = ["open", "opening", "register", "rotate", "seal", "sealing", "session"]
