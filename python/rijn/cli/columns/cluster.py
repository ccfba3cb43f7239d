"""--engine spark: Spark reads a table from a Parquet file or a folder of Parquet files, and writes the
result to a folder. rijn.spark does the work on the columns.

The driver and all executors must see the table, the result's folder and the keysets by the same
paths. This module uses cluster_table.py and cluster_result.py.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import rijn.spark

from ...errors import InvalidTag
from ..failures import Exit, Failure
from ..spark import about, cluster
from .cluster_result import Result, discard_unfinished
from .cluster_table import Frame
from .former import rotated_note
from .metadata import GEO, coverings, tell_of_boxes
from .note import NAME
from .table_notes import new_notes, note_of, opened_notes, sealed_notes
from .tasks import (
    aad_place,
    former_lost,
    refused,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..run_files import Pair
    from .note import Note
    from .options import SealingOptions
    from .tasks import Options


@contextmanager
def spark_engine(sealing_options: SealingOptions, options: Options) -> Iterator[SparkColumnsEngine]:
    """Yields the engine with a session. Failure."""
    try:
        with cluster() as spark:
            yield SparkColumnsEngine(spark, sealing_options, options)
    finally:
        discard_unfinished()


class SparkColumnsEngine:
    """An engines.ColumnsEngine in a Spark session."""

    def __init__(self, spark: Any, sealing_options: SealingOptions, options: Options) -> None:
        self._spark = spark
        self._sealing_options = sealing_options
        self._options = options

    def encrypt(self, pair: Pair, dropped: Sequence[str]) -> None:
        """dropped: empty, because Spark keeps no metadata of a file (spark.check_options)"""
        table = Frame(self._spark, pair.source)
        notes = self._options.under_primary(new_notes(table, self._sealing_options))
        change = _Change(pair, table, notes, self._options)
        with change.begun() as result:
            change.check_associated()
            made = rijn.spark.seal(table.frame, change.columns, aad=change.aad)
            change.write(made, result, notes)
        for geo in table.geo:
            tell_of_boxes(table, coverings({GEO: geo}, notes), self._sealing_options)

    def decrypt(self, pair: Pair, type_: str | None) -> list[str]:
        table = Frame(self._spark, pair.source)
        notes = opened_notes(pair, table, self._sealing_options, type_)
        change = _Change(pair, table, notes, self._options)
        types: Any = {
            name: "string" if "string" in note.opened else "binary" for name, note in notes.items()
        }
        with change.begun() as result:
            if not self._options.null:
                change.check_associated()
            made = rijn.spark.open(
                *(table.frame, change.columns),
                aad=change.aad,
                types=types,
                errors="null",
                failed=change.failed,
            )
            text = change.write(made, result, {}, counted=True)
        return [f"{text}; they are null in {pair.result}"] if text else []

    def rotate(self, pair: Pair) -> str:
        """The result replaces the source, unless -o names another place."""
        table = Frame(self._spark, pair.source)
        notes = self._options.under_primary(sealed_notes(table, self._sealing_options))
        in_place = not pair.placed
        if in_place and not table.folder:
            raise Failure(
                f"{table.name}: is a file, but Spark writes folders",
                "name the result with -o OUT, or omit --engine spark",
                Exit.USAGE,
            )
        change = _Change(pair, table, notes, self._options, in_place=in_place)
        kept: dict[str, Note] = {}
        lost = []
        for name, note in notes.items():
            if note_of(table, table.only(name)) is not None:
                try:
                    kept[name] = rotated_note(change.columns[name], note)
                except InvalidTag:
                    lost.append(name)
        with change.begun() as result:
            change.check_associated()
            made = rijn.spark.rotate(
                table.frame, change.columns, aad=change.aad, failed=change.failed
            )
            change.write(made, result, kept, counted=True)
            if lost:
                raise former_lost(table, lost[0])
        return f"rotated in {pair.result}"


class _Change:
    """The plan for one table's result, before Spark begins."""

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
        self.failed = "failed"  # the name of a temporary column
        while self.failed in {name.casefold() for name in table.schema.names}:  # Spark ignores case
            self.failed += "_"
        self.result = Result(pair, table, force=options.force, in_place=in_place)

    @contextmanager
    def begun(self) -> Iterator[Result]:
        """Begins the result, if Spark keeps the types of all other columns. Failure."""
        with self.result, about(self.table.name), self.table.times_kept():
            self.table.check_kept(self.columns, self.result.trial)
            yield self.result

    def check_associated(self) -> None:
        """Checks that every value has associated data. Failure."""
        from pyspark.sql import functions

        for name, other in self.aad.items():
            value, aad = functions.col(_quoted(name)), functions.col(_quoted(other))
            count = self.table.frame.where(value.isNotNull() & aad.isNull()).count()
            if count:
                raise Failure(
                    f"{self.table.name}: column {other}, the associated data of {name}, is null"
                    f" in {count:,} rows that have a value",
                    "fill in the associated data of these rows",
                    Exit.USAGE,
                )

    def write(
        self, made: Any, result: Result, notes: Mapping[str, Note], *, counted: bool = False
    ) -> str:
        """Lets Spark write the table with these notes. Returns a text about failed rows, or "". Failure.

        counted  whether `made` has the column `failed`, which names the failed columns of each row
        """
        from pyspark.sql import Observation, functions

        if not counted:
            self._with_notes(made, notes, sealing=True).write.parquet(result.path)
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
        self._with_notes(made.drop(self.failed), notes).write.parquet(result.path)
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

    def _with_notes(self, made: Any, notes: Mapping[str, Note], *, sealing: bool = False) -> Any:
        """Returns the table with these notes. Other columns of this work lose their notes.

        sealing  whether the columns of this work also lose their other metadata
        """
        from pyspark.sql import functions

        selected = []
        for field in made.schema.fields:
            column = functions.col(_quoted(field.name))
            if field.name in self.columns:
                kept = {key: text for key, text in field.metadata.items() if key != NAME.decode()}
                if sealing:  # other metadata may hold values of the column
                    kept = {}
                if field.name in notes:
                    kept[NAME.decode()] = notes[field.name].encode().decode()
                column = column.alias(field.name, metadata=kept)
            selected.append(column)
        return made.select(selected)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
