"""A new backend needs one file and one line. The test adds a copy of `sse2` to a copy of this tree. Then
every suite in C and in Python runs on it, and one command writes it into the pages."""

from __future__ import annotations

import filecmp
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "c" / "librijn.a"
NAME = "sse2-twin"
COPIED = ("c", "python", "bench", "tools", "docs", "vectors", "README.md", "pyproject.toml")
IGNORED = shutil.ignore_patterns("__pycache__", "*.so", "node_modules", "build")
# C programs that run on one backend, and programs that run on all.
PROGRAMS = ("vectors", "modes", "errors", "aegis", "many", "parts")
WHOLE = ("dispatch", "registry")


def run(*command: str | Path, cwd: Path, good: bool = True) -> str:
    environment = {name: it for name, it in os.environ.items() if not name.startswith("RIJN_")}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment | {"PYTHONPATH": str(cwd / "python")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (done.returncode == 0) is good, done.stdout + done.stderr
    return done.stdout


def add_backend(tree: Path) -> list[str]:
    """Adds the backend to the tree. Returns the new and changed files."""
    backends = tree / "c" / "src" / "backends"
    text = (backends / "sse2.c").read_text("utf-8")
    text = text.replace("rijn_backend_sse2", "rijn_backend_sse2_twin").replace(
        '"sse2"', f'"{NAME}"'
    )
    text = text.replace("(sse2)", "(sse2_twin)")
    (backends / "sse2_twin.c").write_text(text, "utf-8")
    listed = tree / "c" / "src" / "backends.def"
    lines = listed.read_text("utf-8").splitlines(keepends=True)
    (at,) = (i for i, line in enumerate(lines) if line.startswith("RIJN_BACKEND(X86_64, sse2,"))
    new = lines[at].replace(" sse2,", " sse2_twin,").replace('"sse2"', f'"{NAME}"')
    listed.write_text("".join([*lines[: at + 1], new, *lines[at + 1 :]]), "utf-8")
    return [
        path.relative_to(tree).as_posix()
        for path in sorted((tree / "c").rglob("*"))
        if path.is_file()
        and not (
            (same := ROOT / path.relative_to(tree)).exists() and filecmp.cmp(path, same, False)
        )
    ]


def compiled(tree: Path, sources: list[str]) -> list[str]:
    """Compiles these files of c with CMake's commands. Returns the objects."""
    objects = []
    commands = json.loads((tree / "build" / "compile_commands.json").read_text("utf-8"))
    for source in sources:
        found = next(it for it in commands if it["file"] == str(tree / "c" / source))
        command = shlex.split(found["command"])
        made = str(tree / (source.replace("/", "-") + ".o"))
        command[command.index("-o") + 1] = made
        run(*command, cwd=Path(found["directory"]))
        objects.append(made)
    return objects


def library(tree: Path) -> Path:
    """Returns the existing library. Files that the new line changes are compiled again: arrays of backends,
    and backends that move to another place."""
    made = tree / "librijn.a"
    listed = (tree / "c" / "src" / "backends.def").read_text("utf-8")
    lines = listed[listed.index("RIJN_BACKEND(X86_64, sse2_twin,") :]
    moved = re.findall(r"^RIJN_BACKEND\(\w+, (\w+),", lines, re.MULTILINE)
    sources = ["src/backends.c", "src/tables.c", "src/aegis/kernels.c"]
    sources += [f"src/backends/{name}.c" for name in moved]
    built = LIBRARY.parent / "CMakeFiles" / "rijn_objects.dir"
    old = {path.relative_to(built).as_posix(): path for path in built.rglob("*.o")}
    new = {
        f"{source}.o": path for source, path in zip(sources, compiled(tree, sources), strict=True)
    }
    run("ar", "qc", made, *(old | new).values(), cwd=tree)
    return made


def check_c(tree: Path, archive: Path) -> None:
    checks = [f"tests/check/{it.name}" for it in sorted((tree / "c/tests/check").glob("*.c"))]
    shared = compiled(tree, checks)
    for name in (*PROGRAMS, *WHOLE):
        program = tree / f"test_{name}"
        mock = ["tests/unit/mock.c"] if name == "dispatch" else []
        main = compiled(tree, [f"tests/unit/test_{name}.c", *mock])
        run("cc", *main, *shared, archive, "-lpthread", "-o", program, cwd=tree)
        said = run(program, *([NAME] if name in PROGRAMS else []), cwd=tree)
        assert " 0 failed" in said, said


def check_python(tree: Path, archive: Path) -> None:
    """Checks that the module has the backend and that the suite tests it."""
    build = tree / "binding"
    run(
        *("cmake", "-S", "python", "-B", build, f"-DRIJN_LIBRARY={archive}"),
        *("-DSKBUILD_SABI_VERSION=3.11", f"-DPython_EXECUTABLE={sys.executable}"),
        cwd=tree,
    )
    run("cmake", "--build", build, "--target", "_native", cwd=tree)
    shutil.copy(build / "_native.abi3.so", tree / "python" / "rijn")
    code = "import rijn; print(*(b.name for b in rijn.backends() if b.available))"
    assert NAME in run(sys.executable, "-c", code, cwd=tree).split()
    for tests, least in (
        (["python/tests/test_vectors.py", "--backends=whole", "-k", f"[{NAME}"], 10),
        (["python/tests/test_backends.py", "-k", f"{NAME} or records or listed or list"], 5),
    ):
        said = run(
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests), cwd=tree
        )
        passed = re.search(r"^(\d+) passed", said, re.MULTILINE)
        assert passed and int(passed[1]) >= least, said


def check_documents(tree: Path) -> None:
    """Checks that the pages are out of date until the command has run."""
    test = "tools/tests/test_docs.py::test_the_tables_of_backends_are_current"
    pytest_command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test)
    run(*pytest_command, cwd=tree, good=False)
    run(sys.executable, "tools/figures.py", cwd=tree)
    run(*pytest_command, cwd=tree)
    for page in ("docs/measurements.md", "docs/security.md", "docs/claims.md"):
        assert f"`{NAME}`" in (tree / page).read_text("utf-8"), page


@pytest.mark.thorough
def test_new_backend(tmp_path: Path) -> None:
    if platform.machine() != "x86_64" or not LIBRARY.exists():
        pytest.skip("needs x86-64 and build/c/librijn.a")
    if not all(shutil.which(tool) for tool in ("cc", "ar", "cmake", "ctest")):
        pytest.skip("needs a C compiler and cmake")
    tree = tmp_path / "tree"
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=IGNORED)
        else:
            shutil.copy(ROOT / name, tree / name)
    assert add_backend(tree) == ["c/src/backends/sse2_twin.c", "c/src/backends.def"]

    run("cmake", "-S", "c", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", cwd=tree)
    tests = run("ctest", "--test-dir", "build", "-N", cwd=tree).split()
    # without valgrind or threads, this machine has fewer suites: as many as for sse2
    suites = [it.rpartition("/")[0] for it in tests if it.endswith("/sse2")]
    assert len(suites) >= len(PROGRAMS)
    assert [it.rpartition("/")[0] for it in tests if it.endswith(f"/{NAME}")] == suites

    archive = library(tree)
    check_c(tree, archive)
    check_python(tree, archive)
    check_documents(tree)
