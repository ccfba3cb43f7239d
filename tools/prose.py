#!/usr/bin/env python3
"""Finds sentences that are hard to read in comments, docstrings, messages and pages.

    tools/prose.py                      the share of flagged sentences of each kind
    tools/prose.py --list 20 c/src      and the first 20 of them in a folder or file
    tools/prose.py --check              fails if a share or a number of words is above its limit

A flag is a pattern, not a verdict. A good sentence that is flagged may stay, and a crooked one that
no pattern finds is still a fault. CONTRIBUTING.md has the rules.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Flagged sentences of each kind, at most, in percent.
LIMITS = {"comments": 1.5, "docstrings": 1.5, "messages": 0.7, "pages": 5.0}
# Words of README.md, and of docs/ together with every README.md, at most.
README_WORDS = 900
PAGES_WORDS = 35_000

LONGEST = 34  # words in a sentence of a page

PATTERNS = {
    # "what is sealed is binary", "what of a piece comes out", "who calls without this header"
    "clause as a noun": r"\b(?:[Ww]hat|[Ww]ho|[Ww]hoever|[Ww]hatever) (?:is|are|was|has|have|of|it|they|he|no|"
    r"stands|comes|goes|follows|can|must|may|asks|wants|calls|reads|writes|else|there|this|that|these|its|a|"
    r"the|each|every)\b",
    "of which": r"\bof (?:which|whose|what|whom)\b|\bin which\b.*\bin which\b",
    "that of": r"\b(?:that|those) of (?:a|an|the|its|their|all|every|each|one|[A-Z`])",
    "fragment": r"^(?:Of|Whether|What|Who|That|Where|How) [a-z`].*\.$",
    "inverted": r"\b(?:so|nor|neither) (?:is|are|does|do|has|have|can|was)\b|\bhas not\b|"
    r"\bhave not\b(?! been)",
    "old word": r"\b(?:to be had|is none|are none|heed(?:s|ed)?|dear|shall|in the place of|"
    r"behind (?:it|them|that)|by itself|is said|are said|be said|told apart|likewise|hence|thereof|"
    r"whereof|unasked|without leave|give leave)\b",
    # One word for one thing: backend, fix, module.
    "second word": r"\b(?:[Rr]ungs?|[Mm]end(?:ed|s|ing)?)\b|\b[Ll]adders? of (?:the )?backends\b",
}
FLAGS = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}
# The text of licences is not ours.
LICENCE = re.compile(r"(?i)licen[sc]e|warrant|copyright|permission|liab|merchantab|distribut")

# Outside data, and sentences that are wrong on purpose.
NOT_READ = ("vectors/", "tools/prose.py", "tools/tests/test_prose.py")
IN_C = (".c", ".h", ".S", ".cc", ".cpp", ".js", ".mjs", ".rs", ".ts", ".java")
IN_SHELL = (".sh", "Makefile", ".cmake", "CMakeLists.txt", ".toml", "/run")

Text = tuple[str, str]  # its kind, and the text


@dataclass(frozen=True)
class Flagged:
    file: str
    flags: list[str]
    sentence: str


def sentences(text: str) -> list[str]:
    flat = re.sub(r"\s+", " ", text).strip()
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"])", flat) if len(s.split()) >= 4]


def flags(sentence: str, kind: str) -> list[str]:
    if LICENCE.search(sentence):
        return []
    found = [name for name, pattern in FLAGS.items() if pattern.search(sentence)]
    if kind == "pages" and len(sentence.split()) > LONGEST and "|" not in sentence:
        found.append("long")
    return found


def c_texts(source: str) -> Iterator[Text]:
    for block in re.findall(r"/\*(.*?)\*/", source, re.DOTALL):
        # Each paragraph is a text: layouts and lists stand apart from sentences.
        for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^\s*\*+ ?", "", block)):
            yield "comments", paragraph
    for run in re.findall(r"(?m)((?:^[ \t]*//.*\n)+)", source):
        yield "comments", re.sub(r"(?m)^\s*//+ ?", "", run)


def shell_texts(source: str) -> Iterator[Text]:
    for run in re.findall(r"(?m)((?:^[ \t]*#(?!!).*\n)+)", source):
        yield "comments", re.sub(r"(?m)^\s*#+ ?", "", run)


def python_texts(source: str) -> Iterator[Text]:
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            assert isinstance(node.body[0], ast.Expr)
            docstrings.add(id(node.body[0].value))
            yield "docstrings", text
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            text = node.value
            if isinstance(text, str) and " " in text:
                yield "messages", text
    yield from shell_texts(source)


def page_texts(source: str) -> Iterator[Text]:
    """The paragraphs and list items, without code, headings, tables and markup."""
    bare = re.sub(r"(?s)```.*?```|<!--.*?-->", "", source)
    bare = re.sub(r"(?m)^ {4}.*$|^#+ .*$|^\|.*$|^<.*$", "", bare)
    for text in re.split(r"\n\s*\n|\n\s*[-*] |\n\s*\d+\. ", bare):
        yield "pages", text


def texts(name: str, source: str) -> Iterator[Text]:
    if name.endswith(IN_C):
        return c_texts(source)
    if name.endswith((".py", ".pyi")):
        return python_texts(source)
    if name.endswith(".md"):
        return page_texts(source)
    if name.endswith(IN_SHELL):
        return shell_texts(source)
    return iter(())


def words(names: list[str]) -> dict[str, int]:
    # Marks of tables are not words.
    count = {
        name: sum(any(map(str.isalnum, it)) for it in (ROOT / name).read_text("utf-8").split())
        for name in names
    }
    pages = sum(
        n for name, n in count.items() if name.startswith("docs/") or name.endswith("README.md")
    )
    return {"README.md": count["README.md"], "docs and READMEs": pages}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="files or folders (default: the whole tree)")
    parser.add_argument(
        "--list", type=int, default=0, metavar="N", help="print N flagged sentences"
    )
    parser.add_argument("--check", action="store_true", help="fail above a limit")
    options = parser.parse_args()
    git = ["git", "-C", str(ROOT), "ls-files", "--", *options.paths]
    listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    names = [name for name in listed if not name.startswith(NOT_READ)]
    total: dict[str, int] = {}
    flagged: dict[str, list[Flagged]] = {}
    for name in names:
        try:
            source = (ROOT / name).read_text("utf-8")
        except (FileNotFoundError, IsADirectoryError, UnicodeDecodeError):
            continue  # removed, a link to a folder, or binary
        for kind, text in texts(name, source):
            for sentence in sentences(text):
                total[kind] = total.get(kind, 0) + 1
                if found := flags(sentence, kind):
                    flagged.setdefault(kind, []).append(Flagged(name, found, sentence))
    failed = False
    for kind, count in sorted(total.items()):
        share = 100 * len(flagged.get(kind, ())) / count
        above = share > LIMITS[kind]
        failed |= above
        line = f"{kind:11} {len(flagged.get(kind, ())):5} of {count:5} sentences flagged: {share:.1f} %"
        print(line + (f", above the limit of {LIMITS[kind]} %" if above else ""))
    shown = [found for kind in sorted(flagged) for found in flagged[kind]]
    for one in shown[: options.list]:
        print(f"{one.file} [{', '.join(one.flags)}] {one.sentence}")
    if not options.paths:
        limits = {"README.md": README_WORDS, "docs and READMEs": PAGES_WORDS}
        for what, count in words([name for name in names if name.endswith(".md")]).items():
            above = count > limits[what]
            failed |= above
            print(
                f"{what}: {count:,} words"
                + (f", above the limit of {limits[what]:,}" if above else "")
            )
    return 1 if options.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
