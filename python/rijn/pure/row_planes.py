"""AES on planes of rows: blocks as 32 wide integers, for messages too short for 128.

A group of 8m blocks is cut into eight pieces of m blocks, as in bitslice.py. Plane (r, i)
holds bit i of the bytes of row r of FIPS 197's state, column after column: bit k of byte
c * m + j of the plane is bit i of byte r + 4c of block j of piece k.

    plane (r, i)     | column 0       | column 1       | column 2       | column 3       |
                       block 0 .. m-1   block 0 .. m-1   block 0 .. m-1   block 0 .. m-1

    each byte        | 7 6 5 4 3 2 1 0 |    the piece's number

The circuits of circuits.py then work on four bytes of the state at a time, with a quarter
of the operations, on integers four times as long. ShiftRows rotates row r by r columns; in
bitslice.py it costs nothing. A state is a list of four rows, each a tuple of its eight planes
from bit 0.
"""

from __future__ import annotations

from functools import cache, lru_cache
from io import BytesIO

from .bitslice import (
    COMPLEMENT,
    PIECES,
    State,
    add,
    as_planes,
    complemented,
    counter_planes,
    counter_state,
    filled,
    groups,
    ones,
    spread,
    transpose,
)
from .blocks import BLOCK, xor
from .circuits import Planes, inverse_mix_column, inverse_sbox, mix_column, sbox
from .fields import MIX, TO_ZERO, product
from .tables import encryption_tables, table_rounds

COLUMNS = 4
ROWS = range(4)


# ---- Blocks to planes and back --------------------------------------------------------


def row_of(piece: bytes | memoryview, r: int) -> int:
    """Returns the bytes of row r of a piece's blocks, column after column."""
    return int.from_bytes(b"".join([piece[p::BLOCK] for p in range(r, BLOCK, COLUMNS)]))


def pack(blocks: bytes, m: int) -> State:
    """Returns the planes of 8m blocks. Row r of piece k is row k of a square of 8 x 8 bits for each
    byte, which is transposed.
    """
    size = BLOCK * m
    pieces = [blocks[start : start + size] for start in range(0, PIECES * size, size)]
    return [transpose([row_of(piece, r) for piece in pieces], COLUMNS * m) for r in ROWS]


def unpack(state: State, m: int, output: BytesIO, size: int, onto: bytes = b"") -> None:
    """Writes the first `size` bytes of the planes' 8m blocks to output, XORed with `onto` if it is
    given.
    """
    rows = [transpose(list(planes), COLUMNS * m) for planes in state]
    piece = bytearray(BLOCK * m)
    for k in range(PIECES):
        start = k * len(piece)
        other = onto[start : start + len(piece)]
        for r in ROWS:
            row = rows[r][k]
            if onto:
                row ^= row_of(other, r)
            columns = bytearray(row.to_bytes(COLUMNS * m))
            for c in range(COLUMNS):
                piece[r + 4 * c :: BLOCK] = columns[c * m : c * m + m]
        output.write(memoryview(piece)[: max(0, size - start)])


# ---- Rounds ---------------------------------------------------------------------------


def beside(columns: State, m: int) -> Planes:
    """Joins the planes of a row's bytes to the planes of the row."""
    a, b, c, d = columns
    size = 8 * m
    return as_planes(
        [((w << size | x) << size | y) << size | z for w, x, y, z in zip(a, b, c, d, strict=True)]
    )


def rows_of(state: State, m: int) -> State:
    """Joins the planes of the 16 bytes to planes of rows."""
    return [beside(state[r::COLUMNS], m) for r in ROWS]


def spread_key(round_key: bytes, m: int) -> State:
    """Returns the planes of a block that is the same everywhere."""
    every = ones(m)
    return rows_of([spread(b, every) for b in round_key], m)


@lru_cache(maxsize=8)
def patterns(m: int) -> list[int]:
    """Returns the 16 planes whose columns are all ones or all zeros. Bit 3 of an index is for column
    0, bit 0 for column 3.
    """
    every, size = ones(m), 8 * m
    planes = [0]
    for column in range(COLUMNS):
        planes += [plane | every << size * column for plane in planes]
    return planes


def choose_key(round_key: bytes, m: int) -> State:
    """As spread_key, but equal planes are the same integer."""
    planes = patterns(m)
    state = []
    for r in ROWS:
        a, b, c, d = round_key[r::COLUMNS]
        state.append(
            as_planes(
                [
                    planes[(a >> i & 1) << 3 | (b >> i & 1) << 2 | (c >> i & 1) << 1 | d >> i & 1]
                    for i in range(8)
                ]
            )
        )
    return state


def rotated(planes: Planes, columns: int, m: int) -> Planes:
    """Rotates a row to the left."""
    left, right = 8 * m * columns, 8 * m * (COLUMNS - columns)
    mask = ones(m * (COLUMNS - columns))
    return as_planes([(plane & mask) << left | plane >> right for plane in planes])


