"""The public classes on the Python backends: checks of arguments, padding and tags. The
implementation is a contract.PureBackend, which knows one key and expects valid arguments.

Modules and classes have the public names. A name is imported at its first use here. The arguments
of all constructors are, as for the native classes, the key, the backend, and the public class's
options.
"""

from __future__ import annotations

from importlib import import_module

_MODULE_NAMES = {
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
    if name not in _MODULE_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULE_NAMES[name]}", __name__), name)
    globals()[name] = value
    return value
