"""Key wrap with padding (RFC 5649)."""

from __future__ import annotations

from .... import _check
from ...._check import BLOCK, Buffer
from ...._traceback import clean_traceback
from ....errors import InvalidTag
from ..._turns import in_turn
from ._mode_kw import WrapMode

__all__ = ["KWPMode"]


class KWPMode(WrapMode):
    """Key wrap with padding (KWP).

    :param key: 16, 24 or 32 bytes.
    """

    @in_turn
    def seal(self, plaintext: Buffer) -> bytes:
        """Wraps a key.

        :param plaintext: 1 to 2^32 - 1 bytes.
        :returns: the next multiple of 8 bytes, and 8 more.
        :raises ValueError: if it has another size.
        """
        view = _check.readable("plaintext", plaintext)
        if not view:
            raise ValueError("The plaintext must be at least 1 byte")
        return self._wrap.wrap_padded(view)

    @in_turn
    @clean_traceback
    def unseal(self, ciphertext: Buffer) -> bytes:
        """Unwraps: the inverse of `seal`.

        :param ciphertext: a multiple of 8 bytes, at least 16.
        :returns: the wrapped key.
        :raises ValueError: unless `seal` made it with this key.
        """
        view = self._checked("ciphertext", ciphertext, BLOCK)
        try:
            return self._wrap.unwrap_padded(view)
        except InvalidTag:
            raise ValueError("Incorrect decryption") from None
