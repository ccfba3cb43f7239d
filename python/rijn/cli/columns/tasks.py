"""The work on a table's columns: what is done with each row group, and what becomes of rows that do
not open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..failures import Exit, Failure
from ..output import Destination
from ..progress import Progress
from .keysets import Keysets
from .note import Note
from .options import replaceable
from .parquet import Table, Writer

if TYPE_CHECKING:
    from ...columns import Column
    from ..each import Pair

# A column of a row group and its rows' associated data: what it becomes, the rows that failed,
# and how many are new.
Work = Callable[[Any, Any], tuple[Any, Sequence[int], int]]


@dataclass
class Task:
    """What is to be done with a column."""

    place: int  # in the schema
    field: Any  # of the result
    aad: int | None  # the place of the column of associated data
    work: Work
    unique: bool = False  # whether no value of the result comes twice
    live: int = 0  # rows so far that are not null
    failed: int = 0  # of them
    first: int = 0  # of those the first one's number
    changed: int = 0


@dataclass(frozen=True)
class Options:
    """How results are made, as the command line says."""

    keysets: Keysets
    force: bool
    jobs: int
    backend: str | None
    progress: bool | None
    null: bool = False  # what does not open becomes null

    def columns(self, table: Table, notes: dict[str, Note]) -> dict[str, Column]:
        """For each name the Column that its note asks for. Failure, UsageError."""
        from ...columns import Column

        keysets = self.keysets.by_format({note.format for note in notes.values()})
        found = {}
        for name, note in notes.items():
            try:
                found[name] = Column(
                    keysets[note.format],
                    note.format,
                    context=note.context,
                    pad=note.pad,
                    threads=min(self.jobs, 1024),
                    backend=self.backend,
                )
            except ValueError as error:
                text = f"{table.name}: column {name}: {error}"
                raise Failure(text, "see --help", Exit.USAGE) from None
        return found


def notes_of(table: Table, wanted: Sequence[str]) -> dict[str, Note]:
    """Those of the sealed columns, or of the wanted ones. Failure."""
    names = named(table, wanted) or list(dict.fromkeys(table.schema.names))
    found = {}
    for name in names:
        if not wanted and all(
            note_of(table, place) is None for place in table.schema.get_all_field_indices(name)
        ):
            continue
        note = note_of(table, table.only(name))
        if note is not None:
            found[name] = note
        elif wanted:
            raise Failure(
                f"{table.name}: column {name} is not sealed",
                "rijn columns info tells which are",
                Exit.NOT_RIJN,
            )
    if not found:
        raise Failure(
            f"{table.name}: no column of it is sealed",
            "what else writes the file may drop what a column says of itself:"
            " rijn.columns in Python opens it",
            Exit.NOT_RIJN,
        )
    return found


def note_of(table: Table, place: int) -> Note | None:
    """That of a column. Failure."""
    field = table.schema.field(place)
    try:
        return Note.of(field)
    except ValueError as error:
        raise Failure(
            f"{table.name}: column {field.name}: what it says of itself cannot be read: {error}",
            "a newer version may read it",
            Exit.NOT_RIJN,
        ) from None


def named(table: Table, wanted: Sequence[str]) -> list[str]:
    """The names in -c: each a column's name, or several with commas between them."""
    found: dict[str, None] = {}
    for each in wanted:
        for name in [each] if each in table.schema.names else each.split(","):
            table.only(name)
            found[name] = None
    return list(found)


def check_contexts(table: Table, notes: dict[str, Note], contexts: dict[str, str]) -> None:
    """That a column's context is its name, or what --context says: a column under another's name
    would be opened as that one otherwise. Failure."""
    for name, note in notes.items():
        expected = contexts.get(name, name)
        if note.context != expected and (note.context is not None or name in contexts):
            raise Failure(
                f"{table.name}: column {name} was sealed for the context {note.context},"
                f" not {expected}",
                f"if it is the right column: --context {name}={note.context}",
                Exit.WRONG_KEY,
            )
    for name in contexts:
        if name not in notes:
            raise Failure(
                f"{table.name}: --context names {name}, which is no column to work on",
                f"those are {', '.join(notes)}",
                Exit.USAGE,
            )


def aad_place(table: Table, note: Note, sealed: Sequence[str]) -> int | None:
    """Where the column of associated data stands. Failure."""
    if note.aad is None:
        return None
    place = table.only(note.aad)
    if note.aad in sealed:
        raise Failure(
            f"{table.name}: column {note.aad} is sealed itself and cannot be associated data",
            "name one that stays as it is",
            Exit.USAGE,
        )
    type_ = table.schema.field(place).type
    try:
        _as_aad(pa.chunked_array([], type=type_))
    except (TypeError, pa.ArrowException):
        raise Failure(
            f"{table.name}: column {note.aad} is of type {type_}, which is no associated data",
            "text, bytes and whole numbers are",
            Exit.USAGE,
        ) from None
    return place


