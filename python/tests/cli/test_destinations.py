"""Destinations: the table in docs/command-reference.md, row by row, and errors of devices."""

from __future__ import annotations

import errno
import os
import re
import socket
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from program import KEY, LIMIT, Result, names

from rijn import chunked
from rijn.cli import main
from rijn.disk import rename, same_file
from rijn.files import Header, format_key

if sys.platform == "win32":
    pytest.skip("needs POSIX files", allow_module_level=True)

import pty

Run = Callable[..., Result]
MIB = 1 << 20
MANUAL = Path(__file__).parents[3] / "docs" / "command-reference.md"
HEADER = Header("AEAD_AES_128_GCM").encode()
DATA, OLD = b"what is meant\n", b"what was there\n"


def sealed(data: bytes, *, bare: bool = False) -> bytes:
    context = b"" if bare else HEADER
    return context + chunked.encrypt(KEY, data, context=context)


def opened(data: bytes) -> bytes:
    """Returns the plaintext of a Rijn file or a bare message, or the plaintext itself."""
    if data.startswith(DATA):
        return data
    context = HEADER if data.startswith(HEADER) else b""
    return chunked.decrypt(KEY, data.removeprefix(context), context=context)


@dataclass
class Case:
    """A command without its options, and the file to check afterwards."""

    arguments: str
    looked_at: str
    stdin: str = os.devnull


# ---- One function per row of the table. It makes the file under the result's name, and yields cases.
# ---- The folder contains f, f.rijn and f.c2sp, which hold DATA.


def nothing() -> Iterator[Case]:
    for arguments in ("encrypt f -o new", "decrypt f.rijn -o new", "decrypt --bare f.c2sp -o new"):
        yield Case(arguments, "new")
        os.unlink("new")


def dangling() -> Iterator[Case]:
    os.symlink("target", "link")
    yield Case("encrypt f -o link", "target")


def own_choice() -> Iterator[Case]:
    os.mkdir("folder")
    Path("g").write_bytes(DATA)
    for name in ("g.rijn", "g.c2sp", "folder/g.rijn"):
        Path(name).write_bytes(OLD)
    os.symlink("../g.rijn", "folder/link.rijn")
    yield Case("encrypt g", "g.rijn")
    yield Case("encrypt --bare g", "g.c2sp")
    yield Case("encrypt g -o folder", "folder/g.rijn")
    Path("g.rijn").write_bytes(OLD)
    os.rename("g", "link")
    yield Case("encrypt link -o folder/", "g.rijn")
    os.rename("link", "g")
    Path("f.rijn.rijn").write_bytes(sealed(DATA))
    os.rename("f.rijn", "kept")
    Path("f.rijn").write_bytes(OLD)
    yield Case("decrypt f.rijn.rijn", "f.rijn")


def other_choice() -> Iterator[Case]:
    os.mkdir("folder")
    Path("folder/f").write_bytes(OLD)
    Path("f").write_bytes(OLD)
    yield Case("decrypt f.rijn", "f")
    yield Case("decrypt --bare f.c2sp", "f")
    yield Case("decrypt f.rijn -o folder/", "folder/f")
    os.symlink("f", "g.rijn")
    Path("g").write_bytes(DATA)
    yield Case("encrypt g", "f")


def named() -> Iterator[Case]:
    Path("g").write_bytes(DATA)
    for name in ("other", "other.rijn", "empty"):
        for arguments, stdin in (
            ("encrypt g", os.devnull),
            ("encrypt --bare g", os.devnull),
            ("encrypt -", "g"),
            ("decrypt f.rijn", os.devnull),
            ("decrypt --range 0: f.rijn", os.devnull),
            ("decrypt --bare -", "f.c2sp"),
        ):
            Path(name).write_bytes(b"" if name == "empty" else OLD)
            yield Case(f"{arguments} -o {name}", name, stdin)
    Path("f").write_bytes(OLD)
    yield Case("decrypt f.rijn -o ../$PWD/f", "f")


def system_folder() -> Iterator[Case]:
    for name in ("/dev/rijn-none", "/proc/rijn-none", "/sys/rijn-none"):
        if os.path.isdir(os.path.dirname(name)):
            yield Case(f"encrypt f -o {name}", "")
            yield Case(f"decrypt f.rijn -o {name}", "")
            assert not os.path.lexists(name)


def redirected_to() -> Iterator[Case]:
    Path("g").write_bytes(DATA)
    kept = os.dup(1)
    for arguments, name in (
        ("encrypt g", "g.rijn"),
        ("encrypt --bare g", "g.c2sp"),
        ("decrypt g.rijn", "g"),
    ):
        made = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(made, 1)
        os.close(made)
        try:
            yield Case(arguments, name)
        finally:
            os.dup2(kept, 1)
    os.close(kept)


