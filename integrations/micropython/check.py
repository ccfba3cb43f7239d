"""Tries `rijn` for MicroPython in MicroPython, and counts instructions:

    python check.py [VERSION]      after build.sh [VERSION]

On an emulated Cortex-M4, with viper and without, and in C, in firmwares by make and by CMake and
as a native .mpy; as such on x86-64; and in WebAssembly under node: the cases of cases.py, the same
that CPython's tests try; a line PASSED for each. Then a table: instructions for a block of AES-128,
exact, and alike in every run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from board import Board, BoardError
from cases import script

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1] / "build" / "micropython"
PATIENCE = 300.0

# Without the emitter: what _compile asks for is not there.
PLAIN = ('"_mpy", 0', '"_none", 0')
OPTIONS = ("-O3", "-s", "rijn.py")  # build.sh's

# The WebAssembly port sees no folders of ours: a file in its own.
MODULE = """
with open("rijn.py", "w") as file: file.write({!r})
"""

COUNT = """
import gc
def count(call, *arguments):
    calls = 8
    begin = ticks()
    for _ in range(calls): pass
    loop = instructions(begin, ticks())
    if len(arguments) == 2:
        a, b = arguments
        gc.collect()
        call(a, b)
        begin = ticks()
        for _ in range(calls): call(a, b)
    else:
        a, b, c, d = arguments
        gc.collect()
        call(a, b, c, d)
        begin = ticks()
        for _ in range(calls): call(a, b, c, d)
    return (instructions(begin, ticks()) - loop) // calls
