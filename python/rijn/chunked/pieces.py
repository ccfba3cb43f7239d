"""A message in pieces of any size, in order."""

from __future__ import annotations

from .. import _check
from .._check import Buffer
from .._traceback import clean_traceback
from .._uncopyable import Uncopyable
from ..incremental import OneAtATime
from ..registry import Backend
from .aeads import find_aead
from .errors import truncated
from .message import Message
from .sizes import CHUNK, PREFIX


class _Pieces:
    """Splits a stream into runs of whole pieces of `size` bytes, and keeps the rest."""

    __slots__ = ("held", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.held = bytearray()

    def cut(self, data: memoryview) -> list[memoryview]:
        runs = []
        if self.held:
            missing = self.size - len(self.held)
            self.held += data[:missing]
            data = data[missing:]
            if len(self.held) == self.size:
                runs.append(memoryview(self.held))
                self.held = bytearray()
        whole = len(data) - len(data) % self.size
        if whole:
            runs.append(data[:whole])
        self.held += data[whole:]
        return runs


def _state(name: str, message: Message | None, chunks: int, pieces: _Pieces | None) -> str:
    """Returns the text for a repr, with nothing about the key."""
    cipher = f" of {message.aead.name} on {message.backend}" if message else ""
    done = "over" if pieces is None else f"{chunks} chunks so far"
    return f"<rijn.chunked.{name}{cipher}, {done}>"


class Encryptor(OneAtATime):
    """Encrypts a message that arrives in pieces of any size::

        sealed = [encryptor.update(piece) for piece in pieces]
        message = b"".join([*sealed, encryptor.finalize()])

    It belongs to one thread at a time: a call during another thread's call raises RuntimeError. It
    can be neither copied nor pickled (TypeError). In a process that was forked since, it raises
    RuntimeError: two processes would repeat nonces. So it does after finalize, or after an error
    during the work, such as a lack of memory.

    :param key: uniformly random, as long as the AEAD's keys.
    :param aead: IANA's name or the short one; None for the default of the key's size.
    :param context: bytes that both sides know. Decryption needs the same.
    :param backend: a name, or an item of `rijn.backends()`.
    :raises ValueError: if the key's size or the name does not fit.
    """

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
    ) -> None:
        super().__init__()
        self._message = Message.new(key, aead=aead, context=context, backend=backend)
        self._pieces: _Pieces | None = _Pieces(CHUNK)
        self._chunks = 0  # sealed so far
        self._prefix = self._message.prefix  # to be returned before the next chunks

    def __repr__(self) -> str:
        return _state("Encryptor", self._message, self._chunks, self._pieces)

    def update(self, data: Buffer) -> bytes:
        """Encrypts the next piece.

        :param data: the next bytes of plaintext.
        :returns: the next bytes of the message. Data that does not fill a chunk waits for the next
            call.
        :raises RuntimeError: after finalize or an error.
        """
        view = memoryview(_check.readable("data", data))
        self._take_turn()
        try:
            pieces = self._take_pieces()
            runs = pieces.cut(view)
            sealed_chunk = self._message.sealed_chunk
            sealed = bytearray(sum(map(len, runs)) // CHUNK * sealed_chunk)
            done = 0
            for run in runs:
                chunks = len(run) // CHUNK
                buf = memoryview(sealed)[done : done + chunks * sealed_chunk]
                done += self._message.seal(self._chunks, run, buf, last=False)
                self._chunks += chunks
            output = self._prefix + sealed
            self._prefix = b""
            self._pieces = pieces  # only now: an error leaves the object closed
            return output
        finally:
            self._turn.append(None)

    def finalize(self) -> bytes:
        """Ends the message. Without this call it is truncated.

        :returns: the rest of the message.
        :raises RuntimeError: after finalize or an error.
        """
        self._take_turn()
        try:
            held = self._take_pieces().held
            sealed = bytearray(len(held) + self._message.aead.tag_size)
            self._message.seal(self._chunks, held, sealed, last=True)
            return self._prefix + sealed
        finally:
            self._turn.append(None)

    def _take_pieces(self) -> _Pieces:
        pieces, self._pieces = self._pieces, None
        if pieces is None:
            raise RuntimeError("the message is finalized, or an error was raised")
        return pieces


class Decryptor(Uncopyable):
    """Decrypts a message that arrives in pieces of any size.

    The plaintext that update returns is authentic and in its place. Only finalize makes sure that
    nothing is missing at the end. After finalize or an error, every call raises RuntimeError. It
    can be neither copied nor pickled (TypeError).

    :param key: as for `Encryptor`.
    :param aead: as for `Encryptor`.
    :param context: as for `Encryptor`.
    :param backend: as for `Encryptor`.
    :raises ValueError: if the key's size or the name does not fit.
    """

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
    ) -> None:
        self._key = bytes(_check.readable("key", key))
        self._aead = find_aead(aead, len(self._key))
        self._context = bytes(_check.readable("context", context))
        self._backend = None if backend is None else _check.text("backend", backend)
        self._message: Message | None = None  # known once the prefix is complete
        self._pieces: _Pieces | None = _Pieces(PREFIX)
        self._chunks = 0  # opened so far

    def __repr__(self) -> str:
        return _state("Decryptor", self._message, self._chunks, self._pieces)

    def _open_prefix(self, prefix: Buffer) -> Message:
        return Message.of(
            prefix, self._key, aead=self._aead.name, context=self._context, backend=self._backend
        )

    @clean_traceback
    def update(self, data: Buffer) -> bytes:
        """Decrypts the next piece.

        :param data: the next bytes of the message.
        :returns: the plaintext of the chunks that are complete now.
        :raises WrongKey, Damaged: if the prefix or a chunk does not authenticate.
        :raises RuntimeError: after finalize or an error.
        """
        if self._pieces is None:
            raise RuntimeError("the message is finalized, or an error was raised")
        view = memoryview(_check.readable("data", data))
        pieces, self._pieces = self._pieces, None
        if self._message is None:
            missing = PREFIX - len(pieces.held)
            pieces.held += view[:missing]
            view = view[missing:]
            if len(pieces.held) == PREFIX:
                self._message = self._open_prefix(pieces.held)
                pieces = _Pieces(self._message.sealed_chunk)
        plain = bytearray()
        if self._message is not None:
            runs = pieces.cut(view)
            plain = bytearray(sum(map(len, runs)) // pieces.size * CHUNK)
            done = 0
            for run in runs:
                chunks = len(run) // pieces.size
                buf = memoryview(plain)[done : done + chunks * CHUNK]
                done += self._message.open(self._chunks, run, buf, last=False)
                self._chunks += chunks
        self._pieces = pieces  # only now: an error leaves the object closed
        return bytes(plain)

    @clean_traceback
    def finalize(self) -> bytes:
        """Ends the message, and checks that it is complete.

        :returns: the rest of the plaintext.
        :raises WrongKey, Truncated, Damaged: if the message does not end here, or fails.
        :raises RuntimeError: after finalize or an error.
        """
        if self._pieces is None:
            raise RuntimeError("the message is finalized, or an error was raised")
        held, self._pieces = self._pieces.held, None
        message = self._message or self._open_prefix(held)
        if len(held) < message.aead.tag_size:
            raise truncated(message.offset(self._chunks) + len(held))
        plain = bytearray(len(held) - message.aead.tag_size)
        message.open(self._chunks, held, plain, last=True)
        return bytes(plain)
