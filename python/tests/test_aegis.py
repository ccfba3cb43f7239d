"""AEGIS and AEGISMAC on every backend that has them: the vectors of RFC 10032, `pyaegis`, and the
inner functions of pure Python and of the reference, step by step."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import vector_files
from backends import BackendUnderTest, noise
from hypothesis import given
from hypothesis import strategies as st
from vector_files import Vector

import rijn
from rijn import mac
from rijn.pure import aegis as pure
from rijn.pure.reference import aegis as reference

Passed = Callable[[str, int, int], None]

FILE = vector_files.AEGIS_FILE
TAG_LENGTHS = (16, 32)
# The algorithm of AEGISMAC, by the name of the class.
ALGORITHMS = {cls.__name__: name for name, cls in mac.ALGORITHMS.items()}
# The bytes that one step of an algorithm absorbs.
RATES = {name: pure.variant(*found).rate for name, found in pure.VARIANTS.items()}

each_variant = pytest.mark.parametrize("name", ALGORITHMS)
each_degree_above_one = pytest.mark.parametrize("name", [n for n in ALGORITHMS if "X" in n])
each_tag_length = pytest.mark.parametrize("tag_length", TAG_LENGTHS)


def key_size(name: str) -> int:
    size: int = getattr(rijn, name).key_sizes[0]
    return size


def make(tested: BackendUnderTest, name: str, key: bytes, tag_length: int) -> Any:
    return tested.make(getattr(rijn, name), key, tag_length=tag_length)


def make_mac(
    tested: BackendUnderTest, name: str, key: bytes, nonce: bytes, tag_length: int
) -> rijn.AEGISMAC:
    return tested.make(rijn.AEGISMAC, key, nonce, algorithm=ALGORITHMS[name], tag_length=tag_length)


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    """Returns the module of pyaegis, the binding of libaegis."""
    module = pytest.importorskip("pyaegis.aegis", reason="pyaegis is not installed")
    assert isinstance(module, ModuleType)
    return module


def peer_seal(
    peer: ModuleType, name: str, key: bytes, nonce: bytes, tag_length: int, data: bytes, ad: bytes
) -> bytes:
    sealed = getattr(peer, "Aegis" + name[5:])(tag_size=tag_length).encrypt(key, nonce, data, ad)
    return bytes(sealed)


def peer_mac(
    peer: ModuleType, name: str, key: bytes, nonce: bytes, tag_length: int, data: bytes
) -> bytes:
    code = getattr(peer, "AegisMac" + name[5:])(key, nonce, tag_length)
    code.update(data)
    return bytes(code.final())


# ---- The vectors of RFC 10032 ---------------------------------------------------------


def vectors(kind: str, name: str | None = None) -> list[Vector]:
    return [
        vector
        for vector in FILE.read()
        if kind in vector.section and vector.section.get("ALGORITHM") == name
    ]


@each_variant
def test_vectors(tested: BackendUnderTest, name: str, passed: Passed) -> None:
    chosen = vectors("AEAD", name)
    assert chosen
    for vector in chosen:
        nonce, ad, ciphertext = vector["NONCE"], vector["AD"], vector["CIPHERTEXT"]
        for tag_length in TAG_LENGTHS:
            aead = make(tested, name, vector["KEY"], tag_length)
            sealed = ciphertext + vector[f"TAG{8 * tag_length}"]
            if "FAIL" in vector:
                with pytest.raises(rijn.InvalidTag):
                    aead.decrypt(nonce, sealed, ad)
            else:
                assert aead.encrypt(nonce, vector["PLAINTEXT"], ad) == sealed, vector
                assert aead.decrypt(nonce, sealed, ad) == vector["PLAINTEXT"], vector
    passed(FILE.source, len(chosen), len(chosen))


@each_variant
def test_mac_vectors(tested: BackendUnderTest, name: str, passed: Passed) -> None:
    chosen = vectors("MAC", name)
    assert chosen
    for vector in chosen:
        for tag_length in TAG_LENGTHS:
            code = make_mac(tested, name, vector["KEY"], vector["NONCE"], tag_length)
            code.update(vector["DATA"])
            assert code.finalize() == vector[f"TAG{8 * tag_length}"], vector
    passed(FILE.source, len(chosen), len(chosen))


# ---- The vectors of the RFC for its inner functions -----------------------------------


def to_int(name: str, state: bytes) -> int:
    """Returns a state in the RFC's order as the integer that rijn.pure.aegis uses."""
    family, degree = pure.VARIANTS[name]
    size = 16 * degree
    return int.from_bytes(b"".join(state[j * size : (j + 1) * size] for j in family.order))


