"""The faces of the C backends. The methods of the binding come first in the order of
bases, so that a call goes straight into C."""

from __future__ import annotations

import os

from . import _native, aead, aegis, block, mac, wrap

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_native.forked)


class AES(_native.AES, block.AES):
    __slots__ = ()


class AESXTS(_native.AESXTS, block.AESXTS):
    __slots__ = ()


class AESGCM(_native.AESGCM, aead.AESGCM):
    __slots__ = ()


class AESGCMSIV(_native.AESGCMSIV, aead.AESGCMSIV):
    __slots__ = ()


class XAES256GCM(_native.XAES256GCM, aead.XAES256GCM):
    __slots__ = ()


class AESCCM(_native.AESCCM, aead.AESCCM):
    __slots__ = ()


class AESOCB3(_native.AESOCB3, aead.AESOCB3):
    __slots__ = ()


class AESEAX(_native.AESEAX, aead.AESEAX):
    __slots__ = ()


class AESSIV(_native.AESSIV, aead.AESSIV):
    __slots__ = ()


class AEGIS128L(_native.AEGIS128L, aegis.AEGIS128L):
    __slots__ = ()


class AEGIS128X2(_native.AEGIS128X2, aegis.AEGIS128X2):
    __slots__ = ()


class AEGIS128X4(_native.AEGIS128X4, aegis.AEGIS128X4):
    __slots__ = ()


class AEGIS256(_native.AEGIS256, aegis.AEGIS256):
    __slots__ = ()


class AEGIS256X2(_native.AEGIS256X2, aegis.AEGIS256X2):
    __slots__ = ()


class AEGIS256X4(_native.AEGIS256X4, aegis.AEGIS256X4):
    __slots__ = ()


class CMAC(_native.CMAC, mac.CMAC):
    __slots__ = ()


class AEGISMAC(_native.AEGISMAC, mac.AEGISMAC):
    __slots__ = ()


class KeyWrap(_native.KeyWrap, wrap.KeyWrap):
    __slots__ = ()
