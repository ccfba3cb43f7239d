"""Message authentication: CMAC."""

from .. import _absent

__all__ = ["CMAC"]

__getattr__ = _absent.refuser(__name__)