def to_bytes(V: list[list[bytes]]) -> bytes:
    return b"".join(block for lanes in V for block in lanes)


def test_the_constants_are_fibonacci_numbers() -> None:
    sequence = [0, 1]
    while len(sequence) < 32:
        sequence.append((sequence[-1] + sequence[-2]) % 256)
    assert bytes(sequence) == pure.C0 + pure.C1 == reference.C0 + reference.C1


def test_aes_round() -> None:
    (vector,) = vectors("AESROUND")
    assert reference.AESRound(vector["IN"], vector["RK"]) == vector["OUT"]


@pytest.mark.parametrize("name", ["AEGIS128L", "AEGIS256"])
def test_update(name: str) -> None:
    (vector,) = vectors("UPDATE", name)
    run = pure.variant(*pure.VARIANTS[name]).run
    assert run(to_int(name, vector["STATE"]), vector["M"]) == to_int(name, vector["AFTER"])
    message = reference.VARIANTS[name](bytes(key_size(name)), 16).message()
    message.V = [[block] for block in reference.Split(vector["STATE"], 16)]
    message.Absorb(vector["M"])
    assert to_bytes(message.V) == vector["AFTER"]


@each_degree_above_one
def test_initial_state(name: str) -> None:
    (vector,) = vectors("INIT", name)
    key, nonce = vector["KEY"], vector["NONCE"]
    made = pure.variant(*pure.VARIANTS[name]).init(key, nonce)
    assert made == to_int(name, vector["STATE"])
    message = reference.VARIANTS[name](key, 16).message()
    message.Init(key, nonce)
    assert to_bytes(message.V) == vector["STATE"]


