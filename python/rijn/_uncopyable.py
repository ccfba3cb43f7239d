"""What objects that hold a key, or a place in a message, have in common: nobody gets a
second one behind the first one's back, by a copy, a pickle or a fork, for two that go on
from one place use its nonces or its keystream twice."""

from __future__ import annotations

import os
from os import getpid
from typing import ClassVar, NoReturn

_process = object()
"""This process, among those that forked from one another. The system uses a process id again, so
an id alone does not tell them apart. An id does tell of a fork that Python did not see, as in a
C library: `Place` compares both."""


def _forked() -> None:
    global _process
    _process = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Own:
    """It is not copied and not pickled."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"rijn.{type(self).__name__} is not copied or pickled: it holds a key or a place "
            "in a message"
        )


class Place(Own):
    """It belongs to the process that made it, too: what continues the message calls
    _stay, which raises RuntimeError in another that was forked from that one."""

    __slots__ = ("_process",)

    AFTER_FORK: ClassVar[str] = (
        "another process could not go on from the same place without repeating nonces or "
        "keystream: begin a message in this one"
    )
    """Why not, and what to do."""

    def __init__(self) -> None:
        self._process = (_process, getpid())

    def _stay(self) -> None:
        process, id = self._process
        if process is not _process or id != getpid():
            raise RuntimeError(
                f"rijn.{type(self).__name__} belongs to the process that made it, from which "
                f"this one was forked; {self.AFTER_FORK}"
            )
