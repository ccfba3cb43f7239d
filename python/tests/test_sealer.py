"""rijn.Sealer: random nonces, counted against the limits of each algorithm."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from backends import BackendUnderTest

import rijn
from rijn import sealer

NAMES = [cls.__name__ for cls in sealer.LIMITS]


def make(name: str, backend: str) -> Any:
    cls = getattr(rijn, name)
    return cls(bytes(range(cls.key_sizes[-1])), backend=backend)


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(tested: BackendUnderTest, name: str) -> None:
    aead = make(name, tested.name)
    box = rijn.Sealer(aead)
    data = b"attack at dawn"
    sealed = box.seal(data, b"header")
    nonce_size = 12 if name == "AESGCM" else aead.nonce_sizes[0]
    assert len(sealed) == nonce_size + len(data) + 16
    assert aead.decrypt(sealed[:nonce_size], sealed[nonce_size:], b"header") == data
    assert box.open(sealed, b"header") == data
    assert box.open(bytearray(sealed), memoryview(b"header")) == data
    assert box.seal(data, b"header") != sealed
    assert box.messages == 2


@pytest.mark.parametrize("name", NAMES)
def test_alterations(tested: BackendUnderTest, name: str) -> None:
    box = rijn.Sealer(make(name, tested.name))
    sealed = box.seal(b"x", b"header")
    for i in range(0, len(sealed), 5 if tested.effort.brief else 1):
        altered = bytearray(sealed)
        altered[i] ^= 0x40
        with pytest.raises(rijn.InvalidTag):
            box.open(altered, b"header")
    for cut in (b"", sealed[:5], sealed[:-1]):
        with pytest.raises(rijn.InvalidTag):
            box.open(cut, b"header")
    with pytest.raises(rijn.InvalidTag):
        box.open(sealed)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        *(("AESGCM", 2**32), ("AESGCMSIV", 2**61), ("XAES256GCM", 2**80)),
        *((f"AEGIS128{degree}", 2**48) for degree in ("L", "X2", "X4")),
        *((f"AEGIS256{degree}", 2**112) for degree in ("", "X2", "X4")),
    ],
)
def test_the_last_message(name: str, most: int) -> None:
    box = rijn.Sealer(make(name, "python"), messages=most - 1)
    box.seal(b"the last one")
    with pytest.raises(OverflowError, match="Use another key"):
        box.seal(b"one too many")
    assert box.messages == most


def test_long_messages_lower_the_limit() -> None:
    box = rijn.Sealer(make("AESGCMSIV", "python"), messages=2**49)
    box.seal(bytes(2**14))
    with pytest.raises(
        OverflowError, match="random nonces are safe for at most 562949953421312 messages"
    ):
        box.seal(bytes(2**14 + 1))
    assert box.messages == 2**49 + 1
    box.seal(bytes(2**14))


def test_a_long_message_counts_for_all_that_come_after() -> None:
    box = rijn.Sealer(make("AESGCMSIV", "python"), messages=2**49 - 1)
    box.seal(bytes(2**14 + 1))
    with pytest.raises(OverflowError):
        box.seal(b"short")


def test_threads_count_together() -> None:
    box = rijn.Sealer(rijn.AESGCM(bytes(16)), messages=2**32 - 50)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(box.seal, b"") for _ in range(200)]
    done = [call for call in calls if call.exception() is None]
    assert len(done) == 50
    assert len({call.result() for call in done}) == 50


def test_refusals() -> None:
    with pytest.raises(TypeError, match="aead must be one of AESGCM, XAES256GCM"):
        rijn.Sealer(rijn.AES(bytes(16)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must not be negative"):
        rijn.Sealer(rijn.AESGCM(bytes(16)), messages=-1)
