"""AEGIS with only the standard library: RFC 10032, all six variants.

The state is one integer. Big-endian, its bytes are the blocks of RFC 10032. Each block has the
`degree` lanes of a parallel mode side by side. Their order is convenient for the keystream z and
the message blocks M, which are added after the update:

    AEGIS-128L, -128X   | S1   S5   S3   S6   S2   S7   S0   S4 |

      z0 | z1  =          S1   S5
                +                        S6   S2
                + (                 S3   S6
                    &                         S2   S7 )
      M0 | M1, added to                                 S0   S4

    AEGIS-256, -256X    | S1   S4   S5   S2   S3   S0 |

      z        =          S1
                +              S4
                +                   S5
                + (                      S2
                    &                         S3 )
      M, added to                                  S0

    lanes of a block    | V[j,0]  V[j,1]  ...  V[j,degree-1] |   16 bytes each

A shift moves two neighbours to the end together. Four such shifts, or five of single blocks, cut
to the length of a message block, make a keystream block.

Update adds AESRound of each block to the next block. ShiftRows and the step to the next block
are one bytes.translate with exchanged roles: the state is the table, of 256 bytes, and the data
is a constant index, with the source of each byte. A longer state (degree 4) needs two or three
indices, each for a run of blocks from a window of 256 bytes. SubBytes is a second translate, and
MixColumns is some operations on one integer of columns:

      column, 32 bits    | row 0 | row 1 | row 2 | row 3 |     bytes a_0 ... a_3

      p_r = a_r + a_r+1                 rows modulo 4
      c   = p_1 + p_3                   the sum of the column, once in row 3, then in all rows
      row r becomes 2 p_r + c + a_r     (FIPS 197 section 5.1.3, rearranged)

No claim of constant time is made: table look-ups depend on the key and the data.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache
from io import BytesIO
from struct import iter_unpack
from typing import NamedTuple, Protocol, Self

from .blocks import BLOCK, Bytes, xor
from .fields import SBOX

TABLE = 256  # bytes.translate takes a table of this size

# The two are the Fibonacci sequence modulo 256.
C0 = bytes.fromhex("000101020305080d1522375990e97962")
C1 = bytes.fromhex("db3d18556dc22ff12011314273b528dd")

# Receives each encrypted or decrypted block.
Write = Callable[[bytes], object]


# ---- AEGIS-128 and AEGIS-256 ----------------------------------------------------------


class Family(NamedTuple):
    """The differences between the two. Blocks have their numbers in the RFC."""

    order: tuple[int, ...]  # of the blocks in the state
    message: int  # blocks of a message block, which is added to the last blocks of the order
    # The keystream is the sum of `add` and of the bitwise product of `multiply`. For neighbours
    # that are shifted together, the last one is listed.
    add: tuple[int, ...]
    multiply: tuple[int, int]
    lengths: int  # the block that Finalize adds the lengths to
    context: tuple[int, int]  # the blocks that Init adds the context of a lane to
    whole: range  # the blocks whose sum is a tag of 16 bytes
    halves: tuple[range, range]  # the blocks whose two sums are a tag of 32 bytes
    first_absorbed: int  # the lane from which AEGISMAC absorbs tags of 16 bytes


AEGIS_128 = Family(
    order=(1, 5, 3, 6, 2, 7, 0, 4),
    message=2,
    add=(5, 2),
    multiply=(6, 7),
    lengths=2,
    context=(3, 7),
    whole=range(7),
    halves=(range(4), range(4, 8)),
    first_absorbed=0,
)
AEGIS_256 = Family(
    order=(1, 4, 5, 2, 3, 0),
    message=1,
    add=(1, 4, 5),
    multiply=(2, 3),
    lengths=3,
    context=(3, 5),
    whole=range(6),
    halves=(range(3), range(3, 6)),
    first_absorbed=1,
)


Blocks = list[bytes]


def initial(family: Family, key: bytes, nonce: bytes) -> tuple[Blocks, list[Blocks], int]:
    """Returns Init's first state, the message blocks of its updates, and how often they repeat."""
    if family is AEGIS_128:
        both = xor(key, nonce)
        with_c0 = xor(key, C0)
        first = [both, C1, C0, C1, both, with_c0, xor(key, C1), with_c0]
        return first, [[nonce, key]], 10
    k0, k1 = key[:BLOCK], key[BLOCK:]
    both0, both1 = xor(k0, nonce[:BLOCK]), xor(k1, nonce[BLOCK:])
    first = [both0, both1, C1, C0, xor(k0, C0), xor(k1, C1)]
    return first, [[k0], [k1], [both0], [both1]], 4


