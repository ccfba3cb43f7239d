"""One object, many threads: every result is the same as in one thread."""

from __future__ import annotations

import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from backends import NATIVE, OPTIONAL, PURE, SOME_NATIVE, BackendUnderTest, noise
from limits import LIMIT
from public import AEADS

import rijn
import rijn.incremental
from rijn import mac
from rijn.pure import ghash, wideghash
from rijn.wrap import KeyWrap

THREADS = 4


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Makes the interpreter switch threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(task: Callable[[int], None]) -> None:
    """Runs task(0), task(1), … at once, and raises the first failure."""
    barrier = threading.Barrier(THREADS, timeout=LIMIT)

    def run(number: int) -> None:
        barrier.wait()
        task(number)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))


def rounds_and_sizes(tested: BackendUnderTest) -> tuple[int, list[int]]:
    """Returns the rounds and the message sizes: short ones that hold the interpreter lock, and
    long ones that release it."""
    if tested.name == "reference":
        return 1, [5, 48]
    if tested.name.startswith("python"):
        return 4 if tested.name == "python" else 1, [5, 48, 700]
    if tested.name == "numpy":
        return 2, [5, 700, 30_000, 100_000]
    return 8, [5, 48, 700, 5000, 100_000]


def test_one_aead(tested: BackendUnderTest, eager_switching: None) -> None:
    aead = tested.AESGCM(noise(16, 1))
    rounds, sizes = rounds_and_sizes(tested)
    messages = [
        (noise(12, number), noise(size, number), noise(20, size))
        for number in range(THREADS)
        for size in sizes
    ]
    sealed = [aead.encrypt(*message) for message in messages]

    def use_messages(number: int) -> None:
        for _ in range(rounds):
            for index in range(len(messages)):
                at = (index + number * len(sizes)) % len(messages)
                nonce, data, ad = messages[at]
                assert aead.encrypt(nonce, data, ad) == sealed[at]
                assert aead.decrypt(nonce, sealed[at], ad) == data
                with pytest.raises(rijn.InvalidTag):
                    aead.decrypt(nonce, sealed[at], ad[1:])

    together(use_messages)


