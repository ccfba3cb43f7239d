"""AEGIS (RFC 10032): authenticated encryption from the AES round alone."""

from __future__ import annotations

from typing import ClassVar, Self

from . import _check, registry
from ._check import Buffer
from ._key import NotMade
from ._traceback import clean_traceback
from .aead import ChunkAEAD
from .registry import AEGISKernel, Backend


class AEGIS(ChunkAEAD):
    """What the six variants have in common.

    AEGIS128L(key, *, tag_length=16, backend=None), and so on

    tag_length  16 or 32. To find two keys under which one message is genuine takes about
                2^64 attempts with 16 and 2^128 with 32, for those who cannot choose the
                associated data (RFC 10032, "Committing Security").
    backend     the name or the record of a backend (see rijn.backends()), or of one of its kernels
                (see rijn.aegis_kernels()); None for the choice of rijn.use_backend, or of
                RIJN_BACKEND, or else the best.

                key   nonce   blocks of state   bytes in a step
    AEGIS128L    16      16           8                32
    AEGIS128X2   16      16          16                64
    AEGIS128X4   16      16          32               128
    AEGIS256     32      32           6                16
    AEGIS256X2   32      32          12                32
    AEGIS256X4   32      32          24                64

    Limits: 2^61 - 1 bytes of data and of associated data in a message. Never use one nonce
    for two messages under one key. Random nonces are safe for 2^48 messages of the 128s,
    and for any number of the 256s.
    """

    __slots__ = ()
    tag_lengths = (16, 32)

    @clean_traceback
    def __new__(
        cls,
        key: Buffer,
        *,
        tag_length: int = 16,
        backend: str | Backend | AEGISKernel | None = None,
    ) -> Self:
        size = _check.one_of("tag_length", tag_length, cls.tag_lengths)
        backend_class, name = registry.choose(cls, backend, kernels=True)
        return backend_class(key, name, size)

    @property
    def kernel(self) -> str:
        """The name of the kernel that does the work (see rijn.aegis_kernels()); of a
        backend in Python, its own."""
        return self.backend

    def unauthenticated_keystream(self, nonce: Buffer, size: int) -> bytes:
        """Returns `size` bytes of what encrypt would add to a message of zeros: a stream for
        simulations and tests. What is XORed with it, anyone can alter unseen, and a nonce
        that comes here must come nowhere else. Raises ValueError for a nonce of another size,
        OverflowError for a size that is negative or beyond 2^64 - 1."""
        raise NotMade


class AEGIS128L(AEGIS):
    """AEGIS-128L: keys and nonces of 16 bytes, the usual choice. See rijn.aegis.AEGIS."""

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (16,)
    nonce_sizes = range(16, 17)
    drawn_nonce_size = 16
    chunk_nonce_size = 16


class AEGIS128X2(AEGIS):
    """AEGIS-128X2: AEGIS-128L in two lanes, for wide vectors. See rijn.aegis.AEGIS."""

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (16,)
    nonce_sizes = range(16, 17)
    drawn_nonce_size = 16
    chunk_nonce_size = 16


class AEGIS128X4(AEGIS):
    """AEGIS-128X4: AEGIS-128L in four lanes, for wider vectors. See rijn.aegis.AEGIS."""

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (16,)
    nonce_sizes = range(16, 17)
    drawn_nonce_size = 16
    chunk_nonce_size = 16


class AEGIS256(AEGIS):
    """AEGIS-256: keys and nonces of 32 bytes. See rijn.aegis.AEGIS."""

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (32,)
    nonce_sizes = range(32, 33)
    drawn_nonce_size = 32
    chunk_nonce_size = 32


class AEGIS256X2(AEGIS):
    """AEGIS-256X2: AEGIS-256 in two lanes, for wide vectors. See rijn.aegis.AEGIS."""

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (32,)
    nonce_sizes = range(32, 33)
    drawn_nonce_size = 32
    chunk_nonce_size = 32


class AEGIS256X4(AEGIS):
    """AEGIS-256X4: AEGIS-256 in four lanes, for wider vectors. See rijn.aegis.AEGIS."""

    __slots__ = ()
    key_sizes: ClassVar[tuple[int]] = (32,)
    nonce_sizes = range(32, 33)
    drawn_nonce_size = 32
    chunk_nonce_size = 32
