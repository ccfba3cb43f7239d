"""Builds parts of the C suite for wasm32-wasi with zig's clang and runs them in wasmtime.

    python .ci/wasm.py BUILD_DIRECTORY      needs the packages ziglang and wasmtime

Prints one "PASSED name" or "FAILED name" a program; exits with 1 if one failed.
"""

import subprocess
import sys
from pathlib import Path

import wasmtime

PROGRAMS = ("test_vectors", "test_modes", "test_errors", "test_aegis")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
INCLUDE = ("-Iinclude", "-Isrc", "-Itests/c")


def build(name: str, folder: Path) -> Path:
    sources = [
        *Path("src").rglob("*.c"),
        *Path("tests/c").glob("oracle*.c"),
        *(Path("tests/c") / f"{part}.c" for part in ("check", name)),
    ]
    program = folder / f"{name}.wasm"
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi"]
    subprocess.run([*zig, *FLAGS, *INCLUDE, *sources, "-o", program], check=True)
    return program


def run(program: Path) -> int:
    engine = wasmtime.Engine()
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [program.name]
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(program)))
    start = instance.exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    try:
        start(store)
    except wasmtime.ExitTrap as exit:
        return int(exit.code)
    return 0


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in PROGRAMS:
        status = run(build(name, folder))
        print("PASSED" if status == 0 else "FAILED", f"wasm/{name}", flush=True)
        failed += status != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
