"""Tests the oracle itself, against `cryptography` where possible, and its inverse."""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from gcm_model import ONE, first_counter, inverse, multiply, nonce_for, seal
from hypothesis import given, settings
from hypothesis import strategies as st

keys = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
elements = st.integers(1, 2**128 - 1)


@settings(max_examples=30)
@given(keys, st.binary(min_size=8, max_size=128), st.binary(max_size=100), st.binary(max_size=60))
def test_seal(key: bytes, nonce: bytes, data: bytes, associated_data: bytes) -> None:
    assert seal(key, nonce, data, associated_data) == AESGCM(key).encrypt(
        nonce, data, associated_data
    )


@settings(max_examples=20)
@given(elements, elements, elements)
def test_field(a: int, b: int, c: int) -> None:
    assert multiply(a, ONE) == a
    assert multiply(a, b) == multiply(b, a)
    assert multiply(a, b ^ c) == multiply(a, b) ^ multiply(a, c)
    assert multiply(a, inverse(a)) == ONE


@settings(max_examples=20)
@given(keys, st.binary(min_size=16, max_size=16))
def test_nonce_for(key: bytes, j0: bytes) -> None:
    nonce = nonce_for(key, j0)
    assert len(nonce) == 16
    assert first_counter(key, nonce) == j0
