"""Completions that a shell gets when the user presses Tab."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from program import LIMIT, Result

import rijn
from rijn import chunked

Run = Callable[..., Result]


def completed(run: Run, typed: str) -> list[str]:
    """Returns the words that may replace the last of `typed`."""
    words = {"_RIJN_COMPLETE": "bash_complete", "COMP_WORDS": typed}
    done = run(env={**words, "COMP_CWORD": str(len(typed.split(" ")) - 1)})
    assert done.code == 0, done
    return [line.partition(",")[2] for line in done.out.decode().splitlines() if line]


def test_words(run: Run) -> None:
    assert completed(run, "rijn ver") == ["verify"]
    assert {"encrypt", "decrypt", "rekey", "completion"} <= set(completed(run, "rijn "))
    assert "--key-file" in completed(run, "rijn decrypt --")
    assert completed(run, "rijn encrypt --aead aegis-128") == [
        each.short for each in chunked.AEADS.values() if each.short.startswith("aegis-128")
    ]
    assert completed(run, "rijn encrypt --backend fix") == [
        each.name for each in rijn.backends() if each.available and each.name.startswith("fix")
    ]
    assert completed(run, "rijn completion f") == ["fish"]
    for slip in ("rijn decyrpt --", "rijn columns decyrpt --"):  # prints no error into the prompt
        assert "--key-file" not in completed(run, slip)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(folder: Path, run: Run, shell: str) -> None:
    script = run("completion", shell)
    assert script.code == 0 and b"_RIJN_COMPLETE" in script.out
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    Path("script").write_bytes(script.out)
    subprocess.run([shell, "-n", "script"], check=True, timeout=LIMIT)
