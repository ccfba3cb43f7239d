"""The backends under test."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from hypothesis import seed, settings
from hypothesis import strategies as st

import rijn
from rijn.registry import listed_backends

# Those in C of every build.
NATIVE = tuple(listed.name for listed in listed_backends())
PURE = ("python", "python-table", "python-bitslice", "reference")
OPTIONAL = ("numpy", "numba")  # where their packages are installed
ALL = NATIVE + PURE + OPTIONAL

# The machines of each column `where` of backends.def. All machines have the portable backends.
MACHINES = {
    "X86": ("x86_64", "i686"),
    "X86_64": ("x86_64",),
    "ASM_X86_64": ("x86_64",),
    "ARM64": ("aarch64",),
    "RISCV64": ("riscv64",),
    "SIMD128": ("wasm32",),
}
EVERYWHERE = ("FIXSLICE64", "FIXSLICE32", "TABLE")
ELSEWHERE = {
    listed.name
    for listed in listed_backends()
    if listed.where not in EVERYWHERE and os.uname().machine not in MACHINES[listed.where]
}

T = TypeVar("T")

# Short tags and nonces, which the vectors have too.
SHORT = {"short_tags": True, "short_nonces": True}


@dataclass(frozen=True)
class Effort:
    """How much one test asks of a backend: enough to find faults, within seconds."""

    examples: int  # of a Hypothesis property
    largest: int  # bytes of a random message
    vectors: int  # of one vector file, at most
    rounds: int  # of a Monte Carlo file's 100, at most; with none it is a skip
    bits: int = 1  # every nth of a message's bits is flipped: of a prime, each place in a byte
    brief: bool = False  # whether it gets but some of the inputs that a test lists
    million: bool = False  # whether the hash over a million messages, too


FULL = Effort(examples=80, largest=5000, vectors=10**9, rounds=100)
# Other code for blocks, or more of them at once, under the same modes: every vector, and fewer random
# messages than `aesni` and `fixslice64` get.
LIKE = replace(FULL, examples=16, rounds=10)
# `aesni` or `fixslice64` in another encoding.
ENCODED = Effort(examples=8, largest=5000, vectors=400, rounds=1)

# What `make test` asks; of a backend that is not named, FULL.
EFFORT = {
    "vaes512": LIKE,
    "vaes256": LIKE,
    "fixslice32": LIKE,
    "asm": LIKE,
    "table": LIKE,
    "aesni-avx": ENCODED,
    "avx512": ENCODED,
    "avx2": ENCODED,
    "ssse3": ENCODED,
    # fixslice64's own code but for long messages, which the C suite tries at every size.
    "sse2": ENCODED,
    "reference": Effort(examples=4, largest=120, vectors=160, rounds=0, bits=29, brief=True),
    "python": Effort(examples=20, largest=1200, vectors=400, rounds=2),
    "python-table": Effort(examples=8, largest=1200, vectors=200, rounds=1, bits=7),
    # One block costs as much as 300: what is long is in test_bitslice.py.
    "python-bitslice": Effort(examples=4, largest=1200, vectors=160, rounds=0, bits=13),
    # Short messages are the work of `python`: what is long is in test_numpy.py.
    "numpy": Effort(examples=8, largest=1200, vectors=200, rounds=1, bits=7),
    "numba": Effort(examples=12, largest=5000, vectors=400, rounds=2, bits=7),
}

# C backends for tests of the binding and the package, which do the same on all of them: one with
# AES instructions of each machine, and one without.
SOME_NATIVE = ("aesni", "armce", "riscv-zkn", "simd128", "fixslice64")

# What --backends=short asks.
SHORT_EFFORT = {**dict.fromkeys(SOME_NATIVE, ENCODED), "python": EFFORT["python-table"]}

# What --thorough asks, which `.ci/run --full` goes beyond (--all-vectors).
THOROUGH = {
    **dict.fromkeys(("vaes512", "vaes256", "fixslice32", "asm", "table"), FULL),
    "reference": Effort(examples=8, largest=120, vectors=800, rounds=2, bits=7),
    "python": Effort(examples=20, largest=1200, vectors=4000, rounds=20),
    "python-table": Effort(examples=20, largest=1200, vectors=800, rounds=5),
    "python-bitslice": Effort(examples=8, largest=1200, vectors=800, rounds=1),
    "numpy": Effort(examples=20, largest=1200, vectors=800, rounds=5),
    "numba": FULL,
}

# Where Hypothesis begins, for all backends: what a peer answers is computed once for all.
# `pytest --hypothesis-seed=7` sets it (suite.py).
SEED = random.randrange(2**32)


@dataclass(frozen=True)
class BackendUnderTest:
    """One backend under test."""

    name: str
    blocks: int  # in flight at full speed

    @property
    def width(self) -> int:
        """A batch for tests that run many of them: 32 blocks at most."""
        return max(1, min(self.blocks, 32))

    @property
    def effort(self) -> Effort:
        return EFFORT.get(self.name, FULL)

    @property
    def examples(self) -> Callable[[T], T]:
        """How many examples a property gets: on every backend the same ones, as far as they go."""
        return lambda test: seed(SEED)(settings(max_examples=self.effort.examples)(test))

    @property
    def full(self) -> bool:
        """Whether it gets every vector."""
        return self.effort.vectors >= FULL.vectors

    def made(self, make: Callable[..., T], *args: object, **options: object) -> T:
        """What `make` makes on this backend."""
        thing = make(*args, backend=self.name, **options)
        assert getattr(thing, "backend", self.name) == self.name
        return thing

    def AES(self, key: bytes) -> rijn.AES:
        return self.made(rijn.AES, key)

    def AESXTS(self, key: bytes) -> rijn.AESXTS:
        return self.made(rijn.AESXTS, key)

    def AESGCM(self, key: bytes, tag_length: int = 16) -> rijn.AESGCM:
        return self.made(rijn.AESGCM, key, tag_length=tag_length, **SHORT)

    def XAES256GCM(self, key: bytes) -> rijn.XAES256GCM:
        return self.made(rijn.XAES256GCM, key)

    def AESGCMSIV(self, key: bytes) -> rijn.AESGCMSIV:
        return self.made(rijn.AESGCMSIV, key)

    def AESSIV(self, key: bytes) -> rijn.AESSIV:
        return self.made(rijn.AESSIV, key)

    def AESCCM(self, key: bytes, tag_length: int = 16) -> rijn.AESCCM:
        return self.made(rijn.AESCCM, key, tag_length=tag_length, short_tags=True)

    def AESOCB3(self, key: bytes, tag_length: int = 16) -> rijn.AESOCB3:
        return self.made(rijn.AESOCB3, key, tag_length=tag_length, **SHORT)

    def AESEAX(self, key: bytes, tag_length: int = 16) -> rijn.AESEAX:
        return self.made(rijn.AESEAX, key, tag_length=tag_length, **SHORT)

    def CMAC(self, key: bytes) -> rijn.CMAC:
        return self.made(rijn.CMAC, key)

    @property
    def lengths(self) -> list[int]:
        """Sizes at which a loop over batches may go wrong: around one block and four,
        around one batch and two, and many batches."""
        batch = 16 * self.width
        sizes = {0, 1, 15, 16, 17, batch - 16, batch - 1, batch, batch + 1, batch + 16}
        sizes |= {2 * batch - 1, 2 * batch, 2 * batch + 17}
        if self.name != "reference":
            sizes |= {48, 63, 64, 65, 3 * batch + 5, 4 * batch, 10 * batch + 3}
        if self.blocks > self.width:
            batch = 16 * min(self.blocks, 512)
            sizes |= {batch - 1, batch + 17}
        return sorted(sizes)

    @property
    def block_lengths(self) -> list[int]:
        """The same in whole blocks."""
        return sorted({size // 16 * 16 for size in self.lengths})

    def messages(self) -> st.SearchStrategy[bytes]:
        """Random bytes of those lengths or of any other."""
        sizes = st.sampled_from(self.lengths) | st.integers(0, self.effort.largest)
        return st.builds(noise, sizes, st.integers(0, 2**32))

    def block_messages(self) -> st.SearchStrategy[bytes]:
        return self.messages().map(lambda message: message[: len(message) // 16 * 16])


def noise(size: int, seed: int = 0) -> bytes:
    """`size` bytes that look random and are the same each time."""
    return random.Random(seed).randbytes(size)


def backends_of(part: str) -> set[str]:
    """The backends that --backends=PART names: `short` has one in C, and `python`; `usual` has
    SOME_NATIVE and all in Python; `whole` has every one."""
    if part == "whole":
        return set(ALL)
    if part == "usual":
        return {*SOME_NATIVE, *PURE, *OPTIONAL}
    reasons = skip_reasons()
    return {"python", *[name for name in SOME_NATIVE if not reasons[name]][:1]}


def skip_reasons() -> dict[str, str]:
    """Every backend that there is or ought to be, with the reason why it cannot run
    here, or "" when it can."""
    reasons = {
        b.name: "" if b.available else b.reason or "no reason given" for b in rijn.backends()
    }
    for name in ALL:
        reasons.setdefault(name, "not built: rijn.backends() does not name it")
    return reasons


# A mark for tests of the native module, of which fixslice64 is always a part.
needs_native = pytest.mark.skipif(
    bool(skip_reasons()["fixslice64"]), reason=f"backend fixslice64: {skip_reasons()['fixslice64']}"
)
