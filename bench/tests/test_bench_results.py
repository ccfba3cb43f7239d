"""Tests the output of `rijn bench`: the schema, comparisons, reports, studies."""

from __future__ import annotations

import csv
import gc
import io
import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from backends import needs_native
from hypothesis import given
from hypothesis import strategies as st
from limits import LIMIT

import rijn
from rijn._install import pip_install
from rijn_bench import compare, text
from rijn_bench.contenders import RijnBackend
from rijn_bench.plan import Plan
from rijn_bench.results import Contender, NotResults, Results, Row

SIZES = (16, 1 << 10, 16 << 10, 1 << 20)


@pytest.fixture(autouse=True)
def _no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes COLUMNS, which pytest-xdist sets, so that tables have the width for a pipe."""
    monkeypatch.delenv("COLUMNS", raising=False)


# Bytes a nanosecond. Each call has a fixed cost too.
SPEEDS = {"rijn/fast": 8.0, "rijn/leaky": 9.0, "rijn/slow": 0.25, "openssl": 4.0}


def example(seed: int = 0, noise: float = 0.01, **factors: float) -> Results:
    """Returns a run with invented contenders. A factor slows one of them, or "machine" all."""
    luck = random.Random(seed)
    results = Results(
        rijn=rijn.__version__,
        created="2026-01-02T03:04:05+00:00",
        command="rijn bench",
        seconds=1.5,
        rounds=15,
        millis=2.0,
        chosen="fast",
        machine={"cpu": "A <CPU>", "cores": 2, "system": "Linux", "python": "CPython 3.11"},
    )
    claims = {"rijn/fast": True, "rijn/leaky": False, "rijn/slow": True}
    for through in ("c", "python"):
        results.contenders += [
            Contender(
                name=name,
                through=through,
                state="ready",
                version="1.0",
                constant_time=claims.get(name),
            )
            for name in SPEEDS
        ]
    results.contenders.append(Contender(name="nobody", through="python", state="not installed"))

    def rounds(ns: float, name: str) -> list[float]:
        slower = factors.get(name.removeprefix("rijn/"), 1.0) * factors.get("machine", 1.0)
        return [ns * slower * math.exp(luck.gauss(0, noise)) for _ in range(results.rounds)]

    for through, buffer, call in (("c", "apart", 20.0), ("python", "fresh", 90.0)):
        for algorithm in ("aes-128-gcm", "aes-128-ctr"):
            for size in SIZES:
                task = {
                    "algorithm": algorithm,
                    "operation": "encrypt",
                    "size": size,
                    "key": "warm",
                    "buffer": buffer,
                    "threads": 1,
                    "through": through,
                    "messages": 10,
                }
                for name, speed in SPEEDS.items():
                    ns = rounds(call + size / speed, name)
                    results.rows.append(Row(**task, contender=name, ns=ns))  # type: ignore[arg-type]
                if through == "c":
                    for name, speed in (("aesenc/xmm", 20.0), ("aesenc/ymm", 40.0), ("copy", 30.0)):
                        ns = rounds(size / speed, name)
                        results.ceilings.append(Row(**task, contender=name, ns=ns))  # type: ignore[arg-type]
    return results


# ---- The schema ------------------------------------------------------------------------


def test_json_round_trip() -> None:
    results = example()
    written = results.as_json()
    assert Results.from_json(written) == results
    assert Results.from_json(written).as_json() == written
    found = json.loads(written)
    assert (found["schema"], found["version"]) == ("rijn-bench", 2)
    assert "cycles" not in found["rows"][0]


def test_fields_of_a_later_minor_change_are_ignored() -> None:
    found = json.loads(example().as_json())
    found["rows"][0]["joules"] = 3
    found["weather"] = "fine"
    assert len(Results.from_json(json.dumps(found)).rows) == len(found["rows"])


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "other"},
        {"version": 3},
        {"rows": [{"algorithm": "aes-128-gcm"}]},
        {"rows": None},
        {"seconds": ...},
    ],
)
def test_changed_results_are_refused(change: dict[str, object]) -> None:
    found = json.loads(example().as_json()) | change
    found = {name: value for name, value in found.items() if value is not ...}
    with pytest.raises(NotResults):
        Results.from_json(json.dumps(found))


@pytest.mark.parametrize("text", ["", "[]", "nonsense", "3", '{"a": 1}'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(NotResults):
        Results.from_json(text)


def test_csv_has_the_values_of_the_rows() -> None:
    results = example()
    lines = list(csv.DictReader(io.StringIO(results.as_csv())))
    assert len(lines) == len(results.rows)
    for line in lines:
        (row,) = (
            row
            for row in results.rows
            if (row.through, row.contender, row.algorithm, str(row.size))
            == (line["through"], line["contender"], line["algorithm"], line["size"])
        )
        assert float(line["median_ns"]) == pytest.approx(row.median, abs=1e-3)
        assert float(line["bytes_per_second"]) == pytest.approx(
            row.size / row.median * 1e9, rel=1e-3
        )
        assert int(line["rounds"]) == 15
    assert {line["ratio_to_best_peer"] for line in lines if line["contender"] == "openssl"} == {
        "1.0000"
    }


def test_a_ceiling_is_the_slowest_of_the_fastest_of_each_kind() -> None:
    results = example(noise=0.0)
    rows = {(r.contender, r.size, r.through): r for r in results.rows}
    row = rows["rijn/fast", 1 << 20, "c"]
    assert results.ceiling(row.task) == pytest.approx((1 << 20) / 30)  # copy, not the wider aesenc
    # A new result in Python is the same work.
    assert results.ceiling(rows["rijn/fast", 1 << 20, "python"].task) == results.ceiling(row.task)
    assert results.ceiling(row.task._replace(operation="decrypt")) is None
    in_place = [replace(r, buffer="in-place") for r in results.ceilings]
    results = example(noise=0.0)
    results.ceilings = in_place
    assert results.ceiling(row.task._replace(buffer="in-place")) == pytest.approx((1 << 20) / 40)


def test_the_safe_backend_is_constant_time() -> None:
    results = example(noise=0.0)
    for rows in results.tasks("c").values():
        safe, peer = results.safe(rows), results.best_peer(rows)
        assert safe is not None
        assert peer is not None
        assert (safe.name, peer.name) == ("fast", "openssl")
        assert min(rows, key=lambda row: row.median).name == "leaky"


# ---- Comparisons -----------------------------------------------------------------------

samples = st.lists(st.floats(1.0, 1e6), min_size=3, max_size=25)


@given(samples, samples, st.floats(0.1, 10.0))
def test_the_shift_follows_a_factor(old: list[float], new: list[float], factor: float) -> None:
    shift, low, high = compare.shift(old, new)
    assert low <= shift <= high
    moved = compare.shift(old, [value * factor for value in new])
    for before, after in zip((shift, low, high), moved, strict=True):
        assert after == pytest.approx(before + math.log(factor), abs=1e-9)
    back = compare.shift(new, old)
    assert back == pytest.approx((-shift, -high, -low), abs=1e-9)


def test_the_interval_covers_zero_for_equal_runs() -> None:
    """It does so for 99 % of all pairs of runs with the same distribution. 400 pairs are tried."""
    luck = random.Random(1)

    def sample() -> list[float]:
        return [math.exp(luck.gauss(0, 0.1)) for _ in range(15)]

    excluded = 0
    for _ in range(400):
        _, low, high = compare.shift(sample(), sample())
        excluded += not low <= 0 <= high
    assert excluded <= 12


def names(changes: list[compare.Change]) -> set[str]:
    return {change.row.name for change in changes}


def test_equal_runs_do_not_differ() -> None:
    found = compare.compare(example(1), example(2))
    assert not found.faster
    assert not found.slower
    assert found.controls == 2 * 2 * 4 + 2 * 4 * 3  # openssl's rows and the ceilings
    assert len(found.changes) == 3 * 2 * 2 * 4


def test_a_slower_backend_is_found() -> None:
    found = compare.compare(example(1), example(2, slow=1.2))
    assert names(found.slower) == {"slow"}
    assert len(found.slower) == 16
    assert not found.faster
    for change in found.slower:
        assert change.speed == pytest.approx(1 / 1.2, rel=0.03)
        low, high = change.speeds
        assert low <= change.speed <= high < 1


def test_a_faster_backend_is_found() -> None:
    found = compare.compare(example(1), example(2, fast=0.8))
    assert names(found.faster) == {"fast"}
    assert not found.slower


def test_a_slower_machine_is_not_a_slower_backend() -> None:
    found = compare.compare(example(1), example(2, machine=1.4))
    assert not found.slower
    assert not found.faster
    assert found.drift == pytest.approx(1 / 1.4, rel=0.02)


def test_changes_as_large_as_those_of_controls_are_noise() -> None:
    """If peers change by 30 % between runs, a change of 20 % is not reported."""
    old, new = example(1), example(2, slow=1.2)
    for i, row in enumerate(new.rows):
        if row.contender == "openssl":
            factor = 1.3 if i % 8 < 4 else 1 / 1.3
            new.rows[i] = replace(row, ns=[ns * factor for ns in row.ns])
    assert not compare.compare(old, new).slower


def test_a_new_version_of_a_peer_is_not_a_control() -> None:
    old, new = example(1), example(2, openssl=2.0)
    new.contenders = [
        replace(it, version="2.0") if it.name == "openssl" else it for it in new.contenders
    ]
    found = compare.compare(old, new)
    assert names(found.slower) == {"openssl"}
    assert found.controls == 24


def test_agreement_counts_pairs_of_backends_from_a_kibibyte() -> None:
    pairs = compare.agreement(example(1), example(1))
    assert len(pairs) == 3 * 2 * 2 * 3  # pairs, sides, algorithms, sizes
    assert all(pair.difference == 0 for pair in pairs)
    pairs = compare.agreement(example(noise=0.0), example(noise=0.0, fast=1.1))
    assert {round(pair.difference, 6) for pair in pairs if "fast" in pair.names} == {0.1}
    assert {round(pair.difference, 6) for pair in pairs if "fast" not in pair.names} == {0.0}


# ---- Text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0123, "0.0123"), (1.0, "1.00"), (12.34, "12.3"), (99.96, "100"), (123456.0, "123,456")],
)
def test_significant(value: float, expected: str) -> None:
    assert text.significant(value) == expected


def test_units() -> None:
    assert text.rate(12.4e9) == "12.4 GB/s"
    assert text.rate(31.0e3) == "31.0 kB/s"
    assert text.duration(412.3) == "412 ns"
    assert text.duration(18.26e3) == "18.3 µs"
    assert [text.size(n) for n in (16, 1350, 1 << 14, 3 << 20)] == [
        "16 B",
        "1350 B",
        "16 KiB",
        "3 MiB",
    ]
    assert [text.ratio(x) for x in (12.34, 0.62, 0.019, 8.53e-6)] == [
        "12.3",
        "0.62",
        "1/52.6",
        "1/117k",
    ]


# ---- The command --------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "results.json"
    path.write_text(example().as_json(), "utf-8")
    return str(path)


def main(*arguments: str) -> int:
    pytest.importorskip("click", reason="the command line is an extra")
    pytest.importorskip("rich", reason="the command line is an extra")
    from rijn.cli import main

    gc.freeze()  # makes the collection before each task fast: it skips earlier imports
    return main(["bench", *arguments])


def test_the_table_fits_100_columns(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("--from", saved) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    marked = [line for line in lines if line.startswith("★ rijn/")]
    assert len(marked) == 4
    assert all("fast" in line and line.split()[-1].isdecimal() for line in marked)
    assert any("rijn/leaky !" in line for line in lines)
    assert any("not installed: nobody" in line for line in lines)


@needs_native
def test_a_small_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--quick", "--size", "16,1K", "--backend", "python,table", "--peers", "none")
    assert main(*arguments, "--json", "--csv", str(tmp_path / "rows.csv")) == 0
    found = Results.from_json(capsys.readouterr().out)
    assert {row.name for row in found.rows} == {"python", "table"}
    assert {row.size for row in found.rows} == {16, 1024}
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == len(found.rows) + 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--size", "nonsense"),
        ("--algorithm", "des"),
        ("--backend", "nonsense"),
        ("--peers", "nonsense"),
        ("--operation", "guess"),
        ("--quick", "--full"),
        ("--threads", "0"),
        ("--as", "nonsense"),
        ("--as", "putty", "--algorithm", "gcm"),
        ("--as", "putty", "--operation", "encrypt"),
        ("--as", "putty", "--backend", "aesni"),
        ("--as", "putty", "--peers", "none"),
        ("--as", "putty", "--threads", "2"),
        ("--as", "putty", "--full"),
        ("--files", "folder"),
    ],
)
def test_wrong_options(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(*arguments) == 2
    assert capsys.readouterr().err.startswith("rijn: ")


def test_not_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes")
    assert main("--from", str(path)) == 1
    assert "notes.txt" in capsys.readouterr().err


def test_compare(tmp_path: Path, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text(example(2, slow=1.5).as_json())
    assert main("compare", saved, str(other)) == 0
    output = capsys.readouterr().out
    assert "0 faster, 16 slower" in output
    assert "rijn/slow" in output
    assert main("compare", saved, saved) == 0
    assert "0 faster, 0 slower" in capsys.readouterr().out


def test_compare_agreement(tmp_path: Path, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    for factor, code, verdict in ((1.02, 0, "agree within"), (1.5, 1, "DO NOT agree")):
        other = tmp_path / "other.json"
        other.write_text(example(2, slow=factor, leaky=1 / factor).as_json())
        assert main("compare", "--agreement", saved, str(other)) == code
        assert verdict in capsys.readouterr().out


# ---- Pictures ------------------------------------------------------------------------------


def test_the_report_is_one_page_that_loads_nothing(tmp_path: Path, saved: str) -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    path = tmp_path / "report.html"
    assert main("--from", saved, "--html", str(path)) == 0
    page = path.read_text("utf-8")
    assert "A &lt;CPU&gt;" in page
    assert "<script" not in page
    assert not re.search(r"\brungs?\b", page, re.IGNORECASE)
    loaded = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert loaded
    assert all(target.startswith(("#", "data:image/png;base64,")) for target in loaded)
    # Wide and narrow, for each of the plots of two sides of two algorithms.
    assert page.count("<svg") == 2 * 4 * 2 * 2
    identifiers = re.findall(r'\bid="([^"]*)"', page)
    assert len(identifiers) == len(set(identifiers))
    for target in re.findall(r'(?:href="#|url\(#)([^")]*)', page):
        assert target in identifiers
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page


@pytest.fixture
def unillustrated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes reports without pictures, which would take time."""
    pytest.importorskip("matplotlib", reason="plots are an extra")
    from rijn_bench import plots

    monkeypatch.setattr(plots, "figures", lambda _: [])


