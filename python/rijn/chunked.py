"""C2SP chunked encryption: long messages, in pieces, read from any place.

The format is c2sp.org/chunked-encryption version 1 with HKDF-Expand-SHA-512;
with AES-GCM it is "Cobblestone-128" and "Cobblestone-256". A message is

    salt[24] || commitment[32] || chunk 0 || chunk 1 || ... || last chunk

where each chunk is 16 KiB of plaintext sealed by the AEAD (16 bytes longer),
and the last one is always shorter than that, possibly empty. The commitment
tells a wrong key or context before anything is decrypted.

    encrypt, decrypt     a whole message in memory
    Encryptor, Decryptor a message in any pieces, in order
    Reader               a sealed file as a seekable file of plaintext
    Message              one message's keys; the three above stand on it

A key is uniformly random and as long as the AEAD's, which its length selects
unless `aead` names one. `context` is any bytes that both sides know; they are
bound into the keys. Nothing here opens files or decides where results go.
"""

from __future__ import annotations

import hmac
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, Protocol

from . import _check
from ._check import Buffer
from ._traceback import clean_traceback
from ._uncopyable import Own, Place
from .errors import InvalidTag
from .incremental import OneAtATime
from .registry import Backend

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

CHUNK = 16384  # plaintext bytes of every chunk but the last
SALT = 24
COMMITMENT = 32
PREFIX = SALT + COMMITMENT  # bytes before chunk 0
MAX_CHUNKS = 1 << 38

_LABEL = b"c2sp.org/chunked-encryption@v1+"
_READER_RUN = 64  # chunks that Reader opens with one call at most


class WrongKey(InvalidTag):
    """The commitment does not match: another key, another context or AEAD, or an altered prefix."""


class Damaged(InvalidTag):
    """A chunk does not authenticate.

    chunk   its number
    offset  where its first byte stands, counted from the start of the message
            (or of the file, where the message was said to begin elsewhere)
    """

    def __init__(self, text: str, chunk: int, offset: int) -> None:
        super().__init__(text)
        self.chunk = chunk
        self.offset = offset


class Truncated(InvalidTag):
    """The message stops before its end.

    Certain where it stops at a place where no message can. A message that was
    cut inside a chunk ends in a short chunk that does not authenticate, which
    damage to a genuine last chunk looks like as well; with sound chunks before
    it the cut is the likelier cause, and this is the error.

    offset  where it stops, or where the short chunk starts; counted as in Damaged
    """

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


class ChunkCipher(Protocol):
    """What chunked encryption asks of an AEAD class; rijn.aead.ChunkAEAD documents both calls."""

    @property
    def backend(self) -> str: ...

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer, /
    ) -> int: ...

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer, /
    ) -> int: ...


@dataclass(frozen=True, slots=True)
class Aead:
    """An AEAD under its name in the IANA registry "AEAD Algorithms" and under one that is
    shorter to type; sizes in bytes."""

    name: str
    short: str
    key_size: int
    nonce_size: int
    tag_size: int
    cipher: Callable[[bytes, str | Backend | None], ChunkCipher]  # from (key, backend)

    def __reduce__(self) -> tuple[Callable[[str], Aead], tuple[str]]:
        """Pickled by its name, as the records of AEADS are all there are."""
        return named_aead, (self.name,)


def _maker(name: str) -> Callable[[bytes, str | Backend | None], ChunkCipher]:
    """How to make objects of one of the public classes, imported when it is first needed."""

    def make(key: bytes, backend: str | Backend | None) -> ChunkCipher:
        found: ChunkCipher = _aead_class(name)(key, backend=backend)
        return found

    return make


@cache
def _aead_class(name: str) -> Any:
    from ._aeads import aead_class

    return aead_class(name)


