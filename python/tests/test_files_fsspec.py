"""rijn.fsspec: encrypted files on other filesystems."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import SameFileError
from typing import Any

import pytest
from limits import LIMIT

from rijn import chunked, files
from rijn.chunked import CHUNK, Damaged, Truncated, WrongKey
from rijn.files import Header

fsspec = pytest.importorskip("fsspec", reason="needs fsspec")
RijnFileSystem = pytest.importorskip("rijn.fsspec").RijnFileSystem

KEY = bytes(range(16))
HEADER = Header("AEAD_AES_128_GCM").encode()
DATA = os.urandom(120 * CHUNK + 99)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(files.format_key(KEY))
    path.chmod(0o600)
    return path


@pytest.fixture
def memory() -> Iterator[Any]:
    """fsspec's filesystem in memory, empty."""
    found = fsspec.filesystem("memory")
    found.store.clear()
    found.pseudo_dirs[:] = [""]
    yield found
    found.store.clear()


@pytest.fixture
def fs(memory: Any, key_file: Path) -> Any:
    return RijnFileSystem(memory, key_file=key_file)


def test_the_protocol_is_registered() -> None:
    """By the package's entry point."""
    assert fsspec.get_filesystem_class("rijn") is RijnFileSystem


@pytest.mark.parametrize("base", ["file", "memory"])
def test_chained_urls(base: str, key_file: Path, tmp_path: Path, memory: Any) -> None:
    folder = f"{base}://{tmp_path if base == 'file' else '/bucket'}"
    options = {"key_file": str(key_file)}
    for number in range(2):
        url = f"rijn::{folder}/{number}.rijn"
        with fsspec.open(url, "wb", rijn=options) as new:
            new.write(DATA)
        with fsspec.open(url, "rb", rijn=options) as opened:
            assert opened.seek(-9, 2) == len(DATA) - 9
            assert opened.read() == DATA[-9:]
        with fsspec.open(url, "wt", rijn=options) as new:
            new.write(f"text {number}\n")
    many = fsspec.open_files(f"rijn::{folder}/*.rijn", "rt", rijn=options)
    with many as opened:
        assert [each.read() for each in opened] == ["text 0\n", "text 1\n"]
    if base == "file":
        assert files.open(tmp_path / "1.rijn", key=KEY).read() == b"text 1\n"
    else:
        assert memory.cat("/bucket/1.rijn").startswith(HEADER)


def test_files_and_listings(fs: Any, memory: Any) -> None:
    fs.makedirs("/a/b")
    fs.pipe_file("/a/x.rijn", DATA)
    fs.pipe_file("/a/b/y.rijn", b"")
    assert fs.info("/a/x.rijn")["size"] == len(DATA)
    assert fs.size("/a/b/y.rijn") == 0
    sealed = len(HEADER) + chunked.sealed_size(len(DATA), chunked.find_aead(None, 16))
    assert fs.info("/a/x.rijn")["sealed_size"] == memory.size("/a/x.rijn") == sealed
    assert fs.info("/a/b")["type"] == "directory"
    listed = {each["name"]: each for each in fs.ls("/a")}
    assert listed["/a/x.rijn"]["size"] is None
    assert listed["/a/x.rijn"]["sealed_size"] == sealed
    assert sorted(fs.ls("/a", detail=False)) == ["/a/b", "/a/x.rijn"]
    assert fs.find("/a") == ["/a/b/y.rijn", "/a/x.rijn"]
    assert fs.glob("/a/*.rijn") == ["/a/x.rijn"]
    assert fs.du("/a") == len(DATA)
    assert fs.exists("/a/x.rijn") and not fs.exists("/a/none")
    assert fs.isfile("/a/x.rijn") and fs.isdir("/a/b")
    fs.cp_file("/a/x.rijn", "/a/z.rijn")
    fs.mv("/a/z.rijn", "/a/b/z.rijn")
    assert fs.cat_file("/a/b/z.rijn") == DATA
    fs.rm_file("/a/b/z.rijn")
    fs.rm("/a", recursive=True)
    assert not memory.exists("/a")
    with pytest.raises(FileNotFoundError):
        fs.info("/a/x.rijn")
    assert fs.unstrip_protocol("/a/x") == "rijn::memory:///a/x"


