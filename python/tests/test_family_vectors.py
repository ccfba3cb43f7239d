"""Every published vector of the modes beyond the raw ones and GCM, on every backend that
has them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import shake_128

import family_files
import pytest
from backends import NATIVE, BackendUnderTest
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers.aead import AESCCM as PeerCCM
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PeerGCM
from cryptography.hazmat.primitives.cmac import CMAC as PeerCMAC
from cryptography.hazmat.primitives.hashes import SHAKE128, XOFHash
from vector_files import CRYPTOGRAPHY, HERE, PYCRYPTODOME, VECTOR_FILES, Vector, VectorFile, sample

import rijn

Passed = Callable[[str, int, int], None]

# The longest vector for a slow backend: bytes of data and associated data.
SLOW_BYTES = 2048


def chosen_of(tested: BackendUnderTest, vectors: list[Vector], cost: int = 1) -> list[Vector]:
    """Returns all vectors, or for a slow backend a sample without the long ones. A vector
    costs as much as `cost` ordinary ones."""
    if tested.full:
        return vectors
    short = [
        vector
        for vector in vectors
        if sum(len(value) for value in vector.fields.values()) <= 2 * SLOW_BYTES
    ]
    return sample(short, tested.effort.vectors // cost)


def test_files_are_complete() -> None:
    for file in family_files.FAMILY_FILES:
        assert file.read(), file.name


def test_no_file_is_left_out() -> None:
    """`FAMILY_FILES` names every file that the packages have for these modes, or `LEFT_OUT`
    gives a reason. Every reason has a file."""
    package = family_files.PACKAGE
    folders = [CRYPTOGRAPHY / mode for mode in ("CCM", "GCM-SIV", "OCB3", "SIV", "XTS")]
    folders += [package / "CMAC", package / "keywrap"]
    there = {path for folder in folders for path in folder.rglob("*.*") if path.is_file()}
    there |= set(family_files.WYCHEPROOF.glob("*aes*.json"))
    there |= set((PYCRYPTODOME.parent / "Hash" / "wycheproof").glob("*aes*.json"))
    there |= set((PYCRYPTODOME / "AES").glob("test-vector-2*"))
    named = {file.path for file in family_files.FAMILY_FILES if file.root != HERE}
    assert named <= there
    others = {file.path for file in VECTOR_FILES}
    unnamed = {path.as_posix() for path in there - named - others}
    for pattern in family_files.LEFT_OUT:
        found = {path for path in unnamed if re.search(f"/(?:{pattern})$", path)}
        assert found, pattern
        unnamed -= found
    assert not unnamed


def test_ocb3_copies_are_identical() -> None:
    """The second package's OCB3 vectors with whole tags are copies of the first one's."""
    for bits in (104, 112, 120):
        name = f"test-vector-1-nonce{bits}.txt"
        copy = VectorFile("", PYCRYPTODOME, f"AES/{name}", 16, marker="C").read()
        original = VectorFile("", CRYPTOGRAPHY, f"OCB3/{name}", 16).read()
        for ours, theirs in zip(copy, original, strict=True):
            assert [ours[name] for name in "KNAPC"] == [
                theirs[name] for name in ("KEY", "NONCE", "AAD", "PLAINTEXT", "CIPHERTEXT")
            ]


def check(
    vector: Vector,
    encrypt: Callable[[bytes], bytes],
    decrypt: Callable[[bytes], bytes],
    plaintext: bytes | None,
    sealed: bytes,
) -> None:
    """Checks one vector. With plaintext None, `sealed` must be refused."""
    if plaintext is None:
        with pytest.raises(rijn.InvalidTag):
            decrypt(sealed)
    else:
        assert encrypt(plaintext) == sealed, vector
        assert decrypt(sealed) == plaintext, vector


def check_aead(
    vector: Vector,
    aead: rijn.aead.AEAD,
    nonce: bytes,
    associated_data: bytes,
    plaintext: bytes | None,
    sealed: bytes,
) -> None:
    check(
        vector,
        lambda data: aead.encrypt(nonce, data, associated_data),
        lambda data: aead.decrypt(nonce, data, associated_data),
        plaintext,
        sealed,
    )


def check_wycheproof(vector: Vector, aead: rijn.aead.AEAD) -> None:
    valid = vector.fields["result"] == "valid"
    sealed = vector["ct"] + vector["tag"]
    plaintext = vector["msg"] if valid else None
    check_aead(vector, aead, vector["iv"], vector["aad"], plaintext, sealed)


# ---- XTS ------------------------------------------------------------------------------


@pytest.mark.parametrize("file", family_files.XTS_FILES, ids=lambda file: file.name)
def test_xts(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = [vector for vector in file.read() if int(vector.fields["DATAUNITLEN"]) % 8 == 0]
    assert len(vectors) == family_files.XTS_IN_BYTES[4 * len(vectors[0]["KEY"])]
    chosen = chosen_of(tested, vectors, cost=4)
    for vector in chosen:
        xts = tested.AESXTS(vector["KEY"])
        number = vector.fields.get("DATAUNITSEQNUMBER")
        tweak = vector["I"] if number is None else int(number).to_bytes(16, "little")
        if "ENCRYPT" in vector.section:
            assert xts.encrypt(tweak, vector["PT"]) == vector["CT"], vector
        else:
            assert xts.decrypt(tweak, vector["CT"]) == vector["PT"], vector
    passed(file.source, len(chosen), len(vectors))


def test_xts_ieee_1619(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.XTS_IEEE_FILE
    equal, *vectors = file.read()
    with pytest.raises(ValueError, match="halves"):
        tested.AESXTS(equal["KEY"])
    for vector in vectors:
        xts = tested.AESXTS(vector["KEY"])
        assert xts.encrypt(vector["I"], vector["PT"]) == vector["CT"], vector
        assert xts.decrypt(vector["I"], vector["CT"]) == vector["PT"], vector
    passed(file.source, 1 + len(vectors), file.count)


def test_xts_copies_are_identical() -> None:
    """The second package's XTS vectors are copies, too."""
    for file in family_files.XTS_FILES:
        stem, tweak = file.path.stem, file.path.parent.name
        name = stem + ("_seqno" if tweak == "tweak-dataunitseqno" else "")
        copy = VectorFile("", PYCRYPTODOME, f"AES/{name}.rsp", file.count)
        assert copy.read() == file.read()


