"""Installs Rijn as its users will: in bare Debian systems, with pip, from a package index.

    python index.py DIST WORK [SYSTEM...]

DIST is the folder that tools/release.py made, WORK is for this script. A server on the loopback interface
is the only index. It has the files of DIST, and from this machine's index the packages that the extra
`cli` needs on these systems. SYSTEM is a key of SYSTEMS (default: bookworm, trixie). Needs root and
mmdebstrap.

Prints one "PASSED SYSTEM CHECK" or "FAILED SYSTEM CHECK" per check, with the seconds from an empty
environment to a first encrypted file. Exits with 1 if one failed.
"""

from __future__ import annotations

import functools
import http.server
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "python" / "tests"))
from packaging.requirements import Requirement
from transcript import difference

DIST, WORK = (Path(it).resolve() for it in sys.argv[1:3])
INDEX = WORK / "index"
LIMIT = 3600  # seconds for a command


class System(NamedTuple):
    """A bare Debian system."""

    suite: str
    package: str  # what it has besides Debian's smallest system
    python: str
    native: bool = True  # a wheel with the C binding fits
    command: bool = True  # all that the extra `cli` needs has a wheel


BUILT = "/opt/python/bin/python3"  # by python.sh
SYSTEMS = {
    "bookworm": System("bookworm", "python3-venv", "python3"),
    "trixie": System("trixie", "python3-venv", "python3"),
    "sid": System("sid", "python3-venv", "python3"),
    "pypy": System("trixie", "pypy3-venv", "pypy3", native=False),
    # cffi, which argon2-cffi needs, has no wheels for free-threaded Pythons before 3.14.
    "free-threaded": System("trixie", "zlib1g", BUILT, native=False, command=False),
    "musl": System("trixie", "musl", BUILT),
}
# Runs a command in a root that has /proc meanwhile, without this machine's variables.
ENTER = ("unshare", "--mount", "sh", "-ec", 'mount --bind /proc "$1/proc"; exec chroot "$@"', "sh")
CLEAN = ("env", "-i", "HOME=/root", "LC_ALL=C.UTF-8")
# Prints the implementation, the version and the ABI as wheels name them, and the C library.
TARGET = """
import sys, sysconfig
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
major, minor = sys.version_info[:2]
name = sys.implementation.name
libc = "musl" if "musl" in (sysconfig.get_config_var("SOABI") or "") else "gnu"
print(name, f"{major}.{minor}", f"cp{major}{minor}{free}", libc)
"""
PLATFORMS = {
    "gnu": ["manylinux2014_x86_64", *(f"manylinux_2_{it}_x86_64" for it in (17, 26, 28, 34))],
    "musl": ["musllinux_1_1_x86_64", "musllinux_1_2_x86_64"],
}
FIRST = """
import rijn, sys
assert rijn.__file__.startswith("/venv/"), rijn.__file__
print(rijn.AES(bytes(16)).backend)
"""


def run(*command: str | Path, cwd: Path = WORK, fails: bool = False) -> str:
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
    )
    assert (done.returncode != 0) == fails, f"{command}: {done.returncode}\n{done.stdout}"
    return done.stdout


def chrooted(root: Path, script: str, fails: bool = False) -> str:
    """Runs a script of bash in a root, without this machine's variables and packages."""
    return run(
        *ENTER,
        root,
        *CLEAN,
        "PATH=/usr/bin:/bin",
        "bash",
        "-euo",
        "pipefail",
        "-c",
        script,
        fails=fails,
    )


def normal(name: str) -> str:
    """Returns the name that an index has for a project (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def add(file: Path) -> None:
    project = INDEX / normal(file.name.split("-")[0])
    project.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, project)


def fill(targets: set[tuple[str, ...]]) -> None:
    """Puts the release into the index, and what its extra `cli` and its build need on each target: what
    TARGET prints there, and `cli` where the extra is wanted."""
    shutil.rmtree(INDEX, ignore_errors=True)
    for file in DIST.iterdir():
        if file.name.startswith("rijn") and file.name.endswith((".whl", ".tar.gz")):
            add(file)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    build = [*project["build-system"]["requires"], "cmake", "ninja"]
    for implementation, version, abi, libc, *extras in targets:
        got = WORK / "got" / f"{implementation}-{abi}-{libc}"
        shutil.rmtree(got, ignore_errors=True)
        pypy = implementation == "pypy"
        # pip takes markers from the Python that runs it.
        there = {
            "implementation_name": implementation,
            "platform_python_implementation": "PyPy" if pypy else "CPython",
            "python_version": version,
        }
        needed = [
            f"{it.name}{it.specifier}"
            for extra in extras
            for it in map(Requirement, project["project"]["optional-dependencies"][extra])
            if not it.marker or it.marker.evaluate(there)
        ]
        fits = ["--python-version", version]
        fits += ["--implementation", "pp"] if pypy else ["--implementation", "cp", "--abi", abi]
        fits += [word for name in PLATFORMS[libc] for word in ("--platform", name)]
        options = ("--quiet", "--dest", got, "--only-binary", ":all:", *fits)
        run(sys.executable, "-m", "pip", "download", *options, *needed, *build)
        for file in got.iterdir():
            add(file)


@contextmanager
def served() -> Iterator[str]:
    """Serves the index, and yields its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(INDEX))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def bare(name: str) -> Path:
    """Makes a Debian system with its Python and no compiler."""
    root = WORK / "roots" / name
    root.parent.mkdir(parents=True, exist_ok=True)
    system = SYSTEMS[name]
    script = ROOT / "python" / "tests" / "debian.sh"
    words = [str(root), system.suite, "amd64", "minbase", system.package]
    run("bash", "-euo", "pipefail", "-c", f". {script}; debian_root {shlex.join(words)}")
    if system.python == BUILT:
        run(ROOT / "python" / "tests" / "wheel" / "python.sh", name, WORK / "built" / name)
        shutil.copytree(WORK / "built" / name / "root" / "opt", root / "opt", dirs_exist_ok=True)
    assert not shutil.which("cc", path=f"{root}/usr/bin")
    return root


