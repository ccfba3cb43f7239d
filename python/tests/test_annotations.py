"""Type checker errors in programs that use Rijn."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from limits import LIMIT
from public import AEADS

import rijn

KEYS = (*AEADS, rijn.AESSIV, rijn.AES, rijn.AESXTS, rijn.CMAC)


def errors(lines: list[str], folder: Path) -> dict[str, str]:
    """Returns the lines that mypy refuses, with its messages."""
    pytest.importorskip("mypy")
    program = folder / "program.py"
    program.write_text("\n".join(["import rijn", *lines, ""]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    found = re.findall(r"^program\.py:(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert done.returncode == bool(found), done.stdout + done.stderr
    return {lines[int(number) - 2]: text for number, text in found}


def test_programs(tmp_path: Path) -> None:
    """generate_key() is refused where a class has keys of several sizes; rijn.AEAD is the type
    of every AEAD, and of nothing else."""
    calls = {f"rijn.{cls.__name__}.generate_key()": len(cls.key_sizes) > 1 for cls in KEYS}
    calls |= {f"rijn.{cls.__name__}.generate_key({8 * cls.key_sizes[0]})": False for cls in KEYS}
    calls |= {f"seal(rijn.{cls.__name__}(b'key'))": cls not in AEADS for cls in KEYS}
    function = ["def seal(aead: rijn.AEAD) -> bytes:", "    return aead.encrypt(b'', b'')"]
    found = errors([*function, *calls], tmp_path)
    assert set(found) == {call for call, wrong in calls.items() if wrong}
    for call, text in found.items():
        assert "bit_length" in text if "generate_key" in call else 'expected "AEAD"' in text


def test_the_base_class_is_public() -> None:
    assert all(issubclass(cls, rijn.AEAD) for cls in AEADS)
    assert not issubclass(rijn.AESSIV, rijn.AEAD)
    with pytest.raises(TypeError, match="is a base class"):
        rijn.AEAD(bytes(16))
