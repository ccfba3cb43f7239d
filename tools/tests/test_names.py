"""No function or variable in Python has one of these words as its name: they say neither what a function
does nor what a variable holds."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORDS = {"of", "hand", "take", "work"}
# As the name of a function, these say nothing either. A variable may have them: `plan` of type Plan.
FUNCTIONS = {*WORDS, "plan", "do", "found", "given", "held", "kept", "left", "made", "said", "told"}
FUNCTIONS |= {"bad", "both", "good", "wanted", "way"}
PUBLIC = {"Message.of", "Messages.of"}  # rijn.chunked


def vague(text: str) -> Iterator[str]:
    """Yields the vague names that a file defines, with their lines."""

    def visit(node: ast.AST, owner: str) -> Iterator[str]:
        for inner in ast.iter_child_nodes(node):
            name, words = "", WORDS
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name, words = inner.name, FUNCTIONS
            elif isinstance(inner, ast.arg):
                name = inner.arg
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                name = inner.id
            elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                name = inner.attr
            if name.strip("_") in words and f"{owner}.{name}" not in PUBLIC:
                yield f"{getattr(inner, 'lineno', 0)}: {name}"
            yield from visit(inner, name if isinstance(inner, ast.ClassDef) else owner)

    return visit(ast.parse(text), "")


def test_names_say_what_they_hold() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.pyi"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if listed.returncode:
        pytest.skip("no checkout")
    files = [path for path in map(ROOT.joinpath, listed.stdout.splitlines()) if path.exists()]
    assert len(files) > 300
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in files
        for line in vague(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "of = 1",
        "for hand in x: pass",
        "def f(take): pass",
        "lambda work: 1",
        "self._work = 1",
        "class A:\n    def plan(self): pass",
        "def _told(): pass",
        "class A:\n    def of(self): pass",
        "[of for of in x]",
    ],
)
def test_a_vague_name_is_found(text: str) -> None:
    assert len([*vague(text)]) == 1


@pytest.mark.parametrize(
    "text", ["plan = 1", "x.take(1)", "class Message:\n    def of(self): pass"]
)
def test_other_names_are_not(text: str) -> None:
    assert [*vague(text)] == []
