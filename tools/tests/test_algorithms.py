"""What has sizes of its own has those of c/include/rijn_algorithms.def: the classes in Python, because their
attributes are their manual, and rijn.chunked, which must not load the classes. js/build.py writes the sizes
for JavaScript. And the same of vectors/columns.def: Java's constants, because `switch` takes them, and the
manual of rijn.columns."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from size_tables import number, sizes

import rijn
from rijn._listed import cells
from rijn.chunked import AEADS
from rijn.cli.columns.options import REPEATING
from rijn.columns.formats import ALGORITHMS, FORMATS
from rijn.sealer import LIMITS

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


@pytest.mark.parametrize("aead", AEADS.values(), ids=lambda it: it.short)
def test_chunked(aead: Any) -> None:
    found: Any = aead.cipher(bytes(aead.key_size), None)
    assert aead.key_size in found.key_sizes
    assert aead.nonce_size == found.chunk_nonce_size
    assert aead.tag_size == found.tag_length


def test_javascript() -> None:
    """sizes.js has every AEAD with nonces, in the order of the list: js/calls.c numbers them so."""
    text = runpy.run_path(str(ROOT / "js" / "build.py"))["sizes"]()
    found = [json.loads(line.strip(" ,")) for line in text.splitlines() if line.startswith("  ")]
    assert [it["name"] for it in found] == [row[2] for row in AES] + [row[1] for row in AEGIS]
    for it in found:
        cls = getattr(rijn, it["name"])
        assert (tuple(it["keys"]), it["usual"]) == (cls.key_sizes, cls.drawn_nonce_size)
        nonces = cls.nonce_sizes
        assert max(1, it["least"]) == nonces[0]
        assert it["most"] == (nonces[-1] if nonces[-1] < 2**32 else None)


def test_the_manual_for_javascript() -> None:
    """index.d.ts names the limits of random nonces, and the nonces of several sizes."""
    text = re.sub(r"\n *\* *", " ", (ROOT / "js" / "npm" / "index.d.ts").read_text("utf-8"))
    for cls, limits in LIMITS.items():
        most = limits[0][1] if len(limits) == 1 else dict(limits)[2**20]
        name = re.sub(r"(AEGIS\d{3}).*", r"\1", cls.__name__)
        assert f"{name} 2^{most.bit_length() - 1}" in text, name
    for cls in (rijn.AESCCM, rijn.AESOCB3):
        sizes = f"{cls.__name__} {cls.nonce_sizes[0]} to {cls.nonce_sizes[-1]}"
        assert sizes in text, sizes


@pytest.mark.parametrize("name", ["Algorithm", "Format"])
def test_java(name: str) -> None:
    """The native library numbers the algorithms in this order."""
    page = ROOT / "integrations" / "spark" / "src/main/java/rijn/spark" / f"{name}.java"
    constants = page.read_text("utf-8").partition(f"enum {name} {{")[2].partition(";")[0]
    found = cells(
        (ROOT / "vectors" / "columns.def").read_text("utf-8"), f"RIJN_COLUMN_{name.upper()}"
    )
    place = ("Algorithm", "Format").index(name)
    listed = re.sub(r"//.*", "", constants).replace(",", " ").split()
    assert listed == [row[place] for row in found]


def test_the_manual_of_columns() -> None:
    column = re.sub(r"\s+", " ", rijn.columns.Column.__doc__ or "")
    names = [f'"{name}"' for name in FORMATS]
    assert f":param format: {', '.join(names[:-1])} or {names[-1]}. " in column
    unframed = " and ".join(f'"{it.name}"' for it in FORMATS.values() if not it.framed)
    assert f"{unframed} also allow None" in column
    assert f"Not with {unframed}" in column

    keyset = re.sub(r"\s+", " ", rijn.columns.Keyset.generate.__doc__ or "")
    drawn = {name: it.algorithms[0].drawn for name, it in FORMATS.items()}
    others = {name: size for name, size in drawn.items() if size != 32}
    said = ", ".join(f'{size} for "{name}"' for name, size in sorted(others.items(), reverse=True))
    assert f"Keys have {said.replace(' for', ' bytes for', 1)} and 32 for the others." in keyset
    assert f'For "tink", the key is for {FORMATS["tink"].algorithms[0].name}.' in keyset


def test_one_format_repeats() -> None:
    """--deterministic takes it, and names it in a help text, which must not load the formats."""
    found = [
        name for name, it in FORMATS.items() if all(one.deterministic for one in it.algorithms)
    ]
    assert found == [REPEATING]
    assert [it.name for it in ALGORITHMS if it.deterministic] == ["AES-SIV"]
