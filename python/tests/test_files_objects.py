"""rijn.files.open: encrypted files as file objects, beside plain ones."""

from __future__ import annotations

import gc
import io
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rijn import chunked, files
from rijn.chunked import CHUNK, Damaged, Truncated, WrongKey
from rijn.disk import new_file
from rijn.files import Header, NotRijn

KEY = bytes(range(16))
HEADER = Header("AEAD_AES_128_GCM").encode()
START = len(HEADER) + chunked.PREFIX  # of chunk 0
SEALED = CHUNK + 16  # bytes of a whole chunk
SIZES = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5 * CHUNK + 77)


def plain_of(size: int) -> bytes:
    """Returns bytes with a line end here and there."""
    return (b"%07d\n" * (size // 8 + 1))[:size] if size < 8 else _lines(size)


def _lines(size: int) -> bytes:
    text = b"".join(b"%d %s\n" % (n, b"x" * (n % 97)) for n in range(size // 40 + 2))
    return (text + bytes(size))[:size]


def sealed_of(plain: bytes) -> bytes:
    return HEADER + chunked.encrypt(KEY, plain, context=HEADER)


PLAIN = {size: plain_of(size) for size in SIZES}
FILES = {size: sealed_of(plain) for size, plain in PLAIN.items()}


class Counting(io.BytesIO):
    """A source that notes which bytes are read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.ranges: list[tuple[int, int]] = []

    def readinto(self, buffer: Any, /) -> int:
        start = self.tell()
        count = super().readinto(buffer)
        self.ranges.append((start, start + count))
        return count

    def chunks(self) -> set[int]:
        """Returns the numbers of the chunks that were read since the last call."""
        found = set()
        for start, end in self.ranges:
            if start >= START and end > start:
                found |= set(range((start - START) // SEALED, (end - 1 - START) // SEALED + 1))
        self.ranges.clear()
        return found


def reader(data: bytes) -> files.FileReader:
    return files.open(io.BytesIO(data), "rb", key=KEY)


# ---- Reading ----------------------------------------------------------------------------

OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(["read", "read1"]), st.integers(-1, 3 * CHUNK)),
    st.tuples(st.just("readinto"), st.integers(0, 6 * CHUNK)),
    st.tuples(st.just("readline"), st.integers(-1, 100)),
    st.tuples(st.just("peek"), st.just(0)),
    st.tuples(st.just("start"), st.integers(0, 6 * CHUNK)),
    st.tuples(st.just("chunk"), st.integers(0, 6)),
    st.tuples(st.just("here"), st.integers(-CHUNK, CHUNK)),
    st.tuples(st.just("end"), st.integers(-2 * CHUNK, 10)),
)


def test_a_line_in_two_chunks_has_a_size_too() -> None:
    """io.IOBase.readline applies the size to each chunk."""
    plain = bytearray(b"x" * (2 * CHUNK))
    plain[CHUNK + 20] = ord("\n")
    with reader(sealed_of(bytes(plain))) as opened:
        for before in (1, 2, 7, 8, 9):
            for size in (-1, None, 0, 1, 2, 8, 20, 100):
                opened.seek(CHUNK - before)
                length = before + 21 if size in (-1, None) else min(size, before + 21)
                assert opened.readline(size) == plain[CHUNK - before :][:length]
                assert opened.tell() == CHUNK - before + length
        opened.seek(0)
        assert opened.readlines() == [plain[: CHUNK + 21], plain[CHUNK + 21 :]]
        opened.seek(CHUNK)
        assert opened.readline() == plain[CHUNK : CHUNK + 21]


@given(size=st.sampled_from(SIZES), steps=st.lists(OPERATIONS, max_size=25))
@settings(deadline=None)
def test_reads_as_a_plain_file(size: int, steps: list[tuple[str, int]]) -> None:
    plain = io.BytesIO(PLAIN[size])
    with reader(FILES[size]) as opened:
        assert opened.size == size
        for name, number in steps:
            place = plain.tell()
            if name == "peek":
                found = opened.peek()
                assert found == PLAIN[size][place : place + len(found)]
                assert bool(found) == (place < size)
            elif name == "read1":
                found = opened.read1(number)
                assert found == plain.read(number if number >= 0 else len(found))
                assert bool(found) == (place < size and number != 0)
            elif name == "readinto":
                one, other = bytearray(b"-" * number), bytearray(b"-" * number)
                assert opened.readinto(one) == plain.readinto(other)
                assert one == other
            elif name in ("read", "readline"):
                assert getattr(opened, name)(number) == getattr(plain, name)(number)
            else:
                whence = {"start": 0, "chunk": 0, "here": 1, "end": 2}[name]
                offset = number * CHUNK if name == "chunk" else number
                if (0, place, size)[whence] + offset < 0:
                    with pytest.raises(ValueError, match="before the start"):
                        opened.seek(offset, whence)
                else:
                    assert opened.seek(offset, whence) == plain.seek(offset, whence)
            assert opened.tell() == plain.tell()


@pytest.mark.parametrize("size", SIZES)
def test_lines_and_text(size: int, tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    path.write_bytes(FILES[size])
    with files.open(path, key=KEY) as opened:
        assert list(opened) == io.BytesIO(PLAIN[size]).readlines()
        assert opened.readable() and opened.seekable() and not opened.writable()
        assert opened.name == str(path)
        assert opened.mode == "rb"
    assert opened.closed
    for mode in ("r", "rt"):
        with files.open(path, mode, key=KEY, encoding="latin-1", newline="\n") as text:  # type: ignore[call-overload]
            assert text.read() == PLAIN[size].decode("latin-1")


def test_reads_only_the_chunks_it_needs() -> None:
    size = 300 * CHUNK + 5
    plain = os.urandom(CHUNK) * 300 + b"the end"[:5]
    source = Counting(sealed_of(plain))
    with files.open(source, key=KEY) as opened:
        assert source.chunks() == {300}  # the last one, which tells the size
        assert opened.seek(0, 2) == size
        assert opened.read() == b""
        assert source.chunks() == set()
        opened.seek(7 * CHUNK + 100)
        opened.read(50)
        assert source.chunks() == {7}
        opened.seek(7 * CHUNK)  # it is kept
        opened.read(CHUNK)
        assert source.chunks() == set()
        opened.seek(100 * CHUNK - 1)
        opened.read(2)
        assert source.chunks() == {99, 100}
        opened.seek(200 * CHUNK)
        assert opened.read(20 * CHUNK) == plain[200 * CHUNK : 220 * CHUNK]
        assert source.chunks() == set(range(200, 220))
        for chunk in range(50):  # more than are kept
            opened.seek(2 * chunk * CHUNK + 1)
            opened.read(1)
            assert len(opened._kept) <= chunked.reader._KEPT
        assert source.chunks() <= set(range(100))


def test_reads_ahead_if_reads_follow_one_another() -> None:
    source = Counting(FILES[5 * CHUNK + 77])
    with files.open(source, key=KEY) as opened:
        source.ranges.clear()
        while opened.read(1000):
            pass
    # chunk 0, chunks 1 and 2, then the rest
    assert len(source.ranges) == 3


def test_wipes_what_it_keeps() -> None:
    opened = reader(FILES[5 * CHUNK + 77])
    opened.read()
    opened.seek(0)
    opened.read(10)
    kept = list(opened._kept.values())
    assert kept and all(any(chunk) for chunk in kept)
    opened.close()
    assert not any(any(chunk) for chunk in kept)
    opened.close()
    for call in (opened.read, opened.tell, opened.peek, lambda: opened.seek(0)):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_the_caller_closes_its_file() -> None:
    source = io.BytesIO(b"before" + FILES[CHUNK])
    source.seek(6)
    with files.open(source, key=KEY) as opened:
        assert opened.read() == PLAIN[CHUNK]
    assert not source.closed


# ---- Altered files ----------------------------------------------------------------------


def wholly(data: bytes) -> bytes:
    with reader(data) as opened:
        return opened.read()


@pytest.mark.parametrize("size", SIZES)
def test_truncated_at_each_border(size: int) -> None:
    data = FILES[size]
    borders = {START + n * SEALED for n in range(size // CHUNK + 2)} | {0, 1, len(HEADER), START}
    cuts = {border + delta for border in borders for delta in (-17, -16, -1, 0, 1, 15, 16, 17)}
    for cut in sorted(cut for cut in cuts if 0 <= cut < len(data)):
        expected = NotRijn if cut == 0 else (Truncated, Damaged)
        with pytest.raises(expected):  # before any byte or the size is given out
            reader(data[:cut])


@pytest.mark.parametrize("more", [1, 15, 16, 17, SEALED, 2 * SEALED + 5])
def test_extended(more: int) -> None:
    for size in SIZES:
        for tail in (bytes(more), FILES[size][-more:]):
            with pytest.raises((Truncated, Damaged)):
                reader(FILES[size] + tail)


def test_swapped_and_repeated_chunks() -> None:
    data = FILES[5 * CHUNK + 77]
    chunks = [data[START + n * SEALED : START + (n + 1) * SEALED] for n in range(6)]
    for order in ([1, 0, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5], [0, 0, 2, 3, 4, 5]):
        swapped = data[:START] + b"".join(chunks[n] for n in order)
        wrong = [n for n in range(6) if order[n] != n]
        with reader(swapped) as opened:
            for number in range(6):
                opened.seek(number * CHUNK)
                if number not in wrong:
                    found = opened.read(100)
                    assert found == PLAIN[5 * CHUNK + 77][number * CHUNK :][:100]
                    continue
                with pytest.raises(Damaged, match=f"chunk {number} ") as caught:
                    opened.read(100)
                assert caught.value.offset == START + number * SEALED
    for order in ([0, 1, 2, 3, 5], [0, 1, 2, 3, 4, 4, 5], [5, 1, 2, 3, 4, 5]):
        with pytest.raises((Truncated, Damaged)):
            wholly(data[:START] + b"".join(chunks[n] for n in order))


def test_a_changed_last_chunk_is_found_first() -> None:
    for size in SIZES:
        data = bytearray(FILES[size])
        data[-1] ^= 1
        with pytest.raises((Truncated, Damaged)):
            reader(bytes(data))


def test_a_damaged_chunk_gives_nothing() -> None:
    size = 5 * CHUNK + 77
    data = bytearray(FILES[size])
    data[START + 2 * SEALED + 9] ^= 1
    with reader(bytes(data)) as opened:
        target = bytearray(b"\xee" * size)
        with pytest.raises(Damaged, match="chunk 2 "):
            opened.readinto(target)
        for n in range(2, 6):  # nothing of the chunk, and nothing after it
            assert target[n * CHUNK : n * CHUNK + 77] in (bytes(77), b"\xee" * 77), n
        opened.seek(3 * CHUNK)
        assert opened.read(10) == PLAIN[size][3 * CHUNK :][:10]


def test_a_source_that_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    path.write_bytes(FILES[5 * CHUNK + 77])
    with files.open(path, key=KEY) as opened:
        os.truncate(path, START + SEALED)
        with pytest.raises(Truncated, match=r"f\.rijn: the message stops"):
            opened.read()


def test_wrong_keys(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    path.write_bytes(FILES[1])
    wrong = {bytes(16): "wrong key or passphrase", bytes(32): "needs a key of 128 bits, not 256"}
    for key, text in wrong.items():
        with pytest.raises(WrongKey, match=rf"f\.rijn: .*{text}"):
            files.open(path, key=key)
    pytest.importorskip("argon2", reason="needs argon2-cffi")
    with pytest.raises(WrongKey, match="with a key, not with a passphrase"):
        files.open(path, passphrase="x")
    with files.open(path, "wb", passphrase="open sesame") as new:
        new.write(b"found")
    assert files.open(path, passphrase="open sesame").read() == b"found"
    with pytest.raises(WrongKey, match="wrong key or passphrase"):
        files.open(path, passphrase="Open sesame")
    with pytest.raises(WrongKey, match="with a passphrase, not with a key"):
        files.open(path, key=KEY)


def test_an_altered_header_is_a_wrong_key() -> None:
    other = FILES[1].replace(b"AES_128_GCM", b"AEGIS128L\0\0"[:9])
    with pytest.raises(WrongKey, match="header was altered"):
        reader(other)


def test_arguments(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    with pytest.raises(TypeError, match="either key= or passphrase="):
        files.open(path)
    with pytest.raises(TypeError, match="either key= or passphrase="):
        files.open(path, key=KEY, passphrase="x")
    with pytest.raises(ValueError, match="mode is 'ab'"):
        files.open(path, "ab", key=KEY)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="for text"):
        files.open(path, "wb", key=KEY, encoding="utf-8")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="names its AEAD"):
        files.open(path, "rb", key=KEY, aead="aes-128-gcm")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="key is 15 bytes"):
        files.open(path, "wb", key=bytes(15))
    with pytest.raises(TypeError, match="file must be a path or a binary file"):
        files.open(3, "wb", key=KEY)  # type: ignore[call-overload]
    for mode in ("r", "w"):
        if mode == "r":
            path.write_bytes(FILES[1])
        with pytest.raises(LookupError, match="unknown encoding"):
            files.open(path, mode, key=KEY, encoding="none such")  # type: ignore[call-overload]
        path.unlink(missing_ok=True)
    with pytest.raises(TypeError, match="a path or a seekable binary file, not int"):
        files.open(3, key=KEY)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="seekable"):
        files.open(_Unseekable(FILES[1]), key=KEY)  # type: ignore[call-overload]
    assert not list(tmp_path.iterdir())


class _Unseekable:
    def __init__(self, data: bytes) -> None:
        source = io.BytesIO(data)
        self.read, self.readline = source.read, source.readline


def test_chunked_names_the_function_for_a_file_with_a_header() -> None:
    for call in (
        lambda: chunked.decrypt(KEY, FILES[CHUNK]),
        lambda: chunked.Reader(io.BytesIO(FILES[CHUNK]), KEY),
        lambda: chunked.Decryptor(KEY).update(FILES[CHUNK]),
    ):
        with pytest.raises(WrongKey, match=r"a Rijn file, .* rijn\.files\.open"):
            call()
    with pytest.raises(WrongKey, match="wrong key or context"):
        chunked.decrypt(KEY, chunked.encrypt(bytes(16), b""))


# ---- Writing ----------------------------------------------------------------------------


@given(
    pieces=st.lists(st.integers(0, 2 * CHUNK + 1), max_size=6),
    aead=st.sampled_from([None, "aegis-128l"]),
)
@settings(deadline=None, max_examples=30)
def test_writes_what_is_read_back(pieces: list[int], aead: str | None) -> None:
    data = os.urandom(sum(pieces))
    sealed, done = io.BytesIO(), 0
    with files.open(sealed, "wb", key=KEY, aead=aead) as new:
        for size in pieces:
            assert new.tell() == done
            assert new.write(data[done : done + size]) == size
            done += size
    assert new.closed and not sealed.closed
    header = Header(chunked.find_aead(aead, 16).name)
    assert len(sealed.getvalue()) == len(header.encode()) + chunked.sealed_size(
        len(data), chunked.named_aead(header.aead)
    )
    sealed.seek(0)
    with files.open(sealed, key=KEY) as opened:
        assert opened.header == header
        assert opened.read() == data


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_result_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    with files.open(path, "wb", key=KEY) as new:
        new.write(b"one" * CHUNK)
        (temporary,) = names(tmp_path)
        assert temporary.startswith(".rijn-") and temporary.endswith(".part")
        assert stat.S_IMODE((tmp_path / temporary).stat().st_mode) == 0o600
    assert names(tmp_path) == {"f.rijn"}
    with files.open(path, "wb", key=KEY) as new:
        new.write(b"two")
        assert files.open(path, key=KEY).read(3) == b"one"
    assert files.open(path, key=KEY).read() == b"two"
    with pytest.raises(ValueError, match="closed"):
        new.write(b"more")
    new.close()


def drop(path: Path, mode: Any, data: Any) -> None:
    files.open(path, mode, key=KEY).write(data)
    gc.collect()


@pytest.mark.parametrize("mode", ["wb", "w"])
def test_an_error_leaves_what_was_there(mode: Any, tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    text: Any = "x" if mode == "w" else b"x"
    for before in (None, b"something else"):
        if before is not None:
            path.write_bytes(before)
        for error in (ZeroDivisionError, KeyboardInterrupt):
            with pytest.raises(error), files.open(path, mode, key=KEY) as new:
                new.write(text * 100000)
                raise error
            assert new.closed
            assert names(tmp_path) == (set() if before is None else {"f.rijn"})
        with pytest.warns(ResourceWarning, match="was dropped without close"):
            drop(path, mode, text * 100000)
        assert names(tmp_path) == (set() if before is None else {"f.rijn"})
        assert before is None or path.read_bytes() == before


def test_xb_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    new = files.open(path, "xb", key=KEY)
    new.write(b"mine")
    path.write_bytes(b"another's")  # meanwhile
    with pytest.raises(FileExistsError, match="mode wb replaces it") as caught:
        new.close()
    assert caught.value.filename == str(path)
    with pytest.raises(FileExistsError, match="mode wb replaces it"):
        files.open(path, "x", key=KEY)
    assert path.read_bytes() == b"another's"
    assert names(tmp_path) == {"f.rijn"}


def test_names_that_no_result_can_have(tmp_path: Path) -> None:
    key_file = tmp_path / "k"
    key_file.write_text(files.format_key(KEY))
    key_file.chmod(0o600)
    os.mkfifo(tmp_path / "fifo")
    for name, text in {
        "k": "is the key file",
        "": "directory",
        "fifo": "not a regular file",
        "none/f": "no such folder",
    }.items():
        with pytest.raises(OSError, match=f"(?i){text}"):
            files.open(f"{tmp_path}/{name}", "wb", key=key_file)
    assert names(tmp_path) == {"k", "fifo"}
    assert files.read_key(key_file) == KEY


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "f.rijn").symlink_to("real/f.rijn")
    with files.open(tmp_path / "f.rijn", "wb", key=KEY) as new:
        new.write(b"x")
    assert (tmp_path / "f.rijn").is_symlink()
    assert names(tmp_path / "real") == {"f.rijn"}


def test_permission_bits(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    former = os.umask(0o027)
    try:
        for expected in (0o640, 0o604):  # of a new file, of the replaced file
            files.open(path, "wb", key=KEY).close()
            assert stat.S_IMODE(path.stat().st_mode) == expected
            path.chmod(0o604)
    finally:
        os.umask(former)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX descriptors")
def test_a_result_may_have_descriptor_0(tmp_path: Path) -> None:
    """In a process that was started without standard input."""
    path = tmp_path / "f.rijn"
    null = os.open(os.devnull, os.O_RDONLY)  # it is 0 if these tests have no standard input
    standard_input, former = os.dup(0), os.umask(0o027)
    try:
        os.close(0)
        with files.open(path, "wb", key=KEY) as new:
            new.write(b"data")
            assert os.path.samestat(os.fstat(0), next(tmp_path.iterdir()).stat())
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(0)
    finally:
        os.umask(former)
        os.dup2(standard_input, 0)
        os.close(standard_input)
        if null:
            os.close(null)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert files.open(path, key=KEY).read() == b"data"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "f.rijn"
    with files.open(path, "wb", key=KEY) as new:
        new.write(b"x" * CHUNK)
        child = os.fork()
        if not child:
            code = 1
            try:
                new.close()
            except RuntimeError:
                code = 0
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert files.open(path, key=KEY).read() == b"x" * CHUNK


class _Interrupting:
    """The module os, with KeyboardInterrupt before or after one of its calls."""

    def __init__(self, step: int) -> None:
        self.step, self.calls = step, 0

    def __getattr__(self, name: str) -> Any:
        value = getattr(os, name)
        if not callable(value) or name in ("close", "unlink", "fsdecode"):
            return value

        def call(*arguments: Any, **named: Any) -> Any:
            self._at(2 * self.calls)
            self.calls += 1
            try:
                return value(*arguments, **named)
            finally:
                self._at(2 * self.calls - 1)

        return call

    def _at(self, step: int) -> None:
        if step == self.step:
            raise KeyboardInterrupt


@pytest.mark.parametrize("mode", ["wb", "xb"])
def test_an_interrupt_at_any_call(
    mode: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves the old file or the new one, whole, and no other."""
    path, step, outcomes = tmp_path / "f.rijn", 0, set()
    while True:
        if mode == "wb":
            path.write_bytes(FILES[1])
        else:
            path.unlink(missing_ok=True)
        calls = _Interrupting(step)
        with monkeypatch.context() as patch:
            patch.setattr(new_file, "os", calls)
            try:
                with files.open(path, mode, key=KEY) as new:
                    new.write(b"new" * CHUNK)
                interrupted = False
            except KeyboardInterrupt:
                interrupted = True
        found = files.open(path, key=KEY).read() if path.exists() else None
        outcomes.add(found)
        old = PLAIN[1] if mode == "wb" else None
        assert found in (old, b"new" * CHUNK), step
        assert names(tmp_path) == (set() if found is None else {"f.rijn"}), step
        if not interrupted:
            break
        step += 1
    assert step > 12
    assert len(outcomes) == 2
