"""Each backend's AEADs take what the public classes say."""

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
    """Names, kinds and defaults, but for self, which C takes by place."""
    return [
        (it.name, it.kind, it.default)
        for it in inspect.signature(call).parameters.values()
        if it.name != "self"
    ]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda it: it.__name__)
def test_signatures(cls: Any) -> None:
    """On one backend in C, if there is any, and on python."""
    names = {rijn.current_backend(), "python"}
    for name in names:
        made = type(cls(bytes(cls.key_sizes[0]), backend=name))
        methods = [it for it in dir(cls) if it[0] != "_" and inspect.isfunction(getattr(cls, it))]
        assert {"encrypt", "decrypt_detached", "encrypt_many"} <= set(methods)
        for method in methods:
            assert shape(getattr(made, method)) == shape(getattr(cls, method)), (name, method)
