"""Measures all contenders of each task in interleaved rounds, in C and through Python."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from threading import Barrier

import rijn

from . import harness as c
from . import machine, text
from .contenders import Offer, Source, rijn_backends
from .peers import peers
from .plan import ALGORITHMS, Algorithm, Plan
from .results import Results, Row, Skipped, Task

# A contender whose message takes longer than its share of a round runs in fewer rounds: it gets
# at most OVERTIME times its share of the task, but at least MIN_ROUNDS in each pass.
OVERTIME = 4
MIN_ROUNDS = 2
# The first size that is tried to estimate the time of a long message.
PROBE = 1 << 10

Progress = Callable[[str, int], None]  # label of the next step, and the number of finished steps


class Disagreement(Exception):
    """Two contenders give different bytes for one task."""


def measure(
    plan: Plan,
    command: str,
    progress: Progress = lambda _label, _steps: None,
    *,
    native: bool = True,
    sources: Sequence[Source] | None = None,
    algorithm: Algorithm | None = None,
) -> Results:
    """Runs the plan.

    :param native: False omits the C harness
    :param sources: the contenders through Python, instead of Rijn's backends and the peers
    :param algorithm: the algorithm of all tasks, if it is not in ALGORITHMS
    :raises Disagreement: two contenders give different results
    :raises HarnessFailed: the harness failed, or one of its contenders gives a wrong result
    """
    started = time.monotonic()
    path = c.find() if native else None
    found = c.Harness.ask(path) if path else None
    if sources is None:
        sources = [*rijn_backends(plan.backends), *peers(plan.peers)]
    results = Results(
        rijn=rijn.__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command,
        seconds=0.0,
        rounds=plan.rounds,
        millis=plan.millis,
        chosen=rijn.AES(bytes(16)).backend,
        machine=machine.describe(found.machine if found else None),
    )
    results.contenders = [source.about for source in sources]
    if found:
        results.contenders += [it for it in found.contenders() if _is_asked_for(it.name, plan)]
    ready = [source for source in sources if source.about.state == "ready"]
    patience = Patience(plan.patience)
    for number, share in enumerate(_shares(plan)):
        for _, group in groupby(plan.tasks, key=lambda task: task._replace(size=0)):
            tasks = list(group)
            if found and tasks[0].buffer != "fresh":
                instructions_too = plan.instructions and number == 0
                _measure_in_c(found, tasks, share, instructions_too, results, progress)
            if not _in_python(tasks[0], plan):
                continue
            for task in tasks:
                progress(f"{text.task(task)}, Python", 0)
                shape = algorithm or ALGORITHMS[task.algorithm]
                measure_in_python(shape, task, ready, share, results, patience)
                progress("", 1)
    results.rows, results.ceilings = _joined(results.rows), _joined(results.ceilings)
    results.skipped = _never_measured(results)
    results.seconds = round(time.monotonic() - started, 1)
    return results


def steps(plan: Plan) -> int:
    """Returns the most progress steps that `measure` takes."""
    in_c = sum(task.buffer != "fresh" for task in plan.tasks) * (c.find() is not None)
    return (in_c + sum(_in_python(task, plan) for task in plan.tasks)) * plan.passes


def _shares(plan: Plan) -> list[Plan]:
    """Returns the plan of each pass: the same plan with a part of the rounds."""
    whole, rest = divmod(plan.rounds, plan.passes)
    return [replace(plan, rounds=whole + (i < rest)) for i in range(plan.passes)]


def _in_python(task: Task, plan: Plan) -> bool:
    return task.buffer in plan.python_buffers or task.operation == "rekey"


def _joined(rows: Sequence[Row]) -> list[Row]:
    """Merges the rows of a contender in a task: one row has the rounds of all passes."""
    found: dict[tuple[Task, str, str], Row] = {}
    for row in rows:
        identity = (row.task, row.through, row.contender)
        if first := found.get(identity):
            cycles = first.cycles + row.cycles if first.cycles and row.cycles else None
            found[identity] = replace(first, ns=first.ns + row.ns, cycles=cycles)
        else:
            found[identity] = row
    return list(found.values())


def _never_measured(results: Results) -> list[Skipped]:
    """Returns the contenders that were left out of every pass of a task, without repetitions."""
    found = {(it.task, it.through, it.contender): it for it in results.skipped}
    for row in results.rows:
        found.pop((row.task, row.through, row.contender), None)
    return list(found.values())


def _is_asked_for(contender: str, plan: Plan) -> bool:
    prefix, _, backend = contender.rpartition("/")
    if prefix == "rijn":
        return plan.backends is None or backend in plan.backends
    # The user asks for "bearssl/ct64" as bearssl.
    return plan.peers is None or contender.split("/")[0] in plan.peers


def _measure_in_c(
    found: c.Harness,
    tasks: list[Task],
    plan: Plan,
    instructions: bool,
    results: Results,
    progress: Progress,
) -> None:
    ready = [
        it.name for it in found.contenders() if it.state == "ready" and _is_asked_for(it.name, plan)
    ]
    current: Task | None = None
    done = 0
    if ready:
        progress(f"{text.task(tasks[0])}, C", 0)
        try:
            for ceiling, row in found.measure(tasks, ready, plan.rounds, plan.millis, instructions):
                if current is not None and row.task != current:
                    progress(f"{text.task(row.task)}, C", 1)
                    done += 1
                current = row.task
                (results.ceilings if ceiling else results.rows).append(row)
        except c.NotOffered as error:
            results.skipped += [_skipped(task, "harness", str(error), "c") for task in tasks]
    progress("", len(tasks) - done)


# ---- Through Python ------------------------------------------------------------------


@dataclass
class Patience:
    """Estimates the time of long messages from shorter ones, during one run."""

    limit: float  # seconds
    # (contender, algorithm, operation, key) -> the largest measured size, and its ns
    known: dict[tuple[str, str, str, str], tuple[int, float]] = field(default_factory=dict)

    def note(self, name: str, task: Task, ns: float) -> None:
        key = (name, task.algorithm, task.operation, task.key)
        if task.size >= self.known.get(key, (0, 0.0))[0]:
            self.known[key] = (task.size, ns)

    def expected(self, name: str, task: Task) -> float | None:
        """Returns the estimated seconds for a message, or None before any measurement.

        The estimate is proportional to the size. It is too high if each message has a fixed cost,
        so callers try larger sizes step by step.
        """
        known = self.known.get((name, task.algorithm, task.operation, task.key))
        return known[1] * max(1.0, task.size / known[0]) / 1e9 if known else None


@dataclass
class _Runner:
    """A contender in a task."""

    name: str
    offers: list[Offer]  # one for each thread
    task: Task
    key: bytes
    nonce: bytes
    messages: int = 1
    number: int = 0  # number of the next message, so that no nonce repeats
    ns: list[float] = field(default_factory=list)
    rounds: frozenset[int] = frozenset()  # the rounds that it takes part in

    def run(self, messages: int) -> float:
        """Returns nanoseconds a message."""
        first, self.number = self.number, self.number + messages * len(self.offers)
        if len(self.offers) > 1:
            return self._run_threads(first, messages)
        spent = 0
        for calls in self.offers[0].batches(self.task, self.key, self.nonce, first, messages):
            spent += _time(calls)
        return spent / messages

    def _run_threads(self, first: int, messages: int) -> float:
        """Runs one batch on each thread at once. Measures from the first start to the last end."""
        batches = [
            next(offer.batches(self.task, self.key, self.nonce, first + i * messages, messages))
            for i, offer in enumerate(self.offers)
        ]
        barrier = Barrier(len(batches))

        def run_batch(calls: Sequence[Callable[[], object]]) -> tuple[int, int]:
            barrier.wait()
            start = time.perf_counter_ns()
            for call in calls:
                call()
            return start, time.perf_counter_ns()

        with ThreadPoolExecutor(len(batches)) as pool:
            times = list(pool.map(run_batch, batches))
        spent = max(end for _, end in times) - min(start for start, _ in times)
        return spent / sum(map(len, batches))

    def calibrate(self, rounds: int, target: float) -> None:
        """Sets the messages of a round, so that a round takes `target` nanoseconds.

        If one message takes longer, the contender takes part in fewer rounds, spread evenly. It
        has already run once, so caches and tables exist.
        """
        while (ns := self.run(self.messages)) * self.messages * len(self.offers) < target / 4:
            self.messages *= 2
        self.messages = max(1, round(target / ns / len(self.offers)))
        if len(self.offers) > 1:
            self.messages = min(self.messages, self.offers[0].batch)
        spent = max(target, ns * len(self.offers))
        count = min(rounds, max(MIN_ROUNDS, int(OVERTIME * rounds * target / spent)))
        self.rounds = frozenset(i * rounds // count for i in range(count))


def _time(calls: Sequence[Callable[[], object]]) -> int:
    """Returns the thread's CPU time in ns, as the harness does. It excludes other processes."""
    start = time.thread_time_ns()
    for call in calls:
        call()
    return time.thread_time_ns() - start


