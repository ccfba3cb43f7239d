"""rijn.compat.pyaes against pyaes itself, on every backend: the block cipher, ECB, CBC, CFB
and OFB, feeders, streams and padding. test_compat_pyaes.py tests CTR."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import pyaes as original
import pytest
from backends import BackendUnderTest, noise
from hypothesis import given
from hypothesis import strategies as st

from rijn.compat import pyaes

KEYS = (noise(16, 1), noise(24, 2), noise(32, 3))
IV = noise(16, 4)
MODES = ("ecb", "cbc", "cfb", "ofb", "ctr")

keys = st.sampled_from(KEYS)
blocks = st.lists(st.integers(0, 2**32).map(lambda seed: noise(16, seed)), max_size=5)


@pytest.fixture(autouse=True)
def lenient() -> Iterator[None]:
    """Each test begins without STRICT. Warnings, as about a missing IV, are errors."""
    pyaes.STRICT = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    pyaes.STRICT = False


def pair(
    tested: BackendUnderTest, name: str, key: bytes, **options: Any
) -> tuple[pyaes.aes.AESBlockModeOfOperation, Any]:
    """Returns our mode and theirs, in the same state."""
    if name in ("cbc", "cfb", "ofb"):
        options["iv"] = IV
    counters = (
        [{"counter": module.Counter(7)} for module in (pyaes, original)]
        if name == "ctr"
        else [{}, {}]
    )
    ours = pyaes.AESModesOfOperation[name](key, **options, **counters[0], backend=tested.name)
    assert ours.backend == tested.name
    return ours, original.AESModesOfOperation[name](key, **options, **counters[1])


def theirs(name: str, key: bytes, **options: Any) -> Any:
    return pair(BackendUnderTest("python", 1), name, key, **options)[1]


Calls = tuple[tuple[bool, bytes], ...]


@cache
def answers(name: str, key: bytes, calls: Calls, **options: Any) -> list[bytes]:
    """Returns pyaes's results of the calls, each an encryption or a decryption. pyaes takes a hundred
    thousand times as long as a backend, so its results are cached for all backends."""
    mode = theirs(name, key, **options)
    return [mode.encrypt(data) if encrypt else mode.decrypt(data) for encrypt, data in calls]


def same_answers(
    tested: BackendUnderTest, name: str, key: bytes, calls: Calls, **options: Any
) -> Any:
    """Checks that our answers are the same, and returns our mode."""
    ours, _ = pair(tested, name, key, **options)
    found = [ours.encrypt(data) if encrypt else ours.decrypt(data) for encrypt, data in calls]
    assert found == answers(name, key, calls, **options)
    return ours


# ---- Modes -------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS, ids=len)
def test_block_cipher(tested: BackendUnderTest, key: bytes) -> None:
    ours, peer = pyaes.AES(key, backend=tested.name), original.AES(key)
    assert ours.backend == tested.name
    for block in (noise(16), list(noise(16, 1))):
        expected = peer.encrypt(block)
        assert ours.encrypt(block) == expected
        assert ours.decrypt(expected) == list(block) == peer.decrypt(expected)
    for wrong in (b"", bytes(15), [0] * 17):
        for cipher in (ours, peer):
            with pytest.raises(ValueError, match="wrong block length"):
                cipher.encrypt(wrong)
            with pytest.raises(ValueError, match="wrong block length"):
                cipher.decrypt(wrong)


@pytest.mark.parametrize("name", ["ecb", "cbc"])
def test_blocks(tested: BackendUnderTest, name: str) -> None:
    """One block per call, encryption and decryption in turns, on one shared chain."""

    @tested.examples
    @given(keys, st.lists(st.tuples(st.booleans(), st.integers(0, 99).map(lambda s: noise(16, s)))))
    def check(key: bytes, calls: list[tuple[bool, bytes]]) -> None:
        same_answers(tested, name, key, tuple(calls))

    check()


@pytest.mark.parametrize("size", [0, 1, 2, 5, 15, 16])
def test_segments(tested: BackendUnderTest, size: int) -> None:
    """CFB with segments of any size, in any pieces, both directions in turns."""
    step = size or 1

    @tested.examples
    @given(keys, st.lists(st.tuples(st.booleans(), st.integers(0, 40 // step)), max_size=4))
    def check(key: bytes, calls: list[tuple[bool, int]]) -> None:
        data = tuple((encrypt, noise(n * step, n)) for encrypt, n in calls)
        ours = same_answers(tested, "cfb", key, data, segment_size=size)
        peer = theirs("cfb", key, segment_size=size)
        assert ours.segment_bytes == peer.segment_bytes == step
        for broken in {1, step - 1, step + 1} - {0} if step > 1 else ():
            for mode in (ours, peer):
                with pytest.raises(ValueError, match="must be a multiple of segment_size"):
                    mode.encrypt(bytes(broken))
                with pytest.raises(ValueError, match="must be a multiple of segment_size"):
                    mode.decrypt(bytes(broken))

    check()


@pytest.mark.parametrize("size", [-1, 17, 32])
def test_segments_refused(size: int) -> None:
    """pyaes accepts longer ones, and loses data."""
    peer = original.AESModeOfOperationCFB(KEYS[0], IV, 17)
    assert len(peer.encrypt(bytes(17))) == 16
    with pytest.raises(ValueError, match="segment_size must be 0 to 16"):
        pyaes.AESModeOfOperationCFB(KEYS[0], IV, size)


def test_ofb_pieces(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, st.lists(st.integers(0, 70).map(noise), max_size=6))
    def check(key: bytes, parts: list[bytes]) -> None:
        same_answers(tested, "ofb", key, tuple((part[:1] < b"\x80", part) for part in parts))

    check()


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("data", ["caf\xe9 \xff and twelve"[:16], [*"sixteen", *"letters.."]])
def test_text(name: str, data: Any) -> None:
    ours, peer = pair(BackendUnderTest("python", 1), name, KEYS[0])
    found, expected = ours.encrypt(data), peer.encrypt(data)
    assert found == expected
    assert type(found) is type(expected) is bytes
    assert ours.encrypt(bytearray(16)) == peer.encrypt(bytes(16))  # beyond pyaes: any buffer
    with pytest.raises(ValueError):
        ours.encrypt("\u20ac" * 16)
    assert ours.encrypt(bytes(16)) == peer.encrypt(bytes(16))


@pytest.mark.parametrize("name", ["ecb", "cbc"])
@pytest.mark.parametrize("size", [0, 1, 15, 17, 32])
def test_blocks_refused(name: str, size: int) -> None:
    for mode in pair(BackendUnderTest("python", 1), name, KEYS[0]):
        with pytest.raises(ValueError, match="^plaintext block must be 16 bytes$"):
            mode.encrypt(bytes(size))
        with pytest.raises(ValueError, match="^ciphertext block must be 16 bytes$"):
            mode.decrypt(bytes(size))


@pytest.mark.parametrize("name", ["cbc", "cfb", "ofb"])
def test_initial_vectors(name: str) -> None:
    ours, peer = (module.AESModesOfOperation[name] for module in (pyaes, original))
    text = "sixteen letters."
    # pyaes's CFB fails on text, though not at once.
    expected = peer(KEYS[0], iv=text if name != "cfb" else text.encode()).encrypt(IV)
    assert ours(KEYS[0], iv=text).encrypt(IV) == expected
    for wrong in (b"", bytes(15), bytes(17), "x"):
        for mode in (ours, peer):
            with pytest.raises(ValueError, match="^initialization vector must be 16 bytes$"):
                mode(KEYS[0], iv=wrong)


@pytest.mark.parametrize("name", ["cbc", "ofb"])
@pytest.mark.parametrize("options", [{}, {"iv": None}], ids=str)
def test_no_iv(name: str, options: dict[str, None]) -> None:
    ours, peer = (module.AESModesOfOperation[name] for module in (pyaes, original))
    with pytest.warns(DeprecationWarning, match="^no IV was given") as caught:
        made = ours(KEYS[0], **options)
    assert [warning.filename for warning in caught] == [__file__]
    assert made.encrypt(IV) == peer(KEYS[0], **options).encrypt(IV)
    pyaes.STRICT = True
    with pytest.raises(TypeError, match="^no IV was given"):
        ours(KEYS[0], **options)
    ours(KEYS[0], iv=bytes(16))


def test_no_iv_of_cfb() -> None:
    with pytest.raises(TypeError):
        original.AESModeOfOperationCFB(KEYS[0], None).encrypt(IV)
    with pytest.raises(TypeError):
        pyaes.AESModeOfOperationCFB(KEYS[0], None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        pyaes.AESModeOfOperationCFB(KEYS[0])  # type: ignore[call-arg]


def test_public_face() -> None:
    """Every public name that a module of pyaes defines."""
    for module in ("aes", "blockfeeder", "util"):
        ours, theirs = getattr(pyaes, module), getattr(original, module)
        for name, value in vars(theirs).items():
            if name.startswith("_"):
                continue
            if name.isupper() or getattr(value, "__module__", None) == theirs.__name__:
                assert hasattr(ours, name), f"{module}.{name}"
    assert set(original.aes.__all__) == set(pyaes.aes.__all__)
    assert list(pyaes.AESModesOfOperation) == list(original.AESModesOfOperation)
    for name in MODES:
        assert pyaes.AESModesOfOperation[name].name == original.AESModesOfOperation[name].name
    assert original.VERSION == pyaes.VERSION
    assert pyaes.AES.number_of_rounds == original.AES.number_of_rounds


# ---- Feeders -----------------------------------------------------------------------------


def fed(feeder: Any, parts: Iterable[Any]) -> list[Any]:
    """Returns each call's result, the last call's or the error included."""
    results: list[Any] = []
    try:
        results.extend(map(feeder.feed, parts))
        results.append(feeder.feed())
    except Exception as error:  # noqa: BLE001 - pyaes raises it bare
        results.append(str(error))
    return results


@cache
def fed_to_theirs(way: str, name: str, padding: str, key: bytes, parts: tuple[Any, ...]) -> Any:
    """Returns the results of pyaes's feeder. Like `answers`, they are cached for all backends."""
    return fed(getattr(original, way)(theirs(name, key), padding), parts)


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("padding", [pyaes.PADDING_DEFAULT, pyaes.PADDING_NONE])
def test_feeders(tested: BackendUnderTest, name: str, padding: str) -> None:
    """Each call's result or error, in both directions."""

    @tested.examples
    @given(keys, st.lists(st.sampled_from((0, 1, 3, 15, 16, 17, 31, 32, 48, 100)), max_size=6))
    def check(key: bytes, sizes: list[int]) -> None:
        parts = tuple(noise(size, size) for size in sizes)
        sealed = fed_to_theirs("Encrypter", name, padding, key, parts)
        assert fed(pyaes.Encrypter(pair(tested, name, key)[0], padding), parts) == sealed
        if isinstance(sealed[-1], str):
            return
        opened = fed_to_theirs("Decrypter", name, padding, key, tuple(sealed))
        assert fed(pyaes.Decrypter(pair(tested, name, key)[0], padding), sealed) == opened
        assert b"".join(opened) == b"".join(parts)

    check()


