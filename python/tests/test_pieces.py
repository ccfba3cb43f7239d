"""AEADs in pieces, on every backend: the joined pieces are the whole message, and an altered
message gives no plaintext."""

from __future__ import annotations

import array
import gc
import weakref
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import pytest
from backends import BackendUnderTest, noise
from hypothesis import given
from hypothesis import strategies as st

import rijn
from rijn.pure import python

ONLINE = (
    rijn.AESGCM,
    rijn.XAES256GCM,
    rijn.AESOCB3,
    rijn.AESEAX,
    rijn.AEGIS128L,
    rijn.AEGIS128X2,
    rijn.AEGIS128X4,
    rijn.AEGIS256,
    rijn.AEGIS256X2,
    rijn.AEGIS256X4,
)
each_online = pytest.mark.parametrize("cls", ONLINE, ids=lambda cls: cls.__name__)

# Cuts of a short message: around blocks, and around steps of AEGIS.
ENDS = (0, 1, 15, 16, 17, 31, 32, 33, 64, 65, 128, 129)


def nonce_of(cls: Any, seed: int = 0) -> bytes:
    return noise(12 if 12 in cls.nonce_sizes else cls.nonce_sizes[0], seed)


def step_of(cls: Any) -> int:
    """Returns a number of bytes: update returns multiples of it."""
    return 16 if cls is rijn.AESOCB3 else 1


def pieces_of(data: bytes, ends: Iterable[int]) -> list[bytes]:
    """Cuts the data at `ends`. Some pieces are empty."""
    cuts = [0, *sorted(min(end, len(data)) for end in ends), len(data)]
    return [data[start:end] for start, end in pairwise(cuts)]


def sealed_in_pieces(aead: Any, nonce: bytes, ad: bytes | None, pieces: list[bytes]) -> bytes:
    encryptor = aead.encryptor(nonce, ad)
    return b"".join([*map(encryptor.update, pieces), encryptor.finalize()])


def opened_in_pieces(aead: Any, nonce: bytes, ad: bytes | None, pieces: list[bytes]) -> bytes:
    decryptor = aead.decryptor(nonce, ad)
    for piece in pieces:
        assert decryptor.update(piece) == b""
    plaintext: bytes = decryptor.finalize()
    return plaintext


def whole(aead: Any, nonce: bytes, data: bytes, ad: bytes, ends: Iterable[int]) -> None:
    """Checks that pieces cut at `ends`, joined, are the results of the one-shot methods."""
    ends = list(ends)
    sealed = aead.encrypt(nonce, data, ad)
    assert sealed_in_pieces(aead, nonce, ad, pieces_of(data, ends)) == sealed, ends
    assert opened_in_pieces(aead, nonce, ad, pieces_of(sealed, ends)) == data, ends


@each_online
def test_any_split_gives_the_whole(tested: BackendUnderTest, cls: Any) -> None:
    @tested.examples
    @given(
        st.sampled_from(cls.key_sizes),
        st.sampled_from(cls.tag_lengths[-2:]),
        st.integers(0, 300 if tested.name != "reference" else 70),
        st.integers(0, 40),
        st.lists(st.integers(0, 330), max_size=8),
        st.integers(0, 2**32),
    )
    def check(
        key_size: int, tag_length: int, size: int, ad_size: int, ends: list[int], seed: int
    ) -> None:
        aead = tested.make(cls, noise(key_size, seed), tag_length=tag_length)
        whole(aead, nonce_of(cls, seed), noise(size, seed), noise(ad_size, seed), ends)

    check()


@each_online
def test_splits_at_blocks(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, noise(cls.key_sizes[0], 1))
    data = noise(40 if tested.name == "reference" else 150, 2)
    for end in ENDS if not tested.effort.brief else (0, 1, 16, 17, 33):
        whole(aead, nonce_of(cls), data, b"header", [end])
    whole(aead, nonce_of(cls), data, b"", ENDS)
    whole(aead, nonce_of(cls), b"", b"header", [0])


@each_online
def test_splits_at_batches(tested: BackendUnderTest, cls: Any) -> None:
    if tested.name == "reference":
        pytest.skip("backend reference: one block at a time")
    aead = tested.make(cls, noise(cls.key_sizes[0], 3))
    batch = 16 * tested.width
    data = noise(3 * batch + 21, 4)
    for end in (batch - 1, batch, batch + 1, batch + 16, 2 * batch, 2 * batch + 17):
        whole(aead, nonce_of(cls), data, noise(batch + 1, 5), [end])
        whole(aead, nonce_of(cls), data, b"", [5, end])


