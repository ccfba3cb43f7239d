"""Known answers and cross-checks: is every backend right on this machine?

run() puts every available backend through vectors that the standards print, and
through random messages against `reference`.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, NamedTuple

from .aead import AESGCM
from .block import AES
from .errors import InvalidTag
from .registry import backends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Result(NamedTuple):
    """What one algorithm of one backend did."""

    backend: str
    algorithm: str  # "AES-128-ECB", ..., "AES-256-GCM"
    ok: bool
    detail: str  # what was checked, or what went wrong


class Case(NamedTuple):
    """A message with the answer that every backend must give. For ECB, `nonce` is
    empty; for CBC and CTR it is the IV or first counter; `tag` and `ad` are GCM's."""

    source: str
    mode: str
    key: bytes
    nonce: bytes
    plaintext: bytes
    ciphertext: bytes
    ad: bytes = b""
    tag: bytes = b""


def _hex(text: str) -> bytes:
    return bytes.fromhex(text)


# FIPS 197 appendix C (2001 edition).
_FIPS_197_PLAINTEXT = _hex("00112233445566778899aabbccddeeff")
_FIPS_197 = (
    ("C.1", 16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("C.2", 24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
    ("C.3", 32, "8ea2b7ca516745bfeafc49904b496089"),
)

# SP 800-38A appendix F: one plaintext and three keys for all modes.
_SP_800_38A_PLAINTEXT = _hex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
_SP_800_38A_KEYS = (
    _hex("2b7e151628aed2a6abf7158809cf4f3c"),
    _hex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
    _hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
)
_SP_800_38A = (
    (
        "ECB",
        b"",
        (
            (
                "F.1.1",
                (
                    "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
                    "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
                ),
            ),
            (
                "F.1.3",
                (
                    "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
                    "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"
                ),
            ),
            (
                "F.1.5",
                (
                    "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
                    "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
                ),
            ),
        ),
    ),
    (
        "CBC",
        _hex("000102030405060708090a0b0c0d0e0f"),
        (
            (
                "F.2.1",
                (
                    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
                ),
            ),
            (
                "F.2.3",
                (
                    "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
                    "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
                ),
            ),
            (
                "F.2.5",
                (
                    "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                    "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
                ),
            ),
        ),
    ),
    (
        "CTR",
        _hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
        (
            (
                "F.5.1",
                (
                    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
                ),
            ),
            (
                "F.5.3",
                (
                    "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
                    "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
                ),
            ),
            (
                "F.5.5",
                (
                    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
                ),
            ),
        ),
    ),
)

# McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B: the test
# cases with 60 bytes of plaintext and 20 of associated data, whose key is
# feffe9928665731c6d6a8f9467308308 with its first bytes repeated behind it.
_GCM_KEY = _hex("feffe9928665731c6d6a8f9467308308")
_GCM_AD = _hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
_GCM_PLAINTEXT = _hex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
_GCM = (
    (
        "test case 4",
        16,
        "cafebabefacedbaddecaf888",
        (
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
        ),
        "5bc94fbc3221a5db94fae95ae7121a47",
    ),
    (
        "test case 5",
        16,
        "cafebabefacedbad",
        (
            "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
            "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598"
        ),
        "3612d2e79e3b0785561be14aaca2fccb",
    ),
    (
        "test case 10",
        24,
        "cafebabefacedbaddecaf888",
        (
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
            "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710"
        ),
        "2519498e80f1478f37ba55bd6d27618c",
    ),
    (
        "test case 16",
        32,
        "cafebabefacedbaddecaf888",
        (
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        ),
        "76fc6ece0f4e1768cddf8853bb2d551b",
    ),
)


def _vectors() -> Iterator[Case]:
    for section, size, ciphertext in _FIPS_197:
        key = bytes(range(size))
        source = f"FIPS 197 appendix {section}"
        yield Case(source, "ECB", key, b"", _FIPS_197_PLAINTEXT, _hex(ciphertext))
    for mode, nonce, answers in _SP_800_38A:
        for key, (section, ciphertext) in zip(_SP_800_38A_KEYS, answers, strict=True):
            source = f"SP 800-38A section {section}"
            yield Case(source, mode, key, nonce, _SP_800_38A_PLAINTEXT, _hex(ciphertext))
    for name, size, iv, ciphertext, tag in _GCM:
        key = (_GCM_KEY * 2)[:size]
        yield Case(
            f"McGrew and Viega {name}",
            "GCM", key, _hex(iv), _GCM_PLAINTEXT, _hex(ciphertext), _GCM_AD, _hex(tag),
        )  # fmt: skip


# Bytes of the random messages: whole and broken blocks, and more blocks than the C
# backends have in flight.
_RANDOM_SIZES = (0, 1, 15, 16, 17, 64, 127, 16 * 33 + 5)


def _random_cases() -> Iterator[Case]:
    """Random messages with the answers of `reference`."""
    for key_size in (16, 24, 32):
        key = os.urandom(key_size)
        aes = AES(key, backend="reference")
        gcm = AESGCM(key, backend="reference")
        for size in _RANDOM_SIZES:
            source = f"random message of {size} bytes against reference"
            text = os.urandom(size)
            blocks = os.urandom(size // 16 * 16)
            iv = os.urandom(16)
            # The carry out of the low 32, 64 or 128 bits comes within a few blocks.
            ones = random.choice((4, 8, 16))
            counter = iv[: 16 - ones] + b"\xff" * (ones - 1) + b"\xfd"
            # A nonce that is not 12 bytes makes GCM's 32-bit counter start anywhere.
            nonce = os.urandom(random.choice((12, 12, 1, 16, 40)))
            ad = os.urandom(random.choice((0, 13, 32)))
            sealed = gcm.encrypt(nonce, text, ad)
            yield Case(source, "ECB", key, b"", blocks, aes.ecb_encrypt(blocks))
            yield Case(source, "CBC", key, iv, blocks, aes.cbc_encrypt(iv, blocks))
            yield Case(source, "CTR", key, counter, text, aes.ctr_encrypt(counter, text))
            yield Case(source, "GCM", key, nonce, text, sealed[:size], ad, sealed[size:])


def _gcm_refuses(gcm: AESGCM, nonce: bytes, sealed: bytes, ad: bytes) -> bool:
    try:
        gcm.decrypt(nonce, sealed, ad)
    except InvalidTag:
        return True
    return False


def _problem(backend: str, case: Case) -> str:
    """What a backend does wrong with a case; "" when nothing."""
    if case.mode == "GCM":
        gcm = AESGCM(case.key, backend=backend)
        sealed = case.ciphertext + case.tag
        if gcm.encrypt(case.nonce, case.plaintext, case.ad) != sealed:
            return "encrypts wrongly"
        if gcm.decrypt(case.nonce, sealed, case.ad) != case.plaintext:
            return "decrypts wrongly"
        altered = sealed[:-1] + bytes([sealed[-1] ^ 1])
        if not _gcm_refuses(gcm, case.nonce, altered, case.ad):
            return "takes a wrong tag"
        return ""
    aes = AES(case.key, backend=backend)
    encrypt: Callable[..., bytes] = getattr(aes, f"{case.mode.lower()}_encrypt")
    decrypt: Callable[..., bytes] = getattr(aes, f"{case.mode.lower()}_decrypt")
    nonce = (case.nonce,) if case.nonce else ()
    if encrypt(*nonce, case.plaintext) != case.ciphertext:
        return "encrypts wrongly"
    if decrypt(*nonce, case.ciphertext) != case.plaintext:
        return "decrypts wrongly"
    return ""


def _check(backend: str, algorithm: str, cases: list[Case], vectors: int) -> Result:
    for case in cases:
        try:
            problem = _problem(backend, case)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
            problem = f"raises {error!r}"
        if problem:
            return Result(backend, algorithm, False, f"{problem}: {case.source}")
    detail = f"published vectors: {vectors}, random messages: {len(cases) - vectors}"
    return Result(backend, algorithm, True, detail)


def run() -> list[Result]:
    """Checks every algorithm of every backend that can run here."""
    vectors: dict[str, list[Case]] = {}
    random_cases: dict[str, list[Case]] = {}
    for found, cases in ((vectors, _vectors()), (random_cases, _random_cases())):
        for case in cases:
            found.setdefault(f"AES-{8 * len(case.key)}-{case.mode}", []).append(case)
    return [
        _check(record.name, algorithm, known + random_cases[algorithm], len(known))
        for record in backends()
        if record.available
        for algorithm, known in vectors.items()
    ]
