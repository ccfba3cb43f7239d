"""Functions of one byte, as tables of 256 bits. bits.py recognises the S-box by them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import spec

SBOX, INVERSE_SBOX = spec.SBOX, spec.INVERSE_SBOX

# Table of the coordinate i: bit u is bit i of u.
COORDINATES = [sum((u >> i & 1) << u for u in range(256)) for i in range(8)]
ONES = (1 << 256) - 1


class Space:
    """All functions of up to eight independent linear forms.

    A function is a table: its bit u is its value where form i has the value u >> i & 1. `learn` adds
    functions that have a name, such as the outputs of the S-box. Then `reduced` finds sums of them.
    """

    def __init__(self, number: int, forms: list[int]) -> None:
        self.number = number
        self.forms = independent(forms)
        self._known: list[tuple[int, int, int]] = []  # highest bit, table, the bit that it is
        self._affine: dict[int, int] = {}
        self._reduced: dict[int, tuple[int, int]] = {}

    def combinations(self) -> Iterator[tuple[int, int]]:
        """Yields (mask, XOR of the forms in mask) for every mask but 0."""
        sums = [0]
        for form in self.forms:
            sums += [it ^ form for it in sums]
        yield from list(enumerate(sums))[1:]

    def affine(self, mask: int, constant: int) -> int:
        """Returns the table of a sum of forms and a constant."""
        if mask not in self._affine:
            total = 0
            for i in range(8):
                total ^= COORDINATES[i] if mask >> i & 1 else 0
            self._affine[mask] = total
        return self._affine[mask] ^ (ONES if constant else 0)

    def learn(self, table: int, name: int) -> None:
        """Enters a function. `name` is the bit that it is."""
        linear, remaining = self._eliminated(table)
        if remaining:
            self._known.append((remaining.bit_length() - 1, remaining, name ^ linear))
            self._known.sort(reverse=True)
            self._reduced.clear()

    def without_affine(self, table: int) -> tuple[int, int]:
        """Returns the affine part as a bit, and the table of the rest, which is 0 at 0 and at each
        single coordinate."""
        linear = table & 1
        mask = sum(1 << i for i in range(8) if (table >> (1 << i) ^ table) & 1)
        for i, form in enumerate(self.forms):
            linear ^= form if mask >> i & 1 else 0
        return linear, table ^ self.affine(mask, table & 1)

    def reduced(self, table: int) -> tuple[int, int]:
        """Returns the part of a function that is affine or known, as a bit, and the rest."""
        found = self._reduced.get(table)
        if found is None:
            found = self._reduced[table] = self._eliminated(table)
        return found

    def _eliminated(self, table: int) -> tuple[int, int]:
        linear, table = self.without_affine(table)
        for top, known, form in self._known:
            if table >> top & 1:
                table ^= known
                linear ^= form
        return linear, table


def independent(forms: list[int]) -> list[int]:
    """Returns the first forms that are no sum of the forms before them."""
    basis: list[int] = []
    echelon: dict[int, int] = {}
    for form in forms:
        rest = form
        while rest and rest.bit_length() in echelon:
            rest ^= echelon[rest.bit_length()]
        if rest:
            echelon[rest.bit_length()] = rest
            basis.append(form)
    return basis


@cache
def substituted(box: bytes, inputs: tuple[int, ...]) -> list[int]:
    """Returns the tables of the eight output bits of `box`, indexed by eight functions."""
    outputs = [0] * 8
    for u in range(256):
        value = box[sum((it >> u & 1) << j for j, it in enumerate(inputs))]
        for i in range(8):
            outputs[i] |= (value >> i & 1) << u
    return outputs
