"""Documentation in editors, help() and type hints: the contract of every public name, the same
words on every backend."""

from __future__ import annotations

import inspect
import pydoc
import typing
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_type_hints

import public
import pytest
from backends import BackendUnderTest

import rijn
from rijn import incremental, mac
from rijn.wrap import KeyWrap

KEYS = (*public.AEADS, rijn.AES, rijn.AESXTS, rijn.AESSIV, KeyWrap, rijn.CMAC, rijn.AEGISMAC)


def functions() -> Iterator[tuple[str, Any]]:
    """Yields every public function, and every public method of a public class."""
    for name, thing in public.names():
        if not inspect.isclass(thing):
            yield public.qualified(name, thing), thing
        else:
            for method in public.methods(thing):
                yield f"{public.qualified(name, thing)}.{method}", getattr(thing, method)


def test_type_hints_of_every_public_name() -> None:
    failures = []
    for name, function in functions():
        try:
            hints = get_type_hints(function)
        except Exception as error:  # noqa: BLE001 - any error counts
            failures.append(f"{name}: {error!r}")
            continue
        taken = {p.name for p in public.parameters(function)}
        if missing := taken - set(hints):
            failures.append(f"{name}: {missing}")
        if "return" not in hints:
            failures.append(f"{name}: its return type")
    for name, cls in public.names():
        for holder in (cls, getattr(cls, "__new__", None), getattr(cls, "__init__", None)):
            if inspect.isclass(holder) or inspect.isfunction(holder):
                try:
                    get_type_hints(holder)
                except Exception as error:  # noqa: BLE001 - any error counts
                    failures.append(f"{name} {holder}: {error!r}")
    assert not failures, "\n".join(failures)


def test_closed_sets_are_literals() -> None:
    """The literals list exactly the accepted values."""
    sets = {
        ("width", rijn.AES): {32, 64, 128},
        ("byteorder", rijn.AES): {"big", "little"},
        ("algorithm", rijn.AEGISMAC): set(mac.ALGORITHMS),
    }
    found = set()
    for name, function in functions():
        for (parameter, cls), values in sets.items():
            if (
                name.startswith(f"{cls.__name__}.")
                and parameter in inspect.signature(function).parameters
            ):
                assert set(get_args(get_type_hints(function)[parameter])) == values, name
                found.add((parameter, cls))
    hint = get_type_hints(rijn.AEGISMAC.__new__)["algorithm"]
    assert typing.get_origin(hint) is Literal
    assert set(get_args(hint)) == set(mac.ALGORITHMS)
    assert len(found) == 2


def objects_of(tested: BackendUnderTest) -> dict[type, Any]:
    objects = public.objects(tested)
    return {cls: objects[cls.__name__] for cls in KEYS}


def plain(function: Any) -> list[tuple[str, object, object]]:
    return [(p.name, p.kind, p.default) for p in public.parameters(function)]


def test_help_is_the_same_on_every_backend(tested: BackendUnderTest) -> None:
    """The public class documents a method. help() and editors find the text on objects and on their
    class, too."""
    for cls, thing in objects_of(tested).items():
        assert inspect.getdoc(type(thing)) == inspect.getdoc(cls), cls
        for method in dir(cls):
            static = inspect.getattr_static(cls, method)
            if method.startswith("_") or not callable(getattr(cls, method)):
                if isinstance(static, property):
                    found = inspect.getdoc(getattr(type(thing), method))
                    assert found == inspect.getdoc(static), (cls, method)
                continue
            ours, public_one = getattr(thing, method), getattr(cls, method)
            text = inspect.getdoc(public_one)
            assert text, (cls, method)
            assert inspect.getdoc(ours) == text, (cls, method)
            assert inspect.getdoc(getattr(type(thing), method)) == text, (cls, method)
            assert plain(ours) == plain(public_one), (cls, method)
            shown = pydoc.plain(pydoc.render_doc(ours))
            assert text.splitlines()[0] in shown, (cls, method)


# Methods that take nothing, or that the classes for pieces document.
WITHOUT_ERRORS = {"ecb_encryptor", "ecb_decryptor", "copy"}


@pytest.mark.parametrize("cls", KEYS)
def test_help_says_what_is_returned_and_what_is_raised(cls: type) -> None:
    for method in public.methods(cls):
        text = inspect.getdoc(getattr(cls, method)) or ""
        if method not in ("update", "verify"):
            assert "eturn" in text, method
        if method not in WITHOUT_ERRORS:
            assert "Raises" in text or "raises" in text, method
        if cls in public.AEADS and "crypt" in method and not method.endswith(("many", "or")):
            assert "bytes" in text, method


def test_help_of_aesgcm_covers_that_of_every_aead() -> None:
    """AESGCM's methods, which take threads, repeat the documentation of every AEAD."""
    for method in ("encrypt", "decrypt", "encrypt_into", "decrypt_into"):
        of_all = (inspect.getdoc(getattr(rijn.aead.AEAD, method)) or "").split()
        of_gcm = (inspect.getdoc(getattr(rijn.AESGCM, method)) or "").split()
        assert [word for word in of_all if word not in of_gcm] == []
        assert "threads:" in of_gcm


@pytest.mark.parametrize("cls", public.AEADS)
def test_unverified_plaintext_has_an_explicit_name(cls: type) -> None:
    """decrypt, its forms and a decryptor's finalize check the tag. The private stream beneath an
    AEAD's pieces does not."""
    known = {"encrypt", "decrypt", "encryptor", "decryptor", "seal_chunks", "open_chunks"}
    known |= {f"{way}crypt_{how}" for way in ("en", "de") for how in ("into", "detached", "many")}
    known |= {"generate_key", "unauthenticated_keystream"}
    assert set(public.methods(cls)) <= known
    assert set(public.methods(incremental.AEADDecryptor)) == {
        "update",
        "update_unverified",
        "finalize",
    }


def test_every_public_name_says_what_it_is() -> None:
    missing = [name for name, thing in functions() if not inspect.getdoc(thing)]
    missing += [
        public.qualified(name, thing)
        for name, thing in public.names()
        if inspect.isclass(thing) and not inspect.getdoc(thing)
    ]
    protocol = {f"OneShot.{name}" for name in vars(incremental.OneShot)}
    assert set(missing) - protocol == set()


def test_help_calls_a_backend_a_backend() -> None:
    for name, function in functions():
        assert "tested" not in (inspect.getdoc(function) or "").split(), name
