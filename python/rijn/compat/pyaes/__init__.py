"""pyaes 1.6.1 on Rijn's backends: the same names, calls and results::

    from rijn.compat import pyaes                # instead of: import pyaes

    aes = pyaes.AESModeOfOperationCTR(key, pyaes.Counter(initial_value))
    ciphertext = aes.encrypt("text, or bytes")   # bytes; the next call continues

    encrypter = pyaes.Encrypter(pyaes.AESModeOfOperationCBC(key, iv))
    ciphertext = encrypter.feed(plaintext) + encrypter.feed()

- aes: AES, the five modes of operation, Counter
- blockfeeder: Encrypter and Decrypter, encrypt_stream and decrypt_stream
- util: PKCS #7 padding

It differs from pyaes on purpose:

- Without a counter pyaes starts at 1, and without an IV at zeros. Then two messages under one key
  share their keystream, or reveal whether they begin alike. Here that is a DeprecationWarning, and
  a TypeError after `pyaes.STRICT = True` (a variable of this package).
- Every fault of a padded ciphertext, in its length or any byte of its padding, is the same
  ValueError with the same text. pyaes checks only the last byte, and reports three different
  faults. Even one answer is dangerous: an attacker who can send ciphertexts and see it can decrypt
  everything by asking often (a padding oracle). Use rijn.AESGCM, or authenticate first.
- Segments of CFB have 1 to 16 bytes. pyaes loses bytes of longer ones after the 16th.
- The streams read 1 MiB at a time by default, and pyaes 8 KiB.
- Data may be any C-contiguous buffer; pyaes accepts only bytes and str. Every argument is checked
  before anything changes.
- `backend="name"` and the attribute `backend` are Rijn's (see rijn.AES). All objects except a
  Counter hold a key or a place in a message, so they can be neither copied nor pickled (TypeError).
  A mode other than ECB raises RuntimeError in a process that was forked since.
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

VERSION = [1, 3, 0]  # as in pyaes 1.6.1

# True: a mode without an IV or a counter raises TypeError.
STRICT = False


def _is_strict() -> bool:
    return STRICT


aes.is_strict = _is_strict
