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

# The C backends of every build.
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

# Options that allow the short tags and nonces of the vectors.
SHORT = {"short_tags": True, "short_nonces": True}


@dataclass(frozen=True)
class Effort:
    """The amount of testing per backend: enough to find faults, within seconds."""

    examples: int  # of a Hypothesis property
    largest: int  # bytes of a random message
    vectors: int  # of one vector file, at most
    rounds: int  # of the 100 in a Monte Carlo file, at most; with 0 the test is skipped
    bits: int = 1  # a test flips every nth bit of a message; a prime n reaches each place in a byte
    brief: bool = False  # the backend gets only some of the inputs that a test lists
    million: bool = False  # also run the hash over a million messages


FULL = Effort(examples=80, largest=5000, vectors=10**9, rounds=100)
# These use other code for blocks, or more blocks at once, under the same modes: every vector, and
# fewer random messages than `aesni` and `fixslice64` get.
LIKE = replace(FULL, examples=16, rounds=10)
# These are `aesni` or `fixslice64` in another encoding.
ENCODED = Effort(examples=8, largest=5000, vectors=400, rounds=1)

# The effort of `make test`. A backend without an entry gets FULL.
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
    # The code of fixslice64, except for long messages. The C suite tries those at every size.
    "sse2": ENCODED,
    "reference": Effort(examples=4, largest=120, vectors=160, rounds=0, bits=29, brief=True),
    "python": Effort(examples=20, largest=1200, vectors=400, rounds=2),
    "python-table": Effort(examples=8, largest=1200, vectors=200, rounds=1, bits=7),
    # One block costs as much as 300: test_bitslice.py has the long messages.
    "python-bitslice": Effort(examples=4, largest=1200, vectors=160, rounds=0, bits=13),
    # `python` handles short messages: test_numpy.py has the long ones.
    "numpy": Effort(examples=8, largest=1200, vectors=200, rounds=1, bits=7),
    "numba": Effort(examples=12, largest=5000, vectors=400, rounds=2, bits=7),
}

# C backends for tests of the binding and the package, which work the same on all of them: the first
# one that runs here. The C suite tests every backend.
SOME_NATIVE = ("aesni", "armce", "riscv-zkn", "simd128", "fixslice64")

# The effort of --backends=short.
SHORT_EFFORT = {**dict.fromkeys(SOME_NATIVE, ENCODED), "python": EFFORT["python-table"]}

# The effort of --thorough. `.ci/run --full` goes beyond it (--all-vectors).
THOROUGH = {
    **dict.fromkeys(("vaes512", "vaes256", "fixslice32", "asm", "table"), FULL),
    "reference": Effort(examples=8, largest=120, vectors=800, rounds=2, bits=7),
    "python": Effort(examples=20, largest=1200, vectors=4000, rounds=20),
    "python-table": Effort(examples=20, largest=1200, vectors=800, rounds=5),
    "python-bitslice": Effort(examples=8, largest=1200, vectors=800, rounds=1),
    "numpy": Effort(examples=20, largest=1200, vectors=800, rounds=5),
    "numba": FULL,
}

# The seed of Hypothesis. All backends share it, so that a peer's answer is computed only once.
# `pytest --hypothesis-seed=7` sets it (suite.py).
SEED = random.randrange(2**32)


@dataclass(frozen=True)
class BackendUnderTest:
    """One backend under test."""

    name: str
    blocks: int  # number of blocks that reach full speed

    @property
    def width(self) -> int:
        """Blocks in a batch, for tests that run many batches: at most 32."""
        return max(1, min(self.blocks, 32))

    @property
    def effort(self) -> Effort:
        return EFFORT.get(self.name, FULL)

    @property
    def examples(self) -> Callable[[T], T]:
        """Limits the examples of a property. All backends get the same examples in the same order."""
        return lambda test: seed(SEED)(settings(max_examples=self.effort.examples)(test))

    @property
    def full(self) -> bool:
        """True if the backend gets every vector."""
        return self.effort.vectors >= FULL.vectors

    def make(self, factory: Callable[..., T], *args: object, **options: object) -> T:
        """Returns `factory(*args, **options)` on this backend."""
        thing = factory(*args, backend=self.name, **options)
        assert getattr(thing, "backend", self.name) == self.name
        return thing

    def AES(self, key: bytes) -> rijn.AES:
        return self.make(rijn.AES, key)

    def AESXTS(self, key: bytes) -> rijn.AESXTS:
        return self.make(rijn.AESXTS, key)

    def AESGCM(self, key: bytes, tag_length: int = 16) -> rijn.AESGCM:
        return self.make(rijn.AESGCM, key, tag_length=tag_length, **SHORT)

    def XAES256GCM(self, key: bytes) -> rijn.XAES256GCM:
        return self.make(rijn.XAES256GCM, key)

    def AESGCMSIV(self, key: bytes) -> rijn.AESGCMSIV:
        return self.make(rijn.AESGCMSIV, key)

    def AESSIV(self, key: bytes) -> rijn.AESSIV:
        return self.make(rijn.AESSIV, key)

    def AESCCM(self, key: bytes, tag_length: int = 16) -> rijn.AESCCM:
        return self.make(rijn.AESCCM, key, tag_length=tag_length, short_tags=True)

    def AESOCB3(self, key: bytes, tag_length: int = 16) -> rijn.AESOCB3:
        return self.make(rijn.AESOCB3, key, tag_length=tag_length, **SHORT)

    def AESEAX(self, key: bytes, tag_length: int = 16) -> rijn.AESEAX:
        return self.make(rijn.AESEAX, key, tag_length=tag_length, **SHORT)

    def CMAC(self, key: bytes) -> rijn.CMAC:
        return self.make(rijn.CMAC, key)

    @property
    def lengths(self) -> list[int]:
        """Sizes at which a loop over batches may go wrong: near one and four blocks, near one
        and two batches, and many batches."""
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
        """`lengths`, rounded down to whole blocks."""
        return sorted({size // 16 * 16 for size in self.lengths})

    def messages(self) -> st.SearchStrategy[bytes]:
        """Generates random bytes, of those lengths or of any other."""
        sizes = st.sampled_from(self.lengths) | st.integers(0, self.effort.largest)
        return st.builds(noise, sizes, st.integers(0, 2**32))

    def block_messages(self) -> st.SearchStrategy[bytes]:
        return self.messages().map(lambda message: message[: len(message) // 16 * 16])


def noise(size: int, seed: int = 0) -> bytes:
    """Returns `size` bytes that look random and are the same each time."""
    return random.Random(seed).randbytes(size)


def backends_of(part: str) -> set[str]:
    """Returns the backends that --backends=PART names: `short` has one in C, and `python`; `usual`
    has the same one and all in Python; `whole` has every one."""
    if part == "whole":
        return set(ALL)
    reasons = skip_reasons()
    native = [name for name in SOME_NATIVE if not reasons[name]][:1]
    return {*native, "python"} if part == "short" else {*native, *PURE, *OPTIONAL}


def skip_reasons() -> dict[str, str]:
    """Returns every backend that exists or should exist, with the reason why it cannot run
    here, or "" if it can."""
    reasons = {
        b.name: "" if b.available else b.reason or "no reason given" for b in rijn.backends()
    }
    for name in ALL:
        reasons.setdefault(name, "not built: rijn.backends() does not name it")
    return reasons


# A mark for tests of the native module, which always contains fixslice64.
needs_native = pytest.mark.skipif(
    bool(skip_reasons()["fixslice64"]), reason=f"backend fixslice64: {skip_reasons()['fixslice64']}"
)
