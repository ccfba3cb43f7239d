"""Builds rijn.wasm and the npm package around it:

    python build.py DIRECTORY      needs the package ziglang, and npm

writes the package to DIRECTORY/rijn, its tarball to DIRECTORY, and the files of the page, ready
for a web server, to DIRECTORY/page.

The module has no imports, one memory, and a stack of 64 KiB that traps on overflow. esbuild makes
the CommonJS file from the ES modules. The same sources give the same bytes.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
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
ESBUILD = "esbuild@0.28"


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


def esbuild(directory: Path) -> tuple[Path, str]:
    """Returns esbuild's program, installed in the folder, and its version."""
    home = directory / "esbuild"
    if not (home / "package-lock.json").exists():
        home.mkdir(exist_ok=True)
        (home / "package.json").write_text('{ "private": true }', "utf-8")
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", home]
        subprocess.run([*install, ESBUILD], check=True)
    manifest = home / "node_modules" / "esbuild" / "package.json"
    return home / "node_modules/.bin/esbuild", json.loads(manifest.read_text("utf-8"))["version"]


def inline(module: Path) -> str:
    """Returns wasm.js: the module, compressed (RFC 1950) and in base64."""
    text = base64.b64encode(zlib.compress(module.read_bytes(), 9)).decode("ascii")
    return f'// rijn.wasm. build.py wrote this file.\nexport default "{text}";\n'


def package(directory: Path, module: Path) -> Path:
    """Writes the folder that npm packs, and returns its path.

    It has the files of js/npm, the tools' versions in package.json, the module as a file and as
    text, all of the code as one CommonJS file with its types, and the license.
    """
    target = directory / "rijn"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(HERE / "npm", target)
    (target / "sizes.js").write_text(sizes(), "utf-8")
    for file in (module, ROOT / "LICENSE"):
        shutil.copy(file, target)
    (target / "wasm.js").write_text(inline(module), "utf-8")
    program, bundler = esbuild(directory)
    bundle = [program, target / "index.js", "--bundle", f"--outfile={target / 'index.cjs'}"]
    # CommonJS has no import.meta: index.js then uses __filename.
    bundle += ["--format=cjs", "--platform=node", "--target=node18", "--log-level=warning"]
    subprocess.run([*bundle, "--log-override:empty-import-meta=silent"], check=True)
    for name in ("index", "rijn.wasm"):
        shutil.copy(target / f"{name}.d.ts", target / f"{name}.d.cts")
    manifest = target / "package.json"
    versions = {"compiler": f"zig {version('ziglang')}", "bundler": f"esbuild {bundler}"}
    described = json.loads(manifest.read_text("utf-8")) | versions
    manifest.write_text(json.dumps(described, indent=2) + "\n", "utf-8")
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
