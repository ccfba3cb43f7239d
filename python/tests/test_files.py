"""rijn.files: the header, key files, and the committed files that fix the format."""

from __future__ import annotations

import hmac
import io
import json
import os
import re
import unicodedata
from pathlib import Path

import file_model
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rijn import chunked, files
from rijn.chunked import Truncated, WrongKey
from rijn.files import Argon2id, BadHeader, Header, KeyExposed, KeyFileError, NotRijn, Unsupported

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "vectors" / "files"
INDEX = json.loads((VECTORS / "index.json").read_text())["files"]
SALT = bytes(range(16))
KEY_HEADER = b"Rijn file 1\naead AEAD_AES_128_GCM\nkey file\n---\n"
PASS_HEADER = (
    b"Rijn file 1\naead AEAD_AES_256_GCM\n"
    b"key $argon2id$v=19$m=65536,t=3,p=4$AAECAwQFBgcICQoLDA0ODw\n---\n"
)


# ---- Committed files: file_model.py wrote them once, and they never change ----


def plaintext_of(entry: dict[str, object]) -> bytes:
    """Returns the text of index.json, or its number of bytes 0, 1, ... 255, 0, 1, ..."""
    if "text" in entry:
        return str(entry["text"]).encode()
    return bytes(i % 256 for i in range(int(str(entry["count"]))))


@pytest.fixture(params=INDEX, ids=lambda entry: entry["name"])
def vector(request: pytest.FixtureRequest) -> tuple[dict, bytes]:
    return request.param, (VECTORS / request.param["name"]).read_bytes()


def test_the_model_writes_the_committed_file(vector: tuple[dict, bytes]) -> None:
    entry, data = vector
    salt, plaintext = bytes.fromhex(entry["salt"]), plaintext_of(entry)
    if "passphrase" in entry:
        made = file_model.passphrase_file(
            entry["aead"],
            unicodedata.normalize("NFC", entry["passphrase"]),
            bytes.fromhex(entry["argon2_salt"]),
            tuple(entry["argon2_cost"]),
            salt,
            plaintext,
        )
    elif entry["bare"]:
        key = bytes.fromhex(entry["key"])
        made = file_model.message(entry["aead"], key, salt, plaintext, b"")
    else:
        key = bytes.fromhex(entry["key"])
        made = file_model.key_file(entry["aead"], key, salt, plaintext)
    assert data == made


