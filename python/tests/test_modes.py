"""The modes beyond ECB, CBC and GCM on every backend: against `cryptography`, PyCryptodome
and the oracle, whole and in pieces, and every error that their docstrings name."""

from __future__ import annotations

import mmap
import random
import re
import tracemalloc
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, partial
from itertools import product
from typing import Any, Self

import gcm_model
import pytest
from backends import NATIVE, BackendUnderTest, noise
from Crypto.Cipher import AES as Crypto
from cryptography.hazmat.decrepit.ciphers import modes as old
from cryptography.hazmat.primitives import keywrap
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC as PeerCMAC
from hypothesis import given
from hypothesis import strategies as st
from public import AEADS

import rijn
from rijn.pure import aegis as aegis_pure
from rijn.pure import python
from rijn.pure.fields import double
from rijn.pure.modes import ccm, gcm, gcm_siv, ocb3
from rijn.pure.reference import aead as reference
from rijn.pure.reference import aegis as aegis_reference
from rijn.wrap import KeyWrap

AEGIS = tuple(cls for cls in AEADS if issubclass(cls, rijn.aegis.AEGIS))

keys = st.sampled_from((16, 24, 32)).flatmap(lambda size: st.binary(min_size=size, max_size=size))
blocks = st.binary(min_size=16, max_size=16)
seeds = st.integers(0, 2**32)

each_aead = pytest.mark.parametrize("cls", AEADS, ids=lambda cls: cls.__name__)


