"""The cost of each column does not grow with the number of columns."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pytest.importorskip("nanoarrow", reason="needs nanoarrow")

import pyarrow.parquet as pq

from rijn.cli import main


def calls(arguments: list[str]) -> int:
    """Returns how many functions, in Python and in C, a command calls."""
    count = 0

    def noticed(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(noticed)
    try:
        assert main(arguments) == 0
    finally:
        sys.setprofile(None)
    return count


def write(kind: str, name: str, n: int) -> None:
    table = pa.table({f"c{i}": ["a", None, "b"] for i in range(n)})
    if kind == "parquet":
        pq.write_table(table, name)
    else:
        with pa.OSFile(name, "wb") as file, pa.ipc.new_file(file, table.schema) as out:
            out.write_table(table)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rotate"])
def test_the_work_for_a_column_is_the_same_in_any_table(
    kind: str, command: str, folder: Path
) -> None:
    assert main(["columns", "keygen", "-o", "k"]) == 0
    found = []
    for n in (1, 16, 32, 64):  # the first loads modules
        plain, sealed = f"{n}.{kind}", f"{n}.sealed.{kind}"
        write(kind, plain, n)
        names = ["-c", ",".join(f"c{i}" for i in range(n))]
        encrypt = ["columns", "encrypt", plain, "-k", "k", *names, "-o", sealed]
        others = {
            "decrypt": ["columns", "decrypt", sealed, "-k", "k", *names, "-o", f"{n}.back.{kind}"],
            "rotate": ["columns", "rotate", sealed, "-k", "k", *names],
        }
        if command != "encrypt":
            assert main(encrypt) == 0
        found.append(calls(others.get(command, encrypt)))
    _, few, more, most = found
    # Linear: 32 more columns cost twice as much as 16 more. A second loop over all columns for each
    # column would cost far more.
    assert most - more < 2.03 * (more - few), found
