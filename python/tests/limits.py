"""The time limit of all tests."""

from __future__ import annotations

LIMIT = 500  # seconds; a longer wait is a hang, on a loaded machine too
