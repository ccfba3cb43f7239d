"""rijn.files beside the command: each reads what the other writes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from program import RIJN, Result, call

from rijn import files

SIZES = (0, 1, 16384, 100_000, 3_000_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("aead", [[], ["--aead", "aegis-128l"]])
def test_reads_what_the_command_writes(
    size: int, aead: list[str], folder: Path, run: Callable[..., Result]
) -> None:
    data = os.urandom(size)
    Path("a").write_bytes(data)
    assert run("encrypt", "-k", ".key", "a", *aead).code == 0
    files.decrypt_file("a.rijn", "b", key=".key")
    assert Path("b").read_bytes() == data
    with files.open("a.rijn", "rb", key=folder / ".key") as opened:
        assert opened.seek(-min(size, 5), 2) == opened.size - min(size, 5)
        assert opened.read() == data[-5:]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("folder")
def test_the_command_reads_what_it_writes(size: int, run: Callable[..., Result]) -> None:
    data = os.urandom(size)
    Path("a").write_bytes(data)
    files.encrypt_file("a", "whole.rijn", key=".key")
    with files.open("object.rijn", "wb", key=".key") as new:
        new.write(data)
    for name in ("whole", "object"):
        assert run("decrypt", "-k", ".key", f"{name}.rijn").code == 0
        assert Path(name).read_bytes() == data


@pytest.mark.usefixtures("folder")
def test_passphrases() -> None:
    Path("a").write_bytes(b"hello")
    environment = {**os.environ, "PW": "open sesame"}
    options = ["--passphrase-env", "PW"]
    files.encrypt_file("a", "one.rijn", passphrase="open sesame")
    result = call([*RIJN, "decrypt", *options, "one.rijn"], env=environment)
    assert result.code == 0, result.err
    assert Path("one").read_bytes() == b"hello"
    result = call([*RIJN, "encrypt", *options, "a", "-o", "two.rijn"], env=environment)
    assert result.code == 0, result.err
    files.decrypt_file("two.rijn", "two", passphrase="open sesame")
    assert Path("two").read_bytes() == b"hello"
