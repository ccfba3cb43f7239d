"""The signals that ask the program to end: SIGINT, SIGTERM and SIGHUP.

The first one raises Interrupted. An `undisturbed` block delays that to its end. This module uses only
failures.py.
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
_held: list[int] | None = None  # signals that came in an undisturbed block; None outside


class Signals:
    """Makes the first of these signals raise Interrupted. Later ones do nothing.

    A signal that was ignored at the program's start, as by nohup, stays ignored.
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
    """Delays signals: Interrupted is raised at the end of the block, unless the block raises an error.
    Inside another such block, the outer block raises it. Other threads than the main thread get no
    signals."""
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
