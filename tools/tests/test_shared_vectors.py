"""vectors/README.md names the readers of every file, and C's own vectors of AEGIS are the shared ones."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "vectors"


def test_the_page_names_every_file_and_its_readers() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| .* \| (.*) \|$", page, re.MULTILINE)
    named = {path for pattern, _ in rows for path in FOLDER.glob(pattern)}
    assert named == {path for path in FOLDER.iterdir() if path.name != "README.md"}
    for pattern, readers in rows:
        links = re.findall(r"\]\(([^)]+)\)", readers)
        texts = [(FOLDER / link).read_text("utf-8") for link in links]
        if not pattern.startswith("*"):
            for link, text in zip(links, texts, strict=True):
                assert pattern in text, link
        for path in FOLDER.glob(pattern):
            assert any(path.name in text for text in texts), path


def test_vectors_of_aegis_in_c() -> None:
    """The C suite reads no files, because it also runs where there are none. So the texts are compared."""
    text = (ROOT / "c" / "tests" / "unit" / "aegis_vectors.h").read_text("utf-8")
    joined = re.sub(r'"\s*"', lambda it: "" if "\n" in it[0] else it[0], text)
    in_c = set(re.findall(r'"([0-9a-f]{16,})"', joined))
    shared = set(
        re.findall(r" = ([0-9a-f]{16,})$", (FOLDER / "aegis.rsp").read_text(), re.MULTILINE)
    )
    assert len(in_c) > 80
    assert in_c <= shared
