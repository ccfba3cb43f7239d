"""The byte planes of pure Python: each number of blocks that has its own layout,
each direction and the first rounds of counter mode, block by block."""

from __future__ import annotations

import pytest
from backends import noise

from rijn.pure import byteslice, python
from rijn.pure.blocks import xor

# One block, and around: TABLE; FIRST_ROUNDS_FROM; 256, where the last byte carries; TOGETHER. Then two
# groups with a rest of one table and one block, and three whole groups.
COUNTS = [1, 2, 3, 15, 16, 17, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1041, 1536]


def each_block(engine: python.PythonEngine, counters: list[int]) -> bytes:
    return b"".join(engine.encrypt_block(counter).to_bytes(16) for counter in counters)


@pytest.mark.parametrize("key_size", [16, 24, 32])
@pytest.mark.parametrize("n", COUNTS)
def test_blocks(n: int, key_size: int) -> None:
    engine = python.PythonEngine(noise(key_size, 1))
    cipher = engine._few()
    data = noise(16 * n, n)
    encrypted = cipher.encrypted(data)
    assert encrypted == each_block(
        engine, [int.from_bytes(data[i : i + 16]) for i in range(0, len(data), 16)]
    )
    assert cipher.decrypted(encrypted) == data
    onto = noise(16 * n, 2)
    assert cipher.decrypted(encrypted, onto) == xor(data, onto)


@pytest.mark.parametrize("bits", [32, 128])
@pytest.mark.parametrize("n", COUNTS)
def test_counters_and_their_carries(n: int, bits: int) -> None:
    engine = python.PythonEngine(noise(16, 3))
    wrap = (1 << bits) - 1
    above = int.from_bytes(noise(16)) & ~wrap
    starts = {0, 1, 0xFF, wrap, wrap - n // 2, wrap - n}
    # Byte 10 goes through the first round together with the last byte.
    starts |= {(1 << b) - d for b in range(8, min(bits, 56), 8) for d in (1, n // 2 + 1, n)}
    for start in sorted(starts):
        counters = [above | start + i & wrap for i in range(n)]
        for size in {16 * n, 16 * n - 15}:
            data = noise(size, n)
            expected = xor(each_block(engine, counters), data)
            assert engine._few().keystream(above | start & wrap, bits, data) == expected, start


def test_kept_round_keys_are_limited() -> None:
    cipher = python.PythonEngine(noise(16, 4))._few()
    for n in range(1, 512):
        cipher.encrypted(bytes(16 * n))
        cipher.decrypted(bytes(16 * n))
        assert sum(cipher._encryption) <= byteslice.KEPT
        assert sum(cipher._decryption) <= byteslice.KEPT
