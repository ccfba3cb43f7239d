"""Padding and counters."""

from .. import _absent

__all__ = ["Counter", "Padding"]

__getattr__ = _absent.refuser(__name__)