def report_of(results: Results) -> str:
    pytest.importorskip("rich", reason="the command line is an extra")
    from rijn_bench import report

    return report.page(results)


def one_side(results: Results) -> Results:
    """Keeps only AES-128-GCM in C: four pictures."""
    results.rows = [
        row for row in results.rows if (row.algorithm, row.through) == ("aes-128-gcm", "c")
    ]
    return results


def between(page: str, start: str, end: str) -> list[str]:
    return re.findall(f"{start}(.*?){end}", page, re.DOTALL)


@pytest.mark.usefixtures("unillustrated")
def test_the_headline_names_measured_and_missing_libraries() -> None:
    page = report_of(example())
    (title,) = between(page, "<h1>", "</h1>")
    assert title == "Rijn’s fast and openssl: ahead in 16 of 16 measurements"
    (lead,) = between(page, '<p class="lead">', "</p>")
    _, absent = lead.split("Not in this run: ")
    names = absent.rstrip(".").split(", ")
    # Not installed, not asked for, and only in C.
    assert {"nobody", "cryptography", "ipsec-mb"} <= set(names)
    assert "openssl" not in names
    assert not any("rijn" in name for name in names)


@pytest.mark.usefixtures("unillustrated")
def test_the_headline_without_other_libraries() -> None:
    results = example()
    results.rows = [row for row in results.rows if row.is_rijn]
    page = report_of(results)
    assert between(page, "<h1>", "</h1>") == [f"Rijn {rijn.__version__}, without other libraries"]
    (lead,) = between(page, '<p class="lead">', "</p>")
    assert "times as fast" not in lead
    assert "openssl" in lead.partition("Not in this run")[2]


