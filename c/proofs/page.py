"""Writes the tables of README.md from the ledger: `run.py --page`."""

from __future__ import annotations

import re
import tomllib

from run import CBMC_ROWS, HERE, LEDGER, Row, builds, read_rows

PAGE = HERE / "README.md"
TABLE = re.compile(r"(<!-- ledger: (\w+) -->\n).*?(<!-- end of ledger -->)", re.DOTALL)


def seconds(rows: list[Row]) -> str:
    return f"{sum(row.seconds for row in rows):.0f}"


def code_table() -> str:
    """The proofs of machine code, and the comparison of instructions: a line for each claim."""
    lines = ["| claim | code (bound; modes: AES-128) | CPU s |", "| --- | --- | ---: |"]
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in read_rows():
        if row.tool != "cbmc":
            groups.setdefault(row.claim, {}).setdefault(row.bound, []).append(row)
    for claim, bounds in groups.items():
        subjects = []
        for bound, rows in bounds.items():
            names = [
                f"`{name.replace('_', '-')}`" + ("\\*" if "clang" in row.builds else "")
                for row in rows
                for name in row.arguments.get("backend", [])
            ]
            subjects.append(", ".join(names) + f" ({bound})" if names else bound)
        rows = [row for each in bounds.values() for row in each]
        lines.append(f"| {claim} | {'; '.join(subjects)} | {seconds(rows)} |")
    return "\n".join(lines) + "\n"


def cbmc_sum() -> str:
    """The number of functions that CBMC proves safe."""
    with CBMC_ROWS.open("rb") as file:
        rows = tomllib.load(file)["proof"]
    functions = {name for row in rows for name in row["functions"]}
    spent = sum(row["seconds"] for row in rows)
    return (
        f"Rows: {len(rows)}. Functions of `rijn.h`: {len(functions)}. CPU seconds: {spent:.0f}.\n"
    )


def trust_list() -> str:
    with LEDGER.open("rb") as file:
        trust = tomllib.load(file)["trust"]
    return "\n".join(f"- {it}" for it in trust.values()) + "\n"


def builds_list() -> str:
    used = {name for row in read_rows() for name in row.builds}
    return "\n".join(f"- `{' '.join(it)}`" for name, it in builds().items() if name in used) + "\n"


MAKE = {"codes": code_table, "calls": cbmc_sum, "trust": trust_list, "build": builds_list}


def written(text: str) -> str:
    """Returns the page with its tables as the ledger is now."""
    return TABLE.sub(lambda found: found[1] + MAKE[found[2]]() + found[3], text)


def write() -> None:
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
