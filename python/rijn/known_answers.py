"""Known answers of every algorithm, from the documents that define them. selftest.py checks every
backend with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import aead, block, wrap
from ._aeads import aead_class


class Case(NamedTuple):
    """A message with the answer that every backend must give."""

    source: str
    algorithm: str  # as results name it
    make: Callable[..., Any]  # from a backend's name: a key
    plaintext: bytes
    ciphertext: bytes  # with its tag, if there is one
    before: tuple[Any, ...] = ()  # arguments before the data: an iv or nonce
    after: tuple[Any, ...] = ()  # arguments after the data: associated data
    encrypt: str = "encrypt"
    decrypt: str = "decrypt"
    authenticated: bool = True


def raw(
    source: str, mode: str, key: bytes, plaintext: bytes, ciphertext: bytes, *before: bytes
) -> Case:
    """Returns a case for a mode of rijn.AES."""
    return Case(
        source,
        f"AES-{8 * len(key)}-{mode.upper()}",
        lambda backend: block.AES(key, backend=backend),
        plaintext,
        ciphertext,
        before,
        encrypt=f"{mode}_encrypt",
        decrypt=f"{mode}_decrypt",
        authenticated=False,
    )


def sealed(
    source: str,
    algorithm: str,
    name: str,
    key: bytes,
    nonce: bytes,
    plaintext: bytes,
    ciphertext: bytes,
    ad: bytes,
    **options: int,
) -> Case:
    """Returns a case for an AEAD, given the name of its class."""
    return Case(
        source,
        algorithm,
        lambda backend: aead_class(name)(key, backend=backend, **options),
        plaintext,
        ciphertext,
        (nonce,),
        (ad,),
    )


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
# feffe9928665731c6d6a8f9467308308 followed by its first bytes again.
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


# For each further mode: its source, the name of its methods, the iv, and the ciphertext of
# SP 800-38A's plaintext (CFB8: of its first 18 bytes) under its first key.
_FURTHER = (
    (
        "SP 800-38A section F.3.13", "cfb", "000102030405060708090a0b0c0d0e0f",
        ("3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"
        "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"),
    ),
    (
        "SP 800-38A section F.3.7", "cfb8", "000102030405060708090a0b0c0d0e0f",
        "3b79424c9c0dd436bace9e0ed4586a4f32b9",
    ),
    (
        "SP 800-38A section F.4.1", "ofb", "000102030405060708090a0b0c0d0e0f",
        ("3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"
        "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"),
    ),
)  # fmt: skip

# source, algorithm, class, key, nonce, plaintext, associated data, ciphertext and tag
_AEADS = (
    (
        "RFC 8452 appendix C.1", "AES-128-GCM-SIV", "AESGCMSIV",
        "01000000000000000000000000000000", "030000000000000000000000",
        "0100000000000000", "", "b5d839330ac7b786578782fff6013b815b287c22493a364c",
    ),
    (
        "c2sp.org/XAES-256-GCM, test vectors", "XAES-256-GCM", "XAES256GCM", "01" * 32,
        "4142434445464748494a4b4c4d4e4f505152535455565758", "584145532d3235362d47434d", "",
        "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271",
    ),
    (
        "RFC 7253 appendix A", "AES-128-OCB3", "AESOCB3", "000102030405060708090a0b0c0d0e0f",
        "bbaa99887766554433221101", "0001020304050607", "0001020304050607",
        "6820b3657b6f615a5725bda0d3b4eb3a257c9af1f8f03009",
    ),
    (
        "the paper on EAX, appendix G", "AES-128-EAX", "AESEAX",
        "91945d3f4dcbee0bf45ef52255f095a4", "becaf043b0a23d843194ba972c66debd", "f7fb",
        "fa3bfd4806eb53fa", "19dd5c4c9331049d0bdab0277408f67967e5",
    ),
    (
        "RFC 10032, appendix A", "AEGIS-128L", "AEGIS128L", "10010000000000000000000000000000",
        "10000200000000000000000000000000", "00000000000000000000000000000000", "",
        "c1c0e58bd913006feba00f4b3cc3594eabe0ece80c24868a226a35d16bdae37a",
    ),
    (
        "RFC 10032, appendix A", "AEGIS-128X2", "AEGIS128X2",
        "000102030405060708090a0b0c0d0e0f", "101112131415161718191a1b1c1d1e1f", "", "",
        "63117dc57756e402819a82e13eca8379",
    ),
    (
        "RFC 10032, appendix A", "AEGIS-128X4", "AEGIS128X4",
        "000102030405060708090a0b0c0d0e0f", "101112131415161718191a1b1c1d1e1f", "", "",
        "5bef762d0947c00455b97bb3af30dfa3",
    ),
    (
        "RFC 10032, appendix A", "AEGIS-256", "AEGIS256", "1001" + "00" * 30,
        "100002" + "00" * 29, "00000000000000000000000000000000", "",
        "754fc3d8c973246dcc6d741412a4b2363fe91994768b332ed7f570a19ec5896e",
    ),
    (
        "RFC 10032, appendix A", "AEGIS-256X2", "AEGIS256X2",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f", "", "",
        "62cdbab084c83dacdb945bb446f049c8",
    ),
    (
        "RFC 10032, appendix A", "AEGIS-256X4", "AEGIS256X4",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f", "", "",
        "3b7fee6cee7bf17888ad11ed2397beb4",
    ),
)  # fmt: skip


def known_answers() -> Iterator[Case]:
    for section, size, ciphertext in _FIPS_197:
        key = bytes(range(size))
        source = f"FIPS 197 appendix {section}"
        yield raw(source, "ecb", key, _FIPS_197_PLAINTEXT, _hex(ciphertext))
    for mode, iv, answers in _SP_800_38A:
        for key, (section, ciphertext) in zip(_SP_800_38A_KEYS, answers, strict=True):
            source = f"SP 800-38A section {section}"
            before = (iv,) if iv else ()
            yield raw(source, mode.lower(), key, _SP_800_38A_PLAINTEXT, _hex(ciphertext), *before)
    for source, mode, further_iv, ciphertext in _FURTHER:
        answer = _hex(ciphertext)
        plaintext = _SP_800_38A_PLAINTEXT[: len(answer)]
        yield raw(source, mode, _SP_800_38A_KEYS[0], plaintext, answer, _hex(further_iv))
    yield raw(
        "OpenSSL's implementation of IGE, vector 1",
        "ige",
        bytes(range(16)),
        bytes(32),
        _hex("1a8519a6557be652e9da8e43da4ef4453cf456b4ca488aa383c79c98b34797cb"),
        bytes(range(32)),
    )
    for name, size, nonce, ciphertext, tag in _GCM:
        key = (_GCM_KEY * 2)[:size]
        yield sealed(
            f"McGrew and Viega {name}", f"AES-{8 * size}-GCM", "AESGCM", key, _hex(nonce),
            _GCM_PLAINTEXT, _hex(ciphertext + tag), _GCM_AD,
        )  # fmt: skip
    yield sealed(
        "SP 800-38C appendix C.2", "AES-128-CCM", "AESCCM", bytes(range(0x40, 0x50)),
        bytes(range(0x10, 0x18)), bytes(range(0x20, 0x30)),
        _hex("d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"), bytes(range(16)), tag_length=6,
        short_tags=True,
    )  # fmt: skip
    for source, algorithm, name, key_, nonce, plaintext_, ad, ciphertext in _AEADS:
        yield sealed(
            source, algorithm, name, _hex(key_), _hex(nonce), _hex(plaintext_),
            _hex(ciphertext), _hex(ad),
        )  # fmt: skip
    siv_key = _hex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    yield Case(
        "RFC 5297 appendix A.1",
        "AES-128-SIV",
        lambda backend: aead.AESSIV(siv_key, backend=backend),
        _hex("112233445566778899aabbccddee"),
        _hex("85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"),
        after=([bytes(range(0x10, 0x28))],),
    )
    yield Case(
        "IEEE 1619 vector 2",
        "AES-128-XTS",
        lambda backend: block.AESXTS(b"\x11" * 16 + b"\x22" * 16, backend=backend),
        b"\x44" * 32,
        _hex("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"),
        (_hex("33333333330000000000000000000000"),),
        authenticated=False,
    )
    yield Case(
        "RFC 3394 section 4.1",
        "AES-128-KW",
        lambda backend: wrap.KeyWrap(bytes(range(16)), backend=backend),
        _hex("00112233445566778899aabbccddeeff"),
        _hex("1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
        encrypt="wrap",
        decrypt="unwrap",
    )
    yield Case(
        "RFC 5649 section 6",
        "AES-192-KWP",
        lambda backend: wrap.KeyWrap(
            _hex("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8"), backend=backend
        ),
        _hex("c37b7e6492584340bed12207808941155068f738"),
        _hex("138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a"),
        encrypt="wrap_padded",
        decrypt="unwrap_padded",
    )
