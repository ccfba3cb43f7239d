"""Compares the semantics of instructions in machine/ with this processor, on random states.

    compare.py CODES... [--states N] [--exact N]

CODES are files with the code of one instruction a line, in hexadecimal, as run.py writes them. Each form
(name, kinds and sizes of operands, immediate numbers) gets N states, 10,000 by default. Registers,
defined flags and memory must be as the processor leaves them. compare.c runs the instructions.

In one execution a bit stands for the bit of all states at once (`Lanes`). So the code that runs for
symbolic bits is compared. Forms that stop at symbolic bits, or leave flags undefined for them, also run
state by state, with concrete bits: `exact` states of each name with its kinds and sizes of operands.

Branches go to a label, and operands in memory lie in one buffer: addresses in registers are chosen for
that, and addresses in code are replaced.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import spec
from machine import operands
from machine.arithmetic import constant
from machine.bits import POISON, Algebra, Poison
from machine.forms import Stop
from machine.machine import FLAGS, Machine
from machine.operands import Immediate, Memory, Register, decode

HERE = Path(__file__).resolve().parent
SLOT, MEMORY = 0x21000400, 0x23000000  # of compare.c
STATE = np.dtype(
    [
        ("general", "<u8", 16),
        ("flags", "<u8"),
        ("taken", "<u8"),
        ("memory", "u1", 256),
        ("masks", "<u8", 8),
        ("vectors", "u1", (32, 64)),
    ]
)
FLAG_BITS = {"CF": 0, "PF": 2, "AF": 4, "ZF": 6, "SF": 7, "OF": 11}
RAX, RCX, RDX, RSP, RBP, RSI, RDI = 0, 1, 2, 4, 5, 6, 7
STACK = ("push", "pop", "call", "ret", "repz ret", "leave")
# General registers that an instruction uses without naming them.
IMPLICIT = {
    **dict.fromkeys(("mul", "imul", "div", "idiv", "cwd", "cdq", "cqo"), (RAX, RDX)),
    **dict.fromkeys(("cbw", "cwde", "cdqe"), (RAX,)),
    **dict.fromkeys(STACK, (RSP, RBP)),
    "mulx": (RDX,),
}
REPEATED = (RAX, RCX, RSI, RDI)
# Their semantics accept symbolic factors with holes.
FACTORS = ("mul", "imul", "mulx", "pmuludq", "vpmuludq")
# Names whose operand in memory is not accessed.
NO_ACCESS = ("lea", "nop", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw")


class Lanes(Algebra):
    """Bits of many states at once. Bit i + 1 of an integer belongs to state i. Its bit 0 complements
    all others, so 0 and 1 are the constants and `^` is XOR, as for all bits."""

    def __init__(self, states: int) -> None:
        super().__init__()
        self.all = (1 << states) - 1

    def column(self, bit: int) -> int:
        return bit >> 1 ^ (self.all if bit & 1 else 0)

    def AND(self, x: int, y: int, /) -> int:
        if isinstance(x, Poison) or isinstance(y, Poison):
            return 0 if 0 in (x, y) else POISON
        return (self.column(x) & self.column(y)) << 1

    def normal(self, form: int) -> int:
        return form

    def settled(self, value: list[int]) -> list[int]:
        return value

    def sbox(self, byte: list[int], /) -> list[int]:
        return self._looked_up(spec.SBOX, byte)

    def inverse_sbox(self, byte: list[int], /) -> list[int]:
        return self._looked_up(spec.INVERSE_SBOX, byte)

    def _looked_up(self, table: bytes, index: list[int]) -> list[int]:
        return [self.lookup([it >> i & 1 for it in table], index) for i in range(8)]


def lanes_of(values: np.ndarray) -> list[int]:
    """Returns the bits of an array of one integer, or of some bytes, for each state."""
    rows = np.ascontiguousarray(values).view("u1").reshape(len(values), -1)
    columns = np.packbits(np.unpackbits(rows, axis=1, bitorder="little"), axis=0, bitorder="little")
    lanes = [int.from_bytes(it.tobytes(), "little") << 1 for it in np.ascontiguousarray(columns.T)]
    ones = (1 << len(values)) - 1 << 1
    return [1 if it == ones else it for it in lanes]


# ---- The instruction ------------------------------------------------------------------------------


class Case:
    """One code, placed in the slot: operands and targets are where compare.c has them."""

    def __init__(self, code: bytes, taken: int) -> None:
        self.taken = taken
        raw = next(operands.DECODER.disasm(code, SLOT, 1))
        self.branches = raw.mnemonic.removeprefix("notrack ")[0] == "j" or raw.mnemonic == "call"
        patched, place = bytearray(code), raw.encoding
        first = decode(code, SLOT)
        if self.branches and isinstance(first.operands[0], Immediate):
            size = place.imm_size
            target = (taken - SLOT - len(code)).to_bytes(size, "little", signed=True)
            patched[place.imm_offset : place.imm_offset + size] = target
        self.memory = next((it for it in first.operands if isinstance(it, Memory)), None)
        if self.memory and not self.memory.parts:
            relative = (MEMORY + 64 - SLOT - len(code)).to_bytes(4, "little", signed=True)
            patched[place.disp_offset : place.disp_offset + 4] = relative
        self.code = bytes(patched)
        self.it = decode(self.code, SLOT)
        self.memory = next((it for it in self.it.operands if isinstance(it, Memory)), None)
        name = self.it.name
        registers = [it for it in self.it.operands if isinstance(it, Register)]
        self.general = {it.index for it in registers if not it.vector and not it.mask}
        self.general |= {*IMPLICIT.get(name, ())}
        self.general |= {index for index, _, _ in self.memory.parts} if self.memory else set()
        self.general |= {*REPEATED} if name.startswith("rep ") else set()
        self.vectors = {it.index for it in registers if it.vector}
        self.masks = {it.index for it in registers if it.mask}
        self.masks |= set() if self.it.mask is None else {self.it.mask}
        if name == "vzeroupper":
            self.vectors = set(range(16))
        self.uses_memory = bool(self.accesses()) or name.startswith("rep ")

    def accesses(self) -> int:
        """Returns how many bytes of memory it accesses."""
        if self.it.name in STACK:
            return 8
        if self.memory is None or self.it.name in NO_ACCESS:
            return 0
        sizes = [it.size for it in self.it.operands]
        return max(self.memory.size, *sizes) // 8

    def place(self, states: np.ndarray, at: np.ndarray) -> None:
        """Changes the registers of an address so that the operand lies near MEMORY + at, and a target
        of a branch so that it is a label."""
        general, name = states["general"], self.it.name
        if name in STACK:
            general[:, RSP] = MEMORY + at
            general[:, RBP] = MEMORY + at
        if name.startswith("rep "):
            general[:, RDI], general[:, RSI] = MEMORY + 8 + at % 8, MEMORY + 128 + at % 8
            general[:, RCX] %= np.uint64(8)
        if self.memory and name in STACK and RSP in {index for index, _, _ in self.memory.parts}:
            return  # the operand lies at its displacement from the stack
        if self.memory and self.accesses():
            wanted = at + np.uint64((MEMORY - self.memory.displacement) % 2**64)
            registers = {index for index, _, _ in self.memory.parts}
            if any(size != 64 for _, size, _ in self.memory.parts):
                raise ValueError(f"{self.it}: the address has 32 bits")
            if len(registers) == 1:
                (index,) = registers
                general[:, index] = wanted // np.uint64(sum(it for _, _, it in self.memory.parts))
            elif registers:
                (base, _, one), (index, _, scale) = self.memory.parts
                assert one == 1
                general[:, base] = wanted - general[:, index] * np.uint64(scale)


# ---- States -------------------------------------------------------------------------------------------


class States:
    """Random states, of numbers that are likely to show a fault: of all bits, small, at the edges, and
    equal in several places."""

    EDGES = np.array(
        [0, 1, 2**64 - 1, 2**63, 2**63 - 1, 2**31, 2**32 - 1, 2**31 - 1, 0x80, 0x7F80, 2**15, 0xFF],
        "<u8",
    )

    def __init__(self, seed: int, wide: bool) -> None:
        self.random, self.wide = np.random.default_rng(seed), wide

    def make(self, count: int) -> np.ndarray:
        random = self.random
        states = np.frombuffer(random.bytes(STATE.itemsize * count), STATE).copy()
        general = states["general"]
        kind = random.integers(0, 20, general.shape)
        general[kind == 0] >>= np.uint64(32)
        general[kind == 1] >>= np.uint64(56)
        general[kind == 2] = random.choice(self.EDGES, general.shape)[kind == 2]
        general[kind == 3] = np.roll(general, 1, 1)[kind == 3]
        general[kind == 4] = np.roll(general, 5, 1)[kind == 4]
        general[kind == 5] = (general.view("<i8") >> 40).view("<u8")[kind == 5]
        vectors, masks = states["vectors"], states["masks"]
        kind = random.integers(0, 12, vectors.shape[:2], "u1")
        vectors[kind == 0] &= 0x8F
        for other, distance in ((1, 1), (2, 3)):
            row, place = np.nonzero(kind == other)
            vectors[row, place] = vectors[row, place - distance] ^ (random.bytes(1)[0] & other & 2)
        places = np.nonzero(kind == 3)
        vectors[places] = random.choice(np.array([0, 0xFF], "u1"), (len(places[0]), 64))
        kind = random.integers(0, 6, masks.shape)
        masks[kind == 0] = 0
        masks[kind == 1] = 2**64 - 1
        if not self.wide:
            vectors[:, :, 32:], vectors[:, 16:], masks[:] = 0, 0, 0
        states["flags"] = states["flags"] & 0x8D5 | 0x202
        states["taken"] = 0
        return states


# ---- The comparison -----------------------------------------------------------------------------------


class Processor:
    """compare.c as a process."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        program = Path(self._folder.name) / "compare"
        sources = [HERE / "compare.c", HERE / "compare.S"]
        subprocess.run(["cc", "-O2", "-o", program, *sources], check=True)
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 20
        )
        self.taken = int.from_bytes(self._read(8), "little")
        self.wide = bool(int.from_bytes(self._read(8), "little"))  # has AVX-512

    def _read(self, size: int) -> bytes:
        assert self._process.stdout
        data = self._process.stdout.read(size)
        if len(data) != size:
            raise RuntimeError("compare.c ended")
        return data

    def run(self, code: bytes, states: np.ndarray) -> np.ndarray:
        """Returns the states after the instruction. Small parts fit into a pipe."""
        assert self._process.stdin
        results = []
        for part in (states[i : i + 32] for i in range(0, len(states), 32)):
            job = code.ljust(16, b"\x90") + len(part).to_bytes(8, "little")
            self._process.stdin.write(job + part.tobytes())
            self._process.stdin.flush()
            results.append(self._read(part.nbytes))
        return np.frombuffer(b"".join(results), STATE)

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        if self._process.wait(timeout=60):
            raise RuntimeError("compare.c failed")
        self._folder.cleanup()


