"""Runs the C harness (bench/README.md), which measures the same tasks without Python."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rijn._install import pip_install

from .results import Contender, Row, Task

SCHEMA = 2
BAD_OPTION = 2  # its exit status
ABSENT = f"no C harness ({pip_install(package='rijn-bench')})"


class HarnessFailed(Exception):
    """The harness ended with an error. The message is its own."""


class NotOffered(HarnessFailed):
    """The harness does not know an option's value, for example an algorithm."""


def find() -> Path | None:
    """Returns the harness that is installed with the package, or a build of the checkout, or None."""
    name = "harness.exe" if os.name == "nt" else "harness"
    here = Path(__file__).resolve()
    places = [here.parent / name, here.parents[2] / "build" / "bench" / name]
    return next((place for place in places if place.is_file()), None)


@dataclass(frozen=True)
class Harness:
    """A harness, and its description of the machine and its contenders."""

    path: Path
    machine: dict[str, Any]

    @classmethod
    def ask(cls, path: Path) -> Harness:
        """Runs a harness for its description. Raises HarnessFailed."""
        options = [
            "--algorithm",
            "aes-128-ecb",
            "--size",
            "16",
            "--rounds",
            "1",
            "--millis",
            "0.01",
        ]
        record = next(_lines(path, options), None)
        if record is None or record.get("kind") != "machine" or record.get("schema") != SCHEMA:
            raise HarnessFailed(f"{path}: not a harness of this version")
        return cls(path, record)

    def contenders(self) -> list[Contender]:
        return [
            Contender(
                name=found["name"],
                through="c",
                state=found["state"],
                version=found["version"],
                reason=found["reason"],
                constant_time=found["constant_time"],
            )
            for found in self.machine["contenders"]
        ]

    def measure(
        self,
        tasks: Sequence[Task],
        contenders: Sequence[str],
        rounds: int,
        millis: float,
        instructions: bool = False,
    ) -> Iterator[tuple[bool, Row]]:
        """Yields the rows of tasks that differ only in size, as they arrive; with True for ceilings.

        With `instructions`, which takes some time, rows also name a backend with the same AES
        instructions. Raises HarnessFailed.
        """
        first = tasks[0]
        options = [
            *("--algorithm", first.algorithm, "--operation", first.operation),
            *(["--size", ",".join(str(task.size) for task in tasks)] if first.size else []),
            *("--key", first.key, "--buffer", first.buffer, "--threads", str(first.threads)),
            *("--contender", ",".join(contenders)),
            *("--rounds", str(rounds), "--millis", str(millis)),
            *(["--instructions"] if instructions else []),
        ]
        fields = (*Task._fields, "messages", "ns", "cycles", "instructions")
        for record in _lines(self.path, options):
            if record["kind"] in ("row", "ceiling"):
                found = {name: record[name] for name in fields if name in record}
                name = record["contender" if record["kind"] == "row" else "ceiling"]
                yield record["kind"] == "ceiling", Row(**found, through="c", contender=name)


def _lines(path: Path, options: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields the harness's JSON objects as they arrive. Kills it if the caller stops early."""
    with subprocess.Popen(
        [path, "--json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            for line in process.stdout:
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    break  # the harness died in the middle of a line
            problem = process.stderr.read().strip()
            status = process.wait()
        finally:
            process.kill()
    if status:
        kind = NotOffered if status == BAD_OPTION else HarnessFailed
        raise kind(problem or f"{path.name} ended with status {status}")
