"""The backends: which exist, which can run here, and which one a key gets.

A key gets the backend of the keyword `backend=`, else of the last `use_backend`, else of the
environment variable RIJN_BACKEND, else the first item of `backends()` that is both automatic and
available. The environment may only name constant-time backends, and `python` if none of them can
run. A program may name any backend.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import ref

from . import _check
from ._install import pip_install
from ._listed import listed
from .errors import BackendError

if TYPE_CHECKING:
    from types import ModuleType

    from ._native import BackendInfo

T = TypeVar("T")


class Backend(NamedTuple):
    """One implementation of AES and AEGIS."""

    name: str  # as given to backend= and use_backend
    available: bool  # whether it can run here
    constant_time: bool | None  # no branch or address depends on key or data; None: no claim
    automatic: bool  # whether it may be chosen without being named
    reason: str  # why it cannot run here; "" when it can
    summary: str  # one line
    blocks: int  # AES blocks in flight at full speed; 0 when not known


class Backends(list[Backend]):
    """A list of backends, which is shown as a table."""

    def __repr__(self) -> str:
        lines = [(" ", "backend", "constant time", ""), *_lines(self)]
        width = max(len(name) for _, name, _, _ in lines)
        return "\n".join(
            f"{mark} {name:{width}}  {timing:13}  {text}".rstrip()
            for mark, name, timing, text in lines
        )

    def _repr_html_(self) -> str:
        from html import escape

        rows = [("", "backend", "constant time", ""), *_lines(self)]
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _lines(records: list[Backend]) -> Iterator[tuple[str, str, str, str]]:
    """Yields the cells of each row. A star marks the backend that keys get by default."""
    try:
        default = current_backend()
    except BackendError:
        default = ""  # RIJN_BACKEND names an unavailable backend: no star
    for record in records:
        mark = "*" if record.name == default else " "
        unknown = "no" if record.available else "–"  # a backend that does not load
        timing = {True: "yes", False: "no", None: unknown}[record.constant_time]
        note = record.summary if record.available else f"not here: {record.reason}"
        yield mark, record.name, timing, note


class ListedBackend(NamedTuple):
    """A line of backends.def: a C backend of some build of Rijn, perhaps not of this one."""

    name: str
    where: str  # its machine, or the switch of a portable backend
    timing: str  # how its constant time is shown: CLEAN, STEPPED or BELIEVED; or LEAKY
    choice: str  # AUTOMATIC, ALIGNED, ON_64, ON_32 or BY_NAME

    @property
    def constant_time(self) -> bool:
        return self.timing != "LEAKY"


class AEGISKernel(NamedTuple):
    """One implementation of AEGIS. A C backend may have several."""

    name: str  # as given to backend= of an AEGIS class
    backend: str  # its backend, whose name selects the first of its kernels that is available
    available: bool  # whether it can run here
    reason: str  # why it cannot; "" when it can
    summary: str  # one line


PURE = (
    Backend(
        name="python",
        available=True,
        constant_time=None,
        automatic=True,
        reason="",
        summary="Python's standard library alone: wide tables, and bit planes for long input",
        blocks=65536,
    ),
    Backend(
        name="python-table",
        available=True,
        constant_time=None,
        automatic=False,
        reason="",
        summary="python without its bit planes: wide tables, and planes of bytes",
        blocks=512,
    ),
    Backend(
        name="python-bitslice",
        available=True,
        constant_time=None,
        automatic=False,
        reason="",
        summary="python with its bit planes at every length, where blocks are independent",
        blocks=65536,
    ),
    Backend(
        name="numpy",
        available=True,
        constant_time=None,
        automatic=False,
        reason="",
        summary="bit planes in NumPy's arrays for long input, python for short",
        blocks=32768,
    ),
    Backend(
        name="numba",
        available=True,
        constant_time=False,
        automatic=False,
        reason="",
        summary="32-bit tables in a loop that Numba compiles, for comparison",
        blocks=1,
    ),
    Backend(
        name="reference",
        available=True,
        constant_time=False,
        automatic=False,
        reason="",
        summary="FIPS 197 and SP 800-38D, step by step in Python: for tests, very slow",
        blocks=1,
    ),
)

# Backends that need the package of the same name.
OPTIONAL = ("numpy", "numba")


@cache
def listed_backends() -> tuple[ListedBackend, ...]:
    """Returns the C backends of every build, preferred first."""
    found = listed("backends.def", "c/src", "RIJN_BACKEND")
    return tuple(
        ListedBackend(name, where, timing, choice) for where, _, name, timing, choice, _ in found
    )


@cache
def native_module() -> ModuleType | str:
    """Returns the binding of librijn, or a text that says why it is missing."""
    try:
        return import_module("rijn._native")
    except ModuleNotFoundError as error:
        return f"native module not built: {error}"
    except ImportError as error:
        return f"native module does not load: {error}"


@cache
def _pure() -> tuple[Backend, ...]:
    """Returns PURE, with a reason where a package is missing. It does not import the package."""
    from importlib.util import find_spec

    return tuple(
        record._replace(
            available=False,
            reason=f"needs the package {record.name}: {pip_install(record.name)}",
        )
        if record.name in OPTIONAL and find_spec(record.name) is None
        else record
        for record in PURE
    )


def _records(*, absent: bool = False) -> Iterator[Backend | BackendInfo]:
    """Yields the backends of this build, with `absent` also those that it leaves out."""
    native = native_module()
    if isinstance(native, str):
        for listed in listed_backends():
            yield Backend(listed.name, False, None, False, native, "", 0)
    else:
        yield from native.backends()
        if absent:
            yield from _left_out()
    yield from _pure()


@cache
def _left_out() -> tuple[Backend, ...]:
    """Returns the backends for this machine that CMake's RIJN_LEAKY=OFF or RIJN_BACKENDS left out."""
    native = native_module()
    assert not isinstance(native, str)
    built = {record.name for record in native.backends()}
    here = _places()
    return tuple(
        Backend(it.name, False, it.constant_time, False, "left out of this build", "", 0)
        for it in listed_backends()
        if it.name not in built and it.where in here
    )


