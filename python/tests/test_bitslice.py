"""The bit planes of pure Python: the circuits against the standard's definitions, the
layout bit by bit, and the long messages for which `python` uses them."""

from __future__ import annotations

import inspect
import re
import runpy
import sys
import tracemalloc
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from subprocess import run

import pytest
from backends import BackendUnderTest, noise
from cryptography.hazmat.primitives.ciphers import Cipher as Peer
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PeerGCM
from limits import LIMIT

import rijn
from rijn.pure import (
    bitslice,
    byteslice,
    circuits,
    fields,
    ghash,
    python,
    reference,
    row_planes,
)
from rijn.pure.blocks import xor

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "python/tools/generate_circuits.py"
COMPLEMENT = 0x63

WIDE, ROWS_FROM, BITS_FROM = (
    16 * python.WIDE,
    16 * python.PythonEngine.ROWS_FROM,
    16 * python.PythonEngine.BITS_FROM,
)
SOME, SOME_TO, MANY = 16 * python.SOME, 16 * python.SOME_TO, 16 * python.MANY


def peer(key: bytes, mode: modes.Mode, data: bytes) -> bytes:
    return Peer(algorithms.AES(key), mode).encryptor().update(data)


# ---- The circuits ---------------------------------------------------------------------


def planes_of(values: list[int]) -> circuits.Planes:
    """Spreads the values over planes: bit j of plane i is bit i of value j."""
    return bitslice.as_planes(
        sum((value >> i & 1) << j for j, value in enumerate(values)) for i in range(8)
    )


def values_of(planes: circuits.Planes, count: int) -> list[int]:
    return [sum((plane >> j & 1) << i for i, plane in enumerate(planes)) for j in range(count)]


def test_sbox_for_all_bytes() -> None:
    images = values_of(circuits.sbox(planes_of(list(range(256)))), 256)
    assert [image ^ COMPLEMENT for image in images] == reference.aes.SBOX


def test_inverse_sbox_for_all_bytes() -> None:
    without = [value ^ COMPLEMENT for value in range(256)]
    assert values_of(circuits.inverse_sbox(planes_of(without)), 256) == reference.aes.INVSBOX


@pytest.mark.parametrize(
    ("circuit", "definition"),
    [
        (circuits.mix_column, reference.aes.MixColumns),
        (circuits.inverse_mix_column, reference.aes.InvMixColumns),
    ],
)
def test_mix_columns_for_all_columns(
    circuit: Callable[..., circuits.Column],
    definition: Callable[[reference.aes.State], reference.aes.State],
) -> None:
    """A circuit of XOR gates alone is linear, and so is the definition. If they agree for each
    column with a single bit, they agree for all columns."""
    assert re.findall(r"[-+*/%&|~<>]", inspect.getsource(circuit).split('"""')[2]) == []
    columns = [(1 << bit).to_bytes(4, "big") for bit in range(32)]
    rows = [planes_of([column[r] for column in columns]) for r in range(4)]
    results = [values_of(planes, 32) for planes in circuit(*rows)]
    for i, column in enumerate(columns):
        state = definition([[byte] * 4 for byte in column])
        assert [row[i] for row in results] == [row[0] for row in state], hex(i)


def test_the_generated_module_is_up_to_date() -> None:
    made = runpy.run_path(str(GENERATOR))["module"]()
    assert (ROOT / "python/rijn/pure/circuits.py").read_text() == made


# ---- The layout -----------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 5])
def test_planes_are_where_the_drawing_says(m: int) -> None:
    blocks = noise(16 * 8 * m, m)
    state = bitslice.pack(blocks, m)
    for p in range(16):
        for i in range(8):
            plane = state[p][i].to_bytes(m, "big")
            for k in range(8):
                for j in range(m):
                    assert plane[j] >> k & 1 == blocks[16 * (k * m + j) + p] >> i & 1
    onto = noise(len(blocks), 9)
    for size in (0, 1, 16 * m, 16 * m + 1, len(blocks)):
        plain, added = BytesIO(), BytesIO()
        bitslice.unpack(list(state), m, plain, size)
        bitslice.unpack(list(state), m, added, size, onto)
        assert plain.getvalue() == blocks[:size]
        assert added.getvalue() == xor(blocks, onto)[:size]


