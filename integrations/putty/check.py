"""Tests PuTTY on Rijn, after build.sh:

    check.py [0.78|0.83|0.85]... [--backends NAME...]

- PuTTY's own test suite, on several backends, chosen by RIJN_BACKEND
- objects.c, on the same backends: memory is wiped, and results equal PuTTY's portable code
- transfers over loopback, both ways, with new keys in the middle: pscp with every AES cipher of
  OpenSSH, psftp and plink with GCM; also with a cut connection and with an altered bit
- with a backend that RIJN_BACKEND may not name, PuTTY uses its own portable code

Prints PASSED or FAILED for each.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from pathlib import Path

import loopback

TOP = Path(__file__).resolve().parents[2] / "build" / "putty"
SIZE = 6 << 20
SECONDS = 300  # limit of a transfer
CUT_SECONDS = 300  # limit until a client notices the cut
SUITE_SECONDS = 900
SUITE_TESTS = {"0.78": 81, "0.83": 86, "0.85": 90}  # number of tests
ETM, MAC = "hmac-sha2-256-etm@openssh.com", "hmac-sha2-256"
CIPHERS = (
    ("aes128-ctr", ETM),
    ("aes192-ctr", ETM),
    ("aes256-ctr", ETM),
    ("aes256-ctr", MAC),
    ("aes128-gcm@openssh.com", ETM),
    ("aes256-gcm@openssh.com", ETM),
    ("aes256-cbc", ETM),
    ("aes256-cbc", MAC),
)
# Prints Rijn's objects that testcrypt lacks.
HAS_RIJN = """
from testcrypt import ssh_cipher_new
names = [f"aes{n}_{m}_ni" for n in (128, 192, 256) for m in ("cbc", "ctr", "gcm")]
print([name for name in names if ssh_cipher_new(name) is None])
"""
MAC_ERROR = re.compile("Incorrect MAC received on packet|Incoming packet length field was garbled")
failures = 0


def report(what: str, wrong: str | None) -> None:
    global failures
    print(f"PASSED {what}" if wrong is None else f"FAILED {what}: {wrong}", flush=True)
    failures += wrong is not None


def not_on_backend(version: str, backend: str, env: dict[str, str]) -> str | None:
    """Returns why the suite would not test Rijn on that backend, or None. If Rijn is not available,
    PuTTY's tests skip it."""
    ran = loopback.run([str(TOP / version / "rijn" / "objects"), "backend"], env, SECONDS)
    used = ran.output.strip()
    if ran.late or ran.status or backend not in ("", used):
        return f"Rijn uses another backend: {used or 'none'}"
    has = loopback.run([sys.executable, "-c", HAS_RIJN], env, SECONDS)
    if has.late or has.status or has.output != "[]\n":
        return f"testcrypt lacks Rijn's {has.output.strip()}"
    return None


def suite(version: str, backend: str) -> None:
    """Runs PuTTY's own tests of testcrypt on one backend."""
    what = f"{version}: cryptsuite, {SUITE_TESTS[version]} tests on {backend or 'the best backend'}"
    tests = TOP / version / "source" / "test"
    env = {**os.environ, "PUTTY_TESTCRYPT": str(TOP / version / "rijn" / "testcrypt")}
    env |= {"RIJN_BACKEND": backend, "PYTHONPATH": str(tests)}
    if (other := not_on_backend(version, backend, env)) is not None:
        report(what, other)
        return
    ran = loopback.run([sys.executable, str(tests / "cryptsuite.py")], env, SUITE_SECONDS)
    count = re.search(r"^Ran (\d+) tests? in ", ran.output, re.MULTILINE)
    wrong = None
    if ran.late:
        wrong = f"timeout after {SUITE_SECONDS} s"
    elif ran.status or count is None or not re.search(r"^OK$", ran.output, re.MULTILINE):
        wrong = ran.output[-2000:]
    elif int(count[1]) != SUITE_TESTS[version]:
        wrong = f"{count[1]} tests ran, not {SUITE_TESTS[version]}"
    report(what, wrong)


def check_objects(version: str, backend: str) -> None:
    """Runs objects.c on one backend."""
    env = {**os.environ, "RIJN_BACKEND": backend}
    ran = loopback.run([str(TOP / version / "rijn" / "objects")], env, SECONDS)
    wrong = None if ran.output == "9 objects, 0 failures\n" else ran.output[-2000:]
    if ran.late or ran.status:
        wrong = f"status {ran.status}: {ran.output[-2000:]}"
    report(
        f"{version}: ciphers seal in one call, and are wiped when freed or rekeyed, "
        f"{backend or 'best backend'}",
        wrong,
    )


def transfer(
    host: loopback.Host,
    port: int,
    programs: Path,
    upwards: bool,
    seconds: float = SECONDS,
    backend: str = "",
) -> tuple[loopback.Ran, Path, Path]:
    """Transfers a file with pscp. Returns the client's result, the file and its copy."""
    here, there = host.folder / "here", host.folder / "there"
    source, copy = (here, there) if upwards else (there, here)
    copy.unlink(missing_ok=True)
    source.write_bytes(DATA)
    words = [str(here), host.remote(there)] if upwards else [host.remote(there), str(here)]
    command = host.putty(programs / "pscp", port, "-v", "-scp", *words)
    return loopback.run(command, {**host.env, "RIJN_BACKEND": backend}, seconds), source, copy


