"""GHASH (SP 800-38D section 6.4) of many blocks at once, on wide integers.

Lanes multiply several blocks by the same power of the hash key H. A lane is a slot of 256 bits with
the block on top, so a product fits into it. Each piece of 2M blocks makes two integers of M lanes:

    piece p, from the end     | X_0 | X_1 | X_2 | X_3 | ...     128 bits each
    even blocks               | X_0 |  0  | X_2 |  0  | ...     times H^(2Mp + 1)
    odd blocks                | X_1 |  0  | X_3 |  0  | ...     times H^(2Mp)

The sum over all pieces is M lanes L_j, counted from the end. Pieces of M / 8 lanes are multiplied and
added in the same way, until eight lanes are left. The last block X is left out before, so messages
of 2^n bytes and a block of lengths make whole pieces. GHASH is

    X * H + L_0 * H^2 + L_1 * H^4 + ... + L_7 * H^16

That is also the hash of 16 blocks. If there are tables of H, they are faster for these.

Long messages become shorter first. Take the blocks as the coefficients of a polynomial in Y. Its
value at Y = H, times H, is GHASH. Let m(Y) be a polynomial of degree 128 whose coefficients are bits,
with m(H) = 0. The remainder modulo m(Y) has the same value at H. The reduction only needs XORs of
whole pieces P_k of T blocks:

    P_0 + P_1 * Y^T + P_2 * Y^2T + ...      is       T + 127 blocks:
    P_0 + S_0 + S_1 * Y + ... + S_127 * Y^127        S_i: the sum of the P_k, k > 0,
                                                     for which Y^kT mod m(Y) contains Y^i

These sums use the method of four Russians.
"""

from __future__ import annotations

from functools import lru_cache

from .blocks import BLOCK

BITS = 8 * BLOCK
# The size of a slot.
SLOT = 2 * BITS

# Lanes are folded to so many times fewer lanes.
FOLD = 8
# The number of lanes by the size of a message.
FEW, SOME, MANY = FOLD, FOLD**2, FOLD**3
SOME_FROM = 3 << 10
MANY_FROM = 256 << 10

# The size from which messages are made shorter.
REDUCED_FROM = 24 << 10
# Bytes of such messages under one hash key after which its polynomial is made. It costs as much as
# lanes need for so many bytes.
POLYNOMIAL_FROM = 64 << 10
# The size of the pieces P_k: a multiple of eight blocks. Long pieces need fewer operations, and short
# ones leave fewer blocks.
PIECE, LONG_PIECE = 2 << 10, 4 << 10
LONG_PIECE_FROM = 64 << 10

# The number of pieces in a group, which has 2^GROUP sums.
GROUP = 5

# The low bit of each byte of the binary digits of 128 bits.
DIGITS = int.from_bytes(b"\1" * BITS, "big")

# Each hexadecimal digit to its value.
VALUES = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))

# The polynomials of a factor's four bits or single bits, from its highest power of x.
Factor = bytes | list[int]
# rows[g][i]: the pieces of group g that are part of S_(127-i), as bits.
Rows = list[bytes]


# ---- Lanes ----------------------------------------------------------------------------


@lru_cache(maxsize=8)
def blocks_of(lanes: int) -> int:
    """Returns a mask of the blocks in the slots."""
    return int.from_bytes((b"\xff" * BLOCK + bytes(BLOCK)) * lanes, "big")


def reduced(products: int, lanes: int) -> int:
    """Returns the products modulo x^128 + x^7 + x^2 + x + 1."""
    mask = blocks_of(lanes)
    low = mask >> BITS
    high = products & low
    # x^(128 + i) = x^i + x^(i+1) + x^(i+2) + x^(i+7). For i >= 121, this is again 128 or more.
    high ^= (high << 121 ^ high << 126) & low
    return (products ^ high << 128 ^ high << 127 ^ high << 126 ^ high << 121) & mask


def square(y: int) -> int:
    """Returns y^2: moves x^i to x^2i."""
    for step in (64, 32, 16, 8, 4, 2, 1):
        y = (y | y << step) & ((1 << SLOT) - 1) // ((1 << step) + 1)
    return reduced(y << 1, 1) >> BITS


def nibble_products(v: int) -> tuple[int, ...]:
    """Returns the products of v and each polynomial of four bits. Bit 3 of an index is 1, bit 0 x^3."""
    v1, v2, v3 = v >> 1, v >> 2, v >> 3
    a, b = v ^ v1, v2 ^ v3
    return (
        0, v3, v2, b, v1, v1 ^ v3, v1 ^ v2, v1 ^ b,
        v, v ^ v3, v ^ v2, v ^ b, a, a ^ v3, a ^ v2, a ^ b,
    )  # fmt: skip


