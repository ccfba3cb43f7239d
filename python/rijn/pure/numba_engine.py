"""The engine of `numba`: the compiled loops of numba_table.py at every length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .blocks import BLOCK, Bytes
from .modes.raw import RawModes
from .numba_table import (
    cbc_encrypt,
    counter_mode,
    ecb_decrypt,
    ecb_encrypt,
    ghash,
    inverse_keys,
    product_table,
    read_only,
)
from .tables import expand

if TYPE_CHECKING:
    from .numba_table import ByteArray, Table, Words32


class NumbaEngine(RawModes):
    """The backend `numba`: see contract.Engine."""

    __slots__ = ("_inverse_keys", "_keys", "_table")

    def __init__(self, key: bytes) -> None:
        self._keys: Words32 = np.frombuffer(b"".join(expand(key)), ">u4").astype(np.uint32)
        self._inverse_keys: Words32 | None = None
        self._table: Table | None = None

    def encrypt_block(self, block: int) -> int:
        return int.from_bytes(self.ecb_encrypt(block.to_bytes(BLOCK, "big")), "big")

    def decrypt_block(self, block: int) -> int:
        return int.from_bytes(self.ecb_decrypt(block.to_bytes(BLOCK, "big")), "big")

    def ecb_encrypt(self, data: Bytes) -> bytes:
        output = np.empty(len(data), np.uint8)
        ecb_encrypt(self._keys, read_only(data), output)
        return output.tobytes()

    def _decrypted(self, ciphertext: ByteArray) -> ByteArray:
        if self._inverse_keys is None:
            self._inverse_keys = inverse_keys(self._keys)
        output = np.empty(len(ciphertext), np.uint8)
        ecb_decrypt(self._inverse_keys, ciphertext, output)
        return output

    def ecb_decrypt(self, data: Bytes) -> bytes:
        return self._decrypted(read_only(data)).tobytes()

    def cbc_encrypt(self, iv: bytes, data: Bytes) -> bytes:
        output = np.empty(len(data), np.uint8)
        cbc_encrypt(self._keys, read_only(iv), read_only(data), output)
        return output.tobytes()

    def cbc_decrypt(self, iv: bytes, data: Bytes) -> bytes:
        ciphertext = read_only(data)
        plaintext = self._decrypted(ciphertext)
        plaintext[:BLOCK] ^= read_only(iv)[: len(plaintext)]
        plaintext[BLOCK:] ^= ciphertext[:-BLOCK]
        return plaintext.tobytes()

    def _counter_mode(self, counter: bytes, data: ByteArray, *, carries: bool) -> ByteArray:
        output = np.empty(len(data), np.uint8)
        counter_mode(self._keys, read_only(counter), carries, data, output)
        return output

    def ctr(self, counter: bytes, data: Bytes) -> bytes:
        return self._counter_mode(counter, read_only(data), carries=True).tobytes()

    # GCM (SP 800-38D)

    def _hashed(self, y: int, data: ByteArray) -> int:
        if self._table is None:
            h = self.ecb_encrypt(bytes(BLOCK))
            self._table = product_table(*np.frombuffer(h, ">u8").astype(np.uint64))
        state = np.empty(2, np.uint64)
        state[0], state[1] = y >> 64, y & 0xFFFF_FFFF_FFFF_FFFF
        ghash(self._table, state, data)
        high, low = state.tolist()
        return int(high) << 64 | int(low)

    def ghash(self, y: int, data: Bytes) -> int:
        """Returns GHASH of data, padded with zeros to whole blocks, from the state y."""
        return self._hashed(y, read_only(data))

    def gcm_piece(self, counter: int, y: int, data: Bytes, decrypting: bool) -> tuple[bytes, int]:
        """Returns data XORed with the keystream from `counter`, and `ghash` of the ciphertext from
        the state y.
        """
        given = read_only(data)
        result = self._counter_mode(counter.to_bytes(BLOCK, "big"), given, carries=False)
        made = result.tobytes()
        return made, self._hashed(y, given if decrypting else read_only(made))
