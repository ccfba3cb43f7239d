"""Instructions as the machine needs them, decoded by capstone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import capstone
from capstone import x86_const as x86

NAMES = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"]
VECTORS = {"x": 128, "y": 256, "z": 512}


@dataclass(frozen=True)
class Register:
    index: int
    size: int  # in bits
    offset: int = 0
    vector: bool = False
    mask: bool = False


@dataclass(frozen=True)
class Memory:
    displacement: int
    parts: tuple[tuple[int, int, int], ...]  # general registers: index, size, scale
    size: int  # in bits
    repeated: int = 1  # of EVEX: how often the value is read, as in {1to8}


@dataclass(frozen=True)
class Immediate:
    value: int
    size: int


Operand = Register | Memory | Immediate


@dataclass(frozen=True)
class Instruction:
    address: int
    size: int
    name: str
    operands: tuple[Operand, ...]
    text: str
    code: bytes
    mask: int | None = None  # the mask register of EVEX, or None
    zeroing: bool = False

    @property
    def form(self) -> str:
        """The name with the kinds and sizes of the operands, as `add r64, m64`."""
        kinds = []
        for it in self.operands:
            if isinstance(it, Register):
                kinds.append(("v" if it.vector else "k" if it.mask else "r") + str(it.size))
            elif isinstance(it, Memory):
                kinds.append(f"m{it.size}" + (f"*{it.repeated}" if it.repeated > 1 else ""))
            else:
                kinds.append(f"i{it.size}")
        masked = "" if self.mask is None else "{k}{z}" if self.zeroing else "{k}"
        return f"{self.name} {', '.join(kinds)}{masked}".strip()

    def __str__(self) -> str:
        return self.text


def general_registers() -> dict[str, Register]:
    table = {}
    for i, name in enumerate(NAMES):
        for prefix, size in (("r", 64), ("e", 32), ("", 16)):
            table[prefix + name] = Register(i, size)
        table[name[0] + "l" if i < 4 else name + "l"] = Register(i, 8)
        if i < 4:
            table[name[0] + "h"] = Register(i, 8, 8)
    for i in range(8, 16):
        for suffix, size in (("", 64), ("d", 32), ("w", 16), ("b", 8)):
            table[f"r{i}{suffix}"] = Register(i, size)
    return table


REGISTERS = general_registers()
for letter, width in VECTORS.items():
    for i in range(32):
        REGISTERS[f"{letter}mm{i}"] = Register(i, width, 0, True)
for i in range(8):
    REGISTERS[f"k{i}"] = Register(i, 64, 0, False, True)

DECODER = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
DECODER.detail = True


def memory(it: Any, found: Any) -> Memory:
    where = found.mem
    if where.segment in (x86.X86_REG_FS, x86.X86_REG_GS):
        raise ValueError(f"{it.mnemonic} {it.op_str}: a segment")
    if it.addr_size != 8:
        raise ValueError(f"{it.mnemonic} {it.op_str}: an address of {8 * it.addr_size} bits")
    displacement, parts = where.disp, []
    for register, scale in ((where.base, 1), (where.index, where.scale)):
        if register == x86.X86_REG_RIP:
            displacement += it.address + it.size
        elif register and register not in (x86.X86_REG_RIZ, x86.X86_REG_EIZ):
            known = REGISTERS[it.reg_name(register)]
            parts.append((known.index, known.size, scale))
    repeated = re.search(r"\{1to(\d+)\}", it.op_str)
    return Memory(displacement, tuple(parts), 8 * found.size, int(repeated[1]) if repeated else 1)


def operand(it: Any, found: Any) -> Operand:
    if found.type == x86.X86_OP_REG:
        return REGISTERS[it.reg_name(found.reg)]
    if found.type == x86.X86_OP_MEM:
        return memory(it, found)
    return Immediate(found.imm, 8 * found.size)


def decode(code: bytes, address: int) -> Instruction:
    """Returns the instruction at the start of `code`."""
    it = next(DECODER.disasm(code, address, 1), None)
    if it is None:
        raise ValueError(f"{address:#x}: not an instruction: {code.hex()}")
    text = f"{it.mnemonic} {it.op_str}".strip()
    mask = re.search(r"\{k(\d)\}", it.op_str)
    found = list(it.operands)
    if mask:
        found = [
            op for op in found if not (op.type == x86.X86_OP_REG and op.reg == MASKS[int(mask[1])])
        ]
    return Instruction(
        it.address,
        it.size,
        it.mnemonic.removeprefix("notrack ").removeprefix("bnd "),
        tuple(operand(it, op) for op in found),
        text,
        code[: it.size],
        int(mask[1]) if mask else None,
        "{z}" in it.op_str,
    )


MASKS = [getattr(x86, f"X86_REG_K{i}") for i in range(8)]
