"""The layers of the pure backends, which the docstring of rijn.pure draws: each imports only lower
layers, a name has one meaning, and a message passes few functions."""

from __future__ import annotations

import ast
import gc
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from inspect import signature
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest
from backends import PURE, needs_native, noise

import rijn
from rijn import aead, aegis, block, mac, registry, wrap
from rijn.pure import backends, public

PACKAGE = Path(backends.__file__).parent
# Names that layouts share (contract.Layout has the methods). The last is a type of NumPy.
ALIKE = {"pack", "unpack", "encrypt_rounds", "decrypt_rounds", "ByteArray"}


# ---- Imports ---------------------------------------------------------------

GROUND = {"blocks", "fields", "tables"}
PLANES = {*GROUND, "bitslice", "circuits"}
STANDS_ON = {
    "blocks": set(),
    "circuits": set(),
    "fields": set(),
    "tables": {"blocks", "fields"},
    "wideghash": {"blocks"},
    "ghash": {*GROUND, "wideghash"},
    "byteslice": GROUND,
    "bitslice": {*GROUND, "circuits"},
    "row_planes": PLANES,
    "numpy_planes": {*GROUND, "circuits"},
    "numba_table": GROUND,
    "contract": {"blocks"},
    "modes": {"contract", *GROUND, "ghash"},
    "python": {
        *("contract", "modes.raw", *GROUND, "ghash"),
        *("byteslice", "row_planes", "bitslice"),
    },
    "numpy_engine": {"contract", "modes.raw", *GROUND, "python", "numpy_planes"},
    "numba_engine": {"contract", "modes.raw", *GROUND, "numba_table"},
    "aegis": {"blocks", "fields"},
    "reference": set(),
    "backends": {
        *("contract", "modes", "aegis", "reference"),
        *("python", "numpy_engine", "numba_engine"),
    },
    "public": {"contract", "blocks", "backends"},
}
"""The modules that each module may import, in functions and for types too. Only the classes in
public may import from outside rijn.pure."""


def test_layers_import_lower_ones_alone() -> None:
    from test_architecture import imports, python_files

    graph = imports(python_files())
    modules = {name.removeprefix("rijn.pure."): name for name in graph if "rijn.pure." in name}
    assert {name.partition(".")[0] for name in modules} == STANDS_ON.keys()
    for name, module in modules.items():
        layer = name.partition(".")[0]
        for other in graph[module]:
            if not other.startswith("rijn.pure."):
                assert layer == "public" or other == "rijn.pure", (module, other)
                continue
            home = other.removeprefix("rijn.pure.")
            allowed = {home, home.partition(".")[0]} & {*STANDS_ON[layer], layer}
            assert allowed, (module, other)


# The modules for columns, and the modules of the package that they may import: the public classes,
# the lowest layer, and key files.
TABLES = {
    "formats": {"_aeads", "_check", "_listed"},
    "rows_pure": {"_check"},
    "rows": {"registry", "columns.rows_pure"},
    "keysets": {"_check", "_uncopyable", "_traceback", "files.format", "columns.formats"},
    "arrow": {"_check", "_install", "columns.rows"},
    "column": {
        *("_check", "_uncopyable", "_traceback", "errors", "registry"),
        *("columns.arrow", "columns.formats", "columns.keysets", "columns.rows"),
    },
}


def test_columns_stand_on_the_public_classes_alone() -> None:
    from test_architecture import imports, python_files

    graph = imports(python_files())
    layer = {name for name in graph if name.startswith("rijn.columns.")}
    assert layer == {f"rijn.columns.{name}" for name in TABLES}
    for name, allowed in TABLES.items():
        assert graph[f"rijn.columns.{name}"].keys() <= {f"rijn.{it}" for it in allowed}, name
    for module, ties in graph.items():
        if module not in ("rijn", "rijn.columns") and module not in layer:
            if module.startswith(
                ("rijn.cli.columns.", "rijn.spark.", "rijn_bench.")
            ):  # by their public names
                ties = ties.keys() - {"rijn.columns"}
            assert not {"rijn.columns", *layer} & set(ties), module


# ---- Names ----------------------------------------------------------------------------


