"""pyaes 1.6.1 over Rijn's backends: the same names and calls, the same bytes.

    from rijn.compat import pyaes                # instead of: import pyaes

    aes = pyaes.AESModeOfOperationCTR(key, pyaes.Counter(initial_value))
    ciphertext = aes.encrypt("text, or bytes")   # bytes; the next call continues

    encrypter = pyaes.Encrypter(pyaes.AESModeOfOperationCBC(key, iv))
    ciphertext = encrypter.feed(plaintext) + encrypter.feed()

aes          AES, the five modes of operation, Counter
blockfeeder  Encrypter and Decrypter, encrypt_stream and decrypt_stream
util         PKCS #7 padding

What differs from pyaes, on purpose:

- Without a counter pyaes starts at 1, and without an IV at zeros, so that two messages
  under one key share their keystream, or show where they begin alike. Here that is a
  DeprecationWarning, and a TypeError once `pyaes.STRICT = True` (this package's variable)
  is set.
- All that can be wrong with a padded ciphertext, its length or any byte of its padding, is
  one ValueError with one text. pyaes looks at the last byte alone and tells three faults
  apart. Whoever may send ciphertexts and sees even the one answer can decrypt everything
  by asking often (a padding oracle): use rijn.AESGCM, or authenticate first.
- Segments of CFB have 1 to 16 bytes: of longer ones pyaes loses what is beyond the 16th.
- The streams read 1 MiB at a time unless they are told otherwise, where pyaes reads 8 KiB.
- Any C-contiguous buffer is taken as data (pyaes refuses all but bytes and str), and
  every argument is checked before anything moves.
- `backend="name"` and the attribute `backend` are Rijn's (see rijn.AES). All but a Counter
  hold a key or a place in a message: they are neither copied nor pickled (TypeError), and
  a mode other than ECB does not go on in a process that was forked since (RuntimeError).
"""

from . import aes
from .aes import (
    AES,
    AESModeOfOperationCBC,
    AESModeOfOperationCFB,
    AESModeOfOperationCTR,
    AESModeOfOperationECB,
    AESModeOfOperationOFB,
    AESModesOfOperation,
    Counter,
)
from .blockfeeder import (
    PADDING_DEFAULT,
    PADDING_NONE,
    Decrypter,
    Encrypter,
    decrypt_stream,
    encrypt_stream,
)

__all__ = [
    "AES",
    "PADDING_DEFAULT",
    "PADDING_NONE",
    "VERSION",
    "AESModeOfOperationCBC",
    "AESModeOfOperationCFB",
    "AESModeOfOperationCTR",
    "AESModeOfOperationECB",
    "AESModeOfOperationOFB",
    "AESModesOfOperation",
    "Counter",
    "Decrypter",
    "Encrypter",
    "decrypt_stream",
    "encrypt_stream",
]

VERSION = [1, 3, 0]  # what pyaes 1.6.1 says of itself

# True: a mode without an IV or a counter is a TypeError.
STRICT = False


def _is_strict() -> bool:
    return STRICT


aes.is_strict = _is_strict
