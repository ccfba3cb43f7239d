"""The keysets that -k names, and the choice of keysets for a column."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from ..failures import Exit, Failure
from ..options import STDIN, cannot_read, key_name, source_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...columns import Keyset


_READ = 1 << 24  # bytes of standard input; larger keysets are refused


def read_keyset(name: str) -> Keyset:
    """Reads a keyset from a file or from standard input. Failure."""
    from ...columns import Keyset, KeysetError
    from ...files.format import UNSHOWN, KeyExposed, KeyFileError

    shown = key_name(name)
    hint = "rijn columns keygen -o FILE makes a keyset"
    if shown == UNSHOWN:
        hint = "give the name of the keyset's file, not the keyset itself"
    try:
        return Keyset.from_callable(_standard_input) if name == STDIN else Keyset.from_file(name)
    except KeyExposed as error:
        file = "FILE" if name == STDIN else shlex.quote(name)
        text, hint = str(error), f"chmod 600 {file}"
    except (KeyFileError, KeysetError) as error:
        text = str(error)
    except OSError as error:
        text = cannot_read(name, error)
    raise Failure(f"{shown}: bad keyset: {text}", hint, Exit.KEY_FILE)


def _standard_input() -> bytes:
    """Reads standard input. OSError, KeyExposed, KeyFileError."""
    from ...files.format import read_secret

    data, exposed = read_secret(0, _READ)
    if exposed is not None:
        raise exposed
    return data


def statuses_of(names: Sequence[str]) -> list[os.stat_result]:
    """Returns the statuses of the keysets' files."""
    found = []
    for name in names:
        with suppress(OSError):  # reading the keyset reports it
            found.append(os.fstat(0) if name == STDIN else os.stat(name))
    return found


class Keysets:
    """Several keysets. A format gets all keysets with keys for it, and the primary key of the first one
    encrypts."""

    def __init__(self, names: Sequence[str]) -> None:
        """Failure, UsageError."""
        if "" in names:
            raise click.UsageError("The name of a keyset is empty: is a shell variable unset?")
        self._names = list(dict.fromkeys(names))
        self._keysets = {name: read_keyset(name) for name in self._names}

    def statuses(self) -> list[os.stat_result]:
        """Returns the statuses of the files."""
        return statuses_of(self._names)

    def by_format(self, formats: set[str]) -> dict[str, Keyset]:
        """Returns the keyset of each format. Failure if there is none, or if a Rijn key file, which does
        not name a format, would be the key of two formats."""
        from ...columns import KeysetError

        fitting = {format: self._fitting(format) for format in sorted(formats)}
        for name, keyset in self._keysets.items():
            users = [format for format, names in fitting.items() if name in names]
            if 0 in keyset.ids and len(users) > 1:
                raise Failure(
                    f"{source_name(name)}: would be the key of two formats, {' and '.join(users)}",
                    "make a keyset for each format with rijn columns keygen",
                    Exit.KEY_FILE,
                )
        try:
            found = {}
            for format, names in fitting.items():
                first, *older = (self._keysets[name] for name in names)
                found[format] = first.with_older(*older)
            return found
        except KeysetError as error:
            text = f"{' and '.join(map(source_name, self._names))}: {error}"
            raise Failure(text, "the keys differ: omit one of the files", Exit.KEY_FILE) from None

    def primary(self, format: str) -> int | None:
        """Returns the id of the key that encrypts; None for a Rijn key file, which has no id. Failure."""
        return self._keysets[self._fitting(format)[0]].ids[0] or None

    def have(self, format: str, id: int) -> bool:
        """Returns whether the keysets of this format have a key with this id. Failure."""
        return any(id in self._keysets[name].ids for name in self._fitting(format))

    def _fitting(self, format: str) -> list[str]:
        from ...columns import Column, KeysetError

        found, reasons = [], []
        for name, keyset in self._keysets.items():
            try:
                Column(keyset, format, context=b"")
                found.append(name)
            except KeysetError as error:
                reasons.append(f"{source_name(name)}: {error}")
        if not found:
            raise Failure(
                f"no keyset is for format {format}: {'; '.join(reasons)}",
                f"name one with -k: rijn columns keygen --format {format} -o FILE makes it",
                Exit.KEY_FILE,
            )
        return found
