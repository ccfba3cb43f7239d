#!/usr/bin/env python3
"""Proves rows of rows.toml with CBMC, or shows that a planted fault makes a proof fail.

    prove.py NAME ...            prove these rows; no NAME: all but the open ones
    prove.py --fault NAME ...    change one line of a copy of the source, and expect the proof to fail
    prove.py --coverage          list the functions of rijn.h that no row names

Needs CBMC of Debian 13 (make build/cbmc) in build/cbmc or in the folder RIJN_CBMC.
"""

import argparse
import dataclasses
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
C = HERE.parent.parent
ROOT = pathlib.Path(os.environ.get("RIJN_CBMC", C.parent / "build" / "cbmc"))
VERSION = "6.6.0"  # of Debian 13. Others check less by default: CBMC 5 does no check that is not asked for
MEMORY = 4 << 30  # bytes
SECONDS = 900  # CPU seconds after which a proof counts as failed

CHECKS = [
    "--no-malloc-may-fail",
    "--pointer-overflow-check",
]


# Buffers that are objects of their own; then buffers that may overlap (contract.h).
OPTIONS: list[list[str]] = [[], ["-DOVERLAPS"]]


Row = dict[str, Any]

# Functions of check.h that have contracts in all rows but their own (`real`).
SHARED = ["rijn_disjoint", "disjoint", "rijn_tags_equal", "rijn_check_words", "rijn_store_words"]


class ProofError(Exception):
    """A proof, or a planted fault, did not have the expected result."""


@dataclasses.dataclass
class Outcome:
    """The result of CBMC: the description of each property, and whether it holds."""

    held: list[str]
    failed: list[str]
    seconds: float


