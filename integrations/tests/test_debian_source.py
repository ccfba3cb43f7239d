"""Tests that integrations/debian_source.sh unpacks only files that match Debian's signed index.

apt and dpkg-source are stand-ins. They imitate the real apt, which leaves a broken download under
its final name, and which also fails if a mirror lacks upstream's signature.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from limits import LIMIT

SCRIPT = Path(__file__).parents[1] / "debian_source.sh"
DSC, SOURCE = "thing_1.10-2.dsc", "thing_1.10.orig.tar.gz"
FILES = {DSC: b"description\n", SOURCE: b"source\n", SOURCE + ".asc": b"signature\n"}

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "awk", "sha256sum"))), reason="needs bash, awk, sha256sum"
)


def stanza(version: str, files: dict[str, bytes]) -> str:
    sums = "".join(
        f" {hashlib.sha256(data).hexdigest()} {len(data)} {name}\n" for name, data in files.items()
    )
    # The next section has other checksums for the same names, as in a real index.
    return f"Package: thing\nVersion: {version}\nChecksums-Sha256:\n{sums}Files:\n 0 1 {DSC}\n\n"


def run(
    tmp_path: Path, fetched: dict[str, bytes], status: int = 0, wanted: str = "1.10"
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Runs the script. The stand-in of apt-get downloads these files and exits with this status."""
    programs, brought, result = tmp_path / "bin", tmp_path / "brought", tmp_path / "result"
    for folder in (programs, brought):
        folder.mkdir()
    for name, data in fetched.items():
        (brought / name).write_bytes(data)
    old = {DSC.replace("1.10-2", "1.10-1"): b"older\n"}
    (tmp_path / "index").write_text(
        stanza("1.10-1", old) + stanza("1.10-2", FILES) + stanza("1.100-1", {"x.dsc": b"x"})
    )
    (tmp_path / "key").write_text("")
    stand_ins = {
        "apt-get": f'case "$*" in *download-only*) cp {brought}/* . && exit {status} ;; esac',
        "apt-cache": f"cat {tmp_path}/index",
        "dpkg-source": 'for last; do :; done; mkdir "$last"; echo "$@" >"$last/unpacked"',
    }
    for name, script in stand_ins.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        ["bash", SCRIPT, "thing", wanted, "suite", result],
        env={
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "DEBIAN_MIRROR": "mirror",
            "DEBIAN_KEYRING": str(tmp_path / "key"),
        },
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    return done, result / "source"


def test_files_of_the_index_are_unpacked(tmp_path: Path) -> None:
    done, source = run(tmp_path, FILES)
    assert done.returncode == 0, done.stderr
    assert (source / ".unpacked").exists()
    assert DSC in (source / "unpacked").read_text()


def test_the_signature_of_upstream_may_be_missing(tmp_path: Path) -> None:
    done, source = run(tmp_path, {name: FILES[name] for name in (DSC, SOURCE)}, status=100)
    assert done.returncode == 0, done.stderr
    assert (source / ".unpacked").exists()


@pytest.mark.parametrize("status", [0, 100])
@pytest.mark.parametrize("name", [DSC, SOURCE])
def test_a_forged_file_is_not_unpacked(tmp_path: Path, name: str, status: int) -> None:
    done, source = run(tmp_path, FILES | {name: b"forged\n"}, status)
    assert done.returncode != 0
    assert "differs from Debian's index" in done.stderr
    assert not source.exists()


def test_a_missing_file_is_not_unpacked(tmp_path: Path) -> None:
    done, source = run(tmp_path, {DSC: FILES[DSC]}, status=100)
    assert done.returncode != 0
    assert not source.exists()


def test_a_missing_version_is_named(tmp_path: Path) -> None:
    done, source = run(tmp_path, FILES, wanted="1.1")
    assert done.returncode != 0
    assert "no longer has thing 1.1" in done.stderr
    assert not source.exists()