def check_package(root: Path, system: System, pip: str) -> str:
    """Without an extra, Rijn alone is installed, and its fastest backend works."""
    chrooted(root, f"rm -rf /venv; {system.python} -m venv /venv; {pip} install --quiet rijn")
    backend = chrooted(root, f"/venv/bin/python -c {shlex.quote(FIRST)}").split()[-1]
    assert (backend != "python") == system.native, backend
    said = chrooted(root, "/venv/bin/rijn selftest", fails=True)
    assert "pip install 'rijn[cli]'" in said, said
    return f"backend {backend}"


def check_command(root: Path, system: System, pip: str) -> str:
    """From nothing to a first encrypted file."""
    begin = time.monotonic()
    chrooted(
        root, f"rm -rf /venv; {system.python} -m venv /venv; {pip} install --quiet 'rijn[cli]'"
    )
    chrooted(
        root,
        "cd /root; PATH=/venv/bin:$PATH; cp /bin/bash s; rijn keygen -o my.key; rijn encrypt -k my.key s",
    )
    spent = time.monotonic() - begin
    chrooted(
        root,
        "cd /root; /venv/bin/rijn decrypt -k my.key s.rijn -o copy; cmp s copy",
    )
    return f"{spent:.1f} s"


def check_sources(root: Path, system: System, pip: str) -> str:
    """Without a compiler and Python's headers, the source distribution says what to do."""
    chrooted(root, f"rm -rf /venv; {system.python} -m venv /venv")
    said = chrooted(root, f"{pip} install --no-binary rijn rijn", fails=True)
    assert "RIJN_PURE=1" in said, said
    chrooted(root, f"RIJN_PURE=1 {pip} install --quiet --no-binary rijn rijn")
    backend = chrooted(root, f"/venv/bin/python -c {shlex.quote(FIRST)}").split()[-1]
    assert backend == "python", backend
    return "says RIJN_PURE=1, which works"


def check_stranger(root: Path, system: System, pip: str) -> str:
    """The commands of stranger.txt, beside this script."""
    chrooted(root, "rm -rf /root/new; mkdir /root/new")
    variables = re.findall(r"[A-Z_]+=\S+", pip)

    def typed(command: str) -> tuple[str, int]:
        done = subprocess.run(
            (
                *ENTER,
                root,
                *CLEAN,
                "PATH=/root/new/env/bin:/usr/bin:/bin",
                *variables,
                "sh",
                "-c",
                f"cd /root/new; {command}",
            ),
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT,
        )
        return done.stdout, done.returncode

    text = (
        Path(__file__)
        .with_name("stranger.txt")
        .read_text("utf-8")
        .replace("python3 ", f"{system.python} ", 1)
    )
    found = difference("stranger.txt", text, typed)
    assert found is None, found
    return f"{text.count(chr(10) + '$ ')} commands"


def outcome(name: str, check: Callable[[Path, System, str], str], root: Path, address: str) -> str:
    what = check.__name__.removeprefix("check_")
    settings = f"PIP_INDEX_URL={address} PIP_NO_CACHE_DIR=1"
    if SYSTEMS[name].python == BUILT:  # it has no ssl, about which pip warns
        settings += " PIP_USE_DEPRECATED=legacy-certs"
    pip = f"{settings} /venv/bin/python -m pip"
    try:
        return f"PASSED {name} {what} ({check(root, SYSTEMS[name], pip)})"
    except Exception:  # noqa: BLE001 - any error is a finding
        traceback.print_exc(file=sys.stdout)
        return f"FAILED {name} {what}"


def checks_of(system: System) -> list[Callable[[Path, System, str], str]]:
    everywhere = [check_package, check_sources]
    return [*everywhere, check_command, check_stranger] if system.command else everywhere


def main() -> int:
    names = sys.argv[3:] or ["bookworm", "trixie"]
    if unknown := set(names) - SYSTEMS.keys():
        sys.exit(f"no system is named {', '.join(unknown)}; there are {', '.join(SYSTEMS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    roots = {name: bare(name) for name in names}
    fill(
        {
            (
                *chrooted(root, f"{SYSTEMS[name].python} -c {shlex.quote(TARGET)}").split()[-4:],
                *(["cli"] if SYSTEMS[name].command else []),
            )
            for name, root in roots.items()
        }
    )
    failed = 0
    with served() as address:
        for name, root in roots.items():
            for check in checks_of(SYSTEMS[name]):
                line = outcome(name, check, root, address)
                print(line, flush=True)
                failed += line.startswith("FAILED")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
