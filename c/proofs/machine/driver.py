"""What the proofs of this folder share: the setting of a run, and the comparison of its results.

A proof is a function `prove(library, backend, …, fault="")`. It returns a Result, or raises Refused. With
a fault it must raise. run.py calls it for each row of ledger.toml.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import spec

from .arithmetic import Value, number
from .bits import POISON, Algebra, Poison
from .elf import Library
from .faults import Change
from .machine import Machine
from .refused import Refused
from .tables import Backend, layout

USE_DECRYPT, USE_HASH = 1, 2


class Difference(Refused):
    """A result of the code is not the result of the standard."""


@dataclass
class Result:
    """What a proof compared: the number of bits, and the instructions that ran."""

    bits: int = 0
    steps: int = 0
    codes: set[bytes] = field(default_factory=set)


@cache
def opened(path: Path) -> Library:
    return Library(path)


def flat(value: spec.String) -> Value:
    return [bit for byte in value for bit in byte]


def string(value: Value) -> spec.String:
    return [value[i : i + 8] for i in range(0, len(value), 8)]


class Run:
    """A machine with a library and the buffers of one proof.

    Each buffer is a region of its own, between unmapped bytes. Its address is odd, because only the
    context of a key must be aligned, and that to 8 bytes alone.
    """

    def __init__(self, path: str | Path, backend: str, bits: Algebra, fault: str = "") -> None:
        library = opened(Path(path).resolve())
        self.bits, self.backend = bits, Backend(library, backend)
        self.machine = Machine(bits, library)
        self.result = Result()
        self._next = 0x100000
        kind, _, number = fault.partition(" ")
        self.fault = fault
        self.change = Change(int(number)) if kind == "code" else None
        self.machine.sabotage = self.change

    def buffer(
        self, name: str, size: int, value: spec.String | None = None, aligned: bool = False
    ) -> int:
        """Maps a buffer and returns its address. With a value, the code may only read it."""
        start = self._next + (8 if aligned else 1)
        self._next += (size + 0x1FFF) // 0x1000 * 0x1000
        self.machine.map(start, size, name, writable=value is None)
        if value is not None:
            if len(value) != size:
                raise ValueError(f"{name} has {len(value)} bytes, not {size}")
            self.machine.set(start, flat(value))
        return start

    def data(self, value: spec.String, in_place: bool) -> tuple[int, int]:
        """Maps the input, and the output apart from it or in its place. Returns both addresses."""
        if in_place:
            start = self.buffer("in and out", len(value))
            self.machine.set(start, flat(value))
            return start, start
        return self.buffer("in", len(value), value), self.buffer("out", len(value))

    def undefined(self, size: int) -> spec.String:
        """Returns bytes that the code must not use."""
        return [[POISON] * 8 for _ in range(size)]

    def call(self, member: str, *arguments: int) -> None:
        """Calls a function of the backend's tables."""
        self.machine.call(self.backend.function(member), *arguments)

    def key(self, key: spec.String, uses: int, blocks: int = 0) -> int:
        """Runs key_init. Returns the address of the context, which is read-only from then on."""
        size = self.backend.context_size
        context = self.buffer("context", size, aligned=True)
        given = self.buffer("key", len(key), key)
        self.call("key_init", context, given, len(key), uses, blocks)
        self.machine.region(context, size).writable = False
        return context

    def compare(self, name: str, address: int, wanted: spec.String) -> None:
        """Compares all bytes of a buffer with what they should be."""
        if not wanted:
            return
        region = self.machine.region(address, len(wanted))
        if (region.start, region.size) != (address, len(wanted)):
            raise Difference(f"{name}: {len(wanted)} bytes of a buffer of {region.size}")
        got = self.machine.load(address, len(wanted))
        for i, (x, y) in enumerate(zip(got, flat(wanted), strict=True)):
            x, y = self.bits.normal(x), self.bits.normal(y)
            if isinstance(x, Poison) or isinstance(y, Poison) or x != y:
                raise Difference(
                    f"bit {i % 8} of byte {i // 8} of {name} is {self.bits.describe(x)}, "
                    f"not {self.bits.describe(y)}"
                )
        self.result.bits += len(got)

    def returned(self, status: str) -> None:
        """Compares the rijn_status that the last call returned."""
        found = number(self.machine.general[0][:32])
        if found != layout()[status]:
            raise Difference(f"the status is {found}, not {status}")

    def finish(self) -> Result:
        """Ends a proof. A fault that was not planted proves nothing about the proof."""
        if self.change is not None and not self.change.done:
            raise ValueError(
                f"fault {self.fault!r}: only {self.change.seen} instructions to change"
            )
        if self.result.bits == 0:
            raise Refused("nothing was compared")
        self.result.steps, self.result.codes = self.machine.steps, self.machine.codes
        return self.result