# The first AEAD of a key size is that size's default.
AEADS = {
    aead.name: aead
    for aead in (
        Aead("AEAD_AES_128_GCM", "aes-128-gcm", 16, 12, 16, _maker("AESGCM")),
        Aead("AEAD_AES_256_GCM", "aes-256-gcm", 32, 12, 16, _maker("AESGCM")),
        Aead("AEAD_AEGIS128L", "aegis-128l", 16, 16, 16, _maker("AEGIS128L")),
        Aead("AEAD_AEGIS128X2", "aegis-128x2", 16, 16, 16, _maker("AEGIS128X2")),
        Aead("AEAD_AEGIS128X4", "aegis-128x4", 16, 16, 16, _maker("AEGIS128X4")),
        Aead("AEAD_AEGIS256", "aegis-256", 32, 32, 16, _maker("AEGIS256")),
        Aead("AEAD_AEGIS256X2", "aegis-256x2", 32, 32, 16, _maker("AEGIS256X2")),
        Aead("AEAD_AEGIS256X4", "aegis-256x4", 32, 32, 16, _maker("AEGIS256X4")),
    )
}


def named_aead(name: str) -> Aead:
    """The AEAD of that name, IANA's or the short one. ValueError."""
    _check.text("aead", name)
    for aead in AEADS.values():
        if name in (aead.name, aead.short):
            return aead
    known = [aead.short for aead in AEADS.values()]
    near = _check.near(name, known)
    raise ValueError(f"no AEAD is called {name!r}{near}; there are: {', '.join(known)}")


def find_aead(name: str | None, key_size: int) -> Aead:
    """The AEAD called `name`, or the default one for a key of `key_size` bytes.

    ValueError for an unknown name and for a size that does not fit.
    """
    key_size = _check.integer("key_size", key_size)
    if name is None:
        for aead in AEADS.values():
            if aead.key_size == key_size:
                return aead
        sizes = " or ".join(str(size) for size in sorted({a.key_size for a in AEADS.values()}))
        raise ValueError(f"key is {key_size} bytes; an AEAD takes {sizes}")
    aead = named_aead(name)
    if key_size != aead.key_size:
        raise ValueError(f"key is {key_size} bytes; {aead.name} takes {aead.key_size}")
    return aead