def test_long_pieces(tested: BackendUnderTest) -> None:
    data = noise(tested.effort.largest)
    for name in MODES:
        encrypter = pyaes.Encrypter(pair(tested, name, KEYS[2])[0])
        sealed = encrypter.feed(data) + encrypter.feed()
        expected = fed_to_theirs("Encrypter", name, pyaes.PADDING_DEFAULT, KEYS[2], (data,))
        assert sealed == b"".join(expected)
        decrypter = pyaes.Decrypter(pair(tested, name, KEYS[2])[0])
        assert decrypter.feed(sealed) + decrypter.feed() == data


def test_segment_feeders(tested: BackendUnderTest) -> None:
    for size in (2, 5, 15, 16):
        data = noise(101)
        for part in (1, 7, 101):
            results = []
            for module, mode in zip(
                (pyaes, original), pair(tested, "cfb", KEYS[0], segment_size=size), strict=True
            ):
                feeder = module.Encrypter(mode)
                results.append([feeder.feed(data[i : i + part]) for i in range(0, 101, part)])
                results[-1].append(feeder.feed())
            assert results[0] == results[1]


def test_finished_feeders() -> None:
    for module in (pyaes, original):
        feeder: Any = module.Encrypter(module.AESModeOfOperationECB(KEYS[0]))
        feeder.feed("text")
        feeder.feed()
        for data in (None, b"more"):
            with pytest.raises(ValueError, match="^already finished feeder$"):
                feeder.feed(data)


