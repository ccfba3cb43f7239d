"""The faces of the pure-Python backends: argument checks, padding and tags around an
engine, which knows one key and nothing of mistakes."""

from __future__ import annotations

from hmac import compare_digest
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, Self

from .. import _check, aead, block
from .._check import BLOCK
from ..errors import InvalidTag

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

CHUNK_NONCE = 12
CHUNK_TAG = 16


class Engine(Protocol):
    """What a pure-Python backend supplies: AES with one key, arguments checked."""

    def ecb_encrypt(self, data: bytes | memoryview) -> bytes: ...
    def ecb_decrypt(self, data: bytes | memoryview) -> bytes: ...
    def cbc_encrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def cbc_decrypt(self, iv: bytes, data: bytes | memoryview) -> bytes: ...
    def ctr(self, counter: bytes, data: bytes | memoryview) -> bytes: ...

    def gcm_encrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The ciphertext and the whole tag."""

    def gcm_decrypt(
        self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview
    ) -> tuple[bytes, bytes]:
        """The plaintext, and the whole tag that the ciphertext should have had."""


if TYPE_CHECKING:
    from . import numba_table, numpy_planes, python, reference

    CHECKED: tuple[Callable[[bytes], Engine], ...] = (
        python.Engine,
        numpy_planes.Engine,
        numba_table.Engine,
        reference.Engine,
    )

# The module and class of each backend.
ENGINES = {
    "python": ("python", "Engine"),
    "python-table": ("python", "TableEngine"),
    "python-bitslice": ("python", "BitsliceEngine"),
    "numpy": ("numpy_planes", "Engine"),
    "numba": ("numba_table", "Engine"),
    "reference": ("reference", "Engine"),
}


def make_engine(key: Buffer, backend: str) -> Engine:
    module, name = ENGINES[backend]
    engine: Engine = getattr(import_module(f"rijn.pure.{module}"), name)(_check.key(key))
    return engine


class AES(block.AES):
    __slots__ = ("_backend", "_engine")
    _backend: str
    _engine: Engine

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._engine = make_engine(key, backend)
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
        view = _check.readable(data)
        if not pkcs7:
            _check.whole_blocks(len(view))
            return self._engine.cbc_encrypt(previous, view)
        whole = len(view) // BLOCK * BLOCK
        padding = BLOCK - (len(view) - whole)
        body = self._engine.cbc_encrypt(previous, view[:whole])
        last = bytes(view[whole:]) + bytes([padding]) * padding
        return body + self._engine.cbc_encrypt(body[-BLOCK:] or previous, last)

    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        previous = _check.exactly(BLOCK, "iv", iv)
        view = _check.readable(data)
        _check.whole_blocks(len(view))
        plaintext = self._engine.cbc_decrypt(previous, view)
        if not pkcs7:
            return plaintext
        padding = plaintext[-1] if plaintext else 0
        if not 1 <= padding <= BLOCK or not plaintext.endswith(bytes([padding]) * padding):
            raise ValueError("invalid padding")
        return plaintext[:-padding]

    def ctr_encrypt(self, counter: Buffer, data: Buffer) -> bytes:
        first = _check.exactly(BLOCK, "counter", counter)
        return self._engine.ctr(first, _check.readable(data))

    def ctr_decrypt(self, counter: Buffer, data: Buffer) -> bytes:
        return self.ctr_encrypt(counter, data)


class AESGCM(aead.AESGCM):
    __slots__ = ("_backend", "_engine", "_tag_length")
    _backend: str
    _engine: Engine
    _tag_length: int

    def __new__(cls, key: Buffer, backend: str, tag_length: int = 16) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._tag_length = _check.tag_length(tag_length)
        self._engine = make_engine(key, backend)
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
        target = _check.output(buf, len(view) + self._tag_length, view, in_place=True)
        target[:] = self._seal(number, view, ad)
        return len(target)

    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer
    ) -> int:
        number, view, ad = self._message(nonce, data, associated_data, opening=True)
        target = _check.output(buf, len(view) - self._tag_length, view, in_place=True)
        try:
            target[:] = self._open(number, view, ad)
        except InvalidTag:
            target[:] = bytes(len(target))
            raise
        return len(target)

    def seal_chunks(
        self, nonce: Buffer, first: int, chunk: int, last: bool, data: Buffer, buf: Buffer
    ) -> int:
        base = _check.exactly(CHUNK_NONCE, "nonce", nonce)
        number, chunk = _check.unsigned(first), _check.unsigned(chunk)
        self._require_whole_tag("seal_chunks")
        view = _check.readable(data)
        if not 0 < chunk <= _check.GCM_DATA_MAX or (not last and len(view) % chunk):
            raise no_run(view, chunk)
        chunks = len(view) // chunk + bool(last)
        target = _check.output(buf, len(view) + CHUNK_TAG * chunks, view, in_place=False)
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
        base = _check.exactly(CHUNK_NONCE, "nonce", nonce)
        number, chunk = _check.unsigned(first), _check.unsigned(chunk)
        self._require_whole_tag("open_chunks")
        view = _check.readable(data)
        sealed_chunk = chunk + CHUNK_TAG
        whole, rest = divmod(len(view), sealed_chunk)
        if not 0 < chunk <= _check.GCM_DATA_MAX or (rest < CHUNK_TAG if last else rest):
            raise no_run(view, chunk)
        chunks = whole + bool(last)
        target = _check.output(buf, len(view) - CHUNK_TAG * chunks, view, in_place=False)
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

    def _message(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, *, opening: bool
    ) -> tuple[bytes, bytes | memoryview, bytes | memoryview]:
        number = bytes(_check.readable(nonce))
        view = _check.readable(data)
        ad = b"" if associated_data is None else _check.readable(associated_data)
        if not number:
            raise ValueError("nonce must not be empty")
        size = len(view) - self._tag_length if opening else len(view)
        if size < 0:
            raise InvalidTag
        if size > _check.GCM_DATA_MAX:
            raise ValueError("data is too long for GCM")
        return number, view, ad

    def _seal(self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview) -> bytes:
        ciphertext, tag = self._engine.gcm_encrypt(nonce, data, ad)
        return ciphertext + tag[: self._tag_length]

    def _open(self, nonce: bytes, data: bytes | memoryview, ad: bytes | memoryview) -> bytes:
        size = len(data) - self._tag_length
        plaintext, tag = self._engine.gcm_decrypt(nonce, data[:size], ad)
        if not compare_digest(tag[: self._tag_length], bytes(data[size:])):
            raise InvalidTag
        return plaintext

    def _require_whole_tag(self, method: str) -> None:
        if self._tag_length != CHUNK_TAG:
            raise ValueError(f"{method} needs a tag_length of 16")


def chunk_nonce(base: bytes, number: int) -> bytes:
    return (int.from_bytes(base, "big") ^ number).to_bytes(CHUNK_NONCE, "big")


def no_run(data: bytes | memoryview, chunk: int) -> ValueError:
    return ValueError(f"data of {len(data)} bytes is no run of chunks of {chunk} bytes")


def require_numbers(first: int, chunks: int) -> None:
    """Chunk numbers have 64 bits."""
    if first + chunks > 2**64:
        raise ValueError("the data are no whole number of blocks, or too long for the mode")