def refuses(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


def nonce_sizes(cls: Any) -> list[int]:
    """Returns the shortest nonce sizes, the longest up to 20 bytes, and usual ones."""
    sizes = cls.nonce_sizes
    some = {sizes[0], sizes[0] + 1, 11, 12, 13, 15, 16, 20, min(sizes[-1], 20), sizes[-1] % 64}
    return sorted(size for size in some if size in sizes)


def usual(cls: Any) -> int:
    """Returns a nonce size that allows 64 KiB and more in CCM, too."""
    size: int = 11 if cls is rijn.AESCCM else 12
    return size if size in cls.nonce_sizes else cls.nonce_sizes[0]


def options_of(cls: Any, tag_length: int) -> dict[str, Any]:
    short = tag_length in getattr(cls, "short_tag_lengths", ())
    nonces = {"short_nonces": True} if hasattr(cls, "short_nonce_sizes") else {}
    return {"tag_length": tag_length, **nonces, **({"short_tags": True} if short else {})}


# ---- Peers ----------------------------------------------------------------------------


def peer(key: bytes, mode: Any, data: bytes, *, decrypting: bool = False) -> bytes:
    cipher = Cipher(algorithms.AES(key), mode)
    context = cipher.decryptor() if decrypting else cipher.encryptor()
    return context.update(data) + context.finalize()


def peer_xaes(key: bytes, nonce: bytes, data: bytes, ad: bytes) -> bytes:
    """c2sp.org/XAES-256-GCM: derives the key in counter mode with CMAC."""
    derived = b""
    for number in (1, 2):
        mac = PeerCMAC(algorithms.AES(key))
        mac.update(bytes([0, number]) + b"X\0" + nonce[:12])
        derived += mac.finalize()
    return aead.AESGCM(derived).encrypt(nonce[12:], data, ad)


def crypto(mode: int, key: bytes, nonce: bytes, data: bytes, ad: bytes, tag_length: int) -> bytes:
    cipher: Any = Crypto.new(key, mode, nonce=nonce, mac_len=tag_length)
    cipher.update(ad)
    ciphertext, tag = cipher.encrypt_and_digest(data)
    return bytes(ciphertext + tag)


PEERS: dict[Any, Callable[[bytes, bytes, bytes, bytes], bytes]] = {
    rijn.AESGCM: lambda key, nonce, data, ad: aead.AESGCM(key).encrypt(nonce, data, ad),
    rijn.AESGCMSIV: lambda key, nonce, data, ad: aead.AESGCMSIV(key).encrypt(nonce, data, ad),
    rijn.XAES256GCM: peer_xaes,
    rijn.AESCCM: lambda key, nonce, data, ad: aead.AESCCM(key).encrypt(nonce, data, ad),
    rijn.AESOCB3: lambda key, nonce, data, ad: aead.AESOCB3(key).encrypt(nonce, data, ad),
    rijn.AESEAX: lambda key, nonce, data, ad: crypto(Crypto.MODE_EAX, key, nonce, data, ad, 16),
}
each_peer = pytest.mark.parametrize("cls", PEERS, ids=lambda cls: cls.__name__)

# Other lengths of nonces and tags that PyCryptodome supports.
CRYPTO_MODES = {
    rijn.AESCCM: (Crypto.MODE_CCM, range(7, 14), range(4, 17, 2)),
    rijn.AESOCB3: (Crypto.MODE_OCB, range(1, 16), range(8, 17)),
    rijn.AESEAX: (Crypto.MODE_EAX, range(1, 40), range(2, 17)),
    rijn.AESGCM: (Crypto.MODE_GCM, range(1, 40), (4, 8, 12, 13, 14, 15, 16)),
}


@cache
def oracle(
    cls: Any, key: bytes, nonce: bytes, size: int, ad_size: int, tag_length: int
) -> tuple[bytes, bytes, bytes]:
    """Returns data, associated data, and the result of the backend `reference`."""
    data, ad = noise(size, size), noise(ad_size, ~ad_size)
    sealer = cls(key, backend="reference", **options_of(cls, tag_length))
    return data, ad, sealer.encrypt(nonce, data, ad)


# ---- Raw modes ------------------------------------------------------------------------

RAW_MODES = {"cfb": old.CFB, "cfb8": old.CFB8, "ofb": old.OFB}


@pytest.mark.parametrize("name", RAW_MODES)
def test_raw_modes_match_the_peer(tested: BackendUnderTest, name: str) -> None:
    @tested.examples
    @given(keys, blocks, tested.messages())
    def check(key: bytes, iv: bytes, data: bytes) -> None:
        if name == "cfb8":
            data = data[:300]
        aes = tested.AES(key)
        ciphertext = peer(key, RAW_MODES[name](iv), data)
        assert getattr(aes, f"{name}_encrypt")(iv, data) == ciphertext
        assert getattr(aes, f"{name}_decrypt")(iv, ciphertext) == data

    check()


def test_ofb_and_cfb_match_pycryptodome(tested: BackendUnderTest) -> None:
    for size in (0, 1, 16, 33, 100):
        key, iv, data = noise(32, size), noise(16, size + 1), noise(size, size + 2)
        aes = tested.AES(key)
        whole = data[: size // 16 * 16]
        full: Any = Crypto.new(key, Crypto.MODE_CFB, iv=iv, segment_size=128)
        assert aes.cfb_encrypt(iv, whole) == full.encrypt(whole)
        by_bytes: Any = Crypto.new(key, Crypto.MODE_CFB, iv=iv, segment_size=8)
        assert aes.cfb8_encrypt(iv, data) == by_bytes.encrypt(data)
        assert aes.ofb_encrypt(iv, data) == Crypto.new(key, Crypto.MODE_OFB, iv=iv).encrypt(data)


def test_ige_matches_the_oracle(tested: BackendUnderTest) -> None:
    """Also compares with its definition, for any length."""
    for key_size, size in product((16, 24, 32), (0, 16, 32, 48, 64, 80, 400)):
        key, iv, data = noise(key_size, size), noise(32, size), noise(size, 1)
        aes, reference = tested.AES(key), rijn.AES(key, backend="reference")
        ciphertext = aes.ige_encrypt(iv, data)
        assert ciphertext == reference.ige_encrypt(iv, data)
        assert aes.ige_decrypt(iv, ciphertext) == data


COUNTERS = [
    noise(16, 3),
    b"\xff" * 16,
    # One and two blocks before the wrap of the last and of the first 32 and 64 bits, and of
    # the 16 bits within which counter blocks are made together.
    bytes(8) + b"\xff" * 7 + b"\xfe",
    b"\xfe" + b"\xff" * 7 + bytes(8),
    noise(12, 4) + b"\xff\xff\xff\xfe",
    b"\xff\xff\xff\xff" + noise(12, 5),
    b"\xfe\xff" + noise(14, 6),
]


@pytest.mark.parametrize("byteorder", ["big", "little"])
@pytest.mark.parametrize("width", [32, 64, 128])
def test_ctr_wraps(tested: BackendUnderTest, width: int, byteorder: Any) -> None:
    """The test counts the counter blocks, and the peer encrypts them."""
    low = (1 << width) - 1
    for counter in COUNTERS:
        key, data = noise(16, width), noise(16 * tested.width * 2 + 37, 7)
        aes = tested.AES(key)
        number = int.from_bytes(counter, byteorder)
        counters = b"".join(
            (number & ~low | number + i & low).to_bytes(16, byteorder)
            for i in range(-(-len(data) // 16))
        )
        keystream = peer(key, modes.ECB(), counters)
        expected = bytes(a ^ b for a, b in zip(data, keystream, strict=False))
        made = aes.ctr_encrypt(counter, data, width=width, byteorder=byteorder)
        assert made == expected, counter.hex()
        assert aes.ctr_decrypt(counter, made, width=width, byteorder=byteorder) == data


def test_raw_modes_at_batch_edges(tested: BackendUnderTest) -> None:
    key, iv = noise(24, 8), noise(16, 9)
    aes = tested.AES(key)
    for size in tested.lengths:
        data = noise(size, size)
        for name, mode in RAW_MODES.items():
            if name == "cfb8" and size > 600:
                continue
            ciphertext = peer(key, mode(iv), data)
            assert getattr(aes, f"{name}_encrypt")(iv, data) == ciphertext, (name, size)
            assert getattr(aes, f"{name}_decrypt")(iv, ciphertext) == data, (name, size)


# ---- In pieces ------------------------------------------------------------------------

IN_PIECES: dict[str, tuple[str, int, int, dict[str, Any]]] = {
    **{
        f"{name} {direction}": (f"{name}_{direction}", 16, 1, {})
        for name in RAW_MODES
        for direction in ("encrypt", "decrypt")
    },
    **{
        f"ige {direction}": (f"ige_{direction}", 32, 16, {}) for direction in ("encrypt", "decrypt")
    },
    **{
        f"ctr {width} {byteorder}": (
            "ctr_encrypt",
            16,
            1,
            {"width": width, "byteorder": byteorder},
        )
        for width, byteorder in product((32, 64, 128), ("big", "little"))
    },
}


@pytest.mark.parametrize("name", IN_PIECES)
def test_any_split_gives_the_whole(tested: BackendUnderTest, name: str) -> None:
    method, iv_size, multiple, options = IN_PIECES[name]
    aes = tested.AES(noise(16, 10))

    @tested.examples
    @given(st.integers(0, 200), st.lists(st.integers(0, 70), max_size=12), seeds, st.booleans())
    def check(size: int, cuts: list[int], seed: int, wraps: bool) -> None:
        size -= size % multiple
        iv, data = noise(iv_size, seed), noise(size, seed + 1)
        if wraps and "ctr" in name:
            iv = COUNTERS[seed % len(COUNTERS)]
        whole = getattr(aes, method)(iv, data, **options)
        # cfb8_encrypt belongs to cfb8_encryptor.
        start = getattr(aes, f"{method}or")
        pieces, into = start(iv, **options), start(iv, **options)
        output, written = b"", bytearray()
        for cut in [*cuts, size]:
            piece, data = data[:cut], data[cut:]
            output += pieces.update(piece)
            buf = bytearray(len(piece) + 16)
            written += buf[: into.update_into(piece, buf)]
        assert output + pieces.finalize() == whole
        assert bytes(written) + into.finalize() == whole

    check()


def test_cmac_in_pieces(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(keys, st.integers(0, 300), st.lists(st.integers(0, 70), max_size=12), seeds)
    def check(key: bytes, size: int, cuts: list[int], seed: int) -> None:
        data = noise(size, seed)
        expected = PeerCMAC(algorithms.AES(key))
        expected.update(data)
        tag = expected.finalize()
        mac = tested.make(rijn.CMAC, key)
        for cut in [*cuts, size]:
            piece, data = data[:cut], data[cut:]
            other = mac.copy()
            other.update(b"another end")
            mac.update(piece)
        mac.copy().verify(tag)
        assert mac.finalize() == tag

    check()


def test_macs_refuse(tested: BackendUnderTest) -> None:
    cmac = tested.make(rijn.CMAC, noise(16, 11))
    cmac.update(b"data")
    tag = cmac.copy().finalize()
    for bit in range(128):
        altered = bytearray(tag)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises(rijn.InvalidTag):
            cmac.copy().verify(altered)
    for wrong in (b"", tag[:-1], tag + b"\0"):
        with pytest.raises(rijn.InvalidTag):
            cmac.copy().verify(wrong)
    cmac.verify(tag)
    for call in (lambda: cmac.update(b""), cmac.finalize, lambda: cmac.verify(tag), cmac.copy):
        with pytest.raises(RuntimeError):
            call()
    refuses("key must be 16, 24 or 32 bytes, not 15", lambda: rijn.CMAC(bytes(15)))


# ---- XTS ------------------------------------------------------------------------------


def test_xts_matches_the_peer(tested: BackendUnderTest) -> None:
    sizes = [16, 17, 31, 32, 33, 47, 48, 49, 512, 513, 1023, 1024, 1025, 1040, 1056, 4096, 4111]
    if tested.name == "reference":
        sizes = sizes[:9]
    for key_size in (32, 64):
        key, tweak = noise(key_size, 12), noise(16, 13)
        xts = tested.make(rijn.AESXTS, key)
        for size in [*sizes, *(size for size in tested.lengths if size >= 16)]:
            data = noise(size, size)
            ciphertext = peer(key, modes.XTS(tweak), data)
            assert xts.encrypt(tweak, data) == ciphertext, size
            assert xts.decrypt(tweak, ciphertext) == data, size


def test_xts_refuses(tested: BackendUnderTest) -> None:
    xts = tested.make(rijn.AESXTS, noise(32))
    for size in (0, 16, 31, 33, 48, 65):
        message = f"key must be 32 or 64 bytes, not {size}"
        refuses(message, lambda size=size: rijn.AESXTS(bytes(size), backend=tested.name))
    refuses(
        "the two halves of an XTS key must differ",
        lambda: rijn.AESXTS(noise(16) * 2, backend=tested.name),
    )
    for call in (xts.encrypt, xts.decrypt):
        for size in (0, 15, 17):
            refuses(
                f"tweak must be 16 bytes, not {size}",
                lambda call=call, size=size: call(bytes(size), bytes(16)),
            )
        for size in (0, 1, 15, 2**24 + 1):
            refuses(
                f"data must be 16 to {2**24} bytes, not {size}",
                lambda call=call, size=size: call(bytes(16), bytes(size)),
            )


# ---- Authenticated ciphers ------------------------------------------------------------


@each_peer
def test_aead_matches_the_peer(tested: BackendUnderTest, cls: Any) -> None:
    nonce_size = usual(cls)

    @tested.examples
    @given(st.sampled_from(cls.key_sizes), seeds, tested.messages(), tested.messages())
    def check(key_size: int, seed: int, data: bytes, ad: bytes) -> None:
        key, nonce = noise(key_size, seed), noise(nonce_size, seed + 1)
        sealer = tested.make(cls, key)
        sealed = PEERS[cls](key, nonce, data, ad)
        assert sealer.encrypt(nonce, data, ad) == sealed
        assert sealer.decrypt(nonce, sealed, ad) == data

    check()


@pytest.mark.parametrize("cls", CRYPTO_MODES, ids=lambda cls: cls.__name__)
def test_nonces_and_tags_match_pycryptodome(tested: BackendUnderTest, cls: Any) -> None:
    mode, sizes, tags = CRYPTO_MODES[cls]
    key, data, ad = noise(16, 14), noise(37, 15), noise(21, 16)
    chosen = list(product(sizes, tags))
    if tested.name != "python":
        chosen = chosen[::7]
    for nonce_size, tag_length in chosen:
        sealer = tested.make(cls, key, **options_of(cls, tag_length))
        nonce = noise(nonce_size, nonce_size)
        sealed = crypto(mode, key, nonce, data, ad, tag_length)
        assert sealer.encrypt(nonce, data, ad) == sealed, (nonce_size, tag_length)
        assert sealer.decrypt(nonce, sealed, ad) == data, (nonce_size, tag_length)


@each_aead
def test_aead_matches_the_oracle(tested: BackendUnderTest, cls: Any) -> None:
    """Each length of key, nonce and tag, and lengths of data around blocks and AEGIS's steps."""
    if tested.name == "reference":
        pytest.skip("backend reference: the oracle itself")
    for key_size, tag_length in product(cls.key_sizes, cls.tag_lengths):
        key = noise(key_size, 17)
        sealer = tested.make(cls, key, **options_of(cls, tag_length))
        assert sealer.tag_length == tag_length
        for nonce_size in nonce_sizes(cls)[:: 1 if tag_length == cls.tag_lengths[-1] else 3]:
            nonce = noise(nonce_size, 18)
            data, ad, sealed = oracle(cls, key, nonce, 33, 17, tag_length)
            assert sealer.encrypt(nonce, data, ad) == sealed
            assert sealer.decrypt(nonce, sealed, ad) == data
    key, nonce = noise(cls.key_sizes[0], 19), noise(usual(cls), 20)
    sealer = tested.make(cls, key)
    for size in (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257):
        for sizes in ((size, 3), (3, size)):
            data, ad, sealed = oracle(cls, key, nonce, *sizes, 16)
            assert sealer.encrypt(nonce, data, ad) == sealed, sizes
            assert sealer.decrypt(nonce, sealed, ad) == data, sizes


@each_peer
def test_aead_at_batch_edges(tested: BackendUnderTest, cls: Any) -> None:
    key, nonce = noise(cls.key_sizes[-1], 21), noise(usual(cls), 22)
    sealer = tested.make(cls, key)
    for size in tested.lengths:
        message = noise(size, size)
        for data, ad in ((message, b"ad"), (b"data", message)):
            sealed = PEERS[cls](key, nonce, data, ad)
            assert sealer.encrypt(nonce, data, ad) == sealed, (len(data), len(ad))
            assert sealer.decrypt(nonce, sealed, ad) == data, (len(data), len(ad))


def exhaustive_backend() -> str:
    """Returns the preferred C backend, or `python`."""
    available = [found.name for found in rijn.backends() if found.available]
    return next(name for name in (*NATIVE, "python") if name in available)


@each_peer
def test_every_length_to_4_kib(cls: Any) -> None:
    """In C. Without a C backend, `python` runs: its chains cost milliseconds, so it gets all sizes
    to 512 bytes and every 31st size above."""
    name = exhaustive_backend()
    sizes = range(4097) if name != "python" else [*range(513), *range(513, 4097, 31)]
    key, nonce, message = noise(cls.key_sizes[0], 23), noise(usual(cls), 24), noise(4096, 25)
    sealer = cls(key, backend=name)
    for size in sizes:
        data, ad = message[:size], message[: size % 37]
        sealed = PEERS[cls](key, nonce, data, ad)
        assert sealer.encrypt(nonce, data, ad) == sealed, size
        if name != "python" or size % 7 == 0:
            assert sealer.decrypt(nonce, sealed, ad) == data, size


@each_aead
def test_every_flipped_bit_is_refused(tested: BackendUnderTest, cls: Any) -> None:
    slow = tested.name == "reference"
    into_every = 8 if slow or tested.name == "python-bitslice" else 1
    size = 1 if slow else 19
    key, nonce = noise(cls.key_sizes[0], 26), noise(usual(cls), 27)
    data, ad = noise(size, 28), noise(3, 29)
    for tag_length in {max(cls.tag_lengths), 16 if not slow else max(cls.tag_lengths)}:
        sealer = tested.make(cls, key, tag_length=tag_length)
        sealed = sealer.encrypt(nonce, data, ad)
        assert len(sealed) == size + tag_length
        assert sealer.decrypt(nonce, sealed, ad) == data
        whole = nonce + ad + sealed
        for turn, bit in enumerate(range(0, 8 * len(whole), tested.effort.bits)):
            altered = bytearray(whole)
            altered[bit // 8] ^= 1 << bit % 8
            bad_nonce, rest = altered[: len(nonce)], altered[len(nonce) :]
            bad_ad, bad = rest[:3], rest[3:]
            with pytest.raises(rijn.InvalidTag):
                sealer.decrypt(bad_nonce, bad, bad_ad)
            if turn % into_every:
                continue
            buf = bytearray(b"\xaa" * size)
            with pytest.raises(rijn.InvalidTag):
                sealer.decrypt_into(bad_nonce, bad, bad_ad, buf)
            assert buf == bytes(size), bit
            # In place, zeros replace the ciphertext.
            with pytest.raises(rijn.InvalidTag):
                sealer.decrypt_into(bad_nonce, bad, bad_ad, memoryview(bad)[:size])
            assert bad[:size] == bytes(size), bit


@each_aead
def test_other_alterations_are_refused(tested: BackendUnderTest, cls: Any) -> None:
    key, nonce = noise(cls.key_sizes[0], 30), noise(usual(cls), 31)
    data, ad = noise(40, 32), noise(20, 33)
    sealer = tested.make(cls, key)
    sealed = sealer.encrypt(nonce, data, ad)
    for bad, bad_ad in [
        (sealed[:-1], ad),
        (sealed[1:], ad),
        (sealed + b"\0", ad),
        (sealed[:-17] + sealed[-16:], ad),
        (sealed, None),
        (sealed, ad[:-1]),
        (sealed, ad + b"\0"),
        (ad + sealed, b""),
        (bytes(len(sealed)), ad),
        (b"", ad),
        (sealed[-15:], ad),
    ]:
        with pytest.raises(rijn.InvalidTag):
            sealer.decrypt(nonce, bad, bad_ad)
    with pytest.raises(rijn.InvalidTag):
        tested.make(cls, noise(cls.key_sizes[0], 34)).decrypt(nonce, sealed, ad)


@each_aead
def test_aead_buffers(tested: BackendUnderTest, cls: Any) -> None:
    """Into a separate buffer, and in place. Wrong sizes and partial overlaps are errors."""
    key, nonce = noise(cls.key_sizes[0], 35), noise(usual(cls), 36)
    sealer = tested.make(cls, key)
    for size in (0, 1, 16, 40, 100) if not tested.effort.brief else (0, 17):
        data, ad = noise(size, 37), b"ad"
        sealed = sealer.encrypt(nonce, data, ad)
        assert sealer.encrypt(nonce, memoryview(bytearray(data)), memoryview(ad)) == sealed
        buf = bytearray(size + 16)
        assert sealer.encrypt_into(nonce, data, ad, buf) == size + 16
        assert buf == sealed
        opened = bytearray(size)
        assert sealer.decrypt_into(nonce, buf, ad, opened) == size
        assert opened == data
        place = bytearray(data) + bytes(16)
        sealer.encrypt_into(nonce, memoryview(place)[:size], ad, place)
        assert place == sealed
        sealer.decrypt_into(nonce, place, ad, memoryview(place)[:size])
        assert place[:size] == data
        for wrong in (size + 15, size + 17):
            refuses(
                f"buf must be exactly {size + 16} bytes, not {wrong}",
                lambda wrong=wrong, data=data: sealer.encrypt_into(
                    nonce, data, None, bytearray(wrong)
                ),
            )
    room = bytearray(60)
    refuses(
        "data and buf overlap",
        lambda: sealer.encrypt_into(nonce, memoryview(room)[1:33], None, memoryview(room)[:48]),
    )


@each_aead
def test_aead_refuses_sizes(tested: BackendUnderTest, cls: Any) -> None:
    sealer = tested.make(cls, bytes(cls.key_sizes[0]), **options_of(cls, 16))
    allowed = [str(size) for size in cls.key_sizes]
    listed = " or ".join([", ".join(allowed[:-1]), allowed[-1]] if allowed[:-1] else allowed)
    for size in (0, 15, 17, 33, 64):
        message = f"key must be {listed} bytes, not {size}"
        refuses(message, lambda size=size: cls(bytes(size), backend=tested.name))
    for tag_length in {-1, 0, 1, 3, 7, 11, 17, 31, 33} - set(cls.tag_lengths):
        with pytest.raises(ValueError, match=f"^tag_length must be .*, not {tag_length}$"):
            cls(bytes(cls.key_sizes[0]), tag_length=tag_length, backend=tested.name)
    sizes = cls.nonce_sizes
    for size in (0, 1, 6, 11, 14, 16, 17, 23, 25, 31, 33):
        nonce = bytes(size)
        expected: Any = nullcontext()
        if size == 0 and cls in (rijn.AESGCM, rijn.AESEAX):
            expected = pytest.raises(ValueError, match="^nonce must not be empty$")
        elif size not in sizes:
            expected = pytest.raises(ValueError, match=f"^nonce must be .* bytes, not {size}$")
        for call in (
            lambda nonce=nonce: sealer.decrypt(nonce, sealer.encrypt(nonce, b"")),
            lambda nonce=nonce: sealer.encrypt_into(nonce, b"", None, bytearray(16)),
        ):
            with expected:
                call()
        if size not in sizes:
            with expected:
                sealer.decrypt(nonce, bytes(20))
    nonce = bytes(usual(cls))
    for wrong in (None, "text", 5):
        with pytest.raises(TypeError):
            sealer.encrypt(nonce, wrong)
    with pytest.raises(BufferError):
        sealer.encrypt(nonce, memoryview(bytes(32))[::2])


@pytest.mark.parametrize(
    ("cls", "short"),
    [
        (rijn.AESGCM, {4, 8}),
        (rijn.AESCCM, {4, 6}),
        (rijn.AESOCB3, set(range(1, 8))),
        (rijn.AESEAX, set(range(1, 8))),
    ],
    ids=lambda it: it.__name__ if isinstance(it, type) else "",
)
def test_short_tags_need_an_option(tested: BackendUnderTest, cls: Any, short: set[int]) -> None:
    for tag_length in cls.tag_lengths:
        make = partial(cls, bytes(16), tag_length=tag_length, backend=tested.name)
        if tag_length in short:
            with pytest.raises(
                ValueError, match=f"^a tag_length of {tag_length} .* with short_tags=True$"
            ):
                make()
        else:
            assert make().tag_length == tag_length
        aead = make(short_tags=True)
        sealed = aead.encrypt(bytes(12), b"data")
        assert len(sealed) == 4 + tag_length
        assert aead.decrypt(bytes(12), sealed) == b"data"
        if hasattr(aead, "encryptor"):
            pieces = aead.encryptor(bytes(12))
            assert pieces.update(b"data") + pieces.finalize() == sealed


def test_only_modes_with_short_tags_take_the_option(tested: BackendUnderTest) -> None:
    for cls in (rijn.AESGCMSIV, rijn.XAES256GCM, rijn.AEGIS128L):
        with pytest.raises(TypeError, match="short_tags"):
            cls(bytes(cls.key_sizes[-1]), short_tags=True, backend=tested.name)


@pytest.mark.parametrize("width", [32, 64, 128])
@pytest.mark.parametrize("byteorder", ["big", "little"])
def test_counter_in_pieces_ends(tested: BackendUnderTest, width: int, byteorder: str) -> None:
    """2^width blocks, and not a byte more. The test starts near the end: 64 GiB are too many."""
    aes, counter, data = tested.AES(noise(16, 44)), noise(16, 45), noise(41, 46)
    expected = aes.ctr_encrypt(counter, data, width=width, byteorder=byteorder)
    encryptor: Any = aes.ctr_encryptor(counter, width=width, byteorder=byteorder)
    assert encryptor._left == 2**width
    encryptor._left = 2
    assert encryptor.update(data[:17]) == expected[:17]
    refused = partial(refuses, f"data is too long for a counter of {width} bits")
    refused(lambda: encryptor.update(data[17:33]))  # changes nothing
    assert encryptor.update(data[17:32]) == expected[17:32]
    refused(lambda: encryptor.update(data[:1]))
    refused(lambda: encryptor.update_into(data[:1], bytearray(1)))
    assert encryptor.update(b"") + encryptor.finalize() == b""


def test_gcm_siv_refuses_keys_of_192_bits(tested: BackendUnderTest) -> None:
    """docs/migration.md says so. RFC 8452 has no such keys."""
    assert len(aead.AESGCMSIV(bytes(24)).encrypt(bytes(12), b"", None)) == 16
    refuses("key must be 16 or 32 bytes, not 24", lambda: tested.AESGCMSIV(bytes(24)))


def test_xaes_derives_a_key_for_each_nonce(tested: BackendUnderTest) -> None:
    """A sealer may keep the key of its last nonce, but not use it for a nonce that differs."""
    key, base = noise(32, 47), noise(24, 48)
    xaes = tested.make(rijn.XAES256GCM, key)
    for place in range(24):
        nonce = base[:place] + bytes([base[place] ^ 1]) + base[place + 1 :]
        for number in (base, nonce, base):
            sealed = xaes.encrypt(number, b"data", b"")
            assert sealed == peer_xaes(key, number, b"data", b""), place
            assert xaes.decrypt(number, sealed, b"") == b"data"
            stream = xaes.encryptor(number)
            assert stream.update(b"data") + stream.finalize() == sealed


# ---- Sizes too large to encrypt in a test -----------------------------------------------


DATA_MAX = {
    rijn.AESGCM: 2**36 - 32,
    rijn.XAES256GCM: 2**36 - 32,
    rijn.AESGCMSIV: 2**36,
    rijn.AESOCB3: 2**36,
}


@pytest.mark.parametrize("cls", DATA_MAX, ids=lambda cls: cls.__name__)
def test_a_byte_too_many(tested: BackendUnderTest, cls: Any) -> None:
    """Refused before Rijn reads any of it. Untouched memory costs nothing."""
    size = DATA_MAX[cls]
    assert cls.data_max == size
    sealer = tested.make(cls, bytes(32))
    try:
        room = mmap.mmap(-1, size + 17, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    except (OSError, OverflowError, AttributeError) as error:
        pytest.skip(f"no address space for {size} bytes: {error}")
    nonce = bytes(cls.nonce_sizes[0] if cls is rijn.XAES256GCM else 12)
    message = f"data is too long: at most {size} bytes"
    with room, memoryview(room) as view:
        refuses(message, lambda: sealer.encrypt(nonce, view[: size + 1]))
        refuses(message, lambda: sealer.decrypt(nonce, view))


@pytest.mark.parametrize("cls", AEADS, ids=lambda cls: cls.__name__)
@pytest.mark.backends("python")
def test_the_largest_message_is_sealed(
    tested: BackendUnderTest, cls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests the checks of the pure backends with a smaller limit: exactly this many bytes."""
    monkeypatch.setattr(cls, "data_max", 40)
    sealer = tested.make(cls, bytes(cls.key_sizes[-1]))
    nonce = bytes(13 if cls is rijn.AESCCM else usual(cls))
    if cls is rijn.AESCCM:  # the nonce size sets its limit
        assert len(sealer.encrypt(nonce, bytes(65535))) == 65535 + 16
        return
    sealed = sealer.encrypt(nonce, bytes(40))
    assert sealer.decrypt(nonce, sealed) == bytes(40)
    refuses("data is too long: at most 40 bytes", lambda: sealer.encrypt(nonce, bytes(41)))
    refuses("data is too long: at most 40 bytes", lambda: sealer.decrypt(nonce, bytes(57)))


def test_a_counter_of_32_bits_counts_2_32_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses an engine that reads nothing, in the public class of the pure backends."""

    class Deaf:
        def ctr_of(self, counter: bytes, data: Any, width: int, byteorder: str) -> bytes:
            return b"taken"

    aes: Any = rijn.AES(bytes(16), backend="python")
    aes._engine = Deaf()
    try:
        room = mmap.mmap(-1, 2**36 + 1, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    except (OSError, OverflowError, AttributeError) as error:
        pytest.skip(f"no address space: {error}")
    with room, memoryview(room) as view:
        assert aes.ctr_encrypt(bytes(16), view[: 2**36], width=32) == b"taken"
        refuses(
            "data is too long for a counter of 32 bits",
            lambda: aes.ctr_encrypt(bytes(16), view, width=32),
        )


@pytest.mark.parametrize("byteorder", ["big", "little"])
def test_a_byte_too_many_for_a_counter_of_32_bits(tested: BackendUnderTest, byteorder: str) -> None:
    """Every backend refuses it before it reads any of it."""
    aes: Any = tested.make(rijn.AES, bytes(16))
    try:
        room = mmap.mmap(-1, 2**36 + 1, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    except (OSError, OverflowError, AttributeError) as error:
        pytest.skip(f"no address space: {error}")
    with room, memoryview(room) as view:
        refuses(
            "data is too long for a counter of 32 bits",
            lambda: aes.ctr_encrypt(bytes(16), view, width=32, byteorder=byteorder),
        )


FAR = (0, 1, 2**29, 2**32, 2**32 + 1, 2**61 - 200)


def test_gcm_writes_sizes_in_64_bits() -> None:
    """SP 800-38D section 7.1, step 5: in bits. The streams of the pure backends do the same."""
    key, nonce, data, ad = noise(16, 49), noise(12, 50), noise(37, 51), noise(20, 52)
    h = gcm_model.hash_key(key)
    plain = gcm.GCM(python.PythonEngine, key, 16).stream(nonce, ad, False)
    plain.crypt(data)
    tag = int.from_bytes(plain.tag())
    for ad_more, more in product(FAR, FAR):
        stream = gcm.GCM(python.PythonEngine, key, 16).stream(nonce, ad, False)
        stream.crypt(data)
        stream._ad_size += ad_more
        stream._size += more
        before = 8 * len(ad) << 64 | 8 * len(data)
        after = 8 * (len(ad) + ad_more) << 64 | 8 * (len(data) + more)
        wanted = tag ^ gcm_model.multiply(before ^ after, h)
        assert stream.tag() == wanted.to_bytes(16), (ad_more, more)


def test_ccm_writes_sizes_in_2_6_or_10_bytes() -> None:
    """SP 800-38C appendix A.2.2."""
    for size, head in {
        1: "0001",
        0xFEFF: "feff",
        0xFF00: "fffe0000ff00",
        0x12345678: "fffe12345678",
        2**32 - 1: "fffeffffffff",
        2**32: "ffff0000000100000000",
        0x0123456789ABCDEF: "ffff0123456789abcdef",
    }.items():
        assert ccm.encoded_length(size).hex() == head
        # The oracle encodes it, too, from bytes that claim this length.
        oracle = reference.CCM(bytes(16), 16)
        assert oracle.associated(Said(b"", size))[: len(head) // 2].hex() == head


class Said(bytes):
    """Bytes that claim another length."""

    said: int

    def __new__(cls, data: bytes, said: int) -> Self:
        self = super().__new__(cls, data)
        self.said = said
        return self

    def __len__(self) -> int:
        return self.said


def test_gcm_siv_writes_sizes_in_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 8452 section 4: in bits, little-endian."""
    hashed: list[bytes] = []

    def polyval(key: bytes, *parts: bytes) -> bytes:
        hashed.append(parts[-1])
        return bytes(16)

    monkeypatch.setattr(gcm_siv, "polyval", polyval)
    sealer = gcm_siv.GCMSIV(python.PythonEngine, bytes(16), 16)
    engine = python.PythonEngine(bytes(16))
    sealer._tag(bytes(16), engine, bytes(12), Said(b"", 2**36), Said(b"", 2**35 + 5))
    sizes = (8 * (2**35 + 5)).to_bytes(8, "little") + (8 * 2**36).to_bytes(8, "little")
    assert hashed == [sizes]


@pytest.mark.parametrize("cls", AEGIS, ids=lambda cls: cls.__name__)
def test_aegis_writes_sizes_in_64_bits(cls: Any) -> None:
    """The oracle does the same. Its LE64 accepts the same sizes."""
    name, size = cls.__name__, cls.key_sizes[0]
    key, nonce = noise(size, 53), noise(size, 54)
    for ad_size, data_size in ((2**29, 7), (5, 2**32), (2**61 - 1, 2**61 - 1)):
        for tag_length in (16, 32):
            message = aegis_reference.VARIANTS[name](key, tag_length).message()
            message.Init(key, nonce)
            state = aegis_pure.AEGISSealer(name, key, tag_length).start(nonce)
            assert state.finalize(ad_size, data_size) == message.Finalize(ad_size, data_size)
            message.Init(key, nonce)
            state = aegis_pure.AEGISSealer(name, key, tag_length).start(nonce)
            assert state.finalize_mac(data_size) == message.FinalizeMac(data_size)


def test_ocb_at_far_blocks() -> None:
    """RFC 7253 section 4.1: Offset_i contains L_j once for each number up to i that ends in
    exactly j zeros. Two equal terms cancel."""
    sealer = ocb3.OCB3(python.PythonEngine, noise(16, 55), 16)
    cipher = python.PythonEngine(noise(16, 55))
    doubles = [double(double(cipher.encrypt_block(0)))]
    for _ in range(32):
        doubles.append(double(doubles[-1]))

    def offset(i: int) -> int:
        total = 0
        for j in range(33):
            if ((i >> j) - (i >> j + 1)) % 2:
                total ^= doubles[j]
        return total

    start = int.from_bytes(noise(16, 56))
    for zeros in range(33):
        for back in (1, 3, 200):
            first = max(2**zeros - back, 0)
            count = min(2**32 - first, 7)
            stream: Any = sealer.stream(bytes(12), b"", False)
            stream._start, stream._blocks = start, first
            data = noise(16 * count, zeros)
            made = b"".join(stream.crypt(data[at : at + 48]) for at in range(0, len(data), 48))
            for i in range(count):
                mask = start ^ offset(first + 1 + i)
                block = int.from_bytes(data[16 * i : 16 * i + 16])
                wanted = cipher.encrypt_block(block ^ mask) ^ mask
                assert made[16 * i : 16 * i + 16] == wanted.to_bytes(16), (zeros, back, i)


def test_ccm_refuses_more_than_its_field_counts(tested: BackendUnderTest) -> None:
    ccm = tested.make(rijn.AESCCM, bytes(16))
    message = "data is too long: at most 65535 bytes with a nonce of 13"
    refuses(message, lambda: ccm.encrypt(bytes(13), bytes(65536)))
    refuses(message, lambda: ccm.decrypt(bytes(13), bytes(65536 + 16)))
    with pytest.raises(rijn.InvalidTag):
        ccm.decrypt(bytes(13), bytes(1000 + 16))


def test_ccm_with_long_associated_data(tested: BackendUnderTest) -> None:
    """From 2^16 - 2^8 bytes on, six bytes encode their length."""
    if tested.name == "reference":
        pytest.skip("backend reference: too slow")
    key, nonce = noise(16, 38), noise(13, 39)
    ccm = tested.make(rijn.AESCCM, key)
    for size in (0xFEFF, 0xFF00, 0x10001):
        ad = noise(size, 40)
        assert ccm.encrypt(nonce, b"data", ad) == aead.AESCCM(key).encrypt(nonce, b"data", ad)


# ---- AEGIS ----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", AEGIS, ids=lambda cls: cls.__name__)
def test_aegis_keystream_and_mac(tested: BackendUnderTest, cls: Any) -> None:
    key, nonce, data = noise(cls.key_sizes[0], 41), noise(cls.key_sizes[0], 42), noise(300, 43)
    aegis = tested.make(cls, key)
    algorithm = cls.__name__.replace("AEGIS", "AEGIS-")
    for size in (0, 1, 16, 129):
        assert (
            aegis.unauthenticated_keystream(nonce, size) == aegis.encrypt(nonce, bytes(size))[:size]
        )
    for tag_length in (16, 32):
        options = {"algorithm": algorithm, "tag_length": tag_length}
        expected = rijn.AEGISMAC(key, nonce, backend="reference", **options)
        expected.update(data)
        mac = tested.make(rijn.AEGISMAC, key, nonce, **options)
        for start in range(0, len(data), 37):
            mac.update(data[start : start + 37])
        tag = mac.copy().finalize()
        assert tag == expected.finalize()
        with pytest.raises(rijn.InvalidTag):
            mac.copy().verify(bytes(tag_length))
        mac.verify(tag)


# ---- SIV ------------------------------------------------------------------------------

strings = st.lists(st.binary(max_size=40), max_size=5)


def test_siv_matches_the_peer(tested: BackendUnderTest) -> None:
    @tested.examples
    @given(st.sampled_from((32, 48, 64)), seeds, tested.messages(), strings)
    def check(key_size: int, seed: int, data: bytes, ads: list[bytes]) -> None:
        key = noise(key_size, seed)
        siv = tested.make(rijn.AESSIV, key)
        cipher: Any = Crypto.new(key, Crypto.MODE_SIV)
        for ad in ads:
            cipher.update(ad)
        ciphertext, tag = cipher.encrypt_and_digest(data)
        sealed = siv.encrypt(data, ads)
        assert sealed == tag + ciphertext
        if data:
            assert sealed == aead.AESSIV(key).encrypt(data, ads)
        assert siv.decrypt(sealed, ads) == data

    check()


def test_siv_refuses(tested: BackendUnderTest) -> None:
    siv = tested.make(rijn.AESSIV, noise(32, 44))
    for size in (0, 16, 33, 65):
        message = f"key must be 32, 48 or 64 bytes, not {size}"
        refuses(message, lambda size=size: rijn.AESSIV(bytes(size), backend=tested.name))
    data, ads = noise(19, 45), [b"one", b"", b"three"]
    sealed = siv.encrypt(data, ads)
    assert siv.decrypt(sealed, ads) == data
    for bit in range(8 * len(sealed)):
        altered = bytearray(sealed)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises(rijn.InvalidTag):
            siv.decrypt(altered, ads)
    for i, ad in enumerate(ads):
        for bit in range(8 * len(ad)):
            changed = bytearray(ad)
            changed[bit // 8] ^= 1 << bit % 8
            with pytest.raises(rijn.InvalidTag):
                siv.decrypt(sealed, [*ads[:i], changed, *ads[i + 1 :]])
    for wrong in (None, [], ads[:2], [*ads, b""], [b"onethree"], [b"", b"one", b"three"]):
        with pytest.raises(rijn.InvalidTag):
            siv.decrypt(sealed, wrong)
    for short in (b"", sealed[:15], sealed[:-1]):
        with pytest.raises(rijn.InvalidTag):
            siv.decrypt(short, ads)
    assert siv.encrypt(b"", None) == siv.encrypt(b"", [])
    assert siv.decrypt(siv.encrypt(b"", [b""] * 126), [b""] * 126) == b""
    refuses("at most 126 associated strings, not 127", lambda: siv.encrypt(b"", [b""] * 127))


# ---- Key wrapping ---------------------------------------------------------------------


def test_key_wrapping_matches_the_peer(tested: BackendUnderTest) -> None:
    for key_size in (16, 24, 32):
        key = noise(key_size, 46)
        for size in (16, 24, 32, 40, 64, 128):
            data = noise(size, size)
            wrapped = keywrap.aes_key_wrap(key, data)
            assert rijn.aes_key_wrap(key, data, backend=tested.name) == wrapped
            assert rijn.aes_key_unwrap(key, wrapped, backend=tested.name) == data
        for size in (1, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33):
            data = noise(size, size)
            wrapped = keywrap.aes_key_wrap_with_padding(key, data)
            assert rijn.aes_key_wrap_with_padding(key, data, backend=tested.name) == wrapped
            assert rijn.aes_key_unwrap_with_padding(key, wrapped, backend=tested.name) == data


def test_key_unwrapping_refuses(tested: BackendUnderTest) -> None:
    kek = tested.make(KeyWrap, noise(16, 47))
    for wrap, unwrap, size in (
        (kek.wrap, kek.unwrap, 16),
        (kek.wrap_padded, kek.unwrap_padded, 5),
        (kek.wrap_padded, kek.unwrap_padded, 13),
    ):
        wrapped = wrap(noise(size, 48))
        assert unwrap(wrapped) == noise(size, 48)
        for bit in range(8 * len(wrapped)):
            altered = bytearray(wrapped)
            altered[bit // 8] ^= 1 << bit % 8
            with pytest.raises(rijn.InvalidTag):
                unwrap(altered)
        for wrong in (b"", bytes(8), wrapped[:-1], wrapped[:-8], wrapped + bytes(8)):
            with pytest.raises(rijn.InvalidTag):
                unwrap(wrong)
    with pytest.raises(rijn.InvalidTag):
        kek.unwrap_padded(kek.wrap(noise(16)))
    for size in (0, 8, 15, 17, 23):
        refuses(
            f"data must be a multiple of 8 bytes, at least 16, not {size}",
            lambda size=size: kek.wrap(bytes(size)),
        )
    refuses("data must be 1 to 2^32 - 1 bytes, not 0", lambda: kek.wrap_padded(b""))


def test_each_part_of_the_padded_check(tested: BackendUnderTest) -> None:
    """Wrong constants, lengths and padding under a right key (RFC 5649 section 3)."""
    key = noise(16, 49)
    kek, aes = tested.make(KeyWrap, key), tested.AES(key)
    good = bytes.fromhex("a65959a6")

    def single(constant: bytes, size: int, padded: bytes) -> bytes:
        return bytes(kek.unwrap_padded(aes.ecb_encrypt(constant + size.to_bytes(4) + padded)))

    for size in range(1, 9):
        assert single(good, size, b"\1" * size + bytes(8 - size)) == b"\1" * size
        for wrong in range(size, 8):
            padded = bytearray(b"\1" * size + bytes(8 - size))
            padded[wrong] = 0x80
            with pytest.raises(rijn.InvalidTag):
                single(good, size, bytes(padded))
    for constant, size in (
        (good, 0),
        (good, 9),
        (good, 2**32 - 1),
        (b"\xa6\x59\x59\xa7", 8),
        (b"\xa6" * 4, 8),
    ):
        with pytest.raises(rijn.InvalidTag):
            single(constant, size, bytes(8))


# ---- Errors of the raw modes ----------------------------------------------------------


def test_raw_modes_refuse(tested: BackendUnderTest) -> None:
    aes = tested.AES(bytes(16))
    for name in ("cfb", "cfb8", "ofb", "ige"):
        right = 32 if name == "ige" else 16
        for direction in ("encrypt", "decrypt"):
            for size in (0, 15, 17, 31):
                message = f"iv must be {right} bytes, not {size}"
                call = getattr(aes, f"{name}_{direction}")
                refuses(message, lambda call=call, size=size: call(bytes(size), bytes(16)))
                start = getattr(aes, f"{name}_{direction}or")
                refuses(message, lambda start=start, size=size: start(bytes(size)))
    for size in (1, 15, 17, 40):
        message = f"data must be a multiple of 16 bytes, not {size}"
        refuses(message, lambda size=size: aes.ige_encrypt(bytes(32), bytes(size)))
        refuses(message, lambda size=size: aes.ige_decrypt(bytes(32), bytes(size)))
        pieces = aes.ige_encryptor(bytes(32))
        pieces.update(bytes(size))
        refuses(message, pieces.finalize)
    for width in (0, 8, 31, 33, 96, 256):
        refuses(
            f"width must be 32, 64 or 128, not {width}",
            lambda width=width: aes.ctr_encrypt(bytes(16), b"", width=width),
        )
    refuses(
        "byteorder must be 'big' or 'little', not 'middle'",
        lambda: aes.ctr_encrypt(bytes(16), b"", width=32, byteorder="middle"),
    )


# ---- Long messages --------------------------------------------------------------------

# More than a chunk of a MiB, and not a whole number of blocks.
LONG = (1 << 20) + 16 * 1000 + 5


@pytest.mark.backends("python", "numpy", "numba")
def test_long_messages_of_parallel_modes(tested: BackendUnderTest) -> None:
    """Each mode across the boundaries of its chunks."""
    key, iv, data = noise(16, 50), noise(16, 51), random.Random(52).randbytes(LONG)
    aes = tested.AES(key)
    ciphertext = peer(key, old.CFB(iv), data)
    assert aes.cfb_decrypt(iv, ciphertext) == data
    few = data[: (1 << 16) + 100]
    assert aes.cfb8_decrypt(iv, peer(key, old.CFB8(iv), few)) == few
    xts, tweak = rijn.AESXTS(noise(32, 53), backend=tested.name), noise(16, 54)
    ciphertext = peer(noise(32, 53), modes.XTS(tweak), data)
    assert xts.encrypt(tweak, data) == ciphertext
    assert xts.decrypt(tweak, ciphertext) == data
    for cls in (rijn.AESGCMSIV, rijn.AESOCB3):
        sealer: Any = cls(key, backend=tested.name)
        for message, ad in ((data, few), (few, data)):
            sealed = PEERS[cls](key, iv[:12], message, ad)
            assert sealer.encrypt(iv[:12], message, ad) == sealed
            assert sealer.decrypt(iv[:12], sealed, ad) == message


@pytest.mark.backends("python", "numba")
def test_long_messages_of_chains(tested: BackendUnderTest) -> None:
    key, iv, data = noise(16, 55), noise(16, 56), random.Random(57).randbytes(LONG)
    aes = tested.AES(key)
    assert aes.cfb_encrypt(iv, data) == peer(key, old.CFB(iv), data)
    assert aes.ofb_encrypt(iv, data) == peer(key, old.OFB(iv), data)
    whole, chain = data[: LONG // 16 * 16], noise(32, 58)
    ciphertext = aes.ige_encrypt(chain, whole)
    # In two pieces, and neither is a chunk. IGE itself was compared with the oracle.
    pieces = aes.ige_encryptor(chain)
    assert pieces.update(whole[:800_000]) + pieces.update(whole[800_000:]) == ciphertext
    few = 80_000
    mac = PeerCMAC(algorithms.AES(key))
    mac.update(data[:few])
    cmac = rijn.CMAC(key, backend=tested.name)
    cmac.update(data[:few])
    cmac.verify(mac.finalize())


@pytest.mark.backends("python")
def test_memory(tested: BackendUnderTest) -> None:
    """At most the result, and less than eight chunks of a MiB."""
    key, iv, data = noise(16, 59), noise(16, 60), bytes(4 << 20)
    aes, xts = tested.AES(key), rijn.AESXTS(noise(32), backend=tested.name)
    calls: dict[str, Callable[[], bytes]] = {
        "cfb": lambda: aes.cfb_decrypt(iv, data),
        "ctr": lambda: aes.ctr_encrypt(iv, data, width=32, byteorder="little"),
        "xts": lambda: xts.encrypt(iv, data),
        "xts decryption": lambda: xts.decrypt(iv, data),
        "cfb8": lambda: aes.cfb8_decrypt(iv, data[: 1 << 18]),
    }
    for cls in (rijn.AESGCMSIV, rijn.AESOCB3):
        sealer: Any = cls(key, backend=tested.name)
        calls[cls.__name__] = lambda sealer=sealer: sealer.encrypt(iv[:12], data)
    for name, call in calls.items():
        tracemalloc.start()
        try:
            size = len(call())
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # An AEAD holds its ciphertext and, for the result, ciphertext and tag once more.
        results = 2 * size if name.startswith("AES") else size
        assert peak - results < 8 << 20, (name, peak)


def test_siv_into_a_buffer(tested: BackendUnderTest) -> None:
    siv = tested.make(rijn.AESSIV, noise(48, 46))
    for size in (0, 1, 16, 100):
        data, ads = noise(size, 47), [b"header", b"nonce"]
        sealed = siv.encrypt(data, ads)
        buf = bytearray(16 + size)
        assert siv.encrypt_into(data, ads, buf) == 16 + size
        assert buf == sealed
        opened = bytearray(b"\xaa" * size)
        assert siv.decrypt_into(sealed, ads, opened) == size
        assert opened == data
        with pytest.raises(rijn.InvalidTag):
            siv.decrypt_into(sealed, ads[:1], opened)
        assert opened == bytes(size)
        for wrong in (15 + size, 17 + size):
            message = f"buf must be exactly {16 + size} bytes, not {wrong}"
            refuses(message, lambda d=data, w=wrong: siv.encrypt_into(d, None, bytearray(w)))
        room = bytearray(data + b"\xaa" * 16)
        assert siv.encrypt_into(memoryview(room)[:size], ads, room) == 16 + size
        assert room == sealed
        assert siv.decrypt_into(room, ads, memoryview(room)[:size]) == size
        assert room[:size] == data
        room[:] = sealed
        with pytest.raises(rijn.InvalidTag):
            siv.decrypt_into(room, ads[:1], memoryview(room)[:size])
        assert room[:size] == bytes(size)
    memory = memoryview(bytearray(64))
    for start in (1, 15, 16):
        refuses(
            "data and buf overlap",
            lambda s=start: siv.encrypt_into(memory[s : s + 32], None, memory[:48]),
        )
        refuses(
            "data and buf overlap",
            lambda s=start: siv.decrypt_into(memory[:48], None, memory[s : s + 32]),
        )
    with pytest.raises(BufferError):
        siv.encrypt_into(b"", None, bytes(16))


def test_eax_counts_in_all_128_bits(tested: BackendUnderTest) -> None:
    """Uses nonces that give counters just below a carry into each byte. It inverts OMAC of one
    block: N = D(counter) ^ E(0) ^ K1, where 0 is the number in front of the nonce."""
    key, data = noise(16, 21), noise(48, 22)
    reference = rijn.AES(key, backend="reference")
    zero = int.from_bytes(reference.ecb_encrypt(bytes(16)))
    subkey = zero << 1 & 2**128 - 1 ^ (0x87 if zero >> 127 else 0)
    aead = tested.AESEAX(key)
    for low in range(1, 17):
        counter = noise(16 - low, 23) + b"\xff" * low
        nonce = int.from_bytes(reference.ecb_decrypt(counter)) ^ zero ^ subkey
        given = nonce.to_bytes(16)
        want = reference.ctr_encrypt(counter, data)
        sealed = aead.encrypt(given, data)
        assert sealed[:48] == want, low
        encryptor = aead.encryptor(given)
        pieces = [encryptor.update(data[i : i + 7]) for i in range(0, 48, 7)]
        assert b"".join(pieces) + encryptor.finalize() == sealed
        assert aead.encrypt_many([data] * 2, nonces=[given] * 2) == [sealed] * 2
