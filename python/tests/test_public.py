"""Every public callable and every parameter, on every backend: the accepted values, and the same
error everywhere for all others. Every public class: whether it may be copied. public.py lists them.
A name or a parameter that is not listed there is an error here."""

from __future__ import annotations

import copy
import ctypes
import math
import pickle
from collections.abc import Iterator
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import public
import pytest
from backends import BackendUnderTest

import rijn
from rijn._key import NotMade


class Bytes:
    """Converts to bytes, but is not a buffer."""

    def __bytes__(self) -> bytes:
        return bytes(16)

    def __len__(self) -> int:
        return 16


class Index:
    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


POINTER = ctypes.sizeof(ctypes.c_void_p)
NOT_BYTES = (16, 0, True, 1.5, [0] * 16, (0,) * 16, range(16), "sixteen letters!", "", {}, Bytes())
NOT_INTEGERS = ("32", b"32", 32.0, math.nan, math.inf, True, False, [32], np.float64(32), Bytes())
NOT_FLAGS = (0, 1, 1.0, "no", "", b"", [], None, Index(1))
NOT_TEXTS = (5, b"aesni", 1.5, ["aesni"], {}, Bytes())


def wrong(kind: str, right: Any) -> Iterator[tuple[type[Exception], Any]]:
    """Yields values that a parameter refuses, with the error."""
    none = [] if kind.endswith("or None") else [None]
    base = kind.removesuffix(" or None")
    if base in (public.BYTES, public.WRITABLE):
        yield from ((TypeError, value) for value in (*NOT_BYTES, *none))
        yield from ((TypeError, value) for value in references(len(memoryview(right))))
    elif kind == public.STRINGS:
        strings = [[value] for value in NOT_BYTES if value != {}] + [[None], b"ab", "ab"]
        yield from ((TypeError, value) for value in (16, True, 1.5, *strings))
        yield from ((TypeError, [b"a", value]) for value in references(5))
    elif base == public.INTEGER:
        yield from ((TypeError, value) for value in (*NOT_INTEGERS, *none))
    elif base == public.FLAG:
        yield from ((TypeError, value) for value in NOT_FLAGS)
    elif base == public.TEXT:
        yield from ((TypeError, value) for value in (*NOT_TEXTS, *none))
    elif base == public.CHARACTERS:
        yield from ((TypeError, value) for value in (16, 0, True, 1.5, [0] * 16, range(16), *none))
    elif base == public.OCTETS:
        yield from ((TypeError, value) for value in (16, 0, True, 1.5, "sixteen letters!", *none))
    if base in (public.BYTES, public.WRITABLE, public.CHARACTERS):
        for buffer in broken(len(memoryview(right))):
            yield BufferError, buffer
    if base == public.WRITABLE:
        readonly = np.zeros(len(right), np.uint8)
        readonly.flags.writeable = False
        for buffer in (bytes(right), memoryview(bytes(right)), readonly):
            yield BufferError, buffer
    if base == public.STRINGS:
        for buffer in broken(5):
            yield BufferError, [b"a", buffer]


