"""The instructions that AVX-512 adds (Intel SDM, volume 2).

vectors.py and vector_moves.py have the 512-bit forms of the instructions that AVX has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .forms import form
from .operands import Instruction, Memory
from .vectors import elements, immediate, joined, put

if TYPE_CHECKING:
    from .machine import Machine


@form("vpternlogd", "vpternlogq")
def ternary(m: Machine, it: Instruction) -> None:
    """Looks up the three bits at each position in the immediate number."""
    to, second, third, _ = it.operands
    table = immediate(it)
    if table == 0xFF:
        put(m, it, to, [1] * to.size)  # even if undefined
        return
    a, b, c = m.read(to), m.read(second), m.read(third, to.size)
    put(m, it, to, [_looked_up(m, table, bits) for bits in zip(c, b, a)])


def _looked_up(m: Machine, table: int, index: tuple[int, ...]) -> int:
    """Returns the bit of the table as a sum of products (its algebraic normal form)."""
    coefficients = [table >> i & 1 for i in range(8)]
    for step in (1, 2, 4):
        for i in range(8):
            if i & step:
                coefficients[i] ^= coefficients[i ^ step]
    total = 0
    for i, used in enumerate(coefficients):
        if used:
            product = 1
            for j in range(3):
                if i >> j & 1:
                    product = m.bits.AND(product, index[j])
            total ^= product
    return total


@form("vbroadcasti32x4")
def broadcast(m: Machine, it: Instruction) -> None:
    to, source = it.operands
    put(m, it, to, m.read(source, 128) * (to.size // 128))


PARTS = {"32x4": 128, "64x4": 256}


@form("vinserti32x4", "vinserti64x4")
def insert(m: Machine, it: Instruction) -> None:
    size, (to, old, new, _) = PARTS[it.name[-4:]], it.operands
    parts = elements(m.read(old), size)
    parts[immediate(it) % len(parts)] = m.read(new, size)
    put(m, it, to, joined(parts))


@form("vextracti32x4", "vextracti64x4")
def extract(m: Machine, it: Instruction) -> None:
    size, (to, source, _) = PARTS[it.name[-4:]], it.operands
    parts = elements(m.read(source), size)
    value = parts[immediate(it) % len(parts)]
    if isinstance(to, Memory):
        m.write(to, value)
    else:
        put(m, it, to, value)


@form("vshufi32x4")
def shuffle_lanes(m: Machine, it: Instruction) -> None:
    to, first, second, _ = it.operands
    a, b = elements(m.read(first), 128), elements(m.read(second, to.size), 128)
    count = len(a)  # 2 or 4: the first half of the result is from a
    width, result = count // 2, []
    for i in range(count):
        result.append((a if i < width else b)[immediate(it) >> width * i & count - 1])
    put(m, it, to, joined(result))


@form("kmovw", "kmovd", "kmovq")
def move_mask(m: Machine, it: Instruction) -> None:
    size, (to, source) = {"w": 16, "d": 32, "q": 64}[it.name[-1]], it.operands
    value = m.read(source, size)[:size]
    m.write(to, value if isinstance(to, Memory) else value + [0] * (to.size - size))


@form("kandq", "kxnorq")
def combine_masks(m: Machine, it: Instruction) -> None:
    to, first, second = it.operands
    if it.name == "kandq":
        m.write(to, [m.bits.AND(x, y) for x, y in zip(m.read(first), m.read(second))])
    elif first == second:
        m.write(to, [1] * to.size)  # even if undefined
    else:
        m.write(to, [1 ^ x ^ y for x, y in zip(m.read(first), m.read(second))])
