"""The faces of the C backends. The methods of the binding come first in the order of
bases, so that a call goes straight into C."""

from __future__ import annotations

from . import _native, aead, block


class AES(_native.AES, block.AES):
    __slots__ = ()


class AESGCM(_native.AESGCM, aead.AESGCM):
    __slots__ = ()
