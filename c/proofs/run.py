"""Runs the proofs of ledger.toml, and plants the fault of each, which its proof must catch.

    run.py                    all rows, and all their faults
    run.py ID ...             these rows
    run.py --sample           one case of each row and of its faults, without slow rows
    run.py --faults           only the faults
    run.py --proofs           only the proofs
    run.py --record           also write the CPU seconds of proofs into the ledger
    run.py --page             write the tables of README.md from ledger.toml, and run nothing

It prints a line for each proof and each fault, and exits with status 1 after any surprise. The rows of
cbmc/rows.toml belong to the ledger, too. They need CBMC (cbmc/root.sh).
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
C = HERE.parent
LEDGER, CBMC_ROWS = HERE / "ledger.toml", HERE / "cbmc" / "rows.toml"
BUILD = Path(os.environ.get("RIJN_PROOFS", C.parent / "build" / "proofs"))
MEMORY = 4 << 30  # bytes for one proof
SLOW = 30  # CPU seconds for a case: --sample leaves out the rows above


class Surprise(Exception):
    """A proof or a planted fault did not have the expected result."""


@dataclass(frozen=True)
class Row:
    """One claim of the ledger."""

    id: str
    claim: str
    tool: str  # machine, compare or cbmc
    files: tuple[str, ...]
    bound: str
    seconds: float
    trust: tuple[str, ...]
    proof: str = ""  # of machine: the module of machine/
    builds: tuple[str, ...] = ()
    arguments: dict[str, list[Any]] = field(default_factory=dict)  # the cases are all combinations
    faults: tuple[Any, ...] = ()

    def slow(self) -> bool:
        """The comparison of instructions has a sample of its own."""
        return self.tool != "compare" and self.seconds / max(1, len(list(self.cases()))) > SLOW

    def cases(self) -> Iterator[dict[str, Any]]:
        for build in self.builds:
            for values in itertools.product(*self.arguments.values()):
                yield {"build": build, **dict(zip(self.arguments, values, strict=True))}


def read_rows() -> list[Row]:
    with LEDGER.open("rb") as file:
        ledger = tomllib.load(file)
    rows = []
    for it in ledger["proof"]:
        given: dict[str, Any] = it.pop("arguments", {})
        it["arguments"] = {
            name: value if isinstance(value, list) else [value] for name, value in given.items()
        }
        for name in ("files", "trust", "builds", "faults"):
            it[name] = tuple(it.get(name, ()))
        rows.append(Row(**it))
    if CBMC_ROWS.exists():
        with CBMC_ROWS.open("rb") as file:
            for it in tomllib.load(file)["proof"]:
                rows.append(
                    Row(
                        id=it["id"],
                        claim=it["claim"],
                        tool="cbmc",
                        files=tuple(f"c/src/{name}" for name in it["files"]),
                        bound=it["bound"],
                        seconds=it["seconds"],
                        trust=("cbmc", "contracts"),
                        faults=("all",) if it["faults"] else (),
                    )
                )
    names = [row.id for row in rows]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SystemExit(f"two rows are named {', '.join(sorted(twice))}")
    return rows


def builds() -> dict[str, list[str]]:
    with LEDGER.open("rb") as file:
        return dict(tomllib.load(file)["build"])


# ---- Running ------------------------------------------------------------------------------------------


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command: object, given: str | None = None) -> tuple[int, str, str, float]:
    """Runs a program within the limit of memory. Returns its status, both outputs and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [str(it) for it in command],
        check=False,
        input=given,
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, done.stderr, seconds


