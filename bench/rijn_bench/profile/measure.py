"""Profiles one subject, or two side by side, with all tools."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..machine import describe
from . import tools
from .tools import Unavailable

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence

    from .loop import Loop
    from .stacks import Stack
    from .subject import Subject
    from .tools import Counters, Function, Instructions

ROUNDS = 9
SECONDS = 4.0

CPROFILE_SECONDS = 0.5


@dataclass(frozen=True)
class Profile:
    """The profile of a subject. Figures are for one message."""

    subject: Subject
    times: list[float]  # seconds of CPU, one for each round, without any tool
    functions: list[Function] | Unavailable
    stacks: Counter[Stack] | Unavailable
    counters: Counters | Unavailable
    instructions: Instructions | Unavailable

    @property
    def time(self) -> float:
        """The median of the rounds, in seconds."""
        return statistics.median(self.times)

    @property
    def notes(self) -> list[str]:
        """The reasons for missing figures."""
        found = (self.functions, self.stacks, self.counters, self.instructions)
        notes = [result.reason for result in found if isinstance(result, Unavailable)]
        if isinstance(self.counters, tools.Counters) and self.counters.note:
            notes.append(self.counters.note)
        return notes


def profile(
    subjects: Sequence[Subject],
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda step: None,
) -> list[Profile]:
    """Profiles the subjects. A missing tool is a note in the profile.

    :param seconds: duration of the stack sampling
    :param progress: called with the name of each next step
    :raises ValueError: a subject is not valid
    :raises rijn.BackendError: a backend is not available
    """
    for subject in subjects:
        subject.check()
    progress("timing")
    times = _timed([subject.loop() for subject in subjects], seconds)
    profiles = []
    for subject, rounds in zip(subjects, times, strict=True):
        each = statistics.median(rounds)

        def messages(duration: float, each: float = each) -> int:
            return max(1, int(duration / each))

        progress(f"{subject.backend}: cProfile")
        functions = tools.cprofile(subject, messages(CPROFILE_SECONDS))
        progress(f"{subject.backend}: sampling stacks")
        stacks = tools.py_spy(subject, messages(seconds))
        progress(f"{subject.backend}: counting events")
        counters = tools.perf(subject, messages(seconds / 2))
        progress(f"{subject.backend}: counting instructions")
        instructions = tools.callgrind(subject, each)
        profiles.append(Profile(subject, rounds, functions, stacks, counters, instructions))
    return profiles


def _timed(loops: Sequence[Loop], seconds: float) -> list[list[float]]:
    """Returns CPU seconds a message, for each loop and round. Each round runs all loops. CPU time
    does not include other programs."""

    def timed(loop: Loop, messages: int) -> float:
        start = time.thread_time()
        loop.run(messages)
        return time.thread_time() - start

    budget = seconds / 2 / ROUNDS / len(loops)
    numbers = []
    for loop in loops:
        number = 1
        while (spent := timed(loop, number)) < budget / 4:
            number *= 2
        numbers.append(max(1, int(number * budget / spent)))
    rounds = [
        [timed(loop, number) / number for loop, number in zip(loops, numbers, strict=True)]
        for _ in range(ROUNDS)
    ]
    return [list(column) for column in zip(*rounds, strict=True)]


def machine() -> str:
    """Describes the machine in a line."""
    found = describe(None)
    return f"{found['cpu']}, {found['cores']} cores; {found['system']}; {found['python']}"