@pytest.mark.parametrize("name", MODES)
def test_padding_options(name: str) -> None:
    for module, mode in zip(
        (pyaes, original), pair(BackendUnderTest("python", 1), name, KEYS[0]), strict=True
    ):
        for feeder in (module.Encrypter, module.Decrypter):
            with pytest.raises(Exception, match="^invalid padding option$"):
                feeder(mode, padding="zeros").feed()


class Doubled:
    """A user-defined mode, as pyaes recommends: a block goes through the cipher twice."""

    @staticmethod
    def mode_of(module: Any) -> Any:
        class Mode(module.aes.AESBlockModeOfOperation):  # type: ignore[misc]
            name = "twice"

            def encrypt(self, plaintext: bytes) -> bytes:
                return bytes(self._aes.encrypt(self._aes.encrypt(list(plaintext))))

            def decrypt(self, ciphertext: bytes) -> bytes:
                return bytes(self._aes.decrypt(self._aes.decrypt(list(ciphertext))))

        return Mode


def counted(base: Any) -> Any:
    """A mode that counts the calls of its methods."""

    class Mode(base):  # type: ignore[misc]
        calls = 0

        def encrypt(self, plaintext: bytes) -> bytes:
            self.calls += 1
            return bytes(super().encrypt(plaintext))

        def decrypt(self, ciphertext: bytes) -> bytes:
            self.calls += 1
            return bytes(super().decrypt(ciphertext))

    return Mode


