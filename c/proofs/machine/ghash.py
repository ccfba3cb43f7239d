"""GHASH of a backend without carry-less instructions is SP 800-38D, for all keys and blocks.

    prove(library, backend, blocks)

It runs key_init with a symbolic key of 16 bytes, so that H is the encrypted zero block, and gcm.ghash from
any accumulator. It compares every bit of the new accumulator with GHASH. H, and the accumulator between
two blocks, are cut: the proof holds for any value of them. Faults: `code N` (faults.py); `h`, whose
expected H has two bytes swapped; `order`, which expects the blocks in another order; `block`, whose expected
last block has two bytes swapped.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .driver import USE_HASH, Result, Run


def cut(bits: Algebra, value: spec.String) -> spec.String:
    return [[bits.cut(bit) for bit in byte] for byte in value]


def prove(library: str | Path, backend: str, blocks: int = 1, fault: str = "") -> Result:
    bits = Algebra(products="quadratic", linear=1 << 13, cuts=128 * (blocks + 1))
    run = Run(library, backend, bits, fault)
    key, y, data = bits.string("key", 16), bits.string("y", 16), bits.string("in", 16 * blocks)
    words = spec.KeyExpansion(bits, key)
    h = cut(bits, spec.CIPHER(bits, spec.string(bytes(16)), words))

    context = run.key(key, USE_HASH, blocks)
    sum_ = run.buffer("y", 16)
    run.machine.set(sum_, [bit for byte in y for bit in byte])
    given = run.buffer("in", 16 * blocks, data)

    if fault == "h":
        h = [*h[:2][::-1], *h[2:]]
    order = spec.blocks(data)[::-1] if fault == "order" else spec.blocks(data)
    if fault == "block":
        order[-1] = [*order[-1][:2][::-1], *order[-1][2:]]
    for i, block in enumerate(order):
        y = spec.multiply(bits, spec.xor(y, block), h)
        if i < blocks - 1:
            y = cut(bits, y)
    run.call("gcm.ghash", context, sum_, given, blocks)
    run.compare("y", sum_, y)
    return run.finish()