@functools.cache
def library(name: str) -> Path:
    """Compiles librijn as a row's build says, and returns the shared library."""
    compiler, *flags = builds()[name]
    folder = BUILD / name
    cmake = shutil.which("cmake") or Path(sys.executable).with_name("cmake")
    off = [f"-DRIJN_BUILD_{it}=OFF" for it in ("TESTS", "EXAMPLES", "CT")]
    werror = f"-DRIJN_WERROR={os.environ.get('WERROR', 'OFF')}"  # of CI, whose objects it shares
    # Not the flags of the environment: the ledger names all options.
    options = [*off, werror, "-DCMAKE_C_FLAGS=", f"-DCMAKE_C_COMPILER={compiler}", *flags]
    for step in (
        [cmake, "-S", C, "-B", folder, *options],
        [cmake, "--build", folder, "--target", "rijn", f"-j{os.cpu_count()}"],
    ):
        done = subprocess.run([str(it) for it in step], check=False, capture_output=True, text=True)
        if done.returncode:
            raise Surprise(f"librijn with {compiler}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return folder / "librijn.so"


def machine(row: Row, case: dict[str, Any], fault: str) -> dict[str, Any]:
    """Runs one case of a proof of machine code."""
    arguments = {**case, "library": str(library(case["build"]))}
    del arguments["build"]
    given = json.dumps({"proof": row.proof, "arguments": arguments, "fault": fault})
    status, out, err, _ = run(sys.executable, HERE / "case.py", given=given)
    if status:
        raise Surprise(f"status {status}: {(err or out).strip()[-1500:]}")
    result: dict[str, Any] = json.loads(out)
    return result


def words_of(case: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in case.items())


def prove_machine(row: Row, sample: bool) -> tuple[float, str]:
    cases, seconds, bits, codes = list(row.cases()), 0.0, 0, set[str]()
    for case in cases[:1] if sample else cases:
        result = machine(row, case, "")
        if result["refused"]:
            raise Surprise(f"{words_of(case)}: {result['refused']}")
        if not result["bits"]:
            raise Surprise(f"{words_of(case)}: compared no bit")
        seconds += result["seconds"]
        bits += result["bits"]
        codes |= set(result["codes"])
    folder = BUILD / "codes"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / row.id).write_text("\n".join(sorted(codes)) + "\n")
    return seconds, f"{1 if sample else len(cases)} of {len(cases)} cases, {bits:,} bits"


def catch_machine(row: Row, fault: str | dict[str, str]) -> tuple[float, str]:
    """Requires a difference from the standard, unless the ledger names another refusal."""
    plant, kind = (fault, "Difference") if isinstance(fault, str) else (fault["plant"], fault["by"])
    result = machine(row, next(row.cases()), plant)
    if not result["refused"]:
        raise Surprise(f"the fault {plant!r} is not caught")
    if result["kind"] != kind:
        caught = f"{result['kind']}: {result['refused']}"
        raise Surprise(f"the fault {plant!r} is not caught by {kind}, but by {caught}")
    return result["seconds"], f"{plant}: {kind}: {result['refused']}"


def compare(folder: Path, sample: bool) -> tuple[int, str, str, float]:
    codes = sorted((BUILD / "codes").glob("*"))
    missing = {row.id for row in read_rows() if row.tool == "machine"} - {it.name for it in codes}
    if not codes or (missing and not sample):
        raise Surprise(f"no codes of instructions: run first {' '.join(sorted(missing))}")
    efforts = ("--states", 2000, "--exact", 40) if sample else ()
    return run(sys.executable, folder / "compare.py", *codes, *efforts)


def prove_compare(row: Row, sample: bool) -> tuple[float, str]:
    status, out, err, seconds = compare(HERE, sample)
    if status:
        raise Surprise(err.strip()[-1500:])
    first, *others = out.splitlines()
    return seconds, "\n    ".join([first, *others])


