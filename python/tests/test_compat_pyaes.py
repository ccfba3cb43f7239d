"""rijn.compat.pyaes against pyaes itself, on every backend: bytes, counters and errors."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyaes as original
import pytest
from backends import BackendUnderTest, noise
from hypothesis import given
from hypothesis import strategies as st

from rijn.compat import pyaes

TOP = 2**128 - 1
KEYS = (noise(16, 1), noise(24, 2), noise(32, 3))
BENCHMARK = Path(__file__).parents[1] / "tools" / "crypto_pyaes.py"

keys = st.sampled_from(KEYS)
starts = st.integers(0, TOP) | st.integers(TOP - 4, TOP) | st.sampled_from((255, 2**32 - 1))
pieces = st.lists(st.integers(0, 70).map(noise), max_size=6)


@pytest.fixture(autouse=True)
def lenient() -> Iterator[None]:
    """Each test begins without STRICT. Warnings, as about a missing counter, are errors."""
    pyaes.STRICT = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    pyaes.STRICT = False


def mode(tested: BackendUnderTest, key: bytes, counter: object) -> pyaes.AESModeOfOperationCTR:
    made = pyaes.AESModeOfOperationCTR(key, counter, backend=tested.name)  # type: ignore[arg-type]
    assert made.backend == tested.name
    return made


def test_pieces(tested: BackendUnderTest) -> None:
    """Any split of a message, and the counter's value after each piece."""

    @tested.examples
    @given(keys, starts, pieces)
    def check(key: bytes, start: int, parts: list[bytes]) -> None:
        counter, peer_counter = pyaes.Counter(start), original.Counter(start)
        ours = mode(tested, key, counter)
        peer = original.AESModeOfOperationCTR(key, peer_counter)
        for part in parts:
            assert ours.encrypt(part) == peer.encrypt(part)
            assert counter.value == peer_counter.value

    check()


def test_long_message(tested: BackendUnderTest) -> None:
    data = noise(tested.effort.largest + 7)
    peer = original.AESModeOfOperationCTR(KEYS[2], original.Counter(TOP - 3)).encrypt(data)
    assert mode(tested, KEYS[2], pyaes.Counter(TOP - 3)).encrypt(data) == peer
    assert mode(tested, KEYS[2], pyaes.Counter(TOP - 3)).decrypt(peer) == data


@pytest.mark.parametrize("start", [0, 1, 255, 2**64 - 1, TOP, TOP + 1, 2**200 + 5, -1, -(2**70)])
def test_counter(start: int) -> None:
    ours, peer = pyaes.Counter(start), original.Counter(start)
    for _ in range(3):
        assert ours.value == peer.value
        assert type(ours.value) is list
        ours.increment()
        peer.increment()
    assert pyaes.Counter().value == original.Counter().value
    assert pyaes.Counter(initial_value=7).value == original.Counter(initial_value=7).value


def test_counter_takes_integers() -> None:
    for wrong in (1.0, "1", None):
        for module in (pyaes, original):
            with pytest.raises(TypeError):
                module.Counter(wrong)  # type: ignore[arg-type]


def down(base: type[Any]) -> type[Any]:
    """A counter that runs backwards, as pyaes says to write one."""

    class Down(base):  # type: ignore[misc]
        def increment(self) -> None:
            value = int.from_bytes(self._counter, "big") - 1
            self._counter = list((value % 2**128).to_bytes(16, "big"))

    return Down


class Bare:
    """A counter of an unrelated class, whose value is bytes."""

    def __init__(self) -> None:
        self.steps = 0

    @property
    def value(self) -> bytes:
        return bytes(15) + bytes([self.steps % 256])

    def increment(self) -> None:
        self.steps += 3


def patched(module: Any) -> Any:
    """A Counter with an increment of its own."""
    counter = module.Counter(9)
    counter.increment = lambda: counter.value.__setitem__(0, (counter.value[0] + 1) % 256)
    return counter


@pytest.mark.parametrize(
    "make",
    [lambda module: down(module.Counter)(2), lambda _: Bare(), patched],
    ids=["subclass", "unrelated", "instance"],
)
def test_other_counters(tested: BackendUnderTest, make: Callable[[Any], Any]) -> None:
    counter, peer_counter = make(pyaes), make(original)
    ours = mode(tested, KEYS[0], counter)
    peer = original.AESModeOfOperationCTR(KEYS[0], peer_counter)
    for size in (5, 0, 11, 16, 1, 40, 70):
        assert ours.encrypt(noise(size, size)) == peer.encrypt(noise(size, size))
        assert list(counter.value) == list(peer_counter.value)


