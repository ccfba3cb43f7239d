"""Keeps keys out of tracebacks: loggers and crash reporters collect the variables of frames."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_CLEARED = {"rijn", "argon2", *sys.stdlib_module_names}
"""Packages whose frames lose their variables: Rijn's, and those that Rijn hands secrets to."""


def clean_traceback(call: F) -> F:
    """Decorates a function that takes or makes a key, or plaintext that a refusal keeps. If the
    function raises, its frame and the frames below lose their variables. The traceback still
    names every line."""

    @wraps(call)
    def cleaned(*args: Any, **options: Any) -> Any:
        try:
            return call(*args, **options)
        except BaseException as error:
            del args, options
            _clean(error)
            raise

    return cast("F", cleaned)


def _clean(error: BaseException | None) -> None:
    """Clears Rijn's frames and the library frames below them, for an exception and its causes and
    contexts. The caller's callbacks and frames that still run keep their variables."""
    if error is None:
        return
    inside, trace = False, error.__traceback__
    while trace is not None:
        package = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        inside = inside or package == "rijn"
        if inside and package in _CLEARED:
            with suppress(RuntimeError):  # it still runs
                trace.tb_frame.clear()
        trace = trace.tb_next
    if error.__suppress_context__:
        # It is not shown, and a decoding error keeps the whole text in an attribute.
        error.__context__ = None
    _clean(error.__cause__)
    _clean(error.__context__)
