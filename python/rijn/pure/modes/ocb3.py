"""OCB3 (RFC 7253).

Offset_i is Offset_0 plus L_j for each bit j of the Gray code of i, i + (i >> 1), because from
one Gray code to the next the bit ntz(i) changes. Here + is XOR. The Gray code of a sum is the sum
of the Gray codes, so the table of the sums G_i of the L_j can be doubled:

    G_0 ... G_(m-1) | G_0 + G_m ... G_(m-1) + G_m |        m = 2^k: G_m = L_k + L_(k-1)

The offsets after a multiple of the table's length are the table plus one block.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from ..blocks import BLOCK, CHUNK, Bytes, xor
from ..fields import double
from .cmac import bit_padded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..contract import Engine

# Blocks in a full table.
TABLE = CHUNK // BLOCK
LOW128 = (1 << 128) - 1


def folded(blocks: int, n: int) -> int:
    """Returns the sum of n blocks."""
    while n > 1:
        n -= n // 2
        high = blocks >> 128 * n
        blocks ^= high << 128 * n ^ high
    return blocks


class OCB3:
    __slots__ = ("_doubles", "_table", "engine", "l_dollar", "l_star", "tag_length")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes, tag_length: int) -> None:
        self.engine = make(key)
        self.tag_length = tag_length
        self.l_star = self.engine.encrypt_block(0)
        self.l_dollar = double(self.l_star)
        # L_0, L_1 … L_33: a message has at most 2^32 blocks.
        self._doubles = [double(self.l_dollar)]
        for _ in range(33):
            self._doubles.append(double(self._doubles[-1]))
        self._table = bytes(BLOCK)

    def gray(self, i: int) -> int:
        """Returns G_i."""
        code = i ^ i >> 1
        total = 0
        for j in range(code.bit_length()):
            if code >> j & 1:
                total ^= self._doubles[j]
        return total

    def _offsets(self, start: int, first: int, n: int) -> int:
        """Returns n offsets from number `first`, which do not cross a multiple of TABLE. `start` is
        Offset_0.
        """
        place = first % TABLE
        table = self._table
        while len(table) < BLOCK * (place + n):
            m = len(table) // BLOCK
            table += xor(table, self.gray(m).to_bytes(BLOCK, "big") * m)
        self._table = table
        base = (start ^ self.gray(first - place)).to_bytes(BLOCK, "big") * n
        sums = memoryview(table)[BLOCK * place : BLOCK * (place + n)]
        return int.from_bytes(base, "big") ^ int.from_bytes(sums, "big")

    def pieces(self, start: int, done: int, data: Bytes) -> Iterator[tuple[int, int, int]]:
        """Yields the whole blocks of data in pieces: their number, the blocks, and their offsets,
        which follow those of `done` blocks. `start` is Offset_0.
        """
        at, end = 0, len(data) // BLOCK
        while at < end:
            first = done + at + 1
            n = min(end - at, TABLE - first % TABLE)
            piece = data[BLOCK * at : BLOCK * (at + n)]
            yield n, int.from_bytes(piece, "big"), self._offsets(start, first, n)
            at += n

    def hash(self, ad: Bytes) -> int:
        """Returns HASH of section 4.1."""
        total = 0
        for n, blocks, offsets in self.pieces(0, 0, ad):
            made = self.engine.ecb_encrypt((blocks ^ offsets).to_bytes(BLOCK * n, "big"))
            total ^= folded(int.from_bytes(made, "big"), n)
        if rest := len(ad) % BLOCK:
            block = int.from_bytes(bit_padded(bytes(ad[-rest:])), "big")
            offset = self.gray(len(ad) // BLOCK) ^ self.l_star
            total ^= self.engine.encrypt_block(block ^ offset)
        return total

    def first_offset(self, nonce: bytes) -> int:
        """Returns Offset_0 of section 4.2: 128 of 192 bits, at a position that depends on the
        nonce.
        """
        block = 8 * self.tag_length % 128 << 121 | 1 << 8 * len(nonce)
        block |= int.from_bytes(nonce, "big")
        bottom = block & 63
        top = self.engine.encrypt_block(block ^ bottom)
        stretch = top << 64 | (top >> 64 ^ top >> 56) & (1 << 64) - 1
        return stretch >> 64 - bottom & LOW128

    def stream(self, nonce: bytes, ad: Bytes, opening: bool) -> OCB3Stream:
        return OCB3Stream(self, nonce, ad, opening)

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        stream = self.stream(nonce, ad, False)
        return stream.crypt(data), stream.tag()

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        stream = self.stream(nonce, ad, True)
        return stream.crypt(data), stream.tag()


class OCB3Stream:
    """One message (sections 4.2 and 4.3). The checksum is of the plaintext."""

    __slots__ = ("_blocks", "_checksum", "_key", "_last", "_opening", "_start", "_sum")

    def __init__(self, key: OCB3, nonce: bytes, ad: Bytes, opening: bool) -> None:
        self._key = key
        self._start = key.first_offset(nonce)
        self._sum = key.hash(ad)
        self._opening = opening
        self._blocks = 0  # whole ones
        self._last = 0  # L_* after an incomplete block
        self._checksum = 0

    def crypt(self, data: Bytes) -> bytes:
        key, opening = self._key, self._opening
        cipher = key.engine.ecb_decrypt if opening else key.engine.ecb_encrypt
        output = BytesIO()
        for n, blocks, offsets in key.pieces(self._start, self._blocks, data):
            made = cipher((blocks ^ offsets).to_bytes(BLOCK * n, "big"))
            result = int.from_bytes(made, "big") ^ offsets
            self._checksum ^= folded(result if opening else blocks, n)
            output.write(result.to_bytes(BLOCK * n, "big"))
        self._blocks += len(data) // BLOCK
        if rest := len(data) % BLOCK:
            self._last = key.l_star
            piece = bytes(data[-rest:])
            keystream = key.engine.encrypt_block(self._offset())
            short = xor(keystream.to_bytes(BLOCK, "big"), piece)
            end = bit_padded(short if opening else piece)
            self._checksum ^= int.from_bytes(end, "big")
            output.write(short)
        return output.getvalue()

    def tag(self) -> bytes:
        key = self._key
        last = self._checksum ^ self._offset() ^ key.l_dollar
        tag = key.engine.encrypt_block(last) ^ self._sum
        return tag.to_bytes(BLOCK, "big")[: key.tag_length]

    def _offset(self) -> int:
        """Returns Offset_m or Offset_*."""
        return self._start ^ self._key.gray(self._blocks) ^ self._last
