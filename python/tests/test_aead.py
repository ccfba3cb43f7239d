"""AES-GCM on every backend against `cryptography` and the model of gcm_model.py."""

from __future__ import annotations

import pytest
from backends import NATIVE, BackendUnderTest, noise
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Peer
from gcm_model import nonce_for, seal
from hypothesis import given
from hypothesis import strategies as st

import rijn

TAG_LENGTHS = (4, 8, 12, 13, 14, 15, 16)
KEY_SIZES = (16, 24, 32)
keys = st.sampled_from(KEY_SIZES).flatmap(lambda size: st.binary(min_size=size, max_size=size))


def test_any_message_matches_the_peer(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(
        keys,
        st.just(12) | st.integers(8, 128),
        st.integers(0, 2**32),
        tested.messages(),
        st.none() | tested.messages(),
    )
    def check(key: bytes, nonce_size: int, seed: int, data: bytes, ad: bytes | None) -> None:
        nonce = noise(nonce_size, seed)
        sealed = Peer(key).encrypt(nonce, data, ad)
        aead = tested.AESGCM(key)
        assert aead.encrypt(nonce, data, ad) == sealed
        assert aead.decrypt(nonce, sealed, ad) == data

    check()


def test_any_nonce_size_matches_the_model(tested: BackendUnderTest) -> None:
    """Includes sizes that `cryptography` refuses: below 8 bytes and above 128."""
    key = noise(16, 1)
    aead = tested.AESGCM(key)
    data, ad = noise(37, 2), noise(21, 3)
    sizes = [
        1,
        2,
        7,
        8,
        11,
        12,
        13,
        15,
        16,
        17,
        31,
        32,
        33,
        60,
        128,
        129,
        16 * tested.width * 2 + 5,
    ]
    for size in sizes:
        nonce = noise(size, size)
        sealed = seal(key, nonce, data, ad)
        assert aead.encrypt(nonce, data, ad) == sealed, size
        assert aead.decrypt(nonce, sealed, ad) == data, size


@pytest.mark.parametrize("key_size", KEY_SIZES)
def test_every_tag_length(tested: BackendUnderTest, key_size: int) -> None:
    key, nonce, data, ad = noise(key_size), noise(12, 1), noise(70, 2), noise(20, 3)
    full = Peer(key).encrypt(nonce, data, ad)
    for tag_length in TAG_LENGTHS:
        aead = tested.AESGCM(key, tag_length=tag_length)
        assert aead.tag_length == tag_length
        sealed = full[: len(data) + tag_length]
        assert aead.encrypt(nonce, data, ad) == sealed
        assert aead.decrypt(nonce, sealed, ad) == data
        # A tag of another length is refused, even if its bytes are right.
        for other in (full[: len(data) + tag_length - 1], full[: len(data) + tag_length] + b"\0"):
            with pytest.raises(rijn.InvalidTag):
                aead.decrypt(nonce, other, ad)


@pytest.mark.parametrize("key_size", KEY_SIZES)
def test_lengths_around_the_batch(tested: BackendUnderTest, key_size: int) -> None:
    """Data of every length that a loop over batches may treat separately, then associated data
    of the same lengths."""
    key, nonce = noise(key_size, 4), noise(12, 5)
    aead, peer = tested.AESGCM(key), Peer(key)
    for size in tested.lengths:
        message = noise(size, size)
        for data, ad in ((message, b"ad"), (b"data", message)):
            sealed = peer.encrypt(nonce, data, ad)
            assert aead.encrypt(nonce, data, ad) == sealed, (len(data), len(ad))
            assert aead.decrypt(nonce, sealed, ad) == data, (len(data), len(ad))


@pytest.mark.backends(*NATIVE, "python")
def test_a_long_message(tested: BackendUnderTest) -> None:
    """Many batches, and above the size at which the native module releases the GIL."""
    size = 20_003 if tested.name == "python" else 3_000_017
    key, nonce, data = noise(32, 6), noise(12, 7), noise(size, 8)
    sealed = Peer(key).encrypt(nonce, data, None)
    assert tested.AESGCM(key).encrypt(nonce, data) == sealed
    assert tested.AESGCM(key).decrypt(nonce, sealed) == data


def distances(tested: BackendUnderTest) -> list[int]:
    """Returns the blocks before a carry at which to start: a few, and about one and two batches."""
    w = tested.width
    near = range(10) if tested.name != "reference" else range(0, 10, 3)
    return sorted({*near, w - 1, w, w + 1, 2 * w - 1, 2 * w, 2 * w + 1})


def test_32_bit_counter_wraps(tested: BackendUnderTest) -> None:
    """GCM's counter wraps within its last 32 bits and leaves the other 96 alone. Nonces
    are computed backwards from a first counter block close to the wrap."""
    key, ad = noise(16, 9), noise(20, 10)
    aead, peer = tested.AESGCM(key), Peer(key)
    for distance in distances(tested):
        j0 = noise(12, distance) + (2**32 - 1 - distance).to_bytes(4)
        nonce = nonce_for(key, j0)
        blocks = max(2 * tested.width, distance) + 2
        data = noise(16 * blocks + 7, distance)
        sealed = peer.encrypt(nonce, data, ad)
        assert aead.encrypt(nonce, data, ad) == sealed, distance
        assert aead.decrypt(nonce, sealed, ad) == data, distance


def test_32_bit_wrap_does_not_carry(tested: BackendUnderTest) -> None:
    """The 96 bits above the counter are all ones: a carry out of it would clear them."""
    key = noise(32, 11)
    nonce = nonce_for(key, b"\xff" * 16)
    data = noise(16 * (tested.width + 1), 12)
    sealed = seal(key, nonce, data, b"")
    assert Peer(key).encrypt(nonce, data, None) == sealed
    assert tested.AESGCM(key).encrypt(nonce, data) == sealed


@pytest.mark.parametrize("size", [0, 5, 33])
def test_every_flipped_bit_is_refused(tested: BackendUnderTest, size: int) -> None:
    if tested.name == "reference" and size == 33:
        pytest.skip("backend reference: too slow, and 5 bytes do")
    key, nonce, data, ad = noise(16, 13), noise(12, 14), noise(size, 15), noise(3, 16)
    aead = tested.AESGCM(key)
    sealed = aead.encrypt(nonce, data, ad)
    assert aead.decrypt(nonce, sealed, ad) == data
    whole = nonce + ad + sealed
    for bit in range(8 * len(whole)):
        altered = bytearray(whole)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises(rijn.InvalidTag) as caught:
            aead.decrypt(altered[:12], altered[15:], altered[12:15])
        assert caught.value.chunk is None
        buf = bytearray(b"\xaa" * size)
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt_into(altered[:12], altered[15:], altered[12:15], buf)
        assert buf == bytes(size), bit


def test_other_alterations_are_refused(tested: BackendUnderTest) -> None:
    key, nonce, data, ad = noise(24, 17), noise(12, 18), noise(40, 19), noise(20, 20)
    aead = tested.AESGCM(key)
    sealed = aead.encrypt(nonce, data, ad)
    for bad_nonce, bad_sealed, bad_ad in [
        (nonce, sealed[:-1], ad),
        (nonce, sealed[1:], ad),
        (nonce, sealed + b"\0", ad),
        (nonce, sealed[:-17] + sealed[-16:], ad),
        (nonce, sealed, None),
        (nonce, sealed, ad[:-1]),
        (nonce, sealed, ad + b"\0"),
        (nonce, ad + sealed, b""),
        (nonce + b"\0", sealed, ad),
        (nonce, bytes(len(sealed)), ad),
    ]:
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt(bad_nonce, bad_sealed, bad_ad)
    with pytest.raises(rijn.InvalidTag):
        tested.AESGCM(noise(24, 21)).decrypt(nonce, sealed, ad)


def test_data_shorter_than_a_tag_is_refused(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(noise(16))
    for size in (0, 1, 15):
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt(bytes(12), bytes(size))


def test_failure_zeroes_the_buffer(tested: BackendUnderTest) -> None:
    """The whole buffer, at every length around the batch; in place the ciphertext goes too."""
    key, nonce = noise(16, 22), noise(12, 23)
    aead = tested.AESGCM(key)
    for size in tested.lengths:
        sealed = bytearray(Peer(key).encrypt(nonce, b"\x55" * size, None))
        sealed[-1] ^= 1
        buf = bytearray(b"\xaa" * size)
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt_into(nonce, sealed, None, buf)
        assert buf == bytes(size), size
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt_into(nonce, sealed, None, memoryview(sealed)[:size])
        assert sealed[:size] == bytes(size), size


def test_generate_key() -> None:
    for bits in (128, 192, 256):
        first, second = rijn.AESGCM.generate_key(bits), rijn.AESGCM.generate_key(bits)
        assert type(first) is bytes
        assert len(first) == bits // 8
        assert first != second
    for bits in (0, 64, 129, 512):
        with pytest.raises(ValueError):
            rijn.AESGCM.generate_key(bits)
