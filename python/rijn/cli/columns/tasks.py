"""The work on a table's columns: what is done with each part, and what becomes of rows that do
not open. This module uses table_notes.py."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from ..destination import Destination
from ..failures import Exit, Failure, running
from ..progress import Progress
from .former import as_type, storage
from .keysets import Keysets
from .note import Note, told_spark
from .options import replaceable
from .table_notes import HOW_OPTIONS, note_of
from .tables import BATCH, ENDINGS, LARGE, Described, Table, Writer

if TYPE_CHECKING:
    from ...columns import Column
    from ..run_files import Pair

# A column of a part and its rows' associated data: what it becomes, the rows that failed,
# and how many are new.
Conversion = Callable[[Any, Any], tuple[Any, Sequence[int], int]]

FILLED = 1 << 28
"""Bytes that fixed-size columns may take in a part besides their values, of however small a file."""
_TIMES = 16
"""And in a larger file: so many times its size."""


@dataclass
class Task:
    """What is to be done with a column."""

    place: int  # in the schema
    field: Any  # of the result
    aad: int | None  # the place of the column of associated data
    convert: Conversion
    unique: bool = False  # whether no value of the result comes twice
    live: int = 0  # rows so far that are not null
    failed: int = 0  # of them
    first: int = 0  # of those the first one's number
    changed: int = 0
    categories: Any = None  # of an ordered dictionary that it becomes
    lost: bool = False  # whether what it was does not open (former.py)
    filled: int = 0  # bytes that it takes in this part besides its values


@dataclass(frozen=True)
class Options:
    """How results are made, as the command line says."""

    keysets: Keysets
    force: bool
    jobs: int
    backend: str | None
    progress: bool | None
    null: bool = False  # what does not open becomes null

    def columns(self, table: Described, notes: dict[str, Note]) -> dict[str, Column]:
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
                raise Failure(text, f"see {running()} --help", Exit.USAGE) from None
        return found

    def under_primary(self, notes: dict[str, Note]) -> dict[str, Note]:
        """Of columns that are sealed, or rotated. Failure."""
        return {
            name: replace(note, key=self.keysets.primary(note.format))
            for name, note in notes.items()
        }


def aad_place(table: Described, note: Note, sealed: Collection[str]) -> int | None:
    """Where the column of associated data stands. Failure."""
    if note.aad is None:
        return None
    place = table.only(note.aad)
    if note.aad in sealed:
        raise Failure(
            f"{table.name}: column {note.aad} is sealed itself, and cannot be associated data",
            "name a column that is not encrypted",
            Exit.USAGE,
        )
    type_ = table.schema.field(place).type
    try:
        _as_aad(pa.chunked_array([], type=type_))
    except (TypeError, pa.ArrowException):
        raise Failure(
            f"{table.name}: column {note.aad} is of type {type_}, which cannot be associated data",
            "use text, bytes or whole numbers",
            Exit.USAGE,
        ) from None
    return place


def sealed_type(column: Column, type_: Any, aad: bool) -> Any:
    """That of a column of this type when it is sealed."""
    empty = pa.chunked_array([], type=type_)
    return pa.chunked_array(column.seal(empty, pa.array([], pa.binary()) if aad else None)).type


def check_dictionary(table: Described, name: str, note: Note, type_: Any, *, ordered: bool) -> None:
    """That a column which goes to this type can be made the dictionary that it was, where all parts
    share one. Failure."""
    if note.dictionary is not None and not (ordered or pa.types.is_dictionary(type_)):
        raise Failure(
            f"{table.name}: column {name} is a dictionary, and an Arrow IPC file cannot hold its"
            " encrypted values as one",
            "convert it to plain values first, use an Arrow IPC stream, or --deterministic without --aad",
            Exit.USAGE,
        )


def work_on(
    pair: Pair,
    table: Table,
    tasks: list[Task],
    options: Options,
    doing: str,
    *,
    metadata: dict[bytes, bytes],
    in_place: bool = False,
) -> int:
    """Makes pair's result: the table with the tasks' columns and this metadata, which takes the place of the source
    where it is `in_place`. Rows that do not open are an error
    in the end, and then there is no result. Returns how many rows there are. Failure, OSError."""
    assert pair.result is not None
    if pair.named:
        check_ending(pair.result, table.kind)
    destination = Destination(
        pair.result,
        None if in_place else table.status,
        force=options.force or in_place,
        content="ciphertext",
        keys=options.keysets.statuses(),
        in_place=table.status if in_place else None,
        replaceable=replaceable(pair.named),
        redirected=not pair.placed,
    )
    if not destination.has_name:
        raise no_file(destination.name)
    fields = list(table.schema)
    for task in tasks:
        fields[task.place] = task.field
    schema = told_spark(pa.schema(fields, metadata=metadata or None))
    changed = sorted(task.place for task in tasks)
    needed = {task.aad for task in tasks if task.aad is not None}
    table.choose(sorted(needed.union(changed)) if table.copies else range(len(schema)))
    written = changed if table.copies else table.columns
    part = pa.schema([schema.field(place) for place in written], metadata=schema.metadata)
    unique = {task.place for task in tasks if task.unique}
    with (
        destination as result,
        Progress(f"{doing}{pair.label}", table.total, shown=options.progress) as bar,
    ):
        writer = table.writer(result, schema, changed, unique)
        try:
            with Parts(writer, options.jobs) as parts:
                begin, count = 0, _work_on_part(table, tasks, 0, written, part, parts, options)
                while count is not None:
                    begin += count
                    bar.advance(table.step)
                    count = _work_on_part(table, tasks, begin, written, part, parts, options)
                parts.wait()
            table.check_unchanged()
            if not options.null:
                _check(table, tasks, begin, options.keysets)
            writer.finish()
        finally:
            writer.abandon()
    return begin


def no_file(name: str) -> Failure:
    """Returns the error for a result that would be a stream."""
    text = f"{name}: is not a file"
    return Failure(text, "write the table to a file", Exit.REFUSED)


class Parts:
    """Has parts written by another thread, each while the next one is read and worked on, where the
    writer knows how and two of them are not too much for memory. Leaving it waits for the last."""

    def __init__(self, writer: Writer, jobs: int) -> None:
        self._writer = writer
        self._thread: ThreadPoolExecutor | None = None
        if jobs > 1 and writer.behind:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="rijn-write")
        self._last: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            try:
                self._thread.shutdown()
            finally:  # again, where a signal came meanwhile: what is written to is closed next
                self._thread.shutdown()

    def write(self, table: Any, *, large: bool) -> None:
        """What the writer raises, of this part or the one before."""
        self.wait()
        if large or self._thread is None:
            self._writer.write(table)
        else:
            self._last = self._thread.submit(self._writer.write, table)

    def wait(self) -> None:
        """Until all are written. What the writer raises."""
        last, self._last = self._last, None
        if last is not None:
            last.result()


def check_ending(name: str, kind: str) -> None:
    """That a result of this kind is not named as one of another. Failure."""
    other = ENDINGS.get(os.path.splitext(name)[1].lower(), kind)
    if other != kind:
        raise Failure(
            f"{name}: its name says {other}, but the result is {kind}, like the source",
            "give it the source's ending, or convert the source first",
            Exit.USAGE,
        )


def _work_on_part(
    table: Table,
    tasks: list[Task],
    begin: int,
    written: Sequence[int],
    schema: Any,
    parts: Parts,
    options: Options,
) -> int | None:
    """Work on the next part, whose first row has this number, and write its columns at these places,
    which have this schema. Returns how many rows it has, None behind the last part. What it takes of
    memory is given back with it."""
    pieces = table.read()
    if pieces is None:
        return None
    made, end = [], begin
    most = max(FILLED, _TIMES * table.status.st_size)
    for task in tasks:
        task.filled = 0
    filled = 0
    for rows in pieces:
        columns = dict(zip(table.columns, rows.columns, strict=True))
        done = dict(columns)
        for task in tasks:
            before, room = task.filled, most - filled
            done[task.place] = _done(table, columns, task, end, room, null=options.null)
            filled += task.filled - before
        made.append(pa.Table.from_arrays([done[place] for place in written], schema=schema))
        end += rows.num_rows
        del rows, columns, done
    if options.null or not any(task.failed for task in tasks):
        parts.write(pa.concat_tables(made), large=table.step >= LARGE)
    return end - begin


def _done(
    table: Table, columns: Mapping[int, Any], task: Task, begin: int, room: int, *, null: bool
) -> Any:
    """A task's column of a part, whose columns are these by their places and whose first row has this
    number. room: how many bytes it may take besides its values. null: a value without associated data
    fails as others do. Failure."""
    array = _in_batches(columns[task.place])
    aad = None
    if task.aad is not None:
        aad = _as_aad(columns[task.aad])
        missing = pc.and_(aad.is_null(), array.is_valid())
        if not null and (count := pc.sum(missing).as_py()):
            first = begin + pc.index(missing, True).as_py()
            raise Failure(
                f"{table.name}: column {table.schema.names[task.aad]}, the associated data of"
                f" {task.field.name}, is null in {count:,} rows of a {table.part} that have a"
                f" value, the first is row {first}",
                "fill in the associated data of these rows",
                Exit.USAGE,
            )
    try:
        done, failed, changed = task.convert(array, aad)
        filled = _filled(done, task.field.type)
        if filled > room:
            raise Failure(
                f"{table.name}: column {task.field.name} says that its type was {task.field.type}, which"
                f" would take {filled:,} bytes of memory, but the file has {table.status.st_size:,}",
                f"-c {shlex.quote(task.field.name)} --type binary decrypts it without that type",
                Exit.REFUSED,
            )
        task.filled += filled
        done = as_type(done, task.field.type, task.categories)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise Failure(
            f"{table.name}: column {task.field.name}, rows {begin} to"
            f" {begin + len(array) - 1}: {error}",
            f"write smaller {table.parts}" if "2^31" in str(error) else "restore it from a copy",
            Exit.OTHER,
        ) from None
    if failed and not task.failed:
        task.first = begin + failed[0]
    task.failed += len(failed)
    task.live += len(array) - array.null_count
    task.changed += changed
    return done


def _filled(array: Any, type_: Any) -> int:
    """How many bytes an array takes, besides its values, when it is cast to this type. In a fixed-size
    column each null takes as much as a value, in a dictionary each row (Parquet's writer has them
    all side by side). The width is that of a note, so values must have it before Arrow gets memory
    for them: ValueError."""
    encoded = pa.types.is_dictionary(type_)
    values = type_.value_type if encoded else type_
    if not pa.types.is_fixed_size_binary(values):
        return 0
    for chunk in array.chunks:
        found = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        sizes = pc.min_max(pc.binary_length(found)).as_py().values()
        if not {*sizes} <= {None, values.byte_width}:
            raise ValueError(f"its values do not have the {values.byte_width:,} bytes of its type")
    rows = len(array) if encoded else array.null_count
    return int(rows * values.byte_width)


def _in_batches(array: Any) -> Any:
    """The same in pieces of BATCH rows, but for a dictionary's, whose pieces would each have all of
    it: what is made on the way to a piece stays in the processor's cache."""
    if pa.types.is_dictionary(array.type):
        return array
    pieces = [
        chunk.slice(begin, BATCH) for chunk in array.chunks for begin in range(0, len(chunk), BATCH)
    ]
    return pa.chunked_array(pieces, type=array.type)


