"""AES on planes of bytes: some blocks at once as one wide integer.

Plane p holds byte p of each of n blocks. The planes stand row by row, row r of FIPS
197's state being planes r, r+4, r+8, r+12:

      row 0            row 1            row 2             row 3
    | 0  4  8 12     | 1  5  9 13     | 2  6 10 14      | 3  7 11 15 |   n bytes each
      most significant byte                               least significant byte

Then SubBytes is one bytes.translate, ShiftRows moves whole planes, and MixColumns is some
operations on an integer of 16n bytes, in which shifts rotate the rows. Up to 16 blocks fit into
a table of 256 bytes for bytes.translate. If a constant string of places is translated by this
table, the result is a permutation of the bytes, in one step.

Between the first S-box and the last, the bits of a byte are in reverse order. Multiplication by x
is then a shift to the right. The bit that leaves the byte needs no shift before it is multiplied:

    x * a       natural    (a & 0x7F) << 1  ^  (a >> 7 & 0x01) * 0x1B
                reversed   a >> 1 & 0x7F    ^  (a & 0x01) * 0xD8

Decryption is the equivalent inverse cipher (FIPS 197 section 5.3.5). No claim of constant time is
made: both directions look up tables by the bytes of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from io import BytesIO
from operator import itemgetter
from typing import Any, NamedTuple

from .blocks import BLOCK, Bytes
from .fields import INVERSE_SBOX, MIX, SBOX, TO_ZERO, product
from .tables import INVERSE_SHIFTED, SHIFTED, encryption_tables, table_rounds

# Plane p is at place PLACES[p].
PLANES = tuple(row + 4 * column for row in range(4) for column in range(4))
PLACES = tuple(PLANES.index(p) for p in range(BLOCK))

# The planes of at most this many blocks fit into a table of 256 bytes.
TABLE = 16
# Blocks from which counter mode uses two_rounds for its first two rounds.
FIRST_ROUNDS_FROM = 128

# Blocks that pass the rounds in one call: 8 KiB, for a processor's inner cache.
TOGETHER = 512
# The low bytes of consecutive counter blocks, from any start: enough for PythonEngine.WIDE blocks.
LOW_BYTES = bytes(range(256)) * 7

# Blocks, summed over message sizes, whose round keys are cached in each direction: at most
# 15 * 16 * KEPT bytes, about 1 MB.
KEPT = 4096

# The largest number of rounds: AES-256's.
ROUNDS = 14

# A state whose column 0 the S-box maps to zeros.
FIRST_COLUMN_TO_ZERO = int.from_bytes(bytes([TO_ZERO] * 4)) << 96
# The bytes that ShiftRows moves to the planes, in their order.
SHIFTED_PLANES = tuple(SHIFTED[p] for p in PLANES)
# For each of them, its column and the factor by which the second round multiplies its source byte.
SECOND_FACTORS = tuple((p // 4, MIX[(-(p // 4) - p) % 4]) for p in SHIFTED_PLANES)

# x^8 = x^4 + x^3 + x + 1, in reversed bits.
DOUBLED = 0xD8

# Returns permuted bytes; for planes wider than a table, the pieces to be joined.
Permutation = Callable[[bytes], Any]
# A counter, and the number of blocks from there that differ only in the last byte.
CounterRun = tuple[int, int]


# ---- Permutations ---------------------------------------------------------------------


def rotate_rows(n: int, inverse: bool) -> Permutation:
    """Returns ShiftRows on planes of n bytes, which rotates row r to the left by r planes;
    InvShiftRows rotates to the right.
    """
    pieces = [slice(0, 4 * n)]
    for row in (1, 2, 3):
        start, end = 4 * row * n, 4 * (row + 1) * n
        middle = end - row * n if inverse else start + row * n
        pieces += [slice(middle, end), slice(start, middle)]
    return itemgetter(*pieces)


def scatter(s: bytes, order: Sequence[int], n: int) -> tuple[bytearray]:
    """Returns the blocks of planes, in one piece. Plane order[p] becomes byte p."""
    planes, blocks = bytearray(s), bytearray(BLOCK * n)  # fast slices need two bytearrays
    for p in range(BLOCK):
        start = PLACES[order[p]] * n
        blocks[p::BLOCK] = planes[start : start + n]
    return (blocks,)


class Geometry(NamedTuple):
    """The values that depend on the number of blocks and the direction."""

    # Extends the planes to the size of a table. None if they are larger: then the permutations
    # return pieces to be joined.
    padding: bytes | None
    gather: Permutation  # from blocks to planes, through ShiftRows or InvShiftRows
    moves: tuple[Permutation, ...]  # the same on planes; the last one also back to blocks
    masks: tuple[int, int, int, int]
    # Bit 0 of every byte; all bits but bit 7; rows 2 and 3; rows 1 to 3.


@lru_cache(maxsize=64)
def geometry(n: int, inverse: bool) -> Geometry:
    order = INVERSE_SHIFTED if inverse else SHIFTED
    padding: bytes | None
    gather: Permutation
    shift: Permutation
    back: Permutation
    if n > TABLE:
        padding = None
        gather = itemgetter(*(slice(order[p], None, BLOCK) for p in PLANES))
        shift = rotate_rows(n, inverse)
        back = partial(scatter, order=order, n=n)
    else:
        padding = bytes(BLOCK * (TABLE - n))
        blocks, places = range(n), [PLACES[p] * n for p in order]
        gather = bytes(BLOCK * j + order[p] for p in PLANES for j in blocks).translate
        shift = bytes(places[p] + j for p in PLANES for j in blocks).translate
        back = bytes(place + j for j in blocks for place in places).translate
    low = int.from_bytes(b"\x01" * (BLOCK * n))
    masks = low, low * 0x7F, (1 << 64 * n) - 1, (1 << 96 * n) - 1
    return Geometry(padding, gather, (shift,) * (ROUNDS - 2) + (back,), masks)


# ---- Substitutions --------------------------------------------------------------------


@cache
def reversal() -> bytes:
    """Returns each byte with its bits in reverse order."""
    return bytes(int(f"{b:08b}"[::-1], 2) for b in range(256))


@cache
def reversing(inverse: bool) -> tuple[bytes, tuple[bytes, ...]]:
    """Returns the S-box or its inverse for each round: the first from natural to reversed bits,
    then on reversed bits, and the last one back.
    """
    box, reverse = INVERSE_SBOX if inverse else SBOX, reversal()
    first = box.translate(reverse)
    return first, (reverse.translate(first),) * (ROUNDS - 2) + (reverse.translate(box),)


@cache
def multiples() -> tuple[list[bytes], list[bytes]]:
    """Returns the S-box followed by multiplication with the factors 0 to 3; and the same with
    reversed bits.
    """
    reverse = reversal()
    natural = [bytes(product(factor, b) for b in SBOX) for factor in range(4)]
    return natural, [table.translate(reverse) for table in natural]


# ---- Rounds ---------------------------------------------------------------------------


class Plan(NamedTuple):
    """A key's round keys for a number of blocks and a direction, with the other values that depend
    on them.
    """

    first: int  # the round key for whole blocks
    box: bytes  # the first S-box
    gather: Permutation
    padding: bytes | None
    steps: list[tuple[int, bytes, Permutation]]  # round keys, S-boxes, ShiftRows, on planes
    masks: tuple[int, int, int, int]
    inverse: bool
    last: int  # the round key for whole blocks


def make_plan(round_keys: list[bytes], n: int, inverse: bool) -> Plan:
    """Makes a plan from the round keys, in the order of the direction."""
    padding, gather, moves, masks = geometry(n, inverse)
    box, boxes = reversing(inverse)
    reverse = reversal()
    spread = b"".join([bytes([p]) * n for p in PLANES])
    middle = [
        int.from_bytes(spread.translate(round_key.translate(reverse).ljust(256)))
        for round_key in round_keys[1:-1]
    ]
    steps = list(zip(middle, boxes[-len(middle) :], moves[-len(middle) :], strict=True))
    first, last = (int.from_bytes(round_keys[end] * n) for end in (0, -1))
    return Plan(first, box, gather, padding, steps, masks, inverse, last)


def crypt(blocks: Bytes | bytearray, plan: Plan, onto: int = 0) -> bytes:
    """Applies the cipher or its inverse to the plan's number of whole blocks. XORs the result with
    `onto`.
    """
    s = (int.from_bytes(blocks) ^ plan.first).to_bytes(len(blocks)).translate(plan.box)
    if plan.padding is None:
        return rounds(b"".join(plan.gather(s)), plan, plan.steps, onto)
    return rounds(plan.gather(s + plan.padding), plan, plan.steps, onto)


def rounds(s: bytes, plan: Plan, steps: list[tuple[int, bytes, Permutation]], onto: int) -> bytes:
    """Applies the rest of the cipher to planes after an S-box and ShiftRows. `steps` are the plan's
    remaining steps.
    """
    size = len(s)
    row = 2 * size
    two, three = 2 * row, 3 * row
    _, _, _, padding, _, (low, low7, two_rows, three_rows), inverse, last = plan
    from_bytes = int.from_bytes
    for key, box, move in steps:
        a = from_bytes(s)
        if inverse:
            # InvMixColumns is MixColumns after a matrix that adds 4(a_r + a_r+2) to row r.
            pair = (a ^ a >> two) & two_rows
            pair = pair >> 1 & low7 ^ (pair & low) * DOUBLED
            pair = pair >> 1 & low7 ^ (pair & low) * DOUBLED
            a ^= pair << two ^ pair
        # MixColumns: row r becomes 2(a_r + a_r+1) + a_r+1 + (a_r+2 + a_r+3), indices modulo
        # 4. A rotation by one row moves row r+1 to the place of row r.
        below = (a & three_rows) << row | a >> three
        pair = a ^ below
        twice = pair >> 1 & low7 ^ (pair & low) * DOUBLED
        opposite = (pair & two_rows) << two | pair >> two
        s = (twice ^ below ^ opposite ^ key).to_bytes(size).translate(box)
        s = b"".join(move(s)) if padding is None else move(s + padding)
    return (from_bytes(s) ^ last ^ onto).to_bytes(size)


# ---- Counters -------------------------------------------------------------------------


def runs_of(counter: int, n: int, bits: int) -> list[CounterRun]:
    """Returns the counters from `counter` as runs that differ only in the last byte: the first
    counter of each run, and their number. The low `bits` bits count and wrap.
    """
    wrap = (1 << bits) - 1
    runs = []
    while n:
        run = min(n, 256 - (counter & 0xFF))
        runs.append((counter, run))
        counter = counter & ~wrap | (counter + run) & wrap
        n -= run
    return runs


def two_rounds(round_keys: list[bytes], runs: list[CounterRun], lows: bytes) -> bytes:
    """Returns the planes of counter blocks after two rounds and the third round's ShiftRows, in
    reversed bits. The blocks of a run differ only in the last byte. These bytes of the state differ
    (x):

        counter   . . . .    round 1   x . . .    round 2   x x x x
                  . . . .              x . . .              x x x x
                  . . . .              x . . .              x x x x
                  . . . x              x . . .              x x x x

    Each of them depends on one byte of the round before: the S-box, a multiplication by 1, 2 or 3,
    and the addition of a constant of the run, which comes from the tables.
    """
    n = len(lows)
    tables = encryption_tables()
    key0, key1, key2 = map(int.from_bytes, round_keys[:3])
    # The bytes that differ are set to the value that the S-box maps to 0.
    same = []
    for start, _ in runs:
        same.append((start ^ key0) & ~0xFF | TO_ZERO)
    same = table_rounds(tables, same, [key1])
    first, second = [], []
    for i, (_, run) in enumerate(runs):
        first.append((same[i].to_bytes(BLOCK), run))
        same[i] = same[i] & (1 << 96) - 1 | FIRST_COLUMN_TO_ZERO
    same = table_rounds(tables, same, [key2])
    for i, (_, run) in enumerate(runs):
        second.append((same[i].to_bytes(BLOCK).translate(reversal()), run))

    natural, reverse = multiples()
    changed = (int.from_bytes(lows) ^ int.from_bytes(bytes([key0 & 0xFF]) * n)).to_bytes(n)
    planes = []
    for row in range(4):
        planes.append(changed.translate(natural[MIX[(3 - row) % 4]]))
    rest = in_runs(first, range(4))
    rows = (int.from_bytes(b"".join(planes)) ^ int.from_bytes(rest)).to_bytes(4 * n)
    # ShiftRows moves the byte of row r from column 0 to column -r, where it is multiplied
    # by the matrix's column r.
    sources = rows[:n], rows[3 * n :], rows[2 * n : 3 * n], rows[n : 2 * n]
    planes.clear()
    for c, factor in SECOND_FACTORS:
        planes.append(sources[c].translate(reverse[factor]))
    rest = in_runs(second, SHIFTED_PLANES)
    return (int.from_bytes(b"".join(planes)) ^ int.from_bytes(rest)).to_bytes(BLOCK * n)


def in_runs(states: list[tuple[bytes, int]], places: Sequence[int]) -> bytes:
    """Returns planes of these bytes of the states. Each state counts for its number of blocks."""
    planes = []
    for p in places:
        for state, blocks in states:
            planes.append(state[p : p + 1] * blocks)
    return b"".join(planes)


# ---- A key ----------------------------------------------------------------------------


class BytePlanes:
    """AES with one key on planes of bytes, for at most PythonEngine.WIDE blocks in a call."""

    __slots__ = ("_decryption", "_encryption", "_inverse_keys", "_keys")

    def __init__(
        self, round_keys: list[bytes], inverse_keys: Callable[[], tuple[int, list[int], int]]
    ) -> None:
        """inverse_keys() returns the round keys of the equivalent inverse cipher, as blocks: the
        first, the middle ones and the last.
        """
        self._keys = round_keys
        self._inverse_keys = inverse_keys
        self._encryption: dict[int, Plan] = {}  # by the number of blocks
        self._decryption: dict[int, Plan] = {}

    def _encryption_plan(self, n: int) -> Plan:
        if n not in self._encryption:
            if sum(self._encryption) + n > KEPT:
                self._encryption.clear()
            self._encryption[n] = make_plan(self._keys, n, False)
        return self._encryption[n]

    def _decryption_plan(self, n: int) -> Plan:
        if n not in self._decryption:
            if sum(self._decryption) + n > KEPT:
                self._decryption.clear()
            first, middle, last = self._inverse_keys()
            keys = [round_key.to_bytes(BLOCK) for round_key in (first, *middle, last)]
            self._decryption[n] = make_plan(keys, n, True)
        return self._decryption[n]

    def encrypted(self, blocks: Bytes) -> bytes:
        if len(blocks) <= BLOCK * TOGETHER:
            return crypt(blocks, self._encryption_plan(len(blocks) // BLOCK))
        output = []
        for start in range(0, len(blocks), BLOCK * TOGETHER):
            output.append(self.encrypted(blocks[start : start + BLOCK * TOGETHER]))
        return b"".join(output)

    def decrypted(self, blocks: Bytes, onto: bytes = b"") -> bytes:
        """Decrypts. XORs the result with `onto`, if given, which has the same length."""
        if len(blocks) <= BLOCK * TOGETHER:
            return crypt(blocks, self._decryption_plan(len(blocks) // BLOCK), int.from_bytes(onto))
        output = []
        for start in range(0, len(blocks), BLOCK * TOGETHER):
            part = slice(start, start + BLOCK * TOGETHER)
            output.append(self.decrypted(blocks[part], onto[part]))
        return b"".join(output)

    def keystream(self, counter: int, bits: int, data: Bytes) -> bytes:
        """Returns data XORed with the keystream from `counter`. The counter's low `bits` bits count
        and wrap.
        """
        size = len(data)
        n = -(-size // BLOCK)
        runs = runs_of(counter, n, bits)
        lows = LOW_BYTES[counter & 0xFF : (counter & 0xFF) + n]
        if n < FIRST_ROUNDS_FROM:
            onto = int.from_bytes(data) << 8 * (BLOCK * n - size)
            blocks = bytearray().join([start.to_bytes(BLOCK) * run for start, run in runs])
            blocks[BLOCK - 1 :: BLOCK] = lows
            plan = self._encryption.get(n) or self._encryption_plan(n)
            return crypt(blocks, plan, onto)[:size]
        box = reversing(False)[1][0]
        planes = two_rounds(self._keys, runs, lows).translate(box)
        output = []
        for start in range(0, n, TOGETHER):
            end = min(start + TOGETHER, n)
            plan = self._encryption.get(end - start) or self._encryption_plan(end - start)
            s = planes
            if n > TOGETHER:
                part = []
                for place in range(0, BLOCK * n, n):
                    part.append(planes[place + start : place + end])
                s = b"".join(part)
            piece = data[BLOCK * start : BLOCK * end]
            onto = int.from_bytes(piece) << 8 * (BLOCK * (end - start) - len(piece))
            output.append(rounds(s, plan, plan.steps[2:], onto))
        return b"".join(output)[:size]

    # The methods of contract.Layout

    def encrypt(self, blocks: bytes, output: BytesIO) -> None:
        output.write(self.encrypted(blocks))

    def decrypt(self, blocks: bytes, output: BytesIO, onto: bytes = b"") -> None:
        output.write(self.decrypted(blocks, onto))

    def counter_mode(self, counter: int, bits: int, data: bytes, output: BytesIO) -> None:
        output.write(self.keystream(counter, bits, data))
