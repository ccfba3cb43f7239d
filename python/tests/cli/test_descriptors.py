"""Descriptors 0, 1 and 2 closed, full or without a reader; and messages about half a result."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from program import KEY, LIMIT, RIJN, Result, call, names, start

from rijn import chunked, pipeline
from rijn.cli import main
from rijn.disk.source import Unchanging
from rijn.files import Header

if sys.platform == "win32":
    pytest.skip("needs POSIX descriptors", allow_module_level=True)

Run = Callable[..., Result]
MIB = 1 << 20
HEADER = Header("AEAD_AES_128_GCM").encode()
CLOSED = [{0}, {1}, {2}, {0, 1, 2}]
ENCRYPT = ["encrypt", "-k", ".key"]
DECRYPT = ["decrypt", "-k", ".key"]


def sealed(data: bytes) -> bytes:
    return HEADER + chunked.encrypt(KEY, data, context=HEADER)


def damaged(data: bytes, at: int) -> bytes:
    found = bytearray(sealed(data))
    found[at] ^= 1
    return bytes(found)


def without(closed: set[int], *arguments: str) -> Result:
    """Runs the program with these descriptors closed."""
    return call([*RIJN, *arguments], lambda: [os.close(fd) for fd in closed])


@pytest.mark.parametrize("closed", CLOSED, ids=str)
def test_closed_descriptors_do_not_matter_to_named_files(folder: Path, closed: set[int]) -> None:
    Path("f").write_bytes(b"data" * 10_000)
    assert without(closed, *ENCRYPT, "-q", "f") == Result(0, b"", "")
    assert without(closed, *DECRYPT, "f.rijn", "-o", "g") == Result(0, b"", "")
    assert Path("g").read_bytes() == b"data" * 10_000
    assert without(closed, *ENCRYPT, "f").code == 9
    assert names(folder) == {"f", "f.rijn", "g"}


@pytest.mark.parametrize("closed", [each for each in CLOSED if 1 not in each], ids=str)
def test_error_lines_are_not_data(folder: Path, closed: set[int]) -> None:
    plain = os.urandom(2 * MIB)
    Path("f.rijn").write_bytes(damaged(plain, MIB * 3 // 2))
    result = without(closed, *DECRYPT, "f.rijn", "-o", "-")
    assert result.code == 4
    assert plain.startswith(result.out)
    assert without(closed, *DECRYPT, "f.rijn", "-o", "out") == Result(
        4, b"", "" if 2 in closed else result.err.split(";")[0] + LEFT_NOTHING
    )
    assert names(folder) == {"f.rijn"}


LEFT_NOTHING = "; --range can read the intact chunks)\n"


@pytest.mark.parametrize("closed", [{1}, {0, 1}], ids=str)
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_no_standard_output(folder: Path, closed: set[int], name: str) -> None:
    Path("f").write_bytes(b"data")
    assert without(closed, *ENCRYPT, "f", "-o", name) == Result(
        1, b"", "rijn: standard output is closed (name a destination)\n"
    )
    assert without({*closed, 2}, *ENCRYPT, "f", "-o", name) == Result(1, b"", "")


def test_no_standard_input(folder: Path) -> None:
    assert without({0}, *ENCRYPT, "-", "-o", "out") == Result(
        1, b"", "rijn: standard input is closed (name a source)\n"
    )
    assert without({0}, "encrypt", "--passphrase-fd", "0", "f").code == 2
    assert names(folder) == set()


def test_printing_needs_standard_output(folder: Path) -> None:
    Path("f.rijn").write_bytes(sealed(b""))
    for arguments in (["--version"], ["info", "f.rijn"], ["backends"], ["keygen"]):
        result = without({1}, *arguments)
        assert result.code == 1, arguments
        assert "standard output" in result.err and result.err.count("\n") == 1
        reading, writing = os.pipe()
        os.close(reading)
        assert call([*RIJN, *arguments], stdout=writing) == Result(141, b"", ""), arguments
        os.close(writing)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_full_descriptors(folder: Path) -> None:
    Path("f.rijn").write_bytes(damaged(b"data", -1))
    with open("/dev/full", "wb") as full:
        assert call([*RIJN, *DECRYPT, "f.rijn"], stderr=full) == Result(4, b"", "")
        result = call([*RIJN, "info", "f.rijn"], stdout=full)
        assert result.code == 8
        assert "No space left on device (" in result.err
        result = call([*RIJN, *ENCRYPT, "f.rijn", "-o", "-"], stdout=full)
        assert result.code == 8 and result.err.endswith("; nothing was kept)\n")


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_key_is_not_redirected_where_others_can_read_it(folder: Path, name: str) -> None:
    for bits, code in ((0o644, 7), (0o620, 7), (0o600, 0)):
        with open("new", "wb") as new:
            os.fchmod(new.fileno(), bits)
            result = call([*RIJN, "keygen", "-o", name], stdout=new)
        assert result.code == code
        assert bool(Path("new").read_bytes()) == (code == 0)


# ---- Half a result ----


@pytest.mark.parametrize("kind", ["pipe", "redirection", "named pipe"])
def test_the_bytes_that_are_not_whole_are_counted(folder: Path, kind: str) -> None:
    plain = os.urandom(4 * MIB)
    Path("f.rijn").write_bytes(damaged(plain, 3 * MIB))
    name = "standard output"
    if kind == "pipe":
        result = call([*RIJN, *DECRYPT, "f.rijn", "-o", "-"])
        found = result.out
    elif kind == "redirection":
        with open("out", "wb") as file:
            result = call([*RIJN, *DECRYPT, "f.rijn", "-o", "-"], stdout=file)
        found = Path("out").read_bytes()
    else:
        name = "named"
        os.mkfifo(name)
        with open("out", "wb") as file, start(["cat", "named"], stdout=file) as cat:
            result = call([*RIJN, *DECRYPT, "f.rijn", "-o", "named"])
            cat.wait(LIMIT)
        found = Path("out").read_bytes()
    assert result.code == 4
    assert plain.startswith(found) and len(found) >= 2 * MIB
    assert result.err.endswith(f"; the {len(found):,} bytes that went to {name} are not whole)\n")


def test_a_limit_to_the_size_of_files(folder: Path) -> None:
    """Set by ulimit -f: like a full disk, without a disk."""
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, MIB))

    Path("f").write_bytes(bytes(3 * MIB))
    result = call([*RIJN, *ENCRYPT, "f"], limit)
    assert result == Result(
        8,
        b"",
        "rijn: f.rijn: File too large (make room or choose another place; nothing was kept)\n",
    )
    with open("out", "wb") as file:
        result = call([*RIJN, *ENCRYPT, "f", "-o", "-"], limit, stdout=file)
    assert result.code == 8
    assert f"the {MIB:,} bytes that went to standard output are not whole" in result.err
    assert Path("out").stat().st_size == MIB
    assert names(folder) == {"f", "out"}


# ---- A source that changes while it is read ----

CHANGES: dict[str, Callable[[int, int], object]] = {  # takes another descriptor, and rijn's own
    "shrinks": lambda fd, _: os.ftruncate(fd, 3 * MIB),
    "grows": lambda fd, _: os.pwrite(fd, b"more", 4 * MIB + 1),
    "is written to": lambda fd, _: os.pwrite(fd, b"other", 100),
    "is read by another program too": lambda _, own: os.lseek(own, 0, os.SEEK_END),
}


@pytest.mark.parametrize("destination", ["out", "-"])
@pytest.mark.parametrize("reading", ["in order", "by the jobs"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_source_that_changes(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    change: str,
    reading: str,
    destination: str,
) -> None:
    """It changes after half of it has been read."""
    Path("f").write_bytes(bytes(4 * MIB + 1))
    os.utime("f", (1, 1))
    read, read_at = Unchanging.readinto, pipeline._read_at
    # The jobs do not depend on another program's position. The rest is read in order.
    place = 4 * MIB if reading == "by the jobs" and "by another" in change else 2 * MIB
    changed = []

    def change_it(own: int) -> None:
        with open("f", "r+b") as file:
            CHANGES[change](file.fileno(), own)
        changed.append(change)

    def read_and_change(self: io.FileIO, buffer: memoryview) -> int | None:
        if self.tell() == place:
            change_it(self.fileno())
        return read(self, buffer)

    def read_at_and_change(fd: int, view: memoryview, at: int) -> int:
        if at == place:
            change_it(fd)
        return read_at(fd, view, at)

    if reading == "in order":
        monkeypatch.setattr(pipeline, "_extent", lambda source: (0, 0))
    elif not hasattr(os, "preadv"):
        pytest.skip("jobs read nothing here")
    monkeypatch.setattr(Unchanging, "readinto", read_and_change)
    monkeypatch.setattr(pipeline, "_read_at", read_at_and_change)
    assert main([*ENCRYPT, "--jobs", "1", "f", "-o", destination]) == 1
    assert changed == [change]
    out, err = capfdbinary.readouterr()
    assert err.startswith(b"rijn: f: changed while it was read: 4,194,305 bytes at first, ")
    assert names(folder) == {"f"}
    if destination == "-":
        assert b"are not whole" in err
        with pytest.raises(chunked.Truncated):
            chunked.decrypt(KEY, out[len(HEADER) :], context=HEADER)


def test_sources_without_a_size_of_their_own(folder: Path, run: Run) -> None:
    """A file that /proc generates, and a file that is read from its middle."""
    if Path("/proc/version").exists():
        assert run(*ENCRYPT, "/proc/version", "-o", "v.rijn").code == 0
        assert run(*DECRYPT, "v.rijn", "-o", "-").out == Path("/proc/version").read_bytes()
    Path("f").write_bytes(b"line\nrest")
    script = 'read line; "$@" > out'
    with open("f", "rb") as source:
        assert call(["sh", "-c", script, "sh", *RIJN, *ENCRYPT], stdin=source).code == 0
    assert run(*DECRYPT, "out", "-o", "-").out == b"rest"


# ---- A real block device ----


@contextmanager
def loop_device(size: int) -> Iterator[Path]:
    Path("backing").write_bytes(bytes(size))
    if not shutil.which("losetup"):
        pytest.skip("there is no losetup here")
    made = call(["losetup", "--find", "--show", "backing"])
    if made.code:
        pytest.skip(f"no loop device available: {made.err.strip()}")
    device = Path(made.out.decode().strip())
    try:
        yield device
    finally:
        call(["losetup", "--detach", str(device)])


def test_a_real_block_device(folder: Path, run: Run) -> None:
    plain = os.urandom(MIB)
    Path("f.rijn").write_bytes(sealed(plain))
    with loop_device(2 * MIB) as device:
        name = str(device)
        assert run(*DECRYPT, "f.rijn", "-o", name) == Result(
            9, b"", f"rijn: {name}: is a block device (--force overwrites its contents)\n"
        )
        assert device.read_bytes() == bytes(2 * MIB)
        assert run(*DECRYPT, "-f", "f.rijn", "-o", name) == Result(0, b"", "")
        assert device.read_bytes() == plain + bytes(MIB)
        for source, destination in ((name, name), ("backing", name)):
            result = run(*ENCRYPT, "-f", source, "-o", destination)
            assert result.code == 9
            assert "source and destination are the same file" in result.err
        with device.open("r+b") as same:
            result = call([*RIJN, *ENCRYPT, name, "-o", "-"], stdout=same)
        assert result.code == 9
        Path("long.rijn").write_bytes(sealed(bytes(3 * MIB)))
        used = os.open(name, os.O_RDONLY | os.O_EXCL)  # like a mount
        assert run(*DECRYPT, "-f", "long.rijn", "-o", name).code == 1
        os.close(used)
        assert device.read_bytes() == plain + bytes(MIB)
        result = run(*DECRYPT, "-f", "long.rijn", "-o", name)
        assert result.code == 8
        assert result.err == (
            f"rijn: {name}: No space left on device (make room or choose another place; "
            f"the {2 * MIB:,} bytes that went to {name} are not whole)\n"
        )
        Path("f").write_text("data")
        assert run(*ENCRYPT, "f", "-o", name).code == 9
        assert run("keygen", "-o", name).code == 9
