"""The AEADs of each backend have the signatures of the public classes."""

from __future__ import annotations

import inspect
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
