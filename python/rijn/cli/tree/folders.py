"""Folders for results: none, the tree's own folders, or new ones in OUT.

This module uses no other module of tree.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...disk.acl import status_of
from ..failures import naming
from ..folders import Folder, make_folder, open_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import stat_result


class NoFolders:
    """Opens no folders: the command has no results."""

    def open(self, inner: Sequence[str], place: int, names: Iterable[str]) -> Folder | None:
        """Returns the folder for the results of a folder of the tree. The caller releases it.
        OSError, Failure.

        inner  the folder's path in the tree
        place  the folder's descriptor
        names  the folder's entries
        """
        return None


class SameFolders(NoFolders):
    """Opens the folders of the tree itself."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def open(self, inner: Sequence[str], place: int, names: Iterable[str]) -> Folder:
        return Folder(os.path.join(self._folder, *inner), os.dup(place), names)


class NewFolders(NoFolders):
    """Opens folders in OUT, and makes missing ones."""

    def __init__(self, out: str, changed: Callable[[Folder], object]) -> None:
        """changed: called with each folder that will get a new folder, and must be synced then"""
        self._out = out
        self._changed = changed
        self._root: Folder | None = None

    def open(self, inner: Sequence[str], place: int, names: Iterable[str]) -> Folder:
        if not inner:
            if self._root is None:
                self._root = self._opened_root(status_of(place))
            return self._root.hold()
        above = self._above(inner)
        try:
            path = os.path.join(self._out, *inner)
            self._changed(above)
            return make_folder(path, status_of(place), above)
        finally:
            above.release()

    def _opened_root(self, model: stat_result) -> Folder:
        if os.path.isdir(self._out):  # it may be a link
            return Folder(self._out, open_folder(self._out, follow=True))
        path = os.path.abspath(self._out)
        folder = os.path.dirname(path)
        above = Folder(folder, open_folder(folder, follow=True), ())
        try:
            self._changed(above)
            with naming(self._out):
                made = make_folder(path, model, above)
            made.path = self._out
            return made
        finally:
            above.release()

    def _above(self, inner: Sequence[str]) -> Folder:
        """Opens the folder above this one, without following links."""
        assert self._root is not None
        if len(inner) == 1:
            return self._root.hold()
        path, fd = self._out, os.dup(self._root.fd)
        try:
            for name in inner[:-1]:
                path = os.path.join(path, name)
                with naming(path):
                    below = open_folder(name, fd)
                os.close(fd)
                fd = below
        except OSError:
            os.close(fd)
            raise
        return Folder(path, fd, ())

    def close(self) -> None:
        if self._root is not None:
            self._root.release()
