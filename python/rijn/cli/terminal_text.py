"""Checks that plaintext for a terminal is text. This module uses only failures.py."""

from __future__ import annotations

import codecs
import re

from .failures import Exit, Failure

_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class TerminalText:
    """Checks text piece by piece. A piece may end inside a character."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def checked(self, data: bytes, *, last: bool = False) -> bytes:
        """Returns the characters that are complete with this data. Failure if it is not text."""
        try:
            text = self._decoder.decode(data, last)
            if not _NOT_TEXT.search(text):
                return text.encode()
        except UnicodeDecodeError:
            pass
        raise Failure(
            "the plaintext is binary and is not written to a terminal",
            "name a destination, or redirect the output with > FILE",
            Exit.REFUSED,
        )