def sealed_size(size: int, aead: Aead) -> int:
    """The bytes of the message that holds `size` bytes of plaintext."""
    found = _check.natural("size", size)
    return PREFIX + found + (found // CHUNK + 1) * aead.tag_size


def plain_size(sealed: int, aead: Aead, *, start: int = 0) -> int:
    """Inverse of sealed_size: Truncated where no message has `sealed` bytes."""
    size, before = _check.natural("sealed", sealed), _check.integer("start", start)
    chunks, rest = divmod(size - PREFIX, CHUNK + aead.tag_size)
    if size < PREFIX or rest < aead.tag_size:
        raise truncated(before + size)
    _check_count(chunks + 1)
    return chunks * CHUNK + rest - aead.tag_size


def truncated(offset: int) -> Truncated:
    """The error for a message that stops at a place where none can."""
    return Truncated(f"the message stops at byte {offset}, before its last chunk", offset)


def _expand(keyed: hmac.HMAC, info: bytes, size: int) -> bytes:
    """HKDF-Expand with SHA-512 (RFC 5869 section 2.3), for size <= 255 * 64. `keyed` has hashed the
    key, and nothing else."""
    block = output = b""
    counter = 0
    while len(output) < size:
        counter += 1
        step = keyed.copy()
        step.update(block + info + bytes((counter,)))
        block = step.digest()
        output += block
    return output[:size]


class Message(Place):
    """The keys of one message: seals or opens runs of its chunks, in any order.

    May be shared by threads. `prefix` is what stands before chunk 0. It is neither copied
    nor pickled (TypeError), and in a process that was forked since it opens and does not
    seal (RuntimeError): no two processes may seal chunks of one number.
    """

    __slots__ = ("_cipher", "_nonce", "_start", "aead", "prefix", "sealed_chunk")

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        salt: Buffer,
        *,
        aead: str | None,
        context: Buffer,
        backend: str | Backend | None,
        start: int = 0,
    ) -> None:
        """The message that has this salt; `start` is its place in its file, for errors.

        Use `new` and `of`: a salt must never be used for two messages.
        """
        self._derive(
            Messages(key, aead=aead, context=context, backend=backend),
            _check.exactly(SALT, "salt", salt),
            _check.integer("start", start),
        )

    def _derive(self, messages: Messages, salt: bytes, start: int) -> None:
        super().__init__()
        self.aead = messages.aead
        key_size = self.aead.key_size
        keys_size = key_size + self.aead.nonce_size
        derived = messages.derived(salt, keys_size + COMMITMENT)
        self._cipher = self.aead.cipher(derived[:key_size], messages.backend)
        self._nonce = derived[key_size:keys_size]
        self._start = start
        self.prefix = salt + derived[keys_size:]
        self.sealed_chunk = CHUNK + self.aead.tag_size

    @property
    def backend(self) -> str:
        """The name of the backend at work."""
        return self._cipher.backend

    @classmethod
    @clean_traceback
    def new(
        cls,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
    ) -> Message:
        """A message to be encrypted, with a fresh random salt."""
        return Messages(key, aead=aead, context=context, backend=backend).new()

    @classmethod
    @clean_traceback
    def of(
        cls,
        prefix: Buffer,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
        start: int = 0,
    ) -> Message:
        """The message that begins with these 56 bytes: WrongKey, Truncated when they are fewer."""
        messages = Messages(key, aead=aead, context=context, backend=backend)
        return messages.of(prefix, start=start)

    def offset(self, chunk: int) -> int:
        """Where a chunk begins, counted as the errors count."""
        return self._start + PREFIX + _check.integer("chunk", chunk) * self.sealed_chunk

    def plain_size(self, sealed: int) -> int:
        """The plaintext bytes in a message of `sealed` bytes: Truncated if there is no such."""
        return plain_size(sealed, self.aead, start=self._start)

    def seal(self, first: int, data: Buffer, buf: Buffer, *, last: bool) -> int:
        """Seals data as the chunks number first, first + 1, ... into buf, which fits exactly.

        Unless the run is the last, data is whole chunks. Returns the bytes written.
        """
        self._stay()
        view = _check.readable("data", data)
        start, ends = _check.unsigned("first", first), _check.flag("last", last)
        _check_count(start + len(view) // CHUNK + ends)
        return self._cipher.seal_chunks(self._nonce, start, CHUNK, ends, view, buf)

    def open(self, first: int, data: Buffer, buf: Buffer, *, last: bool) -> int:
        """Inverse of seal: Damaged or Truncated, with buf zeroed, if any chunk fails.

        The last run ends in a chunk of at least a tag: see plain_size.
        """
        view = _check.readable("data", data)
        start, ends = _check.unsigned("first", first), _check.flag("last", last)
        whole = len(view) // self.sealed_chunk
        _check_count(start + whole + ends)
        try:
            return self._cipher.open_chunks(self._nonce, start, CHUNK, ends, view, buf)
        except InvalidTag as error:
            number = start if error.chunk is None else error.chunk
            offset = self.offset(number)
            if ends and number == start + whole:
                if number:
                    raise Truncated(
                        f"the message ends inside chunk {number} (from byte {offset}), "
                        "or that chunk is damaged",
                        offset,
                    ) from None
                text = f"the only chunk (from byte {offset}) does not authenticate or is cut short"
            else:
                text = f"chunk {number} (from byte {offset}) does not authenticate"
            raise Damaged(text, number, offset) from None


class Messages(Own):
    """Makes messages that share a key, an AEAD, a context and a backend, and prepares once what
    they share. ValueError for a key size or a name that does not fit."""

    __slots__ = ("_context", "_keyed", "_label", "aead", "backend")

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
    ) -> None:
        secret = bytes(_check.readable("key", key))
        self.aead = find_aead(aead, len(secret))
        self.backend = backend
        self._label = _LABEL + self.aead.name.encode() + b"\0"
        self._context = bytes(_check.readable("context", context))
        self._keyed = hmac.new(secret, digestmod="sha512")

    def derived(self, salt: bytes, size: int) -> bytes:
        """The secrets of the message that has this salt, and its commitment."""
        return _expand(self._keyed, self._label + salt + self._context, size)

    @clean_traceback
    def new(self) -> Message:
        """As Message.new."""
        return self._message(os.urandom(SALT), 0)

    @clean_traceback
    def of(self, prefix: Buffer, *, start: int = 0) -> Message:
        """As Message.of."""
        found = bytes(_check.readable("prefix", prefix))
        place = _check.integer("start", start)
        if len(found) < PREFIX:
            raise truncated(place + len(found))
        message = self._message(found[:SALT], place)
        if not hmac.compare_digest(message.prefix, found):
            raise WrongKey("the key commitment does not match: wrong key or context")
        return message

    def _message(self, salt: bytes, start: int) -> Message:
        message = Message.__new__(Message)
        message._derive(self, salt, start)
        return message


