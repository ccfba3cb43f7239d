from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from program import KEY, RIJN, ColumnsServer, Result, call

from rijn.files import format_key


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enters a working folder that is empty except for a key file, .key."""
    monkeypatch.chdir(tmp_path)
    key = tmp_path / ".key"
    key.write_text(format_key(KEY))
    key.chmod(0o600)
    return tmp_path


@pytest.fixture
def keysets(folder: Path) -> None:
    """Writes a keyset for each format of columns, in a separate folder."""
    from rijn.cli.columns.options import FORMATS
    from rijn.columns import Keyset

    (folder / ".key.d").mkdir()
    for format in FORMATS:
        Keyset.generate(format).write(f".key.d/{format}")


@pytest.fixture(scope="session")
def columns_server() -> Iterator[ColumnsServer]:
    server = ColumnsServer()
    yield server
    server.close()


@pytest.fixture
def run(folder: Path, request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Runs rijn in the folder, without a terminal."""

    def run_rijn(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Result:
        ours = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        ours |= env or {}
        if arguments[:1] == ("columns",):
            server: ColumnsServer = request.getfixturevalue("columns_server")
            return server.call(["-m", "rijn", *arguments], stdin, ours)
        return call([*RIJN, *arguments], stdin=stdin, env=ours)

    return run_rijn


@pytest.fixture
def run_code(folder: Path, columns_server: ColumnsServer) -> Callable[..., Result]:
    """Runs a program given as text, in a process that has already imported pyarrow."""

    def run_program(code: str, *arguments: str) -> Result:
        return columns_server.call(["-c", code, *arguments], b"", dict(os.environ))

    return run_program
