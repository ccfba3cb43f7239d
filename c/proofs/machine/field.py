"""GHASH of many blocks, with products of blocks as the code forms them."""

from __future__ import annotations

import random
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Group:
    """Blocks that GHASH adds up before a reduction.

    A group of n blocks is a sum X1 H^n + X2 H^(n-1) + … + Xn H. The earlier sum is added to the block at
    index `first`; blocks before it are zero. With several `chains`, block i belongs to chain i modulo
    `chains`. Each chain has a sum of its own, with the powers of the first chain. These sums are added to the
    first blocks of the next group.
    """

    blocks: list[spec.String]
    first: int = 0
    chains: int = 1

    @property
    def shape(self) -> tuple[int, int, int]:
        return len(self.blocks), self.first, self.chains


def grouped(bits: Algebra, powers: list[spec.String], groups: list[Group]) -> spec.String:
    """Returns GHASH of all blocks, with powers[k - 1] for H^k. The sums are cut after each group but the
    last."""
    sums: list[spec.String] = []
    for number, group in enumerate(groups):
        blocks, size = list(group.blocks), len(group.blocks)
        for i, y in enumerate(sums, group.first):
            blocks[i] = spec.xor(blocks[i], y)
        sums = []
        for chain in range(group.chains):
            exponents = range(size, 0, -group.chains)
            pairs = zip(blocks[chain :: group.chains], exponents, strict=True)
            sums.append(spec.xor(*(multiply(bits, x, powers[k - 1]) for x, k in pairs)))
        if number < len(groups) - 1:
            sums = [cut(bits, y) for y in sums]
    (result,) = sums
    return result


def check_grouped(shapes: tuple[tuple[int, int, int], ...]) -> None:
    """Compares `grouped` with GHASH on numbers, for groups of these shapes."""
    source, bits = random.Random(1), Algebra("quadratic", functions=False)
    h = spec.string(source.randbytes(16))
    powers = [h]
    while len(powers) < max(size for size, _, _ in shapes):
        powers.append(spec.multiply(bits, powers[-1], h))
    groups, hashed = [], list[spec.Byte]()
    for size, first, chains in shapes:
        blocks = [spec.string(source.randbytes(16)) for _ in range(size - first)]
        hashed += spec.joined(blocks)
        groups.append(Group([spec.string(bytes(16))] * first + blocks, first, chains))
    if grouped(bits, powers, groups) != spec.GHASH(bits, h, hashed):
        raise Refused(f"groups of {shapes} blocks are not GHASH")
