"""Why a message does not open. The text of an error never has anything of the key or the data."""

from __future__ import annotations

from ..errors import InvalidTag

WRONG_KEY = "the key commitment does not match: wrong key or context"


class WrongKey(InvalidTag):
    """The commitment does not match: a wrong key, context or AEAD, or an altered prefix."""


class Damaged(InvalidTag):
    """A chunk does not authenticate.

    `chunk` is its number. `offset` is the position of its first byte in the message, or in the file
    if the start of the message was given.
    """

    def __init__(self, text: str, chunk: int, offset: int) -> None:
        super().__init__(text)
        self.chunk = chunk
        self.offset = offset


class Truncated(InvalidTag):
    """The message stops before its end.

    This is certain if it stops where no message can stop. Otherwise the last chunk, which is short,
    does not authenticate: the message was cut inside a chunk, or its last chunk is damaged. After
    sound chunks a cut is more likely, so this is the error then.

    `offset` is where the message stops or where the short chunk starts, counted as in Damaged.
    """

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


def truncated(offset: int) -> Truncated:
    """Returns the error for a message that stops where no message can stop."""
    return Truncated(f"the message stops at byte {offset}, before its last chunk", offset)
