"""Planted faults: each changes the code that a proof runs, and the proof must refuse it.

    prove(library, "fixslice64", 16, fault="code 40")

A fault `code N` replaces the Nth of the different instructions that run and can be replaced. It changes
one or two bytes: XOR becomes OR, a shift or a choice of halves gets another number, AESENC becomes
AESENCLAST. So the changed instruction always runs.
"""

from __future__ import annotations

from .operands import Immediate, Instruction, Register, decode

# The byte of the opcode, in the code of each instruction that can become another one.
OTHERS = {
    "xor": {0x31: 0x09, 0x33: 0x0B},  # or
    "and": {0x21: 0x09, 0x23: 0x0B},
    "pxor": {0xEF: 0xEB},  # por
    "vpxor": {0xEF: 0xEB},
    "pand": {0xDB: 0xEB},
    "vpand": {0xDB: 0xEB},
    "aesenc": {0xDC: 0xDD},
    "aesdec": {0xDE: 0xDF},
    "aesenclast": {0xDD: 0xDC},
    "aesdeclast": {0xDF: 0xDE},
    "punpcklqdq": {0x6C: 0x6D},
}
NUMBERS = ("psrlq", "psllq", "psrlw", "shr", "shl", "ror", "rol", "pclmulqdq", "pshufd", "palignr")


def replaced(it: Instruction, code: bytes) -> bytes | None:
    """Returns other code of the same size, or None if there is none here."""
    registers = [op for op in it.operands if isinstance(op, Register)]
    if len(registers) == 2 and registers[0] == registers[1]:
        return None  # clears the register
    name = it.name.partition("clmul")[0] + "clmulqdq" if "clmul" in it.name else it.name
    if name in NUMBERS and isinstance(it.operands[-1], Immediate) or "clmul" in name:
        changed = bytearray(code)
        changed[it.size - 1] ^= 1
        return bytes(changed)
    for old, new in OTHERS.get(name, {}).items():
        for place in range(it.size):
            if code[place] == old:
                changed = bytearray(code)
                changed[place] = new
                if decode(bytes(changed), it.address).name != it.name:
                    return bytes(changed)
    return None


class Change:
    """Replaces the instruction with this index among those that can be replaced."""

    def __init__(self, index: int) -> None:
        self.index, self.seen, self.done = index, 0, ""

    def __call__(self, it: Instruction, code: bytes) -> bytes:
        other = replaced(it, code)
        if other is None:
            return code
        self.seen += 1
        if self.seen - 1 != self.index:
            return code
        self.done = f"{it.address:#x}: {it} became {decode(other, it.address)}"
        return other
