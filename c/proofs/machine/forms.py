"""The table of instructions, and what stops the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .arithmetic import Value, number
from .operands import Instruction
from .refused import Refused

if TYPE_CHECKING:
    from .machine import Machine

Semantics = Callable[["Machine", Instruction], None]
TABLE: dict[str, Semantics] = {}


class Stop(Refused):
    """The code did something that a proof does not allow."""


class SecretDependence(Stop):
    """A branch, an address or a time depends on a symbolic bit."""


def form(*names: str) -> Callable[[Semantics], Semantics]:
    """Enters a function as the semantics of these instructions."""

    def enter(function: Semantics) -> Semantics:
        for name in names:
            if name in TABLE:
                raise ValueError(f"{name} has two semantics")
            TABLE[name] = function
        return function

    return enter


def concrete(value: Value) -> int:
    """Returns concrete bits as a number, and stops at others."""
    known = number(value)
    if known is None:
        raise SecretDependence("it needs a concrete operand")
    return known
