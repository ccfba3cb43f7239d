"""The classes of rijn.block on the Python backends."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Self

from ... import _check, block
from ..._check import BLOCK
from ..backends import pure_backend

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ..._check import Byteorder, Width
    from ..blocks import Bytes
    from ..contract import Raw, SectorCipher


class AES(block.AES):
    __slots__ = ("_backend", "_engine", "_strict")
    _backend: str
    _engine: Raw
    _strict: bool

    def __new__(cls, key: Buffer, backend: str, *, strict: bool = False) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        self._strict = strict
        self._engine = pure_backend(backend, strict).engine(_check.key(key))
        return self

    @property
    def backend(self) -> str:
        return self._backend

    @property
    def strict(self) -> bool:
        return self._strict

    def ecb_encrypt(self, data: Buffer) -> bytes:
        view = _check.readable("data", data)
        _check.multiple_of_block(len(view))
        return self._engine.ecb_encrypt(view)

    def ecb_decrypt(self, data: Buffer) -> bytes:
        view = _check.readable("data", data)
        _check.multiple_of_block(len(view))
        return self._engine.ecb_decrypt(view)

    def cbc_encrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        previous = _check.exactly(BLOCK, "iv", iv)
        padded = _check.flag("pkcs7", pkcs7)
        view = _check.readable("data", data)
        if not padded:
            _check.multiple_of_block(len(view))
            return self._engine.cbc_encrypt(previous, view)
        whole = len(view) // BLOCK * BLOCK
        padding = BLOCK - (len(view) - whole)
        body = self._engine.cbc_encrypt(previous, view[:whole])
        last = bytes(view[whole:]) + bytes([padding]) * padding
        return body + self._engine.cbc_encrypt(body[-BLOCK:] or previous, last)

    def cbc_decrypt(self, iv: Buffer, data: Buffer, *, pkcs7: bool = False) -> bytes:
        previous = _check.exactly(BLOCK, "iv", iv)
        padded = _check.flag("pkcs7", pkcs7)
        view = _check.readable("data", data)
        _check.multiple_of_block(len(view))
        plaintext = self._engine.cbc_decrypt(previous, view)
        if not padded:
            return plaintext
        padding = plaintext[-1] if plaintext else 0
        if not 1 <= padding <= BLOCK or not plaintext.endswith(bytes([padding]) * padding):
            del plaintext, padding  # so that the traceback does not keep them
            raise ValueError("invalid padding")
        return plaintext[:-padding]

    def cfb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb_encrypt(
            _check.exactly(BLOCK, "iv", iv), _check.readable("data", data)
        )

    def cfb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb_decrypt(
            _check.exactly(BLOCK, "iv", iv), _check.readable("data", data)
        )

    def cfb8_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb8_encrypt(
            _check.exactly(BLOCK, "iv", iv), _check.readable("data", data)
        )

    def cfb8_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.cfb8_decrypt(
            _check.exactly(BLOCK, "iv", iv), _check.readable("data", data)
        )

    def ofb_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self._engine.ofb(_check.exactly(BLOCK, "iv", iv), _check.readable("data", data))

    def ofb_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        return self.ofb_encrypt(iv, data)

    def ige_encrypt(self, iv: Buffer, data: Buffer) -> bytes:
        chain = _check.exactly(2 * BLOCK, "iv", iv)
        view = _check.readable("data", data)
        _check.multiple_of_block(len(view))
        return self._engine.ige_encrypt(chain, view)

    def ige_decrypt(self, iv: Buffer, data: Buffer) -> bytes:
        chain = _check.exactly(2 * BLOCK, "iv", iv)
        view = _check.readable("data", data)
        _check.multiple_of_block(len(view))
        return self._engine.ige_decrypt(chain, view)

    def ctr_encrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        width: Width = 128,
        byteorder: Byteorder = "big",
        threads: int = 1,
    ) -> bytes:
        first = _check.exactly(BLOCK, "counter", counter)
        view = _check.readable("data", data)
        bits = _check.counter_width(width, byteorder)
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        if bits == 128 and byteorder == "big":
            return self._engine.ctr(first, view)
        if len(view) > BLOCK << bits:
            raise ValueError(f"data is too long for a counter of {bits} bits")
        return self._engine.ctr_of(first, view, bits, byteorder)

    def ctr_decrypt(
        self,
        counter: Buffer,
        data: Buffer,
        *,
        width: Width = 128,
        byteorder: Byteorder = "big",
        threads: int = 1,
    ) -> bytes:
        return self.ctr_encrypt(counter, data, width=width, byteorder=byteorder, threads=threads)


class AESXTS(block.AESXTS):
    __slots__ = ("_backend", "_xts")
    _backend: str
    _xts: SectorCipher

    def __new__(cls, key: Buffer, backend: str) -> Self:
        self = object.__new__(cls)
        self._backend = backend
        pair = _check.key(key, cls.key_sizes)
        half = len(pair) // 2
        if compare_digest(pair[:half], pair[half:]):
            raise ValueError("the two halves of an XTS key must differ")
        self._xts = pure_backend(backend).xts(pair)
        return self

    @property
    def backend(self) -> str:
        return self._backend

    def encrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes:
        return self._xts.encrypt(*self._sector(tweak, data, threads))

    def decrypt(self, tweak: Buffer, data: Buffer, *, threads: int = 1) -> bytes:
        return self._xts.decrypt(*self._sector(tweak, data, threads))

    def _sector(self, tweak: Buffer, data: Buffer, threads: int) -> tuple[bytes, Bytes]:
        start = _check.exactly(BLOCK, "tweak", tweak)
        view = _check.readable("data", data)
        if type(threads) is not int or threads != 1:
            _check.threads(threads)
        if not BLOCK <= len(view) <= self.data_max:
            raise ValueError(f"data must be 16 to {self.data_max} bytes, not {len(view)}")
        return start, view
