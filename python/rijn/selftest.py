"""Self-test: checks every backend on this machine with known answers and random messages.

run() compares every available backend with the vectors of the standards (known_answers.py), and
with `reference` on random messages.
"""

from __future__ import annotations

import os
import random
from collections.abc import Container, Iterator
from typing import NamedTuple

from ._aeads import aead_class
from .block import AES
from .errors import InvalidTag
from .known_answers import Case, known_answers, raw, sealed
from .registry import backends


class Result(NamedTuple):
    """The result of one algorithm on one backend."""

    backend: str
    algorithm: str  # "AES-128-ECB", ..., "AEGIS-256X4"
    ok: bool
    detail: str  # what was checked, or what went wrong


# Bytes of the random messages: whole blocks and parts of blocks, and more blocks than the C
# backends process at once.
_RANDOM_SIZES = (0, 1, 15, 16, 17, 64, 127, 16 * 33 + 5)

_RAW = ("ecb", "cbc", "cfb", "ofb", "ctr", "ige")
_SEALERS = {
    "AESGCM": "GCM",
    "AESGCMSIV": "GCM-SIV",
    "AESCCM": "CCM",
    "AESOCB3": "OCB3",
    "AESEAX": "EAX",
    "XAES256GCM": "",
    "AEGIS128L": "",
    "AEGIS128X2": "",
    "AEGIS128X4": "",
    "AEGIS256": "",
    "AEGIS256X2": "",
    "AEGIS256X4": "",
}


def _random_cases(algorithms: set[str]) -> Iterator[Case]:
    """Yields random messages for these algorithms, with the answers of `reference`."""
    for size in _RANDOM_SIZES:
        source = f"random message of {size} bytes against reference"
        for key_size in (16, 24, 32):
            key = os.urandom(key_size)
            aes = AES(key, backend="reference")
            iv = os.urandom(16)
            # The carry out of the low 32, 64 or 128 bits comes within a few blocks.
            ones = random.choice((4, 8, 16))
            counter = iv[: 16 - ones] + b"\xff" * (ones - 1) + b"\xfd"
            before = {"ecb": (), "ctr": (counter,), "ige": (iv + iv[::-1],)}
            for mode in _RAW:
                if f"AES-{8 * key_size}-{mode.upper()}" in algorithms:
                    text = os.urandom(size if mode in ("cfb", "ofb", "ctr") else size // 16 * 16)
                    start = before.get(mode, (iv,))
                    answer = getattr(aes, f"{mode}_encrypt")(*start, text)
                    yield raw(source, mode, key, text, answer, *start)
        for name, suffix in _SEALERS.items():
            cls = aead_class(name)
            for key_size in cls.key_sizes:
                algorithm = f"AES-{8 * key_size}-{suffix}" if suffix else display_name(name)
                if algorithm in algorithms:
                    key, text = os.urandom(key_size), os.urandom(size)
                    ad = os.urandom(random.choice((0, 13, 32)))
                    # A nonce that is not 12 bytes makes GCM's 32-bit counter start anywhere.
                    sizes = [n for n in (12, 12, 8, 16, 40, 24, 32) if n in cls.nonce_sizes]
                    nonce = os.urandom(random.choice(sizes))
                    answer = cls(key, backend="reference").encrypt(nonce, text, ad)
                    yield sealed(source, algorithm, name, key, nonce, text, answer, ad)


def display_name(name: str) -> str:
    """Returns "AEGIS-128L" for AEGIS128L, "XAES-256-GCM" for XAES256GCM."""
    return "XAES-256-GCM" if name == "XAES256GCM" else name.replace("AEGIS", "AEGIS-")


def _problem(backend: str, case: Case) -> str:
    """Returns a backend's error for a case; "" if there is none."""
    key = case.make(backend)
    encrypt, decrypt = getattr(key, case.encrypt), getattr(key, case.decrypt)
    if encrypt(*case.before, case.plaintext, *case.after) != case.ciphertext:
        return "encrypts wrongly"
    if decrypt(*case.before, case.ciphertext, *case.after) != case.plaintext:
        return "decrypts wrongly"
    if case.authenticated:
        altered = case.ciphertext[:-1] + bytes([case.ciphertext[-1] ^ 1])
        try:
            decrypt(*case.before, altered, *case.after)
        except InvalidTag:
            return ""
        return "accepts an altered message"
    return ""


def _check(backend: str, algorithm: str, cases: list[Case], vectors: int) -> Result:
    for case in cases:
        try:
            problem = _problem(backend, case)
        except Exception as error:  # noqa: BLE001 - every exception is a result
            problem = f"raises {error!r}"
        if problem:
            return Result(backend, algorithm, False, f"{problem}: {case.source}")
    detail = f"published vectors: {vectors}, random messages: {len(cases) - vectors}"
    return Result(backend, algorithm, True, detail)


def run(names: Container[str] | None = None) -> list[Result]:
    """Checks every algorithm of every backend that can run here.

    :param names: only the backends of these names.
    :returns: a `Result` for each algorithm and backend.
    """
    vectors: dict[str, list[Case]] = {}
    for case in known_answers():
        vectors.setdefault(case.algorithm, []).append(case)
    messages: dict[str, list[Case]] = {algorithm: [] for algorithm in vectors}
    for case in _random_cases(set(vectors)):
        messages[case.algorithm].append(case)
    return [
        _check(record.name, algorithm, known + messages[algorithm], len(known))
        for record in backends()
        if record.available and (names is None or record.name in names)
        for algorithm, known in vectors.items()
    ]