def test_modes_of_a_users_own() -> None:
    data = noise(100)
    results = []
    for module in (pyaes, original):
        feeder = module.Encrypter(Doubled.mode_of(module)(KEYS[0]))
        sealed = feeder.feed(data) + feeder.feed()
        feeder = module.Decrypter(Doubled.mode_of(module)(KEYS[0]))
        assert feeder.feed(sealed) + feeder.feed() == data
        mode = counted(module.AESModeOfOperationCBC)(KEYS[0], IV)
        feeder = module.Encrypter(mode)
        results.append((sealed, feeder.feed(data) + feeder.feed(), mode.calls))
    assert results[0] == results[1]
    stream = counted(pyaes.AESModeOfOperationCTR)(KEYS[0], pyaes.Counter())
    feeder = pyaes.Encrypter(stream)
    feeder.feed(data)
    assert stream.calls == 1


# ---- Streams -----------------------------------------------------------------------------


class Slow(io.BytesIO):
    """A stream that returns less than requested, and remembers the requested sizes."""

    asked: set[int | None]

    def read(self, size: int | None = -1) -> bytes:
        self.asked = {*getattr(self, "asked", ()), size}
        return super().read(100)


@pytest.mark.parametrize("name", MODES)
def test_streams(tested: BackendUnderTest, name: str) -> None:
    data = noise(333)
    sealed, expected, opened = io.BytesIO(), io.BytesIO(), io.BytesIO()
    ours, peer = pair(tested, name, KEYS[1])
    source = Slow(data)
    pyaes.encrypt_stream(ours, source, sealed)
    assert source.asked == {2**20}
    original.encrypt_stream(peer, io.BytesIO(data), expected)
    assert sealed.getvalue() == expected.getvalue()
    source = Slow(sealed.getvalue())
    pyaes.decrypt_stream(pair(tested, name, KEYS[1])[0], source, opened, block_size=50)
    assert source.asked == {50}
    assert opened.getvalue() == data


