"""GHASH of many blocks, with products of blocks as the code forms them."""

from __future__ import annotations

import random
from functools import cache

import spec

from .bits import Algebra, members
from .driver import flat, string
from .refused import Refused


class Bilinear:
    """The parameter `bits` for a product of two independent blocks: it gives bit 128 * i + j of an
    integer for the product of bits i and j."""

    def AND(self, x: int, y: int, /) -> int:
        return y << 128 * (x.bit_length() - 1)

    def sbox(self, b: spec.Byte, /) -> spec.Byte:
        raise NotImplementedError

    inverse_sbox = sbox


@cache
def columns() -> list[list[tuple[int, int]]]:
    """Returns for each bit of spec.multiply the pairs of bits whose products it is the XOR of."""
    block = string([1 << i for i in range(128)])
    result = flat(spec.multiply(Bilinear(), block, block))
    return [[divmod(it, 128) for it in members(bit)] for bit in result]


def multiply(bits: Algebra, x: spec.String, y: spec.String) -> spec.String:
    return string(bits.products(flat(x), flat(y), columns()))


def cut(bits: Algebra, value: spec.String) -> spec.String:
    return string([bits.cut(bit) for bit in flat(value)])


def grouped(
    bits: Algebra, powers: list[spec.String], groups: list[list[spec.String]]
) -> spec.String:
    """Returns GHASH of all blocks. A group of n blocks is (y + X1) H^n + X2 H^(n-1) + … + Xn H, with
    powers[k - 1] for H^k. The sum is cut after each group but the last."""
    y = spec.string(bytes(16))
    for number, group in enumerate(groups):
        terms = [multiply(bits, spec.xor(group[0], y), powers[len(group) - 1])]
        for i, block in enumerate(group[1:], 1):
            terms.append(multiply(bits, block, powers[len(group) - 1 - i]))
        y = spec.xor(*terms)
        if number < len(groups) - 1:
            y = cut(bits, y)
    return y


def check_grouped(sizes: tuple[int, ...]) -> None:
    """Compares `grouped` with GHASH on numbers, for groups of these sizes."""
    source, bits = random.Random(1), Algebra("quadratic", functions=False)
    h = spec.string(source.randbytes(16))
    powers = [h]
    while len(powers) < max(sizes):
        powers.append(spec.multiply(bits, powers[-1], h))
    groups = [[spec.string(source.randbytes(16)) for _ in range(size)] for size in sizes]
    wanted = spec.GHASH(bits, h, [byte for group in groups for block in group for byte in block])
    if grouped(bits, powers, groups) != wanted:
        raise Refused(f"groups of {sizes} blocks are not GHASH")
