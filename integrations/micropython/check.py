"""Tries `rijn` for MicroPython in MicroPython, and counts instructions:

    python check.py [VERSION]      after build.sh [VERSION]

On an emulated Cortex-M4, with viper and without, and in C, in firmwares by make and by CMake and
as a native .mpy; as such on x86-64; and in WebAssembly under node: the cases of cases.py, the same
that CPython's tests try; a line PASSED for each. Then a table: instructions for a block of AES-128,
exact, and alike in every run, which is to be the README's within an eighth.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from board import Board, BoardError, need
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


# What is in all the memory of an object behind its class: a key, and a message's state, and nothing
# of them when __del__ has been called, by hand or, in a firmware, by the collector. Behind it the
# object refuses to work. What looks allocates nothing, for that may come to lie there.
WIPED = """
KEY = bytes(range(1, 17))
def filled(at, size):
    found = 0
    for i in range(at + 4, at + size):
        if machine.mem8[i]: found += 1
    return found
def began(kind):
    made = kind(KEY)
    if kind is rijn.CMAC: made.update(KEY + KEY)
    return made
def freed(kind): return id(began(kind))
def sized(kind):
    gc.collect()
    before = gc.mem_alloc()
    made = kind(KEY)
    return gc.mem_alloc() - before
def refuses(call, *arguments):
    try: call(*arguments)
    except RuntimeError: return
    raise AssertionError("works without a key")
for kind, least in ((rijn.AES, 280), (rijn.AESGCM, 280), (rijn.CMAC, 330), (rijn.AEGIS128L, 24)):
    size = sized(kind)
    if size < least: raise AssertionError("not all of it is looked at")
    made = began(kind)
    if filled(id(made), size) < 16: raise AssertionError("no key at all")
    if kind is rijn.CMAC:
        unused = kind(KEY)
        if filled(id(made), size) <= filled(id(unused), size): raise AssertionError("no state")
    made.__del__()
    if filled(id(made), size): raise AssertionError("left by __del__")
    if kind is rijn.AES:
        refuses(made.ecb_encrypt, KEY)
        refuses(made.cbc_decrypt, KEY, KEY)
        refuses(made.ctr_encrypt, KEY, KEY)
    elif kind is rijn.CMAC:
        refuses(made.update, KEY)
        refuses(made.finalize)
    else:
        refuses(made.encrypt, KEY, KEY)
        refuses(made.decrypt, KEY, KEY)
        refuses(made.encrypt_into, KEY, KEY, None, bytearray(32))
    if collected:
        at = freed(kind)
        made = None
        gc.collect()
        if filled(at, size): raise AssertionError("left by the collector")
print("keys are wiped, and no object works without one")
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
    last, tail = cases[-1].split("\nVERSION")
    cases[-1] = last
    runs = [
        "\n".join(f"try_case({case}" for case in cases[i : i + 8]) for i in range(0, len(cases), 8)
    ]
    return [*head.split("\n\n\n"), *runs, "VERSION" + tail]  # each function by itself


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


def of_the_page() -> dict[str, list[int]]:
    """The README's table: what, and how many in each column."""
    page = (HERE / "README.md").read_text()
    rows = page[page.index("| heap of the import") :].partition("\n\n")[0]
    found = {}
    for row in rows.splitlines():
        what, *cells = row.strip("| ").split(" | ")
        found[what] = [int(cell.replace(",", "")) for cell in cells]
    return found


def other_than_told(columns: dict[str, dict[str, int]]) -> list[str]:
    """The figures that are not the README's, by more than where the heap has holes makes of them."""
    said = of_the_page()
    return [
        f"{name}, {what}: {counts[what]:,} where the README has {figures[i]:,}"
        for i, (name, counts) in enumerate(columns.items())
        for what, figures in said.items()
        if abs(counts[what] - figures[i]) > figures[i] // 8
    ]


def main() -> int:
    need("qemu-system-arm", "node")
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
    frozen = {}
    for name, label in ("frozen", "frozen"), ("frozen-armv7m", "frozen, compiled"):
        elf = folder / name / "firmware.elf"
        frozen[f"viper, {label}"] = on_board(
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
    table(columns | frozen)
    wrong = other_than_told(columns) if version == "1.26" else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