@contextmanager
def no_collection() -> Iterator[None]:
    """Disables garbage collection. One contender would pay for the garbage of all."""
    was = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def measure_in_python(
    algorithm: Algorithm,
    task: Task,
    sources: Sequence[Source],
    plan: Plan,
    results: Results,
    patience: Patience,
) -> None:
    """Measures a task with all contenders that offer it, into `results`. Raises Disagreement."""
    noise = random.Random(task.size)  # all contenders get the same data
    key, nonce = noise.randbytes(algorithm.key_size), noise.randbytes(algorithm.nonce_size)
    data = noise.randbytes(task.size)
    target = plan.millis * 1e6
    runners: list[_Runner] = []
    expected: tuple[str, bytes] | None = None
    with no_collection():
        for source in sources:
            name = source.about.name
            if source.offer(task, data) is None:
                continue
            reason = _too_slow(source, name, task, algorithm, patience)
            if reason:
                results.skipped.append(_skipped(task, name, reason))
                continue
            offers, result = _prepare(source, task, key, nonce, data)
            expected = expected or (name, result)
            _check(task, data, name, result, *expected)
            runner = _Runner(name, offers, task, key, nonce)
            runner.calibrate(plan.rounds, target)
            runners.append(runner)
        for number in range(plan.rounds):
            for runner in runners:
                if number in runner.rounds:
                    runner.ns.append(runner.run(runner.messages))
    for runner in runners:
        row = Row(
            **task._asdict(),
            through="python",
            contender=runner.name,
            messages=runner.messages,
            ns=[round(ns, 3) for ns in runner.ns],
        )
        patience.note(runner.name, task, row.median)
        results.rows.append(row)