@pytest.mark.usefixtures("unillustrated")
def test_the_headline_counts_many_libraries() -> None:
    results = example()
    for name in ("a", "b", "c/one", "c/two"):
        results.rows += [
            replace(row, contender=name) for row in results.rows if row.contender == "openssl"
        ]
    page = report_of(results)
    assert "and 4 other libraries: ahead in" in page
    assert "Compared with openssl, a, b and c." in page


def printed(results: Results) -> str:
    pytest.importorskip("rich", reason="the command line is an extra")
    from rich.console import Console

    from rijn_bench import tables

    out = io.StringIO()
    tables.print_results(results, Console(file=out, width=200))
    return out.getvalue()


def test_backends_without_a_claim_are_marked() -> None:
    """Rijn's backends are marked, peers are not."""
    results = example()
    results.contenders = [
        replace(it, constant_time=None) if it.name == "rijn/slow" else it
        for it in results.contenders
    ]
    output = printed(results)
    assert "rijn/slow !" in output and "rijn/leaky !" in output
    assert "openssl !" not in output and "fast !" not in output
    assert "! not constant time, or nothing claimed" in output


def test_the_size_of_the_ratios_is_shown() -> None:
    """Also if the usual size was not measured. A faster constant-time backend is in the headline."""
    results = example()
    assert results.machine["cpu"] in printed(results)
    results.rows = [row for row in results.rows if row.size != 16 << 10]
    lines = printed(results).splitlines()
    heads = [lines[i : i + 2] for i, line in enumerate(lines) if "× peer  ceiling" in line]
    assert len(heads) == 4
    assert all(units.split()[-2:] == ["KiB", "%"] and " 1 KiB " in units for _, units in heads)
    assert lines[0].startswith("Rijn ") and "at 1 KiB timed in C" in lines[0]
    assert "★" not in lines[0]
    results.chosen = "slow"
    assert "; ★ fast was faster in this run." in printed(results).splitlines()[0]


