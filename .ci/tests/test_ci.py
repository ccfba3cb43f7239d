"""The stages of CI: one list in .ci/run, a script for each, and a job for each on hosted machines."""

from __future__ import annotations

import re
import subprocess
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


def test_the_stages_have_the_folders_of_the_makefile() -> None:
    """.ci/common.sh reads them from the Makefile: every folder outside c with fuzz targets."""
    code = 'root=$1; . "$root/.ci/common.sh"; printf %s "$fuzz_folders"'
    command = ["bash", "-c", code, "bash", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    tops = (ROOT / name for name in ("python", "bench", "integrations", "js"))
    found = {str(path.parent) for top in tops for path in top.rglob("fuzz_*.c")}
    assert found
    assert sorted(done.stdout.split(";")) == sorted(found)


def test_the_runner_is_short() -> None:
    assert len(RUN.read_text("utf-8").splitlines()) < 300
