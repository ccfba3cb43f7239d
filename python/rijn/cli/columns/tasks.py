"""The work on a table's columns: what is done with each part, and what becomes of rows that do
not open."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from ..destination import Destination
from ..failures import Exit, Failure, printable, running
from ..progress import Progress
from ..standard import say
from .former import as_type, storage
from .keysets import Keysets
from .note import Note, described, told_spark
from .options import FORMATS, REPEATING, UNBOUND, How, replaceable
from .tables import BATCH, ENDINGS, LARGE, Described, Table, Writer

if TYPE_CHECKING:
    from ...columns import Column
    from ..run_files import Pair

# A column of a part and its rows' associated data: what it becomes, the rows that failed,
# and how many are new.
Work = Callable[[Any, Any], tuple[Any, Sequence[int], int]]

FILLED = 1 << 28
"""Bytes that fixed-size columns may take in a part besides their values, of however small a file."""
_TIMES = 16
"""And in a larger file: so many times its size."""

_HOW = "--format, --deterministic, --context, --aad and --pad"


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


def new_notes(table: Described, how: How) -> dict[str, Note]:
    """Those that columns which are sealed so have, but for the key. Failure."""
    repeating = named(table, how.deterministic)
    notes = {}
    for name in dict.fromkeys([*named(table, how.columns), *repeating]):
        place = table.only(name)
        if note_of(table, place) is not None:
            text = f"{table.name}: column {name} is sealed already"
            raise Failure(text, "leave it out; rotate changes its key", Exit.REFUSED)
        try:
            values, indices = described(table.schema.field(place).type)
        except ValueError as error:
            text = f"{table.name}: column {name} {error}"
            raise Failure(text, "convert it first, or leave it out", Exit.USAGE) from None
        notes[name] = _said(how, name, name in repeating, values, indices)
    check_contexts(table, notes, how.contexts)
    return notes


def _said(how: How, name: str, repeating: bool, values: str, indices: str | None) -> Note:
    """That of a column which is sealed so, but for the key."""
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
    """Those of the sealed columns, or of the ones that are named: as the table says, or, of a column of
    which it says nothing, as it is said to be sealed. Failure."""
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
            f"{table.name}: a CSV file does not say which columns are sealed",
            "name them with -c, and say with --format and the like how they were encrypted",
            Exit.USAGE,
        )
    return Failure(
        f"{table.name}: no column says that it is sealed",
        "what else writes a file drops that: name the columns with -c, and say with"
        f" {_HOW} how they were encrypted",
        Exit.NOT_RIJN,
    )


def _sealed(table: Described, name: str, type_: Any) -> tuple[str, str | None]:
    """What a note says of the type of a column that has none and is sealed. Failure."""
    with suppress(ValueError):
        values, indices = described(type_)
        if table.text or "binary" in values:
            return values, indices
    raise Failure(
        f"{table.name}: column {name} is not sealed: it is of type {type_}",
        "what is sealed is binary; rijn columns info tells which columns there are",
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
                "leave out what says so, or name with -c the columns that it is said of",
                Exit.USAGE,
            )
    _check_aad(table, how, name, note)
    _check_context(table, name, note, context_of(how, name, repeating))
    return note


def _check_aad(table: Described, how: How, name: str, note: Note) -> None:
    """That the command line names the column of associated data. Whoever writes the file could
    otherwise name a column of their own, and move values to other rows. Failure."""
    if note.aad is None or how.aad is not None:
        return
    if note.aad not in table.schema.names:
        raise Failure(
            f"{table.name}: there is no column {note.aad}, the associated data of {name}",
            "if it has another name by now: rename it back, or name it with --aad; the columns are"
            f" {', '.join(dict.fromkeys(table.schema.names))}",
            Exit.USAGE,
        )
    raise Failure(
        f"{table.name}: column {name} says that column {note.aad} is its associated data, and"
        " anybody can have written that",
        f"if it is the column that encrypt's --aad named: --aad {shlex.quote(note.aad)}",
        Exit.USAGE,
    )


def _check_context(table: Described, name: str, note: Note, expected: str | None) -> None:
    """That the column was sealed for this context: a column under another's name would otherwise be
    opened as that one. Failure."""
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
                    f"{table.name}: column {name} does not say that it is sealed, nor how",
                    "if it is: what else wrote the file has dropped that. Say with --type what the values"
                    f" were, string or binary, and with {_HOW} how they were encrypted",
                    Exit.USAGE,
                )
            note = replace(note, type=type_)
        elif type_ == "binary" and note.fixed is not None:
            note = replace(note, type=type_)
        elif type_ not in (None, note.type):
            raise Failure(
                f"{table.name}: column {name} was of type {note.type}, not {type_}",
                "leave out --type",
                Exit.USAGE,
            )
        found[name] = note
    return found


def opened_notes(pair: Pair, table: Described, how: How, type_: str | None) -> dict[str, Note]:
    """Returns the notes of the columns that are decrypted to the pair's result. Failure."""
    if pair.result is None:
        text = f"{pair.source}: is not named .sealed before its ending"
        raise Failure(text, "name the result: -o OUT", Exit.REFUSED)
    return typed(table, sealed_notes(table, how), type_)


