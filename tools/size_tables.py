"""The sizes in docs/algorithms.md and docs/format.md, and the formats in docs/columns.md.
`tools/figures.py` writes them.

The sizes come from c/include/rijn_algorithms.def and rijn.chunked, the formats from
vectors/columns.def, and the limits of random nonces from rijn.Sealer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import rijn
from rijn._listed import cells
from rijn.chunked import AEADS
from rijn.sealer import LIMITS

ROOT = Path(__file__).resolve().parent.parent
ALGORITHMS = ROOT / "c" / "include" / "rijn_algorithms.def"
FORMATS = ROOT / "vectors" / "columns.def"
TABLE = re.compile(r"(?<=<!-- sizes -->\n).*?(?= *<!-- end of sizes -->)", re.DOTALL)

NONE = "–"
KEY_ID = 5  # bytes before a row that names its key
# A column draws nonces for batches of rows, so that Sealer's limit is not its own.
BY_BATCH = {"XAES": "[no practical limit](#rows-of-one-key)"}


@dataclass(frozen=True)
class Algorithm:
    """One line of the list, as numbers."""

    id: str
    name: str  # of the Python class
    c: str  # how its functions begin
    keys: tuple[int, ...]
    nonces: range  # empty: no nonce
    usual: int  # bytes in a nonce that Rijn draws
    asked: int  # bytes in the shortest nonce that Python takes unasked
    tags: tuple[int, ...]
    short_tags: tuple[int, ...]
    data: int | None  # None: the nonce decides, or there is no limit
    associated: int | None
    document: str


def sizes(text: str) -> tuple[int, ...]:
    """The sizes of KEY(16) | KEY(24), or of TAGS(12, 16) | TAG(4)."""
    found = [int(it) for it in re.findall(r"(?:KEY|TAG)\((\d+)\)", text)]
    for least, most in re.findall(r"TAGS\((\d+), (\d+)\)", text):
        found += range(int(least), int(most) + 1)
    return tuple(sorted(found))


def number(text: str) -> int:
    """The number of POWER(36) - 32, or of 12."""
    power = re.fullmatch(r"POWER\((\d+)\)(?: - (\d+))?", text)
    return 2 ** int(power[1]) - int(power[2] or 0) if power else int(text)


def algorithms(text: str) -> list[Algorithm]:
    """All lines of the list."""
    found = []
    for (
        id,
        c,
        name,
        keys,
        least,
        most,
        usual,
        asked,
        tags,
        short,
        data,
        associated,
        document,
    ) in cells(text, "RIJN_AES_AEAD"):
        nonces = range(number(least), number(most) + 1)
        limit = None if data == "BY_NONCE" else number(data)
        found.append(
            Algorithm(
                id, name, f"rijn_{c}_", sizes(keys), nonces, number(usual), number(asked),
                sizes(tags), sizes(short), limit, number(associated), document,
            )
        )  # fmt: skip
    for id, c, name, keys, tag, document in cells(text, "RIJN_SIV_AEAD"):
        tags = sizes(tag) or (int(tag),)
        found.append(
            Algorithm(
                id, name, f"rijn_{c}_", sizes(keys), range(0), 0, 0, tags, (), None, None, document
            )
        )
    shared = re.search(r"define RIJN_AEGIS_TAGS (.*)\n#define RIJN_AEGIS_MAX \((.*)\)\n", text)
    assert shared
    tags = tuple(int(it) for it in re.findall(r"<< (\d+)", shared[1]))
    power = re.fullmatch(r"\(UINT64_C\(1\) << (\d+)\) - 1", shared[2])
    assert power
    most = 2 ** int(power[1]) - 1
    for id, name, _, size, document in cells(text, "RIJN_AEGIS_AEAD"):
        n = int(size)
        found.append(
            Algorithm(
                id, name, "rijn_aegis_", (n,), range(n, n + 1), n, 0, tags, (), most, most, document
            )
        )
    return found


# ---- Numbers in words ----


def power_of_two(n: int) -> str:
    """The number, as a power of two where it is one or is close below one."""
    if n < 2**20:
        return f"{n}"
    exponent = n.bit_length() - (n & (n - 1) == 0)
    digits = f"{exponent}".translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    less = 2**exponent - n
    return f"2{digits}" + (f" − {less}" if less else "")


def listed(found: tuple[int, ...]) -> str:
    """The numbers, more than three in a row as first – last."""
    if len(found) > 3 and found == tuple(range(found[0], found[-1] + 1)):
        return f"{found[0]} – {found[-1]}"
    return ", ".join(map(str, found))


def nonce_words(it: Algorithm) -> str:
    if not it.nonces:
        return NONE
    least, most = max(it.nonces[0], it.asked), it.nonces[-1]
    if least == most:
        return f"{least}"
    words = f"{least} – {power_of_two(most)}, {it.usual} by default"
    if it.asked:
        also = "" if it.nonces[0] else "; in C also 0"
        words += f" ({max(1, it.nonces[0])} – {it.asked - 1}{also})"
    return words


def tag_words(it: Algorithm) -> str:
    words = listed(it.tags) + ("" if it.nonces else ", in front")
    return words + (f" ({listed(it.short_tags)})" if it.short_tags else "")


def data_words(it: Algorithm) -> str:
    if it.data is not None:
        return power_of_two(it.data)
    return "2^(8·(15 − nonce)) − 1" if it.nonces else NONE


def random_words(it: Algorithm) -> str:
    """How many messages a key may seal under random nonces."""
    limits = LIMITS.get(getattr(rijn, it.name))
    if limits is None:
        return NONE
    if len(limits) == 1:
        return power_of_two(limits[0][1])
    return ", ".join(f"{power_of_two(most)} of {binary(size)}" for size, most in limits)


def binary(size: int) -> str:
    units = ("bytes", "KiB", "MiB", "GiB")
    step = (size.bit_length() - 1) // 10
    return f"{size >> 10 * step} {units[step]}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


# ---- The tables ----


def size_table(text: str) -> str:
    """docs/algorithms.md's table. Algorithms that differ in their names alone share a row."""
    named: dict[Algorithm, list[str]] = {}
    for it in algorithms(text):
        named.setdefault(replace(it, id="", name=""), []).append(it.name)
    rows = []
    for shared, names in named.items():
        it = replace(shared, name=names[0])
        rows.append(
            (
                ", ".join(f"`{name}`" for name in names),
                f"`{it.c}`",
                listed(it.keys),
                nonce_words(it),
                tag_words(it),
                data_words(it),
                NONE if it.associated is None else power_of_two(it.associated),
                random_words(it),
                it.document,
            )
        )
    head = (
        "class", "C", "key", "nonce", "tag", "data, at most", "associated data, at most",
        "random nonces", "document",
    )  # fmt: skip
    return table(head, rows)


