"""encrypt_detached and decrypt_detached: encrypt and decrypt with a separate tag."""

from __future__ import annotations

from typing import Any

import public
import pytest
from backends import NATIVE, BackendUnderTest, noise

import rijn


@pytest.mark.parametrize("cls", public.AEADS)
def test_detached_parts_join_to_the_whole(tested: BackendUnderTest, cls: Any) -> None:
    for tag_length in {cls.tag_lengths[-1], 16}:
        aead = tested.make(cls, public.key_of(cls), tag_length=tag_length)
        nonce, ad = public.nonce_of(cls), noise(9, 4)
        for size in (0, 1, 16, 67) if not tested.effort.brief else (0, 17):
            data = noise(size, 5)
            for given in ((), (ad,)):
                ciphertext, tag = aead.encrypt_detached(nonce, data, *given)
                assert (type(ciphertext), type(tag)) == (bytes, bytes)
                assert (len(ciphertext), len(tag)) == (size, tag_length)
                assert ciphertext + tag == aead.encrypt(nonce, data, *given)
                assert aead.decrypt_detached(nonce, ciphertext, tag, *given) == data
                view = memoryview(ciphertext)
                assert aead.decrypt_detached(nonce, view, bytearray(tag), *given) == data


@pytest.mark.parametrize("cls", public.AEADS)
def test_detached_refuses_alterations(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, public.key_of(cls))
    nonce, ad, data = public.nonce_of(cls), noise(9, 4), noise(33, 5)
    ciphertext, tag = aead.encrypt_detached(nonce, data, ad)
    other = bytes([tag[0] ^ 1]) + tag[1:]
    last = tag[:-1] + bytes([tag[-1] ^ 128])
    for wrong in (other, last, tag[:-1], tag[:12], b"", tag + b"\0", tag + tag, ciphertext):
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt_detached(nonce, ciphertext, wrong, ad)
    for changed in (ciphertext[:-1], ciphertext + b"\0", b"", bytes(len(data))):
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt_detached(nonce, changed, tag, ad)
    with pytest.raises(rijn.InvalidTag):
        aead.decrypt_detached(nonce, ciphertext, tag)
    if cls is not rijn.AESEAX:
        with pytest.raises(ValueError, match=r"^nonce must (not )?be "):
            aead.decrypt_detached(b"", ciphertext, tag, ad)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_detached_by_several_threads(tested: BackendUnderTest, threads: int) -> None:
    aead = tested.AESGCM(noise(32))
    data = noise(16) * (2**17 + 1) + b"end" if tested.name in NATIVE else noise(1000)
    sealed = aead.encrypt(noise(12), data, b"ad")
    ciphertext, tag = aead.encrypt_detached(noise(12), data, b"ad", threads=threads)
    assert ciphertext + tag == sealed
    back = aead.decrypt_detached(noise(12), ciphertext, tag, b"ad", threads=threads)
    assert back == data
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    with pytest.raises(rijn.InvalidTag):
        aead.decrypt_detached(noise(12), ciphertext, wrong, b"ad", threads=threads)


def test_detached_siv(tested: BackendUnderTest) -> None:
    siv = tested.AESSIV(noise(32))
    for strings in (None, [b"a", b"bc"]):
        for size in (0, 1, 33):
            data = noise(size, 5)
            ciphertext, tag = siv.encrypt_detached(data, strings)
            assert tag + ciphertext == siv.encrypt(data, strings)
            assert siv.decrypt_detached(ciphertext, tag, strings) == data
            assert siv.decrypt_detached(memoryview(ciphertext), tag, strings) == data
            for wrong in (tag[:-1] + bytes([tag[-1] ^ 1]), tag[:15], b"", tag + b"\0"):
                with pytest.raises(rijn.InvalidTag):
                    siv.decrypt_detached(ciphertext, wrong, strings)
            with pytest.raises(rijn.InvalidTag):
                siv.decrypt_detached(ciphertext + b"\0", tag, strings)
