"""ECB, CBC and CTR on every backend against `cryptography`, whole and in pieces."""

from __future__ import annotations

from itertools import product

import pytest
from backends import NATIVE, BackendUnderTest, noise
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

KEY_SIZES = (16, 24, 32)
keys = st.sampled_from(KEY_SIZES).flatmap(lambda size: st.binary(min_size=size, max_size=size))
blocks = st.binary(min_size=16, max_size=16)


def peer(key: bytes, mode: modes.Mode, data: bytes) -> bytes:
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def padded(data: bytes) -> bytes:
    padder = padding.PKCS7(128).padder()
    return padder.update(data) + padder.finalize()


def test_ecb(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, tested.block_messages())
    def check(key: bytes, data: bytes) -> None:
        aes = tested.AES(key)
        ciphertext = peer(key, modes.ECB(), data)
        assert aes.ecb_encrypt(data) == ciphertext
        assert aes.ecb_decrypt(ciphertext) == data

    check()


def test_cbc(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, blocks, tested.block_messages())
    def check(key: bytes, iv: bytes, data: bytes) -> None:
        aes = tested.AES(key)
        ciphertext = peer(key, modes.CBC(iv), data)
        assert aes.cbc_encrypt(iv, data) == ciphertext
        assert aes.cbc_decrypt(iv, ciphertext) == data

    check()


def test_cbc_padded(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, blocks, tested.messages())
    def check(key: bytes, iv: bytes, data: bytes) -> None:
        aes = tested.AES(key)
        ciphertext = peer(key, modes.CBC(iv), padded(data))
        assert aes.cbc_encrypt(iv, data, pkcs7=True) == ciphertext
        assert aes.cbc_decrypt(iv, ciphertext, pkcs7=True) == data

    check()


def test_ctr(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, blocks, tested.messages())
    def check(key: bytes, counter: bytes, data: bytes) -> None:
        aes = tested.AES(key)
        ciphertext = peer(key, modes.CTR(counter), data)
        assert aes.ctr_encrypt(counter, data) == ciphertext
        assert aes.ctr_decrypt(counter, ciphertext) == data

    check()


@pytest.mark.parametrize("key_size", KEY_SIZES)
def test_lengths_around_the_batch(tested: BackendUnderTest, key_size: int) -> None:
    key, iv = noise(key_size, 1), noise(16, 2)
    aes = tested.AES(key)
    for size in tested.lengths:
        data = noise(size, size)
        assert aes.ctr_encrypt(iv, data) == peer(key, modes.CTR(iv), data), size
    for size in tested.block_lengths:
        data = noise(size, size)
        ecb, cbc = peer(key, modes.ECB(), data), peer(key, modes.CBC(iv), data)
        assert aes.ecb_encrypt(data) == ecb, size
        assert aes.ecb_decrypt(ecb) == data, size
        assert aes.cbc_encrypt(iv, data) == cbc, size
        assert aes.cbc_decrypt(iv, cbc) == data, size


@pytest.mark.backends(*NATIVE, "python")
def test_a_long_message(tested: BackendUnderTest) -> None:
    """Many batches, and above the size at which the native module releases the GIL."""
    size = 16_000 if tested.name == "python" else 2_000_000
    key, iv, data = noise(32, 3), noise(16, 4), noise(size, 5)
    aes = tested.AES(key)
    ecb, cbc = peer(key, modes.ECB(), data), peer(key, modes.CBC(iv), data)
    assert aes.ecb_encrypt(data) == ecb
    assert aes.ecb_decrypt(ecb) == data
    assert aes.cbc_encrypt(iv, data) == cbc
    assert aes.cbc_decrypt(iv, cbc) == data
    assert aes.ctr_encrypt(iv, data[:-3]) == peer(key, modes.CTR(iv), data[:-3])


@pytest.mark.parametrize("boundary", [8, 16, 32, 64, 96, 128])
def test_ctr_carries(tested: BackendUnderTest, boundary: int) -> None:
    """The counter is one 128-bit integer: a carry out of the low `boundary` bits must
    arrive, zero to nine blocks later and around one and two batches later. The bits
    above the carry are either arbitrary or all ones (except one, so that the next
    boundary is crossed too)."""
    key = noise(16, 6)
    aes = tested.AES(key)
    w = tested.width
    step = 4 if tested.name == "reference" else 1
    distances = sorted({*range(0, 10, step), w - 1, w, w + 1, 2 * w - 1, 2 * w})
    for distance in distances:
        low = (1 << boundary) - 1 - distance
        highs = {0} if boundary == 128 else {int.from_bytes(noise(16, distance)) >> boundary}
        if boundary < 128 and distance % 4 == 0:
            highs.add((1 << 128 - boundary) - 1)
        for high in highs:
            counter = (high << boundary | low).to_bytes(16)
            data = noise(16 * (max(2 * w, distance) + 2) + 5, distance)
            expected = peer(key, modes.CTR(counter), data)
            assert aes.ctr_encrypt(counter, data) == expected, (distance, hex(high))
            encryptor = aes.ctr_encryptor(counter)
            cut = 16 * distance + 3  # in the middle of the block next to the carry
            pieces = encryptor.update(data[:cut]) + encryptor.update(data[cut:])
            assert pieces + encryptor.finalize() == expected, (distance, hex(high))