aes = rijn.AES(bytes(16))
data = bytearray(1024); buf = bytearray(1024); sealed = bytearray(1040)
print("AES, one block a call", count(aes.ecb_encrypt_into, bytearray(16), bytearray(16)))
print("AES, of 64 a call", count(aes.ecb_encrypt_into, data, buf) // 64)
print("AES, decrypted, of 64", count(aes.ecb_decrypt_into, data, buf) // 64)
gcm = rijn.AESGCM(bytes(16))
print("GCM, of 1 KiB", count(gcm.encrypt_into, bytes(12), data, None, sealed) // 64)
aegis = rijn.AEGIS128L(bytes(16))
print("AEGIS-128L, of 1 KiB", count(aegis.encrypt_into, bytes(16), data, None, sealed) // 64)
"""


# What is in the memory of objects behind their class: a key, and nothing of it when __del__
# has been called, by hand or, in a firmware, by the collector.
WIPED = """
def words(at, size): return [machine.mem32[at + i] for i in range(4, size, 4)]
def freed(kind): return id(kind(bytes(range(1, 17))))
for kind, size in ((rijn.AES, 180), (rijn.AESGCM, 180), (rijn.CMAC, 180), (rijn.AEGIS128L, 28)):
    made = kind(bytes(range(1, 17)))
    if not any(words(id(made), size)): raise AssertionError("no key at all")
    made.__del__()
    if any(words(id(made), size)): raise AssertionError("left by __del__")
    if collected:
        at = freed(kind)
        made = None
        gc.collect()
        if any(words(at, size)): raise AssertionError("left by the collector")
print("keys are wiped")
"""

# Behind `constants` there is what a firmware keeps in RAM, the heap in it.
FROZEN = """
import uctypes
def constant(data): return uctypes.addressof(data) < constants
if constant(bytearray(1)): raise AssertionError("the heap is constant")
for table in rijn._SBOX, rijn._UNBOX, rijn._T, rijn._BACK:
    if not constant(table): raise AssertionError("a table in the heap")
print("tables are in flash")
"""


def constants(firmware: Path) -> int:
    """Where code and constants end, as the port's linker script says."""
    names = subprocess.run(
        ["arm-none-eabi-nm", firmware], check=True, capture_output=True, text=True
    ).stdout
    (line,) = (line for line in names.splitlines() if line.endswith(" _etext"))
    return int(line.split()[0], 16)


def pieces(text: str) -> list[str]:
    """A long script, as much at a time as a board has room for."""
    head, *cases = text.split("\ntry_case(")
    last, tail = cases[-1].split("\ntry_keys()")
    cases[-1] = last
    runs = [
        "\n".join(f"try_case({case}" for case in cases[i : i + 8]) for i in range(0, len(cases), 8)
    ]
    return [head, *runs, "try_keys()" + tail]


def on_board(
    firmware: Path, module: Path | None, backend: str, how: str = "", also: str = "pass"
) -> dict[str, int]:
    """All cases, and what the instructions are, of a module, or of what the firmware has; and what
    another script says to have found."""
    with Board(firmware) as board:
        if module:
            board.put("rijn.mpy", module.read_bytes())
        heap = board.run(
            "import gc; gc.collect(); before = gc.mem_alloc()\nimport rijn\n"
            "gc.collect(); print(gc.mem_alloc() - before)"
        )
        counts = {"heap of the import, bytes": int(heap)}
        # Before the cases, which leave holes in the heap where MicroPython looks for room.
        for line in board.run(COUNT).splitlines():
            what, _, number = line.rpartition(" ")
            counts[what] = int(number)
        said = "".join(board.run(piece) for piece in pieces(script()))
        if not said.endswith(f"cases agree on {backend}\n"):
            raise BoardError(f"not {backend}: {said}")
        for line in (said + board.run(also)).splitlines():
            print(f"PASSED Cortex-M4{how}: {line}", flush=True)
        return counts


def finished(command: list[str | Path], folder: Path, text: str = "") -> str:
    """What a program says of the cases, with `text` before them, when it has run in `folder`."""
    whole = folder / "script.py"
    whole.write_text(text + script())
    done = subprocess.run(
        [*command, whole],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.stdout + done.stderr


def on_node() -> None:
    (program,) = (TOP / "npm").glob("node_modules/@micropython/*/micropython.mjs")
    text = MODULE.format((HERE / "rijn.py").read_text())
    said = finished(["node", program, "-X", "heapsize=8m"], TOP, text)
    if not said.endswith("cases agree on python\n"):
        raise BoardError(said)
    print(f"PASSED WebAssembly: {said}", end="", flush=True)


def on_unix(folder: Path) -> None:
    """The port unix, on x86-64, imports a native module from beside the script."""
    module = folder / "native" / "fixslice32-x64" / "rijn.mpy"
    said = finished([folder / "unix" / "micropython", "-X", "heapsize=8m"], module.parent)
    if not said.endswith("cases agree on fixslice32\n"):
        raise BoardError(said)
    print(f"PASSED x86-64 (native .mpy): {said}", end="", flush=True)


def table(columns: dict[str, dict[str, int]]) -> None:
    whats = list(dict.fromkeys(what for counts in columns.values() for what in counts))
    print("\n| instructions a block | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for what in whats:
        cells = [f"{counts[what]:,}" if what in counts else "–" for counts in columns.values()]
        print(f"| {what} | " + " | ".join(cells) + " |")


def main() -> int:
    version = sys.argv[1] if len(sys.argv) > 1 else "1.26"
    folder = TOP / version
    plain = folder / "rijn-plain.py"
    plain.write_text((folder / "rijn.py").read_text().replace(*PLAIN))
    compiler = folder / "mpy-cross" / "mpy-cross"
    subprocess.run([compiler, *OPTIONS, "-o", folder / "plain.mpy", plain], check=True)
    firmware = folder / "plain" / "firmware.elf"
    columns = {
        "viper, compiled": on_board(firmware, folder / "rijn-armv7m.mpy", "viper"),
        "viper": on_board(firmware, folder / "rijn.mpy", "viper"),
        "python": on_board(firmware, folder / "plain.mpy", "python"),
    }
    for name, label in ("frozen", "frozen"), ("frozen-armv7m", "frozen, compiled"):
        elf = folder / name / "firmware.elf"
        columns[f"viper, {label}"] = on_board(
            elf, None, "viper", f" ({name})", f"constants = {constants(elf)}{FROZEN}"
        )
    for backend in ("fixslice32", "table"):
        columns[f"C, {backend}"] = on_board(
            folder / backend / "firmware.elf", None, backend, " (C)", "collected = True" + WIPED
        )
        module = folder / "native" / f"{backend}-armv7m" / "rijn.mpy"
        columns[f"C, {backend}, .mpy"] = on_board(
            firmware, module, backend, " (native .mpy)", "collected = False" + WIPED
        )
    by_cmake = folder / "cmake" / "firmware.elf"
    on_board(by_cmake, None, "fixslice32", " (C, by CMake)", "collected = True" + WIPED)
    if (folder / "unix").is_dir():
        on_unix(folder)
    on_node()
    table(columns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
