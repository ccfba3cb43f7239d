"""Finds the columns to work on, and how they are sealed. The command line and the table must agree on
it.

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
    from .options import How
    from .tables import Described

HOW_OPTIONS = "--format, --deterministic, --context, --aad and --pad"


def new_notes(table: Described, how: How) -> dict[str, Note]:
    """Returns a note without a key for each column that encrypt seals. Failure."""
    repeating = named(table, how.deterministic)
    notes = {}
    for name in dict.fromkeys([*named(table, how.columns), *repeating]):
        place = table.only(name)
        if note_of(table, place) is not None:
            text = f"{table.name}: column {name} is sealed already"
            raise Failure(text, "omit it; rotate changes its key", Exit.REFUSED)
        try:
            values, indices = described(table.schema.field(place).type)
        except ValueError as error:
            text = f"{table.name}: column {name} {error}"
            raise Failure(text, "convert it first, or omit it", Exit.USAGE) from None
        notes[name] = _said(how, name, name in repeating, values, indices)
    check_contexts(table, notes, how.contexts)
    return notes


def _said(how: How, name: str, repeating: bool, values: str, indices: str | None) -> Note:
    """Returns the note of a column without one, as the command line has it, without a key."""
    format = _format_of(how, repeating) or FORMATS[0]
    context = context_of(how, name, repeating)
    return Note(format, None, context, how.aad, how.pad, values, indices)


def _format_of(how: How, repeating: bool) -> str | None:
    """The format that the command line names for a column, if it names one."""
    return REPEATING if repeating else how.format


def context_of(how: How, name: str, repeating: bool) -> str | None:
    """The context of a column: --context, or the column's name. None only where the command line
    names a format that needs none: a file that names such a format cannot take the name away."""
    unbound = _format_of(how, repeating) in UNBOUND
    return how.contexts.get(name, None if unbound else name)


def sealed_notes(table: Described, how: How) -> dict[str, Note]:
    """Returns the notes of the columns that the command line names, or of all sealed columns. A column
    without a note gets one from the command line. Failure."""
    repeating = named(table, how.deterministic)
    notes = {}
    for name in dict.fromkeys([*(named(table, how.columns) or _noted(table)), *repeating]):
        place = table.only(name)
        note = note_of(table, place)
        if note is None:
            type_ = table.schema.field(place).type
            notes[name] = _said(how, name, name in repeating, *_sealed(table, name, type_))
        else:
            notes[name] = _agreed(table, how, name, name in repeating, note)
    if not notes:
        raise _none_named(table)
    check_contexts(table, notes, how.contexts)
    return notes


def _noted(table: Described) -> list[str]:
    """The columns that say of themselves how they are sealed."""
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
        f" {HOW_OPTIONS}",
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


def _agreed(table: Described, how: How, name: str, repeating: bool, note: Note) -> Note:
    """The column's own note, with the associated data and the context that the command line names:
    what authenticates a value is never taken from the file alone. Failure where the note says
    something else; but --aad may give the column of associated data its present name."""
    if note.aad is not None and how.aad is not None:
        note = replace(note, aad=how.aad)
    for what, said, theirs in (
        ("format", _format_of(how, repeating), note.format),
        ("aad", how.aad, note.aad),
        ("pad", how.pad, note.pad),
    ):
        if said not in (None, theirs):
            raise Failure(
                f"{table.name}: column {name} says that its {what} is {theirs or 'none'}, not {said}",
                "omit that option, or use -c to name the columns it applies to",
                Exit.USAGE,
            )
    _check_aad(table, how, name, note)
    _check_context(table, name, note, context_of(how, name, repeating))
    return note


def _check_aad(table: Described, how: How, name: str, note: Note) -> None:
    """Checks that the command line names the column of associated data. Otherwise an attacker who
    writes the file could name another column, and move values to other rows. Failure."""
    if note.aad is None or how.aad is not None:
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


def typed(table: Described, notes: dict[str, Note], type_: str | None) -> dict[str, Note]:
    """The same, where columns without a note of their own had this type before. Failure."""
    found = {}
    for name, note in notes.items():
        if not table.text and note_of(table, table.only(name)) is None:
            if type_ is None:
                raise Failure(
                    f"{table.name}: column {name} does not record whether and how it was sealed",
                    "if it is sealed, give the type of its values with --type, string or binary, and repeat"
                    f" encrypt's {HOW_OPTIONS}",
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


def opened_notes(pair: Pair, table: Described, how: How, type_: str | None) -> dict[str, Note]:
    """Returns the notes of the columns that are decrypted to the pair's result. Failure."""
    if pair.result is None:
        text = f"{pair.source}: its name does not have .sealed before the ending"
        raise Failure(text, "name the result: -o OUT", Exit.REFUSED)
    return typed(table, sealed_notes(table, how), type_)


def note_of(table: Described, place: int) -> Note | None:
    """Returns the note of a column, if it has one. Failure."""
    field = table.schema.field(place)
    try:
        return Note.of(field)
    except ValueError as error:
        raise Failure(
            f"{table.name}: column {field.name}: its metadata rijn.column cannot be read: {error}",
            "a newer version may read it",
            Exit.NOT_RIJN,
        ) from None


def named(table: Described, wanted: Sequence[str]) -> list[str]:
    """The names in -c: each a column's name, or several with commas between them. Failure, also where
    it may be either: who writes the file would choose then."""
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
    """That --context names columns to work on. Failure."""
    for name in contexts:
        if name not in notes:
            raise Failure(
                f"{table.name}: --context names {name}, which is not one of the columns",
                f"those are {', '.join(notes)}",
                Exit.USAGE,
            )
