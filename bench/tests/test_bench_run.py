"""Tests the measurements of `rijn bench`: plans, contenders, rounds. No test asserts a time."""

from __future__ import annotations

import gc
import json
import stat
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

import rijn
from rijn_bench import contenders, harness, machine, peers, plan, report, run, tables
from rijn_bench.contenders import Offer
from rijn_bench.plan import Impossible, Plan
from rijn_bench.results import Contender, Results, Task

TASK = Task("aes-128-ctr", "encrypt", 64, "warm", "fresh", 1)


# ---- Plans ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("16", [16]),
        ("0x10,0x1000000", [16, 1 << 24]),
        ("16..1K", [16, 64, 256, 1024]),
        ("16..1000", [16, 64, 256, 1000]),
        ("4k,1350,4KiB", [1350, 4096]),
        ("1M", [1 << 20]),
        ("16..16M", [16 << 2 * i for i in range(11)]),
    ],
)
def test_sizes(text: str, expected: list[int]) -> None:
    assert plan.sizes(text) == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "16,", "big", "1.5K", "64..16", "2048M", "1G"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(Impossible):
        plan.sizes(text)


def test_names_may_be_the_start_or_end_of_a_name() -> None:
    known = ["aes-128-ctr", "aes-128-gcm", "aes-256-gcm"]
    assert plan.names("all", known, "algorithm") == known
    assert plan.names("gcm", known, "algorithm") == known[1:]
    assert plan.names("aes-128,gcm", known, "algorithm") == known
    assert plan.names("aes-256-gcm", known, "algorithm") == known[2:]
    with pytest.raises(Impossible, match="aes-128-ctr"):
        plan.names("aes-1", known, "algorithm")


def test_the_full_plan_is_complete() -> None:
    """It has every method and class of the API that encrypts, CMAC, and the sizes from 16 B to
    16 MiB."""
    tasks = set(plan.preset("full").tasks)
    modes = {name.removesuffix("_encrypt") for name in dir(rijn.AES) if name.endswith("_encrypt")}
    assert {"ecb", "cbc", "ctr"} <= modes
    modes |= {"cmac", "gcm", "ccm", "ocb3", "eax", "siv"}
    algorithms = {f"aes-{bits}-{mode}" for bits in (128, 192, 256) for mode in modes}
    algorithms |= {f"aes-{bits}-{mode}" for bits in (128, 256) for mode in ("xts", "gcm-siv")}
    algorithms |= {f"aegis-{name}" for name in ("128l", "128x2", "128x4", "256", "256x2", "256x4")}
    algorithms |= {"xaes-256-gcm"}
    assert algorithms == set(plan.built())
    classes = {plan.ALGORITHMS[name].aead or plan.ALGORITHMS[name].own for name in algorithms}
    assert {name for name in rijn.__all__ if name.startswith(("AEGIS", "AES", "XAES"))} <= (
        classes | {"AES", "AEGISMAC", "AEGISKernel"}
    )
    for name in algorithms:
        mac = name.endswith("cmac")
        for operation in ("encrypt",) if mac else ("encrypt", "decrypt"):
            for key in ("warm", "cold"):
                for buffer in ("fresh", "apart") if mac else ("fresh", "apart", "in-place"):
                    for size in [16 << 2 * i for i in range(11)]:
                        assert Task(name, operation, size, key, buffer, 1) in tasks
        assert Task(name, "rekey", 0, "warm", "apart", 1) in tasks


def test_modes_get_only_sizes_that_they_accept() -> None:
    assert not plan.tasks(["aes-128-cbc", "aes-128-ige"], [1350])
    assert plan.tasks(["aes-128-ctr"], [1350])
    assert not plan.tasks(["aes-128-xts"], [15, (1 << 24) + 1])
    assert plan.tasks(["aes-128-xts"], [17, 1 << 24])
    assert not plan.tasks(["aes-128-cmac"], [16], ("decrypt",))
    assert not plan.tasks(["aes-128-cmac"], [16], buffers=("in-place",))


# ---- Contenders -----------------------------------------------------------------------

SMALL = Plan(
    plan.tasks(
        # One key size, and the algorithm that libsodium has.
        [
            n
            for n in plan.ALGORITHMS
            if not n.startswith(("aes-192", "aes-256")) or n == "aes-256-gcm"
        ],
        [16, 80],
        plan.OPERATIONS,
        plan.KEYS,
        plan.BUFFERS,
    ),
    rounds=2,
    millis=0.01,
    patience=60.0,
)


