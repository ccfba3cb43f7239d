"""The runner of CBMC takes nothing for proved that CBMC did not decide."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PROVE = Path(__file__).resolve().parents[2] / "c" / "proofs" / "cbmc" / "prove.py"
SPEC = importlib.util.spec_from_file_location("cbmc_prove", PROVE)
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