def broken(size: int) -> Iterator[object]:
    """Yields buffers of that size that are not C-contiguous."""
    yield (
        memoryview(bytearray(2 * size + 2))[: 2 * size : 2]
        if size > 1
        else memoryview(bytearray(4))[::2]
    )
    yield np.zeros(2 * max(size, 2), np.uint8)[::2]
    yield np.zeros((max(size, 4) // 2, 2), np.uint8, order="F")


def references(size: int) -> Iterator[Any]:
    """Yields buffers of Python objects, of that size if they fit: their bytes are addresses."""
    yield np.full(max(1, size // POINTER), b"x", dtype=object)
    fields = [("n", f"V{max(1, size - POINTER)}"), ("thing", object)]
    yield np.zeros(1, dtype=fields)
    yield memoryview((ctypes.py_object * max(1, size // POINTER))(*[b"x"]))


def holds_references(value: Any) -> bool:
    return isinstance(value, (np.ndarray, memoryview)) and "O" in memoryview(value).format


def expected_errors(
    kind: str, parameter: str, value: Any
) -> dict[type[Exception], tuple[str, ...]]:
    """Returns the possible messages that refuse a value. They name the parameter."""
    base = kind.removesuffix(" or None")
    found = type(value).__name__
    if holds_references(value):
        found = "a buffer of Python objects"
    if base in (public.BYTES, public.WRITABLE):
        return {
            TypeError: (f"{parameter} must be a bytes-like object, not {found}",),
            BufferError: (f"{parameter} must be C-contiguous", f"{parameter} must be writable"),
        }
    if base == public.STRINGS:
        item = type(value[0]).__name__ if isinstance(value, list) else ""
        if isinstance(value, list) and holds_references(value[-1]):
            item = "a buffer of Python objects"
        whole = f"{parameter} must be a list of bytes-like objects, not {found}"
        place = len(value) - 1 if isinstance(value, list) else 0
        each = f"{parameter}[{place}] must be a bytes-like object, not {item}"
        return {
            TypeError: (each if item else whole,),
            BufferError: (f"{parameter}[{place}] must be C-contiguous",),
        }
    return {BufferError: ("the data must be C-contiguous",)}  # pyaes's


def test_every_module_is_classified() -> None:
    assert [name for name in sorted(public.modules()) if not public.classified(name)] == []


def test_every_parameter_is_classified() -> None:
    unknown = [
        f"{name}({parameter.name})"
        for name, parameters in public.callables()
        for parameter in parameters
        if public.kind(name, parameter.name) is None
    ]
    assert unknown == []


def test_every_callable_is_called() -> None:
    listed = {name: {p.name for p in parameters} for name, parameters in public.callables()}
    called = public.calls(BackendUnderTest("python", 1))
    for name in public.AEADS:
        assert name.__name__ in listed
    not_public = {name for name in called if name not in listed}
    # "path" is a file name. open() checks it.
    assert set(listed) - set(called) == {"read_key"}
    assert not_public == set()
    for name, call in called.items():
        assert set(call()[1]) == listed[name], name


def refused(
    expected: type[Exception],
    texts: dict[type[Exception], tuple[str, ...]],
    call: Any,
    arguments: dict[str, Any],
    parameter: str,
    value: Any,
) -> str | None:
    """Returns the outcome of a call with a bad value, or None for the expected error. That error has one
    of `texts`."""
    try:
        result = public.perform(call, arguments | {parameter: value})
    except Exception as error:  # noqa: BLE001 - any error counts
        if type(error) is not expected:
            return f"{type(error).__name__}: {error}"
        if str(error) not in texts.get(expected, (str(error),)):
            return f"{expected.__name__}: {error}"
        return None
    return f"returned {result!r:.40}"


def test_values_of_another_kind_are_refused(tested: BackendUnderTest) -> None:
    """Including int, list and str: bytes(16) would be sixteen zeros."""
    failures = []
    for name, make in public.calls(tested).items():
        call, right = make()
        public.perform(call, right)
        for parameter in right:
            kind = public.kind(name, parameter)
            assert kind is not None
            for expected, value in wrong(kind, right[parameter]):
                call, arguments = make()
                texts = expected_errors(kind, parameter, value)
                if problem := refused(expected, texts, call, arguments, parameter, value):
                    failures.append(f"{name}({parameter}={value!r:.60}): {problem}")
    assert not failures, f"{len(failures)}:\n" + "\n".join(failures)


def test_integers_of_other_classes_are_integers(tested: BackendUnderTest) -> None:
    for name, make in public.calls(tested).items():
        _, right = make()
        for parameter, value in right.items():
            if str(public.kind(name, parameter)).startswith(public.INTEGER):
                call, arguments = make()
                wanted = public.perform(call, arguments)
                for other in (np.int64(value), Index(value)):
                    call, arguments = make()
                    found = public.perform(call, arguments | {parameter: other})
                    if isinstance(wanted, (bytes, int)) and "generate" not in name:
                        assert found == wanted, (name, parameter, other)


def test_no_update_returns_none(tested: BackendUnderTest) -> None:
    """Except a MAC's, which has no bytes to return."""
    silent = set()
    for name, make in public.calls(tested).items():
        if name.endswith((".update", ".update_unverified", ".feed", ".read")):
            call, arguments = make()
            if public.perform(call, arguments) is None:
                silent.add(name)
    assert silent == {"CMAC.update", "AEGISMAC.update"}


def outcome(make: public.Call, parameter: str, value: int) -> tuple[str, object]:
    call, arguments = make()
    try:
        result = public.perform(call, arguments | {parameter: value})
    except Exception as error:  # noqa: BLE001 - any error counts
        return type(error).__name__, str(error)
    return "result", result if isinstance(result, (bytes, int)) else None


@cache
def python_calls() -> dict[str, public.Call]:
    return public.calls(BackendUnderTest("python", 1))


@cache
def python_outcome(name: str, parameter: str, value: int) -> tuple[str, object]:
    """The result of `python`, which all backends are compared with; computed once."""
    return outcome(python_calls()[name], parameter, value)


def test_numbers_out_of_range_are_refused_alike(tested: BackendUnderTest) -> None:
    """The same error on every backend, in the same words."""
    for name, make in public.calls(tested).items():
        for parameter in make()[1]:
            if public.kind(name, parameter) == public.INTEGER:
                for value in (-1, 33, 2**64, 2**128):
                    ours = outcome(make, parameter, value)
                    assert ours == python_outcome(name, parameter, value), (name, parameter, value)


# ---- Copies ---------------------------------------------------------------------------


def test_every_class_is_classified() -> None:
    tested = BackendUnderTest("python", 1)
    known = {*public.objects(tested), *public.values(), *public.exceptions(), *public.BASES}
    assert public.classes() - known == set()


def copies(thing: Any) -> Iterator[tuple[str, Any]]:
    yield "copy", lambda: copy.copy(thing)
    yield "deepcopy", lambda: copy.deepcopy(thing)
    yield "__reduce__", lambda: thing.__reduce__()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield (
            f"pickle {protocol}",
            lambda protocol=protocol: pickle.dumps(thing, protocol=protocol),
        )
        yield f"reduce {protocol}", lambda protocol=protocol: thing.__reduce_ex__(protocol)


def test_objects_with_a_key_or_a_place_are_not_copied(tested: BackendUnderTest) -> None:
    failures = []
    for name, thing in public.objects(tested).items():
        for how, call in copies(thing):
            try:
                call()
            except TypeError as error:
                if "is not copied or pickled: it holds a key or a place" in str(error):
                    continue
                failures.append(f"{name} {how}: {error}")
            except Exception as error:  # noqa: BLE001 - any error counts
                failures.append(f"{name} {how}: {error!r}")
            else:
                failures.append(f"{name} {how}: done")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("name", public.values())
def test_records_are_copied(name: str) -> None:
    value = public.values()[name]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value
    assert copy.copy(value) == copy.deepcopy(value) == value


@pytest.mark.parametrize("name", public.exceptions())
def test_exceptions_are_pickled(name: str) -> None:
    error = public.exceptions()[name]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(error, protocol))
        for same in (other, copy.copy(error), copy.deepcopy(error)):
            assert type(same) is type(error)
            assert str(same) == str(error)
            assert vars(same) == vars(error)
            assert same.args == error.args


def unmade() -> Iterator[tuple[type, str]]:
    """Yields the methods that only the backends' classes implement, of every class of keys."""
    for cls in {thing for thing in vars(rijn).values() if isinstance(thing, type)}:
        for base in cls.__mro__:
            for name, found in vars(base).items():
                function = found.fget if isinstance(found, property) else found
                if "NotMade" in getattr(getattr(function, "__code__", None), "co_names", ()):
                    yield cls, name


def nothing() -> None:
    """Compiles to the same code as a method with only a docstring."""


def test_no_method_of_a_key_does_nothing() -> None:
    """A method without its error would return None on an object without a key."""
    classes = [it for name in rijn.__all__ if isinstance(it := getattr(rijn, name), type)]
    assert len(classes) > 20
    bases = {base for cls in classes for base in cls.__mro__ if base.__module__.startswith("rijn.")}
    for cls in bases:
        for name, found in vars(cls).items():
            function = found.fget if isinstance(found, property) else found
            code = getattr(function, "__code__", None)
            assert code is None or code.co_code != nothing.__code__.co_code, (cls, name)


def test_an_object_without_a_key_says_so() -> None:
    """Such as from object.__new__: no method returns, or works without a key."""
    found = sorted(unmade(), key=str)
    assert len(found) > 60
    for cls, name in found:
        empty = object.__new__(cls)
        with pytest.raises(NotMade):
            value = getattr(empty, name)
            parameters = signature(value).parameters.values()
            value(*(b"" for it in parameters if it.default is it.empty and it.kind < 2))
