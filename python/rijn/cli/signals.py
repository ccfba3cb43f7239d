"""The signals that ask the program to end: SIGINT, SIGTERM and SIGHUP.

The first one raises Interrupted, but for a block that is `undisturbed`: at its end. This module uses
failures.py alone.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .failures import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_held: list[int] | None = None  # the signals that came in an undisturbed block; None outside of one


class Signals:
    """Makes the first signal that asks for an end raise Interrupted. Later signals do nothing.

    A signal that was ignored when the program started (as by nohup) stays so.
    """

    def __init__(self) -> None:
        self._former = {number: signal.getsignal(number) for number in _SIGNALS}
        self._set(self._interrupt)

    def ignore(self) -> None:
        """Ignores all of them from now on."""
        self._set(signal.SIG_IGN)

    def give_back(self) -> None:
        """Restores the former handlers."""
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _interrupt(self, number: int, _frame: FrameType | None) -> None:
        self.ignore()
        if _held is None:
            raise Interrupted(number)
        _held.append(number)

    def _set(self, to: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
        for number, handler in self._former.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, to)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A signal that comes meanwhile raises Interrupted at the end, unless there is an error.
    To other threads than the main one none comes. Inside another such block it is the outer
    block that raises."""
    global _held
    if threading.current_thread() is not threading.main_thread() or _held is not None:
        yield
        return
    _held = []
    try:
        yield
    finally:
        came, _held = _held, None
    for number in came:
        raise Interrupted(number)