def test_shared_counter(tested: BackendUnderTest) -> None:
    """Two modes that use one counter in turns, as pyaes allows."""

    def take_turns(modes: tuple[Any, Any]) -> list[bytes]:
        return [modes[i % 2].encrypt(noise(size)) for i, size in enumerate((3, 20, 40, 9, 16, 33))]

    counter, peer_counter = pyaes.Counter(), original.Counter()
    ours = tuple(mode(tested, key, counter) for key in KEYS[:2])
    peers = tuple(original.AESModeOfOperationCTR(key, peer_counter) for key in KEYS[:2])
    assert take_turns(ours) == take_turns(peers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    ["text", "caf\xe9 \xff\x00", "", b"", b"bytes", ["a", b"b", "\xff"], ("x",), [], noise(99)],
)
def test_data_of_pyaes(data: Any) -> None:
    peer = original.AESModeOfOperationCTR(KEYS[0], original.Counter(5)).encrypt(data)
    found = pyaes.AESModeOfOperationCTR(KEYS[0], pyaes.Counter(5)).encrypt(data)
    assert found == peer
    assert type(found) is type(peer) is bytes


@pytest.mark.parametrize("data", ["\u0100", ["\u20ac"], [1, 2], ["ab"], None, 16])
def test_data_refused(data: Any) -> None:
    """Both raise the same kind of error. Our counter has not moved."""
    with pytest.raises((TypeError, ValueError)) as error:
        original.AESModeOfOperationCTR(KEYS[0], original.Counter()).encrypt(data)
    counter = pyaes.Counter()
    with pytest.raises(error.type):
        pyaes.AESModeOfOperationCTR(KEYS[0], counter).encrypt(data)
    assert counter.value == pyaes.Counter().value


def test_buffers() -> None:
    """Beyond pyaes: any contiguous buffer."""
    expected = pyaes.AESModeOfOperationCTR(KEYS[0], pyaes.Counter(5)).encrypt(b"buffers!")
    for data in (
        bytearray(b"buffers!"),
        memoryview(b"buffers!"),
        memoryview(b"buffers!").cast("I"),
    ):
        assert pyaes.AESModeOfOperationCTR(KEYS[0], pyaes.Counter(5)).encrypt(data) == expected
    with pytest.raises(BufferError):
        pyaes.AESModeOfOperationCTR(KEYS[0], pyaes.Counter(5)).encrypt(memoryview(b"abcd")[::2])


@pytest.mark.parametrize(
    "key", [b"", bytes(15), bytes(17), bytes(33), "sixteen letters.", [0] * 16]
)
def test_keys_refused(key: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        original.AESModeOfOperationCTR(key, original.Counter())
    with pytest.raises(error.type):
        pyaes.AESModeOfOperationCTR(key, pyaes.Counter())


@pytest.mark.parametrize("value", [bytes(15), [0] * 17, [], 16, [256] * 16, "sixteen letters."])
def test_counter_values_refused(value: Any) -> None:
    class Wrong:
        def __init__(self) -> None:
            self.value = value

        def increment(self) -> None:
            raise AssertionError("a value that was refused")

    with pytest.raises((TypeError, ValueError)):
        pyaes.AESModeOfOperationCTR(KEYS[0], Wrong()).encrypt(b"data")


def test_no_counter_warns() -> None:
    with pytest.warns(DeprecationWarning, match="no counter was given") as caught:
        aes = pyaes.AESModeOfOperationCTR(KEYS[0])
    assert [warning.filename for warning in caught] == [__file__]
    data = noise(50)
    assert aes.encrypt(data) == original.AESModeOfOperationCTR(KEYS[0]).encrypt(data)


def test_no_counter_is_refused_when_strict() -> None:
    pyaes.STRICT = True
    with pytest.raises(TypeError, match="no counter was given"):
        pyaes.AESModeOfOperationCTR(KEYS[0])
    pyaes.AESModeOfOperationCTR(KEYS[0], pyaes.Counter())


def test_public_face() -> None:
    for name in pyaes.__all__:
        assert hasattr(original, name)
    assert pyaes.AESModeOfOperationCTR.name == original.AESModeOfOperationCTR.name


def test_pyperformance() -> None:
    """Runs the unchanged file of the benchmark crypto_pyaes. It decrypts its ciphertext and
    compares."""
    pytest.importorskip("pyperformance")
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--debug-single-value"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "crypto_pyaes (pyaes)" in done.stdout
    assert "crypto_pyaes (rijn)" in done.stdout
