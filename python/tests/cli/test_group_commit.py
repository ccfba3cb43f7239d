"""Results in batches: power cuts, signals, full disks, and systems without syncfs."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from faults import MODULES, Calls
from program import KEY, RIJN, call

from rijn import chunked
from rijn.cli import group_commit, main, sealed
from rijn.cli.tree import File
from rijn.cli.tree.crew import Crew
from rijn.disk import new_file
from rijn.disk.permissions import umask
from rijn.files import Header, format_key

if sys.platform == "win32":
    pytest.skip("needs POSIX signals and file systems", allow_module_level=True)

HEADER = Header("AEAD_AES_128_GCM").encode()
NEW = bytes(range(16, 32))


@pytest.fixture
def small(folder: Path) -> Path:
    """Makes a tree of small files, in folders."""
    for name in ("a", "b/c", "b/d/e"):
        (folder / "src" / name).mkdir(parents=True, exist_ok=True)
        for number in range(4):
            (folder / "src" / name / str(number)).write_bytes(f"{name} {number}".encode())
    (folder / "new").write_text(format_key(NEW))
    (folder / "new").chmod(0o600)
    return folder / "src"


COMMANDS = {
    "encrypt": ["encrypt", "-r", "-k", ".key", "src", "out"],
    "decrypt": ["decrypt", "-r", "-k", ".key", "out", "back"],
    "rekey": ["rekey", "-r", "-k", ".key", "--new-key-file", "new", "out"],
    "update": ["encrypt", "-r", "--update", "-k", ".key", "src", "out"],
}


def prepared(command: str, source: Path) -> list[str]:
    """Prepares work for a command, and returns its arguments."""
    if command != "encrypt":
        assert main(COMMANDS["encrypt"]) == 0
    if command == "update":
        for path in source.rglob("*"):
            if path.is_file():
                path.write_bytes(path.read_bytes() + b", changed")
    return COMMANDS[command]


class Disk:
    """Models a power cut. A new name may reach the disk at any time and in any order. Bytes are on the
    disk after a sync of the file, and names are certain after a sync of their folder."""

    def __init__(self, patch: pytest.MonkeyPatch, *, syncfs: bool) -> None:
        self.named: set[int] = set()
        self.empty: list[str] = []  # names that a power cut may leave without their bytes
        self.early: list[str] = []  # results counted before their names were certain
        self._unsynced: set[int] = set()
        self._folders: set[int] = set()  # folders whose names are not certain
        for name in ("write", "fsync", "mkdir", "rename", "replace", "link"):
            patch.setattr(os, name, self._wrapped(getattr(os, name), getattr(self, f"_{name}")))
        rename = new_file.rename_new

        def rename_new(old: str, new: str, *, folder: int | None = None) -> bool:
            self._name(old, new, folder)
            return rename(old, new, folder=folder)

        def sync_file_system(fd: int) -> bool:
            if syncfs:
                self._unsynced.clear()
                self._folders.clear()
            return syncfs

        def count(crew: Crew, file: File) -> None:
            if self._folders:
                self.early.append(file.result)
            counted(crew, file)

        counted = Crew._count
        patch.setattr(new_file, "rename_new", rename_new)
        patch.setattr(group_commit, "sync_file_system", sync_file_system)
        patch.setattr(Crew, "_count", count)

    @staticmethod
    def _wrapped(real: Callable[..., Any], seen: Callable[..., None]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            seen(*arguments, **named)
            return real(*arguments, **named)

        return call

    def _write(self, fd: int, data: bytes) -> None:
        self._unsynced.add(os.fstat(fd).st_ino)

    def _fsync(self, fd: int) -> None:
        self._unsynced.discard(os.fstat(fd).st_ino)
        self._folders.discard(os.fstat(fd).st_ino)

    def _mkdir(self, path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if dir_fd is not None:
            self._folders.add(os.fstat(dir_fd).st_ino)

    def _rename(self, old: str, new: str, *, src_dir_fd: int | None = None, **_: Any) -> None:
        self._name(old, new, src_dir_fd)

    _replace = _link = _rename

    def _name(self, old: str, new: str, folder: int | None) -> None:
        inode = os.stat(old, dir_fd=folder).st_ino
        self.named.add(inode)
        self._folders.add(os.stat(".", dir_fd=folder).st_ino)
        if inode in self._unsynced:
            self.empty.append(new)


@pytest.mark.parametrize("most", [1, 5, group_commit.MOST])
@pytest.mark.parametrize("syncfs", [True, False], ids=["syncfs", "fsync"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_cut_leaves_no_name_without_its_bytes(
    small: Path, command: str, syncfs: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = prepared(command, small)
    with monkeypatch.context() as patch:
        patch.setattr(group_commit, "MOST", most)
        disk = Disk(patch, syncfs=syncfs)
        assert main(arguments) == 0
    assert len(disk.named) == 12
    assert not disk.empty
    assert not disk.early


@pytest.mark.parametrize("command", COMMANDS)
def test_the_cut_finds_names_that_come_too_early(
    small: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: without the first sync every file may be empty, and without the second every
    result is counted too early."""
    arguments = prepared(command, small)
    with monkeypatch.context() as patch:
        disk = Disk(patch, syncfs=True)
        patch.setattr(group_commit, "_sync_files", lambda waiting: {})
        patch.setattr(group_commit, "_sync_folders", lambda folders: None)
        assert main(arguments) == 0
    assert len(disk.empty) == len(disk.early) == len(disk.named) == 12