@pytest.mark.parametrize("m", [1, 2, 5])
def test_rows_are_where_the_drawing_says(m: int) -> None:
    blocks = noise(16 * 8 * m, m)
    state = row_planes.pack(blocks, m)
    for p in range(16):
        column, row = divmod(p, 4)
        for i in range(8):
            plane = state[row][i].to_bytes(4 * m)
            for k in range(8):
                for j in range(m):
                    bit = blocks[16 * (k * m + j) + p] >> i & 1
                    assert plane[column * m + j] >> k & 1 == bit
    onto = noise(len(blocks), 9)
    for size in (0, 1, 16 * m, 16 * m + 1, len(blocks)):
        plain, added = BytesIO(), BytesIO()
        row_planes.unpack(list(state), m, plain, size)
        row_planes.unpack(list(state), m, added, size, onto)
        assert plain.getvalue() == blocks[:size]
        assert added.getvalue() == xor(blocks, onto)[:size]


@pytest.mark.parametrize("key_size", [16, 24, 32])
@pytest.mark.parametrize("size", [1, 16, 128, 129, 16 * 8 * 40, 16 * 8 * 40 + 5])
def test_planes_of_rows_are_the_bit_planes(size: int, key_size: int) -> None:
    """Both layouts, at sizes for which Rijn chooses only one of them."""
    engine = python.PythonEngine(noise(key_size, 30))
    data = noise(size, size)
    results = []
    for layout in (engine._some(), engine._many()):
        output = BytesIO()
        blocks = data[: size // 16 * 16]
        if blocks:
            layout.encrypt(blocks, output)
            layout.decrypt(blocks, output)
            layout.decrypt(blocks, output, blocks[::-1])
        for counter in (0, (1 << 128) - 3, 0xFFFFFFFE, (1 << 24) - 4, 0xFFF0):
            for bits in (32, 128):
                layout.counter_mode(counter, bits, data, output)
        results.append(output.getvalue())
    assert results[0] == results[1]


@pytest.mark.parametrize("bits", [32, 128])
@pytest.mark.parametrize("m", [1, 3, 40])
def test_counter_planes(m: int, bits: int) -> None:
    wrap = (1 << bits) - 1
    above = int.from_bytes(noise(16)) & ~wrap
    starts = {0, 2, wrap, wrap >> 1, 0xFF0F, *(wrap - 8 * m + d for d in range(3))}
    starts |= {(1 << b) - d for b in range(8, bits, 8) for d in (1, 4 * m, 8 * m)}
    for start in sorted(starts):
        counter = above | start & wrap
        low = bitslice.counter_planes(counter, m, bits)
        assert len(low) <= bits
        constant = counter >> len(low) << len(low)
        for k in range(8):
            for j in range(m):
                place = 8 * (m - 1 - j) + k
                number = sum((plane >> place & 1) << i for i, plane in enumerate(low))
                assert constant | number == above | counter + k * m + j & wrap, (start, k, j)


@pytest.mark.parametrize("m", [1, 7, 96])
def test_round_keys_of_rows(m: int) -> None:
    """The shared planes have the same bits as the planes for strict keys."""
    for seed in range(40):
        key = noise(16, seed)
        assert row_planes.choose_key(key, m) == row_planes.spread_key(key, m)


# ---- GHASH ----------------------------------------------------------------------------


def test_multiply_matches_the_standard() -> None:
    for seed in range(20):
        x, y = (int.from_bytes(noise(16, 2 * seed + i)) for i in range(2))
        assert fields.multiply(x, y) == reference.aead.multiply_blocks(x, y)


def test_multiply_by_a_table_is_multiply() -> None:
    h = int.from_bytes(noise(16, 50))
    for x in [1 << i for i in range(128)]:  # both are linear in x
        assert ghash.multiply_by(ghash.nibble_table(h), x) == fields.multiply(x, h)


# ---- Messages -------------------------------------------------------------------------


@pytest.mark.parametrize("key_size", [16, 24, 32])
@pytest.mark.backends("python", "python-bitslice")
def test_lengths_around_the_crossovers(tested: BackendUnderTest, key_size: int) -> None:
    key, iv = noise(key_size, 1), noise(16, 2)
    aes = tested.AES(key)
    lengths = {
        16 * byteslice.TOGETHER,
        WIDE,
        ROWS_FROM,
        SOME,
        SOME_TO,
        BITS_FROM,
        MANY + 16,
        MANY + ROWS_FROM,
    }
    for size in sorted({around for length in lengths for around in (length - 16, length)}):
        data = noise(size, size)
        ecb, cbc = peer(key, modes.ECB(), data), peer(key, modes.CBC(iv), data)
        assert aes.ecb_encrypt(data) == ecb, size
        assert aes.ecb_decrypt(ecb) == data, size
        assert aes.cbc_decrypt(iv, cbc) == data, size
        for cut in (0, 1, 15):
            part = memoryview(data)[cut:]
            assert aes.ctr_encrypt(iv, part) == peer(key, modes.CTR(iv), bytes(part)), (size, cut)


@pytest.mark.backends("python", "python-bitslice")
def test_long_gcm_messages(tested: BackendUnderTest) -> None:
    key, nonce, ad = noise(32, 3), noise(12, 4), noise(ROWS_FROM + 5, 5)
    aead = tested.AESGCM(key)
    hash_from = 16 * python.PythonEngine.HASH_FROM[1]
    for size in (
        hash_from - 1,
        hash_from + 16,
        ROWS_FROM + 1,
        BITS_FROM - 33,
        MANY - 1,
        MANY + 17,
        2 * MANY,
    ):
        data = noise(size, size)
        sealed = PeerGCM(key).encrypt(nonce, data, ad)
        assert aead.encrypt(nonce, data, ad) == sealed, size
        assert aead.decrypt(nonce, sealed, ad) == data, size
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt(nonce, sealed[:-17] + bytes([sealed[-17] ^ 1]) + sealed[-16:], ad)


@pytest.mark.backends("python", "python-bitslice")
@pytest.mark.parametrize("boundary", [16, 24, 32, 64, 128])
def test_carries_within_a_long_message(tested: BackendUnderTest, boundary: int) -> None:
    """At the start, in the middle and at the end of a group and of its pieces, in row planes and
    in bit planes."""
    key = noise(16, 6)
    aes = tested.AES(key)
    data = noise(SOME, 7)
    high = 0 if boundary == 128 else int.from_bytes(noise(16, 8)) >> boundary << boundary
    n, piece = SOME // 16, SOME // 128
    for distance in (0, 1, piece - 1, piece, piece + 1, n // 2, n - piece, n - 2, n - 1, n):
        counter = (high | (1 << boundary) - 1 - distance).to_bytes(16)
        assert aes.ctr_encrypt(counter, data) == peer(key, modes.CTR(counter), data), distance


@pytest.mark.backends("python")
def test_memory_does_not_grow_with_the_message(tested: BackendUnderTest) -> None:
    """Uses less than eight times the group of blocks, and the result once."""
    aes = tested.AES(noise(16, 9))
    data = bytes(4 * MANY)
    calls: list[Callable[[], bytes]] = [
        lambda: aes.ecb_encrypt(data),
        lambda: aes.ecb_decrypt(data),
        lambda: aes.cbc_decrypt(bytes(16), data),
        lambda: aes.ctr_encrypt(bytes(16), data),
    ]
    for call in calls:
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < len(data) * 9 // 8 + 8 * MANY


def test_layouts_are_imported_when_they_are_needed() -> None:
    code = (
        "import sys, rijn; from rijn.pure import python\n"
        "aes = rijn.AES(bytes(16), backend='python')\n"
        "names = 'byteslice', 'circuits', 'row_planes', 'bitslice'\n"
        "loaded = lambda: [n for n in names if f'rijn.pure.{n}' in sys.modules]\n"
        "run = lambda blocks: aes.ctr_encrypt(bytes(16), bytes(16 * blocks))\n"
        "run(1); assert loaded() == []\n"
        "run(python.PythonEngine.ROWS_FROM - 1); assert loaded() == ['byteslice']\n"
        "run(python.PythonEngine.ROWS_FROM); assert 'row_planes' in loaded()\n"
    )
    run([sys.executable, "-c", code], check=True, timeout=LIMIT)
