"""Plans a run: algorithms x operations x sizes x keys x buffers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import rijn
from rijn import _check

from .results import Task


class Impossible(ValueError):
    """An option has an unknown or impossible value."""


@dataclass(frozen=True)
class Algorithm:
    """A cipher in a mode, and its class or method in Rijn's API."""

    name: str
    key_size: int
    nonce_size: int  # 0: the mode takes none
    # One of these three names it:
    aead: str = ""  # an AEAD class: rijn.AESGCM and so on
    own: str = ""  # a class with other methods: rijn.AESXTS, AESSIV or CMAC
    mode: str = ""  # a mode of rijn.AES: "ctr" for AES.ctr_encrypt
    blocks: bool = False  # takes only whole blocks
    least: int = 1  # bytes of a message
    most: int = 1 << 30

    @property
    def built(self) -> bool:
        """True if this version of Rijn has the algorithm."""
        if self.aead or self.own:
            return hasattr(rijn, self.aead or self.own)
        return hasattr(rijn.AES, f"{self.mode}_encrypt")

    @property
    def is_mac(self) -> bool:
        """True if it only makes tags: no decryption, and not in place."""
        return self.own == "CMAC"

    def takes(self, size: int) -> bool:
        """Returns whether a message may have `size` bytes."""
        return self.least <= size <= self.most and not (self.blocks and size % 16)


def _aead(name: str, key_size: int, title: str) -> Algorithm:
    """An AEAD, with nonces as its class draws them: rijn_algorithms.def has their sizes."""
    nonce_size = getattr(getattr(rijn, title, None), "drawn_nonce_size", 0)
    return Algorithm(name, key_size, nonce_size, aead=title)


