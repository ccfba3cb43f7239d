"""Message authentication codes: CMAC and AEGISMAC."""

from __future__ import annotations

from typing import Literal, Self

from . import _check, registry
from ._check import Buffer
from ._key import Key, NotMade
from ._traceback import clean_traceback
from .aegis import AEGIS, AEGIS128L, AEGIS128X2, AEGIS128X4, AEGIS256, AEGIS256X2, AEGIS256X4
from .registry import Backend

Algorithm = Literal[
    "AEGIS-128L", "AEGIS-128X2", "AEGIS-128X4", "AEGIS-256", "AEGIS-256X2", "AEGIS-256X4"
]


class MAC(Key):
    """One message in pieces of any sizes: update for each piece, then finalize or verify.

    An object belongs to one thread at a time: a call that comes while another is at work
    raises RuntimeError. So does any call after finalize or verify.
    """

    __slots__ = ()

    def update(self, data: Buffer, /) -> None:
        """Takes the next piece, any C-contiguous buffer. Raises TypeError and BufferError for
        what is none, RuntimeError after finalize or verify."""
        raise NotMade

    def finalize(self) -> bytes:
        """Ends the message; returns its tag. Raises RuntimeError the second time, and after
        verify."""
        raise NotMade

    def verify(self, tag: Buffer, /) -> None:
        """Ends the message; raises InvalidTag unless `tag` is its whole tag. The
        comparison takes the same time wherever they differ. RuntimeError the second time,
        and after finalize."""
        raise NotMade

    def copy(self) -> Self:
        """Returns another object that has taken the same pieces. Raises RuntimeError after
        finalize or verify."""
        raise NotMade


class CMAC(MAC):
    """AES-CMAC (NIST SP 800-38B, RFC 4493). Tags have 16 bytes.

    CMAC(key, *, backend=None)

    key      16, 24 or 32 bytes.
    backend  the name or the record of a backend (see rijn.backends()); None for the choice of
             rijn.use_backend, or of RIJN_BACKEND, or else the best.

    Raises ValueError for wrong sizes, BackendError for the backend, TypeError and
    BufferError for what is no C-contiguous buffer.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)


class AEGISMAC(MAC):
    """AEGISMAC (RFC 10032 section 8): the tag of a message that is
    authenticated and not encrypted.

    AEGISMAC(key, nonce, *, algorithm="AEGIS-128L", tag_length=16, backend=None)

    key         16 bytes for the algorithms "AEGIS-128L", "AEGIS-128X2" and "AEGIS-128X4",
                32 for "AEGIS-256", "AEGIS-256X2" and "AEGIS-256X4".
    nonce       as long as the key. It may come again (zeros will do), but neither with
                this key nor with any other may the same key and nonce encrypt.
    tag_length  16 or 32.
    backend     as for CMAC; or the name of a kernel (see rijn.aegis_kernels()).
    """

    __slots__ = ()
    key_sizes = (16, 32)

    @clean_traceback
    def __new__(
        cls,
        key: Buffer,
        nonce: Buffer,
        *,
        algorithm: Algorithm = "AEGIS-128L",
        tag_length: int = 16,
        backend: str | Backend | None = None,
    ) -> Self:
        size = _check.one_of("tag_length", tag_length, variant(algorithm).tag_lengths)
        backend_class, name = registry.choose(cls, backend, kernels=True)
        return backend_class(key, name, nonce, algorithm, size)

    @property
    def kernel(self) -> str:
        """The name of the kernel that does the work (see rijn.aegis_kernels()); of a
        backend in Python, its own."""
        return self.backend


ALGORITHMS = {
    "AEGIS-128L": AEGIS128L,
    "AEGIS-128X2": AEGIS128X2,
    "AEGIS-128X4": AEGIS128X4,
    "AEGIS-256": AEGIS256,
    "AEGIS-256X2": AEGIS256X2,
    "AEGIS-256X4": AEGIS256X4,
}


def variant(algorithm: str) -> type[AEGIS]:
    """The AEAD class of one of AEGISMAC's algorithms. Raises ValueError."""
    if _check.text("algorithm", algorithm) not in ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(ALGORITHMS)}, not {algorithm!r}")
    return ALGORITHMS[algorithm]
