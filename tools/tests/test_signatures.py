"""The AEADs of each backend have the signatures of the public classes. MicroPython's two modules take
the same arguments by position."""

from __future__ import annotations

import inspect
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rijn

NAMED = [getattr(rijn, name) for name in rijn.__all__]
CLASSES = [
    it
    for it in NAMED
    if isinstance(it, type) and issubclass(it, (rijn.AEAD, rijn.AESSIV)) and it is not rijn.AEAD
]


def shape(call: Any) -> list[tuple[str, Any, Any]]:
    """Returns names, kinds and defaults, without self, which is positional in C."""
    return [
        (it.name, it.kind, it.default)
        for it in inspect.signature(call).parameters.values()
        if it.name != "self"
    ]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda it: it.__name__)
def test_signatures(cls: Any) -> None:
    """Checks one backend in C, if there is one, and python."""
    names = {rijn.current_backend(), "python"}
    for name in names:
        made = type(cls(bytes(cls.key_sizes[0]), backend=name))
        methods = [it for it in dir(cls) if it[0] != "_" and inspect.isfunction(getattr(cls, it))]
        assert {"encrypt", "decrypt_detached", "encrypt_many"} <= set(methods)
        for method in methods:
            assert shape(getattr(made, method)) == shape(getattr(cls, method)), (name, method)


# ---- MicroPython ----

MICROPYTHON = Path(__file__).parents[2] / "integrations" / "micropython"
SCRIPT = runpy.run_path(str(MICROPYTHON / "rijn.py"))
C = re.sub(
    r"/\*.*?\*/", "", (MICROPYTHON / "modules/rijn/module.c").read_text("utf-8"), flags=re.DOTALL
)

RAW = {f"{mode}_{way}" for mode in ("ecb", "cbc", "ctr") for way in ("encrypt", "decrypt")}
# rijn.AES does not write into buffers.
RAW_INTO = {f"{name}_into" for name in RAW}
AEAD = {"encrypt", "decrypt", "encrypt_into", "decrypt_into", "generate_key"}
# What MicroPython has. Boards have little room: no other modes, messages in pieces, or batches.
METHODS = {
    "AES": RAW | RAW_INTO,
    "AESGCM": AEAD,
    "AEGIS128L": AEAD,
    "CMAC": {"update", "finalize", "verify"},
}
# Options of the package that MicroPython leaves out, at their defaults: it has one backend and one
# thread, tags of 16 bytes, big-endian counters of 128 bits, and no padding.
LEFT_OUT = {
    "backend", "byteorder", "pkcs7", "short_nonces", "short_tags", "strict", "tag_length",
    "threads", "width",
}  # fmt: skip


def by_place(call: Any) -> list[tuple[str, Any]]:
    """Names and defaults of a call's arguments, but for self and options."""
    found = shape(call)
    return [(name, default) for name, kind, default in found if kind is not OPTION]


OPTION = inspect.Parameter.KEYWORD_ONLY


def pairs() -> Iterator[tuple[str, Any, Any]]:
    """The calls that both have, in MicroPython's script and in the package."""
    for name, methods in METHODS.items():
        small, whole = SCRIPT[name], getattr(rijn, name)
        yield name, small, whole
        for method in methods - RAW_INTO:
            yield f"{name}.{method}", getattr(small, method), getattr(whole, method)


def test_micropython_takes_the_same_by_place() -> None:
    left_out = set()
    for name, small, whole in pairs():
        assert by_place(small) == by_place(whole), name
        assert len(shape(small)) == len(by_place(small)), name
        left_out |= {option for option, kind, _ in shape(whole) if kind is OPTION}
    assert left_out == LEFT_OUT
    for method in RAW_INTO:  # as without _into, and the buffer
        into, fresh = (getattr(SCRIPT["AES"], it) for it in (method, method[: -len("_into")]))
        assert by_place(into) == [*by_place(fresh), ("buf", inspect.Parameter.empty)], method