class Counted:
    """The filesystem's cat_file, which notes the ranges."""

    def __init__(self, memory: Any) -> None:
        self.ranges: list[tuple[int, int]] = []
        self._cat = memory.cat_file

    def __call__(self, path: str, start: int, end: int) -> bytes:
        self.ranges.append((start, end))
        found: bytes = self._cat(path, start=start, end=end)
        return found


def test_fetches_only_what_it_needs(fs: Any, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.pipe_file("/x", DATA)
    counted = Counted(memory)
    monkeypatch.setattr(memory, "cat_file", counted)
    monkeypatch.setattr(memory, "open", None)
    place = 100 * CHUNK + 7
    assert fs.cat_file("/x", place, place + 1000) == DATA[place : place + 1000]
    head, last, part = counted.ranges
    assert head == (0, 512)
    assert last == (memory.size("/x") - 99 - 16, memory.size("/x"))
    assert part[1] - part[0] == CHUNK + 16
    counted.ranges.clear()
    assert fs.info("/x")["size"] == len(DATA)
    assert counted.ranges == [head, last]
    counted.ranges.clear()
    fs.ls("/", detail=True)
    assert not counted.ranges
    with fs.open("/x") as opened:  # in small pieces, few requests
        while opened.read(5000):
            pass
    assert len(counted.ranges) < 20
    assert sum(end - start for start, end in counted.ranges) < memory.size("/x") + 2 * CHUNK


def test_altered_files(fs: Any, memory: Any, key_file: Path) -> None:
    fs.pipe_file("/x", DATA)
    sealed = memory.cat_file("/x")
    start, chunk = len(HEADER) + chunked.PREFIX, CHUNK + 16
    for data in (sealed[: start + 5 * chunk], sealed[:-1], sealed + b"x", sealed[:60]):
        memory.pipe_file("/y", data)
        for call in (fs.info, fs.cat_file, fs.open):
            with pytest.raises((Truncated, Damaged), match="^/y: "):
                call("/y")
    swapped = bytearray(sealed)
    swapped[start : start + chunk] = sealed[start + chunk : start + 2 * chunk]
    memory.pipe_file("/y", bytes(swapped))
    with pytest.raises(Damaged, match="^/y: chunk 0 "):
        fs.cat_file("/y", 0, 5)
    assert fs.cat_file("/y", CHUNK, CHUNK + 5) == DATA[CHUNK : CHUNK + 5]
    key_file.write_text(files.format_key(bytes(16)))  # is read again
    with pytest.raises(WrongKey, match="^/x: wrong key or passphrase"):
        fs.cat_file("/x")


def test_get(fs: Any, memory: Any, tmp_path: Path, key_file: Path) -> None:
    """A local file appears when it is complete, and an error leaves what was there."""
    sealed = HEADER + chunked.encrypt(KEY, DATA, context=HEADER)
    memory.pipe_file("/d/whole", sealed)
    damaged = bytearray(sealed)
    damaged[60 * CHUNK] ^= 1
    memory.pipe_file("/d/damaged", bytes(damaged))
    target = tmp_path / "new" / "copy"
    fs.get("/d/whole", str(target))
    assert target.read_bytes() == DATA
    for path in (target, tmp_path / "none"):
        before = path.read_bytes() if path.exists() else None
        with pytest.raises(Damaged):
            fs.get_file("/d/damaged", str(path))
        assert (path.read_bytes() if path.exists() else None) == before
        assert not list(path.parent.glob(".rijn-*"))
    with pytest.raises(SameFileError):
        fs.get_file("/d/whole", str(key_file))
    with (tmp_path / "object").open("wb") as file:
        fs.get_file("/d/whole", file)
    assert (tmp_path / "object").read_bytes() == DATA


def fail_in(opened: Any) -> None:
    with pytest.raises(KeyboardInterrupt), opened as new:
        new.write(DATA)
        raise KeyboardInterrupt


@pytest.mark.parametrize("base", ["file", "memory"])
def test_an_error_leaves_what_was_there(
    base: str, key_file: Path, tmp_path: Path, memory: Any
) -> None:
    below = memory if base == "memory" else fsspec.filesystem("file")
    folder = "/bucket" if base == "memory" else f"{tmp_path}/new"
    below.makedirs(folder, exist_ok=True)
    url = f"rijn::{base}://{folder}/x"
    for before in (None, b"something else"):
        if before is not None:
            below.pipe_file(f"{folder}/x", before)
        opened = fsspec.open(url, "wb", rijn={"key_file": str(key_file)})
        with pytest.warns(RuntimeWarning, match="not written"):
            fail_in(opened)
        assert below.ls(folder, detail=False) == ([] if before is None else [f"{folder}/x"])
        assert before is None or below.cat_file(f"{folder}/x") == before
        fs = RijnFileSystem(below, key_file=key_file)
        with pytest.raises(ZeroDivisionError), fs.open(f"{folder}/x", "wb") as new:
            new.write(bytes(1 // 0))
        assert below.ls(folder, detail=False) == ([] if before is None else [f"{folder}/x"])
    try:
        raise ValueError
    except ValueError:  # an exception from before is no reason
        with fsspec.open(url, "wb", rijn={"key_file": str(key_file)}) as new:
            new.write(b"new")
    with pytest.raises(FileExistsError, match="mode wb"):
        fs.open(f"{folder}/x", "xb")
    assert fs.cat_file(f"{folder}/x") == b"new"


def test_transactions(fs: Any, memory: Any) -> None:
    with fs.transaction:
        with fs.open("/x", "wb") as new:
            new.write(b"one")
        assert not memory.exists("/x")
    assert fs.cat_file("/x") == b"one"
    with pytest.raises(ZeroDivisionError), fs.transaction:
        with fs.open("/x", "wb") as new:
            new.write(b"two")
        _ = 1 // 0
    assert fs.cat_file("/x") == b"one"


def test_modes(fs: Any) -> None:
    for mode in ("ab", "r+b"):
        with pytest.raises(ValueError, match="mode is"):
            fs.open("/x", mode)


# ---- Keys -------------------------------------------------------------------------------


def test_options_hold_no_secret(key_file: Path, memory: Any) -> None:
    """Not in a pickle, the token of the cache, JSON or the repr; and they are refused."""
    for name, value in (("key", KEY), ("passphrase", "open sesame")):
        with pytest.raises(TypeError, match="key_file= or passphrase_env=") as caught:
            RijnFileSystem(memory, **{name: value})
        assert "open sesame" not in str(caught.value)
    with pytest.raises(TypeError, match="either"):
        RijnFileSystem(memory)
    fs = RijnFileSystem(memory, key_file=str(key_file))
    fs.pipe_file("/x", b"hello")
    secrets = (KEY, KEY.hex().encode(), KEY.hex().upper().encode())
    pickled = pickle.dumps(fs)
    shown = [pickled, repr(fs).encode(), fs.to_json().encode(), str(fs.storage_options).encode()]
    for text in shown:
        assert not any(secret in text for secret in secrets)
    assert json.loads(fs.to_json())["key_file"] == str(key_file)
    token = fs._fs_token
    key_file.write_text(files.format_key(bytes(16)))
    fs.clear_instance_cache()
    assert RijnFileSystem(memory, key_file=str(key_file))._fs_token == token  # not of the key
    key_file.write_text(files.format_key(KEY))
    assert pickle.loads(pickled).cat_file("/x") == b"hello"
    with pytest.raises(TypeError, match="not copied or pickled"):
        pickle.dumps(fs.open("/x"))


def test_passphrases(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("argon2", reason="needs argon2-cffi")
    monkeypatch.setenv("RIJN_TEST_PW", "open sesame")
    fs = RijnFileSystem(memory, passphrase_env="RIJN_TEST_PW")
    fs.pipe_file("/x", b"hello")
    assert fs.cat_file("/x") == b"hello"
    assert b"open sesame" not in pickle.dumps(fs)
    assert "open sesame" not in repr(vars(fs))
    monkeypatch.setenv("RIJN_TEST_PW", "another")
    with pytest.raises(WrongKey, match="wrong key or passphrase"):
        fs.cat_file("/x")
    monkeypatch.delenv("RIJN_TEST_PW")
    with pytest.raises(ValueError, match="not set"):
        fs.cat_file("/x")


def test_without_fsspec() -> None:
    code = (
        "import sys; sys.modules['fsspec'] = None\nimport rijn.files\n"
        "try:\n    import rijn.fsspec\nexcept ImportError as error:\n    print(error)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert "rijn.fsspec needs the package fsspec" in result.stdout
    assert "pip install '.[fsspec]'" in result.stdout