@pytest.fixture(scope="module")
def tried(pytestconfig: pytest.Config) -> Plan:
    """SMALL with --thorough, otherwise only one of its two sizes."""
    if pytestconfig.getoption("--thorough"):
        return SMALL
    return replace(SMALL, tasks=tuple(task for task in SMALL.tasks if task.size != 16))


@pytest.fixture(scope="module")
def small(tried: Plan) -> Results:
    """Results of every algorithm, operation, key and buffer, without the C harness."""
    run.measure(replace(tried, tasks=tried.tasks[:1]), "", native=False)
    gc.freeze()  # makes the collection before each task fast: it skips earlier imports
    return run.measure(tried, "rijn bench", native=False)


def test_every_backend_does_every_task(tried: Plan, small: Results) -> None:
    done = {(row.task, row.name) for row in small.rows}
    for backend in rijn.backends():
        for task in tried.tasks:
            algorithm = plan.ALGORITHMS[task.algorithm]
            raw = task.buffer != "fresh" and task.operation != "rekey" and not algorithm.aead
            expected = backend.available and algorithm.built and not raw
            assert ((task, backend.name) in done) is expected, (task, backend.name)


def test_every_installed_peer_takes_part(small: Results) -> None:
    ready = {it.name for it in small.contenders if it.state == "ready"}
    assert {row.contender for row in small.rows} == ready
    for peer in peers.PEERS:
        assert peer.name in {it.name for it in small.contenders}


def test_rows_have_all_rounds(small: Results) -> None:
    assert {len(row.ns) for row in small.rows} == {SMALL.rounds}
    assert all(ns > 0 for row in small.rows for ns in row.ns)
    assert all(row.messages >= 1 for row in small.rows)


def test_a_peer_that_is_not_installed_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = peers.Peer("nobody", "nobody", "rijn_has_no_such_peer", peers.PEERS[0].make)
    monkeypatch.setattr(peers, "PEERS", (absent,))
    results = run.measure(Plan((TASK,), rounds=1, millis=0.01, backends=()), "", native=False)
    assert [(it.name, it.state) for it in results.contenders] == [("nobody", "not installed")]
    assert not results.rows


