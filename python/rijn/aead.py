"""Authenticated encryption with associated data: AESGCM."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import registry
from ._key import Key

if TYPE_CHECKING:
    from typing_extensions import Buffer


class AESGCM(Key):
    """AES in Galois/Counter Mode (NIST SP 800-38D).

    AESGCM(key, *, tag_length=16, backend=None)

    key         16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    tag_length  bytes in a tag: 16, or 4, 8, 12, 13, 14, 15. Short tags invite forgery:
                read SP 800-38D appendix C first.
    backend     the name of a rung (see rijn.backends()); None for the choice of
                rijn.use_backend, or of RIJN_BACKEND, or else the best.

    Every method takes any C-contiguous buffer (bytes, bytearray, memoryview, mmap,
    array, NumPy array) and leaves it as it is. An object never changes, so threads may
    share it. The class cannot be subclassed: what it makes belongs to the backend.

    Limits: a nonce of 1 to 2^61 - 1 bytes, 2^36 - 32 bytes of data in a message,
    2^61 - 1 bytes of associated data.

    Never use one nonce for two messages under one key: two such messages give away
    their difference and the key of the authentication. Count, or draw 12 random bytes
    for at most 2^32 messages.

    Raises ValueError for wrong sizes, BackendError for the backend, TypeError for what
    is no buffer, BufferError for one that is not contiguous or not writable.
    """

    __slots__ = ()

    # Not Self: what it returns is always an instance of a subclass.
    def __new__(  # noqa: PYI034
        cls, key: Buffer, *, tag_length: int = 16, backend: str | None = None
    ) -> AESGCM:
        if cls is not AESGCM:
            raise TypeError("rijn.AESGCM cannot be subclassed")
        name = registry.resolve(backend)
        return registry.faces(name).AESGCM(key, name, tag_length)

    @staticmethod
    def generate_key(bit_length: int) -> bytes:
        """A fresh random key of 128, 192 or 256 bits, from the operating system."""
        if bit_length not in (128, 192, 256):
            raise ValueError(f"bit_length must be 128, 192 or 256, not {bit_length}")
        return os.urandom(bit_length // 8)

    @property
    def tag_length(self) -> int:
        """Bytes in a tag."""
        raise NotImplementedError

    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts and authenticates `data`, and authenticates `associated_data`.

        Returns the ciphertext followed by the tag: len(data) + tag_length bytes.
        None and b"" are the same associated data. nonce: 12 bytes unless a protocol
        says otherwise, and never the same twice.
        """
        raise NotImplementedError

    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Inverse of encrypt: `data` is the ciphertext followed by the tag.

        Returns the plaintext: len(data) - tag_length bytes. Raises InvalidTag for
        whatever `encrypt` did not make with this key, nonce and associated data, data
        shorter than a tag too.
        """
        raise NotImplementedError

    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        """As encrypt, into a writable buffer of exactly len(data) + tag_length bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it; anything
        between is a ValueError. Returns the number of bytes written.
        """
        raise NotImplementedError

    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        """As decrypt, into a writable buffer of exactly len(data) - tag_length bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it; anything
        between is a ValueError. Returns the number of bytes written. On a tag that is
        wrong `buf` is filled with zeros: in place, the ciphertext is gone too.
        """
        raise NotImplementedError

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """Seals a run of chunks of one long message (c2sp.org/chunked-encryption).

        Chunk number i is sealed on its own with the 12-byte nonce `nonce XOR i` (i as a
        big-endian integer), empty associated data and a 16-byte tag behind its
        ciphertext. The run holds the chunks number first, first + 1, ...; none may
        pass 2^64 - 1.

        chunk  plaintext bytes of a whole chunk, not 0.
        last   False: `data` is a multiple of whole chunks. True: the run ends the
               message, so that after the whole chunks comes one that is shorter,
               possibly empty.
        buf    exactly len(data) + 16 bytes for each chunk; apart from `data`.

        Needs a tag_length of 16. Returns the number of bytes written.
        """
        raise NotImplementedError

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """Inverse of seal_chunks: `data` is ciphertext with its tags, so that a whole
        chunk has chunk + 16 bytes and the last one 16 to chunk + 15.

        `buf` has exactly len(data) - 16 bytes for each chunk, apart from `data`.
        Returns the number of bytes written. Raises InvalidTag, whose attribute `chunk`
        is the number of the first bad chunk; the whole of `buf` is zeros then.
        """
        raise NotImplementedError
