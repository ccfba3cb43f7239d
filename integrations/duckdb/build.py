"""Builds the DuckDB extension:

    python build.py DIRECTORY LIBRIJN.A      needs cargo (CARGO, or cargo) and a C compiler (CC, or cc)

leaves DIRECTORY/rijn.duckdb_extension, with the static library in it. DuckDB's header comes from the crate libduckdb-sys, by
cargo, once.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion"]
WARNINGS += ["-Wmissing-prototypes", "-Wvla", "-Werror"]
LINK = ["-Wl,-z,relro,-z,now,--exclude-libs,ALL"] if sys.platform == "linux" else []
CRATE, VERSION = "libduckdb-sys", "1.20000.1"
API = "v1.5.6"  # of DuckDB's C extension API: what is newer than it loads the extension too
HEADERS = ("duckdb.h", "duckdb_extension.h")
MANIFEST = f"""[package]
name = "headers"
version = "0.0.0"
edition = "2021"

[dependencies]
{CRATE} = {{ version = "={VERSION}", default-features = false }}
"""
FIELD, SIGNATURE = 32, 256
# A custom section of WebAssembly, which DuckDB has there of any platform.
SECTION = b"\0\x93\x04\x10duckdb_signature\x80\x04"


def headers(directory: Path) -> Path:
    """The folder that has DuckDB's headers, of this version of the crate."""
    target = directory / f"headers-{VERSION}"
    if all((target / name).exists() for name in HEADERS):
        return target
    project, home = directory / "crate", directory / "cargo"
    shutil.rmtree(project, ignore_errors=True)
    (project / "src").mkdir(parents=True)
    (project / "src" / "lib.rs").touch()
    (project / "Cargo.toml").write_text(MANIFEST)
    environment = {**os.environ, "CARGO_HOME": str(home)}
    cargo = os.environ.get("CARGO", "cargo")
    subprocess.run([cargo, "fetch", "--quiet"], cwd=project, check=True, env=environment)
    (archive,) = home.glob(f"registry/src/*/{CRATE}-{VERSION}/duckdb.tar.gz")
    target.mkdir(exist_ok=True)
    with tarfile.open(archive) as members:
        for name in HEADERS:
            member = members.extractfile(f"duckdb/src/include/{name}")
            assert member is not None, name
            part = target / f"{name}.part"
            part.write_bytes(member.read())
            part.replace(target / name)
    shutil.rmtree(home)
    shutil.rmtree(project)
    return target


def named_platform() -> str:
    """DuckDB's name of this machine."""
    system = {"Linux": "linux", "Darwin": "osx"}[platform.system()]
    machine = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
    return f"{system}_{machine}"


def footer() -> bytes:
    """What DuckDB looks at before it loads the file. There is no signature in it."""
    version = re.search(
        r'^#define RIJN_VERSION "(.*)"$', (ROOT / "c/include" / "rijn.h").read_text(), re.MULTILINE
    )
    assert version is not None
    fields = ["4", named_platform(), API, f"v{version[1]}", "C_STRUCT", "", "", ""]
    return (
        SECTION
        + b"".join(it.encode().ljust(FIELD, b"\0") for it in reversed(fields))
        + bytes(SIGNATURE)
    )


def build(directory: Path, library: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{ROOT / 'c/include'}", "-isystem", str(headers(directory))]
    shared = directory / "rijn.so"
    sources = [HERE / "extension.c", HERE / "keyset.c", library]
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run(
        [*compiler, *FLAGS, *WARNINGS, *includes, *sources, *LINK, "-o", shared], check=True
    )
    target = directory / "rijn.duckdb_extension"
    part = directory / "rijn.part"
    part.write_bytes(shared.read_bytes() + footer())
    part.replace(target)  # a process may have the old one open
    return target


if __name__ == "__main__":
    print(build(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()))
