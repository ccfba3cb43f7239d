"""Symbolic bits of c/proofs (machine/bits.py) with one normal form are equal for all values of their
variables: each has a shadow, its value in many random states."""

from __future__ import annotations

import random

import pytest
import spec
from machine.bits import Algebra, Unexplained
from machine.refused import Refused

LANES = 512  # states
ALL = (1 << LANES) - 1


class Shadowed:
    """An algebra whose bits have shadows: bit i of a shadow is the value in state i. `seen` has the
    shadow of each normal form."""

    def __init__(self, seed: int, products: str | None) -> None:
        self.random = random.Random(seed)
        self.bits = Algebra(products, functions=products != "polynomial", cuts=64)
        self.seen = {0: 0, 1: ALL}
        self.merged = 0  # equal normal forms of different expressions

    def byte(self) -> list[tuple[int, int]]:
        (forms,) = self.bits.string("x", 1)
        return [(form, self.random.getrandbits(LANES)) for form in forms]

    def check(self, form: int, shadow: int) -> tuple[int, int]:
        normal = self.bits.normal(form)
        if normal in self.seen:
            self.merged += 1
        assert self.seen.setdefault(normal, shadow) == shadow, self.bits.describe(form)
        return form, shadow

    def sbox(self, byte: list[tuple[int, int]], inverse: bool) -> list[tuple[int, int]]:
        table = spec.INVERSE_SBOX if inverse else spec.SBOX
        forms = (self.bits.inverse_sbox if inverse else self.bits.sbox)([it for it, _ in byte])
        shadows = [0] * 8
        for lane in range(LANES):
            value = table[sum((shadow >> lane & 1) << i for i, (_, shadow) in enumerate(byte))]
            for i in range(8):
                shadows[i] |= (value >> i & 1) << lane
        return [self.check(*it) for it in zip(forms, shadows, strict=True)]

    def looked_up(self, table: list[int], byte: list[tuple[int, int]]) -> tuple[int, int]:
        shadow = 0
        for lane in range(LANES):
            index = sum((it >> lane & 1) << i for i, (_, it) in enumerate(byte))
            shadow |= table[index] << lane
        return self.check(self.bits.lookup(table, [it for it, _ in byte]), shadow)

    def mixed(self, pool: list[tuple[int, int]]) -> tuple[int, int]:
        """Returns a sum, a product or a complement of members of the pool, or 0 for a product that
        the algebra refuses."""
        (x, a), (y, b) = self.random.choices(pool, k=2)
        kind = self.random.randrange(5)
        if kind < 2:
            return self.check(x ^ y, a ^ b)
        if kind == 2:
            return self.check(x ^ 1, a ^ ALL)
        try:
            if kind == 3:
                return self.check(self.bits.AND(x, y), a & b)
            return self.check(self.bits.OR(x, y), a | b)
        except Unexplained:
            return 0, 0


@pytest.mark.parametrize("products", [None, "opaque", "quadratic", "polynomial"])
@pytest.mark.parametrize("seed", range(3))
def test_equal_normal_forms_are_equal_bits(seed: int, products: str | None) -> None:
    """Sums and products of the bits of two bytes, of their S-boxes, and of sums of both."""
    it = Shadowed(seed, products)
    x, z = it.byte(), it.byte()
    y = it.sbox(x, inverse=False)
    w = it.sbox(
        [it.check(a ^ b ^ 1, c ^ d ^ ALL) for (a, c), (b, d) in zip(y, z, strict=True)], True
    )
    for group in (x, y, [*x, *y], [*z, *w], [*x, *y, *z, *w]):
        pool = list(group)
        for _ in range(150):
            pool.append(it.mixed(pool))
        if products in ("quadratic", "polynomial"):
            form, shadow = it.mixed(group)
            it.check(it.bits.cut(form), shadow)
    assert it.merged > 50


@pytest.mark.parametrize("inverse", [False, True])
def test_tables_are_the_s_box_only_if_they_are(inverse: bool) -> None:
    """The algebra recognises a table of the S-box, and no table that differs in one entry."""
    it = Shadowed(1, None)
    x = it.byte()
    y = it.sbox(x, inverse)
    table = spec.INVERSE_SBOX if inverse else spec.SBOX
    for i in range(8):
        column = [entry >> i & 1 for entry in table]
        form, _ = it.looked_up(column, x)
        assert it.bits.normal(form) == y[i][0]
        column[it.random.randrange(256)] ^= 1
        form, _ = it.looked_up(column, x)
        assert it.bits.normal(form) != y[i][0]


def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product that forgets a constant fails the first test."""
    monkeypatch.setattr(
        Algebra, "AND", lambda self, x, y, right=Algebra.AND: right(self, x & ~1, y)
    )
    with pytest.raises(AssertionError):
        test_equal_normal_forms_are_equal_bits(0, "opaque")


def test_groups_are_ghash() -> None:
    """The groups of x86/vec_gcm.h give GHASH, unless a power is wrong."""
    pytest.importorskip("elftools", reason="install c/proofs/requirements.txt")
    from machine import field

    shapes = ((3, 0, 1), (8, 1, 2), (8, 0, 2), (8, 0, 1), (5, 0, 1))
    field.check_grouped(shapes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(field, "range", lambda *given: range(*given)[::-1], raising=False)
        with pytest.raises(Refused):
            field.check_grouped(shapes)