def _check_count(chunks: int) -> None:
    if chunks > MAX_CHUNKS:
        raise ValueError(f"{chunks} chunks; a message has at most 2^38 (4 PiB - 1 byte)")


@clean_traceback
def encrypt(
    key: Buffer,
    data: Buffer,
    *,
    aead: str | None = None,
    context: Buffer = b"",
    backend: str | Backend | None = None,
) -> bytes:
    """The message that holds `data`. ValueError for a key size or name that does not fit."""
    message = Message.new(key, aead=aead, context=context, backend=backend)
    view = _check.readable("data", data)
    sealed = bytearray(sealed_size(len(view), message.aead))
    sealed[:PREFIX] = message.prefix
    message.seal(0, view, memoryview(sealed)[PREFIX:], last=True)
    return bytes(sealed)


@clean_traceback
def decrypt(
    key: Buffer,
    data: Buffer,
    *,
    aead: str | None = None,
    context: Buffer = b"",
    backend: str | Backend | None = None,
) -> bytes:
    """The plaintext of a whole message. WrongKey, Damaged, Truncated (all InvalidTag)."""
    view = _check.readable("data", data)
    message = Message.of(view[:PREFIX], key, aead=aead, context=context, backend=backend)
    plain = bytearray(message.plain_size(len(view)))
    message.open(0, view[PREFIX:], plain, last=True)
    return bytes(plain)


class _Pieces:
    """Cuts a stream into runs of whole pieces of `size` bytes and holds back the rest."""

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
    """What a repr tells, which is nothing of the key."""
    cipher = f" of {message.aead.name} on {message.backend}" if message else ""
    done = "over" if pieces is None else f"{chunks} chunks so far"
    return f"<rijn.chunked.{name}{cipher}, {done}>"


class Encryptor(OneAtATime):
    """Encrypts a message that arrives in pieces of any sizes.

    message = b"".join([encryptor.update(piece) for piece in pieces] + [encryptor.finalize()])

    It belongs to one thread at a time: a call that comes while another is at work raises
    RuntimeError. It is neither copied nor pickled (TypeError), and of no use in a process that
    was forked since (RuntimeError): two could not go on from one place without repeating nonces.
    After finalize, or an error in the work (as when there is no memory), the object is of no
    further use (RuntimeError).
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
        self._prefix = self._message.prefix  # what is still to be handed out before them

    def __repr__(self) -> str:
        return _state("Encryptor", self._message, self._chunks, self._pieces)

    def update(self, data: Buffer) -> bytes:
        """The message's next bytes; it lags by what does not fill a chunk yet."""
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
        """The rest of the message. Without it the message is truncated."""
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