def test_micropython_has_these_methods() -> None:
    for name, methods in METHODS.items():
        cls = SCRIPT[name]
        found = {it for it in dir(cls) if it[0] != "_" and callable(getattr(cls, it))}
        assert found == methods == set(c_methods(name)) - {"__del__"}, name


def c_methods(name: str) -> dict[str, str]:
    """Each method of a class in C, and the name of its function object."""
    table = re.search(rf"^CLASS\(\w+, MP_QSTR_{name}, \w+, (\w+)\);", C, re.MULTILINE)
    assert table
    listed = re.search(rf"^#define {table[1]}\(X\)((?:.*\\\n)+.*)", C, re.MULTILINE)
    assert listed
    found = re.findall(r"X\((OBJECT|STATIC), MP_QSTR_(\w+), (\w+)\)", listed[1])
    return {
        method: target.removesuffix("_obj")
        for _, method, target in found
        if method != "backend"  # a string
    }


def c_body(function: str) -> str:
    """The text of a function's body."""
    found = re.search(
        rf"^static \w+ {function}\([^)]*\)\n{{\n(.*?)^}}", C, re.MULTILINE | re.DOTALL
    )
    assert found, function
    return found[1]


def c_arguments(target: str) -> int | list[tuple[str, bool]]:
    """How many arguments a function object takes, self among them; or, if they have names, each name
    and whether it may be left out."""
    macros = re.search(r"^#define RAW\(way\)((?: *.*\\\n)+.*)", C, re.MULTILINE)
    assert macros
    text = C + "".join(
        macros[1].replace("##way##", w).replace("##way", w) for w in ("encrypt", "decrypt")
    )
    (kind, rest), *more = re.findall(
        rf"MP_DEFINE_CONST_FUN_OBJ_(\w+)\({target}_obj, ([^)]*)\)", text
    )
    assert not more
    if kind.isdigit():
        return int(kind)
    cells = rest.split(", ")
    if kind == "VAR_BETWEEN":
        assert cells[0] == cells[1]
        return int(cells[0])
    assert kind == "KW"
    call = re.search(r"(\w+)\(count, arguments, named, ([^;]*)\);", c_body(cells[1]))
    assert call
    listed = re.findall(r"{MP_QSTR_(\w+), ([\w| ]+), ", c_body(call[1]))
    flag = call[2].split(",")[0]  # of the one argument of bits_of
    return [(name, "MP_ARG_REQUIRED" not in flags.replace("flag", flag)) for name, flags in listed]


def may_be_called_without(name: str, method: str, argument: str, default: Any) -> bool:
    if (method, argument) != ("generate_key", "bit_length"):
        return default is not inspect.Parameter.empty
    try:  # None, where there is one size alone
        SCRIPT[name].generate_key()
    except TypeError:
        return False
    return True


def test_micropython_in_c_takes_the_same() -> None:
    """As many arguments by place, and the same names where arguments may be named."""
    named = set()
    for name, methods in METHODS.items():
        targets = c_methods(name)
        for method in methods:
            expected = by_place(getattr(SCRIPT[name], method))
            found = c_arguments(targets[method])
            if isinstance(found, int):
                assert found == 1 + len(expected), (name, method)
                assert all(default is inspect.Parameter.empty for _, default in expected)
                continue
            named.add(f"{name}.{method}")
            assert found == [
                (argument, may_be_called_without(name, method, argument, default))
                for argument, default in expected
            ], (name, method)
    # integrations/micropython/README.md, "In C": elsewhere arguments have no names.
    aeads = ("AESGCM", "AEGIS128L")
    assert named == {
        f"{aead}.{it}" for aead in aeads for it in ("encrypt", "decrypt", "generate_key")
    }


def test_micropython_in_c_is_made_of_a_key() -> None:
    for name in METHODS:
        make = re.search(rf"^CLASS\(\w+, MP_QSTR_{name}, (\w+), ", C, re.MULTILINE)
        assert make and "mp_arg_check_num(count, named, 1, 1, false);" in c_body(make[1])
        assert by_place(SCRIPT[name]) == [("key", inspect.Parameter.empty)]
