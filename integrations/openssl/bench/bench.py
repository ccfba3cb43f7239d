"""Measures the OpenSSL provider beside OpenSSL's own.

    python bench.py BUILD-FOLDER [--rounds 31] [--root ROOT]

Prints tables for EVP (bench.c) and for TLS 1.3 through Python's ssl with records of 16 KiB. --root is a
system with another OpenSSL and Python, as ../tests/trixie.sh makes it; it needs root.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONFIG = """openssl_conf = init
[init]
providers = providers
alg_section = algorithms
[providers]
default = usual
rijn = rijn
[usual]
activate = 1
[rijn]
module = {module}
activate = 1
[algorithms]
default_properties = ?provider=rijn
"""

# Runs in each of the two processes: a client and a server in memory. For every line, it sends and
# receives so many records and prints nanoseconds of the processor.
PEER = """
import ctypes, ssl, sys, time
cert, key = sys.argv[1:]
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain(cert, key)
client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
client.load_verify_locations(cert)
up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
a = client.wrap_bio(down, up, server_hostname="localhost")
b = server.wrap_bio(up, down, server_side=True)
left = [a, b]
while left:
    for each in list(left):
        try:
            each.do_handshake()
            left.remove(each)
        except ssl.SSLWantReadError:
            pass
record, room = bytes(16384), bytearray(16384)
loaded = ctypes.CDLL("libcrypto.so.3").OSSL_PROVIDER_available(None, b"rijn")
print(loaded, ssl.OPENSSL_VERSION, a.version(), a.cipher()[0], flush=True)
for line in sys.stdin:
    count = int(line)
    begun = time.process_time_ns()
    for _ in range(count):
        a.write(record)
        got = 0
        while got < 16384:
            got += b.read(16384, room)
    print(time.process_time_ns() - begun, flush=True)
"""


def tls(folder: Path, module: Path, chroot: list[str], rounds: int) -> None:
    """Measures records of TLS 1.3. `folder` and `module` are below the root of `chroot`."""
    root = Path(chroot[1]) if chroot else Path("/")
    cert, key, config = folder / "cert.pem", folder / "key.pem", folder / "rijn.cnf"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"]
    names = ["/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = [*words, *names, "-out", str(cert), "-keyout", str(key)]
    subprocess.run(made, check=True, capture_output=True, timeout=60)

    def inside(path: Path) -> str:
        return str(Path("/") / path.relative_to(root))

    config.write_text(CONFIG.format(module=inside(module)))
    python = "/usr/bin/python3" if chroot else sys.executable
    command = [*chroot, python, "-c", PEER, inside(cert), inside(key)]
    plain = {name: value for name, value in os.environ.items() if name != "OPENSSL_CONF"}
    with ExitStack() as stack:
        peers = [
            stack.enter_context(
                subprocess.Popen(
                    command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            for env in (plain, {**plain, "OPENSSL_CONF": inside(config)})
        ]
        for peer in peers:
            stack.callback(peer.kill)

        def ask(peer: subprocess.Popen[str], count: int) -> int:
            assert peer.stdin and peer.stdout
            print(count, file=peer.stdin, flush=True)
            return int(peer.stdout.readline())

        about = [peer.stdout.readline().strip().partition(" ") for peer in peers if peer.stdout]
        assert [loaded for loaded, _, _ in about] == ["0", "1"], about
        assert about[0][2] == about[1][2], about
        quotients = []
        for round_ in range(rounds + 1):
            order = (0, 1) if round_ % 2 else (1, 0)
            times = {which: ask(peers[which], 200) for which in order}
            if round_:  # the first warms up
                quotients.append(times[0] / times[1])
    quotient = statistics.median(quotients)
    print(f"\nPython, {about[0][2]}, records of 16 KiB: default ÷ Rijn = **{quotient:.2f}**")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--root", type=Path)
    given = parser.parse_args()
    build = given.build.absolute()
    module, folder, chroot = build / "rijn.so", build / "bench", []
    if not module.exists():
        sys.exit(f"{module} does not exist: run make openssl")
    if given.root:
        root = given.root.absolute()
        folder, chroot = root / "bench", ["chroot", str(root)]
    folder.mkdir(parents=True, exist_ok=True)
    if given.root:
        module = Path(shutil.copy(module, folder))
    program = folder / "bench"
    compiler = os.environ.get("CC", "cc").split()
    flags = ["-std=c11", "-D_DEFAULT_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]
    source = [str(HERE / "bench.c"), "-o", str(program), "-lcrypto"]
    subprocess.run([*compiler, *flags, *source], check=True)
    inside = Path("/bench") if given.root else folder
    where = "/bench" if given.root else str(module.parent)
    command = [*chroot, str(inside / "bench"), where, str(given.rounds)]
    subprocess.run(command, check=True, timeout=1800)
    tls(folder, module, chroot, given.rounds)


if __name__ == "__main__":
    main()
