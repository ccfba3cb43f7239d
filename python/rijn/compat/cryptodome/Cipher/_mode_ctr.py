"""CTR (SP 800-38A section 6.5) with counter blocks of any layout."""

from __future__ import annotations

import os
from typing import Any

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....incremental import xor
from .._originals import too_long
from ..Util.Counter import CounterParams
from ._mode import ClassicMode, check_threads

__all__ = ["CtrMode"]


class CtrMode(ClassicMode):
    """Counter mode. Pieces may have any size.

    A counter block is a prefix, a counter and a suffix. The counter passes from its last value to
    0. A message that would use a value twice is refused.

    :param key: 16, 24 or 32 bytes.
    :param nonce: the prefix, 0 to 15 bytes; there is no suffix. Without it, 8 random bytes.
    :param initial_value: the counter of the first block, as an integer, or as big-endian bytes
        that fill the rest of the block.
    :param counter: instead of both, a result of Util.Counter.new.
    """

    @clean_traceback
    def __init__(
        self,
        key: Buffer,
        *,
        nonce: Buffer | None = None,
        initial_value: int | Buffer | None = None,
        counter: CounterParams | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        check_threads(threads)
        if counter is None:
            prefix, number, suffix, little = *_from_nonce(nonce, initial_value), b"", False
        elif nonce is None and initial_value is None:
            prefix, number, suffix, little = _from_counter(counter)
        else:
            raise TypeError("'counter' and 'nonce'/'initial_value' are mutually exclusive")
        super().__init__(key, options)
        if not suffix:
            self.nonce = prefix
        self._prefix = prefix
        self._suffix = suffix
        self._width = len(number)
        self._little = little
        self._next = int.from_bytes(number, "little" if little else "big")
        self._left = 1 << 8 * self._width  # blocks
        self._keystream = b""  # unused bytes of an incomplete block

    def _check_size(self, size: int) -> None:
        if -(-max(0, size - len(self._keystream)) // BLOCK) > self._left:
            raise too_long("The counter has wrapped around in CTR mode")

    def _encrypt(self, data: bytes | memoryview) -> bytes:
        held = self._keystream
        start = xor(held[: len(data)], data[: len(held)])
        self._keystream = held[len(start) :]
        data = data[len(start) :]
        whole = len(data) // BLOCK * BLOCK
        output = self._crypt(data[:whole])
        if whole < len(data):
            keystream, end = self._crypt(bytes(BLOCK)), data[whole:]
            output += xor(keystream[: len(end)], end)
            self._keystream = keystream[len(end) :]
        return start + output if start else output

    _decrypt = _encrypt

    def _crypt(self, data: bytes | memoryview) -> bytes:
        """Processes whole blocks. Each run ends where the counter passes to 0."""
        runs = []
        while data:
            blocks = min(len(data) // BLOCK, (1 << 8 * self._width) - self._next)
            runs.append(self._run(data[: blocks * BLOCK]))
            self._next = (self._next + blocks) % (1 << 8 * self._width)
            self._left -= blocks
            data = data[blocks * BLOCK :]
        return runs[0] if len(runs) == 1 else b"".join(runs)

    def _run(self, data: bytes | memoryview) -> bytes:
        """Processes whole blocks whose counter does not wrap."""
        first = self._block(self._next)
        if self._little and not self._prefix:
            return self._aes.ctr_encrypt(first, data, byteorder="little")
        if not self._suffix and (not self._little or self._width == 1):
            return self._aes.ctr_encrypt(first, data)
        numbers = range(self._next, self._next + len(data) // BLOCK)
        return xor(self._aes.ecb_encrypt(b"".join(map(self._block, numbers))), data)

    def _block(self, number: int) -> bytes:
        order = "little" if self._little else "big"
        return self._prefix + number.to_bytes(self._width, order) + self._suffix  # type: ignore[arg-type]


def _from_nonce(nonce: Buffer | None, initial_value: int | Buffer | None) -> tuple[bytes, bytes]:
    """Returns the prefix and the first counter."""
    prefix = os.urandom(8) if nonce is None else bytes(_check.readable("nonce", nonce))
    if len(prefix) >= BLOCK:
        raise ValueError("Nonce is too long")
    width = BLOCK - len(prefix)
    if initial_value is not None and _check.is_buffer(initial_value):
        number = bytes(_check.readable("initial_value", initial_value))  # type: ignore[arg-type]
        if len(number) != width:
            raise ValueError(
                f"Incorrect length for counter byte string ({len(number)} bytes, expected {width})"
            )
        return prefix, number
    value = _check.natural("initial_value", initial_value or 0)
    if value >> 8 * width:
        raise ValueError("Initial counter value is too large")
    return prefix, value.to_bytes(width, "big")


def _from_counter(counter: CounterParams) -> tuple[bytes, bytes, bytes, bool]:
    """Returns the prefix, the first counter, the suffix, and True for little endian."""
    try:
        width, value = counter["counter_len"], counter["initial_value"]
        prefix, suffix, little = counter["prefix"], counter["suffix"], counter["little_endian"]
    except (KeyError, TypeError):
        raise TypeError("Incorrect counter object (use Crypto.Util.Counter.new)") from None
    if len(prefix) + width + len(suffix) != BLOCK or width < 1:
        raise ValueError(
            f"Size of the counter block ({len(prefix) + width + len(suffix)} bytes) must match "
            f"block size ({BLOCK})"
        )
    return prefix, value.to_bytes(width, "little" if little else "big"), suffix, little
