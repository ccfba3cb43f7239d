"""integrations/putty/loopback.py: a client ends with whoever ran it, however that ends."""

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
    signal.signal(each, signal.SIG_DFL)  # whoever started the tests may ignore them
import loopback, subprocess

class Interrupted(subprocess.Popen):
    # A signal comes when the process is there, and whoever starts it has not heard of it yet.
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


def start(told: Path, seconds: float, early: int = 0) -> subprocess.Popen[str]:
    """early: a signal that comes while the client is started."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, CLIENT, str(told), str(seconds), str(early)],
        cwd=SCRIPTS,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def ends(process: int) -> bool:
    """Whether it is gone, or soon: whoever inherits an orphan may take a while to see its end.
    It is after this."""
    limit = time.monotonic() + LIMIT
    while is_there(process):
        if time.monotonic() > limit:
            os.kill(process, signal.SIGKILL)
            return False
        time.sleep(0.01)
    return True


def wait_for(told: Path, program: subprocess.Popen[str]) -> int:
    """The client's process."""
    limit = time.monotonic() + LIMIT
    while not told.exists():
        assert program.poll() is None and time.monotonic() < limit
        time.sleep(0.01)
    return int(told.read_text())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_client_too(tmp_path: Path, number: signal.Signals) -> None:
    told = tmp_path / "process"
    with start(told, 600) as program:
        try:
            client = wait_for(told, program)
            assert is_there(client)
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
    told = tmp_path / "process"
    with start(told, 600, early=number) as program:
        try:
            _, err = program.communicate(timeout=LIMIT)
        finally:
            program.kill()
    client = int(told.read_text())
    assert ends(client)
    assert (program.returncode, err) == (128 + number, f"ended by {number.name}\n")


def test_a_client_that_hangs_is_ended(tmp_path: Path) -> None:
    told = tmp_path / "process"
    with start(told, 3) as program:
        try:
            out, _ = program.communicate(timeout=LIMIT)
        finally:
            program.kill()
    assert out == f"True {-signal.SIGKILL}\n"
    if told.exists():  # else it was ended before it came that far
        assert ends(int(told.read_text()))


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


def test_a_server_whose_port_is_taken_gets_another() -> None:
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [each for each in ("sshd", "ssh-keygen", "ssh-agent") if not which(each, path=search)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    done = subprocess.run(
        [sys.executable, "-c", SERVER, str(LIMIT)],
        cwd=SCRIPTS,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert (done.returncode, done.stdout) == (0, "b'SSH-'\n"), done.stderr
