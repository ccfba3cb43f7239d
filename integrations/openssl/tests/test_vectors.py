"""Published vectors of the ciphers that OpenSSL 3.0 lacks: AEGIS, XAES-256-GCM and AES-GCM-SIV."""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import cryptography_vectors
import pytest
from support import ROOT

LIBRARY = ctypes.CDLL(ctypes.util.find_library("crypto"))
for _name in (
    "OSSL_LIB_CTX_new",
    "OSSL_PROVIDER_load",
    "EVP_CIPHER_fetch",
    "EVP_CIPHER_CTX_new",
):
    getattr(LIBRARY, _name).restype = ctypes.c_void_p
SET_IV_LENGTH, GET_TAG, SET_TAG = 0x9, 0x10, 0x11  # EVP_CTRL_AEAD_*


def handle(name: str, *arguments: object) -> ctypes.c_void_p:
    """Calls a function that returns a pointer."""
    made = getattr(LIBRARY, name)(*arguments)
    assert made, name
    return ctypes.c_void_p(made)


class OpenSSL:
    """Rijn's ciphers through EVP."""

    def __init__(self, provider: Path) -> None:
        self.context = handle("OSSL_LIB_CTX_new")
        folder = str(provider.parent).encode()
        assert LIBRARY.OSSL_PROVIDER_set_default_search_path(self.context, folder) == 1
        self.provider = handle("OSSL_PROVIDER_load", self.context, provider.stem.encode())
        self.ciphers: dict[str, ctypes.c_void_p] = {}

    def crypt(
        self,
        encrypting: bool,
        name: str,
        key: bytes,
        nonce: bytes,
        ad: bytes,
        data: bytes,
        tag: bytes,
    ) -> tuple[bytes, bytes] | None:
        """Encrypts with a tag of the length of `tag`, or decrypts. Returns None if it is refused.

        AEGIS and XAES take the data in random pieces.
        """
        if name not in self.ciphers:
            self.ciphers[name] = handle("EVP_CIPHER_fetch", self.context, name.encode(), None)
        c = handle("EVP_CIPHER_CTX_new")
        try:
            out = ctypes.create_string_buffer(len(data) + 64)
            size, written = ctypes.c_int(), 0
            e = int(encrypting)
            given = None if encrypting else ctypes.c_char_p(tag)
            assert LIBRARY.EVP_CipherInit_ex2(c, self.ciphers[name], None, None, e, None) == 1
            assert LIBRARY.EVP_CIPHER_CTX_ctrl(c, SET_IV_LENGTH, len(nonce), None) == 1
            if not encrypting or len(tag) != 16:
                assert LIBRARY.EVP_CIPHER_CTX_ctrl(c, SET_TAG, len(tag), given) == 1
            assert LIBRARY.EVP_CipherInit_ex2(c, None, key, nonce, e, None) == 1
            if ad:
                assert LIBRARY.EVP_CipherUpdate(c, None, ctypes.byref(size), ad, len(ad)) == 1
            at = 0
            while at < len(data) or (at == len(data) == 0 and "SIV" in name):
                piece = data[at:] if "SIV" in name else data[at : at + random.randint(1, 40)]
                at += len(piece) or 1
                where = ctypes.byref(out, written)
                size.value = 0
                if LIBRARY.EVP_CipherUpdate(c, where, ctypes.byref(size), piece, len(piece)) != 1:
                    return None
                written += size.value
            if LIBRARY.EVP_CipherFinal_ex(c, ctypes.byref(out, written), ctypes.byref(size)) != 1:
                return None
            assert written + size.value == len(data)
            made = ctypes.create_string_buffer(len(tag))
            if encrypting:
                assert LIBRARY.EVP_CIPHER_CTX_ctrl(c, GET_TAG, len(tag), made) == 1
            return out.raw[: len(data)], made.raw
        finally:
            LIBRARY.EVP_CIPHER_CTX_free(c)


@pytest.fixture(scope="module")
def openssl(provider: Path) -> OpenSSL:
    return OpenSSL(provider)


Fields = dict[str, bytes]


