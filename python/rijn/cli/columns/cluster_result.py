"""A folder that Spark writes. It gets its name only when it is complete.

This module uses cluster_table.py.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
from typing import TYPE_CHECKING, Self

from ...disk.permissions import umask
from ...disk.rename import rename_new, swap
from .. import streams
from ..destination import STDOUT
from ..failures import Exit, Failure
from ..results import committing
from .options import is_table, replaceable
from .tasks import check_ending, no_file

if TYPE_CHECKING:
    from types import TracebackType

    from ..run_files import Pair
    from .cluster_table import Frame


class Result:
    """A folder that Spark writes. Entering makes a hidden folder in the same folder, and Spark writes
    the folder `path` there. `trial` is the name of another folder there. Leaving without an error
    gives `path` the result's name. Leaving always removes the hidden folder.

    The constructor checks the result's name. Failure."""

    def __init__(self, pair: Pair, table: Frame, *, force: bool, in_place: bool) -> None:
        assert pair.result is not None
        self.name = pair.result
        if self.name == STDOUT or streams.descriptor(self.name) == 1:
            raise no_file("standard output")
        if streams.is_stream(self.name):
            raise no_file(self.name)
        if pair.named:
            check_ending(self.name, "Parquet")
        self.path = self.trial = ""
        self._pair, self._table, self._force, self._in_place = pair, table, force, in_place
        self._place = os.path.realpath(self.name)
        self._hidden = ""
        source = os.path.realpath(table.name)
        inside = self._place.startswith(source + os.sep) or source.startswith(self._place + os.sep)
        if inside or (source == self._place and not in_place):
            text = f"{self.name}: is the source, contains it or is in it"
            raise Failure(text, "name another place", Exit.REFUSED)
        self._check_replacing()

    def __enter__(self) -> Self:
        above, hidden = os.path.dirname(self._place), f".rijn-{secrets.token_hex(8)}.part"
        self._hidden = os.path.join(above, hidden)
        self.path = os.path.join(self._hidden, "table")
        self.trial = os.path.join(self._hidden, "trial")
        _hidden.add(self._hidden)  # before it exists: a signal may come between
        try:
            # Nobody else may read the table before it has its permission bits.
            os.mkdir(self._hidden, 0o700)
        except OSError as error:
            _hidden.discard(self._hidden)  # an existing folder is not ours
            error.filename = self.name
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._table.check_unchanged()
                self._finish()
        except OSError as failed:
            failed.filename = self.name
            raise
        finally:
            shutil.rmtree(self._hidden, ignore_errors=True)

    def _check_replacing(self) -> None:
        if self._in_place or not os.path.lexists(self._place):
            return
        if not self._force:
            hint = "--force overwrites it"
            if not replaceable(self._pair.named)(self.name):
                hint = f"-o {shlex.quote(self.name)} --force overwrites it"
            raise Failure(f"{self.name}: exists already", hint, Exit.REFUSED)
        if not is_table(self._place) or not replaceable(self._pair.named)(self.name):
            raise Failure(
                f"{self.name}: exists already, and is not a folder of Parquet files that --force may replace",
                "name another result",
                Exit.REFUSED,
            )

    def _finish(self) -> None:
        """Gives the files the permission bits of the source's files, syncs them, and names the folder."""
        mode = self._table.mode & ~umask()
        for folder, _, files in os.walk(self.path, topdown=False):
            for name in files:
                path = os.path.join(folder, name)
                os.chmod(path, mode)
                _sync(path)
            os.chmod(folder, mode | (mode & 0o444) >> 2 | 0o700)
            _sync(folder)
        with committing(self.name):
            self._commit()
            _sync(os.path.dirname(self._place))

    def _commit(self) -> None:
        self._check_replacing()
        if os.path.lexists(self._place):
            if not swap(self.path, self._place):
                raise Failure(
                    f"{self.name}: this file system cannot swap two folders in one step",
                    "name another result with -o",
                    Exit.OTHER,
                )
            return
        if self._in_place:
            raise Failure(f"{self.name}: became another meanwhile", "try again", Exit.REFUSED)
        try:
            if not rename_new(self.path, self._place):
                os.rename(self.path, self._place)  # never replaces a folder with files
        except FileExistsError:
            raise Failure(f"{self.name}: exists already", "try again", Exit.REFUSED) from None


_hidden: set[str] = set()


def discard_unfinished() -> None:
    """Removes the hidden folders again, after the session has ended: late tasks may have written\n    there."""
    for path in list(_hidden):
        shutil.rmtree(path, ignore_errors=True)
        _hidden.discard(path)


def _sync(path: str) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
