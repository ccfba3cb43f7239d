"""Base classes of objects that hold a key or a place in a message. They prevent a second object by
a copy, a pickle or a fork: two that continue from one place would repeat nonces or keystream.
"""

from __future__ import annotations

import os
from os import getpid
from typing import ClassVar, NoReturn

_process = object()
"""Identifies this process among those that forked from one another.

The system reuses process ids, so an id alone does not tell them apart. An id reveals a fork that
Python did not see, as in a C library: `OneProcess` compares both.
"""


def _forked() -> None:
    global _process
    _process = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Uncopyable:
    """An object that can be neither copied nor pickled."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"rijn.{type(self).__name__} is not copied or pickled: it holds a key or a place "
            "in a message"
        )


class OneProcess(Uncopyable):
    """An object that also belongs to the process that made it.

    Methods that continue the message call _check_process, which raises RuntimeError in a process
    that was forked since.
    """

    __slots__ = ("_process",)

    AFTER_FORK: ClassVar[str] = (
        "another process could not go on from the same place without repeating nonces or "
        "keystream: begin a message in this one"
    )
    """The reason and the remedy, for the error."""

    def __init__(self) -> None:
        self._process = (_process, getpid())

    def _check_process(self) -> None:
        process, id = self._process
        if process is not _process or id != getpid():
            raise RuntimeError(
                f"rijn.{type(self).__name__} belongs to the process that made it, from which "
                f"this one was forked; {self.AFTER_FORK}"
            )
