"""rijn.compat.tgcrypto against TgCrypto itself, on every backend: bytes, IVs and errors."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from backends import BackendUnderTest, noise
from hypothesis import given
from hypothesis import strategies as st

from rijn.compat import tgcrypto

try:
    import tgcrypto as original
except ModuleNotFoundError as error:
    pytestmark = pytest.mark.skip(reason=f"TgCrypto is not installed: {error}")

KEY = noise(32, 1)
BLOCKS = ("ige256_encrypt", "ige256_decrypt", "cbc256_encrypt", "cbc256_decrypt")
COUNTERS = ("ctr256_encrypt", "ctr256_decrypt")


def iv_of(name: str) -> bytearray:
    return bytearray(noise(32 if name.startswith("ige") else 16, 2))


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(tested: BackendUnderTest, name: str) -> None:
    """The result and the final IV, for messages in one call and in two."""

    @tested.examples
    @given(tested.block_messages().filter(len), tested.block_messages().filter(len))
    def check(first: bytes, second: bytes) -> None:
        iv, peer_iv = iv_of(name), iv_of(name)
        for data in (first, second):
            expected = getattr(original, name)(data, KEY, peer_iv)
            assert getattr(tgcrypto, name)(data, KEY, iv, backend=tested.name) == expected
            assert iv == peer_iv

    check()


@pytest.mark.parametrize("name", COUNTERS)
def test_counters(tested: BackendUnderTest, name: str) -> None:
    """Pieces of any size from any state, and the final counter."""

    @tested.examples
    @given(
        st.sampled_from((bytes(16), b"\xff" * 16, b"\xff" * 15 + b"\xfe", noise(16))),
        st.integers(0, 15),
        st.lists(st.integers(1, 70).map(noise), min_size=1, max_size=5),
    )
    def check(start: bytes, used: int, parts: list[bytes]) -> None:
        iv, state = bytearray(start), bytearray([used])
        peer_iv, peer_state = bytearray(start), bytearray([used])
        for part in parts:
            expected = getattr(original, name)(part, KEY, peer_iv, peer_state)
            assert getattr(tgcrypto, name)(part, KEY, iv, state, backend=tested.name) == expected
            assert (iv, state) == (peer_iv, peer_state)

    check()


def outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        return function(*arguments)
    except (TypeError, ValueError, BufferError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", BLOCKS)
def test_sizes(name: str) -> None:
    """Every combination gives the same result or the same first error."""
    for size, key, iv in product((0, 15, 16, 17), (0, 16, 31, 32), (0, 15, 16, 31, 32, 33)):
        arguments = (bytes(size), bytes(key), bytes(iv))
        expected = outcome(getattr(original, name), tuple(map(bytearray, arguments)))
        assert outcome(getattr(tgcrypto, name), arguments) == expected, (size, key, iv)


@pytest.mark.parametrize("name", COUNTERS)
def test_counter_sizes(name: str) -> None:
    states = (b"", b"\0", b"\x0f", b"\x10", b"\xff", b"\0\0")
    for size, key, iv, state in product((0, 5), (31, 32), (0, 15, 16, 32), states):
        expected, found = (
            outcome(
                getattr(module, name), (bytes(size), bytes(key), bytearray(iv), bytearray(state))
            )
            for module in (original, tgcrypto)
        )
        assert found == expected, (size, key, iv, state)


@pytest.mark.parametrize("name", BLOCKS + COUNTERS)
def test_no_buffers(name: str) -> None:
    given: tuple[Any, ...] = (bytes(16), KEY, iv_of(name))
    if name in COUNTERS:
        given = (*given, bytearray(1))
    for place in range(len(given)):
        for wrong in ("sixteen letters.", None, 16):
            arguments = (*given[:place], wrong, *given[place + 1 :])
            with pytest.raises(TypeError):
                getattr(original, name)(*arguments)
            with pytest.raises(TypeError):
                getattr(tgcrypto, name)(*arguments)
    with pytest.raises(TypeError):
        getattr(tgcrypto, name)(*given[:-1])


@pytest.mark.parametrize("name", BLOCKS + COUNTERS)
def test_the_first_error_matches_tgcrypto(name: str) -> None:
    """If several arguments are wrong: all types and layouts come first, then all sizes."""
    apart = memoryview(bytearray(64))[::2]
    iv_size = len(iv_of(name))
    choices: list[tuple[Any, ...]] = [
        (bytes(16), b"", bytes(15), "text", apart),
        (KEY, bytes(31), 16, apart),
        (iv_of(name), bytearray(iv_size - 1), bytes(iv_size - 1), None, apart),
    ]
    if name in COUNTERS:
        choices.append((bytearray(1), b"", b"\x10", bytearray(2), 0, apart))
    for arguments in product(*choices):
        expected, found = (
            outcome(getattr(module, name), arguments) for module in (original, tgcrypto)
        )
        if type(expected) is not bytes:
            assert found[0] is expected[0], arguments
            assert expected[0] is not ValueError or found == expected, arguments


@pytest.mark.parametrize("name", COUNTERS)
def test_sizes_are_checked_before_a_writable_argument_is_asked_for(name: str) -> None:
    for iv, state in product((b"", bytes(16)), (b"", b"\x10", b"\0")):
        # TgCrypto would write into the bytes object.
        expected = outcome(getattr(original, name), (b"data", KEY, bytearray(iv), bytearray(state)))
        found = outcome(getattr(tgcrypto, name), (b"data", KEY, iv, state))
        if type(expected) is bytes:
            assert found == (BufferError, "iv must be writable")
        else:
            assert found == expected, (iv, state)


def test_immutable_arguments() -> None:
    """TgCrypto changes bytes objects; here CBC leaves them, and CTR refuses them."""
    iv = bytes(iv_of("cbc"))
    before = bytes(bytearray(iv))
    assert tgcrypto.cbc256_encrypt(bytes(32), KEY, iv) == original.cbc256_encrypt(
        bytes(32), KEY, bytearray(iv)
    )
    assert iv == before
    for arguments in ((iv, bytearray(1)), (bytearray(iv), b"\0")):
        with pytest.raises(BufferError):
            tgcrypto.ctr256_encrypt(b"data", KEY, *arguments)
    assert iv == before


def test_public_face() -> None:
    assert set(tgcrypto.__all__) == {name for name in dir(original) if not name.startswith("_")}
