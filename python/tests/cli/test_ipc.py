"""rijn columns: Arrow IPC files and streams: batches and their metadata, codecs, ends."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Result
from table_files import pa, seen

from rijn.columns import Column, Keyset

pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]
BATCH, BATCHES = 100, 5
KINDS = ["arrow", "arrows"]
KEYS = ["-k", ".key.d/xaes"]


def batches(*, words: bool = True) -> list[Any]:
    """Returns batches with every kind of text and bytes, and with other types."""
    count = BATCH * BATCHES
    texts = [None if i % 7 == 3 else "" if i % 11 == 5 else f"text-{i % 40}" for i in range(count)]
    columns = {
        "id": pa.array(range(count), pa.int32()),
        "email": pa.array(texts),
        "large": pa.array(texts, pa.large_string()),
        "view": pa.array(texts, pa.string_view()),
        "fixed": pa.array([b"%06d" % i for i in range(count)], pa.binary(6)),
        "list": pa.array([[i, None] for i in range(count)]),
        "kept": pa.array([f"kept-{i % 3}" for i in range(count)]).dictionary_encode(),
    }
    if words:
        columns["words"] = pa.array(texts).dictionary_encode()
    fields = [pa.field(name, it.type, metadata={"of": name}) for name, it in columns.items()]
    whole = pa.record_batch(
        list(columns.values()), schema=pa.schema(fields, metadata={"of": "all"})
    )
    return [whole.slice(begin, BATCH) for begin in range(0, count, BATCH)]


def write(name: str, found: list[Any], compression: str | None = None, **rest: Any) -> None:
    made = pa.ipc.new_stream if name.endswith("s") else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with made(name, found[0].schema, options=options, **rest) as out:
        for number, batch in enumerate(found):
            out.write_batch(batch, custom_metadata={"number": str(number)})


def read(name: str) -> list[tuple[Any, Any]]:
    """Returns the batches, each with its metadata."""
    if ".arrows" in name:
        with pa.ipc.open_stream(Path(name).read_bytes()) as stream:
            return list(stream.iter_batches_with_custom_metadata())
    with pa.ipc.open_file(Path(name).read_bytes()) as file:
        return [file.get_batch_with_custom_metadata(i) for i in range(file.num_record_batches)]


def same(one: str, other: str) -> bool:
    """Compares the files, including the batch boundaries and all metadata."""
    pairs = list(zip(read(one), read(other), strict=True))
    return all(
        x.schema.equals(y.schema, check_metadata=True)
        and all(plain(it).equals(plain(was)) for it, was in zip(x, y, strict=True))
        and said == also
        for (x, said), (y, also) in pairs
    )


def plain(array: Any) -> Any:
    """Returns the array without its dictionary. A new dictionary has another order and other values."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(folder: Path, run: Run, kind: str) -> None:
    """Batches and metadata stay the same, and rijn.columns opens the sealed values."""
    rest = {"metadata": {"footer": "1"}} if kind == "arrow" else {}
    write(f"t.{kind}", batches(words=kind == "arrows"), **rest)
    wanted = "email,large,view,fixed" + (",words" if kind == "arrows" else "")
    done = run("columns", "encrypt", f"t.{kind}", "-c", wanted, "--aad", "id", *KEYS)
    keys = "of, footer, number" if kind == "arrow" else "of, number"
    assert done.code == 0 and f"the file's metadata stays readable: {keys} (" in done.err
    sealed = read(f"t.sealed.{kind}")
    assert [len(batch) for batch, _ in sealed] == [BATCH] * BATCHES
    assert b"text-" not in Path(f"t.sealed.{kind}").read_bytes()
    column = Column(Keyset.from_file(".key.d/xaes"), context="email")
    for (batch, _), was in zip(sealed, batches(), strict=True):
        ids = batch["id"].cast(pa.string())
        assert pa.array(column.open(batch["email"], ids, type="string")).equals(was["email"])
        assert batch["kept"].equals(was["kept"])
    opening = ("columns", "decrypt", f"t.sealed.{kind}", "--aad", "id", "-o", f"back.{kind}")
    done = run(*opening, *KEYS)
    assert (done.code, done.err) == (0, "")
    assert same(f"back.{kind}", f"t.{kind}")
    if kind == "arrow":
        with pa.ipc.open_file("back.arrow") as file:
            assert file.metadata == {b"footer": b"1"}


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize("kind", KINDS)
def test_compression_is_kept(folder: Path, run: Run, kind: str, codec: str | None) -> None:
    plain = pa.record_batch({"email": ["a", "b"] * 50, "zeros": [b"\0" * 10_000] * 100})
    write(f"t.{kind}", [plain] * 3, codec)
    assert run("columns", "encrypt", f"t.{kind}", "-c", "email", *KEYS).code == 0
    from rijn.cli.columns.kinds import open_table

    assert open_table(f"t.sealed.{kind}").codec == codec
    assert (Path(f"t.sealed.{kind}").stat().st_size < 500_000) == (codec is not None)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_without_rows_or_batches(folder: Path, run: Run, kind: str) -> None:
    (some,) = batches(words=False)[:1]
    for found in ([], [some.slice(0, 0), some, some.slice(0, 0)]):
        made = pa.ipc.new_stream if kind == "arrows" else pa.ipc.new_file
        with made(f"t.{kind}", some.schema) as out:
            for batch in found:
                out.write_batch(batch)
        assert run("columns", "encrypt", f"t.{kind}", "-f", "-c", "email", *KEYS).code == 0
        done = run("columns", "decrypt", f"t.sealed.{kind}", "-f", "-o", f"back.{kind}", *KEYS)
        assert done.code == 0, done.err
        assert same(f"back.{kind}", f"t.{kind}") and len(read(f"back.{kind}")) == len(found)


