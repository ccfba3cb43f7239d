"""The keys of one message, and a whole message in memory."""

from __future__ import annotations

import hmac
import os

from .. import _check
from .._check import Buffer
from .._traceback import clean_traceback
from .._uncopyable import OneProcess, Uncopyable
from ..errors import InvalidTag
from ..registry import Backend
from .aeads import find_aead
from .errors import WRONG_KEY, Damaged, Truncated, WrongKey, truncated
from .sizes import CHUNK, COMMITMENT, PREFIX, SALT, check_count, plain_size, sealed_size

RIJN_FILE = b"Rijn file "  # the start of a file with a header (rijn.files), never of a salt
_LABEL = b"c2sp.org/chunked-encryption@v1+"


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
        check_count(start + len(view) // CHUNK + ends)
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
        check_count(start + whole + ends)
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
