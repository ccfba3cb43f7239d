"""Runs an OpenSSH server on 127.0.0.1, and its clients, for tests and measurements.

It writes only to a temporary folder, with one exception: as root, sshd needs /run/sshd, which is
made if it does not exist, and stays, because another sshd may use it by then. All processes end with
the `with` block, and each client has a time limit. A signal that SIGNALS handles also ends them and
removes the temporary folder.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Self

EMPTY_CHROOT = Path("/run/sshd")
PROGRAMS = {"sshd": "openssh-server", "ssh-keygen": "openssh-client", "ssh-agent": "openssh-client"}
START_SECONDS = 300  # limit for a server's start, also on a busy machine


@dataclass(frozen=True)
class Ran:
    """The result of a client."""

    status: int  # exit status; negative: ended by that signal
    output: str
    seconds: float
    cpu: float  # user and system seconds, with its children
    late: bool  # it exceeded its time limit and was killed


def find(program: str) -> str:
    path = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        sys.exit(f"{program} is not installed (Debian: {PROGRAMS.get(program, program)})")
    return path


class Signals:
    """Signals that end this program, and blocks that delay them."""

    def __init__(self) -> None:
        self._handled: list[signal.Signals] = []
        self._held = False
        self._came = 0

    def install(self) -> None:
        """Makes the first signal raise SystemExit, so that everything is cleaned up. Later signals
        are ignored. A signal that was ignored at the start (nohup) stays ignored."""
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(each) is not signal.SIG_IGN:
                self._handled.append(each)
                signal.signal(each, self._come)

    def _come(self, number: int, _frame: FrameType | None) -> None:
        for each in self._handled:
            signal.signal(each, signal.SIG_IGN)
        self._came = number
        if not self._held:
            self._end()

    def _end(self) -> None:
        print(f"ended by {signal.Signals(self._came).name}", file=sys.stderr)
        sys.exit(128 + self._came)

    @contextmanager
    def delayed(self) -> Iterator[None]:
        """Delays signals to the end of the block. A process that is started in the block is then
        known to the `finally` that ends it. Use the block inside a `try`."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._came:
            self._end()


SIGNALS = Signals()