def catch_compare(row: Row, fault: dict[str, str]) -> tuple[float, str]:
    """Changes a copy of the semantics."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "proofs"
        shutil.copytree(HERE, copy)
        path = copy / fault["file"]
        text = path.read_text("utf-8")
        if text.count(fault["from"]) != 1:
            raise Surprise(f"{fault['file']} does not have {fault['from']!r} exactly once")
        path.write_text(text.replace(fault["from"], fault["to"]), "utf-8")
        status, _, err, seconds = compare(copy, True)
    last = err.strip().splitlines()[-1] if err.strip() else ""
    if not status or "Difference" not in last:
        raise Surprise(f"the fault in {fault['file']} is not caught: {last}")
    return seconds, f"{fault['from']} -> {fault['to']}: {last}"


def cbmc(row: Row, *options: str) -> tuple[float, str]:
    status, out, err, seconds = run(sys.executable, HERE / "cbmc" / "prove.py", *options, row.id)
    if status:
        raise Surprise((err or out).strip()[-1500:])
    return seconds, ""


PROVE: dict[str, Callable[[Row, bool], tuple[float, str]]] = {
    "machine": prove_machine,
    "compare": prove_compare,
    "cbmc": lambda row, sample: cbmc(row),
}
CATCH: dict[str, Callable[[Row, Any], tuple[float, str]]] = {
    "machine": catch_machine,
    "compare": catch_compare,
    "cbmc": lambda row, fault: cbmc(row, "--fault"),
}


def attempt(what: str, row: Row, judge: Callable[[], tuple[float, str]]) -> float | None:
    """Prints the line of a proof or of a fault. Returns its CPU seconds, or None after a surprise."""
    try:
        seconds, text = judge()
    except Surprise as surprise:
        print(f"FAILED {row.id}: {surprise}", flush=True)
        return None
    print(f"{what:8} {row.id:32} {seconds:7.1f} s  {text}".rstrip(), flush=True)
    return seconds


def run_row(row: Row, options: argparse.Namespace) -> tuple[float, int]:
    """Returns the CPU seconds of the proof, and the number of surprises."""
    surprises, seconds = 0, None
    if not options.faults:
        seconds = attempt("proved", row, lambda: PROVE[row.tool](row, options.sample))
        surprises += seconds is None
    if options.record and seconds:
        record(row.id, seconds)
    if not options.proofs:
        if not row.faults:
            print(f"FAILED {row.id}: it has no fault to plant", flush=True)
            surprises += 1
        for fault in row.faults[:1] if options.sample else row.faults:
            judge = lambda fault=fault: CATCH[row.tool](row, fault)
            surprises += attempt("caught", row, judge) is None
    return seconds or 0, surprises


def record(name: str, seconds: float) -> None:
    """Writes the CPU seconds of a row into the ledger."""
    row = re.compile(rf'(id = "{name}"\n(?:(?!\[\[).*\n)*?seconds = )[\d.]+')
    for path in (LEDGER, CBMC_ROWS):
        text = path.read_text("utf-8")
        path.write_text(row.sub(rf"\g<1>{seconds:.1f}", text), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="rows of the ledger; default: all")
    parser.add_argument("--sample", action="store_true", help="the first case of each row")
    parser.add_argument("--faults", action="store_true", help="only plant faults")
    parser.add_argument("--proofs", action="store_true", help="plant no faults")
    parser.add_argument("--record", action="store_true", help="write the seconds to the ledger")
    parser.add_argument("--page", action="store_true", help="write the tables of README.md")
    options = parser.parse_args()
    if options.record and options.sample:
        parser.error("--record needs all cases")
    rows = read_rows()
    if options.page:
        import page

        page.write()
        return 0
    if unknown := {*options.ids} - {row.id for row in rows}:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    chosen = [row for row in rows if row.id in options.ids or not options.ids]
    left = [row for row in chosen if options.sample and row.slow()]
    # The comparison of instructions needs the codes that the other rows ran.
    chosen = sorted(
        (row for row in chosen if row not in left), key=lambda row: row.tool == "compare"
    )
    if not options.ids and not options.faults:
        shutil.rmtree(BUILD / "codes", ignore_errors=True)  # of an earlier run
    spent, surprises = 0.0, 0
    for row in chosen:
        seconds, wrong = run_row(row, options)
        spent, surprises = spent + seconds, surprises + wrong
    for row in left:
        print(f"left out {row.id}: slow")
    print(f"{len(chosen)} rows, {surprises} surprises, {spent:.0f} s of proofs")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
