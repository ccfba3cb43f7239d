"""seal_chunks and open_chunks: many chunks in one call, each a message of its own."""

from __future__ import annotations

import pytest
from backends import NATIVE, BackendUnderTest, noise
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Peer
from hypothesis import given
from hypothesis import strategies as st

import rijn

KEY = noise(32, 1)
NONCE = noise(12, 2)
LAST_NUMBER = 2**64 - 1


def chunk_nonce(number: int) -> bytes:
    return (int.from_bytes(NONCE) ^ number).to_bytes(12)


def expected(first: int, chunk: int, last: bool, data: bytes) -> bytes:
    """Returns the chunks, each sealed separately with `cryptography`."""
    starts = range(0, len(data) + (1 if last else 0), chunk)
    return b"".join(
        Peer(KEY).encrypt(chunk_nonce(first + i), data[start : start + chunk], None)
        for i, start in enumerate(starts)
    )


def test_runs_match_the_peer(tested: BackendUnderTest) -> None:
    most = 3 if tested.name == "reference" else 12

    @tested.examples
    @given(
        st.integers(0, 2**64 - 32),
        st.sampled_from([1, 15, 16, 17, 16 * tested.width, 16 * tested.width + 1]),
        st.integers(0, most),
        st.floats(0, 1, exclude_max=True),
        st.booleans(),
    )
    def check(first: int, chunk: int, whole: int, part: float, last: bool) -> None:
        data = noise(whole * chunk + (int(part * chunk) if last else 0), whole)
        wanted = expected(first, chunk, last, data)
        aead = tested.AESGCM(KEY)
        sealed = bytearray(len(wanted))
        assert aead.seal_chunks(NONCE, first, chunk, last, data, sealed) == len(wanted)
        assert sealed == wanted
        opened = bytearray(len(data))
        assert aead.open_chunks(NONCE, first, chunk, last, sealed, opened) == len(data)
        assert opened == data

    check()


@pytest.mark.backends(*NATIVE, "python")
def test_real_chunks(tested: BackendUnderTest) -> None:
    """16 KiB each, as in a file."""
    count = 1 if tested.name == "python" else 20
    data = noise(count * 16384 + 100, 3)
    wanted = expected(0, 16384, True, data)
    aead, sealed = tested.AESGCM(KEY), bytearray(len(wanted))
    aead.seal_chunks(NONCE, 0, 16384, True, data, sealed)
    assert sealed == wanted
    opened = bytearray(len(data))
    aead.open_chunks(NONCE, 0, 16384, True, sealed, opened)
    assert opened == data


def test_the_carries_of_the_number(tested: BackendUnderTest) -> None:
    """A number is 64 bits wide. It is XORed into the nonce, not added."""
    aead = tested.AESGCM(KEY)
    data = noise(32 * 3, 4)
    for first in (*(2**bits - 2 for bits in range(8, 64, 8)), LAST_NUMBER - 2):
        wanted = expected(first, 32, False, data)
        sealed = bytearray(len(wanted))
        aead.seal_chunks(NONCE, first, 32, False, data, sealed)
        assert sealed == wanted, first
        opened = bytearray(len(data))
        aead.open_chunks(NONCE, first, 32, False, sealed, opened)
        assert opened == data