class WideHash:
    """GHASH with one hash key, a big-endian integer. Branches and indices depend on the key."""

    # A factor has so many polynomials of WIDTH bits.
    WIDTH = 4

    __slots__ = ("_factors", "_h", "_hashed", "_polynomial", "_rows", "_squares")

    def __init__(self, h: int) -> None:
        self._h = h
        self._squares = [h]  # H^(2^i)
        self._factors: dict[int, list[Factor]] = {}  # by the number of lanes
        self._hashed = 0  # bytes of long messages, until there is a polynomial
        self._polynomial = 0
        self._rows: dict[int, tuple[Rows, int]] = {}  # by the size of a piece

    def update(self, y: int, blocks: bytes) -> int:
        """Returns GHASH of whole blocks, at least two, from the state y."""
        total = self.folded(y, blocks)
        mask = blocks_of(1)
        values = [total << BITS & mask]
        for start in range(0, SLOT * FEW, SLOT):
            values.append(total >> start & mask)
        factors = [self._powers(1, 2)[1], *self._powers(1, 2 * FEW + 1)[2::2]]
        return self._sum_of_products(values, factors, 1) >> BITS

    def folded(self, y: int, blocks: bytes) -> int:
        """Returns 16 blocks with the same hash: L_7, 0, L_6, 0, ... L_0, X."""
        y, blocks = self._shortened(y, blocks)
        size = len(blocks) - BLOCK
        lanes = FEW if size < SOME_FROM else SOME if size < MANY_FROM else MANY
        step, mask = 2 * BLOCK * lanes, blocks_of(lanes)
        values = []
        for end in range(size, 0, -step):
            piece = int.from_bytes(blocks[max(0, end - step) : end], "big")
            if end <= step:
                piece ^= y << 8 * (end - BLOCK)
            even = piece & mask
            values += [(piece ^ even) << BITS, even]
        # The factor of the first value is 1.
        factors = self._powers(lanes, len(values))
        total = values[0] ^ self._sum_of_products(values[1:], factors[1:], lanes)
        while lanes > FEW:
            width, lanes = SLOT * lanes, lanes // FOLD
            mask = blocks_of(lanes)
            values = [total >> start & mask for start in range(0, width, SLOT * lanes)]
            factors = self._powers(lanes, 2 * FOLD)[::2]
            total = values[0] ^ self._sum_of_products(values[1:], factors[1:], lanes)
        return total | int.from_bytes(blocks[size:], "big")

    def _powers(self, lanes: int, count: int) -> list[Factor]:
        """Returns `count` factors, at least: 1, H, H^2M, H^2M * H, H^4M, H^4M * H, and so on."""
        factors = self._factors.get(lanes, [])
        if len(factors) < count:
            first = 1 << SLOT - 1 | self._h << SLOT + BITS
            powers = self._progression(first, 2, 2 * lanes, count)
            factors = []
            for start in range(BITS, SLOT * count, SLOT):
                factors.append(self._factor(powers >> start & (1 << BITS) - 1))
            self._factors[lanes] = factors
        return factors

    def _progression(self, values: int, lanes: int, exponent: int, count: int) -> int:
        """Appends the lanes times H^exponent, times H^(2 * exponent), and so on, on top, until there
        are at least `count` lanes.
        """
        while lanes < count:
            factor = self._factor(self._square(exponent.bit_length() - 1))
            products = self._sum_of_products([values], [factor], lanes)
            values |= products << SLOT * lanes
            lanes *= 2
            exponent *= 2
        return values

    def _square(self, i: int) -> int:
        """Returns H^(2^i)."""
        squares = self._squares
        while len(squares) <= i:  # into a new list: threads share this one
            squares = [*squares, square(squares[-1])]
        self._squares = squares
        return squares[i]

    def _sum_of_products(self, values: list[int], factors: list[Factor], lanes: int) -> int:
        """Returns the sum of the values times their factors. The number of values is odd."""
        total, width = 0, self.WIDTH
        for term in self._terms(values, factors):
            total = total >> width ^ term
        return reduced(total, lanes)

    def _factor(self, x: int) -> Factor:
        return f"{x:032x}"[::-1].encode().translate(VALUES)

    def _terms(self, values: list[int], factors: list[Factor]) -> list[int]:
        """Returns for each place in the factors the sum of the values times the polynomials
        there.
        """
        table = nibble_products(values[0])
        terms = [table[m] for m in factors[0]]
        for i in range(1, len(values), 2):
            first, second = nibble_products(values[i]), nibble_products(values[i + 1])
            places = zip(terms, factors[i], factors[i + 1], strict=False)
            terms = [term ^ first[m] ^ second[n] for term, m, n in places]
        return terms

    # ---- Modulo a polynomial of H

    def _shortened(self, y: int, blocks: bytes) -> tuple[int, bytes]:
        """Returns a state and fewer blocks, with the same hash, for a long message."""
        if len(blocks) < REDUCED_FROM:
            return y, blocks
        if self._hashed < POLYNOMIAL_FROM:
            self._hashed += len(blocks)
            if self._hashed < POLYNOMIAL_FROM:
                return y, blocks
        size = PIECE if len(blocks) < LONG_PIECE_FROM else LONG_PIECE
        pieces = []
        for end in range(len(blocks), 0, -size):
            pieces.append(int.from_bytes(blocks[max(0, end - size) : end], "big"))
        pieces[-1] ^= y << 8 * ((len(blocks) - BLOCK) % size)
        sums = [0] * BITS
        groups = range(1, len(pieces), GROUP)
        for start, row in zip(groups, self._rows_of(size, len(groups)), strict=False):
            combinations = [0]
            for piece in pieces[start : start + GROUP]:
                combinations += [combination ^ piece for combination in combinations]
            combinations *= (1 << GROUP) // len(combinations)  # pieces of zeros
            for i, chosen in enumerate(row):
                sums[i] ^= combinations[chosen]  # reuses the memory of the old sums
        width = BITS
        while len(sums) > 1:
            pairs = zip(sums[::2], sums[1::2], strict=True)
            sums = [high << width ^ low for high, low in pairs]
            width *= 2
        return 0, (sums[0] ^ pieces[0]).to_bytes(size + BLOCK * (BITS - 1), "big")

    def _rows_of(self, size: int, count: int) -> Rows:
        """Returns at least `count` rows for pieces of this size. The powers of Y become binary digits.
        The digits of a group's powers become the bits of one byte:

            Y^kT          0 1 1 0 ...         byte i of row g =
            Y^(k+1)T      1 1 0 0 ...             digit i of Y^kT, for k = 5g + 1,
              ...                                 + 2 * digit i of Y^(k+1)T + ...
        """
        rows, power = self._rows.get(size, ([], 1))
        if len(rows) < count:
            remainders = self._remainders()
            rows = rows.copy()  # threads share the old one
            low = (1 << BITS - 8) - 1
            while len(rows) < count:
                row = 0
                for bit in range(GROUP):
                    for _ in range(size // BLOCK // 8):
                        power = (power & low) << 8 ^ remainders[power >> BITS - 8]
                    digits = f"{power:0{BITS}b}".encode()
                    row |= (int.from_bytes(digits, "big") & DIGITS) << bit
                rows.append(row.to_bytes(BITS, "big"))
            self._rows[size] = rows, power
        return rows

    def _remainders(self) -> list[int]:
        """Returns the remainders of b * Y^128 modulo m(Y), for all b of eight bits."""
        if not self._polynomial:
            powers = self._progression(1 << SLOT - 1, 1, 1, 2 * BITS)
            ends = powers.to_bytes(2 * BITS * SLOT // 8, "big")[:: SLOT // 8]
            self._polynomial = polynomial_of([end >> 7 for end in reversed(ends)])
        remainders = [0]
        power = self._polynomial ^ 1 << BITS
        for _ in range(8):
            remainders += [remainder ^ power for remainder in remainders]
            power <<= 1
            power ^= (power >> BITS) * self._polynomial
        return remainders


def polynomial_of(bits: list[int]) -> int:
    """Returns m(Y), given the bit of x^0 in each of H^0 to H^255. Bit i is the coefficient of Y^i.

    H's minimal polynomial, of degree d <= 128, is a recurrence of these bits. They are not all zero,
    because the first is 1. The polynomial is irreducible, so no shorter recurrence fits, and the
    algorithm by E. Berlekamp and J. Massey finds it. For nearly all H, d = 128. Otherwise H is in a
    smaller field, and m(Y) is the minimal polynomial times Y^(128-d), which also has the root H.
    """
    connection = before = 1  # bit i is the coefficient of the bit i places before
    length = 0
    seen = 0  # the latest bit at the bottom
    for n, bit in enumerate(bits):
        before <<= 1
        seen = seen << 1 | bit
        if (connection & seen).bit_count() & 1:
            if 2 * length <= n:
                connection, before = connection ^ before, connection
                length = n + 1 - length
            else:
                connection ^= before
    return int(f"{connection:0{BITS + 1}b}"[::-1], 2)


# ---- Independent of the hash key ------------------------------------------------------


class MaskWideHash(WideHash):
    """WideHash only by masks: no tables, and no sums that the hash key selects."""

    WIDTH = 1

    __slots__ = ()

    def _shortened(self, y: int, blocks: bytes) -> tuple[int, bytes]:
        return y, blocks

    def _factor(self, x: int) -> Factor:
        return [-(x >> i & 1) for i in range(BITS)]

    def _terms(self, values: list[int], factors: list[Factor]) -> list[int]:
        terms = [values[0] & m for m in factors[0]]
        for i in range(1, len(values), 2):
            first, second = values[i : i + 2]
            places = zip(terms, factors[i], factors[i + 1], strict=False)
            terms = [term ^ first & m ^ second & n for term, m, n in places]
        return terms