@pytest.mark.backends("python", "numpy", "numba")
@pytest.mark.parametrize("cls", ONLINE[:3], ids=lambda cls: cls.__name__)
def test_long_pieces(tested: BackendUnderTest, cls: Any) -> None:
    """Pieces of every layout one after the other, the last of a chunk and more."""
    aead = tested.make(cls, noise(cls.key_sizes[-1], 6))
    sizes = [
        5,
        16 * python.PythonEngine.HASH_FROM[1] + 7,
        3,
        30_000,
        100,
        16 * python.PythonEngine.BITS_FROM + 9,
    ]
    ends = [sum(sizes[:i]) for i in range(1, len(sizes) + 1)]
    data = noise((1 << 20) + ends[-1] + 77, 7)
    whole(aead, nonce_of(cls), data, noise(100, 8), ends)


@each_online
def test_any_buffer(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, noise(cls.key_sizes[0], 9))
    nonce, ad, data = nonce_of(cls), noise(24, 10), noise(48, 11)
    sealed = aead.encrypt(nonce, data, ad)
    for kind in (bytearray, memoryview, lambda value: array.array("H", value)):
        encryptor = aead.encryptor(kind(nonce), kind(ad))
        assert encryptor.update(kind(data)) + encryptor.finalize() == sealed
        decryptor = aead.decryptor(kind(nonce), kind(ad))
        decryptor.update(kind(sealed))
        assert decryptor.finalize() == data
    # The caller may change buffers afterwards.
    room, header = bytearray(data), bytearray(ad)
    encryptor = aead.encryptor(nonce, header)
    header[:] = bytes(len(header))
    output = encryptor.update(memoryview(room)[:37])
    room[:37] = bytes(37)
    assert output + encryptor.update(memoryview(room)[37:]) + encryptor.finalize() == sealed
    assert sealed_in_pieces(aead, nonce, None, [data]) == aead.encrypt(nonce, data)


@each_online
def test_every_byte_at_once(tested: BackendUnderTest, cls: Any) -> None:
    """Like `cryptography` and PyCryptodome. Code ported from them may ignore all bytes of finalize
    except the tag. OCB3 returns whole blocks, also in PyCryptodome."""
    aead = tested.make(cls, noise(cls.key_sizes[0], 25))
    nonce, data = nonce_of(cls), noise(150, 26)
    sealed = aead.encrypt(nonce, data, b"header")
    step = step_of(cls)
    for size in (1, 4, 15, 16, 17, 33, 149) if not tested.effort.brief else (4, 33):
        encryptor = aead.encryptor(nonce, b"header")
        output = b""
        for taken in range(0, len(data), size):
            output += encryptor.update(data[taken : taken + size])
            assert len(output) == min(taken + size, len(data)) // step * step, size
        assert output + encryptor.finalize() == sealed, size


@each_online
def test_update_into(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, noise(cls.key_sizes[0], 12))
    nonce, data = nonce_of(cls), noise(70, 13)
    sealed = aead.encrypt(nonce, data)
    for ends in ([1, 17, 33], [16, 32], [40]):
        encryptor = aead.encryptor(nonce)
        output = b""
        for piece in pieces_of(data, ends):
            buf = bytearray(b"\xaa" * (len(piece) + 16))
            size = encryptor.update_into(piece, buf)
            assert buf[size:] == b"\xaa" * (len(buf) - size)
            output += buf[:size]
        assert output + encryptor.finalize() == sealed
        assert len(output) == len(data) // step_of(cls) * step_of(cls)
    # In place, then into a buffer that is too small, which changes nothing.
    encryptor = aead.encryptor(nonce)
    room = bytearray(data[:64])
    with pytest.raises(ValueError, match="^buf must be at least 64 bytes, not 63$"):
        encryptor.update_into(room, memoryview(bytearray(63)))
    assert encryptor.update_into(room, room) == 64
    assert room + encryptor.update(data[64:]) + encryptor.finalize() == sealed
    with pytest.raises(BufferError):
        aead.encryptor(nonce).update_into(data, bytes(100))


