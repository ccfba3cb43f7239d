"""ECB (SP 800-38A section 6.1)."""

from __future__ import annotations

from typing import Any

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ...._uncopyable import Uncopyable
from ....block import AES
from ._mode import backend_option, check_output, checked_key, give_out

__all__ = ["EcbMode"]


class EcbMode(Uncopyable):
    """Encrypts each block separately. It has no state: threads and forks may share it.

    ECB is a building block and does not hide data: equal blocks encrypt equally.

    :param key: 16, 24 or 32 bytes.
    """

    block_size = BLOCK

    @clean_traceback
    def __init__(self, key: Buffer, **options: Any) -> None:
        backend = backend_option(options)
        self._aes = AES(checked_key(key), backend=backend)

    @property
    def backend(self) -> str:
        """The name of the backend that computes with this key."""
        return self._aes.backend

    def encrypt(self, plaintext: Buffer, output: Buffer | None = None) -> bytes | None:
        """Encrypts whole blocks.

        :param plaintext: a multiple of 16 bytes.
        :param output: a writable buffer as long as `plaintext`. It may be `plaintext`.
        :returns: as many bytes; None if `output` got them.
        :raises ValueError: if an argument has another size.
        :raises TypeError: if `output` is not writable.
        """
        view, target = _arguments(plaintext, output)
        return give_out(self._aes.ecb_encrypt(view), target)

    def decrypt(self, ciphertext: Buffer, output: Buffer | None = None) -> bytes | None:
        """Decrypts: the inverse of `encrypt`.

        :param ciphertext: a multiple of 16 bytes.
        :param output: as for `encrypt`.
        :returns: as `encrypt`.
        :raises ValueError, TypeError: as `encrypt`.
        """
        view, target = _arguments(ciphertext, output)
        return give_out(self._aes.ecb_decrypt(view), target)


def _arguments(data: Buffer, output: Buffer | None) -> tuple[bytes | memoryview, memoryview | None]:
    view = _check.readable("data", data)
    target = check_output(output, len(view))
    if len(view) % BLOCK:
        raise ValueError("Data must be aligned to block boundary in ECB mode")
    return view, target
