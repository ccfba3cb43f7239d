"""The faces of the pure-Python backends: argument checks, padding and tags around what
contract.py asks of a rung, which knows one key and nothing of mistakes."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Self, TypeVar

from .. import _check, aead, aegis, block, mac, wrap
from .._check import BLOCK
from .._own import Place
from ..errors import InvalidTag
from .contract import STRICT, engine_class, family

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Buffer

    from .contract import SIV, XTS, AEGISSealer, MACState, OnlineSealer, Raw, Sealer, SealerStream

    T = TypeVar("T")
    Strings = list[bytes | memoryview]

CHUNK_TAG = 16


class AES(block.AES):
    __slots__ = ("_backend", "_engine")
    _backend: str
    _engine: Raw

    def __new__(cls, key: Buffer, backend: str, *, strict: bool = False) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._engine = engine_class(STRICT if strict else backend)(_check.key(key))
        return self

    @property
    def backend(self) -> str:
        return self._backend

    def ecb_encrypt(self, data: Buffer) -> bytes:
        view = _check.readable(data)
        _check.whole_blocks(len(view))
        return self._engine.ecb_encrypt(view)

    def ecb_decrypt(self, data: Buffer) -> bytes:
        view = _check.readable(data)
        _check.whole_blocks(len(view))
        return self._engine.ecb_decrypt(view)

    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        previous = _check.exactly(BLOCK, "iv", iv)
        padded = _check.flag("pkcs7", pkcs7)
        view = _check.readable(data)
        if not padded:
            _check.whole_blocks(len(view))
            return self._engine.cbc_encrypt(previous, view)
        whole = len(view) // BLOCK * BLOCK
        padding = BLOCK - (len(view) - whole)
        body = self._engine.cbc_encrypt(previous, view[:whole])
        last = bytes(view[whole:]) + bytes([padding]) * padding
        return body + self._engine.cbc_encrypt(body[-BLOCK:] or previous, last)

    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        previous = _check.exactly(BLOCK, "iv", iv)
        padded = _check.flag("pkcs7", pkcs7)
        view = _check.readable(data)
        _check.whole_blocks(len(view))
        plaintext = self._engine.cbc_decrypt(previous, view)
        if not padded:
            return plaintext
        padding = plaintext[-1] if plaintext else 0
        if not 1 <= padding <= BLOCK or not plaintext.endswith(bytes([padding]) * padding):
            raise ValueError("invalid padding")
        return plaintext[:-padding]

    def cfb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb_encrypt(_check.exactly(BLOCK, "iv", iv), _check.readable(data))

    def cfb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb_decrypt(_check.exactly(BLOCK, "iv", iv), _check.readable(data))

    def cfb8_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb8_encrypt(_check.exactly(BLOCK, "iv", iv), _check.readable(data))

    def cfb8_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb8_decrypt(_check.exactly(BLOCK, "iv", iv), _check.readable(data))

    def ofb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.ofb(_check.exactly(BLOCK, "iv", iv), _check.readable(data))

    def ofb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self.ofb_encrypt(iv, data)

    def ige_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        chain = _check.exactly(2 * BLOCK, "iv", iv)
        view = _check.readable(data)
        _check.whole_blocks(len(view))
        return self._engine.ige_encrypt(chain, view)

    def ige_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        chain = _check.exactly(2 * BLOCK, "iv", iv)
        view = _check.readable(data)
        _check.whole_blocks(len(view))
        return self._engine.ige_decrypt(chain, view)

    def ctr_encrypt(
        self, counter: Buffer, data: Buffer, *, width: int = 128, byteorder: str = "big"
    ) -> bytes:
        first = _check.exactly(BLOCK, "counter", counter)
        view = _check.readable(data)
        bits = _check.counter_width(width, byteorder)
        if bits == 128 and byteorder == "big":
            return self._engine.ctr(first, view)
        if len(view) > BLOCK << bits:
            raise ValueError(f"data is too long for a counter of {bits} bits")
        return self._engine.ctr_of(first, view, bits, byteorder)

    def ctr_decrypt(
        self, counter: Buffer, data: Buffer, *, width: int = 128, byteorder: str = "big"
    ) -> bytes:
        return self.ctr_encrypt(counter, data, width=width, byteorder=byteorder)


class AESXTS(block.AESXTS):
    __slots__ = ("_backend", "_xts")
    _backend: str
    _xts: XTS

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        pair = _check.key(key, cls.key_sizes)
        half = len(pair) // 2
        if compare_digest(pair[:half], pair[half:]):
            raise ValueError("the two halves of an XTS key must differ")
        self._xts = family(backend).xts(pair)
        return self

    @property
    def backend(self) -> str:
        return self._backend

    def encrypt(self, tweak: Buffer, data: Buffer) -> bytes:
        return self._xts.encrypt(*self._sector(tweak, data))

    def decrypt(self, tweak: Buffer, data: Buffer) -> bytes:
        return self._xts.decrypt(*self._sector(tweak, data))

    def _sector(self, tweak: Buffer, data: Buffer) -> tuple[bytes, bytes | memoryview]:
        start = _check.exactly(BLOCK, "tweak", tweak)
        view = _check.readable(data)
        if not BLOCK <= len(view) <= self.data_max:
            raise ValueError(f"data must be 16 to {self.data_max} bytes, not {len(view)}")
        return start, view


class AEAD(aead.AEAD):
    """The work of every class of rijn.aead and rijn.aegis, over a sealer."""

    __slots__ = ("_backend", "_sealer", "_tag_length")
    _backend: str
    _sealer: Sealer
    _tag_length: int

    def __new__(
        cls, key: Buffer, backend: str, tag_length: int = 16, *, strict: bool = False
    ) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._tag_length = tag_length
        make = family(STRICT if strict else backend).sealers[cls.__name__]
        self._sealer = make(_check.key(key, cls.key_sizes), tag_length)
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
        apart = ("nonce", _check.readable(nonce)), ("associated_data", ad)
        target = _check.output(buf, size, view, *apart, in_place=True)
        target[:] = self._seal(number, view, ad)
        return len(target)

    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        number, view, ad = self._message(nonce, data, associated_data, opening=True)
        size = len(view) - self._tag_length
        apart = ("nonce", _check.readable(nonce)), ("associated_data", ad)
        target = _check.output(buf, size, view, *apart, in_place=True)
        try:
            target[:] = self._open(number, view, ad)
        except InvalidTag:
            target[:] = bytes(len(target))
            raise
        return len(target)

    def _message(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, *, opening: bool
    ) -> tuple[bytes, bytes | memoryview, bytes | memoryview]:
        number = _check.readable(nonce)
        view = _check.readable(data)
        ad = b"" if associated_data is None else _check.readable(associated_data)
        number = _check.nonce(number, self.nonce_sizes)
        size = len(view) - self._tag_length if opening else len(view)
        if size < 0:
            raise InvalidTag
        self._check_sizes(number, size, ad)
        return number, view, ad

    def _check_sizes(self, nonce: bytes, size: int, ad: bytes | memoryview) -> None:
        if size > self.data_max:
            raise ValueError(f"data is too long: at most {self.data_max} bytes")

    def _seal(self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview) -> bytes:
        ciphertext, tag = self._sealer.encrypt(nonce, data, ad)
        return ciphertext + tag

    def _open(self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview) -> bytes:
        size = len(data) - self._tag_length
        given = bytes(data[size:])
        plaintext, tag = self._sealer.decrypt(nonce, data[:size], ad, given)
        if not compare_digest(tag, given):
            raise InvalidTag
        return plaintext


def take(state: list[T]) -> T:
    """What a call works on, and puts back unless it ends the message: so another finds none.
    Taking the last item of a list is one step, whatever threads there are."""
    try:
        return state.pop()
    except IndexError:
        raise RuntimeError(
            "finalize or verify has been called, or another thread is at work"
        ) from None


class Stream(Place):
    """A message of an OnlineAEAD in pieces: see rijn.incremental.Stream."""

    __slots__ = ("_left", "_state")

    def __init__(self, stream: SealerStream, data_max: int) -> None:
        super().__init__()
        self._state = [stream]
        self._left = data_max

    def crypt(self, data: Buffer, /) -> bytes:
        view = _check.readable(data)
        self._stay()
        stream = take(self._state)
        try:
            if len(view) > self._left:
                raise ValueError(f"data is too long: at most {self._left} bytes more")
            self._left -= len(view)
            return stream.crypt(view)
        finally:
            self._state.append(stream)

    def crypt_into(self, data: Buffer, buf: Buffer) -> int:
        view = _check.readable(data)
        target = _check.output(buf, len(view), view, in_place=True)
        target[:] = self.crypt(view)
        return len(target)

    def tag(self) -> bytes:
        self._stay()
        return take(self._state).tag()

    def verify(self, tag: Buffer, /) -> None:
        given = bytes(_check.readable(tag))
        if not compare_digest(self.tag(), given):
            raise InvalidTag


class OnlineAEAD(AEAD, aead.OnlineAEAD):
    """Piece by piece."""

    __slots__ = ()
    _sealer: OnlineSealer

    def stream(self, nonce: Buffer, associated_data: Buffer | None, opening: bool) -> Stream:
        number, _, ad = self._message(nonce, b"", associated_data, opening=False)
        stream = self._sealer.stream(number, ad, _check.flag("opening", opening))
        return Stream(stream, self.data_max)


class ChunkAEAD(OnlineAEAD, aead.ChunkAEAD):
    """Chunk by chunk."""

    __slots__ = ()

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        base = _check.exactly(self.chunk_nonce_size, "nonce", nonce)
        number, chunk = _check.unsigned("first", first), _check.unsigned("chunk", chunk)
        ends = _check.flag("last", last)
        self._require_whole_tag("seal_chunks")
        view = _check.readable(data)
        if not 0 < chunk <= self.data_max or (not ends and len(view) % chunk):
            raise no_run(view, chunk)
        chunks = len(view) // chunk + ends
        size = len(view) + CHUNK_TAG * chunks
        apart = "nonce", _check.readable(nonce)
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
        view = _check.readable(data)
        sealed_chunk = chunk + CHUNK_TAG
        whole, rest = divmod(len(view), sealed_chunk)
        if not 0 < chunk <= self.data_max or (rest < CHUNK_TAG if ends else rest):
            raise no_run(view, chunk)
        chunks = whole + ends
        size = len(view) - CHUNK_TAG * chunks
        apart = "nonce", _check.readable(nonce)
        target = _check.output(buf, size, view, apart, in_place=False)
        require_numbers(number, chunks)
        for i in range(chunks):
            sealed = view[i * sealed_chunk : (i + 1) * sealed_chunk]
            try:
                plaintext = self._open(chunk_nonce(base, number + i), sealed, b"")
            except InvalidTag:
                target[:] = bytes(len(target))
                raise InvalidTag(chunk=number + i) from None
            target[i * chunk : i * chunk + len(plaintext)] = plaintext
        return len(target)

    def _require_whole_tag(self, method: str) -> None:
        if self._tag_length != CHUNK_TAG:
            raise ValueError(f"{method} needs a tag_length of 16")


def chunk_nonce(base: bytes, number: int) -> bytes:
    return (int.from_bytes(base, "big") ^ number).to_bytes(len(base), "big")


def no_run(data: bytes | memoryview, chunk: int) -> ValueError:
    return ValueError(f"data of {len(data)} bytes is no run of chunks of {chunk} bytes")


def require_numbers(first: int, chunks: int) -> None:
    """Chunk numbers have 64 bits."""
    if first + chunks > 2**64:
        raise ValueError("the data are no whole number of blocks, or too long for the mode")


class AESGCM(ChunkAEAD, aead.AESGCM):
    __slots__ = ()


class AESGCMSIV(AEAD, aead.AESGCMSIV):
    __slots__ = ()


class XAES256GCM(OnlineAEAD, aead.XAES256GCM):
    __slots__ = ()


class AESCCM(AEAD, aead.AESCCM):
    __slots__ = ()

    def _check_sizes(self, nonce: bytes, size: int, ad: bytes | memoryview) -> None:
        most = 2 ** (8 * (15 - len(nonce))) - 1
        if size > most:
            raise ValueError(f"data is too long: at most {most} bytes with a nonce of {len(nonce)}")


class AESOCB3(OnlineAEAD, aead.AESOCB3):
    __slots__ = ()


class AESEAX(OnlineAEAD, aead.AESEAX):
    __slots__ = ()


class AESSIV(aead.AESSIV):
    __slots__ = ("_backend", "_siv")
    _backend: str
    _siv: SIV

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._siv = family(backend).siv(_check.key(key, cls.key_sizes))
        return self

    @property
    def backend(self) -> str:
        return self._backend

    def encrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        view = _check.readable(data)
        ciphertext, tag = self._siv.encrypt(copied(strings(associated_data)), view)
        return tag + ciphertext

    def decrypt(self, data: Buffer, associated_data: Sequence[Buffer] | None = None) -> bytes:
        view = _check.readable(data)
        return self._open(view, strings(associated_data))

    def encrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        view = _check.readable(data)
        found = strings(associated_data)
        target = _check.output(buf, BLOCK + len(view), view, *apart(found), in_place=False)
        ciphertext, tag = self._siv.encrypt(copied(found), view)
        target[:] = tag + ciphertext
        return len(target)

    def decrypt_into(
        self, data: Buffer, associated_data: Sequence[Buffer] | None, buf: Buffer
    ) -> int:
        view = _check.readable(data)
        found = strings(associated_data)
        if len(view) < BLOCK:
            raise InvalidTag
        target = _check.output(buf, len(view) - BLOCK, view, *apart(found), in_place=False)
        try:
            target[:] = self._open(view, found)
        except InvalidTag:
            target[:] = bytes(len(target))
            raise
        return len(target)

    def _open(self, data: bytes | memoryview, found: Strings) -> bytes:
        if len(data) < BLOCK:
            raise InvalidTag
        given = bytes(data[:BLOCK])
        plaintext, tag = self._siv.decrypt(copied(found), data[BLOCK:], given)
        if not compare_digest(tag, given):
            raise InvalidTag
        return plaintext


SIV_STRINGS = 126  # RFC 5297 section 7


def strings(associated_data: Sequence[Buffer] | None) -> Strings:
    given = [] if associated_data is None else list(associated_data)
    if len(given) > SIV_STRINGS:
        raise ValueError(f"at most {SIV_STRINGS} associated strings, not {len(given)}")
    return [_check.readable(string) for string in given]


def copied(found: Strings) -> list[bytes]:
    return [bytes(string) for string in found]


def apart(found: Strings) -> list[tuple[str, bytes | memoryview]]:
    return [("associated_data", string) for string in found]


class _AEGIS(ChunkAEAD, aegis.AEGIS):
    __slots__ = ()
    _sealer: AEGISSealer

    def unauthenticated_keystream(self, nonce: Buffer, size: int) -> bytes:
        number = _check.nonce(nonce, self.nonce_sizes)
        return self._sealer.keystream(number, _check.unsigned("size", size))


class AEGIS128L(_AEGIS, aegis.AEGIS128L):
    __slots__ = ()


class AEGIS128X2(_AEGIS, aegis.AEGIS128X2):
    __slots__ = ()


class AEGIS128X4(_AEGIS, aegis.AEGIS128X4):
    __slots__ = ()


class AEGIS256(_AEGIS, aegis.AEGIS256):
    __slots__ = ()


class AEGIS256X2(_AEGIS, aegis.AEGIS256X2):
    __slots__ = ()


class AEGIS256X4(_AEGIS, aegis.AEGIS256X4):
    __slots__ = ()


class _MAC(mac.MAC):
    """The work of CMAC and AEGISMAC."""

    __slots__ = ("_backend", "_state")
    _backend: str
    _state: list[MACState]

    @property
    def backend(self) -> str:
        return self._backend

    def update(self, data: Buffer, /) -> None:
        view = _check.readable(data)
        state = take(self._state)
        try:
            state.update(view)
        finally:
            self._state.append(state)

    def finalize(self) -> bytes:
        return take(self._state).finalize()

    def verify(self, tag: Buffer, /) -> None:
        given = bytes(_check.readable(tag))
        if not compare_digest(self.finalize(), given):
            raise InvalidTag

    def copy(self) -> Self:
        state = take(self._state)
        other = object.__new__(type(self))
        other._backend = self._backend
        other._state = [state.copy()]
        self._state.append(state)
        return other


class CMAC(_MAC, mac.CMAC):
    __slots__ = ()

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._state = [family(backend).cmac(_check.key(key))]
        return self


class AEGISMAC(_MAC, mac.AEGISMAC):
    __slots__ = ()

    def __new__(
        cls, key: Buffer, nonce: Buffer, backend: str, algorithm: str, tag_length: int
    ) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        variant = mac.variant(algorithm)
        make = family(backend).aegis_mac[variant.__name__]
        self._state = [
            make(
                _check.key(key, variant.key_sizes),
                _check.nonce(nonce, variant.nonce_sizes),
                tag_length,
            )
        ]
        return self


class KeyWrap(wrap.KeyWrap):
    __slots__ = ("_backend", "_engine")
    _backend: str
    _engine: Raw

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._engine = engine_class(backend)(_check.key(key))
        return self

    @property
    def backend(self) -> str:
        return self._backend

    def wrap(self, data: Buffer) -> bytes:
        view = bytes(_check.readable(data))
        if len(view) < 16 or len(view) % 8:
            raise ValueError(f"data must be a multiple of 8 bytes, at least 16, not {len(view)}")
        return self._engine.kw_wrap(view)

    def unwrap(self, data: Buffer) -> bytes:
        view = bytes(_check.readable(data))
        key = self._engine.kw_unwrap(view) if len(view) >= 24 and len(view) % 8 == 0 else None
        if key is None:
            raise InvalidTag
        return key

    def wrap_padded(self, data: Buffer) -> bytes:
        view = bytes(_check.readable(data))
        if not 1 <= len(view) < 2**32:
            raise ValueError(f"data must be 1 to 2^32 - 1 bytes, not {len(view)}")
        return self._engine.kwp_wrap(view)

    def unwrap_padded(self, data: Buffer) -> bytes:
        view = bytes(_check.readable(data))
        key = self._engine.kwp_unwrap(view) if len(view) >= 16 and len(view) % 8 == 0 else None
        if key is None:
            raise InvalidTag
        return key
