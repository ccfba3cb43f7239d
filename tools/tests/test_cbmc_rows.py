"""Tests that c/proofs/cbmc/rows.toml is complete: CBMC itself runs in `make proofs`."""

import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CBMC = ROOT / "c" / "proofs" / "cbmc"


def test_each_function_of_the_header_has_a_row_or_a_reason() -> None:
    subprocess.run([sys.executable, CBMC / "prove.py", "--coverage"], check=True)


def test_each_fault_changes_one_place() -> None:
    table = tomllib.loads((CBMC / "rows.toml").read_text())
    for row in table["proof"] + table.get("open", []):
        fault = row["fault"]
        source = (ROOT / "c" / "src" / fault["file"]).read_text()
        assert source.count(fault["from"]) == 1, row["id"]
        assert fault["from"] != fault["to"], row["id"]
