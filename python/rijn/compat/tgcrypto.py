"""TgCrypto 1.2.5 on Rijn's backends: Telegram's modes of AES-256, with the same results::

    from rijn.compat import tgcrypto             # instead of: import tgcrypto

    ciphertext = tgcrypto.ige256_encrypt(data, key, iv)

All functions have these arguments, and return len(data) bytes:

- data: at least one byte; for IGE and CBC a multiple of 16.
- key: 32 bytes.
- iv: 16 bytes; for IGE 32 bytes: the ciphertext block before the first one, then the plaintext
  block before it.
- backend: the name of a backend (see `rijn.backends()`), or None for the usual choice.

They first raise TypeError and BufferError for arguments that are not C-contiguous buffers, then
ValueError for sizes, with TgCrypto's messages and in its order, and then the errors of rijn.AES.

They differ from TgCrypto on purpose: immutable objects do not change, while TgCrypto also writes
into `bytes`. So CBC does not update an iv of bytes. CTR would use its keystream twice, so it
requires a writable iv and state (BufferError, after the sizes).
"""

from __future__ import annotations

from .. import _check
from .._check import BLOCK, Buffer
from .._traceback import clean_traceback
from ..block import AES

__all__ = [
    "cbc256_decrypt",
    "cbc256_encrypt",
    "ctr256_decrypt",
    "ctr256_encrypt",
    "ige256_decrypt",
    "ige256_encrypt",
]

KEY = 32


@clean_traceback
def ige256_encrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Encrypts in infinite garble extension, as MTProto does. Does not change `iv`."""
    view, chain, aes = _arguments(data, key, iv, 2 * BLOCK, backend)
    return aes.ige_encrypt(chain, view)


@clean_traceback
def ige256_decrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Decrypts: the inverse of `ige256_encrypt`."""
    view, chain, aes = _arguments(data, key, iv, 2 * BLOCK, backend)
    return aes.ige_decrypt(chain, view)


@clean_traceback
def ctr256_encrypt(
    data: Buffer, key: Buffer, iv: Buffer, state: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Encrypts in counter mode with a big-endian counter of 128 bits.

    :param data: any number of bytes, at least one.
    :param key: 32 bytes.
    :param iv: a bytearray: the counter block of the next byte. It moves on to the end of the data.
    :param state: a bytearray of 1 byte, 0 to 15: how many bytes of that block have been used.
    :returns: len(data) bytes.
    """
    view, secret, first = _buffers(data, key, iv)
    place = _check.readable("state", state)
    _check_sizes(view, secret, first, BLOCK)
    if len(place) != 1:
        raise ValueError("State size must be exactly 1 byte")
    skipped = place[0]
    if skipped >= BLOCK:
        raise ValueError("State value must be in the range [0, 15]")
    counter = _check.writable("iv", iv)
    used = _check.writable("state", state)
    aes = AES(secret, backend=backend)
    if skipped:
        output = aes.ctr_encrypt(first, bytes(skipped) + view)[skipped:]
    else:
        output = aes.ctr_encrypt(first, view)
    blocks, used[0] = divmod(skipped + len(view), BLOCK)
    counter[:] = _check.counter_after(first, blocks, 8 * BLOCK, "big")
    return output


@clean_traceback
def ctr256_decrypt(
    data: Buffer, key: Buffer, iv: Buffer, state: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Decrypts: the inverse of `ctr256_encrypt`, and the same operation."""
    return ctr256_encrypt(data, key, iv, state, backend=backend)


@clean_traceback
def cbc256_encrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Encrypts in cipher block chaining. A writable `iv` becomes the last block of ciphertext, so
    that the next call continues the message.
    """
    view, chain, aes = _arguments(data, key, iv, BLOCK, backend)
    output = aes.cbc_encrypt(chain, view)
    _continue(iv, output)
    return output


@clean_traceback
def cbc256_decrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Decrypts: the inverse of `cbc256_encrypt`."""
    view, chain, aes = _arguments(data, key, iv, BLOCK, backend)
    output = aes.cbc_decrypt(chain, view)
    _continue(iv, view)
    return output


def _continue(iv: Buffer, ciphertext: bytes | memoryview) -> None:
    if not memoryview(iv).readonly:
        _check.writable("iv", iv)[:] = ciphertext[-BLOCK:]


def _arguments(
    data: Buffer, key: Buffer, iv: Buffer, iv_size: int, backend: str | None
) -> tuple[bytes | memoryview, bytes, AES]:
    """Returns the checked arguments of the modes of whole blocks."""
    view, secret, chain = _buffers(data, key, iv)
    _check_sizes(view, secret, chain, iv_size, whole_blocks=True)
    return view, chain, AES(secret, backend=backend)


def _buffers(data: Buffer, key: Buffer, iv: Buffer) -> tuple[bytes | memoryview, bytes, bytes]:
    """Returns the bytes of the arguments, of any size."""
    view = _check.readable("data", data)
    return view, bytes(_check.readable("key", key)), bytes(_check.readable("iv", iv))


def _check_sizes(
    data: bytes | memoryview, key: bytes, iv: bytes, iv_size: int, *, whole_blocks: bool = False
) -> None:
    if not data:
        raise ValueError("Data must not be empty")
    if whole_blocks and len(data) % BLOCK:
        raise ValueError("Data size must match a multiple of 16 bytes")
    if len(key) != KEY:
        raise ValueError(f"Key size must be exactly {KEY} bytes")
    if len(iv) != iv_size:
        raise ValueError(f"IV size must be exactly {iv_size} bytes")
