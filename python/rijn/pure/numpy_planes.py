"""The backend `numpy`: bit planes in arrays of 64-bit words, for long messages.

A message is cut into chunks of CHUNK blocks, a chunk of 64w blocks into eight runs of 8w. Plane
(i, row, column) holds bit i of the byte in that row and column of FIPS 197's state, of every
block, in w words:

    word            0                                        1         …  w-1
    byte k          0          1         …   7               8 …
    bit j        7 … 1 0    7 … 1 0      7 … 1 0
                   block j * 8w + k: bit j of byte k belongs to block k of run j

    state[i, row, column, word]        8 x 4 x 4 x w

so a transposition of 8 x 8 bits exchanges bits between whole arrays (`transposition`).

The rounds are lists of (ufunc, operand, operand, output) over prepared arrays (`WordPlanes`), so a
round allocates nothing. A call costs 0.25 us even for short arrays, and a round is 122 calls. So
short messages and CBC encryption, which is one chain, use the backend `python` (numpy_engine.py).

No claim of constant time is made. The operations on planes have addresses and branches that do not
depend on the contents. But GHASH looks up its products in tables at secret indices, short messages
use the backend `python`, and NumPy's implementation is not known.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .blocks import BLOCK, Bytes
from .circuits import inverse_sbox, sbox
from .fields import times_x

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

# Words of a plane in a full chunk: 512 KiB of message, in 3.1 MiB of arrays.
WORDS = 512
# Words of a plane, summed over sizes, in the arrays that a thread caches: a full chunk and a rest.
KEPT = 2 * WORDS
# Blocks that GHASH multiplies at once, a power of two: 400 KiB of indices and products.
LANES = 1024

ALL = ~np.uint64(0)

Words: TypeAlias = "NDArray[np.uint64]"
ByteArray: TypeAlias = "NDArray[np.uint8]"
# A gate is (ufunc, value, value).
Gate: TypeAlias = "tuple[np.ufunc, int, int]"
# A step is output = ufunc(operand, operand).
Step: TypeAlias = "tuple[np.ufunc, NDArray[Any], NDArray[Any], NDArray[Any]]"


def as_bytes(data: Bytes) -> ByteArray:
    return np.frombuffer(data, np.uint8) if len(data) else np.empty(0, np.uint8)


def run(steps: list[Step]) -> None:
    for ufunc, left, right, output in steps:
        ufunc(left, right, output)


# ---- Planes -------------------------------------------------------------------------------


def masks(blocks: ByteArray) -> Words:
    """Returns m blocks of 16 bytes as m states, whose planes have one word each: all ones or all
    zeros.
    """
    bits = blocks.reshape(-1, 1, BLOCK) >> np.arange(8, dtype=np.uint8).reshape(8, 1) & 1
    by_row = bits.reshape(-1, 8, 4, 4).swapaxes(2, 3)
    return np.ascontiguousarray(by_row[..., None] * ALL)


def transposition(state: Words, scratch: Words) -> list[Step]:
    """Returns steps that exchange bit j of state[i] with bit i of state[j], in every byte. They are
    their own inverse: three rounds of swaps between pairs of arrays, at distance 4, 2 and 1:

        state[i]       7 6 5 4 3 2 1 0              the marked bits change places
                       ^ ^ ^ ^                      with the marked bits below
        state[i + 4]   7 6 5 4 3 2 1 0
                               ^ ^ ^ ^
    """
    steps: list[Step] = []
    for distance, low in ((4, 0x0F), (2, 0x33), (1, 0x55)):
        pairs = state.reshape(4 // distance, 2, distance, *state.shape[1:])
        upper, lower = pairs[:, 0], pairs[:, 1]
        swapped = scratch[:4].reshape(upper.shape)
        shift = np.array(distance, np.uint64)
        mask = np.array(low * 0x0101010101010101, np.uint64)
        steps += [
            (np.right_shift, upper, shift, swapped),
            (np.bitwise_xor, swapped, lower, swapped),
            (np.bitwise_and, swapped, mask, swapped),
            (np.bitwise_xor, lower, swapped, lower),
            (np.left_shift, swapped, shift, swapped),
            (np.bitwise_xor, upper, swapped, upper),
        ]
    return steps


class Wire(NamedTuple):
    """A value of a circuit. `number` counts the inputs first, then the gates.

    Its operators add a gate to the list that all wires of the circuit share.
    """

    number: int
    gates: list[Gate]

    def __xor__(self, other: Wire) -> Wire:
        return self._gate(np.bitwise_xor, other)

    def __and__(self, other: Wire) -> Wire:
        return self._gate(np.bitwise_and, other)

    def _gate(self, ufunc: np.ufunc, other: Wire) -> Wire:
        self.gates.append((ufunc, self.number, other.number))
        return Wire(7 + len(self.gates), self.gates)


@cache
def trace(function: Callable[[Any], Any]) -> tuple[list[Gate], list[int]]:
    """Returns the gates of an S-box of circuits.py, and the numbers of its outputs."""
    gates: list[Gate] = []
    outputs = function(tuple(Wire(i, gates) for i in range(8)))
    return gates, [wire.number for wire in outputs]


def circuit(
    function: Callable[[Any], Any], inputs: Words, outputs: Words, spare: list[Words]
) -> list[Step]:
    """Returns an S-box of circuits.py as steps. A value overwrites one that is no longer needed,
    including the inputs. Adds more arrays to `spare` as needed.
    """
    gates, results = trace(function)
    last_use = {}
    for number, (_, left, right) in enumerate(gates, 8):
        last_use[left] = last_use[right] = number
    place = dict(enumerate(inputs)) | dict(zip(results, outputs, strict=True))
    free = list(spare)
    steps: list[Step] = []
    for number, (ufunc, left, right) in enumerate(gates, 8):
        operands = place[left], place[right]
        free += [
            place[value]
            for value in (left, right)
            if last_use[value] == number and value not in results
        ]
        if number not in place:
            if not free:
                free.append(np.empty_like(inputs[0]))
                spare.append(free[0])
            place[number] = free.pop()
        steps.append((ufunc, *operands, place[number]))
    return steps


class WordPlanes:
    """The arrays for 64 * `words` blocks, and the rounds as steps on them.

    ShiftRows costs one copy. SubBytes leaves space in a row for a copy of its first three columns.
    The shifted row r then begins at column r:

        row 0   | 0  1  2  3 | .  .  .  |
        row 1     0 |1  2  3    0| .  .       the bars: the view `shifted`
        row 2     0  1 |2  3    0  1| .
        row 3     0  1  2 |3    0  1  2|

    InvShiftRows has the space on the left, and row r begins r columns before its first.
    """

    def __init__(self, words: int) -> None:
        self.words = words
        self.size = 64 * words * BLOCK
        self.state: Words = np.empty((8, 4, 4, words), np.uint64)
        self.mixed: Words = np.empty((8, 4, 4, words), np.uint64)
        wide: Words = np.empty((8, 4, 7, words), np.uint64)
        plane, row, column, word = wide.strides
        self.wrapped = (wide[:, 1:, 4:], wide[:, 1:, :3])
        self.shifted: Words = as_strided(
            wide, self.state.shape, (plane, row + column, column, word)
        )
        self.inverse_wrapped = (wide[:, 1:, :3], wide[:, 1:, 4:])
        self.inverse_shifted: Words = as_strided(
            wide[:, :, 3:], self.state.shape, (plane, row - column, column, word)
        )
        spare: list[Words] = []
        self.sub_bytes = circuit(sbox, self.state, wide[:, :, :4], spare)
        self.inverse_sub_bytes = circuit(inverse_sbox, self.state, wide[:, :, 3:], spare)
        self.mix = self._mix_columns(self.shifted)
        self.inverse_mix = self._inverse_mix_columns()
        # The runs as bytes, and the blocks of a chunk in order. The blocks share their memory with
        # `mixed`, which is not used while blocks are loaded or stored.
        self.runs = self.state.view(np.uint8)
        self.blocks: ByteArray = self.mixed.reshape(-1).view(np.uint8).reshape(-1, BLOCK)
        self.transpose = transposition(self.state, self.mixed)
        self.transpose_counts = transposition(self.state[:, :, 3:], self.mixed[:, :, 3:])
        self.number = np.arange(64 * words, dtype=np.uint32)

    def _double_into(self, target: Words, source: Words) -> list[Step]:
        """Returns steps for target ^= 2 * source in GF(2^8): bits move up by one, and bit 7 becomes
        x^8 = x^4 + x^3 + x + 1.
        """
        xor, top = np.bitwise_xor, source[7]
        return [
            (xor, target[1:], source[:7], target[1:]),
            (xor, target[:2], top, target[:2]),
            (xor, target[3:5], top, target[3:5]),
        ]

    def _pairs(self, s: Words) -> list[Step]:
        """Returns steps for mixed = s + R s. R s has in each row the row below it."""
        xor, c = np.bitwise_xor, self.mixed
        return [(xor, s[:, :3], s[:, 1:], c[:, :3]), (xor, s[:, 3], s[:, 0], c[:, 3])]

    def _mix_columns(self, s: Words) -> list[Step]:
        """Returns steps for state = MixColumns(s). With c = s + R s:
        2 s + 3 R s + R^2 s + R^3 s = R s + R^2 c + 2 c.
        """
        xor, c, x = np.bitwise_xor, self.mixed, self.state
        return [
            *self._pairs(s),
            (xor, s[:, 1:3], c[:, 2:], x[:, :2]),
            (xor, s[:, 3], c[:, 0], x[:, 2]),
            (xor, s[:, 0], c[:, 1], x[:, 3]),
            *self._double_into(x, c),
        ]

    def _inverse_mix_columns(self) -> list[Step]:
        """Returns steps for state = InvMixColumns(state). With c = x + R x, d = x + 2 c and e = c +
        4 d: 14 x + 11 R x + 13 R^2 x + 9 R^3 x = d + e + R^2 e.
        """
        xor, e, d = np.bitwise_xor, self.mixed, self.state
        add_four_d: list[Step] = [(xor, e[2:], d[:6], e[2:])]
        for bit in (6, 7):  # d6 and d7 overflow: x^8 and x^9
            for i in (bit - 6, bit - 3):
                add_four_d.append((xor, e[i : i + 2], d[bit], e[i : i + 2]))
        return [
            *self._pairs(d),
            *self._double_into(d, e),
            *add_four_d,
            (xor, d, e, d),
            (xor, d[:, :2], e[:, 2:], d[:, :2]),
            (xor, d[:, 2:], e[:, :2], d[:, 2:]),
        ]

    def load(self, data: ByteArray) -> None:
        """Loads at most a full chunk of blocks, padded with zeros."""
        blocks = self.blocks
        if len(data) == self.size:
            blocks = data.reshape(-1, BLOCK)
        else:
            whole = blocks.reshape(-1)
            whole[: len(data)] = data
            whole[len(data) :] = 0
        np.copyto(self.runs, blocks.reshape(8, -1, 4, 4).transpose(0, 3, 2, 1))
        run(self.transpose)

    def load_counters(self, counter: int, bits: int) -> None:
        """Loads consecutive counter blocks. Their low `bits` bits, 32 or 128, count and wrap.

        Column 3 is the low 32 bits, which are counted as integers and transposed. The other columns
        are the same in all blocks, or change once, after a carry.
        """
        low = counter & 0xFFFF_FFFF
        count = np.add(self.number, np.uint32(low)).astype(">u4").view(np.uint8)
        np.copyto(self.runs[:, :, 3], count.reshape(8, -1, 4).swapaxes(1, 2))
        run(self.transpose_counts)
        fixed = (counter, counter + (1 << 32)) if bits == 128 else (counter, counter)
        high = masks(as_bytes(b"".join(c.to_bytes(17, "big")[1:] for c in fixed)))[:, :, :, :3]
        self.state[:, :, :3] = high[0]
        before = (1 << 32) - low  # blocks before the carry
        if before < 64 * self.words:
            after = np.packbits(
                self.number.reshape(8, -1) >= before, axis=0, bitorder="little"
            ).view(np.uint64)
            self.state[:, :, :3] ^= (high[0] ^ high[1]) & after

    def store(self) -> ByteArray:
        """Returns the bytes of the blocks, which are valid until the next use of these planes."""
        run(self.transpose)
        for p in range(BLOCK):
            self.blocks[:, p] = self.runs[:, p % 4, p // 4].reshape(-1)
        return self.blocks.reshape(-1)

    def encrypt(self, keys: Words) -> None:
        """FIPS 197 section 5.1."""
        xor, state = np.bitwise_xor, self.state
        xor(state, keys[0], state)
        for key in keys[1:-1]:
            run(self.sub_bytes)
            np.copyto(*self.wrapped)
            run(self.mix)
            xor(state, key, state)
        run(self.sub_bytes)
        np.copyto(*self.wrapped)
        xor(self.shifted, keys[-1], state)

    def decrypt(self, keys: Words) -> None:
        """FIPS 197 section 5.3."""
        xor, state = np.bitwise_xor, self.state
        xor(state, keys[-1], state)
        for key in keys[-2:0:-1]:
            run(self.inverse_sub_bytes)
            np.copyto(*self.inverse_wrapped)
            xor(self.inverse_shifted, key, state)
            run(self.inverse_mix)
        run(self.inverse_sub_bytes)
        np.copyto(*self.inverse_wrapped)
        xor(self.inverse_shifted, keys[0], state)


# ---- GHASH ----------------------------------------------------------------------------


class Products:
    """Memory for the products of n blocks and a constant."""

    def __init__(self, n: int) -> None:
        self.indices = np.empty((BLOCK, n), np.intp)
        self.terms = np.empty((BLOCK, n), "V16")
        self.sums: Words = np.empty(2 * n, np.uint64)

    def multiply(self, blocks: ByteArray, table: NDArray[Any]) -> ByteArray:
        """Returns blocks times the constant of `table`. The result is valid until the next call.

        The term of byte p is table[256p + byte]. The 16 terms of a block are in different rows, so
        one reduction over whole rows adds them.
        """
        np.add(blocks.T, ROWS, out=self.indices, casting="unsafe")
        np.take(table, self.indices, out=self.terms, mode="clip")
        np.bitwise_xor.reduce(self.terms.view(np.uint64), axis=0, out=self.sums)
        return self.sums.view(np.uint8).reshape(-1, BLOCK)


ROWS = np.arange(0, 256 * BLOCK, 256, dtype=np.intp).reshape(BLOCK, 1)


def lane_table(h: int) -> NDArray[Any]:
    """Returns table[256p + b] = b * x^(8p) * h in GF(2^128), as 16 bytes. Bit 7 of a byte is the
    lowest power of x (SP 800-38D section 6.3), so multiplication by x shifts to the right.
    """
    powers = bytearray()
    for _ in range(8 * BLOCK):
        powers += h.to_bytes(BLOCK, "big")
        h = times_x(h)
    by_bit = np.frombuffer(powers, np.uint64).reshape(BLOCK, 8, 1, 2)
    table = np.zeros((BLOCK, 256, 2), np.uint64)
    for i in range(8):
        size = 1 << i
        np.bitwise_xor(table[:, :size], by_bit[:, 7 - i], out=table[:, size : 2 * size])
    return table.view("V16").reshape(-1)


class LaneHash:
    """GHASH with one H (SP 800-38D section 6.4), in lanes:

        lane        0     1   …  n-1
                    0     0      X1       zeros first, so that the message fills the last row
                   X2    X3   …  X(n+1)
                    …                     a row is added to H^n times the row above it

    Then the left half of the lanes, times H^(n/2), is added to the right half, and so on.
    """

    def __init__(self, h: bytes) -> None:
        # The tables of H^n, for n a power of two, made when needed.
        self._tables = {1: lane_table(int.from_bytes(h, "big"))}
        self._powers: dict[int, ByteArray] = {1: as_bytes(h)}

    def _table(self, n: int) -> NDArray[Any]:
        table = self._tables.get(n)
        if table is None:
            root = self._table(n // 2)
            square = products(1).multiply(self._powers[n // 2].reshape(1, BLOCK), root)
            self._powers[n] = square.copy().reshape(-1)
            table = self._tables[n] = lane_table(int.from_bytes(square.tobytes(), "big"))
        return table

    def update(self, y: ByteArray, data: ByteArray) -> ByteArray:
        """Returns the state after y and data, padded with zeros to whole blocks."""
        whole = len(data) // BLOCK * BLOCK
        if whole:
            y = self._blocks(y, data[:whole].reshape(-1, BLOCK))
        if whole < len(data):
            last = np.zeros((1, BLOCK), np.uint8)
            last[0, : len(data) - whole] = data[whole:]
            y = self._blocks(y, last)
        return y

    def _blocks(self, y: ByteArray, blocks: ByteArray) -> ByteArray:
        n = min(LANES, 1 << (len(blocks) - 1).bit_length())
        first = (len(blocks) - 1) % n + 1
        lanes = np.zeros((n, BLOCK), np.uint8)
        lanes[n - first :] = blocks[:first]
        lanes[n - first] ^= y
        for start in range(first, len(blocks), n):
            product = products(n).multiply(lanes, self._table(n))
            np.bitwise_xor(product, blocks[start : start + n], out=lanes)
        while n > 1:
            n //= 2
            lanes = products(n).multiply(lanes[:n], self._table(n)) ^ lanes[n:]
        return products(1).multiply(lanes, self._table(1)).reshape(-1).copy()


# ---- The cache of a thread ------------------------------------------------------------


class Buffers(threading.local):
    """The arrays of one thread, by size. NumPy releases the interpreter lock inside a call, so
    threads must not share them.
    """

    def __init__(self) -> None:
        self.planes: OrderedDict[int, WordPlanes] = OrderedDict()
        self.products: dict[int, Products] = {}


buffers = Buffers()


def planes_for(words: int) -> WordPlanes:
    """Returns the planes with this number of words. They are cached, and the least recently used
    ones are removed first.
    """
    found = buffers.planes.pop(words, None)
    while buffers.planes and sum(buffers.planes) + words > KEPT:
        buffers.planes.popitem(last=False)
    buffers.planes[words] = found = found or WordPlanes(words)
    return found


def products(n: int) -> Products:
    found = buffers.products.get(n)
    if found is None:
        found = buffers.products[n] = Products(n)
    return found


def words_for(size: int) -> int:
    """Returns the words of a plane for `size` bytes. They are at most a quarter more than needed,
    so that rests of all sizes share a few buffers.
    """
    words = -(-size // (64 * BLOCK))
    step = 1 << max(words.bit_length() - 3, 0)
    return min(-(-words // step) * step, WORDS)


def parts(size: int) -> Iterator[tuple[slice, WordPlanes]]:
    """Yields the parts of a message of `size` bytes, and their planes."""
    full = WORDS * 64 * BLOCK
    for start in range(0, size, full):
        end = min(start + full, size)
        yield slice(start, end), planes_for(words_for(end - start))
