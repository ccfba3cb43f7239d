"""Test cases for `rijn` for MicroPython, with results from the package `rijn`.

    python cases.py > run.py      a script that prints `N cases agree on BACKEND`, or raises

The script imports only `rijn` (and modules of MicroPython), so that CPython, a board and
MicroPython in WebAssembly all run the same script.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rijn

Case = tuple[str, bytes, str, tuple[bytes | None, ...], bytes]
"""Class, key, method without _into, arguments, result."""

# SP 800-38A F.2.1 and F.5.1, FIPS 197 C.1 to C.3, the GCM specification's test cases 4 and
# 16, RFC 4493 section 4, RFC 10032 A.2.
_FIPS = bytes(range(32))
_TEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
_CMAC = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
_LONG = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
_GCM_TEXT = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
_GCM_AD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
_AEGIS = bytes.fromhex("10010000000000000000000000000000")
VECTORS: list[Case] = [
    ("AES", _FIPS[:16], "ecb_encrypt", (_TEXT,), bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")),
    ("AES", _FIPS[:24], "ecb_encrypt", (_TEXT,), bytes.fromhex("dda97ca4864cdfe06eaf70a0ec0d7191")),
    ("AES", _FIPS, "ecb_encrypt", (_TEXT,), bytes.fromhex("8ea2b7ca516745bfeafc49904b496089")),
    (
        "AES",
        _CMAC,
        "cbc_encrypt",
        (_FIPS[:16], _LONG[:16]),
        bytes.fromhex("7649abac8119b246cee98e9b12e9197d"),
    ),
    (
        "AES",
        _CMAC,
        "ctr_encrypt",
        (bytes(range(0xF0, 0x100)), _LONG[:16]),
        bytes.fromhex("874d6191b620e3261bef6864990db6ce"),
    ),
    (
        "AESGCM",
        bytes.fromhex("feffe9928665731c6d6a8f9467308308"),
        "encrypt",
        (bytes.fromhex("cafebabefacedbaddecaf888"), _GCM_TEXT, _GCM_AD),
        bytes.fromhex(
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
            "5bc94fbc3221a5db94fae95ae7121a47"
        ),
    ),
    ("CMAC", _CMAC, "finalize", (), bytes.fromhex("bb1d6929e95937287fa37d129b756746")),
    ("CMAC", _CMAC, "finalize", (_LONG[:16],), bytes.fromhex("070a16b46b4d4144f79bdd9dd04a287c")),
    (
        "AEGIS128L",
        _AEGIS,
        "encrypt",
        (bytes.fromhex("10000200000000000000000000000000"), bytes(16), None),
        bytes.fromhex("c1c0e58bd913006feba00f4b3cc3594eabe0ece80c24868a226a35d16bdae37a"),
    ),
]

SIZES = (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100)


def cross(seed: int = 1) -> Iterator[Case]:
    """Yields random cases, with results of the package. They have all key sizes, and message
    sizes around the boundaries of blocks and pieces."""
    draw = random.Random(seed).randbytes

    def case(kind: str, key: bytes, method: str, *arguments: bytes | None) -> Case:
        cls: Any = getattr(rijn, kind)
        made = cls(key, short_nonces=True) if hasattr(cls, "short_nonce_sizes") else cls(key)
        if kind == "CMAC":
            for piece in arguments:
                made.update(piece)
            return kind, key, method, arguments, made.finalize()
        return kind, key, method, arguments, getattr(made, method)(*arguments)

    for size in (16, 24, 32):
        key = draw(size)
        for blocks in (0, 1, 2, 5):
            data, iv = draw(16 * blocks), draw(16)
            for way in ("encrypt", "decrypt"):
                yield case("AES", key, f"ecb_{way}", data)
                yield case("AES", key, f"cbc_{way}", iv, data)
        for length in SIZES:
            data, extra = draw(length), draw(length // 2) if length % 3 else None
            yield case("AES", key, "ctr_encrypt", draw(11) + b"\xff" * 5, data)
            nonce = draw((12, 1, 16, 12, 40)[length % 5])
            sealed = case("AESGCM", key, "encrypt", nonce, data, extra)
            yield sealed
            yield case("AESGCM", key, "decrypt", nonce, sealed[-1], extra)
            yield case("CMAC", key, "finalize", data[: length // 3], data[length // 3 :])
    for length in SIZES:
        key, nonce, data, extra = draw(16), draw(16), draw(length), draw(2 * length % 77)
        sealed = case("AEGIS128L", key, "encrypt", nonce, data, extra)
        yield sealed
        yield case("AEGIS128L", key, "decrypt", nonce, sealed[-1], extra)


def script(seed: int = 1) -> str:
    """Returns the script: trial.py, then the calls of its functions with all cases."""
    trial = (Path(__file__).parent / "trial.py").read_text()
    lines = [f"try_case({case!r})" for case in [*VECTORS, *cross(seed)]]
    return "\n".join(
        [
            trial,
            *lines,
            f"VERSION = {rijn.__version__!r}",
            "try_keys()",
            "try_names()",
            "if hasattr(rijn, WORKERS[0]):",
            "    try_sharing()",
            "    try_interrupts()",
            "try_views()",
            "try_errors()",
            "print(tried, 'cases agree on', rijn.BACKEND)",
        ]
    )


if __name__ == "__main__":
    print(script())
