"""The instructions of SSE, AVX, AVX2 and AVX-512, AES-NI, VAES and PCLMULQDQ (Intel SDM, volume 2).

A packed instruction is a function of 128-bit lanes. From it come the SSE form with two operands, which
keeps the bits above, and the VEX or EVEX form with three, which clears them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import spec

from . import arithmetic
from .arithmetic import Value, complement, number, select, to_number
from .bits import Algebra
from .forms import SecretDependence, Stop, concrete, form
from .operands import Immediate, Instruction, Memory, Operand, Register

if TYPE_CHECKING:
    from .machine import Machine

Lanes = Callable[[Algebra, Value, Value, int], Value]
# The bits of an element, for instructions that may have a mask. Others stop at one.
MASKED = {f"vmovdqu{size}": size for size in (8, 16, 32, 64)} | {
    "vpbroadcastd": 32,
    "vshufi32x4": 32,
}
SELF_CLEARING = (
    "pxor",
    "pxord",
    "pxorq",
    "xorps",
    "xorpd",
    "psubb",
    "psubw",
    "psubd",
    "psubq",
    "pandn",
    "andnps",
)


def elements(value: Value, size: int) -> list[Value]:
    return [value[i : i + size] for i in range(0, len(value), size)]


def joined(values: list[Value]) -> Value:
    return [bit for value in values for bit in value]


def source(m: Machine, it: Instruction, op: Operand, size: int) -> Value:
    """Reads a vector operand. SSE faults on memory that is not aligned."""
    if isinstance(op, Memory) and it.name[0] != "v" and m.address(op) % 16:
        raise Stop(f"a load from {m.address(op):#x}, which is not aligned")
    return m.read(op, size)


def put(m: Machine, it: Instruction, op: Operand, value: Value) -> None:
    """Writes a vector register. With a mask, the other elements stay, or become 0."""
    assert isinstance(op, Register) and op.vector
    if it.mask is not None:
        size, chosen = MASKED[it.name], m.masks[it.mask]
        old = [0] * len(value) if it.zeroing else m.read(op)
        pairs = zip(chosen, elements(value, size), elements(old, size))
        value = joined([select(m.bits, bit, new, kept) for bit, new, kept in pairs])
    m.put_vector(op.index, value, it.name[0] == "v")


def immediate(it: Instruction) -> int:
    last = it.operands[-1]
    return last.value & 0xFF if isinstance(last, Immediate) else 0


def packed(*names: str, operands: int = 2) -> Callable[[Lanes], Lanes]:
    """Enters a function of lanes. With two operands the first is also the result in SSE."""

    def enter(function: Lanes) -> Lanes:
        def execute(m: Machine, it: Instruction) -> None:
            ops = [op for op in it.operands if not isinstance(op, Immediate)]
            size = ops[0].size
            if len(ops) != operands + (it.name[0] == "v" or operands == 1):
                raise Stop(f"{len(ops)} operands")
            b = source(m, it, ops[-1], size)
            a = b if operands == 1 else m.read(ops[-2], size)
            plain = it.name.removeprefix("v")
            if operands == 2 and ops[-1] == ops[-2] and plain in SELF_CLEARING:
                a = b = [0] * size  # even if undefined
            if operands == 2 and ops[-1] == ops[-2] and plain.startswith("pcmpeq"):
                a = b = [0] * size
            lanes = zip(elements(a, 128), elements(b, 128))
            put(m, it, ops[0], joined([function(m.bits, x, y, immediate(it)) for x, y in lanes]))

        form(*names, *("v" + name for name in names))(execute)
        return function

    return enter


# ---- Logic and arithmetic ----


@packed("pxor", "pxord", "pxorq", "xorps", "xorpd")
def xor(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return [x ^ y for x, y in zip(a, b)]


@packed("pand", "andps", "andpd")
def and_(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return [bits.AND(x, y) for x, y in zip(a, b)]


@packed("pandn", "andnps")
def and_not(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return [bits.AND(1 ^ x, y) for x, y in zip(a, b)]


@packed("por", "orps", "orpd")
def or_(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return [bits.OR(x, y) for x, y in zip(a, b)]


def element_wise(
    letters: str, name: str, function: Callable[[Algebra, Value, Value], Value]
) -> None:
    """Enters an instruction for each size of elements."""
    for letter in letters:
        size = {"b": 8, "w": 16, "d": 32, "q": 64}[letter]

        def lanes(bits: Algebra, a: Value, b: Value, _: int, size: int = size) -> Value:
            pairs = zip(elements(a, size), elements(b, size))
            return joined([function(bits, x, y) for x, y in pairs])

        packed(name + letter)(lanes)


def equal(bits: Algebra, a: Value, b: Value) -> int:
    total = 1
    for x, y in zip(a, b):
        total = bits.AND(total, 1 ^ x ^ y)
    return total


def less(bits: Algebra, a: Value, b: Value) -> int:
    """Returns whether a < b, both signed: the sign of a - b with one bit more."""
    return arithmetic.add(bits, a + a[-1:], complement(b + b[-1:]), 1)[0][-1]


element_wise("bwdq", "padd", lambda bits, a, b: arithmetic.add(bits, a, b)[0])
element_wise("bwdq", "psub", lambda bits, a, b: arithmetic.add(bits, a, complement(b), 1)[0])
element_wise("bwdq", "pcmpeq", lambda bits, a, b: [equal(bits, a, b)] * len(a))
element_wise("bwdq", "pcmpgt", lambda bits, a, b: [less(bits, b, a)] * len(a))
element_wise("bd", "pmins", lambda bits, a, b: select(bits, less(bits, a, b), a, b))


@form("ptest", "vptest")
def test(m: Machine, it: Instruction) -> None:
    """The bits are normal forms, so a difference of equal values is zero."""
    x, y = m.read(it.operands[0]), source(m, it, it.operands[1], it.operands[0].size)
    x, y = ([m.bits.normal(bit) for bit in value] for value in (x, y))
    both = [m.bits.AND(a, b) for a, b in zip(x, y)]
    other = [m.bits.AND(1 ^ a, b) for a, b in zip(x, y)]
    m.flags = dict.fromkeys(m.flags, 0)
    m.flags |= {"ZF": arithmetic.is_zero(both), "CF": arithmetic.is_zero(other)}


@packed("pmuludq")
def multiply(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    pairs = zip(elements(a, 64), elements(b, 64))
    return joined([arithmetic.product(bits, x[:32], y[:32]) for x, y in pairs])


# ---- Shifts ----


def shifted(value: Value, count: int, left: bool) -> Value:
    size, count = len(value), min(count, len(value))
    return [0] * count + value[: size - count] if left else value[count:] + [0] * count


def shift_of(name: str) -> Callable[[Machine, Instruction], None]:
    size, left = {"w": 16, "d": 32, "q": 64}[name[-1]], "sll" in name

    def execute(m: Machine, it: Instruction) -> None:
        last, value = it.operands[-1], m.read(it.operands[-2], it.operands[0].size)
        if isinstance(last, Immediate):
            count = last.value & 0xFF
        else:
            count = concrete(source(m, it, last, 128)[:64])
        put(m, it, it.operands[0], joined([shifted(x, count, left) for x in elements(value, size)]))

    return execute


for direction in ("psll", "psrl"):
    for letter in "wdq":
        form(direction + letter, f"v{direction}{letter}")(shift_of(direction + letter))


@form("vpsllvq", "vpsrlvq", "vpsllvd", "vpsrlvd")
def shift_each(m: Machine, it: Instruction) -> None:
    to, value, counts = it.operands
    size = 64 if it.name[-1] == "q" else 32
    pairs = zip(elements(m.read(value), size), elements(m.read(counts, to.size), size))
    put(m, it, to, joined([shifted(x, concrete(n), "sll" in it.name) for x, n in pairs]))


@form("pslldq", "psrldq", "vpslldq", "vpsrldq")
def shift_bytes(m: Machine, it: Instruction) -> None:
    value = m.read(it.operands[-2])
    lanes = [shifted(x, 8 * immediate(it), "sll" in it.name) for x in elements(value, 128)]
    put(m, it, it.operands[0], joined(lanes))


# ---- Permutations ----


@packed("pshufb")
def shuffle_bytes(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    """A symbolic index looks up a concrete table."""
    table, result = elements(a, 8), []
    for index in elements(b, 8):
        known = number(index)
        if known is not None:
            result += [0] * 8 if known & 0x80 else table[known & 15]
            continue
        if number(a) is None:
            raise SecretDependence("an index and the table are symbolic")
        found = bits.lookup_bytes([to_number(entry) for entry in table], index[:4])
        result += [bits.AND(1 ^ index[7], bit) for bit in found]
    return result


@packed("pshufd", operands=1)
def shuffle_words(bits: Algebra, a: Value, _: Value, imm: int) -> Value:
    return joined([elements(a, 32)[imm >> 2 * i & 3] for i in range(4)])


@packed("pshuflw", operands=1)
def shuffle_low(bits: Algebra, a: Value, _: Value, imm: int) -> Value:
    return joined([elements(a, 16)[imm >> 2 * i & 3] for i in range(4)]) + a[64:]


@packed("pshufhw", operands=1)
def shuffle_high(bits: Algebra, a: Value, _: Value, imm: int) -> Value:
    return a[:64] + joined([elements(a[64:], 16)[imm >> 2 * i & 3] for i in range(4)])


@packed("shufps")
def shuffle_two(bits: Algebra, a: Value, b: Value, imm: int) -> Value:
    return joined([elements(a if i < 2 else b, 32)[imm >> 2 * i & 3] for i in range(4)])


@packed("shufpd")
def shuffle_halves(bits: Algebra, a: Value, b: Value, imm: int) -> Value:
    return elements(a, 64)[imm & 1] + elements(b, 64)[imm >> 1 & 1]


@packed("palignr")
def align(bits: Algebra, a: Value, b: Value, imm: int) -> Value:
    return (b + a + [0] * 2048)[8 * imm :][:128]


def interleave(name: str, size: int, high: bool) -> None:
    def lanes(bits: Algebra, a: Value, b: Value, _: int) -> Value:
        half = slice(64, 128) if high else slice(0, 64)
        return joined([x + y for x, y in zip(elements(a[half], size), elements(b[half], size))])

    packed(name)(lanes)


for low_or_high in "lh":
    for letters, width in (("bw", 8), ("wd", 16), ("dq", 32), ("qdq", 64)):
        interleave(f"punpck{low_or_high}{letters}", width, low_or_high == "h")
    interleave(f"unpck{low_or_high}pd", 64, low_or_high == "h")
    interleave(f"unpck{low_or_high}ps", 32, low_or_high == "h")


@packed("packuswb")
def pack(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    """Words of more than 8 bits saturate, so their upper bits must be concrete."""
    result = []
    for word in elements(a + b, 16):
        upper = signed_word(concrete(word[8:]))
        result += [0] * 8 if upper < 0 else [1] * 8 if upper > 0 else word[:8]
    return result


def signed_word(upper: int) -> int:
    return upper - 256 if upper & 0x80 else upper


@form("vperm2i128")
def permute_lanes(m: Machine, it: Instruction) -> None:
    to, first, second, _ = it.operands
    lanes = elements(m.read(first) + m.read(second, 256), 128)
    halves = [immediate(it), immediate(it) >> 4]
    put(m, it, to, joined([[0] * 128 if half & 8 else lanes[half & 3] for half in halves]))


@form("vpermq")
def permute_words(m: Machine, it: Instruction) -> None:
    to, value, imm = it.operands
    if not isinstance(imm, Immediate):  # the second operand has the indices
        words = elements(m.read(imm, to.size), 64)
        indices = [concrete(index[:8]) % len(words) for index in elements(m.read(value), 64)]
        put(m, it, to, joined([words[index] for index in indices]))
        return
    if to.size != 256:
        raise Stop("an immediate number only on 256 bits")
    words = elements(m.read(value, to.size), 64)
    put(m, it, to, joined([words[imm.value >> 2 * i & 3] for i in range(4)]))


# ---- AES and carry-less products ----


def string(value: Value) -> spec.String:
    return elements(value, 8)


@packed("aesenc")
def aesenc(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return joined(
        spec.xor(spec.MixColumns(spec.ShiftRows(spec.SubBytes(bits, string(a)))), string(b))
    )


@packed("aesenclast")
def aesenclast(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return joined(spec.xor(spec.ShiftRows(spec.SubBytes(bits, string(a))), string(b)))


@packed("aesdec")
def aesdec(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    state = spec.InvSubBytes(bits, spec.InvShiftRows(string(a)))
    return joined(spec.xor(spec.InvMixColumns(state), string(b)))


@packed("aesdeclast")
def aesdeclast(bits: Algebra, a: Value, b: Value, _: int) -> Value:
    return joined(spec.xor(spec.InvSubBytes(bits, spec.InvShiftRows(string(a))), string(b)))


@packed("aesimc", operands=1)
def aesimc(bits: Algebra, a: Value, _: Value, __: int) -> Value:
    return joined(spec.InvMixColumns(string(a)))


CLMUL = {"clmullqlqdq": 0x00, "clmulhqlqdq": 0x01, "clmullqhqdq": 0x10, "clmulhqhqdq": 0x11}


def carryless_of(chosen: int | None) -> Lanes:
    def lanes(bits: Algebra, a: Value, b: Value, imm: int) -> Value:
        halves = imm if chosen is None else chosen
        x, y = elements(a, 64)[halves & 1], elements(b, 64)[halves >> 4 & 1]
        return arithmetic.carryless(bits, x, y)

    return lanes


packed("pclmulqdq")(carryless_of(None))
for short_name, halves_of in CLMUL.items():
    packed("p" + short_name)(carryless_of(halves_of))
