"""Tests the OpenSSL provider.

    python check.py BUILD-FOLDER [--module rijn.so] [--only c fuzz evp programs trixie] [--full]

BUILD-FOLDER gets OpenSSL's sources and the test programs; the provider is BUILD-FOLDER/rijn.so. The
part "trixie" is "c" and "evp" on Debian 13's OpenSSL 3.5, in a root directory that mmdebstrap makes. "fuzz"
needs clang with libFuzzer ($CLANG, default clang-19 or clang), and runs 20,000 inputs in at most 120 seconds.
--full: more rounds, fuzzing for 300 seconds, and Python's cryptography built on the system's OpenSSL.
Needs OpenSSL's headers, a C compiler and valgrind. Every process has a time limit.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import vectors_of_openssl
from support import HERE, ROOT, Witness, inside, run

PARTS = ("c", "fuzz", "evp", "programs", "trixie")
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FLAGS = ["-std=c11", "-D_DEFAULT_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]


def compile_c(source: str, target: Path, *flags: str | Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [*FLAGS, "-Wno-unused-function", HERE / source, "-o", target, *flags]
    run([*os.environ.get("CC", "cc").split(), *words], limit=600)
    return target


def reports(name: str, command: list[str | Path], env: dict[str, str]) -> bool:
    """Runs a program whose lines report its tests. A failure outside them is a test that failed."""
    try:
        done = run(command, check=False, env=env, limit=600)
    except subprocess.TimeoutExpired:
        print(f"FAILED {name}: it does not end")
        return False
    lines = done.stdout.splitlines()
    ran = [line for line in lines if line.startswith(("PASSED ", "FAILED "))]
    for line in ran:
        verdict, _, rest = line.partition(" ")
        print(f"{verdict} {name} {rest}")
    failed = any(line.startswith("FAILED") for line in ran)
    if (done.returncode and not failed) or not ran:
        print(f"FAILED {name}: status {done.returncode}")
        print(*(f"    {line}" for line in lines if line not in ran), sep="\n")
    return done.returncode == 0 and bool(ran)


def c_programs(build: Path, module: Path, full: bool) -> bool:
    """Runs the programs in C here: under the sanitizers, and some of their rounds under valgrind.

    valgrind also sees what the provider does, which is built without sanitizers.
    """
    programs = build / "tests"
    folder = ["--folder", module.parent, "--module", module.stem]
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1", "LSAN_OPTIONS": "report_objects=0"}
    rounds = "2000" if full else "300"
    good = True
    for name in ("compare", "traps"):
        made = compile_c(f"{name}.c", programs / name, *SANITIZE, "-lcrypto", "-lpthread")
        more = ["--rounds", rounds] if name == "compare" else []
        good &= reports(name, [made, *folder, *more], env)
        made = compile_c(f"{name}.c", programs / f"{name}-plain", "-lcrypto", "-lpthread")
    wipe = compile_c("wipe.c", programs / "wipe", "-lcrypto")
    good &= reports("wipe", [wipe, *folder], env)
    valgrind = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"]
    command = [*valgrind, programs / "compare-plain", *folder, "--rounds", "40" if full else "6"]
    good &= reports("valgrind compare", command, env)
    command = [*valgrind, programs / "traps-plain", *folder]
    good &= reports("valgrind traps", command, env)
    return good


def fuzz(build: Path, full: bool) -> bool:
    """Runs the fuzz target of ../fuzz: its seeds, then new inputs, which are the same each time unless `full`.

    It contains the provider and librijn, built with the sanitizers.
    """
    clangs = [os.environ.get("CLANG", ""), "clang-19", "clang"]
    clang = next((name for name in clangs if name and shutil.which(name)), None)
    if clang is None:
        print("SKIPPED fuzz: needs clang with libFuzzer (Debian: clang)")
        return True
    folder = build / "fuzz"
    found = folder / ("found" if full else "sample")  # gets new inputs
    if not full:
        shutil.rmtree(found, ignore_errors=True)
    found.mkdir(parents=True, exist_ok=True)
    source = HERE.parent
    # One portable backend: librijn has fuzz targets of its own.
    options = ["-DRIJN_BACKENDS=fixslice64", "-DRIJN_BUILD_TESTS=OFF", "-DRIJN_BUILD_EXAMPLES=OFF"]
    options += ["-DRIJN_SANITIZE=address,undefined", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    options += [f"-DCMAKE_C_COMPILER={clang}"]
    cmake = shutil.which("cmake") or Path(sys.executable).with_name("cmake")
    run([cmake, "-S", ROOT / "c", "-B", folder / "c", *options], limit=600)
    run([cmake, "--build", folder / "c", "--target", "rijn_static"], limit=1200)
    words = [*FLAGS, "-D_GNU_SOURCE", *SANITIZE, "-fsanitize=fuzzer", f"-I{ROOT / 'c/include'}"]
    sources = [source / "fuzz" / "fuzz_provider.c", *sorted(source.glob("*.c"))]
    program = folder / "fuzz_provider"
    run([clang, *words, *sources, folder / "c" / "librijn.a", "-lcrypto", "-o", program], limit=600)
    corpus = source / "fuzz" / "corpus" / "provider"
    limits = ["-max_total_time=300"] if full else ["-max_total_time=120", "-runs=20000", "-seed=1"]
    limits += ["-max_len=1024", "-timeout=20", "-print_final_stats=1"]
    command = [program, *limits, f"-artifact_prefix={folder}/", found, corpus]
    done = run(command, check=False, limit=1200)
    if done.returncode:
        print(f"FAILED fuzz_provider: status {done.returncode}; its input is in {folder}")
        print(*(f"    {line}" for line in done.stdout.splitlines()[-40:]), sep="\n")
        return False
    (inputs,) = re.findall(r"^stat::number_of_executed_units: *(\d+)$", done.stdout, re.MULTILINE)
    print(f"PASSED fuzz_provider, {inputs} inputs")
    return True


def evp(system: vectors_of_openssl.System, build: Path, folder: Path, module: Path) -> bool:
    """Runs evp_test in a system. `folder` is below its root, and has the files that it reads."""
    source = vectors_of_openssl.fetch(system, build / system.version)
    witness = compile_c("witness.c", folder / "witness.so", "-shared", "-fPIC")
    if module.parent != folder:
        module = Path(shutil.copy(module, folder))
    counted = Witness(folder, witness, module, root=system.root)
    program = vectors_of_openssl.build(system, source, folder / "evp_test")
    good = vectors_of_openssl.run_files(system, source, program, counted, folder)
    # A proof that the vectors were the provider's work.
    used = counted.work_done()
    print(f"evp_test-{system.version} used", *(f"{k}:{v.contexts}" for k, v in used.items()))
    wanted = {"AES-128-ECB", "AES-256-GCM", "AES-192-CCM", "AES-256-XTS", "AES-128-OCB", "CMAC"}
    if missing := wanted - {name for name, done in used.items() if done.bytes}:
        print(f"FAILED evp_test-{system.version}: it did not use the provider for {missing}")
        return False
    return good


def trixie(build: Path, module: Path, rounds: str) -> bool:
    """Runs the programs in C and evp_test in Debian 13."""
    root = build / "trixie"
    if not (root / "usr/bin/openssl").exists():
        if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
            print("SKIPPED OpenSSL 3.5: needs root and mmdebstrap (Debian: mmdebstrap)")
            return True
        run([HERE / "trixie.sh", root], limit=900)
    system = vectors_of_openssl.System("3.5", "trixie", root)
    folder = root / "rijn"
    folder.mkdir(exist_ok=True)
    good = evp(system, build, folder, module)
    for name in ("compare", "traps"):
        made = compile_c(f"{name}.c", folder / name, "-lcrypto", "-lpthread")
        where = ["--folder", "/rijn", "--module", module.stem]
        more = ["--rounds", rounds] if name == "compare" else []
        command = system.command(inside(made, root), *where, *more)
        good &= reports(f"{name}-3.5", command, dict(os.environ))
    return good


def programs(build: Path, module: Path, full: bool) -> bool:
    """Runs the tests with whole programs."""
    compile_c("witness.c", build / "tests" / "witness.so", "-shared", "-fPIC")
    env = {**os.environ, "RIJN_PROVIDER": str(module), "FULL": "1" if full else ""}
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "--rootdir"]
    return (
        subprocess.run([*command, HERE, HERE], env=env, check=False, timeout=3600).returncode == 0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--module", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--full", action="store_true")
    given = parser.parse_args()
    build = given.build.absolute()
    module = (given.module or build / "rijn.so").absolute()
    if not module.exists():
        sys.exit(f"{module} does not exist: run make openssl")
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    good = True
    if "c" in given.only:
        good &= c_programs(build, module, given.full)
    if "fuzz" in given.only:
        good &= fuzz(build, given.full)
    if "evp" in given.only:
        here = build / "tests" / "evp"
        here.mkdir(parents=True, exist_ok=True)
        good &= evp(vectors_of_openssl.System("3.0", "bookworm"), build, here, module)
    if "programs" in given.only:
        good &= programs(build, module, given.full)
    if "trixie" in given.only:
        good &= trixie(build, module, "2000" if given.full else "300")
    sys.exit(not good)


if __name__ == "__main__":
    main()
