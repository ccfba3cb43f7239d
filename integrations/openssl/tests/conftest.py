"""Fixtures: the provider's file, and configurations that prefer it. check.py sets RIJN_PROVIDER."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parents[1] / "putty")]

from support import Witness, run


@pytest.fixture(scope="session")
def provider() -> Path:
    return Path(os.environ["RIJN_PROVIDER"])


@pytest.fixture(scope="session")
def prefer(provider: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Witness]:
    """Makes a configuration that prefers Rijn."""

    def make_witness(**options: object) -> Witness:
        folder = tmp_path_factory.mktemp("rijn")
        programs = provider.parent / "tests"
        return Witness(folder, programs / "witness.so", provider, **options)  # type: ignore[arg-type]

    return make_witness


@pytest.fixture
def rijn(prefer: Callable[..., Witness]) -> Witness:
    return prefer()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Returns a certificate of localhost, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    made = folder / "cert.pem", folder / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    run([*words, *names, "-out", made[0], "-keyout", made[1]])
    return made