def test_xts_wycheproof(tested: BackendUnderTest, passed: Passed) -> None:
    """A tweak shorter than a block is padded with zeros. Neither IEEE 1619 nor SP 800-38E has keys
    of AES-192."""
    file = family_files.XTS_WYCHEPROOF_FILE
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=4)
    for vector in chosen:
        if len(vector["key"]) == 48:
            with pytest.raises(ValueError, match="^key must be"):
                tested.AESXTS(vector["key"])
            continue
        xts, tweak = tested.AESXTS(vector["key"]), vector["iv"].ljust(16, b"\0")
        assert xts.encrypt(tweak, vector["msg"]) == vector["ct"], vector
        assert xts.decrypt(tweak, vector["ct"]) == vector["msg"], vector
    passed(file.source, len(chosen), len(vectors))


# ---- IGE ------------------------------------------------------------------------------


def test_ige(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.IGE_FILE
    vectors = file.read()
    for vector in vectors:
        aes = tested.AES(vector["KEY"])
        plaintext, ciphertext = vector["PLAINTEXT"], vector["CIPHERTEXT"]
        assert aes.ige_encrypt(vector["IV"], plaintext) == ciphertext, vector
        assert aes.ige_decrypt(vector["IV"], ciphertext) == plaintext, vector
    passed(file.source, len(vectors), len(vectors))


# ---- CMAC -----------------------------------------------------------------------------


def cmac(tested: BackendUnderTest, key: bytes, message: bytes) -> rijn.CMAC:
    mac = tested.CMAC(key)
    mac.update(message)
    return mac


@pytest.mark.parametrize("file", family_files.CMAC_FILES, ids=str, scope="module")
def test_cmac(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    for vector in vectors:
        mac = cmac(tested, vector["KEY"], vector["MESSAGE"])
        mac.copy().verify(vector["OUTPUT"])
        assert mac.finalize() == vector["OUTPUT"], vector
    passed(file.source, len(vectors), len(vectors))


def test_cmac_wycheproof(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.CMAC_WYCHEPROOF_FILE
    vectors = file.read()
    for vector in vectors:
        if vector.fields["flags"] == "InvalidKeySize":
            with pytest.raises(ValueError, match="^key must be"):
                tested.CMAC(vector["key"])
            continue
        mac = cmac(tested, vector["key"], vector["msg"])
        if vector.fields["result"] == "valid":
            mac.copy().verify(vector["tag"])
            assert mac.finalize() == vector["tag"], vector
        else:
            with pytest.raises(rijn.InvalidTag):
                mac.verify(vector["tag"])
    passed(file.source, len(vectors), len(vectors))


# ---- Key wrapping ---------------------------------------------------------------------


def key_wrap(
    tested: BackendUnderTest, file: VectorFile, key: bytes
) -> tuple[Callable[[bytes], bytes], ...]:
    """Returns wrap and unwrap, of the kind that the name of the file's source begins with."""
    functions = (
        (rijn.aes_key_wrap_with_padding, rijn.aes_key_unwrap_with_padding)
        if file.source.startswith("KWP")
        else (rijn.aes_key_wrap, rijn.aes_key_unwrap)
    )
    return tuple(partial(tested.make, function, key) for function in functions)


@pytest.mark.parametrize(
    "file", [*family_files.KW_FILES, family_files.KW_RFC_FILE], ids=str, scope="module"
)
def test_key_wrap(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=16)
    refused = 0
    for vector in chosen:
        plaintext = None if "FAIL" in vector else vector["P"]
        check(vector, *key_wrap(tested, file, vector["K"]), plaintext, vector["C"])
        refused += plaintext is None
    assert bool(refused) == ("_AD_" in file.name)
    passed(file.source, len(chosen), len(vectors))


def test_key_wrap_with_padding(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.KWP_FILE
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=32)
    for vector in chosen:
        wrap, unwrap = key_wrap(tested, file, vector["KEY"])
        check(vector, wrap, unwrap, vector["INPUT"], vector["OUTPUT"])
    passed(file.source, len(chosen), len(vectors))


@pytest.mark.parametrize("file", family_files.KW_WYCHEPROOF_FILES, ids=str, scope="module")
def test_key_wrap_wycheproof(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    """Wrapped keys of 8 bytes are refused, as SP 800-38F says. Wycheproof calls them acceptable as
    one reading of RFC 3394."""
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=16)
    for vector in chosen:
        wrap, unwrap = key_wrap(tested, file, vector["key"])
        plaintext = vector["msg"] if vector.fields["result"] == "valid" else None
        check(vector, wrap, unwrap, plaintext, vector["ct"])
        if vector.fields["flags"] in ("EmptyKey", "ShortKey", "WrongDataSize"):
            with pytest.raises(ValueError, match="^key_to_wrap must be"):
                wrap(vector["msg"])
    passed(file.source, len(chosen), len(vectors))


# ---- CCM ------------------------------------------------------------------------------


@pytest.mark.parametrize("file", family_files.CCM_FILES, ids=str, scope="module")
def test_ccm(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    """The lengths in bytes stand above the vectors. If one is 0, its field contains 00."""
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=8)
    refused = 0
    for vector in chosen:
        above = {name.upper(): value for name, value in vector.section.items()}
        alen, plen, tlen = (
            int({**above, **vector.fields}[name]) for name in ("ALEN", "PLEN", "TLEN")
        )
        failing = vector.fields.get("RESULT") == "Fail"
        assert len(vector["CT"]) == plen + tlen
        check_aead(
            vector,
            tested.AESCCM(vector["KEY"], tag_length=tlen),
            vector["NONCE"],
            vector["ADATA"][:alen],
            None if failing else vector["PAYLOAD"][:plen],
            vector["CT"],
        )
        refused += failing
    assert bool(refused) == ("DVPT" in file.name)
    passed(file.source, len(chosen), len(vectors))


@pytest.mark.parametrize("file", family_files.CCM_EXAMPLE_FILES, ids=str, scope="module")
def test_ccm_examples(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    chosen = [vector for vector in vectors if tested.full or "REPEAT" not in vector]
    for vector in chosen:
        check_aead(
            vector,
            tested.AESCCM(vector["KEY"], tag_length=len(vector["CT"]) - len(vector["PAYLOAD"])),
            vector["NONCE"],
            vector["ADATA"] * int(vector.fields.get("REPEAT", 1)),
            vector["PAYLOAD"],
            vector["CT"],
        )
    passed(file.source, len(chosen), len(vectors))


def test_ccm_wycheproof(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.CCM_WYCHEPROOF_FILE
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=4)
    for vector in chosen:
        tag_length = int(vector.section["tagSize"]) // 8
        flags = vector.fields["flags"]
        if "TagSize" in flags:
            with pytest.raises(ValueError, match="^tag_length must be"):
                tested.AESCCM(vector["key"], tag_length=tag_length)
            continue
        aead = tested.AESCCM(vector["key"], tag_length=tag_length)
        if "InvalidNonceSize" in flags:
            with pytest.raises(ValueError, match="^nonce must be"):
                aead.encrypt(vector["iv"], vector["msg"], vector["aad"])
            with pytest.raises(ValueError, match="^nonce must be"):
                aead.decrypt(vector["iv"], vector["ct"] + vector["tag"], vector["aad"])
        else:
            check_wycheproof(vector, aead)
    passed(file.source, len(chosen), len(vectors))


@pytest.mark.parametrize("size", [2**16 - 2**8 - 1, 2**16 - 2**8])
def test_ccm_lengths_of_associated_data(tested: BackendUnderTest, size: int) -> None:
    """SP 800-38C appendix A.2.2: on both sides of the boundary between two codes of a length,
    for which no vector is published."""
    key, nonce, ad = bytes(16), bytes(13), bytes(size)
    assert tested.AESCCM(key).encrypt(nonce, b"data", ad) == PeerCCM(key).encrypt(
        nonce, b"data", ad
    )


# ---- EAX, GCM-SIV, SIV ----------------------------------------------------------------


def test_eax_wycheproof(tested: BackendUnderTest, passed: Passed) -> None:
    """Includes the ten vectors of the paper."""
    file = family_files.EAX_WYCHEPROOF_FILE
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=4)
    for vector in chosen:
        aead = tested.make(rijn.AESEAX, vector["key"], short_nonces=True)
        if vector["iv"]:
            check_wycheproof(vector, aead)
        else:  # the C library takes it, Python does not
            with pytest.raises(ValueError, match="nonce must not be empty"):
                aead.decrypt(b"", vector["ct"] + vector["tag"], vector["aad"])
    passed(file.source, len(chosen), len(vectors))


def test_gcm_siv(tested: BackendUnderTest, passed: Passed) -> None:
    """The last two vectors, of RFC 8452 section C.3, have wrapping counters."""
    file = family_files.GCM_SIV_FILE
    vectors = file.read()
    for vector in vectors:
        check_aead(
            vector,
            tested.AESGCMSIV(vector["KEY"]),
            vector["IV"],
            vector.get("AAD"),
            vector["PLAINTEXT"],
            vector["CIPHERTEXT"] + vector["TAG"],
        )
    passed(file.source, len(vectors), len(vectors))


def test_gcm_siv_wycheproof(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.GCM_SIV_WYCHEPROOF_FILE
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=4)
    for vector in chosen:
        check_wycheproof(vector, tested.AESGCMSIV(vector["key"]))
    passed(file.source, len(chosen), len(vectors))


def check_siv(
    tested: BackendUnderTest,
    vector: Vector,
    key: bytes,
    strings: list[bytes],
    plaintext: bytes | None,
    sealed: bytes,
) -> None:
    siv = tested.AESSIV(key)
    check(
        vector,
        lambda data: siv.encrypt(data, strings),
        lambda data: siv.decrypt(data, strings),
        plaintext,
        sealed,
    )


def test_siv(tested: BackendUnderTest, passed: Passed) -> None:
    """The first two come from RFC 5297 appendix A: one associated string, and three."""
    file = family_files.SIV_FILE
    vectors = file.read()
    for vector in vectors:
        strings = [vector[name] for name in ("AAD", "AAD2", "AAD3") if name in vector]
        sealed = vector["TAG"] + vector["CIPHERTEXT"]
        check_siv(tested, vector, vector["KEY"], strings, vector["PLAINTEXT"], sealed)
    passed(file.source, len(vectors), len(vectors))


@pytest.mark.parametrize("file", family_files.SIV_WYCHEPROOF_FILES, ids=str, scope="module")
def test_siv_wycheproof(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    """In the file with nonces, the nonce is the last of two strings."""
    vectors = file.read()
    chosen = chosen_of(tested, vectors, cost=4)
    for vector in chosen:
        strings = [vector[name] for name in ("aad", "iv") if name in vector]
        sealed = vector["tag"] + vector["ct"] if "tag" in vector else vector["ct"]
        plaintext = vector["msg"] if vector.fields["result"] == "valid" else None
        check_siv(tested, vector, vector["key"], strings, plaintext, sealed)
    passed(file.source, len(chosen), len(vectors))


# ---- OCB3 -----------------------------------------------------------------------------


@pytest.mark.parametrize("file", family_files.OCB3_FILES, ids=str, scope="module")
def test_ocb3(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    for vector in vectors:
        check_aead(
            vector,
            tested.AESOCB3(vector["KEY"]),
            vector["NONCE"],
            vector["AAD"],
            vector["PLAINTEXT"],
            vector["CIPHERTEXT"],
        )
    passed(file.source, len(vectors), len(vectors))


@pytest.mark.parametrize("file", family_files.OCB3_SHORT_FILES, ids=str, scope="module")
def test_ocb3_with_short_tags(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    (vector,) = file.read()
    key, nonce, ad, plaintext, ciphertext = (vector[name] for name in "KNAPC")
    check_aead(vector, tested.AESOCB3(key, tag_length=12), nonce, ad, plaintext, ciphertext)
    passed(file.source, 1, 1)


def test_ocb3_program(tested: BackendUnderTest, passed: Passed) -> None:
    """RFC 7253 appendix A: data and associated data of 0 to 127 bytes, all encrypted with
    counted nonces, and a tag over everything."""
    file = family_files.OCB3_PROGRAM_FILE
    vectors = file.read()
    chosen = vectors if tested.full else vectors[:1]
    for vector in chosen:
        taglen = int(vector.fields["TAGLEN"])
        key = bytes(int(vector.fields["KEYLEN"]) // 8 - 1) + bytes([taglen])
        aead = tested.AESOCB3(key, tag_length=taglen // 8)
        ciphertexts = b""
        number = 1
        for size in range(128):
            S = bytes(size)
            for data, ad in ((S, S), (S, b""), (b"", S)):
                ciphertexts += aead.encrypt(number.to_bytes(12, "big"), data, ad)
                number += 1
        assert aead.encrypt(number.to_bytes(12, "big"), b"", ciphertexts) == vector["OUTPUT"]
    passed(file.source, len(chosen), len(vectors))


# ---- XAES-256-GCM ---------------------------------------------------------------------


def test_xaes_256_gcm(tested: BackendUnderTest, passed: Passed) -> None:
    file = family_files.XAES_FILE
    vectors = [vector for vector in file.read() if "ACCUMULATED" not in vector.section]
    for vector in vectors:
        check_aead(
            vector,
            tested.XAES256GCM(vector["KEY"]),
            vector["NONCE"],
            vector["AAD"],
            vector["PLAINTEXT"],
            vector["CIPHERTEXT"],
        )
    passed(file.source, len(vectors), len(vectors))


class Drawn:
    """The source of the messages: SHAKE128 of the empty string."""

    def __init__(self) -> None:
        self.stream = XOFHash(SHAKE128(digest_size=sys.maxsize))

    def fixed(self, size: int) -> bytes:
        return self.stream.squeeze(size) if size else b""

    def variable(self) -> bytes:
        return self.fixed(self.fixed(1)[0])

    def messages(self, count: int) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
        """Yields key, nonce, plaintext and associated data of each message."""
        for _ in range(count):
            yield self.fixed(32), self.fixed(24), self.variable(), self.variable()


def peer_xaes(key: bytes, nonce: bytes, plaintext: bytes, ad: bytes) -> bytes:
    """Composes XAES-256-GCM from `cryptography`'s parts, as the specification says."""
    halves = []
    for i in (1, 2):
        mac = PeerCMAC(algorithms.AES(key))
        mac.update(bytes([0, i]) + b"X\0" + nonce[:12])
        halves.append(mac.finalize())
    return PeerGCM(b"".join(halves)).encrypt(nonce[12:], plaintext, ad)


def published_hash(iterations: int) -> bytes:
    (vector,) = [
        vector
        for vector in family_files.XAES_FILE.read()
        if vector.fields.get("ITERATIONS") == str(iterations)
    ]
    return vector["HASH"]


@cache
def accumulated(iterations: int) -> list[tuple[bytes, bytes, bytes, bytes, bytes]]:
    """Returns each message and its ciphertext. A peer computes them, and the hash over all
    ciphertexts is the published one."""
    sealed = shake_128()
    messages = []
    for message in Drawn().messages(iterations):
        messages.append((*message, peer_xaes(*message)))
        sealed.update(messages[-1][-1])
    assert sealed.digest(32) == published_hash(iterations)
    return messages


def test_xaes_accumulated(tested: BackendUnderTest, passed: Passed) -> None:
    """c2sp.org/XAES-256-GCM, "Accumulated randomized tests", 10,000 messages: all, or a
    sample on a slow backend."""
    messages = accumulated(10_000)
    step = 1 if tested.full else 10_000 // 100
    chosen = messages[::step]
    for key, nonce, plaintext, ad, sealed in chosen:
        aead = tested.XAES256GCM(key)
        assert aead.encrypt(nonce, plaintext, ad) == sealed
        assert aead.decrypt(nonce, sealed, ad) == plaintext
    passed(f"{family_files.XAES_FILE.source} accumulated", len(chosen), len(messages))


@pytest.mark.backends(*NATIVE)
def test_xaes_accumulated_at_length(tested: BackendUnderTest, passed: Passed) -> None:
    """The same with a million messages. The published hash alone checks them, without the peer."""
    tested.XAES256GCM(bytes(32))
    if not tested.effort.million:
        pytest.skip(f"backend {tested.name}: a million keys; --all-vectors runs them")
    hashed = shake_128()
    for key, nonce, plaintext, ad in Drawn().messages(10**6):
        hashed.update(tested.XAES256GCM(key).encrypt(nonce, plaintext, ad))
    assert hashed.digest(32) == published_hash(10**6)
    passed(f"{family_files.XAES_FILE.source} accumulated", 10**6, 10**6)
