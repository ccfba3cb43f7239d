"""The engine in this process. It reads a table one part at a time, and works on its columns.

This module uses kinds.py for the table's file, and tasks.py for the work.
"""

from __future__ import annotations

import shlex
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ...errors import InvalidTag
from ..failures import Exit, Failure, printable
from .delimited import from_text, to_text
from .former import Former, categories_of, check_order, own_field, rotated_note
from .kinds import open_table
from .metadata import FileMetadata, Unread, coverings, tell_of_boxes, unknown
from .note import sealed_field, with_note
from .table_notes import new_notes, note_of, opened_notes, sealed_notes
from .tasks import (
    Task,
    aad_place,
    check_dictionary,
    failures,
    sealed_type,
    work_on,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...columns import Column
    from ..run_files import Pair
    from .note import Note
    from .options import SealingOptions
    from .tables import Table
    from .tasks import Conversion, Options


class LocalColumnsEngine:
    """An engines.ColumnsEngine in this process."""

    def __init__(
        self,
        sealing_options: SealingOptions,
        options: Options,
        print_line: Callable[[str], object] | None,
    ) -> None:
        """print_line: prints a line that is not an error"""
        self._sealing_options = sealing_options
        self._options = options
        self._print_line = print_line

    def encrypt(self, pair: Pair, dropped: Sequence[str]) -> None:
        with closing(open_table(pair.source)) as table:
            notes = self._options.under_primary(new_notes(table, self._sealing_options))
            table.dropped = _dropped_keys(table, dropped)
            metadata = FileMetadata(table.metadata, table.repeated)
            tasks = []
            for it in self._columns(table, notes):
                field, type_ = it.field, sealed_type(it.column, it.field.type, it.aad is not None)
                former = Former(own_field(field), annotation=table.annotation(it.place))
                if pa.types.is_dictionary(field.type) and field.type.ordered:
                    with closing(open_table(pair.source)) as again:
                        former.categories = categories_of(again, it.place)
                if table.one_dictionary:
                    ordered = former.categories is not None
                    check_dictionary(table, it.name, it.note, type_, ordered=ordered)
                sealing = _sealing(it.column, table, it.name, former)
                if table.text:
                    sealing = to_text(sealing)
                else:
                    former.parts = _parts_of(metadata, table, it.name)
                    note = replace(it.note, former=former.seal(it.column))
                    field = sealed_field(field, type_, note)
                tasks.append(Task(it.place, field, it.aad, sealing, it.is_unique))
            work_on(pair, table, tasks, self._options, "encrypting", metadata=metadata.metadata)
            self._tell_of_keys(table)
            tell_of_boxes(table, coverings(table.metadata, notes), self._sealing_options)

    def decrypt(self, pair: Pair, type_: str | None) -> list[str]:
        with closing(open_table(pair.source)) as table:
            notes = opened_notes(pair, table, self._sealing_options, type_)
            metadata = FileMetadata(table.metadata)
            tasks = []
            for it in self._columns(table, notes):
                field, former, lost = it.field, None, False
                try:
                    former = Former.open(it.column, it.note.former)
                except InvalidTag:
                    lost = True
                if former is None:
                    field = field.with_type(it.note.original())
                else:
                    own = {**(field.metadata or {}), **(former.field.metadata or {})}
                    field = field.with_type(former.field.type).with_metadata(own)
                    metadata.restore(it.name, former.parts)
                    if former.annotation is not None:
                        table.annotations[it.place] = former.annotation
                if self._options.null:
                    field = field.with_nullable(True)
                field = with_note(field, None)
                opening = _opening(it.column, it.note)
                if table.text:
                    opening = from_text(opening)
                categories = former and former.categories
                tasks.append(
                    Task(it.place, field, it.aad, opening, categories=categories, lost=lost)
                )
            rows = work_on(
                pair, table, tasks, self._options, "decrypting", metadata=metadata.metadata
            )
        said = []
        if text := failures(tasks, rows):
            said.append(f"{text}; they are null in {pair.result}")
        for task in tasks:
            if task.lost:
                text = f"column {task.field.name}: its type and metadata do not open"
                said.append(f"{text}, and are lost in {pair.result}")
        return said

    def rotate(self, pair: Pair) -> str:
        with closing(open_table(pair.source)) as table:
            notes = self._options.under_primary(sealed_notes(table, self._sealing_options))
            tasks = []
            for it in self._columns(table, notes):
                field, lost = it.field, False
                rotating = _rotating(it.column)
                if table.text:
                    rotating = to_text(from_text(rotating))
                elif note_of(table, it.place) is not None:
                    note = it.note
                    try:
                        note = rotated_note(it.column, note)
                    except InvalidTag:
                        lost = True
                    field = with_note(field, note)
                tasks.append(Task(it.place, field, it.aad, rotating, it.is_unique, lost=lost))
            work_on(
                *(pair, table, tasks, self._options, "writing"),
                metadata=table.metadata,
                in_place=not pair.placed,
            )
        changed = ", ".join(f"{task.changed:,} of {task.field.name}" for task in tasks)
        return f"values with a new key: {changed}"

    def _columns(self, table: Table, notes: dict[str, Note]) -> Iterator[_Found]:
        for name, column in self._options.columns(table, notes).items():
            place = table.only(name)
            aad = aad_place(table, notes[name], notes)
            yield _Found(name, place, table.schema.field(place), notes[name], column, aad)

    def _tell_of_keys(self, table: Table) -> None:
        keys = unknown([*table.metadata, *table.other_keys])
        if keys and self._print_line:
            self._print_line(
                printable(
                    f"rijn: {table.name}: the file's metadata stays readable: {', '.join(keys)}"
                    " (--drop-metadata KEY omits one)"
                )
            )


class _Found(NamedTuple):
    """A column to work on."""

    name: str
    place: int  # in the schema
    field: Any
    note: Note
    column: Column
    aad: int | None  # the place of the column of associated data

    @property
    def is_unique(self) -> bool:
        """True if sealed values never repeat."""
        return not self.column.deterministic


def _dropped_keys(table: Table, wanted: Sequence[str]) -> set[bytes]:
    """Returns the keys of --drop-metadata. Failure if the file does not have one of them."""
    keys = {key.encode(errors="surrogateescape") for key in wanted}
    there = [*table.metadata, *table.other_keys]
    if not keys.issubset(there):
        with closing(open_table(table.name)) as again:  # batches have their own keys
            again.size()
            there = [*again.metadata, *again.other_keys]
    for key in keys.difference(there):
        raise Failure(
            f"{table.name}: its metadata has no key {key.decode(errors='replace')}",
            f"its keys are {b', '.join(there).decode(errors='replace') or 'none'}",
            Exit.USAGE,
        )
    return keys


def _parts_of(metadata: FileMetadata, table: Table, name: str) -> dict[str, Any]:
    """Takes a column's parts out of the file's metadata. Failure."""
    try:
        return metadata.remove(name)
    except Unread as error:
        raise Failure(
            f"{table.name}: the file's metadata {error.key} may hold values of {name},"
            " and Rijn cannot take them out",
            f"--drop-metadata {shlex.quote(error.key)} omits it",
            Exit.REFUSED,
        ) from None


def _sealing(column: Column, table: Table, name: str, former: Former) -> Conversion:
    def seal(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        if former.categories is not None:
            check_order(table, name, array, former.categories)
        return pa.chunked_array(column.seal(array, aad)), (), len(array)

    return seal


def _opening(column: Column, note: Note) -> Conversion:
    def open_(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        opened = column.open(array, aad, type=note.opened, errors="null")
        return pa.chunked_array(opened), opened.failed, len(array)

    return open_


def _rotating(column: Column) -> Conversion:
    def rotate(array: Any, aad: Any) -> tuple[Any, tuple[int, ...], int]:
        try:
            rotated = column.rotate(array, aad)
        except InvalidTag as error:
            return array, error.failed or (), 0
        return pa.chunked_array(rotated), (), rotated.rotated

    return rotate
