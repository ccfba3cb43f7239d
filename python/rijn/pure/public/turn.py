"""Whose turn it is with an object that belongs to one thread at a time."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def take(state: list[T]) -> T:
    """What a call works on, and puts back unless it ends the message: so another finds none.
    Taking the last item of a list is one step, whatever threads there are."""
    try:
        return state.pop()
    except IndexError:
        raise RuntimeError(
            "finalize or verify has been called, or another thread is at work"
        ) from None