class Difference(Exception):
    """The semantics and the processor differ."""


class Illegal(Exception):
    """The processor does not have the instruction."""


BYTES = [constant(it, 8) for it in range(256)]


class Comparison:
    """Runs one case on states with `bits`: Lanes for all at once, or Algebra for one after the other."""

    def __init__(self, case: Case, bits: Algebra) -> None:
        self.case, self.bits = case, bits
        self.exact = not isinstance(bits, Lanes)
        self.machine = Machine(bits)
        self.machine.map(SLOT & ~0xFFF, 4096, "code", False, bytearray(4096), True)
        self.machine.map(MEMORY, 256, "memory")
        self.code = {SLOT + i: constant(it, 8) for i, it in enumerate(case.code)}
        self.unknown: list[int] = [POISON] * 64

    def run(self, before: np.ndarray, after: np.ndarray) -> set[str]:
        """Compares one or all states. Returns the names of undefined results."""
        m, case = self.machine, self.case
        m.memory, m.pc = dict(self.code), SLOT
        m.general = [self.unknown] * 16
        for i in case.general:
            m.general[i] = self.read(before["general"][:, i])
        for i in case.vectors:
            m.vector[i] = self.read(before["vectors"][:, i])
        for i in case.masks:
            m.masks[i] = self.read(before["masks"][:, i])
        flags = self.read(before["flags"])
        m.flags = {name: flags[i] for name, i in FLAG_BITS.items()}
        if case.uses_memory and self.exact:
            m.regions[-1].data = bytearray(before["memory"][0].tobytes())
        elif case.uses_memory:
            data = self.read(before["memory"])
            m.memory |= {MEMORY + i: data[8 * i : 8 * i + 8] for i in range(256)}
        m.step()

        undefined = set[str]()
        if m.pc != (case.taken if after["taken"][0] else SLOT + len(case.code)):
            raise Difference(f"{case.it}: goes to {m.pc:#x}")
        for i in range(16):
            if m.general[i] is not self.unknown:
                self.check(f"general {i}", m.general[i], after["general"][:, i], undefined)
        for i in case.vectors:
            self.check(f"vector {i}", m.vector[i], after["vectors"][:, i], undefined)
        for i in case.masks:
            self.check(f"mask {i}", m.masks[i], after["masks"][:, i], undefined)
        flags = self.read(after["flags"])
        for name, i in FLAG_BITS.items():
            self.check_bits(name, [m.flags[name]], [flags[i]], undefined)
        if case.uses_memory:
            self.check_memory(before["memory"], after["memory"], undefined)
        return undefined

    def read(self, values: np.ndarray) -> list[int]:
        if not self.exact:
            return lanes_of(values)
        raw = values[0].tobytes()
        return [bit for byte in raw for bit in BYTES[byte]]

    def check(self, name: str, found: list[int], wanted: np.ndarray, undefined: set[str]) -> None:
        real = self.read(wanted)
        if found != real:
            self.check_bits(name, found, real, undefined)

    def check_memory(self, before: np.ndarray, after: np.ndarray, undefined: set[str]) -> None:
        written = [i for i in range(256) if MEMORY + i in self.machine.memory]
        kept = [i for i in range(256) if MEMORY + i not in self.machine.memory]
        if not (before[:, kept] == after[:, kept]).all():
            raise Difference(f"{self.case.it}: writes more memory")
        found = [bit for i in written for bit in self.machine.memory[MEMORY + i]]
        if written:
            self.check("memory", found, np.ascontiguousarray(after[:, written]), undefined)

    def check_bits(self, name: str, found: list[int], real: list[int], undefined: set[str]) -> None:
        for i, (bit, wanted) in enumerate(zip(found, real, strict=True)):
            if isinstance(bit, Poison):
                undefined.add(name)
            elif bit != wanted and (self.exact or self.column(bit) != self.column(wanted)):
                raise Difference(f"{self.case.it}: bit {i} of {name}")

    def column(self, bit: int) -> int:
        assert isinstance(self.bits, Lanes)
        return self.bits.column(bit)


