"""rijn columns: CSV and TSV files: quotes, line ends, base64, and no notes."""

from __future__ import annotations

import base64
import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from program import Result
from table_files import pa, seen

from rijn.cli.columns.options import FORMATS
from rijn.columns import Column, Keyset

pytestmark = pytest.mark.usefixtures("keysets")

Run = Callable[..., Result]
KEYS = ["-k", ".key.d/xaes"]
EMAIL = ["-c", "email", *KEYS]
TABLE = (
    b"id,when,email,note\n"
    b'007,2024-02-30,ann@example.com,"a, b"\n'
    b'1.50,,"","say ""hi"""\n'
    b'NA,null,,"two\nlines"\n'
    b' x ,1e5,"q""q",\n'
    b',,"c\r\n,d",end\n'
)
VALUES = ["ann@example.com", "", None, 'q"q', "c\r\n,d"]  # the column email


def sealed(run: Run, data: bytes = TABLE, *more: str, name: str = "t.csv") -> list[list[str]]:
    """Returns the rows of the result, read by Python's own csv module."""
    Path(name).write_bytes(data)
    done = run("columns", "encrypt", "-f", name, *EMAIL, *more)
    assert (done.code, done.out, done.err) == (0, b"", "")
    root, ending = os.path.splitext(name)
    return rows(f"{root}.sealed{ending}", "\t" if ending.lower() == ".tsv" else ",")


def rows(name: str, delimiter: str = ",") -> list[list[str]]:
    with open(name, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter, strict=True))


def opened(run: Run, *more: str, name: str = "t.sealed.csv") -> bytes:
    done = run("columns", "decrypt", "-f", name, *EMAIL, *more, "-o", "back")
    assert (done.code, done.err) == (0, "")
    return Path("back").read_bytes()


# ---- There and back -------------------------------------------------------------------


def test_round_trip(folder: Path, run: Run) -> None:
    """No text becomes a number, a date or a null. rijn.columns opens the sealed values."""
    found = sealed(run)
    was = rows("t.csv")
    assert [[row[i] for i in (0, 1, 3)] for row in found] == [
        [row[i] for i in (0, 1, 3)] for row in was
    ]
    raw = [base64.b64decode(row[2], validate=True) or None for row in found[1:]]
    column = Column(Keyset.from_file(".key.d/xaes"), context="email")
    assert pa.array(column.open(pa.array(raw), type="string")).to_pylist() == VALUES
    assert opened(run) == TABLE
    assert seen(folder) == {"t.csv", "t.sealed.csv", "back"}


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_and_option(folder: Path, run: Run, format: str) -> None:
    Path("t.csv").write_bytes(TABLE.replace(b",,", b",x,").replace(b"\n,x", b"\ny,x"))
    pad = [] if format in ("spark", "tink") else ["--pad", "16"]
    more = ["--format", format, "--context", "email=mine", "--aad", "id", *pad]
    wanted = ["-c", "email", "-k", f".key.d/{format}", *more]
    assert run("columns", "encrypt", "t.csv", *wanted).code == 0
    done = run("columns", "decrypt", "t.sealed.csv", *wanted, "-o", "back")
    assert (done.code, done.err) == (0, "")
    assert Path("back").read_bytes() == Path("t.csv").read_bytes()
    for left in range(0, len(more), 2):
        some = ["-c", "email", "-k", f".key.d/{format}", *more[:left], *more[left + 2 :]]
        done = run("columns", "decrypt", "t.sealed.csv", *some, "-o", f"other{left}")
        if (more[left], format) == ("--format", "xaes"):  # the default
            assert done.code == 0
        else:
            assert done.code != 0 and f"other{left}" not in seen(folder), more[left]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (["--pad", "16"], []),
        ([], ["--pad", "16"]),
        (["--context", "email=mine"], []),
        (["--aad", "id"], []),
        ([], ["--format", "gcm-siv"]),
    ],
)
def test_options_that_must_match_are_named(
    folder: Path, run: Run, then: list[str], now: list[str]
) -> None:
    sealed(run, b"id,email\n1,a\n2,\n3,c\n", *then)
    keys = ["-k", ".key.d/gcm-siv"]
    done = run("columns", "decrypt", "t.sealed.csv", *EMAIL, *keys, *now, "-o", "back")
    assert done.code == 3
    assert done.err == (
        "rijn: t.sealed.csv: column email: 2 of 3 rows do not open, the first is row 0 (no value"
        " opens: check -k, and repeat encrypt's --format, --deterministic, --context, --aad and --pad."
        " Without --context the column needs its original name)\n"
    )
    assert seen(folder) == {"t.csv", "t.sealed.csv"}


def test_sealed_text_is_sealed_again(folder: Path, run: Run) -> None:
    """Nothing marks sealed text. Text that is sealed twice must be opened twice."""
    sealed(run)
    once = Path("t.sealed.csv").read_bytes()
    assert run("columns", "encrypt", "t.sealed.csv", *EMAIL, "-o", "twice.csv").code == 0
    assert opened(run, name="twice.csv") == once


