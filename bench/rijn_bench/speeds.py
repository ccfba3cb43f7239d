"""Measures each backend through the Python API. tools/demo.py prints a line for each."""

from __future__ import annotations

from dataclasses import dataclass

import rijn

from . import run
from .plan import Plan, tasks
from .results import Results, Row

# A backend that is too slow for the last size is shown at its largest size.
SIZES = (16, 1 << 10, 32 << 10, 1 << 20)


@dataclass(frozen=True)
class Speeds:
    """The medians of a backend."""

    backend: rijn.Backend
    size: int  # bytes of a message, for ctr and gcm
    ctr: float  # bytes a second, AES-128-CTR
    gcm: float  # bytes a second, AES-128-GCM encryption
    message: float  # seconds, AES-128-GCM encryption of 16 bytes


def make_plan(peers: tuple[str, ...] = ()) -> Plan:
    """Returns the plan. `peers` names other packages to measure too."""
    return Plan(
        tasks(["aes-128-ctr", "aes-128-gcm"], SIZES, buffers=("fresh",)),
        rounds=5,
        millis=15.0,
        peers=peers,
    )


def measure() -> list[Speeds]:
    """Measures all available backends. Returns them, the fastest first."""
    return by_backend(run.measure(make_plan(), "", native=False))


def by_backend(results: Results) -> list[Speeds]:
    """Returns the backends in results of make_plan(), the fastest first."""
    found = []
    for backend in rijn.backends():
        rows = [row for row in results.rows if row.is_rijn and row.name == backend.name]
        if rows:
            found.append(_of_backend(backend, rows))
    return sorted(found, key=lambda found: -found.gcm)


def _of_backend(backend: rijn.Backend, rows: list[Row]) -> Speeds:
    ctr = {row.size: row for row in rows if row.algorithm == "aes-128-ctr"}
    gcm = {row.size: row for row in rows if row.algorithm == "aes-128-gcm"}
    size = max(ctr.keys() & gcm.keys())
    return Speeds(
        backend=backend,
        size=size,
        ctr=ctr[size].rate,
        gcm=gcm[size].rate,
        message=gcm[SIZES[0]].median / 1e9,
    )
