"""Sphinx: docs/ as a site (`make docs`)."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent

project = "Rijn"
author = copyright = "The Rijn authors"
release = re.search(r'RIJN_VERSION "(.+)"', (ROOT / "include/rijn.h").read_text("utf-8"))[1]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4  # as a repository's pages have them
html_theme = "furo"
html_title = f"Rijn {release}"
autodoc_member_order = "bysource"
# What lies outside docs/ is named, not shown; tests/python/test_docs.py holds every link.
suppress_warnings = ["myst.xref_missing"]


def as_written(app, what, name, obj, options, lines):
    """Docstrings are laid out for help(): kept line by line."""
    if lines:
        lines[:] = [".. code-block:: text", "", *("    " + line for line in lines), ""]


def setup(app):
    app.connect("autodoc-process-docstring", as_written)
