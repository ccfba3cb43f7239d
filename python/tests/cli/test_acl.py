"""A result is never more open than its source with an access control list."""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from program import KEY

from rijn import chunked
from rijn.cli import main
from rijn.cli.demo import main as demo
from rijn.cli.tree import crew
from rijn.files import Header, format_key

if sys.platform != "linux":
    pytest.skip("ACLs are extended attributes on Linux alone", allow_module_level=True)

ACCESS = "system.posix_acl_access"
U, USER, G, GROUP, MASK, O = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
NOBODY = 0xFFFFFFFF
HEADER = Header("AEAD_AES_128_GCM").encode()
SEALED = HEADER + chunked.encrypt(KEY, bytes(16), context=HEADER)
OTHERS = 12345  # a user, or a group

Entry = tuple[int, int] | tuple[int, int, int]

# The entries of an ACL, and the bits that a file without an ACL may have. In each list the owner has
# rw, and the mask decides the group bits of st_mode.
LISTS: dict[str, tuple[list[Entry], int]] = {
    "a named user": ([(USER, 4, OTHERS), (G, 0), (MASK, 4), (O, 0)], 0o600),
    "a named group": ([(G, 0), (GROUP, 4, OTHERS), (MASK, 4), (O, 0)], 0o600),
    "the group as well": ([(USER, 4, OTHERS), (G, 4), (MASK, 4), (O, 0)], 0o640),
    "a mask that takes from the group": ([(USER, 6, OTHERS), (G, 6), (MASK, 4), (O, 0)], 0o640),
    "a named user with less": ([(USER, 0, OTHERS), (G, 4), (MASK, 4), (O, 4)], 0o600),
    "a named group that has less": ([(G, 6), (GROUP, 4, OTHERS), (MASK, 6), (O, 6)], 0o644),
    "no named entry": ([(G, 4), (MASK, 0), (O, 4)], 0o604),
}