def format_table(text: str, formats: str) -> str:
    """docs/columns.md's table, with a row for each algorithm of a format."""
    by_id = {it.id: it for it in algorithms(text)}
    said = {id: name for id, name, *_ in cells(formats, "RIJN_COLUMN_ALGORITHM")}
    rows = []
    for name, _, _, prefix, *listed_algorithms in cells(formats, "RIJN_COLUMN_FORMAT"):
        for cell in listed_algorithms:
            it = by_id[cell.removeprefix("ALGORITHM(").removesuffix(")")]
            tag = f"tag, {it.tags[-1] if len(it.tags) == 1 else 16}"
            parts = [f"nonce, {it.usual}", "ciphertext", tag] if it.nonces else [tag, "ciphertext"]
            longer = it.usual + 16
            if prefix == "true":
                parts = ["01", f"key id, {KEY_ID - 1}", *parts]
                longer += KEY_ID
            several = f", {said[it.id]}" if len(listed_algorithms) > 1 else ""
            limit = BY_BATCH.get(it.id) or random_words(it)
            row = (f"`{name}`{several}", " ‖ ".join(parts), listed(it.keys), f"{longer}", limit)
            rows.append(row)
    head = ("format", "a row", "key, bytes", "longer by, bytes", "rows a key may seal")
    return table(head, rows)


def chunked_list() -> str:
    """docs/format.md's list: names with the sizes of key and nonce. Those with equal sizes share a line."""
    named: dict[tuple[int, int], list[str]] = {}
    for it in AEADS.values():
        named.setdefault((it.key_size, it.nonce_size), []).append(f"`{it.name}`")
    return "".join(
        f"   - {', '.join(names)}: {key}, {nonce}\n" for (key, nonce), names in named.items()
    )


def tables(algorithm_list: str, format_list: str) -> dict[str, str]:
    """The tables by their pages."""
    return {
        "docs/algorithms.md": size_table(algorithm_list),
        "docs/columns.md": format_table(algorithm_list, format_list),
        "docs/format.md": chunked_list(),
    }


def write() -> None:
    """Write the tables into their pages."""
    for name, made in tables(ALGORITHMS.read_text("utf-8"), FORMATS.read_text("utf-8")).items():
        page = (ROOT / name).read_text("utf-8")
        (ROOT / name).write_text(TABLE.sub(lambda _, made=made: made, page), "utf-8")
