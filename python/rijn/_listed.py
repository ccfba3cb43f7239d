"""The lists that several languages share: lines NAME(CELL, ...) of files that C includes."""

from __future__ import annotations

import os
from functools import cache


def listed(file: str, folder: str, macro: str) -> list[tuple[str, ...]]:
    """The cells of each line of `macro`, strings without their quotation marks. `folder` has the
    file in a checkout."""
    return cells(_text(file, folder), macro)


@cache
def _text(file: str, folder: str) -> str:
    """Wheels have the file beside this module."""
    from pkgutil import get_data

    try:
        text = get_data("rijn", file) or b""
    except OSError:
        checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(checkout, folder, file), "rb") as source:
            text = source.read()
    return text.decode()


def cells(text: str, macro: str) -> list[tuple[str, ...]]:
    """The same of a file's text."""
    import re

    lines = re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE)
    cell = re.compile(r'(?:"[^"]*"|\([^()]*\)|[^,"()])+')
    return [tuple(it.strip().strip('"') for it in cell.findall(line)) for line in lines]
