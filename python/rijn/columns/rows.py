"""Rows of Arrow's layouts: the functions of the native module, or those of rows_pure, which has
their docstrings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..registry import native_module
from . import rows_pure

if TYPE_CHECKING:
    from .rows_pure import (
        behind,
        marked,
        merged,
        padded,
        prefixed,
        present,
        spaced,
        spread,
        taken,
        unpadded,
        viewed,
    )
else:
    _native = native_module()
    _home = rows_pure if isinstance(_native, str) else _native
    behind, marked, merged = _home.behind, _home.marked, _home.merged
    spaced, spread = _home.spaced, _home.spread
    padded, unpadded, prefixed = _home.padded, _home.unpadded, _home.prefixed
    present, taken, viewed = _home.present, _home.taken, _home.viewed

__all__ = [
    "behind",
    "marked",
    "merged",
    "padded",
    "prefixed",
    "present",
    "spaced",
    "spread",
    "taken",
    "unpadded",
    "viewed",
]
