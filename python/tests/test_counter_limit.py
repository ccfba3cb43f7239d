"""A counter of 32 bits gives 2^32 blocks, 64 GiB, and not a byte more. The data is memory that
nothing ever touches."""

from __future__ import annotations

import subprocess
import sys

import pytest
from backends import needs_native
from limits import LIMIT

PROGRAM = """
import mmap, resource, sys
import rijn

most = 2**36
try:
    data = mmap.mmap(-1, most + 1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
except OSError:
    sys.exit("no address space")
# No result of 64 GiB can be made: the library is never reached.
resource.setrlimit(resource.RLIMIT_AS, (most + 2**34, resource.RLIM_INFINITY))
key, view = rijn.AES(bytes(16)), memoryview(data)
for name, size, width in (("exactly", most, 32), ("more", most + 1, 32), ("wider", most + 1, 64)):
    try:
        key.ctr_encrypt(bytes(16), view[:size], width=width)
    except (MemoryError, ValueError) as error:
        print(name, type(error).__name__, error)
"""


@needs_native
@pytest.mark.skipif(
    sys.platform != "linux" or sys.maxsize < 2**36, reason="needs Linux with 64-bit addresses"
)
def test_a_message_ends_with_its_counter() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=LIMIT
    )
    if done.stderr == "no address space\n":
        pytest.skip("needs 64 GiB of address space")
    assert done.returncode == 0, done.stderr
    exactly, more, wider = done.stdout.splitlines()
    assert exactly.startswith("exactly MemoryError")
    assert more == "more ValueError data is too long for a counter of 32 bits"
    assert wider.startswith("wider MemoryError")
