"""Builds the wheels of other machines and systems on this one, with zig, which compiles for all
of them:

    python python/tools/wheels.py FOLDER [NAME...]

FOLDER gets a folder for each NAME, of PLATFORMS or `pure`, with its wheel; all, if none is
named. The interpreter has scikit-build-core, click, ninja and ziglang (`make wheels`), and is CPython
from 3.11 on: its headers are everybody's.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Platform(NamedTuple):
    target: str  # zig's name
    tag: str  # pip's
    cpu: str = "baseline"  # the least that the tag says


PLATFORMS = {
    "manylinux-x86_64": Platform("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "manylinux-aarch64": Platform("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"),
    "manylinux-armv7l": Platform(
        "arm-linux-gnueabihf.2.17", "manylinux_2_17_armv7l", "generic+v7a+vfp3d16"
    ),
    "manylinux-i686": Platform("x86-linux-gnu.2.17", "manylinux_2_17_i686", "i686"),
    # zig's oldest glibc for it, of which nothing is taken that 2.17 lacks.
    "manylinux-ppc64le": Platform("powerpc64le-linux-gnu.2.19", "manylinux_2_17_ppc64le"),
    # No older glibc is one of riscv64's platforms.
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
    # What engines for WebAssembly have had since 2021, without extended-const: it would come
    # to be used where Emscripten's modules are linked.
    "pyodide": Platform(
        "wasm32-wasi",
        "pyemscripten_2026_0_wasm32",
        "mvp+simd128+bulk_memory+sign_ext+mutable_globals+nontrapping_fptoint",
    ),
}
NAMES = (*PLATFORMS, "pure")


# The first second of a ZIP archive's calendar: a wheel's bytes are not to tell when it was made.
EPOCH = "315532800"
# What a build takes from whoever starts it: no flags, and no choice of compilers or features.
KEPT = re.compile("PATH|HOME|TMPDIR|LANG|LC_ALL|(?i:https?|all|no)_(?i:proxy)|PIP_.*|SSL_.*")


def environment(name: str, cache: Path) -> dict[str, str]:
    """What scikit-build-core, CMake and c/cmake/zig.cmake read."""
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
    """The wheel of a source tree, from nothing that was configured before."""
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
    return wheel


def known(names: list[str]) -> list[str]:
    """The names that were asked for; all, if none was."""
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no wheel is named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return names or list(NAMES)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    for name in known(sys.argv[2:]):
        wheel = build(name, folder)
        print(f"{name}: {wheel.name}, {wheel.stat().st_size:,} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
