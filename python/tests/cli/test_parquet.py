"""rijn columns: row groups of Parquet files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from program import Result
from table_files import (
    PARQUET,
    key,
    pa,
    pq,
    read_table,
    same_tables,
    sealed_values,
    seen,
    small_table,
    with_sealed_values,
    write_table,
)

from rijn.cli.columns.tables import ENDINGS

BATCH = pytest.importorskip("rijn.cli.columns.tasks", reason="needs pyarrow").BATCH
pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]


def same(one: str, other: str) -> bool:
    return same_tables(read_table(one), read_table(other))


def test_rows_of_more_than_a_batch(folder: Path, run: Run) -> None:
    """A row group is sealed and opened in pieces, each with its own prefix. Its rows keep
    their numbers and their associated data."""
    count = 2 * BATCH + 9
    emails = pa.array([None if i % 9 == 4 else f"{i}@example.com" for i in range(count)])
    table = pa.table({"id": pa.array(range(count)), "plain": emails, "email": emails})
    pq.write_table(table, "t.parquet")  # one row group
    sealing = ("columns", "encrypt", "t.parquet", "-c", "email", "--aad", "id")
    assert run(*sealing, *key("xaes")).code == 0
    sealed = read_table("t.sealed.parquet")
    prefixes = [row[:12] for row in sealed["email"].to_pylist() if row is not None]
    assert len(set(prefixes)) == 3 and len(set(prefixes[: BATCH // 2])) == 1
    wanted = (
        "columns",
        "decrypt",
        "-f",
        "t.sealed.parquet",
        "--aad",
        "id",
        "-o",
        "b",
        *key("xaes"),
    )
    assert run(*wanted).code == 0
    assert same("t.parquet", "b")
    values = sealed_values(sealed)
    for row in (BATCH + 3, count - 2):
        value = values[row]
        assert value is not None
        values[row] = bytes([value[0] ^ 1]) + value[1:]
    pq.write_table(with_sealed_values(sealed, values), "t.sealed.parquet")
    done = run(*wanted)
    assert done.code == 4
    assert f"2 of {count:,} rows do not open, the first is row {BATCH + 3} (" in done.err


PIECES = """
import sys
from rijn.cli import main
from rijn.cli.columns import parquet, tasks
parquet.LARGE = tasks.LARGE = 0  # every row group is
work, rows = tasks._in_batches, []
tasks._in_batches = lambda array: rows.append(len(array)) or work(array)
assert main(sys.argv[1:]) == 0
print(max(rows))
"""


def test_a_large_row_group_is_read_in_pieces(folder: Path, run_code: Run) -> None:
    """All groups and rows keep their places and their associated data. One group has no rows."""
    count = 2 * BATCH + 9
    emails = [None if i % 9 == 4 else f"{i}@example.com" for i in range(count)]
    table = pa.table({"id": pa.array(range(count)), "email": emails})
    with pq.ParquetWriter("t.parquet", table.schema) as writer:
        writer.write_table(table[: BATCH + 10])
        writer.write_table(table[:0])
        writer.write_table(table[BATCH + 10 :])
    how = ["-c", "email", "--aad", "id", *key("xaes")]
    for name in ("encrypt t.parquet", "decrypt t.sealed.parquet -o b"):
        done = run_code(PIECES, "columns", *name.split(), *how)
        assert done.code == 0, done.err
        assert done.out == b"%d\n" % BATCH
    assert same("t.parquet", "b")


LAST = """
import errno, sys
from rijn.cli import main
from rijn.cli.columns import parquet, tasks
class Writer(parquet.ParquetWriter):
    def write(self, table):
        super().write(table)
        parts.append(table)
        if len(parts) == groups and sys.argv[1] == "bad":
            raise OSError(errno.ENOSPC, "full")
groups, parts = parquet.pq.ParquetFile(sys.argv[4]).num_row_groups, []
parquet.ParquetWriter = Writer
code = main(sys.argv[2:])
assert groups > 1 and len(parts) == groups
sys.exit(code)
"""


@pytest.mark.parametrize("last", ["bad", "good"])
def test_an_error_of_the_last_part_leaves_no_result(folder: Path, run_code: Run, last: str) -> None:
    write_table(small_table(), "t.parquet")
    wanted = ["columns", "encrypt", "t.parquet", "-j", "2", "-c", "email", *key("xaes")]
    done = run_code(LAST, last, *wanted)
    assert done.code == (8 if last == "bad" else 0), done.err
    assert ("t.sealed.parquet" in seen(folder)) == (last == "good")


def test_the_name_of_a_source_says_whether_it_is_text(folder: Path, run: Run) -> None:
    """Only .csv and .tsv mean text. The result may have another ending."""
    for ending in ENDINGS:
        name = "t" + (ending.upper() if ending == ".tsv" else ending)
        write_table(small_table(), PARQUET.plain)
        Path(PARQUET.plain).rename(name)
        done = run("columns", "encrypt", "-f", name, "-c", "email", *key("xaes"), "-o", "t.dat")
        assert done.code == (6 if ending.endswith("sv") else 0), name
