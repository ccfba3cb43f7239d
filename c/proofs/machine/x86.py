"""The instructions of x86-64 (Intel SDM, volume 2): moves, control and strings.

integers.py and vectors.py have the others. A form that is in none of them stops the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import arithmetic, evex, integers, vector_moves, vectors  # noqa: F401 (they fill the table)
from .arithmetic import Value, constant, number, select
from .bits import Algebra
from .forms import TABLE, SecretDependence, Semantics, Stop, concrete, form
from .operands import Immediate, Instruction, Memory, Register
from .vectors import MASKED

if TYPE_CHECKING:
    from .machine import Machine


def semantics(it: Instruction) -> Semantics:
    found = TABLE.get(it.name)
    if found is None or (it.mask is not None and it.name not in MASKED):
        raise Stop(f"{it.address:#x}: {it}: not a known instruction")
    return found


# ---- Moves ----


@form("nop", "endbr64", "prefetcht0", "prefetcht1", "prefetchw", "sfence", "vzeroupper")
def nothing(m: Machine, it: Instruction) -> None:
    if it.name == "vzeroupper":
        for i in range(16):
            m.put_vector(i, m.vector[i][:128], True)


@form("mov", "movabs")
def mov(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    m.write(to, m.read(source, to.size))


@form("movzx", "movsx", "movsxd")
def extend(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    value = m.read(source)
    top = 0 if it.name == "movzx" else value[-1]
    m.write(to, value + [top] * (to.size - len(value)))


@form("cbw", "cwde", "cdqe", "cwd", "cdq", "cqo")
def widen(m: Machine, it: Instruction) -> None:
    size = {"cbw": 8, "cwde": 16, "cwd": 16, "cdqe": 32, "cdq": 32, "cqo": 64}[it.name]
    value = m.general[0][:size]
    if it.name in ("cbw", "cwde", "cdqe"):
        m.put(Register(0, 2 * size), value + [value[-1]] * size)
    else:
        m.put(Register(2, size), [value[-1]] * size)


@form("lea")
def lea(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    assert isinstance(source, Memory)
    total = constant(source.displacement, 64)
    for index, size, scale in source.parts:
        part = m.general[index][:size] + [0] * (64 - size)
        shift = scale.bit_length() - 1
        total = arithmetic.add(m.bits, total, ([0] * shift + part)[:64])[0]
    m.write(to, total[: to.size])


@form("xchg")
def xchg(m: Machine, it: Instruction) -> None:
    a, b = it.operands
    x, y = m.read(a), m.read(b)
    m.write(a, y)
    m.write(b, x)


@form("bswap")
def bswap(m: Machine, it: Instruction) -> None:
    value = m.read(it.operands[0])
    m.write(
        it.operands[0], [bit for i in range(len(value) - 8, -8, -8) for bit in value[i : i + 8]]
    )


# ---- Control ----


def push(m: Machine, value: Value) -> None:
    top = concrete(m.general[4]) - 8
    m.general[4] = constant(top, 64)
    m.store(top, value)


def pop(m: Machine) -> Value:
    top = concrete(m.general[4])
    m.general[4] = constant(top + 8, 64)
    return m.load(top, 8)


@form("push")
def push_(m: Machine, it: Instruction) -> None:
    push(m, m.read(it.operands[0], 64))


@form("pop")
def pop_(m: Machine, it: Instruction) -> None:
    m.write(it.operands[0], pop(m))


@form("leave")
def leave(m: Machine, it: Instruction) -> None:
    m.general[4] = m.general[5]
    m.general[5] = pop(m)


@form("call")
def call(m: Machine, it: Instruction) -> None:
    target = concrete(m.read(it.operands[0], 64))
    push(m, constant(m.next, 64))
    m.next = target


@form("jmp")
def jmp(m: Machine, it: Instruction) -> None:
    m.next = concrete(m.read(it.operands[0], 64))


@form("ret", "repz ret")
def ret(m: Machine, it: Instruction) -> None:
    if it.operands:
        raise Stop("a return that removes arguments")
    m.next = concrete(pop(m))


CONDITIONS: dict[str, Callable[[Algebra, dict[str, int]], int]] = {
    "o": lambda bits, f: f["OF"],
    "b": lambda bits, f: f["CF"],
    "e": lambda bits, f: f["ZF"],
    "be": lambda bits, f: bits.OR(f["CF"], f["ZF"]),
    "s": lambda bits, f: f["SF"],
    "p": lambda bits, f: f["PF"],
    "l": lambda bits, f: f["SF"] ^ f["OF"],
    "le": lambda bits, f: bits.OR(f["ZF"], f["SF"] ^ f["OF"]),
}
OPPOSITES = {"ae": "b", "ne": "e", "a": "be", "ge": "l", "g": "le"} | {f"n{it}": it for it in "osp"}
EVERY_CONDITION = [*CONDITIONS, *OPPOSITES]


def condition(m: Machine, name: str) -> int:
    if name in OPPOSITES:
        return 1 ^ CONDITIONS[OPPOSITES[name]](m.bits, m.flags)
    return CONDITIONS[name](m.bits, m.flags)


@form(*(f"j{it}" for it in EVERY_CONDITION))
def branch(m: Machine, it: Instruction) -> None:
    taken = number([condition(m, it.name[1:])])
    if taken is None:
        raise SecretDependence(
            f"the branch depends on {m.bits.describe(condition(m, it.name[1:]))}"
        )
    if taken:
        target = it.operands[0]
        assert isinstance(target, Immediate)
        m.next = target.value & (1 << 64) - 1


@form(*(f"set{it}" for it in EVERY_CONDITION))
def setcc(m: Machine, it: Instruction) -> None:
    m.write(it.operands[0], [condition(m, it.name[3:]), *[0] * 7])


@form(*(f"cmov{it}" for it in EVERY_CONDITION))
def cmov(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    m.write(to, select(m.bits, condition(m, it.name[4:]), m.read(source), m.read(to)))


# ---- Strings ----


@form("rep stosq", "rep stosd", "rep movsq", "rep movsd")
def repeat(m: Machine, it: Instruction) -> None:
    size = 8 if it.name.endswith("q") else 4
    count, to = concrete(m.general[1]), concrete(m.general[7])
    for i in range(count):
        if "stos" in it.name:
            value = m.general[0][: 8 * size]
        else:
            value = m.load(concrete(m.general[6]) + size * i, size)
        m.store(to + size * i, value)
    m.general[1], m.general[7] = [0] * 64, constant(to + size * count, 64)
    if "movs" in it.name:
        m.general[6] = constant(concrete(m.general[6]) + size * count, 64)
