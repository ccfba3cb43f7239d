"""The tables of sizes and formats in the pages are those of the lists that the code is built from."""

from __future__ import annotations

import re

import pytest
import size_tables
from size_tables import ALGORITHMS, FORMATS, ROOT, TABLE

LISTS = (ALGORITHMS.read_text("utf-8"), FORMATS.read_text("utf-8"))
TABLES = size_tables.tables(*LISTS)


@pytest.mark.parametrize("page", TABLES)
def test_pages_have_the_tables(page: str) -> None:
    """`python tools/figures.py` writes them."""
    text = (ROOT / page).read_text("utf-8")
    assert TABLE.findall(text) == [TABLES[page]]


def test_every_line_of_the_lists_is_in_a_table() -> None:
    classes = re.findall(r"^RIJN_\w+_AEAD\(\w+, (?:\w+, )?([A-Z]\w+),", LISTS[0], re.MULTILINE)
    names = re.findall(r'^RIJN_COLUMN_FORMAT\("([\w-]+)"', LISTS[1], re.MULTILINE)
    assert len(classes) == 13 and len(names) == 7
    for page, expected in (("docs/algorithms.md", classes), ("docs/columns.md", names)):
        first = "".join(line.split("|")[1] for line in TABLES[page].splitlines())
        assert set(re.findall(r"`([\w-]+)`", first)) == set(expected)


@pytest.mark.parametrize(
    ("old", "new", "cell"),
    [
        ("AESGCM, KEY(16) | KEY(24)", "AESGCM, KEY(16)", "16, 32"),
        ("KEY(32), 7, 13, 12,", "KEY(32), 7, 11, 12,", "7 – 11, 12 by default"),
        ("1, 15, 12, 8, TAGS(8, 16)", "1, 15, 12, 9, TAGS(9, 16)", "9 – 16 (1 – 7)"),
        ("1, 15, 12, 8, TAGS(8, 16)", "1, 15, 12, 9, TAGS(9, 16)", "9 – 15, 12 by default (1 – 8)"),
        ("TAG(4) | TAG(6), BY_NONCE", "TAG(4) | TAG(6), POWER(24)", "2²⁴"),
        ("24, 0, TAG(16), 0, POWER(36) - 32", "24, 0, TAG(16), 0, POWER(35) - 16", "2³⁵ − 16"),
        ("TAG(16), 0, POWER(36), POWER(36)", "TAG(16), 0, POWER(36), POWER(37)", "2³⁷"),
        ("AESSIV, KEY(32) | KEY(48)", "AESSIV, KEY(32)", "32, 64"),
        ('"AEGIS-256X4", 32', '"AEGIS-256X4", 48', "48"),
        ("RIJN_AEGIS_TAGS (UINT64_C(1) << 16", "RIJN_AEGIS_TAGS (UINT64_C(1) << 12", "12, 32"),
        ("UINT64_C(1) << 61) - 1)", "UINT64_C(1) << 60) - 1)", "2⁶⁰ − 1"),
        ('"SP 800-38C, RFC 3610"', '"RFC 3610"', "RFC 3610"),
    ],
)
def test_sizes_come_from_the_list(old: str, new: str, cell: str) -> None:
    assert LISTS[0].count(old) == 1
    made = size_tables.size_table(LISTS[0].replace(old, new)).splitlines()
    changed = set(made) - set(TABLES["docs/algorithms.md"].splitlines())
    assert changed and any(f" | {cell} |" in line for line in changed)


def test_formats_come_from_both_lists() -> None:
    algorithms, formats = LISTS
    fewer = formats.replace('"spark", SPARK, false, false', '"spark", SPARK, false, true')
    assert "| `spark` | 01 ‖ key id, 4 ‖ nonce, 12" in size_tables.format_table(algorithms, fewer)
    other = formats.replace(
        '"xaes", XAES, true, false, ALGORITHM(XAES)', '"x", X, true, false, ALGORITHM(SIV)'
    )
    assert "| `x` | tag, 16 ‖ ciphertext | 32, 48, 64 | 16 |" in size_tables.format_table(
        algorithms, other
    )
    longer = algorithms.replace("KEY(32), 24, 24, 24, 0", "KEY(32), 28, 28, 28, 0")
    assert "| `xaes` | nonce, 28 ‖ ciphertext ‖ tag, 16 | 32 | 44 |" in size_tables.format_table(
        longer, formats
    )
