"""Functions that run the program, in a separate process wherever that makes a difference."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any

sys.path.append(str(Path(__file__).parents[1]))  # for scripts that import only this module
from limits import LIMIT

RIJN = [sys.executable, "-m", "rijn"]
KEY = bytes(range(16))  # the contents of the file .key of the fixture `folder`


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str


def names(folder: Path) -> set[str]:
    """Returns the names in the folder, including temporary files."""
    return {entry.name for entry in folder.iterdir()} - {".key"}


def as_from_a_terminal() -> None:
    """Gives a new process the signals of a typed command. The process that runs the tests may ignore some (nohup, a shell's background job) or block them, and the new process
    inherits that."""
    if os.name == "posix":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])


def start(
    command: Sequence[str | Path],
    prepare: Callable[[], object] = lambda: None,
    **options: Any,
) -> subprocess.Popen[Any]:
    """Returns a subprocess.Popen that calls `prepare` in the new process."""

    def all_of_it() -> None:
        as_from_a_terminal()
        prepare()

    # No test thread can hold a lock in the new process.
    return subprocess.Popen(command, preexec_fn=all_of_it, **options)  # noqa: PLW1509


def call(
    command: Sequence[str | Path],
    prepare: Callable[[], object] = lambda: None,
    *,
    stdin: bytes | IO[bytes] = b"",
    **options: Any,
) -> Result:
    """Starts a program and waits for its end. stdin: its input, or a file with it."""
    data = stdin if isinstance(stdin, bytes) else None
    options = {"stdin": stdin if data is None else subprocess.PIPE, **options}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    with start(command, prepare, start_new_session=True, **options) as process:
        try:
            out, err = process.communicate(data, timeout=LIMIT)
        except BaseException:
            process.kill()
            raise
    return Result(process.returncode, out or b"", (err or b"").decode())


def feed(sink: int, data: bytes) -> None:
    """Writes to a pipe until its reader goes away."""
    with suppress(BrokenPipeError), open(sink, "wb") as pipe:
        pipe.write(data)


class ColumnsServer:
    """A running columns_server.py. It runs one process at a time."""

    def __init__(self) -> None:
        self._peer, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, Path(__file__).with_name("columns_server.py")]
        with theirs:
            self._process = start([*command, str(theirs.fileno())], pass_fds=[theirs.fileno()])

    def close(self) -> None:
        self._peer.close()
        self._process.wait(LIMIT)

    def call(self, arguments: Sequence[str], stdin: bytes, environment: dict[str, str]) -> Result:
        """Runs Python with these arguments, `-m rijn …` or `-c …`, in this folder, as `call` does."""
        request = json.dumps([arguments, environment, os.getcwd()]).encode()
        source, sink = os.pipe()
        feeder = Thread(target=feed, args=(sink, stdin))
        with TemporaryFile() as out, TemporaryFile() as err:
            with open(source, "rb") as given:
                files = [file.fileno() for file in (given, out, err)]
                socket.send_fds(self._peer, [request], files)
            feeder.start()
            child = int(self._peer.recv(32))
            self._peer.settimeout(LIMIT)
            try:
                code = int(self._peer.recv(32))
            except BaseException:
                os.kill(child, signal.SIGKILL)
                raise
            feeder.join(LIMIT)
            out.seek(0)
            err.seek(0)
            return Result(code, out.read(), err.read().decode())
