"""Engines, which make the results of a tree's files. The engine of this process is here, and Spark's is
in distributed.py.

This module uses walk.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...chunked import Message
    from ..destination import Destination
    from ..sealed import New
    from .walk import File

    Advance = Callable[[int], object]


class TreeEngine(Protocol):
    """Makes results, in any thread. `seal` and `open` raise Failure and OSError, and `open` the
    exceptions of chunked.Message.open."""

    @property
    def is_local(self) -> bool:
        """Returns whether this process makes the results. If so, it may convert small files in one step."""

    def jobs(self, given: int) -> int:
        """Returns how many files may be at work at once if --jobs is `given`."""

    def seal(
        self, file: File, destination: Destination, new: New, jobs: int, advance: Advance
    ) -> None:
        """Encrypts a file."""

    def open(
        self,
        file: File,
        destination: Destination,
        message: Message,
        start: int,
        jobs: int,
        advance: Advance,
    ) -> None:
        """Decrypts a file with a message that begins at `start`. The file is after the prefix."""

    def give_up(self) -> None:
        """Ends the work on all files, if another process does it."""


class LocalTreeEngine:
    """This process."""

    is_local = True

    def jobs(self, given: int) -> int:
        return given

    def seal(
        self, file: File, destination: Destination, new: New, jobs: int, advance: Advance
    ) -> None:
        file.reads.seek(0)
        new.seal(file.reads, destination, jobs, advance)

    def open(
        self,
        file: File,
        destination: Destination,
        message: Message,
        _start: int,
        jobs: int,
        advance: Advance,
    ) -> None:
        from ...pipeline import open_stream

        with destination as result:
            open_stream(message, file.reads, result.write, jobs=jobs, advance=advance)

    def give_up(self) -> None:
        """Does nothing: the threads of the crew end on their own."""
