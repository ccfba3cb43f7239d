"""--engine spark: a table is a Parquet file, or a folder of them, that Spark reads; its result is a
folder that Spark writes. What is done with its columns is rijn.spark's.

The driver and all executors must see the table, the result's folder and the keysets by the same
paths. The driver reads the files' footers: what columns say of themselves stands there.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

import rijn.spark
from rijn.spark.columns import arrow_type

from ..acl import status_of
from ..failures import Exit, Failure
from ..permissions import umask
from ..rename import rename_new, swap
from ..results import committing
from ..run_files import work_on_each
from ..spark import about, cluster
from .note import NAME, noted
from .options import is_table, replaceable
from .tables import Described
from .tasks import aad_place, note_of, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from ..run_files import Pair
    from .note import Note
    from .tasks import Options

_PATTERN = "*?[]{}\\"  # what Hadoop's FileSystem.globStatus makes something of


def on_spark(
    found: Sequence[Pair],
    work: Callable[[Pair, Frame], str],
    done: str,
    say: Callable[[str], object] | None,
) -> int:
    """work_on_each, with a session and each source's table."""
    try:
        with cluster() as spark:
            return work_on_each(
                found, lambda pair: work(pair, Frame(spark, pair.source)), done, say
            )
    finally:
        discard_unfinished()


class Frame(Described):
    """A table that Spark reads. Failure, OSError."""

    def __init__(self, spark: Any, name: str) -> None:
        self.name = name
        self.folder = os.path.isdir(name)
        if any(char in _PATTERN for char in os.path.abspath(name)):
            raise Failure(
                f"{name}: Spark takes {_PATTERN} in a path for a pattern",
                "give it another name, or leave --engine spark out",
                Exit.REFUSED,
            )
        self._state = self._look()
        if not self._state:
            raise Failure(f"{name}: has no Parquet file in it", "name another", Exit.NOT_RIJN)
        notes = self._footers()
        with about(name):
            self.frame = spark.read.parquet(os.path.abspath(name))
            read = {unquote(urlsplit(uri).path) for uri in self.frame.inputFiles()}
        if {path for path in read if not _is_passed_over(path)} != {
            *map(os.path.abspath, self._state)
        }:
            raise Failure(
                f"{name}: Spark reads other files than those in it here",
                "its file system must be this one, and nobody write there: see fs.defaultFS",
                Exit.REFUSED,
            )
        fields = []
        for field in self.frame.schema.fields:
            try:
                made = pa.field(field.name, arrow_type(field))
            except TypeError as error:
                hint = "convert it first, or leave --engine spark out"
                raise Failure(f"{name}: {error}", hint, Exit.USAGE) from None
            note = notes.get(field.name)  # no file has a column that Spark's own schema alone names
            fields.append(made if note is None else made.with_metadata({NAME: note}))
        self.schema = pa.schema(fields)

    def _look(self) -> dict[str, os.stat_result]:
        """Its files."""
        if not self.folder:
            return {self.name: status_of(self.name)}
        found = {}
        for entry in sorted(os.scandir(self.name), key=lambda it: it.name):
            if entry.is_dir():  # partitions (_p=1 is one, too), or a table of another kind's log
                raise Failure(
                    f"{self.name}: has folders in it: {entry.name}",
                    "name each of them, or read the table with rijn.spark in Python",
                    Exit.REFUSED,
                )
            if _is_passed_over(entry.name):
                if entry.name.endswith(".parquet"):
                    raise Failure(
                        f"{entry.path}: Spark passes over it, for its name's first character",
                        "give it another name, or move it away",
                        Exit.REFUSED,
                    )
                continue
            found[entry.path] = status_of(entry.path)
        return found

    def _footers(self) -> dict[str, bytes | None]:
        """What each column says of itself, in all files alike."""
        found: dict[str, bytes | None] | None = None
        for path in self._state:
            try:
                schema = noted(pq.read_schema(path))
            except (pa.ArrowException, OSError) as error:
                text = str(error).splitlines()[0]
                hint = "Parquet is what is read"
                raise Failure(f"{path}: not a Parquet file: {text}", hint, Exit.NOT_RIJN) from None
            here = {field.name: (field.metadata or {}).get(NAME) for field in schema}
            if found is not None and here != found:
                raise Failure(
                    f"{self.name}: its files have different columns, or say different things of"
                    f" them: {path} is not as the first",
                    "put those that are alike into folders of their own",
                    Exit.REFUSED,
                )
            found = here
        return found or {}

    @property
    def mode(self) -> int:
        """The permission bits that all of its files have."""
        mode = 0o666
        for status in self._state.values():
            mode &= status.st_mode
        return mode

    def check_unchanged(self) -> None:
        """Failure, unless nobody has written to it since."""
        now = self._look()
        if {path: (it.st_size, it.st_mtime_ns) for path, it in now.items()} != {
            path: (it.st_size, it.st_mtime_ns) for path, it in self._state.items()
        }:
            raise Failure(
                f"{self.name}: changed while it was read",
                "make a copy that nobody writes to, and use that",
                Exit.OTHER,
            )


