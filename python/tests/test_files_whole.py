"""rijn.files.encrypt_file and decrypt_file."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from rijn import chunked, files, pipeline
from rijn.chunked import CHUNK, Damaged, Truncated, WrongKey
from rijn.disk import new_file
from rijn.files import Header, KeyExposed, NotRijn

KEY = bytes(range(16))
HEADER = Header("AEAD_AES_128_GCM").encode()
SIZES = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 64 * CHUNK, 130 * CHUNK + 3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a key file, which is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("k").write_text(files.format_key(KEY))
    Path("k").chmod(0o600)
    return tmp_path


def names() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"k"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("jobs", [1, 3, None])
@pytest.mark.usefixtures("folder")
def test_there_and_back(size: int, jobs: int | None) -> None:
    data = os.urandom(size)
    Path("a").write_bytes(data)
    files.encrypt_file("a", Path("a.rijn"), key="k", jobs=jobs)
    sealed = Path("a.rijn").read_bytes()
    assert sealed.startswith(HEADER)
    assert chunked.decrypt(KEY, sealed[len(HEADER) :], context=HEADER) == data
    files.decrypt_file("a.rijn", "b", key=bytearray(KEY), jobs=jobs)
    assert Path("b").read_bytes() == data
    assert names() == {"a", "a.rijn", "b"}


@pytest.mark.usefixtures("folder")
def test_passphrases_and_algorithms() -> None:
    Path("a").write_bytes(b"hello")
    files.encrypt_file("a", "aegis", key=bytes(32), aead="aegis-256")
    files.decrypt_file("aegis", "b", key=bytes(32))
    assert Path("b").read_bytes() == b"hello"
    assert files.open("aegis", key=bytes(32)).header == Header("AEAD_AEGIS256")
    pytest.importorskip("argon2", reason="needs argon2-cffi")
    files.encrypt_file("a", "p", passphrase="öffne dich")
    files.decrypt_file("p", "c", passphrase="o\u0308ffne dich")  # the same in normal form C
    assert Path("c").read_bytes() == b"hello"
    with pytest.raises(WrongKey, match="p: wrong key or passphrase"):
        files.decrypt_file("p", "d", passphrase="other")
    with pytest.raises(ValueError, match="the passphrase is empty"):
        files.encrypt_file("a", "e", passphrase="")
    assert names() == {"a", "aegis", "b", "p", "c"}


@pytest.mark.usefixtures("folder")
def test_existing_files() -> None:
    Path("a").write_bytes(b"hello")
    Path("a.rijn").write_bytes(b"old")
    Path("link").symlink_to("a.rijn")
    for name in ("a.rijn", "link"):
        with pytest.raises(FileExistsError, match="overwrite=True replaces it") as caught:
            files.encrypt_file("a", name, key="k")
        assert caught.value.filename == name
    assert Path("a.rijn").read_bytes() == b"old"
    files.encrypt_file("a", "link", key="k", overwrite=True)
    assert Path("link").is_symlink()
    files.decrypt_file("a.rijn", "b", key="k")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        files.decrypt_file("a.rijn", "b", key="k")
    files.decrypt_file("a.rijn", "b", key="k", overwrite=True)
    assert Path("b").read_bytes() == b"hello"


@pytest.mark.usefixtures("folder")
def test_a_file_that_appears_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a").write_bytes(b"hello")
    seal = pipeline.seal_stream

    def late(*arguments: Any, **named: Any) -> None:
        seal(*arguments, **named)
        Path("a.rijn").write_bytes(b"another's")

    monkeypatch.setattr(pipeline, "seal_stream", late)
    with pytest.raises(FileExistsError):
        files.encrypt_file("a", "a.rijn", key="k")
    for named in ("rename", "link", "none"):  # how the file system names a file without replacing
        if named != "rename":
            monkeypatch.setattr(new_file, "rename_new", lambda *_, **__: False)
        if named == "none":
            monkeypatch.setattr(os, "link", _no_link)
        with pytest.raises(FileExistsError):
            files.encrypt_file("a", "a.rijn", key="k")
    assert Path("a.rijn").read_bytes() == b"another's"
    assert names() == {"a", "a.rijn"}


def _no_link(*_arguments: object, **_named: object) -> None:
    raise PermissionError(1, "no hard links here")


@pytest.mark.usefixtures("folder")
def test_source_and_key_are_never_replaced() -> None:
    Path("a").write_bytes(b"hello")
    os.link("a", "hard")
    Path("soft").symlink_to("a")
    for name in ("a", "hard", "soft", "./a"):
        with pytest.raises(shutil.SameFileError, match="source and destination are the same"):
            files.encrypt_file("a", name, key="k", overwrite=True)
    with pytest.raises(shutil.SameFileError, match="is the key file"):
        files.encrypt_file("a", "k", key="k", overwrite=True)
    with pytest.raises(shutil.SameFileError, match="do not encrypt it"):
        files.encrypt_file("k", "k.rijn", key="k")
    files.encrypt_file("a", "a.rijn", key="k")
    with pytest.raises(shutil.SameFileError):
        files.decrypt_file("a.rijn", "a.rijn", key="k", overwrite=True)
    assert Path("a").read_bytes() == b"hello"
    assert files.read_key("k") == KEY


def altered(sealed: bytes) -> dict[str, tuple[bytes, Any]]:
    """Returns altered files with a size of 70 chunks, more than a run, and their errors."""
    start, chunk = len(HEADER) + chunked.PREFIX, CHUNK + 16
    flipped = bytearray(sealed)
    flipped[start + 65 * chunk] ^= 1
    swapped = bytearray(sealed)
    swapped[start : start + chunk] = sealed[start + chunk : start + 2 * chunk]
    swapped[start + chunk : start + 2 * chunk] = sealed[start : start + chunk]
    last = bytearray(sealed)
    last[-1] ^= 1
    found: dict[str, tuple[bytes, Any]] = {
        "flipped": (bytes(flipped), Damaged),
        "swapped": (bytes(swapped), Damaged),
        "last": (bytes(last), Truncated),
        "appended": (sealed + b"x", Truncated),
        "a chunk more": (sealed + sealed[-chunk:], Damaged),
        "empty": (b"", NotRijn),
        "in the header": (sealed[:20], Truncated),
        "without prefix": (sealed[: len(HEADER) + 10], Truncated),
        "other header": (sealed.replace(b"AES_128_GCM", b"AEGIS128L"), WrongKey),
        "plain": (b"hello", NotRijn),
    }
    for number in (0, 1, 63, 64, 65, 70):
        found[f"cut before chunk {number}"] = (sealed[: start + number * chunk], Truncated)
    return found


@pytest.mark.usefixtures("folder")
def test_altered_files_give_nothing() -> None:
    Path("a").write_bytes(os.urandom(70 * CHUNK + 3))
    files.encrypt_file("a", "a.rijn", key="k")
    for name, (data, error) in altered(Path("a.rijn").read_bytes()).items():
        Path("altered").write_bytes(data)
        for old in (None, b"old"):
            if old is not None:
                Path("b").write_bytes(old)
            with pytest.raises(error, match="altered: "):
                files.decrypt_file("altered", "b", key="k", overwrite=True)
            if old is None:
                assert not Path("b").exists(), name
            else:
                assert Path("b").read_bytes() == old, name
                Path("b").unlink()
    with pytest.raises(WrongKey, match="wrong key"):
        files.decrypt_file("a.rijn", "b", key=bytes(16))
    assert names() == {"a", "a.rijn", "altered"}


@pytest.mark.usefixtures("folder")
def test_errors_and_interrupts_leave_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a").write_bytes(os.urandom(70 * CHUNK))
    files.encrypt_file("a", "a.rijn", key="k")
    original = os.write
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()):
        written = 0

        def write(fd: int, data: Any, error: BaseException = error) -> int:
            nonlocal written
            written += len(data)
            if written > 1 << 20:
                raise error
            return original(fd, data)

        for call in (
            lambda: files.encrypt_file("a", "b", key="k"),
            lambda: files.decrypt_file("a.rijn", "b", key="k"),
        ):
            written = 0
            with monkeypatch.context() as patch:
                patch.setattr(os, "write", write)
                with pytest.raises(type(error)) as caught:
                    call()
            assert names() == {"a", "a.rijn"}
            if isinstance(error, OSError):
                assert isinstance(caught.value, OSError)
                assert caught.value.filename == "b"


@pytest.mark.usefixtures("folder")
def test_a_source_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a").write_bytes(os.urandom(100 * CHUNK))
    original = os.write

    def write(fd: int, data: Any) -> int:
        if Path("a").stat().st_size == 100 * CHUNK:
            with Path("a").open("ab") as more:
                more.write(b"x")
        return original(fd, data)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="changed while it was read"):
        files.encrypt_file("a", "b", key="k")
    assert names() == {"a"}


@pytest.mark.usefixtures("folder")
def test_permission_bits() -> None:
    former = os.umask(0o022)
    try:
        Path("a").write_bytes(b"hello")
        for bits, expected in ((0o640, 0o640), (0o666, 0o644), (0o400, 0o400)):
            Path("a").chmod(bits)
            files.encrypt_file("a", "a.rijn", key="k", overwrite=True)
            assert stat.S_IMODE(Path("a.rijn").stat().st_mode) == expected
            files.decrypt_file("a.rijn", "b", key="k", overwrite=True)
            assert stat.S_IMODE(Path("b").stat().st_mode) == expected
            Path("a.rijn").unlink()
            Path("b").unlink()
        Path("b").write_bytes(b"old")
        Path("b").chmod(0o606)
        files.encrypt_file("a", "b", key="k", overwrite=True)  # those of the replaced file
        assert stat.S_IMODE(Path("b").stat().st_mode) == 0o606
    finally:
        os.umask(former)


@pytest.mark.usefixtures("folder")
def test_arguments() -> None:
    Path("a").write_bytes(b"hello")
    for call in (files.encrypt_file, files.decrypt_file):
        with pytest.raises(TypeError, match="either key= or passphrase="):
            call("a", "b")
        with pytest.raises(ValueError, match="jobs is 0"):
            call("a", "b", key="k", jobs=0)
        with pytest.raises(FileNotFoundError, match="no such folder"):
            call("a", "none/b", key="k")
        with pytest.raises(FileNotFoundError):
            call("none", "b", key="k")
        with pytest.raises(IsADirectoryError):
            call(".", "b", key="k")
        with pytest.raises(IsADirectoryError):
            call("a", ".", key="k")
    with pytest.raises(ValueError, match="takes 32"):
        files.encrypt_file("a", "b", key="k", aead="aegis-256")
    with pytest.raises(FileNotFoundError):
        files.encrypt_file("a", "b", key="none")
    Path("k").chmod(0o644)
    with pytest.raises(KeyExposed):
        files.encrypt_file("a", "b", key="k")
    assert names() == {"a"}
