"""Columns of DataFrames, encrypted on Spark's executors by rijn.columns.

A Column is sent there as it is pickled, by reference: no task, plan or log contains a key. Each
attempt of a task makes its own Column there and seals again.
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
Conversion = Callable[[Any, Any], tuple[Any, Sequence[int]]]
"""Takes an Arrow array and its rows' associated data. Returns the new array and the rows that
failed.
"""


# ---- Whole DataFrames -----------------------------------------------------------------


def seal(frame: Any, columns: Mapping[str, Column], *, aad: Mapping[str, str] | None = None) -> Any:
    """Seals columns of a DataFrame.

    The result is sealed whenever it is evaluated, and each time to other bytes unless the Column is
    deterministic. Write it before you use it twice, join, sort or repartition it. A null in a
    column of `aad` beside a value ends the job.

    :param frame: a DataFrame.
    :param columns: for each name of a column, of type STRING or BINARY, the Column that seals it.
    :param aad: for some of these names, the name of another column. Its value in the same row is
        the associated data: STRING or BINARY as it is, a whole number as its decimal digits.
    :returns: a DataFrame with the same rows. The sealed columns are BINARY, null where they were
        null.
    :raises TypeError: if a column has another type, or a Column cannot be pickled, or its keyset
        comes from a function that the executors cannot import.
    :raises ValueError: if a name does not exist.
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
    """Opens columns of a DataFrame: the inverse of `seal`.

    :param frame: a DataFrame.
    :param columns: for each name of a column, of type BINARY, the Column that opens it.
    :param aad: as for `seal`.
    :param types: for some of these names, "string" or "binary", which is the default. For strings,
        every row is checked to be UTF-8.
    :param errors: "raise": a row that does not open ends the job. "null": its value becomes null,
        and `failed` says so.
    :param failed: with errors="null", the name of a new last column, ARRAY<STRING>. In each row it
        has the names of the columns that did not open.
    :returns: a DataFrame with the same rows.
    :raises TypeError: as `seal`.
    :raises ValueError: as `seal`; also if errors="null" and `failed` are not given together.
    """
    if errors not in ("raise", "null"):
        raise ValueError(f"errors must be 'raise' or 'null', not {errors!r}")
    if (errors == "null") != (failed is not None):
        raise ValueError("errors='null' and the column `failed` go together: one needs the other")
    kinds: dict[str, str] = {name: "binary" for name in columns} | dict(types or {})
    for name, kind in kinds.items():
        if name not in columns:
            raise ValueError(f"types names {name}, which is not in columns")
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
    """Seals rows of older keys of the keyset again, under the primary key. Other rows stay as they
    are.

    :param frame: a DataFrame.
    :param columns: as for `open`.
    :param aad: as for `open`.
    :param failed: None: a row that does not open ends the job. A name: such a row stays as it is,
        and there is a last column of this name, as for `open`.
    :returns: a DataFrame with the same rows.
    :raises TypeError, ValueError: as `seal`.
    """
    tasks = [
        _Task(place, ad, name, _rotating(column, "raise" if failed is None else "null"))
        for place, ad, name, column in _placed(frame, columns, aad, ("binary",))
    ]
    return _mapped(frame, tasks, dict.fromkeys(columns, "binary"), failed)


@dataclass(frozen=True)
class _Task:
    """The work on one column of a DataFrame."""

    place: int
    aad: int | None  # the number of the column of associated data
    name: str
    convert: Conversion


def _mapped(
    frame: Any, tasks: Sequence[_Task], types: Mapping[str, str], failed: str | None = None
) -> Any:
    """Returns the DataFrame with the tasks' columns, which have these types. If `failed` is a name,
    adds a column of this name. Raises ValueError if there is one already.
    """
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

    def converted(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            arrays, lost = list(batch.columns), {}
            for task in tasks:
                aad = None if task.aad is None else batch.column(task.aad)
                try:
                    arrays[task.place], lost[task.name] = task.convert(
                        batch.column(task.place), aad
                    )
                except (InvalidTag, ValueError) as error:
                    error.add_note(f"in a batch of column {task.name}")
                    raise
            if failed is not None:
                arrays.append(_failed_columns(lost, batch.num_rows))
            yield pyarrow.RecordBatch.from_arrays(arrays, names)

    names = [field.name for field in fields]
    # mapInArrow takes columns by name, and fails for names with a dot or a backtick.
    plain = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    return plain.mapInArrow(converted, StructType(fields))


def arrow_type(field: Any) -> Any:
    """Returns the Arrow type in which Python receives a column of Spark, in any time zone. Raises
    TypeError if Python cannot receive it.
    """
    from pyspark.sql.pandas.types import to_arrow_type

    # PySpark 4.1 finds the zone itself. Later versions need one for a TIMESTAMP.
    zone = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}
    try:
        return to_arrow_type(field.dataType, **zone)
    except Exception:  # noqa: BLE001 (PySpark's error for a type that Arrow lacks)
        raise TypeError(
            f"column {field.name} is of type {field.dataType.simpleString()}, which Python cannot"
            " receive as an Arrow array"
        ) from None


