"""README.md and docs/ladder.svg show the figures of docs/figures.json, as tools/figures.py writes
them."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from rungs import needs_native

from rijn_bench import plots
from rijn_bench.results import Results

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_ladder_has_the_colours_of_the_reports() -> None:
    """Which are kept in one place."""
    colour = re.compile("#[0-9a-f]{6}")
    assert not colour.search((ROOT / "tools/figures.py").read_text("utf-8"))
    ours = {plots.GRID, plots.LEAKY, plots.PEER, *plots.RUNGS}
    drawn = colour.findall((ROOT / "docs/ladder.svg").read_text("utf-8"))
    assert {plots.LEAKY, plots.PEER, plots.RUNGS[0]} <= set(drawn)
    assert set(drawn) - ours <= {"#000000", "#ffffff"}


@needs_native
def test_the_readme_has_the_figures_of_the_run() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "figures.py"))
    results = Results.from_json((ROOT / "docs/figures.json").read_text("utf-8"))
    assert tool["TABLE"].search(README)[0] == tool["table"](results)
    for name, *_ in tool["peers"](results):
        assert f"*{name}*" in README


@needs_native
def test_figures_of_other_sizes_are_marked() -> None:
    """Those that are not of the size in their column's head."""
    tool = runpy.run_path(str(ROOT / "tools" / "figures.py"))
    results = Results.from_json((ROOT / "docs/figures.json").read_text("utf-8"))
    lines = tool["TABLE"].search(README)[0].splitlines()
    assert lines[0].count("of 1 MiB, MB/s") == 2
    cells = {line.split("|")[1].strip(" `*"): line.split("|")[3:5] for line in lines[2:-2]}
    largest: dict[str, int] = {}
    for row in results.rows:
        largest[row.name] = max(row.size, largest.get(row.name, 0))
    assert set(cells) == set(largest)
    for name, size in largest.items():
        told = [cell for cell in cells[name] if "–" not in cell]
        assert told and all(("(" in cell) is (size != 1 << 20) for cell in told), name
    assert str(results.machine["load"]) in lines[-1] and results.machine["cpu"] in lines[-1]