@each_online
def test_crypt_into(tested: BackendUnderTest, cls: Any) -> None:
    """The private stream works in place or apart, at the exact size. If it refuses a buffer, it has
    changed nothing."""
    aead = tested.make(cls, noise(cls.key_sizes[0], 23))
    nonce, data = nonce_of(cls), noise(64 + 7, 24)
    sealed = aead.encrypt(nonce, data)
    room = bytearray(data)
    stream = aead._stream(nonce, None, False)
    for buf in (bytearray(63), bytearray(65)):
        with pytest.raises(ValueError, match=f"^buf must be exactly 64 bytes, not {len(buf)}$"):
            stream.crypt_into(data[:64], buf)
    with pytest.raises(BufferError, match="^buf must be writable$"):
        stream.crypt_into(data[:64], bytes(64))
    with pytest.raises(ValueError, match="^data and buf overlap$"):
        stream.crypt_into(memoryview(room)[:64], memoryview(room)[1:65])
    assert room == data
    assert stream.crypt_into(memoryview(room)[:64], memoryview(room)[:64]) == 64
    assert stream.crypt_into(buf=memoryview(room)[64:], data=data[64:]) == 7
    assert room + stream.tag() == sealed
    with pytest.raises(RuntimeError, match="finalize or verify has been called"):
        stream.crypt_into(b"", bytearray())
    stream = aead._stream(nonce, None, True)
    apart = bytearray(len(data))
    assert stream.crypt_into(sealed[: len(data)], apart) == len(data)
    stream.verify(sealed[len(data) :])
    assert apart == data


# ---- Nothing before the end -----------------------------------------------------------