def test_a_backend_that_is_not_installed_says_how_to_install_it() -> None:
    """The reason contains brackets, which must not be read as markup. A backend that can be
    installed is not "unavailable"."""
    results = example()
    reason = f"needs the package numba: {pip_install('numba')}"
    absent = rijn.backends()[0]._replace(name="numba", available=False, reason=reason)
    about = RijnBackend(absent).about
    assert about.state == "not installed"
    assert RijnBackend(absent._replace(name="neon")).about.state == "unavailable"
    results.contenders.append(about)
    assert f"not installed: nobody, rijn/numba ({reason})" in printed(results)


@pytest.mark.usefixtures("unillustrated")
def test_the_report_says_why_a_backend_is_absent() -> None:
    """Also, each column of the report has one unit."""
    results = example()
    results.contenders.append(
        Contender(name="rijn/far", through="c", state="unavailable", version="1.0", reason="no far")
    )
    page = report_of(results)
    assert "<td>no far</td>" in page
    for table in between(page, "<table>", "</table>")[:-1]:
        assert "<th>16 B<br>ns</th>" in table and "<th>1 MiB<br>MB/s</th>" in table
        assert "× best peer<br>16 KiB" in table
        assert not re.search(r"\d (ns|µs|[kMG]?B/s)<", table)


