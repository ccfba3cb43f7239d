"""Symbolic bits in a normal form, so that equal results are equal without a solver.

A bit is an integer: the set of variables whose XOR it is. Its bit 0 is the constant 1. So 0 and 1 are
the constants, `^` is XOR, and concrete computation needs nothing else. What is not linear goes through
an `Algebra`, whose methods AND, sbox and inverse_sbox are the parameter `bits` of ../spec.py.

    bits = Algebra()
    key = bits.string("key", 16)           # 16 bytes of 8 fresh variables each
    same = bits.normal(x) == bits.normal(y)

Sound: each rewriting below is an identity, so two bits with one normal form are equal for all values
of the variables. Not complete: two equal bits can have different normal forms, and then a proof fails.

S-box      sbox(x0, …, x7) gives eight new variables y. They span, with the x, a space of functions of
           one byte. An AND of two functions of the same byte is again such a function, kept as its
           table of 256 values. As soon as a sum of these is affine in x and y, it becomes that sum.
           So any circuit for the S-box gives y, and so does any table indexed by parts of the byte.
Products   Any other AND is an error (products=None), a sum of products of two variables each
           ("quadratic"), of any number of variables ("polynomial", for counters and short sums), or a
           new variable that its operands name ("opaque").
Cuts       cut(form) names a form by one new variable, to keep later products at degree 2.
"""

from __future__ import annotations

from functools import reduce
from itertools import compress
from operator import xor

from .boxes import INVERSE_SBOX, ONES, SBOX, Space, affine, substituted
from .poison import POISON, Poison
from .refused import Refused
from .variables import Byte, Variables, members

MOST_PRODUCTS = 1 << 10  # of one "polynomial" AND

__all__ = ["POISON", "Algebra", "Poison", "Unexplained", "members"]


class Unexplained(Refused):
    """An AND of two bits that are not functions of one byte."""


