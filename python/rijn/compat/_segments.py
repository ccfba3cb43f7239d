"""CFB with segments of 1 to 16 bytes (SP 800-38A section 6.3), also those that rijn.AES does not
have. The cipher's input for a segment is the 16 bytes before it, in the IV followed by the
ciphertext: the shift register.
"""

from __future__ import annotations

from .._check import BLOCK
from ..block import AES
from ..incremental import xor


def encrypt_segments(aes: AES, register: bytes, size: int, data: bytes | memoryview) -> bytes:
    """Encrypts whole segments of `size` bytes. `register` is the shift register, 16 bytes."""
    if size == 1:
        return aes.cfb8_encrypt(register, data)
    if size == BLOCK:
        return aes.cfb_encrypt(register, data)
    joined = bytearray(register)
    for i in range(0, len(data), size):
        keystream = aes.ecb_encrypt(joined[-BLOCK:])
        joined += xor(keystream[:size], data[i : i + size])
    return bytes(joined[BLOCK:])


def decrypt_segments(aes: AES, register: bytes, size: int, data: bytes | memoryview) -> bytes:
    """Decrypts: the inverse of `encrypt_segments`."""
    if size == 1:
        return aes.cfb8_decrypt(register, data)
    if size == BLOCK:
        return aes.cfb_decrypt(register, data)
    joined = register + bytes(data)
    starts = range(0, len(data), size)
    keystream = aes.ecb_encrypt(b"".join(joined[i : i + BLOCK] for i in starts))
    used = (keystream[i : i + size] for i in range(0, len(keystream), BLOCK))
    return xor(b"".join(used), data)


def shifted(register: bytes, ciphertext: bytes | memoryview) -> bytes:
    """Returns the shift register after that ciphertext."""
    return (register + bytes(ciphertext[-BLOCK:]))[-BLOCK:]
