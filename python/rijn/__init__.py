"""Rijn: AES at the speed of whatever it runs on.

    import os, rijn

    key = rijn.AESGCM.generate_key(256)
    aead = rijn.AESGCM(key)
    nonce = os.urandom(12)
    sealed = aead.encrypt(nonce, b"attack at dawn", b"header")
    assert aead.decrypt(nonce, sealed, b"header") == b"attack at dawn"

AESGCM        authenticated encryption: what you want unless a protocol says otherwise
XAES256GCM    the same with nonces that may be drawn at random without end
AESGCMSIV     the same where a nonce might come twice; AESSIV where there is none
Sealer        any of these with nonces of its own: random, counted, before each message
AESCCM, AESOCB3, AESEAX             what other protocols ask for
AEGIS128L, AEGIS128X2, AEGIS128X4   authenticated encryption that is faster still
AEGIS256, AEGIS256X2, AEGIS256X4    the same with keys and nonces of 256 bits
AEAD          their base class, for annotations and isinstance; all but AESSIV have its methods
CMAC, AEGISMAC                      authentication alone
aes_key_wrap, aes_key_unwrap, and with_padding: keys wrapped in keys
AES, AESXTS   the raw modes ECB, CBC, CFB, OFB, CTR and IGE; XTS
chunked       long messages in chunks (c2sp.org/chunked-encryption)
columns       columns of tables, as Arrow arrays
backends      the implementations there are, fastest first, and which can run here
aegis_kernels the implementations of AEGIS, where a backend has several
use_backend   chooses one for keys that are made later; current_backend says which it is
InvalidTag    what decryption raises
BackendError  what choosing a backend raises

A name is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without importing it
if TYPE_CHECKING:
    from . import chunked, columns
    from .aead import AEAD, AESCCM, AESEAX, AESGCM, AESGCMSIV, AESOCB3, AESSIV, XAES256GCM
    from .aegis import AEGIS128L, AEGIS128X2, AEGIS128X4, AEGIS256, AEGIS256X2, AEGIS256X4
    from .block import AES, AESXTS
    from .errors import BackendError, InvalidTag
    from .mac import AEGISMAC, CMAC
    from .registry import (
        AEGISKernel,
        Backend,
        aegis_kernels,
        backends,
        current_backend,
        use_backend,
    )
    from .sealer import Sealer
    from .wrap import (
        aes_key_unwrap,
        aes_key_unwrap_with_padding,
        aes_key_wrap,
        aes_key_wrap_with_padding,
    )

__version__ = "0.1.0"

__all__ = [
    "AEAD",
    "AEGIS128L",
    "AEGIS128X2",
    "AEGIS128X4",
    "AEGIS256",
    "AEGIS256X2",
    "AEGIS256X4",
    "AEGISMAC",
    "AES",
    "AESCCM",
    "AESEAX",
    "AESGCM",
    "AESGCMSIV",
    "AESOCB3",
    "AESSIV",
    "AESXTS",
    "CMAC",
    "XAES256GCM",
    "AEGISKernel",
    "Backend",
    "BackendError",
    "InvalidTag",
    "Sealer",
    "__version__",
    "aegis_kernels",
    "aes_key_unwrap",
    "aes_key_unwrap_with_padding",
    "aes_key_wrap",
    "aes_key_wrap_with_padding",
    "backends",
    "chunked",
    "columns",
    "current_backend",
    "use_backend",
]

_HOMES = {
    "AEAD": "aead",
    "AEGIS128L": "aegis",
    "AEGIS128X2": "aegis",
    "AEGIS128X4": "aegis",
    "AEGIS256": "aegis",
    "AEGIS256X2": "aegis",
    "AEGIS256X4": "aegis",
    "AEGISKernel": "registry",
    "AEGISMAC": "mac",
    "AES": "block",
    "AESCCM": "aead",
    "AESEAX": "aead",
    "AESGCM": "aead",
    "AESGCMSIV": "aead",
    "AESOCB3": "aead",
    "AESSIV": "aead",
    "AESXTS": "block",
    "Backend": "registry",
    "BackendError": "errors",
    "CMAC": "mac",
    "InvalidTag": "errors",
    "Sealer": "sealer",
    "XAES256GCM": "aead",
    "aegis_kernels": "registry",
    "aes_key_unwrap": "wrap",
    "aes_key_unwrap_with_padding": "wrap",
    "aes_key_wrap": "wrap",
    "aes_key_wrap_with_padding": "wrap",
    "backends": "registry",
    "current_backend": "registry",
    "use_backend": "registry",
}
_MODULES = {"chunked", "columns", "selftest"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _HOMES:
            value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        elif name in _MODULES:
            value = import_module(f".{name}", __name__)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*__all__, *_MODULES})
