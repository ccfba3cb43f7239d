"""Lets one thread at a time use an object."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def take_state(state: list[T]) -> T:
    """Takes the object's state for a call. The call puts it back unless it ends the message; until
    then, other calls find none. Taking the last item of a list is atomic, whatever threads there
    are.
    """
    try:
        return state.pop()
    except IndexError:
        raise RuntimeError(
            "finalize or verify has been called, or another thread is at work"
        ) from None