# ---- PKCS #7 -----------------------------------------------------------------------


def test_every_bad_padding_is_refused(tested: BackendUnderTest) -> None:
    """Every last byte, over a block that does not match it, one that nearly does, and one
    that does."""
    key, iv = noise(16, 7), noise(16, 8)
    aes = tested.AES(key)
    step = 5 if tested.name == "reference" else 1
    for last in range(0, 256, step):
        whole = bytes(16) + bytes([last]) * 16
        for spoilt in {None, 15, 16 - last, 16 - last + 1, 16 - last - 1}:
            if spoilt is not None and not 0 <= spoilt < 16:
                continue
            block = bytearray(whole)
            if spoilt is not None:
                block[16 + spoilt] ^= 0x80
            pad = block[-1]
            valid = 1 <= pad <= 16 and set(block[-pad:]) == {pad}
            ciphertext = peer(key, modes.CBC(iv), bytes(block))
            if valid:
                assert aes.cbc_decrypt(iv, ciphertext, pkcs7=True) == block[:-pad]
            else:
                with pytest.raises(ValueError, match="^invalid padding$"):
                    aes.cbc_decrypt(iv, ciphertext, pkcs7=True)
                decryptor = aes.cbc_decryptor(iv, pkcs7=True)
                decryptor.update(ciphertext)
                with pytest.raises(ValueError, match="^invalid padding$"):
                    decryptor.finalize()


def test_no_padding_is_longer_than_a_block(tested: BackendUnderTest) -> None:
    """Even if the length byte is repeated that often."""
    aes, iv = tested.AES(noise(16, 7)), noise(16, 8)
    some = (0, 17, 31, 32, 33, 48, 128, 255)
    for last in some if tested.name == "reference" else (0, *range(17, 256)):
        ciphertext = aes.cbc_encrypt(iv, bytes([last]) * 256)
        with pytest.raises(ValueError, match="^invalid padding$"):
            aes.cbc_decrypt(iv, ciphertext, pkcs7=True)


def test_padding_of_a_whole_block(tested: BackendUnderTest) -> None:
    aes = tested.AES(bytes(16))
    iv = bytes(16)
    for size in (0, 16, 32):
        ciphertext = aes.cbc_encrypt(iv, bytes(size), pkcs7=True)
        assert len(ciphertext) == size + 16
        assert aes.cbc_decrypt(iv, ciphertext, pkcs7=True) == bytes(size)


# ---- Pieces ------------------------------------------------------------------------


def cut(message: bytes, places: list[int]) -> list[bytes]:
    """Cuts the message at those places (taken modulo its size), in order."""
    ends = [*sorted(place % (len(message) + 1) for place in places), len(message)]
    starts = [0, *ends]
    return [message[start:end] for start, end in zip(starts, ends, strict=False)]


@pytest.mark.parametrize("mode", ["ecb", "cbc", "cbc_pkcs7", "ctr"])
def test_any_split_gives_the_same_bytes(tested: BackendUnderTest, mode: str) -> None:
    name, _, pkcs7 = mode.partition("_")
    options = {"pkcs7": True} if pkcs7 else {}
    messages = tested.block_messages() if mode in ("ecb", "cbc") else tested.messages()

    @tested.examples
    @given(keys, blocks, messages, st.lists(st.integers(0, 10**6), max_size=8), st.booleans())
    def check(key: bytes, iv: bytes, data: bytes, places: list[int], into: bool) -> None:
        aes = tested.AES(key)
        start = () if name == "ecb" else (iv,)
        ciphertext = getattr(aes, f"{name}_encrypt")(*start, data, **options)
        for direction, given_data, wanted in [
            ("encryptor", data, ciphertext),
            ("decryptor", ciphertext, data),
        ]:
            state = getattr(aes, f"{name}_{direction}")(*start, **options)
            output = bytearray()
            for piece in cut(given_data, places):
                if into:
                    buf = bytearray(b"\xaa" * (len(piece) + 31))
                    written = state.update_into(piece, buf)
                    assert buf[written:] == b"\xaa" * (len(buf) - written)
                    output += buf[:written]
                else:
                    result = state.update(piece)
                    assert type(result) is bytes
                    output += result
            output += state.finalize()
            assert output == wanted, direction

    check()


