"""Logic, arithmetic, shifts and tests of bits in general registers (Intel SDM, volume 2).

Flags that the manual leaves undefined become POISON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import arithmetic
from .arithmetic import Value, complement, constant, is_zero, number, parity
from .bits import POISON
from .forms import Stop, concrete, form
from .operands import Instruction, Memory, Register

if TYPE_CHECKING:
    from .machine import Machine


# ---- Logic and arithmetic ----


def set_flags(m: Machine, result: Value, carry: int, overflow: int, half: int) -> None:
    m.flags = {
        "CF": carry,
        "PF": parity(result),
        "AF": half,
        "ZF": is_zero(result),
        "SF": result[-1],
        "OF": overflow,
    }


@form("xor", "and", "or", "test")
def logic(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    x, y = m.read(to), m.read(source, to.size)
    if it.name == "xor":
        result = [0] * to.size if to == source else [a ^ b for a, b in zip(x, y)]
    elif it.name == "or":
        result = x if to == source else [m.bits.OR(a, b) for a, b in zip(x, y)]
    else:
        result = x if to == source else [m.bits.AND(a, b) for a, b in zip(x, y)]
    if it.name != "test":
        m.write(to, result)
    set_flags(m, result, 0, 0, POISON)


@form("not")
def not_(m: Machine, it: Instruction) -> None:
    m.write(it.operands[0], complement(m.read(it.operands[0])))


@form("add", "adc", "inc")
def add(m: Machine, it: Instruction) -> None:
    to = it.operands[0]
    x, y = m.read(to), constant(1, to.size) if it.name == "inc" else m.read(it.operands[1], to.size)
    carry = m.flags["CF"] if it.name == "adc" else 0
    total, out, into = arithmetic.add(m.bits, x, y, carry)
    m.write(to, total)
    half = x[4] ^ y[4] ^ total[4]
    set_flags(m, total, m.flags["CF"] if it.name == "inc" else out, out ^ into, half)


@form("sub", "sbb", "cmp", "dec", "neg")
def subtract(m: Machine, it: Instruction) -> None:
    to = it.operands[0]
    x = m.read(to)
    if it.name == "neg":
        x, y = [0] * to.size, x
    else:
        y = constant(1, to.size) if it.name == "dec" else m.read(it.operands[1], to.size)
    borrow = m.flags["CF"] if it.name == "sbb" else 0
    if len(it.operands) == 2 and to == it.operands[1]:  # even if the operand is undefined
        x = y = [0] * to.size
    total, out, into = arithmetic.add(m.bits, x, complement(y), borrow ^ 1)
    if it.name != "cmp":
        m.write(to, total)
    half = x[4] ^ y[4] ^ total[4]
    set_flags(m, total, m.flags["CF"] if it.name == "dec" else out ^ 1, out ^ into, half)


@form("mul")
def mul(m: Machine, it: Instruction) -> None:
    source = it.operands[0]
    if source.size == 8:
        raise Stop("mul of bytes")
    size = source.size
    total = arithmetic.product(m.bits, m.general[0][:size], m.read(source))
    m.put(Register(0, size), total[:size])
    m.put(Register(2, size), total[size:])
    top = is_zero(total[size:]) ^ 1
    m.flags = {**dict.fromkeys(m.flags, POISON), "CF": top, "OF": top}


@form("imul")
def imul(m: Machine, it: Instruction) -> None:
    if len(it.operands) == 1:
        raise Stop("imul of one operand")
    to = it.operands[0]
    x, y = (m.read(op, to.size) for op in it.operands[-2:])
    total = arithmetic.product(m.bits, x, y)[: to.size]
    m.write(to, total)
    a, b = number(x), number(y)
    wide = POISON
    if a is not None and b is not None:
        exact = signed(a, to.size) * signed(b, to.size)
        wide = int(not -(1 << to.size - 1) <= exact < 1 << to.size - 1)
    m.flags = {**dict.fromkeys(m.flags, POISON), "CF": wide, "OF": wide}


def signed(value: int, size: int) -> int:
    return value - (1 << size) if value >> (size - 1) else value


@form("div", "idiv")
def div(m: Machine, it: Instruction) -> None:
    size = it.operands[0].size
    if size < 32:
        raise Stop("a division of less than 32 bits")
    low, high = (concrete(m.general[i][:size]) for i in (0, 2))
    dividend, divisor = low | high << size, concrete(m.read(it.operands[0]))
    if it.name == "idiv":
        dividend, divisor = signed(dividend, 2 * size), signed(divisor, size)
    if divisor == 0:
        raise Stop("a division by zero")
    quotient = abs(dividend) // abs(divisor)
    if (dividend < 0) != (divisor < 0):
        quotient = -quotient
    least, most = (
        (-(1 << size - 1), (1 << size - 1) - 1) if it.name == "idiv" else (0, (1 << size) - 1)
    )
    if not least <= quotient <= most:
        raise Stop("the quotient overflows")
    m.put(Register(0, size), constant(quotient, size))
    m.put(Register(2, size), constant(dividend - quotient * divisor, size))
    m.flags = dict.fromkeys(m.flags, POISON)


# ---- Shifts ----


def count_of(m: Machine, it: Instruction, size: int) -> int:
    """Returns the number of places that a shift moves."""
    count = concrete(m.read(it.operands[-1], 8)) if len(it.operands) > 1 else 1
    return count & (63 if size == 64 else 31)


@form("shl", "sal", "shr", "sar")
def shift(m: Machine, it: Instruction) -> None:
    to = it.operands[0]
    x, count = m.read(to), count_of(m, it, to.size)
    if it.name in ("shl", "sal"):
        result, out = ([0] * count + x)[: to.size], [0, *x[::-1], *[0] * 64][count]
        overflow = result[-1] ^ out
    else:
        top = x[-1] if it.name == "sar" else 0
        result, out = (x + [top] * count)[count:], [0, *x, *[top] * 64][count]
        overflow = 0 if it.name == "sar" else x[-1]
    if it.name != "sar" and count > to.size:
        out = POISON
    m.write(to, result)
    if count:
        set_flags(m, result, out, overflow if count == 1 else POISON, POISON)


@form("rol", "ror")
def rotate(m: Machine, it: Instruction) -> None:
    to = it.operands[0]
    x, count = m.read(to), count_of(m, it, to.size)
    by = count % to.size if it.name == "ror" else -count % to.size
    result = x[by:] + x[:by]
    m.write(to, result)
    if count:
        out = result[-1] if it.name == "ror" else result[0]
        overflow = result[-1] ^ (result[-2] if it.name == "ror" else result[0])
        m.flags = {**m.flags, "CF": out, "OF": overflow if count == 1 else POISON}


@form("shld", "shrd")
def double_shift(m: Machine, it: Instruction) -> None:
    to, source, _ = it.operands
    if to.size < 32:
        raise Stop("a double shift of less than 32 bits")
    x, y, count = m.read(to), m.read(source), count_of(m, it, to.size)
    if it.name == "shld":
        both = y + x
        result, out = both[to.size - count :][: to.size], [0, *x[::-1]][count]
    else:
        both = x + y
        result, out = both[count:][: to.size], [0, *x][count]
    m.write(to, result)
    if count:
        set_flags(m, result, out, result[-1] ^ x[-1] if count == 1 else POISON, POISON)


# ---- Bits ----


@form("bt", "bts", "btr", "btc")
def bit_test(m: Machine, it: Instruction) -> None:
    to, index = it.operands
    if isinstance(to, Memory):
        raise Stop("a bit test in memory")
    value, i = list(m.read(to)), concrete(m.read(index, 8)) % to.size
    undefined = {key: POISON for key in ("PF", "AF", "SF", "OF")}
    m.flags = {**m.flags, **undefined, "CF": value[i]}
    value[i] = {"bt": value[i], "bts": 1, "btr": 0, "btc": value[i] ^ 1}[it.name]
    if it.name != "bt":
        m.write(to, value)


@form("bsf", "bsr", "tzcnt", "lzcnt", "popcnt")
def scan(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    value, size = concrete(m.read(source, to.size)), to.size
    low, high = (value & -value).bit_length() - 1, value.bit_length() - 1
    m.flags = dict.fromkeys(m.flags, POISON)
    if it.name in ("bsf", "bsr"):
        m.flags["ZF"] = int(value == 0)
        result = low if it.name == "bsf" else high
        m.write(to, constant(result, size) if value else [POISON] * size)
        return
    if it.name == "popcnt":
        m.flags = {**dict.fromkeys(m.flags, 0), "ZF": int(value == 0)}
        result = value.bit_count()
    else:
        result = size - 1 - high if it.name == "lzcnt" else low if value else size
        m.flags.update(CF=int(value == 0), ZF=int(result == 0))
    m.write(to, constant(result, size))
