"""Every published vector on every backend. The summary at the end of a run counts them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import vector_files
from backends import BackendUnderTest
from family_files import FAMILY_FILES
from vector_files import Vector, VectorFile

import rijn

Passed = Callable[[str, int, int], None]

# The given and the wanted field, by the section of a file.
DIRECTIONS = {"ENCRYPT": ("PLAINTEXT", "CIPHERTEXT"), "DECRYPT": ("CIPHERTEXT", "PLAINTEXT")}

# The methods of rijn.AES, by the mode in a file's source.
METHODS = {
    "ECB": "ecb",
    "CBC": "cbc",
    "CFB8": "cfb8",
    "CFB128": "cfb",
    "OFB": "ofb",
}


def direction_of(vector: Vector) -> str:
    (direction,) = vector.section
    return direction


def method(aes: rijn.AES, file: VectorFile, direction: str) -> Callable[..., bytes]:
    """Returns the method for a file of one mode and direction."""
    found: Callable[..., bytes] = getattr(
        aes, f"{METHODS[file.source.split()[0]]}_{direction.lower()}"
    )
    return found


def test_files_are_complete() -> None:
    for file in vector_files.VECTOR_FILES:
        assert file.read(), file.name


def test_no_file_is_left_out() -> None:
    """`VECTOR_FILES` names each file of these modes, except CFB files with segments of one bit.
    Rijn does not have those."""
    named = {file.path for file in vector_files.VECTOR_FILES}
    there = {
        path
        for mode in ("ECB", "CBC", "CFB", "OFB", "CTR", "GCM")
        for path in (vector_files.CRYPTOGRAPHY / mode).iterdir()
        if path.suffix in (".rsp", ".txt") and not re.match("CFB1[A-Z]", path.name)
    }
    assert there
    assert there <= named
    wycheproof = vector_files.PYCRYPTODOME / "wycheproof"
    names = {path.name for path in wycheproof.iterdir()}
    names -= {file.path.name for file in FAMILY_FILES}
    assert {name for name in names if "gcm" in name or "cbc" in name} == {"aes_gcm_test.json"}


def test_both_packages_hold_the_same_vectors() -> None:
    """Except Monte Carlo and Wycheproof, the second package contains copies of the first one's
    files. So they need not run (or be counted) twice."""
    named = {file.path for file in vector_files.VECTOR_FILES}
    copies = [
        path
        for path in sorted((vector_files.PYCRYPTODOME / "AES").glob("*.rsp"))
        if path.name.startswith(("ECB", "CBC", "CFB", "OFB", "CTR", "gcm")) and path not in named
    ]
    assert len(copies) == 62
    for copy in copies:
        mode = copy.name[:3].upper()
        original = vector_files.CRYPTOGRAPHY / mode / copy.name
        assert vector_files.parse(copy) == vector_files.parse(original), copy.name


@pytest.mark.parametrize("mode", vector_files.FOLDERS, scope="module")
def test_known_answers(tested: BackendUnderTest, mode: str, passed: Passed) -> None:
    files = [file for file in vector_files.KAT_FILES if file.source.split()[0] == mode]
    assert len(files) == 15
    for file in files:
        vectors = file.read()
        chosen = vector_files.sample(vectors, tested.effort.vectors)
        for vector in chosen:
            direction = direction_of(vector)
            given, wanted = DIRECTIONS[direction]
            crypt = method(tested.AES(vector["KEY"]), file, direction)
            iv = [vector["IV"]] if "IV" in vector else []
            assert crypt(*iv, vector[given]) == vector[wanted], (str(file), vector)
        passed(file.source, len(chosen), len(vectors))


@pytest.mark.parametrize("file", vector_files.CTR_FILES, ids=str, scope="module")
def test_ctr(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    for vector in vectors:
        aes = tested.AES(vector["KEY"])
        assert aes.ctr_encrypt(vector["IV"], vector["PLAINTEXT"]) == vector["CIPHERTEXT"], vector
        assert aes.ctr_decrypt(vector["IV"], vector["CIPHERTEXT"]) == vector["PLAINTEXT"], vector
    passed(file.source, len(vectors), len(vectors))


@pytest.mark.parametrize("file", vector_files.GCM_FILES, ids=str, scope="module")
def test_gcm(tested: BackendUnderTest, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    chosen = vector_files.sample(vectors, tested.effort.vectors)
    refused = 0
    for vector in chosen:
        check_gcm(
            tested.AESGCM(vector["KEY"], tag_length=len(vector["TAG"])),
            vector,
            nonce=vector["IV"],
            associated_data=vector["AAD"],
            plaintext=None if "FAIL" in vector else vector["PT"],
            sealed=vector["CT"] + vector["TAG"],
        )
        refused += "FAIL" in vector
    # About half of NIST's decryptions must be refused, and no other vector.
    assert (refused > len(chosen) // 3) == ("Decrypt" in file.name)
    passed(file.source, len(chosen), len(vectors))


def test_gcm_wycheproof(tested: BackendUnderTest, passed: Passed) -> None:
    file = vector_files.WYCHEPROOF_FILE
    vectors = file.read()
    for vector in vectors:
        aead = tested.AESGCM(vector["key"])
        nonce, ad = vector["iv"], vector["aad"]
        if "ZeroLengthIv" in vector.fields["flags"]:
            with pytest.raises(ValueError, match="^nonce must not be empty$"):
                aead.encrypt(nonce, vector["msg"], ad)
            with pytest.raises(ValueError, match="^nonce must not be empty$"):
                aead.decrypt(nonce, vector["ct"] + vector["tag"], ad)
            continue
        check_gcm(
            aead,
            vector,
            nonce=nonce,
            associated_data=ad,
            plaintext=vector["msg"] if vector.fields["result"] == "valid" else None,
            sealed=vector["ct"] + vector["tag"],
        )
    passed(file.source, len(vectors), len(vectors))


def check_gcm(
    aead: rijn.AESGCM,
    vector: Vector,
    *,
    nonce: bytes,
    associated_data: bytes,
    plaintext: bytes | None,
    sealed: bytes,
) -> None:
    """Checks one vector. With plaintext None, `sealed` must be refused."""
    if plaintext is None:
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt(nonce, sealed, associated_data)
    else:
        assert aead.encrypt(nonce, plaintext, associated_data) == sealed, vector
        assert aead.decrypt(nonce, sealed, associated_data) == plaintext, vector


# ---- Monte Carlo (NIST AESAVS section 6.4) --------------------------------------------

INNER = 1000  # blocks a round
OUTER = 100  # rounds


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def mixed(key: bytes, outputs: bytes) -> bytes:
    """Returns the key of the next round: the last outputs are XORed into it."""
    return xor(key, outputs[-len(key) :])


def chain(
    crypt: Callable[[bytes, bytes], bytes],
    feedback: Callable[[bytes, bytes], bytes],
    iv: bytes,
    data: bytes,
) -> bytes:
    """Returns one round: the IV, then all outputs. The inputs are the same bytes in their order:
    the first input after `data` is the beginning of the IV. The chaining continues from call to
    call: `feedback` of an input and its output is shifted into the IV."""
    history = bytearray(iv)
    size = len(data)
    for j in range(INNER):
        output = crypt(iv, data)
        iv = (iv + feedback(data, output))[-16:]
        history += output
        data = bytes(history[j * size : (j + 1) * size])
    return bytes(history)


# The source of the next block's IV, in the modes that do not chain ciphertext.
FEEDBACK = {"OFB": xor}
CIPHERTEXT_FEEDBACK: dict[str, Callable[[bytes, bytes], bytes]] = {
    "ENCRYPT": lambda plaintext, ciphertext: ciphertext,
    "DECRYPT": lambda ciphertext, plaintext: ciphertext,
}


@pytest.mark.parametrize("section", ["ENCRYPT", "DECRYPT"])
@pytest.mark.parametrize("file", vector_files.MONTE_CARLO_FILES, ids=str, scope="module")
def test_monte_carlo(
    tested: BackendUnderTest, file: VectorFile, section: str, passed: Passed
) -> None:
    vectors = [vector for vector in file.read() if section in vector.section]
    assert len(vectors) == OUTER
    chosen = vectors[: tested.effort.rounds]
    if not chosen:
        passed(file.source, 0, len(vectors))
        pytest.skip(f"backend {tested.name}: 1,000 calls at least; --thorough makes them")
    given, wanted = DIRECTIONS[section]
    feedback = FEEDBACK.get(file.source.split()[0], CIPHERTEXT_FEEDBACK[section])
    key, iv, data = vectors[0]["KEY"], vectors[0]["IV"], vectors[0][given]
    size = len(data)
    for vector in chosen:
        assert (key, iv, data) == (vector["KEY"], vector["IV"], vector[given]), vector
        history = chain(method(tested.AES(key), file, section), feedback, iv, data)
        assert history[-size:] == vector[wanted], vector
        key, iv, data = mixed(key, history), history[-16:], history[-16 - size : -16]
    passed(file.source, len(chosen), len(vectors))


def test_ecb_monte_carlo(tested: BackendUnderTest, passed: Passed) -> None:
    file = vector_files.ECB_MONTE_CARLO_FILE
    vectors = file.read()
    if tested.effort.rounds < OUTER:
        passed(file.source, 0, len(vectors))
        pytest.skip(
            f"backend {tested.name}: 600,000 blocks in a chain without published steps; "
            "--all-vectors runs them"
        )
    for vector in vectors:
        direction = direction_of(vector)
        given, wanted = DIRECTIONS[direction]
        key, data = vector["KEY"], vector[given]
        for _ in range(OUTER):
            crypt = method(tested.AES(key), file, direction)
            for _ in range(INNER):
                before, data = data, crypt(data)
            key = mixed(key, before + data)
        assert data == vector[wanted], vector
    passed(file.source, len(vectors), len(vectors))
