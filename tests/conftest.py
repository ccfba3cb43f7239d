"""What all tests share: how much `make test` asks of them, and how much `.ci/run`."""

from __future__ import annotations

import gc

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="larger samples (tests/python/rungs.py), and the tests that make test leaves out "
        "for their cost",
    )
    parser.addoption(
        "--all-vectors",
        action="store_true",
        help="--thorough, and every vector on the slow backends too, no samples (very slow)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.option.thorough |= config.option.all_vectors
    config.addinivalue_line("markers", "thorough: costs seconds; --thorough runs it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.option.thorough:
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(pytest.mark.skip(reason="costs seconds; --thorough runs it"))


def pytest_collection_finish() -> None:
    """Ten thousand tests are a tenth of a second to the garbage collector, which tests and
    benchmarks call by the thousand: it is not to look at them."""
    gc.collect()
    gc.freeze()
