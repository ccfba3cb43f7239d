"""Runs the transcripts in transcripts/ (transcript.py has their format).

The commands of a file share one empty folder. Besides rijn they use `flip FILE OFFSET`, which inverts
a byte, $VECTORS, the folder of the committed files, and the key files key128 and key256, which
open them. A line `# needs PACKAGE` skips the file if that package is not installed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import call
from transcript import difference, matches

from rijn.files import format_key

HERE = Path(__file__).parent
VECTORS = HERE.parents[2] / "vectors" / "files"
GUIDE = HERE.parents[2] / "docs" / "command-line.md"

needs_sh = pytest.mark.skipif(os.name != "posix", reason="the transcripts are typed into sh")

PRELUDE = """
rijn() { "$PYTHON" -m rijn "$@"; }
flip() { "$PYTHON" -c 'import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2])); b = f.read(1)[0]; f.seek(-1, 1); f.write(bytes([b ^ 255]))' "$@"; }
"""


def check(name: str, text: str, folder: Path) -> None:
    def run(command: str) -> tuple[str, int]:
        done = call(
            ["sh", "-c", f"{PRELUDE}\n{command}"],
            cwd=folder,
            env={**os.environ, "PYTHON": sys.executable, "VECTORS": str(VECTORS)},
            stderr=subprocess.STDOUT,
        )
        return done.out.decode(), done.code

    if found := difference(name, text, run):
        pytest.fail(found, pytrace=False)


@needs_sh
@pytest.mark.parametrize("name", sorted(path.name for path in (HERE / "transcripts").iterdir()))
def test_transcript(name: str, tmp_path: Path) -> None:
    entries = json.loads((VECTORS / "index.json").read_text())["files"]
    for entry in entries:
        if "key" in entry:
            path = tmp_path / f"key{4 * len(entry['key'])}"
            path.write_text(format_key(bytes.fromhex(entry["key"])))
            path.chmod(0o600)
    text = (HERE / "transcripts" / name).read_text()
    for package in re.findall(r"(?m)^# needs (\w+)$", text):
        pytest.importorskip(package, reason=f"needs {package}")
    check(name, text, tmp_path)


@needs_sh
@pytest.mark.skipif(not GUIDE.exists(), reason="no checkout")
def test_the_guide(tmp_path: Path) -> None:
    """Runs the examples of docs/command-line.md in one folder, with the files that they name."""
    (tmp_path / "photos" / "2024").mkdir(parents=True)
    for name, content in {
        "letter.txt": "Dear Bob\n",
        "june.csv": "a,b\n1\n",
        "may.csv": "a\n12\n",
        "photos/notes.txt": "letter\n",
        "photos/2024/sea.jpg": "sea\n",
    }.items():
        (tmp_path / name).write_text(content)
    page = GUIDE.read_text("utf-8")
    blocks = re.split(r"(?m)^```(?:console)?$", page)  # odd ones are inside
    kept = (text if n % 2 else "\n" * text.count("\n") for n, text in enumerate(blocks))
    check(GUIDE.name, "".join(kept), tmp_path)


def test_a_transcript_can_fail() -> None:
    assert matches(["a ... c", "d"], ["a b c", "d"])
    assert not matches(["a ... c"], ["a b d"])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a", "b"], ["a"])
    assert not matches(["a.c"], ["abc"])
