"""Encrypted files of tables through rijn.fsspec: pandas and pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rijn import files

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
dataset = pytest.importorskip("pyarrow.dataset", reason="needs pyarrow")
pafs = pytest.importorskip("pyarrow.fs", reason="needs pyarrow")
fsspec = pytest.importorskip("fsspec", reason="needs fsspec")

KEY = bytes(range(16))
ROWS = 50_000


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "key"
    path.write_text(files.format_key(KEY))
    path.chmod(0o600)
    fsspec.filesystem("memory").store.clear()
    return {"key_file": str(path)}


@pytest.mark.parametrize("base", ["file", "memory"])
def test_pandas(base: str, options: dict[str, str], tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas", reason="needs pandas")
    frame = pd.DataFrame({"a": range(ROWS), "b": [f"text {n}" for n in range(ROWS)]})
    place = f"rijn::{base}://{tmp_path if base == 'file' else '/bucket'}"
    named = {"storage_options": {"rijn": options}}
    frame.to_csv(f"{place}/t.csv.rijn", index=False, **named)
    assert pd.read_csv(f"{place}/t.csv.rijn", **named).equals(frame)
    frame.to_parquet(f"{place}/t.parquet.rijn", **named)
    found = pd.read_parquet(f"{place}/t.parquet.rijn", columns=["a"], **named)
    assert found.equals(frame[["a"]])
    if base == "file":
        with files.open(tmp_path / "t.csv.rijn", "r", key=KEY) as text:
            assert text.readline() == "a,b\n"


def test_pandas_that_fails_leaves_no_file(options: dict[str, str], tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas", reason="needs pandas")

    class Wrong:
        def __str__(self) -> str:
            raise ZeroDivisionError

    frame = pd.DataFrame({"a": [*range(ROWS), Wrong()]})
    with pytest.warns(RuntimeWarning, match="not written"), pytest.raises(ZeroDivisionError):
        frame.to_csv(
            f"rijn::file://{tmp_path}/t.rijn", chunksize=1000, storage_options={"rijn": options}
        )
    assert {path.name for path in tmp_path.iterdir()} == {"key"}


def test_pyarrow(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    memory = fsspec.filesystem("memory")
    system = pafs.PyFileSystem(pafs.FSSpecHandler(fsspec.filesystem("rijn", fs=memory, **options)))
    table = pa.table(
        {name: [(n * k) % 99_991 for n in range(ROWS)] for k, name in enumerate("abcd")}
    )
    for part in range(3):
        path = f"/bucket/{part}.parquet.rijn"
        pq.write_table(table, path, filesystem=system, row_group_size=ROWS // 4)
    assert pq.read_table("/bucket/1.parquet.rijn", filesystem=system).equals(table)
    found = dataset.dataset("/bucket", filesystem=system, format="parquet")
    few = found.to_table(columns=["b"], filter=dataset.field("a") < 5)
    assert few.num_rows == 3 * ROWS
    info = system.get_file_info("/bucket/1.parquet.rijn")
    assert info.size < memory.size("/bucket/1.parquet.rijn")
    fetched = 0
    cat = memory.cat_file

    def counted(path: str, start: int, end: int) -> Any:
        nonlocal fetched
        fetched += end - start
        return cat(path, start=start, end=end)

    monkeypatch.setattr(memory, "cat_file", counted)
    column = pq.read_table("/bucket/1.parquet.rijn", filesystem=system, columns=["b"])
    assert column.equals(table.select(["b"]))
    assert fetched < memory.size("/bucket/1.parquet.rijn") * 2 // 3