def test_a_dictionary_that_a_file_has_once(folder: Path, run: Run) -> None:
    write("t.arrow", batches())
    done = run("columns", "encrypt", "t.arrow", "-c", "words", *KEYS)
    assert done.code == 2 and "column words is a dictionary" in done.err
    assert seen(folder) == {"t.arrow"}
    siv = ["--deterministic", "words", "-k", ".key.d/siv"]
    assert run("columns", "encrypt", "t.arrow", *siv).code == 0
    assert pa.types.is_dictionary(read("t.sealed.arrow")[0][0]["words"].type)
    done = run("columns", "decrypt", "t.sealed.arrow", "-o", "back.arrow", "-k", ".key.d/siv")
    assert done.code == 0, done.err
    assert same("back.arrow", "t.arrow")


@pytest.mark.parametrize("last", [100, 4000, 1 << 30, -1])
@pytest.mark.parametrize("column", ["email", "other"])
@pytest.mark.parametrize("kind", KINDS)
def test_offsets_that_point_elsewhere(
    folder: Path, run: Run, kind: str, column: str, last: int
) -> None:
    """In a sealed column, or in another: damaged, and nothing outside is read."""
    values = ["one", "twenty", "three", "nine"]
    write(
        f"t.{kind}", [pa.record_batch({"email": ["a"] * 4, "other": ["b"] * 4} | {column: values})]
    )
    file = Path(f"t.{kind}").read_bytes()
    offsets = struct.pack("<5i", 0, 3, 9, 14, 18)
    assert file.count(offsets) == 1
    Path(f"t.{kind}").write_bytes(file.replace(offsets, struct.pack("<5i", 0, 3, 9, 14, last)))
    before = seen(folder)
    done = run("columns", "encrypt", f"t.{kind}", "-c", "email", *KEYS)
    assert done.code == 4 and f"t.{kind}: damaged: " in done.err
    assert seen(folder) == before


def test_cut_or_extended_files_are_refused(folder: Path, run: Run) -> None:
    """A stream cut between two batches is refused, too, and so are two streams in a row."""
    found = batches(words=False)
    for kind in KINDS:
        write(f"whole.{kind}", found)
        whole = Path(f"whole.{kind}").read_bytes()
        cuts = {*range(8, len(whole), len(whole) // 40), len(whole) - 8, len(whole) - 1}
        for cut in cuts:
            Path("t").write_bytes(whole[:cut])
            done = run("columns", "encrypt", "t", "-c", "email", *KEYS)
            assert done.code == 4 and "t: damaged: " in done.err, (cut, done.err)
            assert "behind" not in done.err
            if kind == "arrows" and cut == len(whole) - 8:
                assert "the stream has no end: it was truncated" in done.err
        assert "t.sealed" not in seen(folder)
    for more in (whole, b"\n", bytes(4), b"x" * 8):
        Path("t").write_bytes(whole + more)
        done = run("columns", "encrypt", "t", "-c", "email", *KEYS)
        assert done.code == 4 and "there is more data after the stream's end" in done.err
    assert seen(folder) == {"t", "whole.arrow", "whole.arrows"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_is_not_text(folder: Path, run: Run, kind: str) -> None:
    """pyarrow reads such a schema, and raises when the name is used."""
    made = pa.ipc.new_stream if kind == "arrows" else pa.ipc.new_file
    with made(f"t.{kind}", pa.schema([("photo", pa.binary())])) as out:
        out.write_table(pa.table({"photo": pa.array([b"x"])}))
    data = Path(f"t.{kind}").read_bytes()
    Path(f"t.{kind}").write_bytes(data.replace(b"photo", b"ph\xffto"))
    Keyset.generate().write(".ks")
    for how in (["info"], ["encrypt", "-c", "photo", "-k", ".ks"], ["decrypt", "-k", ".ks"]):
        done = run("columns", how[0], f"t.{kind}", *how[1:])
        assert done.code == 4
        assert f"t.{kind}: damaged: the name of a column is not UTF-8 (" in done.err
