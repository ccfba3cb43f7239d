"""Builds the C core for small Arm machines, and runs its tests on them in QEMU.

    micro.py build DIRECTORY    builds a library and a firmware for each core and configuration
    micro.py test DIRECTORY     runs the firmwares that `build` made there and prints tables of
                                sizes and instructions

Needs arm-none-eabi-gcc and qemu-system-arm. Counts are exact (-icount) and the same on
every host. They are instructions, not cycles.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TOOLS = "arm-none-eabi-"

# Functions that the core may need from a C library, and that the compiler needs from libgcc.
FOREIGN = {"memcpy", "memset", "memmove", "memcmp", "strlen"}
RUNTIME = re.compile(r"__(aeabi|gnu|clz|ctz|bswap|sync)")

WARNINGS = [
    f"-W{name}"
    for name in (
        *("all", "extra", "pedantic", "shadow", "conversion", "sign-conversion", "cast-qual"),
        *("strict-prototypes", "missing-prototypes", "undef", "vla", "write-strings", "error"),
    )
]
SOURCES = sorted(
    path for pattern in ("*.c", "*/*.c", "arm/*.S") for path in (ROOT / "src").glob(pattern)
)
ORACLES = [
    ROOT / "tests" / "check" / f"{name}.c" for name in ("oracle", "oracle_modes", "oracle_aegis")
]


@dataclass(frozen=True)
class Machine:
    qemu: str
    core: str
    flash: str
    ram: str
    counted: int  # bytes of the longest message that is counted
    flags: tuple[str, ...] = ()

    @property
    def thumb2(self) -> bool:
        return self.core != "cortex-m0"


CORTEX_M4 = Machine("mps2-an386", "cortex-m4", "4M", "4M", 4096)
MACHINES = (
    CORTEX_M4,
    Machine("mps2-an385", "cortex-m3", "4M", "4M", 4096),
    Machine("microbit", "cortex-m0", "256K", "16K", 1024, ("-DMICROBIT",)),
)

CONFIGURATIONS = {
    "gcm": "-Os", "gcm-pieces": "-O2", "gcm-fast": "-O2", "aegis": "-O2", "all": "-O2",
    "all-small": "-Os",
}  # fmt: skip
# Measured machines and configurations, without and with thumb2.S. FLASH_OF_GCM: most bytes of "gcm".
FLASH = [
    (machine, configuration, thumb2)
    for configuration in ("gcm", "gcm-pieces", "aegis")
    for machine in MACHINES
    for thumb2 in (False, True)
    if machine.core != "cortex-m3" and thumb2 <= (machine.thumb2 and configuration != "aegis")
]
FLASH_OF_GCM = 8192
# Limit for each run. The longest takes a few seconds.
SECONDS = 300


def run(command: list[object], **options: object) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, capture_output=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def compile_to(directory: Path, source: Path, flags: list[str]) -> Path:
    target = directory / ("_".join(source.relative_to(ROOT).parts) + ".o")
    run([TOOLS + "gcc", *flags, *WARNINGS, "-c", source, "-o", target])
    return target


def flags_of(machine: Machine, configuration: str, level: str) -> list[str]:
    config = HERE / "configs" / f"{configuration}.h"
    return [
        "-std=c11", "-mthumb", f"-mcpu={machine.core}", level,
        "-ffunction-sections", "-fdata-sections", "-fno-ipa-icf",
        f"-I{ROOT / 'include'}", f"-I{HERE / 'libc'}", f'-DRIJN_CONFIG_FILE="{config}"',
    ]  # fmt: skip


def archive_of(here: Path, flags: list[str]) -> Path:
    here.mkdir(parents=True, exist_ok=True)
    objects = [compile_to(here, source, flags) for source in SOURCES]
    archive = here / "librijn.a"
    archive.unlink(missing_ok=True)
    run([TOOLS + "ar", "rcs", archive, *objects])
    return archive


def link(target: Path, machine: Machine, parts: list[object], archive: Path) -> None:
    run([
        TOOLS + "gcc", f"-mcpu={machine.core}", "-mthumb", "-nostdlib", "-nostartfiles",
        "-T", HERE / "firmware.ld", f"-Wl,--defsym=FLASH={machine.flash}",
        f"-Wl,--defsym=RAM={machine.ram}", "-Wl,--gc-sections", *parts, archive, "-lgcc",
        "-o", target,
    ])  # fmt: skip


def names_in(objects: Path) -> tuple[set[str], set[str]]:
    """Returns the symbols that the objects define and those that they need."""
    defined, wanted = set(), set()
    for line in run([TOOLS + "nm", "--no-sort", objects]).splitlines():
        match line.split():
            case ["U" | "w", name]:
                wanted.add(name)
            case [_, kind, name] if kind.isupper():
                defined.add(name)
    return defined, wanted


def public_names() -> set[str]:
    """Returns the names of the functions of rijn.h for the linker."""
    header = (ROOT / "include" / "rijn.h").read_text()
    (version,) = re.findall(r'^#define RIJN_STRUCTS "(\w+)"', header, re.MULTILINE)
    declared = re.findall(r"^RIJN_API\w* [^;(]*?\b(rijn_\w+)\(([^;]*);", header, re.MULTILINE)
    return {name + version * ("RIJN_WITH_STRUCTS" in rest) for name, rest in declared}


def whole_archive(here: Path, flags: list[str]) -> tuple[Path, set[str]]:
    """Builds a library and checks that it needs only functions of FOREIGN and RUNTIME.

    Returns the library and the symbols that it defines.
    """
    archive = archive_of(here, flags)
    defined, wanted = names_in(archive)
    missing = {name for name in wanted - defined - FOREIGN if not RUNTIME.match(name)}
    if missing:
        sys.exit(f"{archive}: needs {', '.join(sorted(missing))}, which a C library may not have")
    return archive, defined


def build_unoptimised(directory: Path, configuration: str) -> None:
    """Checks that no code calls missing functions, even code that the optimizer would remove."""
    here = directory / f"{configuration}-unoptimised"
    whole_archive(here, flags_of(CORTEX_M4, configuration, "-O0"))


def build_one(directory: Path, machine: Machine, configuration: str) -> None:
    """Builds and checks the library, and links the firmware."""
    here = directory / f"{machine.core}-{configuration}"
    flags = flags_of(machine, configuration, CONFIGURATIONS[configuration])
    archive, defined = whole_archive(here, flags)
    if ("rijn_thumb2_encrypt" in defined) != machine.thumb2:
        expected = "must" if machine.thumb2 else "must not"
        sys.exit(f"{archive}: {expected} contain thumb2.S")
    test_flags = [
        *flags, "-D_GNU_SOURCE", *machine.flags, f"-DCOUNTED={machine.counted}",
        f"-I{ROOT / 'src'}", f"-I{ROOT / 'tests' / 'check'}",
    ]  # fmt: skip
    firmware = compile_to(here, HERE / "firmware.c", test_flags)
    parts = [HERE / "machine.c", HERE / "libc.c", *ORACLES]
    tests = [firmware, *(compile_to(here, part, test_flags) for part in parts)]
    uncalled = (defined & public_names()) - names_in(firmware)[1]
    if configuration == "all" and uncalled:
        sys.exit(f"firmware.c does not call {', '.join(sorted(uncalled))}")
    link(here / "firmware.elf", machine, ["-Wl,--wrap=rijn_scrub_area", *tests], archive)


def flash_program(directory: Path, machine: Machine, configuration: str, thumb2: bool) -> Path:
    return directory / f"{machine.core}-{configuration}{'-thumb2' if thumb2 else ''}" / "flash.elf"


def build_flash(directory: Path, machine: Machine, configuration: str, thumb2: bool) -> None:
    """Builds a program that makes a key, seals and opens, with -Os."""
    program = flash_program(directory, machine, configuration, thumb2)
    here = program.parent / "os"
    flags = flags_of(machine, configuration, "-Os")
    if not thumb2:
        flags.append("-DRIJN_THUMB2=0")
    archive = archive_of(here, flags)
    test_flags = [*flags, f"-I{ROOT / 'src'}"]
    parts = [compile_to(here, HERE / part, test_flags) for part in ("flash.c", "libc.c")]
    link(program, machine, parts, archive)


DOCUMENT = ROOT.parent / "docs" / "microcontrollers.md"


def documented(first: str) -> str:
    """Returns the code block of DOCUMENT that begins with `first`."""
    blocks = re.findall(r"(?:^    .*\n)+", DOCUMENT.read_text(), re.MULTILINE)
    (block,) = (block for block in blocks if block.startswith("    " + first))
    return "".join(line.removeprefix("    ") for line in block.splitlines(keepends=True))


def product(directory: Path) -> Path:
    return directory / "documented" / "packets.elf"


def build_documented(directory: Path) -> None:
    """Runs the commands of DOCUMENT word for word, and builds the example with them."""
    program = product(directory)
    here = program.parent
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir(parents=True)
    (here / "rijn").symlink_to(ROOT)
    (here / "my_config.h").write_text(documented("/* my_config.h"))
    # <string.h>, for compilers without a C library.
    run(["sh", "-ec", documented("for source in")], cwd=here,
        env={**os.environ, "C_INCLUDE_PATH": str(HERE / "libc")})  # fmt: skip
    flags = [
        "-std=c11", "-mthumb", f"-mcpu={CORTEX_M4.core}", "-Os", f"-I{ROOT / 'include'}",
        f"-I{here}", f"-I{HERE / 'libc'}", '-DRIJN_CONFIG_FILE="my_config.h"',
    ]  # fmt: skip
    parts = [ROOT / "examples" / "packets.c", HERE / "machine.c", HERE / "libc.c"]
    objects = [compile_to(here, part, flags) for part in parts]
    link(program, CORTEX_M4, objects, here / "librijn.a")


def every() -> list[tuple[Machine, str]]:
    return [(machine, configuration) for configuration in CONFIGURATIONS for machine in MACHINES]


def build(directory: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda pair: build_one(directory, *pair), every()))
        list(pool.map(lambda what: build_flash(directory, *what), FLASH))
        list(pool.map(lambda name: build_unoptimised(directory, name), CONFIGURATIONS))
    build_documented(directory)


def test_flash(directory: Path) -> None:
    print("\nbytes of code and constants, -Os")
    for machine, configuration, thumb2 in FLASH:
        program = flash_program(directory, machine, configuration, thumb2)
        sizes = run([TOOLS + "size", "-A", program]).splitlines()
        (size,) = (int(line.split()[1]) for line in sizes if line.startswith(".text "))
        print(f"{configuration:12}{machine.core:12}{'thumb2.S' if thumb2 else '':12}{size:>8}")
        if configuration == "gcm" and size > FLASH_OF_GCM:
            sys.exit(f"{program}: more than {FLASH_OF_GCM} bytes of flash")


def emulate(machine: Machine, program: Path) -> tuple[int, list[str]]:
    """Runs a program in QEMU. Returns its exit status and the lines that it printed."""
    command = [
        "qemu-system-arm", "-M", machine.qemu, "-display", "none", "-serial", "none",
        "-monitor", "none", "-semihosting-config", "enable=on,target=native",
        "-icount", "shift=10", "-kernel", str(program),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, text=True, capture_output=True, timeout=SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        sys.exit(f"{program}: still running after {SECONDS} s")
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_documented(directory: Path) -> None:
    program = product(directory)
    status, lines = emulate(CORTEX_M4, program)
    if status:
        sys.exit("\n".join([f"{program}: failed, exit status {status}", *lines]))
    print(f"PASSED {CORTEX_M4.qemu} ({CORTEX_M4.core}), {DOCUMENT.name}: examples/packets.c")


def test_stacks(lines: list[str]) -> None:
    """Prints the largest stack of any firmware and compares it with the table in DOCUMENT."""
    most: dict[str, dict[str, int]] = {}
    for line in lines:
        _, backend, what, size = line.split()
        row = most.setdefault(what.replace("_", " "), {})
        row[backend] = max(int(size), row.get(backend, 0))
    print("\nbytes of stack at most")
    rows = [
        f"| {what} | {row['fixslice32']:,} | {row['table']:,} |" for what, row in most.items()
    ]  # fmt: skip
    print(*rows, sep="\n")
    forgotten = [row for row in rows if row not in DOCUMENT.read_text().splitlines()]
    if forgotten and run([TOOLS + "gcc", "-dumpversion"]).startswith("12."):
        sys.exit("\n".join([f"{DOCUMENT}: the table must have these rows:", *forgotten]))


def test_one(directory: Path, machine: Machine, configuration: str) -> list[str]:
    firmware = directory / f"{machine.core}-{configuration}" / "firmware.elf"
    status, lines = emulate(machine, firmware)
    checks = [line for line in lines if line.startswith("checks ")]
    if status or len(checks) != 1 or int(checks[0].split()[1]) < 100:
        sys.exit("\n".join([f"{firmware}: failed, exit status {status}", *lines]))
    print(f"PASSED {machine.qemu} ({machine.core}), {configuration}: {checks[0]}")
    return [line for line in lines if line.startswith(("count ", "stack "))]


def test(directory: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda pair: test_one(directory, *pair), every()))
    test_documented(directory)
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    test_stacks([line for lines in found for line in lines if line.startswith("stack ")])
    for (machine, configuration), lines in zip(every(), found, strict=True):
        for line in lines:
            if line.startswith("stack "):
                continue
            _, backend, what, count, units = line.split()
            value = f"{int(count) / int(units):.1f}" if int(units) > 1 else count
            rows.setdefault((configuration, backend, what), {})[machine.core] = value
    test_flash(directory)
    cores = [machine.core for machine in MACHINES]
    print(f"\n{'instructions per byte or per key':44}" + "".join(f"{core:>12}" for core in cores))
    for (configuration, backend, what), values in rows.items():
        name = f"{configuration}: {what}, {backend}"
        print(f"{name:44}" + "".join(f"{values.get(core, '-'):>12}" for core in cores))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["build", "test"])
    parser.add_argument("directory", type=Path)
    given = parser.parse_args()
    {"build": build, "test": test}[given.what](given.directory)
