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

# The default of tag_length. A call that passes this very object skips the check.
_TAG = 16


class AEAD(Many, Key):
    """The base class of the authenticated ciphers, except AESSIV, which has no nonce.

    The methods have the names that users of the package `cryptography` know. Use this class
    for annotations and isinstance: `def seal(aead: rijn.AEAD, data: bytes) -> bytes`.

    Every method takes any C-contiguous buffer (bytes, bytearray, memoryview, mmap, array,
    NumPy array). Only `buf` is written to. An object never changes, so threads may share it.
    It can be neither copied nor pickled (TypeError). The classes cannot be subclassed: an
    object belongs to a class of its backend. All methods raise the errors below for wrong
    arguments, except BackendError.

    :param key: one of `key_sizes`, in bytes.
    :param tag_length: bytes in a tag, one of `tag_lengths`.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :raises ValueError: if an argument has a size that is not allowed.
    :raises BackendError: if the backend is unknown or cannot run here.
    :raises TypeError: if an argument is not a buffer.
    :raises BufferError: if a buffer is not C-contiguous, or `buf` is not writable.
    """

    __slots__ = ()

    nonce_sizes: ClassVar[range]
    """Bytes in a nonce."""
    drawn_nonce_size: ClassVar[int] = 12
    """Bytes in the nonces that encrypt_many draws."""
    tag_lengths: ClassVar[tuple[int, ...]] = (16,)
    """The allowed values of tag_length, in bytes."""
    data_max: ClassVar[int] = 2**61 - 1
    """The most bytes of data in a message."""

    # The result is an instance of the backend's subclass, never of a caller's class.
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

        :param nonce: `nonce_sizes` bytes (see the class). Never use it twice under one key.
        :param data: the plaintext, at most `data_max` bytes.
        :param associated_data: None is the same as no bytes.
        :returns: the ciphertext followed by the tag: len(data) + tag_length bytes.
        :raises ValueError: if the nonce has another size, or `data` is too long.
        :raises TypeError: if an argument is not a buffer.
        :raises BufferError: if a buffer is not C-contiguous.
        """
        raise NotMade

    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Checks the tag and decrypts: the inverse of `encrypt`.

        :param nonce: as for `encrypt`.
        :param data: the ciphertext followed by the tag.
        :param associated_data: as for `encrypt`.
        :returns: the plaintext: len(data) - tag_length bytes.
        :raises InvalidTag: unless `encrypt` made `data` with this key, nonce and associated data;
            also if `data` is shorter than a tag.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade

    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        """Encrypts as `encrypt` does, into a writable buffer.

        :param nonce: as for `encrypt`, outside `buf`.
        :param data: as for `encrypt`.
        :param associated_data: as for `encrypt`, outside `buf`.
        :param buf: exactly len(data) + tag_length bytes. It begins where `data` begins (in place)
            or does not overlap `data`.
        :returns: the number of bytes written.
        :raises ValueError: as `encrypt`; also if `buf` has another size, or overlaps an argument
            in another way.
        :raises BufferError: as `encrypt`; also if `buf` is not writable.
        :raises TypeError: as `encrypt`.
        """
        raise NotMade

    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        """Decrypts as `decrypt` does, into a writable buffer.

        If the tag is wrong, `buf` is filled with zeros: in place, the ciphertext is lost too.
        During the call, `buf` may hold plaintext that is not authenticated: let no other thread
        read it.

        :param nonce: as for `encrypt`, outside `buf`.
        :param data: the ciphertext followed by the tag.
        :param associated_data: as for `encrypt`, outside `buf`.
        :param buf: exactly len(data) - tag_length bytes. It begins where `data` begins (in place)
            or does not overlap `data`.
        :returns: the number of bytes written.
        :raises InvalidTag: as `decrypt`.
        :raises ValueError: as `decrypt`; also if `buf` has another size, or overlaps an argument
            in another way.
        :raises BufferError: as `decrypt`; also if `buf` is not writable.
        :raises TypeError: as `decrypt`.
        """
        raise NotMade

    def encrypt_detached(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> tuple[bytes, bytes]:
        """Encrypts as `encrypt` does, and returns the tag separately.

        :param nonce: as for `encrypt`.
        :param data: as for `encrypt`.
        :param associated_data: as for `encrypt`.
        :returns: the ciphertext, len(data) bytes, and the tag, tag_length bytes.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade

    def decrypt_detached(
        self, nonce: Buffer, data: Buffer, tag: Buffer, associated_data: Buffer | None = None
    ) -> bytes:
        """Checks the tag and decrypts: the inverse of `encrypt_detached`.

        :param nonce: as for `encrypt`.
        :param data: the ciphertext without its tag.
        :param tag: the tag, tag_length bytes.
        :param associated_data: as for `encrypt`.
        :returns: the plaintext: len(data) bytes.
        :raises InvalidTag: unless `encrypt_detached` made `data` and `tag` with this key, nonce and
            associated data; also if `tag` has another size.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade


class ShortTagAEAD(AEAD):
    """An AEAD whose shortest tags need short_tags=True."""

    __slots__ = ()

    short_tag_lengths: ClassVar[tuple[int, ...]]
    """The tag lengths that need short_tags=True."""

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
        """Returns `tag_length` after checking it. A short one needs `short_tags`."""
        size = _check.one_of("tag_length", tag_length, cls.tag_lengths)
        if not _check.flag("short_tags", short_tags) and size in cls.short_tag_lengths:
            raise ValueError(
                f"a tag_length of {size} invites forgery: ask for it with short_tags=True"
            )
        return size


class ShortNonceAEAD(ShortTagAEAD):
    """An AEAD whose shortest nonces need short_nonces=True.

    There are too few of them for random nonces, and an argument so short is often something else
    than a nonce.
    """

    __slots__ = ()

    short_nonce_sizes: ClassVar[range] = range(1, 8)
    """The nonce sizes that need short_nonces=True."""

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
    """An AEAD that needs one pass, so that a message may come in pieces."""

    __slots__ = ()

    _step: ClassVar[int] = 1
    """Every piece for a stream, except the last, is a multiple of this many bytes."""

    def encryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> AEADEncryptor:
        """Encrypts a message that comes in pieces.

        :param nonce: as for `encrypt`.
        :param associated_data: as for `encrypt`.
        :returns: an object with update, update_into and finalize.
        :raises ValueError: if the nonce has another size.
        :raises TypeError, BufferError: as `encrypt`.
        """
        return AEADEncryptor(self._stream(nonce, associated_data, False), self._step)

    def decryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> AEADDecryptor:
        """Decrypts a message that comes in pieces. `finalize` returns the plaintext.

        :param nonce: as for `encrypt`.
        :param associated_data: as for `encrypt`.
        :returns: an object with update, update_unverified and finalize. Only update_unverified
            returns plaintext before the tag has been verified.
        :raises ValueError: if the nonce has another size.
        :raises TypeError, BufferError: as `encrypt`.
        """
        stream = self._stream(nonce, associated_data, True)
        return AEADDecryptor(stream, self.tag_length, self._step)

    def _stream(self, nonce: Buffer, associated_data: Buffer | None, opening: bool) -> Stream:
        """Returns the backend's stream for encryptor or decryptor. Its plaintext is unverified."""
        raise NotMade