def _is_passed_over(path: str) -> bool:
    """Whether Spark reads no rows of a file of that name."""
    name = os.path.basename(path)
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


# ---- The work -------------------------------------------------------------------------


def encrypt(pair: Pair, table: Frame, notes: Mapping[str, Note], options: Options) -> None:
    """Makes pair's result, as decrypt and rotate do. Failure, UsageError, OSError."""
    work = _Work(pair, table, notes, options)
    with work.result as result, about(table.name):
        work.check_associated()
        made = rijn.spark.seal(table.frame, work.columns, aad=work.aad)
        work.write(made, result, notes)


def decrypt(pair: Pair, table: Frame, notes: Mapping[str, Note], options: Options) -> str:
    """Returns how many rows did not open and are null, if the options say so; "" if none is."""
    work = _Work(pair, table, notes, options)
    types: Any = {
        name: "string" if "string" in note.opened else "binary" for name, note in notes.items()
    }
    with work.result as result, about(table.name):
        made = rijn.spark.open(
            *(table.frame, work.columns),
            aad=work.aad,
            types=types,
            errors="null",
            failed=work.failed,
        )
        return work.write(made, result, {}, counted=True)


def rotate(pair: Pair, table: Frame, notes: Mapping[str, Note], options: Options) -> None:
    """The result takes the source's place, unless another is named."""
    in_place = not pair.named and pair.result == pair.source
    if in_place and not table.folder:
        raise Failure(
            f"{table.name}: is a file, and what Spark writes is a folder",
            "name the result: -o OUT; or leave --engine spark out",
            Exit.USAGE,
        )
    work = _Work(pair, table, notes, options, in_place=in_place)
    kept = {
        name: note for name, note in notes.items() if note_of(table, table.only(name)) is not None
    }
    with work.result as result, about(table.name):
        made = rijn.spark.rotate(table.frame, work.columns, aad=work.aad, failed=work.failed)
        work.write(made, result, kept, counted=True)


