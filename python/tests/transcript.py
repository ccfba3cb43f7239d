"""Transcripts: commands that a user types into sh, and all their output.

    # a comment
    $ command          run in the folder that all commands share; stdout and stderr together
    expected output    `...` matches anything within its line; empty lines do not count
    ! 3                the exit code, unless 0

cli/test_transcripts.py and wheel/index.py run them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Step:
    line: int
    command: str
    output: list[str] = field(default_factory=list)
    code: int = 0


def parse(text: str) -> list[Step]:
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:]))
        elif line.startswith("! "):
            steps[-1].code = int(line[2:])
        elif line and not line.startswith("#"):
            steps[-1].output.append(line)
    return steps


def matches(expected: list[str], found: list[str]) -> bool:
    return len(expected) == len(found) and all(
        re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), line)
        for wanted, line in zip(expected, found, strict=True)
    )


def difference(name: str, text: str, run: Callable[[str], tuple[str, int]]) -> str | None:
    """Runs a transcript's commands by `run`, which returns a command's output and exit code.

    Returns what differs in the first command that does not do what the transcript says, or None.
    """
    steps = parse(text)
    assert steps, name
    for step in steps:
        shown, code = run(step.command)
        found = [line for line in shown.splitlines() if line]
        if not matches(step.output, found) or code != step.code:
            return (
                f"{name}:{step.line}: {step.command}\n"
                f"expected exit code {step.code} and\n" + "\n".join(step.output) + "\n"
                f"found exit code {code} and\n{shown}"
            )
    return None
