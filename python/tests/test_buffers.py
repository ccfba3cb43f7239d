"""Inputs and outputs: every kind of buffer, every alignment, in place, apart, and overlapping."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import sys
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backends import BackendUnderTest, noise
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Peer
from hypothesis import given
from hypothesis import strategies as st
from public import AEADS

import rijn

KEY = noise(16, 1)
NONCE = noise(12, 2)
AD = noise(16, 3)
DATA = noise(64, 4)
SEALED = Peer(KEY).encrypt(NONCE, DATA, AD)


def mapped(data: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(data))
    memory[:] = data
    return memory


def words(data: bytes) -> array[int]:
    return array("I", data)


def matrix(data: bytes) -> np.ndarray:
    """Returns a buffer of two dimensions, C-contiguous, with items of 16 bits."""
    return np.frombuffer(data, dtype=np.uint16).reshape(2, -1).copy()


def inner(data: bytes) -> memoryview:
    """Returns part of a larger buffer, at an odd address."""
    return memoryview(bytearray(b"\xaa" * 3 + data + b"\xbb" * 5))[3:-5]


WRITABLE: list[Callable[[bytes], object]] = [bytearray, mapped, words, matrix, inner]
READABLE: list[Callable[[bytes], object]] = [bytes, memoryview, *WRITABLE]


@pytest.mark.parametrize("kind", READABLE, ids=lambda kind: kind.__name__)
def test_every_buffer_is_accepted(
    tested: BackendUnderTest, kind: Callable[[bytes], object]
) -> None:
    """As key, nonce, IV, counter, associated data and data. Sizes are always bytes."""
    nonce = noise(16, 5)
    sealed = Peer(KEY).encrypt(nonce, DATA, AD)
    aead = tested.AESGCM(kind(KEY))
    assert aead.encrypt(kind(nonce), kind(DATA), kind(AD)) == sealed
    assert aead.decrypt(kind(nonce), kind(sealed), kind(AD)) == DATA

    aes, plain = tested.AES(kind(KEY)), tested.AES(KEY)
    iv = noise(16, 6)
    assert aes.ecb_encrypt(kind(DATA)) == plain.ecb_encrypt(DATA)
    assert aes.ecb_decrypt(kind(DATA)) == plain.ecb_decrypt(DATA)
    assert aes.cbc_encrypt(kind(iv), kind(DATA)) == plain.cbc_encrypt(iv, DATA)
    assert aes.cbc_decrypt(kind(iv), kind(DATA)) == plain.cbc_decrypt(iv, DATA)
    assert aes.ctr_encrypt(kind(iv), kind(DATA)) == plain.ctr_encrypt(iv, DATA)
    encryptor = aes.ctr_encryptor(kind(iv))
    assert encryptor.update(kind(DATA)) == plain.ctr_encrypt(iv, DATA)


@pytest.mark.parametrize("kind", WRITABLE, ids=lambda kind: kind.__name__)
def test_every_writable_buffer_takes_results(
    tested: BackendUnderTest, kind: Callable[[bytes], object]
) -> None:
    aead = tested.AESGCM(KEY)
    buf = kind(bytes(len(SEALED)))
    assert aead.encrypt_into(NONCE, DATA, AD, buf) == len(SEALED)
    assert bytes(memoryview(buf)) == SEALED
    buf = kind(bytes(len(DATA)))
    assert aead.decrypt_into(NONCE, SEALED, AD, buf) == len(DATA)
    assert bytes(memoryview(buf)) == DATA
    buf = kind(bytes(len(DATA)))
    assert tested.AES(KEY).ctr_encryptor(AD).update_into(DATA, buf) == len(DATA)
    assert bytes(memoryview(buf)) == tested.AES(KEY).ctr_encrypt(AD, DATA)


def test_results_are_bytes(tested: BackendUnderTest) -> None:
    aead, aes, iv = tested.AESGCM(KEY), tested.AES(KEY), bytes(16)
    results = [
        aead.encrypt(NONCE, bytearray(DATA)),
        aead.decrypt(NONCE, bytearray(SEALED), AD),
        aes.ecb_encrypt(bytearray(DATA)),
        aes.ecb_decrypt(bytearray(DATA)),
        aes.cbc_encrypt(iv, bytearray(DATA)),
        aes.cbc_encrypt(iv, bytearray(DATA), pkcs7=True),
        aes.cbc_decrypt(iv, bytearray(DATA)),
        aes.ctr_encrypt(iv, bytearray(DATA)),
        aes.ctr_decrypt(iv, bytearray(DATA)),
        aes.ctr_encrypt(iv, bytearray()),
    ]
    assert {type(result) for result in results} == {bytes}


def strided() -> memoryview:
    return memoryview(bytearray(128))[::2]


def reversed_view() -> memoryview:
    return memoryview(bytearray(64))[::-1]


def fortran() -> np.ndarray:
    return np.zeros((8, 8), dtype=np.uint8, order="F")[:, :]


def column() -> np.ndarray:
    return np.zeros((64, 2), dtype=np.uint8)[:, 0]


@pytest.mark.parametrize(
    "kind", [strided, reversed_view, fortran, column], ids=lambda kind: kind.__name__
)
def test_buffers_that_are_not_c_contiguous_are_refused(
    tested: BackendUnderTest, kind: Callable[[], object]
) -> None:
    view = kind()
    aead, aes = tested.AESGCM(KEY), tested.AES(KEY)
    for name, call in (
        ("data", lambda: aes.ecb_encrypt(view)),
        ("data", lambda: aes.cbc_encrypt(bytes(16), view)),
        ("data", lambda: aes.ctr_encrypt(bytes(16), view)),
        ("data", lambda: aes.ctr_encryptor(bytes(16)).update(view)),
        ("nonce", lambda: aead.encrypt(view, DATA)),
        ("data", lambda: aead.encrypt(NONCE, view)),
        ("associated_data", lambda: aead.encrypt(NONCE, DATA, view)),
        ("data", lambda: aead.decrypt(NONCE, view)),
        ("buf", lambda: aead.encrypt_into(NONCE, bytes(48), None, view)),
        ("buf", lambda: aead.decrypt_into(NONCE, bytes(80), None, view)),
    ):
        with pytest.raises(BufferError, match=rf"^{name} must be C-contiguous$"):
            call()


def test_a_read_only_buf_is_refused(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    for readonly in (bytes(len(SEALED)), memoryview(bytearray(len(SEALED))).toreadonly()):
        with pytest.raises(BufferError, match=r"^buf must be writable$"):
            aead.encrypt_into(NONCE, DATA, AD, readonly)
        assert bytes(readonly) == bytes(len(SEALED))


@pytest.mark.parametrize("wrong", ["text", 16, None, 1.5, [1, 2, 3]], ids=repr)
def test_objects_without_a_buffer_are_a_type_error(tested: BackendUnderTest, wrong: object) -> None:
    aead, aes = tested.AESGCM(KEY), tested.AES(KEY)
    for call in (
        lambda: tested.AES(wrong),
        lambda: tested.AESGCM(wrong),
        lambda: aes.ecb_encrypt(wrong),
        lambda: aes.cbc_decrypt(wrong, DATA),
        lambda: aes.ctr_encrypt(bytes(16), wrong),
        lambda: aead.encrypt(wrong, DATA),
        lambda: aead.encrypt(NONCE, wrong),
        lambda: aead.decrypt(NONCE, wrong),
        lambda: aead.encrypt_into(NONCE, DATA, AD, wrong),
    ):
        with pytest.raises(TypeError):
            call()
    if wrong is not None:
        with pytest.raises(TypeError):
            aead.encrypt(NONCE, DATA, wrong)


def alignments(tested: BackendUnderTest) -> range:
    return range(0, 16, 5) if tested.name == "reference" else range(16)


def test_every_alignment(tested: BackendUnderTest) -> None:
    """Input and output at each offset from a 16-byte boundary, more than one batch long, so
    that the wide loads are reached. The bytes around the output stay unchanged."""
    size = 16 * tested.width + 19
    data = noise(size, 7)
    sealed = Peer(KEY).encrypt(NONCE, data, AD)
    aead, aes = tested.AESGCM(KEY), tested.AES(KEY)
    ctr = aes.ctr_encrypt(AD, data)
    memory = mmap.mmap(-1, mmap.PAGESIZE * 4)  # page-aligned, so offsets are exact
    view = memoryview(memory)
    half = mmap.PAGESIZE * 2
    for source in alignments(tested):
        target = half + (source * 7 + 3) % 16
        view[:] = b"\xaa" * len(view)
        view[source : source + size] = data
        buf = view[target : target + size + 16]
        aead.encrypt_into(NONCE, view[source : source + size], AD, buf)
        assert buf == sealed, (source, target)
        assert aes.ctr_encrypt(AD, view[source : source + size]) == ctr
        assert view[target - 16 : target] == b"\xaa" * 16
        assert view[target + size + 16 : target + size + 32] == b"\xaa" * 16

        back = view[source : source + size]
        back[:] = bytes(size)
        aead.decrypt_into(NONCE, buf, AD, back)
        assert back == data, (source, target)
        assert view[:source] == b"\xaa" * source
        assert view[source + size : source + size + 16] == b"\xaa" * 16


def test_in_place(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(tested.messages(), st.integers(0, 40), st.sampled_from([4, 8, 12, 13, 14, 15, 16]))
    def check(data: bytes, offset: int, tag_length: int) -> None:
        aead = tested.AESGCM(KEY, tag_length=tag_length)
        sealed = Peer(KEY).encrypt(NONCE, data, AD)[: len(data) + tag_length]
        memory = bytearray(b"\xaa" * offset + data + bytes(tag_length) + b"\xaa" * 16)
        text = memoryview(memory)[offset : offset + len(data)]
        whole = memoryview(memory)[offset : offset + len(sealed)]
        assert aead.encrypt_into(NONCE, text, AD, whole) == len(sealed)
        assert whole == sealed
        assert aead.decrypt_into(NONCE, whole, AD, text) == len(data)
        assert text == data
        assert memory[:offset] == b"\xaa" * offset
        assert memory[offset + len(sealed) :] == b"\xaa" * 16

    check()


def test_apart(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(tested.messages(), st.integers(0, 40), st.integers(0, 40), st.booleans())
    def check(data: bytes, before: int, between: int, output_first: bool) -> None:
        """Both buffers are in one memory, in either order, with any gap or none."""
        aead = tested.AESGCM(KEY)
        sealed = Peer(KEY).encrypt(NONCE, data, AD)
        n, m = len(data), len(sealed)
        memory = memoryview(bytearray(before + n + between + m))
        first, second = (m, n) if output_first else (n, m)
        one = memory[before : before + first]
        two = memory[before + first + between : before + first + between + second]
        text, whole = (two, one) if output_first else (one, two)
        text[:] = data
        assert aead.encrypt_into(NONCE, text, AD, whole) == m
        assert whole == sealed
        text[:] = bytes(n)
        assert aead.decrypt_into(NONCE, whole, AD, text) == n
        assert text == data

    check()


def test_partial_overlap_is_refused(tested: BackendUnderTest) -> None:
    """At every distance but 0. The refused call has written nothing."""
    aead = tested.AESGCM(KEY)
    size = 48
    content = noise(3 * (size + 16), 8)
    start = size + 16
    memory = bytearray(content)
    view = memoryview(memory)
    for distance in range(-(size + 15), size):
        if distance == 0:
            continue
        data = view[start : start + size]
        buf = view[start + distance : start + distance + size + 16]
        with pytest.raises(ValueError, match="^data and buf overlap$"):
            aead.encrypt_into(NONCE, data, AD, buf)
        assert memory == content, distance
    for distance in range(-(size - 1), size + 16):
        if distance == 0:
            continue
        data = view[start : start + size + 16]
        buf = view[start + distance : start + distance + size]
        with pytest.raises(ValueError, match="^data and buf overlap$"):
            aead.decrypt_into(NONCE, data, AD, buf)
        assert memory == content, distance


def test_neighbours_do_not_overlap(tested: BackendUnderTest) -> None:
    """One buffer begins at the byte where the other ends, on either side."""
    aead = tested.AESGCM(KEY)
    memory = bytearray(noise(200, 9))
    view = memoryview(memory)
    sealed = aead.encrypt(NONCE, bytes(view[64:112]), AD)
    assert aead.encrypt_into(NONCE, view[64:112], AD, view[112:176]) == 64
    assert memory[112:176] == sealed
    assert aead.encrypt_into(NONCE, view[64:112], AD, view[0:64]) == 64
    assert memory[0:64] == sealed
    assert aead.decrypt_into(NONCE, view[0:64], AD, view[64:112]) == 48
    assert aead.decrypt_into(NONCE, view[112:176], AD, view[64:112]) == 48
    # The nonce lies before buf, the associated data after it.
    memory[:12], memory[76:84] = NONCE, b"somebody"
    sealed = aead.encrypt(NONCE, bytes(48), b"somebody")
    assert aead.encrypt_into(view[:12], bytes(48), view[76:84], view[12:76]) == 64
    assert memory[12:76] == sealed


@pytest.mark.parametrize("cls", AEADS, ids=lambda cls: cls.__name__)
def test_other_arguments_may_not_overlap(tested: BackendUnderTest, cls: Any) -> None:
    """Nonce and associated data inside the output, by their first or last byte or whole, in
    place or apart. They may be next to it. The refused call has written nothing."""
    aead = tested.make(cls, noise(cls.key_sizes[0], 1))
    n = 12 if 12 in cls.nonce_sizes else cls.nonce_sizes[0]
    content = noise(200, 9)
    memory = bytearray(content)
    view = memoryview(memory)
    nonce, ad, data = noise(n, 2), noise(9, 3), view[60:108]
    for method, more, text in (
        (aead.encrypt_into, 16, data),
        (aead.decrypt_into, 0, memoryview(bytes(64))),
        (aead.decrypt_into, -16, data),
    ):
        buf = view[60 : 108 + more]
        for size, name in ((n, "nonce"), (9, "associated_data"), (1, "associated_data")):
            for start in (60 - size + 1, 60, 70, 107 + more):
                inside = view[start : start + size]
                given = (inside, text, ad) if name == "nonce" else (nonce, text, inside)
                with pytest.raises(ValueError, match=f"^{name} and buf overlap$"):
                    method(*given, buf)
                assert memory == content
    for inside in (view[60 - n : 60], view[124 : 124 + n]):
        aead.encrypt_into(inside, data, inside, view[60:124])
        aead.decrypt_into(inside, view[60:124], inside, data)
        assert memory[60:108] == content[60:108]


def test_the_nonce_of_chunks_may_not_overlap(tested: BackendUnderTest) -> None:
    for cls in (rijn.AESGCM, rijn.AEGIS256):
        aead = tested.make(cls, noise(cls.key_sizes[-1], 1))
        n = cls.chunk_nonce_size
        view = memoryview(bytearray(200))
        for start in (60 - n + 1, 60, 91):
            with pytest.raises(ValueError, match="^nonce and buf overlap$"):
                aead.seal_chunks(view[start : start + n], 0, 16, False, bytes(16), view[60:92])
            with pytest.raises(ValueError, match="^nonce and buf overlap$"):
                aead.open_chunks(view[start : start + n], 0, 32, False, bytes(48), view[60:92])
        assert view == bytes(200)


def test_the_strings_of_siv_may_not_overlap(tested: BackendUnderTest) -> None:
    siv = tested.AESSIV(noise(32, 1))
    view = memoryview(bytearray(200))
    for start in (51, 60, 91):
        strings = [b"one", view[start : start + 10]]
        with pytest.raises(ValueError, match="^associated_data and buf overlap$"):
            siv.encrypt_into(bytes(16), strings, view[60:92])
        with pytest.raises(ValueError, match="^associated_data and buf overlap$"):
            siv.decrypt_into(bytes(48), strings, view[60:92])
    assert view == bytes(200)
    # Only the strings of this call count, not leftovers of the call before on the stack.
    assert siv.encrypt_into(bytes(16), strings[:1], view[90:122]) == 32


def test_wrong_buf_sizes(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(KEY)
    for size in (0, 63, 64, 79, 81, 160):
        buf = bytearray(b"\xaa" * size)
        with pytest.raises(ValueError, match=f"^buf must be exactly 80 bytes, not {size}$"):
            aead.encrypt_into(NONCE, DATA, AD, buf)
        assert buf == b"\xaa" * size
    for size in (0, 63, 65, 80):
        buf = bytearray(b"\xaa" * size)
        with pytest.raises(ValueError, match=f"^buf must be exactly 64 bytes, not {size}$"):
            aead.decrypt_into(NONCE, SEALED, AD, buf)
        assert buf == b"\xaa" * size


def test_inputs_are_not_changed(tested: BackendUnderTest) -> None:
    """Keys and IVs are copied, so the caller may change them afterwards. No call writes to its
    inputs."""
    key, iv, data, ad = (bytearray(part) for part in (KEY, AD, DATA, AD))
    aes, aead = tested.AES(key), tested.AESGCM(key)
    encryptor = aes.cbc_encryptor(iv)
    wanted = aes.cbc_encrypt(iv, data), aead.encrypt(iv, data, ad)
    key[:] = bytes(16)
    assert (aes.cbc_encrypt(iv, data), aead.encrypt(iv, data, ad)) == wanted
    assert (iv, data, ad) == (AD, DATA, AD)
    iv[:] = bytes(16)
    assert encryptor.update(data) + encryptor.finalize() == wanted[0]


def refusals(
    tested: BackendUnderTest, data: bytearray, buf: bytearray
) -> list[Callable[[], object]]:
    """Returns calls that fail, each at another place."""
    aead, aes, iv = tested.AESGCM(KEY), tested.AES(KEY), bytearray(16)
    return [
        lambda: tested.AES(data),
        lambda: aes.ecb_encrypt(data),
        lambda: aes.cbc_encrypt(iv, data),
        lambda: aes.cbc_decrypt(data, iv, pkcs7=True),
        lambda: aes.cbc_decrypt(iv, iv, pkcs7=True),
        lambda: aes.ctr_encrypt(data, iv),
        lambda: aead.encrypt(b"", data),
        lambda: aead.encrypt(data, data, "text"),
        lambda: aead.decrypt(data, data, data),
        lambda: aead.decrypt(data, data[:3], data),
        lambda: aead.encrypt_into(data, data, data, buf),
        lambda: aead.encrypt_into(data, data, data, data),
        lambda: aead.encrypt_into(data, data, data, bytes(57)),
        lambda: aead.decrypt_into(data, data, data, buf),
        lambda: aead.decrypt_into(data, buf + bytes(16), data, buf),
        lambda: aead.seal_chunks(bytes(12), 0, 5, False, data, buf),
        lambda: aead.open_chunks(bytes(12), 0, 25, False, data, bytearray(25)),
    ]


def test_refusals_release_buffers(tested: BackendUnderTest) -> None:
    """A bytearray cannot be resized while a call holds it."""
    data, buf = bytearray(41), bytearray(7)
    for number, call in enumerate(refusals(tested, data, buf)):
        try:
            call()
        except (ValueError, TypeError, BufferError, rijn.InvalidTag):
            pass
        else:
            pytest.fail(f"refusal {number} was none")
        for held in (data, buf):
            held.append(0)
            held.pop()


@pytest.mark.backends("aesni")
def test_nothing_leaks(tested: BackendUnderTest) -> None:
    """The binding is one for all native backends. Neither success nor failure keeps memory, or
    a reference to an argument."""
    data, buf, iv = bytearray(41), bytearray(57), bytes(16)
    aead, aes = tested.AESGCM(KEY), tested.AES(KEY)
    calls = [
        lambda: tested.AES(KEY),
        lambda: tested.AESGCM(KEY),
        lambda: aes.ecb_encrypt(iv),
        lambda: aes.cbc_decrypt(iv, aes.cbc_encrypt(iv, data, pkcs7=True), pkcs7=True),
        lambda: aes.ctr_encrypt(iv, data=data),
        lambda: aead.encrypt(nonce=iv, data=data),
        lambda: aead.decrypt(iv, aead.encrypt(iv, data, data), associated_data=data),
        lambda: aead.encrypt_into(iv, data, None, buf),
        lambda: aead.backend + aes.backend + str(aead.tag_length),
        lambda: rijn.backends(),
        *refusals(tested, data, bytearray(7)),
    ]
    gc.freeze()  # existing objects need not be searched again and again
    for number, call in enumerate(calls):

        def repeat(call: Callable[[], object] = call) -> int:
            for _ in range(300):
                with contextlib.suppress(
                    ValueError, TypeError, BufferError, rijn.InvalidTag, OverflowError
                ):
                    call()
            gc.collect()
            return sys.getallocatedblocks()

        repeat()
        references = [sys.getrefcount(thing) for thing in (data, buf, iv, aead, aes)]
        before = repeat()
        grown = repeat() - before
        assert grown < 100, (number, grown)
        assert references == [sys.getrefcount(thing) for thing in (data, buf, iv, aead, aes)]
    gc.unfreeze()


def objects() -> np.ndarray:
    return np.array([b"x" * 16, b"y" * 16], dtype=object)


def fields() -> np.ndarray:
    """Returns an array with an object among numbers."""
    return np.zeros(1, dtype=[("number", "<u8"), ("thing", object)])


def pointers() -> Any:
    return (ctypes.py_object * 2)(b"x", b"y")


@pytest.mark.parametrize("kind", [objects, fields, pointers], ids=lambda kind: kind.__name__)
def test_buffers_of_python_objects_are_refused(
    tested: BackendUnderTest, kind: Callable[[], Any]
) -> None:
    """Their bytes are addresses: reading them is wrong, and writing them is fatal. test_public.py
    tests every other parameter."""
    refused = "must be a bytes-like object, not a buffer of Python objects$"
    wrong, offsets = kind(), array("i", [0, 16])
    aead, aes = tested.AESGCM(KEY), tested.AES(KEY)
    for name, call in (
        ("key", lambda: tested.AESGCM(wrong)),
        ("data", lambda: aead.encrypt(NONCE, wrong)),
        ("data", lambda: aead.encrypt(NONCE, memoryview(wrong))),
        ("buf", lambda: aead.encrypt_into(NONCE, b"", None, wrong)),
        ("buf", lambda: aes.ctr_encryptor(bytes(16)).update_into(DATA[:16], wrong)),
        ("data\\[0\\]", lambda: aead.encrypt_many([wrong])),
        ("the data of data", lambda: aead.encrypt_many((wrong, offsets))),
        ("nonces", lambda: aead.encrypt_many([b""], nonces=wrong)),
        ("nonces\\[0\\]", lambda: aead.encrypt_many([b""], nonces=[wrong])),
        ("first_nonce", lambda: aead.encrypt_many([b""], first_nonce=wrong)),
        ("associated_data", lambda: aead.encrypt_many([b""], associated_data=wrong)),
        ("associated_data\\[0\\]", lambda: tested.AESSIV(2 * KEY).encrypt(DATA, [wrong])),
    ):
        with pytest.raises(TypeError, match=f"^{name} {refused}"):
            call()
    with pytest.raises(TypeError, match="the offsets of data must be"):
        aead.encrypt_many((bytes(16), wrong))
    assert objects()[0] == b"x" * 16


def test_the_names_of_fields_do_not_count(tested: BackendUnderTest) -> None:
    """An "O" in the format means an object only as an item, not in a field's name."""
    record = np.zeros(2, dtype=[("O", "<u4"), ("Or", "<u2", (2,))])
    assert tested.AESGCM(record).encrypt(NONCE, record) == tested.AESGCM(bytes(16)).encrypt(
        NONCE, bytes(16)
    )
