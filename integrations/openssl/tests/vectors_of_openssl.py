"""Runs OpenSSL's own evp_test on the provider, with all of OpenSSL's vectors of AES, CMAC and GMAC.

The source comes from Debian. Only evp_test is built from it: it runs on the installed libcrypto.
expected_failures.txt lists the vectors that may fail, with reasons. Each of them must fail, and no
other.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support import HERE, Witness, inside, run

FILES = ("evpciph_aes_*.txt", "evpmac_common.txt", "evpmac_cmac_*.txt")
FAILED = re.compile(
    r"evp\w+\.txt:(\d+): (Source of above error.*?; unexpected error \w+|"
    r"Expected \w+ got \w+|Succeeded but was expecting \w+)"
)
RAN = re.compile(r"# RUNNING TEST FOR CIPHER|# Trying the EVP_MAC ")


@dataclass(frozen=True)
class System:
    """An OpenSSL: this machine's, or in a root directory."""

    version: str  # first two numbers
    suite: str  # Debian's, with the source
    root: Path = Path("/")

    def command(self, *words: str | Path) -> list[str | Path]:
        """Returns a command in this system. Paths are inside its root."""
        return list(words) if self.root == Path("/") else ["chroot", self.root, *words]


def fetch(system: System, folder: Path) -> Path:
    """Returns the source. If Debian's pool lacks the newest version, takes the one before."""
    script = HERE.parents[1] / "debian_source.sh"
    index = folder / "apt" / "index"
    done = run([script, "openssl", system.version, system.suite, folder], check=False, limit=600)
    if done.returncode and index.exists():
        listed = re.findall(r"^Version: ([\d.]+)-", index.read_text(), re.MULTILINE)
        of_this = {each for each in listed if each.startswith(f"{system.version}.")}
        for older in sorted(of_this, key=lambda each: int(each.split(".")[2]), reverse=True)[1:]:
            done = run([script, "openssl", older, system.suite, folder], check=False, limit=600)
            if done.returncode == 0:
                break
    if done.returncode:
        raise SystemExit(done.stdout)
    return folder / "source"


def build(system: System, source: Path, program: Path) -> Path:
    """Compiles evp_test against the installed headers and libcrypto."""
    objects = program.parent / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir(parents=True)
    sources = [source / "test" / "evp_test.c", *sorted((source / "test" / "testutil").glob("*.c"))]
    sources.append(source / "apps" / "lib" / "opt.c")
    installed = system.root / "usr" / "include"
    architecture = run(["cc", "-print-multiarch"]).stdout.strip()
    includes = [f"-I{source / part}" for part in ("include", "test", ".", "apps/include")]
    if system.root != Path("/"):
        # Only OpenSSL's headers: the others are this machine's.
        (objects / "include").mkdir()
        (objects / "include" / "openssl").symlink_to(installed / "openssl")
        includes += [f"-I{objects / 'include'}", f"-I{installed / architecture}"]
    for each in sources:
        target = objects / f"{each.stem}.o"
        run(["cc", "-O1", "-w", *includes, "-c", each, "-o", target], limit=600)
    library = objects / "testutil.a"
    parts = sorted(set(objects.glob("*.o")) - {objects / "evp_test.o"})
    run(["ar", "rc", library, *parts])
    crypto = next(iter(sorted((system.root / "usr/lib" / architecture).glob("libcrypto.so.3"))))
    ignore = "-Wl,--unresolved-symbols=ignore-in-shared-libs"
    run(["cc", ignore, "-o", program, objects / "evp_test.o", library, crypto, "-lpthread"])
    return program


def stanza(file: Path, line: int) -> str:
    """Names a vector: its file and the first lines of its stanza, which outlive other versions."""
    lines = file.read_text().splitlines()
    wanted = [
        f"{word.strip()}={value.strip()[:16]}"
        for word, _, value in (text.partition("=") for text in lines[line - 1 : line + 4])
        if word.strip() in ("Cipher", "MAC", "Key", "IV", "Result")
    ]
    return f"{file.stem} {' '.join(wanted)}"


def expected(version: str) -> set[str]:
    """Reads the expected failures of this version."""
    found = set()
    for line in (HERE / "expected_failures.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            versions, _, name = line.partition("|")[0].strip().partition(" ")
            if version in versions.split(","):
                found.add(name.strip())
    return found


def run_files(system: System, source: Path, program: Path, witness: Witness, folder: Path) -> bool:
    """Runs all files. Prints a line for each, and compares the failures with the expected ones."""
    good = True
    failed: set[str] = set()
    wanted = expected(system.version)
    data = source / "test" / "recipes" / "30-test_evp_data"
    files = sorted({file for pattern in FILES for file in data.glob(pattern)})
    if len(files) < 8:
        raise SystemExit(f"{data} has only {len(files)} files of AES")
    environment = {k: v for k, v in witness.env.items() if k != "OPENSSL_CONF"}
    for file in files:
        copy = folder / file.name
        shutil.copy(file, copy)
        command = system.command(
            inside(program, system.root),
            "-config",
            witness.env["OPENSSL_CONF"],
            inside(copy, system.root),
        )
        try:
            done = run(command, check=False, env=environment, limit=600)
        except subprocess.TimeoutExpired:
            print(f"FAILED evp_test-{system.version} {file.name}: it does not end")
            good = False
            continue
        here = {stanza(copy, int(line)): why for line, why in FAILED.findall(done.stdout)}
        ran = len(RAN.findall(done.stdout))
        failed |= set(here)
        wrong = sorted(f"{name} | {why}" for name, why in here.items() if name not in wanted)
        if not ran or bool(done.returncode) != bool(here):
            wrong.append(f"status {done.returncode}, {ran} vectors: {done.stdout[-600:]}")
        if wrong:
            good = False
            print(f"FAILED evp_test-{system.version} {file.name}: {len(here)} of {ran} vectors")
            print(*(f"    {system.version} {each}" for each in wrong), sep="\n")
        else:
            print(f"PASSED evp_test-{system.version} {file.name}: {ran} vectors")
    for name in sorted(wanted - failed):
        good = False
        print(f"FAILED evp_test-{system.version}: it was expected to fail: {shlex.quote(name)}")
    return good
