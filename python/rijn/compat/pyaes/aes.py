"""The block cipher and its modes of operation, with the methods that a feeder calls."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Protocol

from ... import _check, block
from ..._check import BLOCK
from ..._traceback import clean_traceback
from ..._uncopyable import Uncopyable
from ...incremental import OneAtATime, xor
from .._segments import decrypt_segments, encrypt_segments, shifted
from .._turns import in_turn
from .util import Data, append_PKCS7_padding, octets, strip_PKCS7_padding

__all__ = [
    "AES",
    "AESModeOfOperationCBC",
    "AESModeOfOperationCFB",
    "AESModeOfOperationCTR",
    "AESModeOfOperationECB",
    "AESModeOfOperationOFB",
    "AESModesOfOperation",
    "Counter",
]

PADDING_NONE = "none"
PADDING_DEFAULT = "default"

is_strict: Callable[[], bool] = lambda: False
"""Returns the current value of pyaes.STRICT. The package sets this function, because it imports
this module, and not the other way round.
"""


class AES(Uncopyable):
    """AES on one block at a time, as integers. Use the modes below instead.

    :param key: 16, 24 or 32 bytes.
    :param backend: the name of a backend (see `rijn.backends()`), or None for the usual choice.
    :raises ValueError: if the key has another size. Other errors are those of rijn.AES.
    """

    number_of_rounds: ClassVar[dict[int, int]] = {16: 10, 24: 12, 32: 14}

    @clean_traceback
    def __init__(self, key: Data, *, backend: str | None = None) -> None:
        self._cipher = block.AES(key, backend=backend)  # type: ignore[arg-type]

    @property
    def backend(self) -> str:
        """The name of the backend that computes with this key."""
        return self._cipher.backend

    def encrypt(self, plaintext: Iterable[int]) -> list[int]:
        """Encrypts a block: 16 integers from 0 to 255, or bytes. Returns as many integers."""
        return list(self._cipher.ecb_encrypt(_block_of_integers(plaintext)))

    def decrypt(self, ciphertext: Iterable[int]) -> list[int]:
        """Decrypts a block: the inverse of `encrypt`."""
        return list(self._cipher.ecb_decrypt(_block_of_integers(ciphertext)))


def _block_of_integers(values: Iterable[int]) -> bytes:
    found = bytes([*values])
    if len(found) != BLOCK:
        raise ValueError("wrong block length")
    return found


class CounterLike(Protocol):
    """The methods of a counter that AESModeOfOperationCTR calls once for each block, in this order."""

    @property
    def value(self) -> Sequence[int]:
        """The counter block: 16 integers from 0 to 255."""

    def increment(self) -> None:
        """Moves on to the next block."""


class Counter:
    """A 128-bit big-endian integer that wraps from 2^128 - 1 to 0.

    Modes with the same Counter share it: each takes the blocks that it needs. A subclass may
    override increment, which then changes `_counter`, a list of 16 integers.

    :param initial_value: any integer. It counts modulo 2^128.
    """

    def __init__(self, initial_value: int = 1) -> None:
        self._counter = list(
            (_check.integer("initial_value", initial_value) % 2**128).to_bytes(BLOCK, "big")
        )

    @property
    def value(self) -> list[int]:
        """The counter block, 16 integers from 0 to 255: the list that increment changes."""
        return self._counter

    def increment(self) -> None:
        """Adds one."""
        self._advance(1)

    def _advance(self, blocks: int) -> None:
        value = (int.from_bytes(self._counter, "big") + blocks) % 2**128
        self._counter[:] = value.to_bytes(BLOCK, "big")


def _unsafe(reason: str) -> None:
    """Warns, or raises TypeError if STRICT, where pyaes silently chooses an IV or a counter. The
    caller is the constructor that the user calls.
    """
    if is_strict():
        raise TypeError(reason)
    warnings.warn(reason, DeprecationWarning, stacklevel=4)


def _initial(iv: Data) -> bytes:
    found = bytes(octets(iv))
    if len(found) != BLOCK:
        raise ValueError("initialization vector must be 16 bytes")
    return found


# ---- The base of the modes -------------------------------------------------------------


class AESBlockModeOfOperation(OneAtATime):
    """A mode that takes one whole block at a time.

    Your own mode derives from this class, or from AESStreamModeOfOperation if encrypt and decrypt
    take any number of bytes. `_aes` is an AES for its blocks.

    :param key: as for AES.
    :param backend: as for AES.
    """

    name: ClassVar[str]

    @clean_traceback
    def __init__(self, key: Data, *, backend: str | None = None) -> None:
        super().__init__()
        self._aes = AES(key, backend=backend)
        self._cipher = self._aes._cipher

    def __init_subclass__(cls) -> None:
        """Makes pieces use encrypt and decrypt for each block, if the class overrides these."""
        for method, pieces in (("encrypt", "_encrypt_pieces"), ("decrypt", "_decrypt_pieces")):
            if method in vars(cls) and pieces not in vars(cls):
                base = next(
                    base
                    for base in (AESStreamModeOfOperation, AESBlockModeOfOperation)
                    if issubclass(cls, base)
                )
                setattr(cls, pieces, getattr(base, pieces))

    @property
    def backend(self) -> str:
        """The name of the backend that computes with this key."""
        return self._aes.backend

    def encrypt(self, plaintext: Data) -> bytes:
        """Encrypts the next block of the message."""
        raise NotImplementedError

    def decrypt(self, ciphertext: Data) -> bytes:
        """Decrypts the next block of the message."""
        raise NotImplementedError

    # The methods that a feeder calls: how many of `size` bytes the mode can take now; the pieces;
    # and the rest of the message, with its padding.

    def _can_consume(self, size: int) -> int:
        return size // BLOCK * BLOCK

    def _encrypt_pieces(self, data: bytes) -> bytes:
        return b"".join(map(self.encrypt, _blocks(data)))

    def _decrypt_pieces(self, data: bytes) -> bytes:
        return b"".join(map(self.decrypt, _blocks(data)))

    def _final_encrypt(self, data: bytes, padding: str = PADDING_DEFAULT) -> bytes:
        if padding == PADDING_DEFAULT:
            return self._encrypt_pieces(append_PKCS7_padding(data))
        _require_block(data, padding)
        return self.encrypt(data)

    def _final_decrypt(self, data: bytes, padding: str = PADDING_DEFAULT) -> bytes:
        if padding == PADDING_DEFAULT:
            return strip_PKCS7_padding(self.decrypt(data) if len(data) == BLOCK else b"")
        _require_block(data, padding)
        return self.decrypt(data)


def _blocks(data: bytes) -> Iterable[bytes]:
    return (data[i : i + BLOCK] for i in range(0, len(data), BLOCK))


def _require_block(data: bytes, padding: str) -> None:
    if padding != PADDING_NONE:
        raise ValueError("invalid padding option")
    if len(data) != BLOCK:
        raise ValueError("invalid data length for final block")


class AESStreamModeOfOperation(AESBlockModeOfOperation):
    """A mode that takes any number of bytes at a time."""

    def _can_consume(self, size: int) -> int:
        return size

    def _encrypt_pieces(self, data: bytes) -> bytes:
        return self.encrypt(data)

    def _decrypt_pieces(self, data: bytes) -> bytes:
        return self.decrypt(data)

    def _final_encrypt(self, data: bytes, padding: str = PADDING_DEFAULT) -> bytes:
        if padding not in (PADDING_DEFAULT, PADDING_NONE):
            raise ValueError("invalid padding option")
        return self.encrypt(data)

    def _final_decrypt(self, data: bytes, padding: str = PADDING_DEFAULT) -> bytes:
        if padding not in (PADDING_DEFAULT, PADDING_NONE):
            raise ValueError("invalid padding option")
        return self.decrypt(data)


class AESSegmentModeOfOperation(AESStreamModeOfOperation):
    """A mode that takes any number of segments, of `segment_bytes` each, at a time."""

    @property
    def segment_bytes(self) -> int:
        """Bytes in a segment."""
        return BLOCK

    def _can_consume(self, size: int) -> int:
        return size // self.segment_bytes * self.segment_bytes

    # An incomplete segment at the end is padded, and the result is cut to its size.

    def _final_encrypt(self, data: bytes, padding: str = PADDING_DEFAULT) -> bytes:
        return self.encrypt(self._filled(data, padding))[: len(data)]

    def _final_decrypt(self, data: bytes, padding: str = PADDING_DEFAULT) -> bytes:
        return self.decrypt(self._filled(data, padding))[: len(data)]

    def _filled(self, data: bytes, padding: str) -> bytes:
        if padding != PADDING_DEFAULT:
            raise ValueError("invalid padding option")
        return data + bytes(-len(data) % self.segment_bytes)


# ---- The modes -------------------------------------------------------------------------


class AESModeOfOperationECB(AESBlockModeOfOperation):
    """Electronic codebook (SP 800-38A section 6.1).

    ECB is a building block and does not hide data: equal blocks encrypt equally.

    :param key: as for AES.
    :param backend: as for AES.
    """

    name = "Electronic Codebook (ECB)"

    def encrypt(self, plaintext: Data) -> bytes:
        """Encrypts one block. Raises ValueError for any other size."""
        data = octets(plaintext)
        if len(data) != BLOCK:
            raise ValueError("plaintext block must be 16 bytes")
        return self._cipher.ecb_encrypt(data)

    def decrypt(self, ciphertext: Data) -> bytes:
        """Decrypts one block: the inverse of `encrypt`."""
        data = octets(ciphertext)
        if len(data) != BLOCK:
            raise ValueError("ciphertext block must be 16 bytes")
        return self._cipher.ecb_decrypt(data)

    def _encrypt_pieces(self, data: bytes) -> bytes:
        return self._cipher.ecb_encrypt(data)

    def _decrypt_pieces(self, data: bytes) -> bytes:
        return self._cipher.ecb_decrypt(data)


class AESModeOfOperationCBC(AESBlockModeOfOperation):
    """Cipher block chaining (SP 800-38A section 6.2).

    :param key: as for AES.
    :param iv: 16 bytes that nobody can predict.
    :param backend: as for AES.
    :raises ValueError: if the key or the IV has another size. Other errors are those of rijn.AES.
    """

    name = "Cipher-Block Chaining (CBC)"

    @clean_traceback
    def __init__(self, key: Data, iv: Data | None = None, *, backend: str | None = None) -> None:
        if iv is None:
            _unsafe("no IV was given: from zeros, messages that begin alike encrypt alike")
        self._last_cipherblock = bytes(BLOCK) if iv is None else _initial(iv)
        super().__init__(key, backend=backend)

    @in_turn
    def encrypt(self, plaintext: Data) -> bytes:
        """Encrypts the next block of the message. Raises ValueError for any other size."""
        data = octets(plaintext)
        if len(data) != BLOCK:
            raise ValueError("plaintext block must be 16 bytes")
        self._last_cipherblock = output = self._cipher.cbc_encrypt(self._last_cipherblock, data)
        return output

    @in_turn
    def decrypt(self, ciphertext: Data) -> bytes:
        """Decrypts the next block: the inverse of `encrypt`."""
        data = octets(ciphertext)
        if len(data) != BLOCK:
            raise ValueError("ciphertext block must be 16 bytes")
        output = self._cipher.cbc_decrypt(self._last_cipherblock, data)
        self._last_cipherblock = bytes(data)
        return output

    @in_turn
    def _encrypt_pieces(self, data: bytes) -> bytes:
        output = self._cipher.cbc_encrypt(self._last_cipherblock, data)
        self._last_cipherblock = output[-BLOCK:]
        return output

    @in_turn
    def _decrypt_pieces(self, data: bytes) -> bytes:
        output = self._cipher.cbc_decrypt(self._last_cipherblock, data)
        self._last_cipherblock = data[-BLOCK:]
        return output


class AESModeOfOperationCFB(AESSegmentModeOfOperation):
    """Cipher feedback (SP 800-38A section 6.3), for a message in pieces of whole segments.

    :param key: as for AES.
    :param iv: 16 bytes, never used twice under one key. None raises TypeError; in pyaes it is an
        error at the first segment.
    :param segment_size: bytes in a segment, 1 to 16; 0 means 1. The cipher runs once for each
        segment.
    :param backend: as for AES.
    :raises ValueError: if the key, the IV or a segment has another size. Other errors are those of
        rijn.AES.
    """

    name = "Cipher Feedback (CFB)"

    @clean_traceback
    def __init__(
        self, key: Data, iv: Data, segment_size: int = 1, *, backend: str | None = None
    ) -> None:
        self._segment_bytes = _check.integer("segment_size", segment_size) or 1
        if not 1 <= self._segment_bytes <= BLOCK:
            raise ValueError(f"segment_size must be 0 to 16, not {segment_size}")
        self._shift_register = _initial(iv)
        super().__init__(key, backend=backend)

    @property
    def segment_bytes(self) -> int:
        """Bytes in a segment."""
        return self._segment_bytes

    @in_turn
    def encrypt(self, plaintext: Data) -> bytes:
        """Encrypts the next segments of the message. Raises ValueError for an incomplete one."""
        data = octets(plaintext)
        size = self._segment_bytes
        if len(data) % size:
            raise ValueError("plaintext block must be a multiple of segment_size")
        output = encrypt_segments(self._cipher, self._shift_register, size, data)
        self._shift_register = shifted(self._shift_register, output)
        return output

    @in_turn
    def decrypt(self, ciphertext: Data) -> bytes:
        """Decrypts the next segments: the inverse of `encrypt`."""
        data = octets(ciphertext)
        size = self._segment_bytes
        if len(data) % size:
            raise ValueError("ciphertext block must be a multiple of segment_size")
        output = decrypt_segments(self._cipher, self._shift_register, size, data)
        self._shift_register = shifted(self._shift_register, data)
        return output


class AESModeOfOperationOFB(AESStreamModeOfOperation):
    """Output feedback (SP 800-38A section 6.4), for a message in pieces of any size.

    :param key: as for AES.
    :param iv: 16 bytes, never used twice under one key.
    :param backend: as for AES.
    :raises ValueError: if the key or the IV has another size. Other errors are those of rijn.AES.
    """

    name = "Output Feedback (OFB)"

    @clean_traceback
    def __init__(self, key: Data, iv: Data | None = None, *, backend: str | None = None) -> None:
        if iv is None:
            _unsafe(
                "no IV was given: from zeros, the keystream of every message under the key "
                "is the same"
            )
        first = bytes(BLOCK) if iv is None else _initial(iv)
        super().__init__(key, backend=backend)
        self._update = self._cipher.ofb_encryptor(first).update

    def encrypt(self, plaintext: Data) -> bytes:
        """Encrypts the next piece of the message."""
        return self._update(octets(plaintext))

    def decrypt(self, ciphertext: Data) -> bytes:
        """Decrypts the next piece: the same operation as `encrypt`."""
        return self.encrypt(ciphertext)


class AESModeOfOperationCTR(AESStreamModeOfOperation):
    """Counter mode (SP 800-38A section 6.5), for a message in pieces of any size.

    A counter of another class than Counter is called for each block, which is slow.

    :param key: as for AES.
    :param counter: a Counter, or any object with its `value` and `increment`. No counter block may
        be used twice under one key.
    :param backend: as for AES.
    :raises ValueError: if the key or the counter's value has another size. Other errors are those
        of rijn.AES.
    """

    name = "Counter (CTR)"

    @clean_traceback
    def __init__(
        self, key: Data, counter: CounterLike | None = None, *, backend: str | None = None
    ) -> None:
        super().__init__(key, backend=backend)
        if counter is None:
            _unsafe(
                "no counter was given: counting from 1 repeats the keystream of every message "
                "under the key"
            )
            counter = Counter()
        self._counter = counter
        self._keystream = b""  # unused bytes of an incomplete block

    @in_turn
    def encrypt(self, plaintext: Data) -> bytes:
        """Encrypts the next piece of the message. A text stands for its code points, which must be
        below 256 (ValueError). Encode it yourself unless it is Latin-1.
        """
        data = octets(plaintext)
        start = b""
        if held := self._keystream:
            start = xor(held[: len(data)], data[: len(held)])
            data = data[len(held) :]
            if not data:
                self._keystream = held[len(start) :]
                return start
        elif not data:
            return start
        counter = self._counter
        if type(counter) is Counter and "increment" not in vars(counter):
            output, self._keystream = self._from_integer(counter, data)
        else:
            output, self._keystream = self._from_blocks(counter, data)
        return start + output if start else output

    def decrypt(self, crypttext: Data) -> bytes:
        """Decrypts the next piece: the same operation as `encrypt`."""
        return self.encrypt(crypttext)

    def _from_integer(self, counter: Counter, data: bytes | memoryview) -> tuple[bytes, bytes]:
        """Returns the result for at least one byte, and the unused keystream."""
        output = self._cipher.ctr_encrypt(bytes(counter.value), data)
        blocks, broken = divmod(len(data), BLOCK)
        counter._advance(blocks)
        if not broken:
            return output, b""
        keystream = self._cipher.ecb_encrypt(bytes(counter.value))
        counter.increment()
        return output, keystream[broken:]

    def _from_blocks(self, counter: CounterLike, data: bytes | memoryview) -> tuple[bytes, bytes]:
        """As _from_integer, for counters of any kind."""
        blocks = bytearray()
        while len(blocks) < len(data):
            block = counter.value
            if len(block) != BLOCK:
                raise ValueError(f"the counter's value must be 16 bytes, not {len(block)}")
            blocks += bytes(block)
            counter.increment()
        keystream = self._cipher.ecb_encrypt(blocks)
        return xor(keystream[: len(data)], data), keystream[len(data) :]


AESModesOfOperation: dict[str, Callable[..., AESBlockModeOfOperation]] = {
    "ctr": AESModeOfOperationCTR,
    "cbc": AESModeOfOperationCBC,
    "cfb": AESModeOfOperationCFB,
    "ecb": AESModeOfOperationECB,
    "ofb": AESModeOfOperationOFB,
}
