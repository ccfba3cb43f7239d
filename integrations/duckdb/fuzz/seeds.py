"""Writes the seeds of fuzz_keyset.c, corpus/keyset/: texts of keysets and of key files."""

import base64
import json
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus" / "keyset"
TINK = "type.googleapis.com/google.crypto.tink."


def keyset(*keys: dict[str, object], primary: int = 1) -> bytes:
    return json.dumps({"primaryKeyId": primary, "key": keys}).encode()


def entry(id: int, url: str, size: int, field: int = 3, front: bytes = b"", **rest: str) -> dict:
    value = front + bytes([field << 3 | 2, size]) + bytes(range(size))
    data = {"typeUrl": url, "value": base64.b64encode(value).decode()}
    given = {"status": "ENABLED", "outputPrefixType": "RAW", **rest}
    return {"keyData": {**data, "keyMaterialType": "SYMMETRIC"}, "keyId": id, **given}


XAES_KEY = entry(1, TINK + "XAesGcmKey", 32, front=b"\x12\x02\x08\x0c")
KEYSET = {
    "xaes": keyset(XAES_KEY),
    "of-each": keyset(
        entry(1, TINK + "AesGcmKey", 24, outputPrefixType="TINK"),
        entry(2**32 - 1, TINK + "AesSivKey", 64, field=2),
        entry(3, TINK + "AesGcmSivKey", 16),
        entry(4, "rijn/Aegis256Key", 32, front=b"\x08\x00"),
        entry(5, "rijn/Aegis128LKey", 16),
        primary=3,
    ),
    "asleep": keyset(
        {"keyId": 7, "status": "DESTROYED", "x": [{}, [], -1.5e3, True, False, None]}, XAES_KEY
    ),
    "escapes": b"\r\n\t " + keyset(XAES_KEY).replace(b"/", b"\\/").replace(b"=", b"\\u003d"),
    "deep": b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}",
    "key-file": b"# a key\r\n\n\t rijn-key-v1 " + b"0aF" * 20 + b"1234 \n",
}


def main() -> None:
    for old in CORPUS.iterdir():
        old.unlink()
    for label, seed in KEYSET.items():
        (CORPUS / label).write_bytes(seed)


if __name__ == "__main__":
    main()
