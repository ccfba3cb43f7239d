"""The public classes on the C backends.

The binding's class is the first base, so a call goes directly to C. Its methods have signatures,
and receive the docstrings of the public classes here.
"""

from __future__ import annotations

import os

from . import _native, aead, aegis, block, mac, wrap

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_native.forked)


class AES(_native.AES, block.AES):
    __slots__ = ()
    __doc__ = block.AES.__doc__


class AESXTS(_native.AESXTS, block.AESXTS):
    __slots__ = ()
    __doc__ = block.AESXTS.__doc__


class AESGCM(_native.AESGCM, aead.AESGCM):
    __slots__ = ()
    __doc__ = aead.AESGCM.__doc__


class AESGCMSIV(_native.AESGCMSIV, aead.AESGCMSIV):
    __slots__ = ()
    __doc__ = aead.AESGCMSIV.__doc__


class XAES256GCM(_native.XAES256GCM, aead.XAES256GCM):
    __slots__ = ()
    __doc__ = aead.XAES256GCM.__doc__


class AESCCM(_native.AESCCM, aead.AESCCM):
    __slots__ = ()
    __doc__ = aead.AESCCM.__doc__


class AESOCB3(_native.AESOCB3, aead.AESOCB3):
    __slots__ = ()
    __doc__ = aead.AESOCB3.__doc__


class AESEAX(_native.AESEAX, aead.AESEAX):
    __slots__ = ()
    __doc__ = aead.AESEAX.__doc__


class AESSIV(_native.AESSIV, aead.AESSIV):
    __slots__ = ()
    __doc__ = aead.AESSIV.__doc__


class AEGIS128L(_native.AEGIS128L, aegis.AEGIS128L):
    __slots__ = ()
    __doc__ = aegis.AEGIS128L.__doc__


class AEGIS128X2(_native.AEGIS128X2, aegis.AEGIS128X2):
    __slots__ = ()
    __doc__ = aegis.AEGIS128X2.__doc__


class AEGIS128X4(_native.AEGIS128X4, aegis.AEGIS128X4):
    __slots__ = ()
    __doc__ = aegis.AEGIS128X4.__doc__


class AEGIS256(_native.AEGIS256, aegis.AEGIS256):
    __slots__ = ()
    __doc__ = aegis.AEGIS256.__doc__


class AEGIS256X2(_native.AEGIS256X2, aegis.AEGIS256X2):
    __slots__ = ()
    __doc__ = aegis.AEGIS256X2.__doc__


class AEGIS256X4(_native.AEGIS256X4, aegis.AEGIS256X4):
    __slots__ = ()
    __doc__ = aegis.AEGIS256X4.__doc__


class CMAC(_native.CMAC, mac.CMAC):
    __slots__ = ()
    __doc__ = mac.CMAC.__doc__


class AEGISMAC(_native.AEGISMAC, mac.AEGISMAC):
    __slots__ = ()
    __doc__ = mac.AEGISMAC.__doc__


class KeyWrap(_native.KeyWrap, wrap.KeyWrap):
    __slots__ = ()
    __doc__ = wrap.KeyWrap.__doc__


def _document(*classes: type) -> None:
    """Gives the methods of the binding's classes the docstrings of the public classes."""
    for each in classes:
        binding, public = each.__bases__
        for name in vars(binding):
            text = getattr(getattr(public, name, None), "__doc__", None)
            if text and not name.startswith("__") and callable(getattr(binding, name)):
                _native.document(binding, name, text)


_document(
    *(AES, AESXTS, AESGCM, AESGCMSIV, XAES256GCM, AESCCM, AESOCB3, AESEAX, AESSIV),
    *(AEGIS128L, AEGIS128X2, AEGIS128X4, AEGIS256, AEGIS256X2, AEGIS256X4),
    *(CMAC, AEGISMAC, KeyWrap),
)
