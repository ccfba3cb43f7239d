"""AES on bit planes: many blocks at once as 128 wide integers.

A group of 8m blocks is cut into eight pieces of m blocks, one after the other. Plane
(p, i) is an integer of m bytes: bit k of its byte j is bit i of byte p of block j of
piece k, where byte 0 of an integer is its most significant.

    plane (p, i)     |  byte 0   |  byte 1   | ... | byte m-1  |
                       76543210    76543210          76543210    the piece's number k

    piece 0          | block 0   | block 1   | ... | block m-1 |   (p, i): bit 0 of byte j
    piece 1          | block m   | block m+1 | ... | block 2m-1|   (p, i): bit 1 of byte j
      ...
    piece 7          | block 7m  |           ...   | block 8m-1|   (p, i): bit 7 of byte j

A state is a list of 16 bytes p in FIPS 197's order, each a tuple of its eight planes
from bit 0. ShiftRows moves the tuples to other places. SubBytes and MixColumns are the circuits
of circuits.py. A bit of a round key is a plane of ones or of zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from operator import xor

from .blocks import BLOCK
from .circuits import Planes, inverse_mix_column, inverse_sbox, mix_column, sbox
from .tables import INVERSE_SHIFTED, SHIFTED, encryption_tables, table_rounds

PIECES = 8

State = list[Planes]

# The circuits of the S-boxes do not add this constant.
COMPLEMENT = 0x63

ZERO: Planes = (0, 0, 0, 0, 0, 0, 0, 0)


# ---- Blocks to planes and back --------------------------------------------------------


def as_planes(eight: Iterable[int]) -> Planes:
    a, b, c, d, e, f, g, h = eight
    return a, b, c, d, e, f, g, h


@lru_cache(maxsize=8)
def ones(m: int) -> int:
    return (1 << 8 * m) - 1


@lru_cache(maxsize=8)
def swap_masks(m: int) -> tuple[tuple[int, int], ...]:
    """Returns, for s = 4, 2, 1: s, and a mask of the bits in each byte whose number does not
    contain s.
    """
    return tuple((s, ones(m) // 0xFF * low) for s, low in ((4, 0x0F), (2, 0x33), (1, 0x55)))


def transpose(rows: list[int], m: int) -> Planes:
    """Exchanges bit i of rows[k] with bit k of rows[i], in every byte; its own inverse.
    A step exchanges two quarters of each square of 2s rows and 2s bits, for s = 4, 2, 1:

        rows k ...         | A  B |      | D  B |
        rows k + s ...     | C  D |  ->  | C  A |      bit 0 of a byte to the right
    """
    for s, mask in swap_masks(m):
        for k in range(PIECES):
            if not k & s:
                low, high = rows[k], rows[k + s]
                difference = (low >> s ^ high) & mask
                rows[k] = low ^ difference << s
                rows[k + s] = high ^ difference
    return as_planes(rows)


def pack(blocks: bytes, m: int) -> State:
    """Returns the planes of 8m blocks. Byte p of each block of piece k makes row k of p. The eight
    rows of each p are transposed:

        piece k       | 0 1 .. p .. 15 | 0 1 .. p .. 15 | ...
                               |                |
        row k of p        | byte 0         | byte 1         | ...

    It reads piece after piece, because a piece is read 16 times and fits into the cache.
    """
    size = BLOCK * m
    rows: list[list[int]] = [[] for _ in range(BLOCK)]
    for start in range(0, PIECES * size, size):
        piece = blocks[start : start + size]
        for p in range(BLOCK):
            rows[p].append(int.from_bytes(piece[p::BLOCK], "big"))
    return [transpose(eight, m) for eight in rows]


def unpack(state: State, m: int, output: BytesIO, size: int, onto: bytes = b"") -> None:
    """Writes the first `size` bytes of the planes' 8m blocks to output, XORed with `onto` if it is
    given.
    """
    for p in range(BLOCK):
        state[p] = transpose(list(state[p]), m)
    piece = bytearray(BLOCK * m)  # one buffer for all, because new memory is slow at first use
    for k, rows in enumerate(zip(*state, strict=True)):
        start, end = k * len(piece), (k + 1) * len(piece)
        for p, row in enumerate(rows):
            if onto:
                row ^= int.from_bytes(onto[start + p : end : BLOCK], "big")
            piece[p::BLOCK] = row.to_bytes(m, "big")
        output.write(memoryview(piece)[: max(0, size - start)])


# ---- Rounds ---------------------------------------------------------------------------


def spread(byte: int, every: int) -> Planes:
    """Returns the planes of a byte that is the same in all blocks."""
    return as_planes([-(byte >> i & 1) & every for i in range(8)])


def choose(byte: int, every: int) -> Planes:
    """As spread, but all planes of ones are the same integer, which stays in the cache."""
    return as_planes([every if byte >> i & 1 else 0 for i in range(8)])


def substitute_by_circuit(word: bytes) -> bytes:
    """Applies SubBytes to a few bytes with the circuit. Each plane has one bit of each byte."""
    planes = [sum((b >> i & 1) << j for j, b in enumerate(word)) for i in range(8)]
    planes = list(sbox(as_planes(planes)))
    bytes_ = [
        sum((plane >> j & 1) << i for i, plane in enumerate(planes)) for j in range(len(word))
    ]
    return bytes([b ^ COMPLEMENT for b in bytes_])


def add(planes: Planes, key: Planes) -> Planes:
    return as_planes(map(xor, planes, key))


# A round removes its input from the end of the state, so there are never many more than 128 planes:
# twice as many would not fit into the cache.


def encrypt_rounds(state: State, keys: list[State]) -> State:
    """Applies a round for each round key. The last one has no MixColumns. Empties the state."""
    for key in keys[:-1]:
        shifted = taken(state, SHIFTED)
        for c in range(0, BLOCK, 4):
            column = mix_column(
                sbox(shifted.pop()),
                sbox(shifted.pop()),
                sbox(shifted.pop()),
                sbox(shifted.pop()),
            )
            state += map(add, column, key[c : c + 4])
    shifted = taken(state, SHIFTED)
    return [add(sbox(shifted.pop()), mask) for mask in keys[-1]]


def decrypt_rounds(state: State, keys: list[State]) -> State:
    """Applies the rounds of the inverse cipher (FIPS 197 section 5.3) after its first AddRoundKey.
    Empties the state.
    """
    for key in keys[:-1]:
        shifted = taken(state, INVERSE_SHIFTED)
        for c in range(0, BLOCK, 4):
            state += inverse_mix_column(
                *[add(inverse_sbox(shifted.pop()), mask) for mask in key[c : c + 4]]
            )
    shifted = taken(state, INVERSE_SHIFTED)
    return [add(inverse_sbox(shifted.pop()), mask) for mask in keys[-1]]


def taken(state: State, places: list[int]) -> State:
    """Returns the bytes of the state at these places, in reverse order. Empties the state."""
    bytes_ = [state[p] for p in reversed(places)]
    state.clear()
    return bytes_


# ---- Counters -------------------------------------------------------------------------


@lru_cache(maxsize=4)
def index_planes(m: int) -> tuple[int, ...]:
    """Returns the planes of each block's number in the group, k * m + j: plane i has bit i.

    Bit i of j is a pattern of 2^i bytes of zeros and 2^i bytes of ones. Bit i of k * m is the same
    for all j: a byte with bit k for piece k, repeated.
    """
    low = ones(m) // 0xFF
    planes = []
    carry = 0
    for i in range((PIECES * m - 1).bit_length()):
        run = min(1 << i, m)
        pattern = (bytes(run) + b"\xff" * run) * (m // (2 * run) + 1)
        of_block = int.from_bytes(pattern[:m], "big")
        of_piece = low * sum((k * m >> i & 1) << k for k in range(PIECES))
        half = of_block ^ of_piece
        planes.append(half ^ carry)
        carry = of_block & of_piece | carry & half
    return tuple(planes)


def counter_planes(counter: int, m: int, bits: int, *, all_bits: bool = False) -> list[int]:
    """Returns the planes of 8m counter blocks from `counter`, lowest first. The low `bits` bits
    count and wrap.

    Planes that are the same in all blocks are left out. With all_bits, all `bits` planes are
    returned, so that their number does not reveal how far the carry goes.
    """
    every = ones(m)
    planes = []
    carry = 0
    for i, plane in enumerate(index_planes(m)):
        mask = -(counter >> i & 1) & every
        half = plane ^ mask
        planes.append(half ^ carry)
        carry = plane & mask | carry & half
    while (all_bits or carry) and len(planes) < bits:
        mask = -(counter >> len(planes) & 1) & every
        planes.append(mask ^ carry)
        carry &= mask
    return planes


def counter_state(counter: int, m: int, bits: int) -> State:
    """Returns the planes of the whole counter blocks, for a strict key."""
    every = ones(m)
    planes = counter_planes(counter, m, bits, all_bits=True)
    planes += [-(counter >> i & 1) & every for i in range(len(planes), 8 * BLOCK)]
    return [as_planes(planes[start : start + 8]) for start in range(8 * (BLOCK - 1), -1, -8)]


# ---- A key ----------------------------------------------------------------------------


def groups(data: bytes) -> int:
    """Returns m for the smallest group of 8m blocks that holds data."""
    return -(-len(data) // (PIECES * BLOCK))


def filled(data: bytes, m: int) -> bytes:
    return data.ljust(PIECES * BLOCK * m, b"\0")


def complemented(round_keys: list[bytes]) -> list[bytes]:
    """Returns the round keys, with the constant that the S-boxes do not add in keys 1 to Nr.

    Each of these keys is added after an S-box. Both MixColumns map a state of 0x63 to itself.
    """
    return [
        round_keys[0],
        *(bytes([b ^ COMPLEMENT for b in round_key]) for round_key in round_keys[1:]),
    ]


class BitPlanes:
    """AES with one key on bit planes, for one group of data of at least 1 byte. It appends to an
    output. Memory is about three times the size of the data.
    """

    __slots__ = ("_first_keys", "_keys", "_masks", "_strict")

    def __init__(self, round_keys: list[bytes], strict: bool) -> None:
        """If strict, nothing uses tables."""
        self._strict = strict
        self._keys = complemented(round_keys)
        self._first_keys = [int.from_bytes(round_key, "big") for round_key in round_keys[1:3]]
        self._masks: tuple[int, list[State]] = 0, []

    def _round_keys(self, m: int) -> list[State]:
        """Returns the planes of the round keys, cached for the last m."""
        kept, masks = self._masks
        if kept != m:
            every = ones(m)
            planes = spread if self._strict else choose
            masks = [[planes(b, every) for b in key] for key in self._keys]
            self._masks = m, masks
        return masks

    def encrypt(self, blocks: bytes, output: BytesIO) -> None:
        m = groups(blocks)
        keys = self._round_keys(m)
        state = list(map(add, pack(filled(blocks, m), m), keys[0]))
        unpack(encrypt_rounds(state, keys[1:]), m, output, len(blocks))

    def decrypt(self, blocks: bytes, output: BytesIO, onto: bytes = b"") -> None:
        """Decrypts. XORs the result with `onto`, if given, which has the same length."""
        m = groups(blocks)
        keys = self._round_keys(m)
        state = list(map(add, pack(filled(blocks, m), m), keys[-1]))
        state = decrypt_rounds(state, keys[-2::-1])
        unpack(state, m, output, len(blocks), filled(onto, m) if onto else b"")

    def counter_mode(self, counter: int, bits: int, data: bytes, output: BytesIO) -> None:
        """Writes data XORed with the keystream from `counter`. The counter's low `bits` bits count
        and wrap.
        """
        m = groups(data)
        unpack(self._keystream(counter, bits, m), m, output, len(data), filled(data, m))

    def _keystream(self, counter: int, bits: int, m: int) -> State:
        keys = self._round_keys(m)
        if self._strict:
            state = list(map(add, counter_state(counter, m, bits), keys[0]))
            return encrypt_rounds(state, keys[1:])
        return encrypt_rounds(self._two_rounds(counter, bits, m), keys[3:])

    def _two_rounds(self, counter: int, bits: int, m: int) -> State:
        """Returns 8m counter blocks after their first two rounds.

        Before that, some bytes are the same in all blocks: they go through the tables once. With at
        most 2^16 blocks, and no carry, only these differ (x):

            counter   . . . .    round 1   x x . .    round 2   x x x x
                      . . . .              x x . .              x x x x
                      . . . x              x x . .              x x x x
                      . . . x              x x . .              x x x x

        Byte p is the sum of state[p], which is ZERO for bytes that do not differ, and constant[p],
        which is zero for bytes that do. As SubBytes(0) = 0x63, the tables add the constant that
        sbox does not add.
        """
        every = ones(m)
        low = counter_planes(counter, m, bits)
        planes = low + [every if counter >> i & 1 else 0 for i in range(len(low), 8 * BLOCK)]
        key = self._keys[0]
        constant = bytearray(BLOCK)
        state = [ZERO] * BLOCK
        for p, b in enumerate(counter.to_bytes(BLOCK, "big")):
            place = 8 * (BLOCK - 1 - p)
            if place < len(low):
                state[p] = add(as_planes(planes[place : place + 8]), choose(key[p], every))
            else:
                constant[p] = b ^ key[p]
        for round_key in self._first_keys:
            given = int.from_bytes(constant, "big")
            (total,) = table_rounds(encryption_tables(), [given], [round_key])
            constant = bytearray(total.to_bytes(BLOCK, "big"))
            state = [ZERO if byte is ZERO else sbox(byte) for byte in state]
            state = [state[p] for p in SHIFTED]
            for c in range(0, BLOCK, 4):
                column = state[c : c + 4]
                if any(byte is not ZERO for byte in column):
                    masks = [choose(b, every) for b in constant[c : c + 4]]
                    state[c : c + 4] = map(add, mix_column(*column), masks)
                    constant[c : c + 4] = bytes(4)
        return state
