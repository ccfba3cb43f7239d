"""Functions of one byte, as tables of 256 bits. bits.py recognises the S-box by them."""

from __future__ import annotations

from functools import cache

import spec

SBOX, INVERSE_SBOX = spec.SBOX, spec.INVERSE_SBOX

ONES = (1 << 256) - 1
# The table of coordinate i: its bit u is bit i of u.
COORDINATES = [sum((u >> i & 1) << u for u in range(256)) for i in range(8)]


def affine_tables() -> list[int]:
    """Returns the table of each sum of coordinates, by the mask of the coordinates in it."""
    sums = [0]
    for table in COORDINATES:
        sums += [it ^ table for it in sums]
    return sums


AFFINE = affine_tables()


def affine(mask: int, constant: int) -> int:
    """Returns the table of a sum of coordinates and a constant."""
    return AFFINE[mask] ^ (ONES if constant else 0)


def affine_part(table: int) -> tuple[int, int]:
    """Returns the constant and the mask of coordinates with the same values at 0 and at each single
    coordinate as `table`."""
    constant, mask = table & 1, 0
    for i in range(8):
        mask |= (table >> (1 << i) & 1 ^ constant) << i
    return constant, mask


def without_affine(table: int) -> tuple[int, int, int]:
    constant, mask = affine_part(table)
    return constant, mask, table ^ affine(mask, constant)


class Pattern:
    """Known functions of a byte, in echelon form. Most spaces share one pattern: the eight outputs of
    the S-box."""

    def __init__(self, known: tuple[int, ...]) -> None:
        self.known = known
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._memo: dict[int, tuple[int, int, int, int]] = {}
        for i, table in enumerate(known):
            constant, mask, chosen, rest = self._eliminated(table)
            if rest:
                row = (rest.bit_length() - 1, rest, constant, mask, chosen | 1 << i)
                self._rows = sorted([*self._rows, row], reverse=True)

    def reduced(self, table: int) -> tuple[int, int, int, int]:
        """Writes a function as constant + coordinates + known functions + rest. Returns the constant,
        the masks of the coordinates and of the known functions, and the table of the rest."""
        found = self._memo.get(table)
        if found is None:
            found = self._memo[table] = self._eliminated(table)
        return found

    def _eliminated(self, table: int) -> tuple[int, int, int, int]:
        constant, mask, rest = without_affine(table)
        chosen = 0
        for top, row, row_constant, row_mask, row_chosen in self._rows:
            if rest >> top & 1:
                rest ^= row
                constant, mask, chosen = (
                    constant ^ row_constant,
                    mask ^ row_mask,
                    chosen ^ row_chosen,
                )
        return constant, mask, chosen, rest


@cache
def pattern(known: tuple[int, ...]) -> Pattern:
    return Pattern(known)


class Space:
    """All functions of up to eight independent linear forms.

    A function is a table: its bit u is its value where form i has the value u >> i & 1. `learn` adds
    functions that have a name, such as the outputs of the S-box. Then `reduced` finds sums of them.
    """

    def __init__(self, number: int, forms: list[int]) -> None:
        self.number = number
        self.sums = [0]  # of the forms, by their mask
        for form in independent(forms):
            self.sums += [it ^ form for it in self.sums]
        self._names: list[int] = []
        self._pattern = pattern(())

    def learn(self, tables: list[int], names: list[int]) -> None:
        """Enters functions. `names` are the bits that they are."""
        self._names += names
        self._pattern = pattern((*self._pattern.known, *tables))

    def without_affine(self, table: int) -> tuple[int, int]:
        """Returns the affine part of a function as a bit, and the rest."""
        constant, mask, rest = without_affine(table)
        return constant ^ self.sums[mask], rest

    def reduced(self, table: int) -> tuple[int, int]:
        """Returns the part of a function that is affine or known, as a bit, and the rest."""
        constant, mask, chosen, rest = self._pattern.reduced(table)
        linear = constant ^ self.sums[mask & len(self.sums) - 1]
        while chosen:
            linear ^= self._names[(chosen & -chosen).bit_length() - 1]
            chosen &= chosen - 1
        return linear, rest


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
