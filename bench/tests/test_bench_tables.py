"""The tables of rijn bench are complete at 80 columns and readable at 60, like rijn's tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_tables import WIDTHS, Run, table

import rijn
from rijn_bench import studies
from rijn_bench.results import Contender, Results, Row

SIZES = (16, 256, 1350, 16 << 10, 1 << 20)
# Nanoseconds a byte.
COSTS = {
    "rijn/vaes512": 0.05,
    "rijn/aesni": 0.2,
    "rijn/table": 5.0,
    "rijn/python-bitslice": 90.0,
    "rijn/reference": 9e3,
    "cryptography": 0.3,
    "openssl": 0.21,
}


def written(path: Path, slower: float = 1.0, sizes: tuple[int, ...] = SIZES) -> str:
    """Writes the JSON of an invented run, with long names and figures from tiny to huge."""
    rows = []
    for through, buffer in (("c", "apart"), ("python", "fresh")):
        for size in sizes:
            for name, cost in COSTS.items():
                own = slower if name == "rijn/aesni" else 1.0
                ns = [own * (100 + size * cost) * (1 + i / 1e4) for i in range(15)]
                rows.append(
                    Row(
                        algorithm="aes-128-gcm",
                        operation="encrypt" if size else "rekey",
                        size=size,
                        key="cold",
                        buffer=buffer,
                        threads=4,
                        through=through,
                        messages=10,
                        contender=name,
                        ns=ns,
                        instructions="aesni-avx" if name == "openssl" else None,
                    )
                )
    results = Results(
        rijn=rijn.__version__,
        created="2026-01-02T03:04:05+00:00",
        command="rijn bench",
        seconds=1.5,
        rounds=15,
        millis=2.0,
        chosen="vaes512",
        machine={"cpu": "A CPU", "cores": 2, "system": "Linux", "python": "CPython 3.11"},
        contenders=[
            Contender(
                name=name,
                through=through,
                state="ready",
                version="1.0",
                constant_time=name == "rijn/vaes512",
            )
            for through in ("c", "python")
            for name in COSTS
        ],
        rows=rows,
    )
    path.write_text(results.as_json())
    return str(path)


@pytest.mark.parametrize("columns", WIDTHS)
def test_bench(run: Run, folder: Path, columns: int) -> None:
    text = table(run, columns, "bench", "--from", written(folder / "run.json", sizes=(0, *SIZES)))
    assert "key set-up" in " ".join(text.split())
    for name in COSTS:
        assert name in text
    for part in text.split("\n\n"):
        if "GCM encrypt" in part and ("buffer" in part or "fresh" in part):
            assert re.search("^ +(ns|µs) .*MB/s", part, re.MULTILINE), part
            assert "16 B" in part
            assert columns < 80 or "omitted" not in part
    # No figure has its own unit, and 320 µs cannot be mistaken for ns.
    assert not re.search(r"\d (ns|µs|MB/s)( |$)", re.sub(".*\\.\n", "", text, count=1))


@pytest.mark.parametrize("columns", WIDTHS[:2])
def test_bench_compare(run: Run, folder: Path, columns: int) -> None:
    old, new = written(folder / "old.json"), written(folder / "new.json", 1.5)
    text = table(run, columns, "bench", "compare", old, new)
    assert "rijn/aesni" in text
    assert "× old" in text
    assert columns < 80 or "99 % interval" in text
    result = run("bench", "compare", "--agreement", old, new, env={"COLUMNS": str(columns)})
    assert max(map(len, result.out.decode().splitlines())) <= columns
    assert "…" not in result.out.decode()


@pytest.mark.parametrize("columns", WIDTHS[:2])
@pytest.mark.parametrize("study", studies.STUDIES)
def test_studies(run: Run, folder: Path, study: str, columns: int) -> None:
    text = table(run, columns, "bench", "--as", study, "--from", written(folder / "run.json"))
    for unit in {"pure": ["MB/s"], "languages": ["blocks/s"], "aegis": ["Mb/s"]}.get(study, []):
        assert re.search(f"^ .*{unit}", text, re.MULTILINE), text