# ---- Message blocks -------------------------------------------------------------------


def sources(family: Family, degree: int) -> list[list[int]]:
    """Returns the sources of each block's bytes, in the order of the state: the same lane of the
    previous block in the RFC, where ShiftRows moves byte 5i mod 16 to byte i.
    """
    order = family.order
    return [
        [
            BLOCK * (order.index((j - 1) % len(order)) * degree + lane) + 5 * i % BLOCK
            for lane in range(degree)
            for i in range(BLOCK)
        ]
        for j in order
    ]


def runs(blocks: list[list[int]], width: int) -> list[tuple[bytes, slice]]:
    """Returns the blocks as runs, each as long as possible, that come from a window of TABLE bytes
    in a state of `width` bytes: the index of each run, and its window.
    """
    found = []
    while blocks:
        places: list[int] = []
        taken = 0
        for block in blocks:
            longer = places + block
            if max(longer) - min(longer) >= TABLE:
                break
            places = longer
            taken += 1
        first = min(*places, width - TABLE)
        index = bytes(place - first for place in places)
        found.append((index, slice(first, first + TABLE)))
        blocks = blocks[taken:]
    return found


def shift(family: Family, degree: int, j: int) -> int:
    """Returns the distance in bits of block j, in all its lanes, from the end of the state."""
    return 8 * BLOCK * degree * (len(family.order) - 1 - family.order.index(j))


class Run(Protocol):
    def __call__(
        self, x: int, blocks: Bytes, write: Write | None = None, decrypting: bool = False
    ) -> int:
        """Takes a whole number of message blocks, from state x. Returns the last state.

        Without `write` this is Absorb. With it, this is Enc or Dec of each block, and the results
        are written.
        """


