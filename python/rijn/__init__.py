"""Rijn: AES at the speed of whatever it runs on.

    import os, rijn

    key = rijn.AESGCM.generate_key(256)
    aead = rijn.AESGCM(key)
    nonce = os.urandom(12)
    sealed = aead.encrypt(nonce, b"attack at dawn", b"header")
    assert aead.decrypt(nonce, sealed, b"header") == b"attack at dawn"

AESGCM        authenticated encryption: what you want unless a protocol says otherwise
AES           the raw modes ECB, CBC and CTR
chunked       long messages in chunks (c2sp.org/chunked-encryption)
backends      the implementations there are, fastest first, and which can run here
use_backend   chooses one for keys that are made later
InvalidTag    what decryption raises
BackendError  what choosing a backend raises

A name is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without importing it
if TYPE_CHECKING:
    from . import chunked
    from .aead import AESGCM
    from .block import AES
    from .errors import BackendError, InvalidTag
    from .registry import Backend, backends, use_backend

__version__ = "0.1.0"

__all__ = [
    "AES",
    "AESGCM",
    "Backend",
    "BackendError",
    "InvalidTag",
    "__version__",
    "backends",
    "chunked",
    "use_backend",
]

_HOMES = {
    "AES": "block",
    "AESGCM": "aead",
    "Backend": "registry",
    "BackendError": "errors",
    "InvalidTag": "errors",
    "backends": "registry",
    "use_backend": "registry",
}
_MODULES = {"chunked", "selftest"}

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
