"""The stages of CI: one list in .ci/run, a script for each, and a job for each on hosted machines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / ".ci" / "run"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"

pytestmark = pytest.mark.skipif(not RUN.exists(), reason="needs a checkout")


def stages() -> list[str]:
    lanes = re.findall(r"^lane_\d=\(([^)]*)\)", RUN.read_text("utf-8"), re.MULTILINE)
    assert len(lanes) == 2
    return [name for lane in lanes for name in lane.split()]


def test_each_stage_has_a_script() -> None:
    scripts = {path.stem for path in (ROOT / ".ci" / "stages").glob("*.sh")}
    assert scripts == {"install", *stages()}


def test_each_stage_has_a_job() -> None:
    listed = re.search(r"^ +stage:\n((?: +- \w+\n)+)", WORKFLOW.read_text("utf-8"), re.MULTILINE)
    assert listed
    assert re.findall(r"- (\w+)", listed[1]) == stages()


def test_the_runner_is_short() -> None:
    assert len(RUN.read_text("utf-8").splitlines()) < 300