def test_streams_without_padding() -> None:
    sealed = io.BytesIO()
    mode = pyaes.AESModeOfOperationECB(KEYS[0])
    pyaes.encrypt_stream(mode, io.BytesIO(bytes(64)), sealed, padding=pyaes.PADDING_NONE)
    assert len(sealed.getvalue()) == 64


# ---- Padding -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(34))
def test_padding(size: int) -> None:
    data = noise(size, size)
    padded = pyaes.util.append_PKCS7_padding(data)
    assert padded == original.util.append_PKCS7_padding(data)
    assert pyaes.util.strip_PKCS7_padding(padded) == data
    assert original.util.strip_PKCS7_padding(padded) == data


def wrong_endings() -> Iterator[bytes]:
    """Yields last blocks with wrong padding: every last byte after bytes that differ from
    it, and each single wrong byte of each right padding."""
    yield bytes(16)
    for last in range(17, 256):
        yield bytes([last]) * 16
    for length in range(2, 17):
        right = noise(16 - length) + bytes([length]) * length
        for place in range(16 - length, 15):
            for flip in (1, 0x80):
                yield right[:place] + bytes([right[place] ^ flip]) + right[place + 1 :]


def test_wrong_padding_is_one_error() -> None:
    """The same class, text and cause, through the feeder and the function."""
    found = set()

    def failing(data: bytes) -> None:
        mode = pyaes.AESModeOfOperationCBC(KEYS[0], IV)
        decrypter = pyaes.Decrypter(mode)
        decrypter.feed(data)
        with pytest.raises(ValueError) as error:
            decrypter.feed()
        found.add((type(error.value), error.value.args, error.value.__context__))
        with pytest.raises(ValueError, match="^already finished feeder$"):
            decrypter.feed()

    def encrypted(plaintext: bytes) -> bytes:
        encrypter = pyaes.Encrypter(pyaes.AESModeOfOperationCBC(KEYS[0], IV), pyaes.PADDING_NONE)
        return encrypter.feed(plaintext) + encrypter.feed()

    for ending in wrong_endings():
        failing(encrypted(noise(32) + ending))
        with pytest.raises(ValueError) as error:
            pyaes.util.strip_PKCS7_padding(noise(32) + ending)
        found.add((type(error.value), error.value.args, error.value.__context__))
    for size in (0, 1, 15, 17, 31):
        failing(noise(size))
        with pytest.raises(ValueError) as error:
            pyaes.util.strip_PKCS7_padding(noise(size))
        found.add((type(error.value), error.value.args, error.value.__context__))
    assert found == {(ValueError, ("invalid padding",), None)}


class Interposed:
    """A mode's cipher. Before each call it asks the mode for another step, as another thread
    might."""

    def __init__(self, mode: Any) -> None:
        self.mode, self.cipher, self.refused = mode, mode._cipher, 0
        mode._cipher = self

    def __getattr__(self, name: str) -> Any:
        for step in (self.mode.encrypt, self.mode.decrypt):
            with pytest.raises(RuntimeError, match="another thread is at work"):
                step(bytes(16))
            self.refused += 1
        return getattr(self.cipher, name)


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", ["CBC", "CFB", "CTR"])
def test_one_thread_at_a_time(name: str, direction: str) -> None:
    """Two threads that continue from one state would use the same keystream."""
    make: Callable[[], Any] = {
        "CBC": lambda: pyaes.AESModeOfOperationCBC(KEYS[0], IV),
        "CFB": lambda: pyaes.AESModeOfOperationCFB(KEYS[0], IV, 16),
        "CTR": lambda: pyaes.AESModeOfOperationCTR(KEYS[0], pyaes.Counter(7)),
    }[name]
    alone, mode = make(), make()
    other = Interposed(mode)
    for _ in range(2):
        assert getattr(mode, direction)(noise(16)) == getattr(alone, direction)(noise(16))
    assert other.refused