@pytest.mark.usefixtures("unillustrated")
def test_the_report_marks_only_backends_that_are_not_constant_time() -> None:
    """It marks them in every table."""
    results = example()
    mark = '<span class="leaky" title="not constant time, or nothing claimed">!</span>'
    page = report_of(results)
    tables = between(page, "<table>", "</table>")
    assert len(tables) == 2 * 2 + 1
    for table in tables:
        marked = [cell for cell in between(table, "<td>", "</td>") if mark in cell]
        assert set(marked) == {f"rijn/leaky {mark}"}


def test_pictures_mark_only_backends_that_are_not_constant_time() -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    from rijn_bench import plots

    pictures = plots.figures(one_side(example()))
    assert len(pictures) == 4
    for picture in pictures:
        drawn = picture.svg(plots.NARROW)
        assert ">leaky !<" in drawn
        assert drawn.count("!<") == 1
        assert "not constant" in picture.caption.replace("\n", " ")


def test_only_backends_that_are_not_constant_time_are_red_crosses() -> None:
    """Figures are dots, because the length of a bar means nothing on a logarithmic axis."""
    pytest.importorskip("matplotlib", reason="plots are an extra")
    from rijn_bench import plots

    results = one_side(example())
    results.contenders = [
        replace(it, constant_time=None) if it.name == "rijn/slow" else it
        for it in results.contenders
    ]
    assert plots.LEAKY not in plots.BACKENDS
    dotted = [it for it in plots.figures(results) if it.name.startswith(("backends", "message"))]
    assert len(dotted) == 2
    for picture in dotted:
        (axes,) = picture.draw(plots.NARROW).axes
        assert axes.get_xscale() == "log"
        assert not axes.patches
        marks = {
            label.get_text(): [
                (line.get_marker(), line.get_color() == plots.LEAKY)
                for line in axes.lines
                if line.get_marker() in "oXDs" and list(line.get_ydata()) == [y]
            ]
            for y, label in enumerate(axes.get_yticklabels())
        }
        assert marks == {
            "★ fast": [("o", False)],
            "leaky !": [("X", True)],
            "slow !": [("D", False)],
            "openssl": [("s", False)],
        }


@pytest.mark.usefixtures("unillustrated")
def test_a_narrow_page_shows_everything() -> None:
    """Only the pictures for the other width are hidden. Wide tables scroll."""
    page = report_of(example())
    hidden = re.findall(r"([^{}]*)\{[^{}]*(?:display: *none|visibility: *hidden)", page)
    assert [rule.strip() for rule in hidden] == [".narrow", ".wide"]
    assert re.search(r"\.scroll \{ overflow-x: auto;", page)
    boxes = re.findall(
        '<div class="scroll" role="region" tabindex="0" aria-label="[^"]+"><table>', page
    )
    assert len(boxes) == page.count("<table") == 2 * 2 + 1


