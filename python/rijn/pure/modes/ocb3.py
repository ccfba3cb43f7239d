"""OCB3 (RFC 7253).

Offset_i is Offset_0 plus L_j for each bit j of the Gray code of i, i + (i >> 1), because from
one Gray code to the next the bit ntz(i) changes. The Gray code of a sum is the sum of the
Gray codes, and so the sums G_i of the L_j make a table that doubles:

    G_0 ... G_(m-1) | G_0 + G_m ... G_(m-1) + G_m |        m = 2^k: G_m = L_k + L_(k-1)

The offsets from a multiple of the table's length on are the table plus one block.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from ..blocks import BLOCK, CHUNK, Bytes, double, xor
from .cmac import completed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..faces import Engine

# Blocks in a full table.
TABLE = CHUNK // BLOCK
LOW128 = (1 << 128) - 1


def folded(blocks: int, n: int) -> int:
    """The sum of n blocks."""
    while n > 1:
        n -= n // 2
        high = blocks >> 128 * n
        blocks ^= high << 128 * n ^ high
    return blocks


class OCB3:
    __slots__ = ("_doubles", "_engine", "_l", "_table", "_tag_length")

    def __init__(self, engine: type[Engine], key: bytes, tag_length: int) -> None:
        self._engine = engine(key)
        self._tag_length = tag_length
        self._l = self._engine.encrypt_block(0)  # L_*
        # L_$, L_0, L_1 … L_33: a message has 2^32 blocks at most.
        self._doubles = [double(self._l)]
        for _ in range(34):
            self._doubles.append(double(self._doubles[-1]))
        self._table = bytes(BLOCK)

    def _gray(self, i: int) -> int:
        """G_i."""
        code = i ^ i >> 1
        total = 0
        for j in range(code.bit_length()):
            if code >> j & 1:
                total ^= self._doubles[j + 1]
        return total

    def _offsets(self, start: int, first: int, n: int) -> int:
        """Offsets number `first` and so on, n of them, which do not cross a multiple of TABLE;
        `start` is Offset_0."""
        place = first % TABLE
        table = self._table
        while len(table) < BLOCK * (place + n):
            m = len(table) // BLOCK
            table += xor(table, self._gray(m).to_bytes(BLOCK, "big") * m)
        self._table = table
        base = (start ^ self._gray(first - place)).to_bytes(BLOCK, "big") * n
        sums = memoryview(table)[BLOCK * place : BLOCK * (place + n)]
        return int.from_bytes(base, "big") ^ int.from_bytes(sums, "big")

    def _pieces(self, start: int, data: Bytes) -> Iterator[tuple[int, int, int]]:
        """The whole blocks of data in pieces: their number, themselves, and their offsets."""
        i, end = 1, len(data) // BLOCK
        while i <= end:
            n = min(end + 1 - i, TABLE - i % TABLE)
            piece = data[BLOCK * (i - 1) : BLOCK * (i - 1 + n)]
            yield n, int.from_bytes(piece, "big"), self._offsets(start, i, n)
            i += n

    def _hash(self, ad: Bytes) -> int:
        """HASH of section 4.1."""
        total = 0
        for n, blocks, offsets in self._pieces(0, ad):
            made = self._engine.ecb_encrypt((blocks ^ offsets).to_bytes(BLOCK * n, "big"))
            total ^= folded(int.from_bytes(made, "big"), n)
        if rest := len(ad) % BLOCK:
            block = int.from_bytes(completed(bytes(ad[-rest:])), "big")
            offset = self._gray(len(ad) // BLOCK) ^ self._l
            total ^= self._engine.encrypt_block(block ^ offset)
        return total

    def _first_offset(self, nonce: bytes) -> int:
        """Offset_0 of section 4.2: 128 bits out of 192, from a place that the nonce says."""
        block = 8 * self._tag_length % 128 << 121 | 1 << 8 * len(nonce)
        block |= int.from_bytes(nonce, "big")
        bottom = block & 63
        top = self._engine.encrypt_block(block ^ bottom)
        stretch = top << 64 | (top >> 64 ^ top >> 56) & (1 << 64) - 1
        return stretch >> 64 - bottom & LOW128

    def _crypt(
        self, nonce: bytes, data: Bytes, ad: Bytes, *, encrypting: bool
    ) -> tuple[bytes, bytes]:
        """Sections 4.2 and 4.3: the output, and the tag, which is of the plaintext."""
        cipher = self._engine.ecb_encrypt if encrypting else self._engine.ecb_decrypt
        start = self._first_offset(nonce)
        checksum = 0
        output = BytesIO()
        for n, blocks, offsets in self._pieces(start, data):
            made = cipher((blocks ^ offsets).to_bytes(BLOCK * n, "big"))
            result = int.from_bytes(made, "big") ^ offsets
            checksum ^= folded(blocks if encrypting else result, n)
            output.write(result.to_bytes(BLOCK * n, "big"))
        offset = start ^ self._gray(len(data) // BLOCK)
        if rest := len(data) % BLOCK:
            offset ^= self._l
            piece = bytes(data[-rest:])
            keystream = self._engine.encrypt_block(offset).to_bytes(BLOCK, "big")
            short = xor(keystream, piece)
            end = completed(piece if encrypting else short)
            checksum ^= int.from_bytes(end, "big")
            output.write(short)
        tag = self._engine.encrypt_block(checksum ^ offset ^ self._doubles[0]) ^ self._hash(ad)
        return output.getvalue(), tag.to_bytes(BLOCK, "big")[: self._tag_length]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self._crypt(nonce, data, ad, encrypting=True)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        return self._crypt(nonce, data, ad, encrypting=False)