class ChunkAEAD(OnlineAEAD):
    """An AEAD that seals many chunks of a message in one call."""

    __slots__ = ()

    chunk_nonce_size: ClassVar[int]
    """Bytes in the nonce of a run of chunks."""

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """Seals a run of chunks of one long message (c2sp.org/chunked-encryption).

        Each chunk is a message with empty associated data and a 16-byte tag after its ciphertext.
        The nonce of chunk number i is `nonce XOR i`, with i as a big-endian integer as wide as the
        nonce. The run holds the chunks number first, first + 1, and so on.

        :param nonce: `chunk_nonce_size` bytes.
        :param first: the number of the first chunk. No number may exceed 2^64 - 1.
        :param chunk: plaintext bytes of a whole chunk, not 0.
        :param last: False if `data` holds whole chunks only. True if the run ends the message: then
            a shorter chunk, possibly empty, follows the whole ones.
        :param data: the plaintext.
        :param buf: exactly len(data) + 16 bytes for each chunk. It overlaps neither `data` nor
            nonce.
        :returns: the number of bytes written.
        :raises ValueError: if a size is not allowed, or tag_length is not 16.
        :raises OverflowError: if a number exceeds 2^64 - 1.
        :raises TypeError: if an argument is not a buffer.
        :raises BufferError: if a buffer is not C-contiguous, or `buf` is not writable.
        """
        raise NotMade

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        """Opens a run of chunks: the inverse of `seal_chunks`.

        If any chunk fails, all of `buf` is filled with zeros.

        :param nonce: as for `seal_chunks`.
        :param first: as for `seal_chunks`.
        :param chunk: as for `seal_chunks`: plaintext bytes.
        :param last: as for `seal_chunks`.
        :param data: ciphertext with its tags: a whole chunk has chunk + 16 bytes, the last one 16
            to chunk + 15.
        :param buf: exactly len(data) - 16 bytes for each chunk. It overlaps neither `data` nor
            nonce.
        :returns: the number of bytes written.
        :raises InvalidTag: if a chunk fails. Its attribute `chunk` is the number of the first one.
        :raises ValueError, OverflowError, TypeError, BufferError: as `seal_chunks`.
        """
        raise NotMade


