"""Builds the wheels as users get them, from the source distribution, and checks their contents and
that they work.

    python check.py DIRECTORY      python has scikit-build-core, ninja and the extra `cli`

Prints one "PASSED name" or "FAILED name" per check. Exits with 1 if one failed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = Path(sys.argv[1]).resolve()
HARNESS = "rijn_bench/harness"
# The usual files of a wheel, without its dist-info.
ORDINARY = re.compile(
    r"rijn(_bench)?/(\w+/)*(\w+\.pyi?|py\.typed|page\.html|(backends|columns)\.def)"
    r"|rijn(_bench)?-[\w.]+\.data/data/share/man/man1/rijn[\w-]*\.1"
)
INFO = r"rijn(_bench)?-[\w.]+\.dist-info/"


def run(*command: str | Path, cwd: Path = WORK, **environment: str) -> str:
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        env={k: v for k, v in os.environ.items() if not k.startswith("RIJN_")} | environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def source() -> Path:
    """Unpacks the source distribution, and returns its folder."""
    code = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, WORK, cwd=ROOT)
    (archive,) = WORK.glob("rijn-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(WORK / "source", filter="data")
    return next((WORK / "source").iterdir())


def wheel(unpacked: Path, name: str, **environment: str) -> Path:
    options = ("--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", WORK / name)
    run(sys.executable, "-m", "pip", "wheel", *options, unpacked, **environment)
    (made,) = (WORK / name).glob("*.whl")
    print(f"{name}: {made.name}, {made.stat().st_size:,} bytes")
    return made


def names_in(made: Path) -> list[str]:
    with zipfile.ZipFile(made) as archive:
        return archive.namelist()


def unusual(made: Path) -> set[str]:
    """Returns the files in a wheel that belong neither to its sources nor to its metadata."""
    names = names_in(made)
    assert any(re.fullmatch(INFO + "licenses/LICENSE", name) for name in names), names
    return {it for it in names if not ORDINARY.fullmatch(it) and not re.match(INFO, it)}


def unpacked(made: Path) -> str:
    """Returns a folder with the wheel's files, for the front of PYTHONPATH."""
    folder = made.parent / "files"
    options = ("--quiet", "--no-deps", "--no-index", "--target", folder)
    run(sys.executable, "-m", "pip", "install", *options, made)
    return str(folder)


def check_plain(tree: Path) -> None:
    """The module is the only compiled file, and the benchmark is not included."""
    made = wheel(tree, "plain")
    assert unusual(made) == {"rijn/_native.abi3.so"}, unusual(made)
    assert measuring(made) == [], measuring(made)
    path = unpacked(made)
    said = run(sys.executable, "-m", "rijn", "selftest", PYTHONPATH=path)
    assert "aesni" in said or "fixslice64" in said, said


def measuring(made: Path) -> list[str]:
    """Returns the files of the benchmark or the profiler in a wheel."""
    return [it for it in names_in(made) if re.search("bench|profile|harness", it)]


def quick(*wheels: Path) -> str:
    """Returns the output of `rijn bench --quick` with these wheels, without its line breaks: where they
    are depends on the machine's figures."""
    path = ":".join(map(unpacked, wheels))
    command = ("-m", "rijn", "bench", "--quick", "--peers", "none")
    return " ".join(run(sys.executable, *command, PYTHONPATH=path).split())


def check_bench(tree: Path) -> None:
    """rijn-bench has the harness and the pages of its commands, and no file of rijn."""
    made = wheel(tree / "bench", "bench")
    assert unusual(made) == {HARNESS}, unusual(made)
    assert all(it.startswith("rijn_bench") for it in names_in(made)), names_in(made)
    pages = {it.rpartition("/")[2] for it in names_in(made) if it.endswith(".1")}
    assert pages == {"rijn-bench.1", "rijn-bench-compare.1", "rijn-profile.1"}, pages
    said = quick(made, wheel(tree, "plain-again"))
    assert "no C harness" not in said, said


def check_pure(tree: Path) -> None:
    """Without a compiler there is no harness, and rijn bench says how to get it."""
    made = wheel(tree, "pure", RIJN_PURE="1")
    assert unusual(made) == set(), unusual(made)
    assert made.name.endswith("-py3-none-any.whl"), made.name
    bench = wheel(tree / "bench", "pure-bench", RIJN_PURE="1")
    assert unusual(bench) == set(), unusual(bench)
    assert bench.name.endswith("-py3-none-any.whl"), bench.name
    said = quick(bench, made)
    assert "no C harness" in said, said
    code = "import rijn; print(rijn.AES(bytes(16)).backend, *(b.name for b in rijn.backends()))"
    chosen, *listed = run(sys.executable, "-c", code, PYTHONPATH=unpacked(made)).split()
    assert chosen == "python", chosen
    assert {"aesni", "armce", "table", "reference"} < set(listed), listed


def outcome(check: Callable[[Path], None], tree: Path) -> str:
    name = check.__name__.removeprefix("check_")
    try:
        check(tree)
    except Exception:  # noqa: BLE001 - any error is a finding
        traceback.print_exc(file=sys.stdout)
        return f"FAILED {name}"
    return f"PASSED {name}"


def main() -> int:
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    tree = source()
    said = [outcome(check, tree) for check in (check_plain, check_bench, check_pure)]
    print("\n".join(said))
    return int(any(it.startswith("FAILED") for it in said))


if __name__ == "__main__":
    sys.exit(main())
