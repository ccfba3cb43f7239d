"""Tests integrations/putty/loopback.py: a client ends with its program, however the program ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import which

import pytest
from limits import LIMIT

SCRIPTS = Path(__file__).resolve().parents[1]

if not SCRIPTS.exists():
    pytest.skip("no checkout", allow_module_level=True)
if os.name != "posix":
    pytest.skip("needs POSIX signals", allow_module_level=True)

CLIENT = """
import os, sys, time
with open(sys.argv[1] + ".part", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".part", sys.argv[1])
time.sleep(600)
"""
PROGRAM = """
import os, signal, sys, time
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)  # the tests' parent may ignore them
import loopback, subprocess

class Interrupted(subprocess.Popen):
    # A signal arrives when the process has started, but Popen has not returned yet.
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        while not os.path.exists(sys.argv[2]):
            time.sleep(0.01)
        signal.raise_signal(int(sys.argv[4]))

if int(sys.argv[4]):
    subprocess.Popen = Interrupted
loopback.SIGNALS.install()
ran = loopback.run([sys.executable, "-c", *sys.argv[1:3]], dict(os.environ), float(sys.argv[3]))
print(ran.late, ran.status)
"""


def start(pid_file: Path, seconds: float, early: int = 0) -> subprocess.Popen[str]:
    """Starts a program that runs a client. early: a signal that arrives while the client starts."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, CLIENT, str(pid_file), str(seconds), str(early)],
        cwd=SCRIPTS,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def ends(process: int) -> bool:
    """Waits until a process has ended, and returns whether it did. Its new parent may take a while
    to reap it. After a timeout the process is killed."""
    limit = time.monotonic() + LIMIT
    while exists(process):
        if time.monotonic() > limit:
            os.kill(process, signal.SIGKILL)
            return False
        time.sleep(0.01)
    return True


def wait_for(pid_file: Path, program: subprocess.Popen[str]) -> int:
    """Waits for the client, and returns its process id."""
    limit = time.monotonic() + LIMIT
    while not pid_file.exists():
        assert program.poll() is None and time.monotonic() < limit
        time.sleep(0.01)
    return int(pid_file.read_text())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_client_too(tmp_path: Path, number: signal.Signals) -> None:
    pid_file = tmp_path / "process"
    with start(pid_file, 600) as program:
        try:
            client = wait_for(pid_file, program)
            assert exists(client)
            program.send_signal(number)
            _, err = program.communicate(timeout=LIMIT)
        finally:
            program.kill()
    assert ends(client)
    assert (program.returncode, err) == (128 + number, f"ended by {number.name}\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_client_starts_ends_it_too(
    tmp_path: Path, number: signal.Signals
) -> None:
    pid_file = tmp_path / "process"
    with start(pid_file, 600, early=number) as program:
        try:
            _, err = program.communicate(timeout=LIMIT)
        finally:
            program.kill()
    client = int(pid_file.read_text())
    assert ends(client)
    assert (program.returncode, err) == (128 + number, f"ended by {number.name}\n")


def test_a_client_that_hangs_is_ended(tmp_path: Path) -> None:
    pid_file = tmp_path / "process"
    with start(pid_file, 3) as program:
        try:
            out, _ = program.communicate(timeout=LIMIT)
        finally:
            program.kill()
    assert out == f"True {-signal.SIGKILL}\n"
    if pid_file.exists():  # otherwise it was killed before it wrote the file
        assert ends(int(pid_file.read_text()))


SERVER = """
import socket, sys
import loopback

taken = socket.create_server(("127.0.0.1", 0))
first, free = taken.getsockname()[1], loopback.free_port
ports = [first]
loopback.free_port = lambda: ports.pop() if ports else free()
with loopback.host() as host, host.server("aes128-ctr", "hmac-sha2-256") as port:
    if port == first:
        sys.exit("the port of another process")
    with socket.create_connection(("127.0.0.1", port), float(sys.argv[1])) as client:
        print(client.recv(4))
"""


FIRST_ENDS = """
import pathlib, sys
import loopback

loopback.EMPTY_CHROOT = pathlib.Path(sys.argv[1])
first = loopback.host()
first.__enter__()
with loopback.host():
    first.__exit__(None, None, None)
    sys.exit(not loopback.EMPTY_CHROOT.is_dir())
"""


def needs_openssh() -> None:
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    programs = ("sshd", "ssh-keygen", "ssh-agent", "ssh-add")
    missing = [each for each in programs if not which(each, path=search)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=SCRIPTS,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


def test_a_server_whose_port_is_taken_gets_another() -> None:
    needs_openssh()
    done = run(SERVER, str(LIMIT))
    assert (done.returncode, done.stdout) == (0, "b'SSH-'\n"), done.stderr


def test_a_host_that_ends_leaves_the_folder_of_others(tmp_path: Path) -> None:
    needs_openssh()
    if os.geteuid() != 0:
        pytest.skip("only root's sshd needs the folder")
    done = run(FIRST_ENDS, str(tmp_path / "sshd"))
    assert done.returncode == 0, done.stderr
