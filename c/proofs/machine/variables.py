"""Variables of symbolic bits (bits.py), their products, and cuts."""

from __future__ import annotations

from collections.abc import Iterator

from .boxes import Space
from .poison import Poison

Byte = list[int]


def members(form: int) -> Iterator[int]:
    """Yields the positions of the bits of an integer, lowest first."""
    position = -1
    while form:
        zeros = (form & -form).bit_length()
        form >>= zeros  # keeps the integer short
        position += zeros
        yield position


NO_FUNCTION = (Space(-1, []), 0)


class Variables:
    """Numbers variables, and products of them.

    Positions in a bit: 1 to `cuts` are cuts, up to `linear` are inputs and results of S-boxes, and
    products of any kind are above. The highest variable of a relation is eliminated, so that cuts remain.
    """

    def __init__(self, linear: int, cuts: int) -> None:
        self._linear = linear
        self._below = (1 << linear + 1) - 1  # the constant and all variables that are no products
        self._names: dict[int, str] = {}
        self._variables, self._cut, self._cuts = cuts, 0, cuts
        self._products: list[tuple[Space, int]] = []  # what each product is, if a function
        self._names_of_products: list[object] = []
        self._function_mask = 0  # the products that are functions of one byte
        self._product_of: dict[object, int] = {}
        self._relations: dict[int, int] = {}  # by the position that each eliminates
        self._eliminated = 0

    def variable(self, name: str) -> int:
        self._variables += 1
        if self._variables > self._linear:
            raise OverflowError(f"more than {self._linear} variables: raise Algebra's `linear`")
        self._names[self._variables] = name
        return 1 << self._variables

    def string(self, name: str, size: int) -> list[Byte]:
        """Returns `size` bytes of fresh variables, each with its least significant bit first."""
        return [[self.variable(f"{name}[{i}].{j}") for j in range(8)] for i in range(size)]

    def cut(self, form: int) -> int:
        """Returns a variable that is `form` from now on, or `form` itself if it is simple."""
        form = self.normal(form)
        if form & (form - 1) == 0:
            return form
        self._cut += 1
        if self._cut > self._cuts:
            raise OverflowError(f"more than {self._cuts} cuts: raise Algebra's `cuts`")
        new = 1 << self._cut
        top = (form ^ new).bit_length() - 1
        if top <= self._cuts:
            raise ValueError("a cut of cuts only")
        self._relations[top] = form ^ new
        self._eliminated |= 1 << top
        return new

    def describe(self, form: int) -> str:
        """Names the first few terms of a bit, for messages."""
        if isinstance(form, Poison):
            return form.reason
        terms = list(members(form))
        shown = ["1" if it == 0 else self._names.get(it, f"#{it}") for it in terms[:6]]
        return " ^ ".join(shown or ["0"]) + (f" ^ … ({len(terms)} terms)" if terms[6:] else "")

    def normal(self, form: int) -> int:
        """Replaces what is cut."""
        while hits := form & self._eliminated:
            form ^= self._relations[hits.bit_length() - 1]
        return form

    # ---- Products ----

    def _position(self, name: object, function: tuple[Space, int] | None = None) -> int:
        """Returns the position of the product with this name."""
        position = self._product_of.get(name)
        if position is None:
            position = self._product_of[name] = self._linear + 1 + len(self._products)
            self._products.append(function or NO_FUNCTION)
            self._names_of_products.append(name)
            if function is not None:
                self._function_mask |= 1 << position
        return position

    def _linear_variables(self, form: int) -> list[int] | None:
        if isinstance(form, Poison) or form > self._below:
            return None
        return list(members(form))

    def _monomial(self, position: int) -> frozenset[int]:
        """Returns the variables whose product is at this position."""
        if position <= self._linear:
            return frozenset((position,) if position else ())
        name = self._names_of_products[position - self._linear - 1]
        if isinstance(name, frozenset):
            return name
        assert isinstance(name, int)
        shift = self._linear.bit_length()
        return frozenset((name >> shift, name & (1 << shift) - 1))

    def _product_of_sums(self, x: int, y: int) -> int:
        """Multiplies out sums of products of any number of variables."""
        total, shift = 0, self._linear.bit_length()
        others = [self._monomial(j) for j in members(y)]
        for i in members(x):
            for other in others:
                product = self._monomial(i) | other
                if len(product) <= 1:
                    total ^= 1 << max(product, default=0)
                elif len(product) == 2:
                    total ^= 1 << self._position(min(product) << shift | max(product))
                else:
                    total ^= 1 << self._position(product)
        return total

    def _sum_of_products(self, pairs: list[tuple[list[int], int]]) -> int:
        """Returns the XOR of products of two linear forms, each the variables of one and the other."""
        factors: dict[int, int] = {}  # what each variable is multiplied by
        for left, right in pairs:
            for i in left:
                factors[i] = factors.get(i, 0) ^ right
        odd: set[int] = set()  # the positions in the sum
        known, shift = self._product_of, self._linear.bit_length()
        for i, factor in factors.items():
            for j in members(factor):
                if i == 0 or j == 0 or i == j:
                    position = i or j
                else:
                    name = i << shift | j if i < j else j << shift | i
                    position = known.get(name) or self._position(name)
                if position in odd:
                    odd.remove(position)
                else:
                    odd.add(position)
        total = bytearray(max(odd, default=0) // 8 + 1)
        for position in odd:
            total[position >> 3] |= 1 << (position & 7)
        return int.from_bytes(total, "little")
