"""What stands behind the public classes on the pure backends: argument checks, padding and tags
around what contract.PureBackend makes, which knows one key and nothing of mistakes.

Each module has the name of the public one, and each class that of the public class; a name is
imported when it is first asked for here. All are made, as the native ones are, with (key,
backend, what the public class takes besides).
"""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "AES": "block",
    "AESXTS": "block",
    "AESGCM": "aead",
    "AESGCMSIV": "aead",
    "XAES256GCM": "aead",
    "AESCCM": "aead",
    "AESOCB3": "aead",
    "AESEAX": "aead",
    "AESSIV": "aead",
    "AEGIS128L": "aegis",
    "AEGIS128X2": "aegis",
    "AEGIS128X4": "aegis",
    "AEGIS256": "aegis",
    "AEGIS256X2": "aegis",
    "AEGIS256X4": "aegis",
    "CMAC": "mac",
    "AEGISMAC": "mac",
    "KeyWrap": "wrap",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
