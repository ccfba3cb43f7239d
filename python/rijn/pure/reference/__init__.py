"""The standards read aloud: the oracle of every other rung.

Each function has its standard's name (in its spelling) and cites its clause. Nothing here is
typed in that a standard derives, nothing is done for speed (but that products of bytes are
remembered), and nothing is shared with another rung, so that a mistake cannot be shared either.

aes.py         FIPS 197
modes.py       SP 800-38A, -38B and -38F, XTS-AES and IGE
aead.py        GCM, XAES-256-GCM, GCM-SIV, SIV, CCM, OCB3, EAX

Not constant time: branches and table look-ups depend on the key and the data.
"""

from __future__ import annotations

from collections.abc import Callable

from .aead import AEAD, CCM, EAX, GCM, GCM_SIV, OCB3, SIV, XAES256GCM
from .modes import XTS, Bytes, Modes

__all__ = ["AEADS", "SIV", "XTS", "Engine"]

# The ciphers with a nonce and associated data by the names of their public classes, all made
# with (key, tag_length).
AEADS: dict[str, Callable[[bytes, int], AEAD]] = {
    "AESGCM": GCM,
    "XAES256GCM": XAES256GCM,
    "AESGCMSIV": GCM_SIV,
    "AESCCM": CCM,
    "AESOCB3": OCB3,
    "AESEAX": EAX,
}


class Engine(Modes):
    """The modes, and GCM with whole tags, as the faces ask for them."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.gcm = GCM(key, 16)

    def gcm_encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self.gcm.encrypt(nonce, data, ad)

    def gcm_decrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self.gcm.decrypt(nonce, data, ad, bytes(16))
