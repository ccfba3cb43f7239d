"""The ladder measured: every available backend, in interleaved rounds.

Figures go through the Python API, so they are what a Python program gets; a
short message pays for the call. A rung too slow for the whole size is measured
on less and says on how much.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import rijn

SIZE = 1 << 20
MESSAGE = bytes(16)
ROUNDS = 5
BUDGET = 0.05  # seconds for one backend in one round


@dataclass
class Rung:
    """One backend's medians."""

    backend: rijn.Backend
    size: int = SIZE  # bytes a bulk call was measured on
    ctr: float = 0.0  # bytes a second, AES-128-CTR
    gcm: float = 0.0  # bytes a second, AES-128-GCM encryption
    message: float = 0.0  # seconds, AES-128-GCM encryption of 16 bytes


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _per_call(call: Callable[[], object], calls: int) -> float:
    def repeat() -> None:
        for _ in range(calls):
            call()

    return _seconds(repeat) / calls


def _affordable(call: Callable[[bytes], object]) -> int:
    """The largest size up to SIZE, by powers of four, that a round can pay for."""
    data = bytes(SIZE >> 10)
    call(data)  # warm-up: tables are made on first use
    while len(data) < SIZE and 4 * _seconds(partial(call, data)) < BUDGET:
        data = bytes(4 * len(data))
    return len(data)


class _Contender:
    def __init__(self, backend: rijn.Backend) -> None:
        key, self.counter, self.nonce = bytes(16), bytes(16), bytes(12)
        self.aes = rijn.AES(key, backend=backend.name)
        self.gcm = rijn.AESGCM(key, backend=backend.name)
        self.rung = Rung(backend)
        self.rung.size = _affordable(lambda data: self.gcm.encrypt(self.nonce, data))
        self.data = bytes(self.rung.size)
        self.bulk_calls = self._calls(lambda: self.gcm.encrypt(self.nonce, self.data))
        self.message_calls = self._calls(lambda: self.gcm.encrypt(self.nonce, MESSAGE))
        self.times: dict[str, list[float]] = {"ctr": [], "gcm": [], "message": []}

    @staticmethod
    def _calls(call: Callable[[], object]) -> int:
        return max(1, int(BUDGET / 3 / max(_seconds(call), 1e-7)))

    def round(self) -> None:
        aes, gcm, counter, nonce, data = self.aes, self.gcm, self.counter, self.nonce, self.data
        self.times["ctr"].append(_per_call(lambda: aes.ctr_encrypt(counter, data), self.bulk_calls))
        self.times["gcm"].append(_per_call(lambda: gcm.encrypt(nonce, data), self.bulk_calls))
        self.times["message"].append(
            _per_call(lambda: gcm.encrypt(nonce, MESSAGE), self.message_calls)
        )

    def result(self) -> Rung:
        self.rung.ctr = self.rung.size / statistics.median(self.times["ctr"])
        self.rung.gcm = self.rung.size / statistics.median(self.times["gcm"])
        self.rung.message = statistics.median(self.times["message"])
        return self.rung


def measure(rounds: int = ROUNDS, progress: Callable[[], None] = lambda: None) -> list[Rung]:
    """All available backends, fastest first; progress is called after each round."""
    contenders = [_Contender(backend) for backend in rijn.backends() if backend.available]
    for _ in range(rounds):
        for contender in contenders:
            contender.round()
        progress()
    return sorted((c.result() for c in contenders), key=lambda rung: -rung.gcm)
