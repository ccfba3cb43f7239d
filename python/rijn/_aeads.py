"""Finds the classes of authenticated ciphers by name. aead.py has those on AES; aegis.py imports
it.
"""

from __future__ import annotations

from typing import Any

from . import aead, aegis


def aead_class(name: str) -> Any:
    """Returns the public class of that name, such as "AESGCM" or "AEGIS128L"."""
    return getattr(aegis if name.startswith("AEGIS") else aead, name)
