"""Tests tools/mutate.py on a small tree whose tests miss one fault in C, two in Python and one in a
built module."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from limits import LIMIT

import rijn
from rijn.registry import listed_backends

TOOL = Path(__file__).parents[2] / "tools" / "mutate.py"

TREE = {
    "src/limit.h": """#define LESS(n) ((n)-1)
enum { LIMIT = 10 };
int below(int n);
int sum(int a, int b);
""",
    "src/limit.c": """#include "limit.h"

int below(int n) /* 1 + 1 < 3 is no code */
{
    return n < LIMIT;
}

int sum(int a, int b)
{
    return a + b;
}
""",
    "tests/check_limit.c": """#include "limit.h"

int most(void);

int main(void)
{
    return !(below(9) == 1 && below(10) == 0 && sum(5, 0) == 5 && most() == 9);
}
""",
    "tests/most.c": """#include "limit.h"

int most(void)
{
    return LESS(LIMIT);
}
""",
    "python/small/__init__.py": "",
    "python/small/shift.py": '''"""1 < 2"""
from __future__ import annotations


def shifted(n: int | None, by: int) -> int:
    if n is None:
        raise ValueError("nothing")
    return n << by


def either(a: int, b: int) -> int:
    return a | b
''',
    "tests/test_shift.py": """import pytest
from small.shift import either, shifted


def test() -> None:
    assert shifted(1, 0) == 1
    assert either(3, 3) == 3
""",
    "tests/test_nothing.py": """import pytest
from small.shift import shifted


def test() -> None:
    with pytest.raises(ValueError):
        shifted(None, 0)
""",
    "module/answer.c": """#include <stdlib.h>

int main(int argc, char **argv)
{
    (void)argc;
    return atoi(argv[1]) + MORE < 010;
}
""",
    "given/more.h": "enum { MORE = 5 };\n",
    "tools/mutants.toml": """copy = ["src", "python", "tests", "module"]

[c]
mutate = ["src/*"]
sources = ["src/*.c"]
compile = ["cc", "-Isrc"]
link = ["cc"]
programs = "tests/{program}.c"
tests = ["check_limit"]

[c.more]
check_limit = ["tests/most.c"]

[python]
mutate = ["python/**/*.py"]
path = "python"
options = ["-p", "no:hypothesispytest"]

[[python.near]]
files = ["python/small/shift.py"]
tests = ["tests/test_nothing.py"]

[[python.suites]]
files = ["*"]
tests = ["tests/test_shift.py"]

[built.module]
mutate = ["module/*.c"]
needs = ["given/*.h"]
env = { KIND = "answer" }
build = [["mkdir", "-p", "mutate-build"],
         ["sh", "-c", "cc -include given/more.h module/$KIND.c -o mutate-build/answer"]]
made = "mutate-build/answer"
run = ["mutate-build/answer"]

[[built.module.suites]]
files = ["*"]
tests = ["3"]

[[explained]]
file = "python/small/shift.py"
from = "a | b"
to = "a & b"
reason = "planted"
""",
}
# The survivors, as the tool lists them.
SURVIVORS = [
    "module/answer.c:6: survived",
    "python/small/shift.py:8: survived",
    "src/limit.c:10: survived",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    if os.name != "posix" or shutil.which("cc") is None:
        pytest.skip("needs a C compiler and a shell")
    for name, text in TREE.items():
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "scratch").mkdir()
    return tmp_path / "tree"


def start(tree: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(TOOL), "--tree", str(tree), *arguments],
        env={**os.environ, "TMPDIR": str(tree.parent / "scratch")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(tree: Path, *arguments: str) -> tuple[int, str]:
    process = start(tree, *arguments)
    printed, _ = process.communicate(timeout=LIMIT)
    for name, text in TREE.items():
        if name != "tools/mutants.toml":
            assert (tree / name).read_text() == text  # the tree itself does not change
    assert list((tree.parent / "scratch").iterdir()) == []
    return process.returncode, printed


def test_the_planted_survivors_are_found(tree: Path) -> None:
    out = tree.parent / "out.json"
    status, printed = run(tree, "--out", str(out))
    assert sorted(line for line in printed.splitlines() if "survived" in line[:60]) == sorted(
        SURVIVORS
    ), printed
    assert "-    return a + b;\n+    return a - b;\n" in printed
    assert "-    return n << by\n+    return n >> by\n" in printed
    assert (
        "-    return atoi(argv[1]) + MORE < 010;\n+    return atoi(argv[1]) + MORE < 07;\n"
        in printed
    )
    assert "explained 1, survived 3" in printed
    assert status == 1
    verdicts = json.loads(out.read_text())["verdicts"]
    outcomes = [outcome for outcome, _ in verdicts.values()]
    assert outcomes.count("survived") == 4  # reasons may be added later
    assert outcomes.count("killed") == len(outcomes) - 4
    # Units that only a program has are compiled with the fault, and tests of a part come first.
    assert verdicts["src/limit.h: #define LESS(n) ((n)-1) -> #define LESS(n) ((n)-0) #0"] == [
        "killed",
        "check_limit",
    ]
    check = 'python/small/shift.py: raise ValueError("nothing") -> pass #0'
    assert verdicts[check] == ["killed", "tests/test_nothing.py"]

    # With reasons for all of them, nothing runs again.
    reasons = """
