"""`rijn encrypt -r` and `rijn decrypt -r`: whole trees."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from program import KEY, LIMIT, RIJN, Result, start

from rijn import chunked, pipeline
from rijn.cli import destination, folders, group_commit, main, targets, tree
from rijn.cli.failures import Interrupted
from rijn.cli.tree import crew, walk
from rijn.disk import new_file
from rijn.files import Argon2id, Header, format_key

if sys.platform == "win32":
    pytest.skip("needs POSIX signals and file systems", allow_module_level=True)

Run = Callable[..., Result]
HEADER = Header("AEAD_AES_128_GCM").encode()
SMALL, LARGE = 3 * chunked.CHUNK + 5, crew.LARGE + 7
ODD = os.fsdecode(b"\xff\n name")


@pytest.fixture
def photos(folder: Path) -> Path:
    """Makes a tree with every kind of file that Rijn encrypts."""
    root = folder / "photos"
    (root / "2024" / "sea").mkdir(parents=True)
    (root / "none").mkdir()
    files = {
        "letter": b"Dear A.,\n",
        "letter.rijn": b"no Rijn file",
        "empty": b"",
        "2024/chunks": os.urandom(SMALL),
        "2024/large": os.urandom(LARGE),
        "2024/sea/letter": b"another\n",
        f"2024/sea/{ODD}": b"odd",
        "-": b"no standard input\n",
    }
    for number, (name, data) in enumerate(files.items()):
        (root / name).write_bytes(data)
        os.utime(root / name, ns=(0, 1_600_000_000_123_456_789 + number))
    (root / "letter").chmod(0o640)
    (root / "2024").chmod(0o710)
    (root / "none").chmod(0o500)
    return root


def tree_of(root: Path) -> dict[str, bytes | None]:
    """Returns the tree's contents by name; None is a folder."""
    return {
        os.path.relpath(path, root): None if path.is_dir() else path.read_bytes()
        for path in root.rglob("*")
    }


def stamps(root: Path) -> dict[str, tuple[int, ...]]:
    """Returns values that would differ in a new file under the same name."""
    found = {}
    for path in root.rglob("*"):
        if path.is_dir():
            continue
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_ctime_ns, status.st_size)
    return found


def encrypt(*arguments: str, to: str = "out") -> int:
    return main(["encrypt", "-r", "-k", ".key", "photos", to, *arguments])


def decrypt(*arguments: str, to: str = "back") -> int:
    return main(["decrypt", "-r", "-k", ".key", "out", to, *arguments])


def error_lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


# ---- The mirror ----


