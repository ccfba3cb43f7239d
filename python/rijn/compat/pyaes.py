"""The counter mode of pyaes 1.6.1, over Rijn's backends: same calls, same bytes.

    from rijn.compat import pyaes                # instead of: import pyaes

    aes = pyaes.AESModeOfOperationCTR(key, pyaes.Counter(initial_value))
    ciphertext = aes.encrypt("text, or bytes")   # bytes; the next call continues

What differs from pyaes, on purpose:

- Without a counter pyaes starts at 1, so that two messages under one key share their
  keystream and give away their difference. Here that is a DeprecationWarning, and a
  TypeError once `pyaes.STRICT = True` (this module's variable) is set.
- Any C-contiguous buffer is taken as data (pyaes refuses all but bytes and str), and
  every argument is checked before the counter moves.
- `backend="name"` and the attribute `backend` are Rijn's (see rijn.AES). An object holds
  an expanded key, so it is neither copied nor pickled.
"""

from __future__ import annotations

import warnings
from operator import index
from typing import TYPE_CHECKING, Protocol

from .. import _check
from .._check import BLOCK
from ..block import AES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Buffer

__all__ = ["AESModeOfOperationCTR", "Counter"]

# True: a mode without a counter is a TypeError.
STRICT = False


class CounterLike(Protocol):
    """What AESModeOfOperationCTR asks of a counter; called once a block, in this order."""

    @property
    def value(self) -> Sequence[int]:
        """The counter block: 16 integers from 0 to 255."""

    def increment(self) -> None:
        """Goes on to the next one."""


class Counter:
    """A 128-bit big-endian integer that wraps from 2^128 - 1 to 0.

    Counter(initial_value=1)

    initial_value  any integer; it counts modulo 2^128.

    Modes that are given the same Counter share it: each takes the blocks it needs. A
    subclass may override increment, which then changes `_counter`, a list of 16 integers.
    """

    def __init__(self, initial_value: int = 1) -> None:
        self._counter = list((index(initial_value) % 2**128).to_bytes(BLOCK, "big"))

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


class AESModeOfOperationCTR:
    """Counter mode (SP 800-38A section 6.5): a message in pieces of any sizes.

    AESModeOfOperationCTR(key, counter=None, *, backend=None)

    key      16, 24 or 32 bytes.
    counter  a Counter, or any object with its `value` and `increment`. No counter block
             may serve twice under one key.
    backend  the name of a rung (see rijn.backends()); None for the usual choice.

    Raises ValueError for the size of the key or of the counter's value, and what rijn.AES
    raises. Counters of other classes than Counter are asked block by block, which is slow.
    """

    name = "Counter (CTR)"

    def __init__(
        self, key: Buffer, counter: CounterLike | None = None, *, backend: str | None = None
    ) -> None:
        self._aes = AES(key, backend=backend)
        if counter is None:
            reason = "no counter was given: counting from 1 repeats the keystream of every message"
            if STRICT:
                raise TypeError(f"{reason} under the key")
            warnings.warn(f"{reason} under the key", DeprecationWarning, stacklevel=2)
            counter = Counter()
        self._counter = counter
        self._keystream = b""  # of a broken block, not yet used

    @property
    def backend(self) -> str:
        """The name of the backend that does the work."""
        return self._aes.backend

    def encrypt(self, plaintext: Buffer | Iterable[str | bytes]) -> bytes:
        """The next piece of the message. Text stands for its code points, each of which
        must be below 256 (ValueError): encode it yourself unless it is Latin-1."""
        data = _octets(plaintext)
        taken = min(len(self._keystream), len(data))
        start = _xor(self._keystream[:taken], data[:taken])
        rest = data[taken:] if taken else data
        if not rest:
            self._keystream = self._keystream[taken:]
            return start
        counter = self._counter
        if type(counter) is Counter and "increment" not in vars(counter):
            output, self._keystream = self._from_integer(counter, rest)
        else:
            output, self._keystream = self._from_blocks(counter, rest)
        return start + output if start else output

    def decrypt(self, crypttext: Buffer | Iterable[str | bytes]) -> bytes:
        """The same as encrypt."""
        return self.encrypt(crypttext)

    def _from_integer(self, counter: Counter, data: bytes | memoryview) -> tuple[bytes, bytes]:
        """The result for at least one byte, and the keystream that is left over."""
        output = self._aes.ctr_encrypt(bytes(counter.value), data)
        blocks, broken = divmod(len(data), BLOCK)
        counter._advance(blocks)
        if not broken:
            return output, b""
        keystream = self._aes.ecb_encrypt(bytes(counter.value))
        counter.increment()
        return output, keystream[broken:]

    def _from_blocks(self, counter: CounterLike, data: bytes | memoryview) -> tuple[bytes, bytes]:
        """As _from_integer, for counters that may do anything."""
        blocks = bytearray()
        while len(blocks) < len(data):
            block = counter.value
            if len(block) != BLOCK:
                raise ValueError(f"the counter's value must be 16 bytes, not {len(block)}")
            blocks += bytes(block)
            counter.increment()
        keystream = self._aes.ecb_encrypt(blocks)
        return _xor(keystream[: len(data)], data), keystream[len(data) :]


def _octets(data: Buffer | Iterable[str | bytes]) -> bytes | memoryview:
    """pyaes's rule: bytes are bytes, of anything else each item's ord(); and any buffer."""
    if isinstance(data, str):
        return data.encode("latin-1")
    try:
        return _check.readable(data)  # type: ignore[arg-type]
    except TypeError:
        return bytes(map(ord, data))  # type: ignore[arg-type]


def _xor(a: bytes, b: bytes | memoryview) -> bytes:
    """Of equal lengths."""
    return (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).to_bytes(len(a), "little")
