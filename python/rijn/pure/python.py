"""AES in the standard library alone: for use where the native module does not load.

Several layouts of the state share one key schedule:

One block is a 128-bit big-endian integer. A round is 16 look-ups in tables of 256
such integers, one table for each byte position, XORed together (`round_tables`).

More blocks lie in planes of bytes (byteslice.py), more still (from Engine.ROWS_FROM) in 32
planes of one bit of a row (rows.py), and many (from Engine.BITS_FROM) in 128 planes of one
bit: bitslice.py, and bitghash.py for GHASH. These modules are imported when the first
message comes that is long enough.

No claim of constant time is made: table look-ups depend on the key and the data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from struct import iter_unpack
from typing import TYPE_CHECKING, Protocol

from .blocks import BLOCK, inc32, xor
from .modes.gcm import lengths
from .modes.raw import RawModes

if TYPE_CHECKING:
    from . import bitghash, bitslice, byteslice

# Blocks that go through the planes of bytes together: 8 KiB, for a processor's inner cache.
WIDE = 512
# Blocks that go through the planes of rows together, in messages of fewer than SOME_TO
# blocks: 28 KiB, whose planes of 900 bytes glibc's allocator keeps at hand. Those of the next
# larger sizes it does not, which costs a third of the speed.
SOME = 1792
SOME_TO = 3072
# Blocks that go through the bit planes together. Operations on integers cost least per
# byte when a plane is long, and yet all planes fit the cache: 1 MiB.
MANY = 65536
# Blocks from which a strict engine hashes on bit planes.
STRICT_HASH_FROM = 256
# Blocks under one hash key from which its tables are made, which cost as much as
# multiplying so many without them.
TABLES_FROM = 24

# Where byte p comes from in ShiftRows and in InvShiftRows (FIPS 197 sections 5.1.2 and
# 5.3.1): 5 * 13 = 1 modulo 16.
SHIFTED = [5 * p % BLOCK for p in range(BLOCK)]
INVERSE_SHIFTED = [13 * p % BLOCK for p in range(BLOCK)]

# The S-box maps this to 0.
TO_ZERO = 0x52

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
            [int.from_bytes(bytes(product(f, s) for f in factors)) for s in substitution]
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
        a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = state.to_bytes(16)
        state = (
            t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ t4[e] ^ t5[f] ^ t6[g] ^ t7[h]
            ^ t8[i] ^ t9[j] ^ t10[k] ^ t11[m] ^ t12[n] ^ t13[o] ^ t14[p] ^ t15[q] ^ round_key
        )  # fmt: skip
    return state


# ---- GHASH ----------------------------------------------------------------------------


def times_x(y: int) -> int:
    """y * x in GF(2^128), the most significant bit of an integer being bit 0 of the standard,
    the lowest power of x (SP 800-38D section 6.3)."""
    return y >> 1 ^ (y & 1) * (0xE1 << 120)


def hash_tables(h: int) -> RoundTables:
    """tables[i][b] = b * x^(8i) * H, where bit 7 of a byte is its lowest power of x."""
    tables = []
    for _ in range(BLOCK):
        table = [0] * 256
        bit = 0x80
        while bit:
            table[bit] = h
            h = times_x(h)
            bit >>= 1
        for bit in (2, 4, 8, 16, 32, 64, 128):
            high = table[bit]
            table[bit : 2 * bit] = [high ^ entry for entry in table[:bit]]
        tables.append(tuple(table))
    return tuple(tables)


def multiply(x: int, y: int) -> int:
    """x * y in GF(2^128), without a branch or an index by either."""
    z = 0
    for i in range(8 * BLOCK - 1, -1, -1):
        z ^= y & -(x >> i & 1)
        y = y >> 1 ^ (y & 1) * (0xE1 << 120)
    return z


# What the last four bits, x^124 to x^127, are when they are multiplied by x^4.
OVERFLOW = tuple(times_x(times_x(times_x(times_x(n)))) for n in range(16))


def nibble_table(h: int) -> dict[str, int]:
    """For each hexadecimal digit: the polynomial of its four bits, x^0 on top, times H."""
    table = {"0": 0}
    for i in range(4):
        table[f"{8 >> i:x}"] = h
        h = times_x(h)
    for n in range(1, 16):
        if n & n - 1:
            table[f"{n:x}"] = table[f"{n & n - 1:x}"] ^ table[f"{n & -n:x}"]
    return table


def multiply_by(table: dict[str, int], x: int) -> int:
    """x * H, with H's nibble_table: less work than `multiply` from the first product."""
    z = 0
    for digit in f"{x:032x}"[::-1]:
        z = z >> 4 ^ OVERFLOW[z & 15] ^ table[digit]
    return z


