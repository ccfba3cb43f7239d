"""The rows of CBMC are complete, and their runner takes nothing for proved that CBMC did not decide. CBMC itself
runs in `make proofs`."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CBMC = ROOT / "c" / "proofs" / "cbmc"
SPEC = importlib.util.spec_from_file_location("cbmc_prove", CBMC / "prove.py")
assert SPEC and SPEC.loader
prove = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = prove
SPEC.loader.exec_module(prove)


@pytest.mark.parametrize("status", ["UNKNOWN", "ERROR"])
def test_undecided_properties_are_errors(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = (
        "[f.assertion.1] line 3 first: SUCCESS\n[f.assertion.2] line 4 reached: the end: FAILURE\n"
    )
    end = "VERIFICATION FAILED\n"
    monkeypatch.setattr(prove, "_cbmc", lambda *_: printed + end)
    outcome = prove.run(Path("program"), {"id": "row"})
    assert (outcome.held, outcome.failed) == (["first"], ["reached: the end"])
    printed += f"[f.assertion.3] line 5 second: {status}\n"
    with pytest.raises(prove.ProofError, match=status):
        prove.run(Path("program"), {"id": "row"})


def test_a_fault_is_caught_by_a_named_property_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a property, an unwinding assertion would catch each longer loop."""
    shown = (
        "Property f.unwind.0:\n  file f.c line 3\n  unwinding assertion loop 0\n"
        "Property f.assertion.1:\n  file f.c line 4\n  each byte is written once\n"
    )
    monkeypatch.setattr(prove, "_cbmc", lambda *_: shown)
    row = {"id": "row"}
    assert prove._properties(Path("p"), row, "written once") == ["--property", "f.assertion.1"]
    for text in ("", "loop 0", "unwinding", "each byte is zero"):
        with pytest.raises(prove.ProofError):
            prove._properties(Path("p"), row, text)


@pytest.mark.parametrize(
    ("printed", "right"),
    [
        (f"{prove.VERSION} (cbmc-{prove.VERSION})\n", True),
        ("5.95.1 (cbmc-5.95.1)\n", False),
        ("6.6.01\n", False),
        ("error while loading shared libraries\n", False),
    ],
)
def test_another_version_is_an_error(
    printed: str, right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = subprocess.CompletedProcess([], 0, printed)
    monkeypatch.setattr(prove, "_tool", lambda *_: done)
    prove.require_version.cache_clear()
    with contextlib.nullcontext() if right else pytest.raises(prove.ProofError, match="is needed"):
        prove.require_version()
    prove.require_version.cache_clear()


def test_each_function_of_the_header_has_a_row_or_a_reason() -> None:
    subprocess.run([sys.executable, CBMC / "prove.py", "--coverage"], check=True)


def test_each_contract_of_the_library_is_proved() -> None:
    """A row may replace a function by its contract only if another row proves it."""
    table = prove.rows().values()
    stubs = (CBMC / "stubs.h").read_text()
    replaced = {*prove.SHARED, *re.findall(r"^#define (\w+) contract_\1$", stubs, re.MULTILINE)}
    replaced |= {name for row in table for name in row.get("replaced", [])}
    assert {"wipe", "xor_bytes", "rijn_tags_equal", "multiply"} <= replaced
    assert replaced <= {name for row in table for name in row.get("proves", [])}
    for row in table:
        for name in row.get("proves", []):
            assert re.search(
                rf"\b{name.partition('=')[0]}\(", (CBMC / row["harness"]).read_text()
            ), row["id"]


def test_each_fault_changes_one_place() -> None:
    table = tomllib.loads((CBMC / "rows.toml").read_text())
    for row in table["proof"] + table.get("open", []):
        assert row["faults"], row["id"]
        for fault in row["faults"]:
            source = (ROOT / "c" / "src" / fault["file"]).read_text()
            assert source.count(fault["from"]) == 1, row["id"]
            assert fault["from"] != fault["to"], row["id"]
            assert fault["fails"], row["id"]
