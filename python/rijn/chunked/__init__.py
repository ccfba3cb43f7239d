"""C2SP chunked encryption: long messages in chunks, written in pieces and read at any position.

The format is c2sp.org/chunked-encryption version 1 with HKDF-Expand-SHA-512. With AES-GCM it is
"Cobblestone-128" and "Cobblestone-256". A message is::

    salt[24] || commitment[32] || chunk 0 || chunk 1 || ... || last chunk

The AEAD seals 16 KiB of plaintext into each chunk, which is then 16 bytes longer. The last chunk is
always shorter than the others, and may be empty. The commitment reveals a wrong key or context
before anything is decrypted.

- encrypt, decrypt: a whole message in memory
- Encryptor, Decryptor: a message in pieces of any size, in order
- Reader: an encrypted file as a seekable file of plaintext
- Message: the keys of one message, which all of the above use

A key is uniformly random. Its length selects the AEAD, unless `aead` names one. `context` is any
bytes that both sides know: the keys depend on it. Nothing here opens files, or decides where
results go.
"""

from __future__ import annotations

from .aeads import AEADS, Aead, find_aead, named_aead
from .errors import Damaged, Truncated, WrongKey
from .message import Message, decrypt, encrypt
from .pieces import Decryptor, Encryptor
from .reader import Reader
from .sizes import CHUNK, PREFIX, plain_size, sealed_size

__all__ = [
    "AEADS",
    "CHUNK",
    "PREFIX",
    "Aead",
    "Damaged",
    "Decryptor",
    "Encryptor",
    "Message",
    "Reader",
    "Truncated",
    "WrongKey",
    "decrypt",
    "encrypt",
    "find_aead",
    "named_aead",
    "plain_size",
    "sealed_size",
]