def shifted(state: State, direction: int, m: int) -> State:
    """Applies ShiftRows, or InvShiftRows with the direction -1."""
    return [state[0], *(rotated(state[r], direction * r % COLUMNS, m) for r in (1, 2, 3))]


def encrypt_rounds(state: State, keys: list[State], m: int) -> State:
    """Applies a round for each round key. The last one has no MixColumns."""
    for key in keys[:-1]:
        state = shifted([sbox(planes) for planes in state], 1, m)
        state = list(map(add, mix_column(*state), key))
    return list(map(add, shifted([sbox(planes) for planes in state], 1, m), keys[-1]))


def decrypt_rounds(state: State, keys: list[State], m: int) -> State:
    """Applies the rounds of the inverse cipher (FIPS 197 section 5.3) after its first AddRoundKey."""
    for key in keys[:-1]:
        state = [inverse_sbox(planes) for planes in shifted(state, -1, m)]
        state = list(inverse_mix_column(*map(add, state, key)))
    return list(map(add, [inverse_sbox(planes) for planes in shifted(state, -1, m)], keys[-1]))


# ---- A key ----------------------------------------------------------------------------


@cache
def terms(factor: int) -> list[list[int]]:
    """Returns, for each bit of factor * b in GF(2^8), the bits of b that add up to it."""
    images = [product(factor, 1 << i) for i in range(8)]
    return [[i for i in range(8) if images[i] >> o & 1] for o in range(8)]


class RowPlanes:
    """AES with one key on planes of rows, for one group of data of at least 1 byte. It appends to
    an output. Memory is about three times the size of the data.
    """

    __slots__ = ("_keys", "_masks", "_round_keys", "_strict")

    def __init__(self, round_keys: list[bytes], strict: bool) -> None:
        """If strict, nothing uses tables."""
        self._strict = strict
        self._round_keys = round_keys
        self._keys = complemented(round_keys)
        self._masks: tuple[int, list[State]] = 0, []

    def _planes(self, m: int) -> list[State]:
        """Returns the planes of the round keys, cached for the last m."""
        kept, masks = self._masks
        if kept != m:
            planes = spread_key if self._strict else choose_key
            masks = [planes(key, m) for key in self._keys]
            self._masks = m, masks
        return masks

    def encrypt(self, blocks: bytes, output: BytesIO) -> None:
        m = groups(blocks)
        keys = self._planes(m)
        state = list(map(add, pack(filled(blocks, m), m), keys[0]))
        unpack(encrypt_rounds(state, keys[1:], m), m, output, len(blocks))

    def decrypt(self, blocks: bytes, output: BytesIO, onto: bytes = b"") -> None:
        """Decrypts. XORs the result with `onto`, if given, which has the same length."""
        m = groups(blocks)
        keys = self._planes(m)
        state = list(map(add, pack(filled(blocks, m), m), keys[-1]))
        state = decrypt_rounds(state, keys[-2::-1], m)
        unpack(state, m, output, len(blocks), filled(onto, m) if onto else b"")

    def counter_mode(self, counter: int, bits: int, data: bytes, output: BytesIO) -> None:
        """Writes data XORed with the keystream from `counter`. The counter's low `bits` bits count
        and wrap.
        """
        m = groups(data)
        keys = self._planes(m)
        if self._strict:
            state = rows_of(counter_state(counter, m, bits), m)
            state = encrypt_rounds(list(map(add, state, keys[0])), keys[1:], m)
        else:
            state = encrypt_rounds(self._first_round(counter, bits, m), keys[2:], m)
        unpack(state, m, output, len(data), filled(data, m))

    def _first_round(self, counter: int, bits: int, m: int) -> State:
        """Returns 8m counter blocks after their first round.

        Usually two bytes differ between blocks. They use planes of m bytes. The others go through
        the tables once.
        """
        every = ones(m)
        low = counter_planes(counter, m, bits)
        while len(low) % 8:
            low.append(-(counter >> len(low) & 1) & every)
        first, second = self._round_keys[:2]
        same = bytearray(xor(counter.to_bytes(BLOCK), first))
        sums = [[0] * 8 for _ in ROWS]
        for place in range(0, len(low), 8):
            p = BLOCK - 1 - place // 8
            same[p] = TO_ZERO
            byte = sbox(add(as_planes(low[place : place + 8]), spread(first[p], every)))
            byte = add(byte, spread(COMPLEMENT, every))
            column, row = divmod(p, 4)
            left = 8 * m * (COLUMNS - 1 - (column - row) % COLUMNS)
            wide = [plane << left for plane in byte]
            for r in ROWS:
                for i, chosen in enumerate(terms(MIX[(row - r) % 4])):
                    for term in chosen:
                        sums[r][i] ^= wide[term]
        (rest,) = table_rounds(
            encryption_tables(), [int.from_bytes(same)], [int.from_bytes(second)]
        )
        return list(map(add, map(as_planes, sums), choose_key(rest.to_bytes(BLOCK), m)))
