"""rijn-aes-demo: its bytes, its output, and no half-written files."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from program import LIMIT, Result, call, names, start

import rijn.__main__
from rijn.cli import demo

DEMO = [sys.executable, "-c", "import sys; from rijn.cli.demo import main; sys.exit(main())"]
KEY = bytes(range(32))
IV = bytes(range(0xF0, 0x100))  # the first increment carries beyond the last byte
GIVEN = ("--key", KEY.hex(), "--iv", IV.hex())
SIZES = (0, 16, 4096, demo.PIECE - 16, demo.PIECE, demo.PIECE + 16, 3 * demo.PIECE + 48)
BACKENDS = [b.name for b in rijn.backends() if b.available and b.name in ("fixslice64", "aesni")]
# Two available backends: librijn's, or two in Python.
PAIR = BACKENDS if len(BACKENDS) == 2 else ["python", "reference"]

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


def run(*arguments: str, stdin: bytes = b"") -> Result:
    return call([*DEMO, *arguments], stdin=stdin)


def expected(mode: str, data: bytes) -> bytes:
    with_iv = modes.CBC(IV) if mode == "cbc" else modes.CTR(IV)
    encryptor = Cipher(algorithms.AES256(KEY), with_iv).encryptor()
    return encryptor.update(data) + encryptor.finalize()


@pytest.mark.parametrize("mode", demo.MODES)
@pytest.mark.parametrize("size", SIZES)
def test_round_trip(folder: Path, mode: str, size: int) -> None:
    data = os.urandom(size)
    Path("a").write_bytes(data)
    assert run("encode", "--mode", mode, *GIVEN, "a", "b").code == 0
    assert Path("b").read_bytes() == expected(mode, data)
    assert run("decode", "--mode", mode, *GIVEN, "b", "c").code == 0
    assert Path("c").read_bytes() == data
    assert names(folder) == {"a", "b", "c"}


def test_through_pipes_the_times_go_to_standard_error(folder: Path) -> None:
    data = os.urandom(demo.PIECE + 32)
    result = run("encode", *GIVEN, "-", "-", stdin=data)
    assert (result.code, result.out) == (0, expected("cbc", data))
    assert "MB/s" in result.err
    assert names(folder) == set()


def test_two_backends_are_timed_beside_each_other(folder: Path) -> None:
    data = os.urandom(4096)
    Path("a").write_bytes(data)
    done = run("encode", *GIVEN, "--backend", ",".join(PAIR), "a", "b")
    assert Path("b").read_bytes() == expected("cbc", data)
    first, second = done.out.decode().splitlines()
    time_and_speed = r" +([0-9.]+) s +([0-9,.]+) MB/s"
    one = re.fullmatch(PAIR[0] + time_and_speed, first)
    two = re.fullmatch(PAIR[1] + time_and_speed + f"  ([0-9.]+) x {PAIR[0]}", second)
    assert one and two
    assert float(two[3]) == pytest.approx(float(one[1]) / float(two[1]), rel=0.1, abs=0.006)
    assert float(two[2].replace(",", "")) == pytest.approx(
        len(data) / 1e6 / float(two[1]), rel=0.1, abs=0.06
    )


def test_backends_that_differ_leave_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = demo._Backend.update
    monkeypatch.setattr(
        demo._Backend,
        "update",
        lambda self, piece: right(self, piece)[: -1 if self.name == PAIR[1] else None],
    )
    Path("a").write_bytes(bytes(64))
    assert demo.main(["encode", *GIVEN, "--backend", ",".join(PAIR), "a", "b"]) == 1
    assert f"{PAIR[1]} gives different bytes than {PAIR[0]}" in capsys.readouterr().err
    assert names(folder) == {"a"}


@pytest.mark.parametrize("way", ["encode", "decode"])
@pytest.mark.parametrize("size", [1, 15, 17, demo.PIECE + 1])
def test_a_size_that_is_no_multiple_of_16(folder: Path, way: str, size: int) -> None:
    data = bytes(size)
    Path("a").write_bytes(data)
    for done in (run(way, *GIVEN, "a", "b"), run(way, *GIVEN, "-", "b", stdin=data)):
        assert done.code == 1
        assert done.err.startswith("rijn-aes-demo: ")
        assert f"its {size:,} bytes are not a multiple of 16" in done.err
        assert names(folder) == {"a"}
    # The size of a file is known in advance, so a pipe gets nothing.
    assert run(way, *GIVEN, "a", "-").out == b""


def test_an_existing_result_is_kept(folder: Path) -> None:
    Path("a").write_bytes(bytes(32))
    Path("b").write_text("old")
    os.link("a", "again")
    assert run("encode", *GIVEN, "a", "b").code == 9
    assert Path("b").read_text() == "old"
    for same in ("a", "again"):
        for force in ((), ("--force",)):
            assert run("encode", *force, *GIVEN, "a", same).code == 9
    assert Path("a").read_bytes() == bytes(32)
    assert run("encode", "--force", *GIVEN, "a", "b").code == 0
    assert Path("b").read_bytes() == expected("cbc", bytes(32))


@pytest.mark.parametrize(
    "given",
    [
        ("--key", KEY.hex()),
        ("--iv", IV.hex()),
        ("--key", KEY.hex()[2:], "--iv", IV.hex()),
        ("--key", KEY.hex(), "--iv", IV.hex() + "00"),
        ("--key", "x" * 64, "--iv", IV.hex()),
        ("--key", KEY.hex()[:-2] + " 1", "--iv", IV.hex()),
        (*GIVEN, "--mode", "ecb"),
        (*GIVEN, "--backend", "quantum"),
        (*GIVEN, "--backend", f"{PAIR[0]},"),
        (*GIVEN, "--backend", ""),  # from an unset variable of a script
    ],
)
def test_options_that_do_not_fit(folder: Path, given: tuple[str, ...]) -> None:
    Path("a").write_bytes(bytes(32))
    done = run("encode", *given, "a", "b")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("rijn-aes-demo: ") and done.err.count("\n") == 1
    assert KEY.hex()[2:34] not in done.err  # no message repeats the key
    assert names(folder) == {"a"}


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(folder: Path, number: int) -> None:
    with start(
        [*DEMO, "encode", *GIVEN, "-", "out"],
        stdin=-1,
        stdout=-1,
        stderr=-1,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(bytes(4 * demo.PIECE))
            process.stdin.flush()
            deadline = time.monotonic() + LIMIT
            while not any(path.stat().st_size for path in folder.glob(".rijn-*.part")):
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.01)
            process.send_signal(number)
            _, err = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert err == b"rijn-aes-demo: interrupted (nothing was left behind)\n"
    assert names(folder) == set()


# Runs a program that cannot open the source for lack of memory.
WITHOUT_MEMORY = """
import importlib, sys

