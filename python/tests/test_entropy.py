"""Random nonces, salts, bases and keys use every byte of the system's generator, and no other
source. The tests replace the generator by fixed bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import public
import pytest
from backends import BackendUnderTest, noise

import rijn
from rijn import chunked, cli, columns, files
from rijn.columns import column, formats

LONGEST = 4096


class Source:
    """Replaces os.urandom. It returns the same bytes each time; a test alters one of them."""

    def __init__(self) -> None:
        self.bytes = bytearray(noise(LONGEST, 90))
        self.asked: list[int] = []

    def __call__(self, size: int) -> bytes:
        start = sum(self.asked)
        self.asked.append(size)
        assert start + size <= LONGEST
        return bytes(self.bytes[start : start + size])


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Source:
    found = Source()
    monkeypatch.setattr(os, "urandom", found)
    monkeypatch.setattr(column, "urandom", found)
    return found


def check_every_byte(source: Source, draw: Callable[[], Any], size: int, after: int = 0) -> None:
    """Checks that `draw` takes `size` bytes and that each of them changes its result. `after` more
    bytes, for names of temporary files, do not."""

    def drawn() -> Any:
        source.asked.clear()
        return draw()

    first = drawn()
    assert sum(source.asked) == size + after
    assert drawn() == first
    for place in range(size):
        source.bytes[place] ^= 1
        assert drawn() != first, place
        source.bytes[place] ^= 1


@pytest.mark.sample("aesni", "fixslice64", "python")
def test_nonces_salts_and_bases(tested: BackendUnderTest, source: Source) -> None:
    for cls in (rijn.AESGCM, rijn.AESGCMSIV, rijn.XAES256GCM, rijn.AEGIS128L, rijn.AEGIS256):
        aead = tested.make(cls, public.key_of(cls))
        box = rijn.Sealer(aead)
        check_every_byte(source, lambda box=box: box.seal(b""), cls.drawn_nonce_size)
        sealed = box.seal(b"")
        start = sum(source.asked) - cls.drawn_nonce_size
        assert sealed[: cls.drawn_nonce_size] == source.bytes[start : sum(source.asked)]
        if tested.name == "python":  # in C the library draws: c/tests/unit/test_random.c
            most = 3 * cls.drawn_nonce_size
            check_every_byte(source, lambda aead=aead: aead.encrypt_many([b""] * 3), most)
    key = noise(16)
    check_every_byte(
        source, lambda: chunked.encrypt(key, b"", backend=tested.name), chunked.sizes.SALT
    )
    check_every_byte(
        source, lambda: chunked.Encryptor(key, backend=tested.name).finalize(), chunked.sizes.SALT
    )


@pytest.mark.sample("aesni", "fixslice64", "python")
def test_the_base_of_a_columns_nonces(tested: BackendUnderTest, source: Source) -> None:
    """XAES columns count from a base: a prefix of 12 bytes, and 4 bytes that separate two calls
    with the same prefix."""
    rows = b"abc", memoryview(bytes(4) + (3).to_bytes(4, "little")).cast("i")
    keyset = columns.Keyset.generate("xaes")
    at_work = column.KeyAtWork(keyset._keys[0], formats.named("xaes"), tested.name)
    check_every_byte(source, lambda: bytes(at_work.seal(rows, None, 1)[0]), 16)
    source.asked.clear()
    data, _ = at_work.seal(rows, None, 1)
    assert bytes(data[:24]) == bytes(source.bytes[:16]) + bytes(8)


def test_keys(source: Source) -> None:
    for cls in (*public.AEADS, rijn.AES, rijn.AESXTS, rijn.AESSIV, rijn.CMAC):
        for size in cls.key_sizes:
            check_every_byte(source, lambda it=cls, n=8 * size: it.generate_key(n), size)
    usual = columns.Keyset.generate("siv")
    for format, record in formats.FORMATS.items():
        size = 4 + record.algorithms[0].drawn  # an id, and the key
        check_every_byte(source, lambda it=format: columns.Keyset.generate(it).json(), size)
        check_every_byte(source, lambda it=format: usual.renewed(it).json(), size)
    check_every_byte(source, lambda: files.Argon2id.new().salt, 16)


def test_key_files(source: Source, tmp_path: Path) -> None:
    path = tmp_path / "key"

    def key_file_of(bits: str) -> bytes:
        assert cli.main(["keygen", "--bits", bits, "-o", str(path)]) == 0
        text = path.read_bytes()
        path.unlink()
        return text

    for bits in ("128", "256"):
        check_every_byte(source, lambda it=bits: key_file_of(it), int(bits) // 8, after=8)
