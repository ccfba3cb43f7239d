"""CTR of a backend is SP 800-38A, for all keys and data, and all counters with the given last word.

    prove(library, backend, key, size, low, width, in_place)

It runs key_init and ctr.ctr_crypt from the backend's tables. The counter has twelve symbolic bytes, then
`low`, of which the last `width` bytes count. It compares every bit of the output, and the counter that is
left. Only a width of 4 may wrap, because wider counters carry into symbolic bytes, which are public.
Faults: `code N` (faults.py); `key`, as in ecb.py; `counter`, which expects the keystream a block later.
"""

from __future__ import annotations

from pathlib import Path

import spec

from .bits import Algebra
from .driver import Result, Run, opened
from .tables import Backend


def prove(
    library: str | Path,
    backend: str,
    key: int,
    size: int,
    low: int = 1,
    width: int = 4,
    in_place: bool = False,
    fault: str = "",
) -> Result:
    blocks = -(-size // 16)
    batch = Backend(opened(Path(library).resolve()), backend).blocks
    whole = -(-blocks // batch) * batch
    if width > 4 and low + whole >= 1 << 32:
        raise ValueError("the counter carries into symbolic bytes")
    bits = Algebra(linear=128 * ((key // 4 + 7) * (whole + 3)) + 8 * size + 4096)
    run = Run(library, backend, bits, fault)
    secret, data = bits.string("key", key), bits.string("in", size)
    counter = bits.string("counter", 12) + spec.string(low.to_bytes(4, "big"))
    used = [*secret[:2][::-1], *secret[2:]] if fault == "key" else secret
    words = spec.KeyExpansion(bits, used)

    def ciph(block: spec.String) -> spec.String:
        return spec.CIPHER(bits, block, words)

    first = spec.inc(bits, 32, counter) if fault == "counter" else counter
    wanted = spec.CTR(bits, ciph, first, data, 32)
    # Batches are whole: they have empty places, or some of their keystream is unused.
    ciph(spec.string(bytes(16)))
    spec.CTR(bits, ciph, counter, spec.string(bytes(16 * whole)), 32)

    context = run.key(secret, 0)
    given, out = run.data(data, in_place)
    kinds = spec.string(bytes([0, width, 0]))  # hidden, width, little
    state = run.buffer("counter", 19)
    run.machine.set(state, [bit for byte in counter + kinds for bit in byte])
    run.call("ctr.ctr_crypt", context, state, out, given, size)
    run.compare("out", out, wanted)
    run.compare("counter", state, spec.inc(bits, 32, counter, blocks) + kinds)
    return run.finish()