def encoded(entries: list[Entry]) -> bytes:
    found = [(U, 6), *entries]
    packed = (struct.pack("<HHI", tag, bits, *(who or (NOBODY,))) for tag, bits, *who in found)
    return struct.pack("<I", 2) + b"".join(packed)


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    former = os.umask(0)
    yield
    os.umask(former)


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], None]:
    """Returns a function that writes a file with an ACL to tmp_path, the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(format_key(KEY))
    Path("key").chmod(0o600)

    def set_list(name: str, acl: bytes) -> None:
        try:
            os.setxattr(name, ACCESS, acl)
        except OSError as error:
            if error.errno == errno.ENOTSUP:
                pytest.skip("this file system has no ACLs")
            raise

    return set_list


def bits(name: str) -> int:
    assert ACCESS not in os.listxattr(name)
    return stat.S_IMODE(os.stat(name).st_mode)


@pytest.mark.parametrize("case", LISTS)
def test_results_beside_their_source(give: Callable[[str, bytes], None], case: str) -> None:
    entries, expected = LISTS[case]
    for name, data, command, result in (
        ("a", bytes(16), "encrypt", "a.rijn"),
        ("b.rijn", SEALED, "decrypt", "b"),
    ):
        Path(name).write_bytes(data)
        give(name, encoded(entries))
        assert main([command, "-k", "key", name]) == 0
        assert bits(result) == expected
    iv, key = "0" * 32, "0" * 64
    assert demo(["encode", "--key", key, "--iv", iv, "a", "demo"]) == 0
    assert bits("demo") == expected


@pytest.mark.parametrize("case", LISTS)
def test_results_that_replace_a_file_with_an_acl(
    give: Callable[[str, bytes], None], case: str
) -> None:
    entries, expected = LISTS[case]
    Path("f").write_bytes(bytes(16))
    for name in ("f.rijn", "g.rijn"):
        Path(name).write_bytes(SEALED)
        give(name, encoded(entries))
    assert main(["encrypt", "-f", "-k", "key", "f"]) == 0
    assert bits("f.rijn") == expected
    assert main(["rekey", "-k", "key", "--new-key-file", "key", "g.rijn"]) == 0
    assert bits("g.rijn") == expected


def test_trees(give: Callable[[str, bytes], None]) -> None:
    entries, expected = LISTS["a named user"]
    for command, data, name in (("encrypt", bytes(16), "f"), ("decrypt", SEALED, "f.rijn")):
        folder = Path(command)
        (folder / "in").mkdir(parents=True)
        (folder / "in" / name).write_bytes(data)
        give(str(folder / "in" / name), encoded(entries))
        give(str(folder / "in"), encoded([(USER, 7, OTHERS), (G, 0), (MASK, 7), (O, 0)]))
        assert main([command, "-r", "-k", "key", str(folder), f"{command}-out"]) == 0
        (result,) = Path(f"{command}-out/in").iterdir()
        assert bits(str(result)) == expected
        assert bits(f"{command}-out/in") == 0o700


def test_columns(give: Callable[[str, bytes], None]) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    entries, expected = LISTS["a named user"]
    assert main(["columns", "keygen", "-o", "keyset"]) == 0
    Path("t.csv").write_bytes(b"x\n1\n")
    give("t.csv", encoded(entries))
    assert main(["columns", "encrypt", "-k", "keyset", "-c", "x", "t.csv"]) == 0
    assert bits("t.sealed.csv") == expected
    give("t.sealed.csv", encoded(entries))
    assert (
        main(["columns", "decrypt", "-k", "keyset", "-c", "x", "t.sealed.csv", "-o", "u.csv"]) == 0
    )
    assert bits("u.csv") == expected
    assert main(["columns", "rotate", "-k", "keyset", "-c", "x", "t.sealed.csv"]) == 0
    assert bits("t.sealed.csv") == expected


@pytest.mark.parametrize("acl", [b"", b"\1\0", struct.pack("<I", 3), encoded([(MASK, 4)])], ids=len)
def test_an_unreadable_acl_gives_no_access(
    give: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch, acl: bytes
) -> None:
    Path("f").write_bytes(b"data")
    Path("f").chmod(0o666)
    monkeypatch.setattr(os, "getxattr", lambda *_arguments, **_options: acl)
    assert main(["encrypt", "-k", "key", "f"]) == 0
    assert bits("f.rijn") == 0o600


def test_other_status_fields_stay(give: Callable[[str, bytes], None]) -> None:
    from rijn.disk.acl import status_of

    Path("f").write_bytes(b"data")
    give("f", encoded(LISTS["a named user"][0]))
    real, found = os.stat("f"), status_of("f")
    assert real.st_mode != found.st_mode
    for name in dir(real):
        if name.startswith("st_") and name != "st_mode":
            assert getattr(real, name) == getattr(found, name), name


@pytest.mark.parametrize("elsewhere", ["nothing", "a file"])
def test_the_acl_of_a_result_whose_folder_moves(
    give: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch, elsewhere: str
) -> None:
    """The ACL of the replaced file counts, not the ACL of a file that its path leads to now."""
    Path("tree/sub").mkdir(parents=True)
    Path("tree/sub/a").write_bytes(bytes(16))
    assert main(["encrypt", "-r", "-k", "key", "tree", "out"]) == 0
    entries, expected = LISTS["a named user"]
    give("out/sub/a.rijn", encoded(entries))
    Path("tree/sub/a").write_bytes(bytes(17))
    Path("tree/sub/a").chmod(0o666)
    opened = crew.open_found

    def open_it(found: Any, *, unchanging: bool) -> Any:
        Path("out/sub").rename("moved")
        if elsewhere == "a file":
            Path("out/sub").mkdir()
            Path("out/sub/a.rijn").write_bytes(b"another")
        return opened(found, unchanging=unchanging)

    monkeypatch.setattr(crew, "open_found", open_it)
    assert main(["encrypt", "-r", "-f", "-k", "key", "tree", "out"]) == 0
    assert bits("moved/a.rijn") == expected
    assert Path("moved/a.rijn").stat().st_size == len(HEADER) + chunked.PREFIX + 17 + 16
