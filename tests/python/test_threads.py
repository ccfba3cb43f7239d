"""One object, many threads: every result is what one thread alone gets."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from rungs import NATIVE, Rung, noise

import rijn

THREADS = 4


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """The interpreter changes threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(work: Callable[[int], None]) -> None:
    """work(0), work(1), … at once; the first failure is raised here."""
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        barrier.wait()
        work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))


def plan(rung: Rung) -> tuple[int, list[int]]:
    """Rounds, and the sizes of the messages: short ones that hold the interpreter lock
    and long ones that let go of it."""
    if rung.name == "reference":
        return 1, [5, 48]
    if rung.name.startswith("python"):
        return 4 if rung.name == "python" else 1, [5, 48, 700]
    if rung.name == "numpy":
        return 2, [5, 700, 30_000, 100_000]
    return 60, [5, 48, 700, 5000, 100_000]


def test_one_aead(rung: Rung, eager_switching: None) -> None:
    aead = rung.AESGCM(noise(16, 1))
    rounds, sizes = plan(rung)
    messages = [
        (noise(12, number), noise(size, number), noise(20, size))
        for number in range(THREADS)
        for size in sizes
    ]
    sealed = [aead.encrypt(*message) for message in messages]

    def work(number: int) -> None:
        for _ in range(rounds):
            for index in range(len(messages)):
                at = (index + number * len(sizes)) % len(messages)
                nonce, data, ad = messages[at]
                assert aead.encrypt(nonce, data, ad) == sealed[at]
                assert aead.decrypt(nonce, sealed[at], ad) == data
                with pytest.raises(rijn.InvalidTag):
                    aead.decrypt(nonce, sealed[at], ad[1:])

    together(work)


def test_one_cipher(rung: Rung, eager_switching: None) -> None:
    aes = rung.AES(noise(32, 2))
    rounds, sizes = plan(rung)
    messages = [(noise(16, size), noise(size // 16 * 16, size)) for size in sizes]
    wanted = [
        (aes.ecb_encrypt(data), aes.cbc_encrypt(iv, data), aes.ctr_encrypt(iv, data))
        for iv, data in messages
    ]

    def work(number: int) -> None:
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

    together(work)


def test_keys_come_and_go(rung: Rung, eager_switching: None) -> None:
    """Objects are made and dropped while others work: one key never shows in another."""
    rounds = 1 if rung.name == "reference" else 5 if rung.name.startswith("python") else 300
    keys = [noise(16, number) for number in range(8)]
    wanted = [rung.AES(key).ecb_encrypt(bytes(16)) for key in keys]
    assert len(set(wanted)) == len(keys)

    def work(number: int) -> None:
        for _ in range(rounds):
            for key, block in zip(keys, wanted, strict=True):
                assert rung.AES(key).ecb_encrypt(bytes(16)) == block

    together(work)


def seen_at_work(call: Callable[[], object]) -> bool:
    """Whether this thread runs while another is in the call."""
    started, finished = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        call()
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    seen = not finished.is_set()
    thread.join()
    return seen


@pytest.mark.rungs(*NATIVE)
def test_long_work_lets_others_run(rung: Rung) -> None:
    """The interpreter changes threads only when asked to, so that this one sees the
    other's call in progress only if that call has let go of the interpreter lock."""
    aead, aes, nonce, data = rung.AESGCM(noise(16)), rung.AES(noise(16)), bytes(12), bytes(1 << 24)
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
            # A busy machine may wake this thread when the work is done: then once more.
            assert any(seen_at_work(call) for _ in range(100))
    finally:
        sys.setswitchinterval(interval)