def _failed_columns(lost: Mapping[str, Sequence[int]], count: int) -> Any:
    """Returns an array with the names of the columns that failed in each of `count` rows."""
    import pyarrow

    rows: list[list[str]] = [[] for _ in range(count)]
    for name, numbers in lost.items():
        for row in numbers:
            rows[row].append(name)
    return pyarrow.array(rows, pyarrow.list_(pyarrow.string()))


# ---- Single columns -------------------------------------------------------------------


def sealing(column: Column) -> Any:
    """Makes a function of Spark's columns that seals.

    Use it as sealing(column)("email"), or with associated data as a second column,
    sealing(column)("email", "id"). A bad row ends the job.

    :param column: the Column that seals.
    :returns: the function. It is deterministic if the Column is.
    :raises TypeError: as `seal`.
    """
    return _function(_sealing(column), "seal", "binary", column.deterministic)


def opening(column: Column, *, type: Type = "binary", errors: Errors = "raise") -> Any:
    """Makes a function of Spark's columns that opens: the inverse of `sealing`.

    :param column: the Column that opens.
    :param type: "binary" or "string", the type of the result.
    :param errors: "raise": a row that does not open ends the job. "null": it becomes null.
    :returns: the function.
    :raises TypeError, ValueError: as `open`.
    """
    if type not in ("binary", "string"):
        raise ValueError(f"type must be 'binary' or 'string', not {type!r}")
    if errors not in ("raise", "null"):
        raise ValueError(f"errors must be 'raise' or 'null', not {errors!r}")
    return _function(_opening(column, type, errors), "open", type, True)


def register(
    spark: Any, columns: Mapping[str, Column], *, types: Mapping[str, Type] | None = None
) -> None:
    """Gives SQL three functions for each name in `columns`.

    They take a value and, if there is one, its associated data::

        seal_NAME      seals a STRING or BINARY
        open_NAME      opens; a row that does not open ends the job
        try_open_NAME  opens; a row that does not open becomes null

    :param spark: the SparkSession.
    :param columns: a Column for each name.
    :param types: for some names, the type of opened values: "string" or "binary", which is the
        default.
    :raises TypeError: as `sealing` and `opening`.
    :raises ValueError: as `opening`; also if a name has other characters than letters, digits and
        underscores, or two names differ only in case.
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


def _function(convert: Conversion, name: str, type_: str, deterministic: bool) -> Any:
    functions = library().sql.functions

    def call(values: Any, *aad: Any) -> Any:
        if len(aad) > 1:
            raise TypeError("a value, and at most one column of associated data")
        return convert(values, aad[0] if aad else None)[0]

    call.__name__ = name
    function = functions.arrow_udf(call, type_, functions.ArrowUDFType.SCALAR)
    return function if deterministic else function.asNondeterministic()


# ---- Work on the executors ------------------------------------------------------------


def _sealing(column: Column) -> Conversion:
    _check_reference(column)

    def seal_rows(array: Any, aad: Any) -> tuple[Any, Sequence[int]]:
        import pyarrow

        return pyarrow.array(column.seal(_typed(array), _associated(aad))), ()

    return seal_rows


def _opening(column: Column, type_: str, errors: Errors) -> Conversion:
    _check_reference(column)

    def open_rows(array: Any, aad: Any) -> tuple[Any, Sequence[int]]:
        import pyarrow

        array = _typed(array)
        large = "large_" if pyarrow.types.is_large_binary(array.type) else ""
        kind: Any = large + type_
        opened = column.open(array, _associated(aad), type=kind, errors=errors)
        return pyarrow.array(opened), opened.failed

    return open_rows


def _rotating(column: Column, errors: Errors) -> Conversion:
    _check_reference(column)

    def rotate_rows(array: Any, aad: Any) -> tuple[Any, Sequence[int]]:
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

    return rotate_rows


def _typed(array: Any) -> Any:
    """Returns the array as BINARY if it is SQL's NULL, which has no type."""
    import pyarrow

    return array.cast(pyarrow.binary()) if pyarrow.types.is_null(array.type) else array


def _associated(aad: Any) -> Any:
    """Returns associated data as text or bytes. Raises TypeError."""
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
    """Returns for each name its column number, the one of its associated data, and its Column."""
    bound = dict(aad or {})
    for name, other in bound.items():
        if name not in columns:
            raise ValueError(f"aad names {name}, which is not in columns")
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
    """Raises TypeError unless PySpark can pickle the Column without a key, and executors can make
    it again.

    A Column is pickled as names only (Keyset.__reduce__). Executors cannot find a function of the
    main program by its name.
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
    """Refuses functions and classes of the main program, and keysets from such functions."""

    def reducer_override(self, found: object) -> Any:
        if isinstance(found, Keyset):
            _, names = found.__reduce__()  # of a function "module:name"
            own = any(name.startswith("__main__:") for name in names)
        else:
            own = isinstance(found, (FunctionType, type)) and found.__module__ == "__main__"
        if own:
            raise pickle.PicklingError("it is defined in the main program")
        return NotImplemented
