"""Runs a script in MicroPython on an emulated Cortex-M4 (mps2-an386 of qemu-system-arm).

    python board.py FIRMWARE.elf SCRIPT.py [NAME=FILE ...]    FILE is /NAME on the board

Files are copied to a file system in the board's memory. The script is sent over the raw REPL.
Instruction counts are exact and repeatable: with -icount, QEMU lets each instruction take
1024 ns of virtual time, and the board's counter shows it in units of 40 ns. A script reads the
counter with `ticks()`, and `instructions(begin, end)` converts.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Self

PATIENCE = 240.0
SHIFT = 10  # of -icount: an instruction takes 2^SHIFT ns

# Runs before every script: functions that count, and a file system at / with `files` in it.
PRELUDE = """
import io, sys, vfs, machine
def ticks():
    return machine.mem32[0x40028018]
def instructions(begin, end):
    return (((end - begin) & 0xffffffff) * 40 + 512) >> 10
class _File(io.IOBase):
    def __init__(self, data):
        self.data = data; self.at = 0
    def readinto(self, buf):
        n = min(len(buf), len(self.data) - self.at)
        buf[:n] = memoryview(self.data)[self.at:self.at + n]
        self.at += n
        return n
    def ioctl(self, what, _):
        return 0 if what == 4 else -1
class _Files:
    files = {}
    def mount(self, readonly, mkfs): pass
    def umount(self): pass
    def chdir(self, path): pass
    def getcwd(self): return '/'
    def stat(self, path):
        path = path.lstrip('/')
        if path not in self.files: raise OSError(2)
        return (0x8000, 0, 0, 0, 0, 0, len(self.files[path]), 0, 0, 0)
    def open(self, path, mode):
        path = path.lstrip('/')
        if path not in self.files: raise OSError(2)
        return _File(self.files[path])
vfs.mount(_Files(), '/')
sys.path[:] = ['/', '.frozen']
"""


class BoardError(Exception):
    """The script raised an exception or did not end. The message is its output."""


class Board:
    """QEMU with a firmware, at its raw REPL. As a context manager it stops QEMU at the end."""

    def __init__(self, firmware: Path, machine: str = "mps2-an386") -> None:
        self._qemu = subprocess.Popen(
            [
                "qemu-system-arm",
                *("-M", machine, "-nographic", "-monitor", "none", "-semihosting"),
                *(
                    "-icount",
                    f"shift={SHIFT},sleep=off",
                    "-serial",
                    "stdio",
                    "-kernel",
                    str(firmware),
                ),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._timed_out = False
        self._clock = Timer(PATIENCE, self._time_out)
        self._clock.daemon = True
        self._clock.start()
        try:
            self._until(b">>> ")
            self._write(b"\x01")
            self._until(b"CTRL-B to exit\r\n>")
            self.run(PRELUDE)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._clock.cancel()
        self._qemu.kill()
        self._qemu.communicate()

    def _time_out(self) -> None:
        self._timed_out = True
        self._qemu.kill()

    def _write(self, data: bytes) -> None:
        assert self._qemu.stdin
        self._qemu.stdin.write(data)
        self._qemu.stdin.flush()

    def _until(self, end: bytes) -> bytes:
        assert self._qemu.stdout
        output = bytearray()
        while not output.endswith(end):
            byte = self._qemu.stdout.read(1)
            if not byte:
                why = f"timeout after {PATIENCE:.0f} s" if self._timed_out else "QEMU has ended"
                raise BoardError(f"{why}; output: {output.decode(errors='replace')}")
            output += byte
            if output.endswith(b"xPSR: "):
                raise BoardError(output.decode(errors="replace"))
        return bytes(output[: -len(end)])

    def run(self, script: str) -> str:
        """Runs a script and returns its output. Raises BoardError with MicroPython's traceback."""
        self._write(script.encode() + b"\x04")
        self._until(b"OK")
        output = self._until(b"\x04").replace(b"\r\n", b"\n").decode()
        error = self._until(b"\x04>").replace(b"\r\n", b"\n").decode()
        if error:
            raise BoardError(output + error)
        return output

    def put(self, name: str, data: bytes) -> None:
        """Writes a file /NAME on the board."""
        self.run(f"_Files.files[{name!r}] = bytearray({len(data)})")
        for at in range(0, len(data), 1024):
            piece = data[at : at + 1024]
            self.run(f"_Files.files[{name!r}][{at}:{at + len(piece)}] = {piece!r}")


def need(*tools: str) -> None:
    """Stops with a message if one of the tools is not installed."""
    for tool in tools:
        if not shutil.which(tool):
            sys.exit(f"{tool} is not installed")


def main() -> int:
    need("qemu-system-arm")
    firmware, script, *files = sys.argv[1:]
    began = time.monotonic()
    with Board(Path(firmware)) as board:
        for file in files:
            name, _, path = file.partition("=")
            board.put(name, Path(path).read_bytes())
        try:
            print(board.run(Path(script).read_text()), end="")
        except BoardError as error:
            print(error, file=sys.stderr)
            return 1
    print(f"({time.monotonic() - began:.1f} s)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