class _Work:
    """What is known before Spark begins."""

    def __init__(
        self,
        pair: Pair,
        table: Frame,
        notes: Mapping[str, Note],
        options: Options,
        *,
        in_place: bool = False,
    ) -> None:
        self.table = table
        self.columns = options.columns(table, dict(notes))
        self.aad = {name: note.aad for name, note in notes.items() if note.aad is not None}
        for note in notes.values():
            aad_place(table, note, notes)
        self.keysets, self.null = options.keysets, options.null
        self.failed = "failed"  # a column that the result does not have
        while self.failed in {name.casefold() for name in table.schema.names}:  # as Spark compares
            self.failed += "_"
        self.result = Result(pair, table, force=options.force, in_place=in_place)

    def check_associated(self) -> None:
        """That no value lacks its associated data. Failure."""
        from pyspark.sql import functions

        for name, other in self.aad.items():
            value, aad = functions.col(_quoted(name)), functions.col(_quoted(other))
            count = self.table.frame.where(value.isNotNull() & aad.isNull()).count()
            if count:
                raise Failure(
                    f"{self.table.name}: column {other}, the associated data of {name}, is null"
                    f" beside a value in {count:,} rows",
                    "give each row that has a value associated data",
                    Exit.USAGE,
                )

    def write(
        self, made: Any, result: Result, notes: Mapping[str, Note], *, counted: bool = False
    ) -> str:
        """Has Spark write the table, with these notes. counted: `failed` says which rows failed;
        returns how many, or raises Failure."""
        from pyspark.sql import Observation, functions

        if not counted:
            self._noted(made, notes, sealing=True).write.parquet(result.path)
            return ""
        seen, names = Observation(), list(self.columns)
        failed = functions.col(_quoted(self.failed))
        made = made.observe(
            seen,
            functions.count(functions.lit(1)).alias("rows"),
            *(
                functions.count_if(functions.array_contains(failed, name)).alias(f"failed{place}")
                for place, name in enumerate(names)
            ),
            *(
                functions.count_if(
                    functions.col(_quoted(name)).isNotNull()
                    & ~functions.array_contains(failed, name)
                ).alias(f"opened{place}")
                for place, name in enumerate(names)
            ),
        )
        self._noted(made.drop(self.failed), notes).write.parquet(result.path)
        counts = seen.get
        wrong = [place for place in range(len(names)) if counts[f"failed{place}"]]
        text = "; ".join(
            f"column {names[place]}: {counts[f'failed{place}']:,} of {counts['rows']:,} rows do not open"
            for place in wrong
        )
        if text and not self.null:
            none = not any(counts[f"opened{place}"] for place in wrong)
            places = [self.table.only(names[place]) for place in wrong]
            raise refused(self.table, text, places, self.keysets, none=none)
        return text

    def _noted(self, made: Any, notes: Mapping[str, Note], *, sealing: bool = False) -> Any:
        """The table whose columns have these notes, those that were worked on no others. sealing:
        these keep no other metadata, either."""
        from pyspark.sql import functions

        selected = []
        for field in made.schema.fields:
            column = functions.col(_quoted(field.name))
            if field.name in self.columns:
                kept = {key: text for key, text in field.metadata.items() if key != NAME.decode()}
                if sealing:  # it may hold values of the column
                    kept = {}
                if field.name in notes:
                    kept[NAME.decode()] = notes[field.name].encode().decode()
                column = column.alias(field.name, metadata=kept)
            selected.append(column)
        return made.select(selected)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


# ---- Results --------------------------------------------------------------------------


class Result:
    """A folder that Spark writes. Entering makes a hidden one beside it, with the folder `path` to be
    written there; leaving without an error gives that its name, and whatever is left goes.

    Making the object checks what can be checked before. Failure."""

    def __init__(self, pair: Pair, table: Frame, *, force: bool, in_place: bool) -> None:
        assert pair.result is not None
        self.name = pair.result
        self.path = ""
        self._pair, self._table, self._force, self._in_place = pair, table, force, in_place
        self._place = os.path.realpath(self.name)
        self._hidden = ""
        source = os.path.realpath(table.name)
        inside = self._place.startswith(source + os.sep) or source.startswith(self._place + os.sep)
        if inside or (source == self._place and not in_place):
            text = f"{self.name}: is what is read, or in one folder with it"
            raise Failure(text, "name another place", Exit.REFUSED)
        self._check_replacing()

    def __enter__(self) -> Self:
        above, hidden = os.path.dirname(self._place), f".rijn-{secrets.token_hex(8)}.part"
        self._hidden = os.path.join(above, hidden)
        self.path = os.path.join(self._hidden, "table")
        _hidden.add(self._hidden)  # before it is there: a signal may come between
        try:
            # Others may read nothing there before the table has its bits.
            os.mkdir(self._hidden, 0o700)
        except OSError as error:
            _hidden.discard(self._hidden)  # another's, if it is there
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
                f"{self.name}: exists already, and is no folder of Parquet files of encrypt's making",
                "name another result",
                Exit.REFUSED,
            )

    def _finish(self) -> None:
        """The bits of the source's files, to the disk, and then the name."""
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
                os.rename(self.path, self._place)  # of a folder: never over what has files in it
        except FileExistsError:
            raise Failure(f"{self.name}: exists already", "try again", Exit.REFUSED) from None


_hidden: set[str] = set()


def discard_unfinished() -> None:
    """Removes what tasks that were ended late have left, once their session has ended."""
    for path in list(_hidden):
        shutil.rmtree(path, ignore_errors=True)
        _hidden.discard(path)


def _sync(path: str) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
