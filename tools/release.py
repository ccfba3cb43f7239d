#!/usr/bin/env python3
"""Builds everything that a release publishes, from the tag of the version, twice:

    tools/release.py FOLDER [PART...]

Parts are c, amalgamation, crate, sdist, wheels, bench, shim, npm, jar and duckdb; the default is all. `--wheels NAME` (several
times) limits wheels and bench to these platforms of python/tools/wheels.py. The artifacts, an SBOM
beside each, and SHA256SUMS are then in FOLDER/dist.

Stops unless the checkout is clean, its tag is the version of rijn.h, CHANGELOG.md has the version, and
the pages say that Rijn is published. Fails if two builds in different folders differ, or if twine or npm
would refuse an artifact. `make release` installs what it needs. RELEASING.md says what to do with the
result.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from install_lines import is_published

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "tools"))

import sbom
from wheels import EPOCH, NAMES, tools_of

# Platforms with a wheel of rijn-bench that brings the C harness.
HARNESS = ("manylinux-x86_64", "manylinux-aarch64", "pure")


class Stop(Exception):
    """The release cannot be built. The message says why, and what to do."""


class Artifact(NamedTuple):
    """A file to publish. Its SBOM gives the purl type, the name, the group, and tools with versions."""

    path: Path
    kind: str
    name: str
    tools: Mapping[str, str] = MappingProxyType({})
    group: str | None = None
    compiled: bool = True


class Build(NamedTuple):
    """One of the two builds: a clone of the tag, and a folder for its results."""

    source: Path
    out: Path
    number: str
    platforms: tuple[str, ...]

    def run(self, *command: str | Path) -> None:
        environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
        if subprocess.run(command, check=False, cwd=self.source, env=environment).returncode:
            raise Stop(f"this failed, see above: {shlex.join(map(str, command))}")


def output(*command: str | Path, cwd: Path) -> str:
    return subprocess.run(
        command, check=True, cwd=cwd, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def versions(*tools: str) -> dict[str, str]:
    """Returns the versions of tools that pip installed."""
    return {tool: version(tool) for tool in tools}


# ---- Parts ----


def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leaves out what differs between two builders."""
    mode = 0o755 if member.mode & 0o100 else 0o644
    same = {"uid": 0, "gid": 0, "uname": "", "gname": "", "mtime": int(EPOCH), "mode": mode}
    for name, value in same.items():
        setattr(member, name, value)
    return member


def pack(target: Path, files: Mapping[str, Path]) -> None:
    """Writes files into an archive under these names, below a folder with the archive's name."""
    folder = target.name.removesuffix(".tar.gz")
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", mtime=0, fileobj=file) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, path in sorted(files.items()):
            tar.add(path, f"{folder}/{name}", filter=plain)


def c(build: Build) -> list[Artifact]:
    """The C library's sources."""
    target = build.out / f"librijn-{build.number}.tar.gz"
    tracked = output("git", "ls-files", "c", cwd=build.source).split("\n")
    pack(target, {path.removeprefix("c/"): build.source / path for path in tracked})
    return [Artifact(target, "generic", "librijn")]


def amalgamation(build: Build) -> list[Artifact]:
    """The C library as one file."""
    folder = build.out.parent / "amalgamation"
    build.run(sys.executable, build.source / "c" / "amalgamate.py", folder)
    target = build.out / f"librijn-amalgamation-{build.number}.tar.gz"
    made = {path.name: path for path in folder.iterdir()}
    pack(target, {**made, "LICENSE": build.source / "LICENSE"})
    return [Artifact(target, "generic", "librijn-amalgamation")]


def crate(build: Build) -> list[Artifact]:
    cargo = os.environ.get("CARGO", "cargo")
    build.run("make", "crate", f"PYTHON={sys.executable}", "BUILD=build", f"CARGO={cargo}")
    (made,) = (build.source / "build" / "crate" / "package").glob("rijn-*.crate")
    target = Path(shutil.copy(made, build.out))
    if target.name != f"rijn-{build.number}.crate":
        raise Stop(f"rijn.h has version {build.number}, rust/Cargo.toml another: {target.name}")
    # "cargo 1.85.0 (...)"
    tools = {"cargo": output(cargo, "--version", cwd=build.source).split()[1]}
    return [Artifact(target, "cargo", "rijn", tools)]


