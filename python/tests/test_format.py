"""docs/format.md: Rijn accepts exactly what the page's grammars accept. The tests compile the page's
ABNF. Rijn and a reader written from the page both read the page's vectors."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import runpy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import format_reader
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rijn import chunked, files
from rijn.chunked import CHUNK, Damaged, Message, Truncated, WrongKey
from rijn.files import Argon2id, BadHeader, Header, KeyFileError, NotRijn, Unsupported

ROOT = Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "format.md").read_text()

CORE = {  # RFC 5234's rules and RFC 3629's
    "ALPHA": "[A-Za-z]",
    "CR": "\r",
    "DIGIT": "[0-9]",
    "HEXDIG": "[0-9A-Fa-f]",
    "HTAB": "\t",
    "LF": "\n",
    "SP": " ",
    "UTF8-2": r"[\xc2-\xdf][\x80-\xbf]",
    "UTF8-3": r"(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]",
    "UTF8-4": r"(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}",
}
TOKEN = re.compile(
    r"\s*(?:(?P<text>(?:%s)?\"[^\"]*\")|(?P<range>%x[0-9A-F]{2}-[0-9A-F]{2})"
    r"|(?P<repeat>[0-9]*\*[0-9]*|[0-9]+)|(?P<name>[A-Za-z][A-Za-z0-9-]*)|(?P<mark>[()\[\]/]))"
)
MARKS = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "/": "|"}


class Grammar:
    """The rules of one block of ABNF, as regular expressions."""

    def __init__(self, text: str) -> None:
        joined = re.sub(r"\n\s+", " ", text.strip())
        self.rules = dict(line.split("=", 1) for line in joined.split("\n"))
        self.rules = {name.strip(): rule.strip() for name, rule in self.rules.items()}

    def accepts(self, rule: str, data: bytes) -> bool:
        return re.fullmatch(self._compiled(rule).encode("latin-1"), data) is not None

    def _compiled(self, name: str) -> str:
        if name in CORE:
            return f"(?:{CORE[name]})"
        rule, place, made, times = self.rules[name], 0, "", ""
        closing: list[str] = []  # the repetitions of the open groups
        while place < len(rule):
            token = TOKEN.match(rule, place)
            assert token, rule[place:]
            place = token.end()
            if token["repeat"]:
                low, star, high = token["repeat"].partition("*")
                times = f"{{{low or 0},{high}}}" if star else f"{{{low}}}"
                continue
            if token["mark"]:
                made += MARKS[token["mark"]]
                if token["mark"] in "([":
                    closing.append(times)
                elif token["mark"] in ")]":
                    made += closing.pop()
                    continue
            elif token["text"]:
                exact = token["text"].removeprefix("%s").strip('"')
                insensitive = not token["text"].startswith("%s")
                assert not (insensitive and exact.lower() != exact.upper()), exact
                made += f"(?:{re.escape(exact)}){times}"
            elif token["range"]:
                made += "[\\x{}-\\x{}]{}".format(*token["range"][2:].split("-"), times)
            else:
                made += self._compiled(token["name"]) + times
            times = ""
        assert not closing
        return f"(?:{made})"


HEADER, KEY_FILE = map(Grammar, re.findall(r"```abnf\n(.*?)```", MANUAL, re.DOTALL))
(PATTERN,) = re.findall(r"```text\n(.*?)\n```", MANUAL, re.DOTALL)

KEY_LINE = b"rijn-key-v1 000102030405060708090a0b0c0d0e0F"
LONG_LINE = KEY_LINE + b"10" * 16


def is_key(data: bytes) -> bool:
    try:
        files.parse_key(data.decode())
    except (KeyFileError, UnicodeDecodeError):
        return False
    return True


def in_range(data: bytes) -> bool:
    """Checks the page's prose beside the grammar: the limits of Argon2id."""
    number = re.search(rb"m=([0-9]+),t=([0-9]+),p=([0-9]+)", data)
    if number is None:
        return True
    m, t, p = map(int, number.groups())
    return t <= 16 and p <= 16 and 8 * p <= m <= 1 << 20 and m * t <= 1 << 22


