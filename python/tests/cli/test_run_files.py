"""Several files at once, and an error that stops the run. The last line counts the finished files,
and the hint names the help of the command that ran."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from program import KEY, Result, names

from rijn import chunked
from rijn.files import Argon2id, Header

Run = Callable[..., Result]
HEADER = Header("AEAD_AES_128_GCM").encode()
SEALED = HEADER + chunked.encrypt(KEY, b"data", context=HEADER)


@pytest.mark.parametrize(
    "command",
    [
        "encrypt -k .key --backend none",
        "decrypt -k .key --backend none",
        "verify -k .key --backend none",
        "rekey -k .key --new-key-file .key --backend none",
        "encrypt",  # no terminal to ask for a passphrase
    ],
)
def test_a_file_that_was_not_tried_is_not_done(folder: Path, run: Run, command: str) -> None:
    for name in "abc":
        Path(name).write_bytes(b"data")
        Path(f"{name}.rijn").write_bytes(SEALED)
    name, *options = shlex.split(command)
    files = ["a", "b", "c"] if name == "encrypt" else ["a.rijn", "b.rijn", "c.rijn"]
    if name == "encrypt":
        for each in files:
            Path(f"{each}.rijn").unlink()
    if name == "decrypt":
        for each in "abc":
            Path(each).unlink()
    before = names(folder)
    done = run(name, *options, *files)
    assert done.code == 2, done
    reason, summary = done.err.splitlines()
    assert reason.endswith(f"(see rijn {name} --help)"), reason
    does = {"encrypt": "encrypted", "decrypt": "decrypted", "verify": "whole"}
    does["rekey"] = "have the new key"
    assert summary == f"rijn: 0 of 3 files {does[name]}: stopped at the first"
    assert names(folder) == before
    assert done.out == b""


def test_files_before_the_one_that_stops_the_run(folder: Path, run: Run) -> None:
    """The first file fails on its own. The second needs a passphrase, and there is no terminal."""
    header = Header("AEAD_AES_128_GCM", Argon2id(bytes(16), memory=8, passes=1, lanes=1)).encode()
    Path("a.rijn").write_bytes(SEALED)
    for name in "bc":
        Path(f"{name}.rijn").write_bytes(header + chunked.encrypt(KEY, b"data", context=header))
    done = run("verify", "a.rijn", "b.rijn", "c.rijn")
    assert done.code == 3
    failed, stopped, summary = done.err.splitlines()
    assert failed.startswith("rijn: a.rijn: was encrypted with a key file")
    assert stopped.startswith("rijn: There is no terminal to ask for a passphrase")
    assert stopped.endswith("(see rijn verify --help)")
    assert summary == "rijn: 0 of 3 files whole, 1 failed: stopped at number 2"


def test_columns_count_and_name_their_own_help(folder: Path, run: Run) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    assert run("columns", "keygen", "-o", "keyset").code == 0
    for name in "ab":
        Path(f"{name}.csv").write_bytes(b"x\n1\n")
    done = run(
        "columns", "encrypt", "-k", "keyset", "-c", "x", "--backend", "none", "a.csv", "b.csv"
    )
    assert done.code == 2
    first, second, summary = done.err.splitlines()
    for line in (first, second):
        assert line.endswith("(see rijn columns encrypt --help)"), line
    assert summary == "rijn: 0 of 2 files encrypted, 2 failed"


@pytest.mark.parametrize("second", ["a.rijn", "./a.rijn", "link.rijn"])
def test_a_file_gets_a_new_key_once(folder: Path, run: Run, second: str) -> None:
    """At its second turn it has the new key already, and Rijn would call the old key wrong."""
    Path("a.rijn").write_bytes(SEALED)
    Path("link.rijn").symlink_to("a.rijn")
    assert run("keygen", "-o", "new").code == 0
    done = run("rekey", "-k", ".key", "--new-key-file", "new", "a.rijn", second)
    assert done.code == 2, done
    assert done.err.startswith(f"rijn: a.rijn and {second} are the same file: name it once (")
    assert Path("a.rijn").read_bytes() == SEALED
    Path("b.rijn").hardlink_to("a.rijn")
    assert run("rekey", "-k", ".key", "--new-key-file", "new", "a.rijn", "b.rijn").code == 0
    assert run("verify", "-k", "new", "a.rijn", "b.rijn").code == 0
