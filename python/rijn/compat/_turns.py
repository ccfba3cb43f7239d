"""Turns of objects that serve one call at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..incremental import OneAtATime

_Step = TypeVar("_Step", bound="Callable[..., Any]")


def in_turn(method: _Step) -> _Step:
    """Refuses a step of a message during another thread's step: both would use the same keystream."""

    @wraps(method)
    def step(self: OneAtATime, *arguments: Any, **named: Any) -> Any:
        self._take_turn()
        try:
            return method(self, *arguments, **named)
        finally:
            self._turn.append(None)

    return cast("_Step", step)
