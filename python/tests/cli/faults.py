"""Runs `rijn decrypt f.rijn f` again and again, with a signal before or after each system call
that makes the result, and reports each run.

    faults.py FOLDER < SCENARIOS > RUNS

A scenario is a line of JSON: the `signal`, whether `force` is given (then an old f exists), and
in `names` how the file system names a file without replacing another: "rename", "link" or "none".
A run is that line with `step`, the number of `calls`, the exit `code` (negative: the signal that
killed it), the messages (`err`), and the `files` beside the source: their contents and permission
bits. Every run is a fork of this process, which has loaded all modules.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from program import KEY

from rijn import chunked, pipeline
from rijn.cli import decrypt, destination, folders, main, results, targets
from rijn.disk import new_file, permissions
from rijn.files import Header, format_key

NEW, OLD = b"the new one, as it should be\n" * 100, b"the old one\n"
LOADED = (decrypt, pipeline)  # before the first fork
# the modules that make a result
MODULES = (destination, folders, new_file, permissions, results, targets)


class Calls:
    """Replaces the module `os`, and counts its calls. Raises the signal at one step: step 2n is
    before call n, step 2n + 1 after it."""

    def __init__(self, number: int, step: int, links: bool) -> None:
        self.count = 0
        self._number = number
        self._step = step
        self._links = links

    def __getattr__(self, name: str) -> Any:
        value = getattr(os, name)
        if name == "link" and not self._links:
            value = self._no_link
        return self.counted(value) if callable(value) and name != "fsencode" else value

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._at(2 * self.count)
            self.count += 1
            try:
                return function(*arguments, **named)
            finally:
                self._at(2 * self.count - 1)

        return call

    def _at(self, step: int) -> None:
        if step == self._step:
            signal.raise_signal(self._number)

    @staticmethod
    def _no_link(*_arguments: object, **_named: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")


def run(scenario: dict[str, Any], step: int) -> None:
    """Runs the program in a new process, with its exit code."""
    os.dup2(os.open("err", os.O_WRONLY | os.O_CREAT), 2)
    calls = Calls(scenario["signal"], step, links=scenario["names"] != "none")
    for module in MODULES:
        with_os: Any = module
        with_os.os = calls
    renames = scenario["names"] == "rename"
    with_rename: Any = new_file
    with_rename.rename_new = calls.counted(
        new_file.rename_new if renames else lambda old, new, **_: False
    )
    sys.argv = ["rijn", "decrypt", "-k", "key", "--jobs", "1", "f.rijn", "-o", "f"]
    sys.argv += ["-f"] * scenario["force"]
    code = main()
    calls._at(-2)
    Path("count").write_text(str(calls.count))
    os._exit(code)


def outcome(scenario: dict[str, Any], step: int, folder: Path) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)
    Path("key").write_text(format_key(KEY))
    Path("key").chmod(0o600)
    header = Header("AEAD_AES_128_GCM").encode()
    Path("f.rijn").write_bytes(header + chunked.encrypt(KEY, NEW, context=header))
    Path("f.rijn").chmod(0o644)
    if scenario["force"]:
        Path("f").write_bytes(OLD)
        Path("f").chmod(0o644)
    child = os.fork()
    if not child:
        try:
            run(scenario, step)
        finally:
            os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    files = {}
    for path in folder.iterdir():
        if path.name not in ("key", "f.rijn", "err", "count"):
            data = path.read_bytes()
            content = "new" if data == NEW else "old" if data == OLD else f"{len(data)} bytes"
            files[path.name] = [content, path.stat().st_mode & 0o777]
    calls = int(Path("count").read_text()) if Path("count").exists() else None
    err = Path("err").read_text()
    return {**scenario, "step": step, "calls": calls, "code": code, "err": err, "files": files}


def all_runs(folder: Path) -> None:
    os.umask(0o022)
    for line in sys.stdin:
        scenario = json.loads(line)
        undisturbed = outcome(scenario, -1, folder)
        print(json.dumps(undisturbed))
        for step in (-2, *range(2 * undisturbed["calls"])):
            print(json.dumps(outcome(scenario, step, folder)), flush=True)


if __name__ == "__main__":
    all_runs(Path(sys.argv[1]))