def _algorithms() -> Iterator[Algorithm]:
    for bits in (128, 192, 256):
        size = bits // 8
        for mode, nonce, blocks in (
            ("ecb", 0, True),
            ("cbc", 16, True),
            ("ctr", 16, False),
            ("cfb", 16, False),
            ("cfb8", 16, False),
            ("ofb", 16, False),
            ("ige", 32, True),
        ):
            yield Algorithm(f"aes-{bits}-{mode}", size, nonce, mode=mode, blocks=blocks)
        yield Algorithm(f"aes-{bits}-cmac", size, 0, own="CMAC")
        for mode in ("gcm", "ccm", "ocb3", "eax"):
            yield _aead(f"aes-{bits}-{mode}", size, f"AES{mode.upper()}")
        yield Algorithm(f"aes-{bits}-siv", 2 * size, 0, own="AESSIV")
    for bits in (128, 256):
        yield Algorithm(f"aes-{bits}-xts", bits // 4, 16, own="AESXTS", least=16, most=1 << 24)
        yield _aead(f"aes-{bits}-gcm-siv", bits // 8, "AESGCMSIV")
    yield _aead("xaes-256-gcm", 32, "XAES256GCM")
    for width in ("128l", "128x2", "128x4"):
        yield _aead(f"aegis-{width}", 16, f"AEGIS{width.upper()}")
    for width in ("256", "256x2", "256x4"):
        yield _aead(f"aegis-{width}", 32, f"AEGIS{width.upper()}")


ALGORITHMS = {algorithm.name: algorithm for algorithm in _algorithms()}
OPERATIONS = ("encrypt", "decrypt", "rekey")
KEYS = ("warm", "cold")
BUFFERS = ("fresh", "apart", "in-place")


@dataclass(frozen=True)
class Plan:
    """All tasks of a run, and the effort for each."""

    tasks: tuple[Task, ...]
    rounds: int = 15
    # A run goes through all tasks this many times, with a part of the rounds each time. A
    # disturbance of some seconds then affects only a part of a task's rounds.
    passes: int = 1
    millis: float = 2.0  # time of one contender in one round
    # Seconds. A contender with a longer message time is left out of a task in Python.
    patience: float = 0.25
    python_buffers: tuple[str, ...] = BUFFERS  # measured through Python too
    # If true, the harness detects the AES instructions of peers, which takes some time.
    instructions: bool = True
    backends: tuple[str, ...] | None = None  # None: all
    peers: tuple[str, ...] | None = None


def built() -> list[str]:
    """The algorithms that this version of Rijn has."""
    return [algorithm.name for algorithm in ALGORITHMS.values() if algorithm.built]


def sizes(text: str) -> list[int]:
    """Returns the sizes of a text like "16,1350,4K..16M", in bytes.

    K and M are 2^10 and 2^20. A range goes up by factors of four and includes its end. Raises
    Impossible.
    """
    found: set[int] = set()
    for item in text.split(","):
        low, dots, high = item.partition("..")
        if not dots:
            found.add(_size(low))
            continue
        size, last = _size(low), _size(high)
        if size > last:
            raise Impossible(f"the range of sizes {item} ends below its start")
        while size < last:
            found.add(size)
            size *= 4
        found.add(last)
    return sorted(found)


def _size(text: str) -> int:
    match = re.fullmatch(r"(0x[0-9a-f]+|\d+)([km]?)(i?b)?", text.strip().lower())
    size = int(match[1], 0) << {"": 0, "k": 10, "m": 20}[match[2]] if match else 0
    if not 1 <= size <= 1 << 30:
        raise Impossible(
            f"{text.strip()!r} is not a size from 1 to 1024M, for example 1350, 16K or 4M"
        )
    return size


def names(text: str, known: Sequence[str], what: str) -> list[str]:
    """Returns the known names that `text` lists, separated by commas.

    An item is a whole name, or the start or end of names ("aes-128", "gcm"). "all" is all names.
    Raises Impossible.
    """
    if text == "all":
        return list(known)
    found: dict[str, None] = {}
    for item in text.split(","):
        matching = [item] if item in known else []
        matching = matching or [
            name for name in known if name.startswith(f"{item}-") or name.endswith(f"-{item}")
        ]
        if not matching:
            near = _check.near(item, known)
            raise Impossible(f"unknown {what} {item!r}{near}; known: {', '.join(known)}")
        found.update(dict.fromkeys(matching))
    return list(found)


def tasks(
    algorithms: Sequence[str],
    of_sizes: Sequence[int],
    operations: Sequence[str] = ("encrypt",),
    keys: Sequence[str] = ("warm",),
    buffers: Sequence[str] = ("fresh", "apart"),
    threads: int = 1,
) -> tuple[Task, ...]:
    """Returns every combination that makes sense, small sizes before large ones."""
    found = []
    for name, operation, key, buffer in product(algorithms, operations, keys, buffers):
        if operation == "rekey":
            if key == "warm" and buffer == "apart":
                found.append(Task(name, operation, 0, key, buffer, 1))
            continue
        algorithm = ALGORITHMS[name]
        if algorithm.is_mac and (operation == "decrypt" or buffer == "in-place"):
            continue
        found += [
            Task(name, operation, size, key, buffer, threads)
            for size in of_sizes
            if algorithm.takes(size)
        ]
    return tuple(found)


# The libraries that the C harness can be linked with, by the names of its contenders.
C_PEERS = (
    "openssl",
    "bearssl",
    "ipsec-mb",
    "libsodium",
    "libaegis",
    "aws-lc",
    "boringssl",
    "putty",
)

_QUICK: dict[str, Any] = {
    "algorithms": ["aes-128-gcm"],
    "sizes": [16, 1 << 10, 16 << 10, 1 << 20],
    "rounds": 9,
    "millis": 1.0,
}
_DEFAULT: dict[str, Any] = {
    "algorithms": ["aes-128-gcm", "aes-128-ctr", "aegis-128l"],
    "sizes": [16, 256, 1 << 10, 16 << 10, 1 << 20],
    "rounds": 21,
    "passes": 3,
    "millis": 3.0,
}
_FULL: dict[str, Any] = {
    "sizes": sizes("16..16M,1350"),
    "operations": OPERATIONS,
    "keys": KEYS,
    "buffers": BUFFERS,
    "python_buffers": BUFFERS,
    "rounds": 9,
    "passes": 3,
    "millis": 2.0,
    "patience": 1.0,
}
_PRESETS = {"quick": _QUICK, "default": _DEFAULT, "full": _FULL}


def preset(name: str, **chosen: Any) -> Plan:
    """Returns the plan "quick", "default" or "full", changed by `chosen`."""
    options: dict[str, Any] = {
        "operations": ("encrypt",),
        "keys": ("warm",),
        "buffers": ("fresh", "apart"),  # usual in Python, usual in C
        "python_buffers": ("fresh",),
        "threads": 1,
        **_PRESETS[name],
        **chosen,
    }
    what = {key: options.pop(key) for key in ("operations", "keys", "buffers", "threads")}
    algorithms = options.pop("algorithms", None) or built()
    return Plan(tasks(algorithms, options.pop("sizes"), **what), **options)
