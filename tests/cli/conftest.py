from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from program import KEY, RIJN, Result

from rijn.files import format_key


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder but for a key file, .key."""
    monkeypatch.chdir(tmp_path)
    key = tmp_path / ".key"
    key.write_text(format_key(KEY))
    key.chmod(0o600)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Callable[..., Result]:
    """Runs rijn in the folder, without a terminal."""

    def call(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Result:
        done = subprocess.run(
            [*RIJN, *arguments],
            input=stdin,
            capture_output=True,
            env={**os.environ, **(env or {})},
            start_new_session=True,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr.decode())

    return call