def _places() -> set[str]:
    """Returns the machines and switches of backends.def that a whole build has here."""
    import platform

    machine, wide = platform.machine().lower(), sys.maxsize > 1 << 32
    found = {"FIXSLICE64", "FIXSLICE32", "TABLE"}
    if machine in ("x86_64", "amd64", "i386", "i686", "x86"):
        found |= {"X86"} | ({"X86_64"} if wide else set())
        if wide and os.name == "posix":
            found |= {"ASM_X86_64"}
    elif wide and machine in ("aarch64", "arm64"):
        found |= {"ARM64"}
    elif wide and machine == "riscv64":
        found |= {"RISCV64"}
    elif machine == "wasm32":
        found |= {"SIMD128"}
    return found


def backends() -> Backends:
    """Lists every backend, preferred first, including those that cannot run here.

    :returns: a list of `Backend`, which is shown as a table.
    """
    return Backends(
        Backend(
            name=found.name,
            available=found.available,
            constant_time=found.constant_time,
            automatic=found.automatic,
            reason=found.reason,
            summary=found.summary,
            blocks=found.blocks,
        )
        for found in _records(absent=True)
    )


def aegis_kernels() -> list[AEGISKernel]:
    """Lists the kernels of AEGIS of the C backends, each backend's preferred one first.

    :returns: a list of `AEGISKernel`. A backend in Python has no kernels to choose from.
    """
    native = native_module()
    if isinstance(native, str):
        return []
    return [AEGISKernel(*found) for found in native.aegis_kernels()]


class _Chosen:
    """One choice of use_backend that is in force, and a weak reference to the object that may undo
    it. A choice whose object is gone is permanent.
    """

    __slots__ = ("name", "owner")

    def __init__(self, name: str | None, owner: _Choice) -> None:
        self.name = name
        self.owner = ref(owner)


# The last choice applies. There is no lock, because a fork could leave it locked: a list appends
# and removes atomically.
_chosen: list[_Chosen] = []


