"""Tests of tools/install_lines.py, and that every page says how to install Rijn as it is available now."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from install_lines import ROOT, TEXTS, VARIABLE, is_published, pages
from limits import LIMIT

from rijn import _install

PLACES = tomllib.loads((ROOT / TEXTS).read_text("utf-8"))["place"]
PAGES = [
    *ROOT.glob("*.md"),
    *(
        path
        for folder in ("bench", "c", "docs", "integrations", "js", "python", "tools", "vectors")
        for path in (ROOT / folder).rglob("*.md")
        if "node_modules" not in path.parts
    ),
]
# Lines that install from Rijn's sources in both states.
FROM_SOURCES = re.compile(
    r"cmake\.define"  # another way to compile
    r"|\.\[test\]"  # what tests need
    r"|RIJN_PURE=1 pip install '?\.(?!\[num)|`pip install \.`"  # with and without a compiler
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the files that the tool reads and writes."""
    for name in {VARIABLE, TEXTS, *(place["page"] for place in PLACES)}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def written(tree: Path, *options: str) -> dict[str, str]:
    command = [sys.executable, ROOT / "tools" / "install_lines.py", "--tree", tree, *options]
    subprocess.run(command, check=True, timeout=LIMIT)
    return {place["page"]: (tree / place["page"]).read_text("utf-8") for place in PLACES}


def test_pages_are_as_the_variable_says() -> None:
    assert is_published() == _install.PUBLISHED
    for page, text in pages(is_published()).items():
        assert (ROOT / page).read_text("utf-8") == text, "run tools/install_lines.py"


def test_both_ways(tree: Path) -> None:
    before, after = written(tree, "--unpublished"), written(tree, "--published")
    assert is_published(tree)
    assert written(tree) == after
    for page in before:
        assert before[page] != after[page]
    assert written(tree, "--unpublished") == before
    assert not is_published(tree)


def test_an_unknown_page_changes_nothing(tree: Path) -> None:
    page = tree / "docs" / "tutorial.md"
    page.write_text(page.read_text("utf-8").replace("Python 3.11", "Python 3.12"), "utf-8")
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    command = [sys.executable, ROOT / "tools" / "install_lines.py", "--tree", tree, "--published"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1
    assert "docs/tutorial.md has neither" in done.stderr
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("published", [False, True])
def test_no_page_says_the_other(published: bool) -> None:
    """Also pages without a place in the list."""
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in PAGES}
    assert len(texts) > 40
    texts |= pages(published)
    other = (
        r"pip install .*('?\.\[|\./bench|\./python| \.( |`|$))"
        if published
        else r"pip install '?rijn"
    )
    for page, text in texts.items():
        for line in text.splitlines():
            if not FROM_SOURCES.search(line) and not (published and "sources" in line):
                assert not re.search(other, line), (page, line)


def test_code_asks_pip_install() -> None:
    """No message has the command itself."""
    sources = [
        path
        for folder in ("python/rijn", "bench/rijn_bench", "integrations")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in ("_install.py",) and "build" not in path.parts
    ]
    assert len(sources) > 100
    for path in sources:
        assert not re.search(r"pip install ('?\.|'?rijn)", path.read_text("utf-8")), path


@pytest.mark.parametrize("published", [False, True])
def test_commands(monkeypatch: pytest.MonkeyPatch, published: bool) -> None:
    monkeypatch.setattr(_install, "PUBLISHED", published)
    assert [_install.pip_install("cli"), _install.pip_install(package="rijn-bench")] == (
        ["pip install 'rijn[cli]'", "pip install rijn-bench"]
        if published
        else ["pip install '.[cli]' in Rijn's sources", "pip install ./bench in Rijn's sources"]
    )
