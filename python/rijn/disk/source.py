"""Sources that must not change while they are read."""

from __future__ import annotations

import io
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import WriteableBuffer


class Unchanging(io.FileIO):
    """A source that raises an error at its end if it changed while it was read.

    If a regular file changes meanwhile, the bytes read may be a mixture that never existed. Pipes
    and devices are not checked, because they have no size. The files of size 0 in /proc may have
    more bytes than their size.
    """

    def __init__(self, file: str | int, changed: Callable[[int, int, int], Exception]) -> None:
        """changed: makes the error, from the size at first, the bytes read, and the size at the end"""
        super().__init__(file, "rb", closefd=isinstance(file, str))
        self._changed = changed
        self._status = os.fstat(self.fileno())
        self._is_regular = stat.S_ISREG(self._status.st_mode)
        self._end = self.tell() if self._is_regular else 0  # of the bytes read so far

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        count = super().readinto(buffer)
        if count:
            self._end += count
        elif count == 0 and self._is_regular:
            self._check()
        return count

    def read(self, size: int | None = -1, /) -> bytes:
        """Reads as FileIO does, which does not call `readinto`."""
        data = super().read(size)
        self._end += len(data)
        if not data and size and self._is_regular:
            self._check()
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Moves to a place. The caller has read the bytes before it in another way."""
        self._end = super().seek(offset, whence)
        return self._end

    def _check(self) -> None:
        now = os.fstat(self.fileno())
        size = now.st_size
        if (size, now.st_mtime_ns) != (self._status.st_size, self._status.st_mtime_ns) or (
            size and self._end < size
        ):
            raise self._changed(self._status.st_size, self._end, size)