def run(command: Sequence[str], env: dict[str, str], seconds: float) -> Ran:
    """Runs a client, for at most `seconds`. The client never outlives this call."""
    begun = time.monotonic()
    child = None
    late = threading.Event()

    def kill() -> None:
        late.set()
        if child:
            os.killpg(child.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, kill)
    with tempfile.TemporaryFile() as output:
        try:
            with SIGNALS.delayed():
                child = subprocess.Popen(
                    command,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        finally:
            timer.cancel()
            if child and child.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Ran(
        child.returncode,
        text,
        time.monotonic() - begun,
        usage.ru_utime + usage.ru_stime,
        late.is_set(),
    )


@contextmanager
def process(command: Sequence[str], log: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    with ExitStack() as stack:
        output = stack.enter_context(log.open("wb")) if log else subprocess.DEVNULL
        child = None
        try:
            with SIGNALS.delayed():
                child = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
                )
            yield child
        finally:
            if child:
                child.terminate()
                try:
                    child.wait(5)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()


PORTS = 10  # most ports that a server tries
TAKEN, LISTENS = "Address already in use", "Server listening on"  # in sshd's log


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(child: subprocess.Popen[bytes], port: int, log: Path) -> bool:
    """Waits until sshd listens at the port. Returns False if it ended or takes too long.

    Only sshd's log shows that: another process may listen at the port.
    """
    limit = time.monotonic() + START_SECONDS
    while child.poll() is None and time.monotonic() < limit:
        if LISTENS in log.read_text(errors="replace"):
            return True
        time.sleep(0.05)
    return False


class Host:
    """Keys of a server and a user, an agent with the user's key, and servers with these keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        self.user = getpass.getuser()
        for name in ("host", "user"):
            subprocess.run(
                [find("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)],
                check=True,
            )
        listed = subprocess.run(
            [find("ssh-keygen"), "-l", "-f", str(folder / "host.pub")],
            check=True,
            capture_output=True,
            text=True,
        )
        self.fingerprint = listed.stdout.split()[1]
        self.agent = folder / "agent"
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "SSH_AUTH_SOCK": str(self.agent),
        }

    @contextmanager
    def server(self, cipher: str, mac: str, rekey: str = "default") -> Iterator[int]:
        """Starts a server that accepts only this cipher. Yields its port.

        Another process may take a free port before sshd does. Then sshd gets another port.
        """
        output = ""
        for _ in range(PORTS):
            port = free_port()
            config = self._config(port, cipher, mac, rekey)
            log = config.with_suffix(".log")
            with process([find("sshd"), "-D", "-e", "-f", str(config)], log) as child:
                if answers(child, port, log):
                    yield port
                    return
            output = log.read_text(errors="replace")
            if TAKEN not in output:
                break
        sys.exit(f"sshd does not answer:\n{output}")

    def _config(self, port: int, cipher: str, mac: str, rekey: str) -> Path:
        config = self.folder / f"sshd-{port}.conf"
        config.write_text(
            f"""ListenAddress 127.0.0.1:{port}
HostKey {self.folder}/host
AuthorizedKeysFile {self.folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
UseDNS no
Subsystem sftp internal-sftp
Ciphers {cipher}
MACs {mac}
RekeyLimit {rekey}
"""
        )
        return config

    def putty(self, program: Path, port: int, *words: str) -> list[str]:
        """Returns the start of a command with a program of PuTTY."""
        return [
            str(program),
            "-batch",
            "-P",
            str(port),
            "-hostkey",
            self.fingerprint,
            *words,
        ]

    def openssh(self, port: int, cipher: str, *words: str) -> list[str]:
        """Returns the start of a command with OpenSSH's scp, with the protocol of `pscp -scp`."""
        return [
            find("scp"),
            *("-F", "none", "-O", "-q", "-P", str(port), "-i", str(self.folder / "user")),
            *("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"),
            *("-o", "LogLevel=ERROR", "-c", cipher),
            *words,
        ]

    def remote(self, path: Path) -> str:
        return f"{self.user}@127.0.0.1:{path}"


@contextmanager
def host() -> Iterator[Host]:
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    if os.geteuid() == 0:
        EMPTY_CHROOT.mkdir(mode=0o755, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rijn-putty-", dir=base) as name:
        keys = Host(Path(name))
        with process([find("ssh-agent"), "-D", "-a", str(keys.agent)]):
            limit = time.monotonic() + START_SECONDS
            while not keys.agent.exists():
                if time.monotonic() > limit:
                    sys.exit("ssh-agent does not start")
                time.sleep(0.02)
            subprocess.run(
                [find("ssh-add"), "-q", str(keys.folder / "user")],
                env=keys.env,
                check=True,
                timeout=START_SECONDS,
            )
            yield keys


class Relay:
    """Passes bytes between client and server. After `after` bytes in one direction, it cuts the
    connection or alters a bit."""

    def __init__(self, port: int, *, upwards: bool, after: int, cut: bool) -> None:
        self.target, self.upwards, self.after, self.cut = port, upwards, after, cut
        self.reached = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        try:
            near, _ = self.listener.accept()
        except OSError:
            return
        far = socket.create_connection(("127.0.0.1", self.target))
        self.sockets = [near, far]
        for source, sink, watched in ((near, far, self.upwards), (far, near, not self.upwards)):
            threading.Thread(target=self._pass, args=(source, sink, watched), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, watched: bool) -> None:
        count = 0
        try:
            while data := source.recv(65536):
                count += len(data)
                if watched and not self.reached and count > self.after:
                    self.reached = True
                    if self.cut:
                        self.close()
                        return
                    data = bytes([data[0] ^ 1]) + data[1:]
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()

    def close(self) -> None:
        self.listener.close()
        for each in self.sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        for each in self.sockets:
            each.close()