class Algebra(Variables):
    """Multiplies bits, and applies the S-box to them."""

    def __init__(
        self,
        products: str | None = None,
        functions: bool = True,
        linear: int = 1 << 14,
        cuts: int = 0,
    ) -> None:
        super().__init__(linear, cuts)
        if products == "polynomial" and functions:
            raise ValueError("a polynomial has no functions of bytes: functions=False")
        self._kind, self._functions = products, functions
        self._substituted: dict[tuple[bytes, tuple[int, ...]], Byte] = {}
        self._spaces: list[Space] = []
        self._untracked: list[tuple[bytes, list[int], Byte]] = []
        self._places: dict[int, list[tuple[Space, int]]] = {}  # of a linear form in the spaces

    # ---- The S-box ----

    def sbox(self, byte: Byte, /) -> Byte:
        return self._substitute(SBOX, byte)

    def inverse_sbox(self, byte: Byte, /) -> Byte:
        return self._substitute(INVERSE_SBOX, byte)

    def _substitute(self, box: bytes, byte: Byte) -> Byte:
        if all(bit in (0, 1) for bit in byte):
            value = box[sum(bit << i for i, bit in enumerate(byte))]
            return [value >> i & 1 for i in range(8)]
        if any(isinstance(bit, Poison) for bit in byte):
            return [POISON] * 8
        inputs = [self.normal(bit) for bit in byte]
        key = (box, tuple(inputs))
        if key not in self._substituted:
            outputs = [self.variable(f"S{len(self._substituted)}.{i}") for i in range(8)]
            self._substituted[key] = outputs
            inverse = INVERSE_SBOX if box == SBOX else SBOX
            self._substituted[inverse, tuple(outputs)] = inputs
            self._untracked.append((box, inputs, outputs))
        return list(self._substituted[key])

    def _track(self) -> None:
        """Enters the bytes of new S-boxes, before an AND may be a function of one of them."""
        for box, inputs, outputs in self._untracked:
            space = self._space_of([form & ~1 for form in inputs])
            tables = tuple(self._affine_table(space, form) for form in inputs)
            space.learn(substituted(box, tables), outputs)
        self._untracked.clear()

    def _space_of(self, forms: list[int]) -> Space:
        """Returns the space that all these linear forms span, or enters it."""
        for space, _ in self._places.get(max(forms), []):
            if all(self._place(form, space) is not None for form in forms):
                return space
        space = Space(len(self._spaces), forms)
        self._spaces.append(space)
        for mask, form in enumerate(space.sums):
            if mask:
                self._places.setdefault(form, []).append((space, mask))
        return space

    def _place(self, form: int, space: Space) -> int | None:
        if form == 0:
            return 0
        return next((mask for at, mask in self._places.get(form, []) if at is space), None)

    def _affine_table(self, space: Space, form: int) -> int:
        mask = self._place(form & ~1, space)
        assert mask is not None
        return affine(mask, form & 1)

    # ---- Normal forms ----

    def normal(self, form: int) -> int:
        """Returns the normal form: sums of functions that an S-box gives, and cuts, are replaced."""
        if isinstance(form, Poison):
            return form
        if form > self._below and self._functions:
            form, tables = self._resolved(form)
            for space, table in tables.items():
                linear, rest = space.reduced(table)
                form ^= linear ^ self._function_variable(space, rest)
        return super().normal(form)

    def settled(self, value: list[int]) -> list[int]:
        """Replaces the bits that an S-box gives. The machine calls it where it stores them, so that
        sums of functions stay short."""
        if not self._functions:
            return value
        return [self._settled(it) for it in value]

    def _settled(self, form: int) -> int:
        if isinstance(form, Poison) or form <= self._below:
            return form
        linear, tables = self._resolved(form)
        return form if tables else linear

    def _resolved(self, form: int) -> tuple[int, dict[Space, int]]:
        """Replaces sums of functions of one byte that are affine in its x and y. Returns the tables
        of the other sums."""
        tables: dict[Space, int] = {}
        functions = form & self._function_mask
        if not functions:
            return form, tables
        rest = form ^ functions
        for i in members(functions >> self._linear + 1):
            space, table = self._products[i]
            tables[space] = tables.get(space, 0) ^ table
        for space, table in list(tables.items()):
            linear, remaining = space.reduced(table)
            if remaining == 0:
                rest ^= linear
                del tables[space]
        return rest, tables

    # ---- Products ----

    def AND(self, x: int, y: int, /) -> int:
        if isinstance(x, Poison) or isinstance(y, Poison):
            return 0 if 0 in (x, y) else POISON
        if x == 0 or y == 0:
            return 0
        if x == 1 or x == y:
            return y
        if y == 1:
            return x
        if x ^ y == 1:
            return 0
        if self._functions:
            function = self._function_product(x, y)
            if function is not None:
                return function
        if self._kind in ("quadratic", "polynomial"):
            return self._expanded(self.normal(x), self.normal(y))
        if self._kind == "opaque":
            return self._opaque(self.normal(x), self.normal(y))
        raise Unexplained(f"an AND of {self.describe(x)} and {self.describe(y)}")

    def OR(self, x: int, y: int) -> int:
        return 1 ^ self.AND(1 ^ x, 1 ^ y)

    def lookup(self, table: list[int], index: list[int]) -> int:
        """Returns the bit of `table` at a symbolic index: a sum of products of the index bits."""
        if not index:
            return table[0]
        half = len(table) // 2
        low = self.lookup(table[:half], index[:-1])
        if table[:half] == table[half:]:
            return low
        return low ^ self.AND(index[-1], low ^ self.lookup(table[half:], index[:-1]))

    def lookup_bytes(self, table: list[int], index: list[int]) -> list[int]:
        """Returns the eight bits of a byte of `table`, at a symbolic index."""
        found = self._in_one_space(index)
        columns = [[entry >> i & 1 for entry in table] for i in range(8)]
        if found is None:
            return [self.lookup(column, index) for column in columns]
        space, functions = found
        at = [ONES] * len(table)  # where the index has each value
        for value in range(len(table)):
            for i, function in enumerate(functions):
                at[value] &= function if value >> i & 1 else function ^ ONES
        return [self._function(space, reduce(xor, compress(at, column), 0)) for column in columns]

    def _in_one_space(self, forms: list[int]) -> tuple[Space, list[int]] | None:
        """Returns a space that has all these bits as functions, and their tables there."""
        if not self._functions or any(isinstance(form, Poison) for form in forms):
            return None
        self._track()
        found = [dict(self._as_functions(form)) for form in forms if form > 1]
        for space in found[0] if found else ():
            if all(space in it for it in found):
                tables = iter(found)
                return space, [next(tables)[space] if it > 1 else affine(0, it) for it in forms]
        return None

    def _function_product(self, x: int, y: int) -> int | None:
        if self._untracked:
            self._track()
        for space, table in self._as_functions(x):
            for other, table2 in self._as_functions(y):
                if other is space:
                    return self._function(space, table & table2)
        return None

    def _as_functions(self, form: int) -> list[tuple[Space, int]]:
        """Returns the spaces that have this bit as a function, and its table there."""
        tables: dict[Space, int] = {}
        if form > self._below:
            form, tables = self._resolved(form)
        if self._eliminated & form:
            form = self.normal(form)
        if form > self._below or len(tables) > 1:
            return []
        linear, constant = form & ~1, form & 1
        if tables:
            ((space, table),) = tables.items()
            mask = self._place(linear, space)
            return [] if mask is None else [(space, table ^ affine(mask, constant))]
        return [(space, affine(mask, constant)) for space, mask in self._places.get(linear, [])]

    def _function(self, space: Space, table: int) -> int:
        """Returns the bit that is this function of a byte."""
        linear, remaining = space.reduced(table)
        if remaining == 0:
            return linear
        linear, table = space.without_affine(table)
        return linear ^ self._function_variable(space, table)

    def _function_variable(self, space: Space, table: int) -> int:
        return 1 << self._position((space.number, table), (space, table))

    def _expanded(self, x: int, y: int) -> int:
        a = self._linear_variables(x)
        if a is None or self._linear_variables(y) is None:
            if self._kind == "polynomial" and x.bit_count() * y.bit_count() <= MOST_PRODUCTS:
                return self._product_of_sums(x, y)
            raise Unexplained("a product of more than two variables")
        return self._sum_of_products([(a, y)])

    def products(
        self, x: list[int], y: list[int], columns: list[list[tuple[int, int]]]
    ) -> list[int]:
        """Returns for each column the XOR of all x[i] AND y[j] with (i, j) in the column."""
        if self._kind not in ("quadratic", "polynomial"):
            return [reduce(xor, (self.AND(x[i], y[j]) for i, j in column), 0) for column in columns]
        x, y = [self.normal(bit) for bit in x], [self.normal(bit) for bit in y]
        left, right = ([self._linear_variables(bit) for bit in it] for it in (x, y))
        totals = []
        for column in columns:
            total, factors = 0, dict[int, int]()
            for i, j in column:
                if left[i] is None or right[j] is None:
                    total ^= self.AND(x[i], y[j])
                else:
                    factors[i] = factors.get(i, 0) ^ y[j]
            pairs = [(left[i] or [], factor) for i, factor in factors.items()]
            totals.append(total ^ self._sum_of_products(pairs))
        return totals

    def _opaque(self, x: int, y: int) -> int:
        """Names the product of the operands without their constants, which it multiplies out."""
        a, b = x & ~1, y & ~1
        extra = (b if x & 1 else 0) ^ (a if y & 1 else 0) ^ (x & y & 1)
        if a == b:
            return extra ^ a
        return extra ^ 1 << self._position(("&", a, b) if a < b else ("&", b, a))