def input_of_the_command() -> Iterator[Case]:
    os.link("f", "hard")
    os.symlink("f", "soft")
    os.link("key", "key2")
    os.symlink("key", "key3")
    for name in ("f", "hard", "soft", "../$PWD/f", "key", "key2", "key3"):
        yield Case(f"encrypt f -o {name}", name)
    yield Case("encrypt - -o f", "f", "f")
    yield Case("decrypt f.rijn -o f.rijn", "f.rijn")
    Path("g").write_bytes(DATA)
    os.rename("f.c2sp", "g.rijn")
    yield Case("encrypt g.rijn -o g.rijn", "g.rijn")
    yield Case("decrypt f.rijn -o key", "key")
    os.rename("f", "key.rijn")  # makes the key the command's default result
    Path("key.rijn").write_bytes(sealed(DATA))
    yield Case("decrypt key.rijn", "key")
    os.mkfifo("pipe")
    reading = os.open("pipe", os.O_RDWR)
    yield Case("encrypt - -o pipe", "", "pipe")
    os.close(reading)


def no_files() -> Iterator[Case]:
    os.mkdir("folder")
    os.mkdir("folder/f.rijn")
    yield Case("encrypt f -o folder", "")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        yield Case("encrypt f -o socket", "")


def block_device() -> Iterator[Case]:
    """A file that pretends to be one (see `pretending`). Another test has a real one."""
    for arguments in ("encrypt f -o block", "encrypt - -o block", "decrypt f.rijn -o block"):
        Path("block").write_bytes(bytes(10))
        yield Case(arguments, "block", "f")


def its_own_device() -> Iterator[Case]:
    Path("block").write_bytes(DATA)
    yield Case("encrypt block -o block", "block")
    yield Case("encrypt block -o block-part", "block")
    yield Case("encrypt block-part -o block", "block")


def pipes_and_devices() -> Iterator[Case]:
    os.mkfifo("pipe")
    reading = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open("pipe", os.O_WRONLY)  # prevents an end of file before rijn has opened it
    with reader(reading):
        yield Case("encrypt f -o pipe", "read")
        os.close(writing)
    yield Case("encrypt f -o /dev/null", "f")
    terminal, name = pty.openpty()
    with reader(terminal):
        yield Case(f"decrypt f.rijn -o {os.ttyname(name)}", "read")
        os.close(name)


def open_descriptors() -> Iterator[Case]:
    for flags in (os.O_TRUNC, 0):
        fd = os.open("redirected", os.O_WRONLY | os.O_CREAT | flags, 0o600)
        yield Case(f"decrypt f.rijn -o /dev/fd/{fd}", "redirected")
        yield Case(f"decrypt f.rijn -o /proc/self/fd/{fd}", "redirected")
        os.close(fd)
    reading, writing = os.pipe()
    with reader(reading):
        yield Case(f"encrypt f -o /dev/fd/{writing}", "read")
        os.close(writing)


