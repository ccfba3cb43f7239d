"""Tests the npm package:

    python check.py DIRECTORY      the folder that build.py wrote; needs node, npm and chromium

check.mjs tests the calls in Node, Node 18, Deno and Bun. trace.mjs tests that no address and no
branch of the module depends on secrets. A second build must give the same bytes. check_types.py
checks the types, in the package that npm installs from the tarball. key_check.mjs tests how the
page reads key files, and page_check.mjs tests the page in Chromium. Prints a line PASSED or FAILED
for each, and exits with 1 if one failed. The npm packages that it needs are installed in
DIRECTORY/tools.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import build
import cases
import check_types

from rijn import chunked
from rijn.files import parse_key

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors" / "format.json"
TOOLS = (*check_types.TOOLS, "puppeteer-core@24")
RUNTIMES = ("node@18", "deno@2", "bun@1")
LARGEST = 280_000  # bytes of the tarball
RIJN = Path(sys.executable).parent / "rijn"
PATIENCE = 300.0


def run(*command: object, cwd: Path | None = None) -> None:
    subprocess.run([str(word) for word in command], check=True, timeout=PATIENCE, cwd=cwd)


def tools(directory: Path) -> Path:
    folder = directory / "tools"
    if not (folder / "node_modules" / ".package-lock.json").exists():
        folder.mkdir(exist_ok=True)
        run("npm", "install", "--silent", "--no-save", "--prefix", folder, *TOOLS, *RUNTIMES)
    return folder / "node_modules"


def in_runtimes(directory: Path, modules: Path) -> None:
    given = directory / "cases.json"
    with given.open("w") as file:
        json.dump(
            {"messages": cases.messages(), "raw": cases.raw(), "streams": cases.streams()}, file
        )
    programs: list[list[object]] = [
        ["node", "--expose-gc"],
        [modules / ".bin" / "node", "--expose-gc"],
        [modules / ".bin" / "deno", "run", "--allow-all", "--v8-flags=--expose-gc"],
        [modules / ".bin" / "bun"],
    ]
    for program in programs:
        print(*program, flush=True)
        run(*program, HERE / "check.mjs", directory / "rijn", given)
        cases.open_written(Path(f"{given}.written"))


def same_build(directory: Path) -> None:
    with tempfile.TemporaryDirectory() as other:
        again = build.build(Path(other))
        assert again.read_bytes() == (directory / "rijn.wasm").read_bytes(), "rijn.wasm differs"


def packed(directory: Path, modules: Path) -> None:
    """Installs the tarball as users do, and checks its files and types."""
    with tempfile.TemporaryDirectory() as home:
        (tarball,) = directory.glob("rijn-*.tgz")
        assert tarball.stat().st_size < LARGEST, tarball
        run("npm", "install", "--silent", "--no-save", "--prefix", home, tarball)
        package = Path(home) / "node_modules" / "rijn"
        described(package)
        check_types.compile_all(Path(home), modules)
        check_types.lint(tarball, package, modules)


def described(package: Path) -> None:
    """Checks that the package has the files that its README links, the names of the tools that
    built it, and no dependencies."""
    links = re.findall(r"\]\(([^)#]+)", (package / "README.md").read_text("utf-8"))
    assert links, "no link"
    for link in links:
        assert (package / link).is_file(), link
    manifest = json.loads((package / "package.json").read_text("utf-8"))
    assert manifest["compiler"] == f"zig {version('ziglang')}", manifest
    assert manifest["bundler"].startswith("esbuild 0.28."), manifest
    assert not [name for name in manifest if name.lower().endswith("dependencies")], manifest


def in_chromium(directory: Path, modules: Path) -> None:
    """Checks the page, with files to and from `rijn encrypt --bare` and `rijn decrypt --bare`."""
    folder = directory / "page_check"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "plain").write_bytes(random.randbytes(1_500_000))
    for bits in (128, 256):
        run(RIJN, "keygen", "--bits", bits, "-o", folder / f"key-{bits // 8}")
    coded = {
        aead.short: ("--bare", "--aead", aead.short, "-k", folder / f"key-{aead.key_size}")
        for aead in chunked.AEADS.values()
    }
    for name, options in coded.items():
        run(RIJN, "encrypt", *options, folder / "plain", "-o", folder / f"{name}.c2sp")
    run("node", HERE / "page_check.mjs", directory / "page", modules, folder)
    made = folder / "page"
    for name, options in coded.items():
        run(RIJN, "decrypt", *options, made / f"{name}.c2sp", "-o", made / name)
        for result in (made / name, made / f"{name}.plain"):
            assert result.read_bytes() == (folder / "plain").read_bytes(), result
    assert len(parse_key((made / "my.key").read_text("utf-8"))) == 32


def main() -> None:
    directory = Path(sys.argv[1]).resolve()
    modules = tools(directory)
    checks: dict[str, Callable[[], None]] = {
        "in the runtimes": lambda: in_runtimes(directory, modules),
        "timing": lambda: run("node", HERE / "trace.mjs", directory / "rijn"),
        "the same build": lambda: same_build(directory),
        "packed, and its types": lambda: packed(directory, modules),
        "key files": lambda: run("node", HERE / "key_check.mjs", VECTORS),
        "in Chromium": lambda: in_chromium(directory, modules),
    }
    failed = False
    for name, check in checks.items():
        try:
            check()
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            print(f"FAILED {name}: {error}", flush=True)
            failed = True
        else:
            print(f"PASSED {name}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