def make_run(family: Family, degree: int) -> Run:
    """Returns the loop of a variant over its blocks. It is one function: calls for Update and for
    the keystream would take a seventh longer.
    """
    lanes = BLOCK * degree  # bytes of a block in all lanes
    size = lanes * len(family.order)
    rate = lanes * family.message
    message_block = f"{rate}s"

    # Keystream
    mask = (1 << 8 * rate) - 1
    add1, add2, *more = (shift(family, degree, j) for j in family.add)
    (add3,) = more or (0,)  # AEGIS-128 adds two blocks, AEGIS-256 three
    and1, and2 = (shift(family, degree, j) for j in family.multiply)

    # SubBytes and ShiftRows. A short state is at the end of its table.
    width = max(size, TABLE)
    blocks_from = [[width - size + place for place in block] for block in sources(family, degree)]
    windows = runs(blocks_from, width)
    index = windows[0][0] if len(windows) == 1 else None

    from_bytes = int.from_bytes  # big-endian by default, as to_bytes

    # MixColumns
    def columns(word: int) -> int:
        return from_bytes(word.to_bytes(4) * (size // 4))

    upper, last = columns(0xFFFFFF00), columns(0x000000FF)
    low7, low = columns(0x7F7F7F7F), columns(0x01010101)

    def run(x: int, blocks: Bytes, write: Write | None = None, decrypting: bool = False) -> int:
        for (block,) in iter_unpack(message_block, blocks):
            message = from_bytes(block)
            if write is not None:
                result = message ^ x >> add1 ^ x >> add2 ^ x >> and1 & x >> and2
                if add3:
                    result ^= x >> add3
                result &= mask
                write(result.to_bytes(rate))
                if decrypting:
                    message = result
            if index is not None:
                state = index.translate(x.to_bytes(width))
            else:
                state = x.to_bytes(width)
                state = b"".join([part.translate(state[window]) for part, window in windows])
            a = from_bytes(state.translate(SBOX))
            pair = a << 8 & upper ^ a >> 24 & last ^ a
            x ^= (
                (pair & low7) << 1
                ^ (pair >> 7 & low) * 0x1B
                ^ ((pair ^ pair >> 16) & last) * 0x01010101
                ^ a
                ^ message
            )
        return x

    return run


# ---- A variant ------------------------------------------------------------------------


class Variant:
    """The functions of the RFC, on a state that is an integer."""

    __slots__ = ("_context", "_degree", "_family", "_lanes", "_shifts", "rate", "run")

    def __init__(self, family: Family, degree: int) -> None:
        self._family = family
        self._degree = degree
        self._lanes = BLOCK * degree
        self.rate = self._lanes * family.message
        self.run = make_run(family, degree)
        self._shifts = [shift(family, degree, j) for j in range(len(family.order))]
        context = b"".join(bytes([lane, degree - 1]).ljust(BLOCK, b"\0") for lane in range(degree))
        self._context = sum(int.from_bytes(context) << self._shifts[j] for j in family.context)

    def _in_lanes(self, blocks: Blocks) -> bytes:
        """Joins blocks, each repeated for every lane."""
        return b"".join([block * self._degree for block in blocks])

    def init(self, key: bytes, nonce: bytes) -> int:
        first, messages, times = initial(self._family, key, nonce)
        x = int.from_bytes(self._in_lanes([first[j] for j in self._family.order]))
        steps = [self._in_lanes(message) for message in messages] * times
        if not self._context:  # a single lane: all at once
            steps = [b"".join(steps)]
        for step in steps:
            x = self.run(x ^ self._context, step)
        return x

    def keystream(self, x: int) -> bytes:
        """Returns the keystream for the next block of a message."""
        made: list[bytes] = []
        self.run(x, bytes(self.rate), made.append)
        return made[0]

    def _mix(self, x: int, first: int, second: int) -> int:
        """Does the seven updates of Finalize and FinalizeMac, with two numbers of 64 bits."""
        numbers = self._in_lanes([first.to_bytes(8, "little") + second.to_bytes(8, "little")])
        block = x >> self._shifts[self._family.lengths] & (1 << 8 * self._lanes) - 1
        block ^= int.from_bytes(numbers)
        return self.run(x, block.to_bytes(self._lanes) * self._family.message * 7)

    def _tag(self, x: int, tag_length: int, lanes: range) -> bytes:
        """Returns the sum of the tags of `lanes`."""
        groups = self._family.halves if tag_length == 2 * BLOCK else (self._family.whole,)
        tag = b""
        for group in groups:
            total = 0
            for j in group:
                total ^= x >> self._shifts[j]
            part = 0
            for lane in lanes:
                part ^= total >> 8 * BLOCK * (self._degree - 1 - lane)
            tag += (part & (1 << 8 * BLOCK) - 1).to_bytes(BLOCK)
        return tag

    def finalize(self, x: int, ad_size: int, size: int, tag_length: int) -> bytes:
        """Returns the tag. Sizes are in bytes."""
        return self._tag(self._mix(x, 8 * ad_size, 8 * size), tag_length, range(self._degree))

    def finalize_mac(self, x: int, size: int, tag_length: int) -> bytes:
        """Returns the tag of FinalizeMac. With one lane it is Finalize.

        With more lanes, the first one absorbs the tags of the lanes, and the tag is its own. The
        other lanes continue without effect.
        """
        x = self._mix(x, 8 * size, 8 * tag_length)
        if self._degree > 1:
            first = self._family.first_absorbed if tag_length == BLOCK else 1
            tags = b"".join(
                self._tag(x, tag_length, range(lane, lane + 1))
                for lane in range(first, self._degree)
            )
            blocks = [tags[i : i + BLOCK] for i in range(0, len(tags), BLOCK)]
            x = self.run(x, b"".join(block.ljust(self._lanes, b"\0") for block in blocks))
            x = self._mix(x, self._degree, 8 * tag_length)
        return self._tag(x, tag_length, range(1))


@cache
def variant(family: Family, degree: int) -> Variant:
    return Variant(family, degree)


# ---- A message ------------------------------------------------------------------------


class AEGISState:
    """A message in pieces of any size: associated data, then data in one direction, then the tag.
    The last block of each is padded with zeros.
    """

    __slots__ = ("_keystream", "_pending", "_tag_length", "_variant", "_x")

    def __init__(self, variant: Variant, key: bytes, nonce: bytes, tag_length: int) -> None:
        self._variant = variant
        self._tag_length = tag_length
        self._x = variant.init(key, nonce)
        # Bytes that the state has not absorbed yet, less than a block: associated data, or
        # plaintext together with the block's keystream.
        self._pending = b""
        self._keystream = b""

    def copy(self) -> Self:
        return copy(self)

    def absorb(self, data: Bytes) -> None:
        """Absorbs the next associated data."""
        view = memoryview(data)
        if self._pending:
            missing = self._variant.rate - len(self._pending)
            self._pending += view[:missing]
            view = view[missing:]
            if len(self._pending) < self._variant.rate:
                return
            self._complete()
        whole = len(view) - len(view) % self._variant.rate
        self._x = self._variant.run(self._x, view[:whole])
        self._pending = bytes(view[whole:])

    def encrypt(self, data: Bytes) -> bytes:
        """Returns the ciphertext of the next data: as many bytes."""
        return self._crypt(memoryview(data), False)

    def decrypt(self, data: Bytes) -> bytes:
        """Returns the plaintext of the next ciphertext: as many bytes, not authenticated."""
        return self._crypt(memoryview(data), True)

    def finalize(self, ad_size: int, size: int) -> bytes:
        """Returns the tag, given the bytes of associated data and of data."""
        self._complete()
        return self._variant.finalize(self._x, ad_size, size, self._tag_length)

    def finalize_mac(self, size: int) -> bytes:
        """Returns AEGISMAC's tag of `size` bytes of associated data."""
        self._complete()
        return self._variant.finalize_mac(self._x, size, self._tag_length)

    def _complete(self) -> None:
        """Absorbs the pending bytes, padded with zeros."""
        if self._pending:
            block = self._pending.ljust(self._variant.rate, b"\0")
            self._x = self._variant.run(self._x, block)
            self._pending = self._keystream = b""

    def _crypt(self, data: memoryview, decrypting: bool) -> bytes:
        rate = self._variant.rate
        if not self._keystream:
            self._complete()
        output = BytesIO()
        if self._pending:
            missing = rate - len(self._pending)
            output.write(self._crypt_part(data[:missing], decrypting))
            data = data[missing:]
        whole = len(data) - len(data) % rate
        self._x = self._variant.run(self._x, data[:whole], output.write, decrypting)
        if whole < len(data):
            self._keystream = self._variant.keystream(self._x)
            output.write(self._crypt_part(data[whole:], decrypting))
        return output.getvalue()

    def _crypt_part(self, data: memoryview, decrypting: bool) -> bytes:
        """Processes data within the current block."""
        given = bytes(data)
        made = xor(self._keystream[len(self._pending) :], given)
        self._pending += made if decrypting else given
        if len(self._pending) == self._variant.rate:
            self._complete()
        return made


class AEGISStream:
    """A message after its associated data."""

    __slots__ = ("_ad_size", "_crypt", "_size", "_state")

    def __init__(self, state: AEGISState, ad: Bytes, opening: bool) -> None:
        state.absorb(ad)
        self._state = state
        self._crypt = state.decrypt if opening else state.encrypt
        self._ad_size = len(ad)
        self._size = 0

    def crypt(self, data: Bytes) -> bytes:
        """Returns the next piece, of any size: as many bytes."""
        self._size += len(data)
        return self._crypt(data)

    def tag(self) -> bytes:
        """Ends the message and returns its tag."""
        return self._state.finalize(self._ad_size, self._size)


# ---- A key ----------------------------------------------------------------------------

# The family and degree of each variant, by the name of its public class.
VARIANTS = {
    "AEGIS128L": (AEGIS_128, 1),
    "AEGIS128X2": (AEGIS_128, 2),
    "AEGIS128X4": (AEGIS_128, 4),
    "AEGIS256": (AEGIS_256, 1),
    "AEGIS256X2": (AEGIS_256, 2),
    "AEGIS256X4": (AEGIS_256, 4),
}


class AEGISSealer:
    """A key of the variant of that name, with one tag length, 16 or 32.

    The caller checks the arguments: a key and a nonce have 16 bytes, or 32 if the name contains
    256.
    """

    __slots__ = ("_key", "_tag_length", "_variant")

    def __init__(self, name: str, key: bytes, tag_length: int) -> None:
        self._key = key
        self._tag_length = tag_length
        self._variant = variant(*VARIANTS[name])

    def start(self, nonce: bytes) -> AEGISState:
        return AEGISState(self._variant, self._key, nonce, self._tag_length)

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> AEGISStream:
        return AEGISStream(self.start(nonce), ad, opening)

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        stream = self.stream(nonce, ad, False)
        return stream.crypt(data), stream.tag()

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        stream = self.stream(nonce, ad, True)
        return stream.crypt(data), stream.tag()

    def keystream(self, nonce: bytes, size: int) -> bytes:
        """Returns Stream: the ciphertext of `size` zeros."""
        return self.start(nonce).encrypt(bytes(size))


class AEGISMACState:
    """AEGISMAC of one message in pieces of any size."""

    __slots__ = ("_size", "_state")

    def __init__(self, name: str, key: bytes, nonce: bytes, tag_length: int) -> None:
        self._state = AEGISState(variant(*VARIANTS[name]), key, nonce, tag_length)
        self._size = 0

    def update(self, data: Bytes) -> None:
        self._state.absorb(data)
        self._size += len(data)

    def finalize(self) -> bytes:
        """Returns the tag. No call may follow."""
        return self._state.finalize_mac(self._size)

    def copy(self) -> Self:
        other = copy(self)
        other._state = self._state.copy()
        return other
