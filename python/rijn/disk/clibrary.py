"""The C library, for calls that `os` does not have."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def c_library() -> Any:
    """Loads the C library, once, because loading takes longer than renaming a file. ImportError,
    OSError."""
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
