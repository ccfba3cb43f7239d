"""Measures the jar in PySpark:

    python bench.py DIRECTORY [--rows N] [--rounds N]     the folder that build.py wrote

Prints the CPU time of the JVM, all threads, in nanoseconds a row. Each query reads a Parquet column
of values of 16 or 64 bytes and calls a function of Spark or Rijn, or none. The queries take turns;
the first round does not count. The columns are the median, and the median without the reading.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import check

from rijn.columns import Keyset

KEY = "unhex('" + "07" * 32 + "')"  # aes_encrypt takes its key as a literal in the plan
CALLS = {
    "reading": "v",
    "aes_encrypt": f"aes_encrypt(v, {KEY}, 'GCM')",
    "rijn_seal, xaes": "rijn_seal(v, 'xaes', 'c')",
    "rijn_seal, xaes, aad": "rijn_seal(v, 'xaes', 'c', CAST(id AS STRING))",
    "rijn_seal, siv": "rijn_seal(v, 'siv', 'c')",
    "rijn_seal, spark": "rijn_seal(v, 'spark', NULL)",
    "aes_decrypt": f"aes_decrypt(s, {KEY}, 'GCM')",
    "rijn_open, xaes": "rijn_open(x, 'xaes', 'c')",
}
JVM = ("rijn_seal, xaes", "rijn_seal, siv", "rijn_open, xaes")  # measured with javax.crypto too


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        jar = check.jar_of(given.directory.resolve())
        builder = SparkSession.builder.config("spark.jars", str(jar))
        for key, value in check.LOCAL.items():
            builder = builder.config(key, value)
        for name in ("xaes", "siv", "spark"):
            Keyset.generate("tink" if name == "spark" else name).write(folder / name)
            builder = builder.config(f"spark.rijn.keyset.{name}", str(folder / name))
            builder = builder.config(f"spark.rijn.format.{name}", name)
        spark = builder.getOrCreate()
        try:
            spark.sparkContext.setLogLevel("OFF")
            print(f"Spark {spark.version}, {spark.sql('SELECT rijn_backend()').head()[0]}")
            jvm = Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/stat")

            def cpu() -> float:
                fields = jvm.read_text().rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) * 1e9 / os.sysconf("SC_CLK_TCK")

            for size in (16, 64):
                path = str(folder / f"rows-{size}")
                spark.range(0, given.rows, 1, 8).selectExpr(
                    "id", f"CAST(lpad(CAST(id AS STRING), {size}, 'x') AS BINARY) v"
                ).selectExpr(
                    "*", f"aes_encrypt(v, {KEY}, 'GCM') s", "rijn_seal(v, 'xaes', 'c') x"
                ).write.parquet(path)
                frame = spark.read.parquet(path)
                runs = [(name, name, "always") for name in CALLS]
                runs += [(f"{name}, by javax.crypto", name, "never") for name in JVM]
                found: dict[str, list[float]] = {label: [] for label, _, _ in runs}
                for turn in range(given.rounds + 1):
                    for label, name, use in runs:
                        spark.conf.set("spark.rijn.native", use)
                        chosen = frame.selectExpr(f"{CALLS[name]} AS c")
                        begun = cpu()
                        chosen.write.format("noop").mode("overwrite").save()
                        if turn:
                            found[label].append((cpu() - begun) / given.rows)
                reading = statistics.median(found["reading"])
                print(f"{size} bytes, {given.rows} rows, {given.rounds} rounds: ns a row")
                for label, times in found.items():
                    median = statistics.median(times)
                    print(f"  {label:34}{median:8.0f}{median - reading:8.0f}", flush=True)
        finally:
            spark.stop()


if __name__ == "__main__":
    sys.exit(main())
