"""Lists that several languages share: lines NAME(CELL, ...) of files that C includes."""

from __future__ import annotations

import os
from functools import cache


def listed(file: str, folder: str, macro: str) -> list[tuple[str, ...]]:
    """Returns the cells of each line of `macro`; strings lose their quotation marks. In a checkout,
    the file is in `folder`.
    """
    return cells(_text(file, folder), macro)


@cache
def _text(file: str, folder: str) -> str:
    """Returns the text of the file. In a wheel, it is beside this module."""
    from pkgutil import get_data

    try:
        text = get_data("rijn", file) or b""
    except OSError:
        checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(checkout, folder, file), "rb") as source:
            text = source.read()
    return text.decode()


def cells(text: str, macro: str) -> list[tuple[str, ...]]:
    """Returns the cells of each line of `macro` in a text."""
    import re

    lines = re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE)
    cell = re.compile(r'(?:"[^"]*"|\([^()]*\)|[^,"()])+')
    return [tuple(it.strip().strip('"') for it in cell.findall(line)) for line in lines]
