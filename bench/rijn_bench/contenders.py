"""What the Python side of the benchmark calls: an Offer says how one contender does one task.

Time goes into `for call in calls: call()`, where each call is a functools.partial made
beforehand with a nonce (and, for a cold key, a key) of its own: about 25 ns a message
that are not the contender's, as much as looking up a method in a program costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Protocol

import rijn
from rijn.registry import OPTIONAL

from .plan import ALGORITHMS
from .results import Contender, Task

TAG = 16
# Opened in place, a message is gone: so many bytes of messages are kept to open in turn,
# which the first-level cache holds.
STOCK = 32 << 10
# No more calls than this are made beforehand, to bound the memory.
BATCH = 4096

Call = Callable[[], object]


@dataclass(frozen=True)
class Offer:
    """How a contender does a task.

    A message is `message(setup(key))(nonce, *arguments)`, or without the nonce. The two
    steps let a cold key be timed with its message, and a set-up alone.
    """

    setup: Callable[[bytes], Any]
    message: Callable[[Any], Callable[..., object]]
    arguments: tuple[Any, ...]
    nonced: bool = True
    out: bytearray | memoryview | None = None  # where the result lies; None: it is returned
    # What is done before a call whose result replaces its input; the arguments are then
    # made by the call's number.
    stock: Stock | None = None

    def result(self, key: bytes, nonce: bytes) -> bytes:
        """Of one message, for checking it and for opening it."""
        if self.stock:
            self.stock.refill()
        given = (nonce,) if self.nonced else ()
        returned = self.message(self.setup(key))(*given, *self._arguments(0))
        out = returned if self.out is None else self.out
        assert isinstance(out, bytes | bytearray | memoryview)
        return bytes(out)

    def _arguments(self, index: int) -> tuple[Any, ...]:
        return self.stock.arguments(index) if self.stock else self.arguments

    @property
    def batch(self) -> int:
        """Messages in a batch, at most."""
        return min(BATCH, self.stock.room) if self.stock else BATCH

    def batches(
        self, task: Task, key: bytes, nonce: bytes, first: int, messages: int
    ) -> Iterator[list[Call]]:
        """Calls for `messages` messages, the first of which is the number `first`. A batch
        must have run before the next is asked for."""
        limit, last = self.batch, first + messages
        for start in range(first, last, limit):
            if self.stock:
                self.stock.refill()
            yield self._calls(task, key, nonce, range(start, min(start + limit, last)))

    def _calls(self, task: Task, key: bytes, nonce: bytes, numbers: range) -> list[Call]:
        if task.operation == "rekey":
            return [partial(self.setup, numbered(key, number)) for number in numbers]
        # A message is opened with the nonce and the key that sealed it.
        fresh = task.operation == "encrypt"
        nonces = [numbered(nonce, number) if fresh else nonce for number in numbers]
        if task.key == "warm":
            function = self.message(self.setup(key))
            if not self.nonced:
                return [partial(function, *self._arguments(i)) for i in range(len(nonces))]
            return [partial(function, n, *self._arguments(i)) for i, n in enumerate(nonces)]
        keys = [numbered(key, number) if fresh else key for number in numbers]
        setup, message, nonced = self.setup, self.message, self.nonced

        def cold(key: bytes, nonce: bytes, *arguments: object) -> object:
            function = message(setup(key))
            return function(nonce, *arguments) if nonced else function(*arguments)

        return [
            partial(cold, k, n, *self._arguments(i))
            for i, (k, n) in enumerate(zip(keys, nonces, strict=True))
        ]


def numbered(value: bytes, number: int) -> bytes:
    """`value`, its last eight bytes XORed with a number: another key or nonce."""
    if not value:
        return value
    low = int.from_bytes(value[-8:], "big") ^ (number & (1 << 64) - 1)
    return value[:-8] + low.to_bytes(8, "big")


class Stock:
    """Messages that lie one behind the other, to be replaced in place."""

    def __init__(self, message: bytes, arguments: Callable[[memoryview], tuple[Any, ...]]) -> None:
        self.room = max(1, STOCK // len(message))
        self._fresh = message * self.room
        self._buffer = bytearray(self._fresh)
        view = memoryview(self._buffer)
        self.slots = [view[i * len(message) : (i + 1) * len(message)] for i in range(self.room)]
        self._arguments = [arguments(slot) for slot in self.slots]

    def refill(self) -> None:
        self._buffer[:] = self._fresh

    def arguments(self, index: int) -> tuple[Any, ...]:
        return self._arguments[index % self.room]


class Source(Protocol):
    """One contender of the Python side."""

    @property
    def about(self) -> Contender: ...

    def offer(self, task: Task, data: bytes) -> Offer | None:
        """How it does the task on `data`, a plaintext or what `seal` gave; None where it
        does not. For decryption the tag stands behind the ciphertext."""


# ---- Rijn ----------------------------------------------------------------------------


@dataclass(frozen=True)
class RijnBackend:
    """One backend of Rijn, by its public API."""

    backend: rijn.Backend

    @property
    def about(self) -> Contender:
        absent = "not installed" if self.backend.name in OPTIONAL else "unavailable"
        return Contender(
            name=f"rijn/{self.backend.name}",
            through="python",
            state="ready" if self.backend.available else absent,
            version=rijn.__version__,
            reason=self.backend.reason,
            constant_time=self.backend.constant_time,
        )

    def offer(self, task: Task, data: bytes) -> Offer | None:
        algorithm = ALGORITHMS[task.algorithm]
        if not algorithm.built:
            return None
        if algorithm.aead:
            setup = partial(getattr(rijn, algorithm.aead), backend=self.backend.name)
            return aead_offer(setup, task, data)
        if task.buffer != "fresh" and task.operation != "rekey":
            return None  # all others return new bytes
        method = "encrypt" if task.operation == "rekey" else task.operation
        if algorithm.own:
            setup = partial(getattr(rijn, algorithm.own), backend=self.backend.name)
            return own_offer(algorithm.own, setup, method, data)
        return Offer(
            setup=partial(rijn.AES, backend=self.backend.name),
            message=attrgetter(f"{algorithm.mode}_{method}"),
            arguments=(data,),
            nonced=bool(algorithm.nonce_size),
        )


def aead_offer(setup: Callable[[bytes], Any], task: Task, data: bytes) -> Offer:
    """For classes of the shape that Rijn shares with the package `cryptography`."""
    if task.buffer == "fresh" or task.operation == "rekey":
        method = "encrypt" if task.operation == "rekey" else task.operation
        return Offer(setup, attrgetter(method), (data, None))
    message = attrgetter(f"{task.operation}_into")
    if task.buffer == "apart":
        tag = TAG if task.operation == "encrypt" else -TAG
        out = bytearray(len(data) + tag)
        return Offer(setup, message, (data, None, out), out=out)
    if task.operation == "encrypt":
        # Each message is the ciphertext of the one before: as good as any other.
        buffer = bytearray(data + bytes(TAG))
        return Offer(setup, message, (memoryview(buffer)[:-TAG], None, buffer), out=buffer)
    stock = Stock(data, lambda slot: (slot, None, slot[:-TAG]))
    return Offer(setup, message, (), out=stock.slots[0][:-TAG], stock=stock)


def own_offer(name: str, setup: Callable[[bytes], Any], method: str, data: bytes) -> Offer:
    """For AESXTS, AESSIV and CMAC."""
    if name == "AESXTS":
        return Offer(setup, attrgetter(method), (data,))
    if name == "AESSIV":
        return Offer(setup, attrgetter(method), (data, None), nonced=False)
    return Offer(setup, mac_message, (data,), nonced=False)


def mac_message(keyed: Any) -> Callable[[bytes], object]:
    """An object serves one message: it is copied before. For Rijn's CMAC, and that of
    the package `cryptography`."""

    def run(data: bytes) -> object:
        mac = keyed.copy()
        mac.update(data)
        return mac.finalize()

    return run


def rijn_backends(wanted: tuple[str, ...] | None = None) -> list[RijnBackend]:
    """The backends, available or not; those of these names."""
    return [
        RijnBackend(backend)
        for backend in rijn.backends()
        if wanted is None or backend.name in wanted
    ]
