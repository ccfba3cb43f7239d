"""A plugin of pytest: Rijn's AEAD classes in the place of those of the package cryptography."""

import os

import cryptography.exceptions
from cryptography.hazmat.primitives.ciphers import aead

import rijn

NAMES = ("AESCCM", "AESGCM", "AESGCMSIV", "AESOCB3", "AESSIV")


class ShortTags:
    """rijn.AESCCM that allows short tags, as cryptography does without being asked."""

    generate_key = staticmethod(rijn.AESCCM.generate_key)

    def __new__(cls, key: bytes, tag_length: int = 16) -> rijn.AESCCM:
        return rijn.AESCCM(key, tag_length, short_tags=True)


for name in NAMES:
    setattr(aead, name, ShortTags if name == "AESCCM" else getattr(rijn, name))
cryptography.exceptions.InvalidTag = rijn.InvalidTag
rijn.use_backend(os.environ.get("AEADS_ON") or None)