[[explained]]
file = "*"
operator = "arithmetic"
from = "a + b"
reason = "planted"

[[explained]]
file = "python/*"
operator = "bits"
from = "n << by"
reason = "planted"

[[explained]]
file = "module/*"
from = "010"
to = "07"
reason = "planted"
"""
    config = tree / "tools" / "mutants.toml"
    config.write_text(config.read_text() + reasons)
    status, printed = run(tree, "--out", str(out))
    assert "explained 4, survived 0" in printed
    assert status == 0
    assert json.loads(out.read_text())["verdicts"] == verdicts

    # A reason that matches no mutant is reported.
    config.write_text(config.read_text() + reasons.replace("n << by", "n <<< by"))
    assert "explains mutants that do not exist: python/*: n <<< by" in run(tree, "--list")[1]


def test_a_sample_is_the_same_each_time(tree: Path) -> None:
    everything = run(tree, "--list")[1].splitlines()
    some = run(tree, "--list", "--sample", "4", "--seed", "7")[1].splitlines()
    assert len(some) == 4
    assert set(some) < set(everything)
    assert run(tree, "--list", "--sample", "4", "--seed", "7")[1].splitlines() == some
    assert all(line.startswith("src/") for line in run(tree, "--list", "src")[1].splitlines())
    assert not any("1 + 1" in line or "LIMIT -" in line for line in everything)


def test_a_tree_that_fails_already_is_refused(tree: Path) -> None:
    (tree / "src" / "limit.h").write_text(TREE["src/limit.h"].replace("10", "11"))
    process = start(tree, "src")
    printed, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert "without any fault check_limit fails" in printed


def test_ctrl_c_leaves_nothing(tree: Path) -> None:
    scratch = tree.parent / "scratch"
    process = start(tree, "--out", str(tree.parent / "out.json"))
    end = time.monotonic() + 300
    while not list(scratch.iterdir()) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, printed
    assert "the same call goes on from here" in printed
    assert list(scratch.iterdir()) == []
    # And with it, it does.
    status, printed = run(tree, "--out", str(tree.parent / "out.json"))
    assert status == 1
    assert all(line in printed for line in SURVIVORS)


def test_the_table_of_this_tree_is_true() -> None:
    """The copy has every file that pytest needs, and every explained mutant exists."""
    tree = TOOL.parents[1]
    table = tomllib.loads((TOOL.parent / "mutants.toml").read_text())
    copied = [tree / name for name in table["copy"]]
    for needed in (tree / "python" / "tests").glob("**/conftest.py"):
        if needed.parent.name not in ("cli", "spark"):  # their tests judge no mutant
            assert any(needed.is_relative_to(name) for name in copied), needed
    for explained in table["explained"]:
        texts = [path.read_text() for path in tree.glob(explained["file"])]
        assert any(explained["from"] in text for text in texts), explained


def test_every_test_program_of_this_tree_judges() -> None:
    """With the units that CMakeLists.txt gives it."""
    table = tomllib.loads((TOOL.parent / "mutants.toml").read_text())["c"]
    unit = TOOL.parents[1] / "c" / "tests" / "unit"
    programs = {path.stem for path in unit.glob("test_*.c")} - {"test_check"}
    assert {test.split()[0] for test in table["tests"]} == programs
    listed = (unit / "CMakeLists.txt").read_text()
    more = {name for name in programs if f"target_sources({name} " in listed}
    more |= {f"test_{it}" for it in re.findall(r"rijn_more_tables\(\w+ (\w+)\)", listed)}
    assert set(table["more"]) == more


def test_the_backends_of_this_tree_are_read() -> None:
    """The list of the C library gives them."""
    table = tomllib.loads((TOOL.parent / "mutants.toml").read_text())["c"]
    tool = runpy.run_path(str(TOOL))
    listed = (TOOL.parents[1] / table["backends"]).read_text()
    assert tool["BACKEND"].findall(listed) == [it.name for it in listed_backends()]
    assert sum("{backends}" in flag for flag in table["compile"]) == 1


def test_a_file_of_kernels_belongs_to_its_backend() -> None:
    """Otherwise an AEGIS kernel would be judged on a backend that does not run it."""
    suite = runpy.run_path(str(TOOL))["CSuite"]
    it = suite.__new__(suite)
    it.backends = [listed.name for listed in listed_backends()]
    owners = {
        "c/src/backends/aesni_avx.c": "aesni-avx",
        "c/src/aegis/aesni_sse.c": "aesni",
        "c/src/aegis/ssse3.c": "ssse3",
        "c/src/aegis/kernels.c": "",
        "c/src/modes/gcm.c": "",
    }
    assert {unit: it.backend_of(unit) for unit in owners} == owners


def test_every_part_of_the_package_is_mutated() -> None:
    """A folder that is new or has moved must not be forgotten."""
    tree = TOOL.parents[1]
    table = tomllib.loads((TOOL.parent / "mutants.toml").read_text())["python"]
    mutated = {path for pattern in table["mutate"] for path in tree.glob(pattern)}
    left = set((tree / "python" / "rijn").rglob("*.py")) - mutated
    unmutated = re.compile(r"numba_|cluster|distributed\.py|spark")  # the comment there says why
    assert [it for it in left if not unmutated.search(str(it.relative_to(tree)))] == []


def test_every_named_test_is_there() -> None:
    """Without it, the tool judges none of its files."""
    table = tomllib.loads((TOOL.parent / "mutants.toml").read_text())
    suites = [*table["python"]["suites"], *table["python"]["near"]]
    for built in table["built"].values():
        suites += built["suites"]
    named = {word for it in suites for test in it["tests"] for word in shlex.split(test)}
    files = {word for word in named if word.endswith(".py")}
    assert files
    assert [it for it in sorted(files) if not (TOOL.parents[1] / it).exists()] == []


def test_the_copied_package_has_the_lists_of_the_installed_one() -> None:
    """Without the lists, tests would fail without a fault."""
    table = tomllib.loads((TOOL.parent / "mutants.toml").read_text())["python"]
    installed = {path.name for path in Path(rijn.__file__).parent.glob("*.def")}
    assert set(table["beside"]) == installed


def test_a_backend_that_this_machine_cannot_run_judges_nothing(tree: Path) -> None:
    """Its tests skip, so that every fault would survive."""
    (tree / "src" / "backends").mkdir()
    for name in ("narrow", "wide"):
        text = f"int {name}(int n)\n{{\n    return n + 3;\n}}\n"
        (tree / "src" / "backends" / f"{name}.c").write_text(text)
    (tree / "src" / "backends.def").write_text(
        'RIJN_BACKEND(X, wide, "wide", CLEAN)\nRIJN_BACKEND(X, narrow, "narrow", CLEAN)\n'
    )
    (tree / "tests" / "check_limit.c").write_text(
        """#include "limit.h"

int narrow(int n);

int main(int argc, char **argv)
{
    (void)argc;
    return argv[1][0] == 'w' ? 77 : narrow(1) != 4 || sum(5, 1) != 6;
}
"""
    )
    config = TREE["tools/mutants.toml"].replace("[c]", '[c]\nbackends = "src/backends.def"')
    config = config.replace('"src/*.c"', '"src/**/*.c"').replace('"src/*"', '"src/**/*.c"')
    config = config.replace('"check_limit"]', '"check_limit {backend}"]')
    (tree / "tools" / "mutants.toml").write_text(config)
    out = tree.parent / "out.json"
    process = start(tree, "--out", str(out), "src/backends", "src/limit.c")
    printed, _ = process.communicate(timeout=LIMIT)
    verdicts = json.loads(out.read_text())["verdicts"]
    outcomes = {
        name: {v[0] for k, v in verdicts.items() if name in k} for name in ("wide", "narrow")
    }
    assert outcomes == {"wide": {"unjudged"}, "narrow": {"killed"}}, printed
    assert verdicts["src/limit.c: return a + b; -> return a - b; #0"][0] == "killed", printed
    assert "this machine cannot run wide" in out.read_text()
