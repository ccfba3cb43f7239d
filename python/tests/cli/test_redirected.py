"""Standard output redirected by a shell: the empty file that the shell makes, and the message that
nothing went there."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from program import KEY, RIJN, Result, call, names

from rijn import chunked
from rijn.files import Header, parse_key

if sys.platform == "win32":
    pytest.skip("needs sh", allow_module_level=True)

Run = Callable[..., Result]
HEADER = Header("AEAD_AES_128_GCM").encode()
DATA = b"some data\n"
SEALED = HEADER + chunked.encrypt(KEY, DATA, context=HEADER)
NOTE = "nothing was written to standard output"
ENCRYPT = "rijn encrypt -k .key"
DECRYPT = "rijn decrypt -k .key"


def shell(command: str, **options: object) -> Result:
    """Runs a command line in a shell, with a umask that lets others read new files."""
    rijn = f'rijn() {{ {shlex.join(RIJN)} "$@"; }}; umask 022'
    return call(["sh", "-c", f"{rijn}; {command}"], **options)  # type: ignore[arg-type]


def mode(name: str) -> int:
    return stat.S_IMODE(os.stat(name).st_mode)


# ---- Empty files after keygen and refusals ----


@pytest.mark.parametrize("command", ["rijn keygen", "rijn columns keygen"])
def test_the_advice_after_a_refused_key_works(folder: Path, command: str) -> None:
    if "columns" in command:
        pytest.importorskip("nanoarrow", reason="needs nanoarrow")
    done = shell(f"{command} > my.key")
    assert done.code == 7
    assert f"({command} -o FILE makes one that is safe)" in done.err
    assert (Path("my.key").read_bytes(), mode("my.key")) == (b"", 0o644)
    inode = os.open("my.key", os.O_RDONLY)  # earlier readers of the file must not see the key
    assert shell(f"{command} -o my.key") == Result(0, b"", "")
    assert os.read(inode, 1) == b""
    os.close(inode)
    assert Path("my.key").stat().st_size > 0 and mode("my.key") == 0o600
    if command == "rijn keygen":
        parse_key(Path("my.key").read_text())
    kept = Path("my.key").read_bytes()
    assert shell(f"{command} -o my.key").code == 9
    assert Path("my.key").read_bytes() == kept
    assert names(folder) == {"my.key"}


def test_a_key_does_not_take_the_place_of_another_users_empty_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rijn.cli import main

    Path("my.key").touch()
    monkeypatch.setattr(os, "geteuid", lambda: os.stat("my.key").st_uid + 1)
    assert main(["keygen", "-o", "my.key"]) == 9
    assert Path("my.key").read_bytes() == b""


def test_a_key_does_not_take_the_place_of_a_file_that_was_written_to_meanwhile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rijn.cli import destination, main

    Path("my.key").touch()
    write = destination.Destination.write

    def other(self: destination.Destination, data: bytes) -> None:
        write(self, data)
        Path("my.key").write_bytes(b"another program's")

    monkeypatch.setattr(destination.Destination, "write", other)
    assert main(["keygen", "-o", "my.key"]) == 9
    assert Path("my.key").read_bytes() == b"another program's"
    assert names(folder) == {"my.key"}


@pytest.mark.parametrize(
    ("source", "command", "result"),
    [("f", ENCRYPT, "f.rijn"), ("f.rijn", DECRYPT, "f")],
    ids=["encrypt", "decrypt"],
)
def test_a_redirection_to_the_result(folder: Path, source: str, command: str, result: str) -> None:
    """The shell has made the result, empty. It keeps its place, and gets the bits of its source."""
    Path(source).write_bytes(DATA if source == "f" else SEALED)
    Path(source).chmod(0o600)
    assert shell(f"{command} {source} > {result}") == Result(0, b"", "")
    assert mode(result) == 0o600
    plain = Path("f").read_bytes()
    sealed = Path("f.rijn").read_bytes()
    assert chunked.decrypt(KEY, sealed.removeprefix(HEADER), context=HEADER) == plain == DATA
    # The file is not empty now.
    assert shell(f"{command} {source} >> {result}").code == 9
    # Without --force, no other empty file is replaced, and none that -o names.
    Path(result).write_bytes(b"")
    assert shell(f"{command} {source} > other").code == 9
    assert shell(f"{command} {source} -o {result} > {result}").code == 9
    assert Path(result).read_bytes() == b""


@pytest.mark.parametrize(
    "command",
    [
        f"{ENCRYPT} f > f",
        f"{ENCRYPT} < f > f",
        f"{ENCRYPT} f -o g > f",
        f"{DECRYPT} f.rijn > f.rijn",
        "rijn verify -k .key f.rijn > f.rijn",
        "rijn info f.rijn > f.rijn",
        "rijn rekey -k .key --new-key-file .key f.rijn > f.rijn",
    ],
)
def test_a_source_that_the_shell_emptied(folder: Path, command: str) -> None:
    Path("f").write_bytes(DATA)
    Path("f.rijn").write_bytes(SEALED)
    before = names(folder)
    done = shell(command)
    assert done.code == 9
    assert "because standard output is redirected to it" in done.err
    assert names(folder) == before


# ---- The line that says where the result is ----


def test_a_redirection_that_gets_nothing(folder: Path) -> None:
    Path("s.txt").write_bytes(DATA)
    wrote = f"rijn: wrote s.txt.rijn; {NOTE} (-o - writes there)\n"
    assert shell(f"{ENCRYPT} s.txt > out") == Result(0, b"", wrote)
    Path("s.txt.rijn").unlink()
    assert call([*RIJN, "encrypt", "-k", ".key", "s.txt"]) == Result(0, b"", wrote)  # a pipe
    Path("s.txt").unlink()
    wrote = f"rijn: wrote s.txt; {NOTE} (-o - writes there)\n"
    assert shell(f"{DECRYPT} s.txt.rijn | cat") == Result(0, b"", wrote)
    rekey = "rijn rekey -k .key --new-key-file .key s.txt.rijn"
    assert shell(f"{rekey} > new") == Result(0, b"", f"rijn: wrote s.txt.rijn; {NOTE}\n")


def test_a_redirection_of_several_results_that_gets_nothing(folder: Path) -> None:
    for name in "ab":
        Path(name).write_bytes(DATA)
    done = shell(f"{ENCRYPT} a b none > out")
    assert done.code == 1
    assert done.err.splitlines()[-2:] == [
        "rijn: 2 of 3 files encrypted, 1 failed",
        f"rijn: each result is a file; {NOTE}",
    ]
    assert NOTE not in shell(f"{ENCRYPT} none none2 > out").err  # there is no result


@pytest.mark.parametrize(
    "command",
    [
        f"{ENCRYPT} f > /dev/null",
        f"{ENCRYPT} f >&-",
        f"{ENCRYPT} f > log 2>&1; cat log >&2",
        f"{ENCRYPT} f 2>&1 | cat >&2",
        f"(echo begin; {ENCRYPT} f) > log",
        f"{ENCRYPT} -q f > out",
        f"{ENCRYPT} -q f f2 > out",
        f"{ENCRYPT} f -o g > out",
        f"{ENCRYPT} f f2 -o folder > out",
        f"{ENCRYPT} -r folder out",
        f"{ENCRYPT} f -o - > out",
        f"{ENCRYPT} < f > out",
        f"{ENCRYPT} /dev/null > out",
        f"{DECRYPT} --range 0:1 f.old > out",
        "rijn verify -k .key f.old > out",
        "rijn keygen -o k > out",
    ],
)
def test_no_note_without_a_redirection(folder: Path, command: str) -> None:
    Path("folder").mkdir()
    for name in ("f", "f2", "folder/f3"):
        Path(name).write_bytes(DATA)
    Path("f.old").write_bytes(SEALED)
    done = shell(command)
    assert done.code == 0, done
    assert NOTE not in done.err


def test_columns_print_the_note_too(folder: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    assert shell("rijn columns keygen -o keyset").code == 0
    Path("t.csv").write_bytes(b"x\n1\n")
    encrypt = "rijn columns encrypt -k keyset -c x t.csv"
    done = shell(f"{encrypt} > out")
    assert done == Result(0, b"", f"rijn: wrote t.sealed.csv; {NOTE}\n")
    Path("t.sealed.csv").unlink()
    assert shell(f"{encrypt} > t.sealed.csv") == Result(0, b"", "")
    assert Path("t.sealed.csv").stat().st_size > 0
    decrypt = "rijn columns decrypt -k keyset -c x t.sealed.csv"
    assert "the shell emptied it" in shell(f"{decrypt} > t.sealed.csv").err
