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
    """The base class of the six variants of AEGIS (RFC 10032).

    Sizes in bytes:

    =============  ===  =====  ============  ====
    class          key  nonce  state blocks  step
    =============  ===  =====  ============  ====
    AEGIS128L       16     16             8    32
    AEGIS128X2      16     16            16    64
    AEGIS128X4      16     16            32   128
    AEGIS256        32     32             6    16
    AEGIS256X2      32     32            12    32
    AEGIS256X4      32     32            24    64
    =============  ===  =====  ============  ====

    Never use one nonce for two messages under one key. Random nonces are safe for 2^48 messages
    with the 128s, and for any number with the 256s.

    Limits: 2^61 - 1 bytes of data and 2^61 - 1 bytes of associated data in a message.

    :param key: 16 bytes for the 128s, 32 for the 256s.
    :param tag_length: 16 or 32. An attacker finds two keys that accept one message in about 2^64
        attempts with 16 and 2^128 with 32, if the attacker cannot choose the associated data
        (RFC 10032, "Committing Security").
    :param backend: a name, or an item of `rijn.backends()` or `rijn.aegis_kernels()`. None
        selects the backend of `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
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
        """The name of the kernel in use (see `rijn.aegis_kernels()`). For a backend in Python, its
        own name.
        """
        return self.backend

    def unauthenticated_keystream(self, nonce: Buffer, size: int) -> bytes:
        """Returns the bytes that `encrypt` XORs with a message: for simulations and tests.

        Data that is XORed with them has no authentication: anyone can alter it unnoticed. Use such
        a nonce for nothing else.

        :param nonce: `nonce_sizes` bytes.
        :param size: the number of bytes.
        :returns: `size` bytes, the ciphertext of as many zeros.
        :raises ValueError: if the nonce has another size.
        :raises OverflowError: if `size` is negative or exceeds 2^64 - 1.
        """
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