@dataclass
class Report:
    """States compared in each form, and what could not be compared, with the reason."""

    states: Counter[str] = field(default_factory=Counter)
    exact: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)


class Comparer:
    BATCH = 2000  # states with equal addresses

    def __init__(self, seed: int = 1) -> None:
        self.processor, self.report = Processor(), Report()
        self.source = States(seed, self.processor.wide)

    def case(self, code: bytes) -> Case:
        return Case(code, self.processor.taken)

    def prepared(
        self, case: Case, count: int, lanes: bool, fixed: str = ""
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns states before and after the instruction. All `lanes` have the same address, and the
        same value of what is `fixed`."""
        states = self.source.make(count)
        self.narrow(case, states, lanes)
        apart = 64 if case.accesses() == 64 else 32  # a move of 64 bytes may need this alignment
        at = self.source.random.integers(0, 96 // apart + 1, 1 if lanes else count).astype("<u8")
        at = 64 + np.uint64(apart) * at
        if lanes:
            at = np.repeat(at, count)
            for index in {i for i, _, _ in case.memory.parts} if case.memory else ():
                states["general"][:, index] = states["general"][0, index]
        if fixed:
            name, _, place = fixed.partition(" ")
            if place:
                states[name][:, int(place)] = states[name][0, int(place)]
            else:
                states[name][:] = states[name][0]
        case.place(states, at)
        targets = case.memory if case.branches else None
        if case.it.name.endswith("ret") or targets:
            states["memory"].view("<u8")[:] = case.taken
        elif case.branches and isinstance(case.it.operands[0], Register):
            states["general"][:, case.it.operands[0].index] = case.taken
        after = self.processor.run(case.code, states)
        signals = {int(it) - 256 for it in np.unique(after["taken"]) if it >= 256}
        if signal.SIGILL in signals:
            raise Illegal
        if signals - {signal.SIGFPE} or (signals and "div" not in case.it.name):
            raise Difference(f"{case.it}: the processor raises signal {signals}")
        for name, size in (("general", 16), ("vectors", 32), ("masks", 8)):
            kept = [i for i in range(size) if i not in getattr(case, name)]
            if not (states[name][:, kept] == after[name][:, kept]).all():
                raise Difference(f"{case.it}: changes other registers")
        if not case.uses_memory and not (states["memory"] == after["memory"]).all():
            raise Difference(f"{case.it}: changes memory")
        return states, after

    def narrow(self, case: Case, states: np.ndarray, lanes: bool) -> None:
        """Makes operands that the semantics accept: quotients that fit, and symbolic factors with bits
        only at positions of one residue modulo 4, at most 15 of 64."""
        general, name = states["general"], case.it.name
        if name == "div":
            general[:, RDX] >>= np.uint64(50)
        elif name == "idiv":
            general[:, RDX] = (general[:, RAX].view("<i8") >> 63).view("<u8")
            general[::2, RAX] >>= np.uint64(33)
        elif lanes and name in FACTORS:
            shift = np.uint64(self.source.random.integers(0, 4))
            for values in (general, states["vectors"].view("<u8"), states["memory"].view("<u8")):
                values &= np.uint64(0x1111111111111110) << shift

    def in_lanes(self, case: Case, count: int, fixed: str = "") -> set[str]:
        """Compares all states of a batch at once. Raises Stop if the semantics need concrete bits."""
        undefined = set[str]()
        size = self.BATCH // 4 if fixed else self.BATCH
        for done in range(0, count, size):
            before, after = self.prepared(case, min(size, count - done), True, fixed)
            lanes = Lanes(len(before))
            undefined |= Comparison(case, lanes).run(before, after)
        return undefined

    def partly_in_lanes(self, case: Case, count: int) -> int:
        """Compares with one operand that is equal in the states of a batch, such as the table or the
        index of a look-up. Returns the number of compared states."""
        done = 0
        names = [f"general {i}" for i in case.general] + [f"vectors {i}" for i in case.vectors]
        names += [f"masks {i}" for i in case.masks]
        for fixed in (*sorted(names), "memory", "flags"):
            try:
                self.in_lanes(case, count, fixed)
                done += count
            except Stop:
                continue
        return done

    def one_by_one(self, case: Case, count: int) -> set[str]:
        """Compares `count` states. Returns the results that are undefined in all of them."""
        undefined: set[str] | None = None
        comparison, compared, tried = Comparison(case, Algebra()), 0, 0
        while compared < count:
            before, after = self.prepared(case, min(count, 500), False)
            for i in range(len(before)):
                one, result = before[i : i + 1], after[i : i + 1]
                tried += 1
                try:
                    found = comparison.run(one, result)
                except Stop:
                    if int(result["taken"][0]) >= 256:
                        continue  # both refuse the division
                    raise
                if int(result["taken"][0]) >= 256:
                    raise Difference(f"{case.it}: the processor refuses {one['general'][0]}")
                compared += 1
                undefined = found if undefined is None else undefined & found
            if tried > 100 * count:
                raise Difference(f"{case.it}: no states")
        return undefined or set()

    def compare(self, codes: Iterable[bytes], states: int, exact: int) -> Report:
        forms: dict[str, dict[str, list[bytes]]] = {}
        for code in sorted(set(codes)):
            it = decode(code, SLOT)
            numbers = [op.value for op in it.operands if isinstance(op, Immediate)]
            if it.name[0] == "j" or it.name == "call":
                numbers = []  # targets
            whole = " ".join([it.form, *map(hex, numbers)])
            forms.setdefault(it.form, {}).setdefault(whole, []).append(code)
        for form, variants in sorted(forms.items()):
            try:
                self.compare_form(form, variants, states, exact)
            except Illegal:
                self.report.left_out[form] = "this processor does not have it"
        return self.report

    def compare_form(
        self, form: str, variants: dict[str, list[bytes]], states: int, exact: int
    ) -> None:
        """Compares all variants in lanes; and one by one what lanes leave undefined."""
        first = next(iter(variants.values()))[0]
        if first[0] == 0x62 and not self.processor.wide:
            raise Illegal
        pilot = self.one_by_one(self.case(first), 20)
        allowed = {*FLAGS, *("general " + str(i) for i in range(16) if "bs" in form[:3])}
        if pilot - allowed:
            raise Difference(f"{form}: {pilot} is undefined")
        singly = []
        for variant, codes in variants.items():
            chosen = codes[:: -(-len(codes) // 4)]
            try:
                undefined = set[str]()
                for code in chosen:
                    undefined |= self.in_lanes(self.case(code), -(-states // len(chosen)))
                self.report.states[variant] += states
                if undefined - pilot:
                    singly += chosen
            except Stop:
                singly += chosen
                for code in chosen:
                    number = self.partly_in_lanes(self.case(code), -(-states // len(chosen)))
                    self.report.states[variant] += number
        for code in singly:
            self.one_by_one(self.case(code), -(-exact // len(singly)))
        self.report.exact[form] += 20 + (exact if singly else 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("codes", nargs="+", type=Path, metavar="CODES")
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--exact", type=int, default=10_000)
    options = parser.parse_args()
    codes = {bytes.fromhex(line) for path in options.codes for line in path.read_text().split()}
    comparer = Comparer()
    report = comparer.compare(codes, options.states, options.exact)
    comparer.processor.close()
    if not report.exact:
        sys.exit("nothing is compared: this processor has none of the instructions")
    print(
        f"{len(report.exact)} forms, {len(+report.states)} with their immediate numbers in lanes:"
        f" {report.states.total():,} states in lanes, {report.exact.total():,} one by one"
    )
    for form, reason in report.left_out.items():
        print(f"not compared: {form}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