def is_header(data: bytes) -> bool:
    try:
        Header.parse(data)
    except (BadHeader, Unsupported):
        return False
    return True


KEYS = [
    KEY_LINE,
    LONG_LINE,
    KEY_LINE + b"\n",
    KEY_LINE + b"\r\n",
    b"# a\r\n\r\n \t \n\t#\tb \xc3\xa9\xe9\x9b\xa8\xf0\x9f\x94\x91\n \t" + KEY_LINE + b"\t \r\n#",
    KEY_LINE + b"\n\n\n",
    b"\n" * (4096 - len(KEY_LINE)) + KEY_LINE,
    b"# \xe2\x80\xa8\xc2\x85\xef\xbb\xbf\n" + KEY_LINE,
]
NO_KEYS = {
    b"": "it is empty",
    b"#" + KEY_LINE: "no line 'rijn-key-v1 '",
    KEY_LINE + b"\nmore": "a line that is neither the key's nor a comment",
    KEY_LINE[12:]: "it has the digits of a key of 128 bits",
    KEY_LINE + b"\n" + KEY_LINE: "holds 2 keys",
    b"\xef\xbb\xbf" + KEY_LINE: "byte order mark",
    b"\xef\xbb\xbf# x\n" + KEY_LINE: "byte order mark",
    b"\n\xef\xbb\xbf" + KEY_LINE: "no line 'rijn-key-v1 '",
    KEY_LINE + b"\r": "its line 1 has the control character U+000D",
    b"# x\r" + KEY_LINE + b"\n": "its line 1 has the control character U+000D",
    KEY_LINE + b"\r\r\n": "its line 1 has the control character U+000D",
    b"\r\n# x\f\n" + KEY_LINE: "its line 2 has the control character U+000C",
    b"\f" + KEY_LINE: "its line 1 has the control character U+000C",
    KEY_LINE + b"\n\x1a": "its line 2 has the control character U+001A",
    b"# \0\n" + KEY_LINE: "its line 1 has the control character U+0000",
    b"# \x7f\n" + KEY_LINE: "its line 1 has the control character U+007F",
    KEY_LINE + b"\xc2\xa0": "no line 'rijn-key-v1 '",
    KEY_LINE + b"\xe2\x80\xa8": "no line 'rijn-key-v1 '",
    KEY_LINE + b" # mine": "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b" ", b"  "): "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b" ", b"\t"): "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b"rijn", b"Rijn"): "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b" ", b" 0x"): "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b"0001", b"0_01"): "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b"0001", b"00 01"): "no line 'rijn-key-v1 '",
    KEY_LINE.replace(b"0001", "00٠١".encode()): "no line 'rijn-key-v1 '",
    KEY_LINE[:-1]: "31 hexadecimal digits",
    KEY_LINE + b"0": "33 hexadecimal digits",
    KEY_LINE + b"00" * 8: "48 hexadecimal digits",
    LONG_LINE + b"00": "66 hexadecimal digits",
    KEY_LINE.decode().encode("utf-16"): "not UTF-8",
    b"# \xe9\n" + KEY_LINE: "not UTF-8",
    b"# \xed\xa0\x80\n" + KEY_LINE: "not UTF-8",
    b"# \xc0\xaf\n" + KEY_LINE: "not UTF-8",
    b"# \xf4\x90\x80\x80\n" + KEY_LINE: "not UTF-8",
    b"\n" * (4097 - len(KEY_LINE)) + KEY_LINE: "longer than 4,096 bytes",
}


@pytest.mark.parametrize("data", KEYS)
def test_key_files_of_the_grammar(data: bytes, tmp_path: Path) -> None:
    assert KEY_FILE.accepts("key-file", data)
    (tmp_path / "key").write_bytes(data)
    (tmp_path / "key").chmod(0o600)
    key = files.read_key(tmp_path / "key")
    assert key == bytes(range(16)) + bytes([16] * 16) * (LONG_LINE in data)


