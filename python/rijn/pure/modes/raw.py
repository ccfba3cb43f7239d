"""CFB, OFB, IGE, CTR with every counter, and key wrapping, using an engine's blocks.

Parallel parts use ecb_encrypt on many blocks. Chains use cbc_encrypt, the only chain that an engine
implements. With X_i = E(input_i + X_(i-1)):

    mode        input_i               result
    OFB         0                     X_i + P_i           X_0 = IV
    CFB         P_(i-1)               X_i + P_i           X_1 = E(IV): a block of IV before P_1
    IGE         P_i + P_(i-2)         X_i + P_(i-1)       X_0 = C_0, and P_(-1) = 0

because CFB is C_i = P_i + E(C_(i-1)), and IGE is C_i = P_(i-1) + E(P_i + C_(i-1)). Only CFB8 and
the decryption of IGE are chains of single blocks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from hmac import compare_digest
from io import BytesIO

from ..blocks import BLOCK, CHUNK, Bytes, chunks, rounded, xor

SEMIBLOCK = 8
LOW64 = (1 << 64) - 1
# Counter blocks that differ only in two bytes.
COUNTED = 1 << 16

# The integrity check values of SP 800-38F sections 6.2 and 6.3.
ICV1 = 0xA6A6_A6A6_A6A6_A6A6
ICV2 = 0xA659_59A6


@cache
def counting_bytes() -> tuple[bytes, bytes]:
    """Returns the low and the high byte of each 16-bit number, in order."""
    low = bytes(range(256)) * 256
    high = b"".join(bytes([b]) * 256 for b in range(256))
    return low, high


def little_endian_counters(counter: int, n: int) -> bytearray:
    """Returns n counter blocks from `counter`, a little-endian integer whose low 16 bits must not
    wrap. Byte i of block j is at 16j + i:

        block 0   | low  high | the same in all blocks |
        block 1   | low  high |                        |      low, high: strided slices
    """
    first = counter % COUNTED
    blocks = bytearray(counter.to_bytes(BLOCK, "little") * n)
    for i, counting in enumerate(counting_bytes()):
        blocks[i::BLOCK] = counting[first : first + n]
    return blocks


class RawModes(ABC):
    """Modes that an engine inherits.

    The caller checks the arguments: an IV or counter has 16 bytes, 32 for IGE. IGE gets whole
    blocks.
    """

    __slots__ = ()

    @abstractmethod
    def encrypt_block(self, block: int) -> int: ...
    @abstractmethod
    def decrypt_block(self, block: int) -> int: ...
    @abstractmethod
    def ecb_encrypt(self, data: Bytes) -> bytes: ...
    @abstractmethod
    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes: ...
    @abstractmethod
    def ctr(self, counter: bytes, data: Bytes) -> bytes: ...

    # SP 800-38A section 6.5

    def ctr_of(self, counter: bytes, data: Bytes, width: int, byteorder: str) -> bytes:
        """CTR whose counter is the last `width` bits of the block or, with "little", the first.
        Data has at most 2^width blocks, so the counter wraps at most once.
        """
        low = (1 << width) - 1
        if byteorder == "big":
            number = int.from_bytes(counter, "big")
            left = BLOCK * (low + 1 - (number & low))
            if len(data) <= left:
                return self.ctr(counter, data)
            wrapped = (number & ~low).to_bytes(BLOCK, "big")
            return self.ctr(counter, data[:left]) + self.ctr(wrapped, data[left:])
        number = int.from_bytes(counter, "little")
        output = BytesIO()
        start = 0
        while start < len(data):
            piece = bytes(data[start : start + BLOCK * (COUNTED - number % COUNTED)])
            n = rounded(len(piece)) // BLOCK
            blocks = little_endian_counters(number, n)
            output.write(xor(self.ecb_encrypt(memoryview(blocks)), piece))
            number = number & ~low | number + n & low
            start += len(piece)
        return output.getvalue()

    # SP 800-38A section 6.3

    def cfb_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        output = BytesIO()
        for piece in chunks(data):
            inputs = (iv + piece)[: rounded(len(piece))]
            ciphertext = xor(self.cbc_encrypt(bytes(BLOCK), inputs), piece)
            output.write(ciphertext)
            iv = ciphertext[-BLOCK:]
        return output.getvalue()

    def cfb_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        output = BytesIO()
        for piece in chunks(data):
            inputs = (iv + piece)[: rounded(len(piece))]
            output.write(xor(self.ecb_encrypt(inputs), piece))
            iv = piece[-BLOCK:]
        return output.getvalue()

    def cfb8_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        register = int.from_bytes(iv, "big")
        ciphertext = bytearray()
        for byte in data:
            byte ^= self.encrypt_block(register) >> 120
            ciphertext.append(byte)
            register = (register & (1 << 120) - 1) << 8 | byte
        return bytes(ciphertext)

    def cfb8_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """Decrypts CFB8. Each byte's block is the 16 bytes before it, so byte i of all blocks is a
        slice.
        """
        output = BytesIO()
        for piece in chunks(data, CHUNK // BLOCK):
            stream = iv + piece
            blocks = bytearray(BLOCK * len(piece))
            for i in range(BLOCK):
                blocks[i::BLOCK] = stream[i : i + len(piece)]
            output.write(xor(self.ecb_encrypt(memoryview(blocks))[::BLOCK], piece))
            iv = stream[-BLOCK:]
        return output.getvalue()

    # SP 800-38A section 6.4

    def ofb(self, iv: bytes, data: Bytes) -> bytes:
        output = BytesIO()
        for piece in chunks(data):
            keystream = self.cbc_encrypt(iv, bytes(rounded(len(piece))))
            output.write(xor(keystream, piece))
            iv = keystream[-BLOCK:]
        return output.getvalue()

    # IGE as in OpenSSL: iv is C_0 and P_0

    def ige_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        output = BytesIO()
        last, before = iv[:BLOCK], iv[BLOCK:]
        for piece in chunks(data):
            shifted = (before + piece)[: len(piece)]
            inputs = xor(bytes(BLOCK) + shifted, piece)
            ciphertext = xor(self.cbc_encrypt(last, inputs), shifted)
            output.write(ciphertext)
            last, before = ciphertext[-BLOCK:], piece[-BLOCK:]
        return output.getvalue()

    def ige_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        output = bytearray()
        last = int.from_bytes(iv[:BLOCK], "big")
        plain = int.from_bytes(iv[BLOCK:], "big")
        for i in range(0, len(data), BLOCK):
            block = int.from_bytes(data[i : i + BLOCK], "big")
            plain = self.decrypt_block(block ^ plain) ^ last
            last = block
            output += plain.to_bytes(BLOCK, "big")
        return bytes(output)

    # SP 800-38F: an integer is a semiblock, 64 bits

    def _wrap(self, a: int, r: list[int]) -> bytes:
        """Returns W of section 6.1 of the semiblocks a and r. r has two or more."""
        n = len(r)
        for t in range(6 * n):
            block = self.encrypt_block(a << 64 | r[t % n])
            a = block >> 64 ^ t + 1
            r[t % n] = block & LOW64
        return b"".join(s.to_bytes(SEMIBLOCK, "big") for s in (a, *r))

    def _unwrap(self, data: bytes) -> tuple[int, bytes]:
        """Returns a and the joined r, from three semiblocks or more: the inverse of W."""
        a, *r = semiblocks(data)
        n = len(r)
        for t in reversed(range(6 * n)):
            block = self.decrypt_block((a ^ t + 1) << 64 | r[t % n])
            a = block >> 64
            r[t % n] = block & LOW64
        return a, b"".join(s.to_bytes(SEMIBLOCK, "big") for s in r)

    def kw_wrap(self, data: bytes) -> bytes:
        """Wraps two whole semiblocks or more (KW-AE, section 6.2)."""
        return self._wrap(ICV1, semiblocks(data))

    def kw_unwrap(self, data: bytes) -> bytes | None:
        """Unwraps three whole semiblocks or more (KW-AD, section 6.2). Returns None if the check
        fails.
        """
        a, key = self._unwrap(data)
        good = compare_digest(a.to_bytes(SEMIBLOCK, "big"), ICV1.to_bytes(SEMIBLOCK, "big"))
        return key if good else None

    def kwp_wrap(self, data: bytes) -> bytes:
        """Wraps 1 to 2^32 - 1 bytes (KWP-AE, section 6.3)."""
        a = ICV2 << 32 | len(data)
        r = semiblocks(data + bytes(-len(data) % SEMIBLOCK))
        if len(r) == 1:
            return self.encrypt_block(a << 64 | r[0]).to_bytes(BLOCK, "big")
        return self._wrap(a, r)

    def kwp_unwrap(self, data: bytes) -> bytes | None:
        """Unwraps two whole semiblocks or more (KWP-AD, section 6.3). Returns None if the check
        fails. All checks are computed before any of them decides.
        """
        if len(data) == BLOCK:
            block = self.decrypt_block(int.from_bytes(data, "big"))
            a, padded = block >> 64, (block & LOW64).to_bytes(SEMIBLOCK, "big")
        else:
            a, padded = self._unwrap(data)
        size = a & 0xFFFF_FFFF
        padding = len(padded) - size
        last = int.from_bytes(padded[-SEMIBLOCK:], "big")
        wrong = a >> 32 ^ ICV2
        wrong |= padding & ~7  # not 0 to 7: negative numbers have high bits too
        wrong |= last & (1 << 8 * (padding & 7)) - 1
        return padded[:size] if wrong == 0 else None


def semiblocks(data: bytes) -> list[int]:
    return [int.from_bytes(piece, "big") for piece in chunks(data, SEMIBLOCK)]
