"""The work on a table's columns: the conversion of each part, and the report about rows that do not
open. This module uses table_notes.py."""

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
from .note import Note, updated_for_spark
from .options import replaceable
from .table_notes import SEALING_OPTIONS, note_of
from .tables import BATCH, ENDINGS, LARGE, Described, Table, Writer

if TYPE_CHECKING:
    from ...columns import Column
    from ..run_files import Pair

# Takes a column of a part and the rows' associated data. Returns the new column, the failed rows, and
# the number of changed values.
Conversion = Callable[[Any, Any], tuple[Any, Sequence[int], int]]

FILLED = 1 << 28
"""Bytes that fixed-size columns of a part may always take besides their values."""
_TIMES = 16
"""In a larger file they may take this many times its size."""


@dataclass
class Task:
    """The work on one column."""

    place: int  # in the schema
    field: Any  # of the result
    aad: int | None  # the place of the column of associated data
    convert: Conversion
    unique: bool = False  # whether no value of the result repeats
    live: int = 0  # non-null rows so far
    failed: int = 0  # of these rows
    first: int = 0  # the number of the first failed row
    changed: int = 0
    categories: Any = None  # the values, if it becomes an ordered dictionary
    lost: bool = False  # whether its former state does not open (former.py)
    filled: int = 0  # bytes in this part besides the values


@dataclass(frozen=True)
class Options:
    """The command line's options for results."""

    keysets: Keysets
    force: bool
    jobs: int
    backend: str | None
    progress: bool | None
    null: bool = False  # values that do not open become null

    def columns(self, table: Described, notes: dict[str, Note]) -> dict[str, Column]:
        """Returns the Column for each note, by name. Failure, UsageError."""
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
        """Returns the notes with the ids of the primary keys. Failure."""
        return {
            name: replace(note, key=self.keysets.primary(note.format))
            for name, note in notes.items()
        }


def aad_place(table: Described, note: Note, sealed: Collection[str]) -> int | None:
    """Returns the place of the column of associated data, or None. Failure."""
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
    """Returns the type of a sealed column that had this type."""
    empty = pa.chunked_array([], type=type_)
    return pa.chunked_array(column.seal(empty, pa.array([], pa.binary()) if aad else None)).type


def check_dictionary(table: Described, name: str, note: Note, type_: Any, *, ordered: bool) -> None:
    """Checks that a column sealed to this type can become a dictionary again, if all parts share one
    dictionary. Failure."""
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
    """Makes the result of a pair: the table with the tasks' columns and this metadata. Returns the
    number of rows. If rows do not open, raises Failure at the end, and there is no result. Failure,
    OSError.

    in_place  whether the result replaces the source
    """
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
    schema = updated_for_spark(pa.schema(fields, metadata=metadata or None))
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
    """Writes parts, if possible in another thread while the next part is read and converted. The writer
    must support that, and the parts must be small. Leaving waits for the last part."""

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
            finally:  # again, after a signal: the destination closes next
                self._thread.shutdown()

    def write(self, table: Any, *, large: bool) -> None:
        """Writes a part. Raises the writer's exceptions for this part or the last one."""
        self.wait()
        if large or self._thread is None:
            self._writer.write(table)
        else:
            self._last = self._thread.submit(self._writer.write, table)

    def wait(self) -> None:
        """Waits until all parts are written. Raises the writer's exceptions."""
        last, self._last = self._last, None
        if last is not None:
            last.result()


def check_ending(name: str, kind: str) -> None:
    """Checks that a result's name does not have the ending of another kind. Failure."""
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
    """Converts and writes the next part. Returns its number of rows, or None after the last part.

    begin    the number of the part's first row
    written  the places of the columns to write
    schema   the schema of these columns
    """
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
            done[task.place] = _converted(table, columns, task, end, room, null=options.null)
            filled += task.filled - before
        made.append(pa.Table.from_arrays([done[place] for place in written], schema=schema))
        end += rows.num_rows
        del rows, columns, done
    if options.null or not any(task.failed for task in tasks):
        parts.write(pa.concat_tables(made), large=table.step >= LARGE)
    return end - begin


def _converted(
    table: Table, columns: Mapping[int, Any], task: Task, begin: int, room: int, *, null: bool
) -> Any:
    """Returns a task's converted column of a part. Failure.

    columns  the part's columns, by place
    begin    the number of the part's first row
    room     the bytes that the column may take besides its values
    null     whether a value without associated data fails like others
    """
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
    """Returns the bytes that an array takes, besides its values, after a cast to this type. In a
    fixed-size column each null takes as much as a value. In a dictionary each row does, because
    Parquet's writer unpacks it. ValueError if the values do not have the width of the type: it comes
    from a note, so this is checked before Arrow allocates memory."""
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
    """Splits a column into pieces of BATCH rows, so that intermediate data stays in the processor's
    cache. Does not split a dictionary, because each piece would have all of it."""
    if pa.types.is_dictionary(array.type):
        return array
    pieces = [
        chunk.slice(begin, BATCH) for chunk in array.chunks for begin in range(0, len(chunk), BATCH)
    ]
    return pa.chunked_array(pieces, type=array.type)


def _as_aad(array: Any) -> Any:
    """Returns a column as associated data. Whole numbers become decimal digits. TypeError."""
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
    """Describes the columns with rows that do not open; "" if there are none."""
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
    """Returns the error for a column with values that open, but a former state (former.py) that does
    not."""
    return Failure(
        f"{table.name}: column {name}: its encrypted type and metadata do not open",
        "restore the file from another copy; decrypt --errors null ignores them",
        Exit.DAMAGED,
    )


def refused(
    table: Described, text: str, places: Sequence[int], keysets: Keysets, *, none: bool
) -> Failure:
    """Returns the error for a table with rows that do not open.

    text    describes these rows
    places  their columns
    none    whether no row opens
    """
    hint = "restore the file from another copy; decrypt --errors null makes them null"
    if none:
        hint = "no value opens: check the keyset, the column and the associated data"
    notes = [note_of(table, place) for place in places]
    typed = "" if table.text else ", and give the original type with --type"
    if none and not all(notes):
        hint = (
            f"no value opens: check -k, and repeat encrypt's {SEALING_OPTIONS}{typed}."
            " Without --context the column needs its original name"
        )
    elif not all(notes):
        hint = f"repeat encrypt's {SEALING_OPTIONS}{typed}; if that does not help, {hint}"
    for place, note in zip(places, notes, strict=True):
        if note is not None and note.key and not keysets.have(note.format, note.key):
            column = table.schema.field(place).name
            hint = f"also name the keyset with key {note.key}, which sealed {column}: -k FILE"
    return Failure(f"{table.name}: {text}", hint, Exit.WRONG_KEY if none else Exit.DAMAGED)