@pytest.mark.parametrize("name", ["t.tsv", "t.TSV", "t.CSV"])
def test_delimiters(folder: Path, run: Run, name: str) -> None:
    tab = name.lower().endswith("tsv")
    data = b'id\temail\n1\ta,b\n2\t"c\td"\n' if tab else b'id,email\n1,"a,b"\n2,c\td\n'
    found = sealed(run, data, name=name)
    assert [len(row) for row in found] == [2, 2, 2] and b"a,b" not in found[1][1].encode()
    root, ending = os.path.splitext(name)
    assert opened(run, name=f"{root}.sealed{ending}") == data


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfemail,id\na,1\n",  # a byte order mark
        b"id,email\r\n1,a\r\n2,\r\n",
        b'"i\nd",email\r\n1,a\r\n',
        b"id,email\n",
        b"x,x,email\n1,2,a\n",
        b",email\n1,a\n",
        b'email\na\n\n""\n\n',  # in a single column an empty line is a null
        "email,n\u00e4me\n\u00fc,\u20ac\n".encode(),
        b"email,n\n\0,\0\n",
        b"PAR1,email\n1,a\n",
        b"email,n\na,p\xc2\xa0\n",
        b'email,n\na,"x\n"\n',
        b'email,n\na,"\n"\n',
    ],
)
def test_files_that_stay_byte_for_byte(folder: Path, run: Run, data: bytes) -> None:
    sealed(run, data)
    assert Path("t.sealed.csv").read_bytes()[:3] == data[:3] or data[:3] != b"\xef\xbb\xbf"
    assert opened(run) == data


@pytest.mark.parametrize(
    ("data", "back"),
    [
        (b'"id","email"\n"1","a"\n', b"id,email\n1,a\n"),  # unnecessary quotes
        (b"id,email\n1,a", b"id,email\n1,a\n"),
        (b"id,email\r\n1,a\n2,b\r3,c\r\n", b"id,email\r\n1,a\r\n2,b\r\n3,c\r\n"),
        (b"id,email\n\n1,a\n\n\n2,b\n\n", b"id,email\n1,a\n2,b\n"),
        (b'id,email\nx"y,a\n', b'id,email\n"x""y",a\n'),
        (b'id,email,n\n1,a,"x"\n\n', b"id,email,n\n1,a,x\n"),
    ],
)
def test_normalized_csv(folder: Path, run: Run, data: bytes, back: bytes) -> None:
    sealed(run, data)
    assert opened(run) == back


def test_rows_of_several_blocks(folder: Path, run: Run) -> None:
    count = 70_000
    data = "id,email\n" + "".join(f"{i:040},{i}@example.com\n" for i in range(count))
    sealed(run, data.encode())
    assert opened(run) == data.encode()
    lines = Path("t.sealed.csv").read_text().splitlines()
    for row in (60_000, 69_999):
        lines[row + 1] = lines[row + 1][:-4] + ("AAAA" if row == 60_000 else "")
    Path("t.sealed.csv").write_text("\n".join(lines))
    done = run("columns", "decrypt", "t.sealed.csv", *EMAIL, "-o", "x")
    assert f"2 of {count:,} rows do not open, the first is row 60000 (" in done.err


# ---- Bad values -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    ["none", "AAAA", "A", "AAA", "A===", "\u00e4", "AA AA", '""', "-_-_", "cut", "spaced", "spare"],
)
def test_a_value_that_does_not_open(folder: Path, run: Run, value: str) -> None:
    """Not base64, base64 of bytes that were never sealed, or unused bits that are not 0: the row does
    not open."""
    found = sealed(run, b"id,email\n1,a\n2,b\n3,\n4,d\n")
    own = found[2][1]
    assert own.endswith("=") and not own.endswith("==")
    spare = (
        own[:-2] + chr(ord(own[-2]) + 1) + "="
    )  # only one of four consecutive letters has unused bits of 0
    value = {"cut": own[:-4], "spaced": own + " ", "spare": spare}.get(value, value)
    text = "".join(f"{row[0]},{value if at == 2 else row[1]}\n" for at, row in enumerate(found))
    Path("t.sealed.csv").write_text(text)
    before = seen(folder)
    said = "rijn: t.sealed.csv: column email: 1 of 4 rows do not open, the first is row 1"
    done = run("columns", "decrypt", "t.sealed.csv", *EMAIL, "-o", "b.csv")
    assert done.code == 4 and done.err.startswith(f"{said} (")
    assert value == '""' or value not in done.err
    done = run("columns", "rotate", "t.sealed.csv", *EMAIL)
    assert done.code == 4 and done.err.startswith(f"{said} (")
    assert seen(folder) == before and Path("t.sealed.csv").read_text() == text
    done = run("columns", "decrypt", "t.sealed.csv", *EMAIL, "-o", "b.csv", "--errors", "null")
    assert done.code == 0 and done.err == f"{said}; they are null in b.csv\n"
    assert Path("b.csv").read_bytes() == b"id,email\n1,a\n2,\n3,\n4,d\n"