@pytest.mark.parametrize("data", NO_KEYS, ids=[ascii(data[-50:]) for data in NO_KEYS])
def test_key_files_outside_the_grammar(data: bytes, tmp_path: Path) -> None:
    assert len(data) > 4096 or not KEY_FILE.accepts("key-file", data)
    (tmp_path / "key").write_bytes(data)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(KeyFileError, match=re.escape(NO_KEYS[data])):
        files.read_key(tmp_path / "key")


PIECES = [
    KEY_LINE,
    LONG_LINE,
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\t",
    b"\f",
    b"\0",
    b"#",
    b"a",
    b"\x7f",
]
PIECES += [b"\xef\xbb\xbf", b"\xc3\xa9", b"\xff", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xc2\x85"]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join))
def test_key_files_put_together(data: bytes) -> None:
    assert is_key(data) == KEY_FILE.accepts("key-file", data)


@given(st.integers(0, len(KEY_LINE) + 2), st.integers(0, 1), st.binary(max_size=2))
def test_key_files_with_a_change(place: int, cut: int, put: bytes) -> None:
    data = b"\n" + KEY_LINE + b"\n"
    data = data[:place] + put + data[place + cut :]
    assert is_key(data) == KEY_FILE.accepts("key-file", data)


FILE_HEADER = Header("AEAD_AEGIS128X2").encode()
PASSPHRASE_HEADER = Header("AEAD_AES_256_GCM", Argon2id(bytes(range(16)), 128, 12, 16)).encode()


@pytest.mark.parametrize("aead", chunked.AEADS)
def test_headers_of_the_grammar(aead: str) -> None:
    for parameters in None, Argon2id(bytes(16), 8, 1, 1), Argon2id(b"\xff" * 16, 1 << 18, 16, 16):
        data = Header(aead, parameters).encode()
        assert HEADER.accepts("header", data)
        assert is_header(data)
        assert len(data) <= 99
    names = re.findall(r'%s"(AEAD_\w+)"', HEADER.rules["aead"])
    assert names == list(chunked.AEADS)
    assert {name for name in re.findall(r"`(AEAD_\w+)`", MANUAL)} == set(names)


def test_the_longest_header_is_as_long_as_the_manual_says() -> None:
    assert len(Header("AEAD_AES_128_GCM", Argon2id(bytes(16), 1 << 18, 16, 16)).encode()) == 99
    assert "a version 1 header has at most 99" in MANUAL


@given(
    st.sampled_from([FILE_HEADER, PASSPHRASE_HEADER]),
    st.integers(0, 100),
    st.integers(0, 3),
    st.binary(max_size=2) | st.text("0123456789,=$mtpAQgw/+_ \r\n\t\f", max_size=4).map(str.encode),
)
@example(PASSPHRASE_HEADER, PASSPHRASE_HEADER.index(b"128"), 3, b"1_28")
@example(PASSPHRASE_HEADER, PASSPHRASE_HEADER.index(b"12,"), 0, b"0")
@example(PASSPHRASE_HEADER, PASSPHRASE_HEADER.index(b"w\n---"), 1, b"x")
@example(PASSPHRASE_HEADER, PASSPHRASE_HEADER.index(b"w\n---"), 1, b"A")
@example(PASSPHRASE_HEADER, PASSPHRASE_HEADER.index(b"w\n---"), 1, b"w=")
@example(PASSPHRASE_HEADER, PASSPHRASE_HEADER.index(b"w\n---"), 1, b"-")
@example(FILE_HEADER, len(FILE_HEADER), 0, b"\n")
@example(FILE_HEADER, 0, 0, b"\xef\xbb\xbf")
@example(FILE_HEADER, 11, 0, b"\r")
@example(FILE_HEADER, 11, 0, b" ")
def test_headers_with_a_change(good: bytes, place: int, cut: int, put: bytes) -> None:
    data = good[:place] + put + good[place + cut :]
    accepted = HEADER.accepts("header", data) and in_range(data)
    assert is_header(data) == accepted
    try:  # in a stream, the message follows the header
        found = Header.read(io.BytesIO(data))
    except (NotRijn, BadHeader, Unsupported, Truncated):
        assert not accepted
    else:
        assert HEADER.accepts("header", found.encode())
        assert data.startswith(found.encode())


@given(
    st.integers(0, 60), st.integers(0, 3), st.text("0123456789,=$mtpvAQgwé٣/+_ \r\n", max_size=4)
)
@example(0, 0, "")
@example(len("$argon2id$v=19$m="), 0, "0")
@example(len("$argon2id$v=19$"), 1, "t")
@example(100, 0, "\n")
@example(100, 0, "$aGFzaA")
@example(len("$argon2id"), 5, "")
@example(len("$argon2id$v=19$m=128,t=12"), 0, "9" * 9)
def test_the_pattern_of_an_argon2_string(place: int, cut: int, put: str) -> None:
    good = Argon2id(bytes(range(16)), 128, 12, 16).phc
    text = good[:place] + put + good[place + cut :]
    try:
        made = Argon2id.parse(text)
    except (BadHeader, Unsupported):
        assert not (re.fullmatch(PATTERN, text) and in_range(text.encode()))
    else:
        assert re.fullmatch(PATTERN, text)
        assert made.phc == text
    assert HEADER.accepts("argon2id", text.encode()) == bool(re.fullmatch(PATTERN, text))


@pytest.mark.parametrize(
    ("cost", "error"),
    {
        "m=7,t=1,p=1": BadHeader,
        "m=8,t=1,p=1": None,
        "m=127,t=1,p=16": BadHeader,
        "m=128,t=16,p=16": None,
        "m=1048576,t=4,p=1": None,
        "m=1048577,t=1,p=1": Unsupported,
        "m=1048576,t=5,p=1": Unsupported,
        "m=262144,t=16,p=1": None,
        "m=262145,t=16,p=1": Unsupported,
        "m=8,t=17,p=1": Unsupported,
        "m=136,t=1,p=17": Unsupported,
        "m=4294967295,t=4294967295,p=16777215": Unsupported,
        "m=0,t=1,p=1": BadHeader,
        "m=8,t=0,p=1": BadHeader,
        "m=8,t=1,p=0": BadHeader,
        "m=+8,t=1,p=1": BadHeader,
        "m=10000000000,t=1,p=1": BadHeader,
        "t=1,m=8,p=1": BadHeader,
        "m=8,t=1": BadHeader,
        "m=8,t=1,p=1,keyid=AAAA": BadHeader,
    }.items(),
)
def test_ranges_of_an_argon2_string(cost: str, error: type[Exception] | None) -> None:
    phc = f"$argon2id$v=19${cost}$" + "A" * 22
    if error is None:
        assert Argon2id.parse(phc).phc == phc
    else:
        with pytest.raises(error):
            Argon2id.parse(phc)


@pytest.mark.parametrize("passphrase", ["x", " x ", "\t", "\n", "x\r", "\0", "\ufeffx", "é" * 2048])
def test_every_character_of_a_passphrase_counts(passphrase: str) -> None:
    from argon2.low_level import Type, hash_secret_raw

    data = passphrase.encode()
    assert files.check_passphrase(data) == passphrase
    expected = hash_secret_raw(data, bytes(16), 1, 8, 1, 16, Type.ID)
    assert Argon2id(bytes(16), 8, 1, 1).derive(passphrase, 16) == expected


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "empty"),
        (b"x" * 4097, "longer than 4,096 bytes"),
        (("e\u0301" * 1366).encode(), "longer than 4,096 bytes"),  # fewer after normalization
        (b"\xe9", "not UTF-8"),
        (b"\xc0\xaf", "not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
    ],
)
def test_invalid_passphrases(data: bytes, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        files.check_passphrase(data)
    with pytest.raises(ValueError, match=r"passphrase|surrogates"):
        Argon2id(bytes(16), 8, 1, 1).derive(data.decode(errors="surrogateescape"), 16)


# ---- The vectors ----

VECTOR_FILE = ROOT / "vectors" / "format.json"
VECTORS = json.loads(VECTOR_FILE.read_text())["vectors"]
EACH_VECTOR = pytest.mark.parametrize("entry", VECTORS, ids=[entry["name"] for entry in VECTORS])


def written(entry: dict[str, Any]) -> bytes:
    """Returns an accepted file, made by Rijn with the entry's salt."""
    header, salt = entry["header"].encode(), bytes.fromhex(entry["salt"])
    aead, key = entry.get("bare"), secret(entry)
    if header:
        parsed = Header.parse(header)
        aead = parsed.aead
        if parsed.passphrase:
            text = files.check_passphrase(bytes.fromhex(entry["passphrase"]))
            key = parsed.passphrase.derive(text, chunked.AEADS[aead].key_size)
    message = Message(key, salt, aead=aead, context=header, backend=None)
    sealed = bytearray(chunked.sealed_size(entry["size"], message.aead) - len(message.prefix))
    message.seal(0, plaintext(entry), sealed, last=True)
    return header + message.prefix + sealed


def plaintext(entry: dict[str, Any]) -> bytes:
    return bytes(i % 251 for i in range(entry["size"]))


def secret(entry: dict[str, Any]) -> bytes:
    if "key_file" in entry:
        return files.parse_key(bytes.fromhex(entry["key_file"]).decode())
    return bytes.fromhex(entry.get("key", ""))


WHOLE: dict[str, bytes] = {}  # by name, for vectors that are pieces of others


def sealed_file(entry: dict[str, Any]) -> bytes:
    if "file" not in entry:
        return written(entry)
    pieces = []
    for piece in entry["file"]:
        if isinstance(piece, str):
            pieces.append(base64.b64decode(piece, validate=True))
        else:
            name, start, end = piece
            if name not in WHOLE:
                WHOLE[name] = sealed_file(next(each for each in VECTORS if each["name"] == name))
            pieces.append(WHOLE[name][start:end])
    return b"".join(pieces)


Reads = Callable[[bytes, bytes, str, bytes], bytes]  # from message, key, AEAD, context


def at_once(data: bytes, key: bytes, aead: str, context: bytes) -> bytes:
    return chunked.decrypt(key, data, aead=aead, context=context)


def in_pieces(data: bytes, key: bytes, aead: str, context: bytes) -> bytes:
    decryptor = chunked.Decryptor(key, aead=aead, context=context)
    found = [decryptor.update(data[i : i + 1000]) for i in range(0, len(data), 1000)]
    return b"".join([*found, decryptor.finalize()])


def at_random(data: bytes, key: bytes, aead: str, context: bytes) -> bytes:
    with chunked.Reader(io.BytesIO(data), key, aead=aead, context=context) as reader:
        return reader.read()


def read_with_rijn(entry: dict[str, Any], reads: Reads, tmp_path: Path) -> bytes:
    """Returns the plaintext. Raises format_reader.Refused."""
    source = io.BytesIO(sealed_file(entry))
    key, aead, context = b"", entry.get("bare"), b""
    try:
        if "key_file" in entry:
            (tmp_path / "key").write_bytes(bytes.fromhex(entry["key_file"]))
            (tmp_path / "key").chmod(0o600)
            key = files.read_key(tmp_path / "key")
        else:
            key = bytes.fromhex(entry.get("key", ""))
        if aead is None:
            header = Header.read(source)
            aead, context = header.aead, header.encode()
            if header.passphrase is not None:
                try:
                    text = files.check_passphrase(bytes.fromhex(entry["passphrase"]))
                except ValueError:
                    raise format_reader.Refused("bad-passphrase") from None
                key = header.passphrase.derive(text, chunked.AEADS[aead].key_size)
        data = source.read()
        if len(data) >= chunked.PREFIX and len(key) != chunked.AEADS[aead].key_size:
            with pytest.raises(ValueError, match="byte"):
                reads(data, key, aead, context)
            raise format_reader.Refused("wrong-key")
        return reads(data, key, aead, context)
    except KeyFileError:
        raise format_reader.Refused("bad-key-file") from None
    except NotRijn:
        raise format_reader.Refused("not-rijn") from None
    except BadHeader:
        raise format_reader.Refused("bad-header") from None
    except Unsupported:
        raise format_reader.Refused("unsupported") from None
    except WrongKey:
        raise format_reader.Refused("wrong-key") from None
    except Truncated:
        raise format_reader.Refused("truncated") from None
    except Damaged:
        raise format_reader.Refused("damaged") from None


@EACH_VECTOR
def test_vectors(entry: dict[str, Any], tmp_path: Path) -> None:
    for reads in (at_once, in_pieces, at_random):
        try:
            found: bytes | str = read_with_rijn(entry, reads, tmp_path)
        except format_reader.Refused as refused:
            found = str(refused)
        if "refused" not in entry:
            assert found == plaintext(entry), reads.__name__
            continue
        reasons = {entry["refused"]}
        if reads is at_random and "chunks" in entry["name"]:  # it begins with the last chunk
            reasons |= {"truncated", "damaged"}
        assert found in reasons, reads.__name__


@EACH_VECTOR
def test_vectors_with_the_reader_of_the_page(entry: dict[str, Any]) -> None:
    data = sealed_file(entry)
    if b"AEGIS" in data[:99] or "AEGIS" in entry.get("bare", ""):
        pytest.importorskip("pyaegis", reason="pyaegis is not installed")

    def read() -> bytes:
        passphrase = bytes.fromhex(entry.get("passphrase", ""))
        key = bytes.fromhex(entry.get("key", ""))
        if "key_file" in entry:
            key = format_reader.parse_key(bytes.fromhex(entry["key_file"]))
        if "bare" in entry:
            return format_reader.read_message(data, entry["bare"], key, b"")
        return format_reader.read_file(data, key, passphrase)

    if "refused" not in entry:
        assert read() == plaintext(entry)
    else:
        with pytest.raises(format_reader.Refused, match=f"^{entry['refused']}$"):
            read()


@pytest.mark.parametrize(
    "entry", [entry for entry in VECTORS if "salt" in entry], ids=lambda entry: entry["name"]
)
def test_a_writer_makes_the_vectors(entry: dict[str, Any]) -> None:
    data = written(entry)
    if "sha256" in entry:
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    else:
        assert sealed_file(entry) == data


@pytest.mark.parametrize(
    "entry", [entry for entry in VECTORS if "ranges" in entry], ids=lambda entry: entry["name"]
)
def test_ranges_of_the_vectors(entry: dict[str, Any]) -> None:
    source = io.BytesIO(sealed_file(entry))
    header = Header.read(source)
    context = header.encode()
    with chunked.Reader(source, secret(entry), aead=header.aead, context=context) as reader:
        for start, end in entry["ranges"]:
            reader.seek(start)
            assert reader.read(end - start) == plaintext(entry)[start:end]


def test_the_generator_writes_the_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = runpy.run_path(str(ROOT / "python" / "tools" / "format_vectors.py"))
    main = generator["main"]
    monkeypatch.setitem(main.__globals__, "FILE", tmp_path / "format.json")
    main()
    assert (tmp_path / "format.json").read_text() == VECTOR_FILE.read_text()


def test_vectors_have_all_that_the_page_lists() -> None:
    listed = MANUAL[MANUAL.index("## Test vectors") : MANUAL.index("## What it protects")]
    reasons = Counter(entry.get("refused", "") for entry in VECTORS)
    assert f"has {len(VECTORS)} cases" in listed
    table = listed[listed.index("| reason |") :]
    assert set(reasons) - {""} == set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE))
    fields = {field for entry in VECTORS for field in entry}
    assert fields <= set(re.findall(r"`([a-z_0-9]+)`", listed))
    assert len({entry["name"] for entry in VECTORS}) == len(VECTORS)
    for aead in chunked.AEADS:
        for size in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1):
            assert any(entry["name"] == f"{aead} {size}" for entry in VECTORS)