# ---- Signals ----


@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_at_any_step_leaves_whole_results_alone(
    small: Path,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.rmtree(small / "b" / "c")
    shutil.rmtree(small / "b" / "d")
    for path in list((small / "a").iterdir())[:2]:
        path.rename(small / "b" / path.name)
    arguments = prepared(command, small)
    saved = {path: (path.read_bytes(), path.stat()) for path in Path("out").rglob("*.rijn")}
    mask = umask()
    step, steps = -9, 1  # the first run has no signal, to count the calls
    while step < steps:
        for path in (*Path("back").rglob("*"), *Path("out").rglob("*")):
            if path.is_file() and path not in saved:
                path.unlink()
        for path, (data, status) in saved.items():
            path.write_bytes(data)
            os.utime(path, ns=(0, status.st_mtime_ns))
        with monkeypatch.context() as patch:
            calls = Calls(signal.SIGTERM, step, links=True)
            for module in (group_commit, *MODULES):
                patch.setattr(module, "os", calls)
            patch.setattr(new_file, "rename_new", calls.counted(new_file.rename_new))
            patch.setattr(
                group_commit, "sync_file_system", calls.counted(group_commit.sync_file_system)
            )
            code = main(arguments)
        err = capsys.readouterr().err
        assert umask() == mask, step
        assert not list(Path().rglob(".rijn-*")), (step, err)
        new = 0
        for path in (*Path("back").rglob("*"), *Path("out").rglob("*.rijn")):
            if not path.is_file() or (path in saved and path.read_bytes() == saved[path][0]):
                continue
            new += 1
            if command == "decrypt":
                assert path.read_bytes() == (small / path.relative_to("back")).read_bytes()
                continue
            source = small / path.relative_to("out").with_suffix("")
            sealed = path.read_bytes()[len(HEADER) :]
            key = NEW if command == "rekey" else KEY
            assert chunked.decrypt(key, sealed, context=HEADER) == source.read_bytes()
        if code == 128 + signal.SIGTERM:
            told = {0: "nothing was left behind", 1: "the result in "}
            assert told.get(new, f"{new} results are whole") in err, (step, err)
        else:
            assert code == 0, (step, err)
        steps = max(steps, 2 * calls.count)
        step = max(0, step + 1)
    assert steps > 40


# ---- Syncs that fail, and systems without them ----


def test_a_file_that_is_not_synced_has_no_result(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other files of its batch have theirs."""
    fsync, failed = os.fsync, []

    def broken(fd: int) -> None:
        if not failed and os.path.isfile(f"/dev/fd/{fd}"):
            failed.append(fd)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(fd)

    monkeypatch.setattr(group_commit, "sync_file_system", lambda fd: False)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        assert main(COMMANDS["encrypt"]) == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("rijn: out/a/0.rijn: Input/output error")
    assert last.startswith("rijn: src: 11 encrypted (") and last.endswith("), 1 failed")
    assert len(list(Path("out").rglob("*.rijn"))) == 11
    assert main(COMMANDS["encrypt"]) == 0


class Library:
    """Replaces the C library, with chosen results."""

    def __init__(self, kind: int, failed: int = 0) -> None:
        self.synced: list[int] = []
        self._kind = kind
        self._failed = failed

    def fstatfs(self, fd: int, status: Any) -> int:
        ctypes.c_long.from_buffer(status).value = self._kind
        return 0

    def syncfs(self, fd: int) -> int:
        self.synced.append(fd)
        return self._failed


EXT4, FUSE, OVERLAY = 0xEF53, 0x65735546, 0x794C7630


@pytest.mark.parametrize(
    ("library", "linux", "works"),
    [
        (Library(EXT4), (5, 8), True),
        (Library(EXT4), (6, 1), True),
        (Library(EXT4), (5, 7), False),
        (Library(EXT4), (4, 19), False),
        (Library(EXT4, failed=-1), (6, 1), False),
        (Library(FUSE), (6, 1), False),
        (Library(OVERLAY), (6, 1), False),
        (object(), (6, 1), False),
    ],
)
def test_syncfs_is_trusted_if_it_reports_errors(
    library: Any, linux: tuple[int, int], works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(group_commit, "_linux", lambda: linux)
    monkeypatch.setattr(group_commit, "c_library", lambda: library)
    assert group_commit.sync_file_system(0) is works
    if isinstance(library, Library) and linux >= (5, 8):
        assert bool(library.synced) == (library._kind == EXT4)


def test_syncfs_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_library() -> Any:
        raise OSError("no C library")

    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "darwin")
        assert not group_commit.sync_file_system(0)
    with monkeypatch.context() as patch:
        patch.setattr(group_commit, "c_library", no_library)
        assert not group_commit.sync_file_system(0)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_version_of_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    for release, version in (("5.8.0-63-generic", (5, 8)), ("6.18.44", (6, 18)), ("4.19", (4, 19))):
        group_commit._linux.cache_clear()
        monkeypatch.setattr(os, "uname", lambda release=release: FakeName(release))
        assert group_commit._linux() == version
    group_commit._linux.cache_clear()


class FakeName:
    def __init__(self, release: str) -> None:
        self.release = release


# ---- Limits ----


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey"])
def test_few_descriptors_are_enough(small: Path, command: str) -> None:
    """A batch is smaller if a process may open only a few files."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))

    for number in range(150):
        (small / "a" / f"more {number}").write_bytes(b"more")
        (small / f"folder {number}").mkdir()
        (small / f"folder {number}" / "one").write_bytes(b"one")
        (small / f"nested {number}" / "without files").mkdir(parents=True)
    arguments = prepared(command, small)
    done = call([*RIJN, *arguments], limit)
    assert (done.code, "failed" in done.err) == (0, False), done.err


def test_a_batch_of_many_bytes_is_full(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes: list[int] = []
    commit = group_commit.GroupCommit.commit

    def counted(self: Any) -> Any:
        outcomes = commit(self)
        sizes.append(len(outcomes))
        return outcomes

    monkeypatch.setattr(group_commit, "MOST_BYTES", 400)
    monkeypatch.setattr(group_commit.GroupCommit, "commit", counted)
    assert main(COMMANDS["encrypt"]) == 0
    assert sum(sizes) == 12 and max(sizes) == 4


def test_files_with_headers_of_their_own_leave_no_keys() -> None:
    """As with passphrases: the prepared values of one file go when other files have come."""

    def prepared() -> int:
        gc.collect()
        return sum(type(it) is chunked.message.Messages for it in gc.get_objects())

    before = prepared()
    opens = sealed.Sealed(cast("Any", SimpleNamespace(key_files=())), None, "python", bare=False)
    for number in range(60):
        opens._messages(KEY, None, b"header %d" % number)
    assert 0 < prepared() - before < 30
