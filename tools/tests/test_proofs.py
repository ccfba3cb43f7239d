"""The standards of c/proofs (spec.py) give the bytes of their published vectors. The ledger is complete,
its page is current, and its runner reports every surprise."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import page
import pytest
import run
import spec
import vector_files
from family_files import GCM_SIV_FILE, XTS_IEEE_FILE
from spec import CIPHER, ECB, INVCIPHER, Concrete, String, blocks, plain, string
from vector_files import Vector, VectorFile

ROOT = Path(__file__).resolve().parents[2]
BITS = Concrete()
FIELDS = {"ENCRYPT": ("PLAINTEXT", "CIPHERTEXT"), "DECRYPT": ("CIPHERTEXT", "PLAINTEXT")}


@pytest.fixture(scope="module")
def most(pytestconfig: pytest.Config) -> int:
    """The vectors of a file that are tried. The standards take 0.05 s for a block of GCM."""
    return 1000 if pytestconfig.getoption("thorough") else 12


def field(vector: Vector, name: str) -> String:
    return string(vector.get(name))


def ciphers(key: String) -> tuple[spec.Cipher, spec.Cipher]:
    w = spec.KeyExpansion(BITS, key)
    return lambda block: CIPHER(BITS, block, w), lambda block: INVCIPHER(BITS, block, w)


def raw(mode: str, vector: Vector, given: str, decrypt: bool) -> String:
    ciph, inverse = ciphers(field(vector, "KEY"))
    data = field(vector, given)
    if mode == "ECB":
        return ECB(inverse if decrypt else ciph, data)
    iv = field(vector, "IV")
    return spec.CBC_decrypt(inverse, iv, data) if decrypt else spec.CBC_encrypt(ciph, iv, data)


def test_the_s_box_is_the_table_of_fips_197() -> None:
    """Some entries of its table 4, and the property of the definition."""
    assert spec.SBOX[:4] == bytes.fromhex("637c777b") and spec.SBOX[0x53] == 0xED
    assert sorted(spec.SBOX) == list(range(256))
    assert all(spec.INVERSE_SBOX[y] == x for x, y in enumerate(spec.SBOX))


@pytest.mark.parametrize("mode", ["ECB", "CBC"])
def test_known_answers(mode: str, most: int) -> None:
    files = [file for file in vector_files.KAT_FILES if file.source.split()[0] == mode]
    assert len(files) == 15
    for file in files:
        for vector in vector_files.sample(file.read(), most):
            (direction,) = vector.section
            given, wanted = FIELDS[direction]
            found = raw(mode, vector, given, direction == "DECRYPT")
            assert plain(found) == vector[wanted], (str(file), vector)


@pytest.mark.parametrize("file", vector_files.CTR_FILES, ids=str)
def test_ctr(file: VectorFile) -> None:
    for vector in file.read():
        ciph, _ = ciphers(field(vector, "KEY"))
        found = spec.CTR(BITS, ciph, field(vector, "IV"), field(vector, "PLAINTEXT"))
        assert plain(found) == vector["CIPHERTEXT"], vector


def test_the_counter_carries() -> None:
    for s, x in ((128, 2**128 - 1), (32, 2**96 - 1), (32, 2**33 - 3), (128, 2**120 - 2)):
        for by in (0, 1, 2, 5, 2**31):
            wanted = (x >> s << s) + (x + by) % 2**s
            found = spec.inc(BITS, s, string(x.to_bytes(16, "big")), by)
            assert plain(found) == wanted.to_bytes(16, "big")


@pytest.mark.parametrize("file", vector_files.GCM_FILES, ids=str)
def test_gcm(file: VectorFile, most: int) -> None:
    """Each vector, and in the files of decryptions those that must be refused, too."""
    refused = 0
    chosen = vector_files.sample(file.read(), most)
    for vector in chosen:
        ciph, _ = ciphers(field(vector, "KEY"))
        iv, a, c = (field(vector, name) for name in ("IV", "AAD", "CT"))
        tag = plain(spec.GCM_tag(BITS, ciph, iv, a, c))[: len(vector["TAG"])]
        assert (tag == vector["TAG"]) == ("FAIL" not in vector), vector
        refused += "FAIL" in vector
        if "FAIL" not in vector:
            assert plain(spec.GCM_crypt(BITS, ciph, iv, c)) == vector["PT"], vector
            assert plain(spec.GCM_crypt(BITS, ciph, iv, field(vector, "PT"))) == vector["CT"]
    assert (refused > len(chosen) // 6) == ("Decrypt" in file.name)


def test_gcm_siv(most: int) -> None:
    """Both directions. The last two vectors have counters that wrap."""
    vectors = GCM_SIV_FILE.read()
    for vector in [*vector_files.sample(vectors, most), *vectors[-2:]]:
        nonce, ad, message = field(vector, "IV"), field(vector, "AAD"), field(vector, "PLAINTEXT")
        ciph, _ = ciphers(field(vector, "KEY"))
        h, key = spec.derive_keys(ciph, len(vector["KEY"]), nonce)
        ciph, _ = ciphers(key)
        s = spec.POLYVAL(BITS, h, spec.polyval_input(message, ad))
        tag = spec.tag_of(ciph, s, nonce)
        assert plain(tag) == vector["TAG"], vector
        sealed = spec.AES_CTR(BITS, ciph, tag, message)
        assert plain(sealed) == vector["CIPHERTEXT"], vector
        assert spec.AES_CTR(BITS, ciph, tag, sealed) == message


def test_xts(most: int) -> None:
    """Whole blocks: vectors 15 to 18 steal ciphertext. Both directions, and the tweak that follows."""
    vectors = [it for it in XTS_IEEE_FILE.read() if len(it["PT"]) % 16 == 0]
    assert len(vectors) == 15
    for vector in vectors:
        key, plaintext = field(vector, "KEY"), field(vector, "PT")[: 16 * most]
        (ciph, inverse), (tweak, _) = ciphers(key[: len(key) // 2]), ciphers(key[len(key) // 2 :])
        first = tweak(field(vector, "I"))
        found, following = spec.XTS(ciph, first, plaintext)
        assert plain(found) == vector["CT"][: len(plaintext)], vector
        assert spec.XTS(inverse, first, found) == (plaintext, following)


def aegis(kind: str) -> list[Vector]:
    found = [it for it in vector_files.AEGIS_FILE.read() if kind in it.section]
    return [it for it in found if it.section["ALGORITHM"] in ("AEGIS128L", "AEGIS256")]


def test_aegis() -> None:
    vectors = aegis("AEAD")
    assert len(vectors) > 12
    for vector in vectors:
        key, nonce, ad = (field(vector, name) for name in ("KEY", "NONCE", "AD"))
        for tag in (16, 32):
            state = spec.AEGIS(BITS, key, nonce)
            state.Absorb(ad)
            if "FAIL" in vector:
                message = state.crypt(field(vector, "CIPHERTEXT"), decrypt=True)
            else:
                message = field(vector, "PLAINTEXT")
                assert plain(state.crypt(message)) == vector["CIPHERTEXT"], vector
            found = plain(state.Finalize(len(ad), len(message), tag))
            assert (found == vector[f"TAG{8 * tag}"]) == ("FAIL" not in vector), vector


def test_aegis_decrypts() -> None:
    """With a partial block, and with whole ones."""
    for vector in aegis("AEAD"):
        if "FAIL" in vector:
            continue
        state = spec.AEGIS(BITS, field(vector, "KEY"), field(vector, "NONCE"))
        state.Absorb(field(vector, "AD"))
        found = state.crypt(field(vector, "CIPHERTEXT"), decrypt=True)
        assert plain(found) == vector["PLAINTEXT"], vector
        sizes = len(vector["AD"]), len(vector["PLAINTEXT"])
        assert plain(state.Finalize(*sizes, 16)) == vector["TAG128"], vector


def test_aegis_updates() -> None:
    vectors = aegis("UPDATE")
    assert len(vectors) == 2
    for vector in vectors:
        size = 16 if vector.section["ALGORITHM"] == "AEGIS128L" else 32
        state = spec.AEGIS(BITS, string(bytes(size)), string(bytes(size)))
        state.V = blocks(field(vector, "STATE"))
        state.Update(blocks(field(vector, "M")))
        assert plain(spec.joined(state.V)) == vector["AFTER"]


# ---- The ledger -----------------------------------------------------------------------------------

ROWS = run.read_rows()


def test_the_page_is_current() -> None:
    """`python c/proofs/run.py --page` writes it."""
    text = page.PAGE.read_text("utf-8")
    assert len(page.TABLE.findall(text)) == len(page.MAKE)
    assert page.written(text) == text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_rows_are_complete(row: run.Row) -> None:
    """Each row has a planted fault, files that exist, and a measured time."""
    assert row.tool in run.PROVE
    assert re.fullmatch(r"\w+", row.id) and row.claim.endswith(".") and row.bound and row.trust
    assert row.faults
    assert row.seconds > 0
    assert row.files or row.tool == "compare"
    for name in row.files:
        assert (ROOT / name).is_file(), name
    if row.tool == "machine":
        assert (run.HERE / "machine" / f"{row.proof}.py").is_file()
        assert any(isinstance(it, str) for it in row.faults), "no fault is caught by a Difference"
        assert list(row.cases())


PROVED = {"refused": "", "kind": "", "bits": 8, "steps": 1, "codes": ["90"], "seconds": 0.5}
DIFFERS = {"refused": "bit 3 differs", "kind": "Difference"}


@pytest.mark.parametrize(
    ("proof", "fault", "surprises"),
    [
        ({}, DIFFERS, 0),
        ({}, {}, 1),  # the fault is not caught
        ({}, {"refused": "at 0x40: no code", "kind": "Stop"}, 1),  # nothing was compared
        (DIFFERS, DIFFERS, 1),
        ({"bits": 0}, DIFFERS, 1),
    ],
)
def test_the_runner_reports_surprises(
    proof: dict[str, Any],
    fault: dict[str, Any],
    surprises: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(run, "BUILD", tmp_path)
    monkeypatch.setattr(
        run, "machine", lambda row, case, planted: PROVED | (fault if planted else proof)
    )
    row = next(row for row in ROWS if row.tool == "machine")
    row = dataclasses.replace(row, faults=("key",))
    monkeypatch.setattr(run, "read_rows", lambda: [row])
    monkeypatch.setattr("sys.argv", ["run.py", "--sample"])
    assert run.main() == (surprises > 0)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("FAILED ") for line in lines) == surprises
    assert sum(line.startswith(("proved", "caught")) for line in lines) == 2 - surprises


def test_the_comparison_needs_the_codes_of_all_rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "BUILD", tmp_path)
    monkeypatch.setattr(run, "run", lambda *command: (0, "compared\n", "", 1.0))
    (tmp_path / "codes").mkdir()
    names = [row.id for row in ROWS if row.tool == "machine"]
    for name in names[1:]:
        (tmp_path / "codes" / name).write_text("90\n")
    row = next(row for row in ROWS if row.tool == "compare")
    with pytest.raises(run.Surprise, match=names[0]):
        run.prove_compare(row, False)
    (tmp_path / "codes" / names[0]).write_text("90\n")
    assert run.prove_compare(row, False) == (1.0, "compared")


def test_the_library_has_the_options_of_the_ledger_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []

    def called(command: list[str], **_: Any) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(run.subprocess, "run", called)
    monkeypatch.setattr(run, "BUILD", tmp_path)
    for name in run.builds():
        run.library.__wrapped__(name)  # without its cache
    configured = [it for it in commands if "-S" in it]
    assert len(configured) == len(run.builds())
    assert all("-DCMAKE_C_FLAGS=" in it for it in configured)
