"""Tests the jars:

    python check.py DIRECTORY [CHECK...]

DIRECTORY is the folder that build.py wrote; `make jar-test` installs the rest. All checks run, or the named
ones:

- the native libraries, without a JVM; QEMU runs those of other machines
- the Java tests (src/test) of each jar, on Spark 4.0 and 3.5
- in the package pyspark, with its Spark: SQL and rijn.columns open each other's rows
- spark-sql runs the SQL of README.md, and the SQL of docs/columns.md on a file of `rijn columns`

Prints a line PASSED or FAILED for each. Exits with 1 if one failed.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import build

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
PATIENCE = 900.0
OLDEST_GLIBC = (2, 17)
# Spark's configuration: two threads, reachable only from this machine.
LOCAL = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.extensions": "rijn.spark.RijnExtensions",
}


def run(*command: object, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        check=False,
        timeout=PATIENCE,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{command[0]} gave {done.returncode}: {done.stdout[-3000:]}"
    return done.stdout


def jars(directory: Path) -> list[Path]:
    return [directory / f"rijn-spark_{scala}-{build.version()}.jar" for scala in build.JARS]


def jar_of(directory: Path) -> Path:
    """Returns the jar for the installed pyspark."""
    import pyspark

    scala = "2.12" if pyspark.__version__.startswith("3.5.") else "2.13"
    return directory / f"rijn-spark_{scala}-{build.version()}.jar"


# ---- The native libraries ----


def libraries(directory: Path) -> None:
    """Checks the native libraries in the jars: machine, glibc version and exported functions."""
    for path in jars(directory):
        libraries_in(directory, path)


def libraries_in(directory: Path, path: Path) -> None:
    with zipfile.ZipFile(path) as jar:
        assert "META-INF/LICENSE" in jar.namelist()
        for machine in build.MACHINES:
            built = directory / "native" / machine / build.LIBRARY
            packed = jar.read(f"rijn/spark/native/linux-{machine}/{build.LIBRARY}")
            assert packed == built.read_bytes(), machine
            name = {"x86_64": "X86-64", "aarch64": "AArch64"}[machine]
            assert re.search(rf"Machine: .*{name}", run("readelf", "-h", built)), machine
            needed = re.findall(r"GLIBC_([0-9]+)\.([0-9]+)", run("readelf", "-VW", built))
            newest = max((int(major), int(minor)) for major, minor in needed)
            assert newest <= OLDEST_GLIBC, (machine, newest)
            symbols = run("readelf", "--dyn-syms", "-W", built).splitlines()
            exported = {
                line.split()[7].partition("@")[0] for line in symbols if " GLOBAL DEFAULT  " in line
            }
            calls = {name for name in exported if name.startswith("Java_rijn_spark_Native_")}
            assert len(calls) == 7, exported
            methods = (HERE / "src/main/java/rijn/spark/Native.java").read_text("utf-8")
            declared = re.findall(r"static native \w+ (\w+)\(", methods)
            assert {f"Java_rijn_spark_Native_{name}" for name in declared} == calls, calls
            defined = [
                line for line in symbols if re.search(r" (FUNC|OBJECT) .* [0-9]+ \S+$", line)
            ]
            assert len(defined) == len(calls), defined


def smoke(directory: Path) -> None:
    """Runs smoke.c on each library."""
    for machine in build.MACHINES:
        folder = directory / "native" / machine
        emulator: list[str] = []
        if machine != platform.machine():
            emulator = [f"qemu-{machine}", "-L", f"/usr/{machine}-linux-gnu"]
        output = run(*emulator, folder / "smoke", folder / build.LIBRARY)
        print(f"{machine}: {output}", end="")
        assert ": 0 failures" in output, output


# ---- In pyspark ----


def keysets(folder: Path) -> dict[str, tuple[str, bytes | None, Any]]:
    """Makes a keyset for each format, algorithm and key size. Returns format, context and keyset by
    the NAME of spark.rijn.keyset.NAME."""
    from rijn.columns import Keyset
    from rijn.columns.formats import FORMATS
    from rijn.columns.keysets import SecretKey

    found = {}
    for format in FORMATS.values():
        for algorithm in format.algorithms:
            for size in algorithm.cls.key_sizes:
                for raw in (False, True) if format.prefixed else (True,):
                    keys = [
                        SecretKey(id, algorithm, raw, os.urandom(size)) for id in (0xFEDCBA98, 7)
                    ]
                    name = f"{format.name}-{algorithm.name}-{size}-{'raw' if raw else 'tink'}"
                    path = folder / name
                    Keyset(tuple(keys)).write(path)
                    context = f"t.{name}".encode() if format.framed else None
                    found[name] = (format.name, context, Keyset.from_file(path))
    return found


def exchange(directory: Path) -> None:
    """SQL and rijn.columns open each other's rows, in every format and key size, with and without
    associated data, by the native library and by javax.crypto."""
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from rijn.columns import Column

    values = [b"ann@example.com", None, b"", os.urandom(17), os.urandom(70_000), b"x"]
    ids = ["1", None, "", "4", "5" * 300, "\u00fc"]
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        named = keysets(folder)
        builder = SparkSession.builder.config("spark.jars", str(jar_of(directory)))
        for key, value in LOCAL.items():
            builder = builder.config(key, value)
        for name, (format, _, _) in named.items():
            builder = builder.config(f"spark.rijn.keyset.{name}", str(folder / name))
            builder = builder.config(f"spark.rijn.format.{name}", format)
        spark = builder.getOrCreate()
        try:
            spark.sparkContext.setLogLevel("OFF")
            assert len(named) == 25, len(named)
            rows = list(zip(range(6), values, ids, strict=True))
            spark.createDataFrame(rows, "n int, v binary, id string").createOrReplaceTempView("v")
            for use in ("always", "never"):
                spark.conf.set("spark.rijn.native", use)
                backend = spark.sql("SELECT rijn_backend()").head()[0]
                print(f"Spark {spark.version}, {backend}", flush=True)
                expected = "librijn " if use == "always" else "javax.crypto: "
                assert backend.startswith(expected), backend
                names = [
                    name
                    for name in named
                    if use == "always" or not name.startswith(("gcm-siv", "aegis"))
                ]
                columns = {}
                for name in names:
                    format, context, keyset = named[name]
                    columns[name] = Column(keyset, format, context=context)
                _exchange_rows(spark, pa, columns, values, ids, named)
        finally:
            spark.stop()


def _exchange_rows(
    spark: Any, pa: Any, columns: dict[str, Any], values: list[Any], ids: list[Any], named: Any
) -> None:
    text = {
        name: f"'{context.decode()}'" if context else "NULL"
        for name, (_, context, _) in named.items()
    }
    for with_aad in (True, False):
        aad = pa.array(ids) if with_aad else None
        more = ", id" if with_aad else ""
        calls = [f"rijn_seal(v, '{it}', {text[it]}{more}) s{n}" for n, it in enumerate(columns)]
        sealed = spark.sql(f"SELECT n, id, {', '.join(calls)} FROM v ORDER BY n").collect()
        ours = {}
        for n, (name, column) in enumerate(columns.items()):
            rows = pa.array([row[f"s{n}"] for row in sealed], pa.binary())
            back = pa.array(column.open(rows, aad)).to_pylist()
            assert back == values, name
            ours[name] = pa.array(column.seal(pa.array(values, pa.binary()), aad)).to_pylist()
        table = [(i, ids[i], *(ours[name][i] for name in columns)) for i in range(len(values))]
        types = ", ".join(f"s{n} binary" for n in range(len(columns)))
        frame = spark.createDataFrame(table, f"n int, id string, {types}")
        frame.createOrReplaceTempView("ours")
        calls = [f"rijn_open(s{n}, '{it}', {text[it]}{more})" for n, it in enumerate(columns)]
        for row in spark.sql(f"SELECT n, {', '.join(calls)} FROM ours").collect():
            expected = values[row[0]]
            for name, value in zip(columns, row[1:], strict=True):
                assert expected == (None if value is None else bytes(value)), name


def spark_sql(directory: Path, folder: Path, lines: str, conf: dict[str, object]) -> str:
    """Runs the lines in spark-sql, started as README.md shows. Returns its output."""
    import pyspark

    (folder / "lines.sql").write_text(lines)
    given = LOCAL | {"spark.sql.warehouse.dir": folder / "warehouse"} | conf
    options = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    shell = Path(pyspark.__file__).parent / "bin" / "spark-sql"
    return run(shell, "--jars", jar_of(directory), *options, "-f", "lines.sql", cwd=folder)


def queries(page: Path) -> list[str]:
    return re.findall(r"^```sql\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def in_spark_sql(directory: Path) -> None:
    """Runs the SQL of README.md."""
    from rijn.columns import Keyset

    (lines,) = queries(HERE / "README.md")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        Keyset.generate("xaes").write(folder / "customers.json")
        Keyset.generate("siv").write(folder / "joins.json")
        conf = {
            "spark.rijn.keyset.customers": folder / "customers.json",
            "spark.rijn.keyset.joins": folder / "joins.json",
            "spark.rijn.format.joins": "siv",
        }
        output = spark_sql(directory, folder, lines, conf)
        assert re.search(r"^1001\tann@example\.com$", output, re.MULTILINE), output
        assert re.search(r"^librijn [0-9.]+, ", output, re.MULTILINE), output


def from_the_command(directory: Path) -> None:
    """Runs the SQL of docs/columns.md on a file of `rijn columns encrypt`."""
    import pyarrow
    import pyarrow.parquet

    from rijn.columns import Keyset

    _, lines = queries(HERE.parents[1] / "docs" / "columns.md")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        Keyset.generate("xaes").write(folder / "my.keyset")
        table = pyarrow.table({"id": [1, 2], "email": ["ann@example.com", None]})
        pyarrow.parquet.write_table(table, folder / "t.parquet")
        words = ("columns", "encrypt", "t.parquet", "-c", "email", "--aad", "id", "-k", "my.keyset")
        run(sys.executable, "-m", "rijn", *words, cwd=folder)
        conf = {"spark.rijn.keyset.mine": folder / "my.keyset"}
        output = spark_sql(directory, folder, lines, conf)
        assert re.search(r"^1\tann@example\.com$", output, re.MULTILINE), output
        assert re.search(r"^2\tNULL$", output, re.MULTILINE), output


def main() -> None:
    directory = Path(sys.argv[1]).resolve()
    checks: dict[str, Callable[[], None]] = {
        "the native libraries": lambda: libraries(directory),
        "their calls": lambda: smoke(directory),
        **{
            f"Java {scala}": partial(build.maven, directory, *options, "surefire:test")
            for scala, options in build.JARS.items()
        },
        "rijn.columns": lambda: exchange(directory),
        "spark-sql": lambda: in_spark_sql(directory),
        "rijn columns": lambda: from_the_command(directory),
    }
    names = sys.argv[2:] or checks
    if unknown := set(names) - checks.keys():
        sys.exit(f"no check is named {', '.join(unknown)}; there are {', '.join(checks)}")
    failed = False
    for name in names:
        check = checks[name]
        try:
            check()
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            print(f"FAILED {name}: {error}", flush=True)
            failed = True
        else:
            print(f"PASSED {name}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
