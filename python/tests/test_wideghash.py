"""GHASH on wide integers: by tables and by masks, against the definition of GHASH."""

from __future__ import annotations

import tracemalloc
from itertools import accumulate

import gcm_model
import pytest
import vector_files
from backends import noise
from vector_files import VectorFile

import rijn
from rijn.pure import blocks, ghash, python, wideghash
from rijn.pure.modes import gcm, polyval

ONE = 1 << 127


def power(base: int, exponent: int) -> int:
    result = ONE
    for bit in f"{exponent:b}":
        result = gcm_model.multiply(result, result)
        if bit == "1":
            result = gcm_model.multiply(result, base)
    return result


def in_field(degree: int) -> int:
    """Returns an element of GF(2^degree), and of no smaller field, within GF(2^128). The degree is
    a power of two. An element of the multiplicative group to this power has an order that divides
    2^degree - 1."""
    element = power(random_key(degree), ((1 << 128) - 1) // ((1 << degree) - 1))
    assert power(element, 1 << degree) == element
    assert power(element, 1 << degree // 2) != element
    return element


def random_key(seed: int) -> int:
    return int.from_bytes(noise(16, seed))


# Hash keys by the degree of their minimal polynomials.
KEYS = {
    "0": (0, 1),
    "1": (ONE, 1),
    **{f"GF(2^{degree})": (in_field(degree), degree) for degree in (2, 4, 8, 16, 32, 64)},
    "x": (1 << 126, 128),
    "x^127": (1, 128),
    "ones": ((1 << 128) - 1, 128),
    "random": (random_key(1), 128),
    "random, too": (random_key(2), 128),
}
each_key = pytest.mark.parametrize(("h", "degree"), KEYS.values(), ids=KEYS)


@pytest.fixture
def always_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduces every message, in pieces of 8 and of 16 blocks, from the first message on."""
    for name, value in {
        "REDUCED_FROM": 32,
        "POLYNOMIAL_FROM": 0,
        "PIECE": 128,
        "LONG_PIECE": 256,
        "LONG_PIECE_FROM": 150 * 16,
    }.items():
        monkeypatch.setattr(wideghash, name, value)


def states(h: int, y: int, data: bytes) -> list[int]:
    """Returns GHASH of 0, 1, 2 ... blocks from the state y."""
    numbers = [int.from_bytes(data[start : start + 16]) for start in range(0, len(data), 16)]
    return list(accumulate(numbers, lambda y, x: gcm_model.multiply(y ^ x, h), initial=y))


def every_size(hash_: wideghash.WideHash, h: int) -> None:
    data, y = noise(16 * 300, 3), random_key(4)
    for count, expected in enumerate(states(h, y, data)):
        if count > 1:
            assert hash_.update(y, data[: 16 * count]) == expected, count


# ---- Every size -----------------------------------------------------------------------


@each_key
def test_every_size(h: int, degree: int) -> None:
    every_size(wideghash.WideHash(h), h)


@each_key
def test_every_size_by_masks(h: int, degree: int) -> None:
    every_size(wideghash.MaskWideHash(h), h)


@each_key
@pytest.mark.usefixtures("always_reduced")
def test_every_size_by_the_polynomial(h: int, degree: int) -> None:
    hash_ = wideghash.WideHash(h)
    every_size(hash_, h)
    assert hash_._rows.keys() == {128, 256}


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
@pytest.mark.parametrize("cls", [python.PythonEngine, python.TableEngine, python.BitsliceEngine])
def test_every_size_of_an_engine(cls: type[python.PythonEngine], strict: bool) -> None:
    """From 0 to 300 blocks, with a used key and (some sizes) with a new one. The last block is padded."""
    key, y = noise(16, 5), random_key(6)
    used = cls(key, strict=strict)
    h = used.encrypt_block(0)
    data = noise(16 * 300, 7)
    expected = states(h, y, data)
    for count, total in enumerate(expected):
        assert used.ghash(y, data[: 16 * count]) == total, count
        if count % 19 < 2:
            assert cls(key, strict=strict).ghash(y, memoryview(data)[: 16 * count]) == total, count
    for size in range(1, 4800, 113):
        padded = data[:size] + bytes(-size % 16)
        assert used.ghash(y, data[:size]) == states(h, y, padded)[-1], size


# ---- Long messages --------------------------------------------------------------------

SIZES = sorted(
    size + around
    for size in (
        *(wideghash.SOME_FROM, wideghash.REDUCED_FROM, wideghash.POLYNOMIAL_FROM),
        *(wideghash.LONG_PIECE_FROM, wideghash.MANY_FROM, 100_000, blocks.CHUNK),
    )
    for around in (-16, 0, 16)
)


@pytest.mark.parametrize("cls", [wideghash.WideHash, wideghash.MaskWideHash])
def test_long_messages(cls: type[wideghash.WideHash]) -> None:
    """Around each size from which another way is faster, with a new key and then with a used one."""
    h, y = random_key(8), random_key(9)
    tables, data = ghash.hash_tables(h), noise(blocks.CHUNK + 16, 10)
    used = cls(h)
    for size in SIZES:
        size = size // 16 * 16
        expected = ghash.hash_by_tables(tables, y, data[:size])
        assert cls(h).update(y, data[:size]) == expected, size
        assert used.update(y, data[:size]) == expected, size


@each_key
def test_long_messages_with_any_key(h: int, degree: int) -> None:
    data = noise(wideghash.LONG_PIECE_FROM, 11)
    expected = ghash.hash_by_tables(ghash.hash_tables(h), 5, data)
    assert wideghash.WideHash(h).update(5, data) == expected


@pytest.mark.parametrize(
    ("cls", "times", "kept"), [(wideghash.WideHash, 3, 64), (wideghash.MaskWideHash, 7, 256)]
)
def test_memory(cls: type[wideghash.WideHash], times: int, kept: int) -> None:
    """One message of a chunk takes at most so many times its size, and so many KiB stay with the key."""
    hash_, data = cls(random_key(12)), noise(blocks.CHUNK, 13)
    for lanes in (wideghash.FEW, wideghash.SOME, wideghash.MANY):
        wideghash.blocks_of(lanes)  # all keys share these
    tracemalloc.start()
    hash_.update(0, data)
    left, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < times * blocks.CHUNK
    assert left < kept << 10


def test_memory_with_long_associated_data() -> None:
    """A short message does not join its associated data."""
    aead, ad = rijn.AESGCM(noise(16, 18), backend="python"), bytes(8 * blocks.CHUNK)
    aead.encrypt(bytes(12), b"data", ad[: blocks.CHUNK])
    tracemalloc.start()
    aead.encrypt(bytes(12), b"data", ad)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * blocks.CHUNK


# ---- Parts ----------------------------------------------------------------------------


@each_key
def test_the_polynomial(h: int, degree: int) -> None:
    """It has the degree 128 and the root H. It is the minimal polynomial times a power of Y."""
    hash_ = wideghash.WideHash(h)
    hash_._remainders()
    polynomial = hash_._polynomial
    assert polynomial.bit_length() == 129
    value = 0
    for bit in f"{polynomial:b}":
        value = gcm_model.multiply(value, h) ^ int(bit) * ONE
    assert value == 0
    lowest = (polynomial & -polynomial).bit_length() - 1
    assert lowest == (128 if h == 0 else 128 - degree)


def test_squares() -> None:
    for x in [1 << i for i in range(128)] + [random_key(14)]:
        assert wideghash.square(x) == gcm_model.multiply(x, x)


def test_products_of_lanes() -> None:
    """The extremes in one lane do not change the others."""
    hash_ = wideghash.WideHash(ONE)
    for factor in (ONE, 1, (1 << 128) - 1, random_key(15)):
        for lanes in ([1, 0], [0, 1], [ONE, 1], [(1 << 128) - 1] * 2, [random_key(16), 0]):
            value = sum(x << 256 * i + 128 for i, x in enumerate(lanes))
            for made in (hash_, wideghash.MaskWideHash(ONE)):
                total = made._sum_of_products([value], [made._factor(factor)], 2)
                for i, x in enumerate(lanes):
                    assert total >> 256 * i & (1 << 256) - 1 == gcm_model.multiply(x, factor) << 128


# ---- The choice between blocks and lanes ----------------------------------------------


def ways_of(sizes: list[int]) -> str:
    """Returns for each number of blocks how they were hashed: by the small tables ("n"), the large ones
    ("t") or lanes ("l")."""
    h = random_key(17)
    hash_ = ghash.TableHash(h, *python.PythonEngine.HASH_FROM)
    found = ""
    for count in sizes:
        lanes = hash_._lanes = SeenLanes(h)
        data = noise(16 * count, count)
        assert hash_.update(7, data) == states(h, 7, data)[-1]
        found += "l" if lanes.seen else "t" if hash_._tables else "n"
    return found


class SeenLanes(wideghash.WideHash):
    seen = False

    def folded(self, y: int, blocks: bytes) -> int:
        self.seen = True
        return super().folded(y, blocks)


def test_a_key_gets_tables_when_they_pay() -> None:
    new, used = python.PythonEngine.HASH_FROM
    few = ghash.TABLES_FROM // 2
    assert ways_of([2] * (few - 1)) == "n" * (few - 1)
    assert ways_of([2] * (few + 1)) == "n" * (few - 1) + "tt"
    assert ways_of([new - 1, new, used - 1, used, 1]) == "nllln"
    long = -(-ghash.TABLES_FROM // (ghash.COUNTED + 1))
    assert ways_of([used, 1] * (long + 5)) == "ln" * (long - 1) + "lt" * 6
    often = ghash.TABLES_FROM // ghash.COUNTED
    assert ways_of([new] * (often + 1) + [used - 1, used]) == "l" * often + "ttl"


# ---- The standards' vectors -----------------------------------------------------------


class Lanes(python.PythonEngine):
    HASH_FROM = 2, 2

    __slots__ = ()


WYCHEPROOF = "key", "iv", "aad", "ct", "tag"
WAYS = ["lanes", "polynomial", "masks"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("file", [*vector_files.GCM_FILES, vector_files.WYCHEPROOF_FILE], ids=str)
def test_vectors_of_gcm(
    way: str, file: VectorFile, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one way for all messages, which are short."""
    monkeypatch.setattr(ghash, "MASK_LANES_FROM", 2)
    if way == "polynomial":
        request.getfixturevalue("always_reduced")
    valid = 0
    for vector in vector_files.sample(file.read(), 100):
        names = ("KEY", "IV", "AAD", "CT", "TAG") if "KEY" in vector else WYCHEPROOF
        key, nonce, ad, ciphertext, tag = (vector[name] for name in names)
        if not nonce:
            continue
        sealer = gcm.GCM(lambda key: Lanes(key, strict=way == "masks"), key, len(tag))
        plaintext, found = sealer.decrypt(nonce, ciphertext, ad, tag)
        refused = "FAIL" in vector or vector.fields.get("result") == "invalid"
        assert (found != tag) == refused, vector
        if not refused:
            valid += 1
            assert plaintext == vector["PT" if "PT" in vector else "msg"], vector
    assert valid > 20


@pytest.mark.usefixtures("always_reduced")
def test_vectors_of_polyval(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 8452 appendix A, and its relation to GHASH."""
    monkeypatch.setattr(polyval, "LANES_FROM", 2)
    key = bytes.fromhex("25629347589242761d31f826ba4b757b")
    data = bytes.fromhex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362")
    assert polyval.polyval(key, data).hex() == "f7a3b47b846119fae5b7866cf5e5b77e"