def homes(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns the module that defines each top-level class, function and type."""
    found: dict[str, list[str]] = {}
    for path, text in files.items():
        for node in ast.parse(text).body:
            names = []
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names = [node.name]
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [it.id for it in targets if isinstance(it, ast.Name) and camel(it.id)]
            for name in names:
                found.setdefault(name, []).append(path)
    return found


def camel(name: str) -> bool:
    """Tells whether the name is written like a type."""
    return name[:1].isupper() and any(letter.islower() for letter in name)


def sources() -> dict[str, str]:
    """Yields the modules of the layers. Left out are modules with public names or the standards' names."""
    paths = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    return {
        path.as_posix(): (PACKAGE / path).read_text("utf-8")
        for path in paths
        if path.parts[0] not in ("public", "reference")
    }


def twice(files: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        name: found for name, found in homes(files).items() if len(found) > 1 and name not in ALIKE
    }


def test_a_name_means_one_thing() -> None:
    files = sources()
    assert len(files) > 20
    assert len(homes(files)) > 150
    assert twice(files) == {}


def test_some_names_are_once_in_the_package() -> None:
    """Except the public classes: a backend's class has the name of its public class."""
    root = PACKAGE.parent
    found = homes(
        {
            path.relative_to(root).as_posix(): path.read_text("utf-8")
            for path in root.rglob("*.py")
            if path.parts[-2] not in ("public", "reference")
        }
    )
    for name in ("Stream", "Engine", "TreeEngine", "ColumnsEngine", "Layout", "whole_steps"):
        assert len(found[name]) == 1, found[name]
    assert "Cipher" not in found


def test_public_names_are_the_faces_own() -> None:
    public = {
        name
        for module in (aead, aegis, block, mac, wrap, rijn)
        for name, thing in vars(module).items()
        if isinstance(thing, type)
    }
    assert {"AES", "CMAC", "Sealer"} <= public | set(rijn.__all__)
    assert (public | set(rijn.__all__)) & homes(sources()).keys() == set()


def test_a_name_with_two_meanings_is_found() -> None:
    files = sources()
    for again in ("class GCMStream:\n    pass\n", "def xor() -> None: ...\n", "Bytes = bytes\n"):
        assert len(twice({**files, "row_planes.py": files["row_planes.py"] + again})) == 1


# ---- Public classes and backends ------------------------------------------------------------------


def test_pure_backends_are_registered() -> None:
    names = [record.name for record in registry.PURE]
    assert [*backends.ENGINES, backends.REFERENCE] == names
    assert set(names) >= set(PURE)
    for name in ("python, strict", "nonsense"):
        with pytest.raises(KeyError):
            backends.pure_backend(name)


@pytest.mark.parametrize("name", sorted(public._MODULE_NAMES))
def test_public_classes_are_made_alike(name: str) -> None:
    """Their constructors take the key, the backend and the arguments of the public class. This includes
    the native classes."""
    home = public._MODULE_NAMES[name]
    made = getattr(public, name)
    assert made.__module__ == f"rijn.pure.public.{home}"
    declared = next(base for base in made.__mro__ if base.__module__ == f"rijn.{home}")
    assert declared.__name__ == name
    given = [it for it in signature(made.__new__).parameters if it not in ("cls", "strict")]
    asked = [it for it in signature(declared.__new__).parameters if it not in ("cls", "strict")]
    assert given[:2] == ["key", "backend"]
    assert set(given) == set(asked) - {"short_tags"}
    if not isinstance(registry.native_module(), str):
        from rijn import native

        assert list(signature(getattr(native, name).__mro__[1]).parameters) == given


@needs_native
def test_all_faces_are_there() -> None:
    from rijn import native

    assert set(public._MODULE_NAMES) == {
        name for name, thing in vars(native).items() if isinstance(thing, type)
    }
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = public.Nonsense


# ---- The calls for one message -------------------------------------------------------------


def calls_of(call: Callable[[], object]) -> list[tuple[str, str]]:
    """Returns the file and name of each Python function that `call` calls, in order."""
    calls: list[tuple[str, str]] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append((frame.f_code.co_filename, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return calls[1:]  # `call` itself


@pytest.mark.parametrize("size", [16, 1000, 20_000, 20 << 10, 24_000])
@pytest.mark.parametrize("ad", [None, noise(13, 1)], ids=["", "associated data"])
@pytest.mark.parametrize("opening", [False, True], ids=["sealing", "opening"])
@pytest.mark.parametrize("backend", ["python", "python-table"])
def test_the_way_of_a_gcm_message(backend: str, opening: bool, ad: bytes | None, size: int) -> None:
    """With a used key it takes at most 30 calls and 10 changes of file, with no needless repetition.
    The hash in lanes takes two calls and one for the last factor, and for each of its three sums four
    calls and one for each table. Comprehensions are no calls: since Python 3.12, they have no
    frames."""
    gcm = rijn.AESGCM(noise(16, 2), backend=backend)
    nonce, data = noise(12, 3), noise(size, 4)
    sealed = gcm.encrypt(nonce, data, ad)
    for _ in range(20):  # makes the tables of GHASH
        assert gcm.decrypt(nonce, sealed, ad) == data
    gc.disable()  # other callbacks would be counted
    try:
        calls = calls_of(
            lambda: gcm.decrypt(nonce, sealed, ad) if opening else gcm.encrypt(nonce, data, ad)
        )
    finally:
        gc.enable()
    calls = [
        (file, name) for file, name in calls if not name.endswith(("comp>", "nibble_products"))
    ]
    files = [file for file, _ in calls]
    lanes = sum(file.endswith("wideghash.py") for file in files)
    changes = sum(one != other for one, other in pairwise(files))
    named = Counter(name for _, name in calls)
    assert len(calls) - lanes <= 30, named
    assert lanes <= 15, named
    assert len(set(files)) <= 10, set(files)
    assert changes <= 10, files
