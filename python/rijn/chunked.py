"""C2SP chunked encryption: long messages in chunks, written in pieces and read at any position.

The format is c2sp.org/chunked-encryption version 1 with HKDF-Expand-SHA-512. With AES-GCM it is
"Cobblestone-128" and "Cobblestone-256". A message is::

    salt[24] || commitment[32] || chunk 0 || chunk 1 || ... || last chunk

The AEAD seals 16 KiB of plaintext into each chunk, which is then 16 bytes longer. The last chunk is
always shorter than the others, and may be empty. The commitment reveals a wrong key or context
before anything is decrypted.

- encrypt, decrypt: a whole message in memory
- Encryptor, Decryptor: a message in pieces of any size, in order
- Reader: an encrypted file as a seekable file of plaintext
- Message: the keys of one message, which all of the above use

A key is uniformly random. Its length selects the AEAD, unless `aead` names one. `context` is any
bytes that both sides know: the keys depend on it. Nothing here opens files, or decides where
results go.
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
from ._uncopyable import OneProcess, Uncopyable
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

RIJN_FILE = b"Rijn file "  # the start of a file with a header (rijn.files), never of a salt
WRONG_KEY = "the key commitment does not match: wrong key or context"

_LABEL = b"c2sp.org/chunked-encryption@v1+"
_READER_RUN = 64  # chunks that Reader opens with one call at most
_READ_AHEAD = 32  # chunks that Reader opens at most before they are asked for
_KEPT = 64  # chunks that Reader keeps
_FEW = 4  # chunks: more of them are opened directly into the buffer of a read


class WrongKey(InvalidTag):
    """The commitment does not match: a wrong key, context or AEAD, or an altered prefix."""


class Damaged(InvalidTag):
    """A chunk does not authenticate.

    `chunk` is its number. `offset` is the position of its first byte in the message, or in the file
    if the start of the message was given.
    """

    def __init__(self, text: str, chunk: int, offset: int) -> None:
        super().__init__(text)
        self.chunk = chunk
        self.offset = offset


class Truncated(InvalidTag):
    """The message stops before its end.

    This is certain if it stops where no message can stop. Otherwise the last chunk, which is short,
    does not authenticate: the message was cut inside a chunk, or its last chunk is damaged. After
    sound chunks a cut is more likely, so this is the error then.

    `offset` is where the message stops or where the short chunk starts, counted as in Damaged.
    """

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


class ChunkCipher(Protocol):
    """The methods of an AEAD that chunked encryption needs. rijn.aead.ChunkAEAD documents them."""

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
    """An AEAD with its name in the IANA registry "AEAD Algorithms" and a shorter name. Sizes in
    bytes.
    """

    name: str
    short: str
    key_size: int
    nonce_size: int
    tag_size: int
    cipher: Callable[[bytes, str | Backend | None], ChunkCipher]  # from (key, backend)

    def __reduce__(self) -> tuple[Callable[[str], Aead], tuple[str]]:
        """Pickles the name, because every Aead is in AEADS."""
        return named_aead, (self.name,)


def _maker(name: str) -> Callable[[bytes, str | Backend | None], ChunkCipher]:
    """Returns a function that makes objects of a public class, which it imports at the first call."""

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
    """Returns the AEAD with a name of IANA or a short name.

    :param name: such as "AEAD_AES_128_GCM" or "aes-128-gcm".
    :raises ValueError: if the name is unknown.
    """
    _check.text("aead", name)
    for aead in AEADS.values():
        if name in (aead.name, aead.short):
            return aead
    known = [aead.short for aead in AEADS.values()]
    near = _check.near(name, known)
    raise ValueError(f"no AEAD is called {name!r}{near}; there are: {', '.join(known)}")


def find_aead(name: str | None, key_size: int) -> Aead:
    """Returns the AEAD for a key.

    :param name: IANA's name or the short one; None for the default of the key's size.
    :param key_size: bytes in the key.
    :raises ValueError: if the name is unknown, or the size does not fit.
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
    """Returns the size of a message in bytes.

    :param size: bytes of plaintext.
    :param aead: the AEAD of the message.
    """
    found = _check.natural("size", size)
    return PREFIX + found + (found // CHUNK + 1) * aead.tag_size


def plain_size(sealed: int, aead: Aead, *, start: int = 0) -> int:
    """Returns the size of a message's plaintext in bytes: the inverse of `sealed_size`.

    :param sealed: bytes of the message.
    :param aead: the AEAD of the message.
    :param start: the position of the message in its file, for the error.
    :raises Truncated: if no message has this size.
    """
    size, before = _check.natural("sealed", sealed), _check.integer("start", start)
    chunks, rest = divmod(size - PREFIX, CHUNK + aead.tag_size)
    if size < PREFIX or rest < aead.tag_size:
        raise truncated(before + size)
    _check_count(chunks + 1)
    return chunks * CHUNK + rest - aead.tag_size


def truncated(offset: int) -> Truncated:
    """Returns the error for a message that stops where no message can stop."""
    return Truncated(f"the message stops at byte {offset}, before its last chunk", offset)


def _expand(keyed: hmac.HMAC, info: bytes, size: int) -> bytes:
    """Returns HKDF-Expand with SHA-512 (RFC 5869 section 2.3), for size <= 255 * 64.

    `keyed` has hashed the key, and nothing else.
    """
    block = output = b""
    counter = 0
    while len(output) < size:
        counter += 1
        step = keyed.copy()
        step.update(block + info + bytes((counter,)))
        block = step.digest()
        output += block
    return output[:size]


class Message(OneProcess):
    """The keys of one message, which seal or open runs of its chunks in any order.

    Threads may share it. `prefix` is the bytes before chunk 0. It can be neither copied nor pickled
    (TypeError). In a process that was forked since, it opens, but `seal` raises RuntimeError: no
    two processes may seal chunks of one number.
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
        """Derives the keys for a salt. `start` is the message's position in its file, for errors.

        Use `new` and `of` instead: a salt must never be used for two messages.
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
        """The name of the backend in use."""
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
        """Makes a message to be encrypted, with a fresh random salt.

        :param key: uniformly random, as long as the AEAD's keys.
        :param aead: IANA's name or the short one; None for the default of the key's size.
        :param context: bytes that both sides know.
        :param backend: a name, or an item of `rijn.backends()`.
        :raises ValueError: if the key's size or the name does not fit.
        """
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
        """Makes the message that begins with a prefix, to be decrypted.

        :param prefix: its first 56 bytes.
        :param key: as for `new`.
        :param aead: as for `new`.
        :param context: as for `new`.
        :param backend: as for `new`.
        :param start: the position of the message in its file, for errors.
        :raises WrongKey: if the prefix does not belong to this key, AEAD and context.
        :raises Truncated: if there are fewer than 56 bytes.
        :raises ValueError: as `new`.
        """
        messages = Messages(key, aead=aead, context=context, backend=backend)
        return messages.of(prefix, start=start)

    def offset(self, chunk: int) -> int:
        """Returns the position of a chunk, counted from the start of the file.

        :param chunk: its number.
        """
        return self._start + PREFIX + _check.integer("chunk", chunk) * self.sealed_chunk

    def plain_size(self, sealed: int) -> int:
        """Returns the size of the plaintext in bytes.

        :param sealed: bytes of the message.
        :raises Truncated: if no message has this size.
        """
        return plain_size(sealed, self.aead, start=self._start)

    def seal(self, first: int, data: Buffer, buf: Buffer, *, last: bool) -> int:
        """Seals the chunks number first, first + 1, and so on.

        :param first: the number of the first chunk.
        :param data: whole chunks of plaintext. In the last run, a shorter one follows, possibly
            empty.
        :param buf: exactly as long as the sealed chunks.
        :param last: True if the run ends the message.
        :returns: the number of bytes written.
        :raises ValueError: if a size does not fit, or the message would have more than 2^38 chunks.
        :raises RuntimeError: in a process that was forked since.
        """
        self._check_process()
        view = _check.readable("data", data)
        start, ends = _check.unsigned("first", first), _check.flag("last", last)
        _check_count(start + len(view) // CHUNK + ends)
        return self._cipher.seal_chunks(self._nonce, start, CHUNK, ends, view, buf)

    def open(self, first: int, data: Buffer, buf: Buffer, *, last: bool) -> int:
        """Opens a run of chunks: the inverse of `seal`.

        If any chunk fails, all of `buf` is filled with zeros.

        :param first: the number of the first chunk.
        :param data: sealed chunks. The last run ends with a chunk that has at least a tag: see
            `plain_size`.
        :param buf: exactly as long as the plaintext.
        :param last: True if the run ends the message.
        :returns: the number of bytes written.
        :raises Damaged, Truncated: if a chunk fails.
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


class Messages(Uncopyable):
    """Makes messages that share a key, an AEAD, a context and a backend, and prepares the shared
    part once.

    :raises ValueError: if the key's size or the AEAD's name does not fit.
    """

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
        """Returns the secrets of the message with this salt, and its commitment."""
        return _expand(self._keyed, self._label + salt + self._context, size)

    @clean_traceback
    def new(self) -> Message:
        """Makes a message to be encrypted, as Message.new."""
        return self._message(os.urandom(SALT), 0)

    @clean_traceback
    def of(self, prefix: Buffer, *, start: int = 0) -> Message:
        """Makes the message that begins with a prefix, as Message.of."""
        found = bytes(_check.readable("prefix", prefix))
        place = _check.integer("start", start)
        if len(found) < PREFIX:
            raise truncated(place + len(found))
        message = self._message(found[:SALT], place)
        if not hmac.compare_digest(message.prefix, found):
            if found.startswith(RIJN_FILE):
                raise WrongKey(
                    "this is not a message alone but a Rijn file, which has a header: "
                    "read it with rijn.files.open or rijn.files.decrypt_file"
                )
            raise WrongKey(WRONG_KEY)
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
    """Encrypts a whole message in memory.

    :param key: uniformly random, as long as the AEAD's keys.
    :param data: the plaintext.
    :param aead: IANA's name or the short one; None for the default of the key's size.
    :param context: bytes that both sides know. Decryption needs the same.
    :param backend: a name, or an item of `rijn.backends()`.
    :returns: the message: `sealed_size` bytes.
    :raises ValueError: if the key's size or the name does not fit.
    """
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
    """Decrypts a whole message in memory: the inverse of `encrypt`.

    :param key: as for `encrypt`.
    :param data: the message.
    :param aead: as for `encrypt`.
    :param context: as for `encrypt`.
    :param backend: as for `encrypt`.
    :returns: the plaintext.
    :raises WrongKey, Damaged, Truncated: if the message does not authenticate. All are InvalidTag.
    :raises ValueError: as `encrypt`.
    """
    view = _check.readable("data", data)
    message = Message.of(view[:PREFIX], key, aead=aead, context=context, backend=backend)
    plain = bytearray(message.plain_size(len(view)))
    message.open(0, view[PREFIX:], plain, last=True)
    return bytes(plain)


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


def read_full(source: BinaryIO, view: memoryview) -> int:
    """Reads until `view` is full or the source ends. Returns the number of bytes read."""
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
    """Returns the next `size` bytes, or fewer if the source ends."""
    buffer = bytearray(size)
    return bytes(buffer[: read_full(source, memoryview(buffer))])


def _wipe(chunk: memoryview) -> None:
    chunk[:] = bytes(len(chunk))


class Reader(Uncopyable, io.RawIOBase):
    """An encrypted message as a seekable, read-only file of its plaintext.

    The last chunk is authenticated first, so the size is certain. Every read opens only the chunks
    that it needs. Reads that follow one another also open up to 32 chunks ahead. The reader keeps
    the last 64 chunks (1 MiB), and wipes them when it is closed. For one thread at a time. The
    source belongs to the Reader until the Reader is closed, which does not close it.

    :param source: a seekable binary file. The message is from its position to its end.
    :param key: as for `Encryptor`.
    :param aead: as for `Encryptor`.
    :param context: as for `Encryptor`.
    :param backend: as for `Encryptor`.
    :raises WrongKey, Truncated, Damaged: if the prefix or the last chunk does not authenticate.
    :raises TypeError: if `source` has no readinto, seek or tell.
    :raises ValueError: if the key's size or the name does not fit.
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
        self._kept: dict[int, memoryview] = {}  # chunks by number, the latest used last
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
        self._following = -1  # the chunk after the last opened run
        self._ahead = 1  # chunks to open at once; more if reads go on from there
        self._keep(self.size // CHUNK, 1)

    def _open(self, first: int, target: Buffer) -> None:
        """Opens the chunks from number `first` that fill the target. If they include the last chunk,
        they end the message.
        """
        message, size = self._message, len(memoryview(target))
        last = first * CHUNK + size == self.size
        count = size // CHUNK + last
        sealed = memoryview(bytearray(size + count * message.aead.tag_size))
        self._source.seek(message.offset(first))
        found = read_full(self._source, sealed)
        if found < len(sealed):
            raise truncated(message.offset(first) + found)
        message.open(first, sealed, target, last=last)

    def _keep(self, first: int, count: int) -> None:
        """Opens chunks and keeps them, for the oldest ones. A run of chunks ends at the last chunk."""
        run = memoryview(bytearray(min(count * CHUNK, self.size - first * CHUNK)))
        self._open(first, run)
        for number in range(first, first + count):
            start = (number - first) * CHUNK
            self._kept.pop(number, None)
            self._kept[number] = run[start : start + CHUNK]
        while len(self._kept) > _KEPT:
            _wipe(self._kept.pop(next(iter(self._kept))))

    def _plain(self, number: int, count: int) -> memoryview:
        """Returns the plaintext of a chunk. Opens it if it is not kept, with `count` chunks that the
        caller needs from there, and more if reads follow one another."""
        if number not in self._kept:
            self._ahead = min(2 * self._ahead, _READ_AHEAD) if number == self._following else 1
            most = min(_READ_AHEAD, self.size // CHUNK + 1 - number)
            needed, count = min(count, most), min(max(count, self._ahead), most)
            try:
                self._keep(number, count)
            except InvalidTag:
                if needed == count:
                    raise
                count, self._ahead = needed, 1  # nobody has asked for the bad chunk yet
                self._keep(number, count)
            self._following = number + count
        chunk = self._kept.pop(number)
        self._kept[number] = chunk
        return chunk

    def readable(self) -> bool:
        return not self.closed

    def seekable(self) -> bool:
        return not self.closed

    def tell(self) -> int:
        self._check_open()
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Moves to a position and returns it. It may be after the end, where reads return no bytes.

        :param offset: bytes, from the place that `whence` selects.
        :param whence: 0 for the start, 1 for the current position, 2 for the end.
        :raises ValueError: if the position is before the start.
        """
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
        """Reads plaintext from the current position.

        :param size: the most bytes to read. None or a negative number: all.
        :returns: the plaintext, empty at the end.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        self._check_open()
        wanted = -1 if size is None else _check.integer("size", size)
        left = max(0, self.size - self._position)
        data = bytearray(left if wanted < 0 else min(wanted, left))
        self.readinto(data)
        return bytes(data)

    @clean_traceback
    def readinto(self, buffer: Buffer, /) -> int:
        """Fills a buffer with plaintext from the current position.

        :param buffer: a writable buffer. It is filled, except at the end of the plaintext.
        :returns: the number of bytes read.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        self._check_open()
        target = _check.writable("buffer", buffer)
        target = target[: max(0, self.size - self._position)]
        done = 0
        while done < len(target):
            number, skip = divmod(self._position, CHUNK)
            left = len(target) - done
            direct = self._direct(number, left) if not skip else 0
            if direct:
                self._open(number, target[done : done + direct])
                self._following, self._ahead = number + -(-direct // CHUNK), _READ_AHEAD
                count = direct
            else:
                part = self._plain(number, -(-(skip + left) // CHUNK))[skip : skip + left]
                count = len(part)
                target[done : done + count] = part
            done += count
            self._position += count
        return done

    def _direct(self, number: int, left: int) -> int:
        """Returns how many bytes to open directly into the caller's buffer, from a chunk of which
        `left` bytes and more are wanted: whole chunks up to the next one that is kept, or 0 for
        few."""
        last = self.size // CHUNK
        count = min(left // CHUNK, _READER_RUN, last - number)  # the last chunk is kept at first
        found = next((n for n in range(count) if number + n in self._kept), count)
        return found * CHUNK if found > _FEW else 0

    def read1(self, size: int | None = -1, /) -> bytes:
        """Reads as `read` does, but without a size one chunk at most.

        :param size: the most bytes to read. None or a negative number: 16 KiB.
        :returns: the plaintext, empty at the end.
        :raises Damaged, Truncated: if a chunk does not authenticate.
        """
        if size is None or _check.integer("size", size) < 0:
            size = CHUNK
        return self.read(size)

    @clean_traceback
    def peek(self, size: int = 0, /) -> bytes:
        """Returns the plaintext from the current position to the end of its chunk, and stays there.

        :param size: ignored, as by io.BufferedReader.
        :returns: the plaintext, empty at the end.
        :raises Damaged, Truncated: if the chunk does not authenticate.
        """
        self._check_open()
        _check.integer("size", size)
        if self._position >= self.size:
            return b""
        number, skip = divmod(self._position, CHUNK)
        return bytes(self._plain(number, 1)[skip:])

    def close(self) -> None:
        """Wipes the plaintext that the reader keeps. Leaves the source open."""
        kept = getattr(self, "_kept", {})  # an object whose constructor raised has none
        while kept:
            _wipe(kept.popitem()[1])
        super().close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"at {self._position} of {self.size} bytes"
        return f"<rijn.chunked.Reader, {state}>"

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the reader is closed")
