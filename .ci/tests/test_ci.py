"""The stages of CI: one list in .ci/run, a script for each, and a job for each on hosted machines."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
from pathlib import Path

import pytest
from limits import LIMIT

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


def test_no_stage_installs_musl() -> None:
    """Spark's Snappy loads its library for musl on a machine that has /lib/ld-musl-*."""
    scripts = list((ROOT / ".ci").rglob("*.sh"))
    assert len(scripts) > len(stages())
    assert [it.name for it in scripts if re.search(r"\bmusl-(dev|tools)\b", it.read_text())] == []


def test_each_stage_has_a_job() -> None:
    listed = re.search(r"^ +stage:\n((?: +- \w+\n)+)", WORKFLOW.read_text("utf-8"), re.MULTILINE)
    assert listed
    assert re.findall(r"- (\w+)", listed[1]) == stages()


def test_the_stages_have_the_folders_of_the_makefile() -> None:
    """.ci/common.sh reads them from the Makefile: every folder outside c with fuzz targets. But one
    needs OpenSSL: the stage openssl runs it."""
    code = 'root=$1; . "$root/.ci/common.sh"; printf %s "$fuzz_folders"'
    command = ["bash", "-c", code, "bash", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    tops = (ROOT / name for name in ("python", "bench", "integrations", "js"))
    found = {str(path.parent) for top in tops for path in top.rglob("fuzz_*.c")}
    found.remove(str(ROOT / "integrations" / "openssl" / "fuzz"))
    assert found
    assert sorted(done.stdout.split(";")) == sorted(found)


def test_the_runner_is_short() -> None:
    assert len(RUN.read_text("utf-8").splitlines()) < 300


def runner(folder: Path, stage: str) -> list[str]:
    """Copies the runner, with this text for every stage. Returns the command."""
    (folder / ".ci" / "stages").mkdir(parents=True)
    shutil.copy(RUN, folder / ".ci" / "run")
    (folder / ".ci" / "common.sh").touch()
    for name in ("install", *stages()):
        (folder / ".ci" / "stages" / f"{name}.sh").write_text(stage, "utf-8")
    return ["bash", str(folder / ".ci" / "run")]


def test_a_stopped_run_leaves_no_process(tmp_path: Path) -> None:
    """All processes of a run have a pipe open. It ends when none is left."""
    ended, held = os.pipe()
    command = [
        *runner(tmp_path, f"echo begun >&{held}; sleep 3600 & wait\n"),
        "lint",
        "spark",
        "fuzz",
    ]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, pass_fds=[held])
    os.close(held)

    def read_pipe() -> bytes:
        assert select.select([ended], [], [], LIMIT)[0]
        return os.read(ended, 100)

    try:
        begun = b""
        while len(begun) < 2 * len(b"begun\n"):
            begun += read_pipe()
        run.terminate()
        assert read_pipe() == b""
    finally:
        run.kill()
        run.wait()
        os.close(ended)


def test_a_slow_machine_leaves_stages_out(tmp_path: Path) -> None:
    """It reports them as skipped, and ends well."""
    runs = runner(tmp_path, "echo PASSED it; sleep 0.3\n")
    limits = ("FULL", "LAST_BEGIN", "LAST_END")
    environment = {k: v for k, v in os.environ.items() if k not in limits}

    def lines(*words: str, status: int = 0, **more: str) -> list[str]:
        done = subprocess.run(
            [*runs, *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
            env=environment | more,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout.splitlines()

    assert lines(LAST_BEGIN="1000")[-1] == f"{len(stages()) + 1} passed, 0 failed, 0 skipped"
    passed, skipped = map(int, re.findall(r"\d+", lines(LAST_BEGIN="1")[-1])[::2])
    assert passed + skipped == len(stages()) + 1
    assert skipped > 5
    left_out = lines(LAST_BEGIN="0")
    assert left_out[-1] == f"0 passed, 0 failed, {len(stages()) + 1} skipped"
    assert sum("the machine is slow; run .ci/run fuzz" in line for line in left_out) == 2

    # One that does not end is stopped with all its processes, and what it printed counts. It has nine
    # seconds to begin, and the others none after it.
    install = tmp_path / ".ci" / "stages" / "install.sh"
    install.write_text("echo PASSED it; sleep 3600 & wait\n", "utf-8")
    stopped = lines(LAST_END="10", LAST_BEGIN="9")
    assert stopped[-1] == f"1 passed, 0 failed, {len(stages()) + 1} skipped"
    assert "stopped, for the machine is slow; run .ci/run install" in stopped[0]
    install.write_text("echo FAILED it; sleep 3600\n", "utf-8")
    stopped = lines(LAST_END="10", LAST_BEGIN="1", status=1)
    assert stopped[-1] == f"0 passed, 1 failed, {len(stages()) + 1} skipped"

    # A stage that fails with the status of a time-out, before the limit, has failed.
    install.write_text("sleep 1.5; exit 124\n", "utf-8")
    failed = lines(LAST_BEGIN="1", status=1)
    assert failed[-1] == f"0 passed, 1 failed, {len(stages())} skipped"

    # Whoever names stages, or wants everything, waits for it.
    install.write_text("echo PASSED it\n", "utf-8")
    assert lines("fuzz", LAST_BEGIN="0")[-1] == "1 passed, 0 failed, 0 skipped"
    assert lines("--full", LAST_BEGIN="0")[-1].endswith(" 0 skipped")