def rows(kind: str = "proof") -> dict[str, Row]:
    """Return the rows of rows.toml by their ids: those that are proved, or the open ones."""
    with open(HERE / "rows.toml", "rb") as file:
        return {row["id"]: row for row in tomllib.load(file).get(kind, [])}


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def _tool(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program of the root by the root's loader, with the root's libraries."""
    libraries = [ROOT / "usr" / "lib" / "x86_64-linux-gnu", ROOT / "usr" / "lib"]
    loader = ROOT / "usr" / "lib64" / "ld-linux-x86-64.so.2"
    program = ROOT / "usr" / "bin" / name
    if not program.exists():
        raise ProofError(f"{program}: not found. Make it with: make build/cbmc")
    return subprocess.run(
        [loader, "--library-path", ":".join(map(str, libraries)), program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=_limit,
        check=False,
    )


def _require(step: subprocess.CompletedProcess[str]) -> None:
    if step.returncode:
        raise ProofError(step.stdout[-4000:])


@functools.cache
def require_version() -> None:
    """Refuse another CBMC: the proofs rely on the checks that this one does by default."""
    found = _tool("cbmc", "--version").stdout.strip()
    if found.split(" ")[0] != VERSION:
        raise ProofError(f"CBMC {VERSION} is needed, not {found!r}. Make it with: make build/cbmc")


def plant(source: pathlib.Path, fault: Row) -> None:
    """Replace one line of a copy of c/src."""
    path = source / fault["file"]
    text = path.read_text()
    if text.count(fault["from"]) != 1:
        raise ProofError(f"{fault['file']} does not have {fault['from']!r} exactly once")
    path.write_text(text.replace(fault["from"], fault["to"]))


def build(row: Row, source: pathlib.Path, folder: pathlib.Path, options: list[str]) -> pathlib.Path:
    """Compile a harness, the contracts and the files of c/src that the row names."""
    require_version()
    units = []
    for number, name in enumerate(row["files"]):
        if not name.endswith(".c") or name in row.get("included", []):
            continue
        unit = folder / f"unit{number}.c"
        stubs = "" if row.get("real") else '#include "stubs.h"\n'
        unit.write_text(f'{stubs}#include "{name}"\n')
        units.append(unit)
    units.append(HERE / row["harness"])
    if not row.get("real"):
        units += [HERE / "memory.c", HERE / "contract.c"]
    options = [f"-I{source}", f"-I{C / 'include'}", f"-I{HERE}", *row.get("options", []), *options]
    used = {
        table
        for name in row["files"]
        for table in re.findall(r"\brijn_(\w+)_of\(", (source / name).read_text())
    }
    options += [f"-DWITH_{table}" for table in sorted(used)]
    program = folder / "program.goto"
    _require(_tool("goto-cc", *options, "--function", f"prove_{row['id']}", *units, "-o", program))
    symbols = _tool("goto-instrument", "--list-symbols", program)
    _require(symbols)
    replaced = row.get("replaced", []) + (SHARED if not row.get("real") else [])
    contracts = []
    for pair in replaced:
        name, _, other = pair.partition("=")
        for symbol in re.findall(rf"^({name}(?:\$link\d+)?) ", symbols.stdout, re.MULTILINE):
            contracts += ["--replace-calls", f"{symbol}:contract_{other or name}"]
    _require(_tool("goto-instrument", *contracts, "--drop-unused-functions", program, program))
    return program


def _cbmc(program: pathlib.Path, row: Row, *options: object) -> str:
    """Run CBMC. Return what it printed, after a check that no function is missing."""
    bounds = ["--unwind", row.get("unwind", 17), "--object-bits", row.get("object_bits", 10)]
    done = _tool("cbmc", program, *CHECKS, *bounds, *options)
    missing = re.findall(r"no body for (?:function|callee) '?([\w$]+)", done.stdout)
    if unknown := {name for name in missing if not name.startswith("nondet_")}:
        raise ProofError(f"{row['id']}: no body for {', '.join(sorted(unknown))}")
    return done.stdout


def run(program: pathlib.Path, row: Row, *options: object) -> Outcome:
    """Check properties of a program: all, or those that the options name."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = _cbmc(program, row, *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    line = r"^\[.*?\] (?:file .*? )?(?:line \d+ )?(.*): ([A-Z]+)$"
    found = re.findall(line, printed, re.MULTILINE)
    if not found or not re.search(r"^VERIFICATION (SUCCESSFUL|FAILED)$", printed, re.MULTILINE):
        raise ProofError(f"{row['id']}: CBMC did not finish\n{printed[-4000:]}")
    if other := {result for _, result in found} - {"SUCCESS", "FAILURE"}:
        raise ProofError(f"{row['id']}: CBMC decided nothing: {', '.join(sorted(other))}")
    held = [text for text, result in found if result == "SUCCESS"]
    failed = [text for text, result in found if result == "FAILURE"]
    return Outcome(held, failed, seconds)


def _properties(program: pathlib.Path, row: Row, text: str) -> list[str]:
    """Return options that name the properties with this text in their description.

    A loop without an end fails its unwinding assertion, whatever the row claims. So this counts for nothing.
    """
    if not text:
        raise ProofError(f"{row['id']}: the fault does not name the property that fails")
    shown = _cbmc(program, row, "--show-properties")
    named = re.findall(r"^Property (\S+):\n.*\n  (.*)$", shown, re.MULTILINE)
    options: list[str] = []
    for name, description in named:
        if text in description and "unwinding assertion" not in description:
            options += ["--property", name]
    if not options:
        raise ProofError(f"{row['id']}: no property has the text {text!r}")
    return options


def prove(row: Row) -> float:
    """Prove a row. Return the CPU seconds of CBMC."""
    seconds = 0.0
    for options in OPTIONS if row.get("overlaps") else OPTIONS[:1]:
        with tempfile.TemporaryDirectory() as folder:
            program = build(row, C / "src", pathlib.Path(folder), options)
            outcome = run(program, row)
        broken = [text for text in outcome.failed if not text.startswith("reached: ")]
        idle = [text for text in outcome.held if text.startswith("reached: ")]
        if broken:
            raise ProofError(f"{row['id']}: not true: {'; '.join(broken)}")
        if idle:
            raise ProofError(f"{row['id']}: never happens, so proves nothing: {'; '.join(idle)}")
        if not outcome.failed:
            raise ProofError(f"{row['id']}: the harness has no REACHED")
        seconds += outcome.seconds
    return seconds


def catch(row: Row) -> float:
    """Plant each fault of a row, and require that the proof fails as the row says."""
    return sum(_catch(row, fault) for fault in row["faults"])


def _catch(row: Row, fault: Row) -> float:
    options = OPTIONS[1 if fault.get("overlaps") else 0]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        source = scratch / "src"
        shutil.copytree(C / "src", source)
        plant(source, fault)
        program = build(row, source, scratch, [*options, "-DFAULTY"])
        outcome = run(program, row, *_properties(program, row, fault["fails"]))
    if not outcome.failed:
        raise ProofError(f"{row['id']}: the planted fault {fault['to']!r} was not caught")
    return outcome.seconds


def public_functions() -> set[str]:
    """Return the names of the functions that rijn.h declares."""
    header = (C / "include" / "rijn.h").read_text()
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    return set(re.findall(r"^RIJN_API(?:_VOID)?\b[^;(]*?\b(rijn_\w+)\(", code, re.MULTILINE))


def covered_functions(kind: str = "proof") -> set[str]:
    """Return the functions that the rows name. Each must be called by its harness."""
    covered = set()
    for row in rows(kind).values():
        text = (HERE / row["harness"]).read_text()
        text = re.sub(r"PROVE_AEAD\((\w+),", r"rijn_\1_seal( rijn_\1_open(", text)
        for name in row["functions"]:
            if not re.search(rf"\b{name}\(", text):
                raise ProofError(f"{row['id']}: {row['harness']} does not call {name}")
            covered.add(name)
    return covered


def report_coverage() -> int:
    """Print each function of rijn.h without a proof and why, and fail if a reason is missing."""
    with open(HERE / "rows.toml", "rb") as file:
        reasons = tomllib.load(file).get("unproved", {})
    covered, public = covered_functions(), public_functions()
    reasons |= dict.fromkeys(covered_functions("open") - covered, "an open row")
    print(f"{len(covered & public)} of {len(public)} functions have a proof")
    for name in sorted(public - covered):
        print(f"{name}: {reasons.get(name, 'NO REASON IN rows.toml')}")
    wrong = sorted((public - covered) ^ set(reasons)) + sorted(covered - public)
    if wrong:
        print(f"rows.toml is wrong about: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--fault", action="store_true", help="plant the faults of each row")
    parser.add_argument(
        "--coverage", action="store_true", help="list the functions without a proof"
    )
    options = parser.parse_args(arguments)
    table = rows() | rows("open")
    if unknown := set(options.names) - set(table):
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    if options.coverage:
        return report_coverage()
    failures = 0
    for name in options.names or rows():
        try:
            seconds = (catch if options.fault else prove)(table[name])
            print(
                f"{name}: {'caught' if options.fault else 'proved'} in {seconds:.1f} s", flush=True
            )
        except ProofError as error:
            failures += 1
            print(f"{error}", file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