# ---- Necessary options ----------------------------------------------------------------


@pytest.mark.parametrize("command", ["decrypt", "rotate"])
def test_necessary_columns(folder: Path, run: Run, command: str) -> None:
    sealed(run)
    more = ["-o", "b"]
    done = run("columns", command, "t.sealed.csv", *KEYS, *more)
    assert done.code == 2
    assert done.err.startswith(
        "rijn: t.sealed.csv: a CSV file does not record which columns are sealed (name them with -c"
    )
    done = run("columns", command, "t.sealed.csv", *KEYS, "-c", "mail", *more)
    assert done.code == 2 and "there is no column mail" in done.err
    for wrong, shown in (("id, email", "' email'"), ("email,", "''"), ("email ", "'email '")):
        done = run("columns", command, "t.sealed.csv", *KEYS, "-c", wrong, *more)
        assert done.code == 2 and f"there is no column {shown} (its columns are" in done.err
    done = run("columns", command, "t.sealed.csv", *EMAIL, "--context", "id=x", *more)
    assert done.code == 2 and "--context names id" in done.err
    assert "b" not in seen(folder)


def test_values_are_text(folder: Path, run: Run) -> None:
    sealed(run)
    done = run("columns", "decrypt", "t.sealed.csv", *EMAIL, "--type", "binary", "-o", "b")
    assert done.code == 2 and "column email was of type string, not binary" in done.err
    assert opened(run, "--type", "string") == TABLE


# ---- Bad files ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"", 6, "t.csv: is empty"),
        (b"\xef\xbb\xbf", 6, "t.csv: is empty"),
        (b"\nemail\na\n", 6, "t.csv: its first line is empty"),
        (b"id,email", 4, "t.csv: its header has no end"),
        (b"id,email\n1,a\n2,SECRET,x\n", 4, "row 1 has 3 fields, but the header has 2"),
        (b"id,email\n1\n", 4, "row 0 has 1 fields, but the header has 2"),
        (b"email\n1\n2,SECRET\n", 4, "row 1 has 2 fields, but the header has 1"),
        (b"id,email\n1,a\n2,SECRET\xff\n", 6, "row 1 is not UTF-8"),
        (b"id,email\xff\n1,a\n", 6, "its header is not UTF-8"),
        ("id,email\n1,SECRET\n".encode("utf-16"), 6, "is not UTF-8"),
        (b"id,email,email\n1,a,b\n", 2, "there are several columns email"),
        (b"id;email\n1;a\n", 2, "there is no column email"),
        (b"PAR1\x15\x00SECRET", 6, "its name says text, but it is not text (give it the right"),
        (b"ARROW1\0\0SECRET", 6, "its name says text, but it is not text (give it the right"),
        (b"\xff\xff\xff\xffSECRET", 6, "its name says text, but it is not text (give it the right"),
        (b'id,email\n1,"SECRET\n3,4\n', 5, "the last value's quote is not closed"),
        (b'id,email\n1,"SECRET', 5, "the last value's quote is not closed"),
        (b'id,email\n1,"', 5, "the last value's quote is not closed"),
        (b'id,email\n1,"SECRET""\n', 5, "the last value's quote is not closed"),
        (b'id,email\n1,"' + b"SECRET\n" * 900_000, 4, "a row is longer than 2 MiB"),
        (b"id,email\n1," + b"SECRET" * 1_050_000 + b"\n", 4, "a row is longer than 2 MiB"),
    ],
)
def test_files_that_are_refused(folder: Path, run: Run, data: bytes, code: int, said: str) -> None:
    Path("t.csv").write_bytes(data)
    done = run("columns", "encrypt", "t.csv", *EMAIL)
    assert done.code == code and said in done.err and "SECRET" not in done.err
    assert done.err.startswith("rijn: t.csv: ") and len(done.err.splitlines()) == 1
    assert seen(folder) == {"t.csv"}
    if code != 2:
        done = run("columns", "info", "t.csv")
        assert done.code == code and said in done.err and "SECRET" not in done.err


def test_a_row_that_would_not_be_read_again(folder: Path, run: Run) -> None:
    data = b"email\n" + b"x" * 1_500_000 + b"\n"
    Path("t.csv").write_bytes(data)
    assert run("columns", "encrypt", "t.csv", *EMAIL).code == 0
    assert opened(run) == data
    Path("t.csv").write_bytes(b"email\n" + b"x" * 1_600_000 + b"\n")
    done = run("columns", "encrypt", "t.csv", *EMAIL, "-o", "x.csv")
    assert done.code == 2 and "t.csv: a row of the result would be longer than 2 MiB" in done.err
    assert "x.csv" not in seen(folder)
