"""Tests of tools/release.py without building: what it refuses, and what it writes beside artifacts. The
stage `release` builds with it."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("cyclonedx", reason="make .venv/.wheels installs it")

import release
import sbom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from release import (
    Artifact,
    Build,
    Stop,
    check_same,
    check_source,
    crate,
    describe,
    pack,
    versions,
)

NUMBER = "1.2.3"


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    subprocess.run(["git", *who, *words], check=True, cwd=root, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout that check_source accepts."""
    root = tmp_path / "root"
    files = {
        "c/include/rijn.h": f'#define RIJN_VERSION "{NUMBER}"\n',
        "CHANGELOG.md": f"# Changelog\n\n## {NUMBER} - 2026-11-27\n",
        "python/rijn/_install.py": "PUBLISHED = True\n",
        "other": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "release")
    git(root, "tag", f"v{NUMBER}")
    return root


def test_a_release(root: Path) -> None:
    (root / "untracked").touch()
    assert check_source(root) == NUMBER


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("c/include/rijn.h", '#define RIJN_VERSION "1.2.4"\n', "git tag -s v1.2.4"),
        ("CHANGELOG.md", f"## {NUMBER} - unreleased\n", "no heading"),
        ("CHANGELOG.md", "## 1.2.30 - 2026-11-27\n", "no heading"),
        ("python/rijn/_install.py", "PUBLISHED = False\n", "install_lines.py --published"),
    ],
)
def test_no_release(root: Path, name: str, text: str, says: str) -> None:
    (root / name).write_text(text, "utf-8")
    with pytest.raises(Stop, match="commit these changes first"):
        check_source(root)
    git(root, "commit", "--quiet", "--all", "--message", "change")
    git(root, "tag", "--force", f"v{NUMBER}")
    with pytest.raises(Stop, match=says):
        check_source(root)


def test_another_commit_than_the_tag(root: Path) -> None:
    git(root, "commit", "--quiet", "--allow-empty", "--message", "later")
    with pytest.raises(Stop, match="tag this commit"):
        check_source(root)


def test_builds_that_differ(tmp_path: Path) -> None:
    def artifacts(folder: str, **files: str) -> list[Artifact]:
        (tmp_path / folder).mkdir()
        found = []
        for name, text in files.items():
            path = tmp_path / folder / name
            path.write_text(text, "utf-8")
            found.append(Artifact(path, "generic", name))
        return found

    first = artifacts("first", a="1", b="2")
    check_same(first, artifacts("same", a="1", b="2"))
    with pytest.raises(Stop, match="other bytes: b "):
        check_same(first, artifacts("bytes", a="1", b="3"))
    with pytest.raises(Stop, match="other files"):
        check_same(first, artifacts("files", a="1"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rijn", "pypi"),
        ("rijn", "npm"),
        ("rijn", "cargo"),
        ("librijn", "generic"),
        ("librijn-amalgamation", "generic"),
    ],
)
def test_an_sbom(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    written = describe(Artifact(path, kind, name, versions("pytest")), NUMBER, release.ROOT)
    text = written.read_text("utf-8")
    assert written.name == "file.cdx.json"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    described = json.loads(text)
    subject = described["metadata"]["component"]
    assert subject["purl"] == f"pkg:{kind}/{name}@{NUMBER}"
    assert subject["hashes"][0]["content"].startswith("ba7816bf")  # FIPS 180-4, the example "abc"
    assert described["metadata"]["tools"]["components"][0]["version"] == pytest.__version__
    found = {it["name"] for it in described.get("components", [])}
    assert ("librijn" in found) == (name != "librijn")
    assert ({"click", "pyarrow"} <= found) == (kind == "pypi")
    assert ({"aead", "cipher", "digest", "zeroize", "cc"} <= found) == (kind == "cargo")
    assert not {"hypothesis", "aes-gcm"} & found
    assert (
        describe(Artifact(path, kind, name, versions("pytest")), NUMBER, release.ROOT).read_text()
        == text
    )


def test_what_the_crate_uses() -> None:
    text = sbom.document("cargo", "rijn", NUMBER, built_with={"cargo": "1.85.0"})
    found = {it["name"]: it for it in json.loads(text)["components"]}
    assert found["aead"]["purl"] == "pkg:cargo/aead"
    scopes = {name: found[name].get("scope") for name in ("aead", "zeroize", "cc")}
    assert scopes == {"aead": "required", "zeroize": "optional", "cc": "excluded"}
    assert found["aead"]["properties"] == [{"name": "rijn:versions", "value": "0.6"}]


def test_archives_of_two_builders(tmp_path: Path) -> None:
    made = []
    for mode, time in ((0o600, 1_000_000_000), (0o644, 1_700_000_000)):
        folder = tmp_path / f"{mode}"
        folder.mkdir()
        for name in ("b", "a") if made else ("a", "b"):
            (folder / name).write_text(name, "utf-8")
            (folder / name).chmod(mode)
            os.utime(folder / name, (time, time))
        (folder / "b").chmod(mode | 0o100)
        target = folder / "librijn-1.tar.gz"
        pack(target, {f"x/{path.name}": path for path in folder.iterdir()})
        made.append(target.read_bytes())
    assert made[0] == made[1]
    with tarfile.open(target) as packed:
        assert [(it.name, it.mode) for it in packed] == [
            ("librijn-1/x/a", 0o644),
            ("librijn-1/x/b", 0o755),
        ]


def test_another_version_of_the_crate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build(tmp_path / "source", tmp_path / "out", NUMBER, ())
    build.out.mkdir()
    folder = build.source / "build" / "crate" / "package"
    folder.mkdir(parents=True)
    (folder / "rijn-1.2.2.crate").touch()
    monkeypatch.setattr(Build, "run", lambda *_: None)
    with pytest.raises(Stop, match=r"rust/Cargo\.toml another: rijn-1\.2\.2\.crate"):
        crate(build)


def test_a_pure_wheel_has_no_library() -> None:
    text = sbom.document("pypi", "rijn", NUMBER, built_with={}, compiled=False)
    assert "librijn" not in text


def test_the_tools_of_a_wheel() -> None:
    bench, shim = (release.ROOT / "bench", release.ROOT / "python" / "shim")
    assert release.tools_of("pure", release.ROOT) == ("scikit-build-core",)
    assert release.tools_of("manylinux-x86_64", bench) == ("scikit-build-core", "ziglang")
    assert release.tools_of("pure", shim) == ("hatchling",)