def test_narrow_pictures_show_everything() -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    from rijn_bench import plots

    results = one_side(example())
    for row in [row for row in results.rows if row.size == 1 << 20]:
        sizes = (64, 256, 4 << 10, 64 << 10, 256 << 10)
        results.rows += [replace(row, size=size) for size in sizes]
    (picture,) = (it for it in plots.figures(results) if it.name.startswith("ratios"))
    wide, narrow = (
        sorted(between(picture.svg(width), "<text[^>]*>", "</text>"))
        for width in (plots.WIDE, plots.NARROW)
    )
    # Two panels, one below the other.
    assert narrow == sorted([*wide, "fast", "leaky !", "slow", "bytes in a message"])


def test_pictures(tmp_path: Path, saved: str) -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    assert main("--from", saved, "--png", str(tmp_path / "plots")) == 0
    found = {path.name: path.read_bytes() for path in (tmp_path / "plots").iterdir()}
    assert set(found) == {
        f"{plot}-{algorithm}-{side}.png"
        for plot in ("throughput", "backends", "message", "ratios")
        for algorithm in ("aes-128-gcm", "aes-128-ctr")
        for side in ("c", "python")
    }
    assert all(content.startswith(b"\x89PNG") for content in found.values())


@pytest.mark.parametrize("option", ["--json", "--csv", "--html"])
def test_files_are_replaced_only_with_force(
    tmp_path: Path, saved: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The source file of the results is never replaced."""
    if option == "--html":
        pytest.importorskip("matplotlib", reason="plots are an extra")
    path = tmp_path / "mine"
    path.write_text("mine")
    assert main("--from", saved, option, str(path)) == 9
    assert capsys.readouterr().err == f"rijn: {path}: exists already (--force overwrites it)\n"
    assert path.read_text() == "mine"
    assert main("--from", saved, option, str(path), "--force") == 0
    assert path.read_text() != "mine"
    before = Path(saved).read_text()
    assert main("--from", saved, option, saved, "--force") == 9
    assert Path(saved).read_text() == before
    assert {each.name for each in tmp_path.iterdir()} == {"mine", "results.json"}


@pytest.mark.parametrize(("option", "more"), [("--png", ()), ("--files", ("--as", "putty"))])
def test_folders_with_files_need_force(
    tmp_path: Path, saved: str, option: str, more: tuple[str, ...]
) -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "mine").write_text("mine")
    arguments = (*more, "--from", saved, option, str(folder))
    assert main(*arguments) == 9
    assert [each.name for each in folder.iterdir()] == ["mine"]
    if option == "--png":
        assert main(*arguments, "--force") == 0
        assert main(*arguments, "--force") == 0
        assert (folder / "mine").read_text() == "mine"


def test_two_outputs_with_one_name_are_refused(tmp_path: Path, saved: str) -> None:
    path = str(tmp_path / "out")
    assert main("--from", saved, "--json", path, "--csv", str(tmp_path / "." / "out")) == 2
    assert not os.path.exists(path)


# ---- Studies ----------------------------------------------------------------------------------


def hasten(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Makes a study measure few and short rounds. Its figures are meaningless then."""
    pytest.importorskip("rich", reason="the command line is an extra")
    from rijn_bench import studies

    study = studies.STUDIES[name]

    def make_plan(sizes: Sequence[int]) -> Plan:
        return replace(study.make_plan(sizes), rounds=2, passes=1, millis=0.05)

    monkeypatch.setitem(studies.STUDIES, name, replace(study, make_plan=make_plan))


@pytest.mark.parametrize(
    ("study", "sizes", "expected"),
    [
        ("pure", "16,256", ["× bsaes", "× pyaes CTR", "bsaes: "]),
        ("python-bitsliced", "16,256", ["0x10", "0.0103", "reference"]),
        ("languages", "16,64", ["not in this run", "AES-NI", "4,300", "in viper", " instr."]),
        ("aegis", "64", ["AEGIS-128X4", "782", "Mb/s", "Cortex-M4", "instr.", "139.1"]),
        ("pyaes", "320", ["rijn.compat.pyaes on python", "a call", "117"]),
    ],
)
def test_studies(
    study: str,
    sizes: str,
    expected: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hasten(monkeypatch, study)
    assert main("--as", study, "--size", sizes) == 0
    output = capsys.readouterr().out
    for words in expected:
        assert words in output
    assert max(map(len, output.splitlines())) <= 100


def test_missing_figures_have_reasons() -> None:
    pytest.importorskip("rich", reason="the command line is an extra")
    from rijn_bench import studies

    results = replace(example(), rows=[], contenders=[])

    def row(name: str) -> list[str]:
        return next(line for line in studies._languages(results).rows if line[1] == name)

    for name, state in (("fixslice64", "ready"), ("neon", "unavailable"), ("python", "ready")):
        results.contenders.append(Contender(name=f"rijn/{name}", through="python", state=state))
    results.contenders.append(Contender(name="rijn/numba", through="python", state="not installed"))
    results.rows = [replace(example().rows[0], contender="openssl")]
    reasons = [row(name)[2] for name in ("fixslice64", "neon", "python", "table", "numba")]
    assert reasons == [
        "no C harness", "not for this machine", "too slow", "not in this run", "not installed",
    ]  # fmt: skip
    assert any(
        pip_install(package="rijn-bench") in note for note in studies._languages(results).notes
    )
    results.contenders.append(Contender(name="rijn/fixslice64", through="c", state="ready"))
    assert row("fixslice64")[2] == "too slow"
    assert not any(
        pip_install(package="rijn-bench") in note for note in studies._languages(results).notes
    )


def test_putty_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rijn_bench import harness

    hasten(monkeypatch, "putty")
    if harness.find() is None:
        assert main("--as", "putty", "--size", "16") == 0
        assert "no C harness" in capsys.readouterr().out
        return
    assert main("--as", "putty", "--size", "16,1K", "--files", str(tmp_path / "perf")) == 0
    assert "4.7" in capsys.readouterr().out
    lines = (tmp_path / "perf" / "perf-table.txt").read_text().splitlines()
    assert len(lines) == 3 * 3 * 2 * 2  # codes, keys, sizes, rounds
    for line in lines:
        code, bits, size, time = line.split("\t")
        assert code in "012"
        assert bits in ("128", "192", "256")
        assert size in ("16", "1024")
        assert float(time) > 0


def putty_results(times: dict[str, dict[str, float]]) -> str:
    """Returns the JSON of a result of --as putty, with two sizes and three keys.

    :param times: ns by contender and mode
    """
    results = Results(
        rijn="0",
        created="2026-01-01T00:00:00+00:00",
        command="rijn bench",
        seconds=1.0,
        rounds=2,
        millis=1.0,
        chosen="aesni",
        machine={"cpu": "a CPU", "cores": 2, "system": "a system", "python": "a Python"},
    )
    for name, modes in times.items():
        results.contenders.append(Contender(name=name, through="c", state="ready", version=""))
        for mode, ns in modes.items():
            algorithm, _, operation = mode.partition(" ")
            for bits in (128, 192, 256):
                for size in (16, 64):
                    row = Row(
                        algorithm=f"aes-{bits}-{algorithm}",
                        operation=operation,
                        size=size,
                        key="warm",
                        buffer="in-place",
                        threads=1,
                        through="c",
                        contender=name,
                        messages=1,
                        # The ratio is four times as large at 64 bytes: 2 in the geometric mean.
                        ns=[ns * (4 if name == "putty/software" and size == 64 else 1)] * 2,
                    )
                    results.rows.append(row)
    return results.as_json()


def test_putty_means_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich", reason="the command line is an extra")
    file = tmp_path / "results.json"
    modes = ("cbc encrypt", "cbc decrypt", "ctr encrypt", "gcm encrypt")
    file.write_text(
        putty_results(
            {
                "putty/software": dict.fromkeys(modes, 100.0),
                "putty/aesni": dict(zip(modes, (50.0, 20.0, 10.0, 40.0), strict=True)),
                "putty/rijn": dict(zip(modes, (40.0, 8.0, 2.5, 10.0), strict=True)),
                "rijn/sse2": dict(zip(modes, (100.0, 50.0, 25.0, 80.0), strict=True)),
            }
        )
    )
    assert main("--as", "putty", "--from", str(file), "--files", str(tmp_path / "perf")) == 0
    output = capsys.readouterr().out
    rows = {line.rsplit(maxsplit=5)[0]: line.split()[-5:] for line in output.splitlines()[2:7]}
    # Each code, the geometric mean of the three, and GCM separately.
    assert rows == {
        "putty/aesni": ["4.00", "10.00", "20.00", "9.28", "5.00"],
        "putty/rijn": ["5.00", "25.00", "80.00", "21.54", "20.00"],
        "sse2": ["2.00", "4.00", "8.00", "4.00", "2.50"],
        "putty/rijn over putty/aesni": ["1.25", "2.50", "4.00", "2.32", "4.00"],
        "original: AES-NI over software": ["4.7", "13.0", "–", "–", "–"],
    }
    assert "make putty-bench" not in output
    found = {path.name: path.read_text().splitlines() for path in (tmp_path / "perf").iterdir()}
    assert set(found) == {
        "perf-original.txt",
        "perf-original-aesni.txt",
        "perf-output.txt",
        "perf-sse2.txt",
    }
    assert found["perf-output.txt"][:2] == ["0\t128\t16\t40.00"] * 2
    assert {line.split("\t")[0] for line in found["perf-output.txt"]} == {"0", "1", "2"}
    # The quotients of the lines give the means of the table.
    pairs = zip(found["perf-original.txt"], found["perf-output.txt"], strict=True)
    logs = []
    for one, other in pairs:
        (*task, before), (*same, after) = one.split("\t"), other.split("\t")
        assert task == same
        logs.append(math.log(float(before) / float(after)))
    assert f"{math.exp(sum(logs) / len(logs)):.2f}" == rows["putty/rijn"][3]


def test_putty_says_how_to_build_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich", reason="the command line is an extra")
    file = tmp_path / "results.json"
    modes = ("cbc encrypt", "cbc decrypt", "ctr encrypt")
    file.write_text(
        putty_results(
            {
                "rijn/table": dict.fromkeys(modes, 100.0),
                "rijn/aesni": dict.fromkeys(modes, 10.0),
            }
        )
    )
    assert main("--as", "putty", "--from", str(file)) == 0
    output = capsys.readouterr().out
    assert "over `table`" in output
    assert "`make putty-bench`" in output
    assert ["aesni", "10.00", "10.00", "10.00", "10.00", "–"] in map(str.split, output.splitlines())


def test_quick_putty_has_few_backends_and_sizes() -> None:
    pytest.importorskip("rich", reason="the command line is an extra")
    from rijn_bench import studies

    plan = studies.STUDIES["putty"].plan_for(None, quick=True)
    whole = studies.STUDIES["putty"].plan_for(None)
    assert plan.peers == ("putty",)
    assert plan.backends is not None
    assert rijn.AES(bytes(16)).backend in plan.backends
    assert len(plan.backends) <= 3
    assert not plan.instructions
    assert {task.algorithm for task in plan.tasks} == {task.algorithm for task in whole.tasks}
    assert max(task.size for task in plan.tasks) == 4 << 20
    assert {task.size for task in whole.tasks} == {16 << 2 * i for i in range(13)}  # to 256 MiB
    assert {task.size for task in studies.STUDIES["putty"].plan_for([48], quick=True).tasks} == {48}


@pytest.mark.parametrize(
    "name", ["pure", "python-bitsliced", "putty", "languages", "aegis", "pyaes"]
)
def test_quick_takes_less_than_a_minute(name: str) -> None:
    """The rounds of all contenders take 15 seconds at most, and no contender takes long."""
    pytest.importorskip("rich", reason="the command line is an extra")
    from rijn_bench import studies
    from rijn_bench.peers import PEERS
    from rijn_bench.plan import C_PEERS

    study = studies.STUDIES[name]
    quick, whole = study.plan_for(None, quick=True), study.plan_for(None)
    contenders = len(rijn.backends() if quick.backends is None else quick.backends)
    contenders += len((*PEERS, *C_PEERS) if quick.peers is None else quick.peers)
    seconds = len(quick.tasks) * contenders * quick.rounds * quick.millis / 1000
    assert seconds < 15
    assert quick.patience <= 0.5
    assert not quick.instructions
    assert {task.algorithm for task in quick.tasks} == {task.algorithm for task in whole.tasks}
    assert {task.size for task in quick.tasks} <= {task.size for task in whole.tasks}
    assert {task.size for task in study.plan_for([48], quick=True).tasks} == {48}


# ---- Imports --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "forbidden"),
    [
        (["--version"], {"rich", "matplotlib", "numpy", "rijn_bench"}),
        (["bench", "--help"], {"rich", "matplotlib", "numpy", "rijn_bench.plan", "rijn_bench.run"}),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(arguments: list[str], forbidden: set[str]) -> None:
    pytest.importorskip("click", reason="the command line is an extra")
    code = (
        f"import json, sys\nfrom rijn.cli import main\nmain({arguments})\n"
        "print(); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & forbidden
