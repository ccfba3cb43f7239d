"""Writes the seeds of fuzz_rows.c, corpus/rows/, in the layout described at the top of that file."""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus" / "rows"


def rows(
    flags: int,
    *numbers: int,
    width: int = 4,
    count: int | None = None,
    first: int = 0,
    size: int = 1024,
    prefix: int = 0,
    step: int = 0,
    bits: bytes = bytes(8),
) -> bytes:
    return (
        bytes([flags, len(numbers) if count is None else count, first])
        + size.to_bytes(2, "big")
        + bytes([prefix, step])
        + bits
        + b"".join((x % (1 << 8 * width)).to_bytes(width, "little") for x in numbers)
    )


IN_COLUMN, IN_VIEWS, TAKEN, MERGED = range(4)
WIDE_ROWS, NULLS, LENGTHS, PADDED, SMALL, TIGHT = (1 << i for i in range(2, 8))
ODD = bytes([0b10101010] * 8)

ROWS = {
    "column": rows(IN_COLUMN | LENGTHS | PADDED, 3, 3, 19, 20, 100, count=4, prefix=12, step=16),
    "column-64": rows(IN_COLUMN | WIDE_ROWS | NULLS, *range(0, 99, 9), width=8, count=10, bits=ODD),
    "column-falls": rows(IN_COLUMN, 10, 9, 20, count=2),
    "column-negative": rows(IN_COLUMN | WIDE_ROWS, -(2**63), 2**63 - 1, width=8, count=1),
    "column-beyond": rows(IN_COLUMN, 0, 100, count=1, size=99),
    "column-spread": rows(IN_COLUMN | SMALL, *range(21), count=20, bits=ODD),
    "column-full": rows(
        IN_COLUMN | SMALL | TIGHT | PADDED, *range(30), count=29, size=64, step=255
    ),
    "views": rows(
        IN_VIEWS | SMALL | PADDED,
        12,
        0,
        0,
        13,
        1,
        5,
        39,
        0,
        200,
        width=1,
        count=3,
        size=512,
        step=7,
    ),
    "views-lie": rows(IN_VIEWS, 2**31 - 1, 2**31 - 1, 2**31 - 1, count=2),
    "views-null": rows(IN_VIEWS | NULLS, 5, 0, 9, count=2, first=1, bits=bytes([2, *bytes(7)])),
    "taken": rows(TAKEN | TIGHT, *[7] * 12, *range(11), *[0] * 29, width=1, count=11),
    "taken-negative": rows(TAKEN | LENGTHS, *[7] * 12, -1, width=4, count=11),
    "merged": rows(MERGED, *[2] + [5] * 5, *[0] * 8, width=2, count=4),
    "nothing": rows(IN_COLUMN, 5),
}


def main() -> None:
    for old in CORPUS.iterdir():
        old.unlink()
    for label, seed in ROWS.items():
        (CORPUS / label).write_bytes(seed)


if __name__ == "__main__":
    main()