def _as_aad(array: Any) -> Any:
    """A column as associated data: whole numbers as their decimal digits. TypeError."""
    array = storage(array)
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
        f"column {task.field.name}: {task.failed:,} of {rows:,} rows do not open,"
        f" the first is row {task.first}"
        for task in tasks
        if task.failed
    )


def _check(table: Table, tasks: list[Task], rows: int, keysets: Keysets) -> None:
    text = failures(tasks, rows)
    for task in tasks:
        if task.lost and not text:
            raise former_lost(table, task.field.name)
    if text:
        wrong = [task for task in tasks if task.failed]
        none = all(task.failed == task.live for task in wrong)
        raise refused(table, text, [task.place for task in wrong], keysets, none=none)


def former_lost(table: Described, name: str) -> Failure:
    """Returns the error for a column whose values open, and whose former (former.py) does not."""
    return Failure(
        f"{table.name}: column {name}: its encrypted type and metadata do not open",
        "restore the file from another copy; decrypt --errors null ignores them",
        Exit.DAMAGED,
    )


def refused(
    table: Described, text: str, places: Sequence[int], keysets: Keysets, *, none: bool
) -> Failure:
    """Of a table in which rows of these columns do not open, as the text says; none: no row does."""
    hint = "restore the file from another copy; decrypt --errors null makes them null"
    if none:
        hint = "no value opens: check the keyset, the column and the associated data"
    notes = [note_of(table, place) for place in places]
    typed = "" if table.text else ", and give the original type with --type"
    if none and not all(notes):
        hint = (
            f"no value opens: check -k, and repeat encrypt's {HOW_OPTIONS}{typed}."
            " Without --context the column needs its original name"
        )
    elif not all(notes):
        hint = f"repeat encrypt's {HOW_OPTIONS}{typed}; if that does not help, {hint}"
    for place, note in zip(places, notes, strict=True):
        if note is not None and note.key and not keysets.have(note.format, note.key):
            column = table.schema.field(place).name
            hint = f"also name the keyset with key {note.key}, which sealed {column}: -k FILE"
    return Failure(f"{table.name}: {text}", hint, Exit.WRONG_KEY if none else Exit.DAMAGED)