def sdist(build: Build) -> list[Artifact]:
    code = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    build.run(sys.executable, "-c", code, build.out)
    (target,) = build.out.glob("rijn-*.tar.gz")
    return [Artifact(target, "pypi", "rijn", versions("scikit-build-core"))]


def wheels_of(build: Build, package: str, source: Path, names: tuple[str, ...]) -> list[Artifact]:
    folder = build.out.parent / f"{package}-wheels"
    script = build.source / "python" / "tools" / "wheels.py"
    build.run(sys.executable, script, folder, "--source", source, *names)
    found = []
    for name in names:
        (wheel,) = (folder / name).glob("*.whl")
        target = Path(shutil.copy(wheel, build.out))
        tools = versions(*tools_of(name, source))
        found.append(Artifact(target, "pypi", package, tools, compiled=name != "pure"))
    return found


def wheels(build: Build) -> list[Artifact]:
    return wheels_of(build, "rijn", build.source, build.platforms)


def bench(build: Build) -> list[Artifact]:
    names = tuple(name for name in build.platforms if name in HARNESS)
    return wheels_of(build, "rijn-bench", build.source / "bench", names) if names else []


def shim(build: Build) -> list[Artifact]:
    """The package Cryptodome."""
    return wheels_of(build, "rijn-cryptodome-shim", build.source / "python" / "shim", ("pure",))


def npm(build: Build) -> list[Artifact]:
    folder = build.out.parent / "npm"
    build.run(sys.executable, build.source / "js" / "build.py", folder)
    (tarball,) = folder.glob("rijn-*.tgz")
    manifest = json.loads((folder / "rijn" / "package.json").read_text("utf-8"))
    # "zig 0.14.1": what build.py had
    tools = dict(manifest[tool].split() for tool in ("compiler", "bundler"))
    return [Artifact(Path(shutil.copy(tarball, build.out)), "npm", "rijn", tools)]


def library(build: Build) -> Path:
    """Builds librijn.a, once for all parts that link it."""
    folder = build.out.parent / "c"
    if not (folder / "librijn.a").exists():
        options = ("-DRIJN_BUILD_TESTS=OFF", "-DRIJN_BUILD_EXAMPLES=OFF")
        build.run("cmake", "-S", build.source / "c", "-B", folder, *options)
        build.run("cmake", "--build", folder, "--target", "rijn_static", "-j", str(os.cpu_count()))
    return folder / "librijn.a"


def jar(build: Build) -> list[Artifact]:
    """For each version of Scala."""
    folder = build.out.parent / "jar"
    script = build.source / "integrations" / "spark" / "build.py"
    build.run(sys.executable, script, folder, library(build))
    return [
        Artifact(
            Path(shutil.copy(made, build.out)),
            "maven",
            made.name.removesuffix(f"-{build.number}.jar"),
            group="rijn",
        )
        for made in sorted(folder.glob("rijn-spark_*.jar"))
    ]


def duckdb(build: Build) -> list[Artifact]:
    """The extension for this machine."""
    folder = build.out.parent / "duckdb"
    script = build.source / "integrations" / "duckdb" / "build.py"
    build.run(sys.executable, script, folder, library(build))
    machine = f"{sys.platform}-{os.uname().machine}"
    target = build.out / f"rijn-{build.number}-{machine}.duckdb_extension"
    shutil.copy(folder / "rijn.duckdb_extension", target)
    return [Artifact(target, "generic", "rijn-duckdb")]


PARTS: dict[str, Callable[[Build], list[Artifact]]] = {
    part.__name__: part
    for part in (c, amalgamation, crate, sdist, wheels, bench, shim, npm, jar, duckdb)
}


# ---- Before ----


