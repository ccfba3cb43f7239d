"""Checks the wheels that python/tools/wheels.py builds, and runs python/tests/pythons/core.py on each
wheel with an available Python: Debian's, emulated if it is foreign, python.sh's for musl, and Pyodide.

    python platforms.py WHEELS WORK [NAME...]

WHEELS is the folder in which python/tools/wheels.py has built each NAME. WORK is for this script.
Without NAME it checks all. It needs the interpreter of python/tools/wheels.py with auditwheel and the
extra `test`; for Debian and musl: root, mmdebstrap and qemu-user; for Pyodide: npm.

Prints one "PASSED NAME check" or "FAILED NAME check" per check, and "LINKED NAME" for a wheel that
cannot run here. Exits with 1 if one failed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pefile
from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python" / "tools"))

from wheels import PLATFORMS, build, known

WHEELS, WORK = (Path(it).resolve() for it in sys.argv[1:3])
# Debian's name of a machine, and QEMU's name unless it is this machine.
MACHINES = {
    "x86_64": ("amd64", None),
    "i686": ("i386", None),
    "aarch64": ("arm64", "qemu-aarch64"),
    "armv7l": ("armhf", "qemu-arm"),
    "ppc64le": ("ppc64el", "qemu-ppc64le"),
    "riscv64": ("riscv64", "qemu-riscv64"),
    "s390x": ("s390x", "qemu-s390x"),
}
# musl's loader accepts this name wherever it lies. auditwheel uses the name of Alpine's file.
MUSL = {"libc.so"}
# Settings that a builder's shell may have for other work. They must not change any wheel.
ELSEWHERE = {
    "CC": "false",
    "CFLAGS": "-O0 -g",
    "CPPFLAGS": "-DRIJN_ELSEWHERE",
    "LDFLAGS": "-Wl,--no-such-option",
    "CMAKE_ARGS": "-DRIJN_LEAKY=OFF",
    "CMAKE_GENERATOR": "Nothing",
    "SKBUILD_CMAKE_BUILD_TYPE": "Debug",
    "RIJN_PURE": "1",
    "ZIG_CPU": "nothing",
}


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        check=False,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def wheel_of(name: str) -> Path:
    (wheel,) = (WHEELS / name).glob("*.whl")
    return wheel


def module_of(name: str) -> Path:
    """Unpacks the native module, and returns its path."""
    with zipfile.ZipFile(wheel_of(name)) as archive:
        module = "_native.pyd" if name.startswith("windows") else "_native.abi3.so"
        return Path(archive.extract(f"rijn/{module}", WORK / name / "files"))


def check_symbols(name: str) -> None:
    """The module has no debug information, and exports one symbol. It imports only Python's symbols, and
    symbols with a version that this C library has: auditwheel overlooks symbols without a version."""
    with module_of(name).open("rb") as file:
        elf = ELFFile(file)
        versions = elf.get_section_by_name(".gnu.version")
        debug = [it.name for it in elf.iter_sections() if it.name.startswith(".debug")]
        assert not debug, f"{debug}: debug information, which has paths of this machine"
        symbols = list(elf.get_section_by_name(".dynsym").iter_symbols())
        given = [it.name for it in symbols[1:] if it["st_shndx"] != "SHN_UNDEF"]
        bare = [
            it.name
            for number, it in enumerate(symbols[1:], start=1)
            if it["st_shndx"] == "SHN_UNDEF"
            and versions.get_symbol(number)["ndx"] in ("VER_NDX_LOCAL", "VER_NDX_GLOBAL")
        ]
    assert given == ["PyInit__native"], given
    if name.startswith("manylinux"):
        assert all(re.match("_?Py", it) for it in bare), bare


def check_audit(name: str) -> None:
    """auditwheel confirms the platform in the wheel's name, and finds no other library."""
    (WORK / "nothing").mkdir(exist_ok=True)  # hides the libraries of this machine
    command = (sys.executable, "-m", "auditwheel", "show", "--json", "--ldpaths", WORK / "nothing")
    said = json.loads(run(*command, wheel_of(name)))
    if name.startswith("manylinux"):
        assert said["overall_tag"] == PLATFORMS[name].tag, said
        assert not said["external_libs"], said
    else:
        assert said["sym_tag"] == PLATFORMS[name].tag, said
        assert set(said["external_libs"]) <= MUSL, said


def check_machine(name: str) -> None:
    """The module is a 64-bit Mach-O file for that processor."""
    magic, processor = struct.unpack("<II", module_of(name).read_bytes()[:8])
    assert magic == 0xFEEDFACF, hex(magic)
    assert processor == {"macos-arm64": 0x0100000C, "macos-x86_64": 0x01000007}[name]


