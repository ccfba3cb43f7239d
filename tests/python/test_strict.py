"""strict=True: the same bytes, without tables and branches on secrets."""

from __future__ import annotations

import pytest
from rungs import noise

import rijn
from rijn.pure import python

SIZES = [0, 1, 15, 16, 17, 33, 255, 1000, 4096, 30001]
KEYS = [noise(size, size) for size in (16, 24, 32)]


def strict_aes(key: bytes) -> rijn.AES:
    return rijn.AES(key, backend="python", strict=True)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"AES-{8 * len(key)}")
@pytest.mark.parametrize("size", SIZES)
def test_same_bytes(key: bytes, size: int) -> None:
    ours, theirs = strict_aes(key), rijn.AES(key)
    data, blocks, iv = noise(size, 1), noise(size // 16 * 16, 2), noise(16, 3)
    assert ours.ecb_encrypt(blocks) == theirs.ecb_encrypt(blocks)
    assert ours.ecb_decrypt(blocks) == theirs.ecb_decrypt(blocks)
    assert ours.cbc_decrypt(iv, blocks) == theirs.cbc_decrypt(iv, blocks)
    assert ours.ctr_encrypt(iv, data) == theirs.ctr_encrypt(iv, data)
    short = blocks[:128]
    assert ours.cbc_encrypt(iv, short) == theirs.cbc_encrypt(iv, short)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"AES-{8 * len(key)}")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("nonce_size", [12, 16])
def test_gcm(key: bytes, size: int, nonce_size: int) -> None:
    ours = rijn.AESGCM(key, backend="python", strict=True)
    assert ours.backend == "python"
    nonce, data, ad = noise(nonce_size, 1), noise(size, 2), noise(29, 3)
    sealed = rijn.AESGCM(key).encrypt(nonce, data, ad)
    assert ours.encrypt(nonce, data, ad) == sealed
    assert ours.decrypt(nonce, sealed, ad) == data
    with pytest.raises(rijn.InvalidTag):
        ours.decrypt(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), ad)


def test_no_table_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the S-box as a table nor those of the rounds or of GHASH."""

    def forbidden(*_: object) -> None:
        raise AssertionError("a strict engine looks something up")

    for name in ("table_rounds", "substitutions", "ghash", "hash_tables"):
        monkeypatch.setattr(python, name, forbidden)
    for key in KEYS:
        engine = python.StrictEngine(key)
        engine.ctr(bytes(16), bytes(100))
        engine.ecb_decrypt(bytes(64))
        engine.gcm_encrypt(bytes(12), bytes(5000), b"header")
        engine.gcm_encrypt(bytes(16), bytes(50), b"header")


def test_where_it_is_there(rung: object) -> None:
    name = rung.name  # type: ignore[attr-defined]
    record = next(found for found in rijn.backends() if found.name == name)
    if name == "python" or record.constant_time:
        assert rijn.AES(bytes(16), backend=name, strict=True).backend == name
        assert rijn.AESGCM(bytes(16), backend=name, strict=True).backend == name
    else:
        for cls in (rijn.AES, rijn.AESGCM):
            with pytest.raises(ValueError, match="strict=True is for python"):
                cls(bytes(16), backend=name, strict=True)
