"""Rows of Arrow's layouts: the functions of the native module, or those of rows_pure, which has
their docstrings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..registry import native_module
from . import rows_pure

if TYPE_CHECKING:
    from .rows_pure import (
        marked,
        merged,
        padded,
        prefixed,
        present,
        spaced,
        spread,
        taken,
        unpadded,
        unprefixed,
        viewed,
    )
else:
    _native = native_module()
    _rows = rows_pure if isinstance(_native, str) else _native
    unprefixed, marked, merged = _rows.unprefixed, _rows.marked, _rows.merged
    spaced, spread = _rows.spaced, _rows.spread
    padded, unpadded, prefixed = _rows.padded, _rows.unpadded, _rows.prefixed
    present, taken, viewed = _rows.present, _rows.taken, _rows.viewed

__all__ = [
    "marked",
    "merged",
    "padded",
    "prefixed",
    "present",
    "spaced",
    "spread",
    "taken",
    "unpadded",
    "unprefixed",
    "viewed",
]
