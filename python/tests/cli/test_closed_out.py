"""A tree whose OUT cannot be written to: one message, and Rijn tries no other file."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from program import KEY

from rijn.cli import destination, main
from rijn.cli.tree import crew
from rijn.files import format_key

if sys.platform == "win32":
    pytest.skip("needs permission bits", allow_module_level=True)

NOBODY = 65534


@pytest.fixture(autouse=True)
def photos() -> Iterator[None]:
    """Enters a folder that other users can reach. pytest's own folders are private."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        make_photos()
        try:
            yield
        finally:
            os.chdir(before)


def make_photos() -> None:
    for name in ("1", "2", "sub/3", "sub/4"):
        path = Path("photos", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"a photo\n")
    Path(".key").write_text(format_key(KEY))
    Path(".key").chmod(0o600)
    Path("out").mkdir()


@contextmanager
def unprivileged() -> Iterator[None]:
    """Becomes another user, who owns the files: root may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    assert main(["encrypt", "-q", "-r", "-k", ".key", "photos", "loaded"]) == 0  # all modules
    for path in [Path(), *Path().rglob("*")]:
        os.chown(path, NOBODY, -1)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def encrypted(*more: str) -> int:
    return main(["encrypt", "-r", "-k", ".key", *more, "photos", "out"])


@pytest.mark.parametrize("small", [crew.SMALL, 0], ids=["batch", "threads"])
def test_a_folder_without_permission_is_reported_once(
    small: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(crew, "SMALL", small)
    Path("out").chmod(0o555)
    with unprivileged():
        assert encrypted() == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first == (
        "rijn: out: Permission denied (check the permissions of the file and its folder)"
    )
    assert last == "rijn: photos: 0 encrypted (0 bytes), 1 failed, the rest was not tried"
    assert list(Path("out").iterdir()) == []
    Path("out").chmod(0o755)
    with unprivileged():
        assert encrypted() == 0


def test_one_folder_without_permission_does_not_stop_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("out", "sub").mkdir(mode=0o555)
    with unprivileged():
        assert encrypted() == 1
    assert {path.name for path in Path("out").rglob("*.rijn")} == {"1.rijn", "2.rijn"}
    assert "2 failed" in capsys.readouterr().err.splitlines()[-1]


def test_nothing_to_write_needs_no_permission() -> None:
    assert encrypted() == 0
    Path("out").chmod(0o555)
    with unprivileged():
        assert encrypted() == 0


def test_a_read_only_file_system_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(self: destination.Destination, _data: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), self.name)

    access = os.access
    monkeypatch.setattr(destination.Destination, "write", refused)
    monkeypatch.setattr(
        crew.os, "access", lambda path, *a, **b: path != "out" and access(path, *a, **b)
    )
    assert encrypted() == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("rijn: out: Read-only file system (")
    assert last.endswith(", 1 failed, the rest was not tried")
