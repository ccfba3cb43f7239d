"""Large new results of the native backends are on huge pages, if the system has them, and have the
same bytes as other results."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest
from backends import needs_native, noise

import rijn

PREPARED = 1 << 17  # PREPARED_SIZE in binding.h
HUGE = 2 << 20
SMAPS = Path("/proc/self/smaps")
SWITCH = Path("/sys/kernel/mm/transparent_hugepage/enabled")

pytestmark = needs_native


def aead() -> rijn.AESGCM:
    native = next(name.name for name in rijn.backends() if name.available)
    return rijn.AESGCM(noise(16, 1), backend=native)


@pytest.mark.parametrize(
    "size", [PREPARED - 17, PREPARED - 16, 2 * HUGE - 17, 2 * HUGE - 16, 2 * HUGE + 4095, 3 * HUGE]
)
def test_fresh_is_as_given(size: int) -> None:
    nonce = noise(12, 2)
    data = noise(4096, size) * (size // 4096 + 1)
    given = bytearray(size + 16)
    aead().encrypt_into(nonce, memoryview(data)[:size], None, given)
    kept = [aead().encrypt(nonce, memoryview(data)[:size]) for _ in range(3)]
    assert all(fresh == given for fresh in kept)
    assert aead().decrypt(nonce, kept[0]) == data[:size]


def flags(at: int) -> list[str]:
    """Returns VmFlags of the mapping that contains the address."""
    inside = False
    for line in SMAPS.read_text().splitlines():
        if found := re.match("([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(found[1], 16) <= at < int(found[2], 16)
        elif inside and line.startswith("VmFlags:"):
            return line.split()[1:]
    raise AssertionError("no such mapping")


@pytest.mark.skipif(
    not (SMAPS.exists() and SWITCH.exists()), reason="a Linux without huge pages for anyone"
)
@pytest.mark.parametrize("call", ["encrypt", "decrypt", "ctr", "aegis"])
def test_huge_pages_are_asked_for(call: str) -> None:
    size = 2 * HUGE
    data = bytes(size)
    if call == "ctr":
        fresh = rijn.AES(bytes(16)).ctr_encrypt(bytes(16), data)
    elif call == "aegis":
        fresh = rijn.AEGIS128L(bytes(16)).encrypt(bytes(16), data)
    elif call == "encrypt":
        fresh = aead().encrypt(bytes(12), data)
    else:
        fresh = aead().decrypt(bytes(12), aead().encrypt(bytes(12), data))
    start = ctypes.cast(fresh, ctypes.c_void_p).value
    assert start
    first = -(-start // HUGE) * HUGE  # of a page that belongs to the result alone
    assert "hg" in flags(first)
    assert "hg" in flags(first + HUGE - 1)
