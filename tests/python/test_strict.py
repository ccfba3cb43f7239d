"""The strict engine of pure Python: the same bytes, by circuits and masks alone."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import ModuleType

import pytest
from rungs import noise

from rijn.pure import bitghash, bitslice, byteslice, circuits, python, rows

BITS_FROM = 16 * python.Engine.BITS_FROM
HASH_FROM = 16 * python.STRICT_HASH_FROM


@pytest.mark.parametrize("key_size", [16, 24, 32])
def test_the_same_bytes(key_size: int) -> None:
    key, iv = noise(key_size, 1), noise(16, 2)
    plain, strict = python.Engine(key), python.Engine(key, strict=True)
    block = int.from_bytes(noise(16, 3))
    assert strict.encrypt_block(block) == plain.encrypt_block(block)
    assert strict.decrypt_block(block) == plain.decrypt_block(block)
    for size in (0, 16, 128, 144, 4096, BITS_FROM - 16, BITS_FROM):
        data = noise(size, size)
        assert strict.ecb_encrypt(data) == plain.ecb_encrypt(data)
        assert strict.ecb_decrypt(data) == plain.ecb_decrypt(data)
        assert strict.cbc_decrypt(iv, data) == plain.cbc_decrypt(iv, data)
        for cut in (0, 1):
            for counter in (iv, b"\xff" * 16, bytes(14) + b"\xff\xf0"):
                assert strict.ctr(counter, data[cut:]) == plain.ctr(counter, data[cut:])
    data = noise(64, 4)
    assert strict.cbc_encrypt(iv, data) == plain.cbc_encrypt(iv, data)


@pytest.mark.parametrize("size", [0, 1, 40, HASH_FROM - 1, HASH_FROM, HASH_FROM + 129])
def test_the_same_tags(size: int) -> None:
    key, data = noise(32, 5), noise(size, 6)
    plain, strict = python.Engine(key), python.Engine(key, strict=True)
    for nonce in (noise(12, 7), noise(20, 7)):
        for ad in (b"", noise(33, 8)):
            sealed = plain.gcm_encrypt(nonce, data, ad)
            assert strict.gcm_encrypt(nonce, data, ad) == sealed
            assert strict.gcm_decrypt(nonce, sealed[0], ad) == (data, sealed[1])


def test_no_tables_are_made_or_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a table")

    used: list[tuple[ModuleType, str]] = [
        (module, name)
        for module in (python, bitslice, rows, byteslice, bitghash)
        for name in (
            "substitutions", "encryption_tables", "decryption_tables", "table_rounds", "ghash",
            "hash_tables", "nibble_table", "multiply_by", "crypt", "matrix_of", "add_product",
        )
        if hasattr(module, name)
    ]  # fmt: skip
    for module, name in used:
        monkeypatch.setattr(module, name, refuse)
    engine = python.Engine(noise(16, 9), strict=True)
    calls: list[Callable[[int], object]] = [
        lambda size: engine.ecb_decrypt(engine.ecb_encrypt(bytes(size))),
        lambda size: engine.cbc_decrypt(bytes(16), bytes(size)),
        lambda size: engine.ctr(bytes(16), bytes(size)),
        lambda size: engine.gcm_encrypt(bytes(12), bytes(size), bytes(size)),
    ]
    for call in calls:
        for size in (16, 4096, BITS_FROM):
            call(size)
    engine.cbc_encrypt(bytes(16), bytes(32))


@pytest.mark.parametrize(
    "function",
    [
        circuits.sbox, circuits.inverse_sbox, circuits.mix_column, circuits.inverse_mix_column,
        bitslice.spread, bitslice.add, bitslice.encrypt_rounds, bitslice.decrypt_rounds,
        bitslice.substitute, rows.encrypt_rounds, rows.decrypt_rounds, rows.rotated,
        python.multiply, bitghash.StrictHash._folded, bitghash.StrictHash._last,
    ],
)  # fmt: skip
def test_no_branches_where_secrets_are(function: Callable[..., object]) -> None:
    """These functions have no statement and no expression that chooses."""
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function)))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.If | ast.IfExp | ast.While | ast.Match | ast.BoolOp)