def test_one_cipher(tested: BackendUnderTest, eager_switching: None) -> None:
    aes = tested.AES(noise(32, 2))
    rounds, sizes = rounds_and_sizes(tested)
    messages = [(noise(16, size), noise(size // 16 * 16, size)) for size in sizes]
    wanted = [
        (aes.ecb_encrypt(data), aes.cbc_encrypt(iv, data), aes.ctr_encrypt(iv, data))
        for iv, data in messages
    ]

    def use_blocks(number: int) -> None:
        for _ in range(rounds):
            for (iv, data), (ecb, cbc, ctr) in zip(messages, wanted, strict=True):
                assert aes.ecb_encrypt(data) == ecb
                assert aes.ecb_decrypt(ecb) == data
                assert aes.cbc_encrypt(iv, data) == cbc
                assert aes.cbc_decrypt(iv, cbc) == data
                assert aes.ctr_encrypt(iv, data) == ctr
                encryptor = aes.ctr_encryptor(iv)
                half = len(data) // 2
                pieces = encryptor.update(data[:half]) + encryptor.update(data[half:])
                assert pieces + encryptor.finalize() == ctr

    together(use_blocks)


def nonce_of(cls: Any, seed: int) -> bytes:
    """Returns a nonce that allows long messages in CCM, too."""
    size = 11 if issubclass(cls, rijn.AESCCM) else 12
    return noise(size if size in cls.nonce_sizes else cls.nonce_sizes[0], seed)


ONLINE = [cls for cls in AEADS if issubclass(cls, rijn.aead.OnlineAEAD)]
each_online = pytest.mark.parametrize("cls", ONLINE, ids=lambda cls: cls.__name__)


def calls_of(thing: Any, number: int) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    """Returns one thread's functions to encrypt with a shared key, and to decrypt."""
    if isinstance(thing, rijn.aead.AEAD):
        nonce, ad = nonce_of(type(thing), number), noise(number * 7)
        return lambda data: thing.encrypt(nonce, data, ad), lambda data: thing.decrypt(
            nonce, data, ad
        )
    if isinstance(thing, rijn.AESSIV):
        return lambda data: thing.encrypt(
            data, [b"", noise(9, number)]
        ), lambda data: thing.decrypt(data, [b"", noise(9, number)])
    if isinstance(thing, rijn.AESXTS):
        tweak = noise(16, number)
        return lambda data: thing.encrypt(tweak, data), lambda data: thing.decrypt(tweak, data)
    return thing.wrap_padded, thing.unwrap_padded


@pytest.mark.parametrize(
    "cls", [*AEADS, rijn.AESSIV, rijn.AESXTS, KeyWrap], ids=lambda cls: cls.__name__
)
def test_one_key(tested: BackendUnderTest, cls: Any, eager_switching: None) -> None:
    """A fresh key, so that the threads make its tables together."""
    rounds, sizes = rounds_and_sizes(tested)
    if tested.name in ("python", "numpy"):
        sizes = [5, 700, 30_000]
    if cls is rijn.AESXTS:
        sizes = [max(size, 16) for size in sizes]
    if cls is KeyWrap:
        sizes = [min(size, 300) for size in sizes]
    messages = [noise(size, size) for size in sizes]
    for round_ in range(min(rounds, 4) if tested.name in NATIVE else 1):
        key = noise(cls.key_sizes[-1], round_)
        alone = tested.make(cls, key)
        wanted = [[calls_of(alone, n)[0](data) for data in messages] for n in range(THREADS)]
        thing = tested.make(cls, key)

        def use_shared(number: int, thing: Any = thing, wanted: Any = wanted) -> None:
            encrypt, decrypt = calls_of(thing, number)
            for data, sealed in zip(messages[::-1], wanted[number][::-1], strict=True):
                assert encrypt(data) == sealed
                assert decrypt(sealed) == data

        together(use_shared)


def test_one_hash_key(eager_switching: None) -> None:
    """The powers and the polynomial of a hash key are made on demand. Here all threads start without
    them, with the same message or with different ones."""
    h = int.from_bytes(noise(16, 10), "big")
    sizes = [wideghash.LONG_PIECE_FROM, 3 * wideghash.LONG_PIECE_FROM, 16 * 300, 16 * 20]
    messages = [noise(size, 11) for size in sizes]
    wanted = [ghash.hash_by_tables(ghash.hash_tables(h), 0, blocks) for blocks in messages]
    for different in [False, True] * 20:
        shared = wideghash.WideHash(h)

        def use_shared(
            number: int, shared: wideghash.WideHash = shared, different: bool = different
        ) -> None:
            first = number % 2 * different
            for turn in (first, 1 - first, 2, 3):
                assert shared.update(0, messages[turn]) == wanted[turn]

        together(use_shared)


# ---- Objects for one thread at a time -------------------------------------------------

REFUSED = "another thread is at work"


@each_online
@pytest.mark.sample(*SOME_NATIVE, *PURE, *OPTIONAL)
def test_one_message(tested: BackendUnderTest, cls: Any, eager_switching: None) -> None:
    """Threads must not share a message. Here they do, and are refused or take turns. All pieces are
    the same, so their order does not matter."""
    if tested.name == "reference":
        pytest.skip("backend reference: too slow to collide")
    aead = tested.make(cls, noise(cls.key_sizes[0], 3))
    nonce = nonce_of(cls, 4)
    rounds = 200 if tested.name in NATIVE else 20
    for size in (24, 5000) if tested.name in NATIVE else (24, 200):
        encryptor, decryptor = aead.encryptor(nonce), aead.decryptor(nonce)
        pieces: list[bytes] = []
        taken = [0] * THREADS

        def use_shared(
            number: int,
            size: int = size,
            encryptor: Any = encryptor,
            decryptor: Any = decryptor,
            pieces: list[bytes] = pieces,
            taken: list[int] = taken,
        ) -> None:
            for _ in range(rounds):
                try:
                    pieces.append(encryptor.update(bytes(size)))
                except RuntimeError as error:
                    assert REFUSED in str(error)
                try:
                    decryptor.update(bytes(size))
                    taken[number] += size
                except RuntimeError as error:
                    assert REFUSED in str(error)

        together(use_shared)
        sealed = aead.encrypt(nonce, bytes(size * len(pieces)))
        step = 16 if cls is rijn.AESOCB3 else 1
        ends = [size * i // step * step for i in range(len(pieces) + 1)]
        assert sorted(pieces) == sorted(sealed[a:b] for a, b in pairwise(ends))
        assert encryptor.finalize() == sealed[ends[-1] :]
        # The right tag of the accepted data, in whole blocks, opens it.
        rest = -sum(taken) % 16
        ciphertext = bytes(sum(taken) + rest)
        last = aead.decryptor(nonce)
        plaintext = last.update_unverified(ciphertext + bytes(aead.tag_length))
        tag = aead.encrypt(nonce, plaintext)[-aead.tag_length :]
        decryptor.update(bytes(rest) + tag)
        assert decryptor.finalize() == plaintext


def macs(tested: BackendUnderTest) -> dict[str, Any]:
    made: dict[str, Any] = {"CMAC": tested.CMAC(noise(16, 5))}
    for algorithm in mac.ALGORITHMS:
        size = 32 if "256" in algorithm else 16
        made[algorithm] = tested.make(
            rijn.AEGISMAC, noise(size, 6), noise(size, 7), algorithm=algorithm
        )
    return made


@pytest.mark.parametrize("name", ["CMAC", *mac.ALGORITHMS])
def test_one_mac(tested: BackendUnderTest, name: str, eager_switching: None) -> None:
    if tested.name == "reference":
        pytest.skip("backend reference: too slow to collide")
    shared, alone = macs(tested)[name], macs(tested)[name]
    size = 5000 if tested.name in NATIVE else 100
    taken: list[int] = []

    def count_bytes(number: int) -> None:
        for _ in range(100 if tested.name in NATIVE else 10):
            try:
                shared.update(bytes(size))
                taken.append(size)
            except RuntimeError as error:
                assert REFUSED in str(error)

    together(count_bytes)
    alone.update(bytes(sum(taken)))
    assert shared.finalize() == alone.finalize()


def collides(update: Callable[[], object], other: Callable[[], object]) -> bool:
    """Returns whether `other` is refused while another thread is in `update`. The other thread
    repeats `update` until then, at most 1,000 times: this thread may run late, or pause inside its
    own call, which then refuses `update`."""
    refused = threading.Event()

    def until_refused() -> None:
        done = 0
        while done < 1000 and not refused.is_set():
            try:
                update()
                done += 1
            except RuntimeError as error:
                assert REFUSED in str(error)

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(until_refused)
        while not working.done() and not refused.is_set():
            try:
                other()
            except RuntimeError as error:
                assert REFUSED in str(error)
                refused.set()
        working.result(LIMIT)
    return refused.is_set()


@pytest.mark.backends(*NATIVE)
@pytest.mark.sample(*SOME_NATIVE)
def test_a_long_update_refuses_others(tested: BackendUnderTest) -> None:
    """update releases the interpreter lock, but keeps the message."""
    data = bytes(1 << 20)
    states = list(macs(tested).values())
    states += [tested.AES(noise(16)).ctr_encryptor(bytes(16))]
    for cls in ONLINE:
        aead = tested.make(cls, noise(cls.key_sizes[0]))
        nonce = nonce_of(cls, 8)
        states += [aead.encryptor(nonce), aead.decryptor(nonce)]
        stream = aead._stream(nonce, None, False)
        assert collides(
            lambda stream=stream: stream.crypt(data), lambda stream=stream: stream.crypt(b"")
        ), cls
    for state in states:
        assert collides(
            lambda state=state: state.update(data), lambda state=state: state.update(b"")
        ), state


class Slow:
    """Wraps the object that works for a message in pieces. No call returns before `other` has been
    refused."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.entered, self.released = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.thing, name)

        def call(*arguments: Any, **options: Any) -> Any:
            self.entered.set()
            assert self.released.wait(LIMIT)
            return method(*arguments, **options)

        return call


RAW = {
    "ecb_encryptor": 0,
    "cbc_decryptor": 16,
    "cfb_encryptor": 16,
    "cfb8_encryptor": 16,
    "ofb_encryptor": 16,
    "ige_encryptor": 32,
    "ctr_encryptor": 16,
}


def slow_messages(
    tested: BackendUnderTest,
) -> Iterator[tuple[Any, Slow, list[Callable[[], object]]]]:
    """Yields messages in pieces, their slow workers, and every call that must be refused."""
    for name, size in RAW.items():
        start = getattr(tested.AES(noise(16)), name)
        state = start(noise(size)) if size else start()
        state._aes = slow = Slow(state._aes)
        yield state, slow, [lambda state=state: state.update_into(bytes(32), bytearray(64))]
    for cls in ONLINE:
        aead = tested.make(cls, noise(cls.key_sizes[0]))
        for state in (aead.encryptor(nonce_of(cls, 9)), aead.decryptor(nonce_of(cls, 9))):
            state._stream = slow = Slow(state._stream)
            more = getattr(state, "update_unverified", None)
            yield state, slow, [lambda more=more: more(b"")] if more else []
    if tested.name in PURE:
        for state in macs(tested).values():
            state._state[0] = slow = Slow(state._state[0])
            yield state, slow, [state.copy, lambda state=state: state.verify(bytes(16))]


def test_a_running_call_refuses_others(tested: BackendUnderTest) -> None:
    """Even a short call: here it waits until the others have been refused."""
    for state, slow, others in slow_messages(tested):
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(state.update, bytes(64))
            assert slow.entered.wait(LIMIT)
            calls = [lambda state=state: state.update(bytes(64)), state.finalize, *others]
            try:
                for call in calls:
                    with pytest.raises(RuntimeError, match=REFUSED):
                        call()
            finally:
                slow.released.set()
            first.result()
        # The message continues unharmed.
        state.update(bytes(16))
        if not isinstance(state, rijn.incremental.AEADDecryptor):
            state.finalize()


def test_keys_come_and_go(tested: BackendUnderTest, eager_switching: None) -> None:
    """Threads make and drop objects while others work. One key never appears in another object."""
    rounds = 1 if tested.name == "reference" else 5 if tested.name.startswith("python") else 300
    keys = [noise(16, number) for number in range(8)]
    wanted = [tested.AES(key).ecb_encrypt(bytes(16)) for key in keys]
    assert len(set(wanted)) == len(keys)

    def use_keys(number: int) -> None:
        for _ in range(rounds):
            for key, block in zip(keys, wanted, strict=True):
                assert tested.AES(key).ecb_encrypt(bytes(16)) == block

    together(use_keys)


def seen_at_work(call: Callable[[], object]) -> bool:
    """Returns whether this thread runs while another is in the call."""
    started, finished = threading.Event(), threading.Event()

    def finish() -> None:
        started.set()
        call()
        finished.set()

    thread = threading.Thread(target=finish)
    thread.start()
    assert started.wait(LIMIT)
    seen = not finished.is_set()
    thread.join(LIMIT)
    assert not thread.is_alive()
    return seen


@pytest.mark.backends(*NATIVE)
@pytest.mark.sample(*SOME_NATIVE)
def test_long_work_lets_others_run(tested: BackendUnderTest) -> None:
    """The interpreter switches threads only on request. So this thread sees the other's call in
    progress only if that call has released the interpreter lock."""
    aead, aes, nonce, data = (
        tested.AESGCM(noise(16)),
        tested.AES(noise(16)),
        bytes(12),
        bytes(1 << 24),
    )
    sealed = aead.encrypt(nonce, data)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        for call in (
            lambda: aead.encrypt(nonce, data),
            lambda: aead.decrypt(nonce, sealed),
            lambda: aead.encrypt_into(nonce, data, None, bytearray(len(sealed))),
            lambda: aes.ecb_encrypt(data),
            lambda: aes.cbc_encrypt(bytes(16), data),
            lambda: aes.cbc_encrypt(bytes(16), data, pkcs7=True),
            lambda: aes.ctr_encrypt(bytes(16), data),
        ):
            # A busy machine may wake this thread only after the work. Then it tries again.
            assert any(seen_at_work(call) for _ in range(100))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.sample(*SOME_NATIVE, *PURE, *OPTIONAL)
def test_one_message_in_threads(tested: BackendUnderTest) -> None:
    """threads= changes only the time: neither the bytes nor the effects of a refusal."""
    size = (2 << 20) + 11 if tested.name in NATIVE else 40  # THREADED_SIZE of binding.h
    data, nonce, ad = noise(4096, 1) * (size // 4096 + 1), noise(12, 2), noise(20, 3)
    view = memoryview(data)[:size]
    aead, aes = tested.AESGCM(noise(32, 1)), tested.AES(noise(16, 1))
    sealed = aead.encrypt(nonce, view, ad)
    altered = bytearray(sealed)
    altered[size // 2] ^= 1
    assert aead.encrypt(nonce, view, ad, threads=3) == sealed
    assert aead.decrypt(nonce, sealed, ad, threads=3) == view
    place = bytearray(view) + bytes(16)
    assert aead.encrypt_into(nonce, memoryview(place)[:size], ad, place, threads=3)
    assert place == sealed
    assert aead.decrypt_into(nonce, place, ad, memoryview(place)[:size], threads=3)
    assert place[:size] == view
    with pytest.raises(rijn.InvalidTag):
        aead.decrypt(nonce, altered, ad, threads=3)
    with pytest.raises(rijn.InvalidTag):
        aead.decrypt_into(nonce, altered, ad, memoryview(place)[:size], threads=3)
    assert not any(place[:size])
    for counter in ({}, {"width": 64, "byteorder": "little"}, {"width": 32}):
        first = b"\xff" * 15 + b"\xf0"
        assert aes.ctr_encrypt(first, view, threads=3, **counter) == aes.ctr_encrypt(
            first, view, **counter
        )
    xts = tested.AESXTS(noise(64, 4))
    for end in (size, size - 11, size - 10, size + 4):  # with ciphertext stealing, and without
        sector = xts.encrypt(noise(16), data[:end])
        for threads in (2, 3, 1024) if tested.name in NATIVE else (3,):
            assert xts.encrypt(noise(16), data[:end], threads=threads) == sector
            assert xts.decrypt(noise(16), sector, threads=threads) == data[:end]
    for call in (aead.encrypt, aead.decrypt, aes.ctr_encrypt, xts.encrypt, xts.decrypt):
        for threads in (0, 1025):
            with pytest.raises(ValueError, match=f"threads must be 1 to 1024, not {threads}"):
                call(noise(16), sealed[:4096], threads=threads)


@pytest.mark.skipif(sys.platform != "linux", reason="the clocks of threads are coarse here")
@pytest.mark.backends(*NATIVE)
@pytest.mark.sample(*SOME_NATIVE)
def test_threads_share_the_work(tested: BackendUnderTest) -> None:
    """Other threads share the work where `threads` promises it, and nowhere else."""
    large, small = bytes(2 << 20), bytes((2 << 20) - 16)
    aead, aes, xts = tested.AESGCM(noise(16)), tested.AES(noise(16)), tested.AESXTS(noise(32))
    some, few = ((bytes(n << 16), array("i", range(0, (n << 16) + 1, 1 << 16))) for n in (16, 15))

    def own_share(call: Callable[..., object], *arguments: Any, **options: Any) -> float:
        own, whole = -time.thread_time(), -time.process_time()
        for _ in range(8):
            call(*arguments, **options)
        return (own + time.thread_time()) / (whole + time.process_time())

    nonce, block = bytes(12), bytes(16)
    sealed = aead.encrypt(nonce, large)
    boxes = aead.encrypt_many(some)
    for call, arguments in (
        (aead.encrypt, (nonce, large)),
        (aead.decrypt, (nonce, sealed)),
        (aes.ctr_encrypt, (block, large)),
        (aes.ctr_decrypt, (block, large)),
        (xts.encrypt, (block, large)),
        (xts.decrypt, (block, large)),
        (aead.encrypt_many, (some,)),
        (aead.decrypt_many, (boxes,)),
    ):
        # The pages of the results sometimes cost more than the messages. Then it tries again.
        assert any(own_share(call, *arguments, threads=8) < 0.8 for _ in range(100)), call
        assert any(own_share(call, *arguments) > 0.9 for _ in range(100)), call
    for call, arguments in (
        (aead.encrypt, (nonce, small)),
        (aes.ctr_encrypt, (block, small)),
        (xts.encrypt, (block, small)),
    ):
        assert any(own_share(call, *arguments, threads=8) > 0.9 for _ in range(100)), call
    assert any(own_share(aead.encrypt_many, few, threads=8) > 0.9 for _ in range(100))