def _prepare(
    source: Source, task: Task, key: bytes, nonce: bytes, data: bytes
) -> tuple[list[Offer], bytes]:
    """Returns a contender's offers, one for each thread, and the result of a message.

    For a decryption, the contender encrypts the message itself: libraries differ in the size of
    AEGIS's tag.
    """
    given = data
    if task.operation == "decrypt":
        seal = source.offer(
            task._replace(operation="encrypt", buffer="fresh", key="warm", threads=1), data
        ) or source.offer(task._replace(operation="encrypt", key="warm", threads=1), data)
        assert seal is not None, source.about.name
        given = seal.result(key, nonce)
    offers = [source.offer(task, given) for _ in range(task.threads)]
    made = [offer for offer in offers if offer is not None]
    result = b"" if task.operation == "rekey" else made[0].result(key, nonce)
    return made, result


def _check(task: Task, data: bytes, name: str, result: bytes, first: str, expected: bytes) -> None:
    if task.operation == "decrypt":
        first, expected = "the plaintext", data
    # The tag is at the end. AEGIS has two tag sizes: without equal sizes, tags are not compared.
    size = len(expected) if len(result) == len(expected) else task.size
    if result[:size] != expected[:size]:
        raise Disagreement(f"{text.task(task)}: {name} disagrees with {first}")


def _too_slow(
    source: Source, name: str, task: Task, algorithm: Algorithm, patience: Patience
) -> str:
    """Returns why the contender is too slow for the task, or ""."""
    if task.operation == "rekey":
        return ""
    size = min(task.size, PROBE)
    while True:
        seconds = patience.expected(name, task._replace(size=size))
        if seconds is not None and seconds > patience.limit:
            about = patience.expected(name, task) or seconds
            return f"a message takes about {about:.2g} s; the limit is {patience.limit:g} s"
        if size >= task.size:
            return ""
        known = patience.known.get((name, task.algorithm, task.operation, task.key), (0, 0.0))[0]
        if size > known:
            probe = task._replace(size=size, threads=1)
            data = bytes(size)
            # XTS needs a key with two different halves.
            key, nonce = bytes(range(algorithm.key_size)), bytes(algorithm.nonce_size)
            offers, _ = _prepare(source, probe, key, nonce, data)
            patience.note(name, probe, _Runner(name, offers, probe, key, nonce).run(1))
        size = min(16 * size, task.size)


def _skipped(task: Task, name: str, reason: str, through: str = "python") -> Skipped:
    return Skipped(**task._asdict(), through=through, contender=name, reason=reason)
