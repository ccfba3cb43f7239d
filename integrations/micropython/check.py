"""Tests `rijn` for MicroPython in MicroPython, and counts instructions:

    python check.py [VERSION]      after build.sh [VERSION]

Runs the cases of cases.py, which CPython's tests run too, and prints a line PASSED for each:

- on an emulated Cortex-M4: with viper; without viper; the module in C, in firmwares built by make
  and by CMake, and as a native .mpy
- on x86-64: the native .mpy
- in WebAssembly, under node

Then it prints a table of instructions for a block of AES-128. The counts are the same in every run.
It exits with 1 if one differs from the README's by more than an eighth.
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

# Hides the architecture from _compile, so that it does not use viper.
PLAIN = ('"_mpy", 0', '"_none", 0')
OPTIONS = ("-O3", "-s", "rijn.py")  # build.sh's

# The WebAssembly port cannot read this machine's folders, so the script writes the file.
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


# Looks at an object's memory after the pointer to its class. It has a key, and the state of a
# message. After __del__, called by the script or by a firmware's collector, it has zeros, and the
# object refuses to work. `filled` allocates nothing: the allocation might reuse that memory.
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
    if size < least: raise AssertionError("the size is too small")
    made = began(kind)
    if filled(id(made), size) < 16: raise AssertionError("no key found")
    if kind is rijn.CMAC:
        unused = kind(KEY)
        if filled(id(made), size) <= filled(id(unused), size): raise AssertionError("no state")
    made.__del__()
    if filled(id(made), size): raise AssertionError("not wiped by __del__")
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
        if filled(at, size): raise AssertionError("not wiped by the collector")
print("keys are wiped, and no object works without one")
"""

# Addresses from `constants` on are RAM, with the heap.
FROZEN = """
import uctypes
def constant(data): return uctypes.addressof(data) < constants
if constant(bytearray(1)): raise AssertionError("the heap is constant")
for table in rijn._SBOX, rijn._UNBOX, rijn._T, rijn._BACK:
    if not constant(table): raise AssertionError("a table in the heap")
print("tables are in flash")
"""


def constants(firmware: Path) -> int:
    """Returns the end address of code and constants, a symbol of the port's linker script."""
    names = subprocess.run(
        ["arm-none-eabi-nm", firmware], check=True, capture_output=True, text=True
    ).stdout
    (line,) = (line for line in names.splitlines() if line.endswith(" _etext"))
    return int(line.split()[0], 16)


def pieces(text: str) -> list[str]:
    """Splits a long script into pieces that fit into a board's memory."""
    head, *cases = text.split("\ntry_case(")
    last, tail = cases[-1].split("\nVERSION")
    cases[-1] = last
    runs = [
        "\n".join(f"try_case({case}" for case in cases[i : i + 8]) for i in range(0, len(cases), 8)
    ]
    return [*head.split("\n\n\n"), *runs, "VERSION" + tail]  # each function separately


def on_board(
    firmware: Path, module: Path | None, backend: str, label: str = "", extra: str = "pass"
) -> dict[str, int]:
    """Runs all cases and the script `extra`, and returns the counted instructions.

    :param module: the module to import, or None for the module of the firmware
    :param backend: the expected backend
    """
    with Board(firmware) as board:
        if module:
            board.put("rijn.mpy", module.read_bytes())
        heap = board.run(
            "import gc; gc.collect(); before = gc.mem_alloc()\nimport rijn\n"
            "gc.collect(); print(gc.mem_alloc() - before)"
        )
        counts = {"heap of the import, bytes": int(heap)}
        # Before the cases: they leave holes in the heap, which make MicroPython's allocation slower.
        for line in board.run(COUNT).splitlines():
            what, _, number = line.rpartition(" ")
            counts[what] = int(number)
        output = "".join(board.run(piece) for piece in pieces(script()))
        if not output.endswith(f"cases agree on {backend}\n"):
            raise BoardError(f"the backend is not {backend}, or a case is missing: {output}")
        for line in (output + board.run(extra)).splitlines():
            print(f"PASSED Cortex-M4{label}: {line}", flush=True)
        return counts


def run_cases(command: list[str | Path], folder: Path, text: str = "") -> str:
    """Runs `text` and the cases in a program, in `folder`, and returns the output."""
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
    output = run_cases(["node", program, "-X", "heapsize=8m"], TOP, text)
    if not output.endswith("cases agree on python\n"):
        raise BoardError(output)
    print(f"PASSED WebAssembly: {output}", end="", flush=True)


def on_unix(folder: Path) -> None:
    """Runs the cases on the port unix, on x86-64. It imports the module next to the script."""
    module = folder / "native" / "fixslice32-x64" / "rijn.mpy"
    output = run_cases([folder / "unix" / "micropython", "-X", "heapsize=8m"], module.parent)
    if not output.endswith("cases agree on fixslice32\n"):
        raise BoardError(output)
    print(f"PASSED x86-64 (native .mpy): {output}", end="", flush=True)


def print_table(columns: dict[str, dict[str, int]]) -> None:
    labels = list(dict.fromkeys(label for counts in columns.values() for label in counts))
    print("\n| instructions a block | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for label in labels:
        cells = [f"{counts[label]:,}" if label in counts else "–" for counts in columns.values()]
        print(f"| {label} | " + " | ".join(cells) + " |")


def readme_figures() -> dict[str, list[int]]:
    """Returns the README's table: for each row its label, and the figures of its columns."""
    page = (HERE / "README.md").read_text()
    rows = page[page.index("| heap of the import") :].partition("\n\n")[0]
    found = {}
    for row in rows.splitlines():
        what, *cells = row.strip("| ").split(" | ")
        found[what] = [int(cell.replace(",", "")) for cell in cells]
    return found


def differences(columns: dict[str, dict[str, int]]) -> list[str]:
    """Returns the figures that differ from the README's by more than an eighth.

    Smaller differences come from the positions of holes in the heap.
    """
    readme = readme_figures()
    return [
        f"{name}, {label}: {counts[label]:,}; the README has {figures[i]:,}"
        for i, (name, counts) in enumerate(columns.items())
        for label, figures in readme.items()
        if abs(counts[label] - figures[i]) > figures[i] // 8
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
    print_table(columns | frozen)
    wrong = differences(columns) if version == "1.26" else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