@each_online
def test_altered_messages_give_no_plaintext(tested: BackendUnderTest, cls: Any) -> None:
    slow = tested.name == "reference"
    size = 3 if slow else 19
    tag_length = cls.tag_lengths[-1]
    aead = tested.make(cls, noise(cls.key_sizes[0], 14), tag_length=tag_length)
    nonce, ad, data = nonce_of(cls), noise(3, 15), noise(size, 16)
    sealed = aead.encrypt(nonce, data, ad)
    assert opened_in_pieces(aead, nonce, ad, [sealed]) == data

    def refused(nonce: bytes, ad: bytes, sealed: bytes) -> None:
        decryptor = aead.decryptor(nonce, ad)
        for piece in pieces_of(sealed, [17]):
            assert decryptor.update(piece) == b""
        with pytest.raises(rijn.InvalidTag):
            decryptor.finalize()
        with pytest.raises(RuntimeError, match="finalize has been called"):
            decryptor.finalize()

    message = nonce + ad + sealed
    for bit in range(0, 8 * len(message), tested.effort.bits):
        altered = bytearray(message)
        altered[bit // 8] ^= 1 << bit % 8
        end = len(nonce) + len(ad)
        refused(altered[: len(nonce)], altered[len(nonce) : end], altered[end:])
    for cut in range(0, len(sealed), 4 if tested.effort.brief else 1):
        refused(nonce, ad, sealed[:cut])
    for start in range(1, len(sealed), 5):
        refused(nonce, ad, sealed[start:])
    refused(nonce, ad, sealed + b"\0")
    refused(nonce, ad + b"\0", sealed)
    refused(nonce, b"", sealed)


class Watched:
    """A stream that counts the live buffers that it has written to."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.kept: list[weakref.ref[Any]] = []

    def crypt_into(self, data: Any, buf: Any) -> int:
        self.kept.append(weakref.ref(buf))
        size: int = self.stream.crypt_into(data, buf)
        return size

    @property
    def alive(self) -> int:
        return sum(kept() is not None for kept in self.kept)

    def verify(self, tag: Any) -> None:
        self.stream.verify(tag)


@each_online
def test_forged_plaintext_is_freed(tested: BackendUnderTest, cls: Any) -> None:
    """Even while the exception, with the frames that it holds, still exists."""
    gc.freeze()  # garbage of other tests need not be searched again
    aead = tested.make(cls, noise(cls.key_sizes[0], 17))
    sealed = bytearray(aead.encrypt(nonce_of(cls), noise(100, 18)))
    sealed[-1] ^= 1
    decryptor = aead.decryptor(nonce_of(cls))
    decryptor._stream = watched = Watched(decryptor._stream)
    for piece in pieces_of(bytes(sealed), [32, 64]):
        decryptor.update(piece)
    gc.collect()
    assert watched.alive == 3
    with pytest.raises(rijn.InvalidTag) as caught:
        decryptor.finalize()
    gc.collect()
    assert len(watched.kept) == 4
    assert watched.alive == 0, caught


@each_online
def test_update_unverified(tested: BackendUnderTest, cls: Any) -> None:
    """All bytes except a tag's length come at once (OCB3: whole blocks), and only once."""
    aead = tested.make(cls, noise(cls.key_sizes[0], 19))
    nonce, data = nonce_of(cls), noise(61, 20)
    sealed = aead.encrypt(nonce, data, b"header")
    decryptor = aead.decryptor(nonce, b"header")
    output = b""
    for i, piece in enumerate(pieces_of(sealed, range(0, len(sealed), 7))):
        output += decryptor.update_unverified(piece)
        taken = min(7 * i, len(sealed))
        assert len(output) == max(taken - aead.tag_length, 0) // step_of(cls) * step_of(cls)
        assert output == data[: len(output)]
    assert output + decryptor.finalize() == data
    # Both methods in one message.
    decryptor = aead.decryptor(nonce, b"header")
    first = decryptor.update_unverified(sealed[:40])
    decryptor.update(sealed[40:])
    assert first + decryptor.finalize() == data
    # A forged message, which finalize reports.
    forged = bytearray(sealed)
    forged[0] ^= 0x80
    decryptor = aead.decryptor(nonce, b"header")
    assert decryptor.update_unverified(forged)[:16] != data[:16]
    with pytest.raises(rijn.InvalidTag):
        decryptor.finalize()


# ---- Errors ---------------------------------------------------------------------------


@each_online
def test_finished_messages_raise(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, noise(cls.key_sizes[0], 21))
    encryptor = aead.encryptor(nonce_of(cls))
    sealed = encryptor.update(b"data") + encryptor.finalize()
    decryptor = aead.decryptor(nonce_of(cls))
    decryptor.update(sealed)
    assert decryptor.finalize() == b"data"
    calls: list[Callable[[], object]] = [
        lambda: encryptor.update(b""),
        lambda: encryptor.update_into(b"", bytearray()),
        encryptor.finalize,
        lambda: decryptor.update(b""),
        lambda: decryptor.update_unverified(b""),
        decryptor.finalize,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="^finalize has been called$"):
            call()
    # The private stream raises, too.
    for ended in (encryptor._stream, decryptor._stream):
        for call in (
            lambda ended=ended: ended.crypt(b""),
            ended.tag,
            lambda ended=ended: ended.verify(bytes(16)),
        ):
            with pytest.raises(RuntimeError, match="finalize or verify has been called"):
                call()


@each_online
def test_wrong_arguments(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, noise(cls.key_sizes[0], 22))
    for start in (aead.encryptor, aead.decryptor):
        for size in (0, 1, 11, 15, 16, 17, 23, 25, 31, 33):
            if size not in cls.nonce_sizes:
                with pytest.raises(ValueError, match="^nonce must "):
                    start(bytes(size))
        for wrong in (None, "text", 5):
            with pytest.raises(TypeError):
                start(wrong)
        for wrong in ("text", 5):
            with pytest.raises(TypeError):
                start(nonce_of(cls), wrong)
        with pytest.raises(BufferError):
            start(nonce_of(cls), memoryview(bytes(32))[::2])
    # A call that raises changes nothing.
    encryptor, decryptor = aead.encryptor(nonce_of(cls)), aead.decryptor(nonce_of(cls))
    for update in (encryptor.update, decryptor.update, decryptor.update_unverified):
        for wrong in (None, "text", 5):
            with pytest.raises(TypeError):
                update(wrong)
        with pytest.raises(BufferError):
            update(memoryview(bytes(32))[::2])
    sealed = encryptor.update(b"data") + encryptor.finalize()
    assert sealed == aead.encrypt(nonce_of(cls), b"data")
    decryptor.update(sealed)
    assert decryptor.finalize() == b"data"


@pytest.mark.backends("python", "reference")
def test_too_long(tested: BackendUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit applies to all the pieces together."""
    aead = tested.AESGCM(noise(16))
    monkeypatch.setattr(type(aead), "data_max", 40)
    encryptor = aead.encryptor(bytes(12))
    first = encryptor.update(bytes(32))
    with pytest.raises(ValueError, match="^data is too long: at most 8 bytes more$"):
        encryptor.update(bytes(16))
    rest = encryptor.update(bytes(8)) + encryptor.finalize()
    assert first + rest == aead.encrypt(bytes(12), bytes(40))
    stream = aead._stream(bytes(12), None, False)
    stream.crypt(bytes(32))
    with pytest.raises(ValueError, match="^data is too long: at most 8 bytes more$"):
        stream.crypt(bytes(9))
    stream.crypt(bytes(8))
    with pytest.raises(ValueError, match="^data is too long: at most 0 bytes more$"):
        stream.crypt(bytes(1))


def test_other_modes_have_no_pieces(tested: BackendUnderTest) -> None:
    """These modes read a message twice, or not from its start."""
    for aead in (tested.AESGCMSIV(bytes(16)), tested.AESCCM(bytes(16)), tested.AESSIV(bytes(32))):
        assert not hasattr(aead, "encryptor")
        assert not hasattr(aead, "stream")