def _push(name: str | None, owner: _Choice) -> _Chosen:
    """Puts a choice in force. Removes those below a permanent one, which can never apply again."""
    global _choices
    held = _chosen[:]
    for i in reversed(range(len(held))):
        if held[i].owner() is None:
            for covered in held[:i]:
                _take_back(covered)
            break
    choice = _Chosen(name, owner)
    _chosen.append(choice)
    _choices = {}
    return choice


def _take_back(choice: _Chosen) -> None:
    global _choices
    if choice in _chosen:
        with suppress(ValueError):  # another thread was first
            _chosen.remove(choice)
        _choices = {}


class _Choice:
    """The result of use_backend. As a context, it undoes its choice at the end of the block, and
    chooses again if it is entered again.
    """

    __slots__ = ("__weakref__", "_entered", "_made", "_name")

    def __init__(self, name: str | None) -> None:
        self._name = name
        self._made = [_push(name, self)]  # before any block
        self._entered: list[_Chosen] = []

    def __enter__(self) -> str:
        name = self._name or _unchosen()
        self._entered.append(_push(self._name, self))
        while self._made:
            _take_back(self._made.pop())
        return name

    def __exit__(self, *_exception: object) -> None:
        _take_back((self._entered or self._made).pop())

    def __repr__(self) -> str:
        return f"<rijn.use_backend({self._name!r})>"


def use_backend(name: str | Backend | None) -> AbstractContextManager[str]:
    """Sets the backend of keys that are made later without `backend=`::

        rijn.use_backend("fixslice64")             # from here on
        with rijn.use_backend("fixslice64"): ...   # until the end of the block

    It applies to all threads of the process. For one thread or task alone, give `backend=` to each
    key. The last choice applies. The end of a block undoes only its own choice, so blocks of
    several threads or generators may end in any order. While any block is open, the last one that
    was entered applies in all threads. After them, the last choice outside `with` statements
    applies, even if it was made during a block. A context that is entered again chooses again.

    :param name: a name, or an item of `backends()`. None returns to RIJN_BACKEND or the automatic
        choice.
    :returns: a context manager whose value is the name of the chosen backend.
    :raises BackendError: if the backend is unknown or cannot run here. Nothing changes then.
    :raises TypeError: if `name` is of another type. Nothing changes then.
    """
    return _Choice(None if name is None else _require(_named(name), ""))


def current_backend() -> str:
    """Returns the name of the backend of keys that are made now without `backend=`.

    :raises BackendError: if RIJN_BACKEND names an unavailable backend.
    """
    return resolve(None)


def _named(backend: str | Backend | AEGISKernel) -> str:
    """Returns the name of the backend or kernel that `backend=` gives."""
    return backend.name if isinstance(backend, (Backend, AEGISKernel)) else backend


@cache
def _environment() -> str:
    """Returns RIJN_BACKEND, read once, when first needed; "" if it is unset.

    Like librijn, it ignores the variable in a process that has more rights than the user who
    started it.
    """
    native = native_module()
    if not isinstance(native, str):
        value: str = native.environment()
        return value
    if hasattr(os, "geteuid") and ((os.getuid(), os.getgid()) != (os.geteuid(), os.getegid())):
        return ""
    return os.environ.get("RIJN_BACKEND", "")


def resolve(backend: str | None) -> str:
    """Returns the name of the backend for a new key. Raises BackendError."""
    if backend is not None:
        return _require(backend, "")
    last = _chosen[-1:]
    if last and last[0].name is not None:
        return _require(last[0].name, "use_backend: ")
    return _unchosen()


def _unchosen() -> str:
    """Returns the name of the backend for a new key if use_backend has chosen none."""
    if name := _environment():
        return _require(name, "RIJN_BACKEND: ", from_environment=True)
    return next(found.name for found in _records() if found.automatic and found.available)


def _environmental() -> list[Backend | BackendInfo]:
    """Returns the backends that the environment may name. It cannot replace constant-time code: it
    may name the automatic choice only if no constant-time backend can run.
    """
    records = list(_records())
    safe = any(record.available and record.constant_time for record in records)
    return [it for it in records if it.constant_time or (it.automatic and not safe)]


