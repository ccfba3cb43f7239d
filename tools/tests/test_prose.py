"""tools/prose.py flags sentences that must be read twice, and leaves plain ones."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PROSE = runpy.run_path(str(Path(__file__).resolve().parents[1] / "prose.py"))

CROOKED = {
    "clause as a noun": "An error names what is sealed here.",
    "of which": "It reads parts, of which the last is short.",
    "that of": "The size is that of the key.",
    "fragment": "Whether the key is wiped.",
    "inverted": "A shorter key is refused, and so is a longer one.",
    "old word": "No other backend is to be had here.",
    "second word": "A test runs on every rung of Rijn.",
}
PLAIN = "Rijn refuses a nonce that is shorter than 12 bytes."


@pytest.mark.parametrize("flag", sorted(CROOKED))
def test_crooked_sentences_are_flagged(flag: str) -> None:
    assert flag in PROSE["flags"](CROOKED[flag], "comments")


def test_plain_sentences_are_not() -> None:
    assert PROSE["flags"](PLAIN, "comments") == []
    assert set(CROOKED) == set(PROSE["FLAGS"])


@pytest.mark.parametrize(
    ("name", "kind", "source"),
    [
        ("a.c", "comments", "/* {} */ int x;"),
        ("a.js", "comments", "// {}\nlet x;"),
        ("a.sh", "comments", "#!/bin/sh\n# {}\n:"),
        ("a.py", "comments", "# {}\nx = 1"),
        ("a.py", "docstrings", '"""{}"""'),
        ("a.py", "messages", 'x = "{}"'),
        ("a.md", "pages", "# Title\n\n{}\n\n    code"),
    ],
)
def test_every_kind_of_text_is_read(name: str, kind: str, source: str) -> None:
    found = [*PROSE["texts"](name, source.format(PLAIN) + "\n")]
    assert [text.strip() for of_kind, text in found if of_kind == kind and text.strip()] == [PLAIN]


def test_a_long_sentence_is_flagged_on_a_page_alone() -> None:
    sentence = " ".join(["word"] * (PROSE["LONGEST"] + 1)) + "."
    assert PROSE["flags"](sentence, "pages") == ["long"]
    assert PROSE["flags"](sentence, "comments") == []
