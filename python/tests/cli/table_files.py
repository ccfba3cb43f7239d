"""The kinds of file that `rijn columns` reads. Tests write and read each kind with this module."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from program import names

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
csv = pytest.importorskip("pyarrow.csv", reason="needs pyarrow")
pytest.importorskip("nanoarrow", reason="needs nanoarrow")
pytest.importorskip("resource", reason="needs POSIX limits")

ROWS, GROUP = 250, 100  # rows of the table, and of a row group or a record batch
MARK = "plaintext-"


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    ending: str
    name: str  # in messages
    parts: str  # the unit of reading
    text: bool = False
    """The file holds only text. It does not say which columns are sealed, nor how."""
    dictionaries: bool = True
    """A dictionary column can be sealed."""

    @property
    def plain(self) -> str:
        return f"t{self.ending}"

    @property
    def sealed(self) -> str:
        return f"t.sealed{self.ending}"

    def takes(self, type_: Any) -> bool:
        """Tells whether columns of this type can be sealed."""
        if self.text:
            return bool(pa.types.is_string(type_))
        return self.dictionaries or not pa.types.is_dictionary(type_)

    def opening_options(self, *how: str, columns: str = "email") -> list[str]:
        """Returns the options that decrypt and rotate need after encrypt had `how`. Most files hold
        the other options themselves."""
        if self.text:
            named = [] if "--deterministic" in how and columns in how else ["-c", columns]
            return [*named, *how]
        pairs = zip(how[::2], how[1::2], strict=True)
        return [word for pair in pairs if pair[0] in ("--aad", "--context") for word in pair]

    def layout(self, name: str) -> Any:
        """Returns where the parts of a file end, and how its columns are compressed."""
        if self.text:
            return None
        if self.ending != ".parquet":
            with opened_ipc(name) as reader:
                return [batch.num_rows for batch in batches_of(reader)]
        file = pq.read_metadata(name)
        groups = [file.row_group(i) for i in range(file.num_row_groups)]
        leaves = range(file.num_columns)
        return [
            (group.num_rows, [group.column(leaf).compression for leaf in leaves])
            for group in groups
        ]


PARQUET = Kind(".parquet", "Parquet", "row groups")
ARROW = Kind(".arrow", "Arrow IPC", "record batches", dictionaries=False)
ARROWS = Kind(".arrows", "Arrow IPC", "record batches")
CSV = Kind(".csv", "CSV", "blocks", text=True)
KINDS = (PARQUET, ARROW, ARROWS, CSV)


def each(kinds: tuple[Kind, ...] = KINDS) -> Any:
    """Runs a test on every one of these kinds."""
    return pytest.mark.parametrize("kind", kinds, ids=[kind.ending[1:] for kind in kinds])


def key(*formats: str) -> list[str]:
    return [word for format in formats for word in ("-k", f".key.d/{format}")]


def seen(folder: Path) -> set[str]:
    return names(folder) - {".key.d"}


def texts(prefix: str = MARK) -> list[str | None]:
    """Returns texts with nulls, empty texts and equal texts."""
    return [None if i % 7 == 3 else "" if i % 11 == 5 else f"{prefix}{i % 40}" for i in range(ROWS)]


def small_table() -> Any:
    ids = pa.array(range(ROWS), pa.int32())
    return pa.table({"id": ids, "ssn": texts("ssn-"), "email": texts()})


def write_table(table: Any, name: str, *, rows: int = GROUP, **options: Any) -> None:
    """Writes a file of the kind that its name says, in parts of `rows` rows."""
    if name.endswith(".parquet"):
        pq.write_table(table, name, row_group_size=rows, **options)
    elif name.endswith(".csv"):
        Path(name).write_text(as_text(table), newline="")
    else:
        made = pa.ipc.new_file if name.endswith(".arrow") else pa.ipc.new_stream
        with made(name, table.schema, **options) as out:
            out.write_table(table, max_chunksize=rows)


def as_text(table: Any) -> str:
    """Returns the table as CSV. A null is an empty field, and an empty value is quoted."""
    columns = [column.cast(pa.string()).to_pylist() for column in table.columns]
    lines = [table.schema.names, *zip(*columns, strict=True)]
    return "".join(",".join('""' if it == "" else it or "" for it in line) + "\n" for line in lines)


def read_table(name: str) -> Any:
    """Reads a file of the kind that its first bytes show."""
    begin = Path(name).read_bytes()[:6]
    if begin.startswith(b"PAR1"):
        return pq.read_table(name)
    if begin.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        with opened_ipc(name) as file:
            return file.read_all()
    types = dict.fromkeys(Path(name).read_text().splitlines()[0].split(","), pa.string())
    options = csv.ConvertOptions(
        column_types=types,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    return csv.read_csv(name, convert_options=options)


@contextmanager
def opened_ipc(name: str) -> Iterator[Any]:
    data = Path(name).read_bytes()
    made = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    with made(data) as reader:
        yield reader


def batches_of(reader: Any) -> list[Any]:
    """Returns the record batches of a file or a stream."""
    if hasattr(reader, "num_record_batches"):
        return [reader.get_batch(i) for i in range(reader.num_record_batches)]
    return list(reader)


def sealed_values(table: Any, name: str = "email") -> list[bytes | None]:
    """Returns the values of a sealed column. Text files hold them as base64."""
    values = table[name].to_pylist()
    return [base64.b64decode(it, validate=True) if isinstance(it, str) else it for it in values]


def with_sealed_values(table: Any, values: list[bytes | None], name: str = "email") -> Any:
    """Returns the table with other values in a sealed column."""
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    if pa.types.is_string(field.type):
        texts = [None if it is None else base64.b64encode(it).decode() for it in values]
        return table.set_column(place, field, pa.array(texts, field.type))
    return table.set_column(place, field, pa.array(values, field.type))


def decoded(column: Any) -> Any:
    """Returns the column without its dictionary, in which values may have another order."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def same_tables(x: Any, y: Any) -> bool:
    """Compares names, types, metadata and values."""
    assert x.schema.equals(y.schema, check_metadata=True), (x.schema, y.schema)
    return all(decoded(x[i]).equals(decoded(y[i])) for i in range(x.num_columns))


def rewritten(name: str, change: Callable[[Any], None]) -> None:
    """Gives a Parquet file its own footer, changed by `change`."""
    from rijn.cli.columns import footer, thrift

    data = Path(name).read_bytes()
    made = footer.footer_of(data)
    file, _ = thrift.read(made)
    change(file)
    made, begin = thrift.write(file), len(data) - 8 - len(made)
    Path(name).write_bytes(data[:begin] + made + len(made).to_bytes(4, "little") + b"PAR1")
