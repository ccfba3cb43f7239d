"""The engines of `python` and of its halves: AES with one key, using only the standard library, for
use if the native module does not load.

Several layouts of the state share one key schedule. One block uses tables (tables.py). More blocks
use planes of bytes (byteslice.py), then 32 planes with one bit of a row (row_planes.py, from
PythonEngine.ROWS_FROM), and then 128 planes of one bit (bitslice.py, from PythonEngine.BITS_FROM).
A module is imported for the first message that is long enough. GHASH is in ghash.py.

No claim of constant time is made: table look-ups depend on the key and the data.
"""

from __future__ import annotations

import sys
from io import BytesIO
from struct import iter_unpack
from typing import TYPE_CHECKING

from .blocks import BLOCK, Bytes, chunks, xor, zero_padded
from .fields import INVERSE_SBOX, SBOX
from .ghash import MaskHash, TableHash, lengths
from .modes.raw import RawModes
from .tables import (
    decryption_tables,
    encryption_tables,
    expand,
    table_rounds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import bitslice, byteslice, row_planes
    from .contract import Layout

# Blocks on the planes of bytes in one call: 24 KiB.
WIDE = 1536
# Blocks on the planes of rows in one call, in messages of fewer than SOME_TO blocks: 28 KiB.
# glibc's allocator caches these planes of 900 bytes. It does not cache the next larger ones, and
# that would cost a third of the speed.
SOME = 1792
SOME_TO = 3072
# Blocks on the bit planes in one call: 1 MiB. Operations on long integers cost the least per byte,
# but all planes must fit into the cache.
MANY = 65536


class PythonEngine(RawModes):
    """The backend `python`: see contract.Engine.

    In a strict engine, no branch, table index or layout depends on the key, the data or values
    derived from them: everything uses circuits and masks, from the first block. That is not
    constant time: integers are as long as their values, and CPython adds a plane of zeros faster
    than a plane of ones.
    """

    # Blocks from which planes of rows are faster than planes of bytes.
    ROWS_FROM = 1536
    # Blocks from which bit planes are faster than planes of rows.
    BITS_FROM = 20480
    # Blocks from which GHASH is faster in lanes: without tables of H, and with them.
    HASH_FROM = 24, 64

    __slots__ = (
        "_bits",
        "_bytes",
        "_decryption",
        "_encryption",
        "_hash",
        "_keys",
        "_rows",
        "_rows_from",
        "_short",
        "_strict",
    )

    def __init__(self, key: bytes, *, strict: bool = False) -> None:
        self._strict = strict
        self._rows_from = 1 if strict else self.ROWS_FROM
        if strict:
            from .bitslice import substitute_by_circuit

            self._keys = expand(key, substitute_by_circuit)
        else:
            self._keys = expand(key)
        first, *middle, last = [int.from_bytes(round_key) for round_key in self._keys]
        self._encryption = first, middle, last
        self._decryption: tuple[int, list[int], int] | None = None
        # Bytes on the planes of bytes in one call; -1 if they are not used.
        self._short = BLOCK * min(WIDE, self._rows_from - 1) or -1
        self._bytes: byteslice.BytePlanes | None = None
        self._rows: row_planes.RowPlanes | None = None
        self._bits: bitslice.BitPlanes | None = None
        self._hash: TableHash | MaskHash | None = None

    # One block

    def encrypt_block(self, block: int) -> int:
        """Encrypts one block, a big-endian integer of 128 bits (FIPS 197 section 5.1)."""
        if self._strict:
            output = BytesIO()
            self._some().encrypt(block.to_bytes(BLOCK), output)
            return int.from_bytes(output.getvalue())
        first, middle, last = self._encryption
        (state,) = table_rounds(encryption_tables(), (block ^ first,), middle)
        shifted = (state.to_bytes(BLOCK).translate(SBOX) * 5)[::5]  # ShiftRows
        return int.from_bytes(shifted) ^ last

    def decrypt_block(self, block: int) -> int:
        """Decrypts one block, a big-endian integer of 128 bits, with the equivalent inverse cipher
        (FIPS 197 section 5.3.5).
        """
        if self._strict:
            output = BytesIO()
            self._some().decrypt(block.to_bytes(BLOCK), output)
            return int.from_bytes(output.getvalue())
        first, middle, last = self._decryption or self._decryption_keys()
        (state,) = table_rounds(decryption_tables(), (block ^ first,), middle)
        shifted = (state.to_bytes(BLOCK).translate(INVERSE_SBOX) * 13)[::13]
        return int.from_bytes(shifted) ^ last

    def _decryption_keys(self) -> tuple[int, list[int], int]:
        """Returns the round keys of the equivalent inverse cipher."""
        if self._decryption is None:
            tables = decryption_tables()
            # The tables undo SubBytes and ShiftRows first. So for a round key after both, they
            # return InvMixColumns of the round key.
            middle = [
                int.from_bytes((round_key.translate(SBOX) * 5)[::5])
                for round_key in self._keys[-2:0:-1]
            ]
            middle = table_rounds(tables, middle, [0])
            self._decryption = self._encryption[2], middle, self._encryption[0]
        return self._decryption

    # Many blocks

    def _few(self) -> byteslice.BytePlanes:
        """Makes the planes of bytes at the first use, for at most WIDE blocks in a call."""
        from .byteslice import BytePlanes

        self._bytes = BytePlanes(self._keys, self._decryption_keys)
        return self._bytes

    def _some(self) -> row_planes.RowPlanes:
        """Returns the planes of rows."""
        if self._rows is None:
            from .row_planes import RowPlanes

            self._rows = RowPlanes(self._keys, self._strict)
        return self._rows

    def _many(self) -> bitslice.BitPlanes:
        """Returns the bit planes."""
        if self._bits is None:
            from .bitslice import BitPlanes

            self._bits = BitPlanes(self._keys, self._strict)
        return self._bits

    def _pieces(self, data: Bytes) -> Iterator[tuple[bytes, Layout]]:
        """Splits data so that each layout has the sizes at which it is fastest."""
        start = 0
        layout: Layout
        while (left := len(data) - start) > 0:
            if left < BLOCK * self._rows_from:
                step, layout = WIDE, self._bytes or self._few()
            elif left < BLOCK * self.BITS_FROM:
                step, layout = SOME if left < BLOCK * SOME_TO else self.BITS_FROM, self._some()
            else:
                step, layout = MANY, self._many()
            yield bytes(data[start : start + BLOCK * step]), layout
            start += BLOCK * step

    # Results go to a BytesIO, because unlike b"".join it does not keep the parts.

    def ecb_encrypt(self, data: Bytes) -> bytes:
        if len(data) <= self._short:
            if len(data) == BLOCK:
                return self.encrypt_block(int.from_bytes(data)).to_bytes(BLOCK)
            return (self._bytes or self._few()).encrypted(data)
        output = BytesIO()
        for piece, layout in self._pieces(data):
            layout.encrypt(piece, output)
        return output.getvalue()

    def ecb_decrypt(self, data: Bytes) -> bytes:
        if len(data) <= self._short:
            if len(data) == BLOCK:
                return self.decrypt_block(int.from_bytes(data)).to_bytes(BLOCK)
            return (self._bytes or self._few()).decrypted(data)
        output = BytesIO()
        for piece, layout in self._pieces(data):
            layout.decrypt(piece, output)
        return output.getvalue()

    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        ciphertext = bytearray()
        previous = int.from_bytes(iv)
        for (block,) in iter_unpack("16s", data):
            previous = self.encrypt_block(int.from_bytes(block) ^ previous)
            ciphertext += previous.to_bytes(BLOCK)
        return bytes(ciphertext)

    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        if len(data) <= self._short:
            if len(data) == BLOCK:
                return xor(self.decrypt_block(int.from_bytes(data)).to_bytes(BLOCK), iv)
            return (self._bytes or self._few()).decrypted(data, (iv + data)[: len(data)])
        output = BytesIO()
        for piece, layout in self._pieces(data):
            layout.decrypt(piece, output, iv + piece[:-BLOCK])
            iv = piece[-BLOCK:]
        return output.getvalue()

    def _counter_mode(self, counter: int, data: Bytes, bits: int) -> bytes:
        if len(data) <= self._short:
            if 0 < (size := len(data)) <= BLOCK:
                stream = self.encrypt_block(counter) >> 8 * (BLOCK - size)
                return (stream ^ int.from_bytes(data)).to_bytes(size)
            return (self._bytes or self._few()).keystream(counter, bits, data)
        output = BytesIO()
        wrap = (1 << bits) - 1
        for piece, layout in self._pieces(data):
            layout.counter_mode(counter, bits, piece, output)
            counter = counter & ~wrap | (counter + len(piece) // BLOCK) & wrap
        return output.getvalue()

    def ctr(self, counter: bytes, data: Bytes) -> bytes:
        return self._counter_mode(int.from_bytes(counter), data, 128)

    # GCM (SP 800-38D)

    def ghash(self, y: int, data: Bytes) -> int:
        """Returns GHASH of data, padded with zeros to whole blocks, from the state y."""
        hash_ = self._hash or self._new_hash()
        for piece in chunks(data):
            y = hash_.update(y, bytes(zero_padded(piece)))
        return y

    def _new_hash(self) -> TableHash | MaskHash:
        """Makes the hash at the first use."""
        h = self.encrypt_block(0)
        self._hash = MaskHash(h) if self._strict else TableHash(h, *self.HASH_FROM)
        return self._hash

    def gcm_piece(self, counter: int, y: int, data: Bytes, decrypting: bool) -> tuple[bytes, int]:
        """Returns data XORed with the keystream from `counter`, and `ghash` of the ciphertext from
        the state y.
        """
        result = self._counter_mode(counter, data, 32)
        return result, self.ghash(y, data if decrypting else result)

    def gcm_short(
        self, j0: int, data: Bytes, ad: Bytes, decrypting: bool
    ) -> tuple[bytes, bytes] | None:
        """Processes a short message with one call of each layout: the block for the tag together
        with the data, and the associated data together with the ciphertext.
        """
        size = len(data)
        if not 0 < size <= self._short - BLOCK or len(ad) > self._short:
            return None
        stream = (self._bytes or self._few()).keystream(j0, 32, bytes(BLOCK) + data)
        result = stream[BLOCK:]
        ciphertext = data if decrypting else result
        last = lengths(len(ad), size)
        parts = ad, bytes(-len(ad) % BLOCK), ciphertext, bytes(-size % BLOCK), last
        y = (self._hash or self._new_hash()).update(0, b"".join(parts))
        return result, (y ^ int.from_bytes(stream[:BLOCK])).to_bytes(BLOCK)


class TableEngine(PythonEngine):
    """The backend `python-table`: tables and planes of bytes at every length."""

    ROWS_FROM = BITS_FROM = sys.maxsize
    HASH_FROM = sys.maxsize, sys.maxsize

    __slots__ = ()


class BitsliceEngine(PythonEngine):
    """The backend `python-bitslice`: bit planes at every length, if blocks are independent."""

    ROWS_FROM = BITS_FROM = 1
    HASH_FROM = 2, 2

    __slots__ = ()
