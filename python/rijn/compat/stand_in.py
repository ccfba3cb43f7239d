"""Puts a module of this package in the place of the package that it replaces, so that programs
import it under their name for it.

    stand_in.take_place("Cryptodome")
    from Cryptodome.Cipher import AES        # rijn.compat.cryptodome.Cipher.AES

`python -m rijn.compat.run` and the distribution rijn-cryptodome-shim do this.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

PYCRYPTODOME = ("Crypto", "Cryptodome")
NAMES = (*PYCRYPTODOME, "pyaes", "tgcrypto")
"""The packages that Rijn has modules for."""

# The file that marks a package as the shim.
SHIM_MARK = "rijn_shim.txt"

_OURS = "rijn.compat.cryptodome"
_PACKAGES = ("Cipher", "Hash", "Random", "Util")
# The modules that replace PyCryptodome's where it is installed.
_REPLACED = ("Cipher.AES", "Hash.CMAC", "Util.Counter", "Util.Padding")


class InstalledError(ImportError):
    """The package that Rijn's module would replace is installed."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(f"{name} is installed: {place}", name=name)


def installed(name: str) -> str | None:
    """Returns the place of the package that other people made.

    :param name: one of NAMES.
    :returns: a file or a folder; None if the package is not installed, or only Rijn's shim is.
    """
    for entry in sys.path:
        spec = PathFinder.find_spec(name, [entry])
        if spec is not None and not _is_shim(entry, name):
            return str(spec.origin or entry)
    return None


def _is_shim(entry: str, name: str) -> bool:
    return (Path(entry) / name / SHIM_MARK).exists()


def take_place(name: str, *, over_installed: bool = False) -> None:
    """Makes later imports of that name find Rijn's module, in this process.

    Where PyCryptodome is installed and `over_installed` is True, its other modules stay.

    :param name: one of NAMES.
    :param over_installed: True also replaces an installed package.
    :raises InstalledError: if the package is installed, and `over_installed` is False.
    :raises ValueError: if Rijn has no such module.
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, not {name!r}")
    place = installed(name)
    if place is not None and not over_installed:
        raise InstalledError(name, place)
    if name not in PYCRYPTODOME:
        _replace_whole(name)
    elif place is None:
        _stand_in(name)
    else:
        _replace_parts(name)


def _replace_whole(name: str) -> None:
    module = import_module(f"rijn.compat.{name}")
    sys.modules[name] = module
    for full, part in list(sys.modules.items()):
        if full.startswith(f"{module.__name__}."):
            sys.modules[full.removeprefix("rijn.compat.")] = part


def _stand_in(name: str) -> None:
    from .cryptodome import _absent

    ours = import_module(_OURS)
    package = ModuleType(name, ours.__doc__)
    package.__spec__ = ModuleSpec(name, None, origin=ours.__file__, is_package=True)
    package.__file__ = ours.__file__
    package.__path__ = []
    package.__dict__.update(
        {
            "__all__": [*ours.__all__],
            "__getattr__": _absent.refuser(name),
            "__version__": ours.__version__,
            "MessageTooLongError": ours.MessageTooLongError,
            "version_info": ours.version_info,
        }
    )
    sys.modules[name] = package
    for part in (*_PACKAGES, *_REPLACED):
        module = import_module(f"{_OURS}.{part}")
        if part in _PACKAGES:
            setattr(package, part, module)
    for full, module in list(sys.modules.items()):
        if full.startswith(f"{_OURS}."):
            sys.modules[name + full.removeprefix(_OURS)] = module
    _absent.explain(name)


def _replace_parts(name: str) -> None:
    from .cryptodome import _originals

    _originals.keep(_OURS, _original(name))
    for part in _REPLACED:
        original = import_module(f"{name}.{part}")
        ours = import_module(f"{_OURS}.{part}")
        _originals.keep(ours.__name__, original)
        sys.modules[f"{name}.{part}"] = ours
        parent, _, last = part.rpartition(".")
        setattr(sys.modules[f"{name}.{parent}"], last, ours)


def _original(name: str) -> ModuleType:
    """Imports PyCryptodome, also where the shim hides it and is imported itself."""
    path = sys.path[:]
    if any(_is_shim(entry, name) for entry in path):
        sys.modules.pop(name, None)
    sys.path[:] = [entry for entry in path if not _is_shim(entry, name)]
    try:
        return import_module(name)
    finally:
        sys.path[:] = path
