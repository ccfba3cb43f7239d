"""A second reader, written from docs/format.md alone, with `cryptography`, `argon2-cffi` and
`pyaegis` and without Rijn. vectors/format.json is compared with it."""

from __future__ import annotations

import base64
import hmac
import re
import unicodedata
from collections.abc import Callable

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

Open = Callable[[bytes, bytes], bytes]  # from nonce and sealed chunk; raises InvalidTag

SIZES = {"AEAD_AES_128_GCM": (16, 12), "AEAD_AES_256_GCM": (32, 12)}
SIZES |= {f"AEAD_AEGIS128{x}": (16, 16) for x in ("L", "X2", "X4")}
SIZES |= {f"AEAD_AEGIS256{x}": (32, 32) for x in ("", "X2", "X4")}
NUMBER = "([1-9][0-9]{0,9})"
ARGON2 = rf"\$argon2id\$v=19\$m={NUMBER},t={NUMBER},p={NUMBER}\$([A-Za-z0-9+/]{{21}}[AQgw])"
ASIDE = r"[ \t]*(?:#[\t -~\x80-\U0010ffff]*)?"
KEY_LINE = r"[ \t]*rijn-key-v1 ((?:[0-9A-Fa-f]{32}){1,2})[ \t]*"
KEY_FILE = rf"(?:{ASIDE}\r?\n)*{KEY_LINE}(?:\r?\n{ASIDE})*"


class Refused(Exception):
    """Holds one of the words of the page's list."""


def parse_key(data: bytes) -> bytes:
    try:
        found = re.fullmatch(KEY_FILE, data.decode())
    except UnicodeDecodeError:
        found = None
    if found is None or len(data) > 4096:
        raise Refused("bad-key-file")
    return bytes.fromhex(found[1])


def stretch(passphrase: bytes, salt: bytes, cost: list[int], size: int) -> bytes:
    memory, passes, lanes = cost
    try:
        text = unicodedata.normalize("NFC", passphrase.decode())
    except UnicodeDecodeError:
        raise Refused("bad-passphrase") from None
    if not 1 <= len(passphrase) <= 4096:
        raise Refused("bad-passphrase")
    return hash_secret_raw(text.encode(), salt, passes, memory, lanes, size, Type.ID)


def split_header(data: bytes) -> tuple[bytes, str, str]:
    """Returns the header, its AEAD and its line `key`."""
    if data[:10] != b"Rijn file "[: max(len(data), 1)]:
        raise Refused("not-rijn")
    first, end, _ = data[:256].partition(b"\n")
    if end and not re.fullmatch(rb"Rijn file [1-9][0-9]{0,8}", first):
        raise Refused("bad-header")
    if end and first != b"Rijn file 1":
        raise Refused("unsupported")
    header, end, _ = data[:256].partition(b"\n---\n")
    if not end:
        raise Refused("truncated" if len(data) < 256 else "bad-header")
    found = re.fullmatch(rb"Rijn file 1\naead ([A-Z0-9_]+)\nkey ([!-~]+)", header)
    if found is None:
        raise Refused("bad-header")
    return header + end, found[1].decode(), found[2].decode()


def read_file(data: bytes, key: bytes, passphrase: bytes) -> bytes:
    header, aead, source = split_header(data)
    if aead not in SIZES:
        raise Refused("unsupported")
    if source != "file":
        argon2 = re.fullmatch(ARGON2, source)
        if argon2 is None:
            raise Refused("bad-header")
        memory, passes, lanes = cost = [int(argon2[i]) for i in (1, 2, 3)]
        if memory < 8 * lanes:
            raise Refused("bad-header")
        if passes > 16 or lanes > 16 or memory > 1 << 20 or memory * passes > 1 << 22:
            raise Refused("unsupported")
        key = stretch(passphrase, base64.b64decode(argon2[4] + "=="), cost, SIZES[aead][0])
    return read_message(data[len(header) :], aead, key, header)


def read_message(data: bytes, aead: str, key: bytes, context: bytes) -> bytes:
    key_size, nonce_size = SIZES[aead]
    if len(data) < 56:
        raise Refused("truncated")
    if len(key) != key_size:
        raise Refused("wrong-key")
    info = b"c2sp.org/chunked-encryption@v1+" + aead.encode() + b"\0" + data[:24] + context
    derived = HKDFExpand(SHA512(), key_size + nonce_size + 32, info).derive(key)
    if not hmac.compare_digest(derived[key_size + nonce_size :], data[24:56]):
        raise Refused("wrong-key")
    opened = opener(aead, derived[:key_size])
    base = int.from_bytes(derived[key_size : key_size + nonce_size], "big")
    plaintext, number, chunks = b"", 0, data[56:]
    while True:
        chunk, chunks = chunks[: 16384 + 16], chunks[16384 + 16 :]
        last = len(chunk) < 16384 + 16
        if len(chunk) < 16:
            raise Refused("truncated")
        try:
            plaintext += opened((base ^ number).to_bytes(nonce_size, "big"), chunk)
        except InvalidTag:
            raise Refused("truncated" if last and number else "damaged") from None
        if last:
            return plaintext
        number += 1


def opener(aead: str, key: bytes) -> Open:
    if aead.endswith("GCM"):
        return lambda nonce, chunk: AESGCM(key).decrypt(nonce, chunk, None)
    import pyaegis

    cipher = getattr(pyaegis, "Aegis" + aead.removeprefix("AEAD_AEGIS"))(tag_size=16)

    def opened(nonce: bytes, chunk: bytes) -> bytes:
        try:
            return bytes(cipher.decrypt(key, nonce, chunk))
        except pyaegis.DecryptionError:
            raise InvalidTag from None

    return opened
