"""The calls that are measured through Python: an Offer describes how one contender does one task.

The measured loop is `for call in calls: call()`. Each call is a functools.partial, made
beforehand with its own nonce and, for a cold key, its own key. The loop adds about 25 ns a
message, as much as the look-up of a method in a program.
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
# Opening in place overwrites a message, so copies are prepared: as many as fit into these bytes,
# the size of a first-level cache.
STOCK = 32 << 10
# The most calls that are made beforehand, to limit the memory.
BATCH = 4096

Call = Callable[[], object]


@dataclass(frozen=True)
class Offer:
    """The calls of a contender for a task.

    One message is `message(setup(key))(nonce, *arguments)`, or without the nonce. With two
    steps, a cold key is measured together with its message, and a set-up alone.
    """

    setup: Callable[[bytes], Any]
    message: Callable[[Any], Callable[..., object]]
    arguments: tuple[Any, ...]
    nonced: bool = True
    out: bytearray | memoryview | None = None  # the buffer with the result; None: it is returned
    # For calls that overwrite their input: the prepared inputs, which replace `arguments`.
    stock: Stock | None = None

    def result(self, key: bytes, nonce: bytes) -> bytes:
        """Returns the result of one message, to check it or to open it."""
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
        """The most messages of a batch."""
        return min(BATCH, self.stock.capacity) if self.stock else BATCH

    def batches(
        self, task: Task, key: bytes, nonce: bytes, first: int, messages: int
    ) -> Iterator[list[Call]]:
        """Yields batches of calls for `messages` messages, numbered from `first`. Each batch
        must run before the next one is requested."""
        limit, last = self.batch, first + messages
        for start in range(first, last, limit):
            if self.stock:
                self.stock.refill()
            yield self._calls(task, key, nonce, range(start, min(start + limit, last)))

    def _calls(self, task: Task, key: bytes, nonce: bytes, numbers: range) -> list[Call]:
        if task.operation == "rekey":
            return [partial(self.setup, numbered(key, number)) for number in numbers]
        # Opening needs the nonce and the key that sealed the message.
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
    """XORs the last eight bytes of a key or nonce with a number, which makes another one."""
    if not value:
        return value
    low = int.from_bytes(value[-8:], "big") ^ (number & (1 << 64) - 1)
    return value[:-8] + low.to_bytes(8, "big")


class Stock:
    """Copies of a message in one buffer, for calls that overwrite their input."""

    def __init__(self, message: bytes, arguments: Callable[[memoryview], tuple[Any, ...]]) -> None:
        self.capacity = max(1, STOCK // len(message))
        self._fresh = message * self.capacity
        self._buffer = bytearray(self._fresh)
        view = memoryview(self._buffer)
        self.slots = [view[i * len(message) : (i + 1) * len(message)] for i in range(self.capacity)]
        self._arguments = [arguments(slot) for slot in self.slots]

    def refill(self) -> None:
        self._buffer[:] = self._fresh

    def arguments(self, index: int) -> tuple[Any, ...]:
        return self._arguments[index % self.capacity]


class Source(Protocol):
    """A contender that is measured through Python."""

    @property
    def about(self) -> Contender: ...

    def offer(self, task: Task, data: bytes) -> Offer | None:
        """Returns how the contender does the task, or None if it does not support it.

        :param data: the plaintext; for decryption the ciphertext, followed by the tag
        """


# ---- Rijn ----------------------------------------------------------------------------


@dataclass(frozen=True)
class RijnBackend:
    """A backend of Rijn, through the public API."""

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
            return None  # the other methods only return new bytes
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
    """Makes an Offer for an AEAD class with the methods of the package `cryptography`."""
    if task.buffer == "fresh" or task.operation == "rekey":
        method = "encrypt" if task.operation == "rekey" else task.operation
        return Offer(setup, attrgetter(method), (data, None))
    message = attrgetter(f"{task.operation}_into")
    if task.buffer == "apart":
        tag = TAG if task.operation == "encrypt" else -TAG
        out = bytearray(len(data) + tag)
        return Offer(setup, message, (data, None, out), out=out)
    if task.operation == "encrypt":
        # Each message is the ciphertext of the message before. Its content does not matter.
        buffer = bytearray(data + bytes(TAG))
        return Offer(setup, message, (memoryview(buffer)[:-TAG], None, buffer), out=buffer)
    stock = Stock(data, lambda slot: (slot, None, slot[:-TAG]))
    return Offer(setup, message, (), out=stock.slots[0][:-TAG], stock=stock)


def own_offer(name: str, setup: Callable[[bytes], Any], method: str, data: bytes) -> Offer:
    """Makes an Offer for AESXTS, AESSIV or CMAC."""
    if name == "AESXTS":
        return Offer(setup, attrgetter(method), (data,))
    if name == "AESSIV":
        return Offer(setup, attrgetter(method), (data, None), nonced=False)
    return Offer(setup, mac_message, (data,), nonced=False)


def mac_message(keyed: Any) -> Callable[[bytes], object]:
    """Returns a function that makes the tag of a message, with Rijn's or `cryptography`'s CMAC.

    It copies the object, which is good for one message only.
    """

    def run(data: bytes) -> object:
        mac = keyed.copy()
        mac.update(data)
        return mac.finalize()

    return run


def rijn_backends(wanted: tuple[str, ...] | None = None) -> list[RijnBackend]:
    """Returns the backends, available or not: all, or those in `wanted`."""
    return [
        RijnBackend(backend)
        for backend in rijn.backends()
        if wanted is None or backend.name in wanted
    ]