def _require(name: str, origin: str, *, from_environment: bool = False) -> str:
    """Returns `name` if that backend can run here. `from_environment` says that the environment
    names it, not the program. Raises BackendError, whose message begins with `origin`.
    """
    _check.text("backend", name)
    for record in _records():
        if record.name == name and record.available:
            if from_environment and record not in _environmental():
                raise BackendError(
                    f"{origin}backend {name!r} is not constant time, and the environment cannot "
                    f"ask for it: say backend={name!r} or rijn.use_backend({name!r}) in the program"
                )
            return name
    records = list(_records(absent=True))
    if any(found.name == name for found in records):
        problem = f"backend {name!r} cannot run here"
    elif any(listed.name == name for listed in listed_backends()):
        problem = f"backend {name!r} is not for this machine, or not in this build"
    else:
        near = _check.near(name, [found.name for found in records])
        problem = f"unknown backend {name!r}{near}"
    if from_environment:
        records = _environmental()
    runnable = ", ".join(found.name for found in records if found.available)
    absent: dict[str, list[str]] = {}  # by reason
    for found in records:
        if not found.available:
            absent.setdefault(found.reason, []).append(found.name)
    reasons = "".join(f"; not {', '.join(names)}: {reason}" for reason, names in absent.items())
    raise BackendError(f"{origin}{problem}; there are: {runnable}{reasons}")


# Results of choose since the last use_backend, because every new key calls it. A call that runs
# during use_backend adds its result to the old dictionary, which nobody reads any more.
_choices: dict[str | Backend | AEGISKernel | None, dict[type, tuple[Callable[..., Any], str]]] = {}


def choose(
    cls: type[T], backend: str | Backend | AEGISKernel | None, kernels: bool = False
) -> tuple[Callable[..., T], str]:
    """Returns the backend's class for the public class `cls`, and the backend's name, which is the
    second argument of that class.

    `backend` is a name or an item of the lists above. `kernels` is True for AEGIS: then it may also
    name a kernel, and the kernel's name is returned. Raises BackendError and TypeError.
    """
    choices = _choices
    try:
        return choices[backend][cls]
    except (KeyError, TypeError):  # an object without a hash is not a name either
        pass
    wanted = None if backend is None else _check.text("backend", _named(backend))
    kernel = _kernel(wanted) if kernels and wanted is not None else None
    name = resolve(kernel.backend if kernel else wanted)
    backend_class = getattr(_public_classes(name), cls.__name__, None)
    if backend_class is None:
        raise TypeError(
            f"{cls.__module__}.{cls.__name__} is a base class: make an object of one of its "
            "subclasses"
        )
    found = backend_class, kernel.name if kernel else name
    choices.setdefault(backend, {})[cls] = found
    return found


def _kernel(name: str) -> AEGISKernel | None:
    """Returns the AEGIS kernel of that name, unless it is also the name of a backend."""
    for kernel in aegis_kernels():
        if kernel.name == name != kernel.backend:
            if not kernel.available:
                raise BackendError(f"kernel {name!r} cannot run here: {kernel.reason}")
            return kernel
    return None


def is_constant_time(name: str) -> bool:
    """Returns True if the backend claims constant time."""
    return any(record.name == name and bool(record.constant_time) for record in backends())


def needs_masks(name: str) -> bool:
    """Returns True if strict=True must be passed to the backend. The python backend has a version
    without tables and branches on secrets; constant-time backends need none. Raises ValueError for
    others.
    """
    if name == "python":
        return True
    if is_constant_time(name):
        return False
    raise ValueError(
        f"backend {name!r} looks tables up at secret addresses: strict=True works on python "
        "and on the constant-time backends only"
    )


@cache
def _public_classes(name: str) -> ModuleType:
    """Returns the module with a backend's classes. It imports the public classes, which import this
    module, so it is loaded by name.
    """
    pure = any(record.name == name for record in PURE)
    return import_module("rijn.pure.public" if pure else "rijn.native")
