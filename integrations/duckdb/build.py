"""Builds the DuckDB extension:

    python build.py DIRECTORY LIBRIJN.A

writes DIRECTORY/rijn.duckdb_extension, which contains the static library. It needs a C compiler
($CC, default cc) and cargo ($CARGO, default cargo), which fetches DuckDB's headers once, in the
crate libduckdb-sys.
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
API = "v1.5.6"  # DuckDB's C extension API; later versions load the extension too
HEADERS = ("duckdb.h", "duckdb_extension.h")
MANIFEST = f"""[package]
name = "headers"
version = "0.0.0"
edition = "2021"

[dependencies]
{CRATE} = {{ version = "={VERSION}", default-features = false }}
"""
SOURCES = ("extension", "column", "reference", "keyset", "rows")
FIELD, SIGNATURE = 32, 256
# The header of a WebAssembly custom section. DuckDB requires it on all platforms.
SECTION = b"\0\x93\x04\x10duckdb_signature\x80\x04"


def headers(directory: Path) -> Path:
    """Returns the folder with DuckDB's headers. Fetches them if they are not there."""
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
    """Returns DuckDB's name for this platform."""
    system = {"Linux": "linux", "Darwin": "osx"}[platform.system()]
    machine = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
    return f"{system}_{machine}"


def footer() -> bytes:
    """Returns the footer that DuckDB checks before it loads the file, without a signature."""
    version = re.search(
        r'^#define RIJN_VERSION "(.*)"$', (ROOT / "c/include" / "rijn.h").read_text(), re.MULTILINE
    )
    assert version is not None
    fields = ["4", named_platform(), API, f"v{version[1]}", "C_STRUCT", "", "", ""]
    return (
        SECTION
        + b"".join(field.encode().ljust(FIELD, b"\0") for field in reversed(fields))
        + bytes(SIGNATURE)
    )


def build(directory: Path, library: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{ROOT / 'c/include'}", "-isystem", str(headers(directory))]
    shared = directory / "rijn.so"
    sources = [HERE / f"{name}.c" for name in SOURCES]
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run(
        [*compiler, *FLAGS, *WARNINGS, *includes, *sources, library, *LINK, "-o", shared],
        check=True,
    )
    target = directory / "rijn.duckdb_extension"
    part = directory / "rijn.part"
    part.write_bytes(shared.read_bytes() + footer())
    part.replace(target)  # a process may have the old one open
    return target


if __name__ == "__main__":
    print(build(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()))
