"""Lists this run's results: unfinished, begun and complete ones.

destination.py records them, and the end of the program reads the list. This module uses signals.py.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from .signals import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator


class Result(Protocol):
    """A result that is being written."""

    name: str
    written: int  # bytes

    @property
    def temporary(self) -> str:
        """The path of its temporary file; "" if it gets no name."""


_unfinished: set[Result] = set()  # their temporary files exist, or soon will
_whole: list[str] = []  # names of complete results
_begun: list[Result] = []  # results that are going to pipes and devices


def begin_file(result: Result) -> None:
    """Call this before the temporary file exists: a signal may come between."""
    _unfinished.add(result)


def end_file(result: Result) -> None:
    """Call this once the temporary file has the result's name, or is removed."""
    _unfinished.discard(result)


def begin_stream(result: Result) -> None:
    """Call this before a pipe or a device gets its first byte."""
    _begun.append(result)


def end_stream(result: Result) -> None:
    """Call this once a pipe or a device has all bytes."""
    if result in _begun:
        _begun.remove(result)
        _whole.append(result.name)


def add_whole(name: str) -> None:
    """Call this once a result has this name."""
    _whole.append(name)


@contextmanager
def committing(name: str) -> Iterator[None]:
    """Holds back signals while the block gives a result its name, and then records the name."""
    with undisturbed():
        yield
        _whole.append(name)


def forget() -> None:
    """Forgets all results, for a new run."""
    _whole.clear()
    _begun.clear()


def forget_begun() -> None:
    """Forgets pipes and devices, because a message has named them."""
    _begun.clear()


def discard_unfinished() -> None:
    """Removes the temporary files of incomplete results."""
    for result in list(_unfinished):
        with suppress(OSError):
            os.unlink(result.temporary)
    _unfinished.clear()


def describe(*, whole: bool = True) -> str:
    """Describes the results that exist, complete or not; "" if there are none.

    whole  whether to name complete results too
    """
    said = []
    if whole and len(_whole) > 1:
        said = [f"{len(_whole):,} results are whole"]
    elif whole:
        said = [f"the result in {name} is whole" for name in _whole]
    said += [
        f"the {result.written:,} bytes that went to {result.name} are not whole"
        for result in _begun
        if result.written
    ]
    return "; ".join(said)
