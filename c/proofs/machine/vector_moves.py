"""Moves of SSE, AVX and AVX2, and what they insert, extract and broadcast (Intel SDM, volume 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arithmetic import Value
from .forms import Stop, concrete, form
from .operands import Instruction, Memory, Register
from .vectors import MASKED, elements, immediate, put

if TYPE_CHECKING:
    from .machine import Machine

ALIGNED = ("movdqa", "movaps", "movapd", "movntdq", "movdqa32", "movdqa64")
UNALIGNED = ("movdqu", "movups", "movupd", "lddqu", "movdqu8", "movdqu16", "movdqu32", "movdqu64")


def is_vector(op: object) -> bool:
    return isinstance(op, Register) and op.vector


def with_vex(*names: str) -> tuple[str, ...]:
    return (*names, *("v" + name for name in names))


@form(*with_vex(*ALIGNED, *UNALIGNED))
def move(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    size = to.size if is_vector(to) else source.size
    for op in it.operands:
        aligned = it.name.removeprefix("v") in ALIGNED
        if isinstance(op, Memory) and aligned and m.address(op) % (size // 8):
            raise Stop(f"{m.address(op):#x} is not aligned")
    if it.mask is not None and (isinstance(to, Memory) or isinstance(source, Memory)):
        move_masked(m, it)
        return
    value = m.read(source, size)
    if is_vector(to):
        put(m, it, to, value)
    else:
        m.write(to, value)


def move_masked(m: Machine, it: Instruction) -> None:
    """Accesses only the elements in memory that the mask names."""
    assert it.mask is not None
    (to, source), size = it.operands, MASKED[it.name]
    register, place = (to, source) if is_vector(to) else (source, to)
    assert isinstance(register, Register) and isinstance(place, Memory)
    parts, start = elements(m.read(register), size), m.address(place)
    for i in range(len(parts)):
        if not concrete(m.masks[it.mask][i : i + 1]):
            parts[i] = [0] * size if it.zeroing else parts[i]
        elif register is to:
            parts[i] = m.load(start + size // 8 * i, size // 8)
        else:
            m.store(start + size // 8 * i, parts[i])
    if register is to:
        m.put_vector(register.index, [bit for part in parts for bit in part], True)


@form(*with_vex("movd", "movq", "movss", "movsd"))
def move_scalar(m: Machine, it: Instruction) -> None:
    to, source = it.operands[0], it.operands[-1]
    size = 64 if it.name.endswith(("q", "sd")) else 32
    if it.name.endswith(("ss", "sd")) and is_vector(to) and is_vector(source):
        put(m, it, to, m.read(source)[:size] + m.read(it.operands[-2])[size:128])
        return
    if len(it.operands) > 2 or not (is_vector(to) or is_vector(source)):
        raise Stop("no move of a scalar")
    value = m.read(source, size)
    if is_vector(to):
        put(m, it, to, value + [0] * (128 - size))
    else:
        m.write(to, value)


@form(*with_vex("movhps", "movlps", "movhpd", "movlpd"))
def move_half(m: Machine, it: Instruction) -> None:
    to, high = it.operands[0], "movh" in it.name
    if isinstance(to, Memory):
        m.write(to, m.read(it.operands[1])[64:128] if high else m.read(it.operands[1])[:64])
        return
    old, new = m.read(it.operands[-2]), m.read(it.operands[-1], 64)
    put(m, it, to, old[:64] + new if high else new + old[64:])


@form(*with_vex("movhlps", "movlhps"))
def move_between_halves(m: Machine, it: Instruction) -> None:
    old, new = m.read(it.operands[-2]), m.read(it.operands[-1])
    result = new[64:] + old[64:] if "hlps" in it.name else old[:64] + new[:64]
    put(m, it, it.operands[0], result)


@form(*with_vex("movddup"))
def duplicate(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    if to.size != 128:
        raise Stop("only on 128 bits")
    put(m, it, to, m.read(source, 64) * 2)


@form(*with_vex("pinsrb", "pinsrw", "pinsrd", "pinsrq"))
def insert(m: Machine, it: Instruction) -> None:
    size = {"b": 8, "w": 16, "d": 32, "q": 64}[it.name[-1]]
    to, old, new = it.operands[0], it.operands[-3], it.operands[-2]
    parts = elements(m.read(old), size)
    parts[immediate(it) % len(parts)] = m.read(new, size)
    put(m, it, to, [bit for part in parts for bit in part])


@form(*with_vex("pextrb", "pextrw", "pextrd", "pextrq"))
def extract(m: Machine, it: Instruction) -> None:
    size = {"b": 8, "w": 16, "d": 32, "q": 64}[it.name[-1]]
    to, source, _ = it.operands
    parts = elements(m.read(source), size)
    value = parts[immediate(it) % len(parts)]
    if isinstance(to, Memory):
        m.store(m.address(to), value)
    else:
        m.write(to, value + [0] * (to.size - size))


@form(*with_vex("pmovmskb"))
def signs(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    value: Value = [part[7] for part in elements(m.read(source), 8)]
    m.write(to, value + [0] * (to.size - len(value)))


# ---- AVX2 ----


@form("vpbroadcastb", "vpbroadcastw", "vpbroadcastd", "vpbroadcastq", "vbroadcasti128")
def broadcast(m: Machine, it: Instruction) -> None:
    size = {"b": 8, "w": 16, "d": 32, "q": 64, "8": 128}[it.name[-1]]
    to, source = it.operands
    put(m, it, to, m.read(source, size) * (to.size // size))


@form("vinserti128")
def insert_lane(m: Machine, it: Instruction) -> None:
    to, old, new, _ = it.operands
    value, lane = m.read(old), m.read(new, 128)
    put(m, it, to, value[:128] + lane if immediate(it) & 1 else lane + value[128:])


@form("vextracti128")
def extract_lane(m: Machine, it: Instruction) -> None:
    to, source, _ = it.operands
    lane = elements(m.read(source), 128)[immediate(it) & 1]
    if is_vector(to):
        put(m, it, to, lane)
    else:
        m.write(to, lane)
