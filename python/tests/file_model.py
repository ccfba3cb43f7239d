"""A second implementation of docs/format.md in the plainest Python, with `cryptography` and
`argon2-cffi` and without Rijn. Rijn and the committed files are compared with it."""

from __future__ import annotations

import base64

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

KEY_SIZES = {"AEAD_AES_128_GCM": 16, "AEAD_AES_256_GCM": 32}


def message(aead: str, key: bytes, salt: bytes, plaintext: bytes, context: bytes) -> bytes:
    size = KEY_SIZES[aead]
    info = b"c2sp.org/chunked-encryption@v1+" + aead.encode() + b"\0" + salt + context
    derived = HKDFExpand(SHA512(), size + 12 + 32, info).derive(key)
    cipher = AESGCM(derived[:size])
    nonce = int.from_bytes(derived[size : size + 12], "big")
    result = salt + derived[size + 12 :]
    number = 0
    while True:
        chunk = plaintext[16384 * number : 16384 * (number + 1)]
        result += cipher.encrypt((nonce ^ number).to_bytes(12, "big"), chunk, None)
        number += 1
        if len(chunk) < 16384:
            return result


def header(aead: str, key_line: str) -> bytes:
    return f"Rijn file 1\naead {aead}\nkey {key_line}\n---\n".encode()


def key_file(aead: str, key: bytes, salt: bytes, plaintext: bytes) -> bytes:
    head = header(aead, "file")
    return head + message(aead, key, salt, plaintext, head)


def phc(argon_salt: bytes, m: int, t: int, p: int) -> str:
    text = base64.b64encode(argon_salt).decode().rstrip("=")
    return f"$argon2id$v=19$m={m},t={t},p={p}${text}"


def passphrase_file(
    aead: str,
    passphrase: str,
    argon_salt: bytes,
    cost: tuple[int, int, int],
    salt: bytes,
    plaintext: bytes,
) -> bytes:
    m, t, p = cost
    key = hash_secret_raw(passphrase.encode(), argon_salt, t, m, p, KEY_SIZES[aead], Type.ID)
    head = header(aead, phc(argon_salt, m, t, p))
    return head + message(aead, key, salt, plaintext, head)
