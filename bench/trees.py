#!/usr/bin/env python3
"""Compares `rijn encrypt -r` and `rijn decrypt -r` of small files with `cp -rp` and 7z.

    bench/trees.py FOLDER [FILES [ROUNDS]]

FOLDER is on the file system to measure. The script makes a tree of files of 1 to 4 KiB in it. In
each round it runs every program once, with a new folder for each result, because ext4 reuses
deleted inodes slowly. The results of cp and 7z are synced, as Rijn syncs its results. Before the
first round, Rijn runs on a small tree, so that Python compiles its modules. The script prints the
median of the rounds: seconds, CPU seconds, and both as a multiple of cp's. On a busy machine,
compare the CPU seconds.

7z is skipped if it is not installed. At the end the script removes its files from FOLDER.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PER_FOLDER = 100  # files


def make_tree(root: Path, files: int) -> None:
    sizes = random.Random(1)
    for number in range(files):
        folder = root / str(number // PER_FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / str(number)).write_bytes(os.urandom(sizes.randint(1024, 4096)))


def timed(command: list[str], folder: Path, sync: bool) -> tuple[float, float]:
    """Returns the seconds and the CPU seconds of a command, including its sync."""
    subprocess.run(["sync", "-f", "."], cwd=folder, check=True)
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if sync:
        subprocess.run(["sync", "-f", "."], cwd=folder, check=True)
    seconds, after = time.perf_counter() - start, os.times()
    user = after.children_user - before.children_user
    return seconds, user + after.children_system - before.children_system


def measure(folder: Path, files: int, rounds: int) -> None:
    make_tree(folder / "small", 1)
    make_tree(folder / "tree", files)
    rijn = [sys.executable, "-m", "rijn"]
    subprocess.run([*rijn, "keygen", "-o", "key"], cwd=folder, check=True)
    key = ["-q", "-r", "-k", "key"]
    for command in (["encrypt", *key, "small", "s1"], ["decrypt", *key, "s1", "s2"]):
        subprocess.run([*rijn, *command], cwd=folder, check=True)

    found: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds):
        sealed, plain = f"sealed{number}", f"plain{number}"
        commands = {
            "cp -rp": ["cp", "-rp", "tree", f"copy{number}"],
            "rijn encrypt -r": [*rijn, "encrypt", *key, "tree", sealed],
            "7z -mx0 -mhe": ["7z", "a", "-mx0", "-mhe", "-pa", f"{number}.7z", "tree"],
            "rijn decrypt -r": [*rijn, "decrypt", *key, sealed, plain],
        }
        for name, command in commands.items():
            if shutil.which(command[0]):
                taken = timed(command, folder, sync=not name.startswith("rijn"))
                found.setdefault(name, []).append(taken)
        subprocess.run(["diff", "-r", "tree", plain], cwd=folder, check=True)

    medians = {
        name: [statistics.median(column) for column in zip(*times)] for name, times in found.items()
    }
    wall, cpu = medians["cp -rp"]
    print(f"{files} files, {rounds} rounds: seconds (x cp), CPU seconds (x cp)")
    for name, (a, b) in medians.items():
        print(f"{name:16} {a:6.2f} ({a / wall:.2f}) {b:6.2f} ({b / cpu:.2f})")


def main() -> None:
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each start would compile all modules
    with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
        measure(Path(folder), files, rounds)


if __name__ == "__main__":
    main()
