"""Unplanned ends: signals, a full disk, a reader that goes away, a race for the name."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from program import KEY, LIMIT, RIJN, Result, call, names, start

from rijn import chunked
from rijn.cli.destination import Destination
from rijn.cli.failures import Failure
from rijn.disk import clibrary
from rijn.disk.rename import rename_new
from rijn.disk.same_file import unchanged
from rijn.files import Header

if sys.platform == "win32":
    pytest.skip("needs POSIX signals and file systems", allow_module_level=True)

Run = Callable[..., Result]
MIB = 1 << 20
HEADER = Header("AEAD_AES_128_GCM").encode()
UMASK = os.umask(0o022)
os.umask(UMASK)


def rijn_file(data: bytes) -> bytes:
    return HEADER + chunked.encrypt(KEY, data, context=HEADER)


@contextmanager
def stalled(
    folder: Path, *arguments: str, data: bytes, ignored: signal.Signals | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs rijn until it has read `data`, and keeps its input open."""

    def prepare() -> None:
        if ignored:
            signal.signal(ignored, signal.SIG_IGN)

    process = start(
        [*RIJN, *arguments],
        prepare,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    try:
        process.stdin.write(data)
        process.stdin.flush()
        deadline = time.monotonic() + LIMIT
        while not any(path.stat().st_size >= MIB for path in folder.glob(".rijn-*.part")):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.communicate(timeout=LIMIT)


WORK = pytest.mark.parametrize(
    ("command", "data"),
    [("encrypt", bytes(6 * MIB)), ("decrypt", rijn_file(bytes(6 * MIB))[:-200])],
    ids=["encrypt", "decrypt"],
)


@WORK
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing(folder: Path, command: str, data: bytes, number: int) -> None:
    with stalled(folder, command, "-k", ".key", "-", "-o", "out", data=data) as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + number
    assert err == b"rijn: interrupted (nothing was left behind)\n"
    assert names(folder) == set()


@WORK
def test_a_kill_leaves_nothing_under_the_name(folder: Path, command: str, data: bytes) -> None:
    with stalled(folder, command, "-k", ".key", "-", "-o", "out", data=data) as process:
        process.kill()
        process.wait(LIMIT)
    assert process.returncode == -signal.SIGKILL
    (left,) = names(folder)
    assert left.startswith(".rijn-") and left.endswith(".part")
    assert (folder / left).stat().st_mode & 0o777 == 0o600


@WORK
def test_a_signal_keeps_the_file_that_was_to_be_replaced(
    folder: Path, command: str, data: bytes
) -> None:
    Path("out").write_text("old")
    with stalled(folder, command, "-f", "-k", ".key", "-", "-o", "out", data=data) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
    assert Path("out").read_text() == "old"
    assert names(folder) == {"out"}


def test_an_ignored_signal_stays_ignored(folder: Path) -> None:
    """nohup starts programs like this."""
    arguments = ("encrypt", "-k", ".key", "-", "-o", "out")
    with stalled(folder, *arguments, data=bytes(6 * MIB), ignored=signal.SIGHUP) as process:
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    assert names(folder) == {"out"}


def test_a_file_that_appears_meanwhile_is_not_overwritten(folder: Path) -> None:
    with stalled(folder, "encrypt", "-k", ".key", "-", "-o", "out", data=bytes(6 * MIB)) as process:
        Path("out").write_text("mine")
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 9
    assert err == b"rijn: out: exists already (--force overwrites it)\n"
    assert Path("out").read_text() == "mine"
    assert names(folder) == {"out"}


def test_a_failed_decryption_leaves_nothing(folder: Path, run: Run) -> None:
    sealed = bytearray(rijn_file(bytes(6 * MIB)))
    sealed[5 * MIB] ^= 1
    Path("f.rijn").write_bytes(sealed)
    result = run("decrypt", "-k", ".key", "f.rijn")
    assert (result.code, result.out) == (4, b"")
    assert names(folder) == {"f.rijn"}


def test_a_pipe_gets_authentic_plaintext_only(folder: Path, run: Run) -> None:
    plain = os.urandom(6 * MIB)
    sealed = rijn_file(plain)
    damaged = bytearray(sealed)
    damaged[5 * MIB] ^= 1
    for broken, code in ((bytes(damaged), 4), (sealed[: 5 * MIB], 5), (sealed[:-31], 5)):
        result = run("decrypt", "-k", ".key", stdin=broken)
        assert result.code == code and result.err
        assert 4 * MIB <= len(result.out) < len(plain)
        assert plain.startswith(result.out)


def test_a_reader_that_goes_away(folder: Path) -> None:
    """For example `rijn decrypt f.rijn - | head -c 10`."""
    Path("f.rijn").write_bytes(rijn_file(bytes(6 * MIB)))
    process = start(
        [*RIJN, "decrypt", "-k", ".key", "f.rijn", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.read(10) == bytes(10)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(LIMIT) == 141
    assert err == b""


# ---- No space ----


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mounts a file system of 3 MiB at folder/disk."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small tmpfs: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_full_disk(folder: Path, run: Run, command: str) -> None:
    Path("source").write_bytes(
        bytes(6 * MIB) if command == "encrypt" else rijn_file(bytes(6 * MIB))
    )
    with small_disk(folder) as disk:
        result = run(command, "-k", ".key", "source", "-o", "disk/out")
        assert result.code == 8
        assert result.err == (
            "rijn: disk/out: No space left on device "
            "(make room or choose another place; nothing was kept)\n"
        )
        assert list(disk.iterdir()) == []
        (disk / "old").write_text("old")
        data = Path("source").read_bytes()
        assert run(command, "-f", "-k", ".key", "-", "-o", "disk/old", stdin=data).code == 8
        assert (disk / "old").read_text() == "old"
        assert [path.name for path in disk.iterdir()] == ["old"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_full_device(folder: Path, run: Run) -> None:
    Path("source").write_bytes(bytes(MIB))
    result = run("encrypt", "-k", ".key", "source", "-o", "/dev/full")
    assert result.code == 8
    assert result.err.startswith("rijn: /dev/full: No space left on device (")


# ---- Names and permission bits ----


def mode(path: str) -> int:
    return Path(path).stat().st_mode & 0o7777


def test_permission_bits(folder: Path, run: Run) -> None:
    """They come from the source or from any new file, without the umask's bits, or from the replaced
    file."""
    former = os.umask(0o027)
    try:
        Path("f").write_text("text")
        for bits in (0o600, 0o644, 0o755, 0o400, 0o4755):
            os.chmod("f", bits)
            assert run("encrypt", "-k", ".key", "f").code == 0
            assert mode("f.rijn") == bits & 0o750
            os.chmod("f.rijn", bits)
            assert run("decrypt", "-k", ".key", "f.rijn", "-o", "g").code == 0
            assert mode("g") == bits & 0o750
            os.unlink("f.rijn")
            os.unlink("g")
        os.chmod("f", 0o644)
        Path("old").write_text("old")
        os.chmod("old", 0o600)
        assert run("encrypt", "-f", "-k", ".key", "-", "-o", "old", stdin=b"text").code == 0
        assert mode("old") == 0o600
        assert run("encrypt", "-k", ".key", "-", "-o", "new", stdin=b"text").code == 0
        assert mode("new") == 0o666 & ~0o027
    finally:
        os.umask(former)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may do everything")
def test_a_folder_that_cannot_be_written_to(folder: Path, run: Run) -> None:
    Path("f").write_text("text")
    Path("d").mkdir(mode=0o500)
    result = run("encrypt", "-k", ".key", "f", "-o", "d/f.rijn")
    assert result.code == 1
    assert result.err.startswith("rijn: d/f.rijn: Permission denied (")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives away")
def test_the_bits_of_another_group(folder: Path, run: Run) -> None:
    """A source's group bits apply to its group, and the result has another group."""
    Path("f").write_text("text")
    os.chown("f", -1, os.getegid() + 1)
    for bits, expected in ((0o640, 0o600), (0o660, 0o600), (0o664, 0o644)):
        os.chmod("f", bits)
        assert run("encrypt", "-k", ".key", "f").code == 0
        assert mode("f.rijn") == expected & ~UMASK
        os.unlink("f.rijn")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives away")
def test_the_bits_of_another_owner(folder: Path, run: Run) -> None:
    """Anybody who may write to the folder could have put a world-readable file there."""
    Path("f").write_text("text")
    os.chmod("f", 0o640)
    assert run("encrypt", "-k", ".key", "f").code == 0
    for bits, expected in ((0o666, 0o640), (0o644, 0o640), (0o600, 0o600)):
        os.chmod("f", bits)
        os.chown("f", os.geteuid() + 1, -1)
        assert run("decrypt", "-f", "-k", ".key", "f.rijn", "-o", "f").code == 0
        assert mode("f") == expected & ~UMASK
        assert Path("f").stat().st_uid == os.geteuid()


# ---- A signal at each step ----

SCENARIOS = [
    {"signal": number, "force": force, "names": names}
    for number in (signal.SIGTERM, signal.SIGKILL)
    for force, names in ((False, "rename"), (False, "link"), (False, "none"), (True, "rename"))
]
SCENARIOS.append({"signal": signal.SIGINT, "force": False, "names": "rename"})


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Returns the reports of faults.py about every step of every scenario."""
    done = call(
        [sys.executable, Path(__file__).with_name("faults.py"), tmp_path_factory.mktemp("f") / "d"],
        stdin="\n".join(map(json.dumps, SCENARIOS)).encode(),
    )
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_faults_come_at_every_step(faults: list[dict[str, Any]]) -> None:
    """The control for the tests below: the signals come before and after the commit."""
    for scenario in SCENARIOS:
        runs = [each for each in faults if scenario.items() <= each.items()]
        assert len(runs) > 20
        made = {each["files"].get("f", ["nothing", 0])[0] for each in runs}
        assert made == {"new", "old" if scenario["force"] else "nothing"}


def test_a_signal_around_the_commit_is_reported_truly(faults: list[dict[str, Any]]) -> None:
    for each in faults:
        number = each["signal"]
        if number == signal.SIGKILL:
            continue
        before = {"f": ["old", 0o644]} if each["force"] else {}
        after = {"f": ["new", 0o644]}
        if each["step"] < 0:  # no signal, or one after the end: it changes nothing
            expected = (0, "", after)
        elif "whole" in each["err"]:
            expected = (128 + number, "rijn: interrupted (the result in f is whole)\n", after)
        else:
            expected = (128 + number, "rijn: interrupted (nothing was left behind)\n", before)
        assert (each["code"], each["err"], each["files"]) == expected, each


def test_a_kill_leaves_all_or_nothing_and_nothing_readable_by_others(
    faults: list[dict[str, Any]],
) -> None:
    """The name holds the whole old file or the whole new one. Only the owner can
    read an unfinished result, and the one temporary file that may stay beside it."""
    for each in faults:
        if each["signal"] != signal.SIGKILL or each["step"] == -1:
            continue
        assert each["code"] == -signal.SIGKILL
        files = each["files"]
        content, bits = files.pop("f", ["nothing", 0o600])
        if content == "new":
            assert bits in (0o600, 0o644), each
        elif each["force"]:
            assert (content, bits) == ("old", 0o644), each
        else:
            assert content == "nothing", each
        assert len(files) <= 1, each
        for name, (_, bits) in files.items():
            assert name.startswith(".rijn-") and name.endswith(".part"), each
            assert bits == 0o600, each


@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EACCES])
def test_file_systems_without_rename_or_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool, exists: bool, number: int
) -> None:
    """They cannot rename without replacement. Some have no hard links either."""

    def no_link(*args: object, **kwargs: object) -> None:
        raise OSError(number, "no hard links here")

    monkeypatch.setattr("rijn.disk.new_file.rename_new", lambda old, new, **_: False)
    if not links:
        monkeypatch.setattr(os, "link", no_link)
    destination = Destination("out", None, force=False, content="plaintext")
    if exists:
        with pytest.raises(Failure, match="exists already"), destination as result:
            result.write(b"new")
            Path("out").write_text("mine")
        assert Path("out").read_text() == "mine"
    else:
        with destination as result:
            result.write(b"new")
            assert not Path("out").exists()
        assert Path("out").read_text() == "new"
    assert names(folder) == {"out"}


def test_a_rename_that_does_not_replace(folder: Path) -> None:
    Path("old").write_text("old")
    if not rename_new("old", "new"):
        pytest.skip("not available here")
    assert names(folder) == {"new"}
    Path("old").write_text("other")
    with pytest.raises(FileExistsError):
        rename_new("old", "new")
    assert Path("new").read_text() == "old"
    assert not rename_new("nothing", "newer")


def test_the_c_library_is_loaded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading it takes longer than renaming a file."""
    clibrary.c_library.cache_clear()
    loaded = []

    def load(*arguments: Any, **named: Any) -> Any:
        loaded.append(arguments)
        return ctypes_cdll(*arguments, **named)

    ctypes_cdll = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", load)
    for number in range(3):
        Path("old").write_text("old")
        rename_new("old", f"new{number}")
    assert len(loaded) == 1


def test_a_file_that_took_the_name_is_checked_again(folder: Path) -> None:
    """Even --force does not cover a file that did not exist when the command began."""

    def refused(said: str, take_name: Callable[[], object], **rules: Any) -> None:
        destination = Destination("out", source, force=True, content="plaintext", **rules)
        with pytest.raises(Failure, match=said), destination as result:
            result.write(b"data")
            take_name()

    Path("f").write_bytes(b"source")
    source = os.stat("f")
    refused("became another file", lambda: os.mkfifo("out"))
    os.unlink("out")
    refused("same file", lambda: os.rename("f", "out"))
    assert Path("out").read_bytes() == b"source"
    os.rename("out", "f")
    refused(
        "--force replaces it only if -o names it",
        lambda: Path("out").write_bytes(b"mine"),
        replaceable=lambda path: False,
    )
    assert Path("out").read_bytes() == b"mine"
    assert names(folder) == {"f", "out"}


def test_a_pipe_that_became_a_file_is_not_written_to(folder: Path) -> None:
    os.mkfifo("out")
    destination = Destination("out", None, force=True, content="plaintext")
    os.unlink("out")
    Path("out").write_bytes(b"mine")
    with pytest.raises(Failure, match="became another file"), destination as result:
        result.write(b"data")
    assert Path("out").read_bytes() == b"mine"


def test_a_pipe_that_became_another_pipe_is_not_written_to(folder: Path) -> None:
    """Another pipe under the same name is another file."""
    os.mkfifo("out")
    os.mkfifo("other")
    destination = Destination("out", None, force=True, content="plaintext")
    reader = os.open("other", os.O_RDONLY | os.O_NONBLOCK)
    try:
        os.rename("other", "out")
        with pytest.raises(Failure, match="became another file"), destination as result:
            result.write(b"data")
        assert os.read(reader, 9) == b""
    finally:
        os.close(reader)


def test_a_file_like_the_one_that_was_read_is_another(folder: Path) -> None:
    """A copy has the same size and time."""
    for name in ("read", "copy"):
        Path(name).write_text(name)
        os.utime(name, ns=(1, 1))
    read = os.stat("read")
    assert unchanged("read", read)
    assert not unchanged("copy", read)
    os.symlink("read", "link")
    assert not unchanged("link", read)
    destination = Destination("read", None, force=True, content="plaintext", in_place=read)
    with pytest.raises(Failure, match="became another file"), destination as result:
        result.write(b"data")
        os.rename("copy", "read")
    assert Path("read").read_text() == "copy"


def test_a_link_that_is_planted_meanwhile_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """realpath would follow the link. In a shared folder the kernel does not."""
    Path("theirs").write_text("theirs")
    real = os.path.realpath

    def late(path: str) -> str:
        found = real(path)
        os.symlink("theirs", "out")
        return found

    monkeypatch.setattr(os.path, "realpath", late)
    with pytest.raises(Failure, match="changed meanwhile"):
        Destination("out", None, force=True, content="plaintext")
    assert Path("theirs").read_text() == "theirs"


@pytest.mark.parametrize("refused", ["fchmod", "the folder's fsync"])
def test_a_refusal_after_the_commit_is_not_a_failure(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    sync = os.fsync

    def refuse(fd: int, mode: int | None = None) -> None:
        if mode is None and not stat.S_ISDIR(os.fstat(fd).st_mode):
            sync(fd)
            return
        raise PermissionError(errno.EPERM, "not here")

    monkeypatch.setattr(os, "fchmod" if refused == "fchmod" else "fsync", refuse)
    with Destination("out", None, force=False, content="plaintext") as result:
        result.write(b"data")
    assert Path("out").read_bytes() == b"data"
    if refused == "fchmod":
        assert stat.S_IMODE(os.stat("out").st_mode) == 0o600


def test_the_result_is_synced_before_it_gets_its_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    monkeypatch.setattr(
        "rijn.disk.new_file.rename_new", lambda old, new, **_: steps.append("rename")
    )
    for name in ("fsync", "link", "fchmod"):
        real = getattr(os, name)

        def note(*args: object, real=real, name: str = name, **named: object) -> None:
            steps.append(name)
            real(*args, **named)

        monkeypatch.setattr(os, name, note)
    with Destination("out", None, force=False, content="plaintext") as result:
        result.write(b"data")
    # the file, its name, its bits, the folder
    assert steps == ["fsync", "rename", "link", "fchmod", "fsync"]