def check_source(root: Path) -> str:
    """Returns the version. Raises Stop unless the checkout is a release."""
    header = (root / "c" / "include" / "rijn.h").read_text("utf-8")
    found = re.search(r'^#define RIJN_VERSION "(.*)"$', header, re.MULTILINE)
    assert found
    number = found[1]
    if changed := output("git", "status", "--porcelain", "--untracked-files=no", cwd=root):
        raise Stop(f"commit these changes first:\n{changed}")
    if f"v{number}" not in output("git", "tag", "--points-at", "HEAD", cwd=root).split():
        raise Stop(f"rijn.h has version {number}: tag this commit (git tag -s v{number})")
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## {re.escape(number)} - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        raise Stop(f"CHANGELOG.md has no heading for {number} with the day of the release")
    if not is_published(root):
        raise Stop("the pages say that no index has Rijn: run tools/install_lines.py --published")
    return number


# ---- After ----


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_same(first: list[Artifact], second: list[Artifact]) -> None:
    names = [[it.path.name for it in found] for found in (first, second)]
    if names[0] != names[1]:
        raise Stop(f"two builds gave other files: {names[0]} and {names[1]}")
    differ = [
        one.path.name
        for one, other in zip(first, second, strict=True)
        if digest(one.path) != digest(other.path)
    ]
    if differ:
        raise Stop(f"two builds gave other bytes: {', '.join(differ)} (compare with diffoscope)")


def check_accepted(found: list[Artifact]) -> None:
    """Asks the tools that upload. They upload nothing."""
    if python := [it.path for it in found if it.kind == "pypi"]:
        command = [sys.executable, "-m", "twine", "check", "--strict", *python]
        if subprocess.run(command, check=False).returncode:
            raise Stop("twine would refuse a file: see above")
    for tarball in (it.path for it in found if it.kind == "npm"):
        command = ["npm", "publish", "--dry-run", "--silent", tarball]
        if subprocess.run(command, check=False).returncode:
            raise Stop("npm would refuse the package: see above")


def describe(artifact: Artifact, number: str, root: Path) -> Path:
    """Writes the SBOM beside an artifact."""
    target = artifact.path.with_name(artifact.path.name + ".cdx.json")
    text = sbom.document(
        artifact.kind,
        artifact.name,
        number,
        built_with=dict(artifact.tools),
        compiled=artifact.compiled,
        group=artifact.group,
        root=root,
        file=artifact.path,
    )
    target.write_text(text, "utf-8")
    return target


def release(root: Path, folder: Path, parts: list[str], platforms: tuple[str, ...]) -> Path:
    """Builds the parts and returns the folder to publish. Raises Stop."""
    number = check_source(root)
    dist = folder / "dist"
    builds = []
    for name in ("first", "second"):
        shutil.rmtree(folder / name, ignore_errors=True)
        build = Build(folder / name / "source", folder / name / "out", number, platforms)
        build.out.mkdir(parents=True)
        output("git", "clone", "--quiet", "--no-hardlinks", root, build.source, cwd=root)
        output("git", "checkout", "--quiet", f"v{number}", cwd=build.source)
        builds.append(build)
    first, second = ([it for part in parts for it in PARTS[part](build)] for build in builds)
    check_same(first, second)
    check_accepted(first)
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    files = []
    for artifact in first:
        artifact = artifact._replace(path=Path(shutil.copy(artifact.path, dist)))
        files += [artifact.path, describe(artifact, number, root)]
        print(f"{artifact.path.stat().st_size:>12,} {artifact.path.name}")
    sums = "".join(f"{digest(file)}  {file.name}\n" for file in sorted(files))
    (dist / "SHA256SUMS").write_text(sums, "utf-8")
    return dist


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", nargs="*")
    parser.add_argument("--wheels", action="append", choices=NAMES, metavar="NAME")
    options = parser.parse_intermixed_args()
    if unknown := set(options.part) - PARTS.keys():
        parser.error(f"no part is named {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    platforms = tuple(options.wheels or NAMES)
    try:
        dist = release(ROOT, options.folder.resolve(), options.part or list(PARTS), platforms)
    except Stop as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    print(f"two builds gave the same bytes; they are in {dist}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
