"""The Python classes have the sizes of c/include/rijn_algorithms.def."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from size_tables import number, sizes

import rijn
from rijn._listed import cells

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "c" / "include" / "rijn_algorithms.def").read_text("utf-8")
AES = cells(TEXT, "RIJN_AES_AEAD")
SIV = cells(TEXT, "RIJN_SIV_AEAD")
AEGIS = cells(TEXT, "RIJN_AEGIS_AEAD")


@pytest.mark.parametrize("row", AES, ids=lambda it: it[2])
def test_aes(row: tuple[str, ...]) -> None:
    _, _, name, keys, least, most, usual, asked, tags, short, data, _, _ = row
    cls: Any = getattr(rijn, name)
    assert cls.key_sizes == sizes(keys)
    assert cls.nonce_sizes == range(max(1, number(least)), number(most) + 1)
    assert cls.drawn_nonce_size == number(usual)
    assert cls.tag_lengths == tuple(sorted(sizes(tags) + sizes(short)))
    assert getattr(cls, "short_tag_lengths", ()) == sizes(short)
    assert getattr(cls, "short_nonce_sizes", range(0)) == range(1 if int(asked) else 0, int(asked))
    if data != "BY_NONCE":
        assert cls.data_max == number(data)


@pytest.mark.parametrize("row", AEGIS, ids=lambda it: it[1])
def test_aegis(row: tuple[str, ...]) -> None:
    cls, size = getattr(rijn, row[1]), int(row[3])
    assert (cls.key_sizes, cls.nonce_sizes) == ((size,), range(size, size + 1))
    assert (cls.drawn_nonce_size, cls.chunk_nonce_size) == (size, size)
    assert (cls.tag_lengths, cls.data_max) == ((16, 32), 2**61 - 1)


def test_every_class_is_listed() -> None:
    assert rijn.AESSIV.key_sizes == sizes(SIV[0][3])
    found = {row[2] for row in AES + SIV} | {row[1] for row in AEGIS}
    named = (getattr(rijn, name) for name in rijn.__all__)
    classes = {it for it in named if isinstance(it, type)}
    made = {it.__name__ for it in classes if issubclass(it, rijn.AEAD) and it is not rijn.AEAD}
    assert found == made | {"AESSIV"}
