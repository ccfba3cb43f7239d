"""TgCrypto 1.2.5 over Rijn's backends: Telegram's modes of AES-256, the same bytes.

    from rijn.compat import tgcrypto             # instead of: import tgcrypto

    ciphertext = tgcrypto.ige256_encrypt(data, key, iv)

What the functions have in common:

    data     at least one byte; for IGE and CBC a multiple of 16. As many are returned.
    key      32 bytes.
    iv       16 bytes; for IGE 32: the ciphertext block before the first, then the
             plaintext block before it.
    backend  the name of a backend (see rijn.backends()); None for the usual choice.

They raise TypeError and BufferError for what is no C-contiguous buffer, argument by argument.
Then they raise ValueError for sizes, in TgCrypto's words and order, and then what rijn.AES raises.

What differs from TgCrypto, on purpose: immutable objects stay as they are, where TgCrypto
writes into `bytes` too. CBC with an iv of bytes therefore leaves it alone; CTR, which would
use its keystream twice, wants a writable iv and state (BufferError, after the sizes).
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
    """Infinite garble extension, as MTProto uses it. `iv` stays as it is."""
    view, chain, aes = _arguments(data, key, iv, 2 * BLOCK, backend)
    return aes.ige_encrypt(chain, view)


@clean_traceback
def ige256_decrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Inverse of ige256_encrypt."""
    view, chain, aes = _arguments(data, key, iv, 2 * BLOCK, backend)
    return aes.ige_decrypt(chain, view)


@clean_traceback
def ctr256_encrypt(
    data: Buffer, key: Buffer, iv: Buffer, state: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Counter mode with the whole block as a big-endian counter; any number of bytes.

    iv     a bytearray: the counter block of the next byte, which goes on to where the
           data ends.
    state  a bytearray of 1 byte, 0 to 15: how many bytes of that block have been used.
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
    """Inverse of ctr256_encrypt, and the same operation."""
    return ctr256_encrypt(data, key, iv, state, backend=backend)


@clean_traceback
def cbc256_encrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Cipher block chaining. A writable `iv` becomes the last block of ciphertext, so that
    the next call continues the message."""
    view, chain, aes = _arguments(data, key, iv, BLOCK, backend)
    output = aes.cbc_encrypt(chain, view)
    _continue(iv, output)
    return output


@clean_traceback
def cbc256_decrypt(
    data: Buffer, key: Buffer, iv: Buffer, /, *, backend: str | None = None
) -> bytes:
    """Inverse of cbc256_encrypt."""
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
    """What the modes of whole blocks are given."""
    view, secret, chain = _buffers(data, key, iv)
    _check_sizes(view, secret, chain, iv_size, whole_blocks=True)
    return view, chain, AES(secret, backend=backend)


def _buffers(data: Buffer, key: Buffer, iv: Buffer) -> tuple[bytes | memoryview, bytes, bytes]:
    """The bytes of the arguments, of whatever sizes."""
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