@pytest.mark.parametrize("bare", [(), ("--bare",)], ids=["rijn", "bare"])
def test_trees_come_back_unchanged(
    photos: Path, bare: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree_of(photos)
    total = sum(len(data) for data in before.values() if data is not None)
    assert encrypt(*bare) == 0
    assert error_lines(capsys) == [f"rijn: photos: 8 encrypted ({total:,} bytes)"]
    suffix = ".c2sp" if bare else ".rijn"
    sealed = tree_of(Path("out"))
    assert set(sealed) == {name if data is None else name + suffix for name, data in before.items()}
    context = b"" if bare else HEADER
    for name, data in before.items():
        if data is not None:
            whole = sealed[name + suffix]
            assert whole is not None and whole.startswith(context)
            assert chunked.decrypt(KEY, whole[len(context) :], context=context) == data
    assert decrypt(*bare) == 0
    assert tree_of(Path("back")) == before
    for path in photos.rglob("*"):
        if path.is_file():
            other = Path("back") / path.relative_to(photos)
            assert other.stat().st_mtime_ns == path.stat().st_mtime_ns


def test_the_bits_of_files_and_folders(photos: Path) -> None:
    umask = os.umask(0o027)
    try:
        assert encrypt() == 0
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(umask)
    bits = {name: stat.S_IMODE((Path("out") / name).stat().st_mode) for name in ("2024", "none")}
    assert bits == {"2024": 0o710, "none": 0o700}
    assert stat.S_IMODE(Path("out/letter.rijn").stat().st_mode) == 0o640
    assert stat.S_IMODE(Path("out/empty.rijn").stat().st_mode) == 0o640


def test_new_folders_pass_on_their_group(photos: Path) -> None:
    """A folder with the setgid bit gives its group to entries made in it, at any depth."""
    Path("out").mkdir()
    Path("out").chmod(0o2775)
    if not Path("out").stat().st_mode & stat.S_ISGID:
        pytest.skip("this file system does not keep the bit")
    Path("out/other").mkdir()
    bit = Path("out/other").stat().st_mode & stat.S_ISGID
    assert encrypt() == 0
    for name in ("2024", "2024/sea", "none"):
        assert Path("out", name).stat().st_mode & stat.S_ISGID == bit, name


def test_out_may_exist_hold_other_files_and_be_an_option(photos: Path) -> None:
    Path("out").mkdir()
    Path("out/README").write_text("not of this")
    assert main(["encrypt", "-r", "-k", ".key", "photos/", "-o", "out/"]) == 0
    assert Path("out/README").read_text() == "not of this"
    assert Path("out/letter.rijn").exists()


# ---- Once more ----


@pytest.mark.parametrize("arguments", [(), ("--force",), ("--aead", "aegis-128l")])
def test_existing_results_are_kept(
    photos: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == decrypt() == 0
    there = stamps(Path("out"))
    capsys.readouterr()
    assert encrypt(*arguments) == 0
    assert error_lines(capsys) == ["rijn: photos: 0 encrypted (0 bytes), 8 there already"]
    assert stamps(Path("out")) == there
    there = stamps(Path("back"))
    assert decrypt(*arguments[:1] if "--force" in arguments else ()) == 0
    assert error_lines(capsys) == ["rijn: out: 0 decrypted (0 bytes), 8 there already"]
    assert stamps(Path("back")) == there


def with_time_of(path: Path, model: Path) -> None:
    status = model.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def another_state(source: Path, result: Path) -> None:
    os.utime(source, ns=(0, source.stat().st_mtime_ns + 1))


def touched(source: Path, result: Path) -> None:
    os.utime(result, ns=(0, source.stat().st_mtime_ns + 1))


def another_size(source: Path, result: Path) -> None:
    with source.open("ab") as file:
        file.write(b"!")
    with_time_of(source, result)


def cut(source: Path, result: Path) -> None:
    data = result.read_bytes()
    result.write_bytes(data[:-1])
    with_time_of(result, source)


def foreign(source: Path, result: Path) -> None:
    result.write_bytes(bytes(result.stat().st_size))
    with_time_of(result, source)


def another_key(source: Path, result: Path) -> None:
    sealed = chunked.encrypt(bytes(16), source.read_bytes(), context=HEADER)
    result.write_bytes(HEADER + sealed)
    with_time_of(result, source)


@pytest.mark.parametrize("alter", [another_state, touched, another_size, cut, foreign, another_key])
def test_a_result_of_another_source_is_reported_and_replaced_by_force(
    photos: Path, alter: Callable[[Path, Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == 0
    source, result = photos / "2024/chunks", Path("out/2024/chunks.rijn")
    alter(source, result)
    there = stamps(Path("out"))
    capsys.readouterr()
    assert encrypt() == 9
    told = "out/2024/chunks.rijn: exists already, and belongs to another file or key"
    if alter is another_state:
        told = "has changed since out/2024/chunks.rijn was made, by their times of change"
    if alter is touched:
        told = "out/2024/chunks.rijn: exists already, and has a later time of change: it was"
        told += " altered, or copied without its time"
    hint = "--force overwrites the result"
    if alter is another_state:
        hint = f"--update encrypts it again, if the result has this key; {hint}"
    assert error_lines(capsys) == [
        f"rijn: photos/2024/chunks: {told} ({hint})",
        "rijn: photos: 0 encrypted (0 bytes), 7 there already, 1 failed",
    ]
    assert stamps(Path("out")) == there
    assert encrypt("--force") == 0
    (line,) = error_lines(capsys)
    assert line.startswith("rijn: photos: 1 encrypted") and line.endswith("7 there already")
    assert {name for name, stamp in stamps(Path("out")).items() if there[name] != stamp} == {
        str(result)
    }
    sealed = result.read_bytes()[len(HEADER) :]
    assert chunked.decrypt(KEY, sealed, context=HEADER) == source.read_bytes()


@pytest.mark.parametrize("change", ["time", "size"])
def test_plaintext_of_another_file_is_kept(
    photos: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == decrypt() == 0
    mine = Path("back/letter")
    mine.write_bytes(b"Dear B.,\n" if change == "time" else b"longer than it was\n")
    if change == "size":
        with_time_of(mine, photos / "letter")
    kept = mine.read_bytes()
    assert decrypt() == 9
    assert mine.read_bytes() == kept
    assert decrypt("--force") == 0
    assert mine.read_bytes() == b"Dear A.,\n"


def test_new_files_are_encrypted(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert encrypt() == 0
    (photos / "2025").mkdir()
    (photos / "2025" / "new").write_bytes(b"new")
    capsys.readouterr()
    assert encrypt() == 0
    assert error_lines(capsys) == ["rijn: photos: 1 encrypted (3 bytes), 8 there already"]


def test_a_link_in_the_place_of_a_result_is_not_followed(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("out").mkdir()
    Path("elsewhere").mkdir()
    Path("out/letter.rijn").symlink_to("../elsewhere/made")
    Path("out/2024").symlink_to("../elsewhere")
    Path("out/none").write_text("a file")
    assert encrypt("--force") == 9
    lines = error_lines(capsys)
    assert len([line for line in lines if "move it away" in line]) == 3
    assert lines[-1].endswith("3 encrypted (30 bytes), 3 failed")
    assert not list(Path("elsewhere").iterdir())


# ---- Unplanned ends ----


@contextmanager
def stalled(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs rijn until it is in the middle of the last file, at a tenth of a second per chunk. The
    other files, which may take longer to reach the disk, are complete."""
    command = [*RIJN, *arguments, "--backend", "reference", "-j", "2"]
    process = start(command, stderr=subprocess.PIPE, start_new_session=True)

    def in_the_last() -> bool:
        made = {path.stem for path in Path(arguments[-1]).glob("[abc]*")}
        return made == set("abc") and any(each.stat().st_size > chunked.CHUNK for each in parts())

    try:
        deadline = time.monotonic() + LIMIT
        while not in_the_last():
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.communicate(timeout=LIMIT)


def parts() -> list[Path]:
    return list(Path().rglob(".rijn-*.part"))


@pytest.fixture(params=[crew.LARGE - 1, crew.LARGE], ids=["by a thread", "by all"])
def slow(request: pytest.FixtureRequest, folder: Path) -> Path:
    """Makes a tree whose last file takes minutes."""
    root = folder / "photos"
    (root / "z").mkdir(parents=True)
    for name in "abc":
        (root / name).write_bytes(name.encode())
    with (root / "z" / "slow").open("wb") as file:
        file.truncate(request.param)
    return root


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_leaves_whole_results_and_the_same_command_continues(
    slow: Path, number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    with stalled("encrypt", "-r", "-k", ".key", "photos", "out") as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=LIMIT)
    left = {name for name in tree_of(Path("out")) if ".part" not in name}
    assert left == {"a.rijn", "b.rijn", "c.rijn", "z"}
    if number == signal.SIGKILL:
        assert len(parts()) == 1
    else:
        assert process.returncode == 128 + number
        assert err == b"rijn: interrupted (3 results are whole)\n"
        assert not parts()
    before = stamps(Path("out"))
    assert encrypt() == 0
    assert error_lines(capsys)[-1].endswith("3 there already")
    assert before.items() <= stamps(Path("out")).items()
    assert decrypt() == 0, "the temporary file of a kill is ignored"
    assert tree_of(Path("back")) == tree_of(slow)


def test_a_signal_leaves_no_plaintext(slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert encrypt() == 0
    with stalled("decrypt", "-r", "-k", ".key", "out", "back") as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
    assert set(tree_of(Path("back"))) == {"a", "b", "c", "z"}
    assert decrypt() == 0
    assert tree_of(Path("back")) == tree_of(slow)


def test_a_result_has_its_time_before_its_name(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a kill between the two would leave a result that the next run does not recognize."""
    times = {}
    rename = new_file.rename_new

    def look(old: str, new: str, *, folder: int | None = None) -> bool:
        times[os.path.basename(new)] = os.stat(old, dir_fd=folder).st_mtime_ns
        return rename(old, new, folder=folder)

    monkeypatch.setattr(new_file, "rename_new", look)
    assert encrypt() == 0
    assert len(times) == 7  # two results are called letter
    assert times["large.rijn"] == (photos / "2024/large").stat().st_mtime_ns
    assert times["chunks.rijn"] == (photos / "2024/chunks").stat().st_mtime_ns


# ---- Failures of single files ----


def test_other_kinds_of_files_are_reported_and_stop_nothing(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    regular = len(tree_of(photos))
    os.mkfifo(photos / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("photos/socket")
    assert encrypt() == 9
    lines = error_lines(capsys)
    for kind in ("pipe", "socket"):
        assert [line for line in lines if line.startswith(f"rijn: photos/{kind}: is a {kind} (")]
    assert lines[-1].endswith(", 2 failed")
    assert len(tree_of(Path("out"))) == regular


def test_symbolic_links_are_skipped_and_counted(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    regular = tree_of(photos)
    (photos / "link").symlink_to("letter")
    assert encrypt() == 0
    (line,) = error_lines(capsys)
    assert line.startswith("rijn: photos: 8 encrypted (") and line.endswith(
        "), 1 symbolic link skipped"
    )
    (photos / "2024" / "loop").symlink_to(".")
    (photos / "nowhere").symlink_to("nothing")
    os.mkfifo(photos / "pipe")
    assert encrypt("--progress") == 9
    line = error_lines(capsys)[-1]
    assert line.endswith(" 8 there already, 3 symbolic links skipped, 1 failed"), line
    os.remove(photos / "pipe")
    assert encrypt("--quiet") == 0
    assert not error_lines(capsys)
    assert len(tree_of(Path("out"))) == len(regular)
    Path("out/link.rijn").symlink_to("letter.rijn")
    assert decrypt() == 0
    assert error_lines(capsys)[-1].endswith(", 1 symbolic link skipped")
    assert tree_of(Path("back")) == regular


def test_the_key_and_names_that_clash(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.move(".key", "photos/.key")
    (photos / "empty.rijn").mkdir()
    (photos / "empty.rijn" / "inside").write_bytes(b"inside")
    assert main(["encrypt", "-r", "-k", "photos/.key", "photos", "out"]) == 9
    lines = error_lines(capsys)
    assert lines[0] == (
        "rijn: photos/.key: is the file of the key or passphrase (do not encrypt it)"
    )
    assert lines[1] == (
        "rijn: photos/empty: would become empty.rijn, which is also a folder"
        " (rename one of the two)"
    )
    assert not Path("out/.key.rijn").exists()
    assert Path("out/empty.rijn/inside.rijn").is_file()
    sealed = Path("out/2024/sea/letter.rijn").read_bytes()[len(HEADER) :]
    assert chunked.decrypt(KEY, sealed, context=HEADER) == b"another\n"


def meddle(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], object]) -> None:
    """Makes something happen to one file after its check and before it is read."""
    opened = crew.open_found

    def open_it(found: Any, *, unchanging: bool) -> Any:
        if found.source == f"photos/{name}":
            act()
        return opened(found, unchanging=unchanging)

    monkeypatch.setattr(crew, "open_found", open_it)


def test_a_file_that_vanishes_or_cannot_be_read(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    meddle(monkeypatch, "letter", lambda: (photos / "letter").unlink())
    assert encrypt() == 1
    lines = error_lines(capsys)
    assert lines[0] == "rijn: photos/letter: No such file or directory (check the name)"
    assert "7 encrypted" in lines[1] and lines[1].endswith("1 failed")

    def denied() -> None:
        raise PermissionError(13, "Permission denied", "photos/letter.rijn")

    meddle(monkeypatch, "letter.rijn", denied)
    assert encrypt(to="other") == 1
    assert "Permission denied" in error_lines(capsys)[0]


def test_an_unexpected_error_in_a_thread_ends_the_run(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a file would have neither a result nor a message."""
    (photos / "2024" / "large").unlink()  # the main thread would work on it

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr(crew, "SMALL", 0)
    monkeypatch.setattr(pipeline, "seal_stream", fail)
    with pytest.raises(RuntimeError, match="unexpected"):
        encrypt()
    assert not parts()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_another_file_of_the_name_is_not_taken(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """For example a link to another file, put there by an attacker."""
    Path("secret").write_bytes(b"secret")

    def swap() -> None:
        (photos / "letter").unlink()
        if kind == "link":
            (photos / "letter").symlink_to("../secret")
        elif kind == "pipe":
            os.mkfifo(photos / "letter")
        else:
            (photos / "letter").mkdir()

    meddle(monkeypatch, "letter", swap)
    assert encrypt() == 1
    assert "became another file meanwhile" in error_lines(capsys)[0]
    assert not Path("out/letter.rijn").exists()


def test_a_folder_that_becomes_a_link_is_not_followed(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It changes after its check, before Rijn enters it, or before Rijn reads its files."""
    Path("secrets/sea").mkdir(parents=True)
    for name in ("chunks", "sea/letter"):
        Path("secrets", name).write_bytes(b"secret")

    def swap() -> None:
        (photos / "2024").rename("moved")
        (photos / "2024").symlink_to("../secrets")

    def back() -> None:
        (photos / "2024").unlink()
        Path("moved").rename(photos / "2024")

    with monkeypatch.context() as patch:
        meddle(patch, "letter", swap)
        assert encrypt() == 1
    assert (
        error_lines(capsys)[0] == "rijn: photos/2024: became another folder meanwhile (try again)"
    )
    assert not Path("out/2024").exists()
    back()
    with monkeypatch.context() as patch:
        meddle(patch, "2024/chunks", swap)
        assert encrypt() == 1
    assert "rijn: photos/2024/sea: became another folder meanwhile (try again)" in error_lines(
        capsys
    )
    made = {path.name for path in Path("out/2024").rglob("*.rijn")}
    assert made == {"chunks.rijn", "large.rijn"}  # from the folder that was opened
    sealed = Path("out/2024/chunks.rijn").read_bytes()[len(HEADER) :]
    assert chunked.decrypt(KEY, sealed, context=HEADER) == Path("moved/chunks").read_bytes()
    back()
    assert encrypt() == 0


@pytest.mark.parametrize("name", ["mkdir", "lstat", "open", "listdir"])
@pytest.mark.parametrize("there", ["nothing", "a folder", "results"])
def test_a_refused_call_is_reported_with_the_whole_path(
    photos: Path,
    name: str,
    there: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Names are relative to open folders. Reports show the path as the user knows it."""
    Path("below/out" if there == "a folder" else "below").mkdir(parents=True)
    if there == "results":
        assert encrypt(to="below/out") == 0
        capsys.readouterr()
    call = getattr(os, name)

    def refused(path: Any, *arguments: Any, **named: Any) -> Any:
        if name == "listdir" or named.get("dir_fd") is not None:
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        return call(path, *arguments, **named)

    for module in (destination, folders, new_file, targets, tree, tree.folders, tree.names, walk):
        monkeypatch.setattr(module, "os", Replaced(name, refused))
    code = encrypt(to="below/out")
    lines = error_lines(capsys)
    assert lines[-1].startswith("rijn: photos: "), lines
    for line in lines[:-1]:
        path = line.removeprefix("rijn: ").partition(": ")[0]
        assert os.path.lexists(path) or path.startswith("below/out"), line
    assert code == bool(lines[:-1])


class Replaced:
    """The module `os` with another function in it."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name = name
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return self._function if name == self._name else getattr(os, name)


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_a_link_planted_in_out_meanwhile_is_not_followed(
    photos: Path, small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The link replaces a folder of results while Rijn makes them."""
    Path("elsewhere/sea").mkdir(parents=True)
    monkeypatch.setattr(crew, "SMALL", small)

    def swap() -> None:
        Path("out/2024").rename("moved")
        Path("out/2024").symlink_to("../elsewhere")

    meddle(monkeypatch, "2024/chunks", swap)
    assert encrypt() == 1
    assert error_lines(capsys)[0].startswith("rijn: out/2024: ")
    assert not list(Path("elsewhere").rglob("*.*"))
    assert {path.name for path in Path("moved").iterdir()} == {"chunks.rijn", "large.rijn"}
    assert not parts()


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_a_name_that_is_taken_meanwhile_is_not_replaced(
    photos: Path, small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crew, "SMALL", small)
    Path("elsewhere").write_bytes(b"elsewhere")

    def take_names() -> None:
        Path("out/2024/chunks.rijn").write_bytes(b"mine")
        Path("out/2024/large.rijn").symlink_to("../../elsewhere")

    meddle(monkeypatch, "2024/chunks", take_names)
    assert encrypt() == 9
    assert sum("exists already" in line for line in error_lines(capsys)) == 2
    assert Path("out/2024/chunks.rijn").read_bytes() == b"mine"
    assert Path("elsewhere").read_bytes() == b"elsewhere"
    assert not parts()


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_update_replaces_only_the_older_result_that_it_found(
    photos: Path, small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that appears under the name of a new result stays. So does a file that takes the name of
    an older result."""
    monkeypatch.setattr(crew, "SMALL", small)
    assert encrypt() == 0
    Path("out/2024/chunks.rijn").unlink()
    for name in ("large", "sea/letter"):
        source = photos / "2024" / name
        source.write_bytes(source.read_bytes() + b", changed")
    planted = [Path("out/2024", name) for name in ("chunks.rijn", "large.rijn", "sea/letter.rijn")]
    commit, is_planted = destination.Destination.commit, False

    def plant(self: destination.Destination) -> None:
        nonlocal is_planted
        if not is_planted:
            is_planted = True
            for path in planted:
                path.unlink(missing_ok=True)
                path.write_bytes(b"mine")
        commit(self)

    monkeypatch.setattr(destination.Destination, "commit", plant)
    capsys.readouterr()
    assert encrypt("--update") == 9
    assert [path.read_bytes() for path in planted] == [b"mine"] * 3
    assert error_lines(capsys)[-1].endswith(", 3 failed")
    assert not parts()


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_a_full_disk_is_reported_once_and_keeps_finished_results(
    photos: Path,
    command: str,
    number: int,
    small: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [command, "-r", "-j", "1", "-k", ".key", "photos", "out"]
    result = "out"
    if command != "encrypt":
        assert encrypt() == 0
        arguments[6:] = ["out", "back"]
        result = "back"
    if command == "rekey":
        Path("new").write_text(format_key(bytes(16)))
        Path("new").chmod(0o600)
        arguments[7:] = ["--new-key-file", "new"]
        result = "out"
    before = {path for path in Path().rglob("*") if path.is_file()}
    stamped = stamps(Path("out")) if command == "rekey" else {}
    capsys.readouterr()
    room, write = 9, destination.Destination.write

    def written(self: destination.Destination, data: memoryview | bytes) -> None:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(number, os.strerror(number), self.name)
        write(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(crew, "SMALL", small)
        patch.setattr(destination.Destination, "write", written)
        assert main(arguments) == 8
    first, last = error_lines(capsys)
    assert f": {os.strerror(number)} (make room or choose another place; " in first
    made = {path for path in Path().rglob("*") if path.is_file()} - before
    if command == "rekey":
        now = stamps(Path("out"))
        made = {Path(name) for name, stamp in stamped.items() if now[name] != stamp}
    assert len(made) == int(last.split()[2]) > 0, last
    assert last.endswith(", 1 failed, the rest was not tried")
    assert not parts()
    assert main(arguments) == 0
    assert f", {len(made)} there already" in error_lines(capsys)[-1]
    assert tree_of(Path(result)).keys() == {
        name if data is None or result == "back" else f"{name}.rijn"
        for name, data in tree_of(photos).items()
    }


@pytest.mark.parametrize("name", ["chunks", "large"])
def test_a_source_that_changes_has_no_result(
    photos: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pread = os.pread
    seal = pipeline.seal_stream

    def change() -> None:
        with (photos / "2024" / name).open("ab") as file:
            file.write(b"!")

    def read_and_write(fd: int, size: int, place: int) -> bytes:
        data = pread(fd, size, place)
        if size == SMALL + 1 and name == "chunks":
            change()
        return data

    def seal_and_write(message: Any, source: Any, write: Any, **options: Any) -> None:
        if name == "large":
            change()
        seal(message, source, write, **options)

    monkeypatch.setattr(os, "pread", read_and_write)
    monkeypatch.setattr(pipeline, "seal_stream", seal_and_write)
    assert encrypt() == 1
    lines = error_lines(capsys)
    assert "changed while it was read" in lines[0]
    assert "7 encrypted" in lines[1]
    assert f"2024/{name}.rijn" not in tree_of(Path("out"))
    assert not parts()


def test_unauthenticated_plaintext_is_not_written(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == 0
    for name in ("chunks", "large"):
        path = Path(f"out/2024/{name}.rijn")
        data = bytearray(path.read_bytes())
        data[-20] ^= 1
        path.write_bytes(data)
    Path("out/letter.rijn").write_bytes(Path("out/letter.rijn").read_bytes()[:100])
    Path("out/README").write_text("not of this")
    Path("out/.rijn").write_text("no name")
    Path("out/...rijn").write_text("no name")
    capsys.readouterr()
    assert decrypt() == 5  # the chunks before the altered one are authentic
    lines = error_lines(capsys)
    assert lines[-1].endswith("5 decrypted (636 bytes), 6 failed")
    assert sum("its name does not end in .rijn" in line for line in lines) == 3
    back = tree_of(Path("back"))
    gone = {"2024/chunks", "2024/large", "letter"}
    assert back == {name: data for name, data in tree_of(photos).items() if name not in gone}
    assert not parts()


def test_quiet_prints_only_failures(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert encrypt("--quiet") == 0
    assert not error_lines(capsys)
    os.mkfifo(photos / "pipe")
    assert encrypt("--quiet") == 9
    assert len(error_lines(capsys)) == 2


def test_names_too_long_for_the_ending(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fits, long = "f" * 250, "l" * 251
    for name in (fits, long):
        (photos / name).write_bytes(b"")
    if len(os.fsencode(fits)) + 5 > os.pathconf(photos, "PC_NAME_MAX"):
        pytest.skip("names are shorter here")
    assert encrypt() == 1
    assert error_lines(capsys)[0].startswith(f"rijn: out/{long}.rijn: File name too long (")
    assert Path("out", fits + ".rijn").exists() and Path("out", "letter.rijn").exists()


def test_the_line_that_removes_what_a_kill_left(photos: Path) -> None:
    assert encrypt() == 0
    before = tree_of(Path("out"))
    for folder in ("out", "out/2024/sea"):
        Path(folder, f".rijn-{'0a' * 8}.part").write_bytes(b"half")
    text = (Path(__file__).parents[3] / "docs/command-line.md").read_text()
    (line,) = (it for it in text.splitlines() if it.strip().startswith("find OUT "))
    subprocess.run(["sh", "-c", line.replace("OUT", "out")], check=True, timeout=LIMIT)
    assert tree_of(Path("out")) == before


# ---- Passphrases ----


def test_one_derivation_for_a_tree(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All files of a run share one salt for the key. Each message has its own salt."""
    calls = []
    derive = Argon2id.derive

    def counted(self: Argon2id, passphrase: str, size: int) -> bytes:
        calls.append(self)
        return derive(self, passphrase, size)

    monkeypatch.setattr(Argon2id, "derive", counted)
    monkeypatch.setenv("PW", "as said")
    given = ("--passphrase-env", "PW")
    assert main(["encrypt", "-r", "photos", "out", *given]) == 0
    assert len(calls) == 1
    salts = set()
    for path in Path("out").rglob("*.rijn"):
        with path.open("rb") as file:
            assert Header.read(file).passphrase == calls[0]
            salts.add(file.read(chunked.sizes.SALT))
    assert len(salts) == 8
    assert main(["decrypt", "-r", "out", "back", *given]) == 0
    assert len(calls) == 2
    assert tree_of(Path("back")) == tree_of(photos)
    (photos / "new").write_bytes(b"new")
    assert main(["encrypt", "-r", "photos", "out", *given]) == 0
    assert len(calls) == 4  # the run's own, and the one of the run before
    monkeypatch.setenv("PW", "another")
    assert main(["encrypt", "-r", "photos", "out", *given]) == 9
    assert error_lines(capsys)[-1] == "rijn: photos: 0 encrypted (0 bytes), 9 failed"
    (photos / "newer").write_bytes(b"newer")
    assert main(["encrypt", "-r", "photos", "out", *given]) == 9
    monkeypatch.setenv("PW", "as said")
    assert main(["decrypt", "-r", "out", "mixed", *given]) == 3
    lines = error_lines(capsys)
    assert ": 9 decrypted (" in lines[-1] and lines[-1].endswith(", 1 failed"), lines
    assert "out/newer.rijn: wrong key or passphrase" in lines[-2]


# ---- verify and rekey ----


def verify(*arguments: str) -> int:
    return main(["verify", "-r", "-k", ".key", "out", *arguments])


def key_file(name: str, key: bytes) -> str:
    Path(name).write_text(format_key(key))
    Path(name).chmod(0o600)
    return name


@pytest.mark.parametrize("bare", [(), ("--bare",)], ids=["rijn", "bare"])
def test_a_whole_tree_is_verified(
    photos: Path, bare: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt(*bare) == 0
    sealed = tree_of(Path("out"))
    there = stamps(Path("out"))
    total = sum(len(data) for data in sealed.values() if data is not None)
    capsys.readouterr()
    assert verify(*bare) == 0
    assert error_lines(capsys) == [f"rijn: out: 8 whole ({total:,} bytes)"]
    assert verify(*bare, "--quiet") == 0
    assert not error_lines(capsys)
    assert stamps(Path("out")) == there and tree_of(Path("out")) == sealed


def test_incomplete_files_are_named(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert encrypt() == 0
    flipped = ("letter", "2024/chunks", "2024/large")
    for name in flipped:
        path = Path(f"out/{name}.rijn")
        data = bytearray(path.read_bytes())
        data[len(HEADER) + chunked.PREFIX + 3] ^= 1
        path.write_bytes(data)
    for name, size in (("2024/sea/letter", 100), ("empty", len(HEADER) + chunked.PREFIX + 3)):
        path = Path(f"out/{name}.rijn")
        path.write_bytes(path.read_bytes()[:size])
    Path("out/README").write_text("not of this")
    Path("out/.rijn-0123456789abcdef.part").write_text("left by a kill")
    os.mkfifo("out/pipe.rijn")
    Path("out/link.rijn").symlink_to("letter.rijn")
    capsys.readouterr()
    assert verify() == 4
    lines = error_lines(capsys)
    for name in flipped:
        (line,) = (each for each in lines if f"out/{name}.rijn: " in each)
        assert f"{name}.rijn: damaged: " in line
    for name in ("2024/sea/letter", "empty"):
        (line,) = (each for each in lines if f"out/{name}.rijn: " in each)
        assert f"{name}.rijn: truncated: " in line
    (line,) = (each for each in lines if "README" in each)
    assert "verify it alone" in line
    assert sum("out/pipe.rijn: is a pipe" in each for each in lines) == 1
    assert lines[-1].startswith("rijn: out: 3 whole (")
    assert lines[-1].endswith("), 1 symbolic link skipped, 7 failed")
    assert main(["verify", "-r", "-k", key_file("other", bytes(16)), "out"]) == 5  # a cut header
    assert sum("wrong key" in each for each in error_lines(capsys)) == 7


def test_damage_before_a_cut_is_reported_first(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report is the same for small and large files."""
    assert encrypt() == 0
    path = Path("out/2024/chunks.rijn")
    start = len(HEADER) + chunked.PREFIX
    data = bytearray(path.read_bytes()[: start + 2 * (chunked.CHUNK + 16) + 5])
    path.write_bytes(data)
    assert verify() == 5
    data[start] ^= 1
    path.write_bytes(data)
    capsys.readouterr()
    assert verify() == 4
    assert "out/2024/chunks.rijn: damaged: chunk 0 " in error_lines(capsys)[0]


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_a_whole_tree_gets_a_new_key(
    photos: Path, small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run is interrupted and continued. Afterwards encrypt and decrypt recognize the files."""
    monkeypatch.setattr(crew, "SMALL", small)
    assert encrypt() == 0
    new = key_file("new", bytes(16))
    for path in Path("out").rglob("*.rijn"):
        path.chmod(0o640)
    Path("out/README").write_text("not of this")
    times = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*.rijn")}
    rekey = ["rekey", "-r", "-k", ".key", "--new-key-file", new, "out"]
    taken, left = crew.Crew.add, 4

    def add_and_stop(self: crew.Crew, found: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Interrupted(signal.SIGINT)
        taken(self, found)

    with monkeypatch.context() as patch:
        patch.setattr(crew.Crew, "add", add_and_stop)
        patch.setattr(group_commit, "MOST", 2)
        assert main(rekey) == 128 + signal.SIGINT
    assert not parts()
    capsys.readouterr()
    assert main(rekey) == 6  # README
    done, there = re.findall(r"(\d+) (?:have|there)", error_lines(capsys)[-1] + " 0 there")[:2]
    assert int(done) + int(there) == 8
    assert int(there) > 0 or not small, "a full batch is kept"
    Path("out/README").unlink()
    assert main(rekey) == 0
    assert error_lines(capsys) == ["rijn: out: 0 have the new key (0 bytes), 8 there already"]
    assert {path: path.stat().st_mtime_ns for path in Path("out").rglob("*.rijn")} == times
    assert {stat.S_IMODE(path.stat().st_mode) for path in times} == {0o640}
    assert main(["verify", "-r", "-k", ".key", "out"]) == 3
    assert main(["encrypt", "-r", "-k", new, "photos", "out"]) == 0
    assert error_lines(capsys)[-1].endswith(", 8 there already")
    assert main(["decrypt", "-r", "-k", new, "out", "back"]) == 0
    assert tree_of(Path("back")) == tree_of(photos)


def test_a_tree_gets_another_aead_or_the_same_key_once_more(
    photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == 0
    before = tree_of(Path("out"))
    rekey = ["rekey", "-r", "-k", ".key", "--new-key-file", ".key", "out"]
    assert main(rekey) == 0
    assert error_lines(capsys)[-1].startswith("rijn: out: 8 have the new key")
    after = tree_of(Path("out"))
    assert not [name for name, data in after.items() if data is not None and data == before[name]]
    assert main([*rekey, "--aead", "aegis-128l"]) == 0
    with Path("out/2024/chunks.rijn").open("rb") as file:
        assert Header.read(file).aead == "AEAD_AEGIS128L"
    assert verify() == 0


def test_a_tree_gets_a_new_passphrase(
    photos: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == 0
    monkeypatch.setenv("NEW", "as said now")
    rekey = ["rekey", "-r", "-k", ".key", "--new-passphrase-env", "NEW", "out"]
    assert main(rekey) == main(rekey) == 0
    assert error_lines(capsys)[-1] == "rijn: out: 0 have the new key (0 bytes), 8 there already"
    assert main(["verify", "-r", "--passphrase-env", "NEW", "out"]) == 0
    salts = {path.read_bytes().split(b"\n")[2] for path in Path("out").rglob("*.rijn")}
    assert len(salts) == 1


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_a_file_that_is_cut_at_any_byte_is_truncated_to_every_command(
    photos: Path, small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crew, "SMALL", small)
    assert encrypt() == 0
    data = Path("out/2024/sea/letter.rijn").read_bytes()
    Path("cut").mkdir()
    for size in range(1, (end := len(HEADER) + chunked.PREFIX + 16)):
        Path("cut", f"{size:03}.rijn").write_bytes(data[:size])
    capsys.readouterr()
    new = ["--new-key-file", key_file("new", bytes(16))]
    for command in (["verify", "cut"], ["decrypt", "cut", "back"], ["rekey", *new, "cut"]):
        assert main([command[0], "-r", "-k", ".key", *command[1:]]) == 5, command
        lines = error_lines(capsys)
        assert len(lines) == end, command
        assert all(".rijn: truncated: " in line for line in lines[:-1]), command


def test_a_damaged_file_keeps_its_old_key(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert encrypt() == 0
    damaged = {}
    for name in ("2024/chunks", "2024/large"):
        path = Path(f"out/{name}.rijn")
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        damaged[path] = bytes(data)
    rekey = ["rekey", "-r", "-k", ".key", "--new-key-file", key_file("new", bytes(16)), "out"]
    assert main(rekey) == 5
    assert error_lines(capsys)[-1].endswith(", 2 failed")
    assert {path: path.read_bytes() for path in damaged} == damaged
    assert not parts()


@pytest.mark.parametrize("command", ["verify", "rekey"])
def test_one_folder_is_named(
    photos: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["out", "back"], [""], ["-"], ["photos/letter"]):
        options = ["--new-key-file", ".key"] if command == "rekey" else []
        assert main([command, "-r", "-k", ".key", *options, *arguments]) == 2, arguments
    options = ["--new-key-file", ".key"] if command == "rekey" else []
    assert main([command, "-r", "-k", ".key", *options, "nowhere"]) == 1
    assert main([command, "-r", "-k", "photos/letter", *options, "photos"]) == 7


# ---- Changed files ----


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_changed_files_are_encrypted_again(
    photos: Path, small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crew, "SMALL", small)
    assert encrypt("--update") == 0
    changed = [photos / name for name in ("letter", "2024/chunks", "2024/large")]
    for path in changed:
        path.write_bytes(path.read_bytes() + b", changed")
    there = stamps(Path("out"))
    capsys.readouterr()
    assert encrypt() == 9
    assert sum("--update encrypts it again" in line for line in error_lines(capsys)) == 3
    assert stamps(Path("out")) == there
    assert encrypt("--update") == 0
    assert ": 3 encrypted (" in error_lines(capsys)[-1]
    assert len([name for name, stamp in stamps(Path("out")).items() if there[name] != stamp]) == 3
    assert encrypt() == 0
    assert error_lines(capsys) == ["rijn: photos: 0 encrypted (0 bytes), 8 there already"]
    assert decrypt() == 0
    assert tree_of(Path("back")) == tree_of(photos)


@pytest.mark.parametrize("alter", [touched, another_size, foreign, another_key])
def test_only_older_results_under_the_key_are_renewed(
    photos: Path, alter: Callable[[Path, Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert encrypt() == 0
    source, result = photos / "2024/chunks", Path("out/2024/chunks.rijn")
    alter(source, result)
    if alter in (foreign, another_key):  # older, but made from something else
        os.utime(source, ns=(0, source.stat().st_mtime_ns + 1))
    kept = result.read_bytes()
    capsys.readouterr()
    assert encrypt("--update") == 9
    assert error_lines(capsys)[-1].endswith(", 7 there already, 1 failed")
    assert result.read_bytes() == kept


def test_update_goes_with_a_tree(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encrypt", "--update", "-k", ".key", "photos/letter"]) == 2
    assert "--update needs -r" in error_lines(capsys)[0]


# ---- Threads ----


def test_small_files_run_in_parallel_and_large_ones_use_all_threads(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meet = threading.Barrier(2)
    seal = pipeline.seal_stream
    given: list[tuple[int, int]] = []

    def seal_together(message: Any, source: Any, write: Any, *, jobs: int, advance: Any) -> None:
        size = os.fstat(source.fileno()).st_size
        given.append((size, jobs))
        if size < crew.LARGE:
            meet.wait(LIMIT)  # needs two files; with one alone it would break
        seal(message, source, write, jobs=jobs, advance=advance)

    monkeypatch.setattr(pipeline, "seal_stream", seal_together)
    monkeypatch.setattr(crew, "SMALL", 0)
    (photos / "one more").write_bytes(b"now 7")
    (photos / "and another").write_bytes(b"and 8, but for the empty one")
    assert encrypt("-j", "2") == 0
    assert max(given) == (LARGE, 2)
    assert {jobs for size, jobs in given if size < crew.LARGE} == {1}


def test_progress_counts_all_bytes(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Bar] = []

    class Bar(tree.Progress):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.counted = 0
            bars.append(self)

        def advance(self, size: int) -> None:
            assert size >= 0 and self.total is not None
            self.counted += size

    monkeypatch.setattr(tree, "Progress", Bar)
    assert encrypt("--progress") == encrypt("--progress") == decrypt("--progress") == 0
    for bar, root in zip(bars, (photos, photos, Path("out")), strict=True):
        assert (
            bar.counted
            == bar.total
            == sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
        )

    size = tree._size

    def size_of_a_lost_file(found: Any) -> int:
        if found.source == "photos/letter":
            (photos / "letter").unlink()
        return size(found)

    monkeypatch.setattr(tree, "_size", size_of_a_lost_file)
    assert encrypt("--progress", to="other") == 0
    assert bars[-1].counted == bars[-1].total


# ---- Refusals before any work ----


def test_a_tree_is_not_encrypted_into_itself(photos: Path) -> None:
    Path("same").symlink_to("photos/2024")
    shutil.copy(".key", "photos/my.key")
    for one, other in (
        ("photos", "photos"),
        ("photos", "photos/2024/new"),
        ("photos", "same"),
        ("photos", "same/new"),
        ("photos/2024", "photos"),
        ("photos/2024", "."),
        ("photos", "photos/../photos/2024"),
    ):
        before = tree_of(photos)
        assert main(["encrypt", "-r", "-k", ".key", one, other]) == 2, (one, other)
        assert main(["decrypt", "-r", "-k", ".key", one, other]) == 2, (one, other)
        assert tree_of(photos) == before


def test_an_invalid_key_file_stops_the_run(photos: Path) -> None:
    Path("bad").write_text(format_key(KEY)[:-5])
    Path("bad").chmod(0o600)
    assert main(["encrypt", "-r", "-k", "bad", "photos", "out"]) == 7
    assert main(["encrypt", "-r", "-k", ".key", "photos", "out", "--backend", "none"]) == 2
    assert not Path("out").exists()
