"""The backend `numpy`: the layout bit by bit, the S-boxes for all bytes, counters at their
carries, GHASH in lanes, and every mode on planes, also for lengths that `python` would handle.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from backends import noise
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import rijn
from rijn.pure import reference

np = pytest.importorskip("numpy", reason="backend numpy: needs the package numpy")
numpy_planes = pytest.importorskip("rijn.pure.numpy_planes")
numpy_engine = pytest.importorskip("rijn.pure.numpy_engine")

KEYS = [noise(size, size) for size in (16, 24, 32)]
IV = noise(16, 99)


def peer(key: bytes, mode: modes.Mode, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), mode).encryptor().update(data)


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Uses planes for every length, in chunks of 12 KiB and 8 lanes, with separate buffers."""
    monkeypatch.setattr(numpy_engine, "PLANES_FROM", 0)
    monkeypatch.setattr(numpy_planes, "WORDS", 12)
    monkeypatch.setattr(numpy_planes, "KEPT", 24)
    monkeypatch.setattr(numpy_planes, "LANES", 8)
    monkeypatch.setattr(numpy_planes, "buffers", numpy_planes.Buffers())
    yield
    assert sum(numpy_planes.buffers.planes) <= 24


# ---- Planes ---------------------------------------------------------------------------


@pytest.mark.parametrize("words", [1, 3])
def test_layout(words: int) -> None:
    """Bit j of byte k of plane (i, row, column) is bit i of byte row + 4 * column of block
    j * 8w + k."""
    planes = numpy_planes.WordPlanes(words)
    data = noise(planes.size)
    planes.load(np.frombuffer(data, np.uint8))
    for i in range(8):
        for p in range(16):
            plane = planes.state[i, p % 4, p // 4].tobytes()
            assert len(plane) == 8 * words
            for j in range(8):
                for k in range(8 * words):
                    byte = data[16 * (8 * words * j + k) + p]
                    assert plane[k] >> j & 1 == byte >> i & 1
    assert planes.store().tobytes() == data


@pytest.mark.parametrize("size", [0, 16, 1008])
def test_a_chunk_is_completed_with_zeros(size: int) -> None:
    planes = numpy_planes.WordPlanes(1)
    for fill in (noise(planes.size), noise(size)):
        planes.load(np.frombuffer(fill, np.uint8))
    assert planes.store().tobytes() == noise(size) + bytes(planes.size - size)


def test_sboxes_for_all_bytes() -> None:
    planes = numpy_planes.WordPlanes(1)
    table = bytes(b ^ 0x63 for b in reference.aes.SBOX)
    # Row 0, which ShiftRows does not move, has every fourth byte.
    for turn in range(4):
        inputs = bytes((b + turn) % 256 for b in range(256)) * 4
        planes.load(np.frombuffer(inputs, np.uint8))
        numpy_planes.run(planes.sub_bytes)
        planes.state[:, 0] = planes.shifted[:, 0].copy()
        assert planes.store().tobytes()[::4] == inputs.translate(table)[::4]
        planes.load(np.frombuffer(inputs.translate(table), np.uint8))
        numpy_planes.run(planes.inverse_sub_bytes)
        planes.state[:, 0] = planes.inverse_shifted[:, 0].copy()
        assert planes.store().tobytes()[::4] == inputs[::4]


STARTS = [0, 1, 2**32 - 1, 2**32 - 64, 2**32 - 65, 2**64 - 3, 2**96 - 70, 2**128 - 1, 2**128 - 127]


@pytest.mark.parametrize("bits", [32, 128])
@pytest.mark.parametrize("start", STARTS)
def test_counters(start: int, bits: int) -> None:
    planes = numpy_planes.WordPlanes(2)
    planes.load_counters(start, bits)
    wrap = (1 << bits) - 1
    wanted = [(start & ~wrap | (start + n) & wrap).to_bytes(16, "big") for n in range(128)]
    assert planes.store().tobytes() == b"".join(wanted)


def test_memory() -> None:
    """Planes take less than 8 times the chunk. A message takes the result and one copy."""
    tracemalloc.start()
    try:
        planes = numpy_planes.WordPlanes(64)
        assert tracemalloc.get_traced_memory()[0] < 8 * planes.size
        del planes
        aes, data = rijn.AES(KEYS[0], backend="numpy"), bytes(8 << 20)
        chunk = numpy_planes.WORDS * 1024
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        aes.ctr_encrypt(IV, data)
        assert tracemalloc.get_traced_memory()[1] - before < 2 * len(data) + 8 * chunk
    finally:
        tracemalloc.stop()


def test_buffers_are_few() -> None:
    sizes = [numpy_planes.words_for(size) for size in range(1, numpy_planes.WORDS * 1024, 1000)]
    assert sorted(sizes) == sizes
    assert len(set(sizes)) <= 32
    for size, words in zip(range(1, numpy_planes.WORDS * 1024, 1000), sizes, strict=True):
        needed = -(-size // 1024)
        assert needed <= words <= 1.25 * needed


# ---- GHASH ----------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_ghash(monkeypatch: pytest.MonkeyPatch, lanes: int) -> None:
    """From a state, around whole rows of lanes, with a partial block."""
    monkeypatch.setattr(numpy_planes, "LANES", lanes)
    h, y = noise(16, 1), noise(16, 2)
    ghash = numpy_planes.LaneHash(h)
    for size in (0, 1, 15, 16, 17, 32, 16 * lanes, 16 * lanes + 16, 47 * lanes, 160):
        data = noise(size, size)
        start = np.frombuffer(y, np.uint8)
        found = ghash.update(start, np.frombuffer(data, np.uint8) if size else np.empty(0, "u1"))
        blocks = bytearray(reference.aead.pad(data))
        if size:
            blocks[:16] = reference.modes.xor(bytes(blocks[:16]), y)
            wanted = reference.aead.GHASH(int.from_bytes(h, "big"), bytes(blocks))
        else:
            wanted = y
        assert found.tobytes() == wanted, size


# ---- Modes ----------------------------------------------------------------------------

LENGTHS = [0, 1, 15, 16, 17, 1023, 1024, 1025, 5000, 12287, 12288, 12289, 24576, 30011]


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize("key", KEYS, ids=len)
def test_planes_at_every_length(key: bytes) -> None:
    aes = rijn.AES(key, backend="numpy")
    aead = rijn.AESGCM(key, backend="numpy")
    for size in LENGTHS:
        data, ad = noise(size, 5), noise(size % 50, 6)
        blocks = data[: size // 16 * 16]
        sealed = peer(key, modes.ECB(), blocks)
        assert aes.ecb_encrypt(blocks) == sealed
        assert aes.ecb_decrypt(sealed) == blocks
        assert aes.cbc_decrypt(IV, peer(key, modes.CBC(IV), blocks)) == blocks
        assert aes.ctr_encrypt(IV, data) == peer(key, modes.CTR(IV), data)
        for nonce in (IV[:12], IV, noise(60, 7)):
            wanted = AESGCM(key).encrypt(nonce, data, ad)
            assert aead.encrypt(nonce, data, ad) == wanted
            assert aead.decrypt(nonce, wanted, ad) == data


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize("distance", [0, 1, 63, 64, 767, 768, 769, 1500])
def test_a_carry_in_any_chunk(distance: int) -> None:
    aes = rijn.AES(KEYS[0], backend="numpy")
    data = noise(30011)
    for carry in (2**32, 2**64, 2**128):
        counter = (carry - distance) % 2**128
        first = counter.to_bytes(16, "big")
        assert aes.ctr_encrypt(first, data) == peer(KEYS[0], modes.CTR(first), data)


def test_where_the_planes_begin() -> None:
    key = KEYS[1]
    aes = rijn.AES(key, backend="numpy")
    aead = rijn.AESGCM(key, backend="numpy")
    for begin in (numpy_engine.PLANES_FROM, numpy_planes.WORDS * 1024):
        for size in (begin - 16, begin - 1, begin, begin + 1, begin + 16):
            data = noise(size)
            assert aes.ctr_encrypt(IV, data) == peer(key, modes.CTR(IV), data)
            assert aead.encrypt(IV, data, b"ad") == AESGCM(key).encrypt(IV, data, b"ad")
            blocks = data[: size // 16 * 16]
            assert aes.ecb_decrypt(peer(key, modes.ECB(), blocks)) == blocks
            assert aes.cbc_decrypt(IV, peer(key, modes.CBC(IV), blocks)) == blocks