def test_the_run_names_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without a harness. If Linux does not name the stepping, there is no cpu_id."""
    fields = {
        "Family": "", "model name": "A CPU", "cpu family": "25", "model": "17", "stepping": "1",
    }  # fmt: skip
    lines = "".join(f"{name}\t: {value}\n" for name, value in fields.items())
    monkeypatch.setattr(machine.Path, "read_text", lambda *_: lines)
    found = machine.describe(None)
    assert (found["cpu"], found["cpu_id"]) == ("A CPU", "25-17-1")
    assert machine.describe({"cpu_id": "6-167-1"})["cpu_id"] == "6-167-1"
    monkeypatch.setattr(machine.Path, "read_text", lambda *_: lines.replace("stepping", "step"))
    assert "cpu_id" not in machine.describe(None)


def test_threads() -> None:
    tasks = plan.tasks(["aes-128-gcm"], [1 << 10], buffers=plan.BUFFERS, threads=3)
    results = run.measure(Plan(tasks, rounds=2, millis=0.5), "", native=False)
    assert {row.threads for row in results.rows} == {3}
    assert {row.task for row in results.rows} == set(tasks)


class Fake:
    """A contender that records its keys and nonces."""

    def __init__(self, name: str, answer: Callable[[bytes], bytes] = bytes) -> None:
        self.about = Contender(name=name, through="python", state="ready", version="1")
        self.answer = answer
        self.seen: list[tuple[bytes, bytes]] = []

    def offer(self, _task: Task, data: bytes) -> Offer:
        def message(key: bytes, nonce: bytes) -> bytes:
            self.seen.append((key, nonce))
            return self.answer(data)

        return Offer(bytes, lambda key: partial(message, key), ())


def measured(*sources: Fake, task: Task = TASK, **effort: float) -> Results:
    small_plan = Plan((task,), **{"rounds": 4, "millis": 0.05, **effort})  # type: ignore[arg-type]
    return run.measure(small_plan, "", native=False, sources=sources)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_nonce_repeats(threads: int) -> None:
    fake = Fake("it")
    measured(fake, task=TASK._replace(threads=threads))
    # The first message is compared with the other contenders' results.
    timed = [nonce for _, nonce in fake.seen[1:]]
    # Calibration, and the fewest rounds that a slow contender gets.
    assert len(timed) >= (1 + run.MIN_ROUNDS) * threads
    assert len(set(timed)) == len(timed)
    assert len({key for key, _ in fake.seen}) == 1


def test_a_cold_key_is_new_for_each_message() -> None:
    fake = Fake("it")
    measured(fake, task=TASK._replace(key="cold"))
    keys = [key for key, _ in fake.seen[1:]]
    assert len(set(keys)) == len(keys)


def test_rounds_are_interleaved() -> None:
    order: list[str] = []

    def noting(name: str) -> Callable[[bytes], bytes]:
        return lambda data: order.append(name) or data  # type: ignore[func-returns-value]

    results = measured(Fake("a", noting("a")), Fake("b", noting("b")), rounds=5)
    tail = sum(row.messages for row in results.rows) * 5
    turns = [name for i, name in enumerate(order[-tail:]) if i == 0 or order[-tail:][i - 1] != name]
    assert turns == ["a", "b"] * 5


def test_passes_share_the_rounds() -> None:
    fake = Fake("it")
    results = measured(fake, rounds=7, passes=3)
    (row,) = results.rows
    assert len(row.ns) == 7
    assert all(ns > 0 for ns in row.ns)
    # Each pass starts again with the first nonce.
    restarts = [i for i, seen in enumerate(fake.seen) if seen == fake.seen[0]]
    assert len(restarts) >= 3


def test_a_wrong_result_stops_the_run() -> None:
    wrong = Fake("wrong", lambda data: bytes([data[0] ^ 1]) + data[1:])
    with pytest.raises(run.Disagreement, match="wrong disagrees with right"):
        measured(Fake("right"), wrong)
    short = Fake("short", lambda data: data[:-1])
    with pytest.raises(run.Disagreement, match="short"):
        measured(Fake("right"), short)


def test_a_slow_contender_is_skipped_with_a_reason() -> None:
    # No message can be as fast as this patience requires.
    results = measured(Fake("slow"), task=TASK._replace(size=1 << 20), patience=1e-12)
    assert not results.rows
    (skipped,) = results.skipped
    assert (skipped.contender, skipped.size) == ("slow", 1 << 20)
    assert "limit" in skipped.reason


def test_numbered_changes_the_end_only() -> None:
    assert contenders.numbered(bytes(16), 5) == bytes(15) + b"\x05"
    assert contenders.numbered(b"\xff" * 12, 1) == b"\xff" * 11 + b"\xfe"
    assert contenders.numbered(b"", 7) == b""
    assert len({contenders.numbered(bytes(12), i) for i in range(1000)}) == 1000


# ---- The C harness ----------------------------------------------------------------------

MACHINE = {
    "kind": "machine",
    "schema": 2,
    "cpu": "a CPU",
    "features": [],
    "contenders": [
        {"name": name, "state": state, "version": "1", "reason": "", "constant_time": None}
        for name, state in (("rijn/table", "ready"), ("openssl", "not installed"))
    ],
}
RECORD = {**TASK._asdict(), "buffer": "apart", "messages": 3, "ns": [2.0, 1.0]}
CEILING = {**RECORD, "kind": "ceiling", "ceiling": "copy", "ns": [0.5, 0.5]}
ROW = {**RECORD, "kind": "row", "contender": "rijn/table"}


def stub(folder: Path, *records: object, status: int = 0) -> Path:
    """Writes a program that prints these lines, whatever its arguments are."""
    path = folder / "harness"
    lines = "".join(f"{json.dumps(record)}\\n" for record in records)
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.stdout.write('''{lines}''')\n"
        f"print('what is wrong', file=sys.stderr)\nsys.exit({status})\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


posix = pytest.mark.skipif(sys.platform == "win32", reason="a stub with a shebang")


@posix
def test_rows_and_ceilings_of_the_harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stub(tmp_path, MACHINE, CEILING, ROW)
    monkeypatch.setattr(harness, "find", lambda: path)
    task = TASK._replace(buffer="apart")
    steps: list[int] = []
    small_plan = Plan((task,), rounds=2, millis=0.01, python_buffers=())
    results = run.measure(small_plan, "", lambda _label, n: steps.append(n))
    (row,) = results.rows
    assert (row.through, row.contender, row.ns, row.messages) == ("c", "rijn/table", [2.0, 1.0], 3)
    assert results.ceiling(task) == 0.5
    assert results.fraction(row) == pytest.approx(1 / 3)
    assert results.machine["cpu"] == "a CPU"
    assert sum(steps) == run.steps(small_plan) == 1
    states = {(it.name, it.state) for it in results.contenders if it.through == "c"}
    assert states == {("rijn/table", "ready"), ("openssl", "not installed")}


@posix
def test_the_instructions_of_a_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = json.loads(json.dumps(MACHINE).replace("not installed", "ready"))
    rows = [ROW, {**ROW, "contender": "openssl", "instructions": "aesni-avx"}]
    path = stub(tmp_path, machine, *rows)
    # Only the first pass asks for it, because it takes time.
    asked = tmp_path / "asked"
    path.write_text(
        path.read_text().replace(
            "import sys\n", f"import sys\nopen({str(asked)!r}, 'a').write(f'{{sys.argv}}\\n')\n"
        )
    )
    monkeypatch.setattr(harness, "find", lambda: path)
    task = TASK._replace(buffer="apart")
    small_plan = Plan((task,), rounds=4, millis=0.01, passes=2, python_buffers=())
    results = run.measure(small_plan, "")
    assert [row.instructions for row in results.rows] == [None, "aesni-avx"]
    calls = [line for line in asked.read_text().splitlines() if "--contender" in line]
    assert ["--instructions" in line for line in calls] == [True, False]
    console = Console(width=200)
    with console.capture() as printed:
        tables.print_results(results, console)
    assert "openssl (aesni-avx)" in printed.get()
    assert "openssl (aesni-avx)" in report.page(results)
    header, *lines = results.as_csv().splitlines()
    assert header.endswith(",instructions")
    assert [line.rpartition(",")[2] for line in lines] == ["", "aesni-avx"]


@posix
def test_failures_of_the_harness(tmp_path: Path) -> None:
    found = harness.Harness(stub(tmp_path, ROW, status=3), MACHINE)
    with pytest.raises(harness.HarnessFailed, match="what is wrong"):
        list(found.measure([TASK], ["rijn/table"], 1, 0.1))
    found = harness.Harness(stub(tmp_path, status=2), MACHINE)
    with pytest.raises(harness.NotOffered):
        list(found.measure([TASK], ["rijn/table"], 1, 0.1))
    path = stub(tmp_path)
    path.write_text(f"#!{sys.executable}\nimport os\nprint('{{', flush=True)\nos.abort()\n")
    with pytest.raises(harness.HarnessFailed, match="status"):
        list(harness.Harness(path, MACHINE).measure([TASK], ["rijn/table"], 1, 0.1))
    with pytest.raises(harness.HarnessFailed, match="not a harness"):
        harness.Harness.ask(stub(tmp_path, {**MACHINE, "schema": harness.SCHEMA + 1}))


def test_the_harness_itself(pytestconfig: pytest.Config) -> None:
    path = harness.find()
    if path is None:
        pytest.skip("the C harness is not built")
    # Every peer in the harness has a name in C_PEERS.
    about = harness.Harness.ask(path).contenders()
    linked = {it.name.split("/")[0] for it in about} - {"rijn"}
    assert linked == set(plan.C_PEERS)
    sizes = [16, 1 << 10] if pytestconfig.getoption("--thorough") else [1 << 10]
    tasks = plan.tasks(["aes-128-gcm"], sizes, plan.OPERATIONS, plan.KEYS, plan.BUFFERS)
    results = run.measure(Plan(tasks, rounds=2, millis=0.05, python_buffers=()), "")
    native = {b.name for b in rijn.backends() if b.available} & {
        it.name.removeprefix("rijn/") for it in results.contenders if it.through == "c"
    }
    assert native
    done = {(row.task, row.name) for row in results.rows if row.through == "c"}
    for task in tasks:
        for name in native:
            assert ((task, name) in done) is (task.buffer != "fresh")
    for row in results.rows:
        if row.through == "c" and row.size:
            assert results.ceiling(row.task) is not None
