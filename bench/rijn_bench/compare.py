"""Compares two results: changes beyond the noise, and whether ratios repeat.

A row's change is the Hodges-Lehmann estimate of the shift between the logarithms of its old and
its new rounds, with the distribution-free interval of the Mann-Whitney test. This interval covers
only the noise within a run. Noise between runs comes from memory placement and from other
programs. The controls show it: code that is the same in both runs, which are peers with an
unchanged version, and ceilings. The median change of the controls is the drift of the machine,
which is subtracted. A row has changed if it differs by more than 95 % of the controls still do.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import combinations

from .results import Results, Row, Task

CONFIDENCE = statistics.NormalDist().inv_cdf(0.995)  # a 99 % interval, two-sided
# With fewer controls, their spread is not used, and the noise is ASSUMED.
ENOUGH = 10
ASSUMED = 0.05
# The least noise: rounding and code placement change figures this much.
FLOOR = 0.02
# Shorter messages consist largely of the call, so their ratios compare a few ns.
AGREE_SIZE = 1 << 10
AGREE_LIMIT = 0.05

Identity = tuple[Task, str, str]  # with through and contender


@dataclass(frozen=True)
class Change:
    """The change of one row's time: logarithms of ratios, with the drift subtracted."""

    row: Row  # of the new run
    shift: float
    low: float
    high: float

    @property
    def speed(self) -> float:
        """The new speed over the old one."""
        return math.exp(-self.shift)

    @property
    def speeds(self) -> tuple[float, float]:
        """The interval of `speed`."""
        return math.exp(-self.high), math.exp(-self.low)


@dataclass(frozen=True)
class Comparison:
    changes: list[Change]  # all compared rows
    faster: list[Change]  # beyond the noise, the greatest change first
    slower: list[Change]
    drift: float  # speed of the machine in the new run / speed in the old run
    noise: float  # the threshold of a change, as a part of the speed
    controls: int
    only_old: int  # rows that only the old run has
    only_new: int


def shift(old: list[float], new: list[float]) -> tuple[float, float, float]:
    """Returns log(new / old): the estimate, and the ends of its interval at CONFIDENCE."""
    pairs = sorted(math.log(b / a) for a in old for b in new)
    n = len(pairs)
    # The interval omits `cut` pairs at each end: the lower quantile, at this confidence, of the
    # U statistic of two samples with the same distribution.
    deviation = math.sqrt(n * (len(old) + len(new) + 1) / 12)
    cut = max(0, math.floor(n / 2 - CONFIDENCE * deviation))
    return statistics.median(pairs), pairs[cut], pairs[n - 1 - cut]


def compare(old: Results, new: Results) -> Comparison:
    before, after = _by_identity(old), _by_identity(new)
    common = [identity for identity in after if identity in before]
    shifts = {i: shift(before[i].ns, after[i].ns) for i in common}
    same = _unchanged(old, new)
    controls = [shifts[i][0] for i in common if not after[i].is_rijn and i[2] in same]
    ceilings = _by_identity(old, ceilings=True), _by_identity(new, ceilings=True)
    controls += [
        shift(ceilings[0][i].ns, row.ns)[0] for i, row in ceilings[1].items() if i in ceilings[0]
    ]
    drift, noise = 0.0, ASSUMED
    if len(controls) >= ENOUGH:
        drift = statistics.median(controls)
        left = sorted(abs(value - drift) for value in controls)
        noise = max(FLOOR, left[math.ceil(0.95 * len(left)) - 1])
    changes = [
        Change(after[i], *(value - drift for value in shifts[i]))
        for i in common
        if after[i].is_rijn or i[2] not in same
    ]
    return Comparison(
        changes=changes,
        faster=sorted((c for c in changes if c.high < -noise), key=lambda c: c.shift),
        slower=sorted((c for c in changes if c.low > noise), key=lambda c: -c.shift),
        drift=math.exp(-drift),
        noise=math.expm1(noise),
        controls=len(controls),
        only_old=len(before.keys() - after.keys()),
        only_new=len(after.keys() - before.keys()),
    )


def _by_identity(results: Results, *, ceilings: bool = False) -> dict[Identity, Row]:
    rows = results.ceilings if ceilings else results.rows
    return {(row.task, row.through, row.contender): row for row in rows}


def _unchanged(old: Results, new: Results) -> set[str]:
    """Returns the peers that have the same version in both runs."""
    versions = [{c.name: c.version for c in run.contenders if c.version} for run in (old, new)]
    return {name for name, version in versions[0].items() if versions[1].get(name) == version}


@dataclass(frozen=True)
class Pair:
    """Two backends in one task, and their ratio in two runs."""

    task: Task
    through: str
    names: tuple[str, str]
    ratios: tuple[float, float]  # in either run

    @property
    def difference(self) -> float:
        """The relative difference of the ratios: larger / smaller - 1."""
        return math.expm1(abs(math.log(self.ratios[0] / self.ratios[1])))


def agreement(a: Results, b: Results) -> list[Pair]:
    """Returns the pairs of Rijn's backends in each task of at least AGREE_SIZE, the worst first."""
    found = []
    others = _by_identity(b)
    for through in ("c", "python"):
        for task, rows in a.tasks(through).items():
            both = [
                (row, others[task, through, row.contender])
                for row in rows
                if row.is_rijn and (task, through, row.contender) in others
            ]
            if task.size < AGREE_SIZE:
                continue
            for (x, x_other), (y, y_other) in combinations(both, 2):
                ratios = x.median / y.median, x_other.median / y_other.median
                found.append(Pair(task, through, (x.name, y.name), ratios))
    return sorted(found, key=lambda pair: -pair.difference)