def fail(*arguments, **named):
    raise MemoryError

module = importlib.import_module(f"rijn.cli.{sys.argv.pop(1)}")
module.open_source = fail
from rijn import cli
from rijn.cli import demo
sys.exit((demo if module is demo else cli).main())
"""


def test_too_little_memory_names_an_existing_option(folder: Path) -> None:
    ran = [
        call([sys.executable, "-c", WITHOUT_MEMORY, module, *words])
        for module, *words in (
            ("demo", "encode", *GIVEN, "a", "b"),
            ("encrypt", "encrypt", "-k", ".key", "a"),
            ("decrypt", "decrypt", "-k", ".key", "a.rijn"),
        )
    ]
    assert [each.code for each in ran] == [1, 1, 1]
    assert [each.err for each in ran] == [
        "rijn-aes-demo: not enough memory (nothing was kept)\n",
        "rijn: not enough memory (--jobs 1 needs the least memory)\n",
        "rijn: not enough memory (--jobs 1 needs the least memory)\n",
    ]
    assert names(folder) == set()


def test_help_describes_the_program() -> None:
    for arguments in (["--help"], ["encode", "--help"], ["decode", "--help"]):
        done = run(*arguments)
        assert done.code == 0
        assert "demonstration, not protection" in done.out.decode()


def test_the_script_is_installed() -> None:
    from importlib.metadata import entry_points

    scripts = entry_points(group="console_scripts")
    if not [entry for entry in scripts if entry.name == "rijn"]:
        pytest.skip("the package runs from its sources, so no script is installed")
    (script,) = [entry for entry in scripts if entry.name == "rijn-aes-demo"]
    assert script.load() is rijn.__main__.demo
