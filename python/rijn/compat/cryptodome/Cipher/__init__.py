"""Ciphers: AES."""

from .. import _absent

__all__ = ["AES"]

__getattr__ = _absent.refuser(__name__)
