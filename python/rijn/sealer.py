"""Sealer: encryption with random nonces that are counted."""

from __future__ import annotations

import os
from threading import Lock

from . import _check
from ._check import Buffer
from ._traceback import clean_traceback
from ._uncopyable import OneProcess
from .aead import AEAD, AESGCM, AESGCMSIV, XAES256GCM
from .aegis import AEGIS128L, AEGIS128X2, AEGIS128X4, AEGIS256, AEGIS256X2, AEGIS256X4
from .errors import InvalidTag

GCM_NONCE = 12

_ANY = 2**61 - 1  # bytes: any message

# Each class's limits: pairs of the longest message in bytes, and how many messages up to that
# size may have random nonces under one key. The first pair that fits the longest message applies.
LIMITS: dict[type[AEAD], tuple[tuple[int, int], ...]] = {
    AESGCM: ((_ANY, 2**32),),  # SP 800-38D section 8.3
    XAES256GCM: ((_ANY, 2**80),),  # c2sp.org/XAES-256-GCM
    # RFC 8452 section 9
    AESGCMSIV: ((2**14, 2**61), (2**20, 2**49), (2**27, 2**35), (2**30, 2**29)),
    # RFC 10032, "Key and Nonce Selection": 2^48, where two nonces are equal
    # with a probability of 2^-33; 2^112 with nonces of 32 bytes.
    **{cls: ((_ANY, 2**48),) for cls in (AEGIS128L, AEGIS128X2, AEGIS128X4)},
    **{cls: ((_ANY, 2**112),) for cls in (AEGIS256, AEGIS256X2, AEGIS256X4)},
}


class Sealer(OneProcess):
    """An AEAD that draws a random nonce for each message and puts it before the ciphertext::

        box = rijn.Sealer(rijn.AEGIS256(key))
        sealed = box.seal(b"attack at dawn")
        assert box.open(sealed) == b"attack at dawn"

    `seal` raises OverflowError when random nonces are no longer safe; then use another key. The
    limits are 2^32 messages with AESGCM, 2^48 with the AEGIS128s, 2^112 with the AEGIS256s and
    2^80 with XAES256GCM. With AESGCMSIV they are 2^61 messages of 16 KiB, 2^49 of 1 MiB, 2^35 of
    128 MiB or 2^29 of 1 GiB.

    Threads may share an object. It can be neither copied nor pickled (TypeError). In a process
    that was forked later, it opens, but `seal` raises RuntimeError: two processes would count the
    same messages. Make one in each process, and divide the limit among them with `messages`.

    :param aead: an AESGCM, AESGCMSIV, XAES256GCM or AEGIS object. Prefer XAES256GCM or AEGIS256,
        whose limits are out of reach.
    :param messages: how many messages this key has sealed before.
    """

    __slots__ = ("_aead", "_limits", "_lock", "_longest", "_messages", "_nonce_size")

    AFTER_FORK = (
        "two would count the same messages: make another in this process, and divide the limit "
        "by messages="
    )

    @clean_traceback  # `aead` may be the key itself
    def __init__(self, aead: AEAD, *, messages: int = 0) -> None:
        found = next((limits for cls, limits in LIMITS.items() if isinstance(aead, cls)), None)
        if found is None:
            names = ", ".join(cls.__name__ for cls in LIMITS)
            raise TypeError(f"aead must be one of {names}, not {type(aead).__name__}")
        super().__init__()
        self._messages = _check.natural("messages", messages)
        self._aead = aead
        self._limits = found
        self._lock = Lock()
        self._longest = 0
        self._nonce_size = GCM_NONCE if isinstance(aead, AESGCM) else aead.nonce_sizes[0]

    def __repr__(self) -> str:
        """Returns the algorithm, the backend and the count, and nothing about the key."""
        name, count = type(self._aead).__name__, self._messages
        return f"<rijn.Sealer of {name} on {self._aead.backend}, {count} messages sealed>"

    @property
    def messages(self) -> int:
        """The number of messages that this key has sealed."""
        return self._messages

    def seal(self, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts a message with a fresh random nonce.

        :param data: the plaintext.
        :param associated_data: authenticated too, and not part of the result.
        :returns: the nonce, the ciphertext and the tag.
        :raises OverflowError: if the limit is reached. Nothing is sealed then.
        :raises RuntimeError: in a process that was forked since.
        """
        self._check_process()
        view = _check.readable("data", data)
        ad = (
            None if associated_data is None else _check.readable("associated_data", associated_data)
        )
        self._count(len(view))
        nonce = os.urandom(self._nonce_size)
        return b"".join((nonce, self._aead.encrypt(nonce, view, ad)))

    def open(self, sealed: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Decrypts a message: the inverse of `seal`.

        :param sealed: the result of `seal`.
        :param associated_data: as for `seal`.
        :returns: the plaintext.
        :raises InvalidTag: unless `seal` made `sealed` with this key and associated data.
        """
        view = memoryview(_check.readable("sealed", sealed))
        if len(view) < self._nonce_size:
            raise InvalidTag
        nonce = view[: self._nonce_size]
        return self._aead.decrypt(nonce, view[self._nonce_size :], associated_data)

    def _count(self, size: int) -> None:
        with self._lock:
            longest = max(self._longest, size)
            most = next((most for bytes_, most in self._limits if longest <= bytes_), 0)
            if self._messages >= most:
                raise OverflowError(
                    f"this key has sealed {self._messages} messages, and random nonces are safe for "
                    f"at most {most} messages of up to {longest} bytes. Use another key"
                )
            self._longest = longest
            self._messages += 1
