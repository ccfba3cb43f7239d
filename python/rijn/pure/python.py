"""AES in the standard library alone: for use where the native module does not load.

Three layouts of the state share one key schedule:

One block is a 128-bit big-endian integer. A round is 16 look-ups in tables of 256
such integers, one table for each byte position, XORed together (`round_tables`).

Some blocks (from WIDE_FROM) lie in 16 planes: plane p holds byte p of every block.
The planes stand row by row, row r of FIPS 197's state being planes r, r+4, r+8, r+12:

      row 0            row 1            row 2             row 3
    | 0  4  8 12     | 1  5  9 13     | 2  6 10 14      | 3  7 11 15 |   n bytes each
      most significant byte                               least significant byte

Then SubBytes is one bytes.translate, ShiftRows is seven slices, and MixColumns is
a few operations on one integer of 16n bytes, in which rows are rotated by shifts.

Many blocks (from Engine.BITS_FROM) lie in 128 planes of one bit: bitslice.py, and
bitghash.py for GHASH, which are imported when the first of them come.

No claim of constant time is made: table look-ups depend on the key and the data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from .blocks import BLOCK, xor
from .modes.raw import RawModes

if TYPE_CHECKING:
    from . import bitghash, bitslice

# Blocks from which planes are faster than one block after the other.
WIDE_FROM = 4
# Blocks that go through the planes together: 8 KiB, for a processor's inner cache.
WIDE = 512
# Blocks that go through the bit planes together. Operations on integers cost least per
# byte when a plane is long, and yet all planes fit the cache: 1 MiB. In shorter messages
# integers of at most 512 bytes, which CPython allocates from its own pools, are faster
# than the next larger ones: 56 KiB, up to MANY_FROM.
MANY = 65536
MANY_FROM = 10240
FEW = 3584
# Blocks, summed over message sizes, for which an engine keeps its round keys in planes:
# at most 15 * 16 * KEPT bytes, about 1 MB.
KEPT = 4096

# Plane p stands at place PLANES.index(p).
PLANES = tuple(row + 4 * column for row in range(4) for column in range(4))

# The last bytes of consecutive counter blocks, from any start.
LOW_BYTES = bytes(range(256)) * (WIDE // 256 + 1)

# First rows of the matrices of MixColumns and InvMixColumns (FIPS 197 sections 5.1.3
# and 5.3.3); each further row is the one above it rotated to the right.
MIX = (0x02, 0x03, 0x01, 0x01)
INVERSE_MIX = (0x0E, 0x0B, 0x0D, 0x09)

RoundTables = tuple[tuple[int, ...], ...]


# ---- Tables, made at the first key ----------------------------------------------------


def double(b: int) -> int:
    """b * x in GF(2^8)."""
    return b << 1 ^ (b >> 7) * 0x11B


@cache
def substitutions() -> tuple[bytes, bytes]:
    """The S-box and its inverse (FIPS 197 section 5.1.1)."""
    powers = [1]  # of x + 1, which generates the multiplicative group: powers[255] would be 1
    for _ in range(254):
        powers.append(powers[-1] ^ double(powers[-1]))
    sbox = bytearray(256)
    sbox[0] = 0x63
    for i, b in enumerate(powers):
        twice = powers[-i] * 0x0101  # the inverse of b, twice: shifted right, it rotates
        sbox[b] = (twice ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^ twice >> 7 ^ 0x63) & 0xFF
    inverse = bytearray(256)
    for b, image in enumerate(sbox):
        inverse[image] = b
    return bytes(sbox), bytes(inverse)


def product(factor: int, b: int) -> int:
    """factor * b in GF(2^8), for a factor of four bits."""
    total = 0
    for _ in range(4):
        if factor & 1:
            total ^= b
        factor >>= 1
        b = double(b)
    return total


def round_tables(substitution: bytes, matrix: tuple[int, ...], direction: int) -> RoundTables:
    """tables[p][b] is what byte b at position p becomes in a round: substituted, moved
    by `direction` times its row, and spread over its new column by the matrix."""
    tables = []
    columns = []  # columns[row][b]: the bytes of the new column, row 0 on top
    for row in range(4):
        factors = [matrix[(row - i) % 4] for i in range(4)]
        columns.append(
            [int.from_bytes(bytes(product(f, s) for f in factors), "big") for s in substitution]
        )
    for position in range(BLOCK):
        column, row = divmod(position, 4)
        shift = 32 * (3 - (column - direction * row) % 4)
        tables.append(tuple(word << shift for word in columns[row]))
    return tuple(tables)


@cache
def encryption_tables() -> RoundTables:
    return round_tables(substitutions()[0], MIX, 1)


@cache
def decryption_tables() -> RoundTables:
    return round_tables(substitutions()[1], INVERSE_MIX, -1)


# ---- One block ------------------------------------------------------------------------


def shift_rows(block: bytes) -> bytes:
    """Byte i comes from byte 5i mod 16."""
    return (block * 5)[::5]


def inverse_shift_rows(block: bytes) -> bytes:
    """Byte i comes from byte 13i mod 16: 5 * 13 = 1 modulo 16."""
    return (block * 13)[::13]


def table_rounds(tables: RoundTables, state: int, round_keys: list[int]) -> int:
    """One round of the tables, then XOR, for each round key."""
    t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15 = tables
    for round_key in round_keys:
        a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = state.to_bytes(16, "big")
        state = (
            t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ t4[e] ^ t5[f] ^ t6[g] ^ t7[h]
            ^ t8[i] ^ t9[j] ^ t10[k] ^ t11[m] ^ t12[n] ^ t13[o] ^ t14[p] ^ t15[q] ^ round_key
        )  # fmt: skip
    return state


def each_block(cipher: Callable[[int], int], blocks: bytes | bytearray) -> bytes:
    return b"".join(
        cipher(int.from_bytes(blocks[i : i + BLOCK], "big")).to_bytes(BLOCK, "big")
        for i in range(0, len(blocks), BLOCK)
    )


# ---- Many blocks ----------------------------------------------------------------------


def to_planes(blocks: bytes | bytearray) -> bytes:
    return b"".join([blocks[p::BLOCK] for p in PLANES])


def from_planes(planes: bytes) -> bytearray:
    n = len(planes) // BLOCK
    blocks = bytearray(len(planes))
    for place, p in enumerate(PLANES):
        blocks[p::BLOCK] = planes[place * n : place * n + n]
    return blocks


def shift_plane_rows(s: bytes, n: int) -> bytes:
    """ShiftRows: row r is rotated to the left by r planes of n bytes."""
    return b"".join(
        (s[: 4 * n],
         s[5 * n : 8 * n], s[4 * n : 5 * n],
         s[10 * n : 12 * n], s[8 * n : 10 * n],
         s[15 * n :], s[12 * n : 15 * n])
    )  # fmt: skip


def inverse_shift_plane_rows(s: bytes, n: int) -> bytes:
    """InvShiftRows: row r is rotated to the right by r planes of n bytes."""
    return b"".join(
        (s[: 4 * n],
         s[7 * n : 8 * n], s[4 * n : 7 * n],
         s[10 * n : 12 * n], s[8 * n : 10 * n],
         s[13 * n :], s[12 * n : 13 * n])
    )  # fmt: skip


@lru_cache(maxsize=128)
def plane_masks(n: int) -> tuple[int, int, int]:
    """Over 16n bytes: every bit; bit 0 of every byte; all bits but 7 of every byte."""
    low = int.from_bytes(b"\x01" * (BLOCK * n), "big")
    return low * 0xFF, low, low * 0x7F


def mix_columns(a: int, n: int) -> int:
    """MixColumns: row r becomes 2(a_r + a_r+1) + a_r+1 + (a_r+2 + a_r+3), indices
    modulo 4. A rotation by one row brings row r+1 to the place of row r."""
    every, low, low7 = plane_masks(n)
    row = 32 * n
    next_row = a << row & every | a >> 3 * row
    pair = a ^ next_row
    doubled = (pair & low7) << 1 ^ (pair >> 7 & low) * 0x1B
    return doubled ^ next_row ^ (pair << 2 * row & every | pair >> 2 * row)


def inverse_mix_columns(a: int, n: int) -> int:
    """InvMixColumns: its matrix is MixColumns's times the matrix that adds
    4(a_r + a_r+2) to row r."""
    every, low, low7 = plane_masks(n)
    two_rows = 64 * n
    pair = a ^ (a << two_rows & every | a >> two_rows)
    for _ in range(2):
        pair = (pair & low7) << 1 ^ (pair >> 7 & low) * 0x1B
    return mix_columns(a ^ pair, n)


def counter_blocks(counter: int, n: int, bits: int) -> bytearray:
    """n <= WIDE counter blocks from `counter`, whose low `bits` bits count and wrap."""
    wrap = (1 << bits) - 1
    start = counter & 0xFF
    blocks = bytearray()
    while n > 0:
        # Blocks that differ in their last byte only; that byte is written below.
        run = min(n, 256 - (counter & 0xFF))
        blocks += counter.to_bytes(BLOCK, "big") * run
        counter = counter & ~wrap | (counter + run) & wrap
        n -= run
    blocks[15::BLOCK] = LOW_BYTES[start : start + len(blocks) // BLOCK]
    return blocks


# ---- GHASH ----------------------------------------------------------------------------


def hash_tables(h: int) -> RoundTables:
    """tables[i][b] = b * x^(8i) * H in GF(2^128), where bit 7 of a byte is the lowest
    power of x (SP 800-38D section 6.3): multiplying by x shifts to the right."""
    tables = []
    for _ in range(BLOCK):
        table = [0] * 256
        bit = 0x80
        while bit:
            table[bit] = h
            h = h >> 1 ^ (h & 1) * (0xE1 << 120)
            bit >>= 1
        for bit in (2, 4, 8, 16, 32, 64, 128):
            high = table[bit]
            table[bit : 2 * bit] = [high ^ entry for entry in table[:bit]]
        tables.append(tuple(table))
    return tuple(tables)


def ghash(tables: RoundTables, y: int, data: bytes | memoryview) -> int:
    """GHASH of data, completed with zeros to whole blocks, from the state y."""
    t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15 = tables
    for start in range(0, len(data), BLOCK):
        block = int.from_bytes(data[start : start + BLOCK], "big")
        if start + BLOCK > len(data):
            block <<= 8 * (start + BLOCK - len(data))
        a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = (y ^ block).to_bytes(16, "big")
        y = (
            t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ t4[e] ^ t5[f] ^ t6[g] ^ t7[h]
            ^ t8[i] ^ t9[j] ^ t10[k] ^ t11[m] ^ t12[n] ^ t13[o] ^ t14[p] ^ t15[q]
        )  # fmt: skip
    return y


# ---- A key ----------------------------------------------------------------------------


def expand(key: bytes) -> list[bytes]:
    """The round keys (FIPS 197 section 5.2)."""
    sbox = substitutions()[0]
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
    nk = len(words)
    constant = 1
    for i in range(nk, 4 * (nk + 7)):
        word = words[-1]
        if i % nk == 0:
            word = (word[1:] + word[:1]).translate(sbox)
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = double(constant)
        elif nk == 8 and i % nk == 4:
            word = word.translate(sbox)
        words.append(xor(word, words[-nk]))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


class Engine(RawModes):
    """AES with one key, in the modes of SP 800-38A and SP 800-38D.

    Arguments are checked by the caller: the key has 16, 24 or 32 bytes, ECB and
    CBC get whole blocks, an IV or counter has 16 bytes, and a nonce is not empty.
    """

    # Blocks from which bit planes are faster than planes of bytes.
    BITS_FROM = 2560
    # Blocks from which bit planes are the faster GHASH.
    HASH_FROM = 1536

    __slots__ = (
        "_bits",
        "_decryption",
        "_encryption",
        "_hash",
        "_hash_tables",
        "_keys",
        "_plane_keys",
    )

    def __init__(self, key: bytes) -> None:
        self._keys = expand(key)
        self._encryption = [int.from_bytes(round_key, "big") for round_key in self._keys]
        self._decryption: list[int] = []
        self._hash_tables: RoundTables = ()
        self._plane_keys: dict[int, list[int]] = {}
        self._bits: bitslice.Cipher | None = None
        self._hash: bitghash.Hash | None = None

    # One block

    def encrypt_block(self, block: int) -> int:
        """One block, a big-endian integer of 128 bits (FIPS 197 section 5.1)."""
        keys = self._encryption
        state = table_rounds(encryption_tables(), block ^ keys[0], keys[1:-1])
        last = shift_rows(state.to_bytes(BLOCK, "big").translate(substitutions()[0]))
        return int.from_bytes(last, "big") ^ keys[-1]

    def decrypt_block(self, block: int) -> int:
        """One block, a big-endian integer of 128 bits, through the equivalent inverse
        cipher (FIPS 197 section 5.3.5)."""
        tables = decryption_tables()
        if not self._decryption:
            sbox = substitutions()[0]
            # The tables undo SubBytes and ShiftRows first, so a round key that has gone
            # through both comes out of them as InvMixColumns of itself.
            middle = [
                table_rounds(tables, int.from_bytes(shift_rows(k.translate(sbox)), "big"), [0])
                for k in self._keys[-2:0:-1]
            ]
            self._decryption = [self._encryption[-1], *middle, self._encryption[0]]
        keys = self._decryption
        state = table_rounds(tables, block ^ keys[0], keys[1:-1])
        last = inverse_shift_rows(state.to_bytes(BLOCK, "big")).translate(substitutions()[1])
        return int.from_bytes(last, "big") ^ keys[-1]

    # Many blocks

    def _keys_for(self, n: int) -> list[int]:
        """Each round key as n equal blocks in planes."""
        keys = self._plane_keys.get(n)
        if keys is None:
            keys = [
                int.from_bytes(b"".join([k[p : p + 1] * n for p in PLANES]), "big")
                for k in self._keys
            ]
            if sum(self._plane_keys) + n > KEPT:
                self._plane_keys.clear()
            self._plane_keys[n] = keys
        return keys

    def _encrypt_planes(self, blocks: bytes | bytearray) -> bytearray:
        size = len(blocks)
        n = size // BLOCK
        sbox = substitutions()[0]
        keys = self._keys_for(n)
        state = int.from_bytes(to_planes(blocks), "big") ^ keys[0]
        for round_key in keys[1:-1]:
            planes = shift_plane_rows(state.to_bytes(size, "big").translate(sbox), n)
            state = mix_columns(int.from_bytes(planes, "big"), n) ^ round_key
        planes = shift_plane_rows(state.to_bytes(size, "big").translate(sbox), n)
        state = int.from_bytes(planes, "big") ^ keys[-1]
        return from_planes(state.to_bytes(size, "big"))

    def _decrypt_planes(self, blocks: bytes) -> bytearray:
        size = len(blocks)
        n = size // BLOCK
        inverse_sbox = substitutions()[1]
        keys = self._keys_for(n)
        state = int.from_bytes(to_planes(blocks), "big") ^ keys[-1]
        for round_key in keys[-2:0:-1]:
            planes = inverse_shift_plane_rows(state.to_bytes(size, "big"), n)
            state = int.from_bytes(planes.translate(inverse_sbox), "big") ^ round_key
            state = inverse_mix_columns(state, n)
        planes = inverse_shift_plane_rows(state.to_bytes(size, "big"), n)
        state = int.from_bytes(planes.translate(inverse_sbox), "big") ^ keys[0]
        return from_planes(state.to_bytes(size, "big"))

    # Modes

    def _pieces(self, data: bytes | memoryview) -> Iterator[bytes]:
        """Cuts data so that each layout has the sizes at which it is fastest."""
        start = 0
        while (left := len(data) - start) > 0:
            if left < BLOCK * self.BITS_FROM:
                step = WIDE
            else:
                step = MANY if left >= BLOCK * MANY_FROM else FEW
            yield bytes(data[start : start + BLOCK * step])
            start += BLOCK * step

    def _many(self, piece: bytes) -> bitslice.Cipher | None:
        """The bit planes, if they are the faster way for a piece of this length."""
        if len(piece) < BLOCK * self.BITS_FROM:
            return None
        if self._bits is None:
            from .bitslice import Cipher

            self._bits = Cipher(self._keys)
        return self._bits

    def _encrypt_piece(self, blocks: bytes | bytearray) -> bytes | bytearray:
        if len(blocks) >= BLOCK * WIDE_FROM:
            return self._encrypt_planes(blocks)
        return each_block(self.encrypt_block, blocks)

    def _decrypt_piece(self, blocks: bytes) -> bytes | bytearray:
        if len(blocks) >= BLOCK * WIDE_FROM:
            return self._decrypt_planes(blocks)
        return each_block(self.decrypt_block, blocks)

    # Results are written to a BytesIO: unlike b"".join, it does not keep the parts.

    def ecb_encrypt(self, data: bytes | memoryview) -> bytes:
        output = BytesIO()
        for piece in self._pieces(data):
            if many := self._many(piece):
                many.encrypt(piece, output)
            else:
                output.write(self._encrypt_piece(piece))
        return output.getvalue()

    def ecb_decrypt(self, data: bytes | memoryview) -> bytes:
        output = BytesIO()
        for piece in self._pieces(data):
            if many := self._many(piece):
                many.decrypt(piece, output)
            else:
                output.write(self._decrypt_piece(piece))
        return output.getvalue()

    def cbc_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes:
        ciphertext = bytearray()
        previous = int.from_bytes(iv, "big")
        for i in range(0, len(data), BLOCK):
            block = int.from_bytes(data[i : i + BLOCK], "big")
            previous = self.encrypt_block(block ^ previous)
            ciphertext += previous.to_bytes(BLOCK, "big")
        return bytes(ciphertext)

    def cbc_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes:
        output = BytesIO()
        for piece in self._pieces(data):
            if many := self._many(piece):
                many.decrypt(piece, output, iv + piece[:-BLOCK])
            else:
                output.write(xor(iv + piece, self._decrypt_piece(piece)))
            iv = piece[-BLOCK:]
        return output.getvalue()

    def _counter_mode(self, counter: int, data: bytes | memoryview, bits: int) -> bytes:
        output = BytesIO()
        wrap = (1 << bits) - 1
        for piece in self._pieces(data):
            n = (len(piece) + BLOCK - 1) // BLOCK
            if many := self._many(piece):
                many.counter_mode(counter, bits, piece, output)
            else:
                output.write(xor(self._encrypt_piece(counter_blocks(counter, n, bits)), piece))
            counter = counter & ~wrap | (counter + n) & wrap
        return output.getvalue()

    def ctr(self, counter: bytes, data: bytes | memoryview) -> bytes:
        return self._counter_mode(int.from_bytes(counter, "big"), data, 128)

    # GCM (SP 800-38D section 7)

    def _ghash(self, *parts: bytes | memoryview) -> int:
        """GHASH of the parts, each completed with zeros to whole blocks."""
        if not self._hash_tables:
            self._hash_tables = hash_tables(self.encrypt_block(0))
        y = 0
        for part in parts:
            start = 0
            while (left := len(part) - start) >= BLOCK * self.HASH_FROM:
                if self._hash is None:
                    from .bitghash import Hash

                    self._hash = Hash(self._hash_tables)
                size = BLOCK * min(left // (8 * BLOCK) * 8, MANY)
                y = self._hash.update(y, bytes(part[start : start + size]))
                start += size
            y = ghash(self._hash_tables, y, part[start:])
        return y

    def _first_counter(self, nonce: bytes | memoryview) -> int:
        """J0 of the standard."""
        if len(nonce) == 12:
            return int.from_bytes(nonce, "big") << 32 | 1
        return self._ghash(nonce, (8 * len(nonce)).to_bytes(BLOCK, "big"))

    def _gcm_crypt(self, j0: int, data: bytes | memoryview) -> bytes:
        wrap = 0xFFFF_FFFF
        return self._counter_mode(j0 & ~wrap | (j0 + 1) & wrap, data, 32)

    def _tag(self, j0: int, ciphertext: bytes | memoryview, ad: bytes | memoryview) -> bytes:
        lengths = (8 * len(ad) << 64 | 8 * len(ciphertext)).to_bytes(BLOCK, "big")
        tag = self._ghash(ad, ciphertext, lengths) ^ self.encrypt_block(j0)
        return tag.to_bytes(BLOCK, "big")

    def gcm_encrypt(
        self, nonce: bytes | memoryview, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The ciphertext and the whole tag."""
        j0 = self._first_counter(nonce)
        ciphertext = self._gcm_crypt(j0, data)
        return ciphertext, self._tag(j0, ciphertext, ad)

    def gcm_decrypt(
        self, nonce: bytes | memoryview, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The plaintext, and the tag that the ciphertext should have had: the caller
        compares, and keeps the plaintext to itself until it has."""
        j0 = self._first_counter(nonce)
        return self._gcm_crypt(j0, data), self._tag(j0, data, ad)


class TableEngine(Engine):
    """Tables and planes of bytes at every length: the rung `python-table`."""

    BITS_FROM = HASH_FROM = sys.maxsize

    __slots__ = ()


class BitsliceEngine(Engine):
    """Bit planes at every length, where blocks are independent: the rung
    `python-bitslice`."""

    BITS_FROM = 1
    HASH_FROM = 8

    __slots__ = ()
