"""Builds the OpenSSL provider:

    python build.py DIRECTORY LIBRIJN.A

writes DIRECTORY/rijn.so, which contains the static library, on Linux. It needs a C compiler ($CC, default cc) and
OpenSSL's headers, 3.0 or newer (Debian: libssl-dev; $OPENSSL_INCLUDE names another folder of headers).
It does not link libcrypto: the provider gets all functions of OpenSSL from the libcrypto that loads it.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion"]
WARNINGS += ["-Wmissing-prototypes", "-Wvla", "-Werror"]
LINK = [
    "-Wl,-z,relro,-z,now,-z,defs,--exclude-libs,ALL",
    f"-Wl,--version-script={HERE / 'rijn.map'}",
]


def build(directory: Path, library: Path) -> Path:
    if not sys.platform.startswith("linux"):
        sys.exit(f"the OpenSSL provider is built on Linux only, not on {sys.platform}")
    directory.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{ROOT / 'c/include'}"]
    if headers := os.environ.get("OPENSSL_INCLUDE"):
        includes += ["-isystem", headers]
    sources = [*sorted(HERE.glob("*.c")), library]
    target, part = directory / "rijn.so", directory / "rijn.so.part"
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run(
        [*compiler, *FLAGS, *WARNINGS, *includes, *sources, *LINK, "-o", part], check=True
    )
    part.replace(target)  # a process may have the old one open
    return target


if __name__ == "__main__":
    print(build(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()))