def sealed_type(column: Column, type_: Any, aad: bool) -> Any:
    """That of a column of this type when it is sealed."""
    empty = pa.chunked_array([], type=type_)
    return pa.chunked_array(column.seal(empty, pa.array([], pa.binary()) if aad else None)).type


def work_on(
    pair: Pair,
    table: Table,
    tasks: list[Task],
    options: Options,
    doing: str,
    *,
    in_place: bool = False,
) -> None:
    """Makes pair's result: the table with the tasks' columns, which takes the place of the source
    where it is `in_place`. Rows that do not open are an error
    in the end, and then there is no result. Failure, OSError."""
    assert pair.result is not None
    destination = Destination(
        pair.result,
        None if in_place else table.status,
        force=options.force or in_place,
        content="ciphertext",
        keys=options.keysets.statuses(),
        in_place=table.status if in_place else None,
        replaceable=replaceable(pair.named),
    )
    if not destination.has_name:
        text = f"{destination.name}: is no file"
        raise Failure(text, "a table goes to a file, which appears when it is whole", Exit.REFUSED)
    schema = table.schema
    for task in tasks:
        schema = schema.set(task.place, task.field)
    unique = [task.place for task in tasks if task.unique]
    total = sum(table.size(group) for group in range(table.groups))
    with (
        destination as result,
        Progress(f"{doing}{pair.label}", total, shown=options.progress) as bar,
    ):
        writer = Writer(result, schema, table, unique)
        try:
            begin = 0
            for group in range(table.groups):
                rows = table.read(group)
                begin, columns = begin + rows.num_rows, rows.columns
                for task in tasks:
                    columns[task.place] = _done(table, rows, task, begin - rows.num_rows)
                if options.null or not any(task.failed for task in tasks):
                    writer.write(pa.Table.from_arrays(columns, schema=schema))
                bar.advance(table.size(group))
            table.check_unchanged()
            if not options.null:
                _check(table, tasks, begin)
            writer.finish()
        finally:
            writer.abandon()


def _done(table: Table, rows: Any, task: Task, begin: int) -> Any:
    """A task's column of a row group whose first row has this number. Failure."""
    array = rows.column(task.place)
    aad = None
    if task.aad is not None:
        aad = _as_aad(rows.column(task.aad))
        missing = pc.and_(aad.is_null(), array.is_valid())
        if count := pc.sum(missing).as_py():
            first = begin + pc.index(missing, True).as_py()
            raise Failure(
                f"{table.name}: column {table.schema.names[task.aad]}, the associated data of"
                f" {task.field.name}, is null beside a value in {count} rows of a row group,"
                f" the first is row {first}",
                "give each row that has a value associated data",
                Exit.USAGE,
            )
    try:
        done, failed, changed = task.work(array, aad)
        done = done.cast(task.field.type)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise Failure(
            f"{table.name}: column {task.field.name}, rows {begin} to"
            f" {begin + len(array) - 1}: {error}",
            "write smaller row groups" if "2^31" in str(error) else "restore it from a copy",
            Exit.OTHER,
        ) from None
    if failed and not task.failed:
        task.first = begin + failed[0]
    task.failed += len(failed)
    task.live += len(array) - array.null_count
    task.changed += changed
    return done


def _as_aad(array: Any) -> Any:
    """A column as associated data: whole numbers as their decimal digits. TypeError."""
    type_ = array.type
    if pa.types.is_integer(type_):
        return array.cast(pa.string())
    values = type_.value_type if pa.types.is_dictionary(type_) else type_
    if pa.types.is_integer(values):
        return array.cast(values).cast(pa.string())
    kinds = ("binary", "string", "fixed_size_binary", "large_binary", "large_string")
    if any(
        getattr(pa.types, f"is_{kind}")(values) for kind in (*kinds, "binary_view", "string_view")
    ):
        return array
    raise TypeError(type_)


def failures(tasks: list[Task], rows: int) -> str:
    """Which columns have rows that do not open; "" if none has."""
    return "; ".join(
        f"column {task.field.name}: {task.failed} of {rows} rows do not open,"
        f" the first is row {task.first}"
        for task in tasks
        if task.failed
    )


def _check(table: Table, tasks: list[Task], rows: int) -> None:
    text = failures(tasks, rows)
    if not text:
        return
    if all(task.failed == task.live for task in tasks if task.failed):
        hint = "none does: is it another keyset, or another table's column or associated data?"
        raise Failure(f"{table.name}: {text}", hint, Exit.WRONG_KEY)
    hint = "restore the file from another copy; decrypt --errors null makes them null"
    raise Failure(f"{table.name}: {text}", hint, Exit.DAMAGED)
