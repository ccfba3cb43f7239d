"""Finds the columns to work on, and the way they are sealed. The command line and the table must agree.

This module uses note.py and tables.py.
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..failures import Exit, Failure
from .note import Note, described
from .options import FORMATS, REPEATING, UNBOUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..run_files import Pair
    from .options import SealingOptions
    from .tables import Described

SEALING_OPTIONS = "--format, --deterministic, --context, --aad and --pad"


def new_notes(table: Described, sealing_options: SealingOptions) -> dict[str, Note]:
    """Returns a note without a key for each column that encrypt seals. Failure."""
    repeating = columns_named(table, sealing_options.deterministic)
    notes = {}
    for name in dict.fromkeys([*columns_named(table, sealing_options.columns), *repeating]):
        place = table.only(name)
        if note_of(table, place) is not None:
            text = f"{table.name}: column {name} is sealed already"
            raise Failure(text, "omit it; rotate changes its key", Exit.REFUSED)
        try:
            values, indices = described(table.schema.field(place).type)
        except ValueError as error:
            text = f"{table.name}: column {name} {error}"
            raise Failure(text, "convert it first, or omit it", Exit.USAGE) from None
        notes[name] = _note_from_options(sealing_options, name, name in repeating, values, indices)
    check_contexts(table, notes, sealing_options.contexts)
    return notes


def _note_from_options(
    sealing_options: SealingOptions, name: str, repeating: bool, values: str, indices: str | None
) -> Note:
    """Makes a note from the command line, without a key, for a column without a note."""
    format = _format_of(sealing_options, repeating) or FORMATS[0]
    context = context_of(sealing_options, name, repeating)
    return Note(format, None, context, sealing_options.aad, sealing_options.pad, values, indices)


def _format_of(sealing_options: SealingOptions, repeating: bool) -> str | None:
    """The format that the command line names for a column, if it names one."""
    return REPEATING if repeating else sealing_options.format


def context_of(sealing_options: SealingOptions, name: str, repeating: bool) -> str | None:
    """Returns the context of a column: --context, or the column's name. None only if the command line
    names a format that needs no context. A format in the file is not enough to drop the name."""
    unbound = _format_of(sealing_options, repeating) in UNBOUND
    return sealing_options.contexts.get(name, None if unbound else name)


def sealed_notes(table: Described, sealing_options: SealingOptions) -> dict[str, Note]:
    """Returns the notes of the columns that the command line names, or of all sealed columns. A column
    without a note gets one from the command line. Failure."""
    repeating = columns_named(table, sealing_options.deterministic)
    notes = {}
    for name in dict.fromkeys(
        [*(columns_named(table, sealing_options.columns) or _columns_with_notes(table)), *repeating]
    ):
        place = table.only(name)
        note = note_of(table, place)
        if note is None:
            type_ = table.schema.field(place).type
            notes[name] = _note_from_options(
                sealing_options, name, name in repeating, *_sealed(table, name, type_)
            )
        else:
            notes[name] = _agreed(table, sealing_options, name, name in repeating, note)
    if not notes:
        raise _none_named(table)
    check_contexts(table, notes, sealing_options.contexts)
    return notes


def _columns_with_notes(table: Described) -> list[str]:
    """Returns the columns with a note."""
    fields = enumerate(table.schema)
    return [field.name for place, field in fields if note_of(table, place) is not None]


def _none_named(table: Described) -> Failure:
    if table.text:
        return Failure(
            f"{table.name}: a CSV file does not record which columns are sealed",
            "name them with -c, and repeat encrypt's --format and similar options",
            Exit.USAGE,
        )
    return Failure(
        f"{table.name}: no column is marked as sealed",
        "other programs drop the mark: name the columns with -c, and repeat encrypt's"
        f" {SEALING_OPTIONS}",
        Exit.NOT_RIJN,
    )


def _sealed(table: Described, name: str, type_: Any) -> tuple[str, str | None]:
    """Returns the type for the note of a sealed column without one. Failure."""
    with suppress(ValueError):
        values, indices = described(type_)
        if table.text or "binary" in values:
            return values, indices
    raise Failure(
        f"{table.name}: column {name} is not sealed: it is of type {type_}",
        "sealed columns are binary; rijn columns info lists the columns",
        Exit.NOT_RIJN,
    )


def _agreed(
    table: Described, sealing_options: SealingOptions, name: str, repeating: bool, note: Note
) -> Note:
    """Returns the column's own note, with the associated data and the context of the command line: the
    file alone never decides what authenticates a value. Failure if the note and the command line
    differ. But --aad may give the present name of the column of associated data."""
    if note.aad is not None and sealing_options.aad is not None:
        note = replace(note, aad=sealing_options.aad)
    for what, said, theirs in (
        ("format", _format_of(sealing_options, repeating), note.format),
        ("aad", sealing_options.aad, note.aad),
        ("pad", sealing_options.pad, note.pad),
    ):
        if said not in (None, theirs):
            raise Failure(
                f"{table.name}: column {name} says that its {what} is {theirs or 'none'}, not {said}",
                "omit that option, or use -c to name the columns it applies to",
                Exit.USAGE,
            )
    _check_aad(table, sealing_options, name, note)
    _check_context(table, name, note, context_of(sealing_options, name, repeating))
    return note


def _check_aad(table: Described, sealing_options: SealingOptions, name: str, note: Note) -> None:
    """Checks that the command line names the column of associated data. Otherwise an attacker with
    write access could name another column, and move values to other rows. Failure."""
    if note.aad is None or sealing_options.aad is not None:
        return
    if note.aad not in table.schema.names:
        raise Failure(
            f"{table.name}: there is no column {note.aad}, the associated data of {name}",
            "if it was renamed, rename it back or give the new name with --aad; the columns are"
            f" {', '.join(dict.fromkeys(table.schema.names))}",
            Exit.USAGE,
        )
    raise Failure(
        f"{table.name}: column {name} says that column {note.aad} is its associated data, but"
        " anybody could have written that",
        f"if encrypt's --aad named that column: --aad {shlex.quote(note.aad)}",
        Exit.USAGE,
    )


def _check_context(table: Described, name: str, note: Note, expected: str | None) -> None:
    """Checks that the column was sealed for this context. Otherwise a renamed column would open as
    another one. Failure."""
    if note.context == expected:
        return
    if note.context is not None:
        said = f"the context {note.context}"
        hint = f"if it is the right column: --context {shlex.quote(f'{name}={note.context}')}"
    elif note.format in UNBOUND:
        said = "no context"
        hint = f"if it is the right column: --format {note.format}, and no --context for it"
    else:
        said, hint = "no context", f"format {note.format} always has one: restore it from a copy"
    raise Failure(
        f"{table.name}: column {name} was sealed for {said}, not"
        f" {'none' if expected is None else expected}",
        hint,
        Exit.WRONG_KEY,
    )


def with_types(table: Described, notes: dict[str, Note], type_: str | None) -> dict[str, Note]:
    """Returns the notes, with this type for columns without a note of their own. Failure."""
    found = {}
    for name, note in notes.items():
        if not table.text and note_of(table, table.only(name)) is None:
            if type_ is None:
                raise Failure(
                    f"{table.name}: column {name} does not record whether and how it was sealed",
                    "if it is sealed, give the type of its values with --type, string or binary, and repeat"
                    f" encrypt's {SEALING_OPTIONS}",
                    Exit.USAGE,
                )
            note = replace(note, type=type_)
        elif type_ == "binary" and note.fixed is not None:
            note = replace(note, type=type_)
        elif type_ not in (None, note.type):
            raise Failure(
                f"{table.name}: column {name} was of type {note.type}, not {type_}",
                "omit --type",
                Exit.USAGE,
            )
        found[name] = note
    return found


def opened_notes(
    pair: Pair, table: Described, sealing_options: SealingOptions, type_: str | None
) -> dict[str, Note]:
    """Returns the notes of the columns that are decrypted to the pair's result. Failure."""
    if pair.result is None:
        text = f"{pair.source}: its name does not have .sealed before the ending"
        raise Failure(text, "name the result: -o OUT", Exit.REFUSED)
    return with_types(table, sealed_notes(table, sealing_options), type_)