def test_committed_file_is_read_and_written(
    vector: tuple[dict, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, data = vector
    source = io.BytesIO(data)
    context, aead = b"", None
    if not entry["bare"]:
        header = Header.read(source)
        context, aead = header.encode(), header.aead
        assert data.startswith(context) and source.tell() == len(context)
        assert aead == entry["aead"]
    if "passphrase" in entry:
        assert header.passphrase is not None
        size = chunked.named_aead(header.aead).key_size
        key = header.passphrase.derive(entry["passphrase"], size)
    else:
        key = bytes.fromhex(entry["key"])
    assert chunked.decrypt(key, source.read(), aead=aead, context=context) == plaintext_of(entry)
    monkeypatch.setattr(os, "urandom", lambda size: bytes.fromhex(entry["salt"]))
    assert context + chunked.encrypt(key, plaintext_of(entry), context=context) == data


def test_the_worked_example_of_the_manual() -> None:
    """The key, bytes and plaintext of docs/format.md belong together."""
    manual = (ROOT / "docs" / "format.md").read_text()
    example = manual[manual.index("## Worked example") :]
    blocks = dict(re.findall(r"\*\*([\w ]+)\*\*[^\n]*\n\n```\n(.*?)```", example, re.DOTALL))
    value = {name: bytes.fromhex("".join(text.split())) for name, text in blocks.items()}
    assert set(value) == {"Key", "Header", "Salt", "HKDF output", "Chunk 0", "File"}
    assert value["Header"] == KEY_HEADER
    assert value["File"] == (
        value["Header"] + value["Salt"] + value["HKDF output"][-32:] + value["Chunk 0"]
    )
    assert value["File"] == (VECTORS / "text.rijn").read_bytes()
    message = value["File"][len(KEY_HEADER) :]
    assert chunked.decrypt(value["Key"], message, context=KEY_HEADER) == b"attack at dawn\n"
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_128_GCM\0" + value["Salt"] + KEY_HEADER
    assert (
        chunked.message._expand(hmac.new(value["Key"], digestmod="sha512"), info, 60)
        == value["HKDF output"]
    )


# ---- The header ----


def read(data: bytes) -> Header:
    return Header.read(io.BytesIO(data))


def test_headers_have_one_form() -> None:
    assert read(KEY_HEADER + b"rest") == Header("AEAD_AES_128_GCM")
    assert Header("AEAD_AES_128_GCM").encode() == KEY_HEADER
    header = read(PASS_HEADER + b"rest")
    assert header == Header("AEAD_AES_256_GCM", Argon2id(SALT, 65536, 3, 4))
    assert header.encode() == PASS_HEADER
    assert Argon2id(SALT) == Argon2id(SALT, memory=65536, passes=3, lanes=4)


costs = st.builds(
    Argon2id,
    st.binary(min_size=16, max_size=16),
    st.integers(128, 2**18),
    st.integers(1, 16),
    st.integers(1, 16),
)


@given(st.sampled_from(sorted(chunked.AEADS)), st.none() | costs, st.binary(max_size=100))
def test_every_header_reads_back(aead: str, passphrase: Argon2id | None, rest: bytes) -> None:
    header = Header(aead, passphrase)
    data = header.encode()
    assert len(data) < files.MAX_HEADER // 2
    source = io.BytesIO(data + rest)
    assert Header.read(source) == header
    assert source.tell() == len(data)


@given(st.data(), st.sampled_from([KEY_HEADER, PASS_HEADER]))
def test_no_other_bytes_are_read_as_the_same_header(data: st.DataObject, good: bytes) -> None:
    index = data.draw(st.integers(0, len(good) - 1))
    changed = bytearray(good)
    changed[index] = data.draw(st.integers(0, 255).filter(lambda value: value != good[index]))
    try:
        header = read(bytes(changed) + bytes(300))
    except (NotRijn, BadHeader, Unsupported):
        return
    assert header.encode() == bytes(changed)  # another header is another context


@pytest.mark.parametrize("size", range(1, len(KEY_HEADER)))
def test_a_header_cut_short(size: int) -> None:
    with pytest.raises(Truncated) as caught:
        read(KEY_HEADER[:size])
    assert caught.value.offset == size


@pytest.mark.parametrize("data", [b"", b"\0", b"age-encryption.org/v1\n", b"rijn file 1\n", b"RR"])
def test_not_a_rijn_file(data: bytes) -> None:
    with pytest.raises(NotRijn, match="does not begin with 'Rijn file'" if data else "it is empty"):
        read(data)


HEADERS = {
    "version 2": (b"Rijn file 2\nwhatever", Unsupported, "format version 2; this Rijn reads 1"),
    "version 01": (b"Rijn file 01\n", BadHeader, "names no version"),
    "no version": (b"Rijn file \n", BadHeader, "names no version"),
    "crlf": (KEY_HEADER.replace(b"\n", b"\r\n"), BadHeader, "names no version"),
    "aead": (KEY_HEADER.replace(b"AES_128_GCM", b"AEGIS9"), Unsupported, "uses AEAD_AEGIS9"),
    "aead case": (KEY_HEADER.replace(b"AEAD_", b"aead_"), BadHeader, "a line 'aead'"),
    "spaces": (KEY_HEADER.replace(b"aead ", b"aead  "), BadHeader, "a line 'aead'"),
    "order": (b"Rijn file 1\nkey file\naead AEAD_AES_128_GCM\n---\n", BadHeader, "a line 'aead'"),
    "a line more": (KEY_HEADER.replace(b"---", b"x\n---"), BadHeader, "a line 'aead'"),
    "a line less": (b"Rijn file 1\naead AEAD_AES_128_GCM\n---\n", BadHeader, "a line 'aead'"),
    "key": (KEY_HEADER.replace(b"key file", b"key fire"), BadHeader, "neither 'file' nor"),
    "no end": (b"Rijn file 1\n" + b"x" * 1000, BadHeader, "within 256 bytes"),
    "endless lines": (b"Rijn file 1\n" + b"x\n" * 1000, BadHeader, "within 256 bytes"),
    "leading zero": (PASS_HEADER.replace(b"t=3", b"t=03"), BadHeader, "one accepted form"),
    "salt's spare bits": (PASS_HEADER.replace(b"ODw", b"ODx"), BadHeader, "one accepted form"),
    "salt size": (PASS_HEADER.replace(b"ODw", b"OD"), BadHeader, "neither 'file' nor"),
    "argon2i": (PASS_HEADER.replace(b"argon2id", b"argon2i"), BadHeader, "neither 'file' nor"),
    "argon2 v=16": (PASS_HEADER.replace(b"v=19", b"v=16"), BadHeader, "neither 'file' nor"),
    "hash": (PASS_HEADER.replace(b"ODw", b"ODw$AAAA"), BadHeader, "neither 'file' nor"),
    "no passes": (PASS_HEADER.replace(b"t=3", b"t=0"), BadHeader, "one accepted form"),
    "no lanes": (PASS_HEADER.replace(b"p=4", b"p=0"), BadHeader, "one accepted form"),
    "little memory": (PASS_HEADER.replace(b"m=65536", b"m=31"), BadHeader, "m >= 8p"),
    "much memory": (PASS_HEADER.replace(b"m=65536", b"m=1048577"), Unsupported, "costs more"),
    "many passes": (PASS_HEADER.replace(b"t=3", b"t=17"), Unsupported, "costs more"),
    "many lanes": (PASS_HEADER.replace(b"p=4", b"p=17"), Unsupported, "costs more"),
    "much work": (
        PASS_HEADER.replace(b"m=65536,t=3", b"m=1048576,t=5"),
        Unsupported,
        "costs more",
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_bad_headers(name: str) -> None:
    data, error, text = HEADERS[name]
    with pytest.raises(error, match=re.escape(text)):
        read(data + bytes(300))


@given(st.binary(max_size=400))
def test_arbitrary_bytes(data: bytes) -> None:
    for start in (b"", b"Rijn file ", b"Rijn file 1\n", KEY_HEADER[:-4], PASS_HEADER[:40]):
        try:
            found = read(start + data).encode()
        except (NotRijn, BadHeader, Unsupported, Truncated):
            continue
        assert (start + data).startswith(found)


def test_the_header_is_bound_to_the_message() -> None:
    key = bytes(16)
    message = chunked.encrypt(key, b"data", context=KEY_HEADER)
    other = Header("AEAD_AES_128_GCM", Argon2id(SALT)).encode()
    with pytest.raises(WrongKey):
        chunked.decrypt(key, message, context=other)


# ---- Passphrases ----


def test_a_passphrase_is_the_same_in_either_normal_form() -> None:
    parameters = Argon2id(SALT, 8, 1, 1)
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert parameters.derive(composed, 16) == parameters.derive(decomposed, 16)
    assert parameters.derive(composed, 16) != parameters.derive("cafe", 16)


def test_new_salts_differ() -> None:
    assert Argon2id.new().salt != Argon2id.new().salt


def test_too_little_memory_is_a_memory_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from argon2 import exceptions, low_level

    def fail(*args: object, **kwargs: object) -> bytes:
        raise exceptions.HashingError("Memory allocation error")

    monkeypatch.setattr(low_level, "hash_secret_raw", fail)
    with pytest.raises(MemoryError, match="allocation"):
        Argon2id(SALT, 8, 1, 1).derive("x", 16)


# ---- Key files ----


def test_key_text() -> None:
    for size in (16, 32):
        key = bytes(range(size))
        assert files.parse_key(files.format_key(key)) == key
    text = "\r\n  # a comment\r\n\trijn-key-v1 000102030405060708090A0B0C0D0E0F \r\n\r\n"
    assert files.parse_key(text) == bytes(range(16))


KEY_TEXTS = {
    "": "it is empty",
    " \r\n": "it is empty",
    "# only a comment\n": "no line 'rijn-key-v1 '",
    "one\ntwo\n": "no line 'rijn-key-v1 '",
    files.format_key(bytes(16)) + "more\n": "a line that is neither the key's nor a comment",
    files.format_key(bytes(16)) * 2: "2 keys",
    "rijn-key-v2 " + "00" * 16: "no line 'rijn-key-v1 '",
    "00" * 16: "no line 'rijn-key-v1 '",
    "rijn-key-v1 " + "0g" * 16: "no line 'rijn-key-v1 '",
    "rijn-key-v1 " + "00" * 24: "48 hexadecimal digits, not 32 or 64",
    "rijn-key-v1 " + "0" * 31: "31 hexadecimal digits",
}


KEY_LINE = "rijn-key-v1 " + "00" * 16


@pytest.mark.parametrize("mark", list("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
def test_nothing_else_ends_a_line_of_a_key_file(mark: str) -> None:
    """They are not white space either, although str.splitlines or str.strip treat them so."""
    for text in (f"# comment{mark}{KEY_LINE}", f"{KEY_LINE}{mark}", f"{mark}{KEY_LINE}"):
        with pytest.raises(KeyFileError):
            files.parse_key(text)


@pytest.mark.parametrize("text", KEY_TEXTS, ids=list(KEY_TEXTS.values()))
def test_bad_key_texts(text: str) -> None:
    with pytest.raises(KeyFileError, match=KEY_TEXTS[text]):
        files.parse_key(text)


def test_key_files(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(files.format_key(bytes(16)))
    path.chmod(0o600)
    assert files.read_key(path) == bytes(16)
    path.chmod(0o400)
    assert files.read_key(str(path)) == bytes(16)
    path.chmod(0o600)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(KeyFileError, match="not UTF-8"):
        files.read_key(path)
    path.write_text("#" * 5000)
    with pytest.raises(KeyFileError, match="longer than"):
        files.read_key(path)
    with pytest.raises(FileNotFoundError):
        files.read_key(tmp_path / "none")


def test_raw_and_hexadecimal_keys_are_recognized(tmp_path: Path) -> None:
    """Even if others may read the files."""
    path = tmp_path / "key"
    for size in (16, 32):
        for data, error in (
            (bytes(size), files.RawKey),
            (b"\xff" * size, files.RawKey),
            (b"0f" * size, files.HexKey),
            (b"0F" * size + b"\r\n", files.HexKey),
            (b"words of text.\n\n" * (size // 16), KeyFileError),
            (bytes(size + 1), KeyFileError),
            (b"0f" * size + b"0", KeyFileError),
            (b"\xff" * (size - 1), KeyFileError),
        ):
            for mode in (0o600, 0o644):
                path.write_bytes(data)
                path.chmod(mode)
                with pytest.raises(KeyFileError) as caught:
                    files.read_key(path)
                assert caught.type is error, data


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX affair")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o777])
def test_key_files_that_others_have_access_to(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    path.write_text(files.format_key(bytes(16)))
    path.chmod(mode)
    with pytest.raises(KeyExposed, match=f"mode is {mode:04o}"):
        files.read_key(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_key_from_a_pipe() -> None:
    reading, writing = os.pipe()
    os.write(writing, files.format_key(bytes(32)).encode())
    os.close(writing)
    assert files.read_key(f"/dev/fd/{reading}") == bytes(32)
    os.close(reading)
