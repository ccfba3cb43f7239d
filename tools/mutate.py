#!/usr/bin/env python3
"""Measures how many faults the tests would miss.

Makes small faults ("mutants") in the C library, the binding, the Python package and the
integrations, one at a time, in a temporary copy of the tree. Builds the changed part and runs the
tests that must notice, the fastest first. A mutant survives if no test notices it. The tool prints
survivors as diffs, except those that tools/mutants.toml explains.

    tools/mutate.py --list c/src/modes/ocb.c         lists every possible fault
    tools/mutate.py --sample 150 --seed 1 c/src      150 in C, preferably in wipes and checks
    tools/mutate.py --sample 150 --seed 1 python/rijn
    tools/mutate.py --sample 60 integrations         needs `make duckdb` and the headers of a JDK
    tools/mutate.py c/src/modes/xaes.c               every fault of one file

A change that compiles to the same code is not a fault, and is counted separately. So is a fault in a
backend that this machine cannot run: nothing judges it. A fault that makes a test run forever counts as
noticed. An interrupted run continues if it is started again with the
same --out. A sample depends on the seed and on the text of each fault, so that it stays nearly the
same while the tree changes.

tools/mutants.toml lists the files to mutate and the tests that judge them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import fnmatch
import hashlib
import importlib.util
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

# Weight of each kind of fault in a sample. The default is 1.
WEIGHTS = {
    "wipe": 8, "check": 8, "compare": 5, "logic": 5, "jump": 5, "condition": 4, "constant": 0.6,
}  # fmt: skip

NOTICED = ("killed", "endless")
OUTCOMES = ("killed", "endless", "identical", "unbuilt", "unjudged", "explained", "survived")


@dataclass(frozen=True)
class Mutant:
    """One fault: `new` in place of text[start:end] of a file."""

    file: str
    operator: str
    line: int
    start: int
    end: int
    new: str
    before: str  # the changed lines, stripped
    after: str
    which: int  # counts faults of this file with the same `before` and `after`

    @property
    def id(self) -> str:
        return f"{self.file}: {self.before} -> {self.after} #{self.which}"

    def chance(self, seed: int) -> float:
        """A number that depends on this fault alone. The sample takes the largest ones."""
        digest = hashlib.sha256(f"{seed} {self.id}".encode()).digest()
        uniform = (int.from_bytes(digest[:8]) + 1) / 2**64
        return float(uniform ** (1 / WEIGHTS.get(self.operator, 1)))


Change = tuple[str, int, int, str]  # operator, start, end, new

OTHER = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "and": "or", "or": "and",
    "&": "|", "|": "&", "<<": ">>", ">>": "<<",
    "+": "-", "-": "+", "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&=",
}  # fmt: skip
KINDS = {
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), "compare"),
    **dict.fromkeys(("&&", "||", "and", "or"), "logic"),
    **dict.fromkeys(("&", "|", "<<", ">>", "&=", "|="), "bits"),
    **dict.fromkeys(("+", "-", "+=", "-="), "arithmetic"),
}


# ---- Faults in C --------------------------------------------------------------------------

C_HIDDEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
      | ^[ ]*\#[ ]*(?!define)(?:\\\n|[^\n])*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
C_WIPE = re.compile(r"\b\w*wipe(?=\([^;{}]*\);)")
C_CHECK = re.compile(r"\b(?:TRY|REQUIRE)(?=\()")
C_BINARY = re.compile(r"(?<= )(<=?|>=?|==|!=|&&|\|\||[&|+-]=?|<<|>>)(?=[ \n])")
C_NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?=[uUlL]*\b)(?![\w.]*\.)")
C_JUMP = re.compile(r"\b(?:break|continue);")
C_IF = re.compile(r"\b(?:if|while) (?=\()")


def closed(text: str, start: int) -> int:
    """Returns the position after the parenthesis that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def c_changes(text: str) -> Iterator[Change]:
    code = C_HIDDEN.sub(lambda m: re.sub(r"[^\n]", "`", m.group()), text)
    for kind, pattern in (("wipe", C_WIPE), ("check", C_CHECK)):
        for found in pattern.finditer(code):
            end = closed(code, found.end())
            if code[end : end + 1] == ";":  # not the definition
                yield kind, found.start(), end, "(void)0"
    for found in C_JUMP.finditer(code):
        yield "jump", *found.span(), ";"
    for found in C_IF.finditer(code):
        end = closed(code, found.end())
        yield "condition", found.end(), end, f"(!{text[found.end() : end]})"
    for found in C_BINARY.finditer(code):
        yield KINDS[found[1]], *found.span(1), OTHER[found[1]]
    for found in C_NUMBER.finditer(code):
        hexadecimal = found[1].lower().startswith("0x")
        octal = len(found[1]) > 1 and found[1].startswith("0") and not hexadecimal
        for step in (1, -1):
            value = int(found[1], 8 if octal else 0) + step
            if value >= 0:
                new = hex(value) if hexadecimal else f"0{value:o}" if octal else str(value)
                yield "constant", *found.span(1), new


