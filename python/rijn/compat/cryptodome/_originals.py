"""PyCryptodome's own modules, where `rijn.compat.run` puts Rijn's over them. They have the names
that Rijn's modules do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0]
_originals: dict[str, ModuleType] = {}


class MessageTooLongError(ValueError, OverflowError):
    """The data are longer than a cipher can process with one key and nonce."""


def too_long(text: str) -> ValueError:
    """Returns a MessageTooLongError, of PyCryptodome's own class where its package is kept."""
    cls = getattr(find(_PACKAGE), "MessageTooLongError", MessageTooLongError)
    error: ValueError = cls(text)
    return error


def keep(name: str, original: ModuleType) -> None:
    """Keeps the original of Rijn's module of that name."""
    _originals[name] = original


def find(name: str) -> ModuleType | None:
    """Returns the original of Rijn's module of that name, if it is kept."""
    return _originals.get(name)


def finder(module: str) -> Callable[[str], object]:
    """Returns a module's __getattr__, which finds missing names in its original."""

    def missing(name: str) -> object:
        original = find(module)
        if original is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(original, name)

    return missing
