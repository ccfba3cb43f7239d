"""Tests rijn.py on CPython. integrations/micropython/check.py runs the same cases on boards."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from limits import LIMIT

HERE = Path(__file__).parents[1]


def run(seed: int, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the script of cases.py on rijn.py, or on `text` instead of it."""
    # HERE comes last in the path: its rijn.py must not hide the package, which gives the results.
    program = (
        f"import sys; sys.path.append({str(HERE)!r}); import cases; print(cases.script({seed}))"
    )
    cases = [sys.executable, "-P", "-c", program]
    script = subprocess.run(cases, cwd=folder, capture_output=True, text=True, check=True).stdout
    (folder / "rijn.py").write_text(text or (HERE / "rijn.py").read_text())
    (folder / "script.py").write_text(script)
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_results_equal_those_of_the_package(seed: int, tmp_path: Path) -> None:
    done = run(seed, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith("cases agree on python\n")
    assert int(done.stdout.split()[0]) > 1000


def packed(name: str) -> str:
    pack = [sys.executable, "pack.py", name]
    return subprocess.run(pack, cwd=HERE, capture_output=True, text=True, check=True).stdout


def test_packed_for_armv7m() -> None:
    """The file for Armv7-M has each function once, in viper, and all classes."""
    text = packed("rijn-armv7m")
    functions = [line for line in text.splitlines() if line.startswith(("def ", "class "))]
    assert len(functions) == len({line.partition("(")[0] for line in functions})
    assert {"def _encrypt(k: ptr32, s: ptr32, d: ptr32, blocks: int):", "class CMAC:"} <= set(
        functions
    )
    assert "exec(" not in text


def test_packed_for_every_port(tmp_path: Path) -> None:
    """The file for every port agrees with the package.

    Its viper text is the same, except for comments and indentation, and its first function
    computes the same table.
    """
    text = packed("rijn")
    done = run(1, tmp_path, text)
    assert done.stdout.endswith("cases agree on python\n"), done.stderr[-2000:]

    names: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    run_part(text, r"_SBOX = \(.*?^\)\n", names)
    run_part(text, r"_VIPER = .*?(?=^_ARCHITECTURES)", names)
    table, functions = names["_longer"](names["_VIPER"]).split("import micropython\n")
    run_part(table, ".*", names)
    source = (HERE / "rijn.py").read_text()
    run_part(source, r"_T = \(.*?^\)\n", whole)
    run_part(source, r'_VIPER = """.*?^"""\n', whole)
    assert bytes(names["_T"]) == whole["_T"]
    lines = [line.partition("#")[0].strip() for line in whole["_VIPER"].splitlines()]
    short = ["import micropython", *(line.strip() for line in functions.splitlines())]
    assert short == [line for line in lines if line]


@pytest.mark.parametrize("arguments", [[], ["foo"], ["rijn", "foo"]])
def test_pack_prints_its_usage(arguments: list[str]) -> None:
    pack = [sys.executable, "pack.py", *arguments]
    done = subprocess.run(pack, cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "usage: python pack.py rijn|rijn-armv7m\n"


@pytest.mark.skipif(not shutil.which("cc"), reason="no cc")
@pytest.mark.parametrize(("finaliser", "refused"), [("0", True), ("1", False)])
def test_module_needs_finalisers(finaliser: str, refused: bool, tmp_path: Path) -> None:
    """The module in C does not compile if the collector would not call __del__, which wipes."""
    (tmp_path / "py").mkdir()
    header = HERE / "modules" / "rijn" / "firmware.h"
    for name in re.findall(r'#include "(py/\w+\.h)"', header.read_text()):
        (tmp_path / name).touch()
    options = ["-E", f"-I{tmp_path}", f"-DMICROPY_ENABLE_FINALISER={finaliser}"]
    done = subprocess.run(["cc", *options, header], capture_output=True, text=True, check=False)
    assert ("MICROPY_ENABLE_FINALISER is 0" in done.stderr) == refused
    assert bool(done.returncode) == refused


def test_figures_of_the_study_are_those_of_the_readme() -> None:
    """check.py compares its counts with the README. rijn_bench repeats some of those figures."""
    from rijn_bench import studies

    call = [sys.executable, "-c", "import check; print(check.readme_figures())"]
    printed = subprocess.run(call, cwd=HERE, capture_output=True, text=True, check=True).stdout
    figures: dict[str, list[int]] = ast.literal_eval(printed)
    assert [len(row) for row in figures.values()] == [7] * 6
    ones, many = figures["AES, one block a call"], figures["AES, of 64 a call"]
    repeated = [row[2:4] for row in studies.LANGUAGES_COUNTED if row[0].startswith("MicroPython")]
    assert repeated == [(ones[i], many[i]) for i in (2, 1, 3, 5)]


def messages() -> str:
    """Returns messages.py, the program in the README that counts its nonces."""
    page = (HERE / "README.md").read_text()
    (block,) = re.findall(r"as `messages\.py`:\n\n(.*?)\n\n   A packet has", page, re.DOTALL)
    text = textwrap.dedent(block) + "\n"
    assert text.count("BOARD = 1 ") == 1
    return text


def test_messages_of_the_readme(tmp_path: Path) -> None:
    """Two boards read each other, and no nonce repeats, not even after a restart.

    Old packets, altered packets, and packets that return to their sender are refused.
    """

    (tmp_path / "rijn.py").write_text((HERE / "rijn.py").read_text())
    (tmp_path / "messages.py").write_text(messages())
    first, second = tmp_path / "first", tmp_path / "second"
    script = textwrap.dedent("""
        import os, sys
        sys.path.insert(0, os.path.dirname(os.getcwd()))
        number, *packets = sys.argv[1:]
        text = open("../messages.py").read().replace("BOARD = 1 ", f"BOARD = {number} ")
        exec(text)
        for packet in packets:
            if packet == "send":
                print(sealed(b"attack at dawn").hex())
            else:
                try:
                    print(opened(bytes.fromhex(packet)))
                except (ValueError, rijn.InvalidTag) as error:
                    print(type(error).__name__)
    """)

    def output(folder: Path, number: int, *packets: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", script, str(number), *packets],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.split("\n")[:-1] + ([done.stderr] if done.returncode else [])

    for folder in first, second:
        folder.mkdir()
        (folder / "key").write_text(bytes(range(16)).hex() + "\n")
    (one,) = output(first, 1, "send")
    assert "count" in one, "a packet was sent without a count"
    for folder in first, second:
        (folder / "count").write_text("0\n")
    sent = output(first, 1, *["send"] * 300) + output(first, 1, "send", "send")
    assert len({packet[:16] for packet in sent}) == 302
    assert int((first / "count").read_text()) == 3 * 256
    other = output(second, 2, "send")
    assert other[0][:2] == "02"
    altered = "03" + sent[0][2:]
    assert output(second, 2, sent[0], sent[0], sent[1], sent[0], other[0], altered, "00") == [
        "b'attack at dawn'",
        "ValueError",
        "b'attack at dawn'",
        "ValueError",
        "ValueError",
        "InvalidTag",
        "ValueError",
    ]
    assert output(first, 1, other[0], sent[0]) == ["b'attack at dawn'", "ValueError"]


def run_part(text: str, pattern: str, names: dict[str, Any]) -> None:
    """Runs the part of a module's text that matches, and adds its names to `names`."""
    found = re.search(f"^{pattern}", text, re.MULTILINE | re.DOTALL)
    assert found
    exec(found[0], names)  # noqa: S102


# A fault: one buffer that all calls share, in place of a new one for each call.
SHARED = """
_buffers = {}
def _shared(size):
    buffer = _buffers.setdefault(size, bytearray(size))
    buffer[:] = bytes(size)
    return buffer
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('b"\\x63\\x7c', 'b"\\x62\\x7c'),  # the S-box
        ("h = j + j ^ w ^ i ^ r\n        for", "h = j + j ^ w ^ i\n        for"),  # a round key
        ("h = j + j ^ w ^ i ^ r\n        i,", "h = j + j ^ w ^ i\n        i,"),
        ("low[h >> 15] ^ x", "low[h >> 15]"),
        ("y[15] = f", "y[15] = e & 255"),  # GHASH
        ("if _differ(self._finish(mask, extra, data), tag):", "if False:"),  # GCM's tag
        ("return not _differ(self._end(", "return not _differ(tag, tag), (self._end("),  # AEGIS's
        # The wipe after a forgery, and after an interrupt.
        ("if not genuine:\n                    _xor(buf, buf, buf, 0)", "pass"),
        ("            except BaseException:  # an", "            except ValueError:  # an"),
        # Buffers that two simultaneous calls would share.
        (
            "pad = bytearray(min(_PIECE, size + 15 & ~15))",
            "pad = _shared(min(64, size + 15 & ~15))",
        ),
        ("counter = bytearray(16)\n        if len", "counter = _shared(16)\n        if len"),
        ("mask = bytearray(16)", "mask = _shared(16)"),
        ("tag = bytearray(16)\n        _hash", "tag = _shared(16)\n        _hash"),
        ("mixed = bytearray(16)", "mixed = _shared(16)"),
        ("two = bytearray(32)", "two = _shared(32)"),
        ("block = bytearray(16)\n        before", "block = _shared(16)\n        before"),
        # Checks of types and sizes, and the counter.
        ('out[:0] = b""', "pass"),
        ('getattr(data, "format", "B") == "B"', "True"),
        ("counter[i] = counter[i] + 1 & 255", "counter[i] |= 1"),
        ("_len(buf) != size", "False"),
    ],
)
def test_faults_are_found(right: str, wrong: str, tmp_path: Path) -> None:
    """The cases fail if one part of rijn.py is replaced by a wrong one."""
    text = (HERE / "rijn.py").read_text()
    assert text.count(right) == 1
    assert run(1, tmp_path, text.replace(right, wrong) + SHARED).returncode == 1
