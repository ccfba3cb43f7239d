"""Authenticated encryption with associated data, read aloud.

SP 800-38D     Galois/Counter Mode and GMAC (2007)

The functions have the standards' names and take what the standards give them, the cipher
under the key first. `decrypt` of a class hands out the plaintext beside the tag that the
ciphertext should have had: the caller compares, and throws the plaintext away when they differ.
"""

from __future__ import annotations

from .modes import BLOCK, Bytes, Modes, blocks_of, inc

# ---- SP 800-38D: GCM ------------------------------------------------------------------
# A block is a 128-bit integer whose most significant bit is the standard's bit 0.


def multiply_blocks(X: int, Y: int) -> int:
    """SP 800-38D section 6.3, algorithm 1: X * Y in GF(2^128)."""
    R = 0b1110_0001 << 120
    Z = 0
    V = Y
    for i in range(128):
        if X >> (127 - i) & 1:
            Z ^= V
        V = V >> 1 ^ R if V & 1 else V >> 1
    return Z


def GHASH(H: int, X: bytes) -> bytes:
    """SP 800-38D section 6.4, algorithm 2. X is a whole number of blocks."""
    Y = 0
    for block in blocks_of(X):
        Y = multiply_blocks(Y ^ int.from_bytes(block, "big"), H)
    return Y.to_bytes(BLOCK, "big")


def pad(X: Bytes) -> bytes:
    """X with the zeros that complete its last block (section 7.1, steps 4 and 5)."""
    return bytes(X) + bytes(-len(X) % BLOCK)


def bit_length(X: Bytes) -> bytes:
    """[len(X)]_64 of section 7.1, step 5."""
    return (8 * len(X)).to_bytes(8, "big")


def GCTR(K: Modes, ICB: bytes, X: Bytes) -> bytes:
    """SP 800-38D section 6.5, algorithm 3."""
    return K.counter_mode(32, ICB, X)


class GCM:
    """SP 800-38D section 7. A nonce has at least one byte."""

    def __init__(self, key: bytes, tag_length: int) -> None:
        self.K = Modes(key)
        self.t = tag_length
        # Section 7.1, step 1.
        self.H = int.from_bytes(self.K.CIPH(bytes(BLOCK)), "big")

    def J0(self, IV: bytes) -> bytes:
        """Section 7.1, step 2: the pre-counter block."""
        if len(IV) == 12:
            return IV + (1).to_bytes(4, "big")
        return GHASH(self.H, pad(IV) + bytes(8) + bit_length(IV))

    def T(self, J0: bytes, C: Bytes, A: Bytes) -> bytes:
        """Section 7.1, steps 4 to 6."""
        S = GHASH(self.H, pad(A) + pad(C) + bit_length(A) + bit_length(C))
        return GCTR(self.K, J0, S)[: self.t]

    def encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        """Section 7.1, algorithm 4."""
        J0 = self.J0(nonce)
        C = GCTR(self.K, inc(32, J0), data)
        return C, self.T(J0, C, ad)

    def decrypt(self, nonce: bytes, data: Bytes, ad: Bytes, tag: bytes) -> tuple[bytes, bytes]:
        """Section 7.2, algorithm 5; the caller does step 8."""
        J0 = self.J0(nonce)
        return GCTR(self.K, inc(32, J0), data), self.T(J0, data, ad)
