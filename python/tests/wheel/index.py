"""Installs Rijn as its users will: in bare Debian systems, with pip, from a package index.

    python index.py DIST WORK [SUITE...]

DIST is the folder that tools/release.py made, WORK is for this script. A server on the loopback interface
is the only index. It has the files of DIST and the packages that the extra `cli` needs, from this
machine's index. Each SUITE is a release of Debian with its own Python (default: bookworm, trixie). Needs
root and mmdebstrap.

Prints one "PASSED SUITE CHECK" or "FAILED SUITE CHECK" per check, with the seconds from an empty
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

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "python" / "tests"))
from packaging.requirements import Requirement
from transcript import difference

DIST, WORK = (Path(it).resolve() for it in sys.argv[1:3])
INDEX = WORK / "index"
# The suite, and its package and program of Python. PyPy gets the pure wheel.
PYTHONS = {
    "bookworm": ("python3-venv", "python3"),
    "trixie": ("python3-venv", "python3"),
    "sid": ("python3-venv", "python3"),
    "pypy": ("pypy3-venv", "pypy3"),
}
SUITES = {"pypy": "trixie"}
LIMIT = 1200  # seconds for a command
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
    """Runs a script of bash in a root, without this machine's variables and packages. Returns all it
    printed: PyPy may warn before the output."""
    clean = ("env", "-i", "PATH=/usr/bin:/bin", "HOME=/root", "LC_ALL=C.UTF-8")
    return run("chroot", root, *clean, "bash", "-euo", "pipefail", "-c", script, fails=fails)


def normal(name: str) -> str:
    """Returns the name that an index has for a project (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def add(file: Path) -> None:
    project = INDEX / normal(file.name.split("-")[0])
    project.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, project)


def fill(versions: set[str]) -> None:
    """Puts the release into the index, and what its extra `cli` and its build need."""
    shutil.rmtree(INDEX, ignore_errors=True)
    for file in DIST.iterdir():
        if file.name.startswith("rijn") and file.name.endswith((".whl", ".tar.gz")):
            add(file)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = project["project"]["optional-dependencies"]["cli"]
    build = [*project["build-system"]["requires"], "cmake", "ninja"]
    for number in versions:
        got = WORK / "got" / number
        implementation = ("--implementation", "pp") if number.startswith("pp") else ()
        options = ("--quiet", "--dest", got, "--only-binary", ":all:", *implementation)
        python = ("--python-version", number.removeprefix("pp"))
        # pip takes markers from the Python that runs it.
        there = {"platform_python_implementation": "PyPy" if implementation else "CPython"}
        asked = [
            it for it in map(Requirement, needed) if not it.marker or it.marker.evaluate(there)
        ]
        names = [f"{it.name}{it.specifier}" for it in asked]
        machines = [f"manylinux_2_{minor}_x86_64" for minor in (17, 26, 28, 34)]
        platforms = [
            it for name in ("manylinux2014_x86_64", *machines) for it in ("--platform", name)
        ]
        run(sys.executable, "-m", "pip", "download", *options, *python, *platforms, *names, *build)
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
    script = ROOT / "python" / "tests" / "debian.sh"
    words = [str(root), SUITES.get(name, name), "amd64", "minbase", PYTHONS[name][0]]
    run("bash", "-euo", "pipefail", "-c", f". {script}; debian_root {shlex.join(words)}")
    assert not shutil.which("cc", path=f"{root}/usr/bin")
    return root


def check_package(root: Path, python: str, pip: str) -> str:
    """Without an extra, Rijn alone is installed, and its fastest backend works."""
    chrooted(root, f"rm -rf /venv; {python} -m venv /venv; {pip} install --quiet rijn")
    backend = chrooted(root, f"/venv/bin/python -c {shlex.quote(FIRST)}").split()[-1]
    assert backend == "python" if "pypy" in python else backend not in ("", "python"), backend
    said = chrooted(root, "/venv/bin/rijn selftest", fails=True)
    assert "pip install 'rijn[cli]'" in said, said
    return f"backend {backend}"


def check_command(root: Path, python: str, pip: str) -> str:
    """From nothing to a first encrypted file."""
    begin = time.monotonic()
    chrooted(root, f"rm -rf /venv; {python} -m venv /venv; {pip} install --quiet 'rijn[cli]'")
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


def check_sources(root: Path, python: str, pip: str) -> str:
    """Without a compiler and Python's headers, the source distribution says what to do."""
    chrooted(root, f"rm -rf /venv; {python} -m venv /venv")
    said = chrooted(root, f"{pip} install --no-binary rijn rijn", fails=True)
    assert "RIJN_PURE=1" in said, said
    chrooted(root, f"RIJN_PURE=1 {pip} install --quiet --no-binary rijn rijn")
    backend = chrooted(root, f"/venv/bin/python -c {shlex.quote(FIRST)}").split()[-1]
    assert backend == "python", backend
    return "says RIJN_PURE=1, which works"


def check_stranger(root: Path, python: str, pip: str) -> str:
    """The commands of stranger.txt, beside this script."""
    chrooted(root, "rm -rf /root/new; mkdir /root/new")
    variables = re.findall(r"[A-Z_]+=\S+", pip)
    clean = ("env", "-i", "PATH=/root/new/env/bin:/usr/bin:/bin", "HOME=/root", "LC_ALL=C.UTF-8")

    def typed(command: str) -> tuple[str, int]:
        done = subprocess.run(
            ("chroot", root, *clean, *variables, "sh", "-c", f"cd /root/new; {command}"),
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
        .replace("python3 ", f"{python} ", 1)
    )
    found = difference("stranger.txt", text, typed)
    assert found is None, found
    return f"{text.count(chr(10) + '$ ')} commands"


def outcome(name: str, check: Callable[[Path, str, str], str], root: Path, address: str) -> str:
    what = check.__name__.removeprefix("check_")
    pip = f"PIP_INDEX_URL={address} PIP_NO_CACHE_DIR=1 /venv/bin/python -m pip"
    try:
        return f"PASSED {name} {what} ({check(root, PYTHONS[name][1], pip)})"
    except Exception:  # noqa: BLE001 - any error is a finding
        traceback.print_exc(file=sys.stdout)
        return f"FAILED {name} {what}"


def main() -> int:
    names = sys.argv[3:] or ["bookworm", "trixie"]
    if unknown := set(names) - PYTHONS.keys():
        sys.exit(f"no system is named {', '.join(unknown)}; there are {', '.join(PYTHONS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    roots = {name: bare(name) for name in names}
    code = "import sys; print(f'{sys.version_info[0]}.{sys.version_info[1]}')"
    fill(
        {
            ("pp" if name == "pypy" else "")
            + chrooted(root, f"{PYTHONS[name][1]} -c {shlex.quote(code)}").split()[-1]
            for name, root in roots.items()
        }
    )
    checks = [check_package, check_command, check_stranger, check_sources]
    with served() as address:
        said = [
            outcome(name, check, root, address)
            for name, root in roots.items()
            for check in checks
            if not (name == "pypy" and check == check_sources)
        ]
    print("\n".join(said))
    return int(any(it.startswith("FAILED") for it in said))


if __name__ == "__main__":
    sys.exit(main())
