"""GHASH (SP 800-38D section 6.4) on bit planes: many blocks at once, by folding.

The planes of 8m blocks are those of bitslice.py: piece k holds the blocks k * m to (k + 1) * m - 1,
block j of it in byte j of each plane. With the hash key H, a piece of m blocks X_j adds to GHASH
X_0 * H^m + X_1 * H^(m-1) + ... + X_(m-1) * H. With s < m <= 2s, s blocks have the same sum:

    m = 7     | X_0  X_1  X_2 | X_3  X_4  X_5  X_6 |
                   |                  |
    s = 4     | 0    X_0  X_1  X_2 | * H^4
                     +
              | X_3  X_4  X_5  X_6 |

To multiply each of the blocks by a power of H is to multiply 128 planes by a matrix of 128 x 128
bits. These sums of planes use the method of four Russians. s is a power of two, so a key needs few
matrices for all lengths of its messages. The last few blocks of the pieces use the tables.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from .bitslice import PIECES, State, as_planes, ones, pack, unpack
from .blocks import BLOCK
from .fields import multiply, times_x
from .ghash import MaskHash, hash_by_tables, multiply_by, nibble_table

if TYPE_CHECKING:
    from .tables import Tables

BITS = 8 * BLOCK

# The number of planes in a group, which has 2^GROUP sums.
GROUP = 5

# The low bit of each byte of the binary digits of 128 bits.
DIGITS = int.from_bytes(b"\1" * BITS, "big")

# rows[g][o]: the planes of group g that are part of plane o of the product, as bits.
Matrix = list[bytes]


def matrix_of(factor: int) -> Matrix:
    """Returns the matrix of multiplication by factor. Column i is x^i * factor. The binary digits
    of a group's columns become the bits of one byte:

        column i        0 1 1 0 ...         byte o of rows[g] =
        column i + 1    1 1 0 0 ...             digit o of column i
          ...                                   + 2 * digit o of column i + 1 + ...
    """
    rows = []
    for start in range(0, BITS, GROUP):
        row = 0
        for bit in range(min(GROUP, BITS - start)):
            digits = f"{factor:0{BITS}b}".encode()
            row |= (int.from_bytes(digits, "big") & DIGITS) << bit
            factor = times_x(factor)
        rows.append(row.to_bytes(BITS, "big"))
    return rows


def add_product(sums: list[int], matrix: Matrix, planes: list[int]) -> None:
    """Adds the product of the matrix and the planes to sums, one by one. This reuses the memory of
    the old sums; a new list would need twice the cache.
    """
    for row, start in zip(matrix, range(0, BITS, GROUP), strict=True):
        combinations = [0]
        for plane in planes[start : start + GROUP]:
            combinations += [combination ^ plane for combination in combinations]
        for o, chosen in enumerate(row):
            sums[o] ^= combinations[chosen]


class PlaneHash:
    """GHASH with one hash key, for whole groups of eight blocks."""

    # At most this many blocks of a piece use the tables.
    LAST = 64

    __slots__ = ("_matrices", "_powers", "_step", "_tables")

    def __init__(self, h: int, tables: Tables) -> None:
        self._tables = tables
        self._powers = [h]  # H^(2^i)
        self._matrices: dict[int, Matrix] = {}  # of H^s
        self._step: tuple[int, dict[str, int]] = 0, {}  # the last m, and the table of H^m

    def update(self, y: int, blocks: bytes) -> int:
        """Returns GHASH of 8m blocks from the state y."""
        m = len(blocks) // (PIECES * BLOCK)
        return self.update_planes(y, pack(blocks, m), m)

    def update_planes(self, y: int, state: State, m: int) -> int:
        """Returns GHASH of 8m blocks from the state y, given their planes."""
        # In the order of bits 0 to 127 of the standard.
        planes = [plane for byte in state for plane in reversed(byte)]
        left = m
        while left > self.LAST:
            s = 1 << (left - 1).bit_length() - 1
            first = [plane >> 8 * s for plane in planes]
            planes = self._folded(first, [plane & ones(s) for plane in planes], s)
            left = s
        last = [as_planes(reversed(planes[i : i + 8])) for i in range(0, BITS, 8)]
        folded = BytesIO()
        unpack(last, left, folded, PIECES * BLOCK * left)
        folded.seek(0)
        while piece := folded.read(BLOCK * left):
            y = self._times_power(y, m) ^ self._last(piece)
        return y

    def _folded(self, first: list[int], second: list[int], s: int) -> list[int]:
        """Returns first * H^s + second. May change `second`."""
        if s not in self._matrices:
            self._matrices[s] = matrix_of(self._square(s.bit_length() - 1))
        add_product(second, self._matrices[s], first)
        return second

    def _last(self, piece: bytes) -> int:
        return hash_by_tables(self._tables, 0, piece)

    def _times_power(self, y: int, m: int) -> int:
        """Returns y * H^m. The table is cached for the last m."""
        kept, table = self._step
        if kept != m:
            table = nibble_table(self._power(m))
            self._step = m, table
        return multiply_by(table, y)

    def _square(self, i: int) -> int:
        """Returns H^(2^i)."""
        powers = self._powers
        while len(powers) <= i:  # into a new list: threads share this one
            powers = [*powers, multiply(powers[-1], powers[-1])]
        self._powers = powers
        return powers[i]

    def _power(self, m: int) -> int:
        """Returns H^m."""
        power = 1 << BITS - 1
        for i in range(m.bit_length()):
            if m >> i & 1:
                power = multiply(power, self._square(i))
        return power


# ---- Independent of the hash key ------------------------------------------------------


def product_by_masks(planes: list[int], factor: list[int]) -> list[int]:
    """Returns the product of polynomials, by A. Karatsuba's method.

    `planes` has the planes of n coefficients, n a power of two. `factor` has n bits, which are the
    same in all lanes. The result has the planes of 2n - 1 coefficients. A bit becomes a mask, 0 or
    -1, and so selects neither a branch nor an index.
    """
    half = len(planes) // 2
    if half == 1:
        (a, b), (f, g) = planes, factor
        low, high = a & -f, b & -g
        return [low, (a ^ b) & -(f ^ g) ^ low ^ high, high]
    lower = product_by_masks(planes[:half], factor[:half])
    upper = product_by_masks(planes[half:], factor[half:])
    both = product_by_masks(
        [x ^ y for x, y in zip(planes[:half], planes[half:], strict=True)],
        [x ^ y for x, y in zip(factor[:half], factor[half:], strict=True)],
    )
    total = [*lower, 0, *upper]
    for i, (x, y, z) in enumerate(zip(lower, both, upper, strict=True), half):
        total[i] ^= x ^ y ^ z
    return total


class MaskPlaneHash(PlaneHash):
    """PlaneHash only by masks: no tables, and no sums that the hash key selects."""

    LAST = 16

    __slots__ = ("_blocks",)

    def __init__(self, h: int) -> None:
        super().__init__(h, ())
        self._blocks = MaskHash(h)

    def _folded(self, first: list[int], second: list[int], s: int) -> list[int]:
        power = self._square(s.bit_length() - 1)
        factor = [power >> i & 1 for i in range(BITS - 1, -1, -1)]
        product = product_by_masks(first, factor)
        # x^128 = x^7 + x^2 + x + 1.
        for i in range(len(product) - 1, BITS - 1, -1):
            for less in (BITS, BITS - 1, BITS - 2, BITS - 7):
                product[i - less] ^= product[i]
        return [x ^ y for x, y in zip(product, second, strict=False)]

    def _last(self, piece: bytes) -> int:
        return self._blocks.update(0, piece)

    def _times_power(self, y: int, m: int) -> int:
        return multiply(y, self._power(m))
