"""The classes of authenticated ciphers by their names, for those who keep names: aead.py has
those on AES, and aegis.py stands on it."""

from __future__ import annotations

from typing import Any

from . import aead, aegis


def aead_class(name: str) -> Any:
    """The public class of that name, "AESGCM" or "AEGIS128L"."""
    return getattr(aegis if name.startswith("AEGIS") else aead, name)
