"""Tests rijn profile: reading each tool's output, the installed tools, and the messages for missing
tools."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from backends import BackendUnderTest, needs_native

import rijn
from rijn._install import pip_install
from rijn_bench import sheet
from rijn_bench.plan import ALGORITHMS, built
from rijn_bench.profile import figures, page, stacks, terminal, tools
from rijn_bench.profile.loop import UNAVAILABLE, Loop
from rijn_bench.profile.measure import Profile, profile
from rijn_bench.profile.subject import Subject
from rijn_bench.profile.tools import Counters, Function, Instructions, Unavailable

SAMPLES = Counter(
    {
        (
            "AESGCM.encrypt (rijn/pure/public/aead.py:132)",
            "hash_by_tables (rijn/pure/ghash.py:58)",
        ): 6,
        ("AESGCM.encrypt (rijn/pure/public/aead.py:132)", "[libc.so.6]"): 1,
        ("gcm <&> (rijn/_native.abi3.so)",): 2,
        (): 1,
    }
)


# ---- The loop ----


@needs_native
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("algorithm", [it for it in built() if not ALGORITHMS[it].is_mac])
def test_loop(algorithm: str, operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop calls the right method. Encryption gets a new nonce each time, decryption the same
    genuine message."""
    subject = Subject(algorithm, operation, "table", 64)
    subject.check()
    loop = subject.loop()
    calls: list[tuple[bytes, ...]] = []
    real = loop._call
    monkeypatch.setattr(
        loop, "_call", lambda *arguments: calls.append(arguments) or real(*arguments)
    )
    loop.run(5)
    assert len(calls) == 5
    nonce_size = ALGORITHMS[algorithm].nonce_size
    if nonce_size:
        assert {len(nonce) for nonce, _ in calls} == {nonce_size}
        assert len({nonce for nonce, _ in calls}) == (5 if operation == "encrypt" else 1)
    assert real(*calls[0]) == real(*calls[0])
    if operation == "decrypt":
        assert real(*calls[0]) == bytes(64)


