"""The C library, for the calls that `os` lacks."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def c_library() -> Any:
    """Loads it, once: that takes longer than renaming a file. ImportError, OSError."""
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
