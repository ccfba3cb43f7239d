"""Builds parts of the C suite for wasm32-wasi with zig's clang and runs them in wasmtime. There are
three builds: without vectors, with vectors of 128 bits, and with the flags of the npm package
(js/build.py).

    python .ci/wasm.py BUILD_DIRECTORY      needs the packages ziglang and wasmtime

Prints one "PASSED name" or "FAILED name" a program; exits with 1 if one failed.
"""

import re
import subprocess
import sys
from pathlib import Path

import wasmtime

# Each build: compiler flags, the backend that its programs run on (None: all), and the programs.
BUILDS = {
    "plain": ("-O2", None, ("vectors", "modes", "errors", "aegis")),
    "simd128": (
        "-O2 -msimd128",
        "simd128",
        ("vectors", "modes", "errors", "aegis", "many", "parts", "dispatch"),
    ),
    "npm": ("-O3 -mcpu=lime1+simd128", "simd128", ("wipe",)),
}
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
INCLUDE = ("-Ic/tests/check", "-Ic/include", "-Ic/src", "-Ic/tests")
LISTED = re.compile(r'^RIJN_BACKEND\(\w+, \w+, "([\w-]+)"', re.MULTILINE)


def tested_backends() -> str:
    """The flag that names the backends of every build, as c/cmake/RijnBackends.cmake does."""
    names = LISTED.findall(Path("c/src/backends.def").read_text("utf-8"))
    assert names
    return f'-DRIJN_TESTED_BACKENDS="{" ".join(names)}"'


def public_functions(folder: Path) -> None:
    """rijn_public_functions.h, as c/cmake/RijnPublicFunctions.cmake makes it."""
    header = Path("c/include/rijn.h").read_text("utf-8")
    names = re.findall(r"^RIJN_API\w* [^(;]*?(rijn_[a-z0-9_]+)[(]", header, re.MULTILINE)
    made = "#define RIJN_PUBLIC_FUNCTIONS(X) " + " ".join(f"X({name})" for name in names)
    made += "\n#ifdef RIJN_RECORD\n"
    made += "".join(f"#define {name} RIJN_RECORD({name})\n" for name in names)
    (folder / "rijn_public_functions.h").write_text(made + "#endif\n", "utf-8")


def build(name: str, flags: str, program: Path) -> None:
    # test_wipe has its own scrub.c, and test_dispatch has tables.c in mock.c.
    replaced = {"wipe": "scrub.c", "dispatch": "tables.c"}.get(name)
    library = [path for path in Path("c/src").rglob("*.c") if path.name != replaced]
    sources = [
        *library,
        *([Path("c/tests/unit/mock.c")] if name == "dispatch" else ()),
        *(path for path in Path("c/tests/check").glob("*.c") if path.name != "arena.c"),
        *(Path("c/tests").glob("calls*.c") if name == "wipe" else ()),
        Path(f"c/tests/unit/test_{name}.c"),
    ]
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi", *flags.split()]
    subprocess.run(
        [*zig, *FLAGS, tested_backends(), *INCLUDE, f"-I{program.parent}", *sources, "-o", program],
        check=True,
    )


def run(program: Path, *arguments: str) -> int:
    engine = wasmtime.Engine()
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [program.name, *arguments]
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
    public_functions(folder)
    failed = 0
    for built, (flags, backend, programs) in BUILDS.items():
        for name in programs:
            program = folder / f"{built}_{name}.wasm"
            build(name, flags, program)
            status = run(program, *([backend] if backend else []))
            print("PASSED" if status == 0 else "FAILED", f"wasm/{built}/{name}", flush=True)
            failed += status != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