def test_chunk_numbers_have_a_limit(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    wanted = expected(LAST_NUMBER, 32, False, bytes(32))
    buf = bytearray(48)
    aead.seal_chunks(NONCE, LAST_NUMBER, 32, False, bytes(32), buf)
    assert buf == wanted
    untouched = bytearray(b"\xaa" * 96)
    beyond = rf"^chunk numbers end at 2\^64 - 1: no 2 chunks from number {LAST_NUMBER} on$"
    with pytest.raises(OverflowError, match=beyond):
        aead.seal_chunks(NONCE, LAST_NUMBER, 32, False, bytes(64), untouched)
    assert untouched == b"\xaa" * 96
    with pytest.raises(OverflowError, match=beyond):
        aead.seal_chunks(NONCE, LAST_NUMBER, 32, True, bytes(32), bytearray(64))
    with pytest.raises(OverflowError, match=beyond):
        aead.open_chunks(NONCE, LAST_NUMBER, 32, False, bytes(96), bytearray(64))
    for first in (-1, 2**64, 2**100):
        with pytest.raises((OverflowError, ValueError)):
            aead.seal_chunks(NONCE, first, 32, False, bytes(32), bytearray(48))


@pytest.mark.parametrize("last", [False, True])
def test_the_first_bad_chunk_is_named(tested: BackendUnderTest, last: bool) -> None:
    """The run gives no plaintext, not even of the chunks before the bad one."""
    aead = tested.AESGCM(KEY)
    chunk, first = 24, 2**40 + 5
    data = noise(4 * chunk + (10 if last else 0), 6)
    sealed = expected(first, chunk, last, data)
    chunks = 4 + last
    for bad in range(chunks):
        for byte in (0, chunk // 2, 9):
            altered = bytearray(sealed)
            altered[bad * (chunk + 16) + byte] ^= 0x10
            altered[-1] ^= 1  # the last one is bad as well
            buf = bytearray(b"\xaa" * len(data))
            with pytest.raises(rijn.InvalidTag) as caught:
                aead.open_chunks(NONCE, first, chunk, last, altered, buf)
            assert caught.value.chunk == first + bad
            assert buf == bytes(len(data))


def test_a_run_with_other_numbers_is_refused(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    sealed = expected(7, 24, False, noise(48, 7))
    for bad in (sealed[40:] + sealed[:40], sealed[:40] * 2):
        with pytest.raises(rijn.InvalidTag):
            aead.open_chunks(NONCE, 7, 24, False, bad, bytearray(48))
    with pytest.raises(rijn.InvalidTag) as caught:
        aead.open_chunks(NONCE, 8, 24, False, sealed, bytearray(48))
    assert caught.value.chunk == 8


def test_wrong_run_sizes_are_refused(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    for chunk, last, size in [(0, False, 0), (0, True, 16), (16, False, 15), (16, False, 17)]:
        with pytest.raises(ValueError):
            aead.seal_chunks(NONCE, 0, chunk, last, bytes(size), bytearray(size + 64))
    # The last chunk has a whole tag, and is shorter than the others.
    for chunk, last, size in [(16, False, 31), (16, True, 0), (16, True, 15), (16, True, 47)]:
        with pytest.raises(ValueError):
            aead.open_chunks(NONCE, 0, chunk, last, bytes(size), bytearray(max(0, size - 16)))
    with pytest.raises(ValueError, match="^nonce must be 12 bytes, not 16$"):
        aead.seal_chunks(bytes(16), 0, 16, False, bytes(16), bytearray(32))
    for size in (31, 33):
        with pytest.raises(ValueError, match=f"^buf must be exactly 32 bytes, not {size}$"):
            aead.seal_chunks(NONCE, 0, 16, False, bytes(16), bytearray(size))


def test_a_chunk_is_no_longer_than_a_message(tested: BackendUnderTest) -> None:
    """SP 800-38D section 5.2.1.1: 2^36 - 32 bytes. The chunk size counts, not the data size."""
    aead = tested.AESGCM(KEY)
    sealed = bytearray(21)
    assert aead.seal_chunks(NONCE, 0, 2**36 - 32, True, bytes(5), sealed) == 21
    assert aead.open_chunks(NONCE, 0, 2**36 - 32, True, sealed, bytearray(5)) == 5
    for chunk in (2**36 - 31, 2**36, 2**64 - 1):
        with pytest.raises(ValueError):
            aead.seal_chunks(NONCE, 0, chunk, True, bytes(5), bytearray(21))
        with pytest.raises(ValueError):
            aead.open_chunks(NONCE, 0, chunk, True, sealed, bytearray(5))


def test_overlap_is_refused(tested: BackendUnderTest) -> None:
    """Even from the first byte: the tags shift the chunks."""
    aead = tested.AESGCM(KEY)
    memory = memoryview(bytearray(300))
    for distance in (-20, -1, 0, 1, 20, 63):
        with pytest.raises(ValueError, match="^data and buf overlap$"):
            at = 50 + distance
            aead.seal_chunks(NONCE, 0, 32, False, memory[50:114], memory[at : at + 96])
        with pytest.raises(ValueError, match="^data and buf overlap$"):
            at = 50 + distance
            aead.open_chunks(NONCE, 0, 32, False, memory[50:146], memory[at : at + 64])
    assert memory == bytes(300)


def test_only_whole_tags(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY, tag_length=12)
    with pytest.raises(ValueError, match="tag_length"):
        aead.seal_chunks(NONCE, 0, 16, False, bytes(16), bytearray(28))
    with pytest.raises(ValueError, match="tag_length"):
        aead.open_chunks(NONCE, 0, 16, False, bytes(28), bytearray(16))
