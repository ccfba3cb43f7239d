"""The parts of the oracle against the intermediate values that the standards publish, so that
a fault shows where it is. test_family_vectors.py tests the parts together."""

from __future__ import annotations

import pytest

from rijn.pure.reference import aead, modes


def test_cmac_subkeys() -> None:
    """SP 800-38B appendix D.1."""
    K1, K2 = modes.Modes(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")).SUBK()
    assert K1.hex() == "fbeed618357133667c85e08f7236a8de"
    assert K2.hex() == "f7ddac306ae266ccf90bc11ee46d513b"


def test_polyval() -> None:
    """RFC 8452 appendix A: POLYVAL, GHASH, and how one gives the other."""
    H = bytes.fromhex("25629347589242761d31f826ba4b757b")
    X = bytes.fromhex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362")
    polyval = aead.POLYVAL(H, X)
    assert polyval.hex() == "f7a3b47b846119fae5b7866cf5e5b77e"
    assert aead.GHASH(int.from_bytes(H, "big"), X).hex() == "bd9b3997046731fb96251b91f9c99d7a"
    x = 1 << 126
    H_times_x = aead.multiply_blocks(int.from_bytes(H, "little"), x)
    reversed_blocks = b"".join(block[::-1] for block in modes.blocks_of(X))
    assert aead.GHASH(H_times_x, reversed_blocks)[::-1] == polyval


def test_gcm_siv_keys() -> None:
    """RFC 8452 appendix C.1, the keys of its examples."""
    gcm_siv = aead.GCM_SIV(bytes([1]) + bytes(15), 16)
    authentication_key, encryption_key = gcm_siv.derive_keys(bytes([3]) + bytes(11))
    assert authentication_key.hex() == "d9b360279694941ac5dbc6987ada7377"
    assert encryption_key.w == modes.Modes(bytes.fromhex("4004a0dcd862f2a57360219d2d44ef6c")).w


@pytest.mark.parametrize(
    ("first", "K_x"),
    [
        (1, "c8612c9ed53fe43e8e005b828a1631a0bbcb6ab2f46514ec4f439fcfd0fa969b"),
        (3, "e9c621d4cdd9b11b00a6427ad7e559aeedd66b3857646677748f8ca796cb3fd8"),
    ],
)
def test_xaes_keys(first: int, K_x: str) -> None:
    """c2sp.org/XAES-256-GCM, "Test vectors"."""
    gcm, N_x = aead.XAES256GCM(bytes([first]) * 32, 16).derived(b"ABCDEFGHIJKLMNOPQRSTUVWX")
    assert gcm.K.w == modes.Modes(bytes.fromhex(K_x)).w
    assert N_x == b"MNOPQRSTUVWX"
