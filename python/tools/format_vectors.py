#!/usr/bin/env python3
"""Writes vectors/format.json: Rijn files, bare messages and key files, each with the result that a
reader must give, including every refusal. docs/format.md describes it.

    python python/tools/format_vectors.py

Salts and keys are fixed, so that every run writes the same bytes. python/tests/test_format.py reads
them with Rijn and with a reader written from the page alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from rijn.chunked import AEADS, CHUNK, PREFIX, Message, sealed_size
from rijn.files import Argon2id, Header

FILE = Path(__file__).parents[2] / "vectors" / "format.json"

ABOUT = "Rijn files that a reader must accept or refuse. docs/format.md describes the entries."
KEY = bytes(range(0x40, 0x60))
PASSPHRASE = "correct horse battery staple"
CHEAP = Argon2id(bytes(range(16)), 8, 1, 1)
SIZES = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1)
LONG = 2 * CHUNK + 100
GCM = "AEAD_AES_128_GCM"
SEALED = CHUNK + 16


def numbers(size: int) -> bytes:
    """Returns the plaintext of this size."""
    return bytes(i % 251 for i in range(size))


def salt_of(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:24]


def sealed(key: bytes, salt: bytes, plaintext: bytes, aead: str, context: bytes) -> bytes:
    message = Message(key, salt, aead=aead, context=context, backend=None)
    found = bytearray(sealed_size(len(plaintext), message.aead))
    found[:PREFIX] = message.prefix
    message.seal(0, plaintext, memoryview(found)[PREFIX:], last=True)
    return bytes(found)


class Vectors:
    """The list of vectors. A file is given by its bytes, or by parts of earlier files with bytes between."""

    def __init__(self) -> None:
        self.list: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}

    def add_valid(
        self,
        name: str,
        size: int,
        aead: str = GCM,
        *,
        passphrase: bytes = b"",
        cost: Argon2id = CHEAP,
        key_file: bytes = b"",
        bare: bool = False,
        whole: bool = True,
    ) -> None:
        """Adds a valid file. With `whole` it stores the bytes instead of their hash."""
        salt, key = salt_of(name), KEY[: AEADS[aead].key_size]
        entry: dict[str, Any] = {"name": name}
        header = Header(aead)
        if passphrase:
            header = Header(aead, cost)
            key = cost.derive(passphrase.decode(), AEADS[aead].key_size)
            entry["passphrase"] = passphrase.hex()
        elif key_file:
            entry["key_file"] = key_file.hex()
        else:
            entry["key"] = key.hex()
        context = b"" if bare else header.encode()
        if bare:
            entry["bare"] = aead
        self.files[name] = context + sealed(key, salt, numbers(size), aead, context)
        entry |= {"header": context.decode(), "salt": salt.hex(), "size": size}
        if size > CHUNK:
            entry["ranges"] = [[0, 1], [CHUNK - 5, CHUNK + 1], [CHUNK, size], [size - 1, size]]
        if whole:
            entry["file"] = [base64.b64encode(self.files[name]).decode()]
        else:
            entry["sha256"] = hashlib.sha256(self.files[name]).hexdigest()
        self.list.append(entry)

    def whole(self, name: str) -> tuple[str, int, int]:
        return name, 0, len(self.files[name])

    def add_refused(
        self, name: str, reason: str, *file: bytes | tuple[str, int, int], **given: Any
    ) -> None:
        """Adds a file that a reader must refuse. `given` is the secret, if it is not the key."""
        pieces = [
            base64.b64encode(piece).decode() if isinstance(piece, bytes) else list(piece)
            for piece in file
        ]
        entry = {"name": name, **(given or {"key": KEY[:16].hex()}), "file": pieces}
        self.list.append(entry | {"refused": reason})

    def flipped(self, name: str, reason: str, original: str, offset: int, **given: Any) -> None:
        """Returns `original` with one bit changed."""
        data = self.files[original]
        changed = bytes([data[offset] ^ 1])
        self.add_refused(
            name, reason, (original, 0, offset), changed, (original, offset + 1, len(data)), **given
        )


def accepted(out: Vectors) -> None:
    for aead in AEADS:
        for size in SIZES:
            out.add_valid(f"{aead} {size}", size, aead, whole=size < 2 or aead == GCM)
        out.add_valid(f"{aead} bare", 20, aead, bare=True)
    out.add_valid("three chunks", LONG)
    passphrases = {
        "letters": PASSPHRASE.encode(),
        "normal form C": "caf\u00e9".encode(),
        "normal form D": "cafe\u0301".encode(),
        "Hangul in letters": "\u1112\u1161\u11ab".encode(),
        "a ligature, which form KC would part": "\ufb01".encode(),
        "spaces around": b" x\t ",
        "line ends inside": b"x\ny\r",
        "a zero byte": b"x\0y",
        "a byte order mark": b"\xef\xbb\xbfx",
        "4096 bytes": b"x" * 4096,
    }
    for name, passphrase in passphrases.items():
        out.add_valid(f"passphrase: {name}", 20, passphrase=passphrase)
    salt = bytes([0xFF]) * 16
    for cost in Argon2id(salt, 8, 16, 1), Argon2id(salt, 128, 1, 16), Argon2id(salt, 1000, 2, 3):
        for aead in GCM, "AEAD_AES_256_GCM":
            name = f"passphrase: m={cost.memory},t={cost.passes},p={cost.lanes} {aead}"
            out.add_valid(name, 20, aead, passphrase=PASSPHRASE.encode(), cost=cost)
    line = f"rijn-key-v1 {KEY[:16].hex()}".encode()
    key_files = {
        "one line": line + b"\n",
        "no line end": line,
        "CR LF": b"# a\r\n" + line + b"\r\n",
        "capitals": line[:12] + line[12:].upper(),
        "blanks": b" \t\n\t " + line + b"\t \n \n",
        "comments": b"#\n# caf\xc3\xa9 \xe2\x80\xa8 #\n  # x\n" + line + b"\n#" + line,
        "4096 bytes": b"\n" * (4096 - len(line)) + line,
    }
    for name, text in key_files.items():
        out.add_valid(f"key file: {name}", 20, key_file=text)


def bad_keys(out: Vectors) -> None:
    line = f"rijn-key-v1 {KEY[:16].hex()}".encode()
    texts = {
        "empty": b"",
        "a comment alone": b"# x\n",
        "two keys": line + b"\n" + line,
        "byte order mark": b"\xef\xbb\xbf" + line,
        "form feed": b"\f" + line,
        "form feed in a comment": b"# x\f\n" + line,
        "CR at the end": line + b"\r",
        "CR as a line end": b"# x\r" + line + b"\n",
        "CR CR LF": line + b"\r\r\n",
        "zero byte": line + b"\n\0",
        "no-break space": line + b"\xc2\xa0",
        "line separator": b"# x\xe2\x80\xa8" + line,
        "two spaces": line.replace(b" ", b"  "),
        "tab": line.replace(b" ", b"\t"),
        "capital label": line.upper(),
        "another version": line.replace(b"v1", b"v2"),
        "no label": line[12:],
        "comment behind": line + b" # x",
        "space inside": line[:20] + b" " + line[20:],
        "underscore": line[:20] + b"_" + line[21:],
        "no hexadecimal digit": line[:-1] + b"g",
        "Arabic digit": line[:-2] + b"\xd9\xa1",
        "31 digits": line[:-1],
        "33 digits": line + b"0",
        "192 bits": line + b"0" * 16,
        "not UTF-8": b"# \xe9\n" + line,
        "surrogate": b"# \xed\xa0\x80\n" + line,
        "UTF-16": line.decode().encode("utf-16-le"),
        "4097 bytes": b"\n" * (4097 - len(line)) + line,
    }
    original = f"{GCM} 1"
    for name, text in texts.items():
        whole = out.whole(original)
        out.add_refused(f"key file: {name}", "bad-key-file", whole, key_file=text.hex())
    original = "passphrase: letters"
    passphrases = {
        "empty": b"",
        "4097 bytes": b"x" * 4097,
        "4097 bytes, fewer in form C": "e\u0301".encode() * 1365 + b"xx",
        "not UTF-8": b"\xe9",
        "overlong": b"\xc0\xaf",
        "surrogate": b"\xed\xa0\x80",
    }
    for name, text in passphrases.items():
        whole = out.whole(original)
        out.add_refused(f"passphrase: {name}", "bad-passphrase", whole, passphrase=text.hex())


def bad_headers(out: Vectors) -> None:
    good = Header(GCM).encode()
    stretched = Header(GCM, CHEAP).encode()
    tail = bytes(300)

    def changed(name: str, reason: str, old: bytes, new: bytes) -> None:
        header = stretched if old in stretched and old not in good else good
        assert header.count(old) == 1
        given = {"passphrase": b"x".hex()} if header is stretched else {"key": KEY[:16].hex()}
        out.add_refused(f"header: {name}", reason, header.replace(old, new) + tail, **given)

    out.add_refused("empty", "not-rijn", b"")
    out.add_refused("another program's", "not-rijn", b"age-encryption.org/v1\n" + tail)
    out.add_refused("byte order mark", "not-rijn", b"\xef\xbb\xbf" + good + tail)
    out.add_refused("small letter", "not-rijn", good.lower() + tail)
    out.add_refused("ten bytes wrong at the end", "not-rijn", b"Rijn file\n" + tail)
    changed("version 2", "unsupported", b"1\n", b"2\n")
    changed("version 999999999", "unsupported", b"1\n", b"999999999\n")
    changed("version 1000000000", "bad-header", b"1\n", b"1000000000\n")
    changed("version 0", "bad-header", b"1\n", b"0\n")
    changed("version 01", "bad-header", b"1\n", b"01\n")
    changed("no version", "bad-header", b"1\n", b"\n")
    changed("version 1 and a blank", "bad-header", b"1\n", b"1 \n")
    out.add_refused("header: CR LF", "bad-header", good.replace(b"\n", b"\r\n") + tail)
    out.add_refused("header: CR", "bad-header", good.replace(b"\n", b"\r") + tail)
    changed("unknown AEAD", "unsupported", b"AES_128", b"AES_512")
    changed("AEAD's short name", "bad-header", GCM.encode(), b"aes-128-gcm")
    changed("AEAD without a name", "bad-header", GCM.encode(), b"")
    changed("two spaces", "bad-header", b"aead ", b"aead  ")
    changed("tab", "bad-header", b"aead ", b"aead\t")
    changed("blank at a line's end", "bad-header", b"file\n-", b"file \n-")
    changed("form feed", "bad-header", b"file\n-", b"file\f\n-")
    changed("CR behind the end", "bad-header", b"---\n", b"---\r\n")
    changed("four dashes", "bad-header", b"---\n", b"----\n")
    changed("a line more", "bad-header", b"---\n", b"x\n---\n")
    changed("an empty line", "bad-header", b"aead ", b"\naead ")
    changed("no line aead", "bad-header", f"aead {GCM}\n".encode(), b"")
    changed("no line key", "bad-header", b"key file\n", b"")
    changed(
        "lines in another order",
        "bad-header",
        good[12:-4],
        b"key file\naead " + GCM.encode() + b"\n",
    )
    changed("another source", "bad-header", b"key file", b"key fire")
    out.add_refused("header: without an end", "bad-header", b"Rijn file 1\n" + b"x" * 300)
    for name, reason, old, new in (
        ("argon2i", "bad-header", b"argon2id", b"argon2i"),
        ("v=16", "bad-header", b"v=19", b"v=16"),
        ("no v", "bad-header", b"v=19$", b""),
        ("v=019", "bad-header", b"v=19", b"v=019"),
        ("order", "bad-header", b"m=8,t=1", b"t=1,m=8"),
        ("p left out", "bad-header", b",p=1", b""),
        ("keyid", "bad-header", b",p=1", b",p=1,keyid=AAAA"),
        ("leading zero", "bad-header", b"m=8", b"m=08"),
        ("plus", "bad-header", b"m=8", b"m=+8"),
        ("underscore", "bad-header", b"m=8", b"m=1_0"),
        ("eleven digits", "bad-header", b"m=8", b"m=10000000000"),
        ("t=0", "bad-header", b"t=1", b"t=0"),
        ("p=0", "bad-header", b"p=1", b"p=0"),
        ("m=7", "bad-header", b"m=8", b"m=7"),
        ("m=15, p=2", "bad-header", b"m=8,t=1,p=1", b"m=15,t=1,p=2"),
        ("m=1048577", "unsupported", b"m=8", b"m=1048577"),
        ("m=4294967295", "unsupported", b"m=8", b"m=4294967295"),
        ("t=17", "unsupported", b"t=1", b"t=17"),
        ("p=17", "unsupported", b"m=8,t=1,p=1", b"m=136,t=1,p=17"),
        ("m * t = 4194305", "unsupported", b"m=8,t=1", b"m=838861,t=5"),
        ("salt's spare bits", "bad-header", b"ODw", b"ODx"),
        ("salt padded", "bad-header", b"ODw", b"ODw=="),
        ("salt of 15 bytes", "bad-header", b"ODw", b"O"),
        ("salt of 17 bytes", "bad-header", b"ODw", b"ODxA"),
        ("salt in base64url", "bad-header", b"AAEC", b"A-_C"),
        ("no salt", "bad-header", b"$AAECAwQFBgcICQoLDA0ODw", b""),
        ("hash", "bad-header", b"ODw", b"ODw$AAAA"),
    ):
        changed(f"Argon2 {name}", reason, old, new)


def bad_messages(out: Vectors) -> None:
    one, three, head = f"{GCM} 1", "three chunks", len(Header(GCM).encode())
    size, long = len(out.files[one]), len(out.files[three])
    at = [head + PREFIX + i * SEALED for i in range(3)]  # where the chunks begin
    whole = out.whole(one)
    other = bytes(16).hex()
    for stop, what in (
        (1, "one byte"),
        (11, "before the first line's end"),
        (12, "behind the first line"),
        (head - 1, "before the header's end"),
        (head, "behind the header"),
        (head + 24, "behind the salt"),
        (head + 55, "in the commitment"),
        (head + 56, "behind the commitment"),
        (head + 56 + 15, "within the tag's size"),
    ):
        out.add_refused(f"cut: {what}", "truncated", (one, 0, stop))
    out.add_refused("cut: the only chunk", "damaged", (one, 0, size - 1))
    out.add_refused("cut: inside chunk 0", "damaged", (three, 0, at[1] - 1))
    out.add_refused("cut: behind chunk 0", "truncated", (three, 0, at[1]))
    out.add_refused("cut: a byte of chunk 1", "truncated", (three, 0, at[1] + 1))
    out.add_refused("cut: the tag's size of chunk 1", "truncated", (three, 0, at[1] + 16))
    out.add_refused("cut: behind chunk 1", "truncated", (three, 0, at[2]))
    out.add_refused("cut: inside the last chunk", "truncated", (three, 0, long - 1))
    full = f"{GCM} {CHUNK}"
    out.add_refused("cut: the empty last chunk", "truncated", (full, 0, len(out.files[full]) - 16))

    out.add_refused("wrong key", "wrong-key", whole, key=other)
    out.add_refused("key of another size", "wrong-key", whole, key=KEY.hex())
    out.add_refused(
        "wrong passphrase", "wrong-key", out.whole("passphrase: letters"), passphrase=b"x".hex()
    )
    given = {"passphrase": PASSPHRASE.encode().hex()}
    place = out.files["passphrase: letters"].index(b"AAEC")
    out.add_refused(
        "another Argon2 salt",
        "wrong-key",
        ("passphrase: letters", 0, place),
        b"B",
        ("passphrase: letters", place + 1, len(out.files["passphrase: letters"])),
        **given,
    )
    out.flipped("altered salt", "wrong-key", one, head)
    out.flipped("altered commitment", "wrong-key", one, head + 55)
    aegis = Header("AEAD_AEGIS128L").encode()
    out.add_refused("header of another AEAD", "wrong-key", aegis, (one, head, size))
    bare = f"{GCM} bare"
    out.add_refused(
        "bare: another AEAD",
        "wrong-key",
        out.whole(bare),
        bare="AEAD_AEGIS128L",
        key=KEY[:16].hex(),
    )
    out.add_refused(
        "bare: a key of another size", "wrong-key", out.whole(bare), bare=GCM, key=KEY.hex()
    )
    out.add_refused("bare: wrong key", "wrong-key", out.whole(bare), bare=GCM, key=other)
    out.add_refused("bare: a Rijn file", "wrong-key", whole, bare=GCM, key=KEY[:16].hex())
    out.add_refused(
        "bare: a Rijn file's message", "wrong-key", (one, head, size), bare=GCM, key=KEY[:16].hex()
    )
    out.add_refused("bare: empty", "truncated", b"", bare=GCM, key=KEY[:16].hex())
    out.add_refused("bare: 55 bytes", "truncated", (bare, 0, 55), bare=GCM, key=KEY[:16].hex())
    out.add_refused("a bare message", "not-rijn", out.whole(bare))
    out.add_refused(
        "a bare message behind a header", "wrong-key", Header(GCM).encode(), out.whole(bare)
    )

    for aead in AEADS:
        secret = KEY[: AEADS[aead].key_size].hex()
        name = f"{aead} 1"
        end = len(out.files[name])
        out.flipped(f"altered ciphertext: {aead}", "damaged", name, end - 17, key=secret)
        out.flipped(f"altered tag: {aead}", "damaged", name, end - 1, key=secret)
    out.flipped("altered: chunk 0 of three", "damaged", three, at[0])
    out.flipped("altered: chunk 1's tag", "damaged", three, at[2] - 1)
    out.flipped("altered: the last of three", "truncated", three, long - 1)
    out.add_refused("a byte more", "damaged", whole, b"\0")
    out.add_refused("a line end more", "damaged", whole, b"\n")
    out.add_refused("a byte more behind three chunks", "truncated", out.whole(three), b"\0")
    out.add_refused("a tag's size more", "damaged", whole, bytes(16))
    out.add_refused("written twice", "damaged", whole, whole)
    start, first, second, last = (
        (three, 0, at[0]),
        (three, at[0], at[1]),
        (three, at[1], at[2]),
        (three, at[2], long),
    )
    out.add_refused("chunks: swapped", "damaged", start, second, first, last)
    out.add_refused("chunks: the first is missing", "damaged", start, second, last)
    out.add_refused("chunks: one is missing", "truncated", start, first, last)
    out.add_refused("chunks: one comes twice", "damaged", start, first, first, second, last)
    out.add_refused("chunks: the last comes twice", "truncated", start, first, second, last, last)
    out.add_refused("chunks: the last alone", "damaged", start, last)
    text = (full, head + PREFIX, head + PREFIX + SEALED)
    out.add_refused("chunks: of another message", "damaged", start, text, second, last)


def main() -> None:
    out = Vectors()
    accepted(out)
    bad_keys(out)
    bad_headers(out)
    bad_messages(out)
    lines = ",\n".join(json.dumps(entry) for entry in out.list)
    FILE.write_text(f'{{"about": {json.dumps(ABOUT)}, "vectors": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
