"""GCM from SP 800-38D over integers, with the AES of `cryptography`: an oracle. Unlike that
package's AESGCM, it takes a nonce of any size, and can run backwards.

A block is the integer whose most significant bit is the block's first bit, the
coefficient of x^0 (SP 800-38D section 6.3).
"""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ONE = 1 << 127
REDUCTION = 0xE1 << 120  # x^128 = 1 + x + x^2 + x^7


def multiply(x: int, y: int) -> int:
    """Section 6.3, algorithm 1."""
    product = 0
    for bit in reversed(range(128)):
        if x >> bit & 1:
            product ^= y
        y = y >> 1 ^ (REDUCTION if y & 1 else 0)
    return product


def inverse(x: int) -> int:
    """x^(2^128 - 2), which is x^-1 for x != 0."""
    result, square = ONE, x
    for _ in range(127):
        square = multiply(square, square)
        result = multiply(result, square)
    return result


def ghash(h: int, data: bytes) -> int:
    assert len(data) % 16 == 0
    y = 0
    for at in range(0, len(data), 16):
        y = multiply(y ^ int.from_bytes(data[at : at + 16]), h)
    return y


def pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def encrypt_blocks(key: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)


def hash_key(key: bytes) -> int:
    return int.from_bytes(encrypt_blocks(key, bytes(16)))


def first_counter(key: bytes, nonce: bytes) -> bytes:
    """J0 (section 7.1, step 2)."""
    if len(nonce) == 12:
        return nonce + (1).to_bytes(4)
    lengths = bytes(8) + (8 * len(nonce)).to_bytes(8)
    return ghash(hash_key(key), pad(nonce) + lengths).to_bytes(16)


def nonce_for(key: bytes, j0: bytes) -> bytes:
    """The one 16-byte nonce with this J0: J0 = (N * H + L) * H with L = 0^64 || 128, so
    N = (J0 + L * H) * H^-2."""
    h = hash_key(key)
    back = inverse(multiply(h, h))
    return multiply(int.from_bytes(j0) ^ multiply(128, h), back).to_bytes(16)


def keystream(key: bytes, j0: bytes, size: int) -> bytes:
    """Starts at the block after J0. Only the last 32 bits count, and they wrap (section 6.2)."""
    low = int.from_bytes(j0[12:])
    blocks = (size + 15) // 16
    counters = (j0[:12] + ((low + i) % 2**32).to_bytes(4) for i in range(1, blocks + 1))
    return encrypt_blocks(key, b"".join(counters))[:size]


def seal(key: bytes, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
    """Returns ciphertext and 16-byte tag (section 7.1). A shorter tag is its beginning."""
    j0 = first_counter(key, nonce)
    stream = keystream(key, j0, len(data))
    ciphertext = bytes(a ^ b for a, b in zip(data, stream, strict=True))
    lengths = (8 * len(associated_data)).to_bytes(8) + (8 * len(data)).to_bytes(8)
    digest = ghash(hash_key(key), pad(associated_data) + pad(ciphertext) + lengths)
    tag = digest ^ int.from_bytes(encrypt_blocks(key, j0))
    return ciphertext + tag.to_bytes(16)
