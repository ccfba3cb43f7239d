"""encrypt_many and decrypt_many against encrypt and decrypt, message by message."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import sys
from array import array
from collections import ChainMap, UserDict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from backends import NATIVE, BackendUnderTest, noise
from public import AEADS, key_of

import rijn

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = [0, 1, 15, 16, 17, 0, 64, 100, 16, 16, 5, 33]
COUNT = len(SIZES)
TEXTS = [noise(size, i) for i, size in enumerate(SIZES)]
ADS = [noise(i * 7 % 40, 100 + i) for i in range(COUNT)]


def column(texts: Sequence[bytes], code: str = "i", lead: int = 3) -> tuple[bytes, array[int]]:
    """Returns a column with a few bytes before the first message and after the last."""
    ends = itertools.accumulate(map(len, texts), initial=lead)
    return noise(lead) + b"".join(texts) + b"behind", array(code, ends)


def split(result: Any) -> list[bytes]:
    data, offsets = result
    assert type(data) is bytes
    assert isinstance(offsets, memoryview)
    assert offsets.tolist()[0] == 0
    assert offsets.tolist()[-1] == len(data)
    return [data[a:b] for a, b in itertools.pairwise(offsets)]


def in_layout(texts: Sequence[bytes], layout: str) -> Any:
    return list(texts) if layout == "list" else column(texts, layout)


def out_of(result: Any, layout: str) -> list[bytes]:
    if layout == "list":
        assert isinstance(result, list)
        return result
    assert result[1].itemsize == array(layout).itemsize
    return split(result)


@pytest.mark.parametrize("cls", AEADS, ids=lambda cls: cls.__name__)
def test_a_batch_matches_single_calls(tested: BackendUnderTest, cls: Any) -> None:
    aead = tested.make(cls, key_of(cls))
    size = cls.drawn_nonce_size
    assert size in cls.nonce_sizes
    count = COUNT if tested.name in NATIVE else 2 if tested.effort.brief else 4
    plain, own = TEXTS[:count], ADS[:count]
    given = [noise(size, 50 + i) for i in range(count)]
    base = bytes(size - 1) + b"\xfe"
    counted = [(int.from_bytes(base) + i).to_bytes(size) for i in range(count)]
    sources: list[tuple[list[bytes], dict[str, Any]]] = [
        (given, {"nonces": given}),
        (counted, {"first_nonce": base}),
        (given, {"nonces": b"".join(given)}),
    ]
    layouts: list[tuple[str, Any, list[bytes]]] = [
        ("list", None, [b""] * count),
        ("i", b"shared", [b"shared"] * count),
        ("q", own, own),
    ]
    for (layout, ad, ads), (nonces, names) in zip(layouts, sources, strict=True):
        texts = in_layout(plain, layout)
        want = [aead.encrypt(*m) for m in zip(nonces, plain, ads, strict=True)]
        made = aead.encrypt_many(texts, associated_data=ad, **names)
        assert out_of(made, layout) == want
        sealed = made if layout != "list" else [bytearray(m) for m in made]
        back = aead.decrypt_many(sealed, associated_data=ad, **names)
        assert out_of(back, layout) == plain
        if tested.name not in NATIVE and layout != "i":
            continue
        made = aead.encrypt_many(texts, associated_data=ad, prepend_nonce=True, **names)
        assert out_of(made, layout) == [n + m for n, m in zip(nonces, want, strict=True)]
        drawn = aead.encrypt_many(texts, associated_data=ad)
        assert len({m[:size] for m in out_of(drawn, layout)}) == count
        assert [len(m) for m in out_of(drawn, layout)] == [len(m) for m in out_of(made, layout)]
        back = aead.decrypt_many(drawn, associated_data=ad, threads=2)
        assert out_of(back, layout) == plain


def test_siv(tested: BackendUnderTest) -> None:
    siv = tested.AESSIV(noise(32))
    nonces = [noise(16, i) for i in range(COUNT)]
    cases: list[tuple[bytes | None, list[bytes]]] = [(None, []), (b"", [b""]), (b"x", [b"x"])]
    for ad, strings in cases if tested.name in NATIVE else cases[1:2]:
        want = [siv.encrypt(text, strings) for text in TEXTS]
        assert siv.encrypt_many(TEXTS, associated_data=ad) == want
        assert siv.decrypt_many(want, associated_data=ad) == TEXTS
        want = [siv.encrypt(text, [*strings, n]) for text, n in zip(TEXTS, nonces, strict=True)]
        assert siv.encrypt_many(TEXTS, associated_data=ad, nonces=nonces) == want
        assert siv.decrypt_many(want, associated_data=ad, nonces=nonces) == TEXTS
    want = [siv.encrypt(text, [one]) for text, one in zip(TEXTS, ADS, strict=True)]
    assert split(siv.encrypt_many(column(TEXTS), associated_data=column(ADS, "q"))) == want


@pytest.mark.parametrize("prefixes", [1, 2, 17, 100, 2500])
def test_xaes_in_any_order(tested: BackendUnderTest, prefixes: int) -> None:
    """Messages of several batches, mixed. Each batch has its own derived key."""
    aead = tested.XAES256GCM(noise(32))
    count = 2500 if tested.name in NATIVE else 20
    order = [noise(2, i)[0] * 256 + noise(2, i)[1] for i in range(count)]
    nonces = [noise(12, n % prefixes) + i.to_bytes(12, "big") for i, n in enumerate(order)]
    texts = [noise(i * 7 % 50, i) for i in range(count)]
    want = [aead.encrypt(*pair, b"ad") for pair in zip(nonces, texts, strict=True)]
    data, ends = aead.encrypt_many(column(texts), nonces=nonces, associated_data=b"ad")
    assert split((data, ends)) == want
    sealed = [nonce + message for nonce, message in zip(nonces, want, strict=True)]
    assert split(aead.decrypt_many(column(sealed), associated_data=b"ad")) == texts
    bad = {i: len(texts[i]) for i in range(0, count, 7)}
    for i in bad:
        sealed[i] = sealed[i][:-1] + bytes([sealed[i][-1] ^ 1])
    for i in range(3, count, 21):
        sealed[i], bad[i] = sealed[i][: i % 40], 0
    failed: list[int] = []
    opened = split(aead.decrypt_many(column(sealed), associated_data=b"ad", failed=failed))
    assert failed == sorted(bad)
    assert opened == [bytes(bad[i]) if i in bad else text for i, text in enumerate(texts)]


def test_every_failure_is_reported(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(noise(16))
    for layout in ("list", "i", "q") if tested.name in NATIVE else ("i",):
        good = out_of(aead.encrypt_many(in_layout(TEXTS, layout)), layout)
        bad = list(good)
        bad[0] = bad[0][:-1]  # too short for a message
        bad[4] = bad[4][:-1] + bytes([bad[4][-1] ^ 1])
        bad[7] = bytes([bad[7][0] ^ 1]) + bad[7][1:]
        bad[8] = b""
        with pytest.raises(rijn.InvalidTag) as caught:
            aead.decrypt_many(in_layout(bad, layout))
        assert caught.value.failed == (0, 4, 7, 8)
        assert str(caught.value) == f"authentication failed: 4 of {COUNT} messages"
        failed = [99]
        back = out_of(aead.decrypt_many(in_layout(bad, layout), failed=failed), layout)
        assert failed == [99, 0, 4, 7, 8]
        want = list(TEXTS)
        want[0], want[4], want[7], want[8] = b"", bytes(17), bytes(100), b""
        assert back == want
        failed = []
        assert out_of(aead.decrypt_many(in_layout(good, layout), failed=failed), layout) == TEXTS
        assert failed == []


def test_a_batch_without_messages(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(noise(16))
    assert aead.encrypt_many([]) == aead.decrypt_many([]) == []
    for offsets in (array("i"), array("q", [0]), array("i", [2])):
        data, ends = aead.encrypt_many((b"abc", offsets))
        assert data == b""
        assert ends.tolist() == [0]
        assert ends.itemsize == offsets.itemsize
    assert aead.encrypt_many([], nonces=b"") == aead.encrypt_many([], nonces=[]) == []
    assert len(aead.encrypt_many([b"", bytearray()])) == 2


NO_LISTS: list[Any] = [
    "",
    "text",
    {},
    {b"a": b"b"},
    MappingProxyType({b"a": b"b"}),
    UserDict({b"a": b"b"}),
    ChainMap({}),
    {b"a"},
    frozenset(),
    iter(()),
    5,
    1.5,
    object(),
]


def refusals() -> list[tuple[type[Exception], Any, dict[str, Any]]]:
    three = [b"a", b"b", b"c"]
    return [
        (TypeError, b"abc", {}),
        (TypeError, 5, {}),
        (TypeError, ["text"], {}),
        (TypeError, (b"abc",), {}),
        (TypeError, (b"abc", array("i", [0]), b""), {}),
        (TypeError, (b"abc", bytes(8)), {}),
        (TypeError, (b"abc", array("h", [0, 1])), {}),
        (TypeError, (b"abc", array("f", [0, 1])), {}),
        (TypeError, (b"abc", array("d", [0, 1])), {}),
        (TypeError, (b"abc", None), {}),
        (ValueError, (b"abc", array("i", [0, 2, 1])), {}),
        (ValueError, (b"abc", array("i", [-1, 2])), {}),
        (ValueError, (b"abc", array("i", [0, 4])), {}),
        (ValueError, (b"abc", array("I", [0, 2**32 - 1])), {}),
        (ValueError, (b"abc", array("q", [0, 2**63 - 1])), {}),
        (ValueError, three, {"nonces": bytes(35)}),
        (ValueError, three, {"nonces": bytes(0)}),
        (ValueError, three, {"nonces": bytes(99)}),
        (ValueError, three, {"nonces": [bytes(12)] * 2}),
        (ValueError, three, {"nonces": [bytes(12), bytes(12), bytes(13)]}),
        (ValueError, three, {"nonces": [bytes(33)] * 3}),
        (TypeError, three, {"nonces": 5}),
        (ValueError, three, {"first_nonce": b""}),
        (ValueError, three, {"first_nonce": bytes(33)}),
        (ValueError, three, {"first_nonce": b"\xff" * 12}),
        (ValueError, three, {"first_nonce": b"\xfe"}),
        (ValueError, three, {"first_nonce": bytes(12), "nonces": bytes(36)}),
        (ValueError, three, {"associated_data": three[:2]}),
        (ValueError, three, {"associated_data": (b"", array("i", [0, 0]))}),
        (TypeError, three, {"associated_data": 5}),
        (ValueError, three, {"threads": 0}),
        (ValueError, three, {"threads": 1025}),
        (ValueError, three, {"threads": -1}),
        (TypeError, three, {"threads": "2"}),
        (TypeError, three, {"threads": True}),
        (ValueError, three, {"threads": 2**70}),
        # Fewer nonces than messages. They must not count as many short ones.
        (ValueError, three[:2], {"nonces": bytes(12)}),
        (ValueError, three, {"nonces": bytes(24)}),
        (ValueError, [], {"nonces": bytes(12)}),
        (ValueError, three, {"nonces": (bytes(12), bytes(12))}),
        (ValueError, three, {"nonces": (bytes(12), bytes(12), bytes(13))}),
        # One offset, so no messages
        (ValueError, (b"ab", array("i", [3])), {}),
        (ValueError, (b"ab", array("q", [-5])), {}),
        (ValueError, three, {"associated_data": (b"", array("i", [1]))}),
        # Not a list
        *((TypeError, value, {}) for value in NO_LISTS),
        *((TypeError, [], {"associated_data": value}) for value in NO_LISTS),
        *((TypeError, [], {"nonces": value}) for value in NO_LISTS),
        # Not offsets
        (TypeError, (b"abc", [0, 1, 2]), {}),
        (TypeError, (b"abc", np.zeros((2, 2), np.int32)), {}),
        (TypeError, (b"abc", np.array(1, np.int32)), {}),
        (TypeError, (b"abc", np.array([0, 1], np.dtype(np.int32).newbyteorder())), {}),
        (TypeError, (b"a", b"b"), {}),
        (BufferError, (b"abc", np.zeros(4, np.int32)[::2]), {}),
        (BufferError, (b"abc", memoryview(array("i", [0, 0, 1, 1]))[::2]), {}),
        (BufferError, (b"abc", np.zeros((2, 2), np.int32, order="F")), {}),
    ]


def test_refusals(tested: BackendUnderTest) -> None:
    ours, theirs = (rijn.AESGCM(noise(16), backend=name) for name in (tested.name, "python"))
    for error, data, options in refusals():
        for call in ("encrypt_many", "decrypt_many"):
            texts = []
            for aead in (ours, theirs):
                with pytest.raises(error) as caught:
                    getattr(aead, call)(data, **options)
                assert type(caught.value) is error, (data, options)
                texts.append(str(caught.value).removeprefix("memoryview: "))
            assert texts[0] == texts[1]


def test_counted_nonces_reach_the_last(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(noise(16))
    base = bytes(4) + b"\xff" * 7 + b"\xfd"
    assert len(aead.encrypt_many([b""] * 3, first_nonce=base)) == 3
    with pytest.raises(ValueError, match="first_nonce would wrap before message 3 of 4"):
        aead.encrypt_many([b""] * 4, first_nonce=base)
    want = [aead.encrypt(bytes([n]), b"") for n in (253, 254, 255)]
    assert aead.encrypt_many([b""] * 3, first_nonce=b"\xfd") == want


def mistakes() -> list[tuple[Any, dict[str, Any], str]]:
    two = [b"a", b"b"]
    hint = r"not {} \(put single messages in a list, not a tuple\)"
    return [
        (two, {"nonces": bytes(12)}, "nonces of 12 bytes are not 12 for each of 2 messages"),
        (two, {"nonces": (b"1" * 12,)}, "1 nonces for 2 messages"),
        (two, {"nonces": [b"1", b"22"]}, "nonces must be of one size"),
        (two, {"first_nonce": b"\xff" * 12}, "first_nonce would wrap before message 1 of 2"),
        (two, {"threads": -1}, "threads must be 1 to 1024, not -1"),
        ("", {}, "data must be a list of buffers, or a column: .* not str"),
        ([], {"associated_data": ""}, "associated_data must be a buffer, a list of .* not str"),
        ([], {"nonces": {}}, "nonces must be a buffer or a list of buffers, not dict"),
        ((b"a", [0, 1]), {}, hint.format("list")),
        ((b"a", b"b"), {}, hint.format("of 1 dimensions and format 'B'")),
        ((b"a", np.zeros((2, 2), np.int32)), {}, hint.format("of 2 dimensions and format 'i'")),
        ((b"a",), {}, "not a tuple of 1"),
    ]


def test_a_refusal_names_the_mistake(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(noise(16))
    for data, options, text in mistakes():
        for call in (aead.encrypt_many, aead.decrypt_many):
            with pytest.raises((TypeError, ValueError), match=text):
                call(data, **options)


@pytest.mark.parametrize("cls", AEADS, ids=lambda cls: cls.__name__)
def test_a_buffer_of_nonces_has_one_for_each(tested: BackendUnderTest, cls: Any) -> None:
    """A short buffer is never taken for shorter nonces, whatever sizes the mode accepts."""
    aead = tested.make(cls, key_of(cls))
    size = cls.drawn_nonce_size
    for count in (2, 4):
        for bad in (size, size * count - count, size * count + count):
            with pytest.raises(ValueError, match=f"are not {size} for each of {count} messages"):
                aead.encrypt_many([b""] * count, nonces=bytes(bad))


def test_nonces_of_another_size_and_in_a_tuple(tested: BackendUnderTest) -> None:
    aead = tested.AESGCM(noise(16))
    for nonces in ((b"one", b"two"), [b"one", b"two"]):
        want = [aead.encrypt(nonce, b"text") for nonce in nonces]
        assert aead.encrypt_many([b"text"] * 2, nonces=nonces) == want
        assert aead.decrypt_many(want, nonces=nonces) == [b"text"] * 2
    siv = tested.AESSIV(noise(32))
    assert siv.encrypt_many([b"text"] * 2, nonces=b"onetwo") == [
        siv.encrypt(b"text", [b"one"]),
        siv.encrypt(b"text", [b"two"]),
    ]


def test_siv_has_no_nonce_to_prepend(tested: BackendUnderTest) -> None:
    siv = tested.AESSIV(noise(32))
    for texts in ([], [b"text"]):
        with pytest.raises(ValueError, match="prepend_nonce needs nonces or first_nonce here"):
            siv.encrypt_many(texts, prepend_nonce=True)
    (sealed,) = siv.encrypt_many([b"text"], prepend_nonce=True, nonces=b"nonce")
    assert sealed == b"nonce" + siv.encrypt(b"text", [b"nonce"])


def test_offsets_in_the_machine_s_order(tested: BackendUnderTest) -> None:
    """Both notations: ctypes names the order, NumPy does so on request."""
    aead = tested.AESGCM(noise(16))
    want = aead.encrypt_many([b"ab", b"", b"c"], first_nonce=bytes(12))
    mark = "<" if sys.byteorder == "little" else ">"
    given = [
        (ctypes.c_int32 * 4)(0, 2, 2, 3),
        (ctypes.c_int64 * 4)(0, 2, 2, 3),
        np.array([0, 2, 2, 3], mark + "i4"),
        np.array([0, 2, 2, 3], np.uint64),
        memoryview((ctypes.c_int32 * 4)(0, 2, 2, 3)),
    ]
    for offsets in given:
        assert split(aead.encrypt_many((b"abc", offsets), first_nonce=bytes(12))) == want


def test_results_beyond_32_bit_offsets(tested: BackendUnderTest) -> None:
    """The data is memory that nothing ever touches."""
    aead = tested.AESGCM(noise(16))
    size = 2**31 - 1
    with mmap.mmap(-1, size) as data, memoryview(data) as view:
        text = "the results exceed 2\\^31 - 1 bytes: use offsets of 64 bits"
        with pytest.raises(ValueError, match=text):
            aead.encrypt_many((view, array("i", [0, size])))


@pytest.mark.parametrize("nonce", [{}, {"first_nonce": bytes(12)}], ids=["drawn", "counted"])
def test_the_limit_of_short_offsets_is_exact(
    monkeypatch: pytest.MonkeyPatch, nonce: dict[str, bytes]
) -> None:
    """Tests the pure check with a smaller limit."""
    from rijn.pure.public import many

    sealer = rijn.AESGCM(noise(16), backend="python")
    total = sum(SIZES) + COUNT * (16 + (0 if nonce else 12))
    monkeypatch.setattr(many, "OFFSETS_MOST", total)
    assert len(sealer.encrypt_many(column(TEXTS, lead=0), **nonce)[0]) == total
    monkeypatch.setattr(many, "OFFSETS_MOST", total - 1)
    with pytest.raises(ValueError, match="use offsets of 64 bits"):
        sealer.encrypt_many(column(TEXTS, lead=0), **nonce)
    assert len(sealer.encrypt_many(column(TEXTS, "q"), **nonce)[0]) == total


def test_more_data_than_ccm_takes(tested: BackendUnderTest) -> None:
    aead = tested.AESCCM(noise(16))
    text = r"^data\[1\] is too long: at most 65535 bytes with a nonce of 13$"
    for call in (aead.encrypt_many, aead.decrypt_many):
        with pytest.raises(ValueError, match=text):
            call([bytes(65535), bytes(65536 + 16), bytes(1)], nonces=[bytes(13)] * 3)
        ends = array("q", [0, 65535, 2 * 65536 + 15, 2 * 65536 + 16])
        with pytest.raises(ValueError, match=text):
            call((bytes(ends[-1]), ends), nonces=[bytes(13)] * 3)
    with pytest.raises(ValueError, match=r"^data\[1\] is too long: at most 16777215 bytes"):
        aead.decrypt_many([b"", bytes(2**24 + 28), b""], failed=[])


def test_threads(tested: BackendUnderTest) -> None:
    for threads in (2, 3, 7, 64) if tested.name in NATIVE else (3,):
        check_threads(tested, threads)


def check_threads(tested: BackendUnderTest, threads: int) -> None:
    aead = tested.AESGCM(noise(16))
    texts = [noise(i % 50, i) for i in range(300 if tested.name in NATIVE else 20)]
    base = bytes(12)
    want = aead.encrypt_many(texts, first_nonce=base)
    assert aead.encrypt_many(texts, first_nonce=base, threads=threads) == want
    assert split(aead.encrypt_many(column(texts), first_nonce=base, threads=threads)) == want
    for count in (0, 15, 16, 17, 24, 25):
        few = texts[:count]
        made = aead.encrypt_many(few, first_nonce=base, threads=threads)
        assert made == want[: len(few)]
    want[5], want[17] = b"", bytes(16)
    failed: list[int] = []
    back = aead.decrypt_many(want, first_nonce=base, threads=threads, failed=failed)
    assert failed == [5, 17]
    assert [b for i, b in enumerate(back) if i not in failed] == [
        t for i, t in enumerate(texts) if i not in failed
    ]


def test_threads_with_everything_of_its_own(tested: BackendUnderTest) -> None:
    """Each thread's part of the messages has its own nonces, associated data and failures."""
    aead = tested.AESGCM(noise(16))
    texts, ads = ([noise(i % 33, i + n) for i in range(40)] for n in (0, 100))
    nonces = [noise(12, i) for i in range(40)]
    want = [aead.encrypt(n, t, a) for n, t, a in zip(nonces, texts, ads, strict=True)]
    for own in (ads, column(ads)):
        for given in (nonces, b"".join(nonces)):
            options: dict[str, Any] = {"nonces": given, "associated_data": own, "threads": 3}
            assert aead.encrypt_many(texts, **options) == want
            assert split(aead.encrypt_many(column(texts), **options)) == want
            assert aead.decrypt_many(want, **options) == texts
            altered = [bytes(40) if i in (0, 16, 39) else text for i, text in enumerate(want)]
            with pytest.raises(rijn.InvalidTag) as caught:
                aead.decrypt_many(altered, **options)
            assert caught.value.failed == (0, 16, 39)
            failed = [7]
            back = aead.decrypt_many(altered, failed=failed, **options)
            assert failed == [7, 0, 16, 39]
            assert [back[i] for i in failed[1:]] == [bytes(24)] * 3