def transfer_by(
    program: str, host: loopback.Host, port: int, programs: Path, backend: str
) -> tuple[loopback.Ran, Path, Path]:
    """Transfers a file to the server and back: psftp puts and gets it; plink sends it through `cat`.

    Returns the client's result, the file and its copy.
    """
    source, there, copy = (host.folder / name for name in ("here", "there", "again"))
    for each in (there, copy):
        each.unlink(missing_ok=True)
    source.write_bytes(DATA)
    user = f"{host.user}@127.0.0.1"
    if program == "psftp":
        script = host.folder / "script"
        script.write_text(f"put {source} {there}\nget {there} {copy}\nquit\n")
        command = host.putty(programs / program, port, "-v", "-b", str(script), user)
    else:
        redirect = ["/bin/sh", "-c", 'exec "$@" <"$0" >"$0.out"', str(source)]
        copy = host.folder / "here.out"
        command = [*redirect, *host.putty(programs / program, port, "-v", user, "cat")]
    return loopback.run(command, {**host.env, "RIJN_BACKEND": backend}, SECONDS), source, copy


def wrong_copy(ran: loopback.Ran, source: Path, copy: Path, cipher: str) -> str | None:
    if ran.late:
        return f"timeout after {SECONDS} s"
    if ran.status:
        return f"status {ran.status}: {ran.output[-1500:]}"
    if source.read_bytes() != copy.read_bytes():
        return "the copy differs"
    again = len(re.findall(r"Remote side initiated key re-exchange", ran.output))
    if again < 2:
        return f"only {again} key exchanges during the transfer"
    # PuTTY's log names the implementation.
    if len(re.findall(r"Initialised AES-\d+ \w+ \(Rijn\)", ran.output)) < 2:
        return "PuTTY does not encrypt with Rijn"
    if "gcm" in cipher and "AES-GCM (Rijn)" not in ran.output:
        return "PuTTY does not authenticate with Rijn"
    return None


def check_transfers(version: str, backends: list[str]) -> None:
    programs = TOP / version / "rijn"
    with loopback.host() as host:
        for cipher, mac in CIPHERS:
            with host.server(cipher, mac, "1M") as port:
                for upwards in (True, False):
                    for backend in backends:
                        ran, source, copy = transfer(host, port, programs, upwards, backend=backend)
                        way = "up" if upwards else "down"
                        report(
                            f"{version}: {cipher} with {mac}, {way}, with new keys on the way, on "
                            f"{backend or 'the best backend'}",
                            wrong_copy(ran, source, copy, cipher),
                        )
        with host.server("aes256-gcm@openssh.com", ETM, "1M") as port:
            for program in ("psftp", "plink"):
                for backend in backends:
                    ran, source, copy = transfer_by(program, host, port, programs, backend)
                    report(
                        f"{version}: {program}, there and back, with new keys on the way, on "
                        f"{backend or 'the best backend'}",
                        wrong_copy(ran, source, copy, "gcm"),
                    )
        with host.server("aes256-gcm@openssh.com", ETM) as port:
            for backend in ("table", "none-such"):
                check_refused(host, port, programs, version, backend)
        for cipher in ("aes256-ctr", "aes256-gcm@openssh.com", "aes256-cbc"):
            with host.server(cipher, ETM) as port:
                for upwards in (True, False):
                    check_disturbed(host, port, programs, version, cipher, upwards)


def check_refused(
    host: loopback.Host, port: int, programs: Path, version: str, backend: str
) -> None:
    """With a backend that is unknown or not constant time, PuTTY must use its portable code."""
    ran, source, copy = transfer(host, port, programs, True, backend=backend)
    wrong = None
    if ran.late or ran.status:
        wrong = f"status {ran.status}: {ran.output[-1500:]}"
    elif source.read_bytes() != copy.read_bytes():
        wrong = "the copy differs"
    elif "(Rijn)" in ran.output or "AES-256 GCM (unaccelerated)" not in ran.output:
        wrong = "PuTTY's own code does not encrypt"
    report(f"{version}: with RIJN_BACKEND={backend}, PuTTY uses its portable code", wrong)


def check_disturbed(
    host: loopback.Host, port: int, programs: Path, version: str, cipher: str, upwards: bool
) -> None:
    for cut in (True, False):
        with loopback.Relay(port, upwards=upwards, after=SIZE // 2, cut=cut) as relay:
            ran, _, copy = transfer(host, relay.port, programs, upwards, CUT_SECONDS)
        wrong = None
        if not relay.reached:
            wrong = "the transfer ended before the disturbance"
        elif ran.late:
            wrong = f"the client hangs for more than {CUT_SECONDS} s"
        elif ran.status <= 0 and ran.status != -signal.SIGPIPE:  # PuTTY 0.78 writes once more
            wrong = f"the client ended with status {ran.status}: {ran.output[-500:]}"
        elif not cut and not upwards and not MAC_ERROR.search(ran.output):
            wrong = f"the client does not report a MAC error: {ran.output[-500:]}"
        elif copy.exists() and not DATA.startswith(copy.read_bytes()):
            wrong = "the received data differ"
        way = "up" if upwards else "down"
        report(f"{version}: {cipher}, {way}, {'cut' if cut else 'altered'} in the middle", wrong)


parser = argparse.ArgumentParser()
parser.add_argument("versions", nargs="*", default=["0.85"], choices=["0.78", "0.83", "0.85"])
parser.add_argument(
    "--backends", nargs="+", default=["", "sse2"], help='backends to test; "" is the best'
)
options = parser.parse_args()
loopback.SIGNALS.install()
DATA = os.urandom(SIZE)
for each in options.versions:
    if not (TOP / each / "rijn" / "built").exists():
        sys.exit(f"PuTTY {each} on Rijn is not built: integrations/putty/build.sh {each} rijn")
    for backend in options.backends:
        suite(each, backend)
        check_objects(each, backend)
    check_transfers(each, options.backends)
sys.exit(1 if failures else 0)
