"""XTS-AES (IEEE 1619, NIST SP 800-38E).

Block j of a data unit has the tweak T * alpha^j. A run of tweaks is one integer, in which the
least significant bit of a tweak is its coefficient of alpha^0:

    | T * alpha^(n-1) | ... | T * alpha | T |        128 bits each

One shift multiplies all of them by alpha^k. The k bits that leave each tweak return as their
product with alpha^128 = alpha^7 + alpha^2 + alpha + 1. So a run can be doubled, up to GROUP tweaks.
Each later run is alpha^GROUP times the run before.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from ..blocks import BLOCK, Bytes, chunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..contract import Engine

# Tweaks in a run; at most 121, so that the returning bits fit into their tweak.
GROUP = 64


@cache
def low_bits(k: int, n: int) -> int:
    """Returns a mask of the low k bits of each of n tweaks."""
    return int.from_bytes(((1 << k) - 1).to_bytes(BLOCK, "big") * n, "big")


def times_alpha(tweaks: int, k: int, n: int) -> int:
    """Returns n tweaks, each times alpha^k."""
    high = tweaks >> 128 - k & low_bits(k, n)
    low = (tweaks & low_bits(128 - k, n)) << k
    return low ^ high ^ high << 1 ^ high << 2 ^ high << 7


def tweak_sequence(first: int, size: int) -> int:
    """Returns the tweaks for `size` bytes of whole blocks."""
    run, n = first, 1
    while n < GROUP and BLOCK * n < size:
        run |= times_alpha(run, n, n) << 128 * n
        n *= 2
    runs = [run.to_bytes(BLOCK * n, "little")]
    for _ in range(BLOCK * n, size, BLOCK * n):
        run = times_alpha(run, n, n)
        runs.append(run.to_bytes(BLOCK * n, "little"))
    return int.from_bytes(b"".join(runs)[:size], "little")


def masked(cipher: Callable[[bytes], bytes], blocks: bytes, tweaks: int) -> bytes:
    """Applies the cipher between two additions of the tweaks."""
    size = len(blocks)
    inner = cipher((int.from_bytes(blocks, "little") ^ tweaks).to_bytes(size, "little"))
    return (int.from_bytes(inner, "little") ^ tweaks).to_bytes(size, "little")


class XTS:
    """XTS with a key of 32 or 64 bytes: one half is for the data, the other for the tweak."""

    __slots__ = ("_data", "_tweak")

    def __init__(self, make: Callable[[bytes], Engine], key: bytes) -> None:
        half = len(key) // 2
        self._data = make(key[:half])
        self._tweak = make(key[half:])

    def encrypt(self, tweak: bytes, data: Bytes) -> bytes:
        return self._crypt(self._data.ecb_encrypt, tweak, data, 1)

    def decrypt(self, tweak: bytes, data: Bytes) -> bytes:
        return self._crypt(self._data.ecb_decrypt, tweak, data, -1)

    def _crypt(
        self, cipher: Callable[[bytes], bytes], tweak: bytes, data: Bytes, direction: int
    ) -> bytes:
        """Processes data of 16 bytes or more.

        The last whole block and the rest, if there is one, use two tweaks: in this order to
        encrypt, in the other order to decrypt, with direction -1:

            | last whole block | rest |    with the first tweak, becomes
            | rest's bytes | stolen   |    | rest | stolen |, with the second, is written first
        """
        encrypted = self._tweak.encrypt_block(int.from_bytes(tweak, "big"))
        first = int.from_bytes(encrypted.to_bytes(BLOCK, "big"), "little")
        rest = len(data) % BLOCK
        body = len(data) - rest - (BLOCK if rest else 0)
        output = BytesIO()
        for piece in chunks(data[:body]):
            tweaks = tweak_sequence(first, len(piece))
            output.write(masked(cipher, piece, tweaks))
            first = times_alpha(tweaks >> 8 * (len(piece) - BLOCK), 1, 1)
        if rest:
            one, other = (first, times_alpha(first, 1, 1))[::direction]
            whole = masked(cipher, bytes(data[body : body + BLOCK]), one)
            output.write(masked(cipher, bytes(data[body + BLOCK :]) + whole[rest:], other))
            output.write(whole[:rest])
        return output.getvalue()
