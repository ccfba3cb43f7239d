"""Shared by all tests: the effort of `make test` and of `.ci/run`, the backends under test, and the
count of vectors.

A test that takes the fixture `tested` runs once on every backend, with the backend's name in the
test id. A backend that this machine cannot run is skipped with a reason. Backends of other
machines, which no build here contains, appear only in the summary.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import backends
import pytest
from backends import (
    ALL,
    EFFORT,
    ELSEWHERE,
    FULL,
    NATIVE,
    SHORT_EFFORT,
    THOROUGH,
    BackendUnderTest,
    backends_of,
    skip_reasons,
)
from hypothesis import HealthCheck, settings

import rijn

# No time limit for an example or for its inputs: backends differ by five orders of magnitude, and
# machines differ too. Hypothesis writes nothing to the disk: a failure prints the blob that
# repeats it.
settings.register_profile(
    "rijn",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
    print_blob=True,
)
settings.load_profile("rijn")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backends",
        choices=("short", "usual", "whole"),
        default="usual",
        help="the backends of tests that run on several. short: one in C, and python, and small samples. usual: one "
        "in C, and all in Python (default). whole: every one",
    )
    parser.addoption(
        "--thorough",
        action="store_true",
        help="--backends=whole, larger samples (python/tests/backends.py), and the tests that make "
        "test leaves out for their cost",
    )
    parser.addoption(
        "--all-vectors",
        action="store_true",
        help="--thorough, and every vector on the slow backends too, no samples (very slow)",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "tested" not in metafunc.fixturenames:
        return
    widths = {b.name: b.blocks for b in rijn.backends()}
    chosen = backends_of(metafunc.config.getoption("--backends")) - ELSEWHERE
    if only := metafunc.definition.get_closest_marker("backends"):
        chosen &= set(only.args)
    sample = metafunc.definition.get_closest_marker("sample")
    if sample and not metafunc.config.getoption("--thorough"):
        chosen &= set(sample.args)
    metafunc.parametrize(
        "tested",
        [
            pytest.param(
                BackendUnderTest(name, widths.get(name, 1)),
                id=name,
                marks=[pytest.mark.skip(reason=f"backend {name}: {reason}")] if reason else [],
            )
            for name, reason in skip_reasons().items()
            if name in chosen
        ],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.option.thorough |= config.option.all_vectors
    chosen = config.getoption("--hypothesis-seed")
    if chosen not in (None, "random"):
        backends.SEED = int(chosen)
    if config.getoption("--backends") == "short":
        EFFORT.update(SHORT_EFFORT)
    if config.getoption("--thorough"):
        config.option.backends = "whole"
        EFFORT.update(THOROUGH)
    if config.getoption("--all-vectors"):
        for name in ALL:
            EFFORT[name] = replace(
                EFFORT.get(name, FULL),
                vectors=FULL.vectors,
                rounds=FULL.rounds,
                bits=FULL.bits,
                brief=FULL.brief,
                million=name in NATIVE,
            )
    config.addinivalue_line("markers", "thorough: costs seconds; --thorough runs it")
    config.addinivalue_line("markers", "backends(*names): run only on the backends of these names")
    config.addinivalue_line(
        "markers", "sample(*names): the same, but on all backends with --thorough"
    )
    config.pluginmanager.register(Tally(), "rijn-tally")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.option.thorough:
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(pytest.mark.skip(reason="costs seconds; --thorough runs it"))


def pytest_collection_finish() -> None:
    """Hides ten thousand tests from the garbage collector. They would cost it a tenth of a second
    each time, and tests and benchmarks call it by the thousand."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def passed(
    tested: BackendUnderTest, record_property: Callable[[str, object], None]
) -> Callable[[str, int, int], None]:
    """Records for the summary that `count` of a source's `total` vectors have passed. The record
    counts only if the whole test passes. A skipped test may record 0."""

    def note(source: str, count: int, total: int) -> None:
        record_property("vectors", [tested.name, source, count, total])

    return note


class Tally:
    """Adds up the vectors of all workers, and prints one line for each backend."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[str, list[int]]] = defaultdict(dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" or report.failed:
            return
        for key, value in report.user_properties:
            if key == "vectors":
                assert isinstance(value, list)
                name, source, count, total = value
                sums = self.counts[name].setdefault(source, [0, 0])
                sums[0] += count
                sums[1] += total

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.counts:
            return
        terminalreporter.section("vectors that passed")
        asked = backends_of(terminalreporter.config.getoption("--backends"))
        for name, reason in skip_reasons().items():
            if name not in asked:
                continue
            sources = self.counts.get(name, {})
            if not sources:
                terminalreporter.line(f"vectors: {name} none" + (f" ({reason})" if reason else ""))
                continue
            parts = ", ".join(
                f"{source} {count:,}" + (f" of {total:,}" if count < total else "")
                for source, (count, total) in sorted(sources.items())
            )
            whole = sum(count for count, _ in sources.values())
            terminalreporter.line(f"vectors: {name} {whole:,} ({parts})")