@each_degree_above_one
@each_tag_length
def test_the_tags_that_aegismac_absorbs(name: str, tag_length: int) -> None:
    (vector,) = vectors("MAC", name)
    message = reference.VARIANTS[name](vector["KEY"], tag_length).message()
    absorbed: list[bytes] = []

    def absorb(block: bytes) -> None:
        absorbed.append(block)
        type(message).Absorb(message, block)

    message.Absorb = absorb
    tag = message.Mac(vector["DATA"], vector["KEY"], vector["NONCE"])
    assert tag == vector[f"TAG{8 * tag_length}"]
    data_blocks = -(-len(vector["DATA"]) // RATES[name])
    # Each block of 16 bytes is padded with zeros to a block of all lanes.
    lanes = 16 * message.D
    parts = [part for block in absorbed[data_blocks:] for part in reference.Split(block, lanes)]
    assert not any(any(part[16:]) for part in parts)
    assert b"".join(part[:16] for part in parts) == vector[f"TAGS{8 * tag_length}"]


# ---- Any message ----------------------------------------------------------------------


@each_variant
@each_tag_length
def test_any_message_matches_the_peer(
    tested: BackendUnderTest, peer: ModuleType, name: str, tag_length: int
) -> None:
    size = key_size(name)

    @tested.examples
    @given(st.integers(0, 2**32), tested.messages(), st.none() | tested.messages())
    def check(seed: int, data: bytes, ad: bytes | None) -> None:
        key, nonce = noise(size, seed), noise(size, seed + 1)
        aead = make(tested, name, key, tag_length)
        sealed = peer_seal(peer, name, key, nonce, tag_length, data, ad or b"")
        assert aead.encrypt(nonce, data, ad) == sealed
        assert aead.decrypt(nonce, sealed, ad) == data
        code = make_mac(tested, name, key, nonce, tag_length)
        code.update(data)
        assert code.finalize() == peer_mac(peer, name, key, nonce, tag_length, data)

    check()


@each_variant
def test_edges(tested: BackendUnderTest, peer: ModuleType, name: str) -> None:
    """Data and associated data of every length around whole blocks of a message."""
    key, nonce = noise(key_size(name), 1), noise(key_size(name), 2)
    rate = RATES[name]
    edges = [rate] if tested.name == "reference" else [rate, 2 * rate, 3 * rate, 8 * rate, 4096]
    for size in sorted({0, 1, *(edge + d for edge in edges for d in (-1, 0, 1))}):
        message = noise(size, size)
        for data, ad in ((message, b"ad"), (b"data", message)):
            for tag_length in TAG_LENGTHS if not tested.effort.brief else [TAG_LENGTHS[size % 2]]:
                aead = make(tested, name, key, tag_length)
                sealed = peer_seal(peer, name, key, nonce, tag_length, data, ad)
                assert aead.encrypt(nonce, data, ad) == sealed, (len(data), len(ad))
                assert aead.decrypt(nonce, sealed, ad) == data, (len(data), len(ad))


@each_variant
@pytest.mark.backends("aesni", "fixslice64", "table", "python")
def test_every_length_up_to_4_kib(tested: BackendUnderTest, peer: ModuleType, name: str) -> None:
    """Pure Python uses a stride that meets every remainder of a block's length."""
    key, nonce, data = noise(key_size(name), 3), noise(key_size(name), 4), noise(4096, 5)
    aead = make(tested, name, key, 16)
    for size in range(0, 4097, 7 if tested.name == "python" else 1):
        sealed = peer_seal(peer, name, key, nonce, 16, data[:size], b"ad")
        assert aead.encrypt(nonce, data[:size], b"ad") == sealed, size
        assert aead.decrypt(nonce, sealed, b"ad") == data[:size], size


@each_variant
@pytest.mark.backends("aesni", "fixslice64", "table", "python")
def test_a_long_message(tested: BackendUnderTest, peer: ModuleType, name: str) -> None:
    size = 20_003 if tested.name == "python" else 3_000_017
    key, nonce, data = noise(key_size(name), 6), noise(key_size(name), 7), noise(size, 8)
    aead = make(tested, name, key, 32)
    sealed = peer_seal(peer, name, key, nonce, 32, data, data)
    assert aead.encrypt(nonce, data, data) == sealed
    assert aead.decrypt(nonce, sealed, data) == data


@each_variant
@pytest.mark.parametrize("size", [0, 1, 17])
def test_pure_python_matches_the_reference(name: str, size: int) -> None:
    """Runs without pyaegis too, and covers every operation that the backends offer."""
    key, nonce, ad = noise(key_size(name), 9), noise(key_size(name), 10), noise(21, 11)
    data = noise(RATES[name] + size, 12)
    for tag_length in TAG_LENGTHS:
        fast = pure.AEGISSealer(name, key, tag_length)
        plain = reference.VARIANTS[name](key, tag_length)
        ciphertext, tag = plain.encrypt(nonce, data, ad)
        assert fast.encrypt(nonce, data, ad) == (ciphertext, tag)
        for sealer in (fast, plain):
            assert sealer.decrypt(nonce, ciphertext, ad, tag) == (data, tag)
        code = pure.AEGISMACState(name, key, nonce, tag_length)
        code.update(data)
        assert code.finalize() == plain.mac(nonce, data)
    assert fast.keystream(nonce, size) == plain.keystream(nonce, size)


@each_variant
def test_keystream(tested: BackendUnderTest, name: str) -> None:
    """The keystream is the encryption of zeros, with any associated data."""
    key, nonce = noise(key_size(name), 13), noise(key_size(name), 14)
    aead = make(tested, name, key, 16)
    for size in (0, 1, RATES[name], RATES[name] + 5):
        assert (
            aead.unauthenticated_keystream(nonce, size) == aead.encrypt(nonce, bytes(size))[:size]
        )


# ---- Refusals -------------------------------------------------------------------------


@each_variant
def test_lengths_are_authenticated(tested: BackendUnderTest, name: str) -> None:
    """Explicit zeros differ from padding, and a tag of one length is invalid for the other."""
    n = key_size(name)
    key, nonce = noise(n, 19), noise(n, 20)
    short, long = (make(tested, name, key, tag_length) for tag_length in TAG_LENGTHS)
    sealed = short.encrypt(nonce, b"", b"a")
    for ad in (b"a\0", b"", b"a".ljust(RATES[name], b"\0")):
        with pytest.raises(rijn.InvalidTag):
            short.decrypt(nonce, sealed, ad)
    for aead, other in ((short, long), (long, short)):
        with pytest.raises(rijn.InvalidTag):
            aead.decrypt(nonce, other.encrypt(nonce, bytes(40), b""), b"")


# ---- In pieces ------------------------------------------------------------------------


@st.composite
def cuts(draw: st.DrawFn, size: int) -> list[slice]:
    """Cuts a message of that size into pieces, some of them empty."""
    places = sorted(draw(st.lists(st.integers(0, size), max_size=6)))
    return [slice(a, b) for a, b in zip([0, *places], [*places, size], strict=True)]


@each_variant
def test_a_message_in_pieces(name: str) -> None:
    n, rate = key_size(name), RATES[name]
    sealer = pure.AEGISSealer(name, noise(n, 21), 32)
    nonce = noise(n, 22)

    @given(st.data(), st.integers(0, 3 * rate), st.integers(0, 3 * rate))
    def check(draw: st.DataObject, size: int, ad_size: int) -> None:
        data, ad = noise(size, 23), noise(ad_size, 24)
        ciphertext, tag = sealer.encrypt(nonce, data, ad)
        for given_, wanted, step in (
            (data, ciphertext, pure.AEGISState.encrypt),
            (ciphertext, data, pure.AEGISState.decrypt),
        ):
            state = sealer.start(nonce)
            for piece in draw.draw(cuts(ad_size)):
                state.absorb(ad[piece])
            for piece in draw.draw(cuts(size)):
                assert step(state, memoryview(given_)[piece]) == wanted[piece]
            assert state.finalize(ad_size, size) == tag

    check()


@each_variant
@each_tag_length
def test_mac_in_pieces(tested: BackendUnderTest, name: str, tag_length: int) -> None:
    n, rate = key_size(name), RATES[name]
    key, nonce, data = noise(n, 25), noise(n, 26), noise(2 * rate + 9, 27)
    whole = make_mac(tested, name, key, nonce, tag_length)
    whole.update(data)
    tag = whole.finalize()
    brief = tested.effort.brief
    for cut in (0, 1, rate - 1, rate, rate + 1, len(data)) if not brief else (1, rate + 1):
        code = make_mac(tested, name, key, nonce, tag_length)
        code.update(data[:cut])
        twin = code.copy()
        twin.update(b"another end")
        code.update(data[cut:])
        code.verify(tag)
        assert twin.finalize() != tag
        with pytest.raises(RuntimeError):
            code.update(b"")
    code = make_mac(tested, name, key, nonce, tag_length)
    code.update(data)
    with pytest.raises(rijn.InvalidTag):
        code.verify(tag[:-1] + bytes([tag[-1] ^ 1]))


def test_memory_does_not_grow_with_the_message() -> None:
    """Except for the result: once, and an eighth more, as a BytesIO over-allocates."""
    data = bytes(1 << 18)
    aead = pure.AEGISSealer("AEGIS256", bytes(32), 16)
    aead.encrypt(bytes(32), bytes(200), b"")
    tracemalloc.start()
    aead.encrypt(bytes(32), data, b"")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(data) * 9 // 8 + 5000


# ---- Kernels ----

KERNELS = [found.name for found in rijn.aegis_kernels() if found.available]


def test_kernels_are_listed() -> None:
    """A backend with several kernels names each of them, and reports the first that can run."""
    listed = rijn.aegis_kernels()
    assert len({found.name for found in listed}) == len(listed)
    for record in rijn.backends():
        own = [found for found in listed if found.backend == record.name]
        assert len(own) > 1 or all(found.name == found.backend for found in own)
        if own and record.available:
            first = next(found.name for found in own if found.available)
            assert rijn.AEGIS256(bytes(32), backend=record.name).kernel == first
    assert not any(found.reason for found in listed if found.available)


@each_variant
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_is_chosen_by_its_name(kernel: str, name: str) -> None:
    (record,) = (found for found in rijn.aegis_kernels() if found.name == kernel)
    key, nonce, data = noise(key_size(name)), noise(key_size(name)), noise(301)
    aead = getattr(rijn, name)(key, backend=kernel)
    assert (aead.kernel, aead.backend) == (kernel, record.backend)
    oracle = getattr(rijn, name)(key, backend="reference")
    assert oracle.kernel == oracle.backend == "reference"
    assert aead.encrypt(nonce, data, b"header") == oracle.encrypt(nonce, data, b"header")
    macs = [
        rijn.AEGISMAC(key, nonce, algorithm=ALGORITHMS[name], backend=b)
        for b in (kernel, "reference")
    ]
    assert [made.kernel for made in macs] == [kernel, "reference"]
    for made in macs:
        made.update(data)
    assert macs[0].finalize() == macs[1].finalize()


def test_an_unknown_algorithm_of_a_mac(tested: BackendUnderTest) -> None:
    for unknown in ("AEGIS-128", "aegis-128l", ""):
        with pytest.raises(ValueError, match=f"AEGIS-128L, .*, not '{unknown}'"):
            tested.make(rijn.AEGISMAC, bytes(16), bytes(16), algorithm=unknown)


def test_a_kernel_is_not_a_backend() -> None:
    """Its name is valid for AEGIS only. If it cannot run, the error gives the reason."""
    for found in rijn.aegis_kernels():
        if found.name == found.backend:
            continue
        with pytest.raises(rijn.BackendError, match="unknown backend"):
            rijn.AESGCM(bytes(16), backend=found.name)
        with pytest.raises(rijn.BackendError, match="unknown backend"):
            rijn.use_backend(found.name)
        if not found.available:
            with pytest.raises(rijn.BackendError, match="cannot run here: needs"):
                rijn.AEGIS128L(bytes(16), backend=found.name)
