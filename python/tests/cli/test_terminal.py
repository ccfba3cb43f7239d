"""On a terminal: the passphrase prompt, the output that appears there, and the rest."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("needs pseudo-terminals", allow_module_level=True)

import pty
import termios

from program import KEY, LIMIT, RIJN, Result, as_from_a_terminal, names, start

from rijn import chunked
from rijn.cli import decrypt, main
from rijn.files import Header

Run = Callable[..., Result]


class Terminal:
    """Runs rijn as the only program on a terminal, which is all its descriptors."""

    def __init__(
        self,
        *arguments: str,
        redirect: dict[int, str] | None = None,
        term: str = "xterm",
        columns: int = 80,
    ) -> None:
        self.shown = b""
        self._pid, self._fd = pty.fork()
        if not self._pid:
            as_from_a_terminal()
            termios.tcsetwinsize(0, (24, columns))
            for fd, path in (redirect or {}).items():
                flags = os.O_WRONLY | os.O_CREAT if fd else os.O_RDONLY
                os.dup2(os.open(path, flags, 0o600), fd)
            os.environ["TERM"] = term
            os.environ.pop("COLUMNS", None)
            # pytest's readline sets COLUMNS in the C environment, and execv would pass it on.
            os.execve(RIJN[0], [*RIJN, *arguments], os.environ)

    def wait_for(self, text: str) -> None:
        """Waits until `text` has appeared since the last call."""
        deadline = time.monotonic() + LIMIT
        while text.encode() not in self.shown:
            assert time.monotonic() < deadline, f"waiting for {text!r}, saw {self.shown!r}"
            assert self._read(), f"ended without {text!r}: {self.shown!r}"
        self.shown = self.shown.split(text.encode(), 1)[1]

    def _read(self) -> bool:
        if not select.select([self._fd], [], [], 1)[0]:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # Linux: the other side is closed
            return False
        self.shown += data
        return bool(data)

    def type(self, text: str) -> None:
        """Types the text once the prompt has turned off the echo, so that a failure would show."""
        deadline = time.monotonic() + LIMIT
        while termios.tcgetattr(self._fd)[3] & termios.ECHO:
            assert time.monotonic() < deadline, "the terminal still echoes"
            time.sleep(0.01)
        os.write(self._fd, os.fsencode(text))

    def signal_key(self, key: bytes) -> None:
        os.write(self._fd, key)

    def end(self) -> int:
        """Returns the exit code. Afterwards `shown` has the rest of the output."""
        deadline = time.monotonic() + LIMIT
        while self._read():
            if time.monotonic() > deadline:
                os.kill(self._pid, signal.SIGKILL)
        os.close(self._fd)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def test_passphrase_prompt(folder: Path) -> None:
    Path("letter").write_text("Dear A.,\n")
    terminal = Terminal("encrypt", "letter")
    terminal.wait_for("Passphrase: ")
    terminal.type("open sesame\n")
    terminal.wait_for("Passphrase again: ")
    terminal.type("open sesame\n")
    assert terminal.end() == 0
    assert b"sesame" not in terminal.shown
    assert names(folder) == {"letter", "letter.rijn"}

    terminal = Terminal("decrypt", "letter.rijn", "-o", "-")
    terminal.wait_for("Passphrase: ")
    terminal.type("open sesame\n")
    assert terminal.end() == 0
    assert b"again" not in terminal.shown
    assert terminal.shown.split() == [b"Dear", b"A.,"]

    terminal = Terminal("decrypt", "letter.rijn", "-o", "out")
    terminal.wait_for("Passphrase: ")
    terminal.type("open barley\n")
    assert terminal.end() == 3
    assert b"wrong key or passphrase" in terminal.shown
    assert names(folder) == {"letter", "letter.rijn"}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["one\n", "two\n"], b"The two passphrases differ"),
        (["\n"], b"the passphrase is empty"),
        (["\x04"], b"No passphrase was given"),
        (["\udcff\n"], b"The passphrase is not text in the terminal's encoding"),
    ],
)
def test_prompts_that_end_without_a_passphrase(
    folder: Path, typed: list[str], message: bytes
) -> None:
    Path("letter").write_text("text")
    terminal = Terminal("encrypt", "letter")
    for prompt, text in zip(["Passphrase: ", "Passphrase again: "], typed, strict=False):
        terminal.wait_for(prompt)
        terminal.type(text)
    assert terminal.end() == 2
    assert message in terminal.shown
    assert names(folder) == {"letter"}


def test_interrupt_at_the_prompt(folder: Path) -> None:
    Path("letter").write_text("text")
    terminal = Terminal("encrypt", "letter")
    terminal.wait_for("Passphrase: ")
    terminal.type("half a pass\x03")
    assert terminal.end() == 130
    assert b"rijn: interrupted" in terminal.shown
    assert names(folder) == {"letter"}


def test_prompt_while_data_is_piped(folder: Path) -> None:
    """The passphrase comes from the terminal, the data from standard input."""
    Path("letter").write_text("through the pipe")
    terminal = Terminal("encrypt", redirect={0: "letter", 1: "sealed"})
    for prompt in ("Passphrase: ", "Passphrase again: "):
        terminal.wait_for(prompt)
        terminal.type("pw\n")
    assert terminal.end() == 0
    terminal = Terminal("decrypt", redirect={0: "sealed", 1: "plain"})
    terminal.wait_for("Passphrase: ")
    terminal.type("pw\n")
    assert terminal.end() == 0
    assert Path("plain").read_text() == "through the pipe"


def test_no_prompt_if_the_result_exists(folder: Path) -> None:
    Path("letter").write_text("text")
    Path("letter.rijn").write_text("in the way")
    terminal = Terminal("encrypt", "letter")
    assert terminal.end() == 9
    assert b"Passphrase" not in terminal.shown


def test_ciphertext_is_not_written_to_a_terminal(folder: Path) -> None:
    Path("letter").write_text("text")
    for destination in ("-", "/dev/tty"):
        terminal = Terminal("encrypt", "-k", ".key", "letter", "-o", destination)
        assert terminal.end() == 9
        assert b"ciphertext is binary" in terminal.shown
        assert b"Rijn file" not in terminal.shown


@pytest.mark.parametrize(
    "data",
    [b"\0", b"\x1b[31mred", b"caf\xe9", "\x9b31m".encode(), b"text " * 9000 + b"\x07"],
    ids=["NUL", "escape", "Latin-1", "C1", "BEL at the end"],
)
@pytest.mark.parametrize("part", [[], ["--range", "0:"]], ids=["whole", "range"])
def test_binary_plaintext_is_not_written_to_a_terminal(
    folder: Path, run: Run, data: bytes, part: list[str]
) -> None:
    Path("f").write_bytes(data)
    assert run("encrypt", "-k", ".key", "f").code == 0
    terminal = Terminal("decrypt", "-k", ".key", *part, "f.rijn", "-o", "-")
    assert terminal.end() == 9
    assert b"plaintext is binary" in terminal.shown
    assert not set(terminal.shown) & {0, 7, 0x1B, 0x9B, 0xE9}
    assert run("decrypt", "-k", ".key", "f.rijn", "-o", "-").out == data


def test_text_is_written_to_a_terminal(folder: Path, run: Run) -> None:
    text = "naïve\tcafé, 雨\n" * 9000  # one character crosses the boundary of two writes
    header = Header("AEAD_AES_128_GCM").encode()
    Path("f.rijn").write_bytes(header + chunked.encrypt(KEY, text.encode(), context=header))
    terminal = Terminal("decrypt", "-k", ".key", "f.rijn", "-o", "-")
    assert terminal.end() == 0
    assert terminal.shown.decode().replace("\r\n", "\n").expandtabs() == text.expandtabs()


def test_a_forgotten_source_is_not_waited_for(folder: Path) -> None:
    for command in ("encrypt", "decrypt"):
        terminal = Terminal(command, "-k", ".key")
        assert terminal.end() == 2
        assert b"Name a file" in terminal.shown


def test_progress_on_a_terminal_only_and_only_after_a_second(folder: Path) -> None:
    """A pipe that trickles for 1.5 seconds: a bar on a terminal, a line on a terminal without cursor
    control, and nothing elsewhere, unless an option asks for it."""
    trickle = (
        "import sys, time\nfor i in range(5): sys.stdout.buffer.write(bytes(1 << 20)); "
        "sys.stdout.buffer.flush(); time.sleep(0.3)\n"
    )

    def shown(stderr_is_terminal: bool, wait: bool, *more: str, term: str = "xterm") -> bytes:
        source = start([sys.executable, "-c", trickle if wait else "pass"], stdout=subprocess.PIPE)
        assert source.stdout is not None
        redirect = {0: f"/dev/fd/{source.stdout.fileno()}"}
        if not stderr_is_terminal:
            redirect[2] = "stderr"
        words = ("encrypt", "-k", ".key", "-", "-o", "out.rijn", "-f", *more)
        terminal = Terminal(*words, redirect=redirect, term=term)
        assert terminal.end() == 0
        source.wait(LIMIT)
        source.stdout.close()
        return terminal.shown

    long = shown(stderr_is_terminal=True, wait=True)
    assert re.search("encrypting[^\r\n]*━[^\r\n]*MB", long.decode()), long
    # A busy machine may take a second for nothing. Then the test tries again.
    assert any(shown(stderr_is_terminal=True, wait=False) == b"" for _ in range(20))
    assert shown(stderr_is_terminal=False, wait=True) == b""
    assert Path("stderr").read_bytes() == b""
    lines = rb"(rijn: encrypting: \d+ MB\r?\n)+"
    assert re.fullmatch(lines, shown(True, True, term="dumb"))
    assert shown(True, True, "--no-progress") == b""
    assert shown(False, True, "--progress") == b""
    assert re.fullmatch(lines, Path("stderr").read_bytes())


@pytest.mark.parametrize("part", [(), ("--range", "0:4")])
def test_progress_of_a_range_follows_the_option(
    folder: Path, monkeypatch: pytest.MonkeyPatch, part: tuple[str, ...]
) -> None:
    wanted: list[bool] = []

    class Bar(decrypt.Progress):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            wanted.append(self.wanted)

    monkeypatch.setattr(decrypt, "Progress", Bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Path("f").write_bytes(bytes(9))
    assert main(["encrypt", "-k", ".key", "f"]) == 0
    for option in ((), ("--progress",), ("--no-progress",)):
        words = ["decrypt", "-k", ".key", *part, *option, "f.rijn", "-o", "back", "-f"]
        assert main(words) == 0
    assert wanted == [True, True, False]


@pytest.mark.parametrize("columns", [40, 80])
def test_a_progress_bar_fits_the_terminal(folder: Path, columns: int) -> None:
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)
    terminal = Terminal("encrypt", "-k", ".key", "sparse", "-o", "/dev/null", columns=columns)
    terminal.wait_for("%")
    terminal.wait_for("B/s")
    terminal.wait_for("B/s")
    terminal.signal_key(b"\x03")
    assert terminal.end() == 130
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", terminal.shown).decode()
    text = text.replace("^C", "")  # the terminal's echo of the key, wherever the cursor is
    drawn = [line for line in re.split("[\r\n]+", text) if "encrypting" in line]
    assert drawn and all(len(line) <= columns and "%" in line for line in drawn), drawn


def test_an_interrupted_progress_bar_gives_the_cursor_back(folder: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, bytes(4096))
    os.set_inheritable(reading, True)
    feeder = start(
        [
            sys.executable,
            "-c",
            "import os, time\nwhile True: os.write(1, bytes(1 << 20)); time.sleep(0.2)",
        ],
        stdout=writing,
    )
    os.close(writing)
    terminal = Terminal(
        "encrypt", "-k", ".key", "-", "-o", "out", redirect={0: f"/dev/fd/{reading}"}
    )
    try:
        terminal.wait_for("encrypting")
        terminal.signal_key(b"\x03")
        assert terminal.end() == 130
    finally:
        feeder.kill()
        feeder.wait(LIMIT)
        os.close(reading)
    assert terminal.shown.rfind(b"\x1b[?25h") > terminal.shown.rfind(b"\x1b[?25l")
    assert names(folder) == set()
