"""Arithmetic on symbolic bits, the least significant first."""

from __future__ import annotations

from typing import Any

from .bits import POISON, Algebra, Poison

Value = list[int]


def constant(value: int, size: int) -> Value:
    """Returns the lowest `size` bits of a number."""
    return [value >> i & 1 for i in range(size)]


def number(value: Value) -> int | None:
    """Returns the number that concrete bits are, or None if one is symbolic or undefined."""
    total = 0
    for i, bit in enumerate(value):
        if bit == 1:
            total |= 1 << i
        elif bit != 0:
            return None
    return total


def is_concrete(value: Value) -> bool:
    return all(it == 0 or it == 1 for it in value)


def to_number(value: Value) -> int:
    return sum(bit << i for i, bit in enumerate(value))


def add(bits: Algebra, x: Value, y: Value, carry: int = 0) -> tuple[Value, int, int]:
    """Returns x + y + carry, the carry out of the last bit, and the carry into it."""
    if is_concrete(x) and is_concrete(y) and is_concrete([carry]):
        size, low = len(x), len(x) - 1
        a, b = to_number(x), to_number(y)
        total = a + b + carry
        into = ((a & (1 << low) - 1) + (b & (1 << low) - 1) + carry) >> low
        return [total >> i & 1 for i in range(size)], total >> size, into
    bits_, into = [], carry
    for a, b in zip(x, y):
        into = carry
        bits_.append(a ^ b ^ carry)
        # The majority. Without a symbolic carry it is one AND.
        carry = bits.AND(a ^ carry, b ^ carry) ^ carry
    return bits_, carry, into


def complement(x: Value) -> Value:
    return [it ^ 1 for it in x]


def is_zero(value: Value) -> Any:
    """Returns 1 if all bits are 0. For symbolic bits that is known only if another bit is 1."""
    if is_concrete(value):
        return int(not any(value))
    if any(it == 1 for it in value):
        return 0
    return Poison("a test of symbolic bits for zero")


def parity(value: Value) -> int:
    """PF: 1 if the low byte has an even number of bits set."""
    total = 1
    for it in value[:8]:
        total ^= it
    return total


def product(bits: Algebra, x: Value, y: Value) -> Value:
    """Returns all bits of x * y.

    Symbolic factors must have holes: bits only at positions of one residue modulo 4. Then a column of
    the product is a sum of products of bits. Up to 15 of them fit in four bits, so no carry reaches
    the next column. The lowest bit of a column is the XOR of its products. The three above it, as far
    as the sum can reach them, are carries, and undefined here.
    """
    size = len(x)
    x, y = [bits.normal(it) for it in x], [bits.normal(it) for it in y]
    if is_concrete(x) and is_concrete(y):
        return constant(to_number(x) * to_number(y), 2 * size)
    places_x = [i for i in range(size) if x[i] != 0]
    places_y = [i for i in range(size) if y[i] != 0]
    if len({i % 4 for i in places_x}) > 1 or len({i % 4 for i in places_y}) > 1:
        return [POISON] * (2 * size)
    columns: list[list[tuple[int, int]]] = [[] for _ in range(2 * size)]
    for i in places_x:
        for j in places_y:
            columns[i + j].append((i, j))
    if max(map(len, columns)) > 15:
        return [POISON] * (2 * size)
    total = bits.products(x, y, columns)
    for column, pairs in enumerate(columns):
        for above in range(1, len(pairs).bit_length()):
            if column + above < 2 * size:
                total[column + above] = POISON
    return total


def carryless(bits: Algebra, x: Value, y: Value) -> Value:
    """Returns the product of two polynomials over GF(2)."""
    columns: list[list[tuple[int, int]]] = [[] for _ in range(len(x) + len(y))]
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            if a != 0 and b != 0:
                columns[i + j].append((i, j))
    return bits.products(x, y, columns)


def select(bits: Algebra, condition: int, x: Value, y: Value) -> Value:
    """Returns x if the condition is 1, y if it is 0."""
    if condition == 0 or condition == 1:
        return list(x if condition else y)
    return [b ^ bits.AND(condition, a ^ b) for a, b in zip(x, y)]
