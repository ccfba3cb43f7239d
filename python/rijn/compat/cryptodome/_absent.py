"""Says why a part of PyCryptodome cannot be imported: Rijn has its AES only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


def _reason(name: str) -> str:
    return (
        f"no module {name}: Rijn stands in for AES, CMAC, Padding, Counter and Random only. For the "
        "rest, install pycryptodome (package Crypto) or pycryptodomex (package Cryptodome)"
    )


class _Explainer:
    """The last finder: it is asked for modules of a package that no other finder has."""

    def __init__(self, package: str) -> None:
        self._prefix = f"{package}."

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.startswith(self._prefix):
            raise ModuleNotFoundError(_reason(name), name=name)
        return None


def explain(package: str) -> None:
    """Makes the import of a missing module of that package say why."""
    sys.meta_path.append(_Explainer(package))


def refuser(package: str) -> Callable[[str], NoReturn]:
    """Returns a package's __getattr__. For `from package import name` it raises an ImportError that
    says why. Everyone else gets the usual AttributeError: also the import system, which first asks
    for all names of such a statement, and must not fail before it has bound those that exist.
    """

    def refuse(name: str) -> NoReturn:
        if not name.startswith("_") and _imports(sys._getframe(1)):
            missing = f"{package}.{name}"
            raise ImportError(_reason(missing), name=missing)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return refuse


def _imports(frame: FrameType) -> bool:
    """Returns True if the frame is at the part `import name` of `from package import name`."""
    from opcode import opname

    return opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"
