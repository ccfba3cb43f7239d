"""Builds wheels for other machines and systems, with zig as the cross compiler:

    python python/tools/wheels.py FOLDER [--source bench] [NAME...]

Writes each wheel, with its SBOM, into FOLDER/NAME. NAME is a key of PLATFORMS, or `pure`; the default
is all. --source is another package's folder in Rijn's sources. The interpreter needs scikit-build-core,
click, ninja, ziglang, wheel and cyclonedx-python-lib (`make wheels`). It must be CPython 3.11 or later:
its headers are used for every platform.
"""

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from importlib.metadata import version
from pathlib import Path
from subprocess import DEVNULL
from typing import NamedTuple

import sbom
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


class Platform(NamedTuple):
    target: str  # zig's name
    tag: str  # pip's
    cpu: str = "baseline"  # the oldest processor that the tag allows


PLATFORMS = {
    "manylinux-x86_64": Platform("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "manylinux-aarch64": Platform("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"),
    "manylinux-armv7l": Platform(
        "arm-linux-gnueabihf.2.17", "manylinux_2_17_armv7l", "generic+v7a+vfp3d16"
    ),
    "manylinux-i686": Platform("x86-linux-gnu.2.17", "manylinux_2_17_i686", "i686"),
    # The oldest glibc that zig has for it. The wheel uses no symbol that 2.17 does not have.
    "manylinux-ppc64le": Platform("powerpc64le-linux-gnu.2.19", "manylinux_2_17_ppc64le"),
    # riscv64 has no platform tag with an older glibc.
    "manylinux-riscv64": Platform("riscv64-linux-gnu.2.31", "manylinux_2_31_riscv64"),
    "manylinux-s390x": Platform("s390x-linux-gnu.2.17", "manylinux_2_17_s390x"),
    "musllinux-x86_64": Platform("x86_64-linux-musl", "musllinux_1_2_x86_64"),
    "musllinux-aarch64": Platform("aarch64-linux-musl", "musllinux_1_2_aarch64"),
    "musllinux-armv7l": Platform(
        "arm-linux-musleabihf", "musllinux_1_2_armv7l", "generic+v7a+vfp3d16"
    ),
    "musllinux-i686": Platform("x86-linux-musl", "musllinux_1_2_i686", "i686"),
    "musllinux-ppc64le": Platform("powerpc64le-linux-musl", "musllinux_1_2_ppc64le"),
    "musllinux-riscv64": Platform("riscv64-linux-musl", "musllinux_1_2_riscv64"),
    "musllinux-s390x": Platform("s390x-linux-musl", "musllinux_1_2_s390x"),
    "macos-arm64": Platform("aarch64-macos.11.0-none", "macosx_11_0_arm64"),
    "macos-x86_64": Platform("x86_64-macos.11.0-none", "macosx_11_0_x86_64"),
    "windows-amd64": Platform("x86_64-windows-gnu", "win_amd64"),
    "windows-arm64": Platform("aarch64-windows-gnu", "win_arm64"),
    # Features that WebAssembly engines have had since 2021. extended-const is left out, because the
    # linker would use it in Emscripten's modules.
    "pyodide": Platform(
        "wasm32-wasi",
        "pyemscripten_2026_0_wasm32",
        "mvp+simd128+bulk_memory+sign_ext+mutable_globals+nontrapping_fptoint",
    ),
}
NAMES = (*PLATFORMS, "pure")


# The earliest time of a ZIP archive, so that the bytes of a wheel do not depend on the time of the
# build.
EPOCH = "315532800"
# Variables that a build inherits. Compilers, flags and features are not among them.
KEPT = re.compile("PATH|HOME|TMPDIR|LANG|LC_ALL|(?i:https?|all|no)_(?i:proxy)|PIP_.*|SSL_.*")


def environment(name: str, cache: Path) -> dict[str, str]:
    """Returns the variables that scikit-build-core, CMake and c/cmake/zig.cmake read."""
    if name == "pure":
        return {"SOURCE_DATE_EPOCH": EPOCH, "RIJN_PURE": "1"}
    platform = PLATFORMS[name]
    return {
        "SOURCE_DATE_EPOCH": EPOCH,
        "CMAKE_TOOLCHAIN_FILE": str(ROOT / "c" / "cmake" / "zig.cmake"),
        "ZIG": str(Path(sysconfig.get_path("purelib"), "ziglang", "zig")),
        "ZIG_TARGET": platform.target,
        "ZIG_CPU": platform.cpu,
        "ZIG_GLOBAL_CACHE_DIR": str(cache),
        "ZIG_LOCAL_CACHE_DIR": str(cache),
        "_PYTHON_HOST_PLATFORM": platform.tag,
    }


def build(name: str, folder: Path, source: Path = ROOT) -> Path:
    """Builds the wheel of a source tree, with no earlier configuration."""
    made = folder / name
    for older in made.glob("*.whl"):
        older.unlink()
    options = ("--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", str(made))
    kept = {k: v for k, v in os.environ.items() if KEPT.fullmatch(k)}
    with tempfile.TemporaryDirectory() as fresh:
        build_dir = f"--config-settings=build-dir={fresh}"
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", *options, build_dir, str(source)],
            check=True,
            env=kept | environment(name, folder / "zig-cache"),
        )
    (wheel,) = made.glob("*.whl")
    add_sbom(wheel, name, source)
    return wheel


def tools_of(name: str, source: Path) -> tuple[str, ...]:
    """Returns the packages that build the wheel of a source tree."""
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))
    backend = Requirement(project["build-system"]["requires"][0]).name
    return (backend,) if name == "pure" else (backend, "ziglang")


def add_sbom(wheel: Path, name: str, source: Path) -> None:
    """Adds the SBOM to a wheel, where PEP 770 wants it."""
    package, number = wheel.name.split("-")[:2]
    package = package.replace("_", "-")
    text = sbom.document(
        "pypi",
        package,
        number,
        built_with={tool: version(tool) for tool in tools_of(name, source)},
        compiled=name != "pure",
    )
    environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    command = [sys.executable, "-m", "wheel"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "unpack", "--dest", folder, wheel], check=True, stdout=DEVNULL)
        (tree,) = Path(folder).iterdir()
        (info,) = tree.glob("*.dist-info")
        (info / "sboms").mkdir()
        file = info / "sboms" / f"{package}.cdx.json"
        file.write_text(text, "utf-8")
        file.chmod(0o644)
        pack = [*command, "pack", "--dest-dir", wheel.parent, tree]
        subprocess.run(pack, check=True, stdout=DEVNULL, env=environment)


def known(names: list[str]) -> list[str]:
    """Returns the requested names, or all names."""
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no wheel is named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return names or list(NAMES)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--source", type=Path, default=ROOT)
    options = parser.parse_intermixed_args()
    folder = options.folder.resolve()
    for name in known(options.name):
        wheel = build(name, folder, options.source.resolve())
        print(f"{name}: {wheel.name}, {wheel.stat().st_size:,} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