@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
def test_byte_by_byte(tested: BackendUnderTest, mode: str) -> None:
    aes = tested.AES(noise(16, 9))
    start = () if mode == "ecb" else (noise(16, 10),)
    data = noise(64, 11)
    wanted = getattr(aes, f"{mode}_encrypt")(*start, data)
    state = getattr(aes, f"{mode}_encryptor")(*start)
    output = b"".join(state.update(data[i : i + 1]) for i in range(len(data))) + state.finalize()
    assert output == wanted


@pytest.mark.parametrize("mode", ["ctr", "cfb", "cfb8", "ofb"])
@pytest.mark.parametrize("direction", ["encryptor", "decryptor"])
def test_stream_modes_return_every_byte_at_once(
    tested: BackendUnderTest, mode: str, direction: str
) -> None:
    state = getattr(tested.AES(noise(16, 9)), f"{mode}_{direction}")(noise(16, 10))
    for size in (4, 1, 11, 16, 17, 0, 33):
        assert len(state.update(noise(size))) == size
    assert state.finalize() == b""


@pytest.mark.parametrize("mode", ["ecb", "cbc"])
@pytest.mark.parametrize("direction", ["encryptor", "decryptor"])
def test_incremental_refuses_a_partial_block(
    tested: BackendUnderTest, mode: str, direction: str
) -> None:
    start = () if mode == "ecb" else (bytes(16),)
    state = getattr(tested.AES(bytes(16)), f"{mode}_{direction}")(*start)
    state.update(bytes(33))
    with pytest.raises(ValueError, match="multiple of 16"):
        state.finalize()


@pytest.mark.parametrize("size", [0, 15, 17])
def test_padded_decryptor_refuses_partial_blocks_and_nothing(
    tested: BackendUnderTest, size: int
) -> None:
    state = tested.AES(bytes(16)).cbc_decryptor(bytes(16), pkcs7=True)
    state.update(bytes(size))
    with pytest.raises(ValueError):
        state.finalize()


@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
@pytest.mark.parametrize("direction", ["encryptor", "decryptor"])
def test_finalized_is_final(tested: BackendUnderTest, mode: str, direction: str) -> None:
    """After finalize() every call is an error and never starts a second message."""
    start = () if mode == "ecb" else (bytes(16),)
    state = getattr(tested.AES(bytes(16)), f"{mode}_{direction}")(*start)
    state.update(bytes(16))
    state.finalize()
    for call in (
        lambda: state.update(bytes(16)),
        lambda: state.update(b""),
        lambda: state.update_into(bytes(16), bytearray(16)),
        state.finalize,
    ):
        with pytest.raises(RuntimeError, match="finalize"):
            call()


@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr"])
def test_update_into_needs_room_for_its_output_only(tested: BackendUnderTest, mode: str) -> None:
    """buf must hold the output, which may be shorter than the input. If buf is too small, the call
    changes neither buf nor the message."""
    start = () if mode == "ecb" else (noise(16, 12),)
    aes = tested.AES(noise(16, 13))
    data = noise(80, 14)
    wanted = getattr(aes, f"{mode}_encrypt")(*start, data)
    state = getattr(aes, f"{mode}_encryptor")(*start)
    output = bytearray()
    for begin, end in ((0, 7), (7, 40), (40, 41), (41, 80)):
        piece = data[begin:end]
        # update would return this many: whole blocks so far, or in CTR all bytes.
        size = (end if mode == "ctr" else end // 16 * 16) - len(output)
        if size:
            small = bytearray(b"\xaa" * (size - 1))
            with pytest.raises(ValueError, match=f"at least {size} bytes, not {size - 1}$"):
                state.update_into(piece, small)
            assert small == b"\xaa" * (size - 1)
        buf = bytearray(size)
        assert state.update_into(piece, buf) == size
        output += buf
    assert output + state.finalize() == wanted


def test_update_into_may_overlap(tested: BackendUnderTest, subtests: pytest.Subtests) -> None:
    aes, data = tested.AES(noise(16, 16)), noise(64, 17)
    for mode, distance in product(("ecb", "cbc", "ctr"), (-17, -16, -1, 0, 1, 16, 17)):
        with subtests.test(mode=mode, distance=distance):
            start = () if mode == "ecb" else (noise(16, 15),)
            wanted = getattr(aes, f"{mode}_encrypt")(*start, data)
            memory = memoryview(bytearray(128))
            memory[32:96] = data
            buf = memory[32 + distance : 96 + distance]
            encryptor = getattr(aes, f"{mode}_encryptor")(*start)
            assert encryptor.update_into(memory[32:96], buf) == 64
            assert buf == wanted