def stanzas(text: str) -> Iterator[tuple[str, Fields]]:
    """Yields the last line in brackets before each stanza, and its fields."""
    section = ""
    for block in re.split(r"\n\s*\n", text):
        fields = {}
        for line in block.splitlines():
            if line.startswith("["):
                section = line if line.startswith("[ALGORITHM") else section + line
            elif found := re.fullmatch(r"(\w+) =\s*([0-9a-fA-F]*)\s*", line):
                if found[1].upper() not in ("COUNT", "ITERATIONS"):
                    fields[found[1].upper()] = bytes.fromhex(found[2])
            elif line == "FAIL":
                fields["FAIL"] = b""
        if fields:
            yield section, fields


def check(
    openssl: OpenSSL, name: str, fields: Fields, ad: str, nonce: str, sealed: bytes, tag: bytes
) -> None:
    key, iv, data = fields["KEY"], fields[nonce], fields.get(ad, b"")
    if "FAIL" in fields:
        assert openssl.crypt(False, name, key, iv, data, sealed, tag) is None
        return
    plain = fields["PLAINTEXT"]
    assert openssl.crypt(True, name, key, iv, data, plain, tag) == (sealed, tag)
    opened = openssl.crypt(False, name, key, iv, data, sealed, tag)
    assert opened and opened[0] == plain
    forged = bytes([tag[0] ^ 1]) + tag[1:]
    assert openssl.crypt(False, name, key, iv, data, sealed, forged) is None


def test_aegis(openssl: OpenSSL) -> None:
    seen = set()
    for section, fields in stanzas((ROOT / "vectors" / "aegis.rsp").read_text()):
        if "[AEAD]" in section:
            found = re.match(r"\[ALGORITHM = AEGIS(\w+)\]", section)
            assert found
            for size in ("TAG128", "TAG256"):
                name = f"AEGIS-{found[1]}"
                seen.add((name, size))
                check(openssl, name, fields, "AD", "NONCE", fields["CIPHERTEXT"], fields[size])
    assert len(seen) == 12


def test_xaes(openssl: OpenSSL) -> None:
    seen = 0
    text = (ROOT / "vectors" / "xaes-256-gcm.rsp").read_text()
    for section, fields in stanzas(text):
        if "ACCUMULATED" not in section:
            sealed = fields["CIPHERTEXT"]
            check(openssl, "XAES-256-GCM", fields, "AAD", "NONCE", sealed[:-16], sealed[-16:])
            seen += 1
    assert seen == 2


def shake(seed: bytes) -> Callable[[int], bytes]:
    """Returns a reader of SHAKE128's output."""
    size, at = 1 << 24, 0
    stream = hashlib.shake_128(seed).digest(size)

    def read(count: int) -> bytes:
        nonlocal at
        at += count
        assert at <= size
        return stream[at - count : at]

    return read


def test_xaes_accumulated(openssl: OpenSSL) -> None:
    """10,000 messages, as C2SP's page says."""
    read, sums = shake(b""), hashlib.shake_128()
    for _ in range(10_000):
        key, nonce = read(32), read(24)
        plain = read(read(1)[0])
        ad = read(read(1)[0])
        sealed = openssl.crypt(True, "XAES-256-GCM", key, nonce, ad, plain, bytes(16))
        assert sealed
        sums.update(sealed[0] + sealed[1])
    text = (ROOT / "vectors" / "xaes-256-gcm.rsp").read_text()
    wanted = re.search(r"ITERATIONS = 10000\nHASH = (\w+)", text)
    assert wanted and sums.hexdigest(32) == wanted[1]


def test_gcm_siv(openssl: OpenSSL) -> None:
    seen = set()
    file = Path(cryptography_vectors.__file__).parent / "ciphers/AES/GCM-SIV/openssl.txt"
    for _, fields in stanzas(file.read_text()):
        bits = 8 * len(fields["KEY"])
        seen.add(bits)
        name = f"AES-{bits}-GCM-SIV"
        check(openssl, name, fields, "AAD", "IV", fields.get("CIPHERTEXT", b""), fields["TAG"])
    assert seen == {128, 256}
