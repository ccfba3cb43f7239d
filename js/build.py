"""Builds rijn.wasm and the npm package around it:

    python build.py DIRECTORY      needs the package ziglang, and npm

writes the package to DIRECTORY/rijn, its tarball to DIRECTORY, and the files of the page, ready
for a web server, to DIRECTORY/page.

The module has no imports, one memory, and a stack of 64 KiB that traps on overflow. The same
sources give the same bytes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi", "-mcpu=lime1+simd128"]
FLAGS = ["-std=c11", "-O3", "-DRIJN_HOSTED=0", f"-I{ROOT / 'c/include'}"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
LINK = ["-mexec-model=reactor", "-Wl,--gc-sections,--strip-all,--export=__heap_base"]
LINK += ["-Wl,-z,stack-size=65536"]


def sources() -> list[Path]:
    return [*sorted((ROOT / "c/src").rglob("*.c")), HERE / "calls.c"]


def sizes() -> str:
    """Returns sizes.js: the AEADs that calls.c numbers, in the order of rijn_algorithms.def."""
    text = (ROOT / "c/include" / "rijn_algorithms.def").read_text("utf-8")
    found: list[dict[str, object]] = []
    aes = r"^RIJN_AES_AEAD\(\w+, \w+, (\w+), ([^,]+), (\d+), ([^,]+), (\d+),"
    for name, keys, least, most, usual in re.findall(aes, text, re.MULTILINE):
        found.append(
            {
                "name": name,
                "keys": [int(size) for size in re.findall(r"KEY\((\d+)\)", keys)],
                "least": int(least),
                "most": int(most) if most.isdecimal() else None,  # None: longer than any memory
                "usual": int(usual),
            }
        )
    for name, size in re.findall(
        r'^RIJN_AEGIS_AEAD\(\w+, (\w+), "[^"]+", (\d+),', text, re.MULTILINE
    ):
        nonce = dict.fromkeys(("least", "most", "usual"), int(size))
        found.append({"name": name, "keys": [int(size)], **nonce})
    rows = "".join(f"  {json.dumps(row)},\n" for row in found)
    return f"// Written by build.py from c/include/rijn_algorithms.def.\nexport const SIZES = [\n{rows}];\n"


def build(directory: Path) -> Path:
    """Builds rijn.wasm and returns its path. Object files and zig's cache stay in the folder."""
    objects = directory / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(directory / "zig")}

    def zig(*arguments: object) -> None:
        subprocess.run([*ZIG, *map(str, arguments)], check=True, env=environment)

    def compiled(source: Path) -> Path:
        target = objects / ("_".join(source.relative_to(ROOT).parts) + ".o")
        zig(*FLAGS, *WARNINGS, "-c", source, "-o", target)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(compiled, sources()))
    module = directory / "rijn.wasm"
    zig(*LINK, *parts, "-o", module)
    module.chmod(0o644)
    return module


def package(directory: Path, module: Path) -> Path:
    """Writes the folder that npm packs, and returns its path.

    It has the files of js/npm, the compiler's name in package.json, the module and the license.
    """
    target = directory / "rijn"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(HERE / "npm", target)
    (target / "sizes.js").write_text(sizes(), "utf-8")
    for file in (module, ROOT / "LICENSE"):
        shutil.copy(file, target)
    manifest = target / "package.json"
    compiled = json.loads(manifest.read_text("utf-8")) | {"compiler": f"zig {version('ziglang')}"}
    manifest.write_text(json.dumps(compiled, indent=2) + "\n", "utf-8")
    return target


def page(directory: Path, package: Path) -> None:
    target = directory / "page"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(HERE / "page", target)
    shutil.copytree(package, target / "rijn")


def check_version() -> None:
    """Stops unless rijn.h and package.json have the same version."""
    header = (ROOT / "c/include" / "rijn.h").read_text("utf-8")
    written = (HERE / "npm" / "package.json").read_text("utf-8")
    versions = [
        re.findall(r'^#define RIJN_VERSION "(.*)"$', header, re.MULTILINE),
        re.findall(r'^  "version": "(.*)",$', written, re.MULTILINE),
    ]
    if versions[0] != versions[1]:
        sys.exit(f"rijn.h has version {versions[0]}, package.json {versions[1]}")


def main() -> None:
    directory = Path(sys.argv[1]).resolve()
    check_version()
    module = build(directory)
    folder = package(directory, module)
    page(directory, folder)
    subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", directory], cwd=folder, check=True
    )


if __name__ == "__main__":
    main()
