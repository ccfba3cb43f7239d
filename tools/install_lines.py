#!/usr/bin/env python3
"""Writes how to install Rijn into the pages, for PUBLISHED of python/rijn/_install.py:

    tools/install_lines.py                  pages as PUBLISHED says
    tools/install_lines.py --published      sets PUBLISHED to True first, when an index has Rijn
    tools/install_lines.py --unpublished    sets it to False first

tools/install_lines.toml has both texts of each place. Stops, and writes nothing, unless every place has
exactly one of its two texts.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "python/rijn/_install.py"
TEXTS = "tools/install_lines.toml"
LINE = re.compile(r"^PUBLISHED = (True|False)$", re.MULTILINE)


def is_published(root: Path = ROOT) -> bool:
    found = LINE.search((root / VARIABLE).read_text("utf-8"))
    assert found, f"{VARIABLE} does not set PUBLISHED"
    return found[1] == "True"


def pages(published: bool, root: Path = ROOT) -> dict[str, str]:
    """Returns the text of each page with install lines. Raises ValueError if a place is not found."""
    result: dict[str, str] = {}
    for place in tomllib.loads((root / TEXTS).read_text("utf-8"))["place"]:
        page, sources, index = place["page"], place["sources"], place["index"]
        text = result.get(page) or (root / page).read_text("utf-8")
        # One text may be a part of the other. The longer one is then the one that is there.
        found = sorted((it for it in (sources, index) if text.count(it) == 1), key=len)
        if not found:
            raise ValueError(f"{page} has neither of these texts once:\n{sources}\n{index}")
        result[page] = text.replace(found[-1], index if published else sources)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--published", action="store_true", help="a package index has Rijn")
    state.add_argument("--unpublished", action="store_true", help="none has")
    parser.add_argument("--tree", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = options.tree
    published = options.published or (is_published(root) and not options.unpublished)
    try:
        written = pages(published, root)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    variable = root / VARIABLE
    variable.write_text(LINE.sub(f"PUBLISHED = {published}", variable.read_text("utf-8")), "utf-8")
    for page, text in written.items():
        (root / page).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
