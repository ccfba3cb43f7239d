"""Sphinx: docs/ as a site (`make docs`)."""

import os
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parent.parent

project = "Rijn"
author = copyright = "The Rijn authors"
release = re.search(r'RIJN_VERSION "(.+)"', (ROOT / "c/include/rijn.h").read_text("utf-8"))[1]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4  # as a repository's pages have them
html_theme = "furo"
smartquotes = False  # they would change quotes in code
html_title = f"Rijn {release}"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 70  # longer ones: an argument a line


# A page that is nothing but this is a file from elsewhere.
INCLUDED = re.compile(r"```\{include\} (\S+)\n```\n")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")
DOCS = ROOT / "docs"


def of_the_site(app, page, source):
    """Pages that are a file from elsewhere become that file, and links to such files lead to their
    pages."""
    here = DOCS
    if included := INCLUDED.fullmatch(source[0]):
        path = (DOCS / included[1]).resolve()
        here, source[0] = path.parent, path.read_text("utf-8")

    def led(link):
        target = (here / link[0]).resolve()
        return os.path.relpath(SHOWN.get(target, target), DOCS)

    source[0] = LINK.sub(led, source[0])


SHOWN = {
    (DOCS / included[1]).resolve(): page
    for page in DOCS.glob("*.md")
    if (included := INCLUDED.fullmatch(page.read_text("utf-8")))
}


# ---- Docstrings, laid out for help(), become paragraphs that wrap on a narrow screen ----

# "name  text", or "name, name  text"; its further lines are indented.
ENTRY = re.compile(r"(\S.*?)  +(\S.*)")
SHORT_ENTRY = re.compile(r"(\w[\w, ]*:|\w+) +(\S.*)")  # in a list of entries, a name of full width
GOOGLE = re.compile(r"(Args|Attributes|Raises|Returns|Yields):")
GOOGLE_ENTRY = re.compile(r"([\w*., ]+): +(\S.*)")
LITERAL = re.compile(r"`+([^`]+)`+")


def inline(text):
    """Plain text as reStructuredText: `code` stays code, and nothing else is markup."""
    parts = LITERAL.split(" ".join(text.split()))
    parts[::2] = [re.sub(r"([\\*_|`<>])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [rf"\ ``{part}``\ " for part in parts[1::2]]
    return r"\ " + "".join(parts)  # so that no first word looks like the start of a list


def literal(block):
    return [".. code-block:: text", "", *("    " + line for line in block)]


def entries(block, *patterns):
    """A definition list, or None if the lines are something else. The first line is an entry by the
    first pattern."""
    found = []
    for line in block:
        matches = [m for p in (patterns if found else patterns[:1]) if (m := p.fullmatch(line))]
        if line.startswith(" ") and found:
            found[-1][1].append(line)
        elif matches:
            found.append((matches[0][1].rstrip(":"), [matches[0][2]]))
        else:
            return None
    return [
        line for name, text in found for line in (inline(name), "    " + inline(" ".join(text)))
    ]


def laid_out(block):
    """One block of a docstring, which has no empty line, as lines of reStructuredText."""
    if block[0].startswith(" "):
        return literal(block)
    if block[0].startswith(":"):  # :param and its like
        return block
    if sum(len(re.findall(r"\S  +(?=\S)", line)) > 1 for line in block) > 1:  # a table
        return literal(block)
    if (section := GOOGLE.fullmatch(block[0])) and len(block) > 1:
        rest = textwrap.dedent("\n".join(block[1:])).split("\n")
        listed = entries(rest, GOOGLE_ENTRY) or [inline(" ".join(rest))]
        return [f"**{section[1]}**", "", *listed]
    if listed := entries(block, ENTRY, SHORT_ENTRY):
        return listed
    if any(line.startswith("  ") for line in block[1:]):
        return literal(block)
    if all(line.startswith("- ") for line in block):
        return ["- " + inline(line[2:]) for line in block]
    return [inline(" ".join(block))]


def as_paragraphs(app, what, name, obj, options, lines):
    blocks = []
    for block in re.split(r"\n\s*\n", textwrap.dedent("\n".join(lines)).strip("\n")):
        if blocks and block.startswith("    ") and blocks[-1][0].startswith("    "):
            blocks[-1] += ["", *block.split("\n")]  # code goes on after an empty line
        elif block and not block.startswith(name.rpartition(".")[2] + "("):  # autodoc shows calls
            blocks.append(block.split("\n"))
    lines[:] = [line for block in blocks for line in (*laid_out(block), "")]


def setup(app):
    app.connect("source-read", of_the_site)
    app.connect("autodoc-process-docstring", as_paragraphs)
