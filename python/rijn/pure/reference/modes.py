"""The modes of operation of a block cipher, read aloud.

SP 800-38A     ECB, CBC, CTR (2001)
"""

from __future__ import annotations

from collections.abc import Iterator

from .aes import Cipher, InvCipher, KeyExpansion

# Input as the caller has it.
Bytes = bytes | memoryview

BLOCK = 16


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def blocks_of(X: Bytes) -> Iterator[bytes]:
    """X cut into blocks; the last may be shorter."""
    return (bytes(X[i : i + BLOCK]) for i in range(0, len(X), BLOCK))


def inc(s: int, X: bytes) -> bytes:
    """SP 800-38A appendix B.1, SP 800-38D section 6.2: the last s bits of X, taken as an
    integer, grow by one modulo 2^s."""
    number = int.from_bytes(X, "big")
    low = number % (1 << s)
    return (number - low + (low + 1) % (1 << s)).to_bytes(len(X), "big")


class Modes:
    """AES with one key, in the modes that hide and do not authenticate.

    Arguments are checked by the caller: the key has 16, 24 or 32 bytes, ECB and CBC get
    whole blocks, an IV or counter has 16 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self.w = KeyExpansion(key)
        self.Nr = len(self.w) // 4 - 1

    def CIPH(self, block: bytes) -> bytes:
        return Cipher(block, self.Nr, self.w)

    def CIPH_inverse(self, block: bytes) -> bytes:
        return InvCipher(block, self.Nr, self.w)

    def ecb_encrypt(self, data: Bytes) -> bytes:
        """SP 800-38A section 6.1: C_j = CIPH(P_j)."""
        return b"".join(self.CIPH(block) for block in blocks_of(data))

    def ecb_decrypt(self, data: Bytes) -> bytes:
        """SP 800-38A section 6.1: P_j = CIPH^-1(C_j)."""
        return b"".join(self.CIPH_inverse(block) for block in blocks_of(data))

    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.2: C_j = CIPH(P_j + C_(j-1)), C_0 = IV."""
        ciphertext = []
        previous = iv
        for block in blocks_of(data):
            previous = self.CIPH(xor(block, previous))
            ciphertext.append(previous)
        return b"".join(ciphertext)

    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.2: P_j = CIPH^-1(C_j) + C_(j-1), C_0 = IV."""
        plaintext = []
        previous = iv
        for block in blocks_of(data):
            plaintext.append(xor(self.CIPH_inverse(block), previous))
            previous = block
        return b"".join(plaintext)

    def counter_mode(self, s: int, counter: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.5: the output of block i is CIPH(T_i) + its input, cut to the
        input's length; T_(i+1) = inc_s(T_i)."""
        output = []
        for block in blocks_of(data):
            output.append(xor(block, self.CIPH(counter)[: len(block)]))
            counter = inc(s, counter)
        return b"".join(output)

    def ctr(self, counter: bytes, data: Bytes) -> bytes:
        """SP 800-38A section 6.5, with the counters of appendix B.1, m = 128."""
        return self.counter_mode(128, counter, data)
