"""rijn for MicroPython, run by CPython: integrations/micropython/check.py runs the same on
boards."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parents[2] / "integrations" / "micropython"


def run(seed: int, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """The script for targets, on the file there or one with this text."""
    cases = [sys.executable, "-c", f"import cases; print(cases.script({seed}))"]
    script = subprocess.run(cases, cwd=HERE, capture_output=True, text=True, check=True).stdout
    (folder / "rijn.py").write_text(text or (HERE / "rijn.py").read_text())
    (folder / "script.py").write_text(script)
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module", autouse=True)
def _sources() -> None:
    if not HERE.is_dir():
        pytest.skip("integrations/ is not here")


@pytest.mark.parametrize("seed", [1, 2])
def test_agrees_with_the_package(seed: int, tmp_path: Path) -> None:
    done = run(seed, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith("cases agree on python\n")
    assert int(done.stdout.split()[0]) > 1000


def packed(name: str) -> str:
    pack = [sys.executable, "pack.py", name]
    return subprocess.run(pack, cwd=HERE, capture_output=True, text=True, check=True).stdout


def test_packed_for_armv7m() -> None:
    """What is compiled for Armv7-M has each function once, and all that rijn.py has to offer."""
    text = packed("rijn-armv7m")
    functions = [line for line in text.splitlines() if line.startswith(("def ", "class "))]
    assert len(functions) == len({line.partition("(")[0] for line in functions})
    assert {"def _encrypt(k: ptr32, s: ptr32, d: ptr32, blocks: int):", "class CMAC:"} <= set(
        functions
    )
    assert "exec(" not in text


def test_packed_for_every_port(tmp_path: Path) -> None:
    """It agrees, too. Of viper it has the same text, but for comments and indentation, and
    behind a function that makes the same table."""
    text = packed("rijn")
    done = run(1, tmp_path, text)
    assert done.stdout.endswith("cases agree on python\n"), done.stderr[-2000:]

    names: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    take(text, r"_SBOX = \(.*?^\)\n", names)
    take(text, r"_VIPER = .*?(?=^_ARCHITECTURES)", names)
    table, functions = names["_longer"](names["_VIPER"]).split("import micropython\n")
    take(table, ".*", names)
    source = (HERE / "rijn.py").read_text()
    take(source, r"_T = \(.*?^\)\n", whole)
    take(source, r'_VIPER = """.*?^"""\n', whole)
    assert bytes(names["_T"]) == whole["_T"]
    lines = [line.partition("#")[0].strip() for line in whole["_VIPER"].splitlines()]
    short = ["import micropython", *(line.strip() for line in functions.splitlines())]
    assert short == [line for line in lines if line]


def take(text: str, pattern: str, names: dict[str, Any]) -> None:
    """The names that a part of a module's text makes."""
    found = re.search(f"^{pattern}", text, re.MULTILINE | re.DOTALL)
    assert found
    exec(found[0], names)  # noqa: S102


# For a bytearray of each call's own: one that all of them have, zeros to begin with.
SHARED = """
_rooms = {}
def _shared(size):
    room = _rooms.setdefault(size, bytearray(size))
    room[:] = bytes(size)
    return room
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
        # What a forgery leaves, and an interrupt.
        ("if not genuine:\n                    _xor(buf, buf, buf, 0)", "pass"),
        ("            except BaseException:  # an", "            except ValueError:  # an"),
        # What two calls at once share.
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
        # What is no bytes.
        ('out[:0] = b""', "pass"),
        ('getattr(data, "format", "B") == "B"', "True"),
        ("counter[i] = counter[i] + 1 & 255", "counter[i] |= 1"),
        ("_len(buf) != size", "False"),
    ],
)
def test_bites(right: str, wrong: str, tmp_path: Path) -> None:
    text = (HERE / "rijn.py").read_text()
    assert text.count(right) == 1
    assert run(1, tmp_path, text.replace(right, wrong) + SHARED).returncode == 1
