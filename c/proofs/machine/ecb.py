"""ECB of a backend is FIPS 197, for all keys and blocks: the key schedule, and one batch or more.

    prove(library, backend, size, blocks, decrypt, in_place)

It runs key_init and ecb_encrypt or ecb_decrypt from the backend's tables, and compares every output bit
with KeyExpansion and CIPHER or INVCIPHER. Faults: `code N` (faults.py); `key`, whose round keys are for a
key with two bytes swapped; `order`, which expects the first two blocks swapped.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .driver import USE_DECRYPT, Result, Run


def prove(
    library: str | Path,
    backend: str,
    size: int,
    blocks: int,
    decrypt: bool = False,
    in_place: bool = False,
    fault: str = "",
) -> Result:
    bits = Algebra(linear=1 << 14 if blocks <= 4 else 1 << 16 if blocks <= 16 else 1 << 17)
    run = Run(library, backend, bits, fault)
    key, data = bits.string("key", size), bits.string("in", 16 * blocks)
    # First, so that the algebra knows the bytes that go through the S-box.
    used = [*key[:2][::-1], *key[2:]] if fault == "key" else key
    words = spec.KeyExpansion(bits, used)
    cipher = spec.INVCIPHER if decrypt else spec.CIPHER
    wanted = spec.ECB(lambda block: cipher(bits, block, words), data)
    cipher(bits, spec.string(bytes(16)), words)  # a batch may have empty places
    if fault == "order":
        wanted = wanted[16:32] + wanted[:16] + wanted[32:]

    context = run.key(key, USE_DECRYPT if decrypt else 0)
    given, out = run.data(data, in_place)
    run.call("ecb.ecb_decrypt" if decrypt else "ecb.ecb_encrypt", context, out, given, blocks)
    run.compare("out", out, wanted)
    return run.finish()
