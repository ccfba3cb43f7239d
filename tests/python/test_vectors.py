"""Every published vector on every backend. The summary at the end of a run counts them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import vector_files
from rungs import Rung
from vector_files import Vector, VectorFile

import rijn

Passed = Callable[[str, int, int], None]


@pytest.mark.parametrize("file", vector_files.VECTOR_FILES, ids=str)
def test_file_is_complete(file: VectorFile) -> None:
    assert file.read()


def test_no_file_is_left_out() -> None:
    """Each file of the modes that Rijn has is named in `VECTOR_FILES`."""
    named = {file.path for file in vector_files.VECTOR_FILES}
    there = {
        path
        for mode in ("ECB", "CBC", "CTR", "GCM")
        for path in (vector_files.CRYPTOGRAPHY / mode).iterdir()
        if path.suffix in (".rsp", ".txt")
    }
    assert there
    assert there <= named
    wycheproof = vector_files.PYCRYPTODOME / "wycheproof"
    names = {path.name for path in wycheproof.iterdir()}
    assert {name for name in names if "gcm" in name or "cbc" in name} == {"aes_gcm_test.json"}


def test_both_packages_hold_the_same_vectors() -> None:
    """What the second package has besides Monte Carlo and Wycheproof are copies of the
    first one's files, which therefore need not run (or be counted) twice."""
    named = {file.path for file in vector_files.VECTOR_FILES}
    copies = [
        path
        for path in sorted((vector_files.PYCRYPTODOME / "AES").glob("*.rsp"))
        if path.name.startswith(("ECB", "CBC", "CTR", "gcm")) and path not in named
    ]
    assert len(copies) == 17
    for copy in copies:
        mode = copy.name[:3].upper()
        original = vector_files.CRYPTOGRAPHY / mode / copy.name
        assert vector_files.parse(copy) == vector_files.parse(original), copy.name


@pytest.mark.parametrize("file", vector_files.KAT_FILES, ids=str)
def test_ecb_and_cbc(rung: Rung, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    chosen = vector_files.sample(vectors, rung.effort.vectors)
    for vector in chosen:
        aes = rung.AES(vector["KEY"])
        plaintext, ciphertext = vector["PLAINTEXT"], vector["CIPHERTEXT"]
        encrypting = "ENCRYPT" in vector.section
        assert encrypting != ("DECRYPT" in vector.section)
        if "IV" in vector:
            iv = vector["IV"]
            if encrypting:
                assert aes.cbc_encrypt(iv, plaintext) == ciphertext, vector
            else:
                assert aes.cbc_decrypt(iv, ciphertext) == plaintext, vector
        elif encrypting:
            assert aes.ecb_encrypt(plaintext) == ciphertext, vector
        else:
            assert aes.ecb_decrypt(ciphertext) == plaintext, vector
    passed(file.source, len(chosen), len(vectors))


@pytest.mark.parametrize("file", vector_files.CTR_FILES, ids=str)
def test_ctr(rung: Rung, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    for vector in vectors:
        aes = rung.AES(vector["KEY"])
        assert aes.ctr_encrypt(vector["IV"], vector["PLAINTEXT"]) == vector["CIPHERTEXT"], vector
        assert aes.ctr_decrypt(vector["IV"], vector["CIPHERTEXT"]) == vector["PLAINTEXT"], vector
    passed(file.source, len(vectors), len(vectors))


@pytest.mark.parametrize("file", vector_files.GCM_FILES, ids=str)
def test_gcm(rung: Rung, file: VectorFile, passed: Passed) -> None:
    vectors = file.read()
    chosen = vector_files.sample(vectors, rung.effort.vectors)
    refused = 0
    for vector in chosen:
        check_gcm(
            rung.AESGCM(vector["KEY"], tag_length=len(vector["TAG"])),
            vector,
            nonce=vector["IV"],
            associated_data=vector["AAD"],
            plaintext=None if "FAIL" in vector else vector["PT"],
            sealed=vector["CT"] + vector["TAG"],
        )
        refused += "FAIL" in vector
    # About half of what NIST gives to decrypt must be refused, nothing of the rest.
    assert (refused > len(chosen) // 3) == ("Decrypt" in file.name)
    passed(file.source, len(chosen), len(vectors))


def test_gcm_wycheproof(rung: Rung, passed: Passed) -> None:
    file = vector_files.WYCHEPROOF_FILE
    vectors = file.read()
    for vector in vectors:
        aead = rung.AESGCM(vector["key"])
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
    """plaintext None: `sealed` must be refused."""
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


def next_key(key: bytes, last_but_one: bytes, last: bytes) -> bytes:
    """Mixes the last two outputs of a round into the key."""
    return xor(key, (last_but_one + last)[-len(key) :])


def cbc_round(
    crypt: Callable[[bytes, bytes], bytes], iv: bytes, data: bytes, *, encrypting: bool
) -> tuple[bytes, bytes]:
    """One round; returns its last two outputs. Each block's input is the output of the
    block before the last one (the IV stands before the first), and the chaining goes on
    over the calls."""
    before, output = iv, iv
    for _ in range(INNER):
        before, output = output, crypt(iv, data)
        iv = output if encrypting else data
        data = before
    return before, output


@pytest.mark.parametrize("section", ["ENCRYPT", "DECRYPT"])
@pytest.mark.parametrize("file", vector_files.CBC_MONTE_CARLO_FILES, ids=str)
def test_cbc_monte_carlo(rung: Rung, file: VectorFile, section: str, passed: Passed) -> None:
    vectors = [vector for vector in file.read() if section in vector.section]
    assert len(vectors) == OUTER
    chosen = vectors[: rung.effort.rounds]
    encrypting = section == "ENCRYPT"
    given, wanted = ("PLAINTEXT", "CIPHERTEXT") if encrypting else ("CIPHERTEXT", "PLAINTEXT")
    key, iv, data = vectors[0]["KEY"], vectors[0]["IV"], vectors[0][given]
    for vector in chosen:
        assert (key, iv, data) == (vector["KEY"], vector["IV"], vector[given]), vector
        aes = rung.AES(key)
        crypt = aes.cbc_encrypt if encrypting else aes.cbc_decrypt
        before, output = cbc_round(crypt, iv, data, encrypting=encrypting)
        assert output == vector[wanted], vector
        key, iv, data = next_key(key, before, output), output, before
    passed(file.source, len(chosen), len(vectors))


def test_ecb_monte_carlo(rung: Rung, passed: Passed) -> None:
    file = vector_files.ECB_MONTE_CARLO_FILE
    vectors = file.read()
    if rung.effort.rounds < OUTER:
        pytest.skip(
            f"backend {rung.name}: 600,000 blocks in a chain, of which no part is published; "
            "--all-vectors runs them"
        )
    for vector in vectors:
        encrypting = "ENCRYPT" in vector.section
        given, wanted = ("PLAINTEXT", "CIPHERTEXT") if encrypting else ("CIPHERTEXT", "PLAINTEXT")
        key, data = vector["KEY"], vector[given]
        for _ in range(OUTER):
            aes = rung.AES(key)
            crypt = aes.ecb_encrypt if encrypting else aes.ecb_decrypt
            for _ in range(INNER):
                before, data = data, crypt(data)
            key = next_key(key, before, data)
        assert data == vector[wanted], vector
    passed(file.source, len(vectors), len(vectors))
