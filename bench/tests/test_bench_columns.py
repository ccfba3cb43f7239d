"""Tests `rijn bench --as columns`: its contenders, the checks before a measurement, and the messages
for missing packages. No test asserts a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from limits import LIMIT
from test_bench_results import main

pytest.importorskip("rich", reason="the command line is an extra")

import rijn
from rijn._install import pip_install
from rijn_bench import columns, harness, studies
from rijn_bench.plan import Impossible
from rijn_bench.results import Contender, Results, Row, Task

SAFE = rijn.AES(bytes(16)).backend  # in a wheel without C, no backend claims constant time
FEW = ("--quick", "--rows", "300", "--size", "16", "--backend", SAFE)


def engines() -> Any:
    pytest.importorskip("nanoarrow", reason="make columns-test installs nanoarrow")
    pytest.importorskip("pyarrow", reason="make columns-test installs pyarrow")
    from rijn_bench import engines

    return engines


# ---- Plans ------------------------------------------------------------------------------


def test_a_plan_has_every_part() -> None:
    plan = studies.STUDIES["columns"].plan_for(None)
    assert isinstance(plan, columns.ColumnsPlan)
    assert {task.algorithm for task in plan.tasks} == columns.PARTS.keys()
    assert plan.rows == 1_000_000
    for task in plan.tasks:
        assert task.size in (
            (columns.PARTS[task.algorithm].only,)
            if columns.PARTS[task.algorithm].only
            else (16, 64)
        )
    assert plan.backends is not None
    assert plan.backends[0] == rijn.AES(bytes(16)).backend


def test_a_quick_plan_does_not_wait_for_spark() -> None:
    quick = studies.STUDIES["columns"].plan_for(None, quick=True)
    assert {task.algorithm for task in quick.tasks} == columns.PARTS.keys() - {"spark"}
    assert quick.rounds <= 3
    asked = studies.STUDIES["columns"].plan_for(None, quick=True, parts="spark")
    assert {task.algorithm for task in asked.tasks} == {"spark"}


def test_options_of_the_plan() -> None:
    plan = columns.make_plan([32], parts="polars,shuffled", rows=7, backend=SAFE, parquet="1K")
    assert {task.algorithm for task in plan.tasks} == {
        *("polars", "shuffled-16", "shuffled-64", "shuffled-1000")
    }
    assert {task.size for task in plan.tasks} == {32}
    assert (plan.rows, plan.file, plan.backends) == (7, 1024, (SAFE,))
    assert set(columns.make_plan([16], backend="all").backends or ()) == {
        it.name for it in rijn.backends() if it.available
    }
    for wrong in ({"parts": "pandas"}, {"backend": "nonsense"}, {"parquet": "1K,2K"}):
        with pytest.raises(Impossible):
            columns.make_plan([16], **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rows", "5"),
        ("--parts", "polars"),
        ("--parquet", "1M"),
        ("--as", "aegis", "--rows", "5"),
        ("--as", "columns", "--rows", "0"),
        ("--as", "columns", "--parts", "nonsense"),
        ("--as", "columns", "--algorithm", "gcm"),
    ],
)
def test_wrong_options(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    if "nonsense" in arguments:
        engines()
    assert main(*arguments) == 2
    assert capsys.readouterr().err.startswith("rijn: ")


def test_a_missing_package_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rijn_bench import bench_command

    monkeypatch.setattr(
        bench_command, "find_spec", lambda name: None if name == "pyarrow" else name
    )
    pytest.importorskip("nanoarrow")
    assert main("--as", "columns", *FEW) == 1
    assert pip_install("columns", "rijn-bench") in capsys.readouterr().err


# ---- Runs -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", columns.PARTS)
def test_a_part(
    name: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    pytestconfig: pytest.Config,
) -> None:
    """Every available contender gives the column in every round. Missing ones are named."""
    found = engines()
    part = columns.PARTS[name]
    if why := found.lacking(part.needs):
        pytest.skip(f"needs: {why}")
    if name == "spark" and not pytestconfig.getoption("--thorough"):
        pytest.skip("takes a minute: --thorough runs it")
    path = tmp_path / "run.json"
    several = name in ("clickhouse", "polars", "duckdb", "equal", "shuffled-16")
    rows = str(found.BATCH + 1000 if several else 300)  # some parts get more than one batch
    arguments = ("--as", "columns", *FEW, "--parts", name, "--parquet", "64K", "--rows", rows)
    assert main(*arguments, "--json", str(path)) == 0
    output = capsys.readouterr().out
    results = Results.from_json(path.read_text())
    states = {it.name: it for it in results.contenders}
    assert states.keys() == part.contenders([SAFE]).keys()
    for contender, needs in part.contenders([SAFE]).items():
        rows = [row for row in results.rows if row.contender == contender]
        if found.lacking(needs):
            assert not rows
            assert states[contender].state == "not installed"
            assert states[contender].reason in output
            continue
        assert {row.operation for row in rows} == set(part.operations)
        assert all(len(row.ns) == results.rounds == 3 and min(row.ns) > 0 for row in rows)
        assert " ".join(contender.split()[:1]) in output
        base = part.base_of(contender)
        assert base in states, contender
    assert part.title.split()[0] in output
    if name == "parquet":
        assert all(row.peak and row.elapsed for row in results.rows)
    else:
        assert not any(row.peak for row in results.rows)


def test_ratios_compare_the_same_work() -> None:
    formats, lengths = columns.PARTS["formats"], columns.PARTS["lengths"]
    assert (
        formats.base_of("rijn/siv/aesni") == formats.base_of(columns.LOOP_SIV) == columns.LOOP_SIV
    )
    assert formats.base_of("rijn/xaes/aesni") == columns.LOOP_GCM
    assert lengths.base_of("rijn/encrypt_many/aesni") == "C loop/aesni"
    assert columns.PARTS["shuffled-16"].base_of("rijn/shuffled/table") == "rijn/in-order/table"


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_a_wrong_row_stops_the_run(
    operation: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cryptography")
    found = engines()
    right = found.per_row

    def wrong(format: str, job: Any) -> Any:
        call = right(format, job)
        if format != "siv" or job.task.operation != operation:
            return call
        once = iter([b"another row"])
        return lambda row: call(next(once, row) if job.sealing else row)[
            : None if job.sealing else -1
        ]

    monkeypatch.setattr(found, "per_row", wrong)
    assert main("--as", "columns", *FEW, "--parts", "equal") == 1
    assert "pyarrow + AESSIV does not give the column" in capsys.readouterr().err


def test_missing_contenders_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = engines()
    missing = {"tink", "polars", "java", "pyspark", "harness"}
    really_missing = found._is_missing
    monkeypatch.setattr(found, "_is_missing", lambda need: need in missing or really_missing(need))
    assert main("--as", "columns", *FEW, "--parts", "formats,polars,spark,lengths") == 0
    output = " ".join(capsys.readouterr().out.split())
    for note in (
        "pyarrow + Tink: pip install tink",
        "map_elements + AESGCM: pip install polars",
        "aes_encrypt: pip install pyspark, apt install openjdk-17-jre-headless",
        f"C loop/{SAFE}: {pip_install(package='rijn-bench')}",
    ):
        assert note in output
    assert f"rijn/xaes/{SAFE}" in output
    assert "rijn/map_batches" not in output


def test_cpu_time_includes_children(tmp_path: Path) -> None:
    """It includes running and ended children."""
    found = engines()
    if found.lacking(["/proc"]):
        pytest.skip("needs Linux's /proc")
    busy = "import sys, time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\nsys.stdin.read()"
    before = found.tree_time_ns()
    with subprocess.Popen(
        [sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        running = found.tree_time_ns()
    ended = found.tree_time_ns()
    assert running - before >= 150e6
    assert ended - before >= 150e6


@pytest.mark.parametrize("operation", ["mixed", "mixed-many"])
def test_the_harness_mixes_lengths(operation: str) -> None:
    path = harness.find()
    if path is None:
        pytest.skip("no harness: pip install ./bench builds one")
    options = ["--json", "--algorithm", "aes-256-gcm", "--operation", operation, "--rounds", "2"]
    options += ["--millis", "0.1", "--contender", "rijn/table,rijn/fixslice64", "--size"]
    done = subprocess.run(
        [path, *options, "64,8192"], capture_output=True, check=True, timeout=LIMIT
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    rows = [it for it in records if it["kind"] == "row"]
    assert {(it["operation"], it["size"]) for it in rows} == {(operation, 64)}
    assert {it["contender"] for it in rows} == {"rijn/table", "rijn/fixslice64"}
    assert all(ns > 0 for it in rows for ns in it["ns"])


def test_the_harness_measures_the_requested_backend() -> None:
    """Also if its name is the start of another backend's name."""
    found = engines()
    if harness.find() is None:
        pytest.skip("no harness: pip install ./bench builds one")
    every = {it.name: it.available for it in rijn.backends()}
    asked = [
        name
        for name in every
        if every[name] and any(it != name and it.startswith(name) for it in every)
    ]
    job = found.job(found.Workshop(), Task("lengths", "encrypt", 64, "warm", "fresh", 1), 10, 0)
    for name in asked:
        if f"rijn/{name}" in {it.name for it in found.c.Harness.ask(harness.find()).contenders()}:
            assert found.in_c("mixed", name, job).run().cpu > 0