def test_loop_on_every_backend(tested: BackendUnderTest) -> None:
    Subject("aes-128-gcm", "encrypt", tested.name, 20).loop().run(1)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (Subject("aes-512-gcm", "encrypt", "table", 16), "unknown algorithm 'aes-512-gcm'"),
        (Subject("aes-128-gcm", "rekey", "table", 16), "unknown operation 'rekey'"),
        (Subject("aes-128-gcm", "encrypt", "tables", 16), "unknown backend 'tables'"),
        (Subject("aes-128-cbc", "encrypt", "table", 17), "whole blocks"),
        (Subject("aes-128-ctr", "encrypt", "table", 0), "at least one byte"),
    ],
)
def test_wrong_subjects(subject: Subject, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        subject.check()


@needs_native
def test_program() -> None:
    """The program runs the loop, and reports a missing backend in one line."""
    command = Subject("aes-192-cbc", "decrypt", "table", 32).command(3)
    assert subprocess.run([sys.executable, *command], check=False).returncode == 0
    command[command.index("table")] = "tables"
    done = subprocess.run([sys.executable, *command], check=False, capture_output=True, text=True)
    assert done.returncode == UNAVAILABLE
    assert done.stderr.startswith("unknown backend 'tables'")
    assert done.stderr.count("\n") == 1


# ---- Stacks ----


def test_parse_stacks() -> None:
    """Only frames below the loop are kept. Addresses become their library, clones their function."""
    loop = "Loop.run (rijn/profile/loop.py:57)"
    raw = f"""\
0x7f (libc.so.6);<module> (rijn/profile/loop.py:1);main (rijn/profile/loop.py:80) 9
0x7f (libc.so.6);main (rijn/profile/loop.py:80);{loop};encrypt (rijn/a b.py:3);0x1 (x.so);0x2 (x.so) 4
main (rijn/profile/loop.py:80);{loop};ghash.constprop.0 (rijn/_native.abi3.so) 2
main (rijn/profile/loop.py:80);{loop};ghash (rijn/_native.abi3.so) 3
main (rijn/profile/loop.py:80);{loop} 1
"""
    assert stacks.parse(raw) == {
        ("encrypt (rijn/a b.py:3)", "[x.so]"): 4,
        ("ghash (rijn/_native.abi3.so)",): 5,
        (): 1,
    }


def test_hottest() -> None:
    """Shares of all samples, alone and with callees. Recursion counts once."""
    found = {name: (alone, within) for name, alone, within in stacks.hottest(SAMPLES)}
    assert found["hash_by_tables (rijn/pure/ghash.py:58)"] == (0.6, 0.6)
    assert found["(the loop)"] == (0.1, 0.1)
    assert sum(alone for alone, _ in found.values()) == pytest.approx(1)
    assert stacks.hottest(Counter({("f", "g", "f"): 1})) == [("f", 1, 1)]


def test_flame() -> None:
    """A child is inside its parent, siblings do not overlap, and widths are samples."""
    boxes = stacks.flame(SAMPLES)
    assert [(box.depth, box.samples, box.kind) for box in boxes] == [
        (0, 7, "python"),
        (1, 1, "other"),
        (1, 6, "python"),
        (0, 2, "rijn"),
    ]
    for box in boxes:
        assert box.width == box.samples / SAMPLES.total()
    outer, first, second, last = boxes
    assert (outer.x, first.x, second.x) == (0, 0, first.width)
    assert second.x + second.width == pytest.approx(outer.width)
    assert last.x == outer.width
    assert stacks.flame(SAMPLES, smallest=0.5) == [outer, second]


# ---- The output of perf and callgrind ----

PERF = """\
# started on Thu Jan  1 00:00:00 1970

4000;;cycles:u;1000;100.00;;
10000;;instructions:u;1000;100.00;2.5;insn per cycle
<not supported>;;cache-references:u;0;100.00;;
<not counted>;;cache-misses:u;0;0.00;;
7;;page-faults;1000;100.00;;
"""


def test_counters() -> None:
    found = tools._counters(PERF, 10)
    assert (found.cycles, found.instructions, found.page_faults) == (400, 1000, 0.7)
    assert found.per_cycle == 2.5
    assert found.cache_references is None
    assert "does not count cache-references, cache-misses" in found.note
    assert tools._counters("<not supported>;;cycles:u;0;100.00;;\n", 10).per_cycle is None
    assert tools._counters("", 10).note == ""


def test_annotated() -> None:
    text = """\
Profiled target:  python (PID 1, part 1)
Ir   Dr Dw D1mr D1mw DLmr DLmw
1,234 50 60    1    2    3    4  PROGRAM TOTALS
1,000 10 20    .    1    2    .  /a b/ceval.c:_PyEval'2 [/usr/lib/libpython3.11.so.1.0]
  200 10 20    1    1    .    .  /a b/ceval.c:_PyEval [/usr/lib/libpython3.11.so.1.0]
   30 10 20    .    .    .    .  ./int.c:_PyEval
    4 20  .    .    .    1    4  ???:ghash.constprop.0 [/x/_native.abi3.so]
"""
    assert tools._annotated(text) == {
        ("_PyEval", "libpython3.11.so.1.0"): (1230, 30, 60, 1, 2, 2, 0),
        ("ghash", "_native.abi3.so"): (4, 20, 0, 0, 0, 1, 4),
    }


# ---- The installed tools ----


def skip_unless_found(found: object) -> None:
    if isinstance(found, Unavailable):
        pytest.skip(found.reason)


def test_cprofile() -> None:
    found = tools.cprofile(Subject("aes-128-gcm", "encrypt", "reference", 16), 3)
    assert isinstance(found, list)
    by_name = {row.name.split(" (")[0]: row for row in found}
    assert by_name["T"].calls == 1
    assert by_name["run"].total >= by_name["T"].total > by_name["T"].own > 0
    native = tools.cprofile(Subject("aes-128-gcm", "encrypt", "table", 16), 3)
    assert isinstance(native, Unavailable)
    assert "one call into C" in native.reason


def test_py_spy() -> None:
    """Stacks have Python and native frames, all below the loop, except for a few samples that were
    taken while a stack changed."""
    found = tools.py_spy(Subject("aes-128-gcm", "encrypt", "python", 4096), 1000)
    skip_unless_found(found)
    assert isinstance(found, Counter)
    kinds = Counter(stacks.kind(frame) for stack in found for frame in stack)
    assert kinds["python"] > 0
    torn = [stack for stack in found if any("profile/loop.py" in frame for frame in stack)]
    assert sum(found[stack] for stack in torn) <= found.total() // 50


@needs_native
def test_py_spy_on_native() -> None:
    found = tools.py_spy(Subject("aes-128-gcm", "encrypt", "table", 4096), 20000)
    skip_unless_found(found)
    assert isinstance(found, Counter)
    frames = Counter(frame for stack in found for frame in stack)
    if all(stacks.kind(frame) == "python" for frame in frames):
        pytest.skip("py-spy unwinds no native frames on this platform")
    assert any(frame.startswith("rijn_gcm_seal (rijn/_native") for frame in frames), frames


@needs_native
def test_perf() -> None:
    found = tools.perf(Subject("aes-128-gcm", "encrypt", "table", 4096), 100)
    skip_unless_found(found)
    assert isinstance(found, Counters)
    assert found.note or found.per_cycle


@needs_native
@pytest.mark.thorough
def test_callgrind() -> None:
    """Two runs give the same figures, and they are for one message: the start of Python would be
    tens of millions of instructions, one block is hundreds."""
    subject = Subject("aes-128-ecb", "encrypt", "table", 16)
    found = tools.callgrind(subject, 1e-3)
    skip_unless_found(found)
    assert isinstance(found, Instructions)
    assert 100 < found.native < found.total < 10000
    assert sum(cost for *_, cost in found.functions) == pytest.approx(found.total, rel=0.05)
    assert tools.callgrind(subject, 1e-3) == found


@needs_native
def test_callgrind_of_a_backend_that_valgrind_cannot_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason names other backends, but does not list all of them."""
    program = tmp_path / "valgrind"
    # Runs the loop with a backend that does not exist, as valgrind hides some.
    program.write_text(f"""#!{sys.executable}
import os, sys
rest = sys.argv[sys.argv.index("-m") :]
rest[rest.index("--backend") + 1] = "absent"
os.execv(sys.executable, [sys.executable, *rest])
""")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: str(program))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = tools.callgrind(Subject("aes-128-gcm", "encrypt", "table", 16), 1e-3)
    assert found == Unavailable(
        "callgrind: valgrind emulates a CPU that table cannot run on; profile another backend,"
        " for example aesni or fixslice64"
    )


def test_callgrind_does_not_run_for_slow_messages() -> None:
    found = tools.callgrind(Subject("aes-128-gcm", "encrypt", "reference", 1 << 20), 40.0)
    if shutil.which("valgrind"):
        assert found == Unavailable(
            "callgrind: messages of 40.0 s would take minutes; choose a smaller size"
        )


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        (lambda subject: tools.py_spy(subject, 1), pip_install(package="rijn-bench")),
        (lambda subject: tools.perf(subject, 1), "apt install linux-perf"),
        (lambda subject: tools.callgrind(subject, 1e-3), "apt install valgrind"),
    ],
    ids=["py-spy", "perf", "callgrind"],
)
def test_not_installed(
    tool: Callable[[Subject], object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    found = tool(Subject("aes-128-gcm", "encrypt", "table", 16))
    assert isinstance(found, Unavailable)
    assert words in found.reason


@pytest.mark.parametrize(
    ("tool", "complaint", "words"),
    [
        ("py-spy", "Error: Permission Denied: Try running again", "allow SYS_PTRACE"),
        ("py-spy", "Error: no python here\n", "py-spy took no sample: Error: no python here"),
        ("perf", "perf_event_open: Permission denied", "does not let perf count"),
        ("perf", "error: unknown option `control'", "unknown option `control'"),
        (
            "valgrind",
            "backend 'x' cannot run here\n==1== Events: Ir\n==1== 1",
            "'x' cannot run here",
        ),
        ("valgrind", "==1== killed", "exit code 1"),
    ],
)
def test_tool_fails(
    tool: str, complaint: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / tool
    program.write_text(f"#!/bin/sh\ncat >&2 <<'.'\n{complaint}\n.\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: str(program))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    subject = Subject("aes-128-gcm", "encrypt", "table", 16)
    found = {
        "py-spy": lambda: tools.py_spy(subject, 1),
        "perf": lambda: tools.perf(subject, 1),
        "valgrind": lambda: tools.callgrind(subject, 1e-3),
    }[tool]()
    assert isinstance(found, Unavailable)
    assert words in found.reason


# ---- Output ----


def example(backend: str, scale: float) -> Profile:
    return Profile(
        Subject("aes-128-gcm", "encrypt", backend, 1000),
        times=[2e-6 * scale, 1e-6 * scale, 3e-6 * scale],
        functions=[Function("encrypt <b>", 1.0, 1e-6, 2e-6)],
        stacks=SAMPLES,
        counters=Counters(None, 50.0 * scale, None, None, 0.0, note="counters: no cycles here"),
        instructions=Instructions(9000.0 * scale, 0, 10, 1, 0, [("ghash", "x.so", 100.0)]),
    )


def test_figures() -> None:
    rows = {row.label: row for row in figures.figures([example("python", 6), example("table", 2)])}
    assert rows["time a message"].cells == ["12 µs", "4 µs"]
    assert rows["time a message"].ratio == "3"
    assert rows["throughput"].cells == ["83.3 MB/s", "250 MB/s"]
    assert rows["instructions a message, callgrind"].cells == ["54,000", "18,000"]
    assert rows["page faults a message"].ratio == "–"
    assert "cycles a byte" not in rows
    assert figures.figures([example("table", 1)])[0].ratio == ""


class Balance(HTMLParser):
    """Checks that tags are balanced, and records everything that a page would load."""

    VOID = ("meta", "rect")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.titles: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.loads += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "title":
            self.titles.append(data)


def test_page() -> None:
    """The page is one well-formed file, with a box for each frame and every note."""
    text = page.render([example("python", 6), example("table", 2)])
    parser = Balance()
    parser.feed(text)
    assert parser.open == []
    assert parser.loads == []
    assert "<script" not in text
    assert "encrypt &lt;b&gt;" in text
    assert parser.titles.count("gcm <&> (rijn/_native.abi3.so): 2 samples, 20.0 %") == 2
    assert text.count("counters: no cycles here") == 1


def test_page_has_the_style_of_the_benchmarks() -> None:
    """It has exactly the style of `rijn bench --html`, and its tables scroll."""
    text = page.render([example("python", 6), example("table", 2)])
    assert text.count("<style") == 1
    assert f"<style>{sheet.STYLE}</style>" in text
    assert "style=" not in text
    assert text.count("<table>") == text.count('<div class="scroll" role="region"') > 2
    named = {name for names in re.findall(r'class="([^"]*)"', text) for name in names.split()}
    assert {name for name in named if f".{name}" not in sheet.STYLE} == set()


def test_page_without_tools() -> None:
    nothing = Unavailable("nothing <here>")
    bare = Profile(Subject("aes-128-gcm", "encrypt", "table", 16), [1e-6], *[nothing] * 4)
    text = page.render([bare])
    assert text.count("nothing &lt;here&gt;") == 1
    assert "<svg" not in text


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_terminal(capsys: pytest.CaptureFixture[str], columns: int) -> None:
    from rich.console import Console

    terminal.show([example("python", 6), example("table", 2)], Console(width=columns))
    text = capsys.readouterr().out
    assert "python / table" in text
    assert columns < 100 or "gcm <&> (rijn/_native.abi3.so)" in text
    assert max(map(len, text.splitlines())) <= columns
    assert "…" not in text


@needs_native
def test_profile_without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are measured anyway. Each missing tool is one note."""
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    steps: list[str] = []
    subjects = [Subject("aes-128-ctr", "decrypt", name, 16) for name in ("table", "python")]
    native, pure = profile(subjects, 0.05, steps.append)
    assert (native.subject, pure.subject) == tuple(subjects)
    assert native.time > 0
    assert len(native.notes) == 4
    assert len(pure.notes) == 3
    assert steps[0] == "timing"


def command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    # With an empty PATH, perf and valgrind are not found, so it takes less time.
    return subprocess.run(
        [sys.executable, "-m", "rijn", "profile", "--seconds", "0.1", *arguments],
        cwd=folder,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_native
def test_command(tmp_path: Path) -> None:
    pytest.importorskip("click")
    arguments = ("--compare", "python", "table", "-s", "1K")
    done = command(*arguments, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "aes-128-gcm encrypt, 1,024 bytes: python and table" in done.stdout
    assert "valgrind is not installed" in done.stdout
    written = tmp_path / "rijn-profile-aes-128-gcm-python-table-1024.html"
    assert written.read_text(encoding="utf-8").startswith("<!doctype html>")

    done = command(*arguments, folder=tmp_path)
    assert done.returncode == 9
    assert "exists already" in done.stderr


@needs_native
def test_command_without_jinja2(tmp_path: Path) -> None:
    """The terminal shows the figures anyway. Only the page needs jinja2."""
    pytest.importorskip("click")
    code = "import sys; sys.modules['jinja2'] = None; from rijn.cli import main; sys.exit(main())"
    arguments = ("profile", "--seconds", "0.1", "--backend", "table", "-s", "1K")

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments, *more],
            cwd=tmp_path,
            env={"PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )

    done = run()
    assert done.returncode == 0, done.stderr
    assert "time a message" in done.stdout
    assert "wrote" not in done.stdout
    assert f"jinja2 is not installed ({pip_install(package='rijn-bench')})" in done.stderr
    # If a page was requested, the error comes before any measurement.
    done = run("-o", "page.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert "jinja2 is not installed" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--backend", "tables"), "unknown backend 'tables'"),
        (("--backend", "table", "--compare", "table", "python"), "omit --backend"),
        (("--size", "16,32"), "one size"),
        (("--size", "much"), "is not a size"),
        (("-a", "aes-128-ecb", "-s", "5"), "whole blocks"),
    ],
)
def test_command_refuses(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    pytest.importorskip("click")
    done = command(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@needs_native
def test_backend_of_the_class() -> None:
    """The loop uses the requested backend."""
    loop = Loop("AES", "ecb_encrypt", key_size=16, nonce_size=0, backend="table", size=16)
    assert loop._call.__self__.backend == "table"  # type: ignore[attr-defined]
    assert isinstance(loop._call.__self__, rijn.AES)  # type: ignore[attr-defined]
