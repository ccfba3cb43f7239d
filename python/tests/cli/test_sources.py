"""A FILE that is not a regular file: a pipe, a device, a socket, a descriptor, an entry of /proc."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from program import KEY, LIMIT, RIJN, Result, call, feed, names

from rijn import chunked
from rijn.files import Header, format_key

if sys.platform == "win32":
    pytest.skip("needs POSIX files", allow_module_level=True)

Run = Callable[..., Result]
HEADER = Header("AEAD_AES_128_GCM").encode()
DATA = b"some data\n"
SEALED = HEADER + chunked.encrypt(KEY, DATA, context=HEADER)
VERSION = Path("/proc/version")


def opened(sealed: bytes) -> bytes:
    assert sealed.startswith(HEADER)
    return chunked.decrypt(KEY, sealed.removeprefix(HEADER), context=HEADER)


@contextmanager
def substituted(data: bytes) -> Iterator[int]:
    """Yields the descriptor that a shell names /dev/fd/N for <(command)."""
    source, sink = os.pipe()
    thread = threading.Thread(target=feed, args=(sink, data))
    thread.start()
    try:
        yield source
    finally:
        os.close(source)
        thread.join(LIMIT)


def beside(path: str) -> set[str]:
    return {name for name in os.listdir(os.path.dirname(path)) if name.endswith(".rijn")}


@pytest.mark.parametrize("place", ["/dev/fd", "/proc/self/fd"])
def test_process_substitution(folder: Path, place: str) -> None:
    if not os.path.exists(place):
        pytest.skip(f"needs {place}")
    with substituted(DATA) as fd:
        done = call([*RIJN, "encrypt", "-k", ".key", f"{place}/{fd}"], pass_fds=[fd])
    assert (done.code, done.err) == (0, "")
    assert opened(done.out) == DATA
    for command, out in (
        (["decrypt", "-k", ".key"], DATA),
        (["verify", "-q", "-k", ".key"], b""),
    ):
        with substituted(SEALED) as fd:
            done = call([*RIJN, *command, f"{place}/{fd}"], pass_fds=[fd])
        assert done == Result(0, out, "")
    with substituted(SEALED) as fd:
        done = call([*RIJN, "info", f"{place}/{fd}"], pass_fds=[fd])
    assert done.code == 0 and b"AEAD_AES_128_GCM" in done.out
    with substituted(format_key(KEY).encode()) as fd:
        command = [*RIJN, "decrypt", "-k", f"{place}/{fd}"]
        assert call(command, stdin=SEALED, pass_fds=[fd]) == Result(0, DATA, "")
    with substituted(SEALED) as fd:
        command = [*RIJN, "rekey", "-k", ".key", "--new-key-file", ".key", f"{place}/{fd}"]
        done = call(command, pass_fds=[fd])
    assert done.code == 9 and "is not a file that rekey can replace" in done.err
    assert names(folder) == set()


def test_an_open_file_is_read_by_its_descriptor(folder: Path) -> None:
    Path("f").write_bytes(DATA)
    with open("f", "rb") as file:
        fd = file.fileno()
        done = call([*RIJN, "encrypt", "-k", ".key", f"/dev/fd/{fd}"], pass_fds=[fd])
    assert opened(done.out) == DATA
    assert names(folder) == {"f"}


def empty_block_device() -> list[str]:
    """Returns /dev/loop0, if it exists, nothing is attached to it, and this user may read it."""
    try:
        return [] if Path("/dev/loop0").read_bytes() else ["/dev/loop0"]
    except OSError:
        return []


def test_a_device_gets_no_file_beside_it(folder: Path, run: Run) -> None:
    for device in ("/dev/null", *empty_block_device()):
        before = beside(device)
        done = run("encrypt", "-k", ".key", device)
        assert (done.code, done.err) == (0, "")
        assert opened(done.out) == Path(device).read_bytes()
        assert beside(device) == before
    os.symlink("/dev/null", "link")
    assert opened(run("encrypt", "-k", ".key", "link").out) == b""
    assert names(folder) == {"link"}
    assert run("encrypt", "-k", ".key", "/dev/null", "-o", "out") == Result(0, b"", "")
    assert opened(Path("out").read_bytes()) == b""


@pytest.mark.skipif(not VERSION.exists(), reason="needs /proc")
def test_an_entry_of_proc_gets_no_file_beside_it(folder: Path, run: Run) -> None:
    done = run("encrypt", "-k", ".key", str(VERSION))
    assert (done.code, done.err) == (0, "")
    assert opened(done.out) == VERSION.read_bytes()


def test_a_named_pipe(folder: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(DATA))
    writer.start()
    done = call([*RIJN, "encrypt", "-k", ".key", "pipe"])
    writer.join(LIMIT)
    assert (done.code, done.err) == (0, "")
    assert opened(done.out) == DATA
    assert names(folder) == {"pipe"}


def test_rekey_does_not_wait_for_a_pipe(folder: Path, run: Run) -> None:
    os.mkfifo("pipe")
    done = run("rekey", "-k", ".key", "--new-key-file", ".key", "pipe")
    assert done.code == 9 and "is not a file that rekey can replace" in done.err


def test_sockets(folder: Path, run: Run) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        for command in ("encrypt", "decrypt", "verify"):
            done = run(command, "-k", ".key", "socket")
            assert done.code == 1 and "socket: is a socket (" in done.err
        assert "socket: is a socket (" in run("info", "socket").err
        done = run("encrypt", "-k", "socket", "-", stdin=b"")
        assert done.code == 7 and "socket: bad key file: it is a socket (" in done.err
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(DATA)
        ours.shutdown(socket.SHUT_WR)
        name = f"/dev/fd/{theirs.fileno()}"
        done = call([*RIJN, "encrypt", "-k", ".key", name], pass_fds=[theirs.fileno()])
    assert opened(done.out) == DATA


def test_names_of_standard_input_are_one(folder: Path, run: Run) -> None:
    key = format_key(KEY).encode()
    for arguments in (
        ["encrypt", "-k", "-", "/dev/stdin"],
        ["encrypt", "-k", "/dev/stdin", "-"],
        ["encrypt", "-k", "/dev/stdin", "/dev/fd/0"],
        ["encrypt", "-k", ".key", "-", "/dev/stdin"],
        ["decrypt", "-k", "-", "-k", "/dev/stdin", "f"],
        ["rekey", "-k", "-", "--new-key-file", "/dev/stdin", "f"],
        ["rekey", "-k", ".key", "--new-key-file", ".key", "/dev/stdin"],
    ):
        done = run(*arguments, stdin=key)
        assert done.code == 2 and "tandard input" in done.err, arguments
        assert done.out == b""
    assert run("decrypt", "-k", ".key", "/dev/stdin", stdin=SEALED) == Result(0, DATA, "")


def test_two_streams_do_not_share_standard_output(folder: Path, run: Run) -> None:
    done = run("encrypt", "-k", ".key", "/dev/null", "-")
    assert done.code == 2 and done.out == b""
    assert "/dev/null and standard input would both go to standard output" in done.err


def test_a_stream_has_no_name_in_a_folder(folder: Path) -> None:
    Path("out").mkdir()
    with substituted(DATA) as fd:
        command = [*RIJN, "encrypt", "-k", ".key", f"/dev/fd/{fd}", "-o", "out"]
        done = call(command, pass_fds=[fd])
    assert done.code == 2 and f"/dev/fd/{fd} has no name for a file in it" in done.err


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_tree_is_not_made_in_dev(folder: Path, run: Run, command: str) -> None:
    Path("folder").mkdir()
    done = run(command, "-r", "-k", ".key", "folder", "/dev/rijn-none")
    assert done.code == 9 and "/dev/rijn-none: is in a system folder" in done.err
    assert not os.path.lexists("/dev/rijn-none")


def test_a_stream_is_not_removed(folder: Path, run: Run) -> None:
    done = run("encrypt", "--rm", "-k", ".key", "/dev/null", "-o", "out")
    assert done.code == 2 and "--rm needs a FILE" in done.err
    assert names(folder) == set()
