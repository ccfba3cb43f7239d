"""How the tests call the program: as a process of its own, wherever that makes a difference."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

RIJN = [sys.executable, "-m", "rijn"]
KEY = bytes(range(16))  # what the file .key of the fixture `folder` holds
LIMIT = 500  # seconds; a process that takes longer hangs


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str


def names(folder: Path) -> set[str]:
    """What is in the folder, temporary files too."""
    return {entry.name for entry in folder.iterdir()} - {".key"}


def as_from_a_terminal() -> None:
    """In a new process, before it becomes another program: its signals as they are for what is
    typed. Whoever runs the tests may ignore some (nohup, a shell's background job) or block them,
    and that would be inherited."""
    if os.name == "posix":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])


def start(
    command: Sequence[str | Path],
    prepare: Callable[[], object] = lambda: None,
    **options: Any,
) -> subprocess.Popen[Any]:
    """subprocess.Popen with `prepare` called in the new process."""

    def all_of_it() -> None:
        as_from_a_terminal()
        prepare()

    # The tests have no threads that could hold a lock in the new process.
    return subprocess.Popen(command, preexec_fn=all_of_it, **options)  # noqa: PLW1509


def call(
    command: Sequence[str | Path],
    prepare: Callable[[], object] = lambda: None,
    *,
    stdin: bytes | IO[bytes] = b"",
    **options: Any,
) -> Result:
    """The same, waited for. stdin: what it reads, or a file to read from."""
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
