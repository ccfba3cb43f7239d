"""The standards read aloud: the oracle of every other rung.

Each function has its standard's name (in its spelling) and cites its clause. Nothing here is
typed in that a standard derives, nothing is done for speed, and nothing is shared with another
rung, so that a mistake cannot be shared either.

aes.py         FIPS 197
modes.py       the modes of SP 800-38A
aead.py        authenticated encryption: SP 800-38D

Not constant time: branches and table look-ups depend on the key and the data.
"""

from __future__ import annotations

from .aead import GCM
from .modes import Bytes, Modes

# The authenticated ciphers by the names of their public classes; made with (key, tag_length).
AEADS = {"AESGCM": GCM}


class Engine(Modes):
    """The modes, and GCM with whole tags, as the faces ask for them."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.gcm = GCM(key, 16)

    def gcm_encrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self.gcm.encrypt(nonce, data, ad)

    def gcm_decrypt(self, nonce: bytes, data: Bytes, ad: Bytes) -> tuple[bytes, bytes]:
        return self.gcm.decrypt(nonce, data, ad, bytes(16))