# ---- Tables, pages, pictures --------------------------------------------------------------


def saved(folder: Path) -> str:
    row = {"key": "warm", "buffer": "fresh", "threads": 1, "through": "python", "messages": 9}
    rows = [
        Row(algorithm=part, operation=operation, size=16, contender=name, ns=ns, **row)  # type: ignore[arg-type]
        for part, operation, name, ns in (
            ("formats", "encrypt", columns.LOOP_GCM, [1000.0, 800.0, 1100.0]),
            ("formats", "encrypt", columns.LOOP_SIV, [1500.0, 1500.0, 1600.0]),
            ("formats", "encrypt", "rijn/siv/aesni", [30.0, 29.0, 40.0]),
            ("formats", "encrypt", "rijn/xaes/aesni", [20.0, 16.0, 21.0]),
            ("parquet", "encrypt", "pyarrow", [300.0]),
        )
    ]
    rows[-1] = Row(**{**vars(rows[-1]), "elapsed": [250.0], "peak": [96 << 20]})
    results = Results(
        rijn="1", created="2026-01-01T00:00:00", command="rijn <bench>", seconds=1.0, rounds=3,
        millis=0.0, chosen="aesni", rows=rows,
        machine={"cpu": "A CPU", "cores": 2, "system": "S", "python": "P"},
        contenders=[
            Contender(name=name, through="python", state="ready")
            for name in dict.fromkeys(row.contender for row in rows)
        ],
    )  # fmt: skip
    path = folder / "run.json"
    path.write_text(results.as_json())
    return str(path)


def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("--as", "columns", "--from", saved(tmp_path)) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["rijn/xaes/aesni", "20.0", "16.0", "50.0"] in lines
    assert ["rijn/siv/aesni", "30.0", "29.0", "50.0"] in lines
    assert ["pyarrow", "300", "300", "1.00", "250", "96"] in lines


def test_a_page_and_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    arguments = ("--as", "columns", "--from", saved(tmp_path))
    assert main(*arguments, "--html", str(page), "--png", str(pictures)) == 0
    content = page.read_text("utf-8")
    assert "<td>rijn/xaes/aesni</td><td>20.0</td><td>16.0</td><td>50.0</td>" in content
    assert "rijn &lt;bench&gt;" in content
    assert content.count("<svg") == 2 * 2
    assert content.count("<section") == content.count("</section>")
    assert {it.name for it in pictures.iterdir()} == {
        "formats-encrypt-16-python.png", "parquet-encrypt-16-python.png",
    }  # fmt: skip
    assert all(it.read_bytes().startswith(b"\x89PNG") for it in pictures.iterdir())
