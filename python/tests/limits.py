"""How long tests wait, in one place."""

from __future__ import annotations

LIMIT = 500  # seconds; what takes longer hangs, on a loaded machine too