def test_drawn_nonces_never_repeat(tested: BackendUnderTest) -> None:
    """They also differ between the parts of threads."""
    aead = tested.AESGCM(noise(16))
    drawn = [
        sealed[:12]
        for threads in (1, 1, 3, 3)
        for sealed in aead.encrypt_many([b""] * 40, threads=threads)
    ]
    assert len(set(drawn)) == 160


def test_the_last_eight_bytes_count(tested: BackendUnderTest) -> None:
    """In a longer nonce, the bytes in front of them do not change."""
    aead = tested.AESGCM(noise(16))
    for front in (b"", b"\xfe", b"abcd", noise(24)):
        base = front + bytes(6) + b"\xff\xff"
        want = [aead.encrypt(front + n.to_bytes(8, "big"), b"text") for n in (0xFFFF, 0x10000)]
        assert aead.encrypt_many([b"text"] * 2, first_nonce=base) == want


@pytest.mark.parametrize("cls", AEADS, ids=lambda cls: cls.__name__)
def test_counts_carry_into_each_of_the_eight_bytes(tested: BackendUnderTest, cls: Any) -> None:
    aead, size = tested.make(cls, key_of(cls)), cls.drawn_nonce_size
    front = noise(size - 8, 60)
    for low in range(1, 8):
        numbers = [(5 << 8 * low) - 1, 5 << 8 * low]
        counted = [front + number.to_bytes(8) for number in numbers]
        want = [aead.encrypt(nonce, b"text") for nonce in counted]
        assert aead.encrypt_many([b"text"] * 2, first_nonce=counted[0]) == want, low
