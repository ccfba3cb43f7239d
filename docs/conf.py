"""Sphinx: docs/ as a site (`make docs`)."""

import os
import re
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
default_role = "code"  # docstrings have names in single backticks


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


def setup(app):
    app.connect("source-read", of_the_site)
