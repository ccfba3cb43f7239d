"""The metadata of the installed package, and the source distribution."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest
from limits import LIMIT

import rijn

ROOT = Path(__file__).resolve().parents[2]

if not (ROOT / "pyproject.toml").exists():
    pytest.skip("no checkout", allow_module_level=True)


def test_metadata_of_the_installed_package() -> None:
    found = metadata.metadata("rijn")
    assert found["License-Expression"] == "MIT"
    assert found.get_all("License-File") == ["LICENSE"]
    assert found["Author"] == "The Rijn authors"
    assert found["Version"] == rijn.__version__
    assert "Topic :: Security :: Cryptography" in found.get_all("Classifier", [])
    # PEP 639: a license is given by an expression or by a classifier, not both
    assert not any(it.startswith("License ::") for it in found.get_all("Classifier", []))


def test_the_license_is_installed() -> None:
    files = metadata.files("rijn") or []
    (license_file,) = (file for file in files if file.name == "LICENSE")
    assert license_file.parent.name == "licenses"
    assert license_file.read_text() == (ROOT / "LICENSE").read_text()


def test_license_is_mit() -> None:
    words = " ".join((ROOT / "LICENSE").read_text().split())
    for part in ("c", "bench"):  # each is also published alone
        assert (ROOT / part / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert words.startswith("MIT License Copyright (c) 2026 The Rijn authors Permission is hereby")
    assert "SPDX-License-Identifier: MIT" in (ROOT / "c" / "include/rijn.h").read_text()[:200]


def test_changelog_names_the_version() -> None:
    """The newest entry has the version of the header."""
    headings = re.findall(r"^## \[?([^]\s]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == rijn.__version__


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text()
    links = {it.partition("#")[0] for it in re.findall(r"\]\(([^)\s]+)\)", text)}
    missing = [it for it in links if it and "://" not in it and not (ROOT / it).exists()]
    assert not missing


def test_readme_leads_to_them() -> None:
    text = (ROOT / "README.md").read_text()
    for page in ("LICENSE", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"):
        assert f"]({page})" in text


def test_source_distribution(tmp_path: Path) -> None:
    """It has all sources and tests, and no built file."""
    pytest.importorskip("scikit_build_core", reason="it makes the source distribution")
    code = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", code, tmp_path],
        cwd=ROOT,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"},
        check=True,
        capture_output=True,
        timeout=LIMIT,
    )
    (archive,) = tmp_path.glob("rijn-*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    for name in (
        *("LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "PKG-INFO"),
        *(
            "pyproject.toml",
            "c/CMakeLists.txt",
            "Makefile",
            "c/cmake/rijn.pc.in",
            "c/include/rijn.h",
        ),
        *("c/src/key.c", "python/binding/module.c", "python/rijn/py.typed"),
        *(
            "bench/harness/harness.c",
            "bench/pyproject.toml",
            "bench/rijn_bench/plan.py",
            "python/CMakeLists.txt",
            "python/tools/man_pages.py",
        ),
        *("c/tests/check/CMakeLists.txt", "tools/tests/test_distribution.py", "c/tests/ct/ct.c"),
        *(
            "c/tests/fuzz/replay.c",
            "python/tests/cli/fixtures.py",
            "c/examples/seal.c",
            "c/examples/many.c",
            "docs/claims.md",
        ),
    ):
        assert name in names
    assert any(name.startswith("vectors/") for name in names)
    built = re.compile(r"(^|/)(\.git|\.venv|build|__pycache__)/|\.(so|pyc|o|a)$")
    assert not [name for name in names if built.search(name)]


@pytest.mark.parametrize(
    "name", ["PIP_RETRIES", "PIP_DEFAULT_TIMEOUT", "npm_config_fetch_retries", "CARGO_NET_RETRY"]
)
def test_make_has_clients_of_registries_try_again(name: str) -> None:
    """They retry more often than by default (three to five times), unless the user sets a number."""
    make = shutil.which("make")
    if make is None:
        pytest.skip("needs make")

    def retries(**environment: str) -> str:
        kept = {it: os.environ[it] for it in ("PATH", "HOME") if it in os.environ}
        # A recipe that prints the variables of pip, npm and cargo.
        rule = f"said: ; @printenv {name}"
        command = [make, "--no-print-directory", f"--eval={rule}", "said"]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=kept | environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
        return done.stdout.strip()

    assert int(retries()) >= 10
    assert retries(**{name: "2"}) == "2"
