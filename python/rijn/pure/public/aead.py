"""The classes of rijn.aead on the Python backends."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Self

from ... import _check, aead
from ..._check import BLOCK
from ..._uncopyable import OneProcess
from ...errors import InvalidTag
from ..backends import pure_backend
from .many import NONCE_MOST, Many
from .turn import take_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Buffer

    from ..blocks import Bytes
    from ..contract import MessageSealer, MessageStream, OnlineSealer, StringSealer

    Strings = list[Bytes]

CHUNK_TAG = 16


# The methods of every class of rijn.aead and rijn.aegis, using a sealer.
class AEAD(Many, aead.AEAD):
    __slots__ = ("_backend", "_sealer", "_short", "_strict", "_tag_length")
    _backend: str
    _sealer: MessageSealer
    _short: range  # nonce sizes that need short_nonces=True, if it was not given
    _strict: bool
    _tag_length: int

    def __new__(
        cls, key: Buffer, backend: str, tag_length: int = 16, *, strict: bool = False
    ) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._tag_length = tag_length
        self._short = range(0)
        self._strict = strict
        secret = _check.key(key, cls.key_sizes)
        self._sealer = pure_backend(backend, strict).sealer(cls.__name__, secret, tag_length)
        return self

    @property
    def backend(self) -> str:
        return self._backend

    @property
    def tag_length(self) -> int:
        return self._tag_length

    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        return self._seal(*self._message(nonce, data, associated_data, opening=False))

    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        return self._open(*self._message(nonce, data, associated_data, opening=True))

    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        number, view, ad = self._message(nonce, data, associated_data, opening=False)
        size = len(view) + self._tag_length
        apart = ("nonce", _check.readable("nonce", nonce)), ("associated_data", ad)
        target = _check.output(buf, size, view, *apart, in_place=True)
        target[:] = self._seal(number, view, ad)
        return len(target)

    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        number, view, ad = self._message(nonce, data, associated_data, opening=True)
        size = len(view) - self._tag_length
        apart = ("nonce", _check.readable("nonce", nonce)), ("associated_data", ad)
        target = _check.output(buf, size, view, *apart, in_place=True)
        try:
            target[:] = self._open(number, view, ad)
        except InvalidTag:
            target[:] = bytes(len(target))
            raise
        return len(target)

    def encrypt_detached(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None
    ) -> tuple[bytes, bytes]:
        return self._sealer.encrypt(*self._message(nonce, data, associated_data, opening=False))

    def decrypt_detached(
        self, nonce: Buffer, data: Buffer, tag: Buffer, associated_data: Buffer | None = None
    ) -> bytes:
        number, view = _check.readable("nonce", nonce), _check.readable("data", data)
        given = bytes(_check.readable("tag", tag))
        ad = b"" if associated_data is None else _check.readable("associated_data", associated_data)
        _check.nonce_size(len(number), self.nonce_sizes, self._short)
        if len(given) != self._tag_length:
            raise InvalidTag
        self._check_sizes(number, len(view))
        return self._open_apart(bytes(number), view, ad, given)

    def _message(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, *, opening: bool
    ) -> tuple[bytes, Bytes, Bytes]:
        number = _check.readable("nonce", nonce)
        view = _check.readable("data", data)
        ad = b"" if associated_data is None else _check.readable("associated_data", associated_data)
        _check.nonce_size(len(number), self.nonce_sizes, self._short)
        size = len(view) - self._tag_length if opening else len(view)
        if size < 0:
            raise InvalidTag
        self._check_sizes(number, size)
        return bytes(number), view, ad

    def _check_sizes(self, nonce: Bytes, size: int, name: str = "data") -> None:
        if size > self.data_max:
            raise ValueError(f"{name} is too long: at most {self.data_max} bytes")

    def _sizes(self) -> tuple[range, int, int]:
        return self.nonce_sizes, self.drawn_nonce_size, self._tag_length

    def _short_nonces(self) -> range:
        return self._short

    def _check_one(self, nonce: Bytes, size: int, name: str) -> None:
        self._check_sizes(nonce, size, name)

    def _seal_one(self, nonce: bytes, data: Bytes, ad: Bytes | None) -> bytes:
        return self._seal(nonce, data, ad or b"")

    def _open_one(self, nonce: bytes, data: Bytes, ad: Bytes | None) -> bytes:
        return self._open(nonce, data, ad or b"")

    def _seal(self, nonce: bytes, data: Bytes, ad: Bytes) -> bytes:
        ciphertext, tag = self._sealer.encrypt(nonce, data, ad)
        return ciphertext + tag

    def _open(self, nonce: bytes, data: Bytes, ad: Bytes) -> bytes:
        size = len(data) - self._tag_length
        return self._open_apart(nonce, data[:size], ad, bytes(data[size:]))

    def _open_apart(self, nonce: bytes, data: Bytes, ad: Bytes, given: bytes) -> bytes:
        plaintext, tag = self._sealer.decrypt(nonce, data, ad, given)
        if not compare_digest(tag, given):
            del plaintext, tag  # so that the traceback does not keep them
            raise InvalidTag
        return plaintext


class Stream(OneProcess):
    """A message of an OnlineAEAD in pieces: see rijn.incremental.Stream."""

    __slots__ = ("_left", "_state")

    def __init__(self, stream: MessageStream, data_max: int) -> None:
        super().__init__()
        self._state = [stream]
        self._left = data_max

    def crypt(self, data: Buffer, /) -> bytes:
        view = _check.readable("data", data)
        self._check_process()
        stream = take_state(self._state)
        try:
            if len(view) > self._left:
                raise ValueError(f"data is too long: at most {self._left} bytes more")
            self._left -= len(view)
            return stream.crypt(view)
        finally:
            self._state.append(stream)

    def crypt_into(self, data: Buffer, buf: Buffer) -> int:
        view = _check.readable("data", data)
        target = _check.output(buf, len(view), view, in_place=True)
        target[:] = self.crypt(view)
        return len(target)

    def tag(self) -> bytes:
        self._check_process()
        return take_state(self._state).tag()

    def verify(self, tag: Buffer, /) -> None:
        given = bytes(_check.readable("tag", tag))
        if not compare_digest(self.tag(), given):
            raise InvalidTag


# The classes of rijn.aead.ShortNonceAEAD.
class ShortNonceAEAD(AEAD, aead.ShortNonceAEAD):
    __slots__ = ()

    def __new__(
        cls,
        key: Buffer,
        backend: str,
        tag_length: int = 16,
        short_nonces: bool = False,
        *,
        strict: bool = False,
    ) -> Self:
        self = super().__new__(cls, key, backend, tag_length, strict=strict)
        if not short_nonces:
            self._short = cls.short_nonce_sizes
        return self


# Messages in pieces.
class OnlineAEAD(AEAD, aead.OnlineAEAD):
    __slots__ = ()
    _sealer: OnlineSealer

    def _stream(self, nonce: Buffer, associated_data: Buffer | None, opening: bool) -> Stream:
        number, _, ad = self._message(nonce, b"", associated_data, opening=False)
        stream = self._sealer.stream(number, ad, _check.flag("opening", opening))
        return Stream(stream, self.data_max)


# Runs of chunks.
class ChunkAEAD(OnlineAEAD, aead.ChunkAEAD):
    __slots__ = ()

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        base = _check.exactly(self.chunk_nonce_size, "nonce", nonce)
        number, chunk = _check.unsigned("first", first), _check.unsigned("chunk", chunk)
        ends = _check.flag("last", last)
        self._require_whole_tag("seal_chunks")
        view = _check.readable("data", data)
        if not 0 < chunk <= self.data_max or (not ends and len(view) % chunk):
            raise no_run(view, chunk)
        chunks = len(view) // chunk + ends
        size = len(view) + CHUNK_TAG * chunks
        apart = "nonce", _check.readable("nonce", nonce)
        target = _check.output(buf, size, view, apart, in_place=False)
        require_numbers(number, chunks)
        for i in range(chunks):
            sealed = self._seal(
                chunk_nonce(base, number + i), view[i * chunk : (i + 1) * chunk], b""
            )
            start = i * (chunk + CHUNK_TAG)
            target[start : start + len(sealed)] = sealed
        return len(target)

    def open_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        base = _check.exactly(self.chunk_nonce_size, "nonce", nonce)
        number, chunk = _check.unsigned("first", first), _check.unsigned("chunk", chunk)
        ends = _check.flag("last", last)
        self._require_whole_tag("open_chunks")
        view = _check.readable("data", data)
        sealed_chunk = chunk + CHUNK_TAG
        whole, rest = divmod(len(view), sealed_chunk)
        if not 0 < chunk <= self.data_max or (rest < CHUNK_TAG if ends else rest):
            raise no_run(view, chunk)
        chunks = whole + ends
        size = len(view) - CHUNK_TAG * chunks
        apart = "nonce", _check.readable("nonce", nonce)
        target = _check.output(buf, size, view, apart, in_place=False)
        require_numbers(number, chunks)
        for i in range(chunks):
            sealed = view[i * sealed_chunk : (i + 1) * sealed_chunk]
            part = target[i * chunk : (i + 1) * chunk]
            try:
                part[:] = self._open(chunk_nonce(base, number + i), sealed, b"")
            except InvalidTag:
                target[:] = bytes(len(target))
                raise InvalidTag(chunk=number + i) from None
        return len(target)

    def _require_whole_tag(self, method: str) -> None:
        if self._tag_length != CHUNK_TAG:
            raise ValueError(f"{method} needs a tag_length of 16")


def chunk_nonce(base: bytes, number: int) -> bytes:
    return (int.from_bytes(base, "big") ^ number).to_bytes(len(base), "big")


def no_run(data: Bytes, chunk: int) -> ValueError:
    return ValueError(f"data of {len(data)} bytes is not a run of chunks of {chunk} bytes")


def require_numbers(first: int, chunks: int) -> None:
    """Raises OverflowError for chunk numbers of more than 64 bits."""
    if first + chunks > 2**64:
        raise OverflowError(
            f"chunk numbers end at 2^64 - 1: no {chunks} chunks from number {first} on"
        )


class AESGCM(ChunkAEAD, ShortNonceAEAD, aead.AESGCM):
    __slots__ = ()

    @property
    def strict(self) -> bool:
        return self._strict

    def encrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes:
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        return super().encrypt(nonce, data, associated_data)

    def decrypt(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes:
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        return super().decrypt(nonce, data, associated_data)

    def encrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: int = 1,
    ) -> int:
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        return super().encrypt_into(nonce, data, associated_data, buf)

    def decrypt_into(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None,
        buf: Buffer,
        *,
        threads: int = 1,
    ) -> int:
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        return super().decrypt_into(nonce, data, associated_data, buf)

    def encrypt_detached(
        self,
        nonce: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> tuple[bytes, bytes]:
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        return super().encrypt_detached(nonce, data, associated_data)

    def decrypt_detached(
        self,
        nonce: Buffer,
        data: Buffer,
        tag: Buffer,
        associated_data: Buffer | None = None,
        *,
        threads: int = 1,
    ) -> bytes:
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        return super().decrypt_detached(nonce, data, tag, associated_data)


class AESGCMSIV(AEAD, aead.AESGCMSIV):
    __slots__ = ()


class XAES256GCM(OnlineAEAD, aead.XAES256GCM):
    __slots__ = ()


class AESCCM(AEAD, aead.AESCCM):
    __slots__ = ()

    def _check_sizes(self, nonce: Bytes, size: int, name: str = "data") -> None:
        most = 2 ** (8 * (15 - len(nonce))) - 1
        if size > most:
            raise ValueError(
                f"{name} is too long: at most {most} bytes with a nonce of {len(nonce)}"
            )


class AESOCB3(OnlineAEAD, ShortNonceAEAD, aead.AESOCB3):
    __slots__ = ()


class AESEAX(OnlineAEAD, ShortNonceAEAD, aead.AESEAX):
    __slots__ = ()


class AESSIV(Many, aead.AESSIV):
    __slots__ = ("_backend", "_siv")
    _backend: str
    _siv: StringSealer

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._siv = pure_backend(backend).siv(_check.key(key, cls.key_sizes))
        return self

    @property
    def backend(self) -> str:
        return self._backend

    def encrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        view = _check.readable("data", data)
        ciphertext, tag = self._siv.encrypt(copied(strings(associated_data)), view)
        return tag + ciphertext

    def decrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        view = _check.readable("data", data)
        return self._open(view, strings(associated_data))

    def encrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        view = _check.readable("data", data)
        found = strings(associated_data)
        target = _check.output(buf, BLOCK + len(view), view, *apart(found), in_place=True)
        ciphertext, tag = self._siv.encrypt(copied(found), view)
        target[:] = tag + ciphertext
        return len(target)

    def decrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        view = _check.readable("data", data)
        found = strings(associated_data)
        if len(view) < BLOCK:
            raise InvalidTag
        target = _check.output(buf, len(view) - BLOCK, view, *apart(found), in_place=True)
        try:
            target[:] = self._open(view, found)
        except InvalidTag:
            target[:] = bytes(len(target))
            raise
        return len(target)

    def encrypt_detached(
        self, data: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> tuple[bytes, bytes]:
        view = _check.readable("data", data)
        return self._siv.encrypt(copied(strings(associated_data)), view)

    def decrypt_detached(
        self, data: Buffer, tag: Buffer, associated_data: Sequence[Buffer] | None = None
    ) -> bytes:
        view, given = _check.readable("data", data), bytes(_check.readable("tag", tag))
        found = strings(associated_data)
        if len(given) != BLOCK:
            raise InvalidTag
        return self._open_apart(view, found, given)

    def _sizes(self) -> tuple[range, int, int]:
        return range(1, NONCE_MOST + 1), 0, BLOCK

    def _check_one(self, nonce: Bytes, size: int, name: str) -> None:
        pass

    def _seal_one(self, nonce: bytes, data: Bytes, ad: Bytes | None) -> bytes:
        ciphertext, tag = self._siv.encrypt(one_each(nonce, ad), data)
        return tag + ciphertext

    def _open_one(self, nonce: bytes, data: Bytes, ad: Bytes | None) -> bytes:
        return self._open(data, list(one_each(nonce, ad)))

    def _open(self, data: Bytes, found: Strings) -> bytes:
        if len(data) < BLOCK:
            raise InvalidTag
        return self._open_apart(data[BLOCK:], found, bytes(data[:BLOCK]))

    def _open_apart(self, data: Bytes, found: Strings, given: bytes) -> bytes:
        plaintext, tag = self._siv.decrypt(copied(found), data, given)
        if not compare_digest(tag, given):
            del plaintext, tag  # so that the traceback does not keep them
            raise InvalidTag
        return plaintext


def one_each(nonce: bytes, ad: Bytes | None) -> list[bytes]:
    """Returns the strings for one of many messages."""
    return [bytes(s) for s in (ad, nonce or None) if s is not None]


SIV_STRINGS = 126  # RFC 5297 section 7


def is_list(value: object) -> bool:
    """Returns True for an iterable that is not a text or a single buffer of bytes."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return not isinstance(value, (str, bytes, bytearray, memoryview))


def strings(associated_data: Sequence[Buffer] | None) -> Strings:
    if associated_data is None:
        return []
    if not is_list(associated_data):
        found = type(associated_data).__name__
        raise TypeError(f"associated_data must be a list of bytes-like objects, not {found}")
    given = list(associated_data)
    if len(given) > SIV_STRINGS:
        raise ValueError(f"at most {SIV_STRINGS} associated strings, not {len(given)}")
    return [_check.readable(f"associated_data[{i}]", each) for i, each in enumerate(given)]


def copied(found: Strings) -> list[bytes]:
    return [bytes(string) for string in found]


def apart(found: Strings) -> list[tuple[str, Bytes]]:
    return [("associated_data", string) for string in found]