@contextmanager
def reader(fd: int) -> Iterator[None]:
    """Starts a thread that copies the descriptor's data to the file `read`."""

    def drain() -> None:
        os.set_blocking(fd, True)
        with open("read", "wb") as file:
            try:
                while data := os.read(fd, MIB):
                    file.write(data.replace(b"\r\n", b"\n"))
            except OSError:  # Linux: the terminal's other side is closed
                pass

    thread = threading.Thread(target=drain, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(LIMIT)
        os.close(fd)


ROWS: dict[str, Callable[[], Iterator[Case]]] = {
    "nothing": nothing,
    "nothing, in /dev, /proc or /sys (except /dev/shm)": system_folder,
    "a symbolic link to nothing": dangling,
    "a file that `-o` names": named,
    "a file with a default name that ends in `.rijn` (`--bare`: `.c2sp`)": own_choice,
    "a file with another default name": other_choice,
    "the empty file that a redirection made under the default name (`rijn encrypt x > x.rijn`)": redirected_to,
    "the source, the file of the key or passphrase, under any name": input_of_the_command,
    "a folder, a socket": no_files,
    "a block device": block_device,
    "a block device that is, holds or is part of the source": its_own_device,
    "a pipe, a terminal, another character device": pipes_and_devices,
    "`-`, `/dev/stdout`, `/dev/fd/N`, whatever they are connected to": open_descriptors,
}


def table() -> dict[str, tuple[str, str]]:
    section = re.search(r"## What may be a destination\n(.*?)\n## ", MANUAL.read_text(), re.DOTALL)
    assert section
    rows = re.findall(r"^\| (.*?) \| (\w+) \| (\w+) \|$", section[1], re.MULTILINE)
    return {what: (without, forced) for what, without, forced in rows}


def test_the_manual_has_these_rows() -> None:
    assert list(table()) == list(ROWS)


@contextmanager
def pretending() -> Iterator[None]:
    """Makes files whose names begin with `block` look like block devices to the program: 99:0, and
    with `part` in the name its partition 99:1."""
    real = {name: getattr(os, name) for name in ("stat", "fstat")}

    def pretend(name: str, file: str | int, **options: Any) -> os.stat_result:
        found: os.stat_result = real[name](file, **options)
        path = os.readlink(f"/proc/self/fd/{file}") if isinstance(file, int) else str(file)
        if not os.path.basename(path).startswith("block"):
            return found
        device = os.makedev(99, int("part" in path))
        as_block = (stat.S_IFBLK | 0o660, *found[1:])
        return os.stat_result((*as_block, *found[10:]), {"st_rdev": device})

    with pytest.MonkeyPatch.context() as patch:
        for name in real:
            patch.setattr(os, name, partial(pretend, name))
        patch.setattr(
            same_file, "_in_sysfs", lambda found: "/d/block" + "/part" * os.minor(found.st_rdev)
        )
        yield


def contents(folder: Path) -> dict[str, bytes | str]:
    """Returns the contents of the folder, except a reader's data."""
    return {
        path.name: os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.iterdir()
        if (path.is_symlink() or path.is_file()) and path.name not in ("read", "redirected")
    }


@pytest.mark.parametrize("force", [False, True], ids=["", "force"])
@pytest.mark.parametrize("row", ROWS)
def test_destinations(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    row: str,
    force: bool,
) -> None:
    if "block device" in row and not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc to know a descriptor's name")
    verdict = table()[row][force]
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(format_key(KEY))
    Path("key").chmod(0o600)
    Path("f").write_bytes(DATA)
    Path("f.rijn").write_bytes(sealed(DATA))
    Path("f.c2sp").write_bytes(sealed(DATA, bare=True))
    Path("block-part").write_bytes(DATA)
    written: list[Case] = []  # a reader's data is complete when the row's function continues
    for case in ROWS[row]():
        before = contents(tmp_path)
        arguments = case.arguments.replace("$PWD", tmp_path.name).split()
        with redirected(case.stdin), pretending() if "block device" in row else nullcontext():
            code = main([*arguments, *["-f"] * force, "-k", "key"])
        said = capfd.readouterr().err
        assert not list(tmp_path.glob(".rijn-*")), case
        if verdict == "refused":
            assert code == 9, (case, said)
            assert contents(tmp_path) == before, case
            assert re.fullmatch(r"rijn: .*\(.*\)\n", said), (case, said)
            continue
        assert (code, said) == (0, ""), case
        if verdict == "written":
            written.append(case)
        else:
            assert opened(Path(case.looked_at).read_bytes()) == DATA, case
    for case in written:
        assert opened(Path(case.looked_at).read_bytes()).startswith(DATA), case


def test_a_file_whose_name_is_that_of_standard_output(folder: Path, run: Run) -> None:
    Path("-.rijn").write_bytes(sealed(DATA))
    Path("-.c2sp").write_bytes(sealed(DATA, bare=True))
    for arguments in (["-.rijn"], ["--bare", "-.c2sp"]):
        assert run("decrypt", "-k", ".key", *arguments[:-1], "--", arguments[-1]).out == b""
        assert Path("-").read_bytes() == DATA
        Path("-").unlink()
    Path("-").write_bytes(OLD)
    assert run("decrypt", "-k", ".key", "--", "-.rijn").code == 9
    assert Path("-").read_bytes() == OLD


def test_errors_of_a_block_device_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A sync reports errors of the last writes."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc to know a descriptor's name")

    def broken(fd: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.chdir(tmp_path)
    Path("key").write_text(format_key(KEY))
    Path("key").chmod(0o600)
    Path("f.rijn").write_bytes(sealed(DATA))
    Path("block").write_bytes(bytes(100))
    monkeypatch.setattr(os, "fsync", broken)
    with pretending():
        assert main(["decrypt", "-f", "-k", "key", "f.rijn", "-o", "block"]) == 1
    said = capfd.readouterr().err
    assert "Input/output error" in said
    assert f"the {len(DATA):,} bytes that went to block are not whole" in said


def test_two_names_are_swapped(folder: Path) -> None:
    """Or nothing changes, on a system or file system that cannot swap them."""
    Path("file").write_text("text")
    Path("folder").mkdir()
    assert rename.swap("file", "folder") == Path("folder").is_file() == Path("file").is_dir()
    found = names(folder)
    assert not rename.swap("file", "absent")
    assert names(folder) == found == {"file", "folder"}


@contextmanager
def redirected(stdin: str) -> Iterator[None]:
    """Redirects standard input from this file."""
    kept, fd = os.dup(0), os.open(stdin, os.O_RDONLY)
    os.dup2(fd, 0)
    os.close(fd)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)