def whole_blocks(data: bytes | memoryview) -> bytes | memoryview:
    """Data, completed with zeros to whole blocks."""
    missing = -len(data) % BLOCK
    return bytes(data) + bytes(missing) if missing else data


def ghash(tables: RoundTables, y: int, blocks: bytes | memoryview) -> int:
    """GHASH of whole blocks from the state y."""
    t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15 = tables
    from_bytes = int.from_bytes
    for (block,) in iter_unpack("16s", blocks):
        a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = (y ^ from_bytes(block)).to_bytes(16)
        y = (
            t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ t4[e] ^ t5[f] ^ t6[g] ^ t7[h]
            ^ t8[i] ^ t9[j] ^ t10[k] ^ t11[m] ^ t12[n] ^ t13[o] ^ t14[p] ^ t15[q]
        )  # fmt: skip
    return y


# ---- A key ----------------------------------------------------------------------------


def substitute(word: bytes) -> bytes:
    return word.translate(substitutions()[0])


def expand(key: bytes, sub_word: Callable[[bytes], bytes] = substitute) -> list[bytes]:
    """The round keys (FIPS 197 section 5.2)."""
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
    nk = len(words)
    constant = 1
    for i in range(nk, 4 * (nk + 7)):
        word = words[-1]
        if i % nk == 0:
            word = sub_word(word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = double(constant)
        elif nk == 8 and i % nk == 4:
            word = sub_word(word)
        words.append(xor(word, words[-nk]))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


class Layout(Protocol):
    """AES with one key on some or many blocks, onto the end of an output."""

    def encrypt(self, blocks: bytes, output: BytesIO) -> None: ...

    def decrypt(self, blocks: bytes, output: BytesIO, onto: bytes = b"") -> None:
        """With `onto`, of the same length, the result is XORed with that."""

    def counter_mode(self, counter: int, bits: int, data: bytes, output: BytesIO) -> None:
        """Data XORed with the keystream from `counter`, whose low `bits` bits count and
        wrap."""


class Engine(RawModes):
    """AES with one key, in the modes of SP 800-38A and SP 800-38D.

    Arguments are checked by the caller: the key has 16, 24 or 32 bytes, ECB and
    CBC get whole blocks, an IV or counter has 16 bytes, and a nonce is not empty.

    A strict engine chooses no branch, no table's entry and no layout by the key, the data
    or what is made from them: all goes through circuits and masks, from the first block.
    That is not constant time: integers are as long as their values, and CPython adds a plane
    of zeros to another in less time than a plane of ones.
    """

    # Blocks from which planes of rows are faster than planes of bytes.
    ROWS_FROM = 1536
    # Blocks from which bit planes are faster than planes of rows.
    BITS_FROM = 20480
    # Blocks from which bit planes are the faster GHASH.
    HASH_FROM = 1536

    __slots__ = (
        "_bits",
        "_bytes",
        "_decryption",
        "_encryption",
        "_hash",
        "_hash_from",
        "_hash_key",
        "_hash_tables",
        "_hashed",
        "_keys",
        "_nibbles",
        "_rows",
        "_rows_from",
        "_short",
        "_strict",
    )

    def __init__(self, key: bytes, *, strict: bool = False) -> None:
        self._strict = strict
        self._rows_from = 1 if strict else self.ROWS_FROM
        self._hash_from = STRICT_HASH_FROM if strict else self.HASH_FROM
        if strict:
            from .bitslice import substitute as sub_word

            self._keys = expand(key, sub_word)
        else:
            self._keys = expand(key)
        first, *middle, last = [int.from_bytes(round_key) for round_key in self._keys]
        self._encryption = first, middle, last
        self._decryption: list[int] = []
        # Bytes that go through the planes of bytes in one call, if any do.
        self._short = BLOCK * min(WIDE, self._rows_from - 1) or -1
        self._bytes: byteslice.Cipher | None = None
        self._rows: Layout | None = None
        self._bits: bitslice.Cipher | None = None
        self._hash_key: int | None = None
        self._nibbles: dict[str, int] = {}
        self._hashed = 0  # blocks, until there are tables
        self._hash_tables: RoundTables = ()
        self._hash: bitghash.Hash | None = None

    # One block

    def encrypt_block(self, block: int) -> int:
        """One block, a big-endian integer of 128 bits (FIPS 197 section 5.1)."""
        if self._strict:
            output = BytesIO()
            self._some().encrypt(block.to_bytes(BLOCK), output)
            return int.from_bytes(output.getvalue())
        first, middle, last = self._encryption
        state = table_rounds(encryption_tables(), block ^ first, middle)
        shifted = shift_rows(state.to_bytes(BLOCK).translate(substitutions()[0]))
        return int.from_bytes(shifted) ^ last

    def decrypt_block(self, block: int) -> int:
        """One block, a big-endian integer of 128 bits, through the equivalent inverse
        cipher (FIPS 197 section 5.3.5)."""
        if self._strict:
            output = BytesIO()
            self._some().decrypt(block.to_bytes(BLOCK), output)
            return int.from_bytes(output.getvalue())
        keys = self._decryption_keys()
        state = table_rounds(decryption_tables(), block ^ keys[0], keys[1:-1])
        last = inverse_shift_rows(state.to_bytes(BLOCK)).translate(substitutions()[1])
        return int.from_bytes(last) ^ keys[-1]

    def _decryption_keys(self) -> list[int]:
        """Those of the equivalent inverse cipher."""
        if not self._decryption:
            sbox, tables = substitutions()[0], decryption_tables()
            # The tables undo SubBytes and ShiftRows first, so a round key that has gone
            # through both comes out of them as InvMixColumns of itself.
            middle = [
                table_rounds(tables, int.from_bytes(shift_rows(k.translate(sbox))), [0])
                for k in self._keys[-2:0:-1]
            ]
            self._decryption = [self._encryption[2], *middle, self._encryption[0]]
        return self._decryption

    # Many blocks

    def _few(self) -> byteslice.Cipher:
        """The planes of bytes, for at most WIDE blocks in a call."""
        if self._bytes is None:
            from .byteslice import Cipher

            self._bytes = Cipher(self._keys, self._decryption_keys)
        return self._bytes

    def _some(self) -> Layout:
        """The planes of rows."""
        if self._rows is None:
            from .rows import Cipher

            self._rows = Cipher(self._keys, self._strict)
        return self._rows

    def _many(self) -> bitslice.Cipher:
        """The bit planes."""
        if self._bits is None:
            from .bitslice import Cipher

            self._bits = Cipher(self._keys, self._strict)
        return self._bits

    def _pieces(self, data: bytes | memoryview) -> Iterator[tuple[bytes, Layout]]:
        """Cuts data so that each layout has the sizes at which it is fastest."""
        start = 0
        layout: Layout
        while (left := len(data) - start) > 0:
            if left < BLOCK * self._rows_from:
                step, layout = WIDE, self._few()
            elif left < BLOCK * self.BITS_FROM:
                step, layout = SOME if left < BLOCK * SOME_TO else self.BITS_FROM, self._some()
            else:
                step, layout = MANY, self._many()
            yield bytes(data[start : start + BLOCK * step]), layout
            start += BLOCK * step

    # Results are written to a BytesIO: unlike b"".join, it does not keep the parts.

    def ecb_encrypt(self, data: bytes | memoryview) -> bytes:
        if len(data) <= self._short:
            if len(data) == BLOCK:
                return self.encrypt_block(int.from_bytes(data)).to_bytes(BLOCK)
            return self._few().encrypted(data)
        output = BytesIO()
        for piece, layout in self._pieces(data):
            layout.encrypt(piece, output)
        return output.getvalue()

    def ecb_decrypt(self, data: bytes | memoryview) -> bytes:
        if len(data) <= self._short:
            if len(data) == BLOCK:
                return self.decrypt_block(int.from_bytes(data)).to_bytes(BLOCK)
            return self._few().decrypted(data)
        output = BytesIO()
        for piece, layout in self._pieces(data):
            layout.decrypt(piece, output)
        return output.getvalue()

    def cbc_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes:
        ciphertext = bytearray()
        previous = int.from_bytes(iv)
        for (block,) in iter_unpack("16s", data):
            previous = self.encrypt_block(int.from_bytes(block) ^ previous)
            ciphertext += previous.to_bytes(BLOCK)
        return bytes(ciphertext)

    def cbc_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes:
        if len(data) <= self._short:
            if len(data) == BLOCK:
                return xor(self.decrypt_block(int.from_bytes(data)).to_bytes(BLOCK), iv)
            return self._few().decrypted(data, (iv + data)[: len(data)])
        output = BytesIO()
        for piece, layout in self._pieces(data):
            layout.decrypt(piece, output, iv + piece[:-BLOCK])
            iv = piece[-BLOCK:]
        return output.getvalue()

    def _counter_mode(self, counter: int, data: bytes | memoryview, bits: int) -> bytes:
        if len(data) <= self._short:
            if 0 < (size := len(data)) <= BLOCK:
                stream = self.encrypt_block(counter) >> 8 * (BLOCK - size)
                return (stream ^ int.from_bytes(data)).to_bytes(size)
            return self._few().keystream(counter, bits, data)
        output = BytesIO()
        wrap = (1 << bits) - 1
        for piece, layout in self._pieces(data):
            layout.counter_mode(counter, bits, piece, output)
            counter = counter & ~wrap | (counter + len(piece) // BLOCK) & wrap
        return output.getvalue()

    def ctr(self, counter: bytes, data: bytes | memoryview) -> bytes:
        return self._counter_mode(int.from_bytes(counter), data, 128)

    # GCM (SP 800-38D section 7)

    def ghash(self, y: int, data: bytes | memoryview) -> int:
        """GHASH of data, completed with zeros to whole blocks, from the state y."""
        start = 0
        while (left := len(data) - start) >= BLOCK * self._hash_from:
            size = BLOCK * min(left // (8 * BLOCK) * 8, MANY)
            y = self._plane_hash().update(y, bytes(data[start : start + size]))
            start += size
        return self._ghash_blocks(y, whole_blocks(data[start:]))

    def _plane_hash(self) -> bitghash.Hash:
        if self._hash is None:
            from .bitghash import Hash, StrictHash

            h = self._hash_subkey()
            self._hash = StrictHash(h) if self._strict else Hash(h, self._tables())
        return self._hash

    def _ghash_blocks(self, y: int, blocks: bytes | memoryview) -> int:
        """GHASH of whole blocks from the state y."""
        if self._strict:
            for (block,) in iter_unpack("16s", blocks):
                y = multiply(y ^ int.from_bytes(block), self._hash_subkey())
            return y
        if not self._hash_tables:
            self._hashed += len(blocks) // BLOCK
            if self._hashed < TABLES_FROM:
                if not self._nibbles:
                    self._nibbles = nibble_table(self._hash_subkey())
                for (block,) in iter_unpack("16s", blocks):
                    y = multiply_by(self._nibbles, y ^ int.from_bytes(block))
                return y
        return ghash(self._tables(), y, blocks)

    def _hash_subkey(self) -> int:
        if self._hash_key is None:
            self._hash_key = self.encrypt_block(0)
        return self._hash_key

    def _tables(self) -> RoundTables:
        if not self._hash_tables:
            self._hash_tables = hash_tables(self._hash_subkey())
        return self._hash_tables

    def gcm_piece(
        self, counter: int, y: int, data: bytes | memoryview, decrypting: bool
    ) -> tuple[bytes, int]:
        """Data XORed with the keystream from `counter`; and `ghash` of the ciphertext, from
        the state y."""
        output, start = BytesIO(), 0
        # The bit planes of whole groups are encrypted and hashed.
        while (left := len(data) - start) >= BLOCK * max(self.BITS_FROM, 8):
            size = BLOCK * min(left // (8 * BLOCK) * 8, MANY)
            piece = bytes(data[start : start + size])
            y = self._many().gcm(counter, piece, output, decrypting, self._plane_hash(), y)
            counter = inc32(counter, size // BLOCK)
            start += size
        rest = self._counter_mode(counter, data[start:], 32)
        y = self.ghash(y, data[start:] if decrypting else rest)
        if start == 0:
            return rest, y
        output.write(rest)
        return output.getvalue(), y

    def gcm(
        self, j0: int, data: bytes | memoryview, ad: bytes | memoryview, decrypting: bool
    ) -> tuple[bytes, bytes]:
        """The result and the tag. What is short goes through each layout once: the block for
        the tag with the data, and the associated data with the ciphertext."""
        if not 0 < len(data) <= self._short - BLOCK:
            return super().gcm(j0, data, ad, decrypting)
        stream = self._few().keystream(j0, 32, bytes(BLOCK) + data)
        result = stream[BLOCK:]
        ciphertext = data if decrypting else result
        last = lengths(len(ad), len(data))
        if len(ad) + len(data) < BLOCK * self._hash_from:
            y = self._ghash_blocks(0, b"".join((whole_blocks(ad), whole_blocks(ciphertext), last)))
        else:
            y = self.ghash(self.ghash(self.ghash(0, ad), ciphertext), last)
        return result, (y ^ int.from_bytes(stream[:BLOCK])).to_bytes(BLOCK)


class TableEngine(Engine):
    """Tables and planes of bytes at every length: the rung `python-table`."""

    ROWS_FROM = BITS_FROM = HASH_FROM = sys.maxsize

    __slots__ = ()


class BitsliceEngine(Engine):
    """Bit planes at every length, where blocks are independent: the rung
    `python-bitslice`."""

    ROWS_FROM = BITS_FROM = 1
    HASH_FROM = 8

    __slots__ = ()


class StrictEngine(Engine):
    """A strict one: `python` with strict=True."""

    __slots__ = ()

    def __init__(self, key: bytes) -> None:
        super().__init__(key, strict=True)