def check_imports(name: str) -> None:
    """The module is a Windows file for that processor. It exports one symbol, and imports only from
    python3.dll, Windows and its C library."""
    with pefile.PE(str(module_of(name))) as file:
        machines = {"windows-amd64": "AMD64", "windows-arm64": "ARM64"}
        assert (
            file.FILE_HEADER.Machine == pefile.MACHINE_TYPE[f"IMAGE_FILE_MACHINE_{machines[name]}"]
        )
        assert [it.name for it in file.DIRECTORY_ENTRY_EXPORT.symbols] == [b"PyInit__native"]
        libraries = {it.dll.decode().lower() for it in file.DIRECTORY_ENTRY_IMPORT}
    system = {"kernel32.dll", "advapi32.dll"}
    own = {it for it in libraries if not it.startswith("api-ms-win-crt-")} - system
    assert own == {"python3.dll"}, libraries


def installed(name: str) -> Path:
    """Makes a folder with the suite and the wheel, installed by pip as on that platform."""
    folder = WORK / name / "collected"
    run(ROOT / "python/tests/pythons/collect.sh", sys.executable, folder)
    shutil.rmtree(folder / "rijn")
    tags = ("--platform", PLATFORMS[name].tag, "--abi", "abi3", "--python-version", "3.11")
    options = ("--quiet", "--no-deps", "--no-index", "--only-binary", ":all:", "--target", folder)
    run(sys.executable, "-m", "pip", "install", *options, *tags, wheel_of(name))
    return folder


def check_run(name: str) -> None:
    architecture, emulator = MACHINES[name.partition("-")[2]]
    package, program = "python3.13", "usr/bin/python3.13"
    root = WORK / "roots" / architecture
    if musl := name.startswith("musllinux"):
        package, program = "musl", "opt/python/bin/python3"
        root = WORK / "roots" / name
    if not root.exists():
        begun = root.with_suffix(".begun")
        begun.parent.mkdir(parents=True, exist_ok=True)
        here = f"source python/tests/debian.sh; debian_root '{begun}'"
        run("bash", "-c", f"cd '{ROOT}'; {here} trixie {architecture} extract {package}")
        if musl:
            run(ROOT / "python" / "tests" / "wheel" / "python.sh", "musl", WORK / "built")
            shutil.copytree(WORK / "built" / "root" / "opt", begun / "opt")
        begun.rename(root)
    shutil.rmtree(root / "collected", ignore_errors=True)
    shutil.copytree(installed(name), root / "collected")
    if emulator:
        python, folder = (emulator, "-L", root, root / program), root / "collected"
    else:
        python, folder = ("chroot", root, f"/{program}"), Path("/collected")
    print(
        run(*python, folder / "python/tests/pythons/core.py", folder, PYTHONDONTWRITEBYTECODE="1")
    )


def check_pyodide(name: str) -> None:
    modules = WORK / "npm" / "node_modules"
    if not modules.exists():
        options = ("--silent", "--no-save", "--prefix", WORK / "npm")
        run("npm", "install", *options, "pyodide@314")
    folder = WORK / name / "collected"
    run(ROOT / "python/tests/pythons/collect.sh", sys.executable, folder)
    print(run("node", ROOT / "python/tests/pyodide/run.mjs", modules, folder, wheel_of(name)))


def check_same(name: str) -> None:
    """A second build elsewhere, from the source distribution, has the same bytes. Settings of other
    builds do not matter, and the build leaves no trace for the next."""
    source = distributed()
    files = set(source.rglob("*"))
    with mock.patch.dict(os.environ, ELSEWHERE):
        again = build(name, WORK / "again", source)
    assert again.name == wheel_of(name).name
    assert again.read_bytes() == wheel_of(name).read_bytes(), f"{again} differs"
    assert set(source.rglob("*")) == files, set(source.rglob("*")) - files


def distributed() -> Path:
    """Unpacks the source distribution, and returns its folder."""
    folder = WORK / "source"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    code = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    run("sh", "-c", f"cd '{ROOT}' && '{sys.executable}' -c '{code}' '{folder}'")
    (archive,) = folder.glob("rijn-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    archive.unlink()
    (tree,) = folder.iterdir()
    return tree


def checks_of(name: str) -> tuple[Callable[[str], None], ...]:
    kind = name.partition("-")[0]
    found = {
        "manylinux": (check_symbols, check_audit, check_run),
        "musllinux": (check_symbols, check_audit),
        "macos": (check_machine,),
        "windows": (check_imports,),
        "pyodide": (check_pyodide,),
        "pure": (check_pyodide,),
    }[kind]
    if name == "musllinux-x86_64":  # python.sh builds a Python for it
        found = (*found, check_run)
    return (*found, check_same)


def outcome(check: Callable[[str], None], name: str) -> str:
    what = f"{name} {check.__name__.removeprefix('check_')}"
    try:
        check(name)
    except Exception:  # noqa: BLE001 - any error is a finding
        traceback.print_exc(file=sys.stdout)
        return f"FAILED {what}"
    return f"PASSED {what}"


def main() -> int:
    names = known(sys.argv[3:])
    WORK.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names:
        checks = checks_of(name)
        for check in checks:
            line = outcome(check, name)
            print(line, flush=True)
            failed += line.startswith("FAILED")
        if not {check_run, check_pyodide} & set(checks):
            print(f"LINKED {name}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
