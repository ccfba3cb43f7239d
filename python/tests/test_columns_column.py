"""A Column whose __init__ failed, and the cost of a column."""

from __future__ import annotations

import pytest

pytest.importorskip("nanoarrow", reason="rijn.columns needs nanoarrow")

from rijn.columns import Column, Keyset


def test_an_uninitialized_column_has_a_repr() -> None:
    assert repr(Column.__new__(Column)) == "<rijn.columns.Column, not initialized>"
    column = Column.__new__(Column)
    with pytest.raises(ValueError, match="needs a context"):
        column.__init__(Keyset.generate("xaes"), format="xaes")  # type: ignore[misc]
    assert repr(column) == "<rijn.columns.Column, not initialized>"
    column.__init__(Keyset.generate("xaes"), format="xaes", context="c")  # type: ignore[misc]
    assert repr(column).startswith("<rijn.columns.Column of xaes, context b'c', <rijn.columns.")