def tell_of_boxes(table: Described, columns: Sequence[str], how: How) -> None:
    """Says which of these columns, the bounding boxes of sealed ones, stay readable."""
    if boxes := [name for name in dict.fromkeys(columns) if name not in how.columns]:
        say(
            printable(
                f"rijn: {table.name}: column {', '.join(boxes)} has bounding boxes of a column"
                " that is encrypted, and stays readable"
            )
        )


def note_of(table: Described, place: int) -> Note | None:
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


def named(table: Described, wanted: Sequence[str]) -> list[str]:
    """The names in -c: each a column's name, or several with commas between them. Failure, also where
    it may be either: who writes the file would choose then."""
    found: dict[str, None] = {}
    for each in wanted:
        parts = each.split(",")
        if each in table.schema.names and len(parts) > 1:
            others = [part for part in parts if part in table.schema.names]
            if others:
                raise Failure(
                    f"{table.name}: there is a column {each}, and there is a column {others[0]}",
                    "a name with commas in it is taken where no part of it is a name, too",
                    Exit.USAGE,
                )
            parts = [each]
        for name in parts:
            table.only(name)
            found[name] = None
    return list(found)


def check_contexts(table: Described, notes: dict[str, Note], contexts: dict[str, str]) -> None:
    """That --context names columns to work on. Failure."""
    for name in contexts:
        if name not in notes:
            raise Failure(
                f"{table.name}: --context names {name}, which is no column to work on",
                f"those are {', '.join(notes)}",
                Exit.USAGE,
            )


def aad_place(table: Described, note: Note, sealed: Collection[str]) -> int | None:
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


def check_dictionary(table: Described, name: str, note: Note, type_: Any, *, ordered: bool) -> None:
    """That a column which goes to this type can be made the dictionary that it was, where all parts
    share one. Failure."""
    if note.dictionary is not None and not (ordered or pa.types.is_dictionary(type_)):
        raise Failure(
            f"{table.name}: column {name} is a dictionary, which an Arrow IPC file has once, and rows"
            " that are sealed each by itself are none",
            "make it plain first, use an Arrow IPC stream, or --deterministic without --aad",
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
    text = f"{name}: is no file"
    return Failure(text, "a table goes to a file, which appears when it is whole", Exit.REFUSED)


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
            f"{name}: its name says {other}, and the result would be {kind}, as the source is",
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
                f" {task.field.name}, is null beside a value in {count:,} rows of a {table.part},"
                f" the first is row {first}",
                "give each row that has a value associated data",
                Exit.USAGE,
            )
    try:
        done, failed, changed = task.work(array, aad)
        filled = _filled(done, task.field.type)
        if filled > room:
            raise Failure(
                f"{table.name}: column {task.field.name} says that its type was {task.field.type}, which"
                f" would take {filled:,} bytes of memory, and the file has {table.status.st_size:,}",
                f"-c {shlex.quote(task.field.name)} --type binary decrypts it without",
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
            raise ValueError(
                f"its values are not of {values.byte_width:,} bytes, as it says of itself"
            )
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
        f"{table.name}: column {name}: its sealed type and metadata do not open",
        "restore the file from another copy; decrypt --errors null does without",
        Exit.DAMAGED,
    )


def refused(
    table: Described, text: str, places: Sequence[int], keysets: Keysets, *, none: bool
) -> Failure:
    """Of a table in which rows of these columns do not open, as the text says; none: no row does."""
    hint = "restore the file from another copy; decrypt --errors null makes them null"
    if none:
        hint = "none does: is it another keyset, or another table's column or associated data?"
    notes = [note_of(table, place) for place in places]
    typed = "" if table.text else ", and decrypt's --type what the values were"
    if none and not all(notes):
        hint = (
            f"none does: is it sealed, with one of these keysets, and are {_HOW} as encrypt was given"
            f" them{typed}? Without --context the column's name must be what it was"
        )
    elif not all(notes):
        hint = f"are {_HOW} as encrypt was given them{typed}? If so, {hint}"
    for place, note in zip(places, notes, strict=True):
        if note is not None and note.key and not keysets.have(note.format, note.key):
            column = table.schema.field(place).name
            hint = (
                f"name with -k, too, the keyset of key {note.key}, with which {column} was sealed"
            )
    return Failure(f"{table.name}: {text}", hint, Exit.WRONG_KEY if none else Exit.DAMAGED)