class Decryptor(Own):
    """Decrypts a message that arrives in pieces of any sizes.

    What update returns is authentic and in its place, but only when finalize
    has returned is it certain that nothing is missing after it. After that, or
    an error, the object is of no further use (RuntimeError). It is neither copied nor
    pickled (TypeError).
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
        """The plaintext of the chunks that data completes. WrongKey, Damaged."""
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
        """The last bytes, once the end of the message is authentic. Truncated, Damaged."""
        if self._pieces is None:
            raise RuntimeError("the message is finalized, or an error was raised")
        held, self._pieces = self._pieces.held, None
        message = self._message or self._open_prefix(held)
        if len(held) < message.aead.tag_size:
            raise truncated(message.offset(self._chunks) + len(held))
        plain = bytearray(len(held) - message.aead.tag_size)
        message.open(self._chunks, held, plain, last=True)
        return bytes(plain)


def read_full(source: BinaryIO, view: memoryview) -> int:
    """Reads until view is full or the source ends; returns the bytes read."""
    filled = 0
    while filled < len(view):
        count = source.readinto(view[filled:])  # type: ignore[attr-defined]
        if count is None:
            raise BlockingIOError("the source has nothing to read yet and does not wait")
        if not count:
            break
        filled += count
    return filled


def read_up_to(source: BinaryIO, size: int) -> bytes:
    """The next `size` bytes, or fewer where the source ends."""
    buffer = bytearray(size)
    return bytes(buffer[: read_full(source, memoryview(buffer))])


class Reader(Own, io.RawIOBase):
    """A sealed message as a seekable, read-only file of its plaintext.

    `source` is a seekable binary file whose current position is the start of
    the message and whose end is the message's. The last chunk is authenticated
    first of all, so that the size is the true one: WrongKey, Truncated and
    Damaged come from here too. Every read opens just the chunks it needs; one
    chunk is kept for small reads that follow each other. The source is left
    open, and belongs to the Reader until that is closed. One thread at a time.
    TypeError for a source without readinto, seek and tell.
    """

    @clean_traceback
    def __init__(
        self,
        source: BinaryIO,
        key: Buffer,
        *,
        aead: str | None = None,
        context: Buffer = b"",
        backend: str | Backend | None = None,
    ) -> None:
        super().__init__()
        if not all(hasattr(source, name) for name in ("readinto", "seek", "tell")):
            raise TypeError(f"source must be a seekable binary file, not {type(source).__name__}")
        start = source.tell()
        self._message = Message.of(
            read_up_to(source, PREFIX),
            key,
            aead=aead,
            context=context,
            backend=backend,
            start=start,
        )
        self._source = source
        self.size = self._message.plain_size(source.seek(0, os.SEEK_END) - start)
        self._position = 0
        self._kept = self.size // CHUNK  # the number of the chunk in _chunk
        self._chunk = self._open(self._kept, 1)

    def _open(self, first: int, count: int) -> memoryview:
        """The plaintext of `count` chunks; reaching the last one, they end the message."""
        message, final = self._message, self.size // CHUNK
        last = first + count > final
        size = min(count * CHUNK, self.size - first * CHUNK)
        sealed = memoryview(bytearray(size + count * message.aead.tag_size))
        self._source.seek(message.offset(first))
        found = read_full(self._source, sealed)
        if found < len(sealed):
            raise truncated(message.offset(first) + found)
        plain = bytearray(size)
        message.open(first, sealed, plain, last=last)
        return memoryview(plain)

    def readable(self) -> bool:
        return not self.closed

    def seekable(self) -> bool:
        return not self.closed

    def tell(self) -> int:
        self._check_open()
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Past the end is allowed and reads nothing, as with any file."""
        self._check_open()
        try:
            base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[
                _check.integer("whence", whence)
            ]
        except KeyError:
            raise ValueError(f"whence is {whence}; it is 0, 1 or 2") from None
        position = base + _check.integer("offset", offset)
        if position < 0:
            raise ValueError(f"seek to {position}, before the start")
        self._position = position
        return self._position

    @clean_traceback
    def read(self, size: int | None = -1, /) -> bytes:
        """At most `size` bytes from here, and b"" at the end; all that is left of None or a
        negative number. Damaged, Truncated."""
        self._check_open()
        wanted = -1 if size is None else _check.integer("size", size)
        left = max(0, self.size - self._position)
        data = bytearray(left if wanted < 0 else min(wanted, left))
        self.readinto(data)
        return bytes(data)

    @clean_traceback
    def readinto(self, buffer: Buffer, /) -> int:
        """Fills the buffer, except at the end of the plaintext. Damaged, Truncated."""
        self._check_open()
        target = _check.writable("buffer", buffer)
        target = target[: max(0, self.size - self._position)]
        done = 0
        while done < len(target):
            number, skip = divmod(self._position, CHUNK)
            if number == self._kept:
                part = self._chunk[skip:]
            else:
                count = min(-(-(skip + len(target) - done) // CHUNK), _READER_RUN)
                run = self._open(number, count)
                self._kept = number + count - 1
                self._chunk = run[(count - 1) * CHUNK :]
                part = run[skip:]
            part = part[: len(target) - done]
            target[done : done + len(part)] = part
            done += len(part)
            self._position += len(part)
        return done

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"at {self._position} of {self.size} bytes"
        return f"<rijn.chunked.Reader, {state}>"

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the reader is closed")