# ---- Faults in Python ---------------------------------------------------------------------

PYTHON_OPERATORS: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or", ast.Add: "+", ast.Sub: "-", ast.BitAnd: "&", ast.BitOr: "|",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
ANNOTATIONS = ("annotation", "returns")


def python_changes(text: str) -> Iterator[Change]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, byte: int) -> int:
        whole = text[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(whole.encode()[:byte].decode())

    def first(node: Any) -> int:
        return place(node.lineno, node.col_offset)

    def last(node: Any) -> int:
        return place(node.end_lineno, node.end_col_offset)

    def between(left: Any, right: Any, op: ast.AST, more: str = "") -> Iterator[Change]:
        sign = PYTHON_OPERATORS.get(type(op))
        if sign:
            at = text.find(sign + more, last(left), first(right))
            if at >= 0:
                yield KINDS[sign], at, at + len(sign), OTHER[sign]

    def visit(node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.Compare():
                for left, op, right in zip(
                    [node.left, *node.comparators], node.ops, node.comparators, strict=False
                ):
                    yield from between(left, right, op)
            case ast.BoolOp():
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from between(left, right, node.op)
            case ast.BinOp():
                yield from between(node.left, node.right, node.op)
            case ast.AugAssign():
                yield from between(node.target, node.value, node.op, "=")
            case ast.Constant() if type(node.value) is int:
                written = text[first(node) : last(node)]
                for step in (1, -1):
                    if (value := node.value + step) >= 0:
                        new = hex(value) if written.startswith("0x") else str(value)
                        yield "constant", first(node), last(node), new
            case ast.If() | ast.While() | ast.IfExp():
                test = node.test
                yield (
                    "condition",
                    first(test),
                    last(test),
                    f"not ({text[first(test) : last(test)]})",
                )
            case ast.Break() | ast.Continue():
                yield "jump", first(node), last(node), "pass"
            case ast.Raise():
                yield "check", first(node), last(node), "pass"
            case ast.Expr(value=ast.Call(func=called)) if "check" in ast.unparse(called):
                yield "check", first(node), last(node), "pass"
            case _:
                pass
        for name, value in ast.iter_fields(node):
            if name not in ANNOTATIONS and not (
                isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            ):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from visit(child)

    yield from visit(ast.parse(text))


def same_code(a: CodeType, b: CodeType) -> bool:
    """Compares two code objects without their line numbers."""
    if len(a.co_consts) != len(b.co_consts):
        return False
    for one, other in zip(a.co_consts, b.co_consts, strict=True):
        if isinstance(one, CodeType) and isinstance(other, CodeType):
            if not same_code(one, other):
                return False
        elif type(one) is not type(other) or repr(one) != repr(other):
            return False
    names = "co_code co_names co_varnames co_freevars co_cellvars co_flags co_exceptiontable"
    return all(getattr(a, name) == getattr(b, name) for name in names.split())


# ---- The list of mutants ----------------------------------------------------------------------


def mutants_of(root: Path, file: str) -> list[Mutant]:
    text = (root / file).read_text()
    found = sorted(
        set(python_changes(text) if file.endswith(".py") else c_changes(text)),
        key=lambda change: (change[1], change[2], change[3]),
    )
    seen: Counter[tuple[str, str]] = Counter()
    mutants = []
    for operator, start, end, new in found:
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        before = " ".join(text[begin:stop].split())
        after = " ".join((text[begin:start] + new + text[end:stop]).split())
        line = text.count("\n", 0, start) + 1
        which = seen[before, after]
        seen[before, after] += 1
        mutants.append(Mutant(file, operator, line, start, end, new, before, after, which))
    return mutants


def mutated(text: str, mutant: Mutant) -> str:
    return text[: mutant.start] + mutant.new + text[mutant.end :]


def diff_of(root: Path, mutant: Mutant) -> str:
    text = (root / mutant.file).read_text()
    lines = difflib.unified_diff(
        text.splitlines(), mutated(text, mutant).splitlines(), n=1, lineterm=""
    )
    return "\n".join(list(lines)[3:])


class Explained:
    """The mutants that no test can notice, with reasons."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.entries = entries

    def reason(self, mutant: Mutant) -> str | None:
        for entry in self.entries:
            if self._matches(entry, mutant):
                return str(entry["reason"])
        return None

    def stale(self, mutants: list[Mutant]) -> list[dict[str, Any]]:
        """Returns the explanations that match no mutant."""
        return [e for e in self.entries if not any(self._matches(e, m) for m in mutants)]

    def _matches(self, entry: dict[str, Any], mutant: Mutant) -> bool:
        return (
            fnmatch.fnmatch(mutant.file, entry["file"])
            and entry.get("operator", mutant.operator) == mutant.operator
            and entry.get("which", mutant.which) == mutant.which
            and entry["from"] in mutant.before
            and entry.get("to", "") in mutant.after
        )


# ---- Running the tests -------------------------------------------------------------


class Stopped(Exception):
    """Raised after Ctrl-C."""


class Runner:
    """Child processes with limits. `stop` ends all of them. Temporary files that a killed process
    leaves, such as a compiler's, are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for child in self._running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)

    def run(
        self, command: list[str], cwd: Path, seconds: float, env: dict[str, str] | None = None
    ) -> tuple[int | None, str]:
        """Returns the exit status and the output. The status is None if the process took more than
        `seconds` of CPU time, or twenty times that on the clock."""
        limited = f'ulimit -t {int(seconds) + 1}; ulimit -c 0; exec "$@"'
        with self._lock:
            if self._stopped:
                raise Stopped
            child = subprocess.Popen(
                ["sh", "-c", limited, "sh", *command],
                cwd=cwd,
                env={**(os.environ if env is None else env), "TMPDIR": str(self._folder)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(child)
        try:
            printed, _ = child.communicate(timeout=20 * seconds + 20)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return None, ""
        finally:
            with self._lock:
                self._running.discard(child)
        if self._stopped:
            raise Stopped
        if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return None, ""
        return child.returncode, printed.decode(errors="replace")


Verdict = tuple[str, str]  # one of OUTCOMES, and its cause

# The exit status of a test of a backend that this machine cannot run.
SKIPPED = 77

# The names of backends in c/src/backends.def.
BACKEND = re.compile(r'^RIJN_BACKEND\(\w+, \w+, "([\w-]+)"', re.MULTILINE)


class CSuite:
    """The C library of one copy of the tree, and its test programs."""

    def __init__(self, root: Path, config: dict[str, Any], runner: Runner) -> None:
        self.root, self.config, self.runner = root, config, runner
        self.build = root / "mutate-build" / "c"
        self.build.mkdir(parents=True)
        for command in config.get("prepare", []):
            status, printed = runner.run(command, root, 120)
            if status != 0:
                raise SystemExit(f"{shlex.join(command)}: {printed}")
        self.backends: list[str] = []
        if listed := config.get("backends"):
            self.backends = BACKEND.findall((root / listed).read_text())
        self.depends: dict[str, set[str]] = {}
        self.sources = [
            str(path.relative_to(root))
            for pattern in config["sources"]
            for path in sorted(root.glob(pattern))
        ]
        self.tests = [shlex.split(test) for test in config["tests"]]
        self.programs = {test[0] for test in self.tests}
        of_programs = {unit for program in self.programs for unit in self._program_units(program)}
        for unit in [*self.sources, *sorted(of_programs)]:
            if failed := self._compile(unit, self.build):
                raise SystemExit(f"the tree as it is does not build: {failed}")
            made = self._object(unit, self.build).with_suffix(".d").read_text()
            self.depends[unit] = {
                os.path.normpath(word) for word in made.split() if word[-1] != ":"
            }
        self.seconds: dict[str, float] = {}
        self._archive({}, self.build)
        self.usable = [backend for backend in self.backends if self._runs(backend)]

    def _program_units(self, program: str) -> list[str]:
        """Returns what the program has besides the library: its main file first."""
        main = str(self.config["programs"]).format(program=program)
        return [main, *self.config.get("more", {}).get(program, [])]

    def _object(self, unit: str, where: Path) -> Path:
        return where / (unit.replace("/", "-") + ".o")

    def _compile(self, unit: str, where: Path, *more: str) -> str:
        """Compiles. Returns the compiler's errors, if there are any."""
        made = self._object(unit, where)
        flags = [flag.format(backends=" ".join(self.backends)) for flag in self.config["compile"]]
        command = [*flags, *more, "-MMD", "-MF", str(made.with_suffix(".d"))]
        status, printed = self.runner.run([*command, "-c", unit, "-o", str(made)], self.root, 120)
        return "" if status == 0 else printed or "no end"

    def _tests(self, backend: str) -> list[list[str]]:
        return [[word.format(backend=backend) for word in test] for test in self.tests]

    def _archive(self, instead: dict[str, Path], where: Path) -> None:
        archive = where / "library.a"
        objects = [str(instead.get(it, self._object(it, self.build))) for it in self.sources]
        archive.unlink(missing_ok=True)
        status, printed = self.runner.run(["ar", "cr", str(archive), *objects], self.root, 120)
        if status != 0:
            raise SystemExit(f"{archive}: {printed}")

    def _runs(self, backend: str) -> bool:
        """Returns whether this machine can run the backend: its first test does not skip."""
        test = next(it for it in self._tests(backend) if backend in it)
        status, _ = self._run(test, {}, self.build, 300)
        return status != SKIPPED

    def _test(
        self, test: list[str], instead: dict[str, Path], where: Path, seconds: float, *more: str
    ) -> str | None:
        """Returns None if the test passes, else its output, or "" if it did not end."""
        status, printed = self._run(test, instead, where, seconds, *more)
        if status is None:
            return ""
        return None if status in (0, SKIPPED) else printed or f"exit status {status}"

    def _run(
        self, test: list[str], instead: dict[str, Path], where: Path, seconds: float, *more: str
    ) -> tuple[int | None, str]:
        """Links the program with the library in `where`, and runs it. Returns its exit status, None if it
        did not end, and its output."""
        program, *arguments = test
        objects = [
            str(instead.get(unit, self._object(unit, self.build)))
            for unit in self._program_units(program)
        ]
        binary = self.build / program
        library = [str(where / "library.a"), *self.config.get("libraries", [])]
        link = [*self.config["link"], *more, *objects, *library, "-o", str(binary)]
        status, printed = self.runner.run(link, self.root, 120)
        if status != 0:
            return 1, f"does not link: {printed}"
        return self.runner.run([str(binary), *arguments], self.root, seconds)

    def _limit(self, test: list[str]) -> float:
        """Returns the test's seconds without a fault, measured at the first call."""
        name = shlex.join(test)
        if name not in self.seconds:
            started = time.monotonic()
            printed = self._test(test, {}, self.build, 300)
            if printed is not None:
                raise SystemExit(f"without any fault {name} fails: {printed}")
            self.seconds[name] = time.monotonic() - started
        return self.seconds[name]

    def backend_of(self, unit: str) -> str:
        """Returns the backend of a file in a folder of backends or AEGIS kernels."""
        name = Path(unit).stem.replace("_", "-")
        of_one = "backends/" in unit or "aegis/" in unit
        fitting = [b for b in self.backends if of_one and name.startswith(b)]
        return max(fitting, key=len, default="")

    def judge(self, mutant: Mutant) -> Verdict:
        file = self.root / mutant.file
        text = file.read_text()
        file.write_text(mutated(text, mutant))
        try:
            return self._judge(mutant)
        finally:
            file.write_text(text)

    def _judge(self, mutant: Mutant) -> Verdict:
        concerned = [unit for unit, files in self.depends.items() if mutant.file in files]
        own = [b for b in self.backends if any(self.backend_of(u) == b for u in concerned)]
        # Code of several backends is judged by the last one, which compiles in a fifth of the first
        # one's time, then by the first, then by the others. Code of none is judged by two.
        usable = [b for b in own or self.backends if b in self.usable]
        if self.backends and not usable:
            return "unjudged", f"this machine cannot run {', '.join(own)}"
        backends = usable if own else [*usable[:1], *usable[-1:]] or [""]
        verdict = "identical", "the same object code"
        for backend in dict.fromkeys(backends[-1:] + backends):
            where = self.build / "mutant"
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir()
            units = [unit for unit in concerned if self.backend_of(unit) in ("", backend)]
            found = self._judge_on(backend, units, where)
            if found[0] not in ("identical", "survived"):
                return found
            if found[0] == "survived":
                verdict = found
        return verdict

    def _judge_on(self, backend: str, units: list[str], where: Path) -> Verdict:
        instead: dict[str, Path] = {}
        library = [unit for unit in units if unit in self.sources]
        if failed := self._compile_changed(library, where, instead):
            return "unbuilt", failed
        self._archive(instead, where)
        same = not instead
        tests = []
        # Before the tests whose own units have the fault, because those units must be compiled.
        for test in sorted(self._tests(backend), key=lambda it: self._touched(it, units)):
            of_program = [unit for unit in self._program_units(test[0]) if unit in units]
            if failed := self._compile_changed(of_program, where, instead):
                return "unbuilt", failed
            if same and not any(unit in instead for unit in of_program):
                continue
            tests.append(test)
            if verdict := self._noticed(test, instead, where):
                return verdict
        if not instead:
            return "identical", "the same object code"
        return self._sanitized(tests, instead, where) or ("survived", "")

    def _touched(self, test: list[str], units: list[str]) -> bool:
        return any(unit in units for unit in self._program_units(test[0]))

    def _compile_changed(self, units: list[str], where: Path, instead: dict[str, Path]) -> str:
        """Compiles, and notes the objects that differ in `instead`. Returns the unit that does not
        compile, if there is one."""
        for unit in units:
            made = self._object(unit, where)
            if made.exists():
                continue
            if self._compile(unit, where):
                return unit
            if made.read_bytes() != self._object(unit, self.build).read_bytes():
                instead[unit] = made
        return ""

    def _noticed(
        self, test: list[str], instead: dict[str, Path], where: Path, *flags: str
    ) -> Verdict | None:
        name = shlex.join(test)
        # Sanitizers make a test slower.
        seconds = 30 * self._limit(test) + 30 if flags else 10 * self._limit(test) + 5
        printed = self._test(test, instead, where, seconds, *flags)
        if printed is None:
            return None
        return ("killed" if printed else "endless"), f"{name}, with sanitizers" if flags else name

    def _sanitized(
        self, tests: list[list[str]], instead: dict[str, Path], where: Path
    ) -> Verdict | None:
        """Repeats the tests with sanitizers in the mutated file, as the stage sanitize does for all files."""
        flags: list[str] = self.config.get("sanitize", [])
        if not flags:
            return None
        for unit in instead:
            self._compile(unit, where, *flags)
        self._archive(instead, where)
        for test in tests:
            sanitized = test[0] not in self.config["unsanitized"]
            if sanitized and (verdict := self._noticed(test, instead, where, *flags)):
                return verdict
        return None


class PythonSuite:
    """The Python package of one copy of the tree, and its tests."""

    def __init__(self, root: Path, config: dict[str, Any], runner: Runner) -> None:
        self.root, self.config, self.runner = root, config, runner
        self.env = {
            **os.environ,
            "PYTHONPATH": str(root / config["path"]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.pytest = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=line"]
        self.pytest += ["-p", "no:cacheprovider", "-p", "no:xdist", *config.get("options", [])]
        self.seconds: dict[str, float] = {}

    def tests_of(self, file: str) -> list[list[str]]:
        def naming(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [it for it in entries if any(fnmatch.fnmatch(file, p) for p in it["files"])]

        suites = naming(self.config["suites"])[:1]
        if not suites:
            raise SystemExit(f"tools/mutants.toml does not say what tests {file}")
        near = naming(self.config.get("near", []))
        tests = [test for entry in [*near, *suites] for test in entry["tests"]]
        return [shlex.split(test) for test in dict.fromkeys(tests)]

    def _test(self, test: list[str], seconds: float) -> str | None:
        """Returns None if the test passes, else its output, or "" if it did not end."""
        command = [*self.config.get("run", self.pytest), *test]
        status, printed = self.runner.run(command, self.root, seconds, self.env)
        if status is None:
            return ""
        return None if status == 0 else printed or f"exit status {status}"

    def judge(self, mutant: Mutant) -> Verdict:
        file = self.root / mutant.file
        text = file.read_text()
        new = mutated(text, mutant)
        try:
            if same_code(compile(text, "", "exec"), compile(new, "", "exec")):
                return "identical", "the same code objects"
        except SyntaxError:
            return "unbuilt", "not Python"
        return self._noticed(mutant.file, file, text.encode(), new.encode())

    def _noticed(self, mutated: str, loaded: Path, right: bytes, wrong: bytes) -> Verdict:
        """Runs the tests of the file `mutated`, with `wrong` instead of `right` in `loaded`."""
        try:
            for test in self.tests_of(mutated):
                name = shlex.join(test)
                if name not in self.seconds:  # only when they are needed
                    loaded.write_bytes(right)
                    started = time.monotonic()
                    printed = self._test(test, 900)
                    if printed is not None:
                        raise SystemExit(f"without any fault {name} fails: {printed}")
                    self.seconds[name] = time.monotonic() - started
                loaded.write_bytes(wrong)
                printed = self._test(test, 10 * self.seconds[name] + 10)
                if printed is not None:
                    return ("killed" if printed else "endless"), name
        finally:
            loaded.write_bytes(right)
        return "survived", ""


class BuiltSuite(PythonSuite):
    """A C module with its own build commands in one copy of the tree, and its tests."""

    def __init__(self, root: Path, config: dict[str, Any], runner: Runner) -> None:
        super().__init__(root, config, runner)
        self.env |= config.get("env", {})
        self.made = root / config["made"]
        if printed := self._build():
            raise SystemExit(f"the tree as it is does not build: {printed}")
        self.right = self.made.read_bytes()

    def _build(self) -> str:
        """Builds. Returns the output if the build fails."""
        for command in self.config["build"]:
            words = [word.format(python=sys.executable) for word in command]
            status, printed = self.runner.run(words, self.root, 1800, self.env)
            if status != 0:
                return printed or "no end"
        return ""

    def judge(self, mutant: Mutant) -> Verdict:
        file = self.root / mutant.file
        text = file.read_text()
        file.write_text(mutated(text, mutant))
        try:
            failed = self._build()
        finally:
            file.write_text(text)
        wrong = self.made.read_bytes()
        self.made.write_bytes(self.right)
        if failed:
            return "unbuilt", mutant.file
        if wrong == self.right:
            return "identical", "the same module"
        return self._noticed(mutant.file, self.made, self.right, wrong)


# ---- The run ----------------------------------------------------------------------------


def sections(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the name of each suite: "c", "python", and every module of "built"."""
    found = {name: config[name] for name in ("c", "python") if name in config}
    return found | config.get("built", {})


def section_of(root: Path, config: dict[str, Any], file: str) -> str:
    for name, section in sections(config).items():
        if any(root / file in root.glob(pattern) for pattern in section["mutate"]):
            return name
    raise SystemExit(f"{file}: tools/mutants.toml names no such file")


def copy_into(root: Path, patterns: list[str], to: Path) -> None:
    for pattern in patterns:
        found = sorted(root.glob(pattern))
        if not found:
            raise SystemExit(f"{pattern}: no such file. Build it first (see Makefile)")
        for path in found:
            target = to / path.relative_to(root)
            if path.is_dir():
                shutil.copytree(path, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)


def suite_of(
    name: str, root: Path, copy: Path, config: dict[str, Any], runner: Runner
) -> CSuite | PythonSuite:
    section = sections(config)[name]
    if name == "c":
        return CSuite(copy, section, runner)
    if name == "python":
        return PythonSuite(copy, section, runner)
    copy_into(root, section.get("needs", []), copy)
    return BuiltSuite(copy, {"path": config["python"]["path"], **section}, runner)


def copied(root: Path, config: dict[str, Any], to: Path) -> Path:
    copy_into(root, config["copy"], to)
    package = config.get("python", {}).get("extension")
    if package:  # the compiled module of the installed package, and generated files beside it
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise SystemExit(f"{package} is not installed for {sys.executable}")
        beside = (to / config["python"]["path"] / package.replace(".", "/")).parent
        for name in [Path(spec.origin).name, *config["python"].get("beside", [])]:
            shutil.copy2(Path(spec.origin).parent / name, beside)
    return to


def digest_of(root: Path, config: dict[str, Any]) -> str:
    """Returns a digest of everything that a verdict depends on."""
    digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode())
    for name in config["copy"]:
        for path in sorted([root / name, *(root / name).rglob("*")]):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()


class Results:
    """Verdicts. The file is written after each one."""

    def __init__(self, path: Path, tree: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.verdicts: dict[str, Verdict] = {}
        self._tree = tree
        if path.exists():
            kept = json.loads(path.read_text())
            if kept["tree"] == tree:
                self.verdicts = {k: (v[0], v[1]) for k, v in kept["verdicts"].items()}
            else:
                print(f"{path} is about another tree: beginning anew")

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        with self._lock:
            self.verdicts[mutant.id] = verdict
            part = self._path.with_suffix(".part")
            kept = {"tree": self._tree, "verdicts": self.verdicts}
            part.write_text(json.dumps(kept, indent=1) + "\n")
            part.replace(self._path)


class Display:
    """Progress: a bar on a terminal if rich is installed, else a line now and then."""

    def __init__(self, total: int) -> None:
        self.counts: Counter[str] = Counter()
        self._total = total
        self._bar: Any = None
        if sys.stdout.isatty() and importlib.util.find_spec("rich"):
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
            from rich.progress import TimeRemainingColumn as Remaining

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._bar = Progress(*columns, Remaining())
            self._task = self._bar.add_task("", total=total)
            self._bar.start()

    def done(self, outcome: str) -> None:
        self.counts[outcome] += 1
        text = " ".join(f"{name} {self.counts[name]}" for name in OUTCOMES if self.counts[name])
        if self._bar:
            self._bar.update(self._task, advance=1, description=text)
        elif self.counts.total() % 25 == 0:
            print(f"{self.counts.total()} of {self._total}: {text}", flush=True)

    def say(self, text: str) -> None:
        if self._bar:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, flush=True)

    def close(self) -> None:
        if self._bar:
            self._bar.stop()


def judge_mutants(
    root: Path,
    config: dict[str, Any],
    waiting: queue.SimpleQueue[Mutant],
    finished: queue.SimpleQueue[tuple[Mutant, Verdict] | BaseException | None],
    folder: Path,
    runner: Runner,
) -> None:
    """Judges mutants in one copy of the tree until none is left."""
    try:
        copy = copied(root, config, folder)
        suites: dict[str, CSuite | PythonSuite] = {}
        with contextlib.suppress(queue.Empty):
            while True:
                mutant = waiting.get_nowait()
                name = section_of(root, config, mutant.file)
                if name not in suites:
                    suites[name] = suite_of(name, root, copy, config, runner)
                finished.put((mutant, suites[name].judge(mutant)))
    except Stopped:
        pass
    except BaseException as error:  # noqa: BLE001 - raised where it is seen
        finished.put(error)
    finally:
        finished.put(None)


def chosen(root: Path, config: dict[str, Any], given: list[str]) -> list[str]:
    """Returns the files to mutate, from the list in mutants.toml."""
    files = sorted(
        {
            str(path.relative_to(root))
            for section in sections(config).values()
            for pattern in section["mutate"]
            for path in root.glob(pattern)
        }
    )
    if not given:
        return files
    names = [os.path.normpath(name) for name in given]
    for name in names:
        if not any(file == name or file.startswith(name + "/") for file in files):
            raise SystemExit(f"{name}: tools/mutants.toml names no such file")
    return [f for f in files if any(f == name or f.startswith(name + "/") for name in names)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="*", help="files or folders of the tree (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of them (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: 1)")
    parser.add_argument("--operator", action="append", help="only of this kind (may come again)")
    parser.add_argument("--jobs", type=int, default=1, help="at once, each in a copy of its own")
    parser.add_argument("--out", type=Path, help="where verdicts are kept (default: build/…json)")
    parser.add_argument("--list", action="store_true", help="name the mutants, and do nothing")
    parser.add_argument(
        "--tree", type=Path, default=Path(__file__).parents[1], help=argparse.SUPPRESS
    )
    options = parser.parse_args()

    root = options.tree.resolve()
    config = tomllib.loads((root / "tools" / "mutants.toml").read_text())
    explained = Explained(config.pop("explained", []))
    everything = {file: mutants_of(root, file) for file in chosen(root, config, [])}
    for entry in explained.stale([m for found in everything.values() for m in found]):
        print(
            f"tools/mutants.toml explains mutants that do not exist: {entry['file']}: {entry['from']}"
        )
    mutants = [m for file in chosen(root, config, options.file) for m in everything[file]]
    if options.operator:
        mutants = [m for m in mutants if m.operator in options.operator]
    total = len(mutants)
    if options.sample is not None:
        mutants = sorted(mutants, key=lambda m: -m.chance(options.seed))[: options.sample]
    mutants.sort(key=lambda m: (m.file, m.start))
    if options.list:
        for mutant in mutants:
            print(
                f"{mutant.file}:{mutant.line}: {mutant.operator}: {mutant.before} -> {mutant.after}"
            )
        return 0

    out = options.out or root / "build" / "mutants.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    results = Results(out, digest_of(root, config))
    display = Display(len(mutants))

    def report(mutant: Mutant, verdict: Verdict) -> None:
        outcome = verdict[0]
        if outcome == "survived" and explained.reason(mutant):
            outcome = "explained"
        if outcome == "survived":
            display.say(f"{mutant.file}:{mutant.line}: survived\n{diff_of(root, mutant)}\n")
        display.done(outcome)

    waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for mutant in mutants:
        if mutant.id in results.verdicts:
            report(mutant, results.verdicts[mutant.id])
        else:
            waiting.put(mutant)
    interrupted = False
    # Ctrl-C takes effect between verdicts, so that nothing is left behind.
    signal.signal(signal.SIGINT, lambda *_: finished.put(KeyboardInterrupt()))
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        runner = Runner(Path(folder))
        workers = [
            threading.Thread(
                target=judge_mutants,
                args=(root, config, waiting, finished, Path(folder) / str(i), runner),
            )
            for i in range(max(1, options.jobs))
        ]
        try:
            for worker in workers:
                worker.start()
            left = len(workers)
            while left:
                event = finished.get()
                if event is None:
                    left -= 1
                elif isinstance(event, KeyboardInterrupt):
                    interrupted = True
                    break
                elif isinstance(event, BaseException):
                    raise event
                else:
                    results.add(*event)
                    report(*event)
        finally:
            runner.stop()
            for worker in workers:
                worker.join()
            display.close()

    counts = display.counts
    judged = counts.total() - sum(counts[it] for it in ("identical", "unbuilt", "unjudged"))
    noticed = sum(counts[outcome] for outcome in NOTICED)
    print(f"{counts.total()} of {total} mutants, seed {options.seed}: ", end="")
    print(", ".join(f"{name} {counts[name]}" for name in OUTCOMES))
    print(f"of {judged} that are faults {noticed} were noticed; verdicts in {out}")
    if interrupted:
        print("interrupted: the same call goes on from here")
        return 130
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
