"""Columns of DataFrames, sealed on the executors by rijn.columns.

A Column goes there as it is pickled, by reference: no key is in a task, a plan or a log. Each
attempt of a task makes its own Column there and seals anew.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from io import BytesIO
from types import FunctionType
from typing import Any, Literal

from ..columns import Column, Keyset
from ..errors import InvalidTag
from .session import library

Type = Literal["binary", "string"]
Errors = Literal["raise", "null"]
Work = Callable[[Any, Any], tuple[Any, Sequence[int]]]
"""An Arrow array and its rows' associated data: what becomes of it, and the rows that failed."""


# ---- Whole DataFrames -----------------------------------------------------------------


def seal(frame: Any, columns: Mapping[str, Column], *, aad: Mapping[str, str] | None = None) -> Any:
    """Seals columns of a DataFrame.

    columns  for each name of a column, of type STRING or BINARY, what seals it.
    aad      for a name of these the name of another column, whose value in the same row is its
             associated data: STRING or BINARY as they are, whole numbers as their decimal digits.

    Returns a DataFrame with the same rows, whose columns of these names are BINARY, null where they
    were. It seals whenever it is evaluated, and again each time, to other bytes unless the Column
    is deterministic: write it before it is used twice, joined, sorted or repartitioned.

    Raises TypeError for other types, and for a Column that cannot be pickled, or whose keyset comes
    from a function that the executors cannot import; ValueError for a name that is not there.
    A null in aad beside a value ends the job.
    """
    tasks = [
        _Task(place, ad, name, _sealing(column))
        for place, ad, name, column in _placed(frame, columns, aad, ("string", "binary"))
    ]
    return _mapped(frame, tasks, dict.fromkeys(columns, "binary"))


def open(
    frame: Any,
    columns: Mapping[str, Column],
    *,
    aad: Mapping[str, str] | None = None,
    types: Mapping[str, Type] | None = None,
    errors: Errors = "raise",
    failed: str | None = None,
) -> Any:
    """Inverse of seal.

    columns  for each name of a column, of type BINARY, what opens it.
    aad      as for seal.
    types    for a name of these "string" or, as where nothing is said, "binary". Of a string every
             row is looked at: whether it is UTF-8.
    errors   "raise": a row that does not open ends the job. "null": its value is null, and
             `failed` says so.
    failed   with errors="null" the name of a new last column, ARRAY<STRING>: in each row the names
             of the columns that did not open there.

    Raises as seal; ValueError for errors="null" without `failed`, and the other way round.
    """
    if errors not in ("raise", "null"):
        raise ValueError(f"errors must be 'raise' or 'null', not {errors!r}")
    if (errors == "null") != (failed is not None):
        raise ValueError("errors='null' and the column `failed` go together: one needs the other")
    kinds: dict[str, str] = {name: "binary" for name in columns} | dict(types or {})
    for name, kind in kinds.items():
        if name not in columns:
            raise ValueError(f"types names {name}, which is none of columns")
        if kind not in ("binary", "string"):
            raise ValueError(f"the type of {name} must be 'binary' or 'string', not {kind!r}")
    tasks = [
        _Task(place, ad, name, _opening(column, kinds[name], errors))
        for place, ad, name, column in _placed(frame, columns, aad, ("binary",))
    ]
    return _mapped(frame, tasks, kinds, failed)


def rotate(
    frame: Any,
    columns: Mapping[str, Column],
    *,
    aad: Mapping[str, str] | None = None,
    failed: str | None = None,
) -> Any:
    """Seals again what is sealed under an older key of its keyset, under the primary one; the other
    rows stay as they are.

    columns, aad  as for open.
    failed        None: a row that does not open ends the job. Else it stays as it is, and there is
                  a last column of this name, as open has it.

    Raises as seal.
    """
    tasks = [
        _Task(place, ad, name, _rotating(column, "raise" if failed is None else "null"))
        for place, ad, name, column in _placed(frame, columns, aad, ("binary",))
    ]
    return _mapped(frame, tasks, dict.fromkeys(columns, "binary"), failed)


@dataclass(frozen=True)
class _Task:
    """What is to be done with a column of a DataFrame."""

    place: int
    aad: int | None  # the place of the column of associated data
    name: str
    work: Work


