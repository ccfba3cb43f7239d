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
    """One message in pieces of any size: call update for each piece, then finalize or verify.

    An object belongs to one thread at a time. A call during another thread's call raises
    RuntimeError, and every call after finalize or verify raises it too.
    """

    __slots__ = ()

    def update(self, data: Buffer, /) -> None:
        """Authenticates the next piece.

        :param data: any C-contiguous buffer.
        :raises TypeError: if `data` is not a buffer.
        :raises BufferError: if `data` is not C-contiguous.
        :raises RuntimeError: after finalize or verify.
        """
        raise NotMade

    def finalize(self) -> bytes:
        """Ends the message.

        :returns: the tag.
        :raises RuntimeError: after finalize or verify.
        """
        raise NotMade

    def verify(self, tag: Buffer, /) -> None:
        """Ends the message and compares its tag, in a time that does not depend on the difference.

        :param tag: the whole tag.
        :raises InvalidTag: if the tags differ.
        :raises RuntimeError: after finalize or verify.
        """
        raise NotMade

    def copy(self) -> Self:
        """Copies the state, so that two messages may begin with the same pieces.

        :returns: another object that has received the same pieces.
        :raises RuntimeError: after finalize or verify.
        """
        raise NotMade


class CMAC(MAC):
    """AES-CMAC (NIST SP 800-38B, RFC 4493). Tags have 16 bytes.

    :param key: 16, 24 or 32 bytes.
    :param backend: a name, or an item of `rijn.backends()`. None selects the backend of
        `rijn.use_backend`, or of RIJN_BACKEND, or else the best.
    :raises ValueError: if the key has another size.
    :raises BackendError: if the backend is unknown or cannot run here.
    :raises TypeError: if an argument is not a buffer.
    :raises BufferError: if a buffer is not C-contiguous.
    """

    __slots__ = ()
    key_sizes = (16, 24, 32)

    @clean_traceback
    def __new__(cls, key: Buffer, *, backend: str | Backend | None = None) -> Self:
        backend_class, name = registry.choose(cls, backend)
        return backend_class(key, name)


class AEGISMAC(MAC):
    """AEGISMAC (RFC 10032 section 8): authenticates a message without encrypting it.

    :param key: 16 bytes for the algorithms "AEGIS-128L", "AEGIS-128X2" and "AEGIS-128X4", 32 for
        "AEGIS-256", "AEGIS-256X2" and "AEGIS-256X4".
    :param nonce: as long as the key. It may repeat, and may be zeros. Never encrypt with a key
        and nonce that AEGISMAC uses.
    :param algorithm: one of the six names above.
    :param tag_length: 16 or 32.
    :param backend: as for CMAC, or the name of a kernel (see `rijn.aegis_kernels()`).
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
        """The name of the kernel in use (see `rijn.aegis_kernels()`). For a backend in Python, its
        own name.
        """
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
    """Returns the AEAD class of an algorithm of AEGISMAC. Raises ValueError for an unknown one."""
    if _check.text("algorithm", algorithm) not in ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(ALGORITHMS)}, not {algorithm!r}")
    return ALGORITHMS[algorithm]
