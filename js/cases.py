"""Results of the Python package as JSON, for comparison in check.mjs.

python cases.py            prints keys, nonces, messages and their results
python cases.py FILE       opens the streams that check.mjs wrote to FILE
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import rijn
from rijn import chunked

NOISE = random.Random(14)
SIZES = (0, 1, 15, 16, 17, 31, 64, 100, 257, 1000, 4113)
# All AEADs with nonces, and the sizes of nonces besides those that Rijn draws.
CLASSES: dict[str, type[rijn.AEAD]] = {
    name: cls for name in rijn.__all__
    if isinstance(cls := getattr(rijn, name), type)
    and issubclass(cls, rijn.AEAD)
    and cls is not rijn.AEAD
}  # fmt: skip
OTHER_NONCES = {"AESGCM": (1, 16), "AESCCM": (13, 7), "AESOCB3": (15,), "AESEAX": (1, 30)}


def sizes() -> dict[str, dict[str, object]]:
    """The static members of each class in JavaScript."""
    return {
        name: {"keySizes": cls.key_sizes, "nonceSize": cls.drawn_nonce_size}
        for name, cls in CLASSES.items()
    }


def message(name: str, key: bytes, nonce: bytes, ad: bytes, data: bytes) -> dict[str, str]:
    cls = getattr(rijn, name)
    short = len(nonce) in getattr(cls, "short_nonce_sizes", ())
    aead = cls(key, short_nonces=True) if short else cls(key)
    sealed = aead.encrypt(nonce, data, ad)
    parts = {"key": key, "nonce": nonce, "ad": ad, "data": data, "sealed": sealed}
    return {"name": name, **{part: value.hex() for part, value in parts.items()}}


def messages() -> list[dict[str, str]]:
    return [
        message(name, *map(NOISE.randbytes, (key, nonce, size % 23, size)))
        for name, cls in CLASSES.items()
        for key in cls.key_sizes
        for nonce in (cls.drawn_nonce_size, *OTHER_NONCES.get(name, ()))
        for size in SIZES
    ]


def raw() -> list[dict[str, str]]:
    found = []
    for size in SIZES:
        key, counter, data = map(NOISE.randbytes, (16, 16, size))
        cmac = rijn.CMAC(key)
        cmac.update(data)
        crypted = rijn.AES(key).ctr_encrypt(counter, data)
        parts = {"key": key, "counter": counter, "data": data, "crypted": crypted}
        found.append(
            {**{part: value.hex() for part, value in parts.items()}, "tag": cmac.finalize().hex()}
        )
    return found


def streams() -> list[dict[str, str]]:
    found = []
    for aead in chunked.AEADS.values():
        for size in (0, 1, 16383, 16384, 16385, 50_000):
            key, plain = map(NOISE.randbytes, (aead.key_size, size))
            context = b"" if size % 2 else b"a context"
            sealed = chunked.encrypt(key, plain, context=context, aead=aead.name)
            parts = {"key": key, "plain": plain, "context": context, "message": sealed}
            found.append(
                {"aead": aead.short, **{part: value.hex() for part, value in parts.items()}}
            )
    return found


def open_written(file: Path) -> None:
    written = json.loads(file.read_text("utf-8"))
    assert {one["aead"] for one in written} == {aead.short for aead in chunked.AEADS.values()}
    for one in written:
        key, plain, sealed = (bytes.fromhex(one[part]) for part in ("key", "plain", "message"))
        assert chunked.decrypt(key, sealed, aead=one["aead"]) == plain


if __name__ == "__main__":
    if sys.argv[1:]:
        open_written(Path(sys.argv[1]))
    else:
        json.dump({"messages": messages(), "raw": raw(), "streams": streams()}, sys.stdout)