def _mapped(
    frame: Any, tasks: Sequence[_Task], types: Mapping[str, str], failed: str | None = None
) -> Any:
    """The DataFrame with the tasks' columns, which are of these types, and where `failed` is a name
    with a column of it. ValueError where there is one already."""
    from pyspark.sql.types import ArrayType, BinaryType, StringType, StructField, StructType

    made = {"binary": BinaryType, "string": StringType}
    fields = list(frame.schema.fields)
    for field in fields:
        try:
            arrow_type(field)
        except TypeError as error:
            raise TypeError(f"{error}: cast it, or leave it out") from None
    for task in tasks:
        old = fields[task.place]
        null = old.nullable or failed is not None
        fields[task.place] = StructField(old.name, made[types[task.name]](), null, old.metadata)
    if failed is not None:
        for name in frame.columns:
            if name.casefold() == failed.casefold():  # one name, for Spark
                raise ValueError(f"there is a column {name} already: give `failed` another name")
        fields.append(StructField(failed, ArrayType(StringType(), False), False))

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            arrays, lost = list(batch.columns), {}
            for task in tasks:
                aad = None if task.aad is None else batch.column(task.aad)
                try:
                    arrays[task.place], lost[task.name] = task.work(batch.column(task.place), aad)
                except (InvalidTag, ValueError) as error:
                    error.add_note(f"in a batch of column {task.name}")
                    raise
            if failed is not None:
                arrays.append(_told(lost, batch.num_rows))
            yield pyarrow.RecordBatch.from_arrays(arrays, names)

    names = [field.name for field in fields]
    # mapInArrow asks for columns by name, and so for none that has a dot or a backtick in it.
    plain = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    return plain.mapInArrow(work, StructType(fields))


def arrow_type(field: Any) -> Any:
    """The Arrow type that Python gets of a column of Spark's, of whatever time zone. TypeError where
    Python gets none."""
    from pyspark.sql.pandas.types import to_arrow_type

    # PySpark 4.1 knows a zone by itself; later ones do not take a TIMESTAMP without.
    zone = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}
    try:
        return to_arrow_type(field.dataType, **zone)
    except Exception:  # noqa: BLE001 (whichever pyspark has for a type that Arrow lacks)
        raise TypeError(
            f"column {field.name} is of type {field.dataType.simpleString()}, which does not come to"
            " Python as an Arrow array"
        ) from None


def _told(lost: Mapping[str, Sequence[int]], count: int) -> Any:
    """For each of so many rows the names of the columns whose row it is that failed."""
    import pyarrow

    rows: list[list[str]] = [[] for _ in range(count)]
    for name, numbers in lost.items():
        for row in numbers:
            rows[row].append(name)
    return pyarrow.array(rows, pyarrow.list_(pyarrow.string()))


# ---- Single columns -------------------------------------------------------------------


def sealing(column: Column) -> Any:
    """A function of Spark's columns that seals: sealing(column)("email"), or with associated data
    as a second column, sealing(column)("email", "id"). It is deterministic if the Column is.
    Raises TypeError as seal; a row's faults end the job."""
    return _function(_sealing(column), "seal", "binary", column.deterministic)


def opening(column: Column, *, type: Type = "binary", errors: Errors = "raise") -> Any:
    """Inverse of sealing. With errors="null" a row that does not open is null, as those are that
    were. Raises as open."""
    if type not in ("binary", "string"):
        raise ValueError(f"type must be 'binary' or 'string', not {type!r}")
    if errors not in ("raise", "null"):
        raise ValueError(f"errors must be 'raise' or 'null', not {errors!r}")
    return _function(_opening(column, type, errors), "open", type, True)


def register(
    spark: Any, columns: Mapping[str, Column], *, types: Mapping[str, Type] | None = None
) -> None:
    """Gives SQL three functions for each name of `columns`, of a value and, if there are any, its
    associated data:

    seal_NAME      seals, a STRING or BINARY
    open_NAME      opens, to what `types` says of the name, "binary" (as where nothing is said) or
                   "string"; a row that does not open ends the job
    try_open_NAME  the same, and such a row is null

    Raises as sealing and opening, and ValueError for a name that is not of letters, digits and
    underscores, and for two that differ in case alone.
    """
    kinds: dict[str, Any] = {name: "binary" for name in columns} | dict(types or {})
    for name in kinds:
        if not name.isidentifier() or name not in columns:
            raise ValueError(f"{name!r} must be letters, digits and underscores, and in columns")
    same: dict[str, str] = {}
    for name in columns:
        other = same.setdefault(name.casefold(), name)
        if other != name:
            raise ValueError(f"{other} and {name} are one name for Spark's SQL: rename one of them")
    for name, column in columns.items():
        spark.udf.register(f"seal_{name}", sealing(column))
        spark.udf.register(f"open_{name}", opening(column, type=kinds[name]))
        null = opening(column, type=kinds[name], errors="null")
        spark.udf.register(f"try_open_{name}", null)


def _function(work: Work, name: str, type_: str, deterministic: bool) -> Any:
    functions = library().sql.functions

    def call(values: Any, *aad: Any) -> Any:
        if len(aad) > 1:
            raise TypeError("a value, and at most one column of associated data")
        return work(values, aad[0] if aad else None)[0]

    call.__name__ = name
    function = functions.arrow_udf(call, type_, functions.ArrowUDFType.SCALAR)
    return function if deterministic else function.asNondeterministic()


