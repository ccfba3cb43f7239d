"""Standard output that must not or cannot take the result: a file that has a key, and a full device."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from program import KEY, RIJN, Result, call

from rijn import chunked
from rijn.files import Header, format_key, parse_key

if sys.platform == "win32":
    pytest.skip("needs permission bits", allow_module_level=True)

HEADER = Header("AEAD_AES_128_GCM").encode()


@pytest.mark.parametrize("command", [["keygen"], ["columns", "keygen"]], ids=" ".join)
def test_a_key_is_not_appended_to_a_file(folder: Path, command: list[str]) -> None:
    if "columns" in command:
        pytest.importorskip("nanoarrow", reason="needs nanoarrow")
    for before in (b"", b"x"):
        Path("my.key").write_bytes(before)
        Path("my.key").chmod(0o600)
        with open("my.key", "ab") as key:
            done = call([*RIJN, *command], stdout=key)
        if before:
            name = " ".join(["rijn", *command])
            assert done == Result(
                9,
                b"",
                "rijn: the file that standard output is redirected to is not empty "
                f"({name} -o FILE makes a new one)\n",
            )
            assert Path("my.key").read_bytes() == before
        else:
            assert done.code == 0
            if command == ["keygen"]:
                parse_key(Path("my.key").read_text())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "-k", ".key", "a.rijn"],
        ["verify", "-k", ".key", "a.rijn", "b.rijn"],
        ["info", "a.rijn"],
        ["backends"],
        ["completion", "bash"],
        ["help"],
        ["help", "encrypt"],
        ["--version"],
        ["keygen"],
        ["decrypt", "-k", ".key", "a.rijn", "-o", "-"],
    ],
    ids=" ".join,
)
def test_a_full_standard_output_is_named(folder: Path, arguments: list[str]) -> None:
    Path(".key").write_text(format_key(KEY))
    Path(".key").chmod(0o600)
    for name in ("a.rijn", "b.rijn"):
        Path(name).write_bytes(HEADER + chunked.encrypt(KEY, b"data", context=HEADER))
    with open("/dev/full", "wb") as full:
        done = call([*RIJN, *arguments], stdout=full)
    assert done.code == 8
    assert done.err.startswith("rijn: standard output: No space left on device (")
    assert done.err.count("\n") == 1
