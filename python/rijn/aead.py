"""Authenticated encryption with associated data, on AES. (AEGIS is in aegis.py.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from . import _check, registry
from ._check import Buffer
from ._key import Key, NotMade
from ._traceback import clean_traceback
from .incremental import (
    AEADDecryptor,
    AEADEncryptor,
    Stream,
)
from .many import Many
from .registry import Backend

# What tag_length is unless it is said: this very object needs no check.
_TAG = 16


class AEAD(Many, Key):
    """What every authenticated cipher here offers, under the names that users of the
    package `cryptography` know. AESSIV is none: it has no nonce.

    Annotate with it what any of them may be: `def seal(aead: rijn.AEAD, data: bytes) -> bytes`.

    Every method takes any C-contiguous buffer (bytes, bytearray, memoryview, mmap,
    array, NumPy array) and leaves it as it is. An object never changes, so threads may
    share it. The classes cannot be subclassed: what they make belongs to the backend.

    All raise ValueError for wrong sizes, BackendError for the backend, TypeError for what
    is no buffer, BufferError for one that is not contiguous or not writable. Keys are
    neither copied nor pickled (TypeError).
    """

    __slots__ = ()

    nonce_sizes: ClassVar[range]
    """Bytes in a nonce."""
    drawn_nonce_size: ClassVar[int] = 12
    """Bytes in the nonces that encrypt_many draws."""
    tag_lengths: ClassVar[tuple[int, ...]] = (16,)
    """Bytes in a tag: what tag_length= may be."""
    data_max: ClassVar[int] = 2**61 - 1
    """Bytes of data in a message, at most."""

    # Not Self of a caller's class: what it returns is an instance of a backend's subclass.
    @clean_traceback
    def __new__(
        cls, key: Buffer, *, tag_length: int = _TAG, backend: str | Backend | None = None
    ) -> Self:
        if tag_length is not _TAG:
            tag_length = _check.one_of("tag_length", tag_length, cls.tag_lengths)
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name, tag_length)

    @property
    def tag_length(self) -> int:
        """Bytes in a tag."""
        raise NotMade

    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts and authenticates `data`, and authenticates `associated_data`.

        Returns the ciphertext followed by the tag: len(data) + tag_length bytes.
        None and b"" are the same associated data. nonce: nonce_sizes bytes (see the class);
        never the same twice under one key.

        Raises ValueError for a nonce of another size and for more than data_max bytes of
        data, TypeError for what is no buffer, BufferError for one that is not C-contiguous.
        """
        raise NotMade

    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Inverse of encrypt: `data` is the ciphertext followed by the tag.

        Returns the plaintext: len(data) - tag_length bytes. Raises InvalidTag for
        whatever `encrypt` did not make with this key, nonce and associated data, data
        shorter than a tag too; and as encrypt.
        """
        raise NotMade

    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        """As encrypt, into a writable buffer of exactly len(data) + tag_length bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it; anything
        between is a ValueError, and so is a nonce or associated data inside `buf`. Returns
        the number of bytes written. Raises as encrypt does, ValueError for a `buf` of
        another size too, and BufferError for one that is not writable.
        """
        raise NotMade

    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        """As decrypt, into a writable buffer of exactly len(data) - tag_length bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it; anything
        between is a ValueError, and so is a nonce or associated data inside `buf`. Returns
        the number of bytes written. On a tag that is wrong `buf` is filled with zeros: in
        place, the ciphertext is gone too. While the call is at work `buf` may hold plaintext
        that is not authentic yet: let no other thread read it. Raises as decrypt does,
        ValueError for a `buf` of another size too, and BufferError for one that is not
        writable.
        """
        raise NotMade

    def encrypt_detached(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> tuple[bytes, bytes]:
        """As encrypt, with the tag apart: returns the ciphertext, len(data) bytes, and the tag,
        tag_length bytes. Raises as encrypt does.
        """
        raise NotMade

    def decrypt_detached(
        self, nonce: Buffer, data: Buffer, tag: Buffer, associated_data: Buffer | None = None
    ) -> bytes:
        """Inverse of encrypt_detached: `data` is the ciphertext, and `tag` its tag.

        Returns the plaintext: len(data) bytes. Raises InvalidTag for whatever
        `encrypt_detached` did not make with this key, nonce and associated data, a tag of
        another size too; and as encrypt.
        """
        raise NotMade


class ShortTagAEAD(AEAD):
    """An AEAD that has tags so short that they are to be asked for."""

    __slots__ = ()

    short_tag_lengths: ClassVar[tuple[int, ...]]
    """Those of tag_lengths that need short_tags=True."""

    @clean_traceback
    def __new__(
        cls,
        key: Buffer,
        *,
        tag_length: int = _TAG,
        short_tags: bool = False,
        backend: str | Backend | None = None,
    ) -> Self:
        if tag_length is not _TAG or short_tags is not False:
            tag_length = cls._tag_size(tag_length, short_tags)
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name, tag_length)

    @classmethod
    def _tag_size(cls, tag_length: int, short_tags: bool) -> int:
        """tag_length, for which leave is given where it is short."""
        size = _check.one_of("tag_length", tag_length, cls.tag_lengths)
        if not _check.flag("short_tags", short_tags) and size in cls.short_tag_lengths:
            raise ValueError(
                f"a tag_length of {size} invites forgery: ask for it with short_tags=True"
            )
        return size


class ShortNonceAEAD(ShortTagAEAD):
    """An AEAD that has nonces so short that they are to be asked for, as its short tags are:
    too few for random ones, and what is short where a nonce belongs is often something else."""

    __slots__ = ()

    short_nonce_sizes: ClassVar[range] = range(1, 8)
    """Those of nonce_sizes that need short_nonces=True."""

    @clean_traceback
    def __new__(
        cls,
        key: Buffer,
        *,
        tag_length: int = _TAG,
        short_tags: bool = False,
        short_nonces: bool = False,
        backend: str | Backend | None = None,
    ) -> Self:
        if tag_length is not _TAG or short_tags is not False:
            tag_length = cls._tag_size(tag_length, short_tags)
        backend_class, name = registry.choose(cls, backend)
        if short_nonces is not False:
            return backend_class(key, name, tag_length, _check.flag("short_nonces", short_nonces))
        return backend_class(key, name, tag_length)


class OnlineAEAD(AEAD):
    """An AEAD that works in one pass, so that a message may come in pieces."""

    __slots__ = ()

    _step: ClassVar[int] = 1
    """A stream takes pieces of a multiple of so many bytes, but for the last."""

    def encryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> AEADEncryptor:
        """encrypt in pieces. Returns a rijn.incremental.AEADEncryptor. Raises ValueError for a
        nonce of another size, TypeError and BufferError as encrypt."""
        return AEADEncryptor(self._stream(nonce, associated_data, False), self._step)

    def decryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> AEADDecryptor:
        """decrypt in pieces, which gives out nothing before the tag has been found right:
        returns a rijn.incremental.AEADDecryptor. Raises as encryptor."""
        stream = self._stream(nonce, associated_data, True)
        return AEADDecryptor(stream, self.tag_length, self._step)

    def _stream(self, nonce: Buffer, associated_data: Buffer | None, opening: bool) -> Stream:
        """What encryptor and decryptor stand on; what it decrypts is unverified."""
        raise NotMade


class ChunkAEAD(OnlineAEAD):
    """An AEAD that seals many chunks of a message with one call."""

    __slots__ = ()

    chunk_nonce_size: ClassVar[int]
    """Bytes in the nonce of a run of chunks."""

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """Seals a run of chunks of one long message (c2sp.org/chunked-encryption).

        Chunk number i is sealed on its own with the nonce `nonce XOR i` (i as a big-endian
        integer as wide as the nonce), empty associated data and a 16-byte tag behind its
        ciphertext. The run holds the chunks number first, first + 1, ...; none may
        pass 2^64 - 1.

        nonce  chunk_nonce_size bytes.
        chunk  plaintext bytes of a whole chunk, not 0.
        last   False: `data` is a multiple of whole chunks. True: the run ends the
               message, so that after the whole chunks comes one that is shorter,
               possibly empty.
        buf    exactly len(data) + 16 bytes for each chunk; apart from `data` and nonce.

        Returns the number of bytes written. Raises ValueError for other sizes and for a
        tag_length that is not 16, OverflowError for numbers beyond 2^64 - 1, TypeError for
        what is no buffer, BufferError for one that is not C-contiguous or not writable.
        """
        raise NotMade

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """Inverse of seal_chunks: `data` is ciphertext with its tags, so that a whole
        chunk has chunk + 16 bytes and the last one 16 to chunk + 15.

        `buf` has exactly len(data) - 16 bytes for each chunk, apart from `data` and nonce.
        Returns the number of bytes written. Raises InvalidTag, whose attribute `chunk`
        is the number of the first bad chunk; the whole of `buf` is zeros then; and as
        seal_chunks.
        """
        raise NotMade


class AESGCM(ChunkAEAD, ShortNonceAEAD):
    """AES in Galois/Counter Mode (NIST SP 800-38D).

    AESGCM(key, *, tag_length=16, short_tags=False, short_nonces=False, backend=None,
           strict=False)

    key         16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    tag_length  bytes in a tag: 12 to 16, or, with short_tags=True, 4 or 8. Short tags
                invite forgery: read SP 800-38D appendix C first.
    short_nonces  True: nonces of 1 to 7 bytes are allowed, too.
    backend     the name or the record of a backend (see rijn.backends()); None for the choice of
                rijn.use_backend, or of RIJN_BACKEND, or else the best.
    strict      True: no branch, no look-up and no layout depends on the key or the data;
                see rijn.AES. Also a property: whether it is so.

    Limits: a nonce of 8 to 2^61 - 1 bytes (12 unless a protocol says otherwise), 2^36 - 32
    bytes of data in a message, 2^61 - 1 bytes of associated data.

    Never use one nonce for two messages under one key: two such messages give away
    their difference and the key of the authentication. Count, or draw 12 random bytes
    for at most 2^32 messages, or take XAES256GCM, whose nonces may be drawn without end.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)
    nonce_sizes = range(1, 2**61)
    tag_lengths = (4, 8, 12, 13, 14, 15, 16)
    short_tag_lengths = (4, 8)
    data_max = 2**36 - 32
    chunk_nonce_size = 12

    @clean_traceback
    def __new__(
        cls,
        key: Buffer,
        *,
        tag_length: int = _TAG,
        short_tags: bool = False,
        short_nonces: bool = False,
        backend: str | Backend | None = None,
        strict: bool = False,
    ) -> Self:
        if tag_length is not _TAG or short_tags is not False:
            tag_length = cls._tag_size(tag_length, short_tags)
        backend_class, name = registry.choose(cls, backend)
        if strict is False and short_nonces is False:
            return backend_class(key, name, tag_length)
        allowed = _check.flag("short_nonces", short_nonces)
        if _check.flag("strict", strict) and registry.needs_masks(name):
            return backend_class(key, name, tag_length, allowed, strict=True)
        return backend_class(key, name, tag_length, allowed)

    @property
    def strict(self) -> bool:
        """Whether no branch, no look-up and no layout depends on the key or the data: True on
        a constant-time backend, and on python where it was asked for."""
        return registry.is_constant_time(self.backend)

    def encrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes:
        """Encrypts and authenticates `data`, and authenticates `associated_data`.

        Returns the ciphertext followed by the tag: len(data) + tag_length bytes.
        None and b"" are the same associated data. nonce: nonce_sizes bytes (see the class);
        never the same twice under one key.

        threads: how many work at once on a message of 2 MiB or more, each on a part, 1 to
        1024; a backend in Python has one.

        Raises ValueError for a nonce of another size and for more than data_max bytes of
        data, TypeError for what is no buffer, BufferError for one that is not C-contiguous.
        """
        raise NotMade

    def decrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes:
        """Inverse of encrypt: `data` is the ciphertext followed by the tag.

        Returns the plaintext: len(data) - tag_length bytes. threads: as for encrypt. Raises
        InvalidTag for whatever `encrypt` did not make with this key, nonce and associated
        data, data shorter than a tag too; and as encrypt.
        """
        raise NotMade

    def encrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: int = 1,
    ) -> int:
        """As encrypt, into a writable buffer of exactly len(data) + tag_length bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it; anything
        between is a ValueError, and so is a nonce or associated data inside `buf`. Returns
        the number of bytes written. threads: as for encrypt. Raises as encrypt does,
        ValueError for a `buf` of another size too, and BufferError for one that is not
        writable.
        """
        raise NotMade

    def decrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: int = 1,
    ) -> int:
        """As decrypt, into a writable buffer of exactly len(data) - tag_length bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it; anything
        between is a ValueError, and so is a nonce or associated data inside `buf`. Returns
        the number of bytes written. threads: as for encrypt. On a tag that is wrong `buf` is
        filled with zeros: in place, the ciphertext is gone too. While the call is at work
        `buf` may hold plaintext that is not authentic yet: let no other thread read it. Raises
        as decrypt does, ValueError for a `buf` of another size too, and BufferError for one
        that is not writable.
        """
        raise NotMade

    def encrypt_detached(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> tuple[bytes, bytes]:
        """As encrypt, with the tag apart: returns the ciphertext, len(data) bytes, and the tag,
        tag_length bytes. threads: as for encrypt. Raises as encrypt does.
        """
        raise NotMade

    def decrypt_detached(
        self,
        nonce: Buffer,
        data: Buffer,
        tag: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes:
        """Inverse of encrypt_detached: `data` is the ciphertext, and `tag` its tag.

        Returns the plaintext: len(data) bytes. threads: as for encrypt. Raises InvalidTag for
        whatever `encrypt_detached` did not make with this key, nonce and associated data, a
        tag of another size too; and as encrypt.
        """
        raise NotMade


class AESGCMSIV(AEAD):
    """AES-GCM-SIV (RFC 8452): a repeated nonce gives away no more than that two messages
    are the same.

    AESGCMSIV(key, *, tag_length=16, backend=None)

    key         16 or 32 bytes; each nonce has keys of its own, made from it.
    tag_length  16.
    backend     as for AESGCM.

    Limits: a nonce of 12 bytes, 2^36 bytes of data in a message, 2^36 bytes of associated
    data. Slower than GCM: the message is read twice.
    """

    __slots__ = ()
    key_sizes = (16, 32)
    nonce_sizes = range(12, 13)
    data_max = 2**36


class XAES256GCM(OnlineAEAD):
    """XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM with nonces of 24 bytes, which
    may be drawn at random for 2^80 messages under one key.

    XAES256GCM(key, *, tag_length=16, backend=None)

    key         32 bytes; each nonce's first 12 bytes have a key of their own, made from it.
    tag_length  16.
    backend     as for AESGCM.

    Limits: a nonce of 24 bytes, and those of AESGCM. A nonce must not come twice.
    """

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (32,)
    nonce_sizes = range(24, 25)
    drawn_nonce_size = 24
    data_max = 2**36 - 32


class AESCCM(ShortTagAEAD):
    """AES in CCM (NIST SP 800-38C, RFC 3610): CTR, and CBC-MAC over the plaintext.

    AESCCM(key, tag_length=16, *, short_tags=False, backend=None)

    key         16, 24 or 32 bytes.
    tag_length  8, 10, 12, 14 or 16, or, with short_tags=True, 4 or 6: read SP 800-38C
                appendix B.2 first.
    backend     as for AESGCM.

    Limits: a nonce of 7 to 13 bytes, never twice; with n bytes of nonce, data of less than
    2^(8 * (15 - n)) bytes: 65,535 with 13.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)
    nonce_sizes = range(7, 14)
    tag_lengths = (4, 6, 8, 10, 12, 14, 16)
    short_tag_lengths = (4, 6)

    # By place, too, as in the package `cryptography`.
    @clean_traceback
    def __new__(
        cls,
        key: Buffer,
        tag_length: int = _TAG,
        *,
        short_tags: bool = False,
        backend: str | Backend | None = None,
    ) -> Self:
        return super().__new__(
            cls, key, tag_length=tag_length, short_tags=short_tags, backend=backend
        )


class AESOCB3(OnlineAEAD, ShortNonceAEAD):
    """AES in OCB (RFC 7253): one pass, one block cipher call a block.

    AESOCB3(key, *, tag_length=16, short_tags=False, short_nonces=False, backend=None)

    key         16, 24 or 32 bytes.
    tag_length  8 to 16, of which RFC 7253 names 8, 12 and 16, or, with short_tags=True,
                1 to 7. A tag of n bytes is forged by one attempt in 2^(8 n).
    short_nonces, backend  as for AESGCM.

    Limits: a nonce of 8 to 15 bytes, 12 as a rule, never twice; 2^36 bytes of data and
    2^36 of associated data in a message. RFC 7253 section 5.1 asks for another key after
    2^48 blocks.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)
    nonce_sizes = range(1, 16)
    tag_lengths = tuple(range(1, 17))
    short_tag_lengths = tuple(range(1, 8))
    data_max = 2**36
    _step = 16


class AESEAX(OnlineAEAD, ShortNonceAEAD):
    """AES in EAX (Bellare, Rogaway and Wagner, FSE 2004): CTR and CMAC, nonces of any size.

    AESEAX(key, *, tag_length=16, short_tags=False, short_nonces=False, backend=None)

    key         16, 24 or 32 bytes.
    tag_length  8 to 16, or, with short_tags=True, 1 to 7. A tag of n bytes is forged by
                one attempt in 2^(8 n).
    short_nonces, backend  as for AESGCM.

    Limits: a nonce of 8 to 2^61 - 1 bytes, never twice.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)
    nonce_sizes = range(1, 2**61)
    drawn_nonce_size = 16
    tag_lengths = tuple(range(1, 17))
    short_tag_lengths = tuple(range(1, 8))


class AESSIV(Many, Key):
    """AES-SIV (RFC 5297): deterministic authenticated encryption. The same message under
    the same key and associated data gives the same ciphertext, and gives away no more
    than that.

    AESSIV(key, *, backend=None)

    key      32, 48 or 64 bytes: the halves are a key for CMAC and one for CTR.
    backend  the name or the record of a backend (see rijn.backends()); None for the choice of
             rijn.use_backend, or of RIJN_BACKEND, or else the best.

    Associated data are up to 126 strings, each of any size: ["a", "bc"] and ["ab", "c"]
    are different. For a nonce, give it as the last of them (RFC 5297 section 3). In
    encrypt_many and decrypt_many those of a message are one string, if associated data are
    given, and then the nonce, if nonces are: none is drawn, and without any that are given no
    message has one.

    An object never changes, so threads may share it. Raises ValueError for wrong sizes,
    BackendError for the backend, TypeError and BufferError for what is no C-contiguous
    buffer.
    """

    __slots__ = ()
    key_sizes = (32, 48, 64)

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)

    def encrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        """Returns the tag (RFC 5297: the synthetic IV) followed by the ciphertext:
        16 + len(data) bytes. Raises ValueError for more than 126 associated strings,
        TypeError for what is no buffer, BufferError for one that is not C-contiguous."""
        raise NotMade

    def decrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        """Inverse of encrypt: `data` is the tag followed by the ciphertext. Returns
        len(data) - 16 bytes. Raises InvalidTag for whatever encrypt did not make, and as
        encrypt."""
        raise NotMade

    def encrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        """As encrypt, into a writable buffer of exactly 16 + len(data) bytes.

        `buf` may begin where `data` begins (in place) or lie apart from it. Anything between
        is a ValueError, and so are associated data inside `buf`. Returns the number of bytes
        written. Raises as encrypt, ValueError for a `buf` of another size too, BufferError for
        one that is not writable."""
        raise NotMade

    def decrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        """As decrypt, into a writable buffer of exactly len(data) - 16 bytes, placed as for
        encrypt_into. Returns the number of bytes written. On a tag that is wrong `buf` is
        filled with zeros: in place, the ciphertext is gone too. Until then `buf` may hold
        plaintext that is not authentic. Raises as decrypt, and for `buf` as encrypt_into."""
        raise NotMade

    def encrypt_detached(
        self, data: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> tuple[bytes, bytes]:
        """As encrypt, with the tag apart: returns the ciphertext, len(data) bytes, and the tag,
        16 bytes. Raises as encrypt."""
        raise NotMade

    def decrypt_detached(
        self, data: Buffer, tag: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> bytes:
        """Inverse of encrypt_detached: `data` is the ciphertext, and `tag` its tag. Returns
        len(data) bytes. Raises InvalidTag for whatever encrypt_detached did not make, a tag
        of another size too; and as encrypt."""
        raise NotMade
