"""Rijn: fast AES and AEGIS::

    import os, rijn

    key = rijn.AESGCM.generate_key(256)
    aead = rijn.AESGCM(key)
    nonce = os.urandom(12)
    sealed = aead.encrypt(nonce, b"attack at dawn", b"header")
    assert aead.decrypt(nonce, sealed, b"header") == b"attack at dawn"

Authenticated encryption::

    AESGCM        the usual choice, unless a protocol says otherwise
    XAES256GCM    AES-GCM with nonces that are safe to draw at random
    AESGCMSIV     for nonces that might repeat
    AESSIV        without nonces
    AESCCM, AESOCB3, AESEAX             for protocols that need them
    AEGIS128L, AEGIS128X2, AEGIS128X4   faster than AES-GCM
    AEGIS256, AEGIS256X2, AEGIS256X4    the same with keys and nonces of 256 bits
    Sealer        draws the nonces, counts them, and puts each before its message
    AEAD          the base class of all but AESSIV, for annotations and isinstance
    chunked       long messages in chunks (c2sp.org/chunked-encryption)
    files         encrypted files, as the command writes and reads them
    columns       columns of tables, as Arrow arrays

Authentication, key wrap and raw modes::

    CMAC, AEGISMAC                 authentication alone
    aes_key_wrap, aes_key_unwrap   key wrap; also with padding
    AES, AESXTS                    ECB, CBC, CFB, OFB, CTR and IGE; XTS

Backends and errors::

    backends         all implementations, fastest first, and which can run here
    aegis_kernels    the implementations of AEGIS of each backend
    use_backend      chooses a backend for keys that are made later
    current_backend  the backend that such keys get now
    InvalidTag       raised by decryption
    BackendError     raised by the choice of a backend

A name is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without importing it
if TYPE_CHECKING:
    from . import chunked, columns, files
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
    "files",
    "use_backend",
]

_MODULE_NAMES = {
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
_MODULES = {"chunked", "columns", "files", "selftest"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _MODULE_NAMES:
            value = getattr(import_module(f".{_MODULE_NAMES[name]}", __name__), name)
        elif name in _MODULES:
            value = import_module(f".{name}", __name__)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*__all__, *_MODULES})
