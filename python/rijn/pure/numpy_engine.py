"""The engine of `numpy`: the planes of numpy_planes.py for long messages, and the engine of
`python` for short messages and chained modes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .blocks import BLOCK, Bytes
from .modes.raw import RawModes
from .numpy_planes import LaneHash, WordPlanes, as_bytes, masks, parts
from .python import PythonEngine
from .tables import expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from .numpy_planes import ByteArray, Words

# Bytes from which the planes are used instead of the backend `python`. They are faster from 12 KiB
# for ECB and CBC decryption, 16 KiB for GCM, and 17 KiB for CTR.
PLANES_FROM = 16 << 10


class NumpyEngine(RawModes):
    """The backend `numpy`: see contract.Engine."""

    __slots__ = ("_ghash", "_keys", "_short")

    def __init__(self, key: bytes) -> None:
        self._short = PythonEngine(key)
        round_keys = np.frombuffer(b"".join(expand(key)), np.uint8).reshape(-1, BLOCK)
        self._keys = masks(np.vstack((round_keys[:1], round_keys[1:] ^ 0x63)))
        self._ghash: LaneHash | None = None

    def encrypt_block(self, block: int) -> int:
        return self._short.encrypt_block(block)

    def decrypt_block(self, block: int) -> int:
        return self._short.decrypt_block(block)

    def _each(self, cipher: Callable[[WordPlanes, Words], None], data: ByteArray) -> ByteArray:
        output = np.empty(len(data), np.uint8)
        for part, planes in parts(len(data)):
            planes.load(data[part])
            cipher(planes, self._keys)
            output[part] = planes.store()[: part.stop - part.start]
        return output

    def ecb_encrypt(self, data: Bytes) -> bytes:
        if len(data) < PLANES_FROM:
            return self._short.ecb_encrypt(data)
        return self._each(WordPlanes.encrypt, as_bytes(data)).tobytes()

    def ecb_decrypt(self, data: Bytes) -> bytes:
        if len(data) < PLANES_FROM:
            return self._short.ecb_decrypt(data)
        return self._each(WordPlanes.decrypt, as_bytes(data)).tobytes()

    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        return self._short.cbc_encrypt(iv, data)

    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        if len(data) < PLANES_FROM:
            return self._short.cbc_decrypt(iv, data)
        ciphertext = as_bytes(data)
        plaintext = self._each(WordPlanes.decrypt, ciphertext)
        plaintext[:BLOCK] ^= as_bytes(iv)[: len(plaintext)]
        plaintext[BLOCK:] ^= ciphertext[:-BLOCK]
        return plaintext.tobytes()

    def _counter_mode(self, counter: int, data: ByteArray, bits: int) -> ByteArray:
        output = np.empty(len(data), np.uint8)
        wrap = (1 << bits) - 1
        for part, planes in parts(len(data)):
            planes.load_counters(counter, bits)
            planes.encrypt(self._keys)
            keystream = planes.store()[: part.stop - part.start]
            np.bitwise_xor(keystream, data[part], out=output[part])
            counter = counter & ~wrap | (counter + 64 * planes.words) & wrap
        return output

    def ctr(self, counter: bytes, data: Bytes) -> bytes:
        if len(data) < PLANES_FROM:
            return self._short.ctr(counter, data)
        return self._counter_mode(int.from_bytes(counter, "big"), as_bytes(data), 128).tobytes()

    # GCM (SP 800-38D)

    def _hashed(self, y: int, data: ByteArray) -> int:
        if self._ghash is None:
            self._ghash = LaneHash(self._short.ecb_encrypt(bytes(BLOCK)))
        state = self._ghash.update(as_bytes(y.to_bytes(BLOCK, "big")), data)
        return int.from_bytes(state.tobytes(), "big")

    def ghash(self, y: int, data: Bytes) -> int:
        """Returns GHASH of data, padded with zeros to whole blocks, from the state y."""
        if len(data) < PLANES_FROM:
            return self._short.ghash(y, data)
        return self._hashed(y, as_bytes(data))

    def gcm_piece(self, counter: int, y: int, data: Bytes, decrypting: bool) -> tuple[bytes, int]:
        """Returns data XORed with the keystream from `counter`, and `ghash` of the ciphertext from
        the state y.
        """
        if len(data) < PLANES_FROM:
            return self._short.gcm_piece(counter, y, data, decrypting)
        given = as_bytes(data)
        result = self._counter_mode(counter, given, 32)
        return result.tobytes(), self._hashed(y, given if decrypting else result)

    def gcm_short(
        self, j0: int, data: Bytes, ad: Bytes, decrypting: bool
    ) -> tuple[bytes, bytes] | None:
        """Uses the engine of `python`."""
        if len(data) + len(ad) < PLANES_FROM:
            return self._short.gcm_short(j0, data, ad, decrypting)
        return None