class AESGCM(ChunkAEAD, ShortNonceAEAD):
    """AES in Galois/Counter Mode (NIST SP 800-38D).

    Never use one nonce for two messages under one key: two such messages reveal their difference
    and the authentication key. Count the nonces, or draw 12 random bytes for at most 2^32 messages.
    XAES256GCM has nonces that are safe to draw for up to 2^80 messages.

    Limits: nonces of 8 to 2^61 - 1 bytes (12 unless a protocol says otherwise), 2^36 - 32 bytes
    of data and 2^61 - 1 bytes of associated data in a message.

    :param key: 16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    :param tag_length: bytes in a tag: 12 to 16; with short_tags=True, also 4 or 8.
    :param short_tags: True allows short tags. They invite forgery: read SP 800-38D appendix C
        first.
    :param short_nonces: True allows nonces of 1 to 7 bytes.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :param strict: True: no branch, no look-up and no layout depends on the key or the data. See
        `rijn.AES`.
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
        """True if no branch, no look-up and no layout depends on the key or the data: on every
        constant-time backend, and on python if the key was made with strict=True.
        """
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

        :param nonce: `nonce_sizes` bytes (see the class). Never use it twice under one key.
        :param data: the plaintext, at most `data_max` bytes.
        :param associated_data: None is the same as no bytes.
        :param threads: 1 to 1024 threads share a message of 2 MiB or more. A backend in Python uses
            one.
        :returns: the ciphertext followed by the tag: len(data) + tag_length bytes.
        :raises ValueError: if the nonce has another size, or `data` is too long.
        :raises TypeError: if an argument is not a buffer.
        :raises BufferError: if a buffer is not C-contiguous.
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
        """Checks the tag and decrypts: the inverse of `encrypt`.

        :param nonce: as for `encrypt`.
        :param data: the ciphertext followed by the tag.
        :param associated_data: as for `encrypt`.
        :param threads: as for `encrypt`.
        :returns: the plaintext: len(data) - tag_length bytes.
        :raises InvalidTag: unless `encrypt` made `data` with this key, nonce and associated data;
            also if `data` is shorter than a tag.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
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
        """Encrypts as `encrypt` does, into a writable buffer.

        :param nonce: as for `encrypt`, outside `buf`.
        :param data: as for `encrypt`.
        :param associated_data: as for `encrypt`, outside `buf`.
        :param buf: exactly len(data) + tag_length bytes. It begins where `data` begins (in place)
            or does not overlap `data`.
        :param threads: as for `encrypt`.
        :returns: the number of bytes written.
        :raises ValueError: as `encrypt`; also if `buf` has another size, or overlaps an argument
            in another way.
        :raises BufferError: as `encrypt`; also if `buf` is not writable.
        :raises TypeError: as `encrypt`.
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
        """Decrypts as `decrypt` does, into a writable buffer.

        If the tag is wrong, `buf` is filled with zeros: in place, the ciphertext is lost too.
        During the call, `buf` may hold plaintext that is not authenticated: let no other thread
        read it.

        :param nonce: as for `encrypt`, outside `buf`.
        :param data: the ciphertext followed by the tag.
        :param associated_data: as for `encrypt`, outside `buf`.
        :param buf: exactly len(data) - tag_length bytes. It begins where `data` begins (in place)
            or does not overlap `data`.
        :param threads: as for `encrypt`.
        :returns: the number of bytes written.
        :raises InvalidTag: as `decrypt`.
        :raises ValueError: as `decrypt`; also if `buf` has another size, or overlaps an argument
            in another way.
        :raises BufferError: as `decrypt`; also if `buf` is not writable.
        :raises TypeError: as `decrypt`.
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
        """Encrypts as `encrypt` does, and returns the tag separately.

        :param nonce: as for `encrypt`.
        :param data: as for `encrypt`.
        :param associated_data: as for `encrypt`.
        :param threads: as for `encrypt`.
        :returns: the ciphertext, len(data) bytes, and the tag, tag_length bytes.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
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
        """Checks the tag and decrypts: the inverse of `encrypt_detached`.

        :param nonce: as for `encrypt`.
        :param data: the ciphertext without its tag.
        :param tag: the tag, tag_length bytes.
        :param associated_data: as for `encrypt`.
        :param threads: as for `encrypt`.
        :returns: the plaintext: len(data) bytes.
        :raises InvalidTag: unless `encrypt_detached` made `data` and `tag` with this key, nonce and
            associated data; also if `tag` has another size.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade


class AESGCMSIV(AEAD):
    """AES-GCM-SIV (RFC 8452): a repeated nonce reveals only whether two messages are the same.

    It reads each message twice, so it is slower than GCM.

    Limits: nonces of 12 bytes, 2^36 bytes of data and 2^36 bytes of associated data in a message.

    :param key: 16 or 32 bytes. Each nonce has its own keys, derived from it.
    :param tag_length: 16.
    :param backend: as for AESGCM.
    """

    __slots__ = ()
    key_sizes = (16, 32)
    nonce_sizes = range(12, 13)
    data_max = 2**36


class XAES256GCM(OnlineAEAD):
    """XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM with nonces of 24 bytes.

    A nonce must not repeat. Random nonces are safe for 2^80 messages under one key.

    Limits: nonces of 24 bytes; else as AESGCM.

    :param key: 32 bytes. The first 12 bytes of each nonce select a key derived from it.
    :param tag_length: 16.
    :param backend: as for AESGCM.
    """

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (32,)
    nonce_sizes = range(24, 25)
    drawn_nonce_size = 24
    data_max = 2**36 - 32


class AESCCM(ShortTagAEAD):
    """AES in CCM (NIST SP 800-38C, RFC 3610): CTR, and CBC-MAC over the plaintext.

    Limits: nonces of 7 to 13 bytes, none used twice. With a nonce of n bytes, data of less than
    2^(8 * (15 - n)) bytes: at most 65,535 bytes if n is 13.

    :param key: 16, 24 or 32 bytes.
    :param tag_length: 8, 10, 12, 14 or 16; with short_tags=True, also 4 or 6.
    :param short_tags: True allows short tags. Read SP 800-38C appendix B.2 first.
    :param backend: as for AESGCM.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)
    nonce_sizes = range(7, 14)
    tag_lengths = (4, 6, 8, 10, 12, 14, 16)
    short_tag_lengths = (4, 6)

    # tag_length may be positional, as in the package `cryptography`.
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

    Limits: nonces of 8 to 15 bytes, usually 12, none used twice; 2^36 bytes of data and 2^36
    bytes of associated data in a message. RFC 7253 section 5.1 asks for another key after 2^48
    blocks.

    :param key: 16, 24 or 32 bytes.
    :param tag_length: 8 to 16; with short_tags=True, also 1 to 7. RFC 7253 names 8, 12 and 16.
    :param short_tags: True allows short tags. One in 2^(8 n) attempts forges a tag of n bytes.
    :param short_nonces: as for AESGCM.
    :param backend: as for AESGCM.
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

    Limits: nonces of 8 to 2^61 - 1 bytes, none used twice.

    :param key: 16, 24 or 32 bytes.
    :param tag_length: 8 to 16; with short_tags=True, also 1 to 7.
    :param short_tags: True allows short tags. One in 2^(8 n) attempts forges a tag of n bytes.
    :param short_nonces: as for AESGCM.
    :param backend: as for AESGCM.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)
    nonce_sizes = range(1, 2**61)
    drawn_nonce_size = 16
    tag_lengths = tuple(range(1, 17))
    short_tag_lengths = tuple(range(1, 8))


class AESSIV(Many, Key):
    """AES-SIV (RFC 5297): deterministic authenticated encryption.

    The same message under the same key and associated data gives the same ciphertext. The
    ciphertext reveals no more than that.

    Associated data are up to 126 strings, each of any size: `["a", "bc"]` and `["ab", "c"]`
    differ. To use a nonce, make it the last string (RFC 5297 section 3). In encrypt_many and
    decrypt_many, a message has at most two strings: its associated data, if given, and then its
    nonce, if given. These calls draw no nonces.

    An object never changes, so threads may share it.

    :param key: 32, 48 or 64 bytes: the halves are a key for CMAC and a key for CTR.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :raises ValueError: if an argument has a size that is not allowed.
    :raises BackendError: if the backend is unknown or cannot run here.
    :raises TypeError: if an argument is not a buffer.
    :raises BufferError: if a buffer is not C-contiguous.
    """

    __slots__ = ()
    key_sizes = (32, 48, 64)

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)

    def encrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        """Encrypts and authenticates `data`, and authenticates `associated_data`.

        :param data: the plaintext.
        :param associated_data: up to 126 strings.
        :returns: the tag (RFC 5297: the synthetic IV) followed by the ciphertext: 16 + len(data)
            bytes.
        :raises ValueError: if there are more than 126 strings.
        :raises TypeError: if an argument is not a buffer.
        :raises BufferError: if a buffer is not C-contiguous.
        """
        raise NotMade

    def decrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        """Checks the tag and decrypts: the inverse of `encrypt`.

        :param data: the tag followed by the ciphertext.
        :param associated_data: as for `encrypt`.
        :returns: the plaintext: len(data) - 16 bytes.
        :raises InvalidTag: unless `encrypt` made `data` with this key and associated data.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade

    def encrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        """Encrypts as `encrypt` does, into a writable buffer.

        :param data: as for `encrypt`.
        :param associated_data: as for `encrypt`, outside `buf`.
        :param buf: exactly 16 + len(data) bytes. It begins where `data` begins (in place) or does
            not overlap `data`.
        :returns: the number of bytes written.
        :raises ValueError: as `encrypt`; also if `buf` has another size, or overlaps an argument in
            another way.
        :raises BufferError: as `encrypt`; also if `buf` is not writable.
        :raises TypeError: as `encrypt`.
        """
        raise NotMade

    def decrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        """Decrypts as `decrypt` does, into a writable buffer.

        If the tag is wrong, `buf` is filled with zeros: in place, the ciphertext is lost too.
        During the call, `buf` may hold plaintext that is not authenticated.

        :param data: the tag followed by the ciphertext.
        :param associated_data: as for `encrypt`, outside `buf`.
        :param buf: exactly len(data) - 16 bytes. It begins where `data` begins (in place) or does
            not overlap `data`.
        :returns: the number of bytes written.
        :raises InvalidTag: as `decrypt`.
        :raises ValueError, TypeError, BufferError: as `encrypt_into`.
        """
        raise NotMade

    def encrypt_detached(
        self, data: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> tuple[bytes, bytes]:
        """Encrypts as `encrypt` does, and returns the tag separately.

        :param data: as for `encrypt`.
        :param associated_data: as for `encrypt`.
        :returns: the ciphertext, len(data) bytes, and the tag, 16 bytes.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade

    def decrypt_detached(
        self, data: Buffer, tag: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> bytes:
        """Checks the tag and decrypts: the inverse of `encrypt_detached`.

        :param data: the ciphertext without its tag.
        :param tag: the tag, 16 bytes.
        :param associated_data: as for `encrypt`.
        :returns: the plaintext: len(data) bytes.
        :raises InvalidTag: unless `encrypt_detached` made `data` and `tag` with this key and
            associated data; also if `tag` has another size.
        :raises ValueError, TypeError, BufferError: as `encrypt`.
        """
        raise NotMade