def note_of(table: Described, place: int) -> Note | None:
    """Returns the note of a column, if it has one. Failure."""
    field = table.schema.field(place)
    try:
        return Note.read(field)
    except ValueError as error:
        raise Failure(
            f"{table.name}: column {field.name}: its metadata rijn.column cannot be read: {error}",
            "a newer version may read it",
            Exit.NOT_RIJN,
        ) from None


def columns_named(table: Described, wanted: Sequence[str]) -> list[str]:
    """Returns the columns that -c names: one name, or several with commas between them. Failure if a
    text could be both, because then the author of the file would choose."""
    found: dict[str, None] = {}
    for text in wanted:
        parts = text.split(",")
        if text in table.schema.names and len(parts) > 1:
            others = [part for part in parts if part in table.schema.names]
            if others:
                raise Failure(
                    f"{table.name}: there is a column {text}, and there is a column {others[0]}",
                    "a name with commas works only if no part of it is a column",
                    Exit.USAGE,
                )
            parts = [text]
        for name in parts:
            table.only(name)
            found[name] = None
    return list(found)


def check_contexts(table: Described, notes: dict[str, Note], contexts: dict[str, str]) -> None:
    """Checks that --context names columns of this work. Failure."""
    for name in contexts:
        if name not in notes:
            raise Failure(
                f"{table.name}: --context names {name}, which is not one of the columns",
                f"those are {', '.join(notes)}",
                Exit.USAGE,
            )
