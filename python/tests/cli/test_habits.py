"""Habits at the keyboard: help, -V, several files for info, misspelt names, an early Ctrl-C."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import sys
import sysconfig
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from program import KEY, RIJN, Result, call

import rijn
from rijn import chunked
from rijn.files import Argon2id, Header

Run = Callable[..., Result]
HEADER = Header("AEAD_AES_128_GCM").encode()
SEALED = HEADER + chunked.encrypt(KEY, b"data", context=HEADER)
COSTS = Argon2id(bytes(16), memory=64, passes=2, lanes=1)
PASSPHRASE = Header("AEAD_AES_128_GCM", COSTS).encode()


# ---- help and -V ----


@pytest.mark.parametrize(
    "command",
    [[], ["encrypt"], ["help"], ["columns"], ["columns", "decrypt"]],
)
def test_help_is_the_help_of_a_command(run: Run, command: list[str]) -> None:
    assert run("help", *command) == run(*command, "--help")


def test_help_in_a_group(run: Run) -> None:
    assert run("columns", "help", "decrypt") == run("columns", "decrypt", "--help")


def test_help_of_a_command_that_does_not_exist(run: Run) -> None:
    for command, end in (
        (["nonsense"], "No such command 'nonsense' (see rijn --help)"),
        (["encyrpt"], "No such command 'encyrpt': did you mean encrypt? (see rijn --help)"),
        (["encrypt", "more"], "No such command 'more' (see rijn encrypt --help)"),
        (["columns", "more"], "No such command 'more' (see rijn columns --help)"),
    ):
        assert run("help", *command) == Result(2, b"", f"rijn: {end}\n")


def test_short_version(run: Run) -> None:
    assert run("-V") == run("--version") == Result(0, f"rijn {rijn.__version__}\n".encode(), "")


# ---- Misspelt names ----


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("encrypt -k .key --aead aes128-gcm f -o g", "aes-128-gcm"),
        ("encrypt -k .key --aead AEGIS-128l f -o g", "aegis-128l"),
        ("decrypt --bare -k .key --aead aegis128l f.rijn -o g", "aegis-128l"),
        ("rekey -k .key --new-key-file .key --aead aes-128-gmc f.rijn", "aes-128-gcm"),
        ("encrypt -k .key --backend fixslice-64 f -o g", "fixslice64"),
        ("verify -k .key --backend pyhton f.rijn", "python"),
        ("decyrpt f", "decrypt"),
        ("columns decyrpt f", "decrypt"),
    ],
)
def test_a_misspelt_name(folder: Path, run: Run, arguments: str, meant: str) -> None:
    Path("f").write_bytes(b"data")
    Path("f.rijn").write_bytes(SEALED)
    done = run(*arguments.split())
    assert done.code == 2 and done.out == b""
    assert f"did you mean {meant}?" in done.err


def test_a_misspelt_environment(folder: Path, run: Run) -> None:
    Path("f").write_bytes(b"data")
    done = run("encrypt", "-k", ".key", "f", env={"RIJN_BACKEND": "fixslice-64"})
    assert done.code == 2 and "(did you mean fixslice64?)" in done.err


def test_a_name_unlike_any_other() -> None:
    for call_it in (
        lambda: rijn.AES(bytes(16), backend="blowfish"),
        lambda: chunked.named_aead("blowfish"),
    ):
        with pytest.raises(ValueError, match="there are: ") as caught:
            call_it()
        assert "did you mean" not in str(caught.value)


# ---- info ----


def test_info_of_several_files(folder: Path, run: Run) -> None:
    Path("a.rijn").write_bytes(SEALED)
    Path("b.rijn").write_bytes(PASSPHRASE + chunked.encrypt(KEY, bytes(99999), context=PASSPHRASE))
    one, other = run("info", "a.rijn"), run("info", "b.rijn")
    assert run("info", "a.rijn", "b.rijn") == Result(0, one.out + b"\n" + other.out, "")
    done = run("info", "a.rijn", "none", "b.rijn")
    assert (done.code, done.out) == (1, one.out + b"\n" + other.out)
    assert done.err.splitlines() == [
        "rijn: none: No such file or directory (check the name)",
        "rijn: 2 of 3 files read, 1 failed",
    ]


def test_info_as_json(folder: Path, run: Run) -> None:
    Path("a.rijn").write_bytes(SEALED)
    message = chunked.encrypt(KEY, bytes(99999), context=PASSPHRASE)
    Path("b.rijn").write_bytes(PASSPHRASE + message)
    done = run("info", "--json", "a.rijn", "b.rijn")
    assert (done.code, done.err) == (0, "")
    first, second = map(json.loads, done.out.splitlines())
    assert first == {
        "file": "a.rijn",
        "format": 1,
        "aead": "AEAD_AES_128_GCM",
        "key": "file",
        "argon2id": None,
        "plaintext_bytes": 4,
        "chunks": 1,
        "overhead_bytes": len(SEALED) - 4,
    }
    assert second["key"] == "passphrase"
    assert second["argon2id"] == {"memory_kib": 64, "passes": 2, "lanes": 1}
    assert second["plaintext_bytes"] == 99999
    assert second["chunks"] == 99999 // chunked.CHUNK + 1
    assert second["overhead_bytes"] == len(PASSPHRASE) + len(message) - 99999
    piped = json.loads(run("info", "--json", "-", stdin=SEALED).out)
    assert piped["file"] == "standard input"
    assert piped["plaintext_bytes"] is piped["chunks"] is piped["overhead_bytes"] is None


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_info_as_json_of_any_name(folder: Path, run: Run) -> None:
    name = os.fsdecode(b"a\xff\n\x1b[31m.rijn")
    Path(name).write_bytes(SEALED)
    (line,) = run("info", "--json", name).out.splitlines()
    assert json.loads(line)["file"] == name


# ---- Ctrl-C while modules are loaded ----


def programs() -> list[list[str]]:
    scripts = Path(sysconfig.get_path("scripts"))
    found = [RIJN]
    found += [[str(scripts / n)] for n in ("rijn", "rijn-aes-demo") if (scripts / n).exists()]
    return found


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("module", ["click", "signal"])
@pytest.mark.parametrize("program", programs(), ids=lambda it: Path(it[-1]).name)
def test_an_interrupted_start_says_nothing(tmp_path: Path, program: list[str], module: str) -> None:
    """Loading a module sends the signal: click, or the first module that is not C code."""
    (tmp_path / f"{module}.py").write_text(
        "import os, time\nos.kill(os.getpid(), 2)\ntime.sleep(300)\n"
    )
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = call([*program, "--version"], env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    assert done == Result(-signal.SIGINT, b"", "")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_importing_the_command_leaves_signals_as_they_are() -> None:
    code = (
        "import signal, rijn, rijn.cli, rijn.__main__\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    done = call([sys.executable, "-c", code])
    assert done.code == 0, done.err


COUNTED = re.compile(r" (bytes|rows|files|chunks|checks|results|sources|failed|there already)\b")


def test_counts_have_thousands_separators() -> None:
    """Every number before one of these words has thousands separators."""
    counts, others = 0, []
    for path in Path(rijn.__file__).parent.joinpath("cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.JoinedStr):
                continue
            for number, text in pairwise(node.values):
                if (
                    isinstance(number, ast.FormattedValue)
                    and isinstance(text, ast.Constant)
                    and COUNTED.match(text.value)
                ):
                    counts += 1
                    if number.format_spec is None or ast.unparse(number.format_spec) != "f','":
                        others.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert others == []
    assert counts > 10


@pytest.mark.parametrize(
    "command", ["encrypt {0}/a", "encrypt -r {0}/t out", "verify a", "encrypt {0}/a -o b"]
)
def test_a_current_folder_that_was_removed_is_named(folder: Path, run: Run, command: str) -> None:
    """Absolute names still work there."""
    Path("a").write_bytes(b"data")
    (folder / "t").mkdir()
    (folder / "gone").mkdir()
    os.chdir("gone")
    os.rmdir("../gone")
    first, *others = command.format(folder).split()
    done = run(first, "-k", f"{folder}/.key", *others)
    if command == "encrypt {0}/a":
        assert done.code == 0, done
    else:
        assert done.code == 1
        assert done.err.startswith("rijn: the current folder does not exist any more (change ")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_info_of_several_to_a_reader_that_goes_away(folder: Path, options: list[str]) -> None:
    Path("a.rijn").write_bytes(SEALED)
    reads, writes = os.pipe()
    os.close(reads)
    try:
        done = call([*RIJN, "info", *options, "a.rijn", "a.rijn"], stdout=writes)
    finally:
        os.close(writes)
    assert (done.code, done.err) == (128 + signal.SIGPIPE, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_info_names_standard_output_if_that_is_full(folder: Path, options: list[str]) -> None:
    Path("a.rijn").write_bytes(SEALED)
    with open("/dev/full", "wb") as full:
        done = call([*RIJN, "info", *options, "a.rijn", "a.rijn"], stdout=full)
    assert done.code == 8
    lines = done.err.splitlines()
    assert all(line.startswith("rijn: standard output: No space ") for line in lines[:2]), lines