# ---- The work, which goes to the executors --------------------------------------------


def _sealing(column: Column) -> Work:
    _check_reference(column)

    def work(array: Any, aad: Any) -> tuple[Any, Sequence[int]]:
        import pyarrow

        return pyarrow.array(column.seal(_typed(array), _associated(aad))), ()

    return work


def _opening(column: Column, type_: str, errors: Errors) -> Work:
    _check_reference(column)

    def work(array: Any, aad: Any) -> tuple[Any, Sequence[int]]:
        import pyarrow

        array = _typed(array)
        large = "large_" if pyarrow.types.is_large_binary(array.type) else ""
        kind: Any = large + type_
        opened = column.open(array, _associated(aad), type=kind, errors=errors)
        return pyarrow.array(opened), opened.failed

    return work


def _rotating(column: Column, errors: Errors) -> Work:
    _check_reference(column)

    def work(array: Any, aad: Any) -> tuple[Any, Sequence[int]]:
        import pyarrow
        import pyarrow.compute

        aad = _associated(aad)
        try:
            return pyarrow.array(column.rotate(array, aad)), ()
        except InvalidTag as error:
            if errors == "raise":
                raise
            failed = error.failed or ()
        wrong = [False] * len(array)
        for row in failed:
            wrong[row] = True
        sound = pyarrow.compute.if_else(wrong, None, array)
        rotated = pyarrow.array(column.rotate(sound, aad))
        return pyarrow.compute.if_else(wrong, array, rotated), failed

    return work


def _typed(array: Any) -> Any:
    """SQL's NULL has no type of its own: here BINARY."""
    import pyarrow

    return array.cast(pyarrow.binary()) if pyarrow.types.is_null(array.type) else array


def _associated(aad: Any) -> Any:
    """As text or bytes. TypeError."""
    import pyarrow

    if aad is None:
        return None
    kinds = pyarrow.types
    if kinds.is_integer(aad.type):
        return aad.cast(pyarrow.string())
    aad = _typed(aad)
    for fits in (kinds.is_string, kinds.is_large_string, kinds.is_binary, kinds.is_large_binary):
        if fits(aad.type):
            return aad
    raise TypeError(
        f"associated data must be STRING, BINARY or whole numbers, not {aad.type}: cast it to STRING"
    )


# ---- Arguments ------------------------------------------------------------------------

_AAD = ("string", "binary", "tinyint", "smallint", "int", "bigint")


def _placed(
    frame: Any,
    columns: Mapping[str, Column],
    aad: Mapping[str, str] | None,
    types: tuple[str, ...],
) -> list[tuple[int, int | None, str, Column]]:
    """For each name its place, that of its associated data, and its Column."""
    bound = dict(aad or {})
    for name, other in bound.items():
        if name not in columns:
            raise ValueError(f"aad names {name}, which is none of columns")
        if other in columns:
            raise ValueError(f"column {other} is sealed itself and cannot be associated data")
    if not columns:
        raise ValueError("columns must name at least one")
    return [
        (
            _place(frame, name, types),
            _place(frame, bound[name], _AAD) if name in bound else None,
            name,
            column,
        )
        for name, column in columns.items()
    ]


def _place(frame: Any, name: str, types: tuple[str, ...]) -> int:
    count = frame.columns.count(name)
    if count != 1:
        said = "several columns" if count else "no column"
        raise ValueError(f"there is {said} {name}: the columns are {', '.join(frame.columns)}")
    place: int = frame.columns.index(name)
    found = frame.schema.fields[place].dataType.simpleString()
    if found.partition(" ")[0] not in types:  # STRING COLLATE …
        raise TypeError(f"column {name} must be of type {' or '.join(types)}, not {found}")
    return place


def _check_reference(column: Column) -> None:
    """That no key goes along when PySpark pickles it, and that the executors can make it again.
    TypeError.

    A Column is pickled as names alone (Keyset.__reduce__). A function of the program itself is
    nothing that an executor finds by its name.
    """
    if not isinstance(column, Column):
        raise TypeError(f"each of columns must be a Column, not {type(column).__name__}")
    try:
        _References(BytesIO()).dump(column)
    except (TypeError, AttributeError, pickle.PicklingError):
        raise TypeError(
            "the executors cannot make this Column themselves: its keyset must come from a file, "
            "the environment, or a function of a module that they can import"
        ) from None


class _References(pickle.Pickler):
    """Refuses what comes from a function of the program itself, and functions and classes of it."""

    def reducer_override(self, found: object) -> Any:
        if isinstance(found, Keyset):
            _, names = found.__reduce__()  # of a function "module:name"
            own = any(name.startswith("__main__:") for name in names)
        else:
            own = isinstance(found, (FunctionType, type)) and found.__module__ == "__main__"
        if own:
            raise pickle.PicklingError("of the program itself")
        return NotImplemented
