"""Checks how a newer clang compiles masks for machines without conditional moves.

Each function of masks.c may have one conditional branch, which counts its loop. The planted one must
have more.

    python tests/ct/masks.py DIRECTORY      needs the package ziglang, which contains that clang

Prints "PASSED name" or "FAILED name" for each target and level. Exits with 1 if one failed.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TARGETS = {
    "cortex-m0": ("thumb-linux-musleabi", "-mcpu=cortex_m0"),
    "i586": ("x86-linux-musl", "-mcpu=i586"),
    "riscv32": ("riscv32-linux-musl",),
    "wasm32": ("wasm32-wasi",),
}
LEVELS = ("-O1", "-Os", "-O2", "-O3")
WATCHED = ("padding_of", "malformed", "multiply", "double_be", "double_le")
PLANTED = "planted_padding_of"

# Conditional branches of the four instruction sets, in assembly.
BRANCH = re.compile(
    r"\s+(b(eq|ne|hs|lo|hi|ls|mi|pl|ge|lt|gt|le|cc|cs|vs|vc|geu|ltu|leu|gtu|(eq|ne|ge|le|gt|lt)z)"
    r"|c\.b(eq|ne)z|j(?!mp|al|r?\b)[a-z]+|br_if|br_table|if)\b"
)


def functions(assembly: str) -> dict[str, int]:
    """The number of conditional branches of each function."""
    found: dict[str, int] = {}
    name = ""
    for line in assembly.splitlines():
        if label := re.match(r"([A-Za-z_]\w*):", line):
            name = label[1]
            found[name] = 0
        elif name and BRANCH.match(line):
            found[name] += 1
    return found


def faults(folder: Path, target: str, level: str) -> list[str]:
    out = folder / f"{target}{level}.s"
    triple, *options = TARGETS[target]
    command = [sys.executable, "-m", "ziglang", "cc", "-target", triple, *options]
    command += ["-std=c11", level, f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}"]
    command += ["-Wno-unused-command-line-argument", "-S", str(ROOT / "tests/ct/masks.c")]
    command += ["-o", str(out)]
    subprocess.run(command, check=True)
    branches = functions(out.read_text("utf-8"))
    said = []
    for name in WATCHED:
        # separate, or inlined into the function that masks.c puts around it
        both = [branches[it] for it in (name, f"ct_{name}") if it in branches]
        if f"ct_{name}" not in branches or sum(both) > 1:
            said.append(f"{name}: {both} conditional branches")
    if branches[PLANTED] < 2:
        said.append(f"{PLANTED}: {branches[PLANTED]} conditional branches: this check is blind")
    return said


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for target in TARGETS:
        for level in LEVELS:
            said = faults(folder, target, level)
            print("FAILED" if said else "PASSED", f"masks/{target}{level}", *said, flush=True)
            failed += bool(said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
