"""Undefined bits."""

from __future__ import annotations

from typing import Any


class Poison:
    """An undefined bit. It spreads through XOR, and through AND unless the other operand is 0."""

    def __init__(self, reason: str = "undefined") -> None:
        self.reason = reason

    def __xor__(self, other: object) -> Poison:
        return self

    __rxor__ = __xor__

    def __repr__(self) -> str:
        return f"Poison({self.reason!r})"


POISON: Any = Poison()
